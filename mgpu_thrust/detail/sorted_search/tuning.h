// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tile size of the sorted search kernel, and when needles are searched for one by one.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape for keys of `KeyBytes`, the larger of both inputs' key sizes: as many keys in flight as shared memory
/// holds. The search distributes the needles over the threads itself, so the items per thread only determine the tile
/// size.
template <int KeyBytes>
constexpr auto choose_sorted_search_shape()
{
  constexpr int bytes = KeyBytes > largest_staged_key ? 1 : KeyBytes;
  if constexpr (bytes <= 4)
  {
    return tile_shape<256, 26, 8>{};
  }
  else if constexpr (bytes <= 8)
  {
    return tile_shape<192, 24, 6>{};
  }
  else if constexpr (bytes <= 128)
  {
    return tile_shape<128, detail::items_that_fit(128, bytes, 17), 6>{};
  }
  else
  {
    return tile_shape<32, detail::items_that_fit(32, bytes, 17), 6>{};
  }
}

/// Maximum number of elements in both ranges to bisect for each needle, unless both of its bounds are wanted: for 2^18
/// int32 a side a caller waits 16 us instead of 18 for tiles, for 2^19 tiles take 15.
inline constexpr std::int64_t max_to_search_by_bisection = std::int64_t{1} << 19;

/// The same if both bounds are wanted: 2^16 int32 a side take 5 to 8 us instead of 8 to 12, 2^18 take 14 instead of 9
/// if each key is there four times.
inline constexpr std::int64_t max_to_search_both_by_bisection = std::int64_t{1} << 17;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

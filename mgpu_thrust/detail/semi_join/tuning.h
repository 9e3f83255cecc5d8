// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tile size of semi and anti joins.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape for keys of `KeyBytes`, the larger of both inputs' key sizes. Tiles are smaller than those of a sorted
/// search, and more of them are resident, as they wait for their output offsets.
template <int KeyBytes>
constexpr auto choose_semi_join_shape()
{
  constexpr int bytes = KeyBytes > largest_staged_key ? 1 : KeyBytes;
  if constexpr (bytes <= 4)
  {
    return tile_shape<224, 26, 9>{};
  }
  else if constexpr (bytes <= 8)
  {
    return tile_shape<224, 13, 9>{};
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

template <int KeyBytes>
using semi_join_shape = decltype(choose_semi_join_shape<KeyBytes>());

/// Maximum number of elements in both inputs to bisect for each row of A: for 2^12 int32 a side a caller waits 15 us
/// instead of 17.5 for tiles, for 2^16 as long or less, for 2^17 19 instead of 17.
inline constexpr std::int64_t max_to_semi_join_by_bisection = std::int64_t{1} << 17;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

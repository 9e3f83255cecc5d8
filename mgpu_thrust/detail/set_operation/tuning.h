// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tile size of the set operation kernel, by architecture and by the sizes of keys and values.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape for merges of keys of up to 8 bytes. Merges wait for no offset, so a multiprocessor needs fewer resident
/// tiles. 15 to 27 items and 128 to 256 threads are within 2 %.
template <int KeyBytes, bool HasValues>
constexpr auto choose_merge_shape()
{
  if constexpr (KeyBytes <= 4)
  {
    return std::conditional_t<HasValues, tile_shape<128, 19, 12>, tile_shape<256, 23, 6>>{}; // 40 registers
  }
  else
  {
    return tile_shape<128, 19, 7>{}; // 72 registers
  }
}

/// The shape for keys of `KeyBytes`, the larger of both inputs' key sizes, with values or without. The values' size
/// does not matter, as they never occupy shared memory. Keys that are not staged count as one byte. Operations that
/// combine values hold two numbers of each element in shared memory, so fewer blocks fit.
///
/// Measured on an H200; the figures are in benchmarks/results. A thread with many items spreads the cost of its search,
/// and an odd number spreads the threads' keys over the banks of shared memory. What matters then is how many keys a
/// multiprocessor has in flight, as tiles wait for their keys and their offset. So registers are limited, at the cost
/// of a few bytes of spilling, and blocks are small. The larger the keys, the more bank conflicts a search costs, so
/// fewer threads search.
template <class Operation, int KeyBytes, bool HasValues, bool CombinesValues = false>
constexpr auto choose_set_operation_shape()
{
  constexpr int bytes = KeyBytes > largest_staged_key ? 1 : KeyBytes;
  constexpr bool keeps_matches_only = !Operation::keeps_unmatched_a && !Operation::keeps_unmatched_b;
  if constexpr (!Operation::matches && bytes <= 8)
  {
    return detail::choose_merge_shape<bytes, HasValues>();
  }
  else if constexpr (bytes <= 4 && !HasValues)
  {
    return tile_shape<128, 29, 12>{}; // limited by registers: 40 of them
  }
  else if constexpr (bytes <= 4)
  {
    constexpr int blocks = keeps_matches_only ? (CombinesValues ? 9 : 11) : (CombinesValues ? 7 : 10);
    return tile_shape<128, 29, blocks>{}; // limited by shared memory: keys and numbers
  }
  else if constexpr (bytes <= 8)
  {
    constexpr int blocks = !CombinesValues ? 10 : keeps_matches_only ? 9 : 8;
    return tile_shape<96, 23, blocks>{}; // limited by shared memory
  }
  else if constexpr (bytes <= 32 && HasValues)
  {
    return tile_shape<96, items_that_fit(96, bytes, 13), 8>{}; // limited by shared memory
  }
  else if constexpr (bytes <= 32)
  {
    return tile_shape<64, items_that_fit(64, bytes, 19), 8>{}; // limited by shared memory
  }
  else
  {
    return tile_shape<32, items_that_fit(32, bytes, 15), 6>{}; // one warp, as keys become large
  }
}

template <class Operation, int KeyBytes, bool HasValues, bool CombinesValues = false>
using set_operation_shape = decltype(choose_set_operation_shape<Operation, KeyBytes, HasValues, CombinesValues>());

/// The shape of co-resident blocks of operations that match: tiles twice as large if there is room, so half as many
/// blocks wait for each other.
template <class Shape, int KeyBytes, bool HasValues>
using coresident_set_operation_shape = std::conditional_t<KeyBytes <= 8 && !HasValues, typename Shape::twice, Shape>;

/// Maximum number of elements in both inputs to bisect for each element of A: for 2^12 int32 a side a caller waits 16
/// us instead of 18.5 for tiles, for 2^16 as long, for 2^17 22.5 instead of 20.
inline constexpr std::int64_t max_to_match_by_bisection = std::int64_t{1} << 17;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

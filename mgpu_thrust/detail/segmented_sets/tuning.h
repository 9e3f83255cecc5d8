// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tuning of operations on pairs of lists.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The blocks of both kernels. A thread takes a chunk of a merge, of as many steps as it has items, or a needle.
struct segmented_sets_shape : tile_shape<128, 16, 10>
{
  static constexpr int warps = threads / 32;
  static constexpr int chunk = items_per_thread;
  static constexpr int max_pairs = 32; ///< of a window, which a warp has
};

/// Maximum number of units of work of a pair, chunks of a merge or needles, that the warp of its window takes.
inline constexpr int max_short_units = 16;

/// Maximum number of elements of the longer list for each of the shorter one with which both are merged.
inline constexpr std::int64_t max_merged_ratio = 8;

/// Maximum distance, in elements, between the beginnings of a warp's lists that are merged by a thread a pair.
inline constexpr std::int64_t max_near_distance = 2048;

/// Number of windows that pairs are divided into, if that leaves a window fewer pairs than it has room for: 32 warps for
/// each multiprocessor of an H200.
inline constexpr std::int64_t min_windows = 4224;

/// Returns the number of pairs of a window.
constexpr int window_pairs(std::int64_t num_pairs)
{
  const std::int64_t pairs = num_pairs / min_windows + (num_pairs % min_windows > 0 ? 1 : 0);
  return static_cast<int>(pairs < segmented_sets_shape::max_pairs ? pairs : segmented_sets_shape::max_pairs);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

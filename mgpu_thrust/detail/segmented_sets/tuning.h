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

#ifndef PS_CHUNK
#  define PS_CHUNK 17
#endif
#ifndef PS_THREADS
#  define PS_THREADS 128
#endif
#ifndef PS_BLOCKS
#  define PS_BLOCKS 12
#endif
#ifndef PS_RATIO
#  define PS_RATIO 12
#endif
#ifndef PS_SHORT
#  define PS_SHORT 16
#endif
#ifndef PS_NEAR
#  define PS_NEAR 8192
#endif
#ifndef PS_FAR
#  define PS_FAR 4
#endif
#ifndef PS_LONG
#  define PS_LONG 8
#endif
#ifndef PS_WINDOWS
#  define PS_WINDOWS 4224
#endif

/// The blocks of both kernels. A thread takes a chunk of a merge, of as many steps as it has items, or a needle.
struct segmented_sets_shape : tile_shape<PS_THREADS, PS_CHUNK, PS_BLOCKS>
{
  static constexpr int warps = threads / 32;
  static constexpr int chunk = items_per_thread;
  static constexpr int pairs_per_thread = 1;
  static constexpr int max_pairs = 32 * pairs_per_thread; ///< of a window, which a warp has
};

/// The second kernel has fewer warps, of more registers.
using long_pairs_shape = tile_shape<segmented_sets_shape::threads, PS_CHUNK, PS_LONG>;

/// Maximum number of units of work of a pair, chunks of a merge or needles, that the warp of its window takes.
inline constexpr int max_short_units = PS_SHORT;
inline constexpr int max_short_needles = PS_SHORT;

/// Maximum number of elements of the longer list for each of the shorter one with which both are merged.
inline constexpr std::int64_t max_merged_ratio = PS_RATIO;

/// Maximum distance, in elements, between the beginnings of a warp's lists that are merged by a thread a pair.
inline constexpr int max_near_distance = PS_NEAR;
inline constexpr int max_far_units = PS_FAR;

/// Number of windows that pairs are divided into, if that leaves a window fewer pairs than it has room for: 32 warps for
/// each multiprocessor of an H200.
inline constexpr std::int64_t min_windows = PS_WINDOWS;

/// Returns the number of pairs of a window.
constexpr int window_pairs(std::int64_t num_pairs)
{
  const std::int64_t pairs = num_pairs / min_windows + (num_pairs % min_windows > 0 ? 1 : 0);
  return static_cast<int>(pairs < segmented_sets_shape::max_pairs ? pairs : segmented_sets_shape::max_pairs);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

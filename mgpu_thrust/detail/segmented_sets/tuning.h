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
#  define PS_CHUNK 15
#endif
#ifndef PS_LCHUNK
#  define PS_LCHUNK 25
#endif
#ifndef PS_BLOCKS
#  define PS_BLOCKS 12
#endif
#ifndef PS_LONG
#  define PS_LONG 8
#endif
#ifndef PS_BATCH
#  define PS_BATCH 9
#endif
#ifndef PS_STAGE
#  define PS_STAGE 1
#endif
#ifndef PS_SHORT
#  define PS_SHORT 32
#endif
#ifndef PS_RATIO
#  define PS_RATIO 12
#endif
#ifndef PS_FAR
#  define PS_FAR 4
#endif
#ifndef PS_NEAR
#  define PS_NEAR 8192
#endif
#ifndef PS_WINDOWS
#  define PS_WINDOWS 4224
#endif

/// The blocks that find the matches of short pairs. A warp has a window of neighbouring pairs, and a thread takes a chunk of
/// a merge, of as many steps as it has items, or a needle. Odd chunks spread the threads' first elements over the banks.
struct segmented_sets_shape : tile_shape<128, PS_CHUNK, PS_BLOCKS>
{
  static constexpr int warps = threads / 32;
  static constexpr int pairs_per_thread = 1;
  static constexpr int max_pairs = 32 * pairs_per_thread; ///< of a window
};

/// The blocks that find the matches of long pairs. A warp takes words: 32 chunks of a merge, or 32 needles.
struct long_pairs_shape : tile_shape<128, PS_LCHUNK, PS_LONG>
{
  static constexpr int warps = threads / 32;
  static constexpr int word_steps = 32 * items_per_thread;
  static constexpr int loads = PS_BATCH; ///< of a thread in flight
};

/// Maximum number of elements of the longer list for each of the shorter one with which both are merged.
inline constexpr std::int64_t max_merged_ratio = PS_RATIO;

/// Maximum number of needles, or of chunks, of a short pair.
inline constexpr int max_short_needles = PS_SHORT;

/// Maximum distance, in elements, between lists of a window that are near each other in memory; and of pairs whose lists are
/// not, the maximum number of chunks with which needles are searched for instead.
inline constexpr int max_near_distance = PS_NEAR;
inline constexpr int max_far_chunks = PS_FAR;

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

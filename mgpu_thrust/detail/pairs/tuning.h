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

/// The blocks that find the matches of short pairs. A warp has a window of neighbouring pairs, and a thread takes a
/// chunk of a merge, of as many steps as it has items, or a needle. Odd chunks spread the threads' elements over the
/// banks of memory.
struct segmented_sets_shape : tile_shape<64, 15, 24>
{
  static constexpr int warps = threads / 32;
  static constexpr int max_pairs = 32; ///< of a window
};

/// The blocks that find the matches of long pairs. A warp takes words: a chunk of a merge for each lane, or 32 needles.
/// Words are short where the first match decides, as the rest of a pair is skipped.
struct long_pairs_shape : tile_shape<128, 25, 8>
{
  static constexpr int warps = threads / 32;
  static constexpr int word_steps = 32 * items_per_thread;
  static constexpr int deciding_word_steps = 32 * 9;
};

/// Number of elements of the longer list for each of the shorter one from which on the latter's are searched for.
inline constexpr std::int64_t min_searched_ratio = 12;

/// Number of elements of one list of a word for each of the other from which on none is staged: chunks with few
/// elements of one list read few of the other.
inline constexpr int min_unstaged_ratio = 4;

/// Maximum number of needles, or of chunks, of a short pair.
inline constexpr int max_short_needles = 32;

/// Maximum number of elements of a pair that a lane merges alone; and, where the first match decides, the number among
/// which each lane looks for it before others search: half of the lists' elements are in both, and 131,087 pairs of 64
/// take 19 us instead of 50 (H200).
inline constexpr int max_own_steps = 32;

/// Distance, in elements, within which the lists of a window are near each other in memory; and of pairs whose lists
/// are not, the maximum number of chunks with which needles are searched for instead.
inline constexpr int near_distance = 8192;
inline constexpr int max_far_chunks = 4;

/// Number of windows that pairs are divided into, if that leaves a window fewer pairs than it has room for: 32 warps
/// for each multiprocessor of an H200.
inline constexpr std::int64_t min_windows = 4224;

/// Returns the number of pairs of a window.
constexpr int window_pairs(std::int64_t num_pairs)
{
  const std::int64_t pairs = num_pairs / min_windows + (num_pairs % min_windows > 0 ? 1 : 0);
  return static_cast<int>(pairs < segmented_sets_shape::max_pairs ? pairs : segmented_sets_shape::max_pairs);
}

/// Returns an upper bound of the number of windows, in whole blocks, of as many pairs, or fewer: of slightly more than
/// min_windows pairs there are fewer windows than of min_windows.
constexpr std::int64_t max_windows(std::int64_t num_pairs)
{
  constexpr int warps = segmented_sets_shape::warps;
  const std::int64_t full = num_pairs / segmented_sets_shape::max_pairs + 1;
  const std::int64_t small = num_pairs < min_windows ? num_pairs : min_windows;
  return (full > small ? full : small) / warps * warps + warps;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

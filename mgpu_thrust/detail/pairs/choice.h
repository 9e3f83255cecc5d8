// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels operations on pairs of lists run on a GPU. The comments of the paths are the table "What runs when" of
/// docs/how-it-works/segmented_set_operations.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/pairs/lists/tuning.h>
#include <mgpu_thrust/detail/pairs/tuning.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Operations on pairs of lists. Each pair takes its path by its sizes, which the device alone knows. The elements of
/// the shorter list are its needles, the longer one is the haystack.
enum class segmented_sets_path
{
  /// A warp has a window of neighbouring pairs. Each lane takes a chunk of the merge of a pair, whichever it belongs
  /// to.
  /// When: up to {segmented_sets_shape::items_per_thread} elements, which are a chunk, or fewer than
  /// {min_searched_ratio} in the haystack for each needle; up to {max_short_needles} chunks
  /// Kernels: short_pairs_kernel
  /// Launches: 1, after the queue is cleared
  /// Why: pairs of 64 and 64 take a third of the time of searches for all needles (H100)
  /// Data: if no pair of a window has more than {max_own_steps} elements, and its lists begin within {near_distance}
  /// elements, each lane merges its own pair; needles of up to {max_far_chunks} chunks are searched for if lists are
  /// farther from each other. If a match decides, each lane first looks for it among {max_own_steps} elements of its
  /// pair
  merged,
  /// The same, but each lane searches for a needle.
  /// When: otherwise; up to {max_short_needles} needles
  /// Kernels: short_pairs_kernel
  /// Launches: the same
  /// Why: 2^14 pairs of 8 and 8,192 take 18 us; a copy of their elements takes 190 (H100)
  searched,
  /// The first kernel queues windows with such pairs. Warps of a persistent grid take equal ranges of words of a chunk
  /// for each lane; matches of a pair in several ranges are added up.
  /// When: as merged, with more chunks; a word has {long_pairs_shape::word_steps} steps, or
  /// {long_pairs_shape::deciding_word_steps} if a match decides
  /// Kernels: long_pairs_kernel
  /// Launches: 1, also if no pair is queued
  /// Why: work is equal for any lengths: a power law takes 0.001 of the time of a warp a pair; pairs of 4,096 take 0.26
  /// of that of searches (H100)
  /// Data: words are staged in shared memory, unless one list has {min_unstaged_ratio} elements or more there for each
  /// of the other, or a match decides
  long_merged,
  /// The same, but a word is 32 needles.
  /// When: otherwise
  /// Kernels: long_pairs_kernel
  /// Launches: the same
  /// Why: work is equal for any lengths, and little of the haystack is read
  /// Data: neighbouring needles of one pair are searched for near each other
  long_searched
};

/// Returns the path of a pair that has as many needles, and elements in its haystack.
MGPU_THRUST_HOST_DEVICE constexpr segmented_sets_path
choose_segmented_sets_path(std::int64_t needles, std::int64_t haystack)
{
  constexpr int chunk = segmented_sets_shape::items_per_thread;
  const std::int64_t steps = needles + haystack;
  if (steps <= chunk || static_cast<std::uint64_t>(haystack) < static_cast<std::uint64_t>(needles) * min_searched_ratio)
  {
    return steps <= max_short_needles * chunk ? segmented_sets_path::merged : segmented_sets_path::long_merged;
  }
  return needles <= max_short_needles ? segmented_sets_path::searched : segmented_sets_path::long_searched;
}

/// How a device executes an operation on pairs of lists.
struct segmented_sets_choice
{
  std::int64_t blocks; ///< of the first kernel, whose warps have a window each
  int window_pairs;
  int long_blocks; ///< of the persistent grid
};

/// Chooses for a number of pairs, or its capacity.
constexpr segmented_sets_choice choose_segmented_sets(std::int64_t num_pairs, const device_room& device)
{
  const int pairs = detail::window_pairs(num_pairs);
  const std::int64_t blocks =
    num_pairs == 0 ? 0 : ::cuda::ceil_div(num_pairs, std::int64_t{pairs} * segmented_sets_shape::warps);
  const int coresident = detail::max_coresident_blocks(device, long_pairs_shape::sure_blocks);
  return {blocks, pairs, coresident > 0 ? coresident : static_cast<int>(min_windows)};
}

/// Whether the first kernel queues pairs of a path for the second one.
MGPU_THRUST_HOST_DEVICE constexpr bool is_queued(segmented_sets_path path)
{
  return path == segmented_sets_path::long_merged || path == segmented_sets_path::long_searched;
}

/// Whether one pass of a co-resident grid writes the results of pairs of lists: where an operation keeps matches alone.
/// Others take two passes: their tiles have more elements to write, which the L1 cache no longer has when a tile's
/// offset arrives.
template <class Operation>
inline constexpr bool takes_one_lists_pass =
  Operation::matches && !Operation::keeps_unmatched_a && !Operation::keeps_unmatched_b;

/// Set operations on pairs of lists whose results are lists, and searches in lists. The work of all pairs is divided
/// into chunks of a thread each, and blocks take equally many of them. Each pair takes its path by its sizes, as on a
/// CPU.
enum class segmented_lists_path
{
  /// A chunk is a part of the balanced path of both lists; of the merge path for merges and searches.
  /// When: otherwise; a chunk has {segmented_lists_shape::path_steps} steps
  /// Kernels: write_matches_kernel, where matches alone are kept; otherwise count_lists_kernel, write_lists_kernel; of
  /// a search, search_lists_kernel
  /// Launches: 1 where matches alone are kept; otherwise 2, of a search 1, after two of cub::DeviceScan
  /// Why: storage does not depend on the work, which the host does not know; one pass takes 0.6 to 0.9 of the time of
  /// two for intersections (H100)
  /// Data: where lists are so long that there could be more matches than the largest offset, a pass of the same kernel
  /// counts them before
  walk,
  /// A chunk is a needle: an element of the shorter list, which is searched for in the longer one.
  /// When: intersections, if a list has {min_needle_ratio} elements or more for each of the other;
  /// differences, if B's has; searches, if the haystack has
  /// Kernels: those of walk
  /// Launches: the same, of both paths
  /// Why: the longer list is not read as a whole
  needles
};

/// Returns the path of a pair whose needles, by min_needle_ratio, are of a side.
MGPU_THRUST_HOST_DEVICE constexpr segmented_lists_path choose_segmented_lists_path(short_side needles)
{
  return needles == short_side::none ? segmented_lists_path::walk : segmented_lists_path::needles;
}

/// How a device executes such an operation.
struct segmented_lists_choice
{
  std::int64_t tiles; ///< the blocks; more if there are so many pairs, 2^58, that bytes of storage may overflow
  int blocks;
};

/// Chooses for a number of pairs, or its capacity. `coresident_blocks` is the number of co-resident blocks on the
/// device, or 0 for more than one pass.
constexpr segmented_lists_choice choose_segmented_lists(std::int64_t num_pairs, int coresident_blocks)
{
  return {
    (std::max)(std::int64_t{segmented_lists_blocks}, num_pairs >> 27),
    coresident_blocks > 0 ? std::clamp(coresident_blocks, min_lists_blocks, max_lists_blocks) : segmented_lists_blocks};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

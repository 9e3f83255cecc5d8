// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels operations on pairs of lists run on a GPU. The comments of the paths are the table "What runs when" of
/// docs/how-it-works.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/segmented_sets/lists/tuning.h>
#include <mgpu_thrust/detail/segmented_sets/tuning.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Operations on pairs of lists. Each pair takes its path by its sizes, which the device alone knows. The elements of the
/// shorter list are its needles, the longer one is the haystack. A unit of work is a chunk of the merge of both lists, or a
/// needle.
enum class segmented_sets_path
{
  /// A warp has a window of neighbouring pairs, and each lane takes a unit, whichever pair it belongs to.
  /// When: a pair with up to {max_short_units} units. These are chunks of {segmented_sets_shape::chunk} steps; or needles, if
  /// there are more elements than in a chunk, and {max_merged_ratio} or more in the haystack for each needle
  /// Kernels: short_pairs_kernel
  /// Launches: 1, after the queue is cleared
  /// Why: bounds are read once, and no barrier is needed: 2^14 pairs of 8 and 8,192 take 18 us, a copy of their elements 190
  /// (H100)
  /// Data: a pair of one chunk is searched for its needles if the lists of the window begin {max_near_distance} elements or
  /// more from each other
  short_lists,
  /// The first kernel queues windows that have longer pairs. Warps of a persistent grid take equal ranges of their units, in
  /// words of 32; matches of a pair in several ranges are added up.
  /// When: a pair with more units
  /// Kernels: long_pairs_kernel
  /// Launches: 1, also if no pair is queued
  /// Why: work is equal for any lengths: a power law takes 0.001 of the time of a warp a pair; pairs of 4,096 take 0.31 of
  /// that of searches for all needles (H100)
  /// Data: neighbouring needles of one pair are searched for near each other
  long_lists
};

/// The work of a pair in units, each of which a lane takes: chunks of a merge, or needles.
struct pair_units
{
  bool is_merged;
  std::int64_t units;
};

/// Returns the work of a pair that has as many needles, and elements in its haystack.
MGPU_THRUST_HOST_DEVICE constexpr pair_units choose_pair_units(std::int64_t needles, std::int64_t haystack)
{
  constexpr int chunk = segmented_sets_shape::chunk;
  const std::int64_t steps = needles + haystack;
  const bool is_merged = steps <= chunk || haystack / max_merged_ratio < needles;
  return {is_merged, needles == 0 ? 0 : is_merged ? (steps + chunk - 1) / chunk : needles};
}

/// Returns the path of a pair of as many units.
MGPU_THRUST_HOST_DEVICE constexpr segmented_sets_path choose_segmented_sets_path(std::int64_t units)
{
  return units <= max_short_units ? segmented_sets_path::short_lists : segmented_sets_path::long_lists;
}

/// Whether one pass of a co-resident grid writes the results of pairs of lists: where an operation keeps matches alone.
/// Others take two passes: their tiles have more elements to write, which the L1 cache no longer has when a tile's offset
/// arrives.
template <class Operation>
inline constexpr bool takes_one_lists_pass =
  Operation::matches && !Operation::keeps_unmatched_a && !Operation::keeps_unmatched_b;

/// Set operations on pairs of lists whose results are lists, and searches in lists. The work of all pairs is divided into
/// chunks of a thread each, and blocks take equally many of them. Each pair takes its path by its sizes, as on a CPU.
enum class segmented_lists_path
{
  /// A chunk is a part of the balanced path of both lists; of the merge path for merges and searches.
  /// When: otherwise; a chunk has {segmented_lists_shape::path_steps} steps
  /// Kernels: write_matches_kernel, where matches alone are kept; otherwise count_lists_kernel, write_lists_kernel; of a
  /// search, search_lists_kernel
  /// Launches: 1 where matches alone are kept; otherwise 2, of a search 1, after two of cub::DeviceScan
  /// Why: storage does not depend on the work, which the host does not know; one pass takes 0.6 to 0.9 of the time of two
  /// for intersections (H100)
  /// Data: where lists are so long that there could be more matches than the largest offset, a pass of the same kernel
  /// counts them before
  walk,
  /// A chunk is a needle: an element of the shorter list, which is searched for in the longer one.
  /// When: intersections, if a list has {cpu_short_side_ratio} elements or more for each of the other;
  /// differences, if B's has; searches, if the haystack has
  /// Kernels: those of walk
  /// Launches: the same, of both paths
  /// Why: the longer list is not read as a whole
  needles
};

/// Returns the path of a pair whose needles are of a side.
MGPU_THRUST_HOST_DEVICE constexpr segmented_lists_path choose_segmented_lists_path(short_side needles)
{
  return needles == short_side::none ? segmented_lists_path::walk : segmented_lists_path::needles;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

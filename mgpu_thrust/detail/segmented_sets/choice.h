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

/// Operations on pairs of lists. The elements of the shorter list of a pair are its needles, each of which is searched for
/// in the longer list. Each pair takes its path by its sizes, which the device alone knows.
enum class segmented_sets_path
{
  /// A block has a window of neighbouring pairs, and scans their numbers of needles.
  /// When: a pair with up to {max_short_needles} needles; a window has up to {segmented_sets_shape::max_pairs} pairs
  /// Kernels: short_pairs_kernel
  /// Launches: 1, after the queue is cleared
  /// Why: bounds are read once, and no scan of all pairs is needed: in a prototype pairs of 4 and 4 took 0.55 of the time of
  /// needle tiles (H100)
  short_lists,
  /// The first kernel queues windows that have longer pairs. Blocks of a persistent grid take tiles of needles of these
  /// pairs, whatever the lengths of their lists are; matches of a pair in several tiles are added up.
  /// When: a pair with more needles; a tile has {segmented_sets_shape::items}
  /// Kernels: long_pairs_kernel
  /// Launches: 1, also if no pair is queued
  /// Why: work is equal for any lengths: in a prototype a power law took 0.01 of the time of a warp a pair (H100)
  /// Data: neighbouring needles of one pair are searched for near each other
  long_lists
};

/// Returns the path of a pair.
MGPU_THRUST_HOST_DEVICE constexpr segmented_sets_path choose_segmented_sets_path(std::int64_t needles)
{
  return needles <= max_short_needles ? segmented_sets_path::short_lists : segmented_sets_path::long_lists;
}

/// Set operations on pairs of lists whose results are lists, and searches in lists. The work of all pairs is divided into
/// chunks of a thread each, and each block has an equal share of them. Each pair takes its path by its sizes, as on a CPU.
enum class segmented_lists_path
{
  /// A chunk is a part of the balanced path of both lists; of the merge path for merges and searches.
  /// When: otherwise; a chunk has {segmented_lists_shape::path_steps} steps
  /// Kernels: count_lists_kernel, write_lists_kernel; of a search, search_lists_kernel
  /// Launches: 2, of a search 1, after two of cub::DeviceScan
  /// Why: what is kept is counted before it is written, so that storage does not depend on the work, which the host does not
  /// know
  walk,
  /// A chunk is a needle: an element of the shorter list, which is searched for in the longer one.
  /// When: intersections, if a list has {cpu_short_side_ratio} elements or more for each of the other;
  /// differences, if B's has; searches, if the haystack has
  /// Kernels: count_lists_kernel, write_lists_kernel; of a search, search_lists_kernel
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels operations on pairs of lists run on a GPU. The comments of the paths are the table "What runs when" of
/// docs/how-it-works.md.

#include <mgpu_thrust/detail/base/config.h>
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

} // namespace detail
MGPU_THRUST_NAMESPACE_END

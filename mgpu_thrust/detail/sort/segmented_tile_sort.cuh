// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The sort of a tile of several segments, each on its own.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/sort/tile_sort_phases.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Sorts each segment of a tile: levels of merges double the length of the sorted runs, where each merge is of the
/// segment at its border, and end as soon as no segment crosses two borders. Phases is a tile_sort_phases. Called as
/// doubling_tile_sort(); `shared_longest` must be set to 0 before a barrier that precedes the call.
///
/// Only the kernel's blocks find out whether their tile has several segments. A tile of one segment is sorted as by
/// doubling_tile_sort(), but by this function, so that a kernel does not hold the merges twice.
template <class Phases>
MGPU_THRUST_DEVICE void segmented_tile_sort(
  Phases& tile, typename Phases::own_items& own, const typename Phases::own_range& range, int count,
  int& shared_longest)
{
  // 1. Sort short runs.
  const int first_run = tile.sort_runs(own, range);

  // 2. Merge longer runs. Once no segment that crosses a border is longer than a run, none crosses two of the borders
  //    left, and the merges at all of them are done at once.
  const bool are_several = tile.segments().are_several();
  const int longest = are_several ? tile.longest_across(shared_longest) : count;
  tile.merge_levels(
    first_run, longest == 0,
    [&](int run) {
      return merge_level{run, Phases::items_of(run), are_several && longest <= Phases::items_of(run)};
    });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

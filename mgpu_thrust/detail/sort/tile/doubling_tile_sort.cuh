// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sort of a tile of one or several segments, with keys in any order.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/sort/tile/tile_sort_phases.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Sorts each segment of a tile of `count` keys. Levels of merges double the length of sorted runs until one is left.
/// Of several segments, a merge is of the one across its border, and the levels end when no segment crosses two
/// borders. Phases is a tile_sort_phases. Called by all threads of a block, after a barrier that follows the last read
/// of the memory that the phases write; all threads see the result. `shared_longest` must be set to 0 before a barrier
/// that precedes the call.
template <class Phases>
MGPU_THRUST_DEVICE void doubling_tile_sort(
  Phases& tile, typename Phases::own_items& own, const typename Phases::own_range& range, int count,
  int& shared_longest)
{
  // 1. Sort short runs.
  const int first_run = tile.sort_runs(own, range);

  // 2. Merge longer runs. When no segment that crosses a border is longer than a run, none crosses two of the remaining
  //    borders: one last level merges at all of them.
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

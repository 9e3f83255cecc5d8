// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The sort of a tile whose keys are of one segment and in any order.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/sort/tile_sort_phases.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Sorts a tile of one segment whose keys are in any order: levels of merges double the length of the sorted runs until
/// one is left. Phases is a tile_sort_phases. Called by all threads of a block, after a barrier that follows the last
/// read of the memory that the phases store to; all threads see the result.
template <class Phases>
MGPU_THRUST_DEVICE void
doubling_tile_sort(Phases& tile, typename Phases::own_items& own, const typename Phases::own_range& range)
{
  const int first_run = tile.sort_runs(own, range);
  tile.merge_levels(first_run, false, [](int run) { return merge_level{run, Phases::items_of(run), false}; });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

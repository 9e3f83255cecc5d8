// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The counts of tiles as the warp reads them that turns counts into offsets.

#include <mgpu_thrust/detail/base/config.h>

#include <cub/warp/warp_scan.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The counts of four tiles a lane, as the serving warp has read them, and their sums.
template <class Count>
struct served_counts
{
  Count before[4];      ///< of the lane's tiles, before each of them
  Count before_lane;    ///< of all lanes before
  Count sum_before;     ///< of all lanes before the first incomplete one
  int ready;            ///< how many of the lane's counts are posted, up to the first that is not
  int first_incomplete; ///< the first lane of which a count is missing, or 32

  /// `counts` has the counts of a lane, of which `present` are those of tiles; one more than each, or 0 while it is not
  /// posted. Called by a full warp.
  MGPU_THRUST_DEVICE served_counts(const Count (&counts)[4], int present)
      : ready(0)
  {
    Count lane_sum = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i)
    {
      before[i] = lane_sum;
      if (ready == i && counts[i] != 0)
      {
        lane_sum += counts[i] - 1;
        ++ready;
      }
    }
    const bool complete = ready == 4 || ready >= present;
    const unsigned incomplete_lanes = __ballot_sync(~0u, !complete);
    first_incomplete = incomplete_lanes == 0 ? 32 : __ffs(static_cast<int>(incomplete_lanes)) - 1;

    // What is after the first incomplete lane does not matter.
    Count inclusive;
    typename cub::WarpScan<Count>::TempStorage nothing_shared;
    cub::WarpScan<Count>(nothing_shared).InclusiveSum(lane_sum, inclusive);
    before_lane = inclusive - lane_sum;
    const Count found = __shfl_sync(~0u, inclusive, first_incomplete == 0 ? 0 : first_incomplete - 1);
    sum_before = first_incomplete == 0 ? 0 : found;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

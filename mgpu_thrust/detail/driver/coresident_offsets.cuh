// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The offsets of tiles' consecutive outputs, in a co-resident grid with a block a tile.

#include <mgpu_thrust/detail/base/config.h>

#include <cub/warp/warp_reduce.cuh>

#include <cooperative_groups.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The output offsets of the tiles of a co-resident grid: each block posts its count, waits at a grid barrier, and adds
/// up the counts before its own. Nothing has to be cleared before.
class coresident_offsets
{
public:
  static constexpr bool are_served = false;
  static constexpr bool are_coresident = true;
  using arrival = cooperative_groups::grid_group::arrival_token;

  /// The storage is that of tile_offsets, for up to 2048 tiles.
  explicit coresident_offsets(void* storage)
      : counts_(static_cast<std::uint32_t*>(storage))
  {
  }

  /// Stores the size of a tile's output; called by one thread.
  MGPU_THRUST_DEVICE void post(int tile, int count) const
  {
    counts_[tile] = static_cast<std::uint32_t>(count);
  }

  /// Arrives at the grid barrier: all blocks that wait there see what this one has posted. Called once by all threads
  /// of each block. The block may then exit, or do other work before it waits.
  MGPU_THRUST_DEVICE static arrival arrive()
  {
    return cooperative_groups::this_grid().barrier_arrive();
  }
  /// Waits for all blocks; called by all threads of a block, with what arrive() returned.
  MGPU_THRUST_DEVICE static void wait_for_all(arrival& own)
  {
    cooperative_groups::this_grid().barrier_wait(static_cast<arrival&&>(own));
  }

  /// Returns the offset of a tile to thread 0, after wait_for_all(); called by all threads of a block.
  MGPU_THRUST_DEVICE std::int64_t offset(int tile) const
  {
    std::uint32_t sum = 0;
    if (threadIdx.x < 32)
    {
#pragma unroll 2
      for (int i = static_cast<int>(threadIdx.x) * 4; i < tile; i += 32 * 4)
      {
        const uint4 counts = *reinterpret_cast<const uint4*>(counts_ + i);
        sum += counts.x + (i + 1 < tile ? counts.y : 0) + (i + 2 < tile ? counts.z : 0) + (i + 3 < tile ? counts.w : 0);
      }
      typename cub::WarpReduce<std::uint32_t>::TempStorage nothing_shared;
      sum = cub::WarpReduce<std::uint32_t>(nothing_shared).Sum(sum);
    }
    return sum;
  }

private:
  std::uint32_t* counts_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

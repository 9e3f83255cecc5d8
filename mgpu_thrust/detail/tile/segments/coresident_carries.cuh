// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Carries between the few tiles of a co-resident grid.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/tile/segments/carry_group.cuh>

#include <cooperative_groups.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The carries of the tiles of a co-resident grid: each block posts what its tile hands on, waits at a grid barrier,
/// and combines what the tiles before have posted, in the tree of served_carries. Nothing has to be cleared before.
/// MaxTiles is a multiple of 32.
template <class T, int MaxTiles>
class coresident_carries
{
  using part = carried_part<T>;

public:
  static constexpr bool are_served = false;
  using arrival = cooperative_groups::grid_group::arrival_token;

  /// A carry in shared memory, and what the groups before hand on.
  struct storage : carry_storage<T>
  {
    carry_storage<T> values[MaxTiles / carry_group];
    carried kinds[MaxTiles / carry_group];
  };

  /// Returns the bytes of storage for `tiles` tiles, up to MaxTiles.
  static std::size_t bytes(std::int64_t tiles)
  {
    return static_cast<std::size_t>(tiles < MaxTiles ? tiles : MaxTiles) * sizeof(part);
  }
  /// The storage is aligned to 16 bytes.
  explicit coresident_carries(void* storage)
      : posted_(static_cast<part*>(storage))
  {
  }

  /// Posts what a tile hands on; called by one thread.
  MGPU_THRUST_DEVICE void post(int tile, carried kind, const uninitialized_t<T>& value) const
  {
    ::new (static_cast<void*>(posted_ + tile)) part{value, kind};
  }

  /// Arrives at the grid barrier: all blocks that wait there see what this one has posted. Called once by all threads
  /// of each block. The block may then exit.
  MGPU_THRUST_DEVICE static arrival arrive()
  {
    return cooperative_groups::this_grid().barrier_arrive();
  }

  /// Waits for all blocks, and stores the carry of a tile to shared memory, for the time after a barrier; called by all
  /// Threads threads of the block, for a tile after the first.
  template <int Threads, class Op>
  MGPU_THRUST_DEVICE void wait(arrival& own, int tile, storage& shared, Op& op) const
  {
    cooperative_groups::this_grid().barrier_wait(static_cast<arrival&&>(own));
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int last_group = (tile - 1) / carry_group; // the tiles from `tile` on hand nothing on
#pragma unroll 1
    for (int group = static_cast<int>(threadIdx.x / 32); group <= last_group; group += Threads / 32)
    {
      const int read = group * carry_group + lane;
      part scanned = posted_[(min) (read, tile - 1)];
      scanned.kind = read < tile ? scanned.kind : carried::nothing;
      detail::scan_carried(scanned, op);
      const int last = (min) (carry_group, tile - group * carry_group) - 1;
      if (lane == last)
      {
        std::memcpy(shared.values[group].bits, &scanned.value, sizeof(T));
        shared.kinds[group] = scanned.kind;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0)
    {
      part carry;
      carry.kind = carried::nothing;
#pragma unroll 1
      for (int group = 0; group <= last_group; ++group)
      {
        const part next{shared.values[group].value(), shared.kinds[group]};
        carry = detail::combine_carried<T>(carry.kind, carry.value, next, op);
      }
      std::memcpy(shared.bits, &carry.value, sizeof(T));
    }
  }

private:
  part* posted_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

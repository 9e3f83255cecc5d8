// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The offsets of tiles' consecutive outputs, in a grid whose blocks take any number of tiles in turn.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/driver/served_counts.cuh>

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The output offsets of any number of tiles, in storage for a co-resident grid: its workers take tiles in turn, worker
/// w of n the tiles w, w + n, w + 2 n and so on. A worker posts the count of a tile when it has the offset of the one
/// before, so each has one word for its count and one for its offset. As in basic_tile_offsets, a serving warp turns
/// counts into offsets. Each word has a mark that tells odd turns from even ones.
///
/// A count is less than 2^23, an offset less than 2^61.
class ring_offsets
{
public:
  /// Returns the number of workers of a grid whose first block serves: a multiple of four, as a lane of the serving
  /// warp reads four counts. A grid has five blocks at least.
  MGPU_THRUST_HOST_DEVICE static constexpr int workers_of(int blocks)
  {
    return (blocks - 1) / 4 * 4;
  }
  /// Returns the bytes of storage for a grid of `blocks` blocks. The storage must be aligned to 16 bytes.
  static constexpr std::size_t bytes(int blocks)
  {
    return static_cast<std::size_t>(workers_of(blocks)) * (sizeof(std::uint32_t) + sizeof(std::uint64_t));
  }
  ring_offsets(void* storage, int blocks)
      : counts_(static_cast<std::uint32_t*>(storage))
      , offsets_(reinterpret_cast<std::uint64_t*>(counts_ + workers_of(blocks)))
      , workers_(workers_of(blocks))
  {
  }
  MGPU_THRUST_DEVICE int workers() const
  {
    return workers_;
  }

  /// Clears the words of a worker, before a grid barrier; called by one thread.
  MGPU_THRUST_DEVICE void clear(int worker) const
  {
    counts_[worker] = 0;
    offsets_[worker] = 0;
  }
  /// Publishes the count of the tile of a worker's turn; called by one thread.
  MGPU_THRUST_DEVICE void post(int worker, int turn, int count) const
  {
    count_of(worker).store(static_cast<std::uint32_t>(count) << 2 | mark_of(turn), ::cuda::memory_order_relaxed);
  }
  /// Waits for the offset of that tile, and returns it; called by one thread.
  MGPU_THRUST_DEVICE std::int64_t wait(int worker, int turn) const
  {
    std::uint64_t found = 0;
    while (((found = offset_of(worker).load(::cuda::memory_order_relaxed)) & 3) != mark_of(turn))
    {
      __nanosleep(40);
    }
    return static_cast<std::int64_t>(found >> 2);
  }
  /// Turns the counts of all tiles into offsets and returns their sum; called by one warp.
  MGPU_THRUST_DEVICE std::int64_t serve(std::int64_t tiles) const
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const bool reads_once = lane * 4 < workers_;
    std::int64_t sum = 0; // of the counts before the tiles of lane 0
    std::int64_t tile = lane * 4;
    int worker = lane * 4;
    int turn = 0;
    while (true)
    {
      while (worker >= workers_)
      {
        worker -= workers_;
        turn = 1 - turn;
      }
      if (__shfl_sync(~0u, tile, 0) >= tiles)
      {
        return sum;
      }

      // 1. Each lane reads the counts of four tiles. A worker's count has the mark of its turn after next, too, so it
      //    is read for one turn alone.
      const auto present = static_cast<int>((min) (tiles - tile, std::int64_t{4}));
      const std::uint32_t mark = mark_of(turn);
      std::uint32_t counts[4];
      asm("ld.global.cv.v4.u32 {%0,%1,%2,%3}, [%4];"
          : "=r"(counts[0]), "=r"(counts[1]), "=r"(counts[2]), "=r"(counts[3])
          : "l"(counts_ + worker)
          : "memory");
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        counts[i] = i < present && reads_once && (counts[i] & 3) == mark ? (counts[i] >> 2) + 1 : 0;
      }
      const served_counts<std::uint32_t> found(counts, present);

      // 2. Publish the offsets of lanes whose tiles have all posted: they may post for their next turn then.
      if (lane < found.first_incomplete)
      {
        const std::uint64_t offset = static_cast<std::uint64_t>(sum) + found.before_lane;
#pragma unroll
        for (int i = 0; i < 4; ++i)
        {
          if (i < present)
          {
            offset_of(worker + i).store((offset + found.before[i]) << 2 | mark, ::cuda::memory_order_relaxed);
          }
        }
      }
      sum += found.sum_before;
      tile += 4 * found.first_incomplete;
      worker += 4 * found.first_incomplete;
    }
  }

private:
  using count_word = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;
  using offset_word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;

  /// The mark of a turn, of which only the lowest bit matters. Cleared words have none.
  MGPU_THRUST_DEVICE static std::uint32_t mark_of(int turn)
  {
    return 1u + static_cast<unsigned>(turn & 1);
  }
  MGPU_THRUST_DEVICE count_word count_of(int worker) const
  {
    return count_word(counts_[worker]);
  }
  MGPU_THRUST_DEVICE offset_word offset_of(int worker) const
  {
    return offset_word(offsets_[worker]);
  }

  std::uint32_t* counts_;
  std::uint64_t* offsets_;
  int workers_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The heads (first elements) of segments in a tile: a bit for each, and the nearest heads of each 32 elements.

#include <mgpu_thrust/detail/base/config.h>

#include <cub/warp/warp_scan.cuh>

#include <cuda/functional>
#include <cuda/std/cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The heads of segments among up to MostItems items of a tile, in shared memory. All threads of the block call, in
/// this order: clear(); mark() for each head, by any thread; finish(); then the other functions.
template <int Threads, int MostItems>
class tile_heads
{
  static constexpr int words = (MostItems + 31) / 32;
  static constexpr int words_of_lane = (words + 31) / 32;
  using word = ::cuda::std::uint32_t;

public:
  struct storage
  {
    word bits[words + 1];
    ::cuda::std::uint16_t last[words];     ///< last head up to the word's end, or 0
    ::cuda::std::uint16_t next[words + 1]; ///< first head from the word's begin on, or the number of items
  };

  MGPU_THRUST_DEVICE explicit tile_heads(storage& shared)
      : shared_(shared)
  {
  }

  MGPU_THRUST_DEVICE void clear() const
  {
    for (int i = static_cast<int>(threadIdx.x); i <= words; i += Threads)
    {
      shared_.bits[i] = 0;
    }
    __syncthreads();
  }
  MGPU_THRUST_DEVICE void mark(int item) const
  {
    atomicOr(&shared_.bits[item / 32], word{1} << (item % 32));
  }
  MGPU_THRUST_DEVICE void finish(int count) const
  {
    __syncthreads();
    if (threadIdx.x < 32)
    {
      find_last();
    }
    else if (threadIdx.x < 64)
    {
      find_next(count);
    }
    __syncthreads();
  }

  MGPU_THRUST_DEVICE bool is_head(int item) const
  {
    return (shared_.bits[item / 32] >> (item % 32) & 1) != 0;
  }
  /// Returns a word whose bit k says whether item + k is a head.
  MGPU_THRUST_DEVICE word from(int item) const
  {
    return __funnelshift_r(shared_.bits[item / 32], shared_.bits[item / 32 + 1], item % 32);
  }
  /// First item of an item's segment in the tile.
  MGPU_THRUST_DEVICE int begin_of(int item) const
  {
    const word before = shared_.bits[item / 32] & (word{2} << (item % 32)) - 1;
    return before != 0 ? item / 32 * 32 + 31 - __clz(before) : item < 32 ? 0 : shared_.last[item / 32 - 1];
  }
  /// End of an item's segment in the tile: the item after its last one.
  MGPU_THRUST_DEVICE int end_of(int item) const
  {
    const word after = shared_.bits[item / 32] & ~((word{2} << (item % 32)) - 1);
    return after != 0 ? item / 32 * 32 + __ffs(after) - 1 : shared_.next[item / 32 + 1];
  }

private:
  using warp_scan = cub::WarpScan<int>;

  /// Each lane processes words_of_lane neighbouring words.
  MGPU_THRUST_DEVICE void find_last() const
  {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int begin = min(lane * words_of_lane, words);
    const int end = min(begin + words_of_lane, words);
    int last = 0;
    for (int i = begin; i < end; ++i)
    {
      last = shared_.bits[i] != 0 ? 32 * i + 31 - __clz(shared_.bits[i]) : last;
    }
    typename warp_scan::TempStorage nothing_shared;
    warp_scan(nothing_shared).ExclusiveScan(last, last, 0, ::cuda::maximum<int>{});
    for (int i = begin; i < end; ++i)
    {
      last = shared_.bits[i] != 0 ? 32 * i + 31 - __clz(shared_.bits[i]) : last;
      shared_.last[i] = static_cast<::cuda::std::uint16_t>(last);
    }
  }
  /// The lanes process the words in descending order, as a scan goes up the lanes.
  MGPU_THRUST_DEVICE void find_next(int count) const
  {
    const int part = 31 - static_cast<int>(threadIdx.x) % 32;
    const int begin = min(part * words_of_lane, words);
    const int end = min(begin + words_of_lane, words);
    int next = count;
    for (int i = end - 1; i >= begin; --i)
    {
      next = shared_.bits[i] != 0 ? 32 * i + __ffs(shared_.bits[i]) - 1 : next;
    }
    typename warp_scan::TempStorage nothing_shared;
    warp_scan(nothing_shared).ExclusiveScan(next, next, count, ::cuda::minimum<int>{});
    if (part == 31)
    {
      shared_.next[words] = static_cast<::cuda::std::uint16_t>(count);
    }
    for (int i = end - 1; i >= begin; --i)
    {
      next = shared_.bits[i] != 0 ? 32 * i + __ffs(shared_.bits[i]) - 1 : next;
      shared_.next[i] = static_cast<::cuda::std::uint16_t>(next);
    }
  }

  storage& shared_;
};

/// Stands for tile_heads where all items are of one segment.
struct no_tile_heads
{
  struct storage
  {
  };

  MGPU_THRUST_DEVICE explicit no_tile_heads(storage&)
  {
  }
  MGPU_THRUST_DEVICE bool is_head(int) const
  {
    return false;
  }
  MGPU_THRUST_DEVICE ::cuda::std::uint32_t from(int) const
  {
    return 0;
  }
  MGPU_THRUST_DEVICE int begin_of(int) const
  {
    return 0;
  }
  MGPU_THRUST_DEVICE int end_of(int item) const
  {
    return item;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

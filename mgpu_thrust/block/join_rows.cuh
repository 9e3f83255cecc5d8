// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The rows of a unit of a join, written by the threads of a block.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/block/join_tile.cuh>
#include <mgpu_thrust/block/tile_bits.cuh>
#include <mgpu_thrust/block/warp_search.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/thread/join.h>

#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Writes rows of a tile of Threads * ItemsPerThread elements: finds the matches of its left elements, and adds them
/// up. If the rows are no more than the tile's elements, threads write those of their own left elements to shared
/// memory first, so that neighbours are stored together. Else each warp takes an equal share of the rows: it finds the
/// group of 32 left elements that the first is of, and knows for all lanes at once where the rows of a group's elements
/// begin.
template <int Threads, int ItemsPerThread, class Kind, class Inputs, class Outputs, class Compare>
class block_join_rows
{
  static constexpr int items = Threads * ItemsPerThread;
  static constexpr int capacity = items + 1;
  static constexpr int warps = Threads / 32;
  static constexpr int most_groups = (capacity + 31) / 32;
  static_assert(most_groups < Threads, "mgpu_thrust: a thread adds up one group");

  template <class Int>
  using block_scan = cub::BlockScan<Int, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using bits_type = tile_bits<Threads, capacity>;

  // Of each left element: its first match in the lower half, in the upper how many there are in the tile, with a bit if
  // they go on behind it. A row in shared memory: its match in the lower half, its left element in the upper.
  static constexpr unsigned nothing = 0xffff;
  static constexpr int goes_on_bit = 0x8000;
  static_assert(capacity < goes_on_bit);

public:
  using tile_type = join_tile<Threads, items, Inputs, Compare>;

  struct storage
  {
    union
    {
      typename tile_type::storage tile;
      unsigned rows[items];
    };
    union
    {
      typename bits_type::storage right_only;
      unsigned found[32 * most_groups];
    };
    std::int64_t group_rows[most_groups + 1]; ///< before each group, and all
    union
    {
      typename block_scan<int>::TempStorage small_scan;
      typename block_scan<std::int64_t>::TempStorage scan;
    };
  };

  MGPU_THRUST_DEVICE
  block_join_rows(storage& shared, const Outputs& outputs, std::int64_t a_begin, std::int64_t b_begin)
      : shared_(shared)
      , outputs_(outputs)
      , a_begin_(a_begin)
      , b_begin_(b_begin)
      , lane_(static_cast<int>(threadIdx.x) % 32)
      , warp_(static_cast<int>(threadIdx.x) / 32)
  {
  }

  /// Writes those rows of the tile's right elements without a match that are in `wanted`: the tile's are the rows from
  /// first_row on, and the first row that is wanted is row 0 of the outputs.
  MGPU_THRUST_DEVICE void write_right_only(tile_type& tile, std::int64_t first_row, row_range wanted)
  {
    const bits_type bits(shared_.right_only);
    tile.for_each_right_word([&](int word, unsigned right_only) { bits.set_word(word, right_only); });
    bits.count(tile.right_count());
    __syncthreads();
    bits.for_each(
      tile.right_count(),
      [&](int j, int rank)
      {
        const std::int64_t row = first_row + rank;
        if (wanted.first <= row && row < wanted.last)
        {
          outputs_.write(row - wanted.first, no_match, b_begin_ + j);
        }
      });
    __syncthreads();
  }

  /// Writes those of the rows of the tile's left elements that are in `rows`, which counts them from the tile's first,
  /// to output row `row` and those behind. There are tile_rows in all. Gives the keys' shared memory back.
  MGPU_THRUST_DEVICE void write_left(tile_type& tile, std::int64_t tile_rows, row_range rows, std::int64_t row)
  {
    // 1. The matches of each left element.
    const std::int64_t behind = tile.find_matches_behind();
    tile.for_each_left(
      behind > 0,
      [&](int i, int lower, int matches, bool goes_on)
      {
        const bool is_match = matches > 0 || goes_on;
        shared_.found[i] = (is_match ? lower : nothing) | (matches | (goes_on ? goes_on_bit : 0)) << 16;
      });
    __syncthreads();
    tile_type::release(shared_.tile);
    __syncthreads();

    // 2. Write. Rows are staged where the keys were, but never in a unit behind a tile's first, whose block goes on to
    //    load others there at once: such tiles have more rows.
    const int count = min(tile.left_count(), items); // more only if the input is not sorted
    constexpr int most_behind = 1 << 14;             // with which numbers in the tile have 16 bits, and rows of it 31
    if (behind <= most_behind && tile_rows <= items)
    {
      write_staged(count, static_cast<int>(behind), static_cast<int>(rows.first), static_cast<int>(rows.last), row);
    }
    else if (behind <= most_behind)
    {
      write_shares<int>(
        count, static_cast<int>(behind), static_cast<int>(rows.first), static_cast<int>(rows.last), row);
    }
    else
    {
      write_shares<std::int64_t>(count, behind, rows.first, rows.last, row);
    }
  }

private:
  /// Writes the tile's rows from `first` up to `last` to output row `row` and those behind, by way of shared memory.
  MGPU_THRUST_DEVICE void write_staged(int count, int behind, int first, int last, std::int64_t row)
  {
    // 1. Where the rows of the thread's left elements begin.
    const int first_left = static_cast<int>(threadIdx.x) * ItemsPerThread;
    int rows = 0;
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k)
    {
      rows += rows_of(first_left + k, count, behind);
    }
    int next = 0;
    block_scan<int>(shared_.small_scan).ExclusiveSum(rows, next);

    // 2. Each row's elements. Most left elements have few.
#pragma unroll 1
    for (int i = first_left; i < min(first_left + ItemsPerThread, count); ++i)
    {
      constexpr int few = 3;
      const unsigned elements = static_cast<unsigned>(i) << 16 | (shared_.found[i] & 0xffff);
      const int end = min(next + rows_of(i, count, behind), items); // it is more only if the input is not sorted
#pragma unroll
      for (int k = 0; k < few; ++k)
      {
        if (next + k < end)
        {
          shared_.rows[next + k] = elements + k;
        }
      }
      for (int k = few; next + k < end; ++k)
      {
        shared_.rows[next + k] = elements + k;
      }
      next = end;
    }
    __syncthreads();

    // 3. Store them, so that a warp's are aligned.
    const Outputs outputs = outputs_ + (row - first);
#pragma unroll 4
    for (int i = first - unaligned_rows(row) + static_cast<int>(threadIdx.x); i < last; i += Threads)
    {
      if (i >= first)
      {
        const unsigned elements = shared_.rows[i];
        write(outputs, i, static_cast<int>(elements >> 16), static_cast<int>(elements & 0xffff), 0);
      }
    }
  }

  /// How many rows a row is behind the one before it that begins 32 that a warp stores together. Those are whole
  /// sectors if the outputs are aligned, which is 8 % faster where an element has a thousand rows.
  MGPU_THRUST_DEVICE static int unaligned_rows(std::int64_t row)
  {
    return static_cast<int>(row % 32);
  }

  /// Writes a row of a left element of the tile, whose first match is `lower`, or nothing.
  template <class Int>
  MGPU_THRUST_DEVICE void write(const Outputs& outputs, Int row, int left, int lower, Int rank) const
  {
    const bool is_alone = Kind::keeps_left && lower == nothing;
    outputs.write(row, a_begin_ + left, is_alone ? no_match : b_begin_ + lower + rank);
  }

  /// Writes the tile's rows from `first` up to `last`, which Int has room for, to output row `row` and those behind.
  template <class Int>
  MGPU_THRUST_DEVICE void write_shares(int count, Int behind, Int first, Int last, std::int64_t row)
  {
    // 1. How many rows come before each group of left elements.
    Int* const group_rows = reinterpret_cast<Int*>(shared_.group_rows);
    const int groups = (count + 31) / 32;
    for (int group = warp_; group < groups; group += warps)
    {
      typename cub::WarpReduce<Int>::TempStorage nothing_shared;
      const Int sum = cub::WarpReduce<Int>(nothing_shared).Sum(rows_of(32 * group + lane_, count, behind));
      if (lane_ == 0)
      {
        group_rows[group] = sum;
      }
    }
    __syncthreads();
    const int own_group = static_cast<int>(threadIdx.x);
    Int before = 0;
    using scan_type = block_scan<Int>;
    scan_type(reinterpret_cast<typename scan_type::TempStorage&>(shared_.scan))
      .ExclusiveSum(own_group < groups ? group_rows[own_group] : 0, before);
    if (own_group <= groups)
    {
      group_rows[own_group] = before;
    }
    __syncthreads();

    // 2. The warp's share of the rows.
    const Outputs outputs = outputs_ + (row - first);
    const Int aligned = first - unaligned_rows(row);
    const Int each = (last - aligned + (32 * warps - 1)) / (32 * warps) * 32;
    const Int begin = aligned + warp_ * each;
    first = max(first, begin);
    last = min(last, begin + each);
    if (first < last)
    {
      const int first_group =
        detail::warp_partition_point(0, groups, [&](int group) { return group_rows[group] <= first; }) - 1;
      for (int group = first_group; group < groups && group_rows[group] < last; ++group)
      {
        const Int group_first = max(first, group_rows[group]);
        write_group(
          outputs, 32 * group, rows_of(32 * group + lane_, count, behind), group_rows[group], group_first,
          min(last, group_rows[group + 1]), group_first - (group_first - begin) % 32);
      }
    }
  }

  /// The rows of a left element, 0 if there is none.
  template <class Int>
  MGPU_THRUST_DEVICE Int rows_of(int i, int count, Int behind) const
  {
    const int matches = i < count ? static_cast<int>(shared_.found[i] >> 16) : 0;
    const Int rows = (matches & ~goes_on_bit) + (matches & goes_on_bit ? behind : 0);
    return Kind::keeps_left && rows == 0 && i < count ? 1 : rows;
  }

  /// Writes the tile's rows from `first` up to `last`, which belong to 32 left elements from first_left on: the lanes'
  /// have `rows` each, those before them group_first. Stores 32 rows at a time, from row `window` on.
  template <class Int>
  MGPU_THRUST_DEVICE void
  write_group(const Outputs& outputs, int first_left, Int rows, Int group_first, Int first, Int last, Int window) const
  {
    const int lower = static_cast<int>(shared_.found[first_left + lane_] & 0xffff);
    typename cub::WarpScan<Int>::TempStorage nothing_shared;
    Int start = 0;
    cub::WarpScan<Int>(nothing_shared).ExclusiveSum(rows, start);
    start += group_first;
    while (window < last)
    {
      const int owner = __popc(__ballot_sync(~0u, start <= max(window, first))) - 1;
      const Int owner_end = __shfl_sync(~0u, start + rows, owner);
      if (owner_end < min(window + 32, last))
      {
        // 1. Each lane finds the element of its row: the last one that starts there or before.
        const Int row = window + lane_;
        int own = 0;
#pragma unroll
        for (int stride = 16; stride > 0; stride /= 2)
        {
          own += __shfl_sync(~0u, start, own + stride) <= row ? stride : 0;
        }
        const Int own_start = __shfl_sync(~0u, start, own);
        const int own_lower = __shfl_sync(~0u, lower, own);
        if (first <= row && row < last)
        {
          write(outputs, row, first_left + own, own_lower, row - own_start);
        }
        window += 32;
      }
      else
      {
        // 2. One element has them all, and maybe many more.
        const Int end = owner_end < last ? window + (owner_end - window) / 32 * 32 : last;
        const Int owner_start = __shfl_sync(~0u, start, owner);
        const int owner_lower = __shfl_sync(~0u, lower, owner);
#pragma unroll 4
        for (Int row = window + lane_; row < end; row += 32)
        {
          if (first <= row)
          {
            write(outputs, row, first_left + owner, owner_lower, row - owner_start);
          }
        }
        window = end;
      }
    }
  }

  storage& shared_;
  const Outputs& outputs_;
  std::int64_t a_begin_;
  std::int64_t b_begin_;
  int lane_;
  int warp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The rows of a unit of a join, written by the threads of a block.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/block/block_load_balance.cuh>
#include <mgpu_thrust/block/join_tile.cuh>
#include <mgpu_thrust/block/tile_marks.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/thread/join.h>

#include <cub/block/block_scan.cuh>

#include <cuda/std/cstdint>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Writes rows of a tile of Threads * ItemsPerThread elements: finds the matches of its left elements, where the rows
/// of each begin, and then for each row its left element, by load-balancing search, BatchItems rows a thread at a time.
template <int Threads, int ItemsPerThread, int BatchItems, class Kind, class Inputs, class Outputs, class Compare>
class block_join_rows
{
  static constexpr int items = Threads * ItemsPerThread;
  static constexpr int capacity = items + 1;

  using balance_type = BlockLoadBalance<Threads, BatchItems, const int*>;
  using scan_type = cub::BlockScan<std::int64_t, Threads>;
  using marks_type = tile_marks<Threads, (ItemsPerThread + 4) / 4 * 4>;

  // Of each left element: its first match, and how many there are in the tile, with a bit if they go on behind it. Once
  // the threads have read that, where its rows begin, counted from the first that is written and at most their number.
  using small = ::cuda::std::uint16_t;
  static constexpr small nothing = 0xffff;
  static constexpr int goes_on_bit = 0x8000;
  static_assert(capacity < goes_on_bit);

public:
  using tile_type = join_tile<Threads, items, Inputs, Compare>;

  struct storage
  {
    union
    {
      typename tile_type::storage tile;
      typename balance_type::TempStorage balance;
    };
    union
    {
      typename marks_type::storage marks;
      small matches[capacity];
      int starts[capacity];
    };
    small lower[capacity];
    typename scan_type::TempStorage scan;
    int first_left;           ///< the left element of the first row that is written
    std::int64_t rows_before; ///< how many rows it has before that
  };

  MGPU_THRUST_DEVICE
  block_join_rows(storage& shared, const Outputs& outputs, std::int64_t a_begin, std::int64_t b_begin)
      : shared_(shared)
      , outputs_(outputs)
      , a_begin_(a_begin)
      , b_begin_(b_begin)
  {
  }

  /// Writes those rows of the tile's right elements without a match that are in `wanted`: the tile's are the rows from
  /// first_row on, and the first row that is wanted is row 0 of the outputs.
  MGPU_THRUST_DEVICE void write_right_only(tile_type& tile, std::int64_t first_row, row_range wanted)
  {
    const marks_type marks(shared_.marks);
    marks.clear();
    tile.for_each_right_only([&](int j) { marks.set(j); }); // behind a barrier of its own
    __syncthreads();
    const warp_items own = marks_type::items_of_warp(tile.right_count());
    std::int64_t row = first_row + marks.marks_before(own);
    for (int k = 0; k < own.rounds; ++k)
    {
      const int j = own.first + 32 * k + static_cast<int>(threadIdx.x) % 32;
      const bool is_row = marks.is_set(j);
      const lanes_that_say rows(is_row);
      const std::int64_t own_row = row + rows.before;
      if (is_row && wanted.first <= own_row && own_row < wanted.last)
      {
        outputs_.write(own_row - wanted.first, no_match, b_begin_ + j);
      }
      row += rows.all;
    }
    __syncthreads();
  }

  /// Writes those of the rows of the tile's left elements that are in `rows`, which counts them from the tile's first,
  /// to output row `row` and those behind. Gives the keys' shared memory back.
  MGPU_THRUST_DEVICE void write_left(tile_type& tile, row_range rows, std::int64_t row)
  {
    // 1. The matches of each left element.
    const std::int64_t behind = tile.find_matches_behind();
    tile.for_each_left(
      behind > 0,
      [&](int i, int lower, int matches, bool goes_on)
      {
        shared_.lower[i] = matches > 0 || goes_on ? static_cast<small>(lower) : nothing;
        shared_.matches[i] = static_cast<small>(matches | (goes_on ? goes_on_bit : 0));
      });
    if (threadIdx.x == 0)
    {
      shared_.first_left = 0;
      shared_.rows_before = 0;
    }
    __syncthreads();
    tile_type::release(shared_.tile);

    // 2. Where their rows begin.
    const int count = min(tile.left_count(), items); // more only if the input is not sorted
    find_starts(count, rows, behind);
    __syncthreads();

    // 3. The left element of each row, and its match.
    const int size = static_cast<int>(rows.size());
    for (int first = 0; first < size; first += balance_type::tile_items)
    {
      write_batch(
        mgpu::load_balance_tile(size, static_cast<const int*>(shared_.starts), count, first, balance_type::tile_items),
        row + first);
      __syncthreads();
    }
  }

private:
  MGPU_THRUST_DEVICE void find_starts(int count, row_range rows, std::int64_t behind)
  {
    const int first = static_cast<int>(threadIdx.x) * ItemsPerThread;
    int matches[ItemsPerThread];
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k)
    {
      matches[k] = first + k < count ? shared_.matches[first + k] : 0;
    }
    const auto rows_of = [&](int k) -> std::int64_t
    {
      const std::int64_t all = (matches[k] & ~goes_on_bit) + (matches[k] & goes_on_bit ? behind : 0);
      return first + k < count ? detail::rows_of_left(Kind{}, all) : 0;
    };
    std::int64_t sum = 0;
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k)
    {
      sum += rows_of(k);
    }
    std::int64_t start = 0;
    scan_type(shared_.scan).ExclusiveSum(sum, start);
    __syncthreads(); // all threads have read the matches
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k)
    {
      const std::int64_t end = start + rows_of(k);
      if (first + k < count)
      {
        shared_.starts[first + k] = static_cast<int>(detail::clamp_index(start - rows.first, 0, rows.size()));
      }
      if (start <= rows.first && rows.first < end)
      {
        shared_.first_left = first + k;
        shared_.rows_before = rows.first - start;
      }
      start = end;
    }
  }

  /// Writes a batch of rows to output row `row` and those behind.
  MGPU_THRUST_DEVICE void write_batch(const LoadBalanceTile<const int*>& batch, std::int64_t row)
  {
    balance_type balance(shared_.balance);
    balance.Load(batch);
    typename balance_type::template Rows<1> places(balance);
    const int first_left = shared_.first_left;
    const std::int64_t rows_before = shared_.rows_before;
    const auto write = [&](int item, int i, std::int64_t rank)
    {
      const int lower = shared_.lower[i];
      const std::int64_t j = b_begin_ + lower + rank + (i == first_left ? rows_before : 0);
      outputs_.write(row + item, a_begin_ + i, Kind::keeps_left && lower == nothing ? no_match : j);
    };
    // All lanes of a warp go on as long as one of them has a row.
    const auto for_each_row = [&](auto next)
    {
#pragma unroll
      for (int k = 0; k < BatchItems; ++k)
      {
        const int item = places.Item();
        if (item - static_cast<int>(threadIdx.x) % 32 >= batch.num_items)
        {
          break;
        }
        typename balance_type::Place place[1];
        next(place);
        if (item < batch.num_items)
        {
          write(item, static_cast<int>(batch.first_segment + place[0].segment), place[0].rank);
        }
      }
    };
    if (places.HasOne())
    {
      for_each_row([&](auto& place) { places.NextOfOne(place); });
    }
    else
    {
      for_each_row([&](auto& place) { places.Next(place); });
    }
  }

  storage& shared_;
  const Outputs& outputs_;
  std::int64_t a_begin_;
  std::int64_t b_begin_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

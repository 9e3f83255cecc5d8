// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Finds the rows of a tile of intervals, by the threads of a block. The kernels of a join call it as they call
/// join_row_finder.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/join/ranges/interval_tile.cuh>
#include <mgpu_thrust/detail/join/rows/layout.h>
#include <mgpu_thrust/detail/join/rows/right_matches.cuh>
#include <mgpu_thrust/detail/join/rows/row_words.cuh>

#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Adds numbers of rows. A few intervals of points that an iterator computes may have more rows than 64 bits count.
struct add_rows
{
  MGPU_THRUST_DEVICE std::int64_t operator()(std::int64_t x, std::int64_t y) const
  {
    return detail::saturating_sum(x, y);
  }
};

/// Finds the rows of a tile of intervals: the points of each, and the rows before each group of 32. What it finds stays
/// in shared memory, where join_row_writer reads it. For `left`, group and tile row see join_row_finder: intervals are
/// left elements, and the position of a match is the index of a point.
template <class Shape, class Kind, class Inputs, class Compare>
class interval_finder
{
  static constexpr int warps = Shape::threads / 32;
  static constexpr int max_groups = Shape::items / 32;
  static constexpr int lane_groups = (max_groups + 31) / 32; // groups that a lane sums up

public:
  using shape = Shape;
  using kind = Kind;
  using tile_type = interval_tile<Shape, Kind, Inputs, Compare>;
  using position_type = std::int64_t;

  struct TempStorage
  {
    typename tile_type::TempStorage tile;
    std::int64_t group_rows[lane_groups * 32 + 1]; ///< tile rows before each group, then their total
  };

  MGPU_THRUST_DEVICE explicit interval_finder(TempStorage& shared)
      : shared_(shared)
      , lane_(static_cast<int>(threadIdx.x) % 32)
      , warp_(static_cast<int>(threadIdx.x) / 32)
  {
  }

  /// Finds the rows of the tile's intervals. Returns their number to all threads, and calls post(rows) on one thread.
  /// All threads of the block must call it.
  template <class Post>
  MGPU_THRUST_DEVICE std::int64_t find(tile_type& tile, Post post)
  {
    // 1. Find the points of each interval.
    left_count_ = tile.count();
    tile.find(shared_.tile, [](int, std::int64_t) {});
    first_point_ = tile.first_point();
    is_staged_ = tile.is_staged();
    __syncthreads();

    // 2. Add up the rows of each group.
    for (int group = warp_; group < lane_groups * 32; group += warps)
    {
      const std::int64_t sum = sum_group(group);
      if (lane_ == 0)
      {
        shared_.group_rows[group] = sum;
      }
    }
    __syncthreads();

    // 3. Find the rows before each group.
    if (warp_ == 0)
    {
      add_up_groups(post);
    }
    __syncthreads();
    left_row_count_ = shared_.group_rows[lane_groups * 32];
    return left_row_count_;
  }

  // What all threads can read after find(): see join_row_finder.

  MGPU_THRUST_DEVICE std::int64_t left_row_count() const
  {
    return left_row_count_;
  }
  MGPU_THRUST_DEVICE int left_count() const
  {
    return left_count_;
  }
  MGPU_THRUST_DEVICE int groups() const
  {
    return (left_count_ + 31) / 32;
  }
  template <class Int>
  MGPU_THRUST_DEVICE Int rows_before(int group) const
  {
    return static_cast<Int>(shared_.group_rows[group]);
  }
  /// So many rows that there is no room for them count as fewer, so that those of a group can be added.
  template <class Int>
  MGPU_THRUST_DEVICE Int rows_of(int left) const
  {
    if (left >= left_count_)
    {
      return 0;
    }
    return is_staged_ ? shared_.tile.packed[left].rows()
                      : static_cast<Int>((min) (shared_.tile.wide.count[left], max_rows / 64));
  }
  MGPU_THRUST_DEVICE std::int64_t first_match(int left) const
  {
    return is_staged_ ? shared_.tile.packed[left].first_match() : shared_.tile.wide.first[left];
  }
  MGPU_THRUST_DEVICE bool has_small_positions() const
  {
    return is_staged_;
  }
  MGPU_THRUST_DEVICE packed_row* staged() const
  {
    return shared_.tile.rows;
  }
  /// The point from which positions of matches are counted.
  MGPU_THRUST_DEVICE std::int64_t first_point() const
  {
    return first_point_;
  }

private:
  /// Adds up the rows of a group; called by a full warp.
  MGPU_THRUST_DEVICE std::int64_t sum_group(int group) const
  {
    const int left = 32 * group + lane_;
    if (is_staged_)
    {
      return detail::sum_over_warp(static_cast<unsigned>(rows_of<int>(left)));
    }
    typename cub::WarpReduce<std::int64_t>::TempStorage nothing_shared;
    const std::int64_t rows = left < left_count_ ? shared_.tile.wide.count[left] : 0;
    return cub::WarpReduce<std::int64_t>(nothing_shared).Reduce(rows, add_rows{});
  }

  /// Called by the first warp. Each lane has lane_groups neighbouring groups.
  template <class Post>
  MGPU_THRUST_DEVICE void add_up_groups(Post post)
  {
    std::int64_t* const own = shared_.group_rows + lane_ * lane_groups;
    std::int64_t rows = 0;
    for (int k = 0; k < lane_groups; ++k)
    {
      rows = detail::saturating_sum(rows, own[k]);
    }
    std::int64_t before = 0;
    typename cub::WarpScan<std::int64_t>::TempStorage nothing_shared;
    cub::WarpScan<std::int64_t>(nothing_shared).ExclusiveScan(rows, before, std::int64_t{0}, add_rows{}, rows);
    if (lane_ == 0)
    {
      post(rows);
      shared_.group_rows[lane_groups * 32] = rows;
    }
    for (int k = 0; k < lane_groups; ++k)
    {
      const std::int64_t of_group = own[k];
      own[k] = before;
      before = detail::saturating_sum(before, of_group);
    }
  }

  TempStorage& shared_;
  std::int64_t left_row_count_ = 0;
  std::int64_t first_point_ = 0;
  bool is_staged_ = false;
  int left_count_ = 0;
  int lane_;
  int warp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

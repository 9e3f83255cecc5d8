// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tiles of intervals of a range join.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/join/tuning.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shapes of tiles of intervals where rows are written, and where points are counted. Up to staged_rows rows are
/// staged, or points in the same memory. The second leaves more memory to the cache: 0.65 of the time with 100 points
/// for each interval (H200, 2^27 int32 points).
using interval_shape = join_shape<256, 6, 5, 6144>;
using interval_count_shape = join_shape<256, 4, 8, 4096>;

/// The tiles of intervals of a Shape; see path_cut.cuh for a Tiling. There are about usual_tiles, as far as a tile then
/// has an interval for each thread, and no more than the shape has. So few intervals are spread over all
/// multiprocessors.
///
/// The points of a tile are staged if there are up to 2^max_log for each interval. A tile then has so few intervals
/// that their points most likely fit.
template <class Shape, int KeyBytes>
struct interval_tiling
{
  static constexpr bool header_counts_other_blocks = true;
  static constexpr std::int64_t usual_tiles = 4096;
  static constexpr int max_log = 4;
  static constexpr int max_points = KeyBytes > largest_staged_key ? 0 : 4 * Shape::staged_rows / KeyBytes;

  /// Returns the maximum number of intervals in a tile whose points are staged; 0 if none are.
  MGPU_THRUST_HOST_DEVICE static constexpr int staged_intervals(std::int64_t intervals, std::int64_t points)
  {
    int log = 0;
    while (log <= max_log && (points >> log) > intervals)
    {
      ++log;
    }
    return log <= max_log ? staged_intervals_with(log) : 0;
  }
  /// Returns the number of intervals in a tile.
  MGPU_THRUST_HOST_DEVICE static constexpr std::int64_t intervals_of_tile(std::int64_t intervals, std::int64_t points)
  {
    constexpr int threads = Shape::threads;
    const std::int64_t usual =
      detail::clamp_index(intervals / (usual_tiles * threads) * threads, threads, Shape::items);
    const int staged = staged_intervals(intervals, points);
    return staged == 0 || usual < staged ? usual : staged;
  }
  /// Returns the number of tiles: at least one, which may be empty.
  MGPU_THRUST_HOST_DEVICE static constexpr std::int64_t tiles(std::int64_t intervals, std::int64_t points)
  {
    return intervals > 0 ? ::cuda::ceil_div(intervals, intervals_of_tile(intervals, points)) : 1;
  }

  /// Returns the maximum number of tiles of up to so many intervals and points. Of tiles that are not staged there are
  /// the most, for their number, where tiles are just not larger yet. Of intervals with more than 2^k points there are
  /// fewer than points / 2^k.
  static constexpr std::int64_t max_tiles(std::int64_t intervals, std::int64_t points)
  {
    constexpr std::int64_t threads = Shape::threads;
    std::int64_t most = (std::max)(
      ::cuda::ceil_div(intervals, std::int64_t{Shape::items}),
      ::cuda::ceil_div((std::min)(intervals, 2 * usual_tiles * threads - 1), threads));
    for (int log = 0; log <= max_log; ++log)
    {
      const std::int64_t of_tile = staged_intervals_with(log);
      if (of_tile > 0)
      {
        const std::int64_t staged = log > 0 ? (std::min)(intervals, points >> (log - 1)) : intervals;
        most = (std::max)(most, ::cuda::ceil_div(staged, of_tile));
      }
    }
    return (std::max)(most, std::int64_t{1});
  }

  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static bool has_tiles(const Inputs&)
  {
    return false;
  }
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static int blocks_without_tiles(const Inputs& inputs)
  {
    return static_cast<int>(tiles(inputs.a_count, inputs.b_count));
  }

private:
  /// The same for up to 2^log points for each interval. A tile of few intervals is not worth the staging.
  MGPU_THRUST_HOST_DEVICE static constexpr int staged_intervals_with(int log)
  {
    constexpr int few = 64;
    const int likely = (max_points * 3 / 4) >> log;
    return likely < few ? 0 : likely < Shape::items ? likely : Shape::items;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a CUDA device executes for a join, by sizes, types and the device.

#include <mgpu_thrust/detail/base/chosen_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/max_tiles.h>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/join/ranges/tuning.h>
#include <mgpu_thrust/detail/join/rows/layout.h>
#include <mgpu_thrust/detail/join/rows/needles.h>
#include <mgpu_thrust/detail/join/tuning.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a join, its size and its plan. Extra rows are a tile's rows after its first unit. Deferred sizes count
/// as their capacities. An input is short if the other one is much longer and has no rows without a match: the left
/// input of a left or inner join, the right one of a right or inner join.
enum class join_path
{
  /// The blocks of a co-resident grid cut a small tile each, count its rows, wait for all other counts, and write. A
  /// second kernel writes extra rows.
  /// When: joins, if the grid is co-resident: on an H200 up to {132 * coresident_join_shape<4>::sure_blocks} tiles of
  /// {coresident_join_shape<4>::items} int32
  /// Kernels: join_pass_kernel, join_extra_kernel
  /// Launches: 2
  /// Why: inner joins of 2^12 to 2^18 int32 a side take 20 to 23 us instead of 25 to 28 (H200)
  coresident_pass,

  /// A thread for each element of the short input, a needle, bisects the other one. A block counts the rows of a tile
  /// of needles and writes them; the first block serves offsets. A second kernel writes extra rows.
  /// When: otherwise, joins with a short input, if the other one is at least {sparse_needles_ratio} times as long, and
  /// both sizes multiplied are below 31 * 2^58; with deferred sizes, if that holds for all sizes within the capacities
  /// Kernels: join_pass_kernel, join_extra_kernel; in right joins join_right_only_kernel; before them cut_kernel, if
  /// sizes are deferred
  /// Launches: 2, after a cudaMemsetAsync; 3 if sizes are deferred; one more in right joins
  /// Why: an inner join of 2^16 with 2^28 int32 takes 38 us, by pass 452 (H100)
  needle_pass,

  /// One kernel cuts all tiles. In the next, a block counts the rows of a tile and writes them; the first block serves
  /// offsets. A third writes extra rows.
  /// When: otherwise, joins whose sizes rule out 2^63 - 1 rows, or whose outputs have room for a given number
  /// Data: if an input is short by the sizes that are read, tiles are of needles
  /// Kernels: cut_kernel, join_pass_kernel, join_extra_kernel; in right and full joins join_right_only_kernel
  /// Launches: 3; 4 in right and full joins
  /// Why: an inner join of 2^26 + 2^26 int32 with one match each takes 0.54 ms, by counting first 0.94 (H200)
  pass,

  /// The rows of small tiles are counted, then written to known offsets.
  /// When: sizes and plans of joins that would take coresident_pass
  /// Kernels: cut_kernel, join_count_kernel, join_scan_kernel; where rows are written join_fill_kernel
  /// Launches: 3 where rows are counted, 1 where they are written
  /// Why: a join, its size and its plan have the same tiles, and so agree on unsorted inputs; sizes of 2^8 to 2^18
  /// int32 a side take 21 to 22 us, by count_tiles 27 to 28 (H100)
  count_small_tiles,

  /// The rows of tiles of needles are counted, then written to known offsets.
  /// When: sizes and plans of joins that would take needle_pass
  /// Kernels: join_count_kernel, then join_scan_kernel or, of more tiles than that adds up, two of cub::DeviceScan and
  /// join_size_kernel; where rows are written join_fill_kernel; before them cut_kernel, if sizes are deferred
  /// Launches: 2 or 4 where rows are counted, one more if sizes are deferred; 1 where they are written
  /// Why: the size of an inner join of 2^16 with 2^28 int32 takes 36 us, by count_tiles 397 (H100)
  count_needles,

  /// As count_small_tiles, in larger tiles.
  /// When: otherwise
  /// Data: if an input is short by the sizes that are read, tiles are of needles
  /// Kernels: cut_kernel, join_count_kernel, two of cub::DeviceScan, join_size_kernel; where rows are written
  /// join_fill_kernel
  /// Launches: 5 where rows are counted, 1 where they are written
  /// Why: a pass writes before it knows whether there are too many rows
  count_tiles
};

/// The paths of a range join, its size and its plan, and of range_count. Deferred sizes count as their capacities.
enum class range_join_path
{
  /// A block finds the points of a tile of intervals, counts its rows and writes them; the first block serves offsets.
  /// A second kernel writes extra rows.
  /// When: range joins whose sizes rule out 2^63 - 1 rows, or whose outputs have room for a given number
  /// Data: if begins and ends of a tile ascend, its points are few, and there are up to 16 points
  /// for each interval, its block stages the points and searches there for all intervals together; otherwise
  /// each thread searches all points
  /// Kernels: join_pass_kernel, join_extra_kernel; before them cut_kernel, if sizes are deferred
  /// Launches: 2, after a cudaMemsetAsync; 3 if sizes are deferred
  /// Why: points are read once, and nothing is stored for an interval
  pass,

  /// The rows of tiles are counted, then written to known offsets.
  /// When: sizes and plans; otherwise, range joins
  /// Data: as in pass
  /// Kernels: join_count_kernel, then join_scan_kernel or, of more tiles than that adds up, two of cub::DeviceScan and
  /// join_size_kernel; where rows are written join_fill_kernel; before them cut_kernel, if sizes are deferred
  /// Launches: 2 or 4 where rows are counted, one more if sizes are deferred; 1 where they are written
  /// Why: a pass writes before it knows whether there are too many rows
  count_rows,

  /// A block finds the points of a tile of intervals, and writes how many each has.
  /// When: range_count
  /// Data: as in pass
  /// Kernels: range_count_kernel
  /// Launches: 1
  /// Why: the place of each number is known
  count_points
};

/// Returns the path of other joins with the same kernels.
constexpr join_path as_join_path(range_join_path path)
{
  return path == range_join_path::pass ? join_path::needle_pass : join_path::count_needles;
}

/// Whether the tiles of a path are those of coresident_join_shape.
constexpr bool has_small_tiles(join_path path)
{
  return path == join_path::coresident_pass || path == join_path::count_small_tiles;
}

/// Returns the number of elements that tiles must cover for any sizes within the capacities; 0 if all such sizes take
/// needles.
template <class Kind, class NumLeft, class NumRight>
constexpr std::int64_t max_elements_without_needles(Kind, const NumLeft& num_left, const NumRight& num_right)
{
  const std::int64_t left_count = detail::capacity_of(num_left);
  const std::int64_t right_count = detail::capacity_of(num_right);
  const std::int64_t elements = left_count + right_count;
  if (!detail::are_for_needles(left_count, right_count))
  {
    return elements;
  }
  return (std::min)(
    Kind::keeps_right ? elements : bisection<0>::max_tiled(num_left, num_right),
    Kind::keeps_left ? elements : bisection<0>::max_tiled(num_right, num_left));
}

/// Returns the number of tiles of Shape that are launched for a join of inputs whose sizes may be deferred. If the
/// sizes that are read may have needles or not, the tiles of both inputs are as many as the needles take: see
/// join_tiling.
template <class Shape, class Kind, class NumLeft, class NumRight>
constexpr std::int64_t join_tiles_of(Kind kind, const NumLeft& num_left, const NumRight& num_right)
{
  const std::int64_t elements = detail::max_elements_without_needles(kind, num_left, num_right);
  return elements > 0 ? ::cuda::ceil_div(elements, std::int64_t{Shape::items})
                      : detail::tiles_of_needles<Shape::threads>(
                        detail::number_of_needles(kind, detail::capacity_of(num_left), detail::capacity_of(num_right)));
}

/// Returns the number of tiles of the path of a join of inputs whose sizes may be deferred. Small tiles may be more,
/// but are few. Where sizes are deferred, tiles of needles have as many threads as others, which are in the same
/// kernel.
template <int KeyBytes, class Kind, class NumLeft, class NumRight>
constexpr std::int64_t join_tiles_of_path(Kind kind, const NumLeft& num_left, const NumRight& num_right)
{
  constexpr bool is_deferred = is_deferred_v<NumLeft> || is_deferred_v<NumRight>;
  const bool are_needles = detail::max_elements_without_needles(kind, num_left, num_right) == 0;
  return are_needles && !is_deferred ? detail::join_tiles_of<join_needle_shape>(kind, num_left, num_right)
                                     : detail::join_tiles_of<join_tile_shape<KeyBytes>>(kind, num_left, num_right);
}

/// Chooses for a join of inputs with keys of KeyBytes, the larger of both, whose sizes may be deferred. `writes` tells
/// whether it writes rows, `saturates` whether a number of rows above the maximum is no error.
template <int KeyBytes, class Kind, class NumLeft, class NumRight>
constexpr path_choice<join_path> choose_join(
  Kind kind, bool writes, bool saturates, const NumLeft& num_left, const NumRight& num_right, const device_room& device)
{
  using small_shape = coresident_join_shape<KeyBytes>;
  const std::int64_t left_count = detail::capacity_of(num_left);
  const std::int64_t right_count = detail::capacity_of(num_right);
  const bool is_one_pass = writes && (saturates || !detail::may_have_too_many_rows(left_count, right_count));
  const std::int64_t small_tiles = ::cuda::ceil_div(left_count + right_count, std::int64_t{small_shape::items});
  const std::int64_t tiles = detail::join_tiles_of_path<KeyBytes>(kind, num_left, num_right);
  const std::int64_t max_blocks = tiles + join_extra_blocks; // of the kernel that writes counted rows
  if (small_tiles <= detail::max_coresident_tiles<small_shape>(device))
  {
    return {is_one_pass ? join_path::coresident_pass : join_path::count_small_tiles, small_tiles, max_blocks};
  }
  if (detail::max_elements_without_needles(kind, num_left, num_right) == 0)
  {
    return {is_one_pass ? join_path::needle_pass : join_path::count_needles, tiles, max_blocks};
  }
  return {is_one_pass ? join_path::pass : join_path::count_tiles, tiles, max_blocks};
}

/// Returns the number of tiles that are launched for intervals and points whose numbers may be deferred.
template <class Shape, int KeyBytes, class NumIntervals, class NumPoints>
constexpr std::int64_t interval_tiles_of(const NumIntervals& num_intervals, const NumPoints& num_points)
{
  const std::int64_t intervals = detail::capacity_of(num_intervals);
  const std::int64_t points = detail::capacity_of(num_points);
  using tiling = interval_tiling<Shape, KeyBytes>;
  return is_deferred_v<NumIntervals> || is_deferred_v<NumPoints> ? tiling::max_tiles(intervals, points)
                                                                 : tiling::tiles(intervals, points);
}

/// Chooses for a range join, as choose_join for others: all of its tiles are of intervals. So many points that a tile
/// may have 2^56 rows, whose sums the pass could not compute, count as more than a grid takes.
template <int KeyBytes, class NumIntervals, class NumPoints>
constexpr path_choice<range_join_path>
choose_range_join(bool writes, bool saturates, const NumIntervals& num_intervals, const NumPoints& num_points)
{
  const std::int64_t intervals = detail::capacity_of(num_intervals);
  const std::int64_t points = detail::capacity_of(num_points);
  const bool may_be_too_many = detail::may_have_too_many_rows(intervals, points);
  const bool is_one_pass = writes && (saturates || !may_be_too_many);
  const bool has_sums = !is_one_pass || !may_be_too_many || points < max_rows / 128 / interval_shape::items;
  const std::int64_t tiles = detail::interval_tiles_of<interval_shape, KeyBytes>(num_intervals, num_points);
  return {
    is_one_pass ? range_join_path::pass : range_join_path::count_rows, tiles,
    has_sums ? tiles + join_extra_blocks : max_tiles};
}

/// Chooses for range_count.
template <int KeyBytes, class NumIntervals, class NumPoints>
constexpr path_choice<range_join_path>
choose_range_count(const NumIntervals& num_intervals, const NumPoints& num_points)
{
  const std::int64_t tiles = detail::interval_tiles_of<interval_count_shape, KeyBytes>(num_intervals, num_points);
  return {range_join_path::count_points, tiles, tiles};
}

/// Returns the maximum number of tiles of a join of inputs of these sizes or smaller ones, on any device.
template <int KeyBytes, class Kind>
constexpr std::int64_t max_join_tiles(Kind kind, std::int64_t left_count, std::int64_t right_count)
{
  using shape = join_tile_shape<KeyBytes>;
  static_assert(shape::items < sparse_needles_ratio * join_needle_shape::threads);
  static_assert(shape::items < sparse_needles_ratio * shape::threads);
  const std::int64_t elements = left_count + right_count;
  const std::int64_t max_elements =
    detail::has_needles(kind, left_count, right_count)
      ? (sparse_needles_ratio + 1) * detail::number_of_needles(kind, left_count, right_count)
      : elements;
  return (std::max)(
    {::cuda::ceil_div(max_elements, std::int64_t{shape::items}), std::int64_t{1},
     (std::min)(
       ::cuda::ceil_div(elements, std::int64_t{coresident_join_shape<KeyBytes>::items}), max_tiles_cut_by_blocks)});
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

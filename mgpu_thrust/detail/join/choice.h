// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a CUDA device executes for a join, by sizes, types and the device.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/join/rows/layout.h>
#include <mgpu_thrust/detail/join/tuning.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a join, its size and its plan. Extra rows are a tile's rows after its first unit. Deferred sizes count
/// as their capacities.
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

  /// One kernel cuts all tiles. In the next, a block counts the rows of a tile and writes them; the first block serves
  /// offsets. A third writes extra rows.
  /// When: otherwise, joins whose sizes rule out 2^63 - 1 rows, or whose outputs have room for a given number
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

  /// As count_small_tiles, in larger tiles.
  /// When: otherwise
  /// Kernels: cut_kernel, join_count_kernel, two of cub::DeviceScan, join_size_kernel; where rows are written
  /// join_fill_kernel
  /// Launches: 5 where rows are counted, 1 where they are written
  /// Why: a pass writes before it knows whether there are too many rows
  count_tiles
};

/// Whether the tiles of a path are those of coresident_join_shape.
constexpr bool has_small_tiles(join_path path)
{
  return path == join_path::coresident_pass || path == join_path::count_small_tiles;
}

/// Returns the path of a join of inputs with keys of KeyBytes, the larger of both. `writes` tells whether it writes
/// rows, `saturates` whether a number of rows above the maximum is no error.
template <int KeyBytes>
constexpr join_path choose_join_path(
  bool writes, bool saturates, std::int64_t left_count, std::int64_t right_count, const device_room& device)
{
  using shape = coresident_join_shape<KeyBytes>;
  const bool is_one_pass = writes && (saturates || !detail::may_have_too_many_rows(left_count, right_count));
  const bool is_coresident = ::cuda::ceil_div(left_count + right_count, std::int64_t{shape::items})
                             <= detail::max_coresident_tiles<shape>(device);
  return is_one_pass ? (is_coresident ? join_path::coresident_pass : join_path::pass)
                     : (is_coresident ? join_path::count_small_tiles : join_path::count_tiles);
}

/// Returns the maximum number of tiles of a join on any device.
template <int KeyBytes>
constexpr std::int64_t max_join_tiles(std::int64_t left_count, std::int64_t right_count)
{
  const std::int64_t elements = left_count + right_count;
  return (std::max)(
    ::cuda::ceil_div(elements, std::int64_t{join_tile_shape<KeyBytes>::items}),
    (std::min)(
      ::cuda::ceil_div(elements, std::int64_t{coresident_join_shape<KeyBytes>::items}), max_tiles_cut_by_blocks));
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a CUDA device executes for a semi or anti join, by sizes, types and the device.

#include <mgpu_thrust/detail/base/chosen_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/semi_join/tuning.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a semi or anti join. Deferred sizes count as their capacities.
enum class semi_join_path
{
  /// A thread for each left row bisects the right input.
  /// When: up to {max_to_semi_join_by_bisection} elements in all, or at least {sparse_needles_ratio} right elements for
  /// each left one, if the grid is co-resident
  /// Kernels: bisection_kernel
  /// Launches: 1
  /// Why: for 2^12 int32 a side a caller waits 15 us instead of 17.5 for tiles (H200)
  bisect,

  /// As bisect, by any number of blocks; the first one serves offsets.
  /// When: as bisect, if the grid is not co-resident: on an H200 for more than {max_tiles_cut_by_blocks *
  /// bisection_shape::threads} left rows
  /// Kernels: bisection_kernel; before it read_sizes_kernel, if sizes are deferred
  /// Launches: 1, after a cudaMemsetAsync; 2, if sizes are deferred
  /// Why: searches in 2^28 int32 for one needle in 64 take 0.262 ms by bisection; for one in 32 they take 0.354 ms, in
  /// tiles 0.330 (H200)
  bisect_with_served_offsets,

  /// A thread for each right element that is the first of its equals bisects the left input, and counts the rows that
  /// equal it.
  /// When: otherwise, sizes, if there are at least {sparse_needles_ratio} left rows for each right element
  /// Kernels: semi_join_size_kernel
  /// Launches: 1
  /// Why: for 2^12 right elements and 2^28 left rows a caller waits 25 us, for tiles 374 (H100)
  count_by_bisection,

  /// The blocks of a co-resident grid cut a tile each, and wait for the counts of all others.
  /// When: otherwise, if the grid is co-resident: on an H200 up to {132 * semi_join_shape<4>::sure_blocks} tiles of
  /// {semi_join_shape<4>::items} int32
  /// Data: if the sizes that are read have at least {sparse_needles_ratio} right elements for each left one, the blocks
  /// bisect
  /// Kernels: semi_join_kernel
  /// Launches: 1
  /// Why: for up to 7 million elements a caller waits 18 us instead of 21 with a kernel that cuts (H200)
  coresident_tiles,

  /// One kernel cuts all tiles, and the blocks of the next join them; its first block serves offsets.
  /// When: otherwise
  /// Data: if the sizes that are read have at least {sparse_needles_ratio} right elements for each left one, the blocks
  /// bisect
  /// Kernels: cut_kernel, semi_join_kernel
  /// Launches: 2
  /// Why: 2^26 + 2^26 int32 take 0.235 ms (H200)
  cut_tiles
};

/// When the right input is bisected for each left row, by the sizes that the host knows. Kernels of tiles do it only
/// for a right input that is much longer.
using semi_join_bisection = one_way_bisection<true, bisection<max_to_semi_join_by_bisection>>;

/// Bounds the storage of tiles. Sizes for semi_join_bisection take none; where rows are counted alone, nor do sizes
/// with a much shorter right input.
template <bool Writes>
using semi_join_storage_bisection =
  std::conditional_t<Writes, semi_join_bisection, two_way_bisection<bisection<max_to_semi_join_by_bisection>>>;

/// Returns the number of blocks that bisect for each of `rows` left rows.
constexpr std::int64_t semi_join_bisection_blocks(std::int64_t rows)
{
  return ::cuda::ceil_div(rows, std::int64_t{bisection_shape::threads});
}

/// Returns the number of blocks that bisect the left input for up to `right_count` right elements, which they take in
/// turn: at least one, which stores the count.
constexpr std::int64_t semi_join_size_blocks(std::int64_t right_count, std::int64_t max_blocks)
{
  return (std::max)(
    (std::min)(::cuda::ceil_div(right_count, std::int64_t{bisection_shape::threads}), max_blocks), std::int64_t{1});
}

/// Chooses for a semi or anti join in tiles of Shape of inputs whose sizes may be deferred. `writes` tells whether rows
/// are written, or counted alone; then the left input is bisected for each right element, if that is not done the other
/// way round. An unknown device, device_room{}, has no co-resident grid.
template <class Shape, class NumLeft, class NumRight>
constexpr path_choice<semi_join_path>
choose_semi_join(const NumLeft& num_left, const NumRight& num_right, bool writes, const device_room& device)
{
  using path = semi_join_path;
  const std::int64_t left_count = detail::capacity_of(num_left);
  const std::int64_t right_count = detail::capacity_of(num_right);
  const int max_bisecting = detail::max_coresident_tiles<bisection_shape>(device);
  const std::int64_t elements = semi_join_bisection::max_tiled(num_left, num_right);
  if (elements == 0)
  {
    const std::int64_t blocks = detail::semi_join_bisection_blocks(left_count);
    return {blocks <= max_bisecting ? path::bisect : path::bisect_with_served_offsets, blocks, blocks};
  }
  if (!writes && right_count <= left_count / sparse_needles_ratio)
  {
    return {
      path::count_by_bisection, detail::semi_join_size_blocks(right_count, max_bisecting),
      detail::semi_join_size_blocks(right_count, max_tiles_cut_by_blocks)};
  }
  const std::int64_t tiles = ::cuda::ceil_div(elements, std::int64_t{Shape::items});
  return {
    tiles <= detail::max_coresident_tiles<Shape>(device) ? path::coresident_tiles : path::cut_tiles, tiles, tiles};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

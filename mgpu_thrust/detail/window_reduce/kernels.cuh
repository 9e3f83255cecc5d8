// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of window reductions: one cuts units, two make the table of the tiles' totals, one reduces windows.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/window_reduce/disjoint_table.h>
#include <mgpu_thrust/detail/window_reduce/tuning.h>
#include <mgpu_thrust/detail/window_reduce/units.cuh>
#include <mgpu_thrust/detail/window_reduce/window_block.cuh>
#include <mgpu_thrust/detail/window_reduce/window_tiles.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Finds all units, each by a thread, or by a warp if they are few, and stores the end of the last one behind it. Sets
/// *needs_totals if a window has all items of a tile between those where it begins and ends.
template <class Shape, class Windows>
MGPU_THRUST_KERNEL void __launch_bounds__(cut_threads)
  window_cut_kernel(Windows given, window_unit* units, int* needs_totals)
{
  sized_t<Windows> in(detail::sized(given));
  const std::int64_t count = Shape::units(in.num_items, in.num_windows) + 1;
  const std::int64_t first = std::int64_t{blockIdx.x} * detail::tiles_of_cut_block(count);
  const bool are_by_warps = detail::are_cut_by_warps(count);
  const std::int64_t number = first + static_cast<int>(are_by_warps ? threadIdx.x / 32 : threadIdx.x);
  if (number < count)
  {
    const window_unit unit = detail::find_unit<Shape>(
      in, number,
      [&](std::int64_t begin, std::int64_t end, auto before)
      {
        return are_by_warps ? detail::warp_partition_point(begin, end, before)
                            : detail::partition_point(begin, end, before);
      });
    units[number] = unit; // as the other lanes of a warp do
    if (unit.begin_tile + 1 < unit.end_tile)
    {
      *needs_totals = 1; // as other threads do
    }
  }
}

/// Reduces each of window_tiles_of_block full tiles to its total, in row 0 of the table. No other tile is between two.
template <class Shape, class T, class Reduction, class Windows>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads)
  window_totals_kernel(Reduction reduction, Windows given, disjoint_table<T> totals, const int* needs_totals)
{
  using tiles_type = window_tiles<Shape, T, Reduction>;
  __shared__ typename tiles_type::TempStorage shared;
  const auto& in = detail::sized(given);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the units are complete now
  const std::int64_t tiles = *needs_totals != 0 ? in.num_items / Shape::items : 0;
  const std::int64_t first = std::int64_t{blockIdx.x} * window_tiles_of_block;
  tiles_type own(shared, reduction, in.num_items);
  for (std::int64_t tile = first; tile < (min) (tiles, first + window_tiles_of_block); ++tile)
  {
    own.reduce(static_cast<int>(tile), totals.entry(0, tile));
  }
}

/// Fills the rows [row, last_row) of the table. Blocks of these rows are within a block of threads, or it is one row.
template <class Shape, class T, class Reduction, class Windows>
MGPU_THRUST_KERNEL void __launch_bounds__(1 << log_window_table_threads) window_table_kernel(
  Reduction reduction, Windows given, disjoint_table<T> totals, const int* needs_totals, int row, int last_row)
{
  const std::int64_t tiles = detail::sized(given).num_items / Shape::items;
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the rows below are complete now
  const std::int64_t tile = (std::int64_t{blockIdx.x} << log_window_table_threads) + threadIdx.x;
  if (*needs_totals != 0)
  {
    for (; row < last_row; ++row)
    {
      if (tile < tiles)
      {
        totals.fill(row, tile, tiles, reduction.op);
      }
      __syncthreads();
    }
  }
}

/// Reduces the windows of `units_of_block` units per block.
template <class Shape, class T, class Reduction, class Windows>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) window_kernel(
  Reduction reduction, Windows given, disjoint_table<T> totals, const window_unit* units, int units_of_block)
{
  using block_type = window_block<Shape, T, Reduction, decltype(Windows::bounds)>;
  __shared__ typename block_type::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);
  const auto& in = detail::sized(given);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // units and totals are complete now
  const std::int64_t count = Shape::units(in.num_items, in.num_windows);
  const std::int64_t first = std::int64_t{blockIdx.x} * units_of_block;
  if (first < count)
  {
    block_type(
      shared, reduction, in, totals, units + first,
      static_cast<int>((min) (count - first, std::int64_t{units_of_block})))
      .process();
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

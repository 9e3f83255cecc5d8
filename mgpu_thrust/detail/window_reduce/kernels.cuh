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

/// Finds all units, each by a thread, and stores the end of the last one behind it. Sets *needs_totals if a window has
/// all items of a tile between those where it begins and ends.
template <class Shape, class Windows>
MGPU_THRUST_KERNEL void __launch_bounds__(cut_threads)
  window_cut_kernel(Windows given, window_unit* units, int* needs_totals)
{
  sized_t<Windows> in(detail::sized(given));
  const std::int64_t number = std::int64_t{blockIdx.x} * cut_threads + threadIdx.x;
  if (number <= Shape::units(in.num_items, in.num_windows))
  {
    const window_unit unit = detail::find_unit<Shape>(
      in, number,
      [](std::int64_t begin, std::int64_t end, auto before) { return detail::partition_point(begin, end, before); });
    units[number] = unit;
    if (unit.begin_tile + 1 < unit.end_tile)
    {
      *needs_totals = 1; // as other threads do
    }
  }
}

/// Reduces each of `tiles_of_block` full tiles to its total, in row 0 of the table. No other tile is between two. If
/// needs_totals is nullptr, it always does, and the next kernel, which may not need them, starts meanwhile.
template <class Shape, class T, class Reduction, class Windows>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads) window_totals_kernel(
  Reduction reduction, Windows given, disjoint_table<T> totals, const int* needs_totals, int tiles_of_block)
{
  using tiles_type = window_tiles<Shape, T, Reduction>;
  __shared__ typename tiles_type::TempStorage shared;
  const auto& in = detail::sized(given);
  if (needs_totals == nullptr)
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
  }
  else
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the units are complete now
  }
  const std::int64_t tiles = needs_totals == nullptr || *needs_totals != 0 ? in.num_items / Shape::items : 0;
  const std::int64_t first = std::int64_t{blockIdx.x} * tiles_of_block;
  tiles_type own(shared, reduction, in.num_items);
  for (std::int64_t tile = first; tile < (min) (tiles, first + tiles_of_block); ++tile)
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

/// Reduces the windows of `units_of_block` units per block. If units is nullptr, that is one unit, and the block finds
/// where it begins and ends; then the table of totals has row 0 alone.
template <class Shape, class T, class Reduction, class Windows>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) window_kernel(
  Reduction reduction, Windows given, disjoint_table<T> totals, const window_unit* units, int units_of_block)
{
  using block_type = window_block<Shape, T, Reduction, decltype(Windows::bounds)>;
  __shared__ typename block_type::TempStorage shared;
  __shared__ window_unit own_units[2];
  static_assert(sizeof(shared) + sizeof(own_units) <= max_static_shared_bytes);
  sized_t<Windows> in(detail::sized(given));
  const std::int64_t count = Shape::units(in.num_items, in.num_windows);
  const std::int64_t first = std::int64_t{blockIdx.x} * units_of_block;
  if (units == nullptr)
  {
    detail::find_both_ends(
      [&](int end)
      {
        own_units[end] = detail::find_unit<Shape>(
          in, first + end,
          [](std::int64_t from, std::int64_t to, auto before)
          { return detail::warp_partition_point(from, to, before); });
      });
  }
  else
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // units and totals are complete now
  }
  if (first < count)
  {
    block_type(
      shared, reduction, in, totals, units != nullptr ? units + first : own_units,
      static_cast<int>((min) (count - first, std::int64_t{units_of_block})))
      .process();
  }
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // so that it ends after the kernel before
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

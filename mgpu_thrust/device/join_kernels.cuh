// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of the joins: one counts the rows of tiles of both inputs, one writes them, each tile a block, and what
/// is left of tiles with many rows by other blocks.

#include <mgpu_thrust/block/join_rows.cuh>
#include <mgpu_thrust/block/join_tile.cuh>
#include <mgpu_thrust/block/warp_search.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/join_tuning.cuh>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/partition_kernel.cuh>
#include <mgpu_thrust/thread/join.h>
#include <mgpu_thrust/thread/set_operation.h>

#include <cub/block/block_reduce.cuh>

#include <cstdint>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Asks for the keys of the tile that is prefetch_distance behind.
template <class Shape, class Inputs>
struct prefetch_later_tile
{
  const Inputs& inputs;
  const tile_begin* begins;
  int tile;
  int tiles;

  template <class Prefetch>
  MGPU_THRUST_DEVICE void operator()(Prefetch prefetch) const
  {
    if (tile + prefetch_distance < tiles)
    {
      prefetch(detail::tile_part<Shape::items>(inputs, begins, tile + prefetch_distance));
    }
  }
};

/// counts[tile] receives the rows of a tile, a tile a block.
template <class Shape, class Kind, class Inputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  join_count_kernel(Inputs inputs, Compare comp, int tiles, const tile_begin* begins, join_counts* counts)
{
  using tile_type = join_tile<Shape::threads, Shape::items, Inputs, Compare>;
  using block_reduce = cub::BlockReduce<int, Shape::threads>;
  __shared__ typename tile_type::storage shared_tile;
  __shared__ typename block_reduce::TempStorage shared_reduce;

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now

  // 1. Load a tile's keys.
  const int index = static_cast<int>(blockIdx.x);
  const tile_begin begin = begins[index];
  tile_type tile(
    shared_tile, inputs, comp, begin.a, begin.b, detail::tile_part<Shape::items>(inputs, begins, index),
    prefetch_later_tile<Shape, Inputs>{inputs, begins, index, tiles});

  // 2. Count the rows of its left elements, those that its matches behind the tile are in once, and its right elements
  //    without a match.
  int rows = 0;
  int go_on = 0;
  int right_only = 0;
  const std::int64_t behind = tile.find_matches_behind();
  tile.for_each_left(
    behind > 0,
    [&](int, int, int matches, bool goes_on)
    {
      rows += static_cast<int>(detail::rows_of_left(Kind{}, matches + goes_on)) - goes_on;
      go_on += goes_on;
    });
  if constexpr (Kind::keeps_right)
  {
    __syncthreads();
    tile.for_each_right_word([&](int, unsigned words) { right_only += __popc(words); });
  }

  // 3. Add them up.
  const auto sum_of = [&](int value)
  {
    __syncthreads(); // the memory may be in use
    return block_reduce(shared_reduce).Sum(value);
  };
  const std::int64_t rows_in_tile = sum_of(rows);
  const std::int64_t rows_behind = behind > 0 ? behind * sum_of(go_on) : 0;
  const std::int64_t right_rows = Kind::keeps_right ? sum_of(right_only) : 0;
  if (threadIdx.x == 0)
  {
    counts[index] = join_counts::of_tile(rows_in_tile + rows_behind, right_rows, join_unit_rows);
    if (index == tiles - 1)
    {
      counts[tiles] = {0, 0, 0}; // the sum over all goes there
    }
  }
}

/// Writes the number of all rows.
template <class Count>
MGPU_THRUST_KERNEL void join_size_kernel(join_layout layout, Count* size)
{
  *size = static_cast<Count>(layout.size());
}

/// What a layout searches with, by a full warp.
struct find_tile_by_warp
{
  const join_layout& layout;

  MGPU_THRUST_DEVICE std::int64_t operator()(std::int64_t join_counts::*member, std::int64_t number) const
  {
    return detail::warp_partition_point(
             std::int64_t{0}, layout.tiles, [&](std::int64_t tile) { return layout.before[tile].*member <= number; })
           - 1;
  }
};

/// Writes the rows that are wanted, the first of them to row 0 of the outputs: `layout.tiles` blocks those of the first
/// unit of a tile each and of its right elements without a match; all blocks behind share the other units. Nothing if
/// there are too many rows.
template <class Shape, class Kind, class Inputs, class Outputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_fill_kernel(
  Inputs inputs, Outputs outputs, Compare comp, const tile_begin* begins, join_layout layout, row_range wanted)
{
  using rows_type = block_join_rows<Shape::threads, Shape::items_per_thread, Kind, Inputs, Outputs, Compare>;
  using tile_type = typename rows_type::tile_type;
  __shared__ typename rows_type::storage shared;

  if (layout.has_overflow())
  {
    return;
  }

  // 1. The units of this block.
  const find_tile_by_warp find{layout};
  const int tiles = static_cast<int>(layout.tiles);
  const bool is_extra = static_cast<int>(blockIdx.x) >= tiles;
  row_range extra_units{0, 0};
  if (is_extra)
  {
    extra_units = layout.extra_units_of(wanted, find);
    extra_units.first += static_cast<int>(blockIdx.x) - tiles;
  }
  do
  {
    join_unit at{blockIdx.x, 0};
    if (is_extra)
    {
      if (extra_units.first >= extra_units.last)
      {
        return;
      }
      at = layout.extra_unit(extra_units.first, find);
      extra_units.first += static_cast<int>(gridDim.x) - tiles;
    }

    // 2. Those of its rows that are wanted.
    const row_range left_rows = layout.rows_of(at).intersection(wanted);
    row_range right_rows{0, 0};
    if constexpr (Kind::keeps_right)
    {
      right_rows = is_extra ? right_rows : layout.right_only_rows_of(at.tile).intersection(wanted);
    }
    if (left_rows.size() == 0 && right_rows.size() == 0)
    {
      continue;
    }

    // 3. Load its tile's keys.
    const int index = static_cast<int>(at.tile);
    const tile_begin begin = begins[index];
    tile_type tile(
      shared.tile, inputs, comp, begin.a, begin.b, detail::tile_part<Shape::items>(inputs, begins, index),
      prefetch_later_tile<Shape, Inputs>{inputs, begins, index, is_extra ? 0 : tiles});

    // 4. Write.
    rows_type rows(shared, outputs, begin.a, begin.b);
    if constexpr (Kind::keeps_right)
    {
      if (right_rows.size() > 0)
      {
        rows.write_right_only(tile, layout.right_only_rows_of(index).first, wanted);
      }
    }
    if (left_rows.size() > 0)
    {
      const std::int64_t before = layout.before[index].rows;
      rows.write_left(
        tile, layout.before[index + 1].rows - before, {left_rows.first - before, left_rows.last - before},
        left_rows.first - wanted.first);
    }
    tile_type::fence_writes();
  } while (is_extra);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

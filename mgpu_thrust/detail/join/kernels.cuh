// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of a join that is counted before it is written: one counts the rows of tiles of both inputs, one writes
/// them. Each has a block per tile; the latter has further blocks for the remaining rows of tiles with many.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/partition_kernel.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/rows.cuh>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/join/tile.cuh>
#include <mgpu_thrust/detail/join/tuning.cuh>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_stage.cuh>

#include <cstdint>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The outputs of a join that is only counted.
struct no_join_outputs
{
};

/// Counts the rows of a tile per block, and stores them to counts[tile].
template <class Shape, class Kind, class Inputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  join_count_kernel(Inputs inputs, Compare comp, int tiles, const tile_begin* begins, join_counts* counts)
{
  using rows_type = block_join_rows<Shape::threads, Shape::items_per_thread, Kind, Inputs, no_join_outputs, Compare>;
  using tile_type = typename rows_type::tile_type;
  __shared__ typename rows_type::storage shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is complete now

  // 1. Load a tile's keys.
  const int index = static_cast<int>(blockIdx.x);
  const tile_begin begin = begins[index];
  tile_type tile(
    shared.tile, inputs, comp, begin.a, begin.b, detail::tile_part<Shape::items>(inputs, begins, index),
    prefetch_later_tile<Shape, Inputs>{inputs, begins, index, tiles});

  // 2. Count the rows of its left elements, and its right elements without a match.
  const no_join_outputs nowhere;
  rows_type rows(shared, nowhere, begin.a, begin.b);
  const std::int64_t left_rows = rows.find(tile, [](std::int64_t) {});
  std::int64_t right_rows = 0;
  if constexpr (Kind::keeps_right)
  {
    right_rows = rows.for_each_right_word([](int, unsigned) {});
  }
  if (threadIdx.x == 0)
  {
    counts[index] = join_counts::of_tile(left_rows, right_rows, join_unit_rows);
    if (index == tiles - 1)
    {
      counts[tiles] = {0, 0, 0}; // the sum over all tiles is stored there
    }
  }
}

/// Writes the total number of rows to *size.
template <class Count>
MGPU_THRUST_KERNEL void join_size_kernel(join_layout layout, Count* size)
{
  *size = static_cast<Count>(layout.size());
}

/// The search that functions of join_layout call as `find`, by a full warp.
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

/// Writes the rows in `wanted`, the first of them to row 0 of the outputs. Each of the first `layout.tiles` blocks
/// writes those of the first unit of its tile and of the tile's right elements without a match; all blocks after these
/// share the other units. Writes nothing if there are too many rows.
template <class Shape, class Kind, class Inputs, class Outputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_fill_kernel(
  Inputs inputs, Outputs outputs, Compare comp, const tile_begin* begins, join_layout layout, row_range wanted)
{
  using rows_type = block_join_rows<Shape::threads, Shape::items_per_thread, Kind, Inputs, Outputs, Compare>;
  using tile_type = typename rows_type::tile_type;
  __shared__ typename rows_type::storage shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes);

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

    // 2. The rows of the unit, or of its tile's right elements, that are wanted.
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
    rows.find(tile, [](std::int64_t) {});
    if constexpr (Kind::keeps_right)
    {
      if (right_rows.size() > 0)
      {
        rows.write_right_only(layout.right_only_rows_of(index).first, wanted);
      }
    }
    if (left_rows.size() > 0)
    {
      const std::int64_t before = layout.before[index].rows;
      const auto find_row = [&]
      {
        __syncthreads();
        return left_rows.first - wanted.first;
      };
      rows.write_left({left_rows.first - before, left_rows.last - before}, find_row);
    }
    tile_type::fence_writes();
    if constexpr (!stages_keys<Inputs>)
    {
      __syncthreads(); // as in loading staged keys: the next unit's matches overwrite this one's
    }
  } while (is_extra);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

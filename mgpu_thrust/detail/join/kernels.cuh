// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of a join that is counted before it is written: one counts the rows of tiles of both inputs, one writes
/// them. Each has a block per tile; the latter has further blocks for the remaining rows of tiles with many.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/row_finder.cuh>
#include <mgpu_thrust/detail/join/row_writer.cuh>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/join/tile.cuh>
#include <mgpu_thrust/detail/join/tuning.h>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_stage.cuh>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Counts the rows of a tile per block, and stores them to counts[tile]. Where the sizes of the inputs are deferred,
/// `tiles` are those of the capacities, and tiles that are not there have no rows.
template <class Shape, class Kind, class Inputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  join_count_kernel(Inputs given, Compare comp, int tiles, const tile_begin* begins, join_counts* counts)
{
  using inputs_type = sized_t<Inputs>;
  using finder_type = join_row_finder<Shape, Kind, inputs_type, Compare>;
  using tile_type = typename finder_type::tile_type;
  __shared__ typename finder_type::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts, and the header, are complete now
  const inputs_type& inputs = detail::sized(given);
  if constexpr (is_deferred_v<Inputs>)
  {
    if (!detail::has_tile<Shape::items>(given, inputs, static_cast<int>(blockIdx.x)))
    {
      if (threadIdx.x == 0)
      {
        counts[blockIdx.x] = {0, 0, 0};
        counts[tiles] = {0, 0, 0};
      }
      return;
    }
  }

  // 1. Load a tile's keys.
  const int index = static_cast<int>(blockIdx.x);
  const tile_begin begin = begins[index];
  tile_type tile(
    shared.tile, inputs, comp, begin, detail::tile_part<Shape::items>(inputs, begins, index),
    prefetch_later_tile<Shape, Inputs, inputs_type>{given, inputs, begins, index, tiles});

  // 2. Count the rows of its left elements, and its right elements without a match.
  finder_type finder(shared);
  const std::int64_t left_rows = finder.find(tile, [](std::int64_t) {});
  std::int64_t right_rows = 0;
  if constexpr (Kind::keeps_right)
  {
    right_rows = finder.right().for_each_word([](int, unsigned) {});
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

/// The units of a block of join_fill_kernel. One of the first `layout.tiles` blocks has the first unit of its tile; the
/// blocks after these share the extra units that have rows of `wanted`, however many there are.
class join_fill_units
{
public:
  MGPU_THRUST_DEVICE join_fill_units(const join_layout& layout, row_range wanted)
      : layout_(layout)
      , is_extra_(static_cast<int>(blockIdx.x) >= static_cast<int>(layout.tiles))
  {
    if (is_extra_)
    {
      extra_units_ = layout.extra_units_of(wanted, find_tile_by_warp{layout});
      extra_units_.first += static_cast<int>(blockIdx.x) - static_cast<int>(layout.tiles);
    }
  }

  /// Whether the block's units are extra ones, of which there may be any number; otherwise it has one.
  MGPU_THRUST_DEVICE bool is_extra() const
  {
    return is_extra_;
  }

  /// Stores the next unit to `next`; false if there is none. All threads of the block must call it.
  MGPU_THRUST_DEVICE bool take(join_unit& next)
  {
    next = {blockIdx.x, 0};
    if (is_extra_)
    {
      if (extra_units_.first >= extra_units_.last)
      {
        return false;
      }
      next = layout_.extra_unit(extra_units_.first, find_tile_by_warp{layout_});
      extra_units_.first += static_cast<int>(gridDim.x) - static_cast<int>(layout_.tiles);
    }
    return true;
  }

private:
  const join_layout& layout_;
  bool is_extra_;
  row_range extra_units_{0, 0}; // indices of units
};

/// Writes the rows in `wanted`, the first of them to row 0 of the outputs. Each of the first `layout.tiles` blocks
/// writes those of the first unit of its tile and of the tile's right elements without a match; all blocks after these
/// share the other units. Writes nothing if there are too many rows. Where the sizes of the inputs are deferred,
/// `layout` has the tiles of the capacities, and the blocks of tiles that are not there share the other units too.
template <class Shape, class Kind, class Inputs, class Outputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_fill_kernel(
  Inputs given, Outputs outputs, Compare comp, const tile_begin* begins, join_layout layout, row_range wanted)
{
  using inputs_type = sized_t<Inputs>;
  using finder_type = join_row_finder<Shape, Kind, inputs_type, Compare>;
  using tile_type = typename finder_type::tile_type;
  __shared__ typename finder_type::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);

  const inputs_type& inputs = detail::sized(given);
  if constexpr (is_deferred_v<Inputs>)
  {
    layout.tiles = given.header->tiles;
  }
  if (layout.has_overflow())
  {
    return;
  }
  join_fill_units units(layout, wanted);
  do
  {
    // 1. The next unit of this block.
    join_unit at;
    if (!units.take(at))
    {
      return;
    }

    // 2. The rows of the unit, and of its tile's right elements, that are wanted.
    const row_range left_rows = layout.rows_of(at).intersection(wanted);
    row_range right_rows{0, 0};
    if constexpr (Kind::keeps_right)
    {
      right_rows = units.is_extra() ? right_rows : layout.right_only_rows_of(at.tile).intersection(wanted);
    }
    if (left_rows.size() == 0 && right_rows.size() == 0)
    {
      continue;
    }

    // 3. Load its tile's keys, and find all its rows.
    const int index = static_cast<int>(at.tile);
    const tile_begin begin = begins[index];
    const int prefetch_end = units.is_extra() ? 0 : static_cast<int>(layout.tiles);
    tile_type tile(
      shared.tile, inputs, comp, begin, detail::tile_part<Shape::items>(inputs, begins, index),
      prefetch_later_tile<Shape, Inputs, inputs_type>{given, inputs, begins, index, prefetch_end});
    finder_type finder(shared);
    finder.find(tile, [](std::int64_t) {});

    // 4. Write the wanted ones.
    join_row_writer writer(finder, outputs, begin);
    if constexpr (Kind::keeps_right)
    {
      if (right_rows.size() > 0)
      {
        finder.right().find_right_only();
        writer.write_right_only(layout.right_only_rows_of(index).first, wanted);
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
      writer.write_left({left_rows.first - before, left_rows.last - before}, find_row);
    }
    tile_type::fence_writes();
    if constexpr (!stages_keys<inputs_type>)
    {
      __syncthreads(); // as in loading staged keys: the next unit's matches overwrite this one's
    }
  } while (units.is_extra());
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of a join in one pass. One searches tiles of both inputs, or of needles, and writes the first unit of
/// each tile's rows when their offset is known. One writes the extra rows. A third, in right_only_kernel.cuh, writes
/// the rows of right elements without a match.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/driver/tile_driver.cuh>
#include <mgpu_thrust/detail/join/pass/placement.cuh>
#include <mgpu_thrust/detail/join/pass/progress.cuh>
#include <mgpu_thrust/detail/join/rows/extra_rows.cuh>
#include <mgpu_thrust/detail/join/rows/tile_kinds.cuh>
#include <mgpu_thrust/detail/join/rows/units.h>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/tile/load/tile_stage.cuh>

#include <cuda/atomic>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Joins a tile per block: writes the first unit of the rows of its left elements, or needles. *size receives the
/// total number of rows. See tile_driver for the parameters.
///
/// If offsets are served, `progress` was cleared before. Which right elements have no match is stored for
/// join_right_only_kernel. Otherwise the blocks are co-resident. They write the rows of right elements without a match
/// too, and store to `begins`, `progress` and the header of deferred sizes what join_extra_kernel needs. If both inputs
/// are empty, there is one empty tile.
template <
  class Shape, join_tiles Tiles, class Kind, class Inputs, class Outputs, class Compare, class Progress, class Size>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_pass_kernel(
  Inputs given, Outputs outputs, Compare comp, int tiles, tile_begin* begins, Progress progress, Size* size)
{
  using finders = join_finders<Tiles, Shape, Kind, sized_t<Inputs>, Compare>;
  using placement = join_placement<Shape, Kind, Inputs, Outputs, Progress>;
  using driver_type = typename placement::driver_type;
  static_assert(Tiles == join_tiles::of_merge_path || !Progress::are_coresident);
  __shared__ typename finders::TempStorage shared;
  __shared__ typename placement::TempStorage shared_rows;
  __shared__ typename driver_type::TempStorage shared_driver;
  static_assert(sizeof(shared) + sizeof(shared_rows) + sizeof(shared_driver) <= max_static_shared_bytes);

  // 1. Take the block's turn. If offsets are served, the first block serves them.
  if (placement::serves(given, shared_rows, progress, size))
  {
    return;
  }
  driver_type driver(shared_driver, given, Progress::are_coresident ? nullptr : begins, tiles, progress);
  if (!driver.take(comp, [] {}))
  {
    return;
  }
  placement place(shared_rows, given, driver, tiles, progress);

  // 2. Load the tile's keys, unless it has needles.
  const auto ends = [&] { return driver.ends(); };
  const auto prefetch = [&]([[maybe_unused]] auto prefetch_part)
  {
    if constexpr (!Progress::are_coresident)
    {
      driver.prefetch()(prefetch_part);
    }
  };
  detail::with_join_tile<finders>(
    shared, driver.inputs(), comp, driver.tile(), ends, prefetch,
    [&](auto& finder, auto& tile, tile_begin begin)
    {
      // 3. Find the rows of its left elements, and post their number; then its right elements without a match.
      if constexpr (Kind::keeps_right && Tiles != join_tiles::of_merge_path)
      {
        place.store_ends_of_needles(tile, begins);
      }
      const std::int64_t left_rows = finder.find(tile, [&](std::int64_t found) { place.post_rows(found); });
      const int right_only = place.post_right_only(finder, begin);
      place.arrive(left_rows);

      // 4. Write the first unit of rows of left elements, and the rows of right elements that are written here.
      auto writer = detail::make_join_writer(finder, outputs, begin);
      const auto find_row = [&] { return place.wait_for_row(); };
      if (left_rows > 0)
      {
        writer.write_left({0, (min) (left_rows, place.unit_rows())}, find_row);
      }
      else if constexpr (Progress::are_coresident)
      {
        find_row();
      }
      if constexpr (Progress::are_coresident)
      {
        place.write_right_only(writer, outputs, right_only);
        place.store_totals(given, begins, size);
      }
    });
}

/// The units of a block of join_extra_kernel. The first has the block's number, so few units are spread over all
/// multiprocessors. Blocks that are done take later units from a counter.
class join_units_on_demand
{
public:
  MGPU_THRUST_DEVICE explicit join_units_on_demand(std::uint64_t& later_units)
      : later_units_(later_units)
  {
  }
  MGPU_THRUST_DEVICE std::int64_t blocks() const
  {
    return gridDim.x;
  }
  MGPU_THRUST_DEVICE std::int64_t first() const
  {
    return blockIdx.x;
  }
  MGPU_THRUST_DEVICE std::int64_t next(std::int64_t) const
  {
    const ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device> units(later_units_);
    return static_cast<std::int64_t>(gridDim.x + units.fetch_add(1, ::cuda::memory_order_relaxed));
  }

private:
  std::uint64_t& later_units_;
};

/// Writes the extra rows (see join_layout). For deferred sizes see join_pass_kernel.
template <class Shape, join_tiles Tiles, class Kind, class Inputs, class Outputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_extra_kernel(
  Inputs given, Outputs outputs, Compare comp, int tiles, const tile_begin* begins, join_progress<Kind> progress)
{
  using inputs_type = sized_t<Inputs>;
  using finders = join_finders<Tiles, Shape, Kind, inputs_type, Compare>;
  __shared__ typename finders::TempStorage shared;
  __shared__ join_extra_storage shared_unit;
  static_assert(sizeof(shared) + sizeof(shared_unit) <= max_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the pass is done
  if (!progress.totals->has_extra)
  {
    return;
  }
  const inputs_type& inputs = detail::sized(given);
  if constexpr (is_deferred_v<Inputs>)
  {
    tiles = given.header->tiles;
    if (tiles == 0)
    {
      return; // No cut has cleared the progress.
    }
  }

  std::int64_t all_rows = progress.totals->left_rows;
  if constexpr (Outputs::is_bounded)
  {
    all_rows = outputs.rows_with_room(0, all_rows);
  }
  const join_units_on_demand units(progress.totals->later_units);
  const auto first_row_of = [&](int tile) { return tile < tiles ? progress.rows.offset(tile) : all_rows; };
  join_extra_rows rows(shared_unit, units, first_row_of, tiles, {0, all_rows}, detail::first_unit_rows<Shape>(tiles));

  // Finds all rows of a tile, and writes the wanted ones.
  const auto write = [&](auto& finder, auto& tile, tile_begin begin)
  {
    finder.find(tile, [](std::int64_t) {});
    detail::make_join_writer(finder, outputs, begin)
      .write_left(
        rows.tile_rows(),
        [&]
        {
          __syncthreads();
          return rows.wanted().first;
        });
  };
  while (rows.take())
  {
    const int index = rows.tile();
    detail::with_join_tile<finders>(
      shared, inputs, comp, index, [&] { return detail::ends_of(begins, index); }, no_prefetch{}, write);
    finders::fence_writes(inputs);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

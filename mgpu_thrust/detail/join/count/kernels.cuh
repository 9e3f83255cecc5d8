// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of a join that is counted before it is written: one counts the rows of each tile, of both inputs or of
/// needles, one adds up the counts, one writes the rows. The first and the last have a block per tile; the last has
/// more blocks for extra rows.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/driver/prefetch.cuh>
#include <mgpu_thrust/detail/join/rows/extra_rows.cuh>
#include <mgpu_thrust/detail/join/rows/layout.h>
#include <mgpu_thrust/detail/join/rows/tile_kinds.cuh>
#include <mgpu_thrust/detail/join/rows/units.h>
#include <mgpu_thrust/detail/join/tuning.h>
#include <mgpu_thrust/detail/tile/load/tile_stage.cuh>

#include <cub/block/block_scan.cuh>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Counts the rows of a tile per block, and stores them to counts[tile]. If the sizes of the inputs are deferred,
/// `tiles` is for the capacities, and surplus tiles have no rows.
template <class Shape, join_tiles Tiles, class Kind, class Inputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  join_count_kernel(Inputs given, Compare comp, int tiles, const tile_begin* begins, join_counts* counts)
{
  using inputs_type = sized_t<Inputs>;
  using finders = join_finders<Tiles, Shape, Kind, inputs_type, Compare>;
  __shared__ typename finders::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts, and the header, are complete now
  const inputs_type& inputs = detail::sized(given);
  if (blockIdx.x == 0 && threadIdx.x == 0)
  {
    counts[tiles] = {0, 0, 0}; // which a scan of all tiles and the end reads
  }
  if constexpr (is_deferred_v<Inputs>)
  {
    if (!detail::has_tile<Shape::items>(given, inputs, static_cast<int>(blockIdx.x)))
    {
      if (threadIdx.x == 0)
      {
        counts[blockIdx.x] = {0, 0, 0};
      }
      return;
    }
  }

  // Counts the rows of the tile's left elements, or needles, and its right elements without a match.
  const int index = static_cast<int>(blockIdx.x);
  const auto count = [&](auto& finder, auto& tile, tile_begin)
  {
    const std::int64_t left_rows = finder.find(tile, [](std::int64_t) {});
    std::int64_t right_rows = 0;
    if constexpr (Kind::keeps_right)
    {
      right_rows = finder.right().for_each_word([](int, unsigned) {});
    }
    if (threadIdx.x == 0)
    {
      int tiles_now = tiles;
      if constexpr (is_deferred_v<Inputs>)
      {
        tiles_now = given.header->tiles;
      }
      counts[index] = join_counts::of_tile(left_rows, right_rows, detail::first_unit_rows<Shape>(tiles_now));
    }
  };
  detail::with_join_tile<finders>(
    shared, inputs, comp, index, [&] { return detail::ends_of(begins, index); },
    prefetch_later_tile<Shape, Inputs, inputs_type>{given, inputs, begins, index, tiles}, count);
}

/// Replaces counts[0, tiles) by their exclusive prefix sums, stores the sum of all to counts[tiles], and the number of
/// rows to *size. One block, for up to join_scan_tiles tiles.
template <class Size>
MGPU_THRUST_KERNEL void __launch_bounds__(join_scan_threads)
  join_scan_kernel(join_counts* counts, int tiles, Size* size)
{
  using block_scan = cub::BlockScan<join_counts, join_scan_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  constexpr int items = join_scan_tiles / join_scan_threads;
  __shared__ typename block_scan::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the counts are complete now
  const int first = static_cast<int>(threadIdx.x) * items;
  join_counts own[items];
#pragma unroll
  for (int k = 0; k < items; ++k)
  {
    own[k] = first + k < tiles ? counts[first + k] : join_counts{0, 0, 0};
  }
  join_counts sum;
  block_scan(shared).ExclusiveScan(own, own, join_counts{0, 0, 0}, add_join_counts{}, sum);
#pragma unroll
  for (int k = 0; k < items; ++k)
  {
    if (first + k < tiles)
    {
      counts[first + k] = own[k];
    }
  }
  if (threadIdx.x == 0)
  {
    counts[tiles] = sum;
    *size = detail::saturated_index<Size>(sum.all());
  }
}

/// Stores the number of rows, after a scan of the counts of any number of tiles.
template <class Size>
MGPU_THRUST_KERNEL void join_size_kernel(const join_counts* sum, Size* size)
{
  *size = detail::saturated_index<Size>(sum->all());
}

/// The units of a block of join_fill_kernel that writes extra rows: unit `block`, and every `blocks`-th one after it.
class join_units_in_turn
{
public:
  MGPU_THRUST_DEVICE join_units_in_turn(int block, int blocks)
      : block_(block)
      , blocks_(blocks)
  {
  }
  MGPU_THRUST_DEVICE std::int64_t blocks() const
  {
    return blocks_;
  }
  MGPU_THRUST_DEVICE std::int64_t first() const
  {
    return block_;
  }
  MGPU_THRUST_DEVICE std::int64_t next(std::int64_t unit) const
  {
    return unit + blocks_;
  }

private:
  int block_;
  int blocks_;
};

/// Writes the rows in `wanted`, the first of them to row 0 of the outputs. Each of the first `layout.tiles` blocks
/// writes the first unit of its tile, and the rows of the tile's right elements without a match; the other blocks share
/// the extra rows. Writes nothing if there are too many rows. If the sizes of the inputs are deferred, `layout.tiles`
/// is for the capacities, and surplus blocks share the extra rows too.
template <class Shape, join_tiles Tiles, class Kind, class Inputs, class Outputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_fill_kernel(
  Inputs given, Outputs outputs, Compare comp, const tile_begin* begins, join_layout layout, row_range wanted)
{
  using inputs_type = sized_t<Inputs>;
  using finders = join_finders<Tiles, Shape, Kind, inputs_type, Compare>;
  __shared__ typename finders::TempStorage shared;
  __shared__ join_extra_storage shared_unit;
  static_assert(sizeof(shared) + sizeof(shared_unit) <= max_static_shared_bytes);

  const inputs_type& inputs = detail::sized(given);
  if constexpr (is_deferred_v<Inputs>)
  {
    layout.tiles = given.header->tiles;
  }
  const int tiles = static_cast<int>(layout.tiles);
  layout.first_unit_rows = detail::first_unit_rows<Shape>(tiles);
  const bool is_extra = static_cast<int>(blockIdx.x) >= tiles;
  if (layout.has_overflow() || (is_extra && !layout.has_extra()))
  {
    return;
  }
  const join_units_in_turn units(static_cast<int>(blockIdx.x) - tiles, static_cast<int>(gridDim.x) - tiles);
  const auto first_row_of = [&](int tile) { return layout.first_row_of(tile); };
  join_extra_rows extra(
    shared_unit, units, first_row_of, tiles, wanted.intersection({0, layout.left_rows()}), layout.first_unit_rows);

  // Step 3: finds all rows of a tile, and writes the wanted ones.
  const auto write =
    [&](
      auto& finder, auto& tile, tile_begin begin, int index, row_range left_rows, [[maybe_unused]] row_range right_rows)
  {
    finder.find(tile, [](std::int64_t) {});
    auto writer = detail::make_join_writer(finder, outputs, begin);
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
      const std::int64_t before = layout.first_row_of(index);
      const auto find_row = [&]
      {
        __syncthreads();
        return left_rows.first - wanted.first;
      };
      writer.write_left({left_rows.first - before, left_rows.last - before}, find_row);
    }
  };
  do
  {
    // 1. The wanted rows of left elements, and of right elements alone.
    int index = static_cast<int>(blockIdx.x);
    row_range left_rows{0, 0};
    row_range right_rows{0, 0};
    if (is_extra)
    {
      if (!extra.take())
      {
        return;
      }
      index = extra.tile();
      left_rows = extra.wanted();
    }
    else
    {
      left_rows = layout.first_unit_of(index).intersection(wanted);
      if constexpr (Kind::keeps_right)
      {
        right_rows = layout.right_only_rows_of(index).intersection(wanted);
      }
      if (left_rows.size() == 0 && right_rows.size() == 0)
      {
        return;
      }
    }

    // 2. Load the tile's keys, unless it has needles.
    const int prefetch_end = is_extra ? 0 : tiles;
    detail::with_join_tile<finders>(
      shared, inputs, comp, index, [&] { return detail::ends_of(begins, index); },
      prefetch_later_tile<Shape, Inputs, inputs_type>{given, inputs, begins, index, prefetch_end},
      [&](auto& finder, auto& tile, tile_begin begin) { write(finder, tile, begin, index, left_rows, right_rows); });
    finders::fence_writes(inputs);
  } while (is_extra);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

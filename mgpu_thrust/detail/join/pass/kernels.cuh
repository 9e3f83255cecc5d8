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
#include <mgpu_thrust/detail/join/pass/progress.cuh>
#include <mgpu_thrust/detail/join/rows/extra_rows.cuh>
#include <mgpu_thrust/detail/join/rows/tile_kinds.cuh>
#include <mgpu_thrust/detail/join/rows/units.h>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

#include <cub/block/block_reduce.cuh>

#include <cuda/atomic>
#include <cuda/std/functional>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Shared memory of a block of join_pass_kernel beside that of its tile.
template <int Threads, bool AreServed>
struct join_pass_storage
{
  std::int64_t row;
};
template <int Threads>
struct join_pass_storage<Threads, false>
{
  typename cub::BlockReduce<join_sums, Threads>::TempStorage reduce;
  tile_begin ends[2];
  join_sums sums;
};

/// Joins a tile per block: writes the first unit of the rows of its left elements, or needles. *size receives the
/// total number of rows. If the sizes of the inputs are deferred, surplus blocks return.
///
/// If offsets are served, `progress` was cleared before, and `tiles` is the number of tiles, or that of the capacities.
/// An earlier kernel has cut the tiles, unless they are of needles. The first block has no tile. Which right elements
/// have no match is stored for join_right_only_kernel.
///
/// Otherwise the blocks are co-resident. They cut the tiles, and write the rows of right elements without a match too.
/// They store to `begins`, `progress` and the header of deferred sizes what join_extra_kernel needs. If both inputs are
/// empty, there is one empty tile.
template <
  class Shape, join_tiles Tiles, class Kind, class Inputs, class Outputs, class Compare, class Progress, class Size>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_pass_kernel(
  Inputs given, Outputs outputs, Compare comp, int tiles, tile_begin* begins, Progress progress, Size* size)
{
  using inputs_type = sized_t<Inputs>;
  using finders = join_finders<Tiles, Shape, Kind, inputs_type, Compare>;
  constexpr bool are_coresident = !Progress::are_served;
  static_assert(Tiles == join_tiles::of_merge_path || !are_coresident);
  __shared__ typename finders::TempStorage shared;
  __shared__ join_pass_storage<Shape::threads, Progress::are_served> shared_pass;
  static_assert(sizeof(shared) + sizeof(shared_pass) <= max_static_shared_bytes);
  const int thread = static_cast<int>(threadIdx.x);

  // 1. If offsets are served, the first block serves them.
  if constexpr (!are_coresident)
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts, and the header, are complete now
    if (blockIdx.x == 0)
    {
      if constexpr (is_deferred_v<Inputs>)
      {
        progress = progress.first(given.header->tiles);
      }
      progress.template serve<Shape::threads, Outputs::is_bounded>(shared_pass.row, size);
      return;
    }
  }

  // 2. Find which tile the block has.
  const int index = are_coresident ? detail::coresident_number<Inputs>() : static_cast<int>(blockIdx.x) - 1;
  [[maybe_unused]] tile_begin early_ends[2];
  if constexpr (!are_coresident)
  {
    detail::read_ends_early<Inputs>(early_ends, begins, index);
  }
  const inputs_type& inputs = detail::sized(given);
  if constexpr (are_coresident)
  {
    tiles = (max) (static_cast<int>(detail::tiles_of<Shape::items>(inputs)), 1);
  }
  else if constexpr (is_deferred_v<Inputs>)
  {
    tiles = given.header->tiles;
  }
  if (is_deferred_v<Inputs> && index >= tiles)
  {
    if constexpr (are_coresident)
    {
      coresident_offsets::arrive();
    }
    return;
  }
  [[maybe_unused]] const tile_begin* ends = is_deferred_v<Inputs> ? early_ends : begins + index;

  // Steps 4 to 6, for a tile that begins at `begin`. Step 3, which loads the tile, follows below and calls them.
  const auto join = [&](auto& finder, auto& tile, tile_begin begin)
  {
    // 4. Find the rows of its left elements and post their number; then find its right elements without a match. All
    //    co-resident blocks have read the sizes before they arrive, so *size may be where a size was.
    const std::int64_t left_rows = finder.find(tile, [&](std::int64_t found) { progress.rows.post(index, found); });
    [[maybe_unused]] int right_only = 0;
    if constexpr (Kind::keeps_right)
    {
      if constexpr (are_coresident)
      {
        right_only = finder.right().find_right_only();
      }
      else
      {
        std::uint32_t* const words = progress.right_words(index, begin.b);
        right_only = finder.right().for_each_word([&](int word, unsigned bits) { words[word] = bits; });
      }
      if (thread == 0)
      {
        progress.right_only.post(index, right_only);
      }
    }
    const std::int64_t unit_rows = detail::first_unit_rows<Shape>(tiles);
    [[maybe_unused]] coresident_offsets::arrival arrival{};
    if constexpr (are_coresident)
    {
      arrival = coresident_offsets::arrive();
    }
    else if (left_rows > unit_rows && thread == 0)
    {
      progress.totals->has_extra = true;
    }

    // 5. Write the first unit of rows of left elements. Co-resident blocks add up the counts of all tiles for its
    //    offset.
    const auto find_row = [&]
    {
      if constexpr (are_coresident)
      {
        coresident_offsets::wait_for_all(arrival);
        const join_sums sums =
          cub::BlockReduce<join_sums, Shape::threads>(shared_pass.reduce)
            .Reduce(
              progress.template sum_share<Shape::threads>(index, tiles, unit_rows), ::cuda::std::plus<join_sums>{});
        if (thread == 0)
        {
          shared_pass.sums = sums;
        }
        __syncthreads();
        return shared_pass.sums.rows_before;
      }
      else
      {
        if (thread == 0)
        {
          shared_pass.row = progress.rows.wait(index);
        }
        __syncthreads();
        return shared_pass.row;
      }
    };
    auto writer = detail::make_join_writer(finder, outputs, begin);
    if (left_rows > 0)
    {
      writer.write_left({0, (min) (left_rows, unit_rows)}, find_row);
    }
    else if constexpr (are_coresident)
    {
      find_row();
    }

    // 6. Co-resident blocks write the rows of right elements without a match, and store the size. They store what
    //    join_extra_kernel needs, if a tile has more rows than a unit.
    if constexpr (are_coresident)
    {
      const join_sums& sums = shared_pass.sums;
      if constexpr (Kind::keeps_right)
      {
        if (right_only > 0)
        {
          const std::int64_t first = sums.rows + sums.right_only_before;
          std::int64_t last = first + right_only;
          if constexpr (Outputs::is_bounded)
          {
            last = first + outputs.rows_with_room(first, right_only);
          }
          writer.write_right_only(first, {0, last});
        }
      }
      if (thread == 0 && sums.has_extra)
      {
        begins[index] = begin;
        progress.rows.store_offset(index, sums.rows_before);
      }
      if (thread == 0 && index == tiles - 1)
      {
        begins[tiles] = ends[1];
        *progress.totals = {sums.rows, sums.right_only, sums.has_extra, 0};
        *size = detail::saturated_index<Size>(sums.rows + sums.right_only);
        if constexpr (is_deferred_v<Inputs>)
        {
          *given.header = {inputs.a_count, inputs.b_count, tiles};
        }
      }
    }
  };

  // 3. A tile of needles has no keys to load. Where it begins and ends is stored for join_right_only_kernel.
  if constexpr (Tiles != join_tiles::of_merge_path)
  {
    if (finders::are_needles(inputs))
    {
      using finder_type = typename finders::of_needles;
      typename finder_type::tile_type tile(inputs, comp, index);
      if (Kind::keeps_right && thread == 0)
      {
        begins[index] = tile.begin();
        if (index == tiles - 1)
        {
          begins[tiles] = tile.begin(1);
        }
      }
      finder_type finder(shared.needles);
      join(finder, tile, tile.begin());
      return;
    }
  }

  // 3. Load the keys of a tile of both inputs. Co-resident blocks cut the tile first.
  if constexpr (Tiles != join_tiles::of_needles)
  {
    using finder_type = typename finders::of_merge_path;
    if constexpr (are_coresident)
    {
      ends = detail::begins_of_tile<Shape::items>(nullptr, shared_pass.ends, inputs, comp, index);
    }
    const tile_begin begin = ends[0];
    typename finder_type::tile_type tile(
      shared.merge_path.tile, inputs, comp, begin, detail::tile_part<Shape::items>(inputs, ends, 0),
      [&](auto prefetch)
      {
        if constexpr (!are_coresident)
        {
          prefetch_later_tile<Shape, Inputs, inputs_type>{given, inputs, begins, index, tiles}(prefetch);
        }
      });
    finder_type finder(shared.merge_path);
    join(finder, tile, begin);
  }
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
    if constexpr (Tiles != join_tiles::of_merge_path)
    {
      if (finders::are_needles(inputs))
      {
        using finder_type = typename finders::of_needles;
        typename finder_type::tile_type tile(inputs, comp, index);
        finder_type finder(shared.needles);
        write(finder, tile, tile.begin());
        continue;
      }
    }
    if constexpr (Tiles != join_tiles::of_needles)
    {
      using finder_type = typename finders::of_merge_path;
      const tile_begin begin = begins[index];
      typename finder_type::tile_type tile(
        shared.merge_path.tile, inputs, comp, begin, detail::tile_part<Shape::items>(inputs, begins, index),
        [](auto) {});
      finder_type finder(shared.merge_path);
      write(finder, tile, begin);
      finder_type::tile_type::fence_writes();
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of a join of few tiles, whose blocks execute at once: it cuts the tiles, counts their rows, and writes them.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/join/pass_kernels.cuh>
#include <mgpu_thrust/detail/join/pass_progress.cuh>
#include <mgpu_thrust/detail/join/row_finder.cuh>
#include <mgpu_thrust/detail/join/row_writer.cuh>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

#include <cub/block/block_reduce.cuh>

#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Joins a tile of both inputs per block: writes the rows of its left elements, the first unit of them at most, and those of
/// its right elements without a match. *size receives the total number of rows. What join_extra_kernel needs is stored as
/// the kernels of more tiles do: to `begins`, to `progress` and, where the sizes of the inputs are deferred, to their header.
/// There is a tile, though an empty one, even if both inputs are empty.
template <class Shape, class Kind, class Inputs, class Outputs, class Compare, class Size>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_at_once_kernel(
  Inputs given, Outputs outputs, Compare comp, tile_begin* begins, join_progress<Kind> progress, Size* size)
{
  using inputs_type = sized_t<Inputs>;
  using finder_type = join_row_finder<Shape, Kind, inputs_type, Compare>;
  using tile_type = typename finder_type::tile_type;
  using block_reduce = cub::BlockReduce<join_sums, Shape::threads>;
  __shared__ typename finder_type::TempStorage shared;
  __shared__ typename block_reduce::TempStorage shared_reduce;
  __shared__ tile_begin ends[2];
  __shared__ join_sums shared_sums;
  static_assert(sizeof(shared) + sizeof(shared_reduce) + sizeof(ends) + sizeof(shared_sums) <= max_static_shared_bytes);
  const int thread = static_cast<int>(threadIdx.x);

  // 1. Cut a tile, and load its keys.
  const int index = detail::coresident_number<Inputs>();
  const inputs_type& inputs = detail::sized(given);
  const int tiles = (max) (static_cast<int>(detail::tiles_of<Shape::items>(inputs)), 1);
  if (is_deferred_v<Inputs> && index >= tiles)
  {
    coresident_offsets::arrive();
    return;
  }
  detail::begins_of_tile<Shape::items>(nullptr, ends, inputs, comp, index);
  const tile_begin begin = ends[0];
  tile_type tile(shared.tile, inputs, comp, begin, detail::tile_part<Shape::items>(inputs, ends, 0), [](auto) {});

  // 2. Find the rows of its left elements, and its right elements without a match, and post their numbers. All blocks have
  //    read the sizes when they have arrived, so that the size may be stored where one of them was.
  finder_type finder(shared);
  const std::int64_t left_rows = finder.find(tile, [&](std::int64_t found) { progress.rows.post(index, found); });
  int right_only = 0;
  if constexpr (Kind::keeps_right)
  {
    right_only = finder.right().find_right_only();
    if (thread == 0)
    {
      progress.right_only.post(index, right_only);
    }
  }
  auto arrival = coresident_offsets::arrive();

  // 3. What all tiles have tells which rows are this tile's.
  const std::int64_t unit_rows = detail::first_unit_rows<Shape>(tiles);
  const auto wait_for_all = [&]
  {
    coresident_offsets::wait_for_all(arrival);
    const join_sums sums =
      block_reduce(shared_reduce)
        .Reduce(progress.template sum_share<Shape::threads>(index, tiles, unit_rows), ::cuda::std::plus<join_sums>{});
    if (thread == 0)
    {
      shared_sums = sums;
    }
    __syncthreads();
    return shared_sums.rows_before;
  };

  // 4. Write them.
  join_row_writer writer(finder, outputs, begin);
  if (left_rows > 0)
  {
    writer.write_left({0, (min) (left_rows, unit_rows)}, wait_for_all);
  }
  else
  {
    wait_for_all();
  }
  if constexpr (Kind::keeps_right)
  {
    if (right_only > 0)
    {
      const std::int64_t first = shared_sums.rows + shared_sums.right_only_before;
      std::int64_t last = first + right_only;
      if constexpr (Outputs::is_bounded)
      {
        last = first + outputs.rows_with_room(first, right_only);
      }
      writer.write_right_only(first, {0, last});
    }
  }

  // 5. Store the size, and what the next kernel needs, which does nothing if no tile has more rows than a unit.
  if (thread == 0 && shared_sums.has_extra)
  {
    begins[index] = begin;
    progress.rows.store_offset(index, shared_sums.rows_before);
  }
  if (thread == 0 && index == tiles - 1)
  {
    begins[tiles] = ends[1];
    *progress.totals = {shared_sums.rows, shared_sums.right_only, shared_sums.has_extra, 0};
    *size = static_cast<Size>(shared_sums.rows + shared_sums.right_only);
    if constexpr (is_deferred_v<Inputs>)
    {
      *given.header = {inputs.a_count, inputs.b_count, tiles};
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

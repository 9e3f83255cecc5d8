// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of tiles: one reduces a tile per block, one combines the parts of segments that lie in several tiles.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_reduce/choice.h>
#include <mgpu_thrust/detail/segmented_reduce/tiles/carry_block.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tiles/reduce_tile.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tiles/tile_output.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tuning.h>
#include <mgpu_thrust/detail/segmented_reduce/whole/kernels.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The bounds of the cut into tiles.
template <class Offsets>
using segmented_reduce_bounds = end_bounds<segmented_reduce_shape::weight, Offsets>;

/// Returns whether segments with actual sizes have a tile. `tiles` is the number of tiles, unless sizes are deferred.
template <bool IsDeferred, class Offsets>
MGPU_THRUST_DEVICE bool has_reduced_tile(const segments<Offsets>& in, int tiles, int tile)
{
  if constexpr (IsDeferred)
  {
    const auto bounds = segmented_reduce_bounds<Offsets>::of(in, nullptr);
    return bounds.bound(tile) < bounds.last_bound(); // without a division
  }
  else
  {
    return tile < tiles;
  }
}

/// Reduces few_deferred_segments by all blocks of the grid. Called by all their threads.
template <class T, class Reduction, class Offsets>
MGPU_THRUST_DEVICE_CALL void reduce_few_segments(Reduction reduction, segments<Offsets> in)
{
  using shape = few_whole_segments_shape<T>;
  const int of_grid = static_cast<int>(gridDim.x) * shape::warps;
#pragma unroll 1
  while (static_cast<int>(blockIdx.x) * shape::warps < in.num_segments)
  {
    detail::reduce_whole_segments<shape, T>(reduction, in, shape::log_warps, shape::max_items_of_warp);
    __syncthreads(); // shared memory is free for the next segments

    // Skip the segments that the grid has reduced.
    in.offsets += of_grid;
    in.num_segments -= of_grid;
    reduction.output += of_grid;
  }
}

/// Reduces the segments of one tile per block. begins[tile] is where a tile begins. If FindsBegins, the blocks find it,
/// and store it for the next kernel. (As a condition at run time it made the kernel of many tiles 4 % slower.)
/// `carries` receives the partial results of segments that lie in several tiles.
///
/// If sizes are deferred, `tiles` is for the capacities, here and in the next kernel, and surplus blocks return. If
/// MayBeFew, choose_in_deferred_tiles() decides whether the blocks reduce whole segments instead.
template <class Shape, class T, bool FindsBegins, class Reduction, class Segments, bool MayBeFew = false>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) segmented_reduce_kernel(
  Reduction reduction, Segments given, int tiles, load_balance_point* begins, tile_carries<T> carries)
{
  using tile_type = reduce_tile<Shape, T, Reduction, decltype(Segments::offsets)>;
  __shared__ typename tile_type::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);
  const int tile = static_cast<int>(blockIdx.x);

  const auto& in = detail::sized_segments(given);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  const auto has_tile = [&](int number)
  { return detail::has_reduced_tile<is_deferred_v<Segments>>(in, tiles, number); };
  if constexpr (MayBeFew)
  {
    if (
      detail::choose_in_deferred_tiles<T>(in.num_items, in.num_segments)
      == segmented_reduce_path::few_deferred_segments)
    {
      detail::reduce_few_segments<T>(reduction, in);
      return;
    }
  }
  const load_balance_point* ends = begins + tile;
  [[maybe_unused]] load_balance_point early_ends[2];
  if constexpr (is_deferred_v<Segments>)
  {
    bool is_there = has_tile(tile);
    if constexpr (!FindsBegins)
    {
      // `begins` has room for all tiles of the capacities, so these loads need not wait for the sizes. The comparison
      // is true for each actual tile. Without it the compiler would load both points after the branch.
      early_ends[0] = ends[0];
      early_ends[1] = ends[1];
      ends = early_ends;
      is_there = is_there & (early_ends[0].item_index <= early_ends[1].item_index);
    }
    if (!is_there)
    {
      return;
    }
  }

  if constexpr (FindsBegins)
  {
    detail::find_begins(segmented_reduce_bounds<decltype(Segments::offsets)>::of(in, nullptr), tile, shared.begins);
    ends = shared.begins;
    const int own = static_cast<int>(threadIdx.x);
    if (own == 0 || (own == 1 && !has_tile(tile + 1)))
    {
      begins[tile + own] = shared.begins[own];
    }
  }
  tile_type(shared, reduction, in, ends, {carries.last + tile, carries.first + tile})
    .process(
      [&]
      {
        const int later = tile + Shape::prefetch_distance;
        if (!FindsBegins && has_tile(later))
        {
          tile_type::prefetch(in, begins + later);
        }
      });
}

/// Combines the carries of each segment that began before a tile and ends in it: by the tile's thread, or by the block
/// if the segment lies in many tiles.
template <class T, class Reduction, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(segmented_carry_shape::threads) segmented_carry_kernel(
  Reduction reduction, Segments given, int tiles, const load_balance_point* begins, tile_carries<T> carries)
{
  using shape = segmented_carry_shape;
  using block_type = carry_block<shape, T, Reduction, decltype(Segments::offsets)>;
  __shared__ typename block_type::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);

  const auto& in = detail::sized_segments(given);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the carries are there now
  if constexpr (is_deferred_v<Segments>)
  {
    if (
      few_whole_segments_shape<T>::takes_tiles(tiles)
      && detail::choose_in_deferred_tiles<T>(in.num_items, in.num_segments)
           == segmented_reduce_path::few_deferred_segments)
    {
      return;
    }
    tiles = static_cast<int>(segmented_reduce_bounds<decltype(Segments::offsets)>::of(in, nullptr).tiles());
  }

  block_type(shared, reduction, in, begins, carries).process(static_cast<int>(blockIdx.x) * shape::threads, tiles);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

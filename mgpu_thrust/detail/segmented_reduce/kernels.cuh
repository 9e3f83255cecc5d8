// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of segmented reductions: one reduces a tile per block, one combines the parts of segments that lie in
/// several tiles, and one reduces whole segments.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_reduce/carry_block.cuh>
#include <mgpu_thrust/detail/segmented_reduce/reduce_tile.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tile_carries.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tuning.cuh>
#include <mgpu_thrust/detail/segmented_reduce/whole_segments.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The number of tiles of segments with their real sizes.
template <class Offsets>
MGPU_THRUST_DEVICE int real_tiles(const segments<Offsets>& in)
{
  using bounds = end_bounds<segmented_reduce_weight, Offsets>;
  return static_cast<int>(bounds::of(in, nullptr).tiles());
}

/// Reduces the segments of one tile per block. begins[tile] is where a tile begins; `carries` receives the partial
/// results of segments that lie in several tiles. Where sizes are deferred, `tiles` are those of the capacities, here and
/// in the next kernel, and the blocks of tiles that are not there do nothing.
template <class Shape, class T, class Reduction, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) segmented_reduce_kernel(
  Reduction reduction, Segments given, int tiles, const load_balance_point* begins, tile_carries<T> carries)
{
  using tile_type = reduce_tile<Shape, T, Reduction, decltype(Segments::offsets)>;
  __shared__ typename tile_type::TempStorage shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes);
  const int tile = static_cast<int>(blockIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  const auto& in = detail::sized_segments(given);
  if constexpr (is_deferred_v<Segments>)
  {
    tiles = detail::real_tiles(in);
    if (tile >= tiles)
    {
      return;
    }
  }

  tile_type(shared, reduction, in, begins + tile, {carries.last + tile, carries.first + tile})
    .process(
      [&]
      {
        const int later = tile + Shape::prefetch_distance;
        if (later < tiles)
        {
          tile_type::prefetch(in, begins + later);
        }
      });
}

/// Combines the parts of each segment that began before a tile and ends in it: by the tile's thread or, if the segment
/// lies in many tiles, by the whole block.
template <class T, class Reduction, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(segmented_carry_shape::threads) segmented_carry_kernel(
  Reduction reduction, Segments given, int tiles, const load_balance_point* begins, tile_carries<T> carries)
{
  using shape = segmented_carry_shape;
  using block_type = carry_block<shape, T, Reduction, decltype(Segments::offsets)>;
  __shared__ typename block_type::TempStorage shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the carries are there now
  const auto& in = detail::sized_segments(given);
  if constexpr (is_deferred_v<Segments>)
  {
    tiles = detail::real_tiles(in);
  }

  block_type(shared, reduction, in, begins, carries).process(static_cast<int>(blockIdx.x) * shape::threads, tiles);
}

/// Reduces whole segments, up to `of_block` per block: a warp the short ones, a block those of up to most_items_of_block,
/// a cluster those that are longer.
template <class T, class Reduction, class Segments>
MGPU_THRUST_KERNEL void
__launch_bounds__(whole_segments_shape<T>::threads, whole_segments_shape<T>::blocks_per_multiprocessor)
  whole_segments_kernel(Reduction reduction, Segments given, int of_block)
{
  using shape = whole_segments_shape<T>;
  using block_type = team_segments<shape, 1, T, Reduction>;
  using cluster_type = team_segments<shape, shape::cluster_blocks, T, Reduction>;
  constexpr int most_segments = shape::cluster_blocks * shape::warps;
  __shared__ std::int64_t bounds[most_segments + 1];
  __shared__ typename block_type::TempStorage shared_of_block;
  __shared__ typename cluster_type::TempStorage shared_of_cluster;
  static_assert(sizeof(bounds) + sizeof(shared_of_block) + sizeof(shared_of_cluster) <= most_static_shared_bytes);
  static_assert(most_segments < shape::threads);

  const auto& in = detail::sized_segments(given);

  // 1. Load where the segments of the cluster start, and where the last ends. Wrong offsets lead to no item outside.
  const int rank = static_cast<int>(blockIdx.x) % shape::cluster_blocks;
  const std::int64_t first = (std::int64_t{blockIdx.x} - rank) * of_block;
  const auto segments_from = [&](std::int64_t from, int most)
  { return static_cast<int>(detail::clamp_index(in.num_segments - from, 0, most)); };
  const int count = segments_from(first, of_block * shape::cluster_blocks);
  const int own = static_cast<int>(threadIdx.x);
  if (own <= count)
  {
    const std::int64_t bound = first + own < in.num_segments ? in.offset(first + own) : in.num_items;
    bounds[own] = detail::clamp_index(bound, 0, in.num_items);
  }
  __syncthreads();

  // 2. Reduce the block's own segments.
  const int before = rank * of_block;
  block_type of_this(
    shared_of_block, reduction, bounds + before, first + before, segments_from(first + before, of_block), of_block);
  const int most_of_warp = of_block * shape::most_items_of_warp;
  of_this.reduce_short_segments(most_of_warp);
  of_this.reduce_long_segments(most_of_warp, shape::most_items_of_block);

  // 3. Reduce the longest segments of the cluster.
  if (in.num_items > shape::most_items_of_block)
  {
    const bool is_longest = own < count && bounds[own + 1] - bounds[own] > shape::most_items_of_block;
    if (__syncthreads_or(is_longest))
    {
      cluster_type(shared_of_cluster, reduction, bounds, first, count, of_block)
        .reduce_long_segments(shape::most_items_of_block, in.num_items);
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

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
#include <mgpu_thrust/detail/cut/sampled_cut.cuh>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/cut/segment_starts.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/segmented_reduce/carry_block.cuh>
#include <mgpu_thrust/detail/segmented_reduce/long_segments.cuh>
#include <mgpu_thrust/detail/segmented_reduce/reduce_tile.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tile_carries.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tuning.cuh>
#include <mgpu_thrust/detail/segmented_reduce/warp_group.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the number of tiles of segments with their real sizes, or whether they have one. (The number takes a division.)
template <class Offsets>
MGPU_THRUST_DEVICE int real_tiles(const segments<Offsets>& in)
{
  using bounds = end_bounds<segmented_reduce_weight, Offsets>;
  return static_cast<int>(bounds::of(in, nullptr).tiles());
}
template <class Offsets>
MGPU_THRUST_DEVICE bool has_real_tile(const segments<Offsets>& in, int tile)
{
  const auto bounds = end_bounds<segmented_reduce_weight, Offsets>::of(in, nullptr);
  return bounds.bound(tile) < bounds.last_bound();
}

/// Finds where a tile begins, and the next one; called by all threads of a block, which see both.
template <class Offsets>
MGPU_THRUST_DEVICE void find_begins(const segments<Offsets>& in, int tile, load_balance_point (&found)[2])
{
  const auto bounds = end_bounds<segmented_reduce_weight, Offsets>::of(in, nullptr);
  detail::find_both_ends([&](int end)
                         { found[end] = bounds.point(tile + end, detail::find_bound_of_tile(bounds, tile + end)); });
}

/// Reduces the segments of one tile per block. begins[tile] is where a tile begins; if FindsBegins, the blocks find and store
/// that, for the next kernel. (As a condition at run time it made the kernel of many tiles 4 % slower.) `carries` receives the
/// partial results of segments that lie in several tiles. Where sizes are deferred, `tiles` are those of the capacities, here
/// and in the next kernel, and the blocks of tiles that are not there do nothing.
template <class Shape, class T, bool FindsBegins, class Reduction, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) segmented_reduce_kernel(
  Reduction reduction, Segments given, int tiles, load_balance_point* begins, tile_carries<T> carries)
{
  using tile_type = reduce_tile<Shape, T, Reduction, decltype(Segments::offsets)>;
  __shared__ typename tile_type::TempStorage shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes);
  const int tile = static_cast<int>(blockIdx.x);

  const auto& in = detail::sized_segments(given);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  const auto has_tile = [&](int number)
  {
    if constexpr (is_deferred_v<Segments>)
    {
      return detail::has_real_tile(in, number);
    }
    else
    {
      return number < tiles;
    }
  };
  const load_balance_point* ends = begins + tile;
  [[maybe_unused]] load_balance_point early_ends[2];
  if constexpr (is_deferred_v<Segments>)
  {
    bool is_there = has_tile(tile);
    if constexpr (!FindsBegins)
    {
      // There is memory for tiles that are not there, too, so this need not wait for the sizes. The comparison, which holds
      // for each tile that is there, is for the compiler, which would load both after the branch.
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
    detail::find_begins(in, tile, shared.begins);
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

  const auto& in = detail::sized_segments(given);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the carries are there now
  if constexpr (is_deferred_v<Segments>)
  {
    tiles = detail::real_tiles(in);
  }

  block_type(shared, reduction, in, begins, carries).process(static_cast<int>(blockIdx.x) * shape::threads, tiles);
}

/// Reduces whole segments, 2^log_of_block per block: a group of warps each one, of at most `most` items if there MayBeLong
/// ones. What those need is in a function of its own, as it is many more instructions, which a GPU first has to load.
template <class Shape, bool MayBeLong, class T, class Reduction, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  whole_segments_kernel(Reduction reduction, Segments given, int log_of_block, int most)
{
  using group_type = warp_group<Shape, T, Reduction>;
  __shared__ typename group_type::TempStorage shared;
  const auto& in = detail::sized_segments(given);
  const segment_starts starts(in);

  // 1. Load where the group's segment starts and ends, and, of all segments of the cluster, where one for each thread does.
  group_type group(shared, reduction, log_of_block);
  const int block = static_cast<int>(blockIdx.x);
  const int segment = (block << log_of_block) + group.number();
  const int begin = starts[segment];
  const int count = starts[segment + 1] - begin;
  [[maybe_unused]] const int thread = static_cast<int>(threadIdx.x);
  [[maybe_unused]] int other_count = 0;
  if constexpr (MayBeLong)
  {
    const int other = (block / Shape::cluster_blocks * Shape::cluster_blocks << log_of_block) + thread;
    other_count = starts[other + 1] - starts[other];
  }

  // 2. Reduce the segment, unless it is long. One warp reduces a short one, and writes the result at once.
  const bool is_there = segment < in.num_segments;
  const bool is_short = !Shape::is_large && count <= group_type::most_of_warp;
  if (is_short && is_there)
  {
    group.reduce_and_write(begin, count, segment);
  }
  const bool has_parts = !is_short && is_there && (!MayBeLong || count <= most);
  if (has_parts)
  {
    group.reduce_parts(begin, count);
  }
  bool has_long = false;
  if constexpr (MayBeLong)
  {
    has_long = __syncthreads_or(thread >> log_of_block < Shape::cluster_blocks && other_count > most) != 0;
  }
  else
  {
    __syncthreads();
  }
  if (has_parts)
  {
    group.write(segment);
  }

  // 3. Reduce the long ones of the cluster.
  if constexpr (MayBeLong)
  {
    __shared__ typename long_segments<Shape, T, Reduction>::TempStorage shared_of_long;
    static_assert(sizeof(shared) + sizeof(shared_of_long) <= most_static_shared_bytes);
    static_assert(Shape::cluster_blocks * Shape::warps < Shape::threads);
    if (has_long)
    {
      detail::reduce_long_segments<Shape, T>(shared_of_long, reduction, in, 1 << log_of_block, most);
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

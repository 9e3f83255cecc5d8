// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel that sorts few elements in segments: all of the sort is one launch, whose blocks wait for each other.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/sort/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/merge_pass_kernels.cuh>
#include <mgpu_thrust/detail/sort/origins_kernels.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/segments.h>
#include <mgpu_thrust/detail/sort/tiles.cuh>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>

#include <cooperative_groups.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What the passes of sort_segments_kernel read and write: each of two buffers in turn, and at last the output.
template <class Buffer, class Out>
struct pass_buffers
{
  Buffer first; ///< the source of pass 0
  Buffer second;
  Out out;

  MGPU_THRUST_DEVICE const Buffer& source(int pass) const
  {
    return pass % 2 == 0 ? first : second;
  }
};

/// Merges the part of a tile that belongs to the segment across the border of two runs, by all threads of a block, and
/// copies the rest of the tile. The tile takes part in pass `pass`, which merges pairs of runs.
template <class Shape, class In, class Out, class Compare>
MGPU_THRUST_DEVICE void merge_segment_of_pair(
  pair_storage_of<Shape, In>& shared, const In& in, const Out& out, const tiles_by_origin& tiles, std::int64_t tile,
  const merge_pass& pass, compare_staged<Compare> order)
{
  const tile_run group = pass.group_of(tile);
  const std::int64_t border_tile = pass.run_of(group.begin, 1).begin;
  const tile_origin border = tiles.origin(border_tile);
  const std::int64_t a = max(border.segment.begin, tiles.begin(group.begin));
  const std::int64_t b_end = min(border.segment.end, tiles.begin(group.end));
  const std::int64_t begin = tiles.begin(tile);
  const std::int64_t end = tiles.begin(tile + 1);
  const bool is_across = a < border.begin && border.begin < b_end;
  const std::int64_t first = is_across ? min(max(a, begin), end) : end;
  const std::int64_t last = is_across ? max(min(b_end, end), first) : end;
  if (first < last)
  {
    const run_pair pair{static_cast<int>(a), static_cast<int>(border.begin), static_cast<int>(b_end)};
    detail::merge_from_pair<Shape>(
      shared, in, out, pair, static_cast<int>(first), static_cast<int>(last - first), order);
  }
  detail::copy_tile_by_block<Shape::threads>(in, out, begin, static_cast<int>(first - begin));
  detail::copy_tile_by_block<Shape::threads>(in, out, last, static_cast<int>(end - last));
}

/// Finds the origins of a block's tile and of the next one, and the last pass that the tile takes part in. Called by all
/// threads of the block, the first of which knows `last_pass`. (Inlined, it makes nvcc 13.0 compile the sort of keys whose
/// comparator has a loop for minutes.)
template <class Offsets>
__device__ __noinline__ void find_own_tile(
  const segment_tiles<offset_segments<Offsets>>& tiles, const merge_plan& plan, bool ends_in_a_buffer,
  tile_origin (&ends)[2], int& last_pass)
{
  const int tile = static_cast<int>(blockIdx.x);
  const segments<Offsets>& in = tiles.segments.in;
  if (plan.tiles == 1)
  {
    // The block takes all elements from the first segment's begin, which may be empty, on: it has nothing to find.
    if (threadIdx.x == 0)
    {
      ends[0] = {0, {0, in.num_segments > 1 ? 0 : in.num_items}, 1};
      ends[1] = {in.num_items, {in.num_items, in.num_items}, in.num_segments};
      last_pass = -1;
    }
    __syncthreads();
    return;
  }
  const origin_bounds<Offsets> bounds{tiles, plan.tiles, nullptr};
  detail::find_both_ends(
    [&](int end)
    {
      const std::int64_t even = min((tile + end) * static_cast<std::int64_t>(tiles.step), tiles.count);
      const float share = static_cast<float>(even) / static_cast<float>(tiles.count);
      const std::int64_t next = detail::warp_partition_point_after(
        bounds.begin(), bounds.end(), share, [&](std::int64_t segment) { return bounds.key(segment) <= even; });
      ends[end] = bounds.origin(tile + end, next);
    });
  if (threadIdx.x == 0)
  {
    last_pass = tiles.find_last_pass(tile, ends[0], ends[1], plan, ends_in_a_buffer);
  }
}

/// Sorts each segment, one tile per block, from `in` to `buffers.out`, which may be the same. All blocks execute at
/// once. `plan` has passes of one level. Stores tiles.origins and tiles.last_passes to `origins` and `last_passes`.
template <class Shapes, class In, class Buffer, class Out, class Offsets, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  sort_segments_kernel(
    In in, pass_buffers<Buffer, Out> buffers, segment_tiles<offset_segments<Offsets>> tiles, merge_plan plan,
    Compare comp, tile_origin* origins, signed char* last_passes)
{
  using shape = typename Shapes::block_sort;
  using own = own_tile<offset_segments<Offsets>>;
  using tile_sort = block_sort_tile<Shapes, In, Buffer, Out, own, Compare>;
  constexpr bool ends_in_a_buffer = std::is_same_v<Buffer, Out>;
  union storage
  {
    typename tile_sort::TempStorage sort;
    pair_storage_of<shape, Buffer> merge;
  };
  __shared__ storage shared;
  __shared__ tile_origin ends[2];
  __shared__ int last_pass;
  static_assert(
    sizeof(shared) + sizeof(ends) + sizeof(last_pass) <= most_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");
  const int tile = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);

  // 1. Find where the tile begins and ends, and the last pass that it takes part in.
  detail::find_own_tile(tiles, plan, ends_in_a_buffer, ends, last_pass);
  if (thread == 0)
  {
    last_passes[tile] = static_cast<signed char>(last_pass);
    origins[tile] = ends[0];
    if (tile + 1 == plan.tiles)
    {
      origins[tile + 1] = ends[1];
    }
  }

  // 2. Sort the tile.
  tile_sort(shared.sort, in, buffers.first, buffers.out, own{tiles.segments, tile, ends, &last_pass}, comp).process();

  // 3. Merge what lies across borders of tiles. A tile of its own segments is done, but waits for the others if one of
  //    them is not.
  const cooperative_groups::grid_group all_blocks = cooperative_groups::this_grid();
  int last_of_all = -1;
  for (int number = 0; number < plan.passes(); ++number)
  {
    all_blocks.sync();
    if (number == 0)
    {
      for (int i = thread; i < plan.tiles; i += shape::threads)
      {
        last_of_all = max(last_of_all, static_cast<int>(last_passes[i]));
      }
    }
    if (!__syncthreads_or(last_of_all >= number))
    {
      return;
    }
    if (last_pass < number)
    {
      continue;
    }
    const auto merge_to = [&](const auto& to)
    {
      detail::merge_segment_of_pair<shape>(
        shared.merge, buffers.source(number), to, tiles, tile, plan.pass(number), compare_staged<Compare>{comp});
    };
    if constexpr (ends_in_a_buffer)
    {
      merge_to(buffers.source(number + 1));
    }
    else if (number + 1 == plan.passes())
    {
      merge_to(buffers.out);
    }
    else
    {
      merge_to(buffers.source(number + 1));
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

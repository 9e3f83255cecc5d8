// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of the own_tiles and shared_tiles paths: a segmented sort by one launch, whose passes are separated by
/// grid barriers.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/sort/geometry/origins_kernels.cuh>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/pairwise/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/segmented/own_tiles.cuh>
#include <mgpu_thrust/detail/sort/segmented/shared_segments.cuh>
#include <mgpu_thrust/detail/sort/tile/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/merge/merge_buffers.cuh>
#include <mgpu_thrust/detail/tile/place/copy_tile.cuh>

#include <cuda/cmath>
#include <cuda/std/iterator>

#include <cooperative_groups.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Finds where tile `tile` begins and ends, and its shared segments; called by all threads of the block. (Inlined, it
/// makes nvcc 13.0 compile the sort of keys whose comparator has a loop for minutes.)
template <class Offsets>
MGPU_THRUST_DEVICE_CALL void
find_sorted_tile(const segment_tiles<offset_segments<Offsets>>& tiles, int tile, int tile_count, sorted_tile& found)
{
  const segments<Offsets>& in = tiles.segments.in;
  if (tile_count == 1)
  {
    // A single tile needs no search. The first segment may be empty.
    if (threadIdx.x == 0)
    {
      found.ends[0] = {0, {0, in.num_segments > 1 ? 0 : in.num_items}, 1};
      found.ends[1] = {in.num_items, {in.num_items, in.num_items}, in.num_segments};
      found.first_last[0] = {};
      found.first_last[1] = {};
      found.max_passes = 0;
    }
    __syncthreads();
    return;
  }
  const origin_bounds<Offsets> bounds{tiles, tile_count, nullptr};
  detail::find_both_ends(
    [&](int end)
    {
      const std::int64_t even = (min) ((tile + end) * static_cast<std::int64_t>(tiles.step), tiles.count);
      const float share = static_cast<float>(even) / static_cast<float>(tiles.count);
      const std::int64_t next = detail::warp_partition_point_after(
        bounds.begin(), bounds.end(), share, [&](std::int64_t segment) { return bounds.key(segment) <= even; });
      found.ends[end] = bounds.origin(tile + end, next);
    });
  if (threadIdx.x == 0)
  {
    const tile_origin& own = found.ends[0];
    const tile_origin& next = found.ends[1];
    const bool has_first = own.segment.begin < own.begin;
    const bool has_last = next.segment.begin < next.begin && !(has_first && next.segment.begin < own.begin);
    const auto share = [&](bool exists, const segment_range& segment)
    { return exists ? detail::share_of_tile(tiles, segment, own.begin, next.begin) : shared_segment{}; };
    found.first_last[0] = share(has_first, own.segment);
    found.first_last[1] = share(has_last, next.segment);
    found.max_passes = -1;
  }
  __syncthreads();
}

/// Merges a tile's part of a shared segment in one pass, by all threads of a block. begins[t] is where tile t begins;
/// it is not read if the segment has tiles of its own.
template <class Shape, class In, class Out, class Compare>
MGPU_THRUST_DEVICE void merge_shared_segment(
  pair_storage_of<Shape, In>& shared, const In& in, const Out& out, const shared_segment& segment, int pass,
  const int* begins, int tile, int tile_count, compare_staged<Compare> order)
{
  const run_pair pair = segment.pair_of(tile, pass, begins, tile_count);
  const int count = segment.end - segment.begin;
  if (pair.a < pair.b && pair.b < pair.end)
  {
    detail::merge_from_pair<Shape>(shared, in, out, pair, segment.begin, count, order);
  }
  else
  {
    detail::copy_tile_by_block<Shape::threads>(in, segment.begin, out, segment.begin, count);
  }
}

/// Finds the tile of a block, by all its threads. Blocks from tile_count on have none.
template <class Shape, bool MayBeEmpty, class Tiles>
MGPU_THRUST_DEVICE void find_tile(const Tiles& tiles, bool have_own_tiles, int tile, int tile_count, sorted_tile& found)
{
  if (have_own_tiles)
  {
    detail::find_tile_of_segment<Shape>(tiles.segments.in, tile, found);
  }
  else if (MayBeEmpty && tile >= tile_count)
  {
    if (threadIdx.x == 0)
    {
      found = {};
      found.max_passes = -1;
    }
    __syncthreads();
  }
  else
  {
    detail::find_sorted_tile(tiles, tile, tile_count, found);
  }
}

/// Sorts each segment, a tile per block, from `in` to `buffers.out`, which may be the same. If `have_own_tiles`, each
/// segment has tiles of its own. The grid is co-resident if a segment can lie in several tiles. On the shared_tiles
/// path begins[0, gridDim.x] and passes[0, gridDim.x) then receive where tiles begin, and how many passes they need. If
/// sizes are deferred, `given` is for the capacities; blocks without a tile only take part in barriers, or return if
/// there are none.
template <class Shapes, class In, class Buffer, class Out, class Segments, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  sort_segments_kernel(
    In in, pass_buffers<Buffer, Out> buffers, segment_tiles<Segments> given, bool have_own_tiles, Compare comp,
    int* begins, unsigned char* passes)
{
  using shape = typename Shapes::block_sort;
  using routed = routed_range<Buffer, Out>;
  using tile_sort = block_sort_tile<Shapes, In, routed, routed, own_tile<sized_t<Segments>>, Compare>;
  union storage
  {
    typename tile_sort::TempStorage sort;
    pair_storage_of<shape, Buffer> merge;
  };
  __shared__ storage shared;
  __shared__ sorted_tile found;
  static_assert(
    sizeof(shared) + sizeof(found) + max_shared_bytes_of_function <= max_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");
  const int tile = is_deferred_v<Segments> ? detail::spread_number() : static_cast<int>(blockIdx.x);
  int tile_count = static_cast<int>(gridDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  const segment_tiles<sized_t<Segments>>& tiles = given;
  if constexpr (is_deferred_v<Segments>)
  {
    const int even_tile_count = static_cast<int>(::cuda::ceil_div(tiles.count, tiles.step));
    tile_count = have_own_tiles ? tile_count : even_tile_count;
    if (tiles.count == 0 || (tile_count == 1 && tile > 0))
    {
      return; // all blocks return, or block 0 needs no others
    }
  }

  // 1. Find where the tile begins and ends.
  detail::find_tile<shape, is_deferred_v<Segments>>(tiles, have_own_tiles, tile, tile_count, found);
  const int end = static_cast<int>(found.ends[1].begin);

  // 2. Sort it.
  if (found.ends[0].begin < end)
  {
    const routed to = detail::route_tile(buffers, found.first_last, end);
    tile_sort(shared.sort, in, to, to, {tiles.segments, std::int64_t{blockIdx.x}, found.ends}, comp).process();
  }
  int max_passes = found.max_passes;
  if (max_passes == 0)
  {
    return;
  }

  // 3. Wait for the other blocks. Publish the tile, and read the maximum number of passes, unless it is known.
  const bool tells = max_passes < 0;
  if (tells && thread == 0 && (!is_deferred_v<Segments> || tile < tile_count))
  {
    begins[tile] = static_cast<int>(found.ends[0].begin);
    if (tile + 1 == tile_count)
    {
      begins[tile_count] = end;
    }
    passes[tile] = static_cast<unsigned char>((max) (found.first_last[0].passes, found.first_last[1].passes));
  }
  const cooperative_groups::grid_group all_blocks = cooperative_groups::this_grid();
  all_blocks.sync();
  for (int i = thread; tells && i < tile_count; i += shape::threads)
  {
    max_passes = (max) (max_passes, static_cast<int>(passes[i]));
  }

  // 4. Merge the segments that lie in several tiles, pass by pass.
  for (int pass = 0; __syncthreads_or(max_passes > pass); ++pass)
  {
    if (pass > 0)
    {
      all_blocks.sync();
    }
#pragma unroll 1
    for (int i = 0; i < 2; ++i)
    {
      const shared_segment& segment = found.first_last[i];
      if (pass < segment.passes)
      {
        const int left = segment.passes - pass;
        buffers.with_target(
          left,
          [&](const auto& target)
          {
            detail::merge_shared_segment<shape>(
              shared.merge, buffers.source(left), target, segment, pass, begins, tile, tile_count,
              compare_staged<Compare>{comp});
          });
      }
      __syncthreads(); // shared memory is free for the next one
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The own_tiles path: each segment has tiles of its own. Each block reads all offsets, so it finds its tile without a
/// search. If no segment is longer than a tile, no block waits for others.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/segmented/shared_segments.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>

#include <cub/warp/warp_scan.cuh>

#include <cuda/cmath>
#include <cuda/std/bit>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The neighbouring segments that a thread reads.
struct own_segments
{
  segment_range at[segments_of_thread];
};

/// Describes tile `tile` of a segment whose tiles are [first, first + count).
MGPU_THRUST_DEVICE void describe_tile(const segment_range& segment, int tile, int first, int count, sorted_tile& found)
{
  const int step = ::cuda::ceil_div(static_cast<int>(segment.end - segment.begin), count);
  const std::int64_t begin = (min) (segment.begin + (tile - first) * step, segment.end);
  const std::int64_t end = (min) (begin + step, segment.end);
  found.ends[0] = {begin, segment, 0};
  found.ends[1] = {end, {end, end}, 0};
  if (count > 1)
  {
    found.first_last[0] = {
      static_cast<int>(segment.begin),
      static_cast<int>(segment.end),
      first,
      first + count - 1,
      static_cast<int>(begin),
      static_cast<int>(end),
      ::cuda::std::bit_width(static_cast<unsigned>(count - 1)),
      step};
  }
}

/// Finds tile `tile` if some segments have several, or offsets are not in order; called by all threads of the block.
template <class Shape>
MGPU_THRUST_DEVICE_CALL void find_tile_of_several(own_segments own, int num_items, int tile, sorted_tile& found)
{
  __shared__ int tiles_of_warps[Shape::threads / 32];
  const int thread = static_cast<int>(threadIdx.x);

  // 1. Count the tiles of each segment.
  bool is_in_order = true;
#pragma unroll
  for (const segment_range& segment : own.at)
  {
    is_in_order &= segment.begin <= segment.end;
  }
  const bool are_in_order = __syncthreads_and(is_in_order) != 0;
  int counts[segments_of_thread];
  int count = 0;
#pragma unroll
  for (int k = 0; k < segments_of_thread; ++k)
  {
    segment_range& segment = own.at[k];
    if (!are_in_order)
    {
      segment = {thread + k == 0 ? 0 : num_items, num_items};
    }
    counts[k] = ::cuda::ceil_div(static_cast<int>(segment.end - segment.begin), Shape::items);
    count += counts[k];
    if (counts[k] > 1)
    {
      atomicMax(&found.max_passes, ::cuda::std::bit_width(static_cast<unsigned>(counts[k] - 1)));
    }
  }

  // 2. Count the tiles before each segment.
  int up_to_end = 0;
  typename cub::WarpScan<int>::TempStorage nothing_shared;
  cub::WarpScan<int>(nothing_shared).InclusiveSum(count, up_to_end);
  if (thread % 32 == 31)
  {
    tiles_of_warps[thread / 32] = up_to_end;
  }
  __syncthreads();
  int first = up_to_end - count;
  for (int warp = 0; warp < thread / 32; ++warp)
  {
    first += tiles_of_warps[warp];
  }

  // 3. Find the segment of the tile.
#pragma unroll
  for (int k = 0; k < segments_of_thread; ++k)
  {
    if (first <= tile && tile < first + counts[k])
    {
      detail::describe_tile(own.at[k], tile, first, counts[k], found);
    }
    first += counts[k];
  }
  __syncthreads();
}

/// Finds tile `tile` of at most max_own_tile_segments segments; called by all threads of the block. The last tiles may
/// be empty. If offsets are not in order, all elements are one segment.
template <class Shape, class Offsets>
MGPU_THRUST_DEVICE_CALL void find_tile_of_segment(const segments<Offsets>& in, int tile, sorted_tile& found)
{
  const int thread = static_cast<int>(threadIdx.x);

  // Lengths are unsigned: a negative one counts as long.
  own_segments own;
  bool are_short = true;
#pragma unroll
  for (int k = 0; k < segments_of_thread; ++k)
  {
    const int segment = thread * segments_of_thread + k;
    own.at[k] = in.range(segment);
    are_short &=
      static_cast<std::uint64_t>(own.at[k].end) - static_cast<std::uint64_t>(own.at[k].begin) <= Shape::items;
  }
  if (thread == 0)
  {
    found = {};
    found.ends[0].begin = found.ends[1].begin = in.num_items;
  }
  if (__syncthreads_or(!are_short))
  {
    detail::find_tile_of_several<Shape>(own, static_cast<int>(in.num_items), tile, found);
    return;
  }
  // Each segment is a tile.
#pragma unroll
  for (int k = 0; k < segments_of_thread; ++k)
  {
    if (tile == thread * segments_of_thread + k)
    {
      detail::describe_tile(own.at[k], tile, tile, 1, found);
    }
  }
  __syncthreads();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Marks the heads (first elements) of segments in a tile.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>

#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Marks the heads of segments in a tile, given its origin and the next one; called by all threads of a block.
template <int Threads, class Offsets, class Heads>
MGPU_THRUST_DEVICE void mark_heads(
  const offset_segments<Offsets>& all, const tile_origin& origin, const tile_origin& end, int tile_count,
  const Heads& heads)
{
  const segments<Offsets>& in = all.in;
  const std::int64_t last = end.next_segment;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0 && origin.segment.begin == origin.begin)
  {
    heads.mark(0);
  }
  if (last - origin.next_segment <= 2 * tile_count)
  {
#pragma unroll 4
    for (std::int64_t segment = origin.next_segment + thread; segment < last; segment += Threads)
    {
      const std::int64_t item = in.offset(segment) - origin.begin;
      if (item >= 0 && item < tile_count)
      {
        heads.mark(static_cast<int>(item));
      }
    }
    return;
  }
  // Most segments are empty: search for the segment of each element.
  for (int i = thread; i < tile_count; i += Threads)
  {
    const std::int64_t item = origin.begin + i;
    const std::int64_t segment =
      detail::upper_bound(in.offsets, origin.next_segment, last, item - 1, detail::index_less{});
    if (segment < last && in.offset(segment) == item)
    {
      heads.mark(i);
    }
  }
}

template <int Threads, class Flags, class Heads>
MGPU_THRUST_DEVICE void mark_heads(
  const flag_segments<Flags>& all, const tile_origin& origin, const tile_origin&, int tile_count, const Heads& heads)
{
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < tile_count; i += Threads)
  {
    if (all.is_first(origin.begin + i))
    {
      heads.mark(i);
    }
  }
}

/// Prefetches what mark_heads() reads for a tile; called by one thread.
template <int Threads, class Offsets>
MGPU_THRUST_DEVICE void
prefetch_heads(const offset_segments<Offsets>& all, const tile_origin& origin, const tile_origin& end)
{
  using offset = typename ::cuda::std::iterator_traits<Offsets>::value_type;
  const std::int64_t count = (min) (end.next_segment - origin.next_segment, end.begin - origin.begin);
  tile_loader<Threads>::template prefetch<offset>(all.in.offsets + origin.next_segment, static_cast<int>(count));
}

/// Flags are not prefetched: a kernel has just read all of them.
template <int Threads, class Flags>
MGPU_THRUST_DEVICE void prefetch_heads(const flag_segments<Flags>&, const tile_origin&, const tile_origin&)
{
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

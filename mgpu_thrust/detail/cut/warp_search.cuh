// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Searches in global memory by a warp.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda/std/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns to all lanes of a full warp the first index in [begin, end) for which the predicate `before` is false, or
/// `end`. `before` is true up to there. The lanes probe 32 indices at a time, so that the warp waits for memory
/// log32(size) instead of log2(size) times.
template <class Index, class Before>
MGPU_THRUST_DEVICE Index warp_partition_point(Index begin, Index end, Before before)
{
  const int lane = static_cast<int>(threadIdx.x % 32);
  while (begin < end)
  {
    const Index stride = (end - begin + 31) / 32;
    const Index middle = begin + lane * stride;
    const bool is_before = middle < end && before(middle);
    const int lanes_before = __popc(__ballot_sync(~0u, is_before));
    if (lanes_before == 0)
    {
      return begin;
    }
    const Index first_after = begin + lanes_before * stride;
    begin += (lanes_before - 1) * stride + 1;
    end = first_after < end ? first_after : end;
  }
  return begin;
}

/// 32 indices, one for each lane of a full warp: low, low + stride, low + 2 * stride and so on.
template <class Index>
struct warp_probes
{
  Index low;
  Index stride;

  /// Whether `before`, which is true up to some index in [begin, end), is true at the lane's index.
  template <class Before>
  MGPU_THRUST_DEVICE bool look(Index begin, Index end, Before before) const
  {
    const Index own = low + static_cast<int>(threadIdx.x % 32) * stride;
    return own < begin || (own < end && before(own));
  }
  /// Narrows [begin, end) by the results of all lanes.
  MGPU_THRUST_DEVICE void narrow(Index& begin, Index& end, bool is_before) const
  {
    const int lanes_before = __popc(__ballot_sync(~0u, is_before));
    const Index first_after = low + lanes_before * stride;
    const Index last_before = first_after - stride;
    begin = lanes_before > 0 && begin <= last_before ? last_before + 1 : begin;
    end = lanes_before < 32 && first_after < end ? first_after : end;
  }
};

/// warp_partition_point, faster if the result is within the first 32 indices, which the lanes probe first.
template <class Index, class Before>
MGPU_THRUST_DEVICE Index warp_partition_point_near(Index begin, Index end, Before before)
{
  const warp_probes<Index> nearby{begin, 1};
  nearby.narrow(begin, end, nearby.look(begin, end, before));
  return detail::warp_partition_point(begin, end, before);
}

/// The positions of a tile's first and last items in a sorted range.
struct tile_range
{
  std::int64_t first;
  std::int64_t last;
};

/// Narrows a range of n indices in which a partition point is, with a guess, begin + share * n. The lanes probe up to
/// 2 sqrt(n) around the guess, which finds the point among random keys, and at once over the whole range.
template <class Before>
MGPU_THRUST_DEVICE tile_range warp_narrow_after(std::int64_t begin, std::int64_t end, float share, Before before)
{
  const auto size = static_cast<float>(end - begin);
  const std::int64_t guess = begin + static_cast<std::int64_t>(size * share);
  const std::int64_t stride = 1 + static_cast<std::int64_t>(::cuda::std::sqrt(size) / 8);
  const warp_probes<std::int64_t> nearby{guess - 16 * stride, stride};
  const warp_probes<std::int64_t> anywhere{begin, (end - begin) / 32 + 1};
  const bool is_before_near = nearby.look(begin, end, before);
  const bool is_before_anywhere = anywhere.look(begin, end, before);
  nearby.narrow(begin, end, is_before_near);
  anywhere.narrow(begin, end, is_before_anywhere);
  return {begin, end};
}

/// warp_partition_point with a guess, begin + share * n for n indices.
template <class Before>
MGPU_THRUST_DEVICE std::int64_t
warp_partition_point_after(std::int64_t begin, std::int64_t end, float share, Before before)
{
  const tile_range narrowed = detail::warp_narrow_after(begin, end, share, before);
  return detail::warp_partition_point(narrowed.first, narrowed.last, before);
}

/// Returns a mask of the lanes that have one of `count` items, of which lane 0 has the first.
MGPU_THRUST_DEVICE unsigned first_lanes(int count)
{
  return count >= 32 ? ~0u : (1u << count) - 1;
}

/// Calls find(end) for both ends of a tile, 0 and 1, by a full warp each: by the first two warps of a block, or its
/// only one. All threads of the block call it, and see what find() has stored.
template <class Find>
MGPU_THRUST_DEVICE void find_both_ends(Find find)
{
  for (int end = static_cast<int>(threadIdx.x / 32); end < 2; end += static_cast<int>(blockDim.x / 32))
  {
    find(end);
  }
  __syncthreads();
}

/// Finds a tile_range: find(is_first) is called by a full warp and returns one of the two positions to all its lanes.
/// All threads of the block get both.
template <class Find>
MGPU_THRUST_DEVICE tile_range find_tile_range(tile_range& shared, Find find)
{
  detail::find_both_ends(
    [&](int end)
    {
      const std::int64_t found = find(end == 0);
      (end == 0 ? shared.first : shared.last) = found;
    });
  return shared;
}

/// merge_path by a full warp; all lanes pass the same diagonal and get the result.
template <class IteratorA, class IteratorB, class Index, class Compare>
MGPU_THRUST_DEVICE Index
warp_merge_path(IteratorA a, Index a_count, IteratorB b, Index b_count, Index diagonal, Compare comp)
{
  return detail::warp_partition_point(
    diagonal > b_count ? diagonal - b_count : Index{0}, diagonal < a_count ? diagonal : a_count,
    [&](Index i) { return !comp(detail::element(b, diagonal - 1 - i), detail::element(a, i)); });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

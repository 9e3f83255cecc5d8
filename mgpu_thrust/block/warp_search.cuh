// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Searches in global memory by a warp.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The first index in [begin, end) for which `before` is false, or `end`, by a full warp; all lanes get it. `before` is
/// true up to there. The lanes probe 32 places at a time, so that the warp waits for memory log32 instead of log2 of
/// the size times.
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

/// The same for a caller who expects it within the first 32 places, which the lanes probe at once.
template <class Index, class Before>
MGPU_THRUST_DEVICE Index warp_partition_point_near(Index begin, Index end, Before before)
{
  const Index own = begin + static_cast<int>(threadIdx.x % 32);
  const int lanes_before = __popc(__ballot_sync(~0u, own < end && before(own)));
  return lanes_before < 32 ? begin + lanes_before : detail::warp_partition_point(begin + 32, end, before);
}

/// The lanes, as a mask, that have an item where `count` items begin at the one of lane 0.
MGPU_THRUST_DEVICE unsigned first_lanes(int count)
{
  return count >= 32 ? ~0u : (1u << count) - 1;
}

/// The places of a tile's first and last items in a sorted range.
struct tile_range
{
  std::int64_t first;
  std::int64_t last;
};

/// Finds them by the first two warps of a block: find(is_first) is called by a full warp and returns one of them to all
/// its lanes. All threads of the block get both.
template <class Find>
MGPU_THRUST_DEVICE tile_range find_tile_range(tile_range& shared, Find find)
{
  const int warp = static_cast<int>(threadIdx.x / 32);
  if (warp < 2)
  {
    const std::int64_t found = find(warp == 0);
    (warp == 0 ? shared.first : shared.last) = found;
  }
  __syncthreads();
  return shared;
}

/// A partition point for each thread of a block, of a `before` that depends on a diagonal: where before(place,
/// diagonal) is true up to a place that grows with the diagonal. Thread t gets it for first_diagonal + t * stride, but
/// for no more than last_diagonal. The first two warps find the block's first and its last, the threads theirs in
/// between, most likely near the straight line.
template <int Threads, class Before>
MGPU_THRUST_DEVICE std::int64_t block_partition_points(
  tile_range& shared, std::int64_t begin, std::int64_t end, std::int64_t first_diagonal, std::int64_t stride,
  std::int64_t last_diagonal, Before before)
{
  const auto diagonal_of = [&](int thread)
  {
    const std::int64_t diagonal = first_diagonal + thread * stride;
    return diagonal < last_diagonal ? diagonal : last_diagonal;
  };
  const tile_range range = detail::find_tile_range(
    shared,
    [&](bool is_first)
    {
      const std::int64_t diagonal = diagonal_of(is_first ? 0 : Threads - 1);
      return detail::warp_partition_point(begin, end, [&](std::int64_t place) { return before(place, diagonal); });
    });
  const std::int64_t diagonal = diagonal_of(static_cast<int>(threadIdx.x));
  const std::int64_t guess = range.first + (range.last - range.first) * static_cast<int>(threadIdx.x) / (Threads - 1);
  begin = range.first;
  end = range.last;
  detail::narrow_range<2>(
    begin, end, guess - 256, std::int64_t{512}, [&](std::int64_t place) { return before(place, diagonal); });
  detail::narrow_range<2>(
    begin, end, guess - 16, std::int64_t{32}, [&](std::int64_t place) { return before(place, diagonal); });
  while (begin < end)
  {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (before(middle, diagonal))
    {
      begin = middle + 1;
    }
    else
    {
      end = middle;
    }
  }
  return begin;
}

/// merge_path on a diagonal that is the same for all lanes of a full warp; all get the result.
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

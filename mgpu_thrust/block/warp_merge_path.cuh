// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The merge path of two ranges in global memory, searched by a warp.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>

#include <cuda/std/cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// merge_path on a diagonal that is the same for all lanes of a full warp; all get the result. The lanes probe 32
/// places at a time, so that the warp waits for memory log32 instead of log2 of the size times.
template <class IteratorA, class IteratorB, class Index, class Compare>
MGPU_THRUST_DEVICE Index
warp_merge_path(IteratorA a, Index a_count, IteratorB b, Index b_count, Index diagonal, Compare comp)
{
  const int lane = static_cast<int>(threadIdx.x % 32);
  Index begin = diagonal > b_count ? diagonal - b_count : 0;
  Index end = diagonal < a_count ? diagonal : a_count;
  while (begin < end)
  {
    const Index stride = (end - begin + 31) / 32;
    const Index middle = begin + lane * stride;
    const bool before = middle < end && !comp(detail::element(b, diagonal - 1 - middle), detail::element(a, middle));
    const int lanes_before = __popc(__ballot_sync(~0u, before));
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

} // namespace detail
MGPU_THRUST_NAMESPACE_END

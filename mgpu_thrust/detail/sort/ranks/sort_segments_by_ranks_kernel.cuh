// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that sorts a few thousand elements in few segments by one launch, with a cluster per segment and a thread
/// per element.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/ranks/sort_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/segmented/own_tiles.cuh>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the bounds of one of up to 32 segments; called by all lanes of a warp. If offsets are not in order, all
/// elements are one segment.
template <class Offsets>
MGPU_THRUST_DEVICE segment_range find_segment_by_warp(const segments<Offsets>& in, int segment)
{
  const int lane = static_cast<int>(threadIdx.x % 32);
  const segment_range own = in.range(lane);
  const bool are_in_order = __all_sync(~0u, own.begin <= own.end) != 0;
  const segment_range found{__shfl_sync(~0u, own.begin, segment), __shfl_sync(~0u, own.end, segment)};
  const segment_range of_all{segment == 0 ? 0 : in.num_items, in.num_items};
  return are_in_order ? found : of_all;
}

/// Sorts each of up to 32 segments from `in` to `out`, which may be the same. A segment has a cluster of `blocks`
/// blocks, with a thread for each of all elements.
template <int MaxThreads, class In, class Out, class Segments, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(MaxThreads, 1024 / MaxThreads)
  sort_segments_by_ranks_kernel(In in, Out out, Segments given, int blocks, Compare comp)
{
  using sort = rank_sort<MaxThreads, In, Out, Compare>;
  __shared__ typename sort::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");
  const sized_t<Segments>& now = detail::segments_now(given);
  const int number = static_cast<int>(blockIdx.x);
  const segment_range own = detail::find_segment_by_warp(now.in, number / blocks);
  sort(shared, in, out, static_cast<int>(own.begin), static_cast<int>(own.end - own.begin), number % blocks, comp)
    .process();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that reduces whole segments, and what a block of it does.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/segment_starts.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_reduce/whole/cluster_segments.cuh>
#include <mgpu_thrust/detail/segmented_reduce/whole/warp_group.cuh>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Reduces whole segments, 2^log_of_block per block. A group of warps reduces each segment. The cluster shares segments
/// of more than `max_items` items. That is a function of its own: its instructions, which a GPU
/// loads from memory, would delay the others. Called by all threads of all blocks of the cluster.
template <class Shape, class T, class Reduction, class Offsets>
MGPU_THRUST_DEVICE void
reduce_whole_segments(Reduction& reduction, const segments<Offsets>& in, int log_of_block, int max_items)
{
  using group_type = warp_group<Shape, T, Reduction>;
  __shared__ typename group_type::TempStorage shared;
  const segment_starts starts(in);

  // 1. Load where the group's segment starts and ends. Each thread also loads the length of one segment of the cluster.
  group_type group(shared, reduction, log_of_block);
  const int block = static_cast<int>(blockIdx.x);
  const int segment = (block << log_of_block) + group.number();
  const int begin = starts[segment];
  const int count = starts[segment + 1] - begin;
  const int thread = static_cast<int>(threadIdx.x);
  const int other = (block / Shape::cluster_blocks * Shape::cluster_blocks << log_of_block) + thread;
  const int other_count = starts[other + 1] - starts[other];

  // 2. Reduce the segment, unless it is long. One warp reduces a short segment, and writes its result before the
  //    barrier.
  const bool is_there = segment < in.num_segments;
  const bool is_short = !Shape::is_large && count <= group_type::max_items_of_warp;
  if (is_short && is_there)
  {
    group.reduce_and_write(begin, count, segment);
  }
  const bool has_parts = !is_short && is_there && count <= max_items;
  if (has_parts)
  {
    group.reduce_parts(begin, count);
  }
  const bool has_long =
    __syncthreads_or(thread >> log_of_block < Shape::cluster_blocks && other_count > max_items) != 0;
  if (has_parts)
  {
    group.write(segment);
  }

  // 3. Reduce the cluster's long segments.
  __shared__ typename cluster_segments<Shape, T, Reduction>::TempStorage shared_of_long;
  static_assert(sizeof(shared) + sizeof(shared_of_long) <= max_static_shared_bytes);
  static_assert(Shape::cluster_blocks * Shape::warps < Shape::threads);
  if (has_long)
  {
    detail::reduce_cluster_segments<Shape, T>(shared_of_long, reduction, in, 1 << log_of_block, max_items);
  }
}

/// Reduces whole segments, 2^log_of_block per block. See reduce_whole_segments().
template <class Shape, class T, class Reduction, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  whole_segments_kernel(Reduction reduction, Segments given, int log_of_block, int max_items)
{
  const auto& in = detail::sized_segments(given);
  detail::reduce_whole_segments<Shape, T>(reduction, in, log_of_block, max_items);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels that execute an action on few items in few segments: so few instructions that a GPU loads and executes
/// them in less time than it takes to find the segments of tiles.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segment_starts.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Threads of a block.
inline constexpr int few_segments_threads = 256;
/// The most threads of a launch of segments_of_lanes_kernel. Of more items each thread has two: another block would take longer
/// to start.
inline constexpr std::int64_t most_threads_of_lanes = std::int64_t{1} << 17;
/// The most segments, two for each lane of a warp, and the most items: as many blocks as a GPU executes at once.
inline constexpr std::int64_t most_segments_of_lanes = 64;
inline constexpr std::int64_t most_items_of_few_segments = std::int64_t{1} << 18;

/// The most segments of which a block has all starts in shared memory, four for each thread.
inline constexpr std::int64_t most_segments_of_block = 4 * few_segments_threads;

/// Executes an action on an item, if there is one.
template <class Action>
MGPU_THRUST_DEVICE void do_item(Action& action, int item, std::int64_t num_items, int segment, int start)
{
  if (item < num_items)
  {
    const segment_item at{item, segment, (max) (item - start, 0)};
    const auto& value = action.value(segment);
    action.store(at, value, action.load(at, value));
  }
}

/// Executes an action on each item, by the threads of the grid in turn. The lanes of each warp know where all segments start.
template <class Action, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(few_segments_threads) segments_of_lanes_kernel(Action action, Segments given)
{
  // 1. Load where two segments start.
  const auto& in = detail::sized_segments(given);
  const segment_starts starts(in);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int lower = starts[lane];
  const int upper = starts[lane + 32];
  const auto start_of = [&](int segment)
  {
    const int of_lower = __shfl_sync(~0u, lower, segment);
    const int of_upper = __shfl_sync(~0u, upper, segment);
    return segment < 32 ? of_lower : of_upper;
  };

  const int of_grid = static_cast<int>(gridDim.x) * few_segments_threads;
  int item = static_cast<int>(blockIdx.x * few_segments_threads + threadIdx.x);
#pragma unroll 1
  for (; item - lane < in.num_items; item += of_grid)
  {
    // 2. Find the item's segment: the last that starts at or before it.
    int segment = 0;
#pragma unroll
    for (int step = 32; step > 0; step /= 2)
    {
      if (step < in.num_segments)
      {
        const bool is_later = start_of(segment + step) <= item;
        segment += is_later ? step : 0;
      }
    }
    const int start = start_of(segment);

    // 3. Execute the action.
    detail::do_item(action, item, in.num_items, segment, start);
  }
}

/// Executes an action on an item for each thread of the grid, in up to most_segments_of_block segments, of which each block
/// learns where all start.
template <class Action, class Offsets>
MGPU_THRUST_DEVICE void
do_items_of_few_segments(Action& action, const segments<Offsets>& in, int (&starts)[most_segments_of_block])
{
  // 1. Load where all segments start.
  const segment_starts all_starts(in);
  const int count = static_cast<int>(in.num_segments);
#pragma unroll
  for (int k = 0; k < most_segments_of_block / few_segments_threads; ++k)
  {
    const int segment = static_cast<int>(threadIdx.x) + k * few_segments_threads;
    if (segment < count)
    {
      starts[segment] = all_starts[segment];
    }
  }
  __syncthreads();

  // 2. Find the item's segment: the last that starts at or before it. (If offsets are wrong, it may be any.)
  const int item = static_cast<int>(blockIdx.x * few_segments_threads + threadIdx.x);
  const int after = detail::partition_point(1, count, [&](int segment) { return starts[segment] <= item; });

  // 3. Execute the action.
  detail::do_item(action, item, in.num_items, after - 1, starts[after - 1]);
}
template <class Action, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(few_segments_threads) segments_of_block_kernel(Action action, Segments given)
{
  __shared__ int starts[most_segments_of_block];
  const auto& in = detail::sized_segments(given);
  detail::do_items_of_few_segments(action, in, starts);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

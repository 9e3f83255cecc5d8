// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel that executes an action on few items in few segments: so few instructions that a GPU loads and executes
/// them in less time than it takes to find the segments of tiles.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/segment_starts.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Threads of a block, each of which has one item.
inline constexpr int few_segments_threads = 256;
/// The most segments, two for each lane of a warp, and the most items: as many blocks as a GPU executes at once.
inline constexpr std::int64_t most_segments_of_lanes = 64;
inline constexpr std::int64_t most_items_of_few_segments = std::int64_t{1} << 18;

/// Executes an action on an item per thread. The lanes of each warp know where all segments start.
template <class Action, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(few_segments_threads) few_segments_kernel(Action action, Segments given)
{
  // 1. Load where two segments start.
  if constexpr (is_deferred_v<Segments>)
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the header is complete now
  }
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

  // 2. Find the item's segment: the last that starts at or before it.
  const int item = static_cast<int>(blockIdx.x * few_segments_threads + threadIdx.x);
  int segment = 0;
#pragma unroll
  for (int step = 32; step > 0; step /= 2)
  {
    const bool is_later = start_of(segment + step) <= item;
    segment += is_later ? step : 0;
  }
  const int start = start_of(segment);

  // 3. Execute the action.
  if (item < in.num_items)
  {
    const segment_item at{item, segment, max(item - start, 0)};
    const auto& value = action.value(segment);
    action.store(at, value, action.load(at, value));
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

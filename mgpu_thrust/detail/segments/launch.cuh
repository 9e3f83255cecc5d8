// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Load balancing and interval operations on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segments/few_segments_kernels.cuh>
#include <mgpu_thrust/detail/segments/job.h>
#include <mgpu_thrust/detail/segments/kernels.cuh>
#include <mgpu_thrust/detail/segments/tuning.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Action, class Segments, class Output>
struct device_work<segments_job<Action, Segments, Output>>
{
  using job_type = segments_job<Action, Segments, Output>;
  using shape = segments_shape;

  static std::int64_t tiles(const job_type& job)
  {
    return ::cuda::ceil_div(job.in.num_items, shape::items);
  }
  /// The segment that each tile begins in.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = static_cast<std::size_t>(tiles(job) + 1) * sizeof(std::int64_t);
    return cudaSuccess;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(job));
    const Segments& in = job.in;
    const auto queue_few = [&](auto kernel, std::int64_t most_threads)
    {
      const std::int64_t blocks = ::cuda::ceil_div((std::min)(in.num_items, most_threads), few_segments_threads);
      return detail::launch_kernel(
        kernel, static_cast<int>(blocks), few_segments_threads, false, stream, job.action, in);
    };
    if (in.num_segments <= most_segments_of_block && in.num_items <= most_items_of_few_segments)
    {
      return in.num_segments <= most_segments_of_lanes
               ? queue_few(detail::segments_of_lanes_kernel<Action, Segments>, most_threads_of_lanes)
               : queue_few(detail::segments_of_block_kernel<Action, Segments>, most_items_of_few_segments);
    }
    using bounds = item_bounds<shape::items, decltype(Segments::offsets)>;
    std::int64_t* tile_segments = nullptr;
    if (in.num_segments > most_segments_without_cut && bounds::of(in, nullptr).needs_cut())
    {
      tile_segments = static_cast<std::int64_t*>(storage);
      const cudaError_t error = detail::queue_segment_cut<bounds>(in, tile_segments, stream);
      if (error != cudaSuccess)
      {
        return error;
      }
    }
    return detail::launch_kernel(
      detail::segments_kernel<shape, Action, Segments>, tile_count, shape::threads,
      kernels_can_overlap && tile_segments != nullptr, stream, job.action, in,
      static_cast<const std::int64_t*>(tile_segments));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Load balancing and interval operations on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segments/choice.h>
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
  using path = segments_path;

  static std::int64_t tiles(const job_type& job)
  {
    return ::cuda::ceil_div(job.in.num_items, shape::items);
  }
  /// The segments that tiles begin in.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = path_of(job) == path::tiles ? static_cast<std::size_t>(tiles(job) + 1) * sizeof(std::int64_t) : 0;
    return cudaSuccess;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    const Segments& in = job.in;
    const path chosen = path_of(job);
    if (chosen == path::few_segments)
    {
      constexpr int threads = few_segments_shape::threads;
      const std::int64_t blocks = ::cuda::ceil_div((std::min)(in.num_items, few_segments_shape::max_threads), threads);
      return detail::launch_kernel(
        detail::few_segments_kernel<Action, Segments>, static_cast<int>(blocks), threads, false, stream, job.action,
        in);
    }
    std::int64_t* tile_segments = nullptr;
    if (chosen == path::tiles)
    {
      tile_segments = static_cast<std::int64_t*>(storage);
      using bounds = item_bounds<shape::items, decltype(Segments::offsets)>;
      const cudaError_t error = detail::queue_segment_cut<bounds>(in, tile_segments, stream);
      if (error != cudaSuccess)
      {
        return error;
      }
    }
    return detail::launch_kernel(
      detail::segments_kernel<shape, Action, Segments>, static_cast<int>(tiles(job)), shape::threads,
      kernels_can_overlap && tile_segments != nullptr, stream, job.action, in,
      static_cast<const std::int64_t*>(tile_segments));
  }

private:
  static path path_of(const job_type& job)
  {
    return detail::choose_segments_path(job.in.num_items, job.in.num_segments);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

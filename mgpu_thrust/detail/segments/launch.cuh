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

#include <cuda_runtime_api.h>

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

  struct plan_type : device_plan
  {
    path chosen;
    int blocks;
  };

  /// The storage has the segments that tiles begin in.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const segments_choice chosen = detail::choose_segments(job.in.num_items, job.in.num_segments);
    const std::size_t bytes =
      chosen.path == path::tiles ? static_cast<std::size_t>(chosen.tiles + 1) * sizeof(std::int64_t) : 0;
    return {{chosen.tiles, bytes}, chosen.path, static_cast<int>(chosen.blocks)};
  }
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    if (plan.chosen == path::few_segments)
    {
      return detail::launch_kernel(
        detail::few_segments_kernel<Action, Segments>, plan.blocks, few_segments_shape::threads, false, stream,
        job.action, job.in);
    }
    std::int64_t* tile_segments = nullptr;
    if (plan.chosen == path::tiles)
    {
      tile_segments = static_cast<std::int64_t*>(storage);
      using bounds = item_bounds<shape::items, decltype(Segments::offsets)>;
      const cudaError_t error = detail::queue_segment_cut<bounds>(job.in, tile_segments, stream);
      if (error != cudaSuccess)
      {
        return error;
      }
    }
    return detail::launch_kernel(
      detail::segments_kernel<shape, Action, Segments>, plan.blocks, shape::threads,
      kernels_can_overlap && tile_segments != nullptr, stream, job.action, job.in,
      static_cast<const std::int64_t*>(tile_segments));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The count of the points in each interval on a CUDA device. Range joins are launched as other joins.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/join/choice.h>
#include <mgpu_thrust/detail/join/launch.cuh>
#include <mgpu_thrust/detail/join/ranges/count_kernel.cuh>
#include <mgpu_thrust/detail/join/ranges/job.h>
#include <mgpu_thrust/detail/join/ranges/tuning.h>

#include <cuda_runtime_api.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Kind, class Inputs, class Output, class Compare>
struct device_work<range_count_job<Kind, Inputs, Output, Compare>>
{
  using job_type = range_count_job<Kind, Inputs, Output, Compare>;

  using plan_type = path_plan<range_join_path>;

  /// There is no storage: kernels read deferred sizes in place.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const auto& inputs = job.inputs;
    return {
      detail::choose_range_count<largest_key_bytes<Inputs>>(detail::size_of_a(inputs), detail::size_of_b(inputs)),
      0,
      {}};
  }
  static cudaError_t launch(void*, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    return detail::launch_kernel(
      detail::range_count_kernel<interval_count_shape, Kind, Inputs, Output, typename job_type::order_type>,
      plan.blocks, interval_count_shape::threads, false, stream, job.inputs, job.output, job.order());
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Searches for the needles of pairs of lists on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/pairs/choice.h>
#include <mgpu_thrust/detail/pairs/lists/chunk_scan.cuh>
#include <mgpu_thrust/detail/pairs/lists/tuning.h>
#include <mgpu_thrust/detail/pairs/search/job.h>
#include <mgpu_thrust/detail/pairs/search/kernels.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Search, class Pairs, class Result, class Offsets, class Index, class Compare>
struct device_work<segmented_search_job<Search, Pairs, Result, Offsets, Index, Compare>>
{
  using job_type = segmented_search_job<Search, Pairs, Result, Offsets, Index, Compare>;
  using order = typename job_type::order_type;

  struct plan_type : device_plan
  {
    int blocks;
  };

  /// The storage has the chunks before each pair.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const segmented_lists_choice chosen = detail::choose_segmented_lists(job.pairs.num_pairs, 0);
    cudaError_t error = cudaSuccess;
    const std::size_t bytes = chunk_scan<Search>::bytes(job.pairs, error);
    return {{chosen.tiles, bytes, error}, chosen.blocks};
  }
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    const cudaError_t error = chunk_scan<Search>::queue(storage, plan.bytes, job.pairs, stream);
    return error != cudaSuccess ? error
                                : detail::launch_kernel(
                                  detail::search_lists_kernel<Search, Pairs, Result, Offsets, Index, order>,
                                  plan.blocks, segmented_lists_shape::threads, false, stream, job.pairs, job.output,
                                  job.offsets, job.order(), static_cast<const std::int64_t*>(storage));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

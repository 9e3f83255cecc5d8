// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Operations on pairs of lists on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segmented_sets/job.h>
#include <mgpu_thrust/detail/segmented_sets/kernels.cuh>
#include <mgpu_thrust/detail/segmented_sets/tuning.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Action, class Pairs, class Compare, class Output>
struct device_work<segmented_sets_job<Action, Pairs, Compare, Output>>
{
  using job_type = segmented_sets_job<Action, Pairs, Compare, Output>;
  using order = typename job_type::order_type;
  using shape = segmented_sets_shape;

  /// The number of blocks, whose warps have a window each.
  static std::int64_t tiles(const job_type& job)
  {
    const std::int64_t pairs = job.pairs.num_pairs;
    return pairs == 0 ? 0 : ::cuda::ceil_div(pairs, std::int64_t{detail::window_pairs(pairs)} * shape::warps);
  }
  /// The end of the queue, its windows, and the matches of each pair.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = counts_at(job) + (Action::visits ? 0 : pair_bytes(job));
    return cudaSuccess;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    auto* const bytes = static_cast<unsigned char*>(storage);
    const std::int64_t blocks = tiles(job);
    const pair_queue queue{
      static_cast<std::int64_t*>(storage), ::cuda::ilog2(blocks * shape::warps) + 1,
      reinterpret_cast<queued_window*>(bytes + storage_alignment),
      reinterpret_cast<std::int64_t*>(bytes + counts_at(job))};
    const int pairs_of_window = detail::window_pairs(job.pairs.num_pairs);
    cudaError_t error = cudaMemsetAsync(queue.end, 0, sizeof(*queue.end), stream);
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::short_pairs_kernel<Action, Pairs, order>, static_cast<int>(blocks), shape::threads, false, stream,
        job.action, job.pairs, job.order(), pairs_of_window, queue);
    }
    if (error == cudaSuccess)
    {
      const int coresident = detail::max_coresident_blocks(long_pairs_shape::sure_blocks);
      error = detail::launch_kernel(
        detail::long_pairs_kernel<Action, Pairs, order>, coresident > 0 ? coresident : static_cast<int>(min_windows),
        long_pairs_shape::threads, kernels_can_overlap, stream, job.action, job.pairs, job.order(), pairs_of_window,
        queue);
    }
    return error;
  }

private:
  static std::size_t pair_bytes(const job_type& job)
  {
    return detail::round_up_storage(static_cast<std::size_t>(job.pairs.num_pairs) * sizeof(std::int64_t));
  }
  static std::size_t counts_at(const job_type& job)
  {
    return storage_alignment
           + detail::round_up_storage(static_cast<std::size_t>(tiles(job)) * shape::warps * sizeof(queued_window));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

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
#include <mgpu_thrust/detail/pairs/choice.h>
#include <mgpu_thrust/detail/pairs/count/job.h>
#include <mgpu_thrust/detail/pairs/count/kernels.cuh>
#include <mgpu_thrust/detail/pairs/tuning.h>

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

  struct plan_type : device_plan
  {
    segmented_sets_choice chosen;
    std::size_t counts_at; ///< position in the storage of the matches of each pair
  };

  /// The storage has the end of the queue, its windows, and the matches of each pair.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const std::int64_t num_pairs = job.pairs.num_pairs;
    const segmented_sets_choice chosen = detail::choose_segmented_sets(num_pairs, detail::current_device_room());
    const std::size_t counts_at =
      storage_alignment
      + detail::round_up_storage(static_cast<std::size_t>(detail::max_windows(num_pairs)) * sizeof(queued_window));
    const std::size_t counts_bytes =
      Action::visits ? 0 : detail::round_up_storage(static_cast<std::size_t>(num_pairs) * sizeof(std::int64_t));
    return {{chosen.blocks, counts_at + counts_bytes}, chosen, counts_at};
  }
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    auto* const bytes = static_cast<unsigned char*>(storage);
    const segmented_sets_choice& chosen = plan.chosen;
    const pair_queue queue{
      static_cast<std::int64_t*>(storage), ::cuda::ilog2(chosen.blocks * shape::warps) + 1,
      reinterpret_cast<queued_window*>(bytes + storage_alignment),
      reinterpret_cast<std::int64_t*>(bytes + plan.counts_at)};
    cudaError_t error = cudaMemsetAsync(queue.end, 0, sizeof(*queue.end), stream);
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::short_pairs_kernel<Action, Pairs, order>, static_cast<int>(chosen.blocks), shape::threads, false,
        stream, job.action, job.pairs, job.order(), chosen.window_pairs, queue);
    }
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::long_pairs_kernel<Action, Pairs, order>, chosen.long_blocks, long_pairs_shape::threads,
        kernels_can_overlap, stream, job.action, job.pairs, job.order(), chosen.window_pairs, queue);
    }
    return error;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Every call of the device layer: the caller's storage, a stream, no allocation and no synchronisation.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/job.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Stands for the address of the count where a job counts nothing.
inline constexpr std::int64_t* no_count = nullptr;

/// Queues a job. Without storage it sets storage_bytes to what the job needs and does nothing else. *count, in memory
/// that the device can write, receives the number that a counted job returns.
template <class Job, class Count>
cudaError_t enqueue(void* storage, std::size_t& storage_bytes, const Job& job, Count* count, cudaStream_t stream)
{
  static_assert(std::is_integral_v<Count>, "mgpu_thrust: the size of a result is stored to an integer");
  using work = device_work<Job>;
  Job::template check_types<cuda_backend>();

  // 1. Check the sizes, and plan.
  size_checks check;
  job.check_sizes(check);
  if constexpr (Job::is_counted)
  {
    if (count != nullptr)
    {
      check.count_range(job.count_capacity(), largest_index<Count>);
    }
  }
  if (!check.passed())
  {
    return cudaErrorInvalidValue;
  }
  const auto plan = work::plan(job, count);
  check.tiles(plan.tiles);
  if (!check.passed())
  {
    return cudaErrorInvalidValue;
  }
  if (plan.error != cudaSuccess)
  {
    return plan.error;
  }

  // 2. Handle the storage, which may begin at any address.
  const std::size_t needed = plan.bytes + storage_alignment;
  if (storage == nullptr)
  {
    storage_bytes = needed;
    return cudaSuccess;
  }
  if (storage_bytes < needed)
  {
    return cudaErrorInvalidValue;
  }

  // 3. Queue the work, or, if there is nothing to do, its count.
  if (!job.is_empty())
  {
    void* const aligned = reinterpret_cast<void*>(detail::round_up_storage(reinterpret_cast<std::uintptr_t>(storage)));
    return work::launch(aligned, job, plan, count, stream);
  }
  return Job::is_counted && count != nullptr ? cudaMemsetAsync(count, 0, sizeof(Count), stream) : cudaSuccess;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

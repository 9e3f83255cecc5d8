// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Bulk removal and insertion on the CUDA backend: storage from the policy's allocator, the device's work on the
/// policy's stream. The host reads no result from the device, so a call with a nosync policy does not wait.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/bulk/launch.cuh>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Executes a bulk_removal or bulk_insertion whose output is not empty. Returns the end of the output.
template <class Policy, class Job, class Output>
Output run_bulk(cuda_backend, Policy& policy, const char* algorithm, const Job& job, Output output)
{
  using operation = device_bulk<Job, Output>;
  const std::int64_t tiles = operation::tiles(job);
  detail::check_tiles(algorithm, tiles);
  const temporary_storage<Policy> storage(policy, algorithm, operation::storage_bytes(tiles));
  detail::throw_on_error(operation::launch(storage.data(), job, output, detail::stream_of(policy)), algorithm);
  detail::synchronize_unless_nosync(policy, algorithm);
  return output + job.output_size();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Jobs with items in segments on the CUDA backend: storage from the policy's allocator, the device's work on the
/// policy's stream. The host reads no result from the device, so a call with a nosync policy does not wait.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/segments/launch.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Executes a job for all items, of which there is at least one.
template <class Policy, class Job, class Offsets>
void run_segments_on(cuda_backend, Policy& policy, const char* algorithm, const Job& job, const segments<Offsets>& in)
{
  using operation = device_segments<Job, Offsets>;
  const std::int64_t tiles = operation::tiles(in);
  detail::check_tiles(algorithm, tiles);
  const temporary_storage<Policy> storage(policy, algorithm, operation::storage_bytes(tiles));
  detail::throw_on_error(operation::launch(storage.data(), job, in, detail::stream_of(policy)), algorithm);
  detail::synchronize_unless_nosync(policy, algorithm);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

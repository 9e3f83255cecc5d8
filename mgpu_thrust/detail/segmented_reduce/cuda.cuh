// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segmented reduction on the CUDA backend: storage from the policy's allocator, the device's work on the policy's
/// stream. The host reads no result from the device, so a call with a nosync policy does not wait.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/segmented_reduce/launch.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The points where the tiles of a reduction begin, kept for many reductions. There must be at least one segment.
template <class Policy, class Offsets>
class cuda_segment_partition
{
public:
  cuda_segment_partition(Policy& policy, const char* algorithm, const segments<Offsets>& in)
      : storage_(policy, algorithm, bytes(algorithm, in))
  {
    detail::throw_on_error(device_segment_ends<Offsets>::launch(begins(), in, detail::stream_of(policy)), algorithm);
  }
  load_balance_point* begins() const
  {
    return static_cast<load_balance_point*>(storage_.data());
  }

private:
  static std::size_t bytes(const char* algorithm, const segments<Offsets>& in)
  {
    detail::check_tiles(algorithm, device_segment_ends<Offsets>::tiles(in));
    return device_segment_ends<Offsets>::storage_bytes(in);
  }

  temporary_storage<Policy> storage_;
};

/// Reduces all segments, of which there is at least one, with an existing partition.
template <class Policy, class Job, class Offsets>
void reduce_segments_on(
  cuda_backend, Policy& policy, const char* algorithm, const Job& job, const segments<Offsets>& in,
  const cuda_segment_partition<Policy, Offsets>& partition)
{
  using operation = device_segmented_reduce<Job, Offsets>;
  const temporary_storage<Policy> storage(policy, algorithm, operation::storage_bytes(in));
  detail::throw_on_error(
    operation::launch(storage.data(), job, in, partition.begins(), detail::stream_of(policy)), algorithm);
  detail::synchronize_unless_nosync(policy, algorithm);
}

/// Reduces all segments, of which there is at least one, after making a partition.
template <class Policy, class Job, class Offsets>
void reduce_segments_on(
  cuda_backend backend, Policy& policy, const char* algorithm, const Job& job, const segments<Offsets>& in)
{
  const cuda_segment_partition<Policy, Offsets> partition(policy, algorithm, in);
  detail::reduce_segments_on(backend, policy, algorithm, job, in, partition);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

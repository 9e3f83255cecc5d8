// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Semi and anti joins on the CUDA backend: storage from the policy's allocator, the device's work on the policy's
/// stream, and one synchronisation to learn where the result ends.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cuda_host_result.cuh>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/join/semi_launch.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Executes a semi or anti join of at least one row of the left input; waits, and returns the number of rows kept.
template <class Policy, class Filter, class Inputs, class Output, class Compare>
std::int64_t run_cuda_semi_join(
  Policy& policy, const char* algorithm, Filter, const Inputs& inputs, const Output& output, Compare comp)
{
  using join = device_semi_join<Filter, Inputs, Output, Compare>;
  detail::check_tiles(algorithm, join::tiles(inputs));
  const temporary_storage<Policy> storage(policy, algorithm, join::storage_bytes(inputs));
  const cudaStream_t stream = detail::stream_of(policy);
  const cuda_host_result count(algorithm);
  detail::throw_on_error(join::launch(storage.data(), inputs, output, comp, count.address(), stream), algorithm);
  detail::throw_on_error(cudaStreamSynchronize(stream), algorithm);
  return count.value();
}

template <class Policy, class Filter, class Inputs, class Output, class Compare>
Output run_semi_join(
  cuda_backend, Policy& policy, const char* algorithm, Filter filter, const Inputs& inputs, Output output, Compare comp)
{
  const std::int64_t count = detail::run_cuda_semi_join(policy, algorithm, filter, inputs, output, comp);
  return {output.result + count};
}

template <class Policy, class Filter, class Inputs, class Compare>
std::int64_t run_semi_join_size(
  cuda_backend, Policy& policy, const char* algorithm, Filter filter, const Inputs& inputs, Compare comp)
{
  return detail::run_cuda_semi_join(policy, algorithm, filter, inputs, no_row_output{}, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Set operations on the CUDA backend: storage from the policy's allocator, the device's work on the policy's stream,
/// and one synchronisation to learn where the result ends (for a merge this is known).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cuda_host_result.cuh>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/set_operation/launch.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Executes a set operation, at least one of whose inputs is not empty; waits for its result, except for a merge under
/// par_nosync, and returns the number of elements kept.
template <class Policy, class Operation, class Inputs, class Outputs, class Compare>
std::int64_t run_cuda_set_operation(
  Policy& policy, const char* algorithm, Operation, const Inputs& inputs, const Outputs& outputs, Compare comp)
{
  using operation = device_set_operation<Operation, Inputs, Outputs, Compare>;
  const std::int64_t tiles = operation::tiles(inputs);
  detail::check_tiles(algorithm, tiles);
  const set_operation_storage layout(Operation::matches, tiles);
  const temporary_storage<Policy> storage(policy, algorithm, layout.bytes);
  const cudaStream_t stream = detail::stream_of(policy);
  const auto launch = [&](std::int64_t* count)
  { detail::throw_on_error(operation::launch(storage.data(), inputs, outputs, comp, count, stream), algorithm); };
  if constexpr (Operation::matches)
  {
    const cuda_host_result count(algorithm);
    launch(count.address());
    detail::throw_on_error(cudaStreamSynchronize(stream), algorithm);
    return count.value();
  }
  else
  {
    launch(nullptr);
    detail::synchronize_unless_nosync(policy, algorithm);
    return inputs.a_count + inputs.b_count;
  }
}

template <class Policy, class Operation, class Inputs, class Outputs, class Compare>
Outputs run_set_operation(
  cuda_backend, Policy& policy, const char* algorithm, Operation operation, const Inputs& inputs, Outputs outputs,
  Compare comp)
{
  const std::int64_t count = detail::run_cuda_set_operation(policy, algorithm, operation, inputs, outputs, comp);
  return {outputs.keys + count, outputs.values + count};
}

template <class Policy, class Operation, class Inputs, class Compare>
std::int64_t run_set_operation_size(
  cuda_backend, Policy& policy, const char* algorithm, Operation operation, const Inputs& inputs, Compare comp)
{
  return detail::run_cuda_set_operation(policy, algorithm, operation, inputs, no_outputs{}, comp);
}

template <class Policy, class Operation, class Inputs, class Compare>
bool run_set_operation_empty(
  cuda_backend, Policy& policy, const char* algorithm, Operation operation, const Inputs& inputs, Compare comp)
{
  return detail::run_cuda_set_operation(policy, algorithm, operation, inputs, no_outputs{}, comp) == 0;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

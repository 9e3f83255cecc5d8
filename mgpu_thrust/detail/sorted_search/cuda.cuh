// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorted searches on the CUDA backend: storage from the policy's allocator, the device's work on the policy's stream.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/sorted_search/launch.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Policy, class Inputs, class OutputA, class OutputB, class Compare, class MatchCounts>
void run_sorted_search(
  cuda_backend, Policy& policy, const char* algorithm, const Inputs& inputs, OutputA& a_output, OutputB& b_output,
  Compare comp, MatchCounts match_counts)
{
  constexpr bool counts = !std::is_same_v<MatchCounts, std::nullptr_t>;
  using search = device_sorted_search<Inputs, OutputA, OutputB, Compare>;
  detail::check_tiles(algorithm, search::tiles(inputs));
  const std::size_t bytes = search::storage_bytes(inputs);
  const temporary_storage<Policy> storage(policy, algorithm, bytes + counts * 2 * sizeof(std::int64_t));
  const cudaStream_t stream = detail::stream_of(policy);
  if constexpr (counts)
  {
    auto* const d_counts = reinterpret_cast<std::int64_t*>(static_cast<char*>(storage.data()) + bytes);
    detail::throw_on_error(
      search::template launch<true>(storage.data(), inputs, a_output, b_output, comp, d_counts, stream), algorithm);
    detail::throw_on_error(
      cudaMemcpyAsync(*match_counts, d_counts, sizeof(*match_counts), cudaMemcpyDeviceToHost, stream), algorithm);
    detail::throw_on_error(cudaStreamSynchronize(stream), algorithm);
  }
  else
  {
    detail::throw_on_error(
      search::template launch<false>(storage.data(), inputs, a_output, b_output, comp, nullptr, stream), algorithm);
    detail::synchronize_unless_nosync(policy, algorithm);
  }
  detail::reassign(a_output, a_output + inputs.a_count);
  detail::reassign(b_output, b_output + inputs.b_count);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

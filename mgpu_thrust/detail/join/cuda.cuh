// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Joins on the CUDA backend: storage from the policy's allocator, the device's work on the policy's stream, and one
/// synchronisation to learn the number of rows.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cuda_host_result.cuh>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/join/cpu.h>
#include <mgpu_thrust/detail/join/launch.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <limits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Layout of the temporary storage of a join.
template <class Join, class Inputs>
join_storage lay_out_join(const char* algorithm, const Inputs& inputs)
{
  detail::check_tiles(algorithm, Join::tiles(inputs) + join_extra_blocks);
  join_storage layout;
  detail::throw_on_error(Join::lay_out(inputs, layout), algorithm);
  return layout;
}

/// A join whose search is queued on the policy's stream; the primary template, in cpu.h, describes the members.
template <class Policy, class Kind, class Inputs, class Compare>
class join_search<cuda_backend, Policy, Kind, Inputs, Compare>
{
public:
  join_search(Policy& policy, const char* algorithm, const Inputs& inputs, Compare comp)
      : policy_(policy)
      , algorithm_(algorithm)
      , inputs_(inputs)
      , comp_(comp)
      , layout_(detail::lay_out_join<join>(algorithm, inputs))
      , storage_(policy, algorithm, layout_.bytes)
      , size_(algorithm)
  {
    const cudaError_t error =
      join::count(storage_.data(), layout_, inputs_, comp_, size_.address(), detail::stream_of(policy_));
    detail::throw_on_error(error, algorithm_);
  }

  /// Waits for the search.
  std::int64_t size() const
  {
    detail::throw_on_error(cudaStreamSynchronize(detail::stream_of(policy_)), algorithm_);
    return size_.value();
  }

  template <class Outputs>
  void fill(row_range rows, const Outputs& outputs) const
  {
    queue_fill(rows, outputs);
    detail::synchronize_unless_nosync(policy_, algorithm_);
  }

  template <class Outputs>
  std::int64_t fill_all(const char* algorithm, const Outputs& outputs) const
  {
    queue_fill({0, std::numeric_limits<std::int64_t>::max()}, outputs); // writes nothing if there are too many rows
    const std::int64_t rows = size();
    detail::check_row_count(algorithm, rows);
    return rows;
  }

private:
  using join = device_join<Kind, Inputs, Compare>;

  template <class Outputs>
  void queue_fill(row_range rows, const Outputs& outputs) const
  {
    const cudaError_t error =
      join::fill(storage_.data(), layout_, inputs_, outputs, comp_, rows, detail::stream_of(policy_));
    detail::throw_on_error(error, algorithm_);
  }

  Policy& policy_;
  const char* algorithm_;
  Inputs inputs_;
  Compare comp_;
  join_storage layout_;
  temporary_storage<Policy> storage_;
  cuda_host_result size_;
};

/// Joins in one pass, or, if there may be too many rows, counts them first. Returns the outputs advanced past the
/// result.
template <class Policy, class Kind, class Inputs, class Outputs, class Compare>
Outputs run_join(
  cuda_backend, Policy& policy, const char* algorithm, Kind, const Inputs& inputs, const Outputs& outputs, Compare comp)
{
  using join = device_join<Kind, Inputs, Compare>;
  if (!join::is_one_pass(inputs))
  {
    const join_search<cuda_backend, Policy, Kind, Inputs, Compare> search(policy, algorithm, inputs, comp);
    return outputs + search.fill_all(algorithm, outputs);
  }
  detail::check_tiles(algorithm, join::tiles(inputs) + join_extra_blocks);
  const temporary_storage<Policy> storage(policy, algorithm, join::pass_bytes(inputs));
  const cudaStream_t stream = detail::stream_of(policy);
  const cuda_host_result size(algorithm);
  detail::throw_on_error(join::pass(storage.data(), inputs, outputs, comp, size.address(), stream), algorithm);
  detail::throw_on_error(cudaStreamSynchronize(stream), algorithm);
  return outputs + size.value();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

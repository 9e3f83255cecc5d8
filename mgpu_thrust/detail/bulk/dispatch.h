// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The one dispatch path from the Thrust-style interface of bulk removal and insertion to their backends.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/bulk/cpu.h>
#include <mgpu_thrust/detail/bulk/serial.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/host_or_device.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/bulk/cuda.cuh>
#endif

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Makes the bulk_removal, or (below) the bulk_insertion, of ranges, with unwrapped iterators and without checks.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Indices>
MGPU_THRUST_HOST_DEVICE auto make_bulk_removal(Input first, Input last, Indices indices_first, Indices indices_last)
{
  return bulk_removal{
    detail::bulk_path(
      detail::unwrap(indices_first), static_cast<std::int64_t>(indices_last - indices_first),
      static_cast<std::int64_t>(last - first)),
    detail::unwrap(first)};
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Values, class Positions>
MGPU_THRUST_HOST_DEVICE auto
make_bulk_insertion(Input first, Input last, Values values_first, Positions positions_first, Positions positions_last)
{
  return bulk_insertion{
    detail::bulk_path(
      detail::unwrap(positions_first), static_cast<std::int64_t>(positions_last - positions_first),
      static_cast<std::int64_t>(last - first)),
    detail::unwrap(first), detail::unwrap(values_first)};
}

/// Checks the sizes for every backend; in the checked mode, the indices too.
template <class Policy, class Path, class Input>
void check_bulk(Policy& policy, const char* algorithm, const bulk_removal<Path, Input>& job)
{
  const Path& path = job.path;
  detail::check_size(algorithm, "the input", path.b_count);
  detail::check_size(algorithm, "the indices", path.a_count);
  detail::check_removals(algorithm, path.b_count, path.a_count);
  detail::check_total_size(algorithm, path.a_count, path.b_count);
  detail::check_indices(policy, algorithm, "the indices", path.a, path.a_count, path.b_count - 1, 1);
}
template <class Policy, class Path, class Input, class Values>
void check_bulk(Policy& policy, const char* algorithm, const bulk_insertion<Path, Input, Values>& job)
{
  const Path& path = job.path;
  detail::check_size(algorithm, "the input", path.b_count);
  detail::check_size(algorithm, "the positions", path.a_count);
  detail::check_total_size(algorithm, path.a_count, path.b_count);
  detail::check_indices(policy, algorithm, "the positions", path.a, path.a_count, path.b_count, 0);
}

template <class Policy, class Job, class Output>
Output bulk_from_host(Policy& policy, const char* algorithm, const Job& job, Output result)
{
  detail::check_bulk(policy, algorithm, job);
  if (job.output_size() == 0)
  {
    return result;
  }
  return detail::rewrap(result, detail::run_bulk(backend_t<Policy>{}, policy, algorithm, job, detail::unwrap(result)));
}

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Job, class Output>
MGPU_THRUST_HOST_DEVICE Output bulk_in_thread(const Job& job, Output result)
{
  return detail::rewrap(result, job.run(job.path, 0, 0, detail::unwrap(result)));
}

/// Executes a bulk removal and returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Input, class Indices, class Output>
MGPU_THRUST_HOST_DEVICE Output bulk_remove_entry(
  const thrust::execution_policy<Policy>& policy, Input first, Input last, Indices indices_first, Indices indices_last,
  Output result)
{
  detail::check_iterators<backend_t<Policy>, Output, Input, Indices>();
  detail::check_index_type<Indices>();
  const auto job = detail::make_bulk_removal(first, last, indices_first, indices_last);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::bulk_from_host(detail::derived(policy), "bulk_remove", job, result)),
    (detail::bulk_in_thread(job, result)))
}

/// Executes a bulk insertion and returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Input, class Values, class Positions, class Output>
MGPU_THRUST_HOST_DEVICE Output bulk_insert_entry(
  const thrust::execution_policy<Policy>& policy, Input first, Input last, Values values_first,
  Positions positions_first, Positions positions_last, Output result)
{
  detail::check_iterators<backend_t<Policy>, Output, Input, Values, Positions>();
  detail::check_index_type<Positions>();
  const auto job = detail::make_bulk_insertion(first, last, values_first, positions_first, positions_last);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::bulk_from_host(detail::derived(policy), "bulk_insert", job, result)),
    (detail::bulk_in_thread(job, result)))
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

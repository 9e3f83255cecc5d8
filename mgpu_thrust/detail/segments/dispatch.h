// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The one dispatch path from the Thrust-style interface of load-balancing search and the interval operations to their
/// backends.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/target.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/host_or_device.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/segments/cpu.h>
#include <mgpu_thrust/detail/segments/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segments/cuda.cuh>
#endif

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// `Values`, or, if that is no_values, `Other`, a type to check instead.
template <class Values, class Other>
using values_or = std::conditional_t<has_values<Values>, Values, Other>;

/// Executes a job for all items on the calling thread, one after another. Returns the job; an output that cannot be
/// written with random access is advanced past the results.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Job, class Offsets>
MGPU_THRUST_HOST_DEVICE Job segments_in_thread(const Job& job, const segments<Offsets>& in)
{
  return in.num_items > 0 && in.num_segments > 0
           ? detail::run_segments(job, in, {0, 0}, {in.num_items, in.num_segments})
           : job;
}

template <class Policy, class Job, class Offsets>
Job segments_from_host(Policy& policy, const char* algorithm, const Job& job, const segments<Offsets>& in)
{
  detail::check_segment_counts(algorithm, in.num_items, in.num_segments);
  detail::check_offsets(policy, algorithm, in.offsets, in.num_segments, in.num_items);
  using backend = backend_t<Policy>;
  if constexpr (std::is_same_v<backend, serial_backend>)
  {
    return detail::segments_in_thread(job, in);
  }
  else
  {
    if (in.num_items > 0)
    {
      detail::run_segments_on(backend{}, policy, algorithm, job, in);
    }
    return job;
  }
}

/// Executes a job under a policy. Returns the job; an output that cannot be written with random access is advanced past
/// the results.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Job, class Offsets>
MGPU_THRUST_HOST_DEVICE Job segments_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, const Job& job,
  const segments<Offsets>& in){MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
  (detail::segments_from_host(detail::derived(policy), algorithm, job, in)), (detail::segments_in_thread(job, in)))}

/// Executes a transform under a policy. Returns the end of the output, which starts at `first`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Job, class Offsets, class Output>
MGPU_THRUST_HOST_DEVICE Output transform_entry(
  const thrust::execution_policy<Policy>& policy, const char* algorithm, const Job& job, const segments<Offsets>& in,
  Output first)
{
  const Job done = detail::segments_entry(policy, algorithm, job, in);
  if constexpr (is_random_access_v<Output>)
  {
    return first + in.num_items;
  }
  else
  {
    return done.output;
  }
}

/// Writes the number of each item's segment, and returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Offsets, class Output>
MGPU_THRUST_HOST_DEVICE Output load_balancing_search_entry(
  const thrust::execution_policy<Policy>& policy, std::int64_t num_items, Offsets offsets_first, Offsets offsets_last,
  Output result)
{
  detail::check_iterators<backend_t<Policy>, Output, Offsets>();
  detail::check_index_type<Offsets>();
  using index = written_index_t<Output>;
  const char* const algorithm = "load_balancing_search";
  const auto in = detail::make_segments(num_items, offsets_first, offsets_last);
  const std::int64_t largest = num_items > 0 ? in.num_segments - 1 : 0;
  MGPU_THRUST_IF_HOST((detail::check_index_range(algorithm, largest, largest_index<index>);))
  const segment_transform job{segment_number<index>{}, no_values{}, detail::unwrap(result)};
  return detail::transform_entry(policy, algorithm, job, in, result);
}

/// Calls f(item, segment, rank[, value]) for each item; `values_first` may be no_values.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Offsets, class Values, class Function>
MGPU_THRUST_HOST_DEVICE void for_each_in_segments_entry(
  const thrust::execution_policy<Policy>& policy, std::int64_t num_items, Offsets offsets_first, Offsets offsets_last,
  Values values_first, Function f)
{
  detail::check_iterators<backend_t<Policy>, Offsets, Offsets, values_or<Values, Offsets>>();
  detail::check_index_type<Offsets>();
  const segment_visit job{f, detail::unwrap(values_first)};
  detail::segments_entry(
    policy, "for_each_in_segments", job, detail::make_segments(num_items, offsets_first, offsets_last));
}

/// Writes the result of f(item, segment, rank[, value]) for each item, and returns the end of the output;
/// `values_first` may be no_values.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Offsets, class Values, class Output, class Function>
MGPU_THRUST_HOST_DEVICE Output transform_in_segments_entry(
  const thrust::execution_policy<Policy>& policy, const char* algorithm, std::int64_t num_items, Offsets offsets_first,
  Offsets offsets_last, Values values_first, Output result, Function f)
{
  detail::check_iterators<backend_t<Policy>, Output, Offsets, values_or<Values, Offsets>>();
  detail::check_index_type<Offsets>();
  const auto in = detail::make_segments(num_items, offsets_first, offsets_last);
  const segment_transform job{f, detail::unwrap(values_first), detail::unwrap(result)};
  return detail::transform_entry(policy, algorithm, job, in, result);
}

/// Writes for each item the element of `input` at its segment's source plus the item's rank in the segment, and returns
/// the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Offsets, class Sources, class Input, class Output>
MGPU_THRUST_HOST_DEVICE Output interval_gather_entry(
  const thrust::execution_policy<Policy>& policy, std::int64_t num_items, Offsets offsets_first, Offsets offsets_last,
  Sources gather_first, Input input, Output result)
{
  detail::check_iterators<backend_t<Policy>, Output, Offsets, Sources, Input>();
  detail::check_index_type<Sources>();
  return detail::transform_in_segments_entry(
    policy, "interval_gather", num_items, offsets_first, offsets_last, gather_first, result,
    element_behind{detail::unwrap(input)});
}

/// Writes each item's element of `input` to the output at its segment's destination plus the item's rank in the
/// segment. It is read at the segment's source plus the rank, or, if gather_first is no_values, at the item's own
/// index.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Offsets, class Sources, class Places, class Input, class Output>
MGPU_THRUST_HOST_DEVICE void interval_copy_entry(
  const thrust::execution_policy<Policy>& policy, const char* algorithm, std::int64_t num_items, Offsets offsets_first,
  Offsets offsets_last, Sources gather_first, Places scatter_first, Input input, Output result)
{
  using sources = values_or<Sources, Places>;
  detail::check_iterators<backend_t<Policy>, Output, Offsets, sources, Places, Input>();
  detail::check_scattered_output<Output>();
  detail::check_index_type<Offsets>();
  detail::check_index_type<sources>();
  detail::check_index_type<Places>();
  const segment_copy job{
    detail::unwrap(gather_first), detail::unwrap(scatter_first), detail::unwrap(input), detail::unwrap(result)};
  detail::segments_entry(policy, algorithm, job, detail::make_segments(num_items, offsets_first, offsets_last));
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

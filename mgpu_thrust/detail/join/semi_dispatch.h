// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The one dispatch path from the Thrust-style interface of the semi and anti joins to their backends.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/host_or_device.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/join/inputs.h>
#include <mgpu_thrust/detail/join/semi_cpu.h>
#include <mgpu_thrust/detail/join/semi_serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/join/semi_cuda.cuh>
#endif

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Policy, class Filter, class Left, class Right, class Rows, class Compare>
Rows semi_join_from_host(
  Policy& policy, const char* algorithm, Filter filter, Left left_first, Left left_last, Right right_first,
  Right right_last, Rows left_out, Compare comp)
{
  const auto output = detail::output_of_rows(left_out);
  const auto inputs =
    detail::checked_join_inputs(policy, algorithm, left_first, left_last, right_first, right_last, comp);
  detail::check_index_range(algorithm, inputs.a_count - 1, output.largest);
  if (detail::keeps_no_row(filter, inputs))
  {
    return left_out;
  }
  const auto end = detail::run_semi_join(backend_t<Policy>{}, policy, algorithm, filter, inputs, output, comp);
  return detail::rewrap(left_out, end.result);
}

template <class Policy, class Filter, class Left, class Right, class Compare>
std::int64_t semi_join_size_from_host(
  Policy& policy, const char* algorithm, Filter filter, Left left_first, Left left_last, Right right_first,
  Right right_last, Compare comp)
{
  const auto inputs =
    detail::checked_join_inputs(policy, algorithm, left_first, left_last, right_first, right_last, comp);
  return detail::keeps_no_row(filter, inputs)
           ? 0
           : detail::run_semi_join_size(backend_t<Policy>{}, policy, algorithm, filter, inputs, comp);
}

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Filter, class Left, class Right, class Rows, class Compare>
MGPU_THRUST_HOST_DEVICE Rows semi_join_in_thread(
  Filter, Left left_first, Left left_last, Right right_first, Right right_last, Rows left_out, Compare comp)
{
  const auto inputs = detail::unchecked_join_inputs(left_first, left_last, right_first, right_last);
  const auto output = detail::output_of_rows(left_out);
  row_sink<Filter, std::decay_t<decltype(output)>> sink{output, 0};
  detail::step_through_rows(inputs, 0, inputs.a_count, 0, comp, sink, ignore_step{});
  return detail::rewrap(left_out, sink.output.result);
}

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Filter, class Left, class Right, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t
semi_join_size_in_thread(Filter, Left left_first, Left left_last, Right right_first, Right right_last, Compare comp)
{
  const auto inputs = detail::unchecked_join_inputs(left_first, left_last, right_first, right_last);
  row_counter<Filter> rows;
  detail::step_through_rows(inputs, 0, inputs.a_count, 0, comp, rows, ignore_step{});
  return rows.size;
}

/// Writes the numbers of the rows of the left input that a filter keeps, and returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Filter, class Left, class Right, class Rows, class Compare>
MGPU_THRUST_HOST_DEVICE Rows semi_join_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, Filter filter,
  Left left_first, Left left_last, Right right_first, Right right_last, Rows left_out, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, Rows, Left, Right>();
  detail::check_order<Compare, Left, Right>();
  const auto order = detail::as_order<Left, Right>(comp);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::semi_join_from_host(
      detail::derived(policy), algorithm, filter, left_first, left_last, right_first, right_last, left_out, order)),
    (detail::semi_join_in_thread(filter, left_first, left_last, right_first, right_last, left_out, order)))
}

/// Counts the rows of the left input that a filter keeps.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Filter, class Left, class Right, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t semi_join_size_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, Filter filter,
  Left left_first, Left left_last, Right right_first, Right right_last, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, int*, Left, Right>();
  detail::check_order<Compare, Left, Right>();
  const auto order = detail::as_order<Left, Right>(comp);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::semi_join_size_from_host(
      detail::derived(policy), algorithm, filter, left_first, left_last, right_first, right_last, order)),
    (detail::semi_join_size_in_thread(filter, left_first, left_last, right_first, right_last, order)))
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

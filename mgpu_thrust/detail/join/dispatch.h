// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The one dispatch path from the Thrust-style interface of the joins to their backends.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/host_or_device.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/join/cpu.h>
#include <mgpu_thrust/detail/join/inputs.h>
#include <mgpu_thrust/detail/join/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/join/cuda.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/pair.h>

#include <cstdint>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Throws std::length_error if the indices of an input's elements do not fit the output that receives them.
template <class Left, class Right, class Inputs>
void check_join_outputs(const char* algorithm, const Inputs& inputs)
{
  detail::check_index_range(algorithm, inputs.a_count - 1, largest_index<written_index_t<Left>>);
  detail::check_index_range(algorithm, inputs.b_count - 1, largest_index<written_index_t<Right>>);
}

template <class Policy, class Kind, class Left, class Right, class LeftOut, class RightOut, class Compare>
thrust::pair<LeftOut, RightOut> join_from_host(
  Policy& policy, const char* algorithm, Kind kind, Left left_first, Left left_last, Right right_first,
  Right right_last, LeftOut left_out, RightOut right_out, Compare comp)
{
  const auto inputs =
    detail::checked_join_inputs(policy, algorithm, left_first, left_last, right_first, right_last, comp);
  detail::check_join_outputs<LeftOut, RightOut>(algorithm, inputs);
  if (inputs.a_count == 0 && inputs.b_count == 0)
  {
    return {left_out, right_out};
  }
  const auto outputs = detail::make_join_outputs(kind, left_out, right_out);
  const auto ends = detail::run_join(backend_t<Policy>{}, policy, algorithm, kind, inputs, outputs, comp);
  return {detail::rewrap(left_out, ends.left), detail::rewrap(right_out, ends.right)};
}

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Kind, class Left, class Right, class LeftOut, class RightOut, class Compare>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOut, RightOut> join_in_thread(
  Kind kind, Left left_first, Left left_last, Right right_first, Right right_last, LeftOut left_out, RightOut right_out,
  Compare comp)
{
  const auto inputs = detail::unchecked_join_inputs(left_first, left_last, right_first, right_last);
  const auto ends = detail::serial_join(kind, inputs, detail::make_join_outputs(kind, left_out, right_out), comp);
  return {detail::rewrap(left_out, ends.left), detail::rewrap(right_out, ends.right)};
}

/// Executes a join and returns the ends of both outputs.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Kind, class Left, class Right, class LeftOut, class RightOut, class Compare>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOut, RightOut> join_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, Kind kind, Left left_first,
  Left left_last, Right right_first, Right right_last, LeftOut left_out, RightOut right_out, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, LeftOut, Left, Right>();
  detail::check_iterators<backend_t<Policy>, RightOut, Left, Right>();
  detail::check_order<Compare, Left, Right>();
  const auto order = detail::as_order<Left, Right>(comp);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::join_from_host(
      detail::derived(policy), algorithm, kind, left_first, left_last, right_first, right_last, left_out, right_out,
      order)),
    (detail::join_in_thread(kind, left_first, left_last, right_first, right_last, left_out, right_out, order)))
}

template <class Policy, class Kind, class Left, class Right, class Compare>
std::int64_t join_size_from_host(
  Policy& policy, const char* algorithm, Kind kind, Left left_first, Left left_last, Right right_first,
  Right right_last, Compare comp)
{
  const auto inputs =
    detail::checked_join_inputs(policy, algorithm, left_first, left_last, right_first, right_last, comp);
  return inputs.a_count == 0 && inputs.b_count == 0
           ? 0
           : detail::run_join_size(backend_t<Policy>{}, policy, algorithm, kind, inputs, comp);
}

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Kind, class Left, class Right, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t
join_size_in_thread(Kind kind, Left left_first, Left left_last, Right right_first, Right right_last, Compare comp)
{
  return detail::serial_join_size(
    kind, detail::unchecked_join_inputs(left_first, left_last, right_first, right_last), comp);
}

/// The number of rows of a join.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Kind, class Left, class Right, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t join_size_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, Kind kind, Left left_first,
  Left left_last, Right right_first, Right right_last, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, int*, Left, Right>();
  detail::check_order<Compare, Left, Right>();
  const auto order = detail::as_order<Left, Right>(comp);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::join_size_from_host(
      detail::derived(policy), algorithm, kind, left_first, left_last, right_first, right_last, order)),
    (detail::join_size_in_thread(kind, left_first, left_last, right_first, right_last, order)))
}

/// State of a join_plan: its policy, and the search that was done with it.
template <class Policy, class Kind, class Left, class Right, class Compare>
class planned_join
{
  using inputs_type = decltype(detail::unchecked_join_inputs(
    std::declval<Left>(), std::declval<Left>(), std::declval<Right>(), std::declval<Right>()));

public:
  planned_join(
    const thrust::execution_policy<Policy>& policy, Left left_first, Left left_last, Right right_first,
    Right right_last, Compare comp)
      : policy_(detail::derived(policy))
      , inputs_(detail::checked_join_inputs(policy_, algorithm, left_first, left_last, right_first, right_last, comp))
      , search_(policy_, algorithm, inputs_, comp)
      , size_(search_.size())
  {
    detail::check_row_count(algorithm, size_);
  }

  std::int64_t size() const
  {
    return size_;
  }
  template <class LeftOut, class RightOut>
  thrust::pair<LeftOut, RightOut> fill(row_range rows, LeftOut left_out, RightOut right_out)
  {
    constexpr const char* name = "join_plan::fill";
    detail::check_iterators<backend_t<Policy>, LeftOut>();
    detail::check_iterators<backend_t<Policy>, RightOut>();
    detail::check_scattered_output<LeftOut>();
    detail::check_scattered_output<RightOut>();
    detail::check_row_range(name, rows.first, rows.last, size_);
    detail::check_join_outputs<LeftOut, RightOut>(name, inputs_);
    if (rows.size() > 0)
    {
      search_.fill(rows, detail::make_join_outputs(Kind{}, left_out, right_out));
    }
    return {left_out + rows.size(), right_out + rows.size()};
  }

private:
  static constexpr const char* algorithm = "join_plan";

  Policy policy_;
  inputs_type inputs_;
  join_search<backend_t<Policy>, Policy, Kind, inputs_type, Compare> search_;
  std::int64_t size_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

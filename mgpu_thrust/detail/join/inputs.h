// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The two tables of a join, in the form that its backends expect.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/preconditions.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Makes the inputs of a join, with unwrapped iterators and without checks.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Left, class Right>
MGPU_THRUST_HOST_DEVICE auto unchecked_join_inputs(Left left_first, Left left_last, Right right_first, Right right_last)
{
  return set_inputs{detail::unwrap(left_first),  no_values{}, static_cast<std::int64_t>(left_last - left_first),
                    detail::unwrap(right_first), no_values{}, static_cast<std::int64_t>(right_last - right_first)};
}

/// Makes the inputs of a join, with unwrapped iterators; checks their sizes and, in the checked mode, their order.
template <class Policy, class Left, class Right, class Compare>
auto checked_join_inputs(
  Policy& policy, const char* algorithm, Left left_first, Left left_last, Right right_first, Right right_last,
  Compare comp)
{
  const auto inputs = detail::unchecked_join_inputs(left_first, left_last, right_first, right_last);
  detail::check_size(algorithm, "the left input", inputs.a_count);
  detail::check_size(algorithm, "the right input", inputs.b_count);
  detail::check_total_size(algorithm, inputs.a_count, inputs.b_count);
  detail::check_sorted(policy, algorithm, "the left input", inputs.a, inputs.a_count, comp);
  detail::check_sorted(policy, algorithm, "the right input", inputs.b, inputs.b_count, comp);
  return inputs;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

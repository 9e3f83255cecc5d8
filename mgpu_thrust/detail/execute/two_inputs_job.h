// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What all jobs on two sorted inputs have in common.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/job.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What two inputs are called in messages.
struct input_names
{
  const char* a;
  const char* b;
};

/// The base of jobs on two set_inputs that are sorted by `comp`.
template <class Inputs, class Compare>
struct two_inputs_job : job_base
{
  using keys_a = decltype(Inputs::a);
  using keys_b = decltype(Inputs::b);
  using order_type = order_t<Compare, keys_a, keys_b>;

  input_names names;
  Inputs inputs;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  two_inputs_job(const input_names& names_of_inputs, const Inputs& two_inputs, const Compare& compare)
      : names(names_of_inputs)
      , inputs(two_inputs)
      , comp(compare)
  {
  }

  void check_sizes(size_checks& check) const
  {
    check.sizes_of_two(names.a, inputs.a_count, names.b, inputs.b_count);
  }
  template <class Check>
  void check_preconditions(const Check& check) const
  {
    if constexpr (!is_deferred_v<Inputs>)
    {
      check.sorted(names.a, inputs.a, inputs.a_count, order());
      check.sorted(names.b, inputs.b, inputs.b_count, order());
    }
  }

  /// The comparator as it is called.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE order_type order() const
  {
    return detail::as_order<keys_a, keys_b>(comp);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

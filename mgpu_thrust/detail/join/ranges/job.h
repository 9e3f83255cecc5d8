// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What a range join has of its inputs, as a join_job; and the count of the points in each interval as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/join/job.h>
#include <mgpu_thrust/detail/join/ranges/intervals.h>
#include <mgpu_thrust/detail/join/ranges/serial.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The base of jobs on interval_inputs, whose points are sorted by `comp`.
template <class Bounds, class Inputs, class Compare>
struct join_inputs_job<range_join_t<Bounds>, Inputs, Compare> : job_base
{
  using begins_type = decltype(Inputs::a);
  using ends_type = decltype(Inputs::ends);
  using points_type = decltype(Inputs::b);
  using order_type = interval_order_t<Compare, Inputs>;

  Inputs inputs;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE join_inputs_job(const Inputs& given, const Compare& compare)
      : inputs(given)
      , comp(compare)
  {
  }

  /// Asserts that Backend can read the inputs, and write to the outputs.
  template <class Backend, class... Outputs>
  MGPU_THRUST_HOST_DEVICE static void check_input_types()
  {
    (detail::check_iterators<Backend, Outputs, begins_type, ends_type, points_type>(), ...);
    detail::check_order<Backend, Compare, begins_type, points_type>();
    detail::check_order<Backend, Compare, ends_type, points_type>();
  }
  void check_sizes(size_checks& check) const
  {
    check.sizes_of_two("the range of begins", inputs.a_count, "the range of points", inputs.b_count);
  }
  template <class Check>
  void check_preconditions(const Check& check) const
  {
    if constexpr (!is_deferred_v<Inputs>)
    {
      check.sorted("the range of points", inputs.b, inputs.b_count, order());
      check.ordered("the range of begins", inputs.a, inputs.a_count, order());
      check.ordered("the range of ends", inputs.ends, inputs.a_count, order());
    }
  }

  /// The comparator as it is called.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE order_type order() const
  {
    return order_type{comp};
  }
};

/// Writes the number of points in each interval. Output is a search_output of counts.
template <class Kind, class Inputs, class Output, class Compare>
struct range_count_job : join_inputs_job<Kind, Inputs, Compare>
{
  using base = join_inputs_job<Kind, Inputs, Compare>;
  using base::inputs;
  using typename base::order_type;
  using result_type = Output;
  Output output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  range_count_job(Kind, const Inputs& given, const Output& of_counts, const Compare& compare)
      : base(given, compare)
      , output(of_counts)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    using iterator = decltype(Output::result);
    base::template check_input_types<Backend, iterator>();
    detail::check_results<Backend, iterator, decltype(Output::conversion(search_result{}))>();
  }
  void check_sizes(size_checks& check) const
  {
    base::check_sizes(check);
    check.index_range(inputs.b_count, Output::largest);
  }

  bool is_empty() const
  {
    return inputs.a_count == 0;
  }
  result_type empty_result() const
  {
    return output;
  }
  result_type result() const
  {
    return output + inputs.a_count;
  }

  /// The job for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return range_count_job<Kind, sized_t<Inputs>, Output, Compare>(Kind{}, detail::sized(inputs), output, this->comp);
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    Output end = output;
    order_type comp_of_thread = this->order();
    detail::search_intervals(Kind{}, inputs, 0, inputs.a_count, end, comp_of_thread);
    return end;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

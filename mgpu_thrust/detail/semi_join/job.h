// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of a semi or anti join as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/execute/two_inputs_job.h>
#include <mgpu_thrust/detail/semi_join/serial.h>

#include <cstdint>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// What a call does with the rows that are kept: it writes their indices, or counts them.

/// The output, as it was passed.
template <class Iterator>
struct semi_join_result
{
  using type = Iterator;
  using output_type = decltype(detail::output_of_rows(std::declval<Iterator>()));
  static constexpr bool writes = true;
  Iterator iterator;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE output_type output() const
  {
    return detail::output_of_rows(iterator);
  }
  /// The end of the output, given that of output().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE type end(const output_type& unwrapped) const
  {
    return detail::rewrap(iterator, unwrapped.result);
  }
  type of_size(std::int64_t size) const
  {
    return iterator + size;
  }
  type of_nothing() const
  {
    return iterator;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t size_of(const type& end) const
  {
    return static_cast<std::int64_t>(end - iterator);
  }
};

template <class Iterator>
semi_join_result(Iterator) -> semi_join_result<Iterator>;

struct semi_join_size : size_result
{
  using output_type = no_row_output;

  static no_row_output output()
  {
    return {};
  }
};

/// A search for the rows of the left input, A, in the right one, B, both sorted by `comp`. Filter is semi_join_t or
/// anti_join_t, Result one of the two above.
template <class Filter, class Inputs, class Result, class Compare>
struct semi_join_job : two_inputs_job<Inputs, Compare>
{
  using base = two_inputs_job<Inputs, Compare>;
  using typename base::keys_a;
  using typename base::keys_b;
  using typename base::order_type;
  using result_type = typename Result::type;
  using output_type = typename Result::output_type;
  static constexpr bool is_counted = true;

  using base::inputs;
  Result output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  semi_join_job(Filter, const Inputs& two_inputs, const Result& passed_output, const Compare& compare)
      : base({"the left input", "the right input"}, two_inputs, compare)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    if constexpr (Result::writes)
    {
      detail::check_iterators<Backend, typename Result::type, keys_a, keys_b>();
      detail::check_results<Backend, typename Result::type, typename output_type::index>();
    }
    else
    {
      detail::check_iterators<Backend, int*, keys_a, keys_b>();
    }
    detail::check_order<Backend, Compare, keys_a, keys_b>();
  }
  void check_sizes(size_checks& check) const
  {
    base::check_sizes(check);
    check.indices_of(inputs.a_count, output_type::largest);
  }

  bool is_empty() const
  {
    return detail::keeps_no_row(Filter{}, inputs);
  }
  result_type empty_result() const
  {
    return output.of_nothing();
  }
  result_type result(std::int64_t count, size_checks&) const
  {
    return output.of_size(count);
  }

  // The members for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return semi_join_job<Filter, sized_t<Inputs>, Result, Compare>(Filter{}, detail::sized(inputs), output, this->comp);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t count_of(const result_type& result_now) const
  {
    return output.size_of(result_now);
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted() const
  {
    return inputs.a_count;
  }

  std::int64_t count_capacity() const
  {
    return max_counted();
  }

  /// The input whose elements are searched for in the other, on a CPU and on the calling thread.
  MGPU_THRUST_HOST_DEVICE short_side searched_side() const
  {
    return detail::short_side_of_semi_join<Result::writes>(inputs);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    order_type comp_of_thread = this->order();
    if constexpr (Result::writes)
    {
      row_sink<Filter, output_type> sink{output.output(), 0};
      detail::step_through_rows(inputs, 0, inputs.a_count, 0, comp_of_thread, sink, ignore_step{});
      return output.end(sink.output);
    }
    else if (searched_side() == short_side::b)
    {
      const std::int64_t matched = detail::count_matched_rows(inputs, 0, inputs.b_count, comp_of_thread);
      return output.of_size(detail::rows_kept(Filter{}, inputs.a_count, matched));
    }
    else
    {
      row_counter<Filter> rows;
      detail::step_through_rows(inputs, 0, inputs.a_count, 0, comp_of_thread, rows, ignore_step{});
      return output.of_size(rows.size);
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

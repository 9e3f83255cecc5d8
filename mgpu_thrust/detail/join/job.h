// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of a join as a job, and, as another job, the writing of some of its rows after they were counted.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/execute/two_inputs_job.h>
#include <mgpu_thrust/detail/join/serial.h>

#include <thrust/pair.h>

#include <cstdint>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// What a call does with the rows: it writes them, all or as many as there is room for, or counts them. If it
// `saturates`, a number of rows above max_rows is max_rows; otherwise it is an error.

/// The outputs, as they were passed.
template <class Left, class Right>
struct join_result
{
  using type = thrust::pair<Left, Right>;
  static constexpr bool writes = true;
  static constexpr bool saturates = false;
  Left left;
  Right right;

  template <class Kind>
  using outputs_type = decltype(detail::make_join_outputs(Kind{}, std::declval<Left>(), std::declval<Right>()));

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Kind>
  MGPU_THRUST_HOST_DEVICE outputs_type<Kind> outputs(Kind kind) const
  {
    return detail::make_join_outputs(kind, left, right);
  }
  /// The ends of the outputs, given those of outputs().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Outputs>
  MGPU_THRUST_HOST_DEVICE type ends(const Outputs& unwrapped) const
  {
    return {detail::rewrap(left, unwrapped.left), detail::rewrap(right, unwrapped.right)};
  }
  type of_size(std::int64_t size) const
  {
    return {left + size, right + size};
  }
  type of_nothing() const
  {
    return {left, right};
  }
  /// Checks that the outputs can hold the indices of all elements.
  static void check_sizes(size_checks& check, std::int64_t left_count, std::int64_t right_count)
  {
    check.indices_of(left_count, largest_index<written_index_t<Left>>);
    check.indices_of(right_count, largest_index<written_index_t<Right>>);
  }
  static std::int64_t count_capacity()
  {
    return 0;
  }
};

template <class Left, class Right>
join_result(Left, Right) -> join_result<Left, Right>;

/// The outputs, as they were passed, with room for `room` rows. The result is the number of all rows.
template <class Left, class Right>
struct join_result_within : size_result
{
  static constexpr bool writes = true;
  static constexpr bool saturates = true;
  Left left;
  Right right;
  std::int64_t room;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE join_result_within(const Left& left_out, const Right& right_out, std::int64_t rows_capacity)
      : left(left_out)
      , right(right_out)
      , room(rows_capacity)
  {
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Kind>
  MGPU_THRUST_HOST_DEVICE auto outputs(Kind kind) const
  {
    return detail::make_join_outputs(kind, left, right);
  }
  void check_sizes(size_checks& check, std::int64_t left_count, std::int64_t right_count) const
  {
    check.size("the outputs", room);
    join_result<Left, Right>::check_sizes(check, left_count, right_count);
  }
  template <class Kind, class Inputs>
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted(Kind, const Inputs&) const
  {
    return room;
  }
  std::int64_t count_capacity() const
  {
    return room;
  }
};

/// Asserts at compile time that the outputs of a join can be assigned to from indices.
template <class Backend, class Result>
MGPU_THRUST_HOST_DEVICE void check_row_results()
{
  using left = decltype(Result::left);
  using right = decltype(Result::right);
  detail::check_results<Backend, left, written_index_t<left>>();
  detail::check_results<Backend, right, written_index_t<right>>();
}

struct join_size : size_result
{
  static constexpr bool saturates = false;

  static void check_sizes(size_checks&, std::int64_t, std::int64_t)
  {
  }
  static std::int64_t count_capacity()
  {
    return 0;
  }
};

struct saturating_join_size : join_size
{
  static constexpr bool saturates = true;

  template <class Kind, class Inputs>
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted(Kind kind, const Inputs& inputs) const
  {
    return detail::join_rows_bound(kind, inputs.a_count, inputs.b_count);
  }
};

/// What the jobs of a Kind of join have of their inputs; ranges/job.h has that of a range join.
template <class Kind, class Inputs, class Compare>
struct join_inputs_job : two_inputs_job<Inputs, Compare>
{
  using base = two_inputs_job<Inputs, Compare>;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE join_inputs_job(const Inputs& two_inputs, const Compare& compare)
      : base({"the left input", "the right input"}, two_inputs, compare)
  {
  }

  /// Asserts that Backend can read the inputs, and write to the outputs.
  template <class Backend, class... Outputs>
  MGPU_THRUST_HOST_DEVICE static void check_input_types()
  {
    using keys_a = typename base::keys_a;
    using keys_b = typename base::keys_b;
    (detail::check_iterators<Backend, Outputs, keys_a, keys_b>(), ...);
    detail::check_order<Backend, Compare, keys_a, keys_b>();
  }
};

/// A join of the left input, A, with the right one, B, both sorted by `comp`. Result is one of those above. A plan
/// keeps the temporary storage of a job that counts, for jobs that write its rows.
template <class Kind, class Inputs, class Result, class Compare>
struct join_job : join_inputs_job<Kind, Inputs, Compare>
{
  using base = join_inputs_job<Kind, Inputs, Compare>;
  using result_type = typename Result::type;
  static constexpr bool is_counted = true;

  using base::inputs;
  Result output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  join_job(Kind, const Inputs& two_inputs, const Result& passed_output, const Compare& compare)
      : base(two_inputs, compare)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    if constexpr (Result::writes)
    {
      base::template check_input_types<Backend, decltype(Result::left), decltype(Result::right)>();
      detail::check_row_results<Backend, Result>();
    }
    else
    {
      base::template check_input_types<Backend, int*>();
    }
  }
  void check_sizes(size_checks& check) const
  {
    base::check_sizes(check);
    output.check_sizes(check, inputs.a_count, inputs.b_count);
  }

  bool is_empty() const
  {
    return inputs.a_count == 0 && inputs.b_count == 0;
  }
  result_type empty_result() const
  {
    return output.of_nothing();
  }
  result_type result(std::int64_t count, size_checks& check) const
  {
    check_rows(count, check);
    return output.of_size(count);
  }
  /// Checks that there are not too many rows, unless the number saturates.
  static void check_rows([[maybe_unused]] std::int64_t count, [[maybe_unused]] size_checks& check)
  {
    if constexpr (!Result::saturates)
    {
      check.row_count(count);
    }
  }

  // The members for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return join_job<Kind, sized_t<Inputs>, Result, Compare>(Kind{}, detail::sized(inputs), output, this->comp);
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t count_of(const result_type& result_now) const
  {
    return output.size_of(result_now);
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted() const
  {
    return output.max_counted(Kind{}, inputs);
  }
  std::int64_t count_capacity() const
  {
    return output.count_capacity();
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    if constexpr (Result::writes && Result::saturates)
    {
      return detail::serial_join_within(Kind{}, inputs, output.outputs(Kind{}), output.room, this->order());
    }
    else if constexpr (Result::writes)
    {
      return output.ends(detail::serial_join(Kind{}, inputs, output.outputs(Kind{}), this->order()));
    }
    else
    {
      return detail::serial_join_size(Kind{}, inputs, this->order());
    }
  }
};

/// The rows of a join that are written: some of `size`. `size` is max_rows if it is not known.
struct wanted_rows
{
  row_range rows;
  std::int64_t size;
};

/// The `count` rows from `first` on, of a join whose number of rows is not known; an invalid range for wrong numbers.
inline wanted_rows rows_from(std::int64_t first, std::int64_t count)
{
  const bool is_range = first >= 0 && count >= 0 && count <= max_rows - first;
  return {is_range ? row_range{first, first + count} : row_range{0, -1}, max_rows};
}

/// Writes some rows of a join, the first of them to the outputs' first elements. The rows were counted before:
/// `counted` is the temporary storage of the job that counted them. In the device layer it is null, as the caller
/// passes that storage again.
template <class Kind, class Inputs, class Result, class Compare>
struct join_rows_job : join_inputs_job<Kind, Inputs, Compare>
{
  using base = join_inputs_job<Kind, Inputs, Compare>;
  using typename base::order_type;
  using result_type = typename Result::type;

  void* counted;
  using base::inputs;
  wanted_rows wanted;
  Result output;

  join_rows_job(
    Kind, void* storage, const Inputs& two_inputs, const wanted_rows& range, const Result& passed_output,
    const Compare& compare)
      : base(two_inputs, compare)
      , counted(storage)
      , wanted(range)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_iterators<Backend, decltype(Result::left)>();
    detail::check_iterators<Backend, decltype(Result::right)>();
    detail::check_scattered_output<decltype(Result::left)>();
    detail::check_scattered_output<decltype(Result::right)>();
    detail::check_row_results<Backend, Result>();
  }
  void check_sizes(size_checks& check) const
  {
    base::check_sizes(check);
    check.row_range(wanted.rows.first, wanted.rows.last, wanted.size);
    output.check_sizes(check, inputs.a_count, inputs.b_count);
  }
  template <class Check>
  void check_preconditions(const Check&) const
  {
  }

  bool is_empty() const
  {
    return wanted.rows.size() == 0 || (inputs.a_count == 0 && inputs.b_count == 0);
  }
  result_type empty_result() const
  {
    return output.of_nothing();
  }
  result_type result() const
  {
    return output.of_size(wanted.rows.size());
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

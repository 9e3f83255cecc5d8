// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of a set operation or a merge as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/execute/two_inputs_job.h>
#include <mgpu_thrust/detail/set_operation/result.h>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/short_side.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// What a call does with the elements that an operation keeps: it writes them (result.h), counts them, or tells whether
// there are any.

struct set_size : size_result
{
  using outputs_type = no_outputs;

  MGPU_THRUST_HOST_DEVICE static no_outputs outputs()
  {
    return {};
  }
};

struct set_emptiness
{
  using type = bool;
  using outputs_type = no_outputs;
  static constexpr bool writes = false;

  MGPU_THRUST_HOST_DEVICE static no_outputs outputs()
  {
    return {};
  }
  MGPU_THRUST_HOST_DEVICE static type of_size(std::int64_t size)
  {
    return size == 0;
  }
  static type of_nothing()
  {
    return true;
  }
};

/// A set operation or merge of two inputs, which are sorted by `comp`. Result is one of the two
/// above or of the two of result.h.
template <class Operation, class Inputs, class Result, class Compare>
struct set_operation_job : two_inputs_job<Inputs, Compare>
{
  using base = two_inputs_job<Inputs, Compare>;
  using typename base::keys_a;
  using typename base::keys_b;
  using typename base::order_type;
  using result_type = typename Result::type;
  using outputs_type = typename Result::outputs_type;
  static constexpr bool is_counted = Operation::matches || is_deferred_v<Inputs>;
  static constexpr bool writes = Result::writes;
  static_assert(writes || Operation::matches, "the size of a result is known where nothing matches");

  using base::inputs;
  Result output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  set_operation_job(Operation, const Inputs& two_inputs, const Result& passed_output, const Compare& compare)
      : base({"the first input", "the second input"}, two_inputs, compare)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    if constexpr (writes)
    {
      using keys_out = decltype(Result::keys);
      detail::check_iterators<Backend, keys_out, keys_a, keys_b>();
      using values_out = decltype(Result::values);
      detail::check_iterators<Backend, values_or_integers<values_out>>();
      detail::check_order<Backend, Compare, keys_a, keys_b>();
      detail::check_kept_elements<
        Backend, Operation, Result, keys_a, decltype(Inputs::a_values), keys_b, decltype(Inputs::b_values)>();
    }
    else
    {
      detail::check_iterators<Backend, int*, keys_a, keys_b>();
      detail::check_order<Backend, Compare, keys_a, keys_b>();
    }
  }

  /// Whether the sizes alone tell the result. A range is never included in a shorter one.
  bool is_empty() const
  {
    return detail::keeps_nothing(Operation{}, inputs) || is_kept_for_sure();
  }
  result_type empty_result() const
  {
    if constexpr (std::is_same_v<Result, set_emptiness>)
    {
      return !is_kept_for_sure();
    }
    else
    {
      return output.of_nothing();
    }
  }
  result_type result() const
  {
    return output.of_size(inputs.a_count + inputs.b_count);
  }
  result_type result(std::int64_t count, size_checks&) const
  {
    return output.of_size(count);
  }

  // The members for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return set_operation_job<Operation, sized_t<Inputs>, Result, Compare>(
      Operation{}, detail::sized(inputs), output, this->comp);
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t count_of(const result_type& result_now) const
  {
    return output.size_of(result_now);
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted() const
  {
    return detail::max_kept(Operation{}, inputs);
  }

  std::int64_t count_capacity() const
  {
    return max_counted();
  }

  /// The input whose elements are searched for in the other, on a CPU and on the calling thread.
  MGPU_THRUST_HOST_DEVICE short_side searched_side() const
  {
    return detail::short_side_of<writes>(Operation{}, inputs);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    order_type comp_of_thread = this->order();
    [[maybe_unused]] const short_side side = searched_side();
    [[maybe_unused]] const std::int64_t needles = side == short_side::a ? inputs.a_count : inputs.b_count;
    if constexpr (writes)
    {
      write_sink<Inputs, outputs_type> sink{inputs, output.outputs()};
      if (side != short_side::none)
      {
        match_writer<decltype(inputs.a), decltype(sink)> writer{inputs.a, sink};
        detail::match_short_side<true>(Operation{}, inputs, 0, needles, comp_of_thread, writer);
        return output.ends(writer.sink.outputs);
      }
      detail::serial_set_operation(Operation{}, inputs, comp_of_thread, sink);
      return output.ends(sink.outputs);
    }
    else
    {
      if (side != short_side::none)
      {
        match_counter matches;
        detail::match_short_side<false>(set_intersection_t{}, inputs, 0, needles, comp_of_thread, matches);
        return output.of_size(detail::size_of_matches(Operation{}, inputs, matches.size));
      }
      count_sink sink;
      detail::serial_set_operation(Operation{}, inputs, comp_of_thread, sink);
      return output.of_size(sink.size);
    }
  }

private:
  /// Whether set_emptiness is asked about a difference that keeps an element whatever the elements are.
  bool is_kept_for_sure() const
  {
    return std::is_same_v<Result, set_emptiness> && Operation::keeps_unmatched_b && inputs.b_count > inputs.a_count;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

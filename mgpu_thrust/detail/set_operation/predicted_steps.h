// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The loops with branches on the data, for inputs whose outcomes a branch predictor foresees: long stretches of one
/// input, alternating and identical inputs, and other patterns with a short period. There a step with branches is
/// several times faster than one whose next address depends on its comparison, since the processor executes the next
/// steps before the comparison is done; and where the outcomes stay the same for long, whole strides of elements need a
/// comparison each instead of each element.
///
/// These loops take a cycle or two per step, and are functions of their own, never inlined: the caller's other work
/// costs them no registers, and they compile to the same few instructions wherever they are used.

#include <mgpu_thrust/detail/base/cheap_keys.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/adaptive_tuning.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Executes steps with branches on the data from `at` until either input has reached its position in `end`.
template <class Operation, class Inputs, class Compare, class Sink>
[[gnu::noinline]] set_position set_operation_branches(
  Operation operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Sink& sink)
{
  return detail::set_operation_steps(operation, inputs, at, end, comp, sink);
}

/// The strides of set_operation_strides. Each function starts at a position in both inputs, passes what it consumes to
/// `sink`, and returns where it stopped: before the first stride of which a step has another outcome, or which leaves
/// `end`. As the inputs are sorted, one comparison shows that a whole stride of one input goes before the other's next
/// element: the comparison of the stride's last element.
template <class Operation, class Inputs, class Compare>
struct stride_steps
{
  const Inputs& inputs;
  set_position end;
  Compare& comp;

  static constexpr std::int64_t stride = stride_elements;

  /// Whether element i of A goes before element j of B, without a match.
  [[gnu::always_inline]] bool a_less(std::int64_t i, std::int64_t j) const
  {
    return detail::a_goes_first(Operation{}, comp, detail::element(inputs.a, i), detail::element(inputs.b, j));
  }
  [[gnu::always_inline]] bool b_less(std::int64_t i, std::int64_t j) const
  {
    return comp(detail::element(inputs.b, j), detail::element(inputs.a, i));
  }

  template <class Sink>
  [[gnu::always_inline]] set_position consume_a(set_position at, Sink& sink) const
  {
    for (; at.i + stride <= end.i && a_less(at.i + stride - 1, at.j); at.i += stride)
    {
      if constexpr (Operation::keeps_unmatched_a)
      {
        sink.range_from_a(at.i, at.i + stride);
      }
    }
    return at;
  }
  template <class Sink>
  [[gnu::always_inline]] set_position consume_b(set_position at, Sink& sink) const
  {
    for (; at.j + stride <= end.j && b_less(at.i, at.j + stride - 1); at.j += stride)
    {
      if constexpr (Operation::keeps_unmatched_b)
      {
        sink.range_from_b(at.j, at.j + stride);
      }
    }
    return at;
  }
  /// Consumes strides of A and B that match element by element.
  template <class Sink>
  [[gnu::always_inline]] set_position consume_matches(set_position at, Sink& sink) const
  {
    for (; at.i + stride <= end.i && at.j + stride <= end.j; at.i += stride, at.j += stride)
    {
      bool all_match = true;
      for (std::int64_t k = 0; k < stride; ++k)
      {
        all_match &= !a_less(at.i + k, at.j + k);
        all_match &= !b_less(at.i + k, at.j + k);
      }
      if (!all_match)
      {
        break;
      }
      if constexpr (Operation::keeps_matched)
      {
        sink.range_from_matches(at.i, at.i + stride, at.j);
      }
    }
    return at;
  }
};

/// Like set_operation_branches, but after each step consumes whole strides of elements as long as these have the same
/// outcome, or alternate.
template <class Operation, class Inputs, class Compare, class Sink>
[[gnu::noinline]] set_position set_operation_strides(
  Operation operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Sink& sink)
{
  const stride_steps<Operation, Inputs, Compare> strides{inputs, end, comp};
  Sink local = sink; // local copy, so that the compiler keeps it in registers
  while (at.i < end.i && at.j < end.j)
  {
    // The step compares again. Deriving its outcome from `at` would cost 15 % on long stretches: it is known later.
    const bool a_was_less = strides.a_less(at.i, at.j);
    const bool b_was_less = !a_was_less && strides.b_less(at.i, at.j);
    at = detail::set_operation_steps(operation, inputs, at, {at.i + 1, at.j + 1}, comp, local);
    if (!is_plain_order<Compare> && (at.i >= end.i || at.j >= end.j))
    {
      break; // an invalid order may have another answer each time, and the step may have taken the other input's last
    }
    if (a_was_less)
    {
      at = strides.consume_a(at, local);
      // Strides of alternating elements of B and A, of B first. The last one of A goes before the next one of B, which
      // must exist. (As a member of stride_steps, as the others are, clang 14 does not vectorize the comparison, and a
      // merge of alternating inputs takes 10 to 15 % longer.)
      constexpr std::int64_t stride = stride_elements;
      for (; at.i + stride <= end.i && at.j + stride < end.j; at.i += stride, at.j += stride)
      {
        bool alternate = true;
        for (std::int64_t k = 0; k < stride; ++k)
        {
          alternate &= strides.b_less(at.i + k, at.j + k);
          alternate &= strides.a_less(at.i + k, at.j + k + 1);
        }
        if (!alternate)
        {
          break;
        }
        for (std::int64_t k = 0; k < stride; ++k)
        {
          if constexpr (Operation::keeps_unmatched_b)
          {
            local.from_b(detail::element(inputs.b, at.j + k), at.j + k);
          }
          if constexpr (Operation::keeps_unmatched_a)
          {
            local.from_a(detail::element(inputs.a, at.i + k), at.i + k);
          }
        }
      }
    }
    else if (b_was_less)
    {
      at = strides.consume_b(at, local);
    }
    else
    {
      at = strides.consume_matches(at, local);
    }
  }
  detail::reassign(sink, local);
  return at;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

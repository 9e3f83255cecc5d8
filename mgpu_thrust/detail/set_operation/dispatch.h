// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The one dispatch path from the Thrust-style interface of the set operations to their backends.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/host_or_device.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/set_operation/cpu.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/set_operation/cuda.cuh>
#endif

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Makes the inputs of a set operation, with unwrapped iterators and without checks.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeysA, class ValuesA, class KeysB, class ValuesB>
MGPU_THRUST_HOST_DEVICE auto
unchecked_set_inputs(KeysA a_first, KeysA a_last, ValuesA a_values, KeysB b_first, KeysB b_last, ValuesB b_values)
{
  return set_inputs{detail::unwrap(a_first), detail::unwrap(a_values), static_cast<std::int64_t>(a_last - a_first),
                    detail::unwrap(b_first), detail::unwrap(b_values), static_cast<std::int64_t>(b_last - b_first)};
}

/// Makes the inputs of a set operation, with unwrapped iterators; checks their sizes and, in the checked mode, their
/// order.
template <class Policy, class KeysA, class ValuesA, class KeysB, class ValuesB, class Compare>
auto checked_set_inputs(
  Policy& policy, const char* algorithm, Compare comp, KeysA a_first, KeysA a_last, ValuesA a_values, KeysB b_first,
  KeysB b_last, ValuesB b_values)
{
  const auto inputs = detail::unchecked_set_inputs(a_first, a_last, a_values, b_first, b_last, b_values);
  detail::check_size(algorithm, "the first input", inputs.a_count);
  detail::check_size(algorithm, "the second input", inputs.b_count);
  detail::check_total_size(algorithm, inputs.a_count, inputs.b_count);
  detail::check_sorted(policy, algorithm, "the first input", inputs.a, inputs.a_count, comp);
  detail::check_sorted(policy, algorithm, "the second input", inputs.b, inputs.b_count, comp);
  return inputs;
}

template <class Policy, class Operation, class KeysOut, class ValuesOut, class Compare, class... Inputs>
set_outputs<KeysOut, ValuesOut> set_operation_from_host(
  Policy& policy, const char* algorithm, Operation operation, KeysOut keys_out, ValuesOut values_out, Compare comp,
  Inputs... inputs_in)
{
  const auto inputs = detail::checked_set_inputs(policy, algorithm, comp, inputs_in...);
  if (detail::keeps_nothing(operation, inputs))
  {
    return {keys_out, values_out};
  }
  const set_outputs outputs{detail::unwrap(keys_out), detail::unwrap(values_out)};
  const auto end = detail::run_set_operation(backend_t<Policy>{}, policy, algorithm, operation, inputs, outputs, comp);
  return {detail::rewrap(keys_out, end.keys), detail::rewrap(values_out, end.values)};
}

template <class Policy, class Operation, class Compare, class... Inputs>
std::int64_t set_operation_size_from_host(
  Policy& policy, const char* algorithm, Operation operation, Compare comp, Inputs... inputs_in)
{
  const auto inputs = detail::checked_set_inputs(policy, algorithm, comp, inputs_in...);
  return detail::keeps_nothing(operation, inputs)
           ? 0
           : detail::run_set_operation_size(backend_t<Policy>{}, policy, algorithm, operation, inputs, comp);
}

template <class Policy, class Operation, class Compare, class... Inputs>
bool set_operation_empty_from_host(
  Policy& policy, const char* algorithm, Operation operation, Compare comp, Inputs... inputs_in)
{
  const auto inputs = detail::checked_set_inputs(policy, algorithm, comp, inputs_in...);
  return detail::keeps_nothing(operation, inputs)
         || detail::run_set_operation_empty(backend_t<Policy>{}, policy, algorithm, operation, inputs, comp);
}

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class KeysOut, class ValuesOut, class Compare, class... Inputs>
MGPU_THRUST_HOST_DEVICE set_outputs<KeysOut, ValuesOut>
set_operation_in_thread(Operation operation, KeysOut keys_out, ValuesOut values_out, Compare comp, Inputs... inputs_in)
{
  const auto inputs = detail::unchecked_set_inputs(inputs_in...);
  const set_outputs outputs{detail::unwrap(keys_out), detail::unwrap(values_out)};
  write_sink<std::decay_t<decltype(inputs)>, std::decay_t<decltype(outputs)>> sink{inputs, outputs};
  detail::serial_set_operation(operation, inputs, comp, sink);
  return {detail::rewrap(keys_out, sink.outputs.keys), detail::rewrap(values_out, sink.outputs.values)};
}

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class Compare, class... Inputs>
MGPU_THRUST_HOST_DEVICE std::int64_t
set_operation_size_in_thread(Operation operation, Compare comp, Inputs... inputs_in)
{
  count_sink sink;
  detail::serial_set_operation(operation, detail::unchecked_set_inputs(inputs_in...), comp, sink);
  return sink.size;
}

/// Checks at compile time that the keys that an operation keeps can be copied to its output.
template <class Operation, class KeysOut, class KeysA, class KeysB>
constexpr void check_set_copies()
{
  if constexpr (Operation::keeps_unmatched_a || Operation::keeps_matched)
  {
    detail::check_copies<KeysOut, KeysA>();
  }
  if constexpr (Operation::keeps_unmatched_b)
  {
    detail::check_copies<KeysOut, KeysB>();
  }
}

/// Executes a set operation and returns its outputs advanced past the result. Values are iterators or no_values.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Operation, class KeysA, class ValuesA, class KeysB, class ValuesB, class KeysOut, class ValuesOut,
  class Compare>
MGPU_THRUST_HOST_DEVICE set_outputs<KeysOut, ValuesOut> set_operation_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, Operation operation,
  KeysA a_first, KeysA a_last, ValuesA a_values, KeysB b_first, KeysB b_last, ValuesB b_values, KeysOut keys_out,
  ValuesOut values_out, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, KeysOut, KeysA, KeysB>();
  detail::check_iterators<backend_t<Policy>, std::conditional_t<has_values<ValuesOut>, ValuesOut, int*>>();
  detail::check_order<Compare, KeysA, KeysB>();
  detail::check_set_copies<Operation, KeysOut, KeysA, KeysB>();
  const auto order = detail::as_order<KeysA, KeysB>(comp);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::set_operation_from_host(
      detail::derived(policy), algorithm, operation, keys_out, values_out, order, a_first, a_last, a_values, b_first,
      b_last, b_values)),
    (detail::set_operation_in_thread(
      operation, keys_out, values_out, order, a_first, a_last, a_values, b_first, b_last, b_values)))
}

/// Counts the elements that a set operation keeps.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Operation, class KeysA, class KeysB, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t set_operation_size_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, Operation operation,
  KeysA a_first, KeysA a_last, KeysB b_first, KeysB b_last, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, int*, KeysA, KeysB>();
  detail::check_order<Compare, KeysA, KeysB>();
  const auto order = detail::as_order<KeysA, KeysB>(comp);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::set_operation_size_from_host(
      detail::derived(policy), algorithm, operation, order, a_first, a_last, no_values{}, b_first, b_last,
      no_values{})),
    (detail::set_operation_size_in_thread(
      operation, order, a_first, a_last, no_values{}, b_first, b_last, no_values{})))
}

/// Whether a set operation keeps no element.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Operation, class KeysA, class KeysB, class Compare>
MGPU_THRUST_HOST_DEVICE bool set_operation_empty_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, Operation operation,
  KeysA a_first, KeysA a_last, KeysB b_first, KeysB b_last, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, int*, KeysA, KeysB>();
  detail::check_order<Compare, KeysA, KeysB>();
  const auto order = detail::as_order<KeysA, KeysB>(comp);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::set_operation_empty_from_host(
      detail::derived(policy), algorithm, operation, order, a_first, a_last, no_values{}, b_first, b_last,
      no_values{})),
    (detail::set_operation_size_in_thread(operation, order, a_first, a_last, no_values{}, b_first, b_last, no_values{})
     == 0))
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

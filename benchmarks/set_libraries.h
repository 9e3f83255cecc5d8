// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The table of the set operations and merges, and their forms, and the libraries that have them on a CPU and on a GPU.

#include "forms.h"

#include <mgpu_thrust/merge.h>
#include <mgpu_thrust/set_operations.h>

#include <thrust/functional.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/memory.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/set_operations.h>
#include <thrust/transform.h>

#include <cuda/std/functional>

#include <algorithm>
#include <cstdint>

namespace mgpu_benchmark
{

// The table of operations. Functions are function objects here, so that they can be passed to a library.
#define MGPU_BENCHMARK_SET_OPERATION(NAME, HAS_B_VALUES)                                                               \
  struct NAME                                                                                                          \
  {                                                                                                                    \
    static constexpr const char* name = #NAME;                                                                         \
    static constexpr bool has_b_values = HAS_B_VALUES; /* the form by key takes values of B */                         \
    static constexpr auto mgpu_keys = [](const auto&... arguments) { return mgpu::NAME(arguments...); };               \
    static constexpr auto mgpu_by_key = [](const auto&... arguments) { return mgpu::NAME##_by_key(arguments...); };    \
    static constexpr auto mgpu_size = [](const auto&... arguments) { return mgpu::NAME##_size(arguments...); };        \
    static constexpr auto thrust_keys = [](const auto&... arguments) { return thrust::NAME(arguments...); };           \
    static constexpr auto thrust_by_key = [](const auto&... arguments)                                                 \
    { return thrust::NAME##_by_key(arguments...); };                                                                   \
    static constexpr auto std_keys = [](const auto&... arguments) { return std::NAME(arguments...); };                 \
  }
MGPU_BENCHMARK_SET_OPERATION(set_intersection, false);
MGPU_BENCHMARK_SET_OPERATION(set_union, true);
MGPU_BENCHMARK_SET_OPERATION(set_difference, true);
MGPU_BENCHMARK_SET_OPERATION(set_symmetric_difference, true);
#undef MGPU_BENCHMARK_SET_OPERATION

/// A merge, which has no form that only counts.
struct merge
{
  static constexpr const char* name = "merge";
  static constexpr bool has_b_values = true;
  static constexpr auto mgpu_keys = [](const auto&... arguments) { return mgpu::merge(arguments...); };
  static constexpr auto mgpu_by_key = [](const auto&... arguments) { return mgpu::merge_by_key(arguments...); };
  static constexpr auto thrust_keys = [](const auto&... arguments) { return thrust::merge(arguments...); };
  static constexpr auto thrust_by_key = [](const auto&... arguments) { return thrust::merge_by_key(arguments...); };
  static constexpr auto std_keys = [](const auto&... arguments) { return std::merge(arguments...); };
};

// The forms of an operation, with size_form.
struct keys_form
{
  static constexpr const char* name = "keys";
};
struct by_key_form
{
  static constexpr const char* name = "by_key";
};
/// By key, with the sum of both values where both inputs have a key, which neither has twice.
struct combined_form
{
  static constexpr const char* name = "combined";
};

/// The arguments of an operation.
template <class Key, class Value>
struct set_arguments
{
  const Key* a_first;
  const Key* a_last;
  const Key* b_first;
  const Key* b_last;
  const Value* a_values;
  const Value* b_values;
  Key* keys_out;
  Value* values_out;
};

/// Calls one of the *_by_key functions, and returns the number of keys written.
template <class Operation, class Function, class Policy, class Key, class Value>
std::int64_t call_by_key(Function function, const Policy& policy, const set_arguments<Key, Value>& in)
{
  if constexpr (Operation::has_b_values)
  {
    return function(
             policy, in.a_first, in.a_last, in.b_first, in.b_last, in.a_values, in.b_values, in.keys_out, in.values_out)
             .first
           - in.keys_out;
  }
  else
  {
    return function(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.a_values, in.keys_out, in.values_out).first
           - in.keys_out;
  }
}

// A library executes an operation in one of its forms, and returns the number of keys of the result.
struct mgpu_set_operations
{
  static constexpr const char* name = "mgpu";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, keys_form, const Policy& policy, const Arguments& in)
  {
    return Operation::mgpu_keys(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.keys_out) - in.keys_out;
  }
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, by_key_form, const Policy& policy, const Arguments& in)
  {
    return call_by_key<Operation>(Operation::mgpu_by_key, policy, in);
  }
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, combined_form, const Policy& policy, const Arguments& in)
  {
    return Operation::mgpu_by_key(
             policy, in.a_first, in.a_last, in.b_first, in.b_last, in.a_values, in.b_values, in.keys_out, in.values_out,
             ::cuda::std::less<>{}, ::cuda::std::plus<>{})
             .first
           - in.keys_out;
  }
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, size_form, const Policy& policy, const Arguments& in)
  {
    return Operation::mgpu_size(policy, in.a_first, in.a_last, in.b_first, in.b_last);
  }
};

struct thrust_set_operations
{
  static constexpr const char* name = "thrust";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, keys_form, const Policy& policy, const Arguments& in)
  {
    return Operation::thrust_keys(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.keys_out) - in.keys_out;
  }
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, by_key_form, const Policy& policy, const Arguments& in)
  {
    return call_by_key<Operation>(Operation::thrust_by_key, policy, in);
  }
  /// Thrust has no function that combines values. A union is merged, and equal keys are reduced.
  template <class Policy, class Key, class Value>
  static std::int64_t run(set_union, combined_form, const Policy& policy, const set_arguments<Key, Value>& in)
  {
    const std::int64_t size = in.a_last - in.a_first + (in.b_last - in.b_first);
    const auto keys = thrust::get_temporary_buffer<Key>(policy, size);
    const auto values = thrust::get_temporary_buffer<Value>(policy, size);
    Key* const merged = thrust::raw_pointer_cast(keys.first);
    Value* const merged_values = thrust::raw_pointer_cast(values.first);
    thrust::merge_by_key(
      policy, in.a_first, in.a_last, in.b_first, in.b_last, in.a_values, in.b_values, merged, merged_values);
    const auto ends = thrust::reduce_by_key(policy, merged, merged + size, merged_values, in.keys_out, in.values_out);
    thrust::return_temporary_buffer(policy, values.first, values.second);
    thrust::return_temporary_buffer(policy, keys.first, keys.second);
    return ends.first - in.keys_out;
  }
  /// The values of A in an intersection, then those of B, then their sums.
  template <class Policy, class Key, class Value>
  static std::int64_t run(set_intersection, combined_form, const Policy& policy, const set_arguments<Key, Value>& in)
  {
    const auto buffer = thrust::get_temporary_buffer<Value>(policy, in.b_last - in.b_first);
    Value* const b_values = thrust::raw_pointer_cast(buffer.first);
    const auto ends = thrust::set_intersection_by_key(
      policy, in.a_first, in.a_last, in.b_first, in.b_last, in.a_values, in.keys_out, in.values_out);
    thrust::set_intersection_by_key(
      policy, in.b_first, in.b_last, in.a_first, in.a_last, in.b_values, thrust::make_discard_iterator(), b_values);
    thrust::transform(policy, in.values_out, ends.second, b_values, in.values_out, thrust::plus<Value>{});
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
    return ends.first - in.keys_out;
  }
  /// Thrust has no function that only counts: the result is written to a discard iterator.
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, size_form, const Policy& policy, const Arguments& in)
  {
    const auto nowhere = thrust::make_discard_iterator();
    return Operation::thrust_keys(policy, in.a_first, in.a_last, in.b_first, in.b_last, nowhere) - nowhere;
  }
};

} // namespace mgpu_benchmark

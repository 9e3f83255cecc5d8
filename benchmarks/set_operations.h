// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of the set operations, the same on a CPU and on a GPU: the problems, and how a result is checked.

#include "harness.h"
#include "set_libraries.h"

#include <thrust/sequence.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace mgpu_benchmark
{

/// The correct result of a problem.
template <class Machine, class Key, class Value>
struct set_result
{
  std::int64_t size;
  typename Machine::template vector<Key> keys;
  typename Machine::template vector<Value> values;
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Key, class Value>
struct set_data
{
  using result = set_result<Machine, Key, Value>;

  typename Machine::template vector<Key> a_keys, b_keys, keys_out;
  typename Machine::template vector<Value> a_values, b_values, values_out;

  template <class Problem>
  set_data(Machine& machine, const Problem& problem)
      : a_keys(element_count(problem.input.a_thousandths, problem.n))
      , b_keys(element_count(problem.input.b_thousandths, problem.n))
      , keys_out(a_keys.size() + b_keys.size())
      , a_values(Problem::has_values ? a_keys.size() : 0)
      , b_values(Problem::has_values ? b_keys.size() : 0)
      , values_out(a_values.size() + b_values.size())
  {
    const auto policy = machine.policy();
    const set_arguments<Key, Value> in = arguments();
    fill_with_sorted_keys(policy, problem.input, side::a, problem.n, pointer_to(a_keys), in.a_last - in.a_first);
    fill_with_sorted_keys(policy, problem.input, side::b, problem.n, pointer_to(b_keys), in.b_last - in.b_first);
    // All values are different, so that they show which element of the inputs a key of the result is.
    thrust::sequence(policy, pointer_to(a_values), pointer_to(a_values) + a_values.size(), Value{0});
    thrust::sequence(
      policy, pointer_to(b_values), pointer_to(b_values) + b_values.size(), static_cast<Value>(a_values.size()));
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    return library.run(typename Problem::operation{}, typename Problem::form{}, policy, arguments());
  }
  void poison(Machine& machine)
  {
    fill_all(machine, keys_out, -77);
    fill_all(machine, values_out, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t size)
  {
    const bool has_keys = !std::is_same_v<typename Problem::form, size_form>;
    const auto keys_end = keys_out.begin() + (has_keys ? size : 0);
    const auto values_end = values_out.begin() + (Problem::has_values ? size : 0);
    return new result{size, {keys_out.begin(), keys_end}, {values_out.begin(), values_end}};
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t size)
  {
    if (size != expected.size)
    {
      throw std::runtime_error(
        "wrong result: " + std::to_string(size) + " keys instead of " + std::to_string(expected.size));
    }
    if (!begins_with(machine, keys_out, expected.keys))
    {
      throw std::runtime_error("wrong result: the keys");
    }
    if (!begins_with(machine, values_out, expected.values))
    {
      throw std::runtime_error("wrong result: the values");
    }
  }
  /// The work of a call: each key of the inputs is read once, and each key of the result written once; values are read
  /// and written for the elements of the result only, two of a match if they are combined.
  template <class Problem>
  work one_call(const Problem&, const result& expected)
  {
    const std::size_t written = expected.values.size();
    const bool is_union = std::is_same_v<typename Problem::operation, set_union>;
    const std::size_t read = !Problem::combines ? written : is_union ? values_out.size() : 2 * written;
    return {
      static_cast<std::int64_t>(keys_out.size()),
      static_cast<std::int64_t>(
        sizeof(Key) * (keys_out.size() + expected.keys.size()) + sizeof(Value) * (read + written))};
  }

private:
  set_arguments<Key, Value> arguments()
  {
    return {pointer_to(a_keys),   pointer_to(a_keys) + a_keys.size(),
            pointer_to(b_keys),   pointer_to(b_keys) + b_keys.size(),
            pointer_to(a_values), pointer_to(b_values),
            pointer_to(keys_out), pointer_to(values_out)};
  }
};

/// One operation on one input.
template <class OperationType, class FormType, class KeyType, class ValueType>
struct set_problem
{
  using operation = OperationType;
  using form = FormType;
  template <class Machine>
  using data = set_data<Machine, KeyType, ValueType>; ///< without values, ValueType is char

  distribution input;
  std::int64_t n;
  std::string types;

  static constexpr bool combines = std::is_same_v<form, combined_form>;
  static constexpr bool has_values = combines || std::is_same_v<form, by_key_form>;

  static bool takes(const distribution& input)
  {
    return !combines || input.pattern == key_pattern::distinct;
  }

  /// Names the inputs.
  std::string input_name() const
  {
    return types + "/" + input.name + "/n:" + std::to_string(element_count(input.a_thousandths, n)) + "+"
           + std::to_string(element_count(input.b_thousandths, n));
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + form::name + "/" + input_name();
  }
};

template <class Form, class Key, class Value>
auto set_problems_on(const char* type)
{
  const auto set_operations = std::make_tuple(
    problems_on<set_problem<set_intersection, Form, Key, Value>>{type},
    problems_on<set_problem<set_union, Form, Key, Value>>{type},
    problems_on<set_problem<set_difference, Form, Key, Value>>{type},
    problems_on<set_problem<set_symmetric_difference, Form, Key, Value>>{type});
  if constexpr (std::is_same_v<Form, size_form>)
  {
    return set_operations;
  }
  else
  {
    return std::tuple_cat(set_operations, std::make_tuple(problems_on<set_problem<merge, Form, Key, Value>>{type}));
  }
}
inline auto set_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::set_problems_on<keys_form, std::int32_t, char>("i32"),
    mgpu_benchmark::set_problems_on<size_form, std::int32_t, char>("i32"),
    mgpu_benchmark::set_problems_on<keys_form, std::int64_t, char>("i64"),
    mgpu_benchmark::set_problems_on<size_form, std::int64_t, char>("i64"),
    mgpu_benchmark::set_problems_on<keys_form, key128, char>("b16"),
    mgpu_benchmark::set_problems_on<by_key_form, std::int32_t, std::int32_t>("i32+i32"),
    mgpu_benchmark::set_problems_on<by_key_form, std::int32_t, std::int64_t>("i32+i64"),
    mgpu_benchmark::set_problems_on<by_key_form, key128, std::int32_t>("b16+i32"),
    std::make_tuple(
      problems_on<set_problem<set_intersection, combined_form, std::int32_t, std::int32_t>>{"i32+i32"},
      problems_on<set_problem<set_union, combined_form, std::int32_t, std::int32_t>>{"i32+i32"}));
}

} // namespace mgpu_benchmark

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The benchmarks of the set operations, the same on a CPU and on a GPU: the problems, and how one of them is checked
/// and measured.

#include "harness.h"
#include "set_libraries.h"

#include <thrust/equal.h>
#include <thrust/fill.h>
#include <thrust/sequence.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace mgpu_benchmark
{

/// One operation on one input.
template <class OperationType, class FormType, class KeyType, class ValueType>
struct set_problem
{
  using operation = OperationType;
  using form = FormType;
  using key = KeyType;
  using value = ValueType; ///< a char that nobody looks at, if there are no values

  distribution input;
  std::int64_t n;
  std::string types;

  static constexpr bool has_values = std::is_same_v<form, by_key_form>;

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

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Key, class Value>
struct set_data
{
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
    fill_with_sorted_keys(policy, problem.input, side::a, problem.n, pointer(a_keys), in.a_last - in.a_first);
    fill_with_sorted_keys(policy, problem.input, side::b, problem.n, pointer(b_keys), in.b_last - in.b_first);
    // Every value is different: they prove which element of the inputs a key of the result is.
    thrust::sequence(policy, pointer(a_values), pointer(a_values) + a_values.size(), Value{0});
    thrust::sequence(
      policy, pointer(b_values), pointer(b_values) + b_values.size(), static_cast<Value>(a_values.size()));
  }

  set_arguments<Key, Value> arguments()
  {
    return {pointer(a_keys),   pointer(a_keys) + a_keys.size(),
            pointer(b_keys),   pointer(b_keys) + b_keys.size(),
            pointer(a_values), pointer(b_values),
            pointer(keys_out), pointer(values_out)};
  }

  template <class Vector>
  static auto pointer(Vector& vector)
  {
    return thrust::raw_pointer_cast(vector.data());
  }
};

/// The right result of a problem.
template <class Machine, class Key, class Value>
struct set_result
{
  std::int64_t size;
  typename Machine::template vector<Key> keys;
  typename Machine::template vector<Value> values;
};

/// Overwrites what the last call has written, so that it cannot pass for the result of the next.
template <class Machine, class Data>
void poison_outputs(Machine& machine, Data& data)
{
  thrust::fill(machine.policy(), data.pointer(data.keys_out), data.pointer(data.keys_out) + data.keys_out.size(), -77);
  thrust::fill(
    machine.policy(), data.pointer(data.values_out), data.pointer(data.values_out) + data.values_out.size(), -77);
}

template <class Machine, class Data, class Result>
void check_result(Machine& machine, Data& data, const Result& expected, std::int64_t size)
{
  if (size != expected.size)
  {
    throw std::runtime_error(
      "wrong result: " + std::to_string(size) + " keys instead of " + std::to_string(expected.size));
  }
  const auto policy = machine.policy();
  if (!thrust::equal(
        policy, data.pointer(expected.keys), data.pointer(expected.keys) + expected.keys.size(),
        data.pointer(data.keys_out)))
  {
    throw std::runtime_error("wrong result: the keys");
  }
  if (!thrust::equal(
        policy, data.pointer(expected.values), data.pointer(expected.values) + expected.values.size(),
        data.pointer(data.values_out)))
  {
    throw std::runtime_error("wrong result: the values");
  }
}

/// Registers benchmarks of set operations on one machine. Reference is the library whose results all must have.
template <class Machine, class Reference, class ReferenceSystem>
class set_benchmarks
{
public:
  set_benchmarks(registry& benchmarks, ReferenceSystem reference_system, Machine& machine)
      : benchmarks_(benchmarks)
      , reference_system_(reference_system)
      , machine_(machine)
  {
  }

  template <class Problem, class Library, class System>
  void add(const Problem& problem, Library library, const System& system)
  {
    const benchmark_id id{machine_.name(), system.name(), system.workers(), Library::name, problem.name()};
    benchmarks_.add(
      id,
      [this, problem, library, system, checked = false](benchmark::State& state) mutable
      {
        run(state, problem, library, system, checked);
        checked = true;
      });
  }

private:
  template <class Problem, class Library, class System>
  void run(benchmark::State& state, const Problem& problem, const Library& library, const System& system, bool checked)
  {
    using key = typename Problem::key;
    using value = typename Problem::value;
    constexpr typename Problem::operation operation{};
    constexpr typename Problem::form form{};
    using data_type = set_data<Machine, key, value>;
    auto& data = data_.template get<data_type>(problem.input_name(), [&] { return new data_type(machine_, problem); });
    const auto arguments = data.arguments();
    const auto& expected = reference_.template get<set_result<Machine, key, value>>(
      problem.name(), [&] { return make_reference(problem, data); });
    const work each{
      static_cast<std::int64_t>(data.keys_out.size()),
      static_cast<std::int64_t>(
        sizeof(key) * (data.keys_out.size() + expected.keys.size()) + 2 * sizeof(value) * expected.values.size())};
    const double copy_bandwidth = machine_.copy_bandwidth(system.workers());
    elapsed time{};
    system.run(
      [&]
      {
        if (!checked)
        {
          poison_outputs(machine_, data);
          check_result(machine_, data, expected, library.run(operation, form, system.policy(), arguments));
        }
        time = machine_.time(
          state, [&] { benchmark::DoNotOptimize(library.run(operation, form, system.policy(), arguments)); });
      });
    set_counters(state, time, each, copy_bandwidth);
  }

  template <class Problem, class Data>
  set_result<Machine, typename Problem::key, typename Problem::value>* make_reference(const Problem&, Data& data)
  {
    poison_outputs(machine_, data);
    const std::int64_t size = Reference::run(
      typename Problem::operation{}, typename Problem::form{}, reference_system_.policy(), data.arguments());
    const bool has_keys = !std::is_same_v<typename Problem::form, size_form>;
    const auto keys_end = data.keys_out.begin() + (has_keys ? size : 0);
    const auto values_end = data.values_out.begin() + (Problem::has_values ? size : 0);
    return new set_result<Machine, typename Problem::key, typename Problem::value>{
      size, {data.keys_out.begin(), keys_end}, {data.values_out.begin(), values_end}};
  }

  registry& benchmarks_;
  ReferenceSystem reference_system_;
  Machine& machine_;
  kept_object data_;
  kept_object reference_;
};

template <class Form, class Key, class Value, class Visit>
void visit_operations(
  const options& chosen, const distribution& input, std::int64_t n, const std::string& types, Visit visit)
{
  const auto visit_one = [&](auto operation)
  {
    using operation_type = decltype(operation);
    if (is_chosen(chosen.operations, operation_type::name) && is_chosen(chosen.forms, Form::name))
    {
      visit(set_problem<operation_type, Form, Key, Value>{input, n, types});
    }
  };
  visit_one(set_intersection{});
  visit_one(set_union{});
  visit_one(set_difference{});
  visit_one(set_symmetric_difference{});
  if constexpr (!std::is_same_v<Form, size_form>)
  {
    visit_one(merge{});
  }
}

/// Calls visit(problem) for all problems that the options choose; those with the same inputs follow one another.
template <class Visit>
void visit_problems(const options& chosen, Visit visit)
{
  check_names("--types", chosen.types, {"i32", "i64", "b16", "i32+i32", "i32+i64", "b16+i32"});
  check_names("--forms", chosen.forms, {keys_form::name, by_key_form::name, size_form::name});
  check_names(
    "--operations", chosen.operations,
    {set_intersection::name, set_union::name, set_difference::name, set_symmetric_difference::name, merge::name});
  for (const std::int64_t n : chosen.n)
  {
    for (const distribution& input : all_distributions())
    {
      if (!is_chosen(chosen.distributions, input.name))
      {
        continue;
      }
      if (is_chosen(chosen.types, "i32"))
      {
        visit_operations<keys_form, std::int32_t, char>(chosen, input, n, "i32", visit);
        visit_operations<size_form, std::int32_t, char>(chosen, input, n, "i32", visit);
      }
      if (is_chosen(chosen.types, "i64"))
      {
        visit_operations<keys_form, std::int64_t, char>(chosen, input, n, "i64", visit);
        visit_operations<size_form, std::int64_t, char>(chosen, input, n, "i64", visit);
      }
      if (is_chosen(chosen.types, "b16"))
      {
        visit_operations<keys_form, key128, char>(chosen, input, n, "b16", visit);
      }
      if (is_chosen(chosen.types, "i32+i32"))
      {
        visit_operations<by_key_form, std::int32_t, std::int32_t>(chosen, input, n, "i32+i32", visit);
      }
      if (is_chosen(chosen.types, "i32+i64"))
      {
        visit_operations<by_key_form, std::int32_t, std::int64_t>(chosen, input, n, "i32+i64", visit);
      }
      if (is_chosen(chosen.types, "b16+i32"))
      {
        visit_operations<by_key_form, key128, std::int32_t>(chosen, input, n, "b16+i32", visit);
      }
    }
  }
}

} // namespace mgpu_benchmark

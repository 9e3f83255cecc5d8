// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The benchmarks of sorts and locality sorts, the same on a CPU and on a GPU: the problems, the libraries, and how a
/// result is checked.

#include "harness.h"
#include "sort_keys.h"

#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/sort.h>

#include <thrust/sort.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace mgpu_benchmark
{

/// What an operation is called with: keys, and values or a null pointer, that are sorted where they are.
template <class Key, bool HasValuesToo>
struct sort_arguments
{
  static constexpr bool has_values = HasValuesToo;

  Key* first;
  Key* last;
  value_type* values;
};

struct stable_sort
{
  static constexpr const char* name = "stable_sort";
};
struct locality_sort
{
  static constexpr const char* name = "locality_sort";
};

// A library sorts by some_order, in the place of the operation.
struct mgpu_library
{
  static constexpr const char* name = "mgpu";

  template <class Policy, class Arguments>
  static void run(stable_sort, const Policy& policy, const Arguments& in)
  {
    if constexpr (Arguments::has_values)
    {
      mgpu::stable_sort_by_key(policy, in.first, in.last, in.values, some_order{});
    }
    else
    {
      mgpu::stable_sort(policy, in.first, in.last, some_order{});
    }
  }
  template <class Policy, class Arguments>
  static void run(locality_sort, const Policy& policy, const Arguments& in)
  {
    if constexpr (Arguments::has_values)
    {
      mgpu::locality_sort_by_key(policy, in.first, in.last, in.values, some_order{});
    }
    else
    {
      mgpu::locality_sort(policy, in.first, in.last, some_order{});
    }
  }
};

/// Thrust by comparison; on a GPU that is cub::DeviceMergeSort.
struct thrust_library
{
  static constexpr const char* name = "thrust";

  template <class Operation, class Policy, class Arguments>
  static void run(Operation, const Policy& policy, const Arguments& in)
  {
    if constexpr (Arguments::has_values)
    {
      thrust::stable_sort_by_key(policy, in.first, in.last, in.values, some_order{});
    }
    else
    {
      thrust::stable_sort(policy, in.first, in.last, some_order{});
    }
  }
};

/// Thrust by the keys' own order, which it sorts by their digits.
struct thrust_by_digits_library
{
  static constexpr const char* name = "thrust_by_digits";

  template <class Operation, class Policy, class Arguments>
  static void run(Operation, const Policy& policy, const Arguments& in)
  {
    if constexpr (Arguments::has_values)
    {
      thrust::stable_sort_by_key(policy, in.first, in.last, in.values);
    }
    else
    {
      thrust::stable_sort(policy, in.first, in.last);
    }
  }
};

template <class Machine, class Key, bool HasValues>
struct sort_data : sorted_columns<Machine, Key, HasValues>
{
  template <class Problem>
  sort_data(Machine& machine, const Problem& problem)
      : sorted_columns<Machine, Key, HasValues>(machine, problem.keys, problem.n)
  {
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    Key* const first = pointer_to(this->keys);
    library.run(
      typename Problem::operation{}, policy,
      sort_arguments<Key, HasValues>{first, first + this->size(), pointer_to(this->values)});
    return this->size();
  }
  template <class Problem, class Result>
  work one_call(const Problem& problem, const Result&)
  {
    return {problem.n, 2 * problem.n * this->element_bytes};
  }
};

/// One operation on one input.
template <class OperationType, class Key, bool HasValues>
struct sort_problem
{
  using operation = OperationType;
  template <class Machine>
  using data = sort_data<Machine, Key, HasValues>;

  disorder keys;
  std::int64_t n;
  std::string form_and_type;

  /// Names the inputs.
  std::string input_name() const
  {
    return form_and_type + "/" + keys.name + "/n:" + std::to_string(n);
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + input_name();
  }
};

inline const std::vector<disorder>& all_disorders()
{
  static const std::vector<disorder> all{
    {"uniform", disorder::uniform},          {"few_keys", disorder::few_keys},
    {"reversed", disorder::reversed},        {"sorted", disorder::local, 1},
    {"local_10", disorder::local, 10},       {"local_100", disorder::local, 100},
    {"local_1000", disorder::local, 1000},   {"local_10000", disorder::local, 10000},
    {"local_1e5", disorder::local, 100000},  {"local_1e6", disorder::local, 1000000},
    {"local_1e7", disorder::local, 10000000}};
  return all;
}

/// Calls visit(problem) for all problems that the options choose; those with the same inputs follow one another.
template <class Visit>
void visit_sort_problems(const options& chosen, Visit visit)
{
  std::vector<std::string> names;
  for (const disorder& keys : all_disorders())
  {
    names.push_back(keys.name);
  }
  check_names("--distributions", chosen.distributions, names);
  check_names("--operations", chosen.operations, {stable_sort::name, locality_sort::name});
  for (const std::int64_t n : chosen.n)
  {
    visit_sorted_types(
      chosen,
      [&](auto key, auto has_values, const char* form, const char* type)
      {
        for (const disorder& keys : all_disorders())
        {
          const auto visit_operation = [&](auto operation)
          {
            using operation_type = decltype(operation);
            if (is_chosen(chosen.distributions, keys.name) && is_chosen(chosen.operations, operation_type::name))
            {
              visit(sort_problem<operation_type, decltype(key), has_values>{keys, n, std::string(form) + "/" + type});
            }
          };
          visit_operation(stable_sort{});
          if (keys.kind == disorder::local || keys.kind == disorder::uniform)
          {
            visit_operation(locality_sort{});
          }
        }
      });
  }
}

} // namespace mgpu_benchmark

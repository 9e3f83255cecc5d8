// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of sorts and locality sorts, the same on a CPU and on a GPU: the problems, the libraries, and how a
/// result is checked.

#include "harness.h"
#include "sort_keys.h"

#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/sort.h>

#include <thrust/sort.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace mgpu_benchmark
{

/// The arguments of an operation: keys, and values or a null pointer, to be sorted in place.
template <class Key, bool HasValuesToo>
struct sort_arguments
{
  static constexpr bool has_values = HasValuesToo;
  using key = Key;

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
struct mgpu_sort
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

/// Thrust's comparison sort; on a GPU that is cub::DeviceMergeSort.
struct thrust_sort
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

/// Thrust's sort by the keys' default order, for which it uses a radix sort.
struct thrust_sort_by_digits
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

/// The standard library's sort, on a CPU; by key it sorts pairs, which are made of keys and values first.
struct std_sort
{
  static constexpr const char* name = "std";

  template <class Operation, class Policy, class Arguments>
  static void run(Operation, const Policy&, const Arguments& in)
  {
    if constexpr (Arguments::has_values)
    {
      std::vector<std::pair<typename Arguments::key, value_type>> pairs(in.last - in.first);
      for (std::size_t i = 0; i < pairs.size(); ++i)
      {
        pairs[i] = {in.first[i], in.values[i]};
      }
      std::stable_sort(pairs.begin(), pairs.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
      for (std::size_t i = 0; i < pairs.size(); ++i)
      {
        in.first[i] = pairs[i].first;
        in.values[i] = pairs[i].second;
      }
    }
    else
    {
      std::stable_sort(in.first, in.last, some_order{});
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
template <class OperationType, class FormType, class Key>
struct sort_problem
{
  using operation = OperationType;
  using form = FormType;
  template <class Machine>
  using data = sort_data<Machine, Key, form::has_values>;

  disorder keys;
  std::int64_t n;
  std::string type;

  /// Names the inputs.
  std::string input_name() const
  {
    return std::string(form::name) + "/" + type + "/" + keys.name + "/n:" + std::to_string(n);
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + input_name();
  }
  /// Locality sorts are for keys near their sorted positions; random keys show how slow they are on others.
  static constexpr bool takes(const disorder& keys)
  {
    return std::is_same_v<operation, stable_sort> || keys.kind == disorder::local || keys.kind == disorder::uniform;
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

template <class Form, class Key>
auto sort_problems_on(const char* type)
{
  return std::make_tuple(
    problems_on<sort_problem<stable_sort, Form, Key>>{type}, problems_on<sort_problem<locality_sort, Form, Key>>{type});
}
inline auto sort_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::sort_problems_on<keys_form, std::int32_t>("i32"),
    mgpu_benchmark::sort_problems_on<keys_form, std::int64_t>("i64"),
    mgpu_benchmark::sort_problems_on<by_key_form, std::int32_t>("i32+i32"),
    std::make_tuple(
      problems_on<sort_problem<stable_sort, keys_form, key128>>{"b16"},
      problems_on<sort_problem<stable_sort, keys_form, key_array>>{"array"}));
}

} // namespace mgpu_benchmark

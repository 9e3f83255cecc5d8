// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The benchmarks of the sorts, the same on a CPU and on a GPU: the problems, the libraries, and how a result is
/// checked.

#include "harness.h"

#include <mgpu_thrust/sort.h>

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace mgpu_benchmark
{

/// The keys of an input, each a function of its index alone.
struct random_keys
{
  static constexpr const char* name = "uniform"; ///< all bits but the sign random

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i, std::int64_t) const
  {
    return static_cast<std::int64_t>(random_bits(i) >> 1);
  }
};
struct few_keys
{
  static constexpr const char* name = "few_keys"; ///< sixteen of them

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i, std::int64_t) const
  {
    return static_cast<std::int64_t>(random_bits(i) >> 60);
  }
};
struct sorted_keys
{
  static constexpr const char* name = "sorted";

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i, std::int64_t) const
  {
    return i;
  }
};
struct locally_disordered_keys
{
  static constexpr const char* name = "local"; ///< no key more than 100 places from where it belongs

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i, std::int64_t) const
  {
    return i + static_cast<std::int64_t>(random_bits(i) % 100);
  }
};
struct reversed_keys
{
  static constexpr const char* name = "reversed";

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i, std::int64_t n) const
  {
    return n - i;
  }
};

template <class Form, class Key>
struct make_sort_key
{
  std::int64_t n;

  MGPU_THRUST_HOST_DEVICE Key operator()(std::int64_t i) const
  {
    constexpr std::int64_t largest = sizeof(Key) < 8 ? std::int64_t{0x7fffffff} : std::int64_t{0x7fffffffffffffff};
    return static_cast<Key>(Form{}(i, n) & largest);
  }
};

/// The default order as a function object of ours, so that no library can tell it from any other, and sort by digits.
struct some_order
{
  template <class Key>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Key& x, const Key& y) const
  {
    return x < y;
  }
};

/// What an operation is called with: keys that are sorted where they are.
template <class Key>
struct sort_arguments
{
  Key* first;
  Key* last;
  std::int32_t* values;
};

// The operations, and the bytes that any implementation must read and write: each element once.
struct stable_sort
{
  static constexpr const char* name = "stable_sort";
  static constexpr std::int64_t value_bytes = 0;
};
struct stable_sort_by_key
{
  static constexpr const char* name = "stable_sort_by_key";
  static constexpr std::int64_t value_bytes = sizeof(std::int32_t);
};

// A library runs an operation and returns the number of elements of the result.
struct mgpu_library
{
  static constexpr const char* name = "mgpu";

  template <class Policy, class Arguments>
  static std::int64_t run(stable_sort, const Policy& policy, const Arguments& in)
  {
    mgpu::stable_sort(policy, in.first, in.last, some_order{});
    return in.last - in.first;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(stable_sort_by_key, const Policy& policy, const Arguments& in)
  {
    mgpu::stable_sort_by_key(policy, in.first, in.last, in.values, some_order{});
    return in.last - in.first;
  }
};

/// Thrust by comparison; on a GPU that is cub::DeviceMergeSort.
struct thrust_library
{
  static constexpr const char* name = "thrust";

  template <class Policy, class Arguments>
  static std::int64_t run(stable_sort, const Policy& policy, const Arguments& in)
  {
    thrust::stable_sort(policy, in.first, in.last, some_order{});
    return in.last - in.first;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(stable_sort_by_key, const Policy& policy, const Arguments& in)
  {
    thrust::stable_sort_by_key(policy, in.first, in.last, in.values, some_order{});
    return in.last - in.first;
  }
};

/// Thrust by the keys' own order, which it sorts by their digits.
struct thrust_by_digits_library
{
  static constexpr const char* name = "thrust_by_digits";

  template <class Policy, class Arguments>
  static std::int64_t run(stable_sort, const Policy& policy, const Arguments& in)
  {
    thrust::stable_sort(policy, in.first, in.last);
    return in.last - in.first;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(stable_sort_by_key, const Policy& policy, const Arguments& in)
  {
    thrust::stable_sort_by_key(policy, in.first, in.last, in.values);
    return in.last - in.first;
  }
};

/// A copy of the input, which each call is preceded by, as it sorts where the elements are: to subtract its time.
struct copy_library
{
  static constexpr const char* name = "copy_of_input";
  static constexpr bool is_yardstick = true;

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, const Policy&, const Arguments& in)
  {
    return in.last - in.first;
  }
};

/// The input of a problem and a copy that is sorted, in the memory of the machine.
template <class Machine, class Key>
struct sort_data
{
  using vector = typename Machine::template vector<Key>;
  using value_vector = typename Machine::template vector<std::int32_t>;
  struct result
  {
    vector keys;
    value_vector values;
  };

  vector input, keys;
  value_vector values;

  template <class Problem>
  sort_data(Machine& machine, const Problem& problem)
      : input(problem.n)
      , keys(problem.n)
      , values(problem.n)
  {
    thrust::tabulate(
      machine.policy(), pointer_to(input), pointer_to(input) + input.size(),
      make_sort_key<typename Problem::form, Key>{problem.n});
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    thrust::copy(policy, pointer_to(input), pointer_to(input) + input.size(), pointer_to(keys));
    if (Problem::operation::value_bytes > 0)
    {
      thrust::sequence(policy, pointer_to(values), pointer_to(values) + values.size());
    }
    return library.run(
      typename Problem::operation{}, policy,
      sort_arguments<Key>{pointer_to(keys), pointer_to(keys) + keys.size(), pointer_to(values)});
  }
  void poison(Machine& machine)
  {
    fill_all(machine, keys, -77);
    fill_all(machine, values, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t)
  {
    return new result{keys, values};
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t)
  {
    if (!begins_with(machine, keys, expected.keys) || !begins_with(machine, values, expected.values))
    {
      throw std::runtime_error("wrong result");
    }
  }
  template <class Problem>
  work one_call(const Problem& problem, const result&)
  {
    return {problem.n, 2 * problem.n * (static_cast<std::int64_t>(sizeof(Key)) + Problem::operation::value_bytes)};
  }
};

/// One operation on one input.
template <class OperationType, class FormType, class KeyType>
struct sort_problem
{
  using operation = OperationType;
  using form = FormType;
  template <class Machine>
  using data = sort_data<Machine, KeyType>;

  std::int64_t n;
  std::string type;

  /// Names the inputs.
  std::string input_name() const
  {
    return "keys/" + type + "/" + form::name + "/n:" + std::to_string(n);
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + input_name();
  }
};

/// Calls visit(problem) for all problems that the options choose; those with the same inputs follow one another.
template <class Visit>
void visit_sort_problems(const options& chosen, Visit visit)
{
  check_names("--distributions", chosen.distributions, distribution_names()); // of sorted keys: they change nothing
  check_names("--types", chosen.types, {"i32", "i64"});
  check_names(
    "--forms", chosen.forms,
    {random_keys::name, few_keys::name, sorted_keys::name, locally_disordered_keys::name, reversed_keys::name});
  check_names("--operations", chosen.operations, {stable_sort::name, stable_sort_by_key::name});
  for (const std::int64_t n : chosen.n)
  {
    const auto visit_form = [&](auto form, auto key, const char* type)
    {
      using form_type = decltype(form);
      using key_type = decltype(key);
      if (!is_chosen(chosen.forms, form_type::name) || !is_chosen(chosen.types, type))
      {
        return;
      }
      if (is_chosen(chosen.operations, stable_sort::name))
      {
        visit(sort_problem<stable_sort, form_type, key_type>{n, type});
      }
      if (is_chosen(chosen.operations, stable_sort_by_key::name))
      {
        visit(sort_problem<stable_sort_by_key, form_type, key_type>{n, type});
      }
    };
    const auto visit_type = [&](auto key, const char* type)
    {
      visit_form(random_keys{}, key, type);
      visit_form(few_keys{}, key, type);
      visit_form(sorted_keys{}, key, type);
      visit_form(locally_disordered_keys{}, key, type);
      visit_form(reversed_keys{}, key, type);
    };
    visit_type(std::int32_t{}, "i32");
    visit_type(std::int64_t{}, "i64");
  }
}

} // namespace mgpu_benchmark

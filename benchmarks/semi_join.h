// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of the semi and anti joins, the same on a CPU and on a GPU: the problems, the libraries, and how a
/// result is checked. A is the left input and B the right one.

#include "forms.h"
#include "harness.h"

#include <mgpu_thrust/semi_join.h>

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/memory.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace mgpu_benchmark
{

/// The arguments of an operation.
template <class Key>
struct semi_join_arguments
{
  const Key* a_first;
  const Key* a_last;
  const Key* b_first;
  const Key* b_last;
  std::int32_t* rows_out;

  std::int64_t a_count() const
  {
    return a_last - a_first;
  }
};

// The operations, and the flag of the rows that they keep, where the flag of a row is whether B has an equal row.
struct semi_join
{
  static constexpr const char* name = "semi_join";
  static constexpr bool keeps = true;
  static constexpr auto mgpu_rows = [](const auto&... arguments) { return mgpu::semi_join(arguments...); };
  static constexpr auto mgpu_size = [](const auto&... arguments) { return mgpu::semi_join_size(arguments...); };
};
struct anti_join
{
  static constexpr const char* name = "anti_join";
  static constexpr bool keeps = false;
  static constexpr auto mgpu_rows = [](const auto&... arguments) { return mgpu::anti_join(arguments...); };
  static constexpr auto mgpu_size = [](const auto&... arguments) { return mgpu::anti_join_size(arguments...); };
};

// A library executes an operation in one of its forms, and returns the number of rows of the result.
struct mgpu_semi_join
{
  static constexpr const char* name = "mgpu";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, rows_form, const Policy& policy, const Arguments& in)
  {
    return Operation::mgpu_rows(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.rows_out) - in.rows_out;
  }
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, size_form, const Policy& policy, const Arguments& in)
  {
    return Operation::mgpu_size(policy, in.a_first, in.a_last, in.b_first, in.b_last);
  }
};

/// Calls use(flags), where the flag of each element of A is whether B has an equal one, and returns its result.
template <class Policy, class Arguments, class Use>
std::int64_t with_flags(Policy policy, const Arguments& in, Use use)
{
  const std::ptrdiff_t count = in.a_last - in.a_first;
  const auto buffer = thrust::get_temporary_buffer<bool>(policy, count);
  bool* const flags = thrust::raw_pointer_cast(buffer.first);
  thrust::binary_search(policy, in.b_first, in.b_last, in.a_first, in.a_last, flags);
  const std::int64_t result = use(flags);
  thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
  return result;
}

/// Whether a flag is the one of the rows that an operation keeps.
template <bool Keeps>
struct is_kept
{
  MGPU_THRUST_HOST_DEVICE bool operator()(bool flag) const
  {
    return flag == Keeps;
  }
};

/// An implementation with Thrust's algorithms: a flag for each row by vectorised search, and a copy_if or count.
struct thrust_semi_join
{
  static constexpr const char* name = "thrust";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, rows_form, const Policy& policy, const Arguments& in)
  {
    return with_flags(
      policy, in,
      [&](const bool* flags)
      {
        const thrust::counting_iterator<std::int32_t> numbers(0);
        return thrust::copy_if(policy, numbers, numbers + in.a_count(), flags, in.rows_out, is_kept<Operation::keeps>{})
               - in.rows_out;
      });
  }
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, size_form, const Policy& policy, const Arguments& in)
  {
    return with_flags(
      policy, in,
      [&](const bool* flags) { return thrust::count(policy, flags, flags + in.a_count(), Operation::keeps); });
  }
};

/// The result of a call.
template <class Vector>
struct semi_join_result
{
  std::int64_t size;
  Vector rows; ///< empty if rows are only counted
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Key>
struct semi_join_data
{
  using rows_vector = typename Machine::template vector<std::int32_t>;
  using result = semi_join_result<rows_vector>;

  typename Machine::template vector<Key> a, b;
  rows_vector rows_out;

  template <class Problem>
  semi_join_data(Machine& machine, const Problem& problem)
      : a(element_count(problem.input.a_thousandths, problem.n))
      , b(element_count(problem.input.b_thousandths, problem.n))
      , rows_out(a.size())
  {
    const auto policy = machine.policy();
    fill_with_sorted_keys(policy, problem.input, side::a, problem.n, pointer_to(a), a.size());
    fill_with_sorted_keys(policy, problem.input, side::b, problem.n, pointer_to(b), b.size());
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    return library.run(typename Problem::operation{}, typename Problem::form{}, policy, arguments());
  }
  void poison(Machine& machine)
  {
    fill_all(machine, rows_out, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t size)
  {
    constexpr bool has_rows = std::is_same_v<typename Problem::form, rows_form>;
    return new result{size, {rows_out.begin(), rows_out.begin() + (has_rows ? size : 0)}};
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t size)
  {
    if (size != expected.size)
    {
      throw std::runtime_error(
        "wrong result: " + std::to_string(size) + " rows instead of " + std::to_string(expected.size));
    }
    if (!begins_with(machine, rows_out, expected.rows))
    {
      throw std::runtime_error("wrong result: the rows");
    }
  }
  /// The work of a call: each key of the inputs is read once, and each row's index written once.
  template <class Problem>
  work one_call(const Problem&, const result& expected)
  {
    const auto keys = static_cast<std::int64_t>(a.size() + b.size());
    return {
      keys, keys * static_cast<std::int64_t>(sizeof(Key))
              + static_cast<std::int64_t>(expected.rows.size() * sizeof(std::int32_t))};
  }

private:
  semi_join_arguments<Key> arguments()
  {
    return {pointer_to(a), pointer_to(a) + a.size(), pointer_to(b), pointer_to(b) + b.size(), pointer_to(rows_out)};
  }
};

/// One operation on one input.
template <class OperationType, class FormType, class KeyType>
struct semi_join_problem
{
  using operation = OperationType;
  using form = FormType;
  template <class Machine>
  using data = semi_join_data<Machine, KeyType>;

  distribution input;
  std::int64_t n;
  std::string type;

  /// Names the inputs.
  std::string input_name() const
  {
    return type + "/" + input.name + "/n:" + std::to_string(element_count(input.a_thousandths, n)) + "+"
           + std::to_string(element_count(input.b_thousandths, n));
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + form::name + "/" + input_name();
  }
};

template <class Key>
auto semi_join_problems_on(const char* type)
{
  return std::make_tuple(
    problems_on<semi_join_problem<semi_join, rows_form, Key>>{type},
    problems_on<semi_join_problem<semi_join, size_form, Key>>{type},
    problems_on<semi_join_problem<anti_join, rows_form, Key>>{type},
    problems_on<semi_join_problem<anti_join, size_form, Key>>{type});
}
inline auto semi_join_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::semi_join_problems_on<std::int32_t>("i32"),
    mgpu_benchmark::semi_join_problems_on<std::int64_t>("i64"));
}

} // namespace mgpu_benchmark

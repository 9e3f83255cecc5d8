// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of as-of joins, the same on a CPU and on a GPU: the problems, the libraries, and how a result is
/// checked. A is the left input and B the right one.

#include "forms.h"
#include "harness.h"

#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/sorted_search.h>

#include <thrust/binary_search.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>

namespace mgpu_benchmark
{

/// The arguments of an operation.
template <class Key>
struct asof_arguments
{
  const Key* a_first;
  const Key* a_last;
  const Key* b_first;
  const Key* b_last;
  std::int32_t* rows_out;
};

struct distance_of_keys
{
  template <class Key>
  MGPU_THRUST_HOST_DEVICE Key operator()(Key x, Key y) const
  {
    return x < y ? y - x : x - y;
  }
};
/// Of uniform keys about one in seven has none so near.
struct is_near
{
  template <class Key>
  MGPU_THRUST_HOST_DEVICE bool operator()(Key x, Key y) const
  {
    return distance_of_keys{}(x, y) <= 1;
  }
};

// The operations, and the row that each makes of an upper bound, as a user would without the library.
struct asof_backward
{
  static constexpr const char* name = "asof_backward";

  template <class Policy, class Arguments>
  static std::int32_t* join(const Policy& policy, const Arguments& in)
  {
    return mgpu::asof_join(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.rows_out, mgpu::backward);
  }
  template <class Key>
  MGPU_THRUST_HOST_DEVICE static std::int64_t row_of(Key, std::int64_t upper, const Key*, std::int64_t)
  {
    return upper - 1;
  }
};
/// Within a tolerance.
struct asof_backward_near
{
  static constexpr const char* name = "asof_backward_near";

  template <class Policy, class Arguments>
  static std::int32_t* join(const Policy& policy, const Arguments& in)
  {
    return mgpu::asof_join(
      policy, in.a_first, in.a_last, in.b_first, in.b_last, in.rows_out, mgpu::backward, ::cuda::std::less<>{},
      is_near{});
  }
  template <class Key>
  MGPU_THRUST_HOST_DEVICE static std::int64_t row_of(Key key, std::int64_t upper, const Key* b, std::int64_t)
  {
    return upper > 0 && is_near{}(key, b[upper - 1]) ? upper - 1 : -1;
  }
};
struct asof_nearest
{
  static constexpr const char* name = "asof_nearest";

  template <class Policy, class Arguments>
  static std::int32_t* join(const Policy& policy, const Arguments& in)
  {
    return mgpu::asof_join(
      policy, in.a_first, in.a_last, in.b_first, in.b_last, in.rows_out, mgpu::nearest(distance_of_keys{}));
  }
  /// An equal key before the bound is the nearest.
  template <class Key>
  MGPU_THRUST_HOST_DEVICE static std::int64_t row_of(Key key, std::int64_t upper, const Key* b, std::int64_t b_count)
  {
    const bool takes_next = upper < b_count && (upper == 0 || b[upper] - key < key - b[upper - 1]);
    return takes_next ? upper : upper - 1;
  }
};

// A library executes an operation, and returns the number of rows.
struct mgpu_asof_join
{
  static constexpr const char* name = "mgpu";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, rows_form, const Policy& policy, const Arguments& in)
  {
    return Operation::join(policy, in) - in.rows_out;
  }
};

/// The search alone, whatever the operation: a join should take little longer.
struct mgpu_upper_bound
{
  static constexpr const char* name = "upper_bound";
  static constexpr bool is_yardstick = true;

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, rows_form, const Policy& policy, const Arguments& in)
  {
    return mgpu::sorted_upper_bound(policy, in.b_first, in.b_last, in.a_first, in.a_last, in.rows_out) - in.rows_out;
  }
};

/// Turns an upper bound into a row.
template <class Operation, class Key>
struct row_of_bound
{
  const Key* b;
  std::int64_t b_count;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(Key key, std::int32_t upper) const
  {
    return static_cast<std::int32_t>(Operation::row_of(key, std::int64_t{upper}, b, b_count));
  }
};
/// Writes the rows of upper bounds in their place, and returns their number.
template <class Operation, class Policy, class Key>
std::int64_t transform_bounds(const Policy& policy, const asof_arguments<Key>& in)
{
  const row_of_bound<Operation, Key> row{in.b_first, in.b_last - in.b_first};
  return thrust::transform(policy, in.a_first, in.a_last, in.rows_out, in.rows_out, row) - in.rows_out;
}

/// An implementation with Thrust: a vectorised search, which does not use the order of A, and a transform.
struct thrust_asof_join
{
  static constexpr const char* name = "thrust";

  template <class Operation, class Policy, class Key>
  static std::int64_t run(Operation, rows_form, const Policy& policy, const asof_arguments<Key>& in)
  {
    thrust::upper_bound(policy, in.b_first, in.b_last, in.a_first, in.a_last, in.rows_out);
    return transform_bounds<Operation>(policy, in);
  }
};

/// The inputs of a problem and room for its rows, in the memory of the machine.
template <class Machine, class Key>
struct asof_data : whole_output<Machine, std::int32_t>
{
  typename Machine::template vector<Key> a, b;

  template <class Problem>
  asof_data(Machine& machine, const Problem& problem)
      : a(problem.a_count())
      , b(problem.b_count())
  {
    this->out.resize(a.size());
    const auto policy = machine.policy();
    fill_with_sorted_keys(policy, problem.input, side::a, problem.n, pointer_to(a), problem.a_count());
    fill_with_sorted_keys(policy, problem.input, side::b, problem.n, pointer_to(b), problem.b_count());
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    return library.run(
      typename Problem::operation{}, typename Problem::form{}, policy,
      asof_arguments<Key>{
        pointer_to(a), pointer_to(a) + a.size(), pointer_to(b), pointer_to(b) + b.size(), pointer_to(this->out)});
  }
  /// The work of a call: each key of the inputs is read once, and each row written once.
  template <class Problem, class Result>
  work one_call(const Problem& problem, const Result&)
  {
    const std::int64_t keys = problem.a_count() + problem.b_count();
    return {
      keys, keys * static_cast<std::int64_t>(sizeof(Key))
              + problem.a_count() * static_cast<std::int64_t>(sizeof(std::int32_t))};
  }
};

/// One operation on one input.
template <class OperationType, class KeyType>
struct asof_problem
{
  using operation = OperationType;
  using form = rows_form;
  template <class Machine>
  using data = asof_data<Machine, KeyType>;

  distribution input;
  std::int64_t n;
  std::string type;

  std::int64_t a_count() const
  {
    return element_count(input.a_thousandths, n);
  }
  std::int64_t b_count() const
  {
    return element_count(input.b_thousandths, n);
  }
  /// Names the inputs.
  std::string input_name() const
  {
    return type + "/" + input.name + "/n:" + std::to_string(a_count()) + "+" + std::to_string(b_count());
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + form::name + "/" + input_name();
  }
};

template <class Key>
auto asof_problems_on(const char* type)
{
  return std::make_tuple(
    problems_on<asof_problem<asof_backward, Key>>{type}, problems_on<asof_problem<asof_backward_near, Key>>{type},
    problems_on<asof_problem<asof_nearest, Key>>{type});
}
inline auto asof_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::asof_problems_on<std::int32_t>("i32"), mgpu_benchmark::asof_problems_on<std::int64_t>("i64"));
}

} // namespace mgpu_benchmark

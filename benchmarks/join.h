// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of the joins, the same on a CPU and on a GPU: the problems, the libraries, and how a result is
/// checked. A is the left input and B the right one.

#include "forms.h"
#include "harness.h"

#include <mgpu_thrust/join.h>

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/memory.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace mgpu_benchmark
{

/// How often keys match.
enum class join_pattern
{
  one_match,    ///< n keys a side, random in [0, n): about one row for each
  matches_1000, ///< n right keys, in runs of 1000 equal keys; 4 n / 1000 random left keys: 4 n rows
  runs_1000,    ///< n / 250 keys a side, in runs of 1000 equal keys: 4 n rows too
  skewed        ///< as one_match, but half of the right keys are equal, and the left input has this key too
};

/// A distribution of the keys, for which n is chosen.
struct join_distribution
{
  const char* name;
  join_pattern pattern;

  std::int64_t left_count(std::int64_t n) const
  {
    return pattern == join_pattern::matches_1000 ? n / 250 : right_count(n);
  }
  std::int64_t right_count(std::int64_t n) const
  {
    return pattern == join_pattern::runs_1000 ? n / 250 : n;
  }
};

inline const std::vector<join_distribution>& all_join_distributions()
{
  static const std::vector<join_distribution> all{
    {"one_match", join_pattern::one_match},
    {"matches_1000", join_pattern::matches_1000},
    {"runs_1000", join_pattern::runs_1000},
    {"skewed", join_pattern::skewed}};
  return all;
}

/// Returns a key, before sorting, from its index.
template <class Key>
struct join_key
{
  join_pattern pattern;
  bool is_right;
  std::int64_t n;

  MGPU_THRUST_HOST_DEVICE Key operator()(std::int64_t i) const
  {
    constexpr std::int64_t run = 1000;
    if (pattern == join_pattern::runs_1000 || (pattern == join_pattern::matches_1000 && is_right))
    {
      return static_cast<Key>(i / run);
    }
    if (pattern == join_pattern::skewed && i < (is_right ? n / 2 : 1))
    {
      return static_cast<Key>(n / 3);
    }
    const std::int64_t keys = pattern == join_pattern::matches_1000 ? (n + run - 1) / run : n;
    const std::uint64_t bits = random_bits(2 * static_cast<std::uint64_t>(i) + (is_right ? 1 : 0)) >> 32;
    return static_cast<Key>((bits * static_cast<std::uint64_t>(keys)) >> 32);
  }
};

/// The arguments of an operation.
template <class Key>
struct join_arguments
{
  const Key* left_first;
  const Key* left_last;
  const Key* right_first;
  const Key* right_last;
  std::int32_t* left_out;
  std::int32_t* right_out;
};

/// An operation: which elements without a match it keeps, and the bytes of a row.
template <class Kind>
struct join_operation
{
  using kind = Kind;
  static constexpr bool keeps_left = Kind::keeps_left;
  static constexpr bool keeps_right = Kind::keeps_right;
  static constexpr std::int64_t row_bytes = 2 * sizeof(std::int32_t);
};
struct inner_join : join_operation<mgpu::inner_join_t>
{
  static constexpr const char* name = "inner_join";
};
struct left_join : join_operation<mgpu::left_join_t>
{
  static constexpr const char* name = "left_join";
};
struct right_join : join_operation<mgpu::right_join_t>
{
  static constexpr const char* name = "right_join";
};
struct full_join : join_operation<mgpu::full_join_t>
{
  static constexpr const char* name = "full_join";
};

// A library executes an operation, and returns the number of rows.
struct mgpu_join
{
  static constexpr const char* name = "mgpu";

  template <class Policy, class Arguments>
  static std::int64_t run(inner_join, const Policy& policy, const Arguments& in)
  {
    return rows(
      in,
      mgpu::inner_join(policy, in.left_first, in.left_last, in.right_first, in.right_last, in.left_out, in.right_out));
  }
  template <class Policy, class Arguments>
  static std::int64_t run(left_join, const Policy& policy, const Arguments& in)
  {
    return rows(
      in,
      mgpu::left_join(policy, in.left_first, in.left_last, in.right_first, in.right_last, in.left_out, in.right_out));
  }
  template <class Policy, class Arguments>
  static std::int64_t run(right_join, const Policy& policy, const Arguments& in)
  {
    return rows(
      in,
      mgpu::right_join(policy, in.left_first, in.left_last, in.right_first, in.right_last, in.left_out, in.right_out));
  }
  template <class Policy, class Arguments>
  static std::int64_t run(full_join, const Policy& policy, const Arguments& in)
  {
    return rows(
      in,
      mgpu::full_join(policy, in.left_first, in.left_last, in.right_first, in.right_last, in.left_out, in.right_out));
  }

private:
  template <class Arguments, class Ends>
  static std::int64_t rows(const Arguments& in, const Ends& ends)
  {
    return ends.first - in.left_out;
  }
};

/// Returns the number of rows of a left element, from its bounds.
template <class Operation>
struct rows_of_bounds
{
  const std::int32_t* lower;
  const std::int32_t* upper;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t i) const
  {
    const std::int32_t matches = upper[i] - lower[i];
    return Operation::keeps_left && matches == 0 ? 1 : matches;
  }
};

/// Returns the right element of a row, from its left element.
struct right_of_row
{
  const std::int32_t* left_of_row;
  const std::int32_t* lower;
  const std::int32_t* upper;
  const std::int32_t* offsets;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t row) const
  {
    const std::int32_t i = left_of_row[row];
    return lower[i] == upper[i] ? -1 : lower[i] + (row - offsets[i]);
  }
};

/// Whether a right element has no match.
template <class Key>
struct has_no_match
{
  const Key* left_first;
  std::int32_t left_count;
  const Key* right;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t j) const
  {
    const Key key = right[j];
    std::int32_t begin = 0;
    for (std::int32_t end = left_count; begin < end;)
    {
      const std::int32_t middle = begin + (end - begin) / 2;
      if (left_first[middle] < key)
      {
        begin = middle + 1;
      }
      else
      {
        end = middle;
      }
    }
    return begin == left_count || key < left_first[begin];
  }
};

/// An implementation with Thrust's algorithms, as Thrust has no joins: both bounds of each left key, a scan of the
/// numbers of matches, indices of left elements scattered to the first of their rows, and their running maximum.
struct thrust_join
{
  static constexpr const char* name = "thrust";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, Policy policy, const Arguments& in)
  {
    const std::int64_t left_count = in.left_last - in.left_first;
    const auto buffer = thrust::get_temporary_buffer<std::int32_t>(policy, 3 * left_count + 1);
    std::int32_t* const lower = thrust::raw_pointer_cast(buffer.first);
    std::int32_t* const upper = lower + left_count;
    std::int32_t* const offsets = upper + left_count;
    thrust::lower_bound(policy, in.right_first, in.right_last, in.left_first, in.left_last, lower);
    thrust::upper_bound(policy, in.right_first, in.right_last, in.left_first, in.left_last, upper);
    const thrust::counting_iterator<std::int32_t> numbers(0);
    const auto counts = thrust::make_transform_iterator(numbers, rows_of_bounds<Operation>{lower, upper});
    thrust::fill(policy, offsets, offsets + 1, 0);
    thrust::inclusive_scan(policy, counts, counts + left_count, offsets + 1);
    std::int32_t rows = 0;
    thrust::copy_n(thrust::device_pointer_cast(offsets) + left_count, 1, &rows);
    thrust::fill(policy, in.left_out, in.left_out + rows, 0);
    thrust::scatter_if(policy, numbers, numbers + left_count, offsets, counts, in.left_out);
    thrust::inclusive_scan(policy, in.left_out, in.left_out + rows, in.left_out, thrust::maximum<std::int32_t>{});
    thrust::transform(policy, numbers, numbers + rows, in.right_out, right_of_row{in.left_out, lower, upper, offsets});
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
    if constexpr (Operation::keeps_right)
    {
      const has_no_match<std::decay_t<decltype(*in.left_first)>> is_alone{
        in.left_first, static_cast<std::int32_t>(left_count), in.right_first};
      const auto right_count = static_cast<std::int32_t>(in.right_last - in.right_first);
      const std::int32_t* const end =
        thrust::copy_if(policy, numbers, numbers + right_count, in.right_out + rows, is_alone);
      const auto all = static_cast<std::int32_t>(end - in.right_out);
      thrust::fill(policy, in.left_out + rows, in.left_out + all, -1);
      rows = all;
    }
    return rows;
  }
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Key>
struct join_data
{
  using keys = typename Machine::template vector<Key>;
  using numbers = typename Machine::template vector<std::int32_t>;

  /// The rows of a result.
  struct result
  {
    numbers left;
    numbers right;
  };

  keys left, right;
  numbers left_out, right_out;

  template <class Problem>
  join_data(Machine& machine, const Problem& problem)
      : left(problem.distribution.left_count(problem.n))
      , right(problem.distribution.right_count(problem.n))
  {
    fill_with_keys(machine, problem, false, left);
    fill_with_keys(machine, problem, true, right);
    const auto in = arguments();
    const std::int64_t most =
      mgpu::full_join_size(machine.policy(), in.left_first, in.left_last, in.right_first, in.right_last);
    left_out.resize(most);
    right_out.resize(most);
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    return library.run(typename Problem::operation{}, policy, arguments());
  }
  void poison(Machine& machine)
  {
    fill_all(machine, left_out, -77);
    fill_all(machine, right_out, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t rows)
  {
    return new result{
      numbers(left_out.begin(), left_out.begin() + rows), numbers(right_out.begin(), right_out.begin() + rows)};
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t rows)
  {
    if (
      rows != static_cast<std::int64_t>(expected.left.size()) || !begins_with(machine, left_out, expected.left)
      || !begins_with(machine, right_out, expected.right))
    {
      throw std::runtime_error("wrong result");
    }
  }
  template <class Problem>
  work one_call(const Problem&, const result& expected)
  {
    const auto items = static_cast<std::int64_t>(left.size() + right.size());
    const auto rows = static_cast<std::int64_t>(expected.left.size());
    return {items, items * static_cast<std::int64_t>(sizeof(Key)) + rows * Problem::operation::row_bytes};
  }

private:
  join_arguments<Key> arguments()
  {
    return {pointer_to(left),     pointer_to(left) + left.size(), pointer_to(right), pointer_to(right) + right.size(),
            pointer_to(left_out), pointer_to(right_out)};
  }
  template <class Problem>
  static void fill_with_keys(Machine& machine, const Problem& problem, bool is_right, keys& to)
  {
    const auto policy = machine.policy();
    const auto first = pointer_to(to);
    const auto last = first + to.size();
    thrust::tabulate(policy, first, last, join_key<Key>{problem.distribution.pattern, is_right, problem.n});
    thrust::sort(policy, first, last);
  }
};

/// One operation on one input.
template <class OperationType, class KeyType>
struct join_problem
{
  using operation = OperationType;
  using form = rows_form;
  template <class Machine>
  using data = join_data<Machine, KeyType>;

  join_distribution distribution;
  std::int64_t n;
  std::string type;

  /// Names the inputs.
  std::string input_name() const
  {
    return std::string(form::name) + "/" + type + "/" + distribution.name
           + "/n:" + std::to_string(distribution.left_count(n)) + "+" + std::to_string(distribution.right_count(n));
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + input_name();
  }
};

template <class Key>
auto join_problems_on(const char* type)
{
  return std::make_tuple(
    problems_on<join_problem<inner_join, Key>>{type}, problems_on<join_problem<left_join, Key>>{type},
    problems_on<join_problem<right_join, Key>>{type}, problems_on<join_problem<full_join, Key>>{type});
}
inline auto join_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::join_problems_on<std::int32_t>("i32"), mgpu_benchmark::join_problems_on<std::int64_t>("i64"));
}

} // namespace mgpu_benchmark

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of reductions of sliding windows, the same on a CPU and on a GPU: the problems, the libraries, and
/// how a result is checked.

#include "flags.h"
#include "harness.h"
#include "segment_lengths.h"
#include "segmented_data.h"

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/window_reduce.h>

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/memory.h>
#include <thrust/scan.h>
#include <thrust/tabulate.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace mgpu_benchmark
{

/// A named distribution of the lengths of windows, each of which ends with its row.
struct window_lengths
{
  std::string name;
  std::int64_t length; ///< of all windows that are not clipped, or power_law

  static constexpr std::int64_t power_law = -1; ///< most windows have a few rows, few very many
  static constexpr std::int64_t most_for_a_loop = 10000;
};

inline const std::vector<window_lengths>& all_window_lengths()
{
  static const std::vector<window_lengths> all{
    {"length_1", 1},
    {"length_4", 4},
    {"length_8", 8},
    {"length_16", 16},
    {"length_64", 64},
    {"length_1000", 1000},
    {"length_100000", 100000},
    {"length_10000000", 10000000},
    {"power_law", window_lengths::power_law}};
  return all;
}

/// Makes windows of length_N, where N is a number as of --n, such as 64 or 2^6.
inline std::optional<window_lengths> make_input(const window_lengths&, const std::string& name)
{
  const std::string prefix = "length_";
  if (name.rfind(prefix, 0) == 0)
  {
    try
    {
      return window_lengths{name, parse_count(name.substr(prefix.size()))};
    }
    catch (const std::exception&) // no number: an unknown name like others
    {
    }
  }
  return std::nullopt;
}

/// The first item of a row's window. By a power law begins need not ascend yet.
struct begin_of_row
{
  std::int64_t length;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t row) const
  {
    const std::int64_t own =
      length == window_lengths::power_law ? length_of_segment{segment_lengths::power_law, false}(row) + 1 : length;
    return static_cast<std::int32_t>(row + 1 < own ? 0 : row + 1 - own);
  }
};

// Beside sums, operators define the function that combines items, and the items, as a function of their index.

struct largest_double
{
  using value_type = double;
  using function = largest_double;
  static constexpr bool is_sum = false;
  static constexpr double identity = -1;

  struct item_of
  {
    MGPU_THRUST_HOST_DEVICE double operator()(std::int64_t number) const
    {
      return static_cast<double>(random_bits(static_cast<std::uint64_t>(number)) >> 12);
    }
  };
  MGPU_THRUST_HOST_DEVICE double operator()(double x, double y) const
  {
    return x < y ? y : x;
  }
};

/// A number and its index.
struct indexed_number
{
  std::int64_t number;
  std::int64_t index;

  indexed_number() = default;
  MGPU_THRUST_HOST_DEVICE constexpr indexed_number(std::int64_t x, std::int64_t i = -1) // NOLINT: to fill with -77
      : number(x)
      , index(i)
  {
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator==(const indexed_number& x, const indexed_number& y)
  {
    return x.number == y.number && x.index == y.index;
  }
};

/// The first of the largest numbers, with its index.
struct largest_index
{
  using value_type = indexed_number;
  using function = largest_index;
  static constexpr bool is_sum = false;
  static constexpr indexed_number identity{-1};

  struct item_of
  {
    MGPU_THRUST_HOST_DEVICE indexed_number operator()(std::int64_t number) const
    {
      return {static_cast<std::int64_t>(random_bits(static_cast<std::uint64_t>(number)) >> 44), number};
    }
  };
  MGPU_THRUST_HOST_DEVICE indexed_number operator()(const indexed_number& x, const indexed_number& y) const
  {
    return x.number < y.number ? y : x;
  }
};

struct window_reduce
{
  static constexpr const char* name = "window_reduce";
  static constexpr bool is_by_range = false;
};
struct window_reduce_by_range
{
  static constexpr const char* name = "window_reduce_by_range";
  static constexpr bool is_by_range = true;
};

/// The arguments of a call. Keys are the rows' numbers.
template <class Op>
struct window_arguments
{
  using value_type = typename Op::value_type;

  std::int64_t size;
  std::int64_t length;
  const std::int32_t* keys;
  const std::int32_t* begins;
  const std::int32_t* ends;
  const value_type* input;
  value_type* out;
};

/// A row's number, moved.
struct moved_row
{
  std::int32_t move;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t row) const
  {
    return row + move;
  }
  /// Returns the lowest number in a window that ends with a row.
  static moved_row to_begin(std::int64_t length)
  {
    return {static_cast<std::int32_t>(1 - length)};
  }
};

// A library executes an operation.
struct mgpu_window_reduce
{
  static constexpr const char* name = "mgpu";

  template <class Op, class Policy>
  static void run(window_reduce, Op, const Policy& policy, const window_arguments<Op>& in)
  {
    mgpu::window_reduce(
      policy, in.input, in.input + in.size, in.begins, in.begins + in.size, in.ends, in.out, Op::identity,
      typename Op::function{});
  }
  template <class Op, class Policy>
  static void run(window_reduce_by_range, Op, const Policy& policy, const window_arguments<Op>& in)
  {
    mgpu::window_reduce_by_range(
      policy, in.keys, in.keys + in.size, in.input, in.out, moved_row::to_begin(in.length), moved_row{0}, Op::identity,
      typename Op::function{});
  }
};

/// Reduces the window of a row, item by item.
template <class Op>
struct reduce_window
{
  using value = typename Op::value_type;
  const value* input;
  const std::int32_t* begins;
  const std::int32_t* ends;
  value* out;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t row) const
  {
    typename Op::function combine{};
    value result = Op::identity;
    for (std::int32_t i = begins[row]; i < ends[row]; ++i)
    {
      result = combine(result, input[i]);
    }
    out[row] = result;
  }
};

/// A thread for each window loops over its items. Bounds by range are found by Thrust's searches.
struct thread_window_reduce
{
  static constexpr const char* name = "thread_loop";

  template <class Op, class Policy>
  static void run(window_reduce, Op, const Policy& policy, const window_arguments<Op>& in)
  {
    if (in.length > window_lengths::most_for_a_loop || in.length == window_lengths::power_law)
    {
      throw not_measured("threads would loop for too long");
    }
    const thrust::counting_iterator<std::int64_t> rows(0);
    thrust::for_each_n(policy, rows, in.size, reduce_window<Op>{in.input, in.begins, in.ends, in.out});
  }
  template <class Op, class Policy>
  static void run(window_reduce_by_range, Op op, Policy policy, const window_arguments<Op>& in)
  {
    const auto buffer = thrust::get_temporary_buffer<std::int32_t>(policy, 2 * in.size);
    std::int32_t* const begins = thrust::raw_pointer_cast(buffer.first);
    const auto lows = thrust::make_transform_iterator(in.keys, moved_row::to_begin(in.length));
    thrust::lower_bound(policy, in.keys, in.keys + in.size, lows, lows + in.size, begins);
    thrust::upper_bound(policy, in.keys, in.keys + in.size, in.keys, in.keys + in.size, begins + in.size);
    window_arguments<Op> found = in;
    found.begins = begins;
    found.ends = begins + in.size;
    run(window_reduce{}, op, policy, found);
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
  }
};

/// The difference of two prefix sums.
template <class Number>
struct difference_of_sums
{
  const Number* sums;
  const std::int32_t* begins;
  const std::int32_t* ends;

  MGPU_THRUST_HOST_DEVICE Number operator()(std::int64_t row) const
  {
    const std::int32_t begin = begins[row];
    const std::int32_t end = ends[row];
    return begin < end ? sums[end - 1] - (begin > 0 ? sums[begin - 1] : Number{0}) : Number{0};
  }
};

/// An inclusive scan, and differences, which are exact for integers.
struct scan_and_difference
{
  static constexpr const char* name = "scan_difference";
  template <class Problem, class System>
  static constexpr bool is_for = Problem::op::is_sum && !Problem::operation::is_by_range;

  template <class Op, class Policy>
  static void run(window_reduce, Op, Policy policy, const window_arguments<Op>& in)
  {
    using value = typename Op::value_type;
    const auto buffer = thrust::get_temporary_buffer<value>(policy, in.size);
    value* const sums = thrust::raw_pointer_cast(buffer.first);
    thrust::inclusive_scan(policy, in.input, in.input + in.size, sums);
    thrust::tabulate(policy, in.out, in.out + in.size, difference_of_sums<value>{sums, in.begins, in.ends});
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
  }
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Op>
struct window_data : whole_output<Machine, typename Op::value_type>
{
  using typename whole_output<Machine, typename Op::value_type>::vector;
  using indices = typename Machine::template vector<std::int32_t>;

  std::int64_t length;
  indices keys, begins, ends;
  vector input;

  template <class Problem>
  window_data(Machine& machine, const Problem& problem)
      : length(problem.lengths.length)
      , keys(problem.n)
      , begins(problem.n)
      , ends(problem.n)
      , input(problem.n)
  {
    const auto policy = machine.policy();
    const auto first = pointer_to(begins);
    thrust::tabulate(policy, pointer_to(input), pointer_to(input) + problem.n, typename Op::item_of{});
    thrust::tabulate(policy, pointer_to(keys), pointer_to(keys) + problem.n, moved_row{0});
    thrust::tabulate(policy, pointer_to(ends), pointer_to(ends) + problem.n, moved_row{1});
    thrust::tabulate(policy, first, first + problem.n, begin_of_row{length});
    thrust::inclusive_scan(policy, first, first + problem.n, first, thrust::maximum<std::int32_t>{});
    this->out.resize(problem.n);
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    const window_arguments<Op> in{problem_size(),       length,           pointer_to(keys),
                                  pointer_to(begins),   pointer_to(ends), pointer_to(input),
                                  pointer_to(this->out)};
    library.run(typename Problem::operation{}, Op{}, policy, in);
    return problem_size();
  }
  /// The work of a call: each item, bound or key, and result is read or written once.
  template <class Problem>
  work one_call(const Problem&, const vector&)
  {
    constexpr std::int64_t bounds = Problem::operation::is_by_range ? 1 : 2;
    constexpr std::int64_t bytes = 2 * sizeof(typename Op::value_type) + bounds * sizeof(std::int32_t);
    return {problem_size(), problem_size() * bytes};
  }

private:
  std::int64_t problem_size() const
  {
    return static_cast<std::int64_t>(keys.size());
  }
};

/// The only form of operations on windows.
struct windows_form
{
  static constexpr const char* name = "windows";
};

/// One operation on `n` items and as many windows.
template <class OperationType, class OpType>
struct window_problem : problem_of_lengths<OperationType, windows_form, window_lengths>
{
  using op = OpType;
  template <class Machine>
  using data = window_data<Machine, OpType>;

  /// The bounds of a power law are not those of keys.
  static bool takes(const window_lengths& input)
  {
    return !OperationType::is_by_range || input.length != window_lengths::power_law;
  }
};

inline auto window_problems()
{
  return std::make_tuple(
    problems_on<window_problem<window_reduce, sum<std::int32_t>>>{"i32"},
    problems_on<window_problem<window_reduce_by_range, sum<std::int32_t>>>{"i32"},
    problems_on<window_problem<window_reduce, largest_double>>{"max_f64"},
    problems_on<window_problem<window_reduce, largest_index>>{"argmax"});
}

} // namespace mgpu_benchmark

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of range joins, the same on a CPU and on a GPU: the problems, the libraries, and how a result is
/// checked. A has the intervals, and B the points.

#include "harness.h"

#include <mgpu_thrust/join.h>
#include <mgpu_thrust/range_join.h>
#include <mgpu_thrust/sorted_search.h>

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/memory.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace mgpu_benchmark
{

/// The lengths of intervals.
enum class interval_lengths
{
  equal,
  random,      ///< from 0 to twice the mean, so that ends do not ascend where begins do
  one_over_all ///< one interval has all points, the others have none
};

/// A distribution of intervals among n random points from 0 to n.
struct interval_distribution
{
  const char* name;
  std::int64_t points_for_one; ///< points for each interval, or 0 for 2^10 intervals
  std::int64_t length;         ///< the mean, which is the mean number of points in an interval
  interval_lengths lengths;
  bool is_in_order; ///< whether begins ascend
  bool has_rows;    ///< whether the rows fit in memory

  std::int64_t interval_count(std::int64_t n) const
  {
    return points_for_one == 0 ? std::min<std::int64_t>(n, 1 << 10) : (n + points_for_one - 1) / points_for_one;
  }
};

inline const std::vector<interval_distribution>& all_interval_distributions()
{
  static const std::vector<interval_distribution> all{
    {"one_point", 1, 1, interval_lengths::equal, true, true},
    {"points_100", 100, 100, interval_lengths::equal, true, true},
    {"points_100_shuffled", 100, 100, interval_lengths::equal, false, true},
    {"points_100_any", 100, 100, interval_lengths::random, true, true},
    {"points_10000", 10000, 10000, interval_lengths::equal, true, true},
    {"one_over_all", 128, 0, interval_lengths::one_over_all, true, true},
    {"few_intervals", 0, 100, interval_lengths::equal, true, true},
    {"overlapping_1000", 1, 1000, interval_lengths::equal, true, false}};
  return all;
}

/// Returns a random number from 0 to n, from its index.
template <class Key>
struct random_number
{
  std::int64_t n;
  std::uint64_t seed;

  MGPU_THRUST_HOST_DEVICE Key operator()(std::int64_t i) const
  {
    const std::uint64_t bits = random_bits(2 * static_cast<std::uint64_t>(i) + seed) >> 32;
    return static_cast<Key>((bits * static_cast<std::uint64_t>(n)) >> 32);
  }
};

/// Returns the end of an interval, from its index.
template <class Key>
struct end_of_interval
{
  const Key* begins;
  std::int64_t length;
  interval_lengths lengths;

  MGPU_THRUST_HOST_DEVICE Key operator()(std::int64_t i) const
  {
    const auto limit = static_cast<std::uint64_t>(2 * length + 1);
    const std::int64_t own =
      lengths == interval_lengths::random ? static_cast<std::int64_t>(random_bits(i) % limit) : length;
    return static_cast<Key>(begins[i] + static_cast<Key>(own));
  }
};

/// The arguments of an operation.
template <class Key>
struct range_join_arguments
{
  const Key* points_first;
  const Key* points_last;
  const Key* begins_first;
  const Key* begins_last;
  const Key* ends_first;
  std::int32_t* points_out;
  std::int32_t* intervals_out;
  std::int32_t* counts_out;
  const std::int32_t* left_keys; ///< of an inner join with as many rows
  const std::int32_t* right_keys;
  std::int64_t rows;
  interval_distribution distribution;

  std::int64_t interval_count() const
  {
    return begins_last - begins_first;
  }
};

struct range_join
{
  static constexpr const char* name = "range_join";
  static constexpr bool writes_rows = true;
};
struct range_count
{
  static constexpr const char* name = "range_count";
  static constexpr bool writes_rows = false;
};

// A library executes an operation, and returns the number of results.
struct mgpu_range_join
{
  static constexpr const char* name = "mgpu";

  template <class Policy, class Arguments>
  static std::int64_t run(range_join, const Policy& policy, const Arguments& in)
  {
    return mgpu::range_join(
             policy, in.points_first, in.points_last, in.begins_first, in.begins_last, in.ends_first, in.points_out,
             in.intervals_out)
             .first
           - in.points_out;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(range_count, const Policy& policy, const Arguments& in)
  {
    return mgpu::range_count(
             policy, in.points_first, in.points_last, in.begins_first, in.begins_last, in.ends_first, in.counts_out)
           - in.counts_out;
  }
};

/// Returns the number of points of an interval, from its bounds.
struct points_of_bounds
{
  const std::int32_t* lower;
  const std::int32_t* upper;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t i) const
  {
    return upper[i] - lower[i];
  }
};

/// Returns the point of a row, from its interval.
struct point_of_row
{
  const std::int32_t* interval_of_row;
  const std::int32_t* lower;
  const std::int32_t* offsets;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t row) const
  {
    const std::int32_t i = interval_of_row[row];
    return lower[i] + (row - offsets[i]);
  }
};

/// Writes the rows of an interval.
struct write_rows_of_interval
{
  const std::int32_t* lower;
  const std::int32_t* offsets;
  std::int32_t* points_out;
  std::int32_t* intervals_out;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int32_t i) const
  {
    for (std::int32_t row = offsets[i]; row < offsets[i + 1]; ++row)
    {
      points_out[row] = lower[i] + (row - offsets[i]);
      intervals_out[row] = i;
    }
  }
};

/// An implementation with Thrust's algorithms: the bounds of each interval, a scan of the numbers of points, and rows
/// that Write makes of these.
template <class Write>
struct thrust_range_join_by
{
  template <class Policy, class Arguments>
  static std::int64_t run(range_join, Policy policy, const Arguments& in)
  {
    const std::int64_t count = in.interval_count();
    const auto buffer = thrust::get_temporary_buffer<std::int32_t>(policy, 3 * count + 1);
    std::int32_t* const lower = thrust::raw_pointer_cast(buffer.first);
    std::int32_t* const upper = lower + count;
    std::int32_t* const offsets = upper + count;
    thrust::lower_bound(policy, in.points_first, in.points_last, in.begins_first, in.begins_last, lower);
    thrust::lower_bound(policy, in.points_first, in.points_last, in.ends_first, in.ends_first + count, upper);
    const auto counts =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int32_t>(0), points_of_bounds{lower, upper});
    thrust::fill(policy, offsets, offsets + 1, 0);
    thrust::inclusive_scan(policy, counts, counts + count, offsets + 1);
    std::int32_t rows = 0;
    thrust::copy_n(thrust::device_pointer_cast(offsets) + count, 1, &rows);
    Write::run(policy, in, lower, counts, offsets, rows);
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
    return rows;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(range_count, Policy policy, const Arguments& in)
  {
    const std::int64_t count = in.interval_count();
    const auto buffer = thrust::get_temporary_buffer<std::int32_t>(policy, count);
    std::int32_t* const lower = thrust::raw_pointer_cast(buffer.first);
    thrust::lower_bound(policy, in.points_first, in.points_last, in.begins_first, in.begins_last, lower);
    const auto end =
      thrust::lower_bound(policy, in.points_first, in.points_last, in.ends_first, in.ends_first + count, in.counts_out);
    thrust::transform(policy, in.counts_out, end, lower, in.counts_out, thrust::minus<std::int32_t>{});
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
    return count;
  }
};

/// Scatters the indices of intervals to the first of their rows; a running maximum fills the others.
struct write_by_scan
{
  template <class Policy, class Arguments, class Counts>
  static void run(
    const Policy& policy, const Arguments& in, const std::int32_t* lower, Counts counts, const std::int32_t* offsets,
    std::int32_t rows)
  {
    const thrust::counting_iterator<std::int32_t> numbers(0);
    std::int32_t* const out = in.intervals_out;
    thrust::fill(policy, out, out + rows, 0);
    thrust::scatter_if(policy, numbers, numbers + in.interval_count(), offsets, counts, out);
    thrust::inclusive_scan(policy, out, out + rows, out, thrust::maximum<std::int32_t>{});
    thrust::transform(policy, numbers, numbers + rows, in.points_out, point_of_row{out, lower, offsets});
  }
};
struct thrust_range_join : thrust_range_join_by<write_by_scan>
{
  static constexpr const char* name = "thrust";
};

/// A thread for each interval writes all of its rows.
struct write_by_threads
{
  template <class Policy, class Arguments, class Counts>
  static void run(
    const Policy& policy, const Arguments& in, const std::int32_t* lower, Counts, const std::int32_t* offsets,
    std::int32_t)
  {
    const thrust::counting_iterator<std::int32_t> numbers(0);
    thrust::for_each_n(
      policy, numbers, in.interval_count(), write_rows_of_interval{lower, offsets, in.points_out, in.intervals_out});
  }
};
struct thread_range_join : thrust_range_join_by<write_by_threads>
{
  static constexpr const char* name = "thread_expand";
  template <class Problem, class System>
  static constexpr bool is_for = Problem::operation::writes_rows;

  template <class Policy, class Arguments>
  static std::int64_t run(range_join operation, Policy policy, const Arguments& in)
  {
    if (in.distribution.lengths == interval_lengths::one_over_all)
    {
      throw not_measured("one thread would write all rows");
    }
    return thrust_range_join_by<write_by_threads>::run(operation, policy, in);
  }
};

/// Both bounds of each interval by our sorted searches, which need begins and ends in order, and their difference.
struct two_searches
{
  static constexpr const char* name = "two_searches";
  template <class Problem, class System>
  static constexpr bool is_for = !Problem::operation::writes_rows;

  template <class Policy, class Arguments>
  static std::int64_t run(range_count, Policy policy, const Arguments& in)
  {
    if (!in.distribution.is_in_order || in.distribution.lengths != interval_lengths::equal)
    {
      throw not_measured("begins or ends are not sorted");
    }
    const std::int64_t count = in.interval_count();
    const auto buffer = thrust::get_temporary_buffer<std::int32_t>(policy, count);
    std::int32_t* const lower = thrust::raw_pointer_cast(buffer.first);
    mgpu::sorted_lower_bound(policy, in.points_first, in.points_last, in.begins_first, in.begins_last, lower);
    const auto end = mgpu::sorted_lower_bound(
      policy, in.points_first, in.points_last, in.ends_first, in.ends_first + count, in.counts_out);
    thrust::transform(policy, in.counts_out, end, lower, in.counts_out, thrust::minus<std::int32_t>{});
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
    return count;
  }
};

/// An inner join of as many left keys as there are intervals, with as many rows.
struct as_inner_join
{
  static constexpr const char* name = "inner_join";
  static constexpr bool is_yardstick = true;
  template <class Problem, class System>
  static constexpr bool is_for = Problem::operation::writes_rows;

  template <class Policy, class Arguments>
  static std::int64_t run(range_join, const Policy& policy, const Arguments& in)
  {
    return mgpu::inner_join(
             policy, in.left_keys, in.left_keys + in.interval_count(), in.right_keys, in.right_keys + in.rows,
             in.intervals_out, in.points_out)
             .first
           - in.intervals_out;
  }
};

/// The right key of an inner join with as many rows for each left key as an interval has points.
struct right_key_of
{
  std::int64_t left_count;
  std::int64_t rows;
  bool are_equal;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t j) const
  {
    return static_cast<std::int32_t>(are_equal ? left_count / 3 : j * left_count / rows);
  }
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Key>
struct range_join_data
{
  using keys = typename Machine::template vector<Key>;
  using numbers = typename Machine::template vector<std::int32_t>;

  /// The rows of a result, or its counts.
  struct result
  {
    numbers points;
    numbers intervals;
    numbers counts;
  };

  interval_distribution distribution;
  keys points, begins, ends;
  numbers points_out, intervals_out, counts_out;
  numbers left_keys, right_keys;
  std::int64_t rows = 0;

  template <class Problem>
  range_join_data(Machine& machine, const Problem& problem)
      : distribution(problem.distribution)
      , points(problem.n)
      , begins(distribution.interval_count(problem.n))
      , ends(begins.size())
      , counts_out(begins.size())
  {
    const auto policy = machine.policy();
    thrust::tabulate(policy, pointer_to(points), pointer_to(points) + points.size(), random_number<Key>{problem.n, 0});
    thrust::sort(policy, pointer_to(points), pointer_to(points) + points.size());
    const auto first = pointer_to(begins);
    thrust::tabulate(policy, first, first + begins.size(), random_number<Key>{problem.n, 1});
    if (distribution.is_in_order)
    {
      thrust::sort(policy, first, first + begins.size());
    }
    const end_of_interval<Key> end_of{first, distribution.length, distribution.lengths};
    thrust::tabulate(policy, pointer_to(ends), pointer_to(ends) + ends.size(), end_of);
    if (distribution.lengths == interval_lengths::one_over_all)
    {
      const std::int64_t long_one = static_cast<std::int64_t>(begins.size()) / 3;
      thrust::fill_n(policy, first + long_one, 1, Key{0});
      thrust::fill_n(policy, pointer_to(ends) + long_one, 1, static_cast<Key>(problem.n));
    }
    if constexpr (Problem::operation::writes_rows)
    {
      const auto in = arguments();
      rows =
        mgpu::range_join_size(policy, in.points_first, in.points_last, in.begins_first, in.begins_last, in.ends_first);
      points_out.resize(rows);
      intervals_out.resize(rows);
    }
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    if constexpr (is_yardstick<Library>)
    {
      make_inner_join(policy); // in the first call, which is not timed
    }
    return library.run(typename Problem::operation{}, policy, arguments());
  }
  void poison(Machine& machine)
  {
    fill_all(machine, points_out, -77);
    fill_all(machine, intervals_out, -77);
    fill_all(machine, counts_out, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t)
  {
    return new result{points_out, intervals_out, counts_out};
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t results)
  {
    const auto all = Problem::operation::writes_rows ? rows : static_cast<std::int64_t>(begins.size());
    if (
      results != all || !begins_with(machine, points_out, expected.points)
      || !begins_with(machine, intervals_out, expected.intervals) || !begins_with(machine, counts_out, expected.counts))
    {
      throw std::runtime_error("wrong result");
    }
  }
  /// The work of a call: each begin and end is read once, a point for each of these, up to all points, and each result
  /// written once.
  template <class Problem>
  work one_call(const Problem&, const result&)
  {
    const auto intervals = static_cast<std::int64_t>(begins.size());
    const auto num_points = static_cast<std::int64_t>(points.size());
    const std::int64_t read = 2 * intervals + std::min(num_points, 2 * intervals);
    const std::int64_t written = Problem::operation::writes_rows ? 2 * rows : intervals;
    return {
      intervals + num_points,
      read * static_cast<std::int64_t>(sizeof(Key)) + written * static_cast<std::int64_t>(sizeof(std::int32_t))};
  }

private:
  range_join_arguments<Key> arguments()
  {
    return {
      pointer_to(points),
      pointer_to(points) + points.size(),
      pointer_to(begins),
      pointer_to(begins) + begins.size(),
      pointer_to(ends),
      pointer_to(points_out),
      pointer_to(intervals_out),
      pointer_to(counts_out),
      pointer_to(left_keys),
      pointer_to(right_keys),
      rows,
      distribution};
  }
  template <class Policy>
  void make_inner_join(const Policy& policy)
  {
    if (right_keys.empty())
    {
      left_keys.resize(begins.size());
      right_keys.resize(rows);
      const thrust::counting_iterator<std::int32_t> numbers_from_0(0);
      thrust::copy_n(policy, numbers_from_0, left_keys.size(), pointer_to(left_keys));
      const right_key_of key_of{
        static_cast<std::int64_t>(begins.size()), rows, distribution.lengths == interval_lengths::one_over_all};
      thrust::tabulate(policy, pointer_to(right_keys), pointer_to(right_keys) + rows, key_of);
    }
  }
};

struct range_join_form
{
  static constexpr const char* name = "rows";
};
struct range_count_form
{
  static constexpr const char* name = "counts";
};

/// One operation on one input.
template <class OperationType, class KeyType>
struct range_join_problem
{
  using operation = OperationType;
  using form = std::conditional_t<operation::writes_rows, range_join_form, range_count_form>;
  template <class Machine>
  using data = range_join_data<Machine, KeyType>;

  interval_distribution distribution;
  std::int64_t n;
  std::string type;

  static bool takes(const interval_distribution& input)
  {
    return input.has_rows || !operation::writes_rows;
  }
  /// Names the inputs.
  std::string input_name() const
  {
    return std::string(form::name) + "/" + type + "/" + distribution.name
           + "/n:" + std::to_string(distribution.interval_count(n)) + "+" + std::to_string(n);
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + input_name();
  }
};

template <class Key>
auto range_join_problems_on(const char* type)
{
  return std::make_tuple(
    problems_on<range_join_problem<range_join, Key>>{type}, problems_on<range_join_problem<range_count, Key>>{type});
}
inline auto range_join_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::range_join_problems_on<std::int32_t>("i32"),
    mgpu_benchmark::range_join_problems_on<std::int64_t>("i64"));
}

} // namespace mgpu_benchmark

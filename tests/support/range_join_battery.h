// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of range joins: rows, their number, a plan, and counts, with each of the bounds, against a search for
/// each interval; and against loops over all points.

#include <mgpu_thrust/detail/join/ranges/tuning.h>
#include <mgpu_thrust/range_join.h>

#include "join_battery.h"
#include "systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test
{

/// Sorted points, and intervals in any order.
template <class Point, class Begin = Point, class End = Begin>
struct points_and_intervals
{
  std::vector<Point> points;
  std::vector<Begin> begins;
  std::vector<End> ends;
};
using int_intervals = points_and_intervals<std::int32_t>;

/// The order and the lengths of intervals.
enum class intervals
{
  in_order,      ///< begins and ends ascend
  of_any_length, ///< begins ascend, ends do not
  descending,    ///< neither ascends
  shuffled,      ///< in any order
  nested,        ///< each contains the next
  mostly_empty,  ///< most end before they begin, or where they do
  equal,         ///< all are one
  one_over_all   ///< one has all points, the others have none
};
inline constexpr intervals all_intervals[] = {intervals::in_order, intervals::of_any_length, intervals::descending,
                                              intervals::shuffled, intervals::nested,        intervals::mostly_empty,
                                              intervals::equal,    intervals::one_over_all};

inline const char* name_of(intervals kind)
{
  constexpr const char* names[] = {"in order", "of any length", "descending", "shuffled",
                                   "nested",   "mostly empty",  "equal",      "one over all"};
  return names[static_cast<int>(kind)];
}

/// `num_points` points between 0 and `largest`, and `num_intervals` intervals with some `length` values.
inline int_intervals make_intervals(
  intervals kind, std::int64_t num_points, std::int64_t num_intervals, std::int64_t largest, std::int64_t length,
  std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t n)
  { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
  int_intervals in;
  for (std::int64_t i = 0; i < num_points; ++i)
  {
    in.points.push_back(static_cast<std::int32_t>(below(largest + 1)));
  }
  std::sort(in.points.begin(), in.points.end());
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (std::int64_t i = 0; i < num_intervals; ++i)
  {
    const std::int64_t begin = below(largest + 1);
    switch (kind)
    {
    case intervals::nested:
      all.emplace_back(i * largest / (2 * num_intervals), largest - i * largest / (2 * num_intervals));
      break;
    case intervals::mostly_empty:
      all.emplace_back(begin, begin - below(length + 1) + (below(8) == 0 ? length : 0));
      break;
    case intervals::equal:
      all.emplace_back(largest / 3, largest / 3 + length);
      break;
    case intervals::one_over_all:
      all.emplace_back(largest / 2, i == num_intervals / 3 ? largest + 1 : largest / 2);
      break;
    default:
      all.emplace_back(begin, begin + (kind == intervals::in_order ? length : below(2 * length)));
    }
  }
  if (kind == intervals::one_over_all && num_intervals > 0)
  {
    all[static_cast<std::size_t>(num_intervals / 3)].first = -1;
  }
  if (kind == intervals::in_order || kind == intervals::of_any_length || kind == intervals::descending)
  {
    std::sort(all.begin(), all.end());
  }
  if (kind == intervals::descending)
  {
    std::reverse(all.begin(), all.end());
  }
  for (const auto& interval : all)
  {
    in.begins.push_back(static_cast<std::int32_t>(interval.first));
    in.ends.push_back(static_cast<std::int32_t>(interval.second));
  }
  return in;
}

/// Calls f(bounds) for each of the bounds.
template <class Function>
void for_each_bounds(Function f)
{
  f(mgpu::closed_open);
  f(mgpu::closed);
  f(mgpu::open);
  f(mgpu::open_closed);
}

/// The rows of a range join: `left` has the intervals, `right` the points. has(point, i) tells whether interval i has a
/// point.
template <class Index, class Has>
join_rows<Index> rows_of_intervals(std::int64_t num_points, std::int64_t num_intervals, Has has)
{
  join_rows<Index> rows;
  for (std::int64_t i = 0; i < num_intervals; ++i)
  {
    for (std::int64_t j = 0; j < num_points; ++j)
    {
      if (has(j, i))
      {
        rows.add(i, j);
      }
    }
  }
  return rows;
}

/// The same by loops over all intervals and points, from the definition of the bounds.
template <class Index, class Point, class Begin, class End, class Compare, class Bounds>
join_rows<Index> all_pairs(const points_and_intervals<Point, Begin, End>& in, Compare comp, Bounds)
{
  return rows_of_intervals<Index>(
    in.points.size(), in.begins.size(),
    [&](std::int64_t j, std::int64_t i)
    {
      const auto& point = in.points[j];
      const bool is_after = Bounds::has_begin ? !comp(point, in.begins[i]) : comp(in.begins[i], point);
      const bool is_before = Bounds::has_end ? !comp(in.ends[i], point) : comp(point, in.ends[i]);
      return is_after && is_before;
    });
}

/// The same by two searches for each interval.
template <class Index, class Point, class Begin, class End, class Compare, class Bounds>
join_rows<Index> search_each_interval(const points_and_intervals<Point, Begin, End>& in, Compare comp, Bounds)
{
  const auto bound = [&](bool is_lower, const auto& value)
  {
    return (is_lower ? std::lower_bound(in.points.begin(), in.points.end(), value, comp)
                     : std::upper_bound(in.points.begin(), in.points.end(), value, comp))
           - in.points.begin();
  };
  join_rows<Index> rows;
  for (std::size_t i = 0; i < in.begins.size(); ++i)
  {
    const std::int64_t last = bound(!Bounds::has_end, in.ends[i]);
    for (std::int64_t j = bound(Bounds::has_begin, in.begins[i]); j < last; ++j)
    {
      rows.add(static_cast<std::int64_t>(i), j);
    }
  }
  return rows;
}

/// Checks a range join under a policy: its rows, their number, a plan, and the counts.
template <class Index, class Policy, class Point, class Begin, class End, class Compare, class Bounds>
void check_range_join(
  const Policy& policy, const points_and_intervals<Point, Begin, End>& in, Compare comp, Bounds bounds,
  const join_rows<Index>& expected)
{
  SCOPED_TRACE(
    std::to_string(in.points.size()) + " points, " + std::to_string(in.begins.size()) + " intervals"
    + (Bounds::has_begin ? " [" : " (") + (Bounds::has_end ? "]" : ")"));
  const auto points = to_memory<Policy>(in.points);
  const auto begins = to_memory<Policy>(in.begins);
  const auto ends = to_memory<Policy>(in.ends);
  const std::int64_t size = expected.size();
  memory<Policy, Index> x(size + 1, static_cast<Index>(-7)); // of points
  memory<Policy, Index> y(size + 1, static_cast<Index>(-7)); // of intervals

  // 1. The number of rows, and all rows.
  ASSERT_EQ(
    mgpu::range_join_size(
      policy, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), comp, bounds),
    size);
  const auto row_ends = mgpu::range_join(
    policy, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), x.begin(), y.begin(), comp,
    bounds);
  ASSERT_EQ(row_ends.first - x.begin(), size);
  ASSERT_EQ(row_ends.second - y.begin(), size);
  expect_rows(y, x, expected, 0, size);

  // 2. A plan, whole and in pieces.
  const mgpu::range_join_plan plan(
    policy, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), comp, bounds);
  ASSERT_EQ(plan.size(), size);
  const auto plan_ends = plan.fill(x.begin(), y.begin());
  ASSERT_EQ(plan_ends.first - x.begin(), size);
  ASSERT_EQ(plan_ends.second - y.begin(), size);
  expect_rows(y, x, expected, 0, size);
  const std::int64_t piece = size / 5 + 1;
  for (std::int64_t begin = 0; begin <= size; begin += piece)
  {
    const std::int64_t end = std::min(begin + piece, size);
    plan.fill(begin, end, x.begin(), y.begin());
    expect_rows(y, x, expected, begin, end - begin);
  }

  // 3. Counts.
  std::vector<std::int64_t> counts(in.begins.size() + 1, 0);
  for (const Index interval : expected.left)
  {
    ++counts[static_cast<std::size_t>(interval)];
  }
  counts.back() = -7;
  memory<Policy, std::int64_t> z(counts.size(), -7);
  const auto count_end = mgpu::range_count(
    policy, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), z.begin(), comp, bounds);
  ASSERT_EQ(count_end - z.begin(), static_cast<std::int64_t>(in.begins.size()));
  ASSERT_TRUE(to_host(z) == counts);
}

/// Checks a range join under all policies.
template <class Index, class Point, class Begin, class End, class Compare, class Bounds>
void check_bounds(const points_and_intervals<Point, Begin, End>& in, Compare comp, Bounds bounds)
{
  const auto expected = search_each_interval<Index>(in, comp, bounds);
  for_each_policy([&](const auto& policy) { check_range_join(policy, in, comp, bounds, expected); });
}

/// The same with all bounds.
template <class Index, class Point, class Begin, class End, class Compare>
void check_all_bounds(const points_and_intervals<Point, Begin, End>& in, Compare comp)
{
  for_each_bounds([&](auto bounds) { check_bounds<Index>(in, comp, bounds); });
}

/// The same of 4-byte integers.
inline void check_all_bounds(const int_intervals& in)
{
  check_all_bounds<std::int32_t>(in, ::cuda::std::less<>{});
}

} // namespace test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Range joins of elements of other types than integers of 4 bytes, of three types together, through iterators of other
// kinds, with other orders, and without a policy.

#include "support/elements.h"
#include "support/keys.h"
#include "support/range_join_battery.h"
#include "support/systems.h"

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::int_intervals;
using test::intervals;
using ints = std::vector<std::int32_t>;

template <class Key>
std::vector<Key> keys_of(const ints& values)
{
  std::vector<std::int64_t> ranks;
  for (const std::int32_t value : values)
  {
    ranks.push_back(std::max(value, 0));
  }
  return test::to_keys<Key>(ranks);
}

/// Intervals whose ends fit every type.
int_intervals small_values(intervals kind, std::uint64_t seed)
{
  return test::make_intervals(kind, 700, 300, 100, 8, seed);
}

template <class Point, class Begin = Point, class End = Begin, class Compare = ::cuda::std::less<>>
void check_type(Compare comp = {})
{
  for (const intervals kind : {intervals::in_order, intervals::shuffled})
  {
    const int_intervals in = small_values(kind, 21);
    const test::points_and_intervals<Point, Begin, End> keys{
      keys_of<Point>(in.points), keys_of<Begin>(in.begins), keys_of<End>(in.ends)};
    test::check_bounds<std::int64_t>(keys, comp, mgpu::closed_open); // both are lower bounds
    test::check_bounds<std::int64_t>(keys, comp, mgpu::open_closed); // both are upper bounds
  }
}

TEST(RangeJoinTypes, ElementsOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_type<std::int8_t>();
  check_type<test::only_less>();
  check_type<test::words_key<400>>(); // too large for shared memory
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_type<std::uint16_t>();
  check_type<std::int64_t>();
  check_type<std::uint64_t>();
  check_type<double>();
  check_type<test::words_key<3>>();
  check_type<test::words_key<4>>();
#endif
}

/// An event, the begin of a session and its end: ordered by time, and a begin is not compared with an end.
struct event
{
  std::int32_t time;
};
struct session_begin
{
  std::int64_t time;
  std::int64_t session;
};
struct session_end
{
  std::int16_t time;
};
} // namespace

template <>
struct test::make_key<event>
{
  static event from(std::int64_t rank)
  {
    return {static_cast<std::int32_t>(rank)};
  }
};
template <>
struct test::make_key<session_begin>
{
  static session_begin from(std::int64_t rank)
  {
    return {rank, 77};
  }
};
template <>
struct test::make_key<session_end>
{
  static session_end from(std::int64_t rank)
  {
    return {static_cast<std::int16_t>(rank)};
  }
};

namespace
{

struct by_time
{
  template <class T>
  MGPU_THRUST_HOST_DEVICE bool operator()(const T& x, const T& y) const
  {
    return x.time < y.time;
  }
  MGPU_THRUST_HOST_DEVICE bool operator()(const event& x, const session_begin& y) const
  {
    return x.time < y.time;
  }
  MGPU_THRUST_HOST_DEVICE bool operator()(const session_begin& x, const event& y) const
  {
    return x.time < y.time;
  }
  MGPU_THRUST_HOST_DEVICE bool operator()(const event& x, const session_end& y) const
  {
    return x.time < y.time;
  }
  MGPU_THRUST_HOST_DEVICE bool operator()(const session_end& x, const event& y) const
  {
    return x.time < y.time;
  }
};

/// The same, with a result that is an object.
struct object_by_time
{
  struct result
  {
    bool value;
    MGPU_THRUST_HOST_DEVICE explicit operator bool() const
    {
      return value;
    }
  };
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE result operator()(const X& x, const Y& y) const
  {
    return {by_time{}(x, y)};
  }
};

TEST(RangeJoinTypes, ThreeTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_type<event, session_begin, session_end>(by_time{});
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_type<std::int32_t, std::int64_t, std::int8_t>();
#endif
}

TEST(RangeJoinTypes, ComparatorsThatReturnObjects)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::points_and_intervals<event, session_begin, session_end> in;
  const int_intervals values = small_values(intervals::shuffled, 22);
  in.points = keys_of<event>(values.points);
  in.begins = keys_of<session_begin>(values.begins);
  in.ends = keys_of<session_end>(values.ends);
  const auto expected = test::search_each_interval<std::int64_t>(in, by_time{}, mgpu::closed);
  test::for_each_policy([&](const auto& policy)
                        { test::check_range_join(policy, in, object_by_time{}, mgpu::closed, expected); });
}

// Points in descending order: an interval begins at its larger value.
TEST(RangeJoinTypes, DescendingOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const intervals kind : {intervals::in_order, intervals::shuffled})
  {
    int_intervals in = small_values(kind, 23);
    std::reverse(in.points.begin(), in.points.end());
    in.begins.swap(in.ends);
    test::check_all_bounds<std::int32_t>(in, test::greater{});
  }
}

/// Orders row numbers by a column, and compares nothing else.
struct by_column
{
  const std::int32_t* column;
  std::int64_t size;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t x, std::int64_t y) const
  {
    return column[is_row(x) ? x : 0] < column[is_row(y) ? y : 0] && is_row(x) && is_row(y);
  }
  MGPU_THRUST_HOST_DEVICE bool is_row(std::int64_t row) const
  {
    return 0 <= row && row < size;
  }
};

// A comparator sees elements of the inputs alone: here they are rows of a table, which has points, begins and ends.
TEST(RangeJoinTypes, RowsOfATable)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const int_intervals in = small_values(intervals::of_any_length, 24);
  ints column = in.points;
  column.insert(column.end(), in.begins.begin(), in.begins.end());
  column.insert(column.end(), in.ends.begin(), in.ends.end());
  const auto expected = test::search_each_interval<std::int32_t>(in, ::cuda::std::less<>{}, mgpu::closed_open);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto table = test::to_memory<policy_t>(column);
      const by_column comp{thrust::raw_pointer_cast(table.data()), static_cast<std::int64_t>(table.size())};
      const auto points = static_cast<std::int64_t>(in.points.size());
      const auto num_intervals = static_cast<std::int64_t>(in.begins.size());
      const thrust::counting_iterator<std::int64_t> rows(0);
      test::memory<policy_t, std::int32_t> x(expected.size() + 1, -7);
      test::memory<policy_t, std::int32_t> y(expected.size() + 1, -7);
      mgpu::range_join(
        policy, rows, rows + points, rows + points, rows + points + num_intervals, rows + points + num_intervals,
        x.begin(), y.begin(), comp);
      test::expect_rows(y, x, expected, 0, expected.size());
    });
}

/// Adds a number.
struct plus
{
  std::int32_t number;
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t x) const
  {
    return x + number;
  }
};
struct plus_one
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t index) const
  {
    return index + 1;
  }
};

// Inputs that iterators compute, and outputs that change what is written or discard it. Outputs of narrow types.
TEST(RangeJoinTypes, Iterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      // Each of 50 values with the points up to 2 away from it, of points 0, 1 and so on.
      const auto values = test::to_memory<policy_t>(ints{9, 20, 40});
      const auto begins = thrust::make_transform_iterator(values.begin(), plus{-2});
      const auto ends = thrust::make_transform_iterator(values.begin(), plus{2});
      const thrust::counting_iterator<std::int32_t> points(0);
      test::memory<policy_t, std::int8_t> x(16, std::int8_t{-7});
      test::memory<policy_t, std::uint16_t> y(16, std::uint16_t{7});
      mgpu::range_join(
        policy, points, points + 42, begins, begins + 3, ends, x.begin(),
        thrust::make_transform_output_iterator(y.begin(), plus_one{}), ::cuda::std::less<>{}, mgpu::closed);
      EXPECT_EQ(
        test::to_host(x), (std::vector<std::int8_t>{7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 38, 39, 40, 41, -7, -7}));
      EXPECT_EQ(test::to_host(y), (std::vector<std::uint16_t>{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 7, 7}));
      const auto row_ends = mgpu::range_join(
        policy, points, points + 42, begins, begins + 3, ends, thrust::make_discard_iterator(), y.begin());
      EXPECT_EQ(row_ends.second - y.begin(), 12);
      test::memory<policy_t, std::uint8_t> counts(3);
      mgpu::range_count(policy, points, points + 42, begins, begins + 3, ends, counts.begin());
      EXPECT_EQ(test::to_host(counts), (std::vector<std::uint8_t>{4, 4, 4}));
      // All intervals begin at one value.
      const thrust::constant_iterator<std::int32_t> fives(5);
      mgpu::range_count(policy, points, points + 42, fives, fives + 3, values.begin(), counts.begin());
      EXPECT_EQ(test::to_host(counts), (std::vector<std::uint8_t>{4, 15, 35}));
    });
}

// Calls without a policy.
TEST(RangeJoinTypes, WithoutAPolicy)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::device_vector<std::int32_t> points(ints{1, 3, 3, 5, 8});
  const thrust::device_vector<std::int32_t> begins(ints{3, 0, 6});
  const thrust::device_vector<std::int32_t> ends(ints{8, 2, 7});
  thrust::device_vector<std::int32_t> x(6, -7);
  thrust::device_vector<std::int32_t> y(6, -7);
  const auto row_ends = mgpu::range_join(
    points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), x.begin(), y.begin(),
    ::cuda::std::less<>{}, mgpu::closed);
  EXPECT_EQ(row_ends.first - x.begin(), 5);
  EXPECT_EQ(test::to_host(x), (ints{1, 2, 3, 4, 0, -7}));
  EXPECT_EQ(test::to_host(y), (ints{0, 0, 0, 0, 1, -7}));
  EXPECT_EQ(mgpu::range_join_size(points.begin(), points.end(), begins.begin(), begins.end(), ends.begin()), 4);
  mgpu::range_count(points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), x.begin());
  EXPECT_EQ(test::to_host(x), (ints{3, 1, 0, 4, 0, -7}));
}

#if !defined(__CUDACC__)

TEST(RangeJoinTypes, Strings)
{
  const auto text = [](std::int32_t value) { return std::string(20, 'x') + std::to_string(1000 + value); };
  const int_intervals in = small_values(intervals::of_any_length, 25);
  test::points_and_intervals<std::string> strings;
  std::transform(in.points.begin(), in.points.end(), std::back_inserter(strings.points), text);
  std::transform(in.begins.begin(), in.begins.end(), std::back_inserter(strings.begins), text);
  std::transform(in.ends.begin(), in.ends.end(), std::back_inserter(strings.ends), text);
  test::check_all_bounds<std::int64_t>(strings, ::cuda::std::less<>{});
}

// Serial policies write through any output iterator.
TEST(RangeJoinTypes, OutputIterators)
{
  const ints points{1, 3, 3, 5, 8};
  const ints begins{3, 0};
  const ints ends{8, 2};
  ints x;
  ints y;
  std::vector<std::int64_t> counts;
  mgpu::range_join(
    thrust::seq, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), std::back_inserter(x),
    std::back_inserter(y));
  EXPECT_EQ(x, (ints{1, 2, 3, 0}));
  EXPECT_EQ(y, (ints{0, 0, 0, 1}));
  mgpu::range_count(
    thrust::host, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), std::back_inserter(counts));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{3, 1}));
}

#endif

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Range joins: all small inputs against loops over all pairs, intervals of every kind and size, long runs of equal
// points, many rows, and policies of every kind. Types and iterators are in test_range_join_types.

#include "support/elements.h"
#include "support/fuzz.h"
#include "support/policy_battery.h"
#include "support/range_join_battery.h"
#include "support/systems.h"

#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::int_intervals;
using test::intervals;
using test::ints;

TEST(RangeJoin, AllSmallInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // All intervals between values from -1 to 3, in order of their begins, of their ends, and of neither.
  std::vector<int_intervals> orders(3);
  for (std::int32_t x = -1; x <= 3; ++x)
  {
    for (std::int32_t y = -1; y <= 3; ++y)
    {
      orders[0].begins.push_back(x);
      orders[0].ends.push_back(y);
      orders[1].begins.push_back(y);
      orders[1].ends.push_back(x);
      orders[2].begins.push_back((x + 2 * y + 5) % 5 - 1);
      orders[2].ends.push_back((3 * x + y + 9) % 5 - 1);
    }
  }
  // All points from 0, 1 and 2.
  for (int points = 0; points < 4 * 4 * 4; ++points)
  {
    for (int_intervals& in : orders)
    {
      in.points.assign(static_cast<std::size_t>(points % 4), 0);
      in.points.insert(in.points.end(), static_cast<std::size_t>(points / 4 % 4), 1);
      in.points.insert(in.points.end(), static_cast<std::size_t>(points / 16), 2);
      test::for_each_bounds(
        [&](auto bounds)
        {
          const auto expected = test::all_pairs<std::int32_t>(in, ::cuda::std::less<>{}, bounds);
          test::for_each_policy([&](const auto& policy)
                                { test::check_range_join(policy, in, ::cuda::std::less<>{}, bounds, expected); });
        });
      ASSERT_FALSE(HasFatalFailure()) << points;
    }
  }
}

// Intervals of every kind, among as many points, among few, and among so many that a GPU bisects for each.
TEST(RangeJoin, Intervals)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const intervals kind : test::all_intervals)
  {
    SCOPED_TRACE(test::name_of(kind));
    const bool has_many_rows = kind == intervals::nested || kind == intervals::equal;
    const std::int64_t n = has_many_rows ? 600 : 20000;
    test::check_all_bounds(test::make_intervals(kind, n, n, n, 5, 1));
    test::check_all_bounds(test::make_intervals(kind, n / 50, n, 10 * n, 400, 2));
    test::check_all_bounds(test::make_intervals(kind, 25 * n, n / 100, n, 20, 3));
    test::check_all_bounds(test::make_intervals(kind, n / 10, n / 100, 7, 2, 4)); // long runs of equal points
    ASSERT_FALSE(HasFatalFailure());
  }
}

// Numbers of intervals around borders of tiles and pieces, and numbers of points.
TEST(RangeJoin, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using shape = mgpu::detail::interval_shape;
  for (const std::int64_t num_intervals :
       {0, 1, 31, 32, 33, 63, 65, shape::threads - 1, shape::threads, shape::threads + 1, 1023, 1025, 3001})
  {
    for (const std::int64_t num_points : {0, 1, 3, 1000, 70000})
    {
      test::check_all_bounds(
        test::make_intervals(intervals::in_order, num_points, num_intervals, 3 * num_intervals + 5, 6, 5));
      test::check_all_bounds(
        test::make_intervals(intervals::shuffled, num_points, num_intervals, 30 * num_intervals + 5, 20, 6));
      ASSERT_FALSE(HasFatalFailure()) << num_intervals << " " << num_points;
    }
  }
}

#if defined(__CUDACC__)
// So many intervals that a tile has more than one for each thread, and as many as its shape has.
TEST(RangeJoin, LargerTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using shape = mgpu::detail::interval_shape;
  using tiling = mgpu::detail::interval_tiling<shape, 4>;
  const std::int64_t larger = 2 * tiling::usual_tiles * shape::threads; // the first such number
  for (const std::int64_t num_intervals : {larger - 1, larger, larger + larger / 2, 3 * larger + 77})
  {
    for (const intervals kind : {intervals::in_order, intervals::of_any_length, intervals::one_over_all})
    {
      const int_intervals in = test::make_intervals(kind, num_intervals, num_intervals, 2 * num_intervals, 2, 7);
      const auto expected = test::search_each_interval<std::int32_t>(in, ::cuda::std::less<>{}, mgpu::closed);
      test::for_each_policy([&](const auto& policy)
                            { test::check_range_join(policy, in, ::cuda::std::less<>{}, mgpu::closed, expected); });
      ASSERT_FALSE(HasFatalFailure()) << num_intervals;
    }
  }
}
#endif

// Runs of equal points that are longer than tiles, and begins and ends at their values, before them and after.
TEST(RangeJoin, LongRunsOfEqualPoints)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  int_intervals in;
  for (const auto& [value, copies] :
       std::vector<std::pair<std::int32_t, int>>{{2, 9000}, {4, 1}, {6, 20000}, {8, 5000}})
  {
    in.points.insert(in.points.end(), static_cast<std::size_t>(copies), value);
  }
  for (std::int32_t begin = 1; begin <= 9; ++begin)
  {
    for (std::int32_t end = 1; end <= 9; ++end)
    {
      in.begins.push_back(begin);
      in.ends.push_back(end);
    }
  }
  test::check_all_bounds(in);
}

// Many rows of an interval, among empty ones and others with more rows than a unit: several blocks or workers write
// those of one.
TEST(RangeJoin, ManyRowsOfAnInterval)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  int_intervals in;
  for (std::int32_t i = 0; i < 1500000; ++i)
  {
    in.points.push_back(i);
  }
  const auto add = [&](std::int32_t begin, std::int32_t end, int copies)
  {
    in.begins.insert(in.begins.end(), static_cast<std::size_t>(copies), begin);
    in.ends.insert(in.ends.end(), static_cast<std::size_t>(copies), end);
  };
  add(5, 5, 3000);
  add(-1, 1500000, 1);
  add(7, 7, 100);
  add(1000, 71000, 3);
  add(20, 21, 3000);
  add(9, 140000, 1);
  add(3, 3, 1);
  const auto expected = test::search_each_interval<std::int32_t>(in, ::cuda::std::less<>{}, mgpu::closed_open);
  test::for_each_policy([&](const auto& policy)
                        { test::check_range_join(policy, in, ::cuda::std::less<>{}, mgpu::closed_open, expected); });
}

TEST(RangeJoin, ExtremesAndInfinities)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto check = [](auto lowest, auto highest)
  {
    using number = decltype(lowest);
    const std::vector<number> values{lowest, number{0}, number{1}, number{7}, highest};
    test::points_and_intervals<number> in;
    for (const number value : values)
    {
      in.points.insert(in.points.end(), 700, value);
      for (const number end : values)
      {
        in.begins.insert(in.begins.end(), 40, value);
        in.ends.insert(in.ends.end(), 40, end);
      }
    }
    test::check_all_bounds<std::int32_t>(in, ::cuda::std::less<>{});
  };
  check(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check(std::numeric_limits<std::uint64_t>::min(), std::numeric_limits<std::uint64_t>::max());
  check(-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity());
#endif
}

/// Twice a number.
struct doubled
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    return 2 * i;
  }
};

// More rows than 2^31, of which some are written; and more than 2^63. The points are computed.
TEST(RangeJoin, MoreRowsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto points = thrust::make_transform_iterator(numbers, doubled{});
  const std::int64_t num_points = std::int64_t{1} << 40;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto begins = test::to_memory<policy_t>(std::vector<std::int64_t>{10, 0, 5, num_points});
      const auto ends = test::to_memory<policy_t>(std::vector<std::int64_t>{21, 2 * num_points, 5, num_points + 9});
      const std::int64_t size = 6 + num_points + 5;
      const mgpu::range_join_plan plan(policy, points, points + num_points, begins.begin(), begins.end(), ends.begin());
      ASSERT_EQ(plan.size(), size);
      ASSERT_EQ(
        mgpu::range_join_size(policy, points, points + num_points, begins.begin(), begins.end(), ends.begin()), size);
      test::memory<policy_t, std::int64_t> x(4, -7);
      test::memory<policy_t, std::int64_t> y(4, -7);
      const auto check =
        [&](std::int64_t row, const std::vector<std::int64_t>& x_now, const std::vector<std::int64_t>& y_now)
      {
        plan.fill(row, row + 4, x.begin(), y.begin());
        EXPECT_EQ(test::to_host(x), x_now);
        EXPECT_EQ(test::to_host(y), y_now);
      };
      check(4, {9, 10, 0, 1}, {0, 0, 1, 1});
      const std::int64_t middle = std::int64_t{1} << 35;
      check(middle + 6, {middle, middle + 1, middle + 2, middle + 3}, {1, 1, 1, 1});
      check(size - 7, {num_points - 2, num_points - 1, num_points / 2, num_points / 2 + 1}, {1, 1, 3, 3});

      // The indices of so many points do not fit 32 bits; so many rows do not fit 64.
      test::memory<policy_t, std::int32_t> narrow(1, -7);
      EXPECT_THROW(plan.fill(0, 1, narrow.begin(), y.begin()), std::length_error);
      EXPECT_THROW(
        mgpu::range_count(
          policy, points, points + num_points, begins.begin(), begins.end(), ends.begin(), narrow.begin()),
        std::length_error);
      const std::vector<std::int64_t> zeros(5, 0);
      const auto many_begins = test::to_memory<policy_t>(zeros);
      const auto many_ends =
        test::to_memory<policy_t>(std::vector<std::int64_t>(5, std::numeric_limits<std::int64_t>::max()));
      const std::int64_t most_points = std::int64_t{1} << 61;
      const auto count_rows = [&](std::int64_t num_intervals)
      {
        return mgpu::range_join_size(
          policy, numbers, numbers + most_points, many_begins.begin(), many_begins.begin() + num_intervals,
          many_ends.begin());
      };
      EXPECT_EQ(count_rows(3), 3 * most_points);
      EXPECT_THROW(count_rows(4), std::length_error);
      EXPECT_THROW(
        mgpu::range_join(
          policy, numbers, numbers + most_points, many_begins.begin(), many_begins.end(), many_ends.begin(), x.begin(),
          y.begin()),
        std::length_error);
      EXPECT_EQ(test::to_host(narrow)[0], -7);
    });
}

// Of points that are not sorted, a range join writes as many rows as its size says, and a plan as many as it has. No
// index is invalid.
TEST(RangeJoin, UnsortedPoints)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const intervals kind : {intervals::in_order, intervals::shuffled})
  {
    int_intervals in = test::make_intervals(kind, 20000, 5000, 3000, 9, 8);
    std::shuffle(in.points.begin(), in.points.end(), std::mt19937(8));
    test::for_each_policy(
      [&](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        const auto points = test::to_memory<policy_t>(in.points);
        const auto begins = test::to_memory<policy_t>(in.begins);
        const auto ends = test::to_memory<policy_t>(in.ends);
        const auto check = [&](std::int64_t size, auto write)
        {
          test::memory<policy_t, std::int32_t> x(size + 1, -7);
          test::memory<policy_t, std::int32_t> y(size + 1, -7);
          EXPECT_EQ(write(x.begin(), y.begin()).first - x.begin(), size);
          const ints host_x = test::to_host(x);
          const ints host_y = test::to_host(y);
          const auto are_valid = [](const ints& indices, std::size_t count)
          {
            return std::all_of(
              indices.begin(), indices.end() - 1,
              [&](std::int32_t index) { return 0 <= index && index < static_cast<std::int64_t>(count); });
          };
          EXPECT_TRUE(are_valid(host_x, in.points.size()));
          EXPECT_TRUE(are_valid(host_y, in.begins.size()));
          EXPECT_TRUE(std::is_sorted(host_y.begin(), host_y.end() - 1));
          EXPECT_EQ(host_x.back(), -7);
          EXPECT_EQ(host_y.back(), -7);
        };
        check(
          mgpu::range_join_size(policy, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin()),
          [&](auto x, auto y) {
            return mgpu::range_join(
              policy, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), x, y);
          });
        const mgpu::range_join_plan plan(
          policy, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin());
        check(plan.size(), [&](auto x, auto y) { return plan.fill(x, y); });
      });
  }
}

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(RangeJoin, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    20,
    [](std::mt19937_64& random)
    {
      const auto below = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % (std::uint64_t{1} << random() % static_cast<std::uint64_t>(most)));
      };
      const std::int64_t num_points = below(17);
      const std::int64_t largest = 1 + below(20);
      const std::int64_t length = 1 + std::min(below(12), largest);
      // As many intervals as have a million rows, about.
      const std::int64_t points_of_one = 1 + num_points * length / largest;
      const std::int64_t num_intervals = std::min(below(14), 1000000 / points_of_one);
      constexpr std::uint64_t kinds = sizeof(test::all_intervals) / sizeof(test::all_intervals[0]);
      const intervals kind = test::all_intervals[random() % kinds];
      SCOPED_TRACE(test::name_of(kind));
      const bool has_many_rows = kind == intervals::nested;
      test::check_all_bounds(test::make_intervals(
        kind, num_points, has_many_rows ? std::min<std::int64_t>(num_intervals, 20) : num_intervals, largest, length,
        random()));
    });
}

/// A range join of points 0, 1, 2 and so on with intervals that have two points each, in descending order. In the
/// output, the intervals follow the points.
struct range_join_call : test::policy_call
{
  explicit range_join_call(std::int64_t size)
  {
    inputs.resize(3);
    for (std::int32_t i = 0; i < size; ++i)
    {
      inputs[0].push_back(i);
    }
    for (std::int32_t i = static_cast<std::int32_t>(size) - 3; i >= 0; --i)
    {
      inputs[1].push_back(i);
      inputs[2].push_back(i + 2);
    }
    const auto rows = test::search_each_interval<std::int32_t>(
      int_intervals{inputs[0], inputs[1], inputs[2]}, ::cuda::std::less<>{}, mgpu::open_closed);
    expected = rows.right;
    expected.insert(expected.end(), rows.left.begin(), rows.left.end());
    result = rows.size();
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const auto ends = mgpu::range_join(
      policy, in.first[0], in.last[0], in.first[1], in.last[1], in.first[2], out, out + in.output_size / 2,
      ::cuda::std::less<>{}, mgpu::open_closed);
    return ends.first - out;
  }
};

struct range_join_plan_call : range_join_call
{
  static constexpr bool runs_in_device_code = false;
  static constexpr auto allocates_on_cpu = test::cpu_storage::always; // for data kept between the count and the rows

  using range_join_call::range_join_call;
  template <class Policy>
  static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const mgpu::range_join_plan plan(
      policy, in.first[0], in.last[0], in.first[1], in.last[1], in.first[2], ::cuda::std::less<>{}, mgpu::open_closed);
    return plan.fill(out, out + in.output_size / 2).first - out;
  }
};

/// The number of rows.
struct range_join_size_call : range_join_call
{
  explicit range_join_size_call(std::int64_t size)
      : range_join_call(size)
  {
    expected.clear();
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t*)
  {
    return mgpu::range_join_size(
      policy, in.first[0], in.last[0], in.first[1], in.last[1], in.first[2], ::cuda::std::less<>{}, mgpu::open_closed);
  }
};

/// The points in each interval.
struct range_count_call : range_join_call
{
  static constexpr bool synchronises = false;
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;
  static constexpr bool allocates_on_gpu = false;

  explicit range_count_call(std::int64_t size)
      : range_join_call(size)
  {
    expected.assign(inputs[1].size(), 2);
    result = static_cast<std::int64_t>(expected.size());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::range_count(
             policy, in.first[0], in.last[0], in.first[1], in.last[1], in.first[2], out, ::cuda::std::less<>{},
             mgpu::open_closed)
           - out;
  }
};

using calls = testing::Types<range_join_call, range_join_plan_call, range_join_size_call, range_count_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(RangeJoin, Policies, calls);
}

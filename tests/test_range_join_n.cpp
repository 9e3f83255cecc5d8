// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Range joins whose sizes are deferred: the battery, room for some of many rows, and bad arguments.

#include "support/deferred_battery.h"
#include "support/range_join_battery.h"

#include <mgpu_thrust/range_join_n.h>
#include <mgpu_thrust/read_count.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_range_join.cuh>
#endif

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::two_ranges;

/// The end of an interval of length 3, or, of one that begins at 0, of a long one.
struct after_begin
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t begin) const
  {
    return begin == 0 ? 32000 : begin + 3;
  }
};
MGPU_THRUST_HOST_DEVICE auto ends_of(const std::int32_t* begins)
{
  return thrust::make_transform_iterator(begins, after_begin{});
}

/// The rows of a call, by a walk along both ranges: points and begins are sorted, and most intervals have four points.
test::join_rows<std::int32_t> rows_of(const test::ints& points, const test::ints& begins)
{
  test::join_rows<std::int32_t> rows;
  std::size_t first = 0;
  for (std::size_t i = 0; i < begins.size(); ++i)
  {
    for (; first < points.size() && points[first] < begins[i]; ++first)
    {
    }
    const std::int32_t end = after_begin{}(begins[i]);
    for (std::size_t j = first; j < points.size() && points[j] < end; ++j)
    {
      rows.add(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
    }
  }
  return rows;
}

/// The rows of most intervals.
struct rows_of_most : test::ranges_of_copies
{
  static constexpr bool writes = true;
  static constexpr std::int64_t columns = 2;

  static test::ints expected(const test::ints& points, const test::ints& begins)
  {
    test::join_rows<std::int32_t> rows = rows_of(points, begins);
    rows.right.insert(rows.right.end(), rows.left.begin(), rows.left.end());
    return rows.right;
  }
  static std::int64_t most(std::int64_t, std::int64_t intervals)
  {
    return 3 * intervals;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count count)
  {
    return mgpu::range_join_n(
      policy, ranges.first, size1, ranges.second, size2, ends_of(ranges.second), ranges.out, ranges.out + ranges.room,
      ranges.room, count);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count* count,
    cudaStream_t stream)
  {
    return mgpu::DeviceRangeJoin::Rows(
      storage, bytes, ranges.first, size1, ranges.second, size2, ends_of(ranges.second), ranges.out,
      ranges.out + ranges.room, ranges.room, count, cuda::std::less<>{}, mgpu::closed_open, stream);
  }
#endif
};

/// The rows of a few intervals.
struct rows_of_few : rows_of_most
{
  static std::int64_t most(std::int64_t, std::int64_t intervals)
  {
    return intervals / 2;
  }
};

/// The number of rows alone.
struct number_of_range_rows : rows_of_most
{
  static constexpr bool writes = false;
  static constexpr bool saturates = true;

  static std::int64_t most(std::int64_t points, std::int64_t intervals)
  {
    return points * intervals;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count count)
  {
    return mgpu::range_join_size_n(policy, ranges.first, size1, ranges.second, size2, ends_of(ranges.second), count);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count* count,
    cudaStream_t stream)
  {
    return mgpu::DeviceRangeJoin::RowCount(
      storage, bytes, ranges.first, size1, ranges.second, size2, ends_of(ranges.second), count, cuda::std::less<>{},
      mgpu::closed_open, stream);
  }
#endif
};

/// The points in each interval.
struct points_in_each : test::ranges_of_copies
{
  static constexpr bool writes = true;
  static constexpr int result_at = 1;

  static test::ints expected(const test::ints& points, const test::ints& begins)
  {
    test::ints counts(begins.size(), 0);
    for (const std::int32_t interval : rows_of(points, begins).left)
    {
      ++counts[static_cast<std::size_t>(interval)];
    }
    return counts;
  }
  static std::int64_t most(std::int64_t, std::int64_t intervals)
  {
    return intervals;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count)
  {
    return mgpu::range_count_n(policy, ranges.first, size1, ranges.second, size2, ends_of(ranges.second), ranges.out);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceRangeJoin::Counts(
      storage, bytes, ranges.first, size1, ranges.second, size2, ends_of(ranges.second), ranges.out,
      cuda::std::less<>{}, mgpu::closed_open, stream);
  }
#endif
};

using range_join_n_calls = testing::Types<rows_of_most, rows_of_few, number_of_range_rows, points_in_each>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(RangeJoins, DeferredSizes, range_join_n_calls);
} // namespace test

namespace
{

// Rows of which an interval has so many that several blocks or workers write them, with room for some.
TEST(RangeJoinN, RoomForSomeOfManyRows)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::int_intervals in = test::make_intervals(test::intervals::of_any_length, 200000, 3000, 200000, 20, 1);
  in.ends[1000] = 200001;
  in.ends[1001] = in.ends[1000];
  const auto expected = test::search_each_interval<std::int32_t>(in, ::cuda::std::less<>{}, mgpu::closed);
  const std::int64_t size = expected.size();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto points = test::to_memory<policy_t>(in.points);
      const auto begins = test::to_memory<policy_t>(in.begins);
      const auto ends = test::to_memory<policy_t>(in.ends);
      test::memory<policy_t, std::int64_t> counts(2);
      counts[0] = static_cast<std::int64_t>(in.begins.size());
      for (const std::int64_t room :
           {std::int64_t{0}, std::int64_t{1}, std::int64_t{4097}, std::int64_t{65541}, size / 2, size - 1, size,
            std::numeric_limits<std::int64_t>::max()})
      {
        SCOPED_TRACE(room);
        const std::int64_t written = std::min(room, size);
        test::memory<policy_t, std::int32_t> x(written + 1, -7);
        test::memory<policy_t, std::int32_t> y(written + 1, -7);
        const auto result = mgpu::range_join_n(
          policy, points.begin(), 200000, begins.begin(), mgpu::deferred{counts.data(), 5000}, ends.begin(), x.begin(),
          y.begin(), room, counts.data() + 1, ::cuda::std::less<>{}, mgpu::closed);
        ASSERT_EQ(test::to_host(counts)[1], size);
        ASSERT_EQ(result.capacity, room);
        ASSERT_EQ(mgpu::read_count(policy, result), written);
        test::expect_rows(y, x, expected, 0, written);
      }
    });
}

// More rows than 64 bits count, of points that are computed: the number saturates, and those with room are right.
TEST(RangeJoinN, TooManyRows)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::counting_iterator<std::int64_t> numbers(0);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto begins = test::to_memory<policy_t>(std::vector<std::int64_t>{7, 0, 0, 0, 0, 0});
      const auto ends = test::to_memory<policy_t>(std::vector<std::int64_t>{9, 3, largest, largest, largest, largest});
      test::memory<policy_t, std::int64_t> counts(2);
      counts[0] = std::int64_t{1} << 61;
      mgpu::range_join_size_n(
        policy, numbers, mgpu::deferred{counts.data(), std::int64_t{1} << 61}, begins.begin(), 6, ends.begin(),
        counts.data() + 1);
      EXPECT_EQ(test::to_host(counts)[1], largest);
      mgpu::range_join_size_n(
        policy, numbers, mgpu::deferred{counts.data(), std::int64_t{1} << 61}, begins.begin(), 5, ends.begin(),
        counts.data() + 1);
      EXPECT_EQ(test::to_host(counts)[1], 5 + 3 * (std::int64_t{1} << 61));
      test::memory<policy_t, std::int64_t> x(8, -7);
      test::memory<policy_t, std::int64_t> y(8, -7);
      const auto join = [&]
      {
        mgpu::range_join_n(
          policy, numbers, mgpu::deferred{counts.data(), std::int64_t{1} << 61}, begins.begin(), 6, ends.begin(),
          x.begin(), y.begin(), 7, counts.data() + 1);
      };
#if defined(__CUDACC__)
      EXPECT_THROW(join(), std::length_error);
#else
      join();
      EXPECT_EQ(counts[1], largest);
      EXPECT_EQ(x, (std::vector<std::int64_t>{7, 8, 0, 1, 2, 0, 1, -7}));
      EXPECT_EQ(y, (std::vector<std::int64_t>{0, 0, 1, 1, 1, 2, 2, -7}));
#endif
    });
}

TEST(RangeJoinN, BadArguments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto values = test::to_memory<policy_t>(test::ints(200, 1));
      auto counts = test::to_memory<policy_t>(test::ints{4, 100});
      test::memory<policy_t, std::int32_t> x(10, -7);
      test::memory<policy_t, std::int8_t> narrow(1, std::int8_t{-7});
      const auto join = [&](std::int64_t capacity, std::int64_t room)
      {
        mgpu::range_join_n(
          policy, values.begin(), 200, values.begin(), mgpu::deferred{counts.data(), capacity}, values.begin(),
          x.begin(), x.begin() + 5, room, counts.data() + 1);
      };
      EXPECT_THROW(join(-1, 3), std::invalid_argument);
      EXPECT_THROW(join(5, -1), std::invalid_argument);
      EXPECT_THROW(
        mgpu::range_count_n(
          policy, values.begin(), mgpu::deferred{counts.data(), 200}, values.begin(), 1, values.begin(),
          narrow.begin()),
        std::length_error);
      EXPECT_EQ(test::to_host(counts)[1], 100);
      EXPECT_EQ(test::to_host(narrow)[0], -7);
    });
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceRangeJoin: every form, called directly and captured into a graph; bad arguments; more than 2^31 rows.

#include "support/device_calls.h"
#include "support/index_check.h"
#include "support/range_join_battery.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_range_join.cuh>
#include <mgpu_thrust/range_join.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

using ranges = mgpu::DeviceRangeJoin;
using ints = std::vector<std::int32_t>;
using test::raw;

template <class Bounds>
void check_every_form(const test::int_intervals& in, Bounds bounds)
{
  const ::cuda::std::less<> less;
  const auto expected = test::search_each_interval<std::int32_t>(in, less, bounds);
  const std::int64_t size = expected.size();
  const thrust::device_vector<int> points(in.points);
  const thrust::device_vector<int> begins(in.begins);
  const thrust::device_vector<int> ends(in.ends);
  const std::int64_t n = points.size();
  const std::int64_t m = begins.size();
  thrust::device_vector<int> x(size + 1, -7);
  thrust::device_vector<int> y(size + 1, -7);
  thrust::device_vector<std::int64_t> rows(1);
  test::call_short(
    [&](cudaStream_t stream) {
      return ranges::Rows(raw(points), n, raw(begins), m, raw(ends), raw(x), raw(y), raw(rows), less, bounds, stream);
    });
  ASSERT_EQ(rows[0], size);
  test::expect_rows(y, x, expected, 0, size);
  for (const auto& run : {test::call, test::capture})
  {
    rows[0] = -1;
    run(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return ranges::Rows(
          storage, bytes, raw(points), n, raw(begins), m, raw(ends), raw(x), raw(y), raw(rows), less, bounds, stream);
      });
    ASSERT_EQ(rows[0], size);
    test::expect_rows(y, x, expected, 0, size);
    const std::int64_t room = size / 2;
    run(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return ranges::Rows(
          storage, bytes, raw(points), n, raw(begins), m, raw(ends), raw(x), raw(y), room, raw(rows), less, bounds,
          stream);
      });
    ASSERT_EQ(rows[0], size);
    test::expect_rows(y, x, expected, 0, room);
    // One count, then the rows in four pieces, of which the last requests more rows than remain.
    rows[0] = -1;
    run(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        cudaError_t error =
          ranges::RowCount(storage, bytes, raw(points), n, raw(begins), m, raw(ends), raw(rows), less, bounds, stream);
        const std::int64_t piece = size / 4 + 1;
        for (std::int64_t first = 0; error == cudaSuccess && storage != nullptr && first < size; first += piece)
        {
          error = ranges::SomeRows(
            storage, bytes, raw(points), n, raw(begins), m, raw(ends), first, piece, raw(x) + first, raw(y) + first,
            less, bounds, stream);
        }
        return error;
      });
    ASSERT_EQ(rows[0], size);
    test::expect_rows(y, x, expected, 0, size);
    ints counts(in.begins.size(), 0);
    for (const std::int32_t interval : expected.left)
    {
      ++counts[static_cast<std::size_t>(interval)];
    }
    thrust::device_vector<int> z(in.begins.size(), -7);
    run(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return ranges::Counts(storage, bytes, raw(points), n, raw(begins), m, raw(ends), raw(z), less, bounds, stream);
      });
    ASSERT_EQ(test::to_host(z), counts);
  }
}

TEST(DeviceRangeJoin, EveryFormCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::intervals kind : test::all_intervals)
  {
    for (const std::int64_t size : {0, 1, 700})
    {
      SCOPED_TRACE(std::string(test::name_of(kind)) + " " + std::to_string(size));
      check_every_form(test::make_intervals(kind, size + 7, size, size + 9, 3, 1), mgpu::open_closed);
      check_every_form(test::make_intervals(kind, 100 * size, size, size + 9, 3, 1), mgpu::closed);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  check_every_form(test::make_intervals(test::intervals::in_order, 90001, 100003, 100000, 4, 2), mgpu::closed_open);
}

TEST(DeviceRangeJoin, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::device_vector<int> a(300, 1);
  thrust::device_vector<std::int8_t> out(200, -5);
  thrust::device_vector<std::int64_t> rows(1, -5);
  thrust::device_vector<char> storage(1 << 20);
  const auto run = [&](std::size_t bytes, std::int64_t points, std::int64_t num_intervals)
  {
    return ranges::Rows(
      raw(storage), bytes, raw(a), points, raw(a), num_intervals, raw(a), raw(out), raw(out) + 100, raw(rows),
      cuda::std::less<>{}, mgpu::closed);
  };
  const auto run_some = [&](std::int64_t first, std::int64_t count)
  {
    std::size_t bytes = storage.size();
    return ranges::SomeRows(
      raw(storage), bytes, raw(a), 10, raw(a), 10, raw(a), first, count, raw(out), raw(out) + 100, cuda::std::less<>{},
      mgpu::closed);
  };
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(run(storage.size(), -1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), huge, 1), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 129, 1), cudaErrorInvalidValue); // 128 does not fit std::int8_t
  EXPECT_EQ(run(storage.size(), 1, 129), cudaErrorInvalidValue);
  EXPECT_EQ(run(1, 10, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run_some(-1, 1), cudaErrorInvalidValue);
  EXPECT_EQ(run_some(1, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run_some(2, huge), cudaErrorInvalidValue);
  std::size_t bytes = storage.size();
  EXPECT_EQ(ranges::Counts(raw(storage), bytes, raw(a), 128, raw(a), 1, raw(a), raw(out)), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, -5));
  EXPECT_EQ(rows[0], -5);
  std::size_t count_bytes = storage.size();
  EXPECT_EQ(
    ranges::RowCount(
      raw(storage), count_bytes, raw(a), 10, raw(a), 10, raw(a), raw(rows), cuda::std::less<>{}, mgpu::closed),
    cudaSuccess);
  EXPECT_EQ(rows[0], 100);
  EXPECT_EQ(run_some(93, 7), cudaSuccess);
  EXPECT_EQ(run_some(100, 7), cudaSuccess); // rows past the end
  EXPECT_EQ(test::to_host(out)[100], 9);
}

TEST(DeviceRangeJoin, NothingWaits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::counting_iterator<std::int64_t> numbers(0);
  std::size_t bytes = 0;
  thrust::device_vector<std::int64_t> rows(1);
  const auto run = [&](void* storage, cudaStream_t on)
  {
    return ranges::RowCount(
      storage, bytes, numbers, 100000, numbers, 100000, numbers + 5, raw(rows), ::cuda::std::less<>{},
      mgpu::closed_open, on);
  };
  ASSERT_EQ(run(nullptr, nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  test::check_nothing_waits([&](cudaStream_t on) { EXPECT_EQ(run(raw(storage), on), cudaSuccess); });
  EXPECT_EQ(rows[0], 5 * 99996 + 4 + 3 + 2 + 1);
}

/// The point and the interval of a row, of intervals that all have the same points.
struct point_of_row
{
  std::int64_t first_row;
  std::int64_t num_points;

  __host__ __device__ std::int64_t operator()(std::int64_t row) const
  {
    return (first_row + row) % num_points;
  }
};
struct interval_of_row
{
  std::int64_t first_row;
  std::int64_t num_points;

  __host__ __device__ std::int64_t operator()(std::int64_t row) const
  {
    return (first_row + row) / num_points;
  }
};

// More than 2^32 rows, each checked as it is written: in one call, and by a plan. Few intervals with many points, and
// many with fewer.
TEST(DeviceRangeJoin, MoreRowsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto check = [](std::int64_t num_points, std::int64_t num_intervals)
  {
    const std::int64_t size = num_points * num_intervals;
    const thrust::counting_iterator<std::int64_t> points(0);
    const thrust::constant_iterator<std::int64_t> begins(-1);
    const thrust::constant_iterator<std::int64_t> ends(num_points);
    EXPECT_EQ(
      mgpu::range_join_size(thrust::device, points, points + num_points, begins, begins + num_intervals, ends), size);
    test::index_check point_check;
    test::index_check interval_check;
    std::int64_t sampled = 0;
    const auto check_rows = [&](std::int64_t rows)
    {
      sampled += test::index_check::samples_of(rows);
      EXPECT_EQ(point_check.wrong(), 0);
      EXPECT_EQ(interval_check.wrong(), 0);
      EXPECT_EQ(point_check.sampled(), sampled);
      EXPECT_EQ(interval_check.sampled(), sampled);
    };
    const auto out = point_check.output(point_of_row{0, num_points});
    const auto row_ends = mgpu::range_join(
      thrust::device, points, points + num_points, begins, begins + num_intervals, ends, out,
      interval_check.output(interval_of_row{0, num_points}));
    EXPECT_EQ(row_ends.first - out, size);
    check_rows(size);
    const mgpu::range_join_plan plan(thrust::device, points, points + num_points, begins, begins + num_intervals, ends);
    ASSERT_EQ(plan.size(), size);
    const std::int64_t piece = size / 3 + 1;
    for (std::int64_t first = 0; first < size; first += piece)
    {
      const std::int64_t last = std::min(first + piece, size);
      plan.fill(
        first, last, point_check.output(point_of_row{first, num_points}),
        interval_check.output(interval_of_row{first, num_points}));
      check_rows(last - first);
    }
  };
  check((std::int64_t{1} << 25) + 7, 300);
  check(5003, 2000001);
}

} // namespace

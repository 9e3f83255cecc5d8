// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceWindowReduce, called directly and captured; more than 2^31 items and rows.

#include "support/device_calls.h"
#include "support/index_check.h"
#include "support/streams.h"
#include "support/systems.h"
#include "support/window_battery.h"

#include <mgpu_thrust/device/device_window_reduce.cuh>
#include <mgpu_thrust/window_reduce.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

using test::item_span;
using test::raw;
using device = mgpu::DeviceWindowReduce;

TEST(DeviceWindowReduce, EveryShapeCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::window_shape shape : test::all_window_shapes)
  {
    for (const std::int64_t rows : {1, 3000, 1000003})
    {
      SCOPED_TRACE(std::to_string(static_cast<int>(shape)) + " " + std::to_string(rows));
      const auto in = test::make_windows(shape, 1000001, rows, 100, 1);
      const auto expected = test::expected_spans(in);
      const thrust::device_vector<item_span> items(test::items_of<item_span>(in.num_items));
      const thrust::device_vector<std::int64_t> begins(in.begins);
      const thrust::device_vector<std::int64_t> ends(in.ends);
      thrust::device_vector<item_span> out(rows);
      for (const auto& run : {test::call, test::capture})
      {
        thrust::fill(out.begin(), out.end(), item_span{});
        run(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          {
            return device::Reduce(
              storage, bytes, raw(items), in.num_items, raw(begins), rows, raw(ends), raw(out), item_span{0, 0, 0},
              test::join_spans{}, stream);
          });
        ASSERT_EQ(test::to_host(out), expected);
      }
      thrust::fill(out.begin(), out.end(), item_span{});
      test::call_short(
        [&](cudaStream_t stream)
        {
          return device::Reduce(
            raw(items), in.num_items, raw(begins), rows, raw(ends), raw(out), item_span{0, 0, 0}, test::join_spans{},
            stream);
        });
      ASSERT_EQ(test::to_host(out), expected);
    }
  }
}

TEST(DeviceWindowReduce, ManyRowsOfFewItems)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t rows = 9000000; // more than 2048 units, and too few tiles for totals
  const auto in = test::make_windows(test::window_shape::growing, 2000, rows, 100, 1);
  const thrust::device_vector<item_span> items(test::items_of<item_span>(in.num_items));
  const thrust::device_vector<std::int64_t> begins(in.begins);
  const thrust::device_vector<std::int64_t> ends(in.ends);
  thrust::device_vector<item_span> out(rows);
  ASSERT_EQ(
    device::Reduce(
      raw(items), in.num_items, raw(begins), rows, raw(ends), raw(out), item_span{0, 0, 0}, test::join_spans{}),
    cudaSuccess);
  ASSERT_EQ(test::to_host(out), test::expected_spans(in));
}

TEST(DeviceWindowReduce, ByRangeCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto host_keys = test::make_window_keys(1000003, 3, 2);
  const test::key_bound low{-1000, 1};
  const test::key_bound high{10, 1};
  const auto expected = test::expected_spans(test::windows_of_keys(host_keys, low, high));
  const std::int64_t size = host_keys.size();
  const thrust::device_vector<std::int32_t> keys(host_keys);
  const thrust::device_vector<item_span> items(test::items_of<item_span>(size));
  thrust::device_vector<item_span> out(size);
  for (const auto& run : {test::call, test::capture})
  {
    thrust::fill(out.begin(), out.end(), item_span{});
    run(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return device::ReduceByRange(
          storage, bytes, raw(keys), size, raw(items), raw(out), low, high, item_span{0, 0, 0}, test::join_spans{},
          ::cuda::std::less<>{}, stream);
      });
    ASSERT_EQ(test::to_host(out), expected);
  }
}

TEST(DeviceWindowReduce, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<int> ones(200, 1);
  thrust::device_vector<int> begins(200, 0);
  thrust::device_vector<int> out(200, -5);
  thrust::device_vector<char> storage(1 << 20);
  const auto run = [&](std::size_t bytes, std::int64_t items, std::int64_t rows)
  { return device::Reduce(raw(storage), bytes, raw(ones), items, raw(begins), rows, raw(ones), raw(out), 6); };
  EXPECT_EQ(run(storage.size(), -1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), std::numeric_limits<std::int64_t>::max(), 1), cudaErrorInvalidValue);
  EXPECT_EQ(run(1, 10, 10), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<int>(200, -5));
  EXPECT_EQ(run(storage.size(), 200, 200), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<int>(200, 7));
}

TEST(DeviceWindowReduce, NothingWaitsUnderNosync)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_nothing_waits(
    [](cudaStream_t stream)
    {
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto begins = thrust::make_transform_iterator(numbers, test::clipped_to{-5000, 100000});
      mgpu::window_reduce(
        thrust::cuda::par_nosync.on(stream), numbers, numbers + 100000, begins, begins + 100000, numbers + 1,
        thrust::make_discard_iterator(), std::int64_t{0});
    });
}

/// The length of the window [row - before, row + after).
struct length_of_row
{
  std::int64_t before;
  std::int64_t after;
  std::int64_t size;

  __host__ __device__ std::int64_t operator()(std::int64_t row) const
  {
    return test::clipped_to{after, size}(row) -test::clipped_to{-before, size}(row);
  }
};

TEST(DeviceWindowReduce, MoreItemsAndRowsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 31) + 5;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const thrust::constant_iterator<std::int64_t> ones(1);
  test::index_check check;
  for (const std::int64_t before : {std::int64_t{3}, std::int64_t{1} << 20, n})
  {
    const auto begins = thrust::make_transform_iterator(numbers, test::clipped_to{-before, n});
    const auto ends = thrust::make_transform_iterator(numbers, test::clipped_to{7, n});
    mgpu::window_reduce(
      thrust::device, ones, ones + n, begins, begins + n, ends, check.output(length_of_row{before, 7, n}),
      std::int64_t{0});
    EXPECT_EQ(check.wrong(), 0) << before;
  }
  EXPECT_EQ(check.sampled(), 3 * check.samples_of(n));
  mgpu::window_reduce_by_range(
    thrust::device, numbers, numbers + n, ones, check.output(length_of_row{100, 7, n}), test::key_bound{-100, 1},
    test::key_bound{6, 1}, std::int64_t{0});
  EXPECT_EQ(check.wrong(), 0);
}

} // namespace

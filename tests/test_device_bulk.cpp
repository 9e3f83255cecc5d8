// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceBulk: called directly and captured into a graph; sizes past 2^31, bad arguments, wrong indices, many streams.

#include "support/bulk_battery.h"
#include "support/device_calls.h"
#include "support/index_check.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_bulk.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace
{

using test::raw;

TEST(DeviceBulk, CalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // The largest size has so many tiles that each is found by a thread.
  for (const std::int64_t size : {0, 1, 5000, 100003, 6000000})
  {
    for (const double probability : {0.0, 0.01, 0.5, 1.0})
    {
      const auto indices = test::random_indices<std::int32_t>(size, probability, 1);
      const std::int64_t count = indices.size();
      const thrust::device_vector<std::int32_t> input = test::make_elements<std::int32_t>(size, 0);
      const thrust::device_vector<std::int32_t> values = test::make_elements<std::int32_t>(count, test::first_value);
      const thrust::device_vector<std::int32_t> places = indices;
      const auto expected_kept = test::expected_removal<std::int32_t>(size, indices);
      const auto expected_all = test::expected_insertion<std::int32_t>(size, indices);
      for (const auto& run : {test::call, test::capture})
      {
        SCOPED_TRACE(std::to_string(size) + " " + std::to_string(count) + (run == test::capture ? " captured" : ""));
        thrust::device_vector<std::int32_t> kept(size - count + 1, -7);
        thrust::device_vector<std::int32_t> all(size + count + 1, -7);
        run(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
            return mgpu::DeviceBulk::Remove(storage, bytes, raw(input), size, raw(places), count, raw(kept), stream);
          });
        test::expect_output(kept, expected_kept, size - count);
        run(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          {
            return mgpu::DeviceBulk::Insert(
              storage, bytes, raw(input), size, raw(values), raw(places), count, raw(all), stream);
          });
        test::expect_output(all, expected_all, size + count);
        ASSERT_FALSE(HasFatalFailure());
      }
      thrust::device_vector<std::int32_t> kept(size - count + 1, -7);
      test::call_short([&](cudaStream_t stream)
                       { return mgpu::DeviceBulk::Remove(raw(input), size, raw(places), count, raw(kept), stream); });
      test::expect_output(kept, expected_kept, size - count);
    }
  }
}

struct times_seven
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return 7 * x;
  }
};
struct negated
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return -1 - x;
  }
};

// Elements 0, 1, ... without every seventh; the k-th remaining element is k + k / 6 + 1.
struct kept_of_seven
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t k) const
  {
    return k + k / 6 + 1;
  }
};
// Value number v, which is -1 - v, before each element 7 v: one value, then seven elements.
struct spread_by_seven
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t k) const
  {
    return k % 8 == 0 ? -1 - k / 8 : k - k / 8 - 1;
  }
};

TEST(DeviceBulk, MoreElementsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = 7 * ((std::int64_t{1} << 32) / 7 + 2);
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto sevens = thrust::make_transform_iterator(numbers, times_seven{});
  const auto values = thrust::make_transform_iterator(numbers, negated{});
  const std::int64_t m = n / 7;
  const auto check = [](auto expected, std::int64_t size, auto run)
  {
    test::index_check elements;
    run(elements.output(expected));
    EXPECT_EQ(elements.wrong(), 0);
    EXPECT_EQ(elements.sampled(), elements.samples_of(size));
  };
  check(
    kept_of_seven{}, n - m,
    [&](auto output)
    {
      test::call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
                 { return mgpu::DeviceBulk::Remove(storage, bytes, numbers, n, sevens, m, output, stream); });
    });
  check(
    spread_by_seven{}, n + m,
    [&](auto output)
    {
      test::call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
                 { return mgpu::DeviceBulk::Insert(storage, bytes, numbers, n, values, sevens, m, output, stream); });
    });
}

TEST(DeviceBulk, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<int> a(10, 1);
  thrust::device_vector<int> out(20, -5);
  std::size_t bytes = 0;
  std::size_t remove_bytes = 0;
  ASSERT_EQ(mgpu::DeviceBulk::Insert(nullptr, bytes, raw(a), 10, raw(a), raw(a), 10, raw(out)), cudaSuccess);
  ASSERT_EQ(mgpu::DeviceBulk::Remove(nullptr, remove_bytes, raw(a), 10, raw(a), 5, raw(out)), cudaSuccess);
  thrust::device_vector<char> storage(std::max(bytes, remove_bytes));
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const auto insert = [&](std::size_t storage_bytes, std::int64_t size, std::int64_t count)
  { return mgpu::DeviceBulk::Insert(raw(storage), storage_bytes, raw(a), size, raw(a), raw(a), count, raw(out)); };
  const auto remove = [&](std::size_t storage_bytes, std::int64_t size, std::int64_t count)
  { return mgpu::DeviceBulk::Remove(raw(storage), storage_bytes, raw(a), size, raw(a), count, raw(out)); };
  EXPECT_EQ(insert(bytes, -1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(insert(bytes, 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(insert(bytes, huge, 1), cudaErrorInvalidValue);
  EXPECT_EQ(insert(bytes, huge, 0), cudaErrorInvalidValue);
  EXPECT_EQ(insert(bytes - 1, 10, 10), cudaErrorInvalidValue);
  EXPECT_EQ(remove(remove_bytes, -1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(remove(remove_bytes, 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(remove(remove_bytes, 5, 6), cudaErrorInvalidValue);
  EXPECT_EQ(remove(remove_bytes, huge, 0), cudaErrorInvalidValue);
  EXPECT_EQ(remove(remove_bytes, huge, huge), cudaErrorInvalidValue);
  EXPECT_EQ(remove(remove_bytes - 1, 10, 5), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<int>(20, -5));
  EXPECT_EQ(insert(bytes, 10, 10), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<int>(20, 1));
}

TEST(DeviceBulk, StorageOfAnyAlignment)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::counting_iterator<int> numbers(0);
  thrust::device_vector<int> out(500);
  std::size_t bytes = 0;
  const auto run = [&](void* storage)
  { return mgpu::DeviceBulk::Remove(storage, bytes, numbers, 1000, numbers + 500, 500, out.begin()); };
  ASSERT_EQ(run(nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes + 1);
  ASSERT_EQ(run(raw(storage) + 1), cudaSuccess);
  EXPECT_EQ(test::to_host(out), test::make_elements<int>(500, 0));
}

// Whatever the indices, nothing outside the output is written and nothing outside the input is read. (The guards detect
// the first; a sanitizer detects both.)
TEST(DeviceBulk, WrongIndicesStayWithinBounds)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 60; ++repeat)
  {
    // Every tenth case has so many indices that all are searched before the first removal.
    const std::int64_t size = repeat % 10 == 9 ? 200000 : random() % 30000;
    std::vector<std::int64_t> indices(repeat % 10 == 9 ? 70000 + random() % 130000 : random() % (size + 1));
    for (std::int64_t& index : indices)
    {
      index = static_cast<std::int64_t>(random());
      index = repeat % 3 == 0 ? index : repeat % 3 == 1 ? index % (size + 2) : (index & 63) + size / 2;
    }
    if (repeat % 2 == 0)
    {
      std::sort(indices.begin(), indices.end()); // in order, and not unique
    }
    const std::int64_t count = indices.size();
    const thrust::device_vector<std::int64_t> places = indices;
    const thrust::device_vector<std::int32_t> input(size, 1);
    const thrust::device_vector<std::int32_t> values(count, 2);
    constexpr std::int64_t guard = 10000;
    thrust::device_vector<std::int32_t> kept(size - count + 2 * guard, -7);
    thrust::device_vector<std::int32_t> all(size + count + 2 * guard, -7);
    mgpu::bulk_remove(
      thrust::cuda::par, input.begin(), input.end(), places.begin(), places.end(), kept.begin() + guard);
    mgpu::bulk_insert(
      thrust::cuda::par, input.begin(), input.end(), values.begin(), places.begin(), places.end(), all.begin() + guard);
    for (const auto& out : {test::to_host(kept), test::to_host(all)})
    {
      ASSERT_TRUE(std::all_of(out.begin(), out.begin() + guard, [](std::int32_t x) { return x == -7; })) << repeat;
      ASSERT_TRUE(std::all_of(out.end() - guard, out.end(), [](std::int32_t x) { return x == -7; })) << repeat;
    }
  }
}

TEST(DeviceBulk, ManyHostThreadsAndStreams)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_on_many_streams(
    [](int t, cudaStream_t stream)
    {
      int wrong = 0;
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto sevens = thrust::make_transform_iterator(numbers, times_seven{});
      const std::int64_t n = 700000 + 7 * t;
      const std::int64_t m = n / 7;
      thrust::device_vector<std::int64_t> out(n - m);
      cudaDeviceSynchronize(); // the stream does not wait for the vector to be filled
      std::size_t bytes = 0;
      const auto run = [&](void* storage)
      { return mgpu::DeviceBulk::Remove(storage, bytes, numbers, n, sevens, m, raw(out), stream); };
      wrong += run(nullptr) != cudaSuccess;
      thrust::device_vector<char> storage(bytes);
      for (int repeat = 0; repeat < 20; ++repeat) // queued one after another, with the same storage
      {
        wrong += run(raw(storage)) != cudaSuccess;
      }
      wrong += cudaStreamSynchronize(stream) != cudaSuccess;
      const auto got = test::to_host(out);
      for (std::int64_t k = 0; k < n - m; ++k)
      {
        wrong += got[k] != kept_of_seven{}(k);
      }
      return wrong;
    });
}

} // namespace

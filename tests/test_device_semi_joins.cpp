// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceSemiJoin: every form, called directly and captured into a graph; bad arguments; more than 2^31 rows.

#include "support/device_calls.h"
#include "support/distributions.h"
#include "support/index_check.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_semi_join.cuh>
#include <mgpu_thrust/semi_join.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

using semi_join = mgpu::DeviceSemiJoin;
using test::raw;

TEST(DeviceSemiJoin, EveryFormCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    for (const std::int64_t size : {0, 1, 300, 5000, 100003})
    {
      SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(size));
      const auto ranks = test::make_ranks(d, size, 30000, 1 << 30, 1);
      const std::vector<int> host_left(ranks.first.begin(), ranks.first.end());
      const std::vector<int> host_right(ranks.second.begin(), ranks.second.end());
      std::vector<int> semi;
      std::vector<int> anti;
      for (int row = 0; row < size; ++row)
      {
        const bool has_match = std::binary_search(host_right.begin(), host_right.end(), host_left[row]);
        (has_match ? semi : anti).push_back(row);
      }
      const thrust::device_vector<int> left(host_left);
      const thrust::device_vector<int> right(host_right);
      const std::int64_t right_size = right.size();
      thrust::device_vector<int> out(size + 1);
      thrust::device_vector<std::int64_t> count(1);
      thrust::device_vector<int> small_count(1);
      const ::cuda::std::less<> less{};
      for (const auto& run : {test::call, test::capture})
      {
        const auto check = [&](const test::two_phase_call& f, const std::vector<int>& expected)
        {
          thrust::fill(out.begin(), out.end(), -1);
          count[0] = -1;
          run(f);
          ASSERT_EQ(count[0], static_cast<std::int64_t>(expected.size()));
          auto got = test::to_host(out);
          ASSERT_EQ(got[expected.size()], -1) << "wrote past the end";
          got.resize(expected.size());
          ASSERT_EQ(got, expected);
        };
        check(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          {
            return semi_join::Semi(
              storage, bytes, raw(left), size, raw(right), right_size, raw(out), raw(count), less, stream);
          },
          semi);
        check(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          {
            return semi_join::Anti(
              storage, bytes, raw(left), size, raw(right), right_size, raw(out), raw(count), less, stream);
          },
          anti);
        small_count[0] = -1;
        run(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          {
            return semi_join::SemiCount(
              storage, bytes, raw(left), size, raw(right), right_size, raw(small_count), less, stream);
          });
        ASSERT_EQ(small_count[0], static_cast<int>(semi.size()));
        run(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          {
            return semi_join::AntiCount(
              storage, bytes, raw(left), size, raw(right), right_size, raw(small_count), less, stream);
          });
        ASSERT_EQ(small_count[0], static_cast<int>(anti.size()));
      }
      small_count[0] = -1;
      test::call_short(
        [&](cudaStream_t stream)
        { return semi_join::SemiCount(raw(left), size, raw(right), right_size, raw(small_count), less, stream); });
      ASSERT_EQ(small_count[0], static_cast<int>(semi.size()));
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

// A graph that is launched again uses the data present at that launch.
TEST(DeviceSemiJoin, GraphsTakeNewData)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t size = 100000;
  thrust::device_vector<int> left(size, 3);
  const thrust::device_vector<int> right(size, 4);
  thrust::device_vector<int> out(size, -1);
  thrust::device_vector<std::int64_t> count(1);
  test::capture_and_change(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return semi_join::Semi(
        storage, bytes, raw(left), size, raw(right), size, raw(out), raw(count), ::cuda::std::less<>{}, stream);
    },
    [&]
    {
      ASSERT_EQ(count[0], 0);
      thrust::fill(left.begin() + 500, left.end(), 4);
    });
  ASSERT_EQ(count[0], size - 500);
  ASSERT_EQ(out[0], 500);
}

TEST(DeviceSemiJoin, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<int> a(200, 1);
  thrust::device_vector<std::int8_t> out(200, -5);
  thrust::device_vector<int> count(1, -5);
  thrust::device_vector<char> storage(1 << 20);
  const auto run = [&](std::size_t bytes, std::int64_t left_size, std::int64_t right_size)
  { return semi_join::Semi(raw(storage), bytes, raw(a), left_size, raw(a), right_size, raw(out), raw(count)); };
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(run(storage.size(), -1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 1, huge), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 129, 10), cudaErrorInvalidValue); // 128 does not fit std::int8_t
  EXPECT_EQ(run(1, 10, 10), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, -5));
  EXPECT_EQ(count[0], -5);
  EXPECT_EQ(run(storage.size(), 128, 200), cudaSuccess);
  EXPECT_EQ(count[0], 128);
  EXPECT_EQ(out[127], 127);
  EXPECT_EQ(out[128], -5);
}

struct twice
{
  __host__ __device__ std::int64_t operator()(std::int64_t i) const
  {
    return 2 * i;
  }
};

struct twice_and_one
{
  __host__ __device__ std::int64_t operator()(std::int64_t i) const
  {
    return 2 * i + 1;
  }
};

struct half
{
  __host__ __device__ std::int64_t operator()(std::int64_t i) const
  {
    return i / 2;
  }
};

TEST(DeviceSemiJoin, MoreRowsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 31) + 6;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto even = thrust::make_transform_iterator(numbers, twice{});
  test::index_check check;
  mgpu::semi_join(thrust::device, numbers, numbers + n, even, even + n, check.output(twice{}));
  EXPECT_EQ(check.wrong(), 0);
  EXPECT_EQ(check.sampled(), check.samples_of(n / 2));
  mgpu::anti_join(thrust::device, numbers, numbers + n, even, even + n, check.output(twice_and_one{}));
  EXPECT_EQ(check.wrong(), 0);
  EXPECT_EQ(check.sampled(), 2 * check.samples_of(n / 2));
  EXPECT_EQ(mgpu::anti_join_size(thrust::device, numbers, numbers + n, even, even + n), n / 2);

  // Few rows, at the far end of a large right input: they are found by bisection.
  EXPECT_EQ(mgpu::semi_join_size(thrust::device, even + (n - 1000), even + n, numbers, numbers + 2 * n - 500), 750);

  // More matches than 32 bits count, all rows twice.
  const auto halves = thrust::make_transform_iterator(numbers, half{});
  EXPECT_EQ(mgpu::semi_join_size(thrust::device, halves, halves + 2 * n, numbers, numbers + n), 2 * n);
}

} // namespace

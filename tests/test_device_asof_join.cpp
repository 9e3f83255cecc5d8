// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceAsofJoin: every direction, called directly and captured; more than 2^31 elements.

#include "support/asof_battery.h"
#include "support/device_calls.h"
#include "support/distributions.h"
#include "support/index_check.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/device/device_asof_join.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

using test::raw;
using asof = mgpu::DeviceAsofJoin;

TEST(DeviceAsofJoin, EveryDirectionCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    for (const std::int64_t size : {0, 1, 5000, 100003, 1000003})
    {
      SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(size));
      const auto ranks = test::make_ranks(d, size + 7, size, 1 << 30, 1);
      const std::vector<int> host_left(ranks.first.begin(), ranks.first.end());
      const std::vector<int> host_right(ranks.second.begin(), ranks.second.end());
      thrust::device_vector<int> left(host_left);
      thrust::device_vector<int> right(host_right);
      thrust::device_vector<int> out(host_left.size());
      const std::int64_t left_size = left.size();
      const std::int64_t right_size = right.size();
      const auto check = [&](auto direction, auto accept)
      {
        const ::cuda::std::less<> less{};
        const auto expected = test::rows_by_std<int>(host_left, host_right, direction, less, accept);
        for (const auto& run : {test::call, test::capture})
        {
          thrust::fill(out.begin(), out.end(), -7);
          run(
            [&](void* storage, std::size_t& bytes, cudaStream_t stream)
            {
              return asof::Rows(
                storage, bytes, raw(left), left_size, raw(right), right_size, raw(out), direction, less, accept,
                stream);
            });
          ASSERT_EQ(test::to_host(out), expected);
        }
        thrust::fill(out.begin(), out.end(), -7);
        test::call_short(
          [&](cudaStream_t stream) {
            return asof::Rows(raw(left), left_size, raw(right), right_size, raw(out), direction, less, accept, stream);
          });
        ASSERT_EQ(test::to_host(out), expected);
      };
      check(mgpu::backward, mgpu::accept_any{});
      check(mgpu::strictly_backward, test::accept_most{});
      check(mgpu::forward, mgpu::accept_any{});
      check(mgpu::strictly_forward, test::accept_most{});
      check(test::nearest_key{}, mgpu::accept_any{});
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

TEST(DeviceAsofJoin, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<int> keys(200, 1);
  thrust::device_vector<std::int8_t> out(200, -5);
  thrust::device_vector<char> storage(1 << 20);
  const auto run = [&](std::size_t bytes, std::int64_t left_size, std::int64_t right_size)
  { return asof::Rows(raw(storage), bytes, raw(keys), left_size, raw(keys), right_size, raw(out), mgpu::backward); };
  EXPECT_EQ(run(storage.size(), -1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), std::numeric_limits<std::int64_t>::max(), 1), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 10, 129), cudaErrorInvalidValue); // 128 does not fit std::int8_t
  EXPECT_EQ(run(1, 10, 10), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, -5));
  EXPECT_EQ(run(storage.size(), 200, 128), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, 127));
}

TEST(DeviceAsofJoin, NothingWaitsUnderNosync)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_nothing_waits(
    [](cudaStream_t stream)
    {
      const thrust::counting_iterator<std::int64_t> numbers(0);
      mgpu::asof_join(
        thrust::cuda::par_nosync.on(stream), numbers, numbers + 100000, numbers, numbers + 100000,
        thrust::make_discard_iterator(), mgpu::nearest(test::distance_of_keys{}));
    });
}

struct plus_two
{
  __host__ __device__ std::int64_t operator()(std::int64_t i) const
  {
    return i + 2;
  }
};

TEST(DeviceAsofJoin, MoreElementsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 31) + 5;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  test::index_check check;
  mgpu::asof_join(
    thrust::device, numbers + 3, numbers + 3 + n, numbers, numbers + n + 9, check.output(plus_two{}),
    mgpu::strictly_backward);
  EXPECT_EQ(check.wrong(), 0);
  EXPECT_EQ(check.sampled(), check.samples_of(n));
  mgpu::asof_join(
    thrust::device, numbers + 3, numbers + 3 + n, numbers + 1, numbers + n + 9, check.output(plus_two{}),
    mgpu::nearest(test::distance_of_keys{}));
  EXPECT_EQ(check.wrong(), 0);
  mgpu::asof_join(
    thrust::device, numbers + 3, numbers + 1000, numbers + 1, numbers + 4 * n, check.output(plus_two{}),
    mgpu::backward);
  EXPECT_EQ(check.wrong(), 0);
}

} // namespace

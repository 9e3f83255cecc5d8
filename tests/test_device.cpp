// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Tests that need a device: calls from device code, more than 2^31 elements.

#include "support/index_check.h"
#include "support/keys.h"
#include "support/set_battery.h"
#include "support/streams.h"
#include "support/systems.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace
{

using mgpu::detail::multiprocessor_threads;
static_assert(multiprocessor_threads(750) == 1024);
static_assert(multiprocessor_threads(800) == 2048);
static_assert(multiprocessor_threads(860) == 1536);
static_assert(multiprocessor_threads(890) == 1536);
static_assert(multiprocessor_threads(900) == 2048);
static_assert(multiprocessor_threads(1030) == 2048);
static_assert(multiprocessor_threads(1100) == 1536);
static_assert(multiprocessor_threads(1210) == 1536);

/// Stores the bound on blocks that a kernel of this shape is compiled with.
template <class Shape>
__global__ void store_bound(int* bound)
{
  *bound = Shape::blocks_per_multiprocessor;
}

// Blocks that wait for each other must all execute at once, on devices with less room too.
TEST(Device, BlocksAtOnce)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using mgpu::detail::device_room;
  using mgpu::detail::max_coresident_blocks;
  EXPECT_EQ(max_coresident_blocks(device_room{132, true}, 6), 792);
  EXPECT_EQ(max_coresident_blocks(device_room{132, false}, 6), 132);
  EXPECT_EQ(max_coresident_blocks(device_room{132, false}, 0), 0);
  EXPECT_EQ(max_coresident_blocks(device_room{0, false}, 6), 0);
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  const device_room room = mgpu::detail::read_device_room(0);
  EXPECT_EQ(room.multiprocessors, properties.multiProcessorCount);
  if (properties.major == 9)
  {
    EXPECT_TRUE(room.is_as_on_sm90);
  }
  EXPECT_LE(
    multiprocessor_threads(100 * properties.major + 10 * properties.minor), properties.maxThreadsPerMultiProcessor);
  using shape = mgpu::detail::tile_shape<128, 1, 16>;
  thrust::device_vector<int> bound(1);
  store_bound<shape><<<1, 1>>>(thrust::raw_pointer_cast(bound.data()));
  EXPECT_LE(max_coresident_blocks(room, shape::sure_blocks), room.multiprocessors * bound[0]);
  EXPECT_EQ(mgpu::detail::read_device_room(1000000).multiprocessors, 0);
  (void) cudaGetLastError();
}

struct device_results
{
  std::int64_t union_size;
  std::int64_t written;
  bool includes;
};

template <class Policy>
__global__ void
call_from_device(Policy policy, const int* a, int a_size, const int* b, int b_size, int* out, device_results* results)
{
  results->union_size = mgpu::set_union_size(policy, a, a + a_size, b, b + b_size);
  results->written = mgpu::set_difference(policy, a, a + a_size, b, b + b_size, out) - out;
  results->includes = mgpu::includes(policy, a, a + a_size, a, a + 2);
}

TEST(Device, CallsFromDeviceCodeRunSerially)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::vector<int> host_a{1, 3, 3, 5};
  const std::vector<int> host_b{3, 5, 7};
  const thrust::device_vector<int> a(host_a);
  const thrust::device_vector<int> b(host_b);
  const auto check = [&](auto policy)
  {
    thrust::device_vector<int> out(4, -1);
    thrust::device_vector<device_results> results(1);
    call_from_device<<<1, 1>>>(
      policy, thrust::raw_pointer_cast(a.data()), 4, thrust::raw_pointer_cast(b.data()), 3,
      thrust::raw_pointer_cast(out.data()), thrust::raw_pointer_cast(results.data()));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const device_results got = results[0];
    EXPECT_EQ(got.union_size, 5);
    EXPECT_EQ(got.written, 2);
    EXPECT_TRUE(got.includes);
    EXPECT_EQ(test::to_host(out), (std::vector<int>{1, 3, -1, -1}));
  };
  check(thrust::seq);
  check(thrust::device);
}

struct times_a_million
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return x * 1000000;
  }
};
struct halved
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return x / 2;
  }
};
struct one
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t) const
  {
    return 1;
  }
};

TEST(Device, MoreElementsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 32) + 5;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto millions = thrust::make_transform_iterator(numbers, times_a_million{});
  const std::int64_t m = n / 1000000 + 1;
  thrust::device_vector<std::int64_t> out(m);
  const auto end = mgpu::set_intersection(thrust::device, numbers, numbers + n, millions, millions + m, out.begin());
  ASSERT_EQ(end - out.begin(), m);
  const auto got = test::to_host(out);
  for (std::int64_t i = 0; i < m; ++i)
  {
    ASSERT_EQ(got[i], 1000000 * i);
  }
  // Output offsets past 2^32, runs, and one run over everything.
  const auto pairs = thrust::make_transform_iterator(numbers, halved{});
  EXPECT_EQ(
    mgpu::set_union(thrust::device, numbers, numbers + n, pairs, pairs + n, thrust::make_discard_iterator())
      - thrust::make_discard_iterator(),
    n + n / 2);
  const auto ones = thrust::make_transform_iterator(numbers, one{});
  EXPECT_EQ(mgpu::set_symmetric_difference_size(thrust::device, ones, ones + n, ones, ones + n / 2), n - n / 2);
}

struct even
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    return 2 * i;
  }
};
struct odd
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    return 2 * i + 1;
  }
};

struct itself
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    return i;
  }
};

TEST(Device, MergesMoreElementsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 31) + 5;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto evens = thrust::make_transform_iterator(numbers, even{});
  const auto odds = thrust::make_transform_iterator(numbers, odd{});
  test::index_check check;
  mgpu::merge(thrust::device, evens, evens + n, odds, odds + n, check.output(itself{}));
  EXPECT_EQ(check.wrong(), 0);
  EXPECT_EQ(check.sampled(), check.samples_of(2 * n));
  const auto ones = thrust::make_transform_iterator(numbers, one{});
  mgpu::merge_by_key(
    thrust::device, ones, ones + n, ones, ones + n, numbers, numbers + n, thrust::make_discard_iterator(),
    check.output(itself{})); // elements of the first range first
  EXPECT_EQ(check.wrong(), 0);
  EXPECT_EQ(check.sampled(), 2 * check.samples_of(2 * n));
}

TEST(Device, MergesAreNotWaitedForUnderNosync)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_nothing_waits(
    [](cudaStream_t stream)
    {
      const thrust::counting_iterator<std::int64_t> numbers(0);
      mgpu::merge(
        thrust::cuda::par_nosync.on(stream), numbers, numbers + 100000, numbers, numbers + 100000,
        thrust::make_discard_iterator());
    });
}

} // namespace

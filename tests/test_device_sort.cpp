// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceSort: called directly and captured into a graph; sizes past 2^31, bad arguments.

#include "support/device_calls.h"
#include "support/sort_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_sort.cuh>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

using test::raw;
using device = thrust::cuda::tag;

TEST(DeviceSort, CalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t size : {0, 1, 5000, 100003, 3000000})
  {
    for (const test::disorder d : {test::disorder::uniform, test::disorder::few_keys, test::disorder::local})
    {
      const auto keys = test::to_keys<std::int32_t>(test::make_disorder(d, size, 1 << 30, 1));
      const auto order = test::expected_order(keys, ::cuda::std::less<>{});
      for (const auto& run : {test::call, test::capture})
      {
        SCOPED_TRACE(
          std::string(test::name_of(d)) + " " + std::to_string(size) + (run == test::capture ? " captured" : ""));
        auto sorted = test::to_guarded_memory<device>(keys);
        run([&](void* storage, std::size_t& bytes, cudaStream_t stream)
            { return mgpu::DeviceSort::SortKeys(storage, bytes, raw(sorted), size, ::cuda::std::less<>{}, stream); });
        test::expect_sorted(sorted, keys, order);

        const auto input = test::to_guarded_memory<device>(keys);
        thrust::device_vector<std::int32_t> indices(size + 1, -7);
        run(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          {
            return mgpu::DeviceSort::StableSortIndices(
              storage, bytes, raw(input), size, raw(indices), ::cuda::std::less<>{}, stream);
          });
        test::expect_sorted_values<std::int32_t>(indices, order);
        test::expect_sorted(input, keys, test::expected_order(keys, [](auto, auto) { return false; }));
        ASSERT_FALSE(HasFatalFailure());
      }
      auto keys_alone = test::to_guarded_memory<device>(keys);
      test::call_short([&](cudaStream_t stream)
                       { return mgpu::DeviceSort::SortKeys(raw(keys_alone), size, ::cuda::std::less<>{}, stream); });
      test::expect_sorted(keys_alone, keys, order);
      auto sorted = test::to_guarded_memory<device>(keys);
      auto values = test::values_in_guarded_memory<device, std::int32_t>(size);
      test::call(
        [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
          return mgpu::DeviceSort::SortPairs(
            storage, bytes, raw(sorted), raw(values), size, ::cuda::std::less<>{}, stream);
        });
      test::expect_sorted(sorted, keys, order);
      test::expect_sorted_values<std::int32_t>(values, order);
    }
  }
}

template <class Key>
void check_pairs_from_any_address()
{
  for (const std::int64_t size : {60001, 1100003}) // on both sides of max_pairwise
  {
    for (const test::disorder d : {test::disorder::uniform, test::disorder::few_keys, test::disorder::reversed})
    {
      const auto keys = test::to_keys<Key>(test::make_disorder(d, size, 100, 1));
      const auto order = test::expected_order(keys, ::cuda::std::less<>{});
      for (std::int64_t shift = 0; shift <= 8; ++shift)
      {
        const std::int64_t value_shift = shift % 3;
        thrust::device_vector<Key> sorted(static_cast<std::size_t>(shift + size));
        thrust::copy(keys.begin(), keys.end(), sorted.begin() + shift);
        thrust::device_vector<std::int32_t> values(static_cast<std::size_t>(value_shift + size));
        thrust::sequence(values.begin() + value_shift, values.end());
        test::call(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          {
            return mgpu::DeviceSort::StableSortPairs(
              storage, bytes, raw(sorted) + shift, raw(values) + value_shift, size, ::cuda::std::less<>{}, stream);
          });
        const thrust::host_vector<std::int32_t> result(values.begin() + value_shift, values.end());
        for (std::int64_t i = 0; i < size; ++i)
        {
          ASSERT_EQ(result[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(i)])
            << test::name_of(d) << ", " << size << " pairs from key " << shift << " on, position " << i;
        }
      }
    }
  }
}

// The pieces of the runs that a pass merges may lie in shared memory before the output's first key, or after it.
TEST(DeviceSort, PairsFromAnyAddress)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_pairs_from_any_address<std::int16_t>();
  check_pairs_from_any_address<std::int32_t>();
  check_pairs_from_any_address<std::int64_t>();
}

// A graph sorts the data present at its launch.
TEST(DeviceSort, CapturedAndRunOnOtherData)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 300007;
  const auto first = test::to_keys<std::int32_t>(test::make_disorder(test::disorder::sorted, size, 1 << 30, 1));
  const auto second = test::to_keys<std::int32_t>(test::make_disorder(test::disorder::uniform, size, 1 << 30, 2));
  auto sorted = test::to_guarded_memory<device>(first);
  const auto other = test::to_guarded_memory<device>(second);
  test::capture_and_change(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    { return mgpu::DeviceSort::SortKeys(storage, bytes, raw(sorted), size, ::cuda::std::less<>{}, stream); },
    [&] { thrust::copy(other.begin(), other.end(), sorted.begin()); });
  test::expect_sorted(sorted, second, test::expected_order(second, ::cuda::std::less<>{}));
}

/// Every 32-bit number once, in a random-looking order: multiplication by an odd factor permutes them.
struct permuted
{
  MGPU_THRUST_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const
  {
    return static_cast<std::uint32_t>(i) * 2654435761u;
  }
};

/// Returns whether consecutive elements are in order.
struct ascends_at
{
  const std::uint32_t* keys;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t i) const
  {
    return keys[i] < keys[i + 1];
  }
};

TEST(DeviceSort, MoreKeysThan31BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = (std::int64_t{1} << 31) + 12345; // distinct keys, so they must ascend strictly
  thrust::device_vector<std::uint32_t> keys(size);
  thrust::tabulate(keys.begin(), keys.end(), permuted{});
  test::call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
             { return mgpu::DeviceSort::SortKeys(storage, bytes, raw(keys), size, ::cuda::std::less<>{}, stream); });
  const thrust::counting_iterator<std::int64_t> numbers(0);
  EXPECT_TRUE(thrust::all_of(thrust::device, numbers, numbers + (size - 1), ascends_at{raw(keys)}));
}

TEST(DeviceSort, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 100000;
  const auto keys = test::to_keys<std::int32_t>(test::make_disorder(test::disorder::reversed, size, 1 << 30, 1));
  thrust::device_vector<std::int32_t> sorted = keys;
  thrust::device_vector<std::int32_t> values = keys;
  thrust::device_vector<std::int8_t> indices(size, 5);
  std::size_t bytes = 0;
  ASSERT_EQ(mgpu::DeviceSort::SortPairs(nullptr, bytes, raw(sorted), raw(values), size), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const auto sort = [&](std::size_t storage_bytes, std::int64_t count)
  { return mgpu::DeviceSort::SortPairs(raw(storage), storage_bytes, raw(sorted), raw(values), count); };
  EXPECT_EQ(sort(bytes, -1), cudaErrorInvalidValue);
  EXPECT_EQ(sort(bytes, huge), cudaErrorInvalidValue);
  EXPECT_EQ(sort(bytes - 1, size), cudaErrorInvalidValue);
  EXPECT_EQ(
    mgpu::DeviceSort::StableSortIndices(raw(storage), bytes, raw(sorted), 200, raw(indices)), cudaErrorInvalidValue);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(test::to_host(sorted), keys);
  EXPECT_EQ(test::to_host(values), keys);
  EXPECT_EQ(indices[0], 5);
}

} // namespace

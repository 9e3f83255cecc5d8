// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented sorts and locality sorts: orders, iterators, policies, calls from device code, elements that own memory,
// errors and failures. The lengths of segments are those of test_segmented_sort.

#include "support/counting_allocator.h"
#include "support/segmented_sort_battery.h"
#include "support/sort_battery.h"
#include "support/systems.h"
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#  include "support/streams.h"
#endif

#include <mgpu_thrust/segmented_sort.h>

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using ints = std::vector<std::int32_t>;
using test::make_ints;
using test::make_offsets;

/// Offsets of segments of all lengths up to some hundred, and of a long segment.
ints make_mixed_offsets(std::int64_t size)
{
  return make_offsets(
    size, [length = std::int64_t{0}, size]() mutable { return length++ == 20 ? size / 2 : length % 400; });
}

// ---- Orders ----

/// Compares rows of a table in descending order.
struct by_row_descending
{
  const std::int32_t* rows;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t i, std::int32_t j) const
  {
    return rows[j] < rows[i];
  }
};

TEST(SegmentedSortOrders, ExpensiveIndirectAndDescending)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 80003;
  const auto keys = make_ints(test::disorder::uniform, size);
  const auto offsets = make_mixed_offsets(size);
  test::check_segmented_sort<std::int32_t, test::with_values>(keys, offsets, test::by_collatz_steps{});
  const auto order = test::expected_segmented_order(keys, offsets, thrust::greater<std::int32_t>{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto rows = test::to_memory<policy_t>(keys);
      const auto segments = test::to_memory<policy_t>(offsets);
      auto indices = test::to_memory<policy_t>(test::make_elements<std::int32_t>(size, 0));
      mgpu::segmented_stable_sort(
        policy, indices.begin(), indices.end(), segments.begin(), segments.end(),
        by_row_descending{thrust::raw_pointer_cast(rows.data())});
      ASSERT_EQ(test::to_host(indices), ints(order.begin(), order.end()));
    });
}

// ---- Iterators ----

struct times_100
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return 100 * x;
  }
};

// Rows of two columns, sorted by one, in segments whose offsets are computed.
TEST(SegmentedSort, ZippedRowsAndComputedOffsets)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 100000;
  const auto keys = make_ints(test::disorder::uniform, size);
  std::vector<std::int32_t> offsets;
  for (std::int32_t i = 0; i < 1000; ++i)
  {
    offsets.push_back(100 * i);
  }
  const auto order = test::expected_segmented_order(keys, offsets, ::cuda::std::less<>{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto sorted = test::to_guarded_memory<policy_t>(keys);
      auto values = test::values_in_guarded_memory<policy_t, std::int32_t>(size);
      const auto rows = thrust::make_zip_iterator(sorted.begin(), values.begin());
      const auto hundreds = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), times_100{});
      mgpu::segmented_sort(policy, rows, rows + size, hundreds, hundreds + 1000);
      // Rows are compared by both columns; equal keys have ascending values in any case.
      test::expect_sorted(sorted, keys, order);
      test::expect_sorted_values<std::int32_t>(values, order);
    });
}

/// Returns whether an element is the first of its hundred.
struct is_hundredth
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t i) const
  {
    return i % 100 == 0;
  }
};

// Keys and values of two columns each, in segments whose flags are computed.
TEST(SegmentedSort, ZippedRowsAndComputedFlags)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 100000;
  const auto keys = make_ints(test::disorder::few_keys, size);
  const auto order =
    test::expected_segmented_order(keys, make_offsets(size, [] { return std::int64_t{100}; }), ::cuda::std::less<>{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto sorted = test::to_guarded_memory<policy_t>(keys);
      auto values = test::values_in_guarded_memory<policy_t, std::int32_t>(size);
      const auto rows = thrust::make_zip_iterator(sorted.begin(), values.begin());
      const auto flags = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), is_hundredth{});
      mgpu::segmented_sort_by_flags(policy, rows, rows + size, flags);
      test::expect_sorted(sorted, keys, order);
      test::expect_sorted_values<std::int32_t>(values, order);
    });
}

// ---- Policies ----

#if defined(__CUDACC__)

TEST(SegmentedSortPolicies, OfCuda)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 100003;
  const auto keys = make_ints(test::disorder::uniform, size);
  const auto offsets = make_mixed_offsets(size);
  const auto order = test::expected_segmented_order(keys, offsets, ::cuda::std::less<>{});
  const auto segments = test::to_memory<thrust::cuda::tag>(offsets);
  const auto check = [&](const auto& policy, cudaStream_t stream)
  {
    auto sorted = test::to_guarded_memory<thrust::cuda::tag>(keys);
    auto values = test::values_in_guarded_memory<thrust::cuda::tag, std::int32_t>(size);
    cudaDeviceSynchronize(); // the stream does not wait for other streams
    mgpu::segmented_sort_by_key(
      policy, sorted.begin(), sorted.end() - 1, values.begin(), segments.begin(), segments.end());
    cudaStreamSynchronize(stream); // par_nosync does not synchronise
    test::expect_sorted(sorted, keys, order);
    test::expect_sorted_values<std::int32_t>(values, order);
  };
  test::for_each_cuda_policy(check);
}

TEST(SegmentedSortPolicies, AreNotWaitedForUnderNosync)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 100000;
  auto keys = test::to_memory<thrust::cuda::tag>(make_ints(test::disorder::uniform, size));
  const thrust::device_vector<char> flags(size, 0);
  test::check_nothing_waits(
    [&](cudaStream_t stream)
    {
      const auto policy = thrust::cuda::par_nosync.on(stream);
      const auto hundreds = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), times_100{});
      mgpu::segmented_sort(policy, keys.begin(), keys.end(), hundreds, hundreds + 1000);
      mgpu::segmented_sort_by_flags(policy, keys.begin(), keys.end(), flags.begin());
      mgpu::locality_sort(policy, keys.begin(), keys.end());
    });
}

/// Sorts in one device thread.
__global__ void sort_in_a_thread(int* keys, int* values, int* indices, int size, const int* offsets, int num_segments)
{
  mgpu::segmented_stable_sort_indices(
    thrust::seq, keys, keys + size, offsets, offsets + num_segments, indices, ::cuda::std::less<>{});
  mgpu::segmented_sort_by_key(thrust::seq, keys, keys + size, values, offsets, offsets + num_segments);
}

TEST(SegmentedSortPolicies, CalledFromDeviceCode)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 500;
  const auto keys = make_ints(test::disorder::few_keys, size);
  const ints offsets{0, 0, 3, 100, 100, 101, 500};
  const auto order = test::expected_segmented_order(keys, offsets, ::cuda::std::less<>{});
  const auto segments = test::to_memory<thrust::cuda::tag>(offsets);
  auto sorted = test::to_guarded_memory<thrust::cuda::tag>(keys);
  auto values = test::values_in_guarded_memory<thrust::cuda::tag, std::int32_t>(size);
  thrust::device_vector<std::int32_t> indices(size + 1, -7);
  sort_in_a_thread<<<1, 1>>>(
    thrust::raw_pointer_cast(sorted.data()), thrust::raw_pointer_cast(values.data()),
    thrust::raw_pointer_cast(indices.data()), static_cast<int>(size), thrust::raw_pointer_cast(segments.data()),
    static_cast<int>(offsets.size()));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  test::expect_sorted(sorted, keys, order);
  test::expect_sorted_values<std::int32_t>(indices, order);
  test::expect_sorted_values<std::int32_t>(values, order);
}

#else

// Without a policy, on the system of the iterators, the C++ system in these tests.
TEST(SegmentedSortPolicies, OfTheIterators)
{
  const ints keys = make_ints(test::disorder::uniform, 100003);
  const ints offsets = make_mixed_offsets(100003);
  const auto order = test::expected_segmented_order(keys, offsets, ::cuda::std::less<>{});
  ints indices(keys.size());
  mgpu::segmented_stable_sort_indices(keys.begin(), keys.end(), offsets.begin(), offsets.end(), indices.begin());
  EXPECT_EQ(indices, ints(order.begin(), order.end()));
}

// Whatever the offsets, nothing outside the range is read or written.
TEST(SegmentedSort, WrongOffsetsStayWithinBounds)
{
  std::mt19937_64 random(4);
  for (int repeat = 0; repeat < 300; ++repeat)
  {
    const auto size = static_cast<std::int64_t>(random() % (repeat % 10 == 0 ? 100000 : 100));
    const ints keys = make_ints(test::disorder::uniform, size);
    ints offsets(1 + random() % 50);
    for (std::int32_t& offset : offsets)
    {
      offset = static_cast<std::int32_t>(random() % (size + 20)) - 10;
    }
    test::for_each_policy(
      [&](const auto& policy)
      {
        auto sorted = keys;
        mgpu::segmented_sort(policy, sorted.begin(), sorted.end(), offsets.begin(), offsets.end());
        mgpu::segmented_stable_sort_indices(
          policy, keys.begin(), keys.end(), offsets.begin(), offsets.end(), sorted.begin());
      });
  }
}

// Elements that own memory, in segments and nearly in order.
TEST(SegmentedSort, Strings)
{
  const std::int64_t size = 70000;
  for (const test::disorder d : {test::disorder::uniform, test::disorder::local, test::disorder::sorted})
  {
    SCOPED_TRACE(test::name_of(d));
    std::vector<std::string> words;
    for (const std::int64_t rank : test::make_disorder(d, size, 1 << 30, 5))
    {
      words.push_back("a word that is too long for its object " + std::to_string(100000 + rank));
    }
    for (const std::int64_t length : {std::int64_t{10}, std::int64_t{5000}, size})
    {
      const auto offsets = make_offsets(size, [=] { return length; });
      const auto order = test::expected_segmented_order(words, offsets, std::less<>{});
      std::vector<std::string> expected;
      for (const std::int64_t i : order)
      {
        expected.push_back(words[i]);
      }
      test::for_each_policy(
        [&](const auto& policy)
        {
          auto sorted = words;
          auto values = words;
          mgpu::segmented_stable_sort_by_key(
            policy, sorted.begin(), sorted.end(), values.begin(), offsets.begin(), offsets.end());
          ASSERT_EQ(sorted, expected);
          ASSERT_EQ(values, expected);
          std::vector<std::int64_t> indices(words.size());
          mgpu::segmented_stable_sort_indices(
            policy, words.begin(), words.end(), offsets.begin(), offsets.end(), indices.begin());
          ASSERT_EQ(indices, order);
          if (length == size)
          {
            sorted = words;
            mgpu::locality_sort(policy, sorted.begin(), sorted.end());
            ASSERT_EQ(sorted, expected);
          }
        });
    }
  }
}

/// Comparator that throws at a given call.
struct failing_order
{
  std::atomic<std::int64_t>* calls_left;

  bool operator()(const std::string& x, const std::string& y) const
  {
    if (--*calls_left == 0)
    {
      throw std::runtime_error("the comparison that was to fail");
    }
    return x < y;
  }
};

TEST(SegmentedSortErrors, OrdersThatThrow)
{
  const std::int64_t size = 100000;
  std::vector<std::string> words;
  for (const std::int64_t rank : test::make_disorder(test::disorder::local, size, 1 << 30, 5))
  {
    words.push_back("a word that is too long for its object " + std::to_string(100000 + rank));
  }
  const auto offsets = make_offsets(size, [] { return std::int64_t{1000}; });
  std::atomic<std::int64_t> calls{std::int64_t{1} << 60};
  auto sorted = words;
  mgpu::segmented_sort(
    thrust::cpp::par, sorted.begin(), sorted.end(), offsets.begin(), offsets.end(), failing_order{&calls});
  const std::int64_t all_calls = (std::int64_t{1} << 60) - calls;
  for (const std::int64_t at : {std::int64_t{1}, all_calls / 2, all_calls - 10, all_calls})
  {
    SCOPED_TRACE(at);
    test::for_each_policy(
      [&](const auto& policy)
      {
        sorted = words;
        calls = at;
        EXPECT_THROW(
          mgpu::segmented_sort(
            policy, sorted.begin(), sorted.end(), offsets.begin(), offsets.end(), failing_order{&calls}),
          std::runtime_error);
        // All elements can be assigned and used again.
        sorted = words;
        mgpu::segmented_sort(policy, sorted.begin(), sorted.end(), offsets.begin(), offsets.end());
      });
  }
}

#endif

// ---- Errors and failures ----

TEST(SegmentedSort, Errors)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto keys = test::to_memory<policy_t>(ints{3, 1, 2});
      const auto offsets = test::to_memory<policy_t>(ints{0, 1});
      const auto flags = test::to_memory<policy_t>(std::vector<char>{1, 0, 0});
      const auto first = keys.begin();
      EXPECT_THROW(
        mgpu::segmented_sort(policy, keys.end(), first, offsets.begin(), offsets.end()), std::invalid_argument);
      EXPECT_THROW(
        mgpu::segmented_sort(policy, first, keys.end(), offsets.end(), offsets.begin()), std::invalid_argument);
      EXPECT_THROW(
        mgpu::segmented_stable_sort_by_key(policy, first, keys.end(), first, offsets.begin(), offsets.begin()),
        std::invalid_argument);
      EXPECT_THROW(mgpu::segmented_sort_by_flags(policy, keys.end(), first, flags.begin()), std::invalid_argument);
      EXPECT_THROW(
        mgpu::segmented_stable_sort_indices(policy, first, keys.end(), offsets.begin(), offsets.begin(), first),
        std::invalid_argument);
      test::memory<policy_t, std::int8_t> indices(3, std::int8_t{-1});
      const thrust::counting_iterator<std::int32_t> numbers(0);
      EXPECT_THROW(
        mgpu::segmented_stable_sort_indices(
          policy, numbers, numbers + 129, offsets.begin(), offsets.end(), indices.begin()),
        std::length_error); // an index of 128 does not fit
      EXPECT_EQ(test::to_host(indices), std::vector<std::int8_t>(3, std::int8_t{-1}));
      EXPECT_EQ(test::to_host(keys), (ints{3, 1, 2}));
    });
}

TEST(SegmentedSortErrors, StorageIsGivenBack)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 100003;
  const auto keys = make_ints(test::disorder::uniform, size);
  const auto offsets = make_mixed_offsets(size);
  const auto order = test::expected_segmented_order(keys, offsets, ::cuda::std::less<>{});
  std::vector<char> flags(size, 0);
  for (const std::int32_t offset : offsets)
  {
    flags[offset] = 1;
  }
  test::for_each_counting_policy(
    [&](test::allocation_log& log, const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto heads = test::to_memory<policy_t>(flags);
      auto sorted = test::to_guarded_memory<policy_t>(keys);
      test::let_every_allocation_fail(
        log, sorted, [&] { mgpu::segmented_sort_by_flags(policy, sorted.begin(), sorted.end() - 1, heads.begin()); });
      test::expect_sorted(sorted, keys, order);
    });
}

// ---- Locality sorts ----

TEST(LocalitySort, SortsAsStableSortDoes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::disorder d : test::all_disorders)
  {
    SCOPED_TRACE(test::name_of(d));
    const auto keys = make_ints(d, 200003);
    const auto order = test::expected_order(keys, ::cuda::std::less<>{});
    test::for_each_policy(
      [&](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        auto sorted = test::to_guarded_memory<policy_t>(keys);
        mgpu::locality_sort(policy, sorted.begin(), sorted.end() - 1);
        test::expect_sorted(sorted, keys, order);
        sorted = test::to_guarded_memory<policy_t>(keys);
        auto values = test::values_in_guarded_memory<policy_t, std::int32_t>(keys.size());
        mgpu::locality_sort_by_key(policy, sorted.begin(), sorted.end() - 1, values.begin());
        test::expect_sorted(sorted, keys, order);
        test::expect_sorted_values<std::int32_t>(values, order);
      });
  }
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts whose sizes are deferred: the battery, every number of passes below that of the capacity, what is moved by
// indices, and outputs other than plain memory.

#include "support/deferred_battery.h"
#include "support/elements.h"
#include "support/keys.h"
#include "support/sort_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/sort/choice.h>
#include <mgpu_thrust/sort_n.h>
#if defined(__CUDACC__)
#  include "support/device_calls.h"

#  include <mgpu_thrust/device/device_sort.cuh>
#endif

#include <thrust/copy.h>
#include <thrust/sequence.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using test::disorder;
using test::ints;
using test::two_ranges;

/// Indices, which are written to an output of their own.
struct sort_indices
{
  static constexpr bool writes = true;
  static constexpr int result_at = 0;

  static ints input(int, std::int64_t size)
  {
    return test::make_ints(disorder::uniform, size);
  }
  static ints expected(const ints& keys, const ints&)
  {
    return test::to_keys<std::int32_t>(test::expected_order(keys, ::cuda::std::less<>{}));
  }
  static std::int64_t most(std::int64_t capacity, std::int64_t)
  {
    return capacity;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size, Size2, [[maybe_unused]] Count count)
  {
    return mgpu::stable_sort_indices_n(policy, ranges.first, size, ranges.out);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t
  queue(void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size, Size2, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceSort::StableSortIndices(
      storage, bytes, ranges.first, size, ranges.out, ::cuda::std::less<>{}, stream);
  }
#endif
};

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(Sorts, DeferredSizes, sort_indices);
} // namespace test

namespace
{

/// Counts of every number of passes up to that of the capacity; of large ones, some of both parities, and all where
/// eight runs are merged at once; those around full tiles, and around the most that are sorted at once; and some that
/// are no sizes.
std::vector<std::int64_t> counts_up_to(std::int64_t capacity)
{
  std::vector<std::int64_t> counts{capacity + 1000, -3, 0, 1};
  const int step = capacity < 200000 ? 2 : 8;
  for (std::int64_t count = capacity; count > 1; count /= step)
  {
    counts.push_back(count);
  }
#if defined(__CUDACC__)
  constexpr int small_tile = mgpu::detail::pairwise_shapes_t<std::int32_t, 0>::tile_items;
  constexpr int large_tile = mgpu::detail::sort_shapes_t<std::int32_t, 0>::tile_items;
  using small_shape = mgpu::detail::pairwise_shapes_t<std::int32_t, 0>::block_sort;
  const std::int64_t max_coresident =
    std::int64_t{(std::max)(1, mgpu::detail::max_coresident_blocks(small_shape::sure_blocks))} * small_tile;
  for (const std::int64_t tile : {std::int64_t{small_tile}, std::int64_t{large_tile}, max_coresident})
  {
    for (const std::int64_t count : {tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 8 * tile, 16 * tile})
    {
      if (count <= capacity)
      {
        counts.push_back(count);
      }
    }
  }
#endif
  return counts;
}

/// The keys of a capacity, of which `size` are in a disorder, and others follow; and the order that a sort of the
/// former leads to.
template <class Key>
struct some_keys
{
  std::vector<Key> keys;
  std::vector<std::int64_t> order;

  some_keys(disorder d, std::int64_t count, std::int64_t capacity)
  {
    const std::int64_t size = test::clamped(count, capacity);
    auto ranks = test::make_disorder(d, size, test::largest_rank<Key>(), 1);
    order = test::expected_order(test::to_keys<Key>(ranks), ::cuda::std::less<>{});
    for (std::int64_t i = size; i < capacity; ++i)
    {
      ranks.push_back(capacity - i);
      order.push_back(i);
    }
    keys = test::to_keys<Key>(ranks);
  }
};

template <class Value, unsigned Forms, class Access, class Policy, class Key>
void check_count(const Policy& policy, const some_keys<Key>& input, std::int64_t count)
{
  const auto capacity = static_cast<std::int64_t>(input.keys.size());
  const auto counts = test::to_memory<Policy>(std::vector<std::int64_t>{count});
  const mgpu::deferred size{counts.begin(), capacity};
  if constexpr ((Forms & test::keys_alone) != 0)
  {
    SCOPED_TRACE("stable_sort_n");
    auto sorted = test::to_guarded_memory<Policy>(input.keys);
    const auto result = mgpu::stable_sort_n(policy, Access::of(sorted.begin()), size);
    ASSERT_TRUE(result.count == size.count && result.capacity == capacity);
    test::expect_sorted(sorted, input.keys, input.order);
  }
  if constexpr ((Forms & test::with_values) != 0)
  {
    SCOPED_TRACE("stable_sort_by_key_n");
    auto sorted = test::to_guarded_memory<Policy>(input.keys);
    auto values = test::values_in_guarded_memory<Policy, Value>(capacity);
    const auto result =
      mgpu::stable_sort_by_key_n(policy, Access::of(sorted.begin()), size, Access::of(values.begin()));
    ASSERT_TRUE(result.count == size.count && result.capacity == capacity);
    test::expect_sorted(sorted, input.keys, input.order);
    test::expect_sorted_values<Value>(values, input.order);
  }
  if constexpr ((Forms & test::as_indices) != 0)
  {
    SCOPED_TRACE("stable_sort_indices_n");
    const auto keys = test::to_guarded_memory<Policy>(input.keys);
    test::memory<Policy, std::int32_t> indices(capacity + 1, -7);
    mgpu::stable_sort_indices_n(policy, Access::of(keys.begin()), size, Access::of(indices.begin()));
    const auto written = test::clamped(count, capacity);
    auto expected = test::to_keys<std::int32_t>(input.order);
    expected.push_back(-7);
    std::fill(expected.begin() + written, expected.end(), -7);
    ASSERT_EQ(test::to_host(indices), expected);
  }
}

template <class Key, class Value, unsigned Forms, class Access = test::as_they_are>
void check_counts(
  std::int64_t capacity, const std::vector<disorder>& disorders, const std::vector<std::int64_t>& counts)
{
  for (const disorder d : disorders)
  {
    for (const std::int64_t count : counts)
    {
      SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(capacity) + ", " + test::name_of(d));
      const some_keys<Key> input(d, count, capacity);
      test::for_each_policy([&](const auto& policy) { check_count<Value, Forms, Access>(policy, input, count); });
      if (testing::Test::HasFatalFailure())
      {
        return;
      }
    }
  }
}
template <class Key, class Value, unsigned Forms, class Access = test::as_they_are>
void check_counts(std::int64_t capacity, const std::vector<disorder>& disorders)
{
  check_counts<Key, Value, Forms, Access>(capacity, disorders, counts_up_to(capacity));
}

/// Capacities whose sorts have numbers of passes of both parities; on a GPU on both sides of max_pairwise.
std::vector<std::int64_t> capacities_of_sorts()
{
#if defined(__CUDACC__)
  constexpr std::int64_t max_pairwise = mgpu::detail::max_pairwise<4>;
  return {2, 3500, 5000, 10000, 100003, 300007, max_pairwise, max_pairwise + 1};
#else
  return {2, 100003};
#endif
}

const std::vector<disorder> few_disorders{disorder::few_keys, disorder::local};

TEST(SortN, EveryNumberOfPasses)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t capacity : capacities_of_sorts())
  {
    check_counts<std::int32_t, std::int32_t, test::all_forms>(
      capacity, {disorder::uniform, disorder::few_keys, disorder::sorted, disorder::local, disorder::one_misplaced});
  }
}

#if defined(__CUDACC__)
// Three passes and four, where eight runs are merged at once.
TEST(SortN, ManyElements)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::vector<disorder> disorders{disorder::uniform, disorder::local, disorder::one_misplaced};
  check_counts<std::int32_t, std::int32_t, test::all_forms>(2100000, disorders);
  check_counts<std::int32_t, std::int32_t, test::all_forms>(5000011, disorders, {5000011, 2500000, 625001, 1000});
}
#endif

TEST(SortN, MovedByIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_counts<test::words_key<12>, test::only_copied, test::with_values | test::as_indices>(50021, few_disorders);
  check_counts<std::int32_t, test::bytes_element<33>, test::with_values>(50021, few_disorders);
#if defined(__CUDACC__)
  check_counts<test::words_key<12>, test::only_copied, test::with_values>(1100003, few_disorders);
#endif
}

TEST(SortN, OtherMemory)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_counts<std::int32_t, std::int32_t, test::all_forms, test::permuted>(50021, few_disorders);
#if defined(__CUDACC__)
  check_counts<std::int32_t, std::int32_t, test::all_forms, test::permuted>(1100003, few_disorders);
#endif
}

TEST(SortN, OtherNamesAndPlainSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto keys = test::to_memory<policy_t>(ints{5, 3, 4, 1, 2});
      auto values = test::to_memory<policy_t>(ints{0, 1, 2, 3, 4});
      auto counts = test::to_memory<policy_t>(ints{3});
      EXPECT_EQ(mgpu::sort_n(policy, keys.begin(), mgpu::deferred{counts.data(), 5}).capacity, 5);
      EXPECT_EQ(test::to_host(keys), (ints{3, 4, 5, 1, 2}));
      EXPECT_EQ(mgpu::sort_by_key_n(policy, keys.begin(), 4, values.begin(), ::cuda::std::greater<>{}), 4);
      EXPECT_EQ(test::to_host(keys), (ints{5, 4, 3, 1, 2}));
      EXPECT_EQ(test::to_host(values), (ints{2, 1, 0, 3, 4}));
      mgpu::sort_n(policy, keys.begin(), mgpu::deferred{counts.data(), 0}); // nothing is read
      EXPECT_EQ(test::to_host(keys)[0], 5);

      // Bounds that are none, or too large for the indices.
      EXPECT_THROW(mgpu::sort_n(policy, keys.begin(), mgpu::deferred{counts.data(), -1}), std::invalid_argument);
      test::memory<policy_t, std::int8_t> indices(1, 7);
      EXPECT_THROW(
        mgpu::stable_sort_indices_n(policy, keys.begin(), mgpu::deferred{counts.data(), 200}, indices.begin()),
        std::length_error);
      EXPECT_EQ(test::to_host(keys)[0], 5);
      EXPECT_EQ(test::to_host(indices)[0], 7);
    });
}

#if defined(__CUDACC__)

TEST(SortN, ReplayedInPlaceWithOtherCounts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using device = thrust::cuda::tag;
  for (const std::int64_t capacity : {300007, 1100003})
  {
    const std::vector<std::int64_t> all_counts = counts_up_to(capacity);
    auto sorted = test::to_guarded_memory<device>(some_keys<std::int32_t>(disorder::uniform, 0, capacity).keys);
    auto values = test::values_in_guarded_memory<device, std::int32_t>(capacity);
    thrust::device_vector<std::int64_t> count(1);
    const auto input_of = [&](int i)
    {
      return some_keys<std::int32_t>(
        i % 2 == 0 ? disorder::uniform : disorder::local, all_counts[static_cast<std::size_t>(i)], capacity);
    };
    test::replay(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSort::StableSortPairs(
          storage, bytes, test::raw(sorted), test::raw(values), mgpu::deferred{test::raw(count), capacity},
          ::cuda::std::less<>{}, stream);
      },
      static_cast<int>(all_counts.size()),
      [&](int i)
      {
        const auto keys = input_of(i).keys;
        thrust::copy(keys.begin(), keys.end(), sorted.begin());
        thrust::sequence(values.begin(), values.end() - 1);
        count[0] = all_counts[static_cast<std::size_t>(i)];
      },
      [&](int i)
      {
        SCOPED_TRACE(std::to_string(all_counts[static_cast<std::size_t>(i)]) + " of " + std::to_string(capacity));
        const auto input = input_of(i);
        test::expect_sorted(sorted, input.keys, input.order);
        test::expect_sorted_values<std::int32_t>(values, input.order);
      });
  }
}

// A kernel reads such a count into the header first.
TEST(SortN, ManyElementsAndACountOf32Bits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using device = thrust::cuda::tag;
  constexpr std::int64_t capacity = 1100003;
  for (const int number : {1100003, 1048577, 300007, 0})
  {
    SCOPED_TRACE(number);
    const some_keys<std::int32_t> input(disorder::uniform, number, capacity);
    auto sorted = test::to_guarded_memory<device>(input.keys);
    const thrust::device_vector<std::int32_t> count(1, number);
    mgpu::sort_n(thrust::device, sorted.begin(), mgpu::deferred{count.begin(), capacity});
    test::expect_sorted(sorted, input.keys, input.order);
  }
}

__global__ void sort_in_a_thread(std::int32_t* keys, std::int32_t* values, const std::int64_t* count)
{
  mgpu::stable_sort_by_key_n(thrust::seq, keys, mgpu::deferred{count, 1000}, values);
}

TEST(SortN, CalledFromDeviceCode)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using device = thrust::cuda::tag;
  const some_keys<std::int32_t> input(disorder::few_keys, 700, 1000);
  auto sorted = test::to_guarded_memory<device>(input.keys);
  auto values = test::values_in_guarded_memory<device, std::int32_t>(1000);
  const thrust::device_vector<std::int64_t> count(1, 700);
  sort_in_a_thread<<<1, 1>>>(test::raw(sorted), test::raw(values), test::raw(count));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  test::expect_sorted(sorted, input.keys, input.order);
  test::expect_sorted_values<std::int32_t>(values, input.order);
}

#endif

} // namespace

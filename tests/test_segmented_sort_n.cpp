// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented sorts whose sizes are deferred, for the sizes at which segments have tiles of their own, share tiles, or
// lie in many; what is moved by indices, and outputs other than plain memory.

#include "support/segmented_sort_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/segmented_sort_n.h>
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#  include "support/device_calls.h"
#  include "support/streams.h"

#  include <mgpu_thrust/device/device_segmented_sort.cuh>
#endif

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sequence.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// Numbers of elements and of segments.
struct segmented_sizes
{
  std::int64_t items;
  std::int64_t segments;
};

/// Real numbers, as counts say them, that lead to numbers of tiles from none to all.
std::vector<segmented_sizes> segmented_counts_of(const segmented_sizes& capacity)
{
  const auto [items, segments] = capacity;
  return {{items, segments}, {items / 16, segments / 16 + 1},
          {items / 2, 1},    {items + 1000, segments + 5},
          {1, segments},     {0, segments},
          {items, 0},        {-1, 3},
          {items / 3, -7}};
}

/// Keys of a capacity, offsets or flags of as many segments as there are now, and the order that sorts these.
template <class Key>
struct segmented_input
{
  segmented_sizes now;
  std::vector<Key> keys;
  std::vector<std::int32_t> offsets; ///< after those of the segments, some that are none
  std::vector<char> flags;
  std::vector<std::int64_t> order;

  segmented_input(const segmented_sizes& counts, const segmented_sizes& capacity)
      : now{up_to(capacity.items, counts.items), up_to(capacity.segments, counts.segments)}
      , keys(test::to_keys<Key>(
          test::make_disorder(test::disorder::uniform, capacity.items, test::largest_rank<Key>(), 1)))
      , offsets(capacity.segments, -12345)
      , flags(capacity.items + 1, 1)
  {
    now.items = now.segments > 0 ? now.items : 0;
    const std::int64_t mean = now.items / std::max(now.segments, std::int64_t{1});
    std::fill(flags.begin(), flags.begin() + now.items, 0);
    std::vector<std::int64_t> begins;
    for (std::int64_t i = 0, begin = 0; i < now.segments; ++i)
    {
      begins.push_back(begin);
      offsets[i] = static_cast<std::int32_t>(begin);
      flags[begin] = 1;
      const std::int64_t rest = now.items - begin;
      begin += i % 41 == 3 ? rest / 4 : i % 7 == 5 ? 0 : std::min(rest, i * 7919 % (2 * mean + 1));
    }
    order = test::expected_segmented_order(std::vector<Key>(keys.begin(), keys.begin() + now.items), begins, less{});
    for (std::int64_t i = now.items; i < capacity.items; ++i)
    {
      order.push_back(i);
    }
  }

  using less = ::cuda::std::less<>;

private:
  static std::int64_t up_to(std::int64_t capacity, std::int64_t count)
  {
    return std::clamp(count, std::int64_t{0}, capacity);
  }
};

template <class Value, unsigned Forms, class Access, class Policy, class Key, class Size, class NumSegments>
void check_segments_now(
  const Policy& policy, const segmented_input<Key>& input, const Size& size, const NumSegments& num_segments)
{
  const auto capacity = static_cast<std::int64_t>(input.keys.size());
  const auto offsets = test::to_memory<Policy>(input.offsets);
  if constexpr ((Forms & test::keys_alone) != 0)
  {
    SCOPED_TRACE("segmented_stable_sort_n");
    auto sorted = test::to_guarded_memory<Policy>(input.keys);
    mgpu::segmented_stable_sort_n(policy, Access::of(sorted.begin()), size, offsets.begin(), num_segments);
    test::expect_sorted(sorted, input.keys, input.order);
  }
  if constexpr ((Forms & test::with_values) != 0)
  {
    SCOPED_TRACE("segmented_stable_sort_by_key_n");
    auto sorted = test::to_guarded_memory<Policy>(input.keys);
    auto values = test::values_in_guarded_memory<Policy, Value>(capacity);
    mgpu::segmented_stable_sort_by_key_n(
      policy, Access::of(sorted.begin()), size, Access::of(values.begin()), offsets.begin(), num_segments);
    test::expect_sorted(sorted, input.keys, input.order);
    test::expect_sorted_values<Value>(values, input.order);
  }
  if constexpr ((Forms & test::as_indices) != 0)
  {
    SCOPED_TRACE("segmented_stable_sort_indices_n");
    const auto keys = test::to_guarded_memory<Policy>(input.keys);
    test::memory<Policy, std::int32_t> indices(capacity + 1, -7);
    mgpu::segmented_stable_sort_indices_n(
      policy, Access::of(keys.begin()), size, offsets.begin(), num_segments, Access::of(indices.begin()));
    auto expected = test::to_keys<std::int32_t>(input.order);
    expected.push_back(-7);
    std::fill(expected.begin() + input.now.items, expected.end(), -7);
    ASSERT_EQ(test::to_host(indices), expected);
  }
}

template <class Value, unsigned Forms, class Access, class Policy, class Key>
void check_segments(const Policy& policy, const segmented_input<Key>& input, const segmented_sizes& counts)
{
  const auto capacity = static_cast<std::int64_t>(input.keys.size());
  const auto in_memory = test::to_memory<Policy>(std::vector<std::int64_t>{counts.items, counts.segments});
  const mgpu::deferred size{in_memory.begin(), capacity};
  const mgpu::deferred num_segments{in_memory.begin() + 1, static_cast<std::int64_t>(input.offsets.size())};
  check_segments_now<Value, Forms, Access>(policy, input, size, num_segments);
  if (counts.items == input.now.items)
  {
    SCOPED_TRACE("a known number of elements");
    check_segments_now<Value, Forms & test::keys_alone, Access>(policy, input, counts.items, num_segments);
  }
  if (counts.segments == input.now.segments && counts.segments > 0)
  {
    SCOPED_TRACE("a known number of segments");
    check_segments_now<Value, Forms & test::with_values, Access>(policy, input, size, counts.segments);
  }
  if constexpr ((Forms & test::by_flags) != 0)
  {
    SCOPED_TRACE("segmented_sort_by_flags_n");
    const auto now = test::to_memory<Policy>(std::vector<std::int32_t>{static_cast<std::int32_t>(input.now.items)});
    const auto flags = test::to_memory<Policy>(input.flags);
    auto sorted = test::to_guarded_memory<Policy>(input.keys);
    mgpu::segmented_sort_by_flags_n(
      policy, Access::of(sorted.begin()), mgpu::deferred{now.begin(), capacity}, flags.begin());
    test::expect_sorted(sorted, input.keys, input.order);
  }
}

template <class Key, class Value, unsigned Forms, class Access = test::as_they_are>
void check_segments_everywhere(const segmented_sizes& capacity)
{
  for (const segmented_sizes& counts : segmented_counts_of(capacity))
  {
    SCOPED_TRACE(
      std::to_string(counts.items) + " in " + std::to_string(counts.segments) + " of " + std::to_string(capacity.items)
      + " in " + std::to_string(capacity.segments));
    const segmented_input<Key> input(counts, capacity);
    test::for_each_policy([&](const auto& policy) { check_segments<Value, Forms, Access>(policy, input, counts); });
    if (testing::Test::HasFatalFailure())
    {
      return;
    }
  }
}

constexpr unsigned segment_forms = test::keys_alone | test::with_values | test::as_indices | test::by_flags;

TEST(SegmentedSortN, FewElements)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({1, 1});
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({250, 100}); // one block of a GPU
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({900, 20});
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({4000, 600}); // a sixteenth is one block's
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({4000, 30});
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({50021, 300});
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({50021, 7000});
#if defined(__CUDACC__)
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({200003, 70000});
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({300007, 700});
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({900001, 3});
#endif
}

#if defined(__CUDACC__)
TEST(SegmentedSortN, ManyElements)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({1100003, 40000});
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms>({2500001, 7});
}
#endif

TEST(SegmentedSortN, MovedByIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_segments_everywhere<test::words_key<12>, test::only_copied, test::with_values | test::as_indices>({20011, 300});
  check_segments_everywhere<std::int32_t, test::bytes_element<33>, test::with_values>({20011, 3000});
#if defined(__CUDACC__)
  check_segments_everywhere<test::words_key<12>, test::only_copied, test::with_values>({1100003, 3000});
#endif
}

TEST(SegmentedSortN, OtherMemory)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms, test::permuted>({20011, 300});
#if defined(__CUDACC__)
  check_segments_everywhere<std::int32_t, std::int32_t, segment_forms, test::permuted>({1100003, 3000});
#endif
}

TEST(SegmentedSortN, OtherNamesAndPlainSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto keys = test::to_memory<policy_t>(std::vector{5, 3, 4, 1, 2});
      auto values = test::to_memory<policy_t>(std::vector{0, 1, 2, 3, 4});
      const auto offsets = test::to_memory<policy_t>(std::vector{0, 2});
      const auto counts = test::to_memory<policy_t>(std::vector{4, 2, 0});
      const mgpu::deferred size{counts.data(), 5};
      EXPECT_EQ(mgpu::segmented_sort_n(policy, keys.begin(), size, offsets.begin(), 2).capacity, 5);
      EXPECT_EQ(test::to_host(keys), (std::vector{3, 5, 1, 4, 2}));
      EXPECT_EQ(
        mgpu::segmented_sort_by_key_n(
          policy, keys.begin(), 5, values.begin(), offsets.begin(), 2, ::cuda::std::greater<>{}),
        5);
      EXPECT_EQ(test::to_host(keys), (std::vector{5, 3, 4, 2, 1}));
      EXPECT_EQ(test::to_host(values), (std::vector{1, 0, 3, 4, 2}));
      mgpu::locality_sort_n(policy, keys.begin(), size);
      EXPECT_EQ(test::to_host(keys), (std::vector{2, 3, 4, 5, 1}));
      mgpu::locality_sort_by_key_n(policy, keys.begin(), 5, values.begin());
      EXPECT_EQ(test::to_host(keys), (std::vector{1, 2, 3, 4, 5}));
      EXPECT_EQ(test::to_host(values), (std::vector{2, 1, 0, 3, 4}));

      EXPECT_EQ(
        mgpu::segmented_stable_sort_indices_n(
          policy, keys.begin(), 5, offsets.begin(), mgpu::deferred{counts.data() + 1, 2}, values.begin(),
          ::cuda::std::greater<>{}),
        5);
      EXPECT_EQ(test::to_host(values), (std::vector{1, 0, 4, 3, 2}));

      // No capacity for segments: nothing is read.
      mgpu::segmented_sort_n(policy, values.begin(), size, offsets.begin(), mgpu::deferred{counts.data() + 2, 0});
      mgpu::segmented_stable_sort_indices_n(
        policy, keys.begin(), size, offsets.begin(), mgpu::deferred{counts.data() + 2, 0}, values.begin());
      EXPECT_EQ(test::to_host(values)[0], 1);

      // Bounds that are none, and elements without a segment, where that is known.
      EXPECT_THROW(
        mgpu::segmented_sort_n(policy, values.begin(), 5, offsets.begin(), mgpu::deferred{counts.data() + 1, -1}),
        std::invalid_argument);
      EXPECT_THROW(
        mgpu::segmented_sort_n(policy, values.begin(), mgpu::deferred{counts.data(), -1}, offsets.begin(), 2),
        std::invalid_argument);
      EXPECT_THROW(mgpu::segmented_sort_n(policy, values.begin(), 5, offsets.begin(), 0), std::invalid_argument);
      EXPECT_THROW(
        mgpu::segmented_sort_by_flags_n(
          policy, values.begin(), mgpu::deferred{counts.data(), -1}, thrust::counting_iterator<int>(0)),
        std::invalid_argument);
      EXPECT_EQ(test::to_host(values)[0], 1);
    });
}

#if defined(__CUDACC__)

TEST(SegmentedSortN, ReplayedWithOtherCounts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using device = thrust::cuda::tag;
  for (const segmented_sizes& capacity :
       {segmented_sizes{20011, 100}, segmented_sizes{300007, 5000}, segmented_sizes{1100003, 9000}})
  {
    const std::vector<segmented_sizes> all_counts = segmented_counts_of(capacity);
    const auto input_of = [&](int i)
    { return segmented_input<std::int32_t>(all_counts[static_cast<std::size_t>(i)], capacity); };
    auto sorted = test::to_guarded_memory<device>(input_of(0).keys);
    auto values = test::values_in_guarded_memory<device, std::int32_t>(capacity.items);
    thrust::device_vector<std::int32_t> offsets(capacity.segments);
    thrust::device_vector<std::int64_t> counts(2);
    test::replay(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSegmentedSort::StableSortPairs(
          storage, bytes, test::raw(sorted), test::raw(values), mgpu::deferred{test::raw(counts), capacity.items},
          test::raw(offsets), mgpu::deferred{test::raw(counts) + 1, capacity.segments}, ::cuda::std::less<>{}, stream);
      },
      static_cast<int>(all_counts.size()),
      [&](int i)
      {
        const auto input = input_of(i);
        thrust::copy(input.keys.begin(), input.keys.end(), sorted.begin());
        thrust::copy(input.offsets.begin(), input.offsets.end(), offsets.begin());
        thrust::sequence(values.begin(), values.end() - 1);
        counts[0] = all_counts[static_cast<std::size_t>(i)].items;
        counts[1] = all_counts[static_cast<std::size_t>(i)].segments;
      },
      [&](int i)
      {
        SCOPED_TRACE(std::to_string(capacity.items) + ", counts " + std::to_string(i));
        const auto input = input_of(i);
        test::expect_sorted(sorted, input.keys, input.order);
        test::expect_sorted_values<std::int32_t>(values, input.order);
      });
  }
}

__global__ void sort_segments_in_a_thread(
  std::int32_t* keys, std::int32_t* values, const std::int32_t* offsets, const std::int64_t* counts)
{
  mgpu::segmented_stable_sort_by_key_n(
    thrust::seq, keys, mgpu::deferred{counts, 1000}, values, offsets, mgpu::deferred{counts + 1, 50});
}

TEST(SegmentedSortN, CalledFromDeviceCode)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using device = thrust::cuda::tag;
  const segmented_input<std::int32_t> input({700, 40}, {1000, 50});
  auto sorted = test::to_guarded_memory<device>(input.keys);
  auto values = test::values_in_guarded_memory<device, std::int32_t>(1000);
  const auto offsets = test::to_memory<device>(input.offsets);
  const auto counts = test::to_memory<device>(std::vector<std::int64_t>{700, 40});
  sort_segments_in_a_thread<<<1, 1>>>(test::raw(sorted), test::raw(values), test::raw(offsets), test::raw(counts));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  test::expect_sorted(sorted, input.keys, input.order);
  test::expect_sorted_values<std::int32_t>(values, input.order);
}

#endif

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented compaction whose sizes are deferred: the battery, offsets of results, and a chain.

#include "support/compact_battery.h"
#include "support/deferred_battery.h"

#include <mgpu_thrust/read_count.h>
#include <mgpu_thrust/segmented_compact_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_segmented_compact.cuh>
#endif

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::ints;
using test::two_ranges;

/// The first range has the items; there are as many segments as the second one has elements, and all items are in the
/// last one, as its offset has to be possible for any number of items.
template <bool Compares>
struct deferred_compaction : test::ranges_of_copies
{
  static constexpr bool writes = true;

  static std::int64_t most(std::int64_t items, std::int64_t)
  {
    return items;
  }
  static ints expected(const ints& items, const ints& segments)
  {
    ints kept;
    const std::int64_t segment = static_cast<std::int64_t>(segments.size()) - 1;
    for (std::size_t i = 0; i < items.size() && segment >= 0; ++i)
    {
      if (Compares ? i == 0 || items[i - 1] != items[i] : test::keep_by_segment{}(items[i], segment))
      {
        kept.push_back(items[i]);
      }
    }
    return kept;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 items, Size2 segments, Count count)
  {
    const thrust::constant_iterator<std::int32_t> offsets(0);
    if constexpr (Compares)
    {
      return mgpu::segmented_unique_copy_n(
        policy, ranges.first, items, offsets, segments, ranges.out, thrust::make_discard_iterator(), count);
    }
    else
    {
      return mgpu::segmented_copy_if_n(
        policy, ranges.first, items, offsets, segments, ranges.out, thrust::make_discard_iterator(), count,
        test::keep_by_segment{});
    }
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 items, Size2 segments, Count* count,
    cudaStream_t stream)
  {
    const thrust::constant_iterator<std::int32_t> offsets(0);
    if constexpr (Compares)
    {
      return mgpu::DeviceSegmentedCompact::UniqueCopy(
        storage, bytes, ranges.first, items, offsets, segments, ranges.out, thrust::make_discard_iterator(), count,
        ::cuda::std::equal_to<>{}, stream);
    }
    else
    {
      return mgpu::DeviceSegmentedCompact::CopyIf(
        storage, bytes, ranges.first, items, offsets, segments, ranges.out, thrust::make_discard_iterator(), count,
        test::keep_by_segment{}, stream);
    }
  }
#endif
};

using deferred_compactions = testing::Types<deferred_compaction<false>, deferred_compaction<true>>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SegmentedCompact, DeferredSizes, deferred_compactions);
} // namespace test

namespace
{

/// Keeps multiples of a number.
struct divides
{
  std::int32_t number;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t item) const
  {
    return item % number == 0;
  }
};

// As many offsets of results are written as there are segments now, and one; then the result is compacted again.
TEST(SegmentedCompactN, OffsetsOfResultsInAChain)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (const std::int64_t segments : {0, 1, 3000, 40000})
      {
        SCOPED_TRACE(std::to_string(segments) + " segments");
        const std::int64_t items = segments > 0 ? 90001 : 0;
        test::segmentation in;
        for (std::int64_t segment = 0; segment < segments; ++segment)
        {
          in.add(segment + 1 < segments ? segment % 3 : items - in.num_items);
        }
        const auto numbers = test::numbered_items(100000);
        const auto first =
          test::expected_compaction(in, numbers, [](std::int64_t i, std::int64_t, bool) { return i % 2 == 0; });
        const auto second =
          test::expected_compaction(in, numbers, [](std::int64_t i, std::int64_t, bool) { return i % 6 == 0; });

        auto offsets = test::to_memory<policy_t>(in.offsets);
        offsets.resize(50000, -5);
        const auto input = test::to_memory<policy_t>(numbers);
        auto counts = test::to_memory<policy_t>(std::vector<std::int64_t>{90001, segments});
        test::memory<policy_t, std::int32_t> some(100000);
        test::memory<policy_t, std::int32_t> fewer(100000);
        test::memory<policy_t, std::int64_t> some_offsets(50001, -7);
        test::memory<policy_t, std::int64_t> fewer_offsets(50001, -7);
        const mgpu::deferred num_segments{counts.data() + 1, 50000};
        const auto size = mgpu::segmented_copy_if_n(
          policy, input.begin(), mgpu::deferred{counts.data(), 100000}, offsets.begin(), num_segments, some.begin(),
          some_offsets.begin(), counts.data(), divides{2});
        const auto end = mgpu::segmented_copy_if_n(
          policy, some.begin(), size, some_offsets.begin(), num_segments, fewer.begin(), fewer_offsets.begin(),
          counts.data(), divides{3});
        ASSERT_EQ(end.capacity, 100000);
        ASSERT_EQ(mgpu::read_count(policy, end), static_cast<std::int64_t>(second.items.size()));
        auto expected = first.offsets;
        expected.resize(50001, -7);
        ASSERT_EQ(test::to_host(some_offsets), expected);
        expected = second.offsets;
        expected.resize(50001, -7);
        ASSERT_EQ(test::to_host(fewer_offsets), expected);
        auto written = test::to_host(fewer);
        written.resize(second.items.size());
        ASSERT_EQ(written, second.items);
      }
    });
}

TEST(SegmentedCompactN, BoundsThatAreNotPossible)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto items = test::to_memory<policy_t>(ints(1000, 1));
      const auto offsets = test::to_memory<policy_t>(ints{0});
      test::memory<policy_t, std::int32_t> out(10, -7);
      test::memory<policy_t, std::int8_t> offsets_out(10, -7);
      auto counts = test::to_memory<policy_t>(ints{5, 100});
      const auto unique = [&](auto size, auto num_segments)
      {
        mgpu::segmented_unique_copy_n(
          policy, items.begin(), size, offsets.begin(), num_segments, out.begin(), offsets_out.begin(),
          counts.data() + 1);
      };
      // The offsets fit for the size, but not for all that the capacity allows.
      EXPECT_THROW(unique(mgpu::deferred{counts.data(), 128}, 1), std::length_error);
      EXPECT_THROW(unique(mgpu::deferred{counts.data(), -1}, 1), std::invalid_argument);
      EXPECT_EQ(test::to_host(counts)[1], 100);
      EXPECT_EQ(test::to_host(out), ints(10, -7));
      EXPECT_EQ(test::to_host(offsets_out), std::vector<std::int8_t>(10, -7));
      unique(mgpu::deferred{counts.data(), 127}, 1);
      EXPECT_EQ(test::to_host(counts)[1], 1);
      EXPECT_EQ(test::to_host(offsets_out)[1], 1);
    });
}

} // namespace

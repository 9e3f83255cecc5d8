// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Segmented sorts and locality sorts: segments of every length and mix, empty ones, keys and values of several types,
// by offsets and by flags, iterators, errors.

#include "support/sort_battery.h"
#include "support/systems.h"
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#endif

#include <mgpu_thrust/segmented_sort.h>

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using ints = std::vector<std::int32_t>;

/// The indices that sort the keys of each segment.
template <class Key, class Offset, class Compare>
std::vector<std::int64_t> expected_order(const std::vector<Key>& keys, const std::vector<Offset>& offsets, Compare comp)
{
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t s = 0; s < offsets.size(); ++s)
  {
    const auto end =
      s + 1 < offsets.size() ? static_cast<std::int64_t>(offsets[s + 1]) : static_cast<std::int64_t>(keys.size());
    std::stable_sort(
      order.begin() + offsets[s], order.begin() + end,
      [&](std::int64_t i, std::int64_t j) mutable { return comp(keys[i], keys[j]); });
  }
  return order;
}

/// Sorts the keys of segments under all policies: alone, with values, and, unless segments are empty, by flags.
template <class Value = std::int32_t, class Key, class Offset, class Compare = ::cuda::std::less<>>
void check(const std::vector<Key>& keys, const std::vector<Offset>& offsets, Compare comp = Compare{})
{
  const auto size = static_cast<std::int64_t>(keys.size());
  const auto order = expected_order(keys, offsets, comp);
  std::vector<char> flags(size, 0);
  for (const Offset offset : offsets)
  {
    if (static_cast<std::int64_t>(offset) < size)
    {
      flags[offset] = 1;
    }
  }
  if (size > 0)
  {
    flags[0] = static_cast<char>(size % 2); // is a first one anyway
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto segments = test::to_memory<policy_t>(offsets);
      {
        SCOPED_TRACE("segmented_stable_sort");
        auto sorted = test::to_guarded_memory<policy_t>(keys);
        mgpu::segmented_stable_sort(
          policy, sorted.begin(), sorted.begin() + size, segments.begin(), segments.end(), comp);
        test::expect_sorted(sorted, keys, order);
      }
      {
        SCOPED_TRACE("segmented_sort_by_key");
        auto sorted = test::to_guarded_memory<policy_t>(keys);
        auto values = test::values_in_guarded_memory<policy_t, Value>(size);
        mgpu::segmented_sort_by_key(
          policy, sorted.begin(), sorted.begin() + size, values.begin(), segments.begin(), segments.end(), comp);
        test::expect_sorted(sorted, keys, order);
        test::expect_sorted_values<Value>(values, order);
      }
      {
        SCOPED_TRACE("segmented_sort_by_flags");
        const auto heads = test::to_memory<policy_t>(flags);
        auto sorted = test::to_guarded_memory<policy_t>(keys);
        mgpu::segmented_sort_by_flags(policy, sorted.begin(), sorted.begin() + size, heads.begin(), comp);
        test::expect_sorted(sorted, keys, order);
      }
    });
}

/// Offsets of segments whose sizes next() tells, for `size` elements.
template <class Next>
ints make_offsets(std::int64_t size, Next next)
{
  ints offsets{0};
  for (std::int64_t at = next(); at < size; at += next())
  {
    offsets.push_back(static_cast<std::int32_t>(at));
  }
  return offsets;
}

ints make_ints(test::disorder d, std::int64_t size, std::uint64_t seed = 1)
{
  return test::to_keys<std::int32_t>(test::make_disorder(d, size, 1 << 30, seed));
}

TEST(SegmentedSort, EverySmallSizeInSmallSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(1);
  for (std::int64_t size = 0; size <= 100; ++size)
  {
    for (const int mean : {1, 3, 20})
    {
      const auto offsets = make_offsets(size, [&] { return static_cast<std::int64_t>(random() % (2 * mean + 1)); });
      check(make_ints(test::disorder::few_keys, size, size), offsets);
      ASSERT_FALSE(HasFatalFailure()) << size << " " << testing::PrintToString(offsets);
    }
  }
}

TEST(SegmentedSort, SegmentsOfEveryMeanLength)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(2);
  for (const std::int64_t size : {10007, 200003})
  {
    for (const std::int64_t mean : {1, 4, 30, 300, 3000, 30000, 1000000})
    {
      SCOPED_TRACE(std::to_string(size) + " in segments of about " + std::to_string(mean));
      const auto offsets = make_offsets(size, [&] { return static_cast<std::int64_t>(random() % (2 * mean + 1)); });
      check(make_ints(test::disorder::uniform, size), offsets);
      check(make_ints(test::disorder::few_keys, size), offsets, thrust::greater<std::int32_t>{});
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// Lengths from one to nearly all, and long runs of empty segments before, between and behind.
TEST(SegmentedSort, MixedAndEmptySegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 200003;
  const auto keys = make_ints(test::disorder::uniform, size);
  std::mt19937_64 random(3);
  check(keys, make_offsets(size, [&] { return static_cast<std::int64_t>(1 + (std::uint64_t{1} << random() % 18)); }));
  ints offsets(1000, 0);
  offsets.insert(offsets.end(), 70000, 5);
  offsets.insert(offsets.end(), 3, 65536);
  offsets.insert(offsets.end(), 1000, static_cast<std::int32_t>(size));
  check(keys, offsets);
  check(keys, ints{0});
  check(ints{}, ints{});
  check(ints{}, ints{0, 0, 0});
}

// Segments that begin around the borders of pieces and tiles.
TEST(SegmentedSort, BordersOfPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__)
  const std::int64_t piece = mgpu::detail::block_sort_items<mgpu::detail::segment_key<std::int32_t>, false>;
#else
  const std::int64_t piece = mgpu::detail::cpu_sort_piece<std::int32_t>;
#endif
  const auto keys = make_ints(test::disorder::reversed, 4 * piece + 11);
  for (const std::int64_t first : {piece - 1, piece, piece + 1})
  {
    for (const std::int64_t second : {first, first + 1, 2 * piece - 1, 2 * piece, 2 * piece + 1, 4 * piece})
    {
      check(keys, ints{0, static_cast<std::int32_t>(first), static_cast<std::int32_t>(second)});
      ASSERT_FALSE(HasFatalFailure()) << first << " " << second;
    }
  }
}

TEST(SegmentedSort, KeysValuesAndOffsetsOfSeveralTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 60007;
  const auto ranks = test::make_disorder(test::disorder::few_keys, size, 100, 1);
  const auto offsets = make_offsets(size, [] { return std::int64_t{1009}; });
  const std::vector<std::uint64_t> wide_offsets(offsets.begin(), offsets.end());
  check<std::int64_t>(test::to_keys<double>(ranks), wide_offsets);
  check<test::bytes_element<33>>(test::to_keys<std::uint8_t>(ranks), offsets);
  check<std::int8_t>(test::to_keys<test::words_key<3>>(ranks), wide_offsets);
  check<test::only_copied>(test::to_keys<test::words_key<12>>(ranks), offsets);
}

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
  const auto order = expected_order(keys, offsets, ::cuda::std::less<>{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto sorted = test::to_guarded_memory<policy_t>(keys);
      auto values = test::values_in_guarded_memory<policy_t, std::int32_t>(size);
      const auto rows = thrust::make_zip_iterator(sorted.begin(), values.begin());
      const auto hundreds = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), times_100{});
      mgpu::segmented_sort(policy, rows, rows + size, hundreds, hundreds + 1000);
      // Rows compare by both columns; keys that are equal have ascending values anyway.
      test::expect_sorted(sorted, keys, order);
      test::expect_sorted_values<std::int32_t>(values, order);
    });
}

TEST(SegmentedSort, Errors)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto keys = test::to_memory<policy_t>(ints{3, 1, 2});
      const auto offsets = test::to_memory<policy_t>(ints{0, 1});
      const auto first = keys.begin();
      EXPECT_THROW(
        mgpu::segmented_sort(policy, keys.end(), first, offsets.begin(), offsets.end()), std::invalid_argument);
      EXPECT_THROW(
        mgpu::segmented_sort(policy, first, keys.end(), offsets.end(), offsets.begin()), std::invalid_argument);
      EXPECT_THROW(
        mgpu::segmented_stable_sort_by_key(policy, first, keys.end(), first, offsets.begin(), offsets.begin()),
        std::invalid_argument);
      EXPECT_THROW(mgpu::segmented_sort_by_flags(policy, keys.end(), first, offsets.begin()), std::invalid_argument);
      EXPECT_EQ(test::to_host(keys), (ints{3, 1, 2}));
    });
}

#if !defined(__CUDACC__)

// Whatever offsets are, nothing outside the range is read or written.
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
      });
  }
}

#endif

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

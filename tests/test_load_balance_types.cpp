// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Load-balancing search and functions that are called for items in segments: offsets, results and values of every type,
// and iterators of every kind.

#include "support/functions.h"
#include "support/segment_battery.h"
#include "support/systems.h"

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// Segments of four items on average.
test::segmentation segments_of(std::int64_t num_items)
{
  return test::make_segmentation(test::lengths::mean_4, num_items, 1);
}

template <class Offset>
void check_calls_for_offset_type(std::int64_t num_items)
{
  SCOPED_TRACE("offsets of " + std::to_string(sizeof(Offset)) + " bytes");
  test::for_each_policy([&](const auto& policy)
                        { test::check_for_each_in_segments<Offset>(policy, segments_of(num_items)); });
}
template <class Offset>
void check_transform_for_offset_type(std::int64_t num_items)
{
  SCOPED_TRACE("offsets of " + std::to_string(sizeof(Offset)) + " bytes");
  test::for_each_policy([&](const auto& policy)
                        { test::check_transform_in_segments<Offset>(policy, segments_of(num_items)); });
}

// Every offset type is tested with the search, here or among the result types, and with one function that calls back.
TEST(LoadBalance, OffsetsOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      test::check_load_balancing_search<std::int32_t, std::int8_t>(policy, segments_of(127));
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
      test::check_load_balancing_search<std::int32_t, std::uint8_t>(policy, segments_of(255));
      test::check_load_balancing_search<std::int32_t, std::int16_t>(policy, segments_of(32767));
      test::check_load_balancing_search<std::int32_t, std::uint16_t>(policy, segments_of(65535));
#endif
    });
  check_calls_for_offset_type<std::int8_t>(127);
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_transform_for_offset_type<std::uint8_t>(255);
  check_calls_for_offset_type<std::int16_t>(32767);
  check_transform_for_offset_type<std::uint16_t>(65535);
  check_calls_for_offset_type<std::uint32_t>(70001);
  check_transform_for_offset_type<std::int64_t>(70001);
  check_calls_for_offset_type<std::uint64_t>(70001);
#endif
}

template <class Index, class Offset>
void check_result_type(std::int64_t segments)
{
  SCOPED_TRACE("results of " + std::to_string(sizeof(Index)) + " bytes");
  test::segmentation in;
  for (std::int64_t i = 0; i < segments; ++i)
  {
    in.add(i % 4);
  }
  test::for_each_policy([&](const auto& policy) { test::check_load_balancing_search<Index, Offset>(policy, in); });
}

TEST(LoadBalance, ResultsOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_result_type<std::int8_t, std::uint32_t>(128); // the last segment is 127
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_result_type<std::uint8_t, std::int64_t>(256);
  check_result_type<std::int16_t, std::uint64_t>(32768);
  check_result_type<std::uint16_t, std::uint32_t>(65536);
  check_result_type<std::int32_t, std::int32_t>(70000);
  check_result_type<std::uint32_t, std::uint32_t>(70000);
  check_result_type<std::int64_t, std::int64_t>(70000);
  check_result_type<std::uint64_t, std::uint64_t>(70000);
#endif
}

// Equal segments need no memory for their offsets, nor for values computed from the segment.
TEST(LoadBalanceIterators, ComputedInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t segments = 30000;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto threes = thrust::make_transform_iterator(numbers, test::times_three{});
      test::memory<policy_t, std::int32_t> out(3 * segments + 1, -7);
      auto end = mgpu::load_balancing_search(policy, 3 * segments, threes, threes + segments, out.begin());
      test::expect_elements<std::int32_t>(out, end - out.begin(), [](std::int64_t i) { return i / 3; });
      // Segments of one item each.
      out.resize(segments + 1);
      out[segments] = -7;
      end = mgpu::load_balancing_search(policy, segments, numbers, numbers + segments, out.begin());
      test::expect_elements<std::int32_t>(out, end - out.begin(), [](std::int64_t i) { return i; });
      test::memory<policy_t, std::int64_t> mixed(3 * segments + 1, -7);
      const auto mixed_end = mgpu::transform_in_segments(
        policy, 3 * segments, threes, threes + segments, threes, mixed.begin(), test::mix_item{});
      ASSERT_EQ(mixed_end - mixed.begin(), 3 * segments);
      test::expect_elements<std::int64_t>(
        mixed, 3 * segments, [](std::int64_t i) { return test::mix_item{}(i, i / 3, i % 3, i / 3 * 3); });
    });
}

TEST(LoadBalanceIterators, PermutedOffsets)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_4, 30000, 1);
  auto backward = in.offsets_as<std::int32_t>();
  std::reverse(backward.begin(), backward.end());
  std::vector<std::int32_t> order(backward.size());
  for (std::size_t i = 0; i < order.size(); ++i)
  {
    order[i] = static_cast<std::int32_t>(order.size() - 1 - i);
  }
  const auto segments = in.segments();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(backward);
      const auto map = test::to_memory<policy_t>(order);
      const auto first = thrust::make_permutation_iterator(offsets.begin(), map.begin());
      test::memory<policy_t, std::uint32_t> out(in.num_items + 1, static_cast<std::uint32_t>(-7));
      const auto end = mgpu::load_balancing_search(policy, in.num_items, first, first + in.num_segments(), out.begin());
      test::expect_elements<std::uint32_t>(
        out, end - out.begin(), [&](std::int64_t i) { return static_cast<std::uint32_t>(segments[i]); });
    });
}

/// Function object that returns a tuple for a zip iterator.
struct segment_and_rank
{
  MGPU_THRUST_HOST_DEVICE thrust::tuple<std::int32_t, std::int64_t>
  operator()(std::int64_t, std::int64_t segment, std::int64_t rank) const
  {
    return {static_cast<std::int32_t>(segment), rank};
  }
};

TEST(LoadBalanceIterators, DiscardTransformAndZipOutputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::power_law, 50000, 1);
  const auto segments = in.segments();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      const auto nowhere = thrust::make_discard_iterator();
      EXPECT_EQ(
        mgpu::load_balancing_search(policy, in.num_items, offsets.begin(), offsets.end(), nowhere) - nowhere,
        in.num_items);
      {
        test::memory<policy_t, std::int64_t> out(in.num_items + 1, -7);
        const auto negated = thrust::make_transform_output_iterator(out.begin(), test::negate{});
        const auto end = mgpu::load_balancing_search(policy, in.num_items, offsets.begin(), offsets.end(), negated);
        test::expect_elements<std::int64_t>(out, end - negated, [&](std::int64_t i) { return -segments[i]; });
      }
      {
        test::memory<policy_t, std::int32_t> numbers(in.num_items + 1, -7);
        test::memory<policy_t, std::int64_t> ranks(in.num_items + 1, -7);
        const auto out = thrust::make_zip_iterator(numbers.begin(), ranks.begin());
        const auto end =
          mgpu::transform_in_segments(policy, in.num_items, offsets.begin(), offsets.end(), out, segment_and_rank{});
        test::expect_elements<std::int32_t>(
          numbers, end - out, [&](std::int64_t i) { return static_cast<std::int32_t>(segments[i]); });
        test::expect_elements<std::int64_t>(
          ranks, end - out, [&](std::int64_t i) { return i - in.offsets[segments[i]]; });
      }
    });
}

/// Adds a part of the segment's value to a rank.
struct add_rank
{
  template <class Value>
  MGPU_THRUST_HOST_DEVICE std::int64_t
  operator()(std::int64_t, std::int64_t, std::int64_t rank, const Value& value) const
  {
    return rank + value.bytes[0] + 256 * value.bytes[1];
  }
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE std::int64_t
  operator()(std::int64_t, std::int64_t, std::int64_t rank, const thrust::tuple<X, Y>& value) const
  {
    return rank + thrust::get<0>(value) + thrust::get<1>(value);
  }
};

TEST(LoadBalanceIterators, ValuesOfOtherTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_64, 50000, 1);
  const auto segments = in.segments();
  using large = test::bytes_element<40>;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::uint32_t>());
      const auto rank = [&](std::int64_t i) { return i - in.offsets[segments[i]]; };
      {
        const auto values = test::to_memory<policy_t>(test::make_elements<large>(in.num_segments(), 0));
        test::memory<policy_t, std::int64_t> out(in.num_items + 1, -7);
        const auto end = mgpu::transform_in_segments(
          policy, in.num_items, offsets.begin(), offsets.end(), values.begin(), out.begin(), add_rank{});
        test::expect_elements<std::int64_t>(
          out, end - out.begin(),
          [&](std::int64_t i) { return add_rank{}(0, 0, rank(i), test::make_element<large>(segments[i])); });
      }
      {
        const auto keys = test::to_memory<policy_t>(test::make_elements<std::int16_t>(in.num_segments(), 0));
        const auto values = thrust::make_zip_iterator(keys.begin(), thrust::constant_iterator<std::int32_t>(1000));
        test::memory<policy_t, std::int64_t> out(in.num_items + 1, -7);
        const auto end = mgpu::transform_in_segments(
          policy, in.num_items, offsets.begin(), offsets.end(), values, out.begin(), add_rank{});
        test::expect_elements<std::int64_t>(
          out, end - out.begin(), [&](std::int64_t i) { return rank(i) + segments[i] + 1000; });
      }
    });
}

// Memory with no more than its type's alignment.
TEST(LoadBalanceIterators, PointersAlignedToTheTypeOnly)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_4, 30000, 1);
  const auto segments = in.segments();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (std::int64_t shift = 1; shift < 4; ++shift)
      {
        auto shifted = in.offsets_as<std::int16_t>();
        shifted.insert(shifted.begin(), shift, -1);
        const auto offsets = test::to_memory<policy_t>(shifted);
        const std::int16_t* const first = thrust::raw_pointer_cast(offsets.data()) + shift;
        test::memory<policy_t, std::int16_t> out(in.num_items + 8, -7);
        std::int16_t* const result = thrust::raw_pointer_cast(out.data()) + shift;
        const auto end = mgpu::load_balancing_search(policy, in.num_items, first, first + in.num_segments(), result);
        ASSERT_EQ(end - result, in.num_items);
        const auto got = test::to_host(out);
        for (std::int64_t i = 0; i < in.num_items; ++i)
        {
          ASSERT_EQ(got[i + shift], segments[i]);
        }
        ASSERT_EQ(got[shift - 1], -7);
        ASSERT_EQ(got[in.num_items + shift], -7);
      }
    });
}

#if !defined(__CUDACC__)

TEST(LoadBalanceIterators, PlainOutputIterators)
{
  for (const test::lengths kind : {test::lengths::mean_4, test::lengths::all_ones, test::lengths::empty_run_at_end})
  {
    const auto in = test::make_segmentation(kind, 5000, 1);
    const auto segments = in.segments();
    std::list<std::int64_t> found;
    mgpu::load_balancing_search(
      thrust::seq, in.num_items, in.offsets.begin(), in.offsets.end(), std::back_inserter(found));
    EXPECT_EQ(std::vector<std::int64_t>(found.begin(), found.end()), segments);
    std::vector<std::int32_t> numbers;
    mgpu::load_balancing_search(in.num_items, in.offsets.begin(), in.offsets.end(), std::back_inserter(numbers));
    EXPECT_EQ(numbers, std::vector<std::int32_t>(segments.begin(), segments.end()));
    std::vector<std::int64_t> mixed;
    mgpu::transform_in_segments(
      thrust::cpp::par, in.num_items, in.offsets.begin(), in.offsets.end(), std::back_inserter(mixed),
      [](std::int64_t, std::int64_t segment, std::int64_t) { return segment; });
    EXPECT_EQ(mixed, segments);
  }
}

// Results and values that own memory.
TEST(LoadBalanceIterators, Strings)
{
  const auto in = test::make_segmentation(test::lengths::mean_4, 50000, 1);
  const auto segments = in.segments();
  std::vector<std::string> words;
  for (std::int64_t segment = 0; segment < in.num_segments(); ++segment)
  {
    words.push_back("a word that is too long for its object " + std::to_string(segment));
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> out(in.num_items);
      mgpu::transform_in_segments(
        policy, in.num_items, in.offsets.begin(), in.offsets.end(), words.begin(), out.begin(),
        [&](std::int64_t, std::int64_t segment, std::int64_t rank, const std::string& word)
        {
          EXPECT_EQ(&word, &words[segment]); // passed without a copy
          return word + "." + std::to_string(rank);
        });
      for (std::int64_t i = 0; i < in.num_items; ++i)
      {
        ASSERT_EQ(out[i], words[segments[i]] + "." + std::to_string(i - in.offsets[segments[i]]));
      }
    });
}

// Results that can be moved, but not copied.
TEST(LoadBalanceIterators, ResultsThatAreMoved)
{
  for (const test::lengths kind : {test::lengths::all_ones, test::lengths::mean_4})
  {
    const auto in = test::make_segmentation(kind, 50000, 1);
    const auto segments = in.segments();
    test::for_each_policy(
      [&](const auto& policy)
      {
        std::vector<std::unique_ptr<std::int64_t>> out(in.num_items);
        mgpu::transform_in_segments(
          policy, in.num_items, in.offsets.begin(), in.offsets.end(), out.begin(),
          [](std::int64_t, std::int64_t segment, std::int64_t) { return std::make_unique<std::int64_t>(segment); });
        for (std::int64_t i = 0; i < in.num_items; ++i)
        {
          ASSERT_EQ(*out[i], segments[i]);
        }
      });
  }
}

// An iterator that holds a lambda can be copied, but not assigned.
TEST(LoadBalanceIterators, LambdasInIterators)
{
  const auto numbers = thrust::make_counting_iterator(std::int64_t{0});
  const auto tens = thrust::make_transform_iterator(numbers, [](std::int64_t x) { return 10 * x; });
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::int32_t> out(100000, -7);
      const auto plus_one = thrust::make_transform_output_iterator(out.begin(), [](std::int64_t x) { return x + 1; });
      const auto end = mgpu::load_balancing_search(policy, 100000, tens, tens + 10000, plus_one);
      EXPECT_EQ(end - plus_one, 100000);
      EXPECT_EQ(out[0], 1);
      EXPECT_EQ(out[99999], 10000);
      mgpu::transform_in_segments(
        policy, 100000, tens, tens + 10000, tens, plus_one,
        [](std::int64_t item, std::int64_t, std::int64_t rank, std::int64_t ten) { return item - rank - ten; });
      EXPECT_EQ(out, std::vector<std::int32_t>(100000, 1));
    });
}

#endif

} // namespace

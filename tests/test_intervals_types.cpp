// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Interval operations on elements of every type, with offsets and positions of every type, and through iterators of
// every kind.

#include "support/functions.h"
#include "support/segment_battery.h"
#include "support/systems.h"

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

// Expansions and gathers write to consecutive positions and return the end; scatters and moves write to any positions.
// Every type is tested with one of either.
template <class Element, class Offset, class Policy>
void check_expand_and_move(const Policy& policy, const test::interval_case& in)
{
  test::check_interval_expand<Element, Offset>(policy, in);
  test::check_interval_scatter<true, Element, Offset>(policy, in);
}
template <class Element, class Offset, class Policy>
void check_gather_and_scatter(const Policy& policy, const test::interval_case& in)
{
  test::check_interval_gather<Element, Offset>(policy, in);
  test::check_interval_scatter<false, Element, Offset>(policy, in);
}

TEST(Intervals, ElementsOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto check = [](const auto& policy, const test::interval_case& in)
  {
    check_expand_and_move<std::int8_t, std::int32_t>(policy, in);
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
    check_gather_and_scatter<float, std::int32_t>(policy, in);
    check_gather_and_scatter<test::bytes_element<7>, std::int32_t>(policy, in);
    check_expand_and_move<double, std::int32_t>(policy, in);
    check_gather_and_scatter<test::bytes_element<40>, std::int32_t>(policy, in);
#endif
    check_expand_and_move<test::bytes_element<400>, std::int32_t>(policy, in);
    check_gather_and_scatter<test::only_copied, std::int32_t>(policy, in);
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // other tiles; a CPU has no other paths for these
    check_gather_and_scatter<std::int16_t, std::int32_t>(policy, in);
    check_expand_and_move<test::bytes_element<3>, std::int32_t>(policy, in);
    check_expand_and_move<test::bytes_element<12>, std::int32_t>(policy, in);
    check_gather_and_scatter<test::bytes_element<16>, std::int32_t>(policy, in);
#endif
  };
  for (const test::lengths kind : {test::lengths::all_ones, test::lengths::power_law, test::lengths::mean_64})
  {
    SCOPED_TRACE(test::name_of(kind));
    const test::interval_case in(test::make_segmentation(kind, 10007, 1));
    test::for_each_policy([&](const auto& policy) { check(policy, in); });
  }
}

TEST(Intervals, OffsetsAndPlacesOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto segments_of = [](std::int64_t num_items)
  { return test::interval_case(test::make_segmentation(test::lengths::mean_4, num_items, 1)); };
  test::for_each_policy(
    [&](const auto& policy)
    {
      check_gather_and_scatter<std::int32_t, std::int8_t>(policy, segments_of(100)); // positions with gaps up to 127
      check_expand_and_move<std::int32_t, std::uint8_t>(policy, segments_of(200));
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
      check_expand_and_move<std::int32_t, std::int16_t>(policy, segments_of(25000));
      check_gather_and_scatter<std::int32_t, std::uint16_t>(policy, segments_of(50000));
      check_gather_and_scatter<std::int32_t, std::uint32_t>(policy, segments_of(70001));
      check_expand_and_move<std::int32_t, std::int64_t>(policy, segments_of(70001));
      check_gather_and_scatter<std::int32_t, std::uint64_t>(policy, segments_of(70001));
#endif
    });
}

struct backward_by_three
{
  std::int64_t last;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return last - 3 * x;
  }
};

TEST(IntervalIterators, ComputedInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t intervals = 30000;
  constexpr std::int64_t n = 3 * intervals;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto threes = thrust::make_transform_iterator(numbers, test::times_three{});
      const auto backward = thrust::make_transform_iterator(numbers, backward_by_three{n - 3});
      test::memory<policy_t, std::int32_t> out(n + 1, -7);
      // Triples in reverse order.
      const auto in_triples = [](std::int64_t i) { return static_cast<std::int32_t>(n - 3 - i / 3 * 3 + i % 3); };
      const auto end = mgpu::interval_gather(policy, n, threes, threes + intervals, backward, numbers, out.begin());
      test::expect_elements<std::int32_t>(out, end - out.begin(), in_triples);
      out.assign(n + 1, -7);
      mgpu::interval_scatter(policy, n, threes, threes + intervals, backward, numbers, out.begin());
      test::expect_elements<std::int32_t>(out, n, in_triples);
      out.assign(n + 1, -7);
      mgpu::interval_move(policy, n, threes, threes + intervals, backward, backward, numbers, out.begin());
      test::expect_elements<std::int32_t>(out, n, [](std::int64_t i) { return static_cast<std::int32_t>(i); });
      // Values whose type differs from the output's.
      out.assign(n + 1, -7);
      mgpu::interval_expand(policy, n, threes, threes + intervals, thrust::constant_iterator<double>(5), out.begin());
      test::expect_elements<std::int32_t>(out, n, [](std::int64_t) { return 5; });
    });
}

TEST(IntervalIterators, ZipInAndOut)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_4, 30000, 1);
  const auto to = test::shuffled_places(in, 1);
  const auto segments = in.segments();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      const auto places = test::to_memory<policy_t>(to.as<std::int32_t>());
      const std::int64_t size = std::max(to.end, in.num_segments());
      const auto keys = test::to_memory<policy_t>(test::make_elements<std::int32_t>(size, 0));
      const auto rows = test::to_memory<policy_t>(test::make_elements<std::int64_t>(size, 0));
      const auto input = thrust::make_zip_iterator(keys.begin(), rows.begin());
      test::memory<policy_t, std::int32_t> keys_out(in.num_items + 1, -7);
      test::memory<policy_t, std::int64_t> rows_out(in.num_items + 1, -7);
      const auto out = thrust::make_zip_iterator(keys_out.begin(), rows_out.begin());
      const auto expect = [&](std::int64_t end, auto number)
      {
        test::expect_elements<std::int32_t>(
          keys_out, end, [&](std::int64_t i) { return static_cast<std::int32_t>(number(i)); });
        test::expect_elements<std::int64_t>(rows_out, end, number);
      };
      const auto expanded = mgpu::interval_expand(policy, in.num_items, offsets.begin(), offsets.end(), input, out);
      expect(expanded - out, [&](std::int64_t i) { return segments[i]; });
      const auto gathered =
        mgpu::interval_gather(policy, in.num_items, offsets.begin(), offsets.end(), places.begin(), input, out);
      expect(gathered - out, [&](std::int64_t i) { return to.places[segments[i]] + i - in.offsets[segments[i]]; });
      // A move from positions to the offsets, which is a gather.
      mgpu::interval_move(
        policy, in.num_items, offsets.begin(), offsets.end(), places.begin(), offsets.begin(), input, out);
      expect(in.num_items, [&](std::int64_t i) { return to.places[segments[i]] + i - in.offsets[segments[i]]; });
      mgpu::interval_scatter(policy, in.num_items, offsets.begin(), offsets.end(), offsets.begin(), input, out);
      expect(in.num_items, [](std::int64_t i) { return i; });
    });
}

TEST(IntervalIterators, DiscardAndTransformOutputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::power_law, 30000, 1);
  const auto segments = in.segments();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      const thrust::counting_iterator<std::int32_t> numbers(0);
      const auto nowhere = thrust::make_discard_iterator();
      EXPECT_EQ(
        mgpu::interval_expand(policy, in.num_items, offsets.begin(), offsets.end(), numbers, nowhere) - nowhere,
        in.num_items);
      EXPECT_EQ(
        mgpu::interval_gather(policy, in.num_items, offsets.begin(), offsets.end(), numbers, numbers, nowhere)
          - nowhere,
        in.num_items);
      test::memory<policy_t, std::int32_t> out(in.num_items + 1, -7);
      const auto negated = thrust::make_transform_output_iterator(out.begin(), test::negate{});
      const auto end = mgpu::interval_expand(policy, in.num_items, offsets.begin(), offsets.end(), numbers, negated);
      test::expect_elements<std::int32_t>(
        out, end - negated, [&](std::int64_t i) { return static_cast<std::int32_t>(-segments[i]); });
      out.assign(in.num_items + 1, -7);
      mgpu::interval_scatter(policy, in.num_items, offsets.begin(), offsets.end(), offsets.begin(), numbers, negated);
      test::expect_elements<std::int32_t>(
        out, in.num_items, [](std::int64_t i) { return static_cast<std::int32_t>(-i); });
    });
}

// Memory with no more than its type's alignment.
TEST(IntervalIterators, PointersAlignedToTheTypeOnly)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_4, 20000, 1);
  const auto segments = in.segments();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      for (std::int64_t shift = 1; shift < 4; ++shift)
      {
        const auto input = test::to_memory<policy_t>(test::make_elements<std::int16_t>(in.num_items + shift, -shift));
        const std::int16_t* const first = thrust::raw_pointer_cast(input.data()) + shift;
        test::memory<policy_t, std::int16_t> out(in.num_items + 8, -7);
        std::int16_t* const result = thrust::raw_pointer_cast(out.data()) + 4 - shift;
        const auto expect = [&](auto number)
        {
          const auto got = test::to_host(out);
          for (std::int64_t i = 0; i < in.num_items; ++i)
          {
            ASSERT_EQ(got[i + 4 - shift], number(i)) << i;
          }
          ASSERT_EQ(got[3 - shift], -7);
          ASSERT_EQ(got[in.num_items + 4 - shift], -7);
        };
        mgpu::interval_expand(policy, in.num_items, offsets.begin(), offsets.end(), first, result);
        expect([&](std::int64_t i) { return segments[i]; });
        out.assign(in.num_items + 8, -7);
        mgpu::interval_gather(policy, in.num_items, offsets.begin(), offsets.end(), offsets.begin(), first, result);
        expect([](std::int64_t i) { return i; });
        out.assign(in.num_items + 8, -7);
        mgpu::interval_scatter(policy, in.num_items, offsets.begin(), offsets.end(), offsets.begin(), first, result);
        expect([](std::int64_t i) { return i; });
      }
    });
}

#if !defined(__CUDACC__)

TEST(IntervalIterators, PlainOutputIterators)
{
  const std::string input = "intervals of letters";
  const std::vector<std::uint8_t> offsets{0, 5, 5, 7}, gather{13, 99, 10, 0};
  std::string gathered;
  mgpu::interval_gather(
    thrust::seq, 10, offsets.begin(), offsets.end(), gather.begin(), input.begin(), std::back_inserter(gathered));
  EXPECT_EQ(gathered, "letteofint");
  std::list<char> expanded;
  mgpu::interval_expand(10, offsets.begin(), offsets.end(), input.begin(), std::back_inserter(expanded));
  EXPECT_EQ(std::string(expanded.begin(), expanded.end()), "iiiiitteee");
}

// Elements that own memory.
TEST(IntervalIterators, Strings)
{
  const auto in = test::make_segmentation(test::lengths::ones_and_runs, 30000, 1);
  const auto to = test::shuffled_places(in, 1);
  const auto segments = in.segments();
  std::vector<std::string> words;
  for (std::int64_t i = 0; i < to.end; ++i)
  {
    words.push_back("a word that is too long for its object " + std::to_string(i));
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> out(in.num_items);
      mgpu::interval_gather(
        policy, in.num_items, in.offsets.begin(), in.offsets.end(), to.places.begin(), words.begin(), out.begin());
      std::vector<std::string> expanded(in.num_items);
      mgpu::interval_expand(
        policy, in.num_items, in.offsets.begin(), in.offsets.end(), words.begin(), expanded.begin());
      std::vector<std::string> scattered(to.end);
      mgpu::interval_scatter(
        policy, in.num_items, in.offsets.begin(), in.offsets.end(), to.places.begin(), words.begin(),
        scattered.begin());
      for (std::int64_t i = 0; i < in.num_items; ++i)
      {
        const std::int64_t place = to.places[segments[i]] + i - in.offsets[segments[i]];
        ASSERT_EQ(out[i], words[place]);
        ASSERT_EQ(expanded[i], words[segments[i]]);
        ASSERT_EQ(scattered[place], words[i]);
      }
    });
}

// An iterator that holds a lambda can be copied, but not assigned.
TEST(IntervalIterators, LambdasInIterators)
{
  const auto numbers = thrust::make_counting_iterator(std::int64_t{0});
  const auto tens = thrust::make_transform_iterator(numbers, [](std::int64_t x) { return 10 * x; });
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::int64_t> out(100000, -7);
      const auto plus_one = thrust::make_transform_output_iterator(out.begin(), [](std::int64_t x) { return x + 1; });
      mgpu::interval_expand(policy, 100000, tens, tens + 10000, tens, plus_one);
      EXPECT_EQ(out[99999], 99991);
      mgpu::interval_gather(policy, 100000, tens, tens + 10000, tens, numbers, plus_one);
      EXPECT_EQ(out[99999], 100000);
      mgpu::interval_scatter(policy, 100000, tens, tens + 10000, tens, tens, plus_one);
      EXPECT_EQ(out[99999], 999991);
      mgpu::interval_move(policy, 100000, tens, tens + 10000, tens, tens, numbers, plus_one);
      EXPECT_EQ(out[99999], 100000);
    });
}

#endif

} // namespace

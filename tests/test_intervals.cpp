// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Interval operations: small intervals exhaustively, every distribution of lengths, elements, offsets and positions of
// every type, iterators, overloads and policies.

#include "support/functions.h"
#include "support/policy_battery.h"
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
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// Checks all operations on 4-byte elements under all policies.
void check_all(const test::segmentation& in)
{
  const test::interval_case intervals(in);
  test::for_each_policy([&](const auto& policy)
                        { test::check_intervals<std::int32_t, std::int32_t>(policy, intervals); });
}

TEST(Intervals, AllSmall)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_small_segmentation(
    4, 2,
    [](const test::segmentation& in)
    {
      if (in.num_segments() > 0)
      {
        check_all(in);
      }
    });
}

TEST(Intervals, EveryDistributionOfLengths)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_segmentation([](const test::segmentation& in) { check_all(in); });
}

// As many segments as blocks without tiles take, and one more.
TEST(Intervals, FewSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t segments : {1, 256, 257, 1024, 1025})
  {
    std::vector<std::int64_t> sizes(segments, 7);
    sizes[segments / 2] = 5000;
    check_all(test::from_sizes(sizes));
  }
}

TEST(Intervals, NoItems)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto zeros = test::to_memory<policy_t>(std::vector<std::int32_t>(100000, 0));
      test::memory<policy_t, std::int32_t> out(1, -7);
      const auto first = zeros.begin();
      for (const std::int64_t intervals : {0, 1, 100000})
      {
        const auto last = first + intervals;
        EXPECT_TRUE(mgpu::interval_expand(policy, 0, first, last, first, out.begin()) == out.begin());
        EXPECT_TRUE(mgpu::interval_gather(policy, 0, first, last, first, first, out.begin()) == out.begin());
        mgpu::interval_scatter(policy, 0, first, last, first, first, out.begin());
        mgpu::interval_move(policy, 0, first, last, first, first, first, out.begin());
      }
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>{-7});
    });
}

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
    check_gather_and_scatter<float, std::int32_t>(policy, in);
    check_gather_and_scatter<test::bytes_element<7>, std::int32_t>(policy, in);
    check_expand_and_move<double, std::int32_t>(policy, in);
    check_gather_and_scatter<test::bytes_element<40>, std::int32_t>(policy, in);
    check_expand_and_move<test::bytes_element<400>, std::int32_t>(policy, in);
    check_gather_and_scatter<test::only_copied, std::int32_t>(policy, in);
#if defined(__CUDACC__) // other tiles; on a CPU these have the paths of those above
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
      check_expand_and_move<std::int32_t, std::int16_t>(policy, segments_of(25000));
      check_gather_and_scatter<std::int32_t, std::uint16_t>(policy, segments_of(50000));
      check_gather_and_scatter<std::int32_t, std::uint32_t>(policy, segments_of(70001));
      check_expand_and_move<std::int32_t, std::int64_t>(policy, segments_of(70001));
      check_gather_and_scatter<std::int32_t, std::uint64_t>(policy, segments_of(70001));
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

// Intervals with the same source elements.
TEST(Intervals, SharedSources)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_64, 100000, 1);
  const auto segments = in.segments();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      const auto input = test::to_memory<policy_t>(test::make_elements<std::int32_t>(200, 0));
      test::memory<policy_t, std::int32_t> out(in.num_items + 1, -7);
      const auto end = mgpu::interval_gather(
        policy, in.num_items, offsets.begin(), offsets.end(), thrust::constant_iterator<std::int8_t>(5), input.begin(),
        out.begin());
      test::expect_elements<std::int32_t>(
        out, end - out.begin(),
        [&](std::int64_t i) { return static_cast<std::int32_t>(5 + i - in.offsets[segments[i]]); });
    });
}

// Checks all overloads, with num_items of any integer type.
template <class Policy, class Size>
void check_interval_overloads(const Policy& policy, Size num_items)
{
  using ints = std::vector<std::int32_t>;
  const auto offsets = test::to_memory<Policy>(ints{0, 2, 2, 3});
  const auto gather = test::to_memory<Policy>(ints{3, 0, 0, 1});
  const auto scatter = test::to_memory<Policy>(ints{2, 0, 4, 0});
  const auto input = test::to_memory<Policy>(ints{10, 20, 30, 40, 50});
  const auto first = offsets.begin();
  const auto last = offsets.end();
  test::memory<Policy, std::int32_t> out(5);
  const auto expect = [&](const ints& expected)
  {
    EXPECT_EQ(test::to_host(out), expected);
    out.assign(5, -7);
  };
  EXPECT_TRUE(mgpu::interval_expand(policy, num_items, first, last, input.begin(), out.begin()) == out.end());
  expect({10, 10, 30, 40, 40});
  EXPECT_TRUE(mgpu::interval_expand(num_items, first, last, input.begin(), out.begin()) == out.end());
  expect({10, 10, 30, 40, 40});
  EXPECT_TRUE(
    mgpu::interval_gather(policy, num_items, first, last, gather.begin(), input.begin(), out.begin()) == out.end());
  expect({40, 50, 10, 20, 30});
  EXPECT_TRUE(mgpu::interval_gather(num_items, first, last, gather.begin(), input.begin(), out.begin()) == out.end());
  expect({40, 50, 10, 20, 30});
  mgpu::interval_scatter(policy, num_items, first, last, scatter.begin(), input.begin(), out.begin());
  expect({40, 50, 10, 20, 30});
  mgpu::interval_scatter(num_items, first, last, scatter.begin(), input.begin(), out.begin());
  expect({40, 50, 10, 20, 30});
  mgpu::interval_move(policy, num_items, first, last, gather.begin(), scatter.begin(), input.begin(), out.begin());
  expect({20, 30, 40, 50, 10});
  mgpu::interval_move(num_items, first, last, gather.begin(), scatter.begin(), input.begin(), out.begin());
  expect({20, 30, 40, 50, 10});
}

TEST(Intervals, Overloads)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      check_interval_overloads(policy, 5);
      check_interval_overloads(policy, std::size_t{5});
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

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(Intervals, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_random_segmentation([](const test::segmentation& in) { check_all(in); });
}

/// Intervals of the numbers 0, 1, ...; by default each keeps its position.
struct intervals_call : test::policy_call
{
  static constexpr bool synchronises = false;
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;
  static constexpr std::int64_t size_with_storage = test::size_of_many_tiles;

  explicit intervals_call(std::int64_t size)
  {
    const auto in = test::make_segmentation(test::lengths::power_law, size, 1);
    inputs = {
      in.offsets_as<std::int32_t>(), test::make_elements<std::int32_t>(std::max(in.num_items, in.num_segments()), 0)};
    expected.assign(inputs[1].begin(), inputs[1].begin() + in.num_items);
    result = in.num_items;
  }
};

struct interval_expand_call : intervals_call
{
  explicit interval_expand_call(std::int64_t size)
      : intervals_call(size)
  {
    const auto segments = test::make_segmentation(test::lengths::power_law, size, 1).segments();
    expected.assign(segments.begin(), segments.end());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::interval_expand(policy, in.output_size, in.first[0], in.last[0], in.first[1], out) - out;
  }
};

struct interval_gather_call : intervals_call
{
  using intervals_call::intervals_call;
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::interval_gather(policy, in.output_size, in.first[0], in.last[0], in.first[0], in.first[1], out) - out;
  }
};

struct interval_scatter_call : intervals_call
{
  using intervals_call::intervals_call;
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    mgpu::interval_scatter(policy, in.output_size, in.first[0], in.last[0], in.first[0], in.first[1], out);
    return in.output_size;
  }
};

struct interval_move_call : intervals_call
{
  using intervals_call::intervals_call;
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const std::int32_t* const offsets = in.first[0];
    mgpu::interval_move(policy, in.output_size, offsets, in.last[0], offsets, offsets, in.first[1], out);
    return in.output_size;
  }
};

using interval_calls =
  testing::Types<interval_expand_call, interval_gather_call, interval_scatter_call, interval_move_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(Intervals, Policies, interval_calls);
}

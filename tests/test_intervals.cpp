// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interval operations: small intervals exhaustively, every distribution of lengths, elements, offsets and places of
// every type, iterators, overloads and policies.

#include "support/functions.h"
#include "support/segment_battery.h"
#include "support/systems.h"
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#endif

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

TEST(Intervals, AllSmall)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_small_segmentation(
    4, 2,
    [](const test::segmentation& in)
    {
      if (in.num_segments() > 0)
      {
        test::for_each_policy([&](const auto& policy)
                              { test::check_intervals<std::int32_t, std::int32_t>(policy, in); });
      }
    });
}

TEST(Intervals, EveryDistributionOfLengths)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_segmentation(
    [](const test::segmentation& in) {
      test::for_each_policy([&](const auto& policy) { test::check_intervals<std::int32_t, std::int32_t>(policy, in); });
    });
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

template <class Element>
void check_element_type()
{
  SCOPED_TRACE("elements of " + std::to_string(sizeof(Element)) + " bytes");
  for (const test::lengths kind : {test::lengths::all_ones, test::lengths::power_law, test::lengths::mean_64})
  {
    const auto in = test::make_segmentation(kind, 10007, sizeof(Element));
    test::for_each_policy([&](const auto& policy) { test::check_intervals<Element, std::int32_t>(policy, in); });
  }
}

TEST(Intervals, ElementsOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_element_type<std::int8_t>();
  check_element_type<std::int16_t>();
  check_element_type<test::bytes_element<3>>();
  check_element_type<float>();
  check_element_type<test::bytes_element<7>>();
  check_element_type<double>();
  check_element_type<test::bytes_element<12>>();
  check_element_type<test::bytes_element<16>>();
  check_element_type<test::bytes_element<40>>();
  check_element_type<test::bytes_element<400>>();
  check_element_type<test::only_copied>();
}

template <class Offset>
void check_offset_type(std::int64_t num_items)
{
  SCOPED_TRACE("offsets of " + std::to_string(sizeof(Offset)) + " bytes");
  const auto in = test::make_segmentation(test::lengths::mean_4, num_items, sizeof(Offset));
  test::for_each_policy([&](const auto& policy) { test::check_intervals<std::int32_t, Offset>(policy, in); });
}

TEST(Intervals, OffsetsAndPlacesOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_offset_type<std::int8_t>(100); // with the gaps between places not above 127
  check_offset_type<std::uint8_t>(200);
  check_offset_type<std::int16_t>(25000);
  check_offset_type<std::uint16_t>(50000);
  check_offset_type<std::int32_t>(70001);
  check_offset_type<std::uint32_t>(70001);
  check_offset_type<std::int64_t>(70001);
  check_offset_type<std::uint64_t>(70001);
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
      // Triples in backward order.
      const auto in_triples = [](std::int64_t i) { return static_cast<std::int32_t>(n - 3 - i / 3 * 3 + i % 3); };
      const auto end = mgpu::interval_gather(policy, n, threes, threes + intervals, backward, numbers, out.begin());
      test::expect_elements<std::int32_t>(out, end - out.begin(), in_triples);
      out.assign(n + 1, -7);
      mgpu::interval_scatter(policy, n, threes, threes + intervals, backward, numbers, out.begin());
      test::expect_elements<std::int32_t>(out, n, in_triples);
      out.assign(n + 1, -7);
      mgpu::interval_move(policy, n, threes, threes + intervals, backward, backward, numbers, out.begin());
      test::expect_elements<std::int32_t>(out, n, [](std::int64_t i) { return static_cast<std::int32_t>(i); });
      // Values of another type than the output's.
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
      // From places to the offsets: a gather.
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

// Memory that is aligned to its type and no further.
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

// Intervals that come from the same elements.
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

// All overloads, with num_items of any integer type.
template <class Policy, class Size>
void check_overloads(const Policy& policy, Size num_items)
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
      check_overloads(policy, 5);
      check_overloads(policy, std::size_t{5});
    });
}

#if defined(__CUDACC__)

/// All operations on one device thread.
__global__ void in_a_thread(
  std::int64_t num_items, const int* offsets, int intervals, const int* input, int* expanded, int* gathered,
  int* scattered, int* moved)
{
  const int* const last = offsets + intervals;
  mgpu::interval_expand(thrust::seq, num_items, offsets, last, input, expanded);
  mgpu::interval_gather(thrust::seq, num_items, offsets, last, offsets, input, gathered);
  mgpu::interval_scatter(thrust::seq, num_items, offsets, last, offsets, input, scattered);
  mgpu::interval_move(thrust::seq, num_items, offsets, last, offsets, offsets, input, moved);
}

TEST(IntervalPolicies, OfCuda)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_4, 30000, 1);
  const auto offsets = test::to_memory<thrust::cuda::tag>(in.offsets_as<std::int32_t>());
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto check = [&](const auto& policy, cudaStream_t stream)
  {
    thrust::device_vector<std::int64_t> out(in.num_items + 1, -7);
    thrust::device_vector<std::int64_t> moved(in.num_items + 1, -7);
    cudaDeviceSynchronize(); // the stream does not wait for others
    const auto end = mgpu::interval_expand(policy, in.num_items, offsets.begin(), offsets.end(), numbers, out.begin());
    mgpu::interval_move(
      policy, in.num_items, offsets.begin(), offsets.end(), offsets.begin(), offsets.begin(), numbers, moved.begin());
    cudaStreamSynchronize(stream); // par_nosync does not
    test::expect_output(out, in.segments(), end - out.begin());
    test::expect_elements<std::int64_t>(moved, in.num_items, [](std::int64_t i) { return i; });
  };
  test::for_each_cuda_policy(check);
}

TEST(IntervalPolicies, CalledFromDeviceCode)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::power_law, 3000, 1);
  const auto offsets = test::to_memory<thrust::cuda::tag>(in.offsets_as<std::int32_t>());
  const auto segments = in.segments();
  const std::int64_t size = std::max(in.num_items, in.num_segments());
  const auto input = test::to_memory<thrust::cuda::tag>(test::make_elements<std::int32_t>(size, 0));
  std::vector<thrust::device_vector<std::int32_t>> out(4, thrust::device_vector<std::int32_t>(in.num_items + 1, -7));
  const auto raw = [](auto& vector) { return thrust::raw_pointer_cast(vector.data()); };
  in_a_thread<<<1, 1>>>(
    in.num_items, raw(offsets), static_cast<int>(in.num_segments()), raw(input), raw(out[0]), raw(out[1]), raw(out[2]),
    raw(out[3]));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  test::expect_elements<std::int32_t>(
    out[0], in.num_items, [&](std::int64_t i) { return static_cast<std::int32_t>(segments[i]); });
  for (int k = 1; k < 4; ++k)
  {
    test::expect_elements<std::int32_t>(
      out[k], in.num_items, [](std::int64_t i) { return static_cast<std::int32_t>(i); });
  }
}

#else

TEST(IntervalPolicies, OfTheCpu)
{
  const auto in = test::make_segmentation(test::lengths::mean_4, 100000, 1);
  test::check_intervals<std::int32_t, std::int32_t>(thrust::host, in);
  test::check_intervals<std::int32_t, std::int32_t>(thrust::device, in); // C++ is the device system of these tests
}

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

// A lambda makes an iterator that can be copied, but not assigned.
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

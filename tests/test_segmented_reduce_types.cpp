// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented reductions of items, to results and by operators of every type, with offsets of every type and through
// iterators of every kind.

#include "support/functions.h"
#include "support/reduction_battery.h"
#include "support/systems.h"

#include <cuda/std/functional>

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
#include <cstdint>
#include <iterator>
#include <list>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::add;
using test::compose;
using test::segmentation;
using maps = test::affine_maps<1>;
using plus = ::cuda::std::plus<>;

template <class Offset>
void check_offset_type(std::int64_t num_items)
{
  SCOPED_TRACE("offsets of " + std::to_string(sizeof(Offset)) + " bytes");
  const auto in = test::make_segmentation(test::lengths::mean_4, num_items, sizeof(Offset));
  test::check_reduction<Offset>(in, test::items_of<maps>(num_items), maps(5), compose{});
}

TEST(SegmentedReduce, OffsetsOfSmallTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_offset_type<std::int8_t>(127);
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_offset_type<std::uint8_t>(255);
  check_offset_type<std::int16_t>(32767);
  check_offset_type<std::uint16_t>(65535);
  check_offset_type<std::int32_t>(70001);
#endif
}

/// Checks reductions of items of type `Item` as type `T`, in segments whose offsets have type `Offset`.
template <class Item, class Offset = std::int32_t, class T, class Op>
void check_types(const T& init, Op op)
{
  for (const test::lengths kind : {test::lengths::mean_4, test::lengths::one_segment, test::lengths::power_law})
  {
    SCOPED_TRACE(
      std::string(test::name_of(kind)) + ", " + std::to_string(sizeof(Item)) + " and " + std::to_string(sizeof(T))
      + " bytes");
    const auto in = test::make_segmentation(kind, 70001, sizeof(T));
    test::check_reduction<Offset>(in, test::items_of<Item>(in.num_items), init, op);
  }
}

TEST(SegmentedReduce, NumbersOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<std::int8_t>(std::int8_t{1}, add{}); // modulo 2^8
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_types<std::uint16_t>(std::uint16_t{1}, add{});
  check_types<std::int32_t>(std::int32_t{-40}, test::larger{});
  check_types<std::uint32_t>(~std::uint32_t{0}, test::smaller{});
  check_types<std::int64_t>(std::int64_t{40}, test::smaller{});
  check_types<std::uint64_t>(std::uint64_t{1}, add{});
  check_types<float>(0.5f, plus{});
  check_types<double>(-0.5, test::larger{});
#endif
}

TEST(SegmentedReduce, ItemsAreConverted)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<std::int8_t>(std::int64_t{1} << 40, add{});
  check_types<float>(0.25, add{});
  check_types<std::uint32_t>(maps(3), compose{}); // by an explicit constructor
}

TEST(SegmentedReduce, StructsOfManySizesAndOffsetsOfManyTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<test::affine_maps<2>, std::uint32_t>(test::affine_maps<2>(1), compose{}); // 12 bytes
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_types<test::affine_maps<3>, std::int64_t>(test::affine_maps<3>(2), compose{}); // 16
#endif
  check_types<test::affine_maps<9>, std::uint64_t>(test::affine_maps<9>(3), compose{}); // 40
}

struct keep_last
{
  MGPU_THRUST_HOST_DEVICE test::only_copied operator()(const test::only_copied&, const test::only_copied& y) const
  {
    return y;
  }
};

TEST(SegmentedReduce, ValuesThatCanOnlyBeCopied)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<test::only_copied>(test::only_copied(-3), keep_last{});
}

/// Addition modulo a given number.
struct add_modulo
{
  std::uint32_t modulus;

  MGPU_THRUST_HOST_DEVICE std::uint32_t operator()(std::uint32_t x, std::uint32_t y) const
  {
    return (x % modulus + y % modulus) % modulus;
  }
};

TEST(SegmentedReduce, OperatorsWithState)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<std::uint32_t>(std::uint32_t{1}, add_modulo{1000003});
}

/// Returns the map whose number is the product of a pair.
struct map_of_product
{
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE maps operator()(const thrust::tuple<X, Y>& pair) const
  {
    return maps(static_cast<std::uint32_t>(thrust::get<0>(pair) * thrust::get<1>(pair)));
  }
};

// Items and offsets that are not in memory, or that are spread over several arrays.
TEST(SegmentedReduceIterators, ComputedInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t segments = 30000;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto threes = thrust::make_transform_iterator(numbers, test::times_three{});
      {
        test::memory<policy_t, std::int64_t> out(segments + 1, -7);
        const auto end = mgpu::segmented_reduce(
          policy, numbers, numbers + 3 * segments, threes, threes + segments, out.begin(), std::int64_t{1});
        test::expect_elements<std::int64_t>(out, end - out.begin(), [](std::int64_t i) { return 9 * i + 4; });
      }
      {
        const auto factors = test::to_memory<policy_t>(test::items_of<std::int32_t>(3 * segments));
        const auto products = thrust::make_transform_iterator(
          thrust::make_zip_iterator(factors.begin(), thrust::make_constant_iterator<std::int64_t>(7)),
          map_of_product{});
        test::memory<policy_t, maps> out(segments + 1, test::guard_of<maps>());
        const auto end = mgpu::segmented_reduce(
          policy, products, products + 3 * segments, threes, threes + segments, out.begin(), maps(5), compose{});
        segmentation in;
        std::vector<maps> items;
        for (std::int64_t i = 0; i < segments; ++i)
        {
          in.add(3);
        }
        for (std::int64_t i = 0; i < in.num_items; ++i)
        {
          items.push_back(maps(static_cast<std::uint32_t>(7 * test::item_of<std::int32_t>(i))));
        }
        test::expect_results(out, test::expected_reduction(in, items, maps(5), compose{}), end - out.begin());
      }
    });
}

TEST(SegmentedReduceIterators, PermutedItemsAndOffsets)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_4, 50000, 1);
  const auto items = test::items_of<maps>(in.num_items);
  const auto expected = test::expected_reduction(in, items, maps(5), compose{});
  const auto reversed = [](auto values)
  {
    std::reverse(values.begin(), values.end());
    return values;
  };
  std::vector<std::int32_t> numbers(in.num_items);
  std::iota(numbers.begin(), numbers.end(), 0);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto backward_items = test::to_memory<policy_t>(reversed(items));
      const auto backward_offsets = test::to_memory<policy_t>(reversed(in.offsets_as<std::int32_t>()));
      const auto order = test::to_memory<policy_t>(reversed(numbers));
      const auto first = thrust::make_permutation_iterator(backward_items.begin(), order.begin());
      const auto offsets =
        thrust::make_permutation_iterator(backward_offsets.begin(), order.begin() + (in.num_items - in.num_segments()));
      test::memory<policy_t, maps> out(in.num_segments() + 1, test::guard_of<maps>());
      const auto end = mgpu::segmented_reduce(
        policy, first, first + in.num_items, offsets, offsets + in.num_segments(), out.begin(), maps(5), compose{});
      test::expect_results(out, expected, end - out.begin());
    });
}

/// A pair of sums.
struct add_pairs
{
  using pair = thrust::tuple<std::int32_t, std::int64_t>;

  MGPU_THRUST_HOST_DEVICE pair operator()(const pair& x, const pair& y) const
  {
    return {thrust::get<0>(x) + thrust::get<0>(y), thrust::get<1>(x) + thrust::get<1>(y)};
  }
};

TEST(SegmentedReduceIterators, DiscardTransformAndZipOutputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::power_law, 50000, 1);
  const auto items = test::items_of<std::int32_t>(in.num_items);
  const auto expected = test::expected_reduction(in, items, std::int32_t{3}, add{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      const auto input = test::to_memory<policy_t>(items);
      const auto nowhere = thrust::make_discard_iterator();
      EXPECT_EQ(
        mgpu::segmented_reduce(
          policy, input.begin(), input.end(), offsets.begin(), offsets.end(), nowhere, std::int32_t{3})
          - nowhere,
        in.num_segments());
      {
        test::memory<policy_t, std::int64_t> out(in.num_segments() + 1, -7);
        const auto negated = thrust::make_transform_output_iterator(out.begin(), test::negate{});
        const auto end = mgpu::segmented_reduce(
          policy, input.begin(), input.end(), offsets.begin(), offsets.end(), negated, std::int32_t{3});
        test::expect_elements<std::int64_t>(out, end - negated, [&](std::int64_t i) { return -expected[i]; });
      }
      {
        test::memory<policy_t, std::int32_t> sums(in.num_segments() + 1, -7);
        test::memory<policy_t, std::int64_t> counts(in.num_segments() + 1, -7);
        const auto pairs = thrust::make_zip_iterator(input.begin(), thrust::make_constant_iterator<std::int64_t>(1));
        const auto out = thrust::make_zip_iterator(sums.begin(), counts.begin());
        const auto end = mgpu::segmented_reduce(
          policy, pairs, pairs + in.num_items, offsets.begin(), offsets.end(), out, add_pairs::pair(3, 0), add_pairs{});
        test::expect_elements<std::int32_t>(sums, end - out, [&](std::int64_t i) { return expected[i]; });
        test::expect_elements<std::int64_t>(counts, end - out, [&](std::int64_t i) { return in.size(i); });
      }
    });
}

// Memory with no more than its type's alignment.
TEST(SegmentedReduceIterators, PointersAlignedToTheTypeOnly)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_4, 30000, 1);
  const auto items = test::items_of<std::int32_t>(in.num_items);
  const auto expected = test::expected_reduction(in, items, std::int32_t{3}, add{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (std::int64_t shift = 1; shift < 4; ++shift)
      {
        auto shifted_offsets = in.offsets_as<std::int32_t>();
        shifted_offsets.insert(shifted_offsets.begin(), shift, -1);
        auto shifted_items = items;
        shifted_items.insert(shifted_items.begin(), shift, -1);
        const auto offsets = test::to_memory<policy_t>(shifted_offsets);
        const auto input = test::to_memory<policy_t>(shifted_items);
        test::memory<policy_t, std::int32_t> out(in.num_segments() + 8, -7);
        const std::int32_t* const first_offset = thrust::raw_pointer_cast(offsets.data()) + shift;
        const std::int32_t* const first = thrust::raw_pointer_cast(input.data()) + shift;
        std::int32_t* const result = thrust::raw_pointer_cast(out.data()) + shift;
        const auto end = mgpu::segmented_reduce(
          policy, first, first + in.num_items, first_offset, first_offset + in.num_segments(), result, 3);
        ASSERT_EQ(end - result, in.num_segments());
        const auto got = test::to_host(out);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), got.begin() + shift));
        ASSERT_EQ(got[shift - 1], -7);
        ASSERT_EQ(got[in.num_segments() + shift], -7);
      }
    });
}

#if !defined(__CUDACC__)

TEST(SegmentedReduceIterators, PlainOutputIterators)
{
  for (const test::lengths kind : {test::lengths::mean_4, test::lengths::all_ones, test::lengths::empty_run_at_end})
  {
    const auto in = test::make_segmentation(kind, 5000, 1);
    const auto items = test::items_of<std::int32_t>(in.num_items);
    const auto expected = test::expected_reduction(in, items, std::int32_t{0}, add{});
    std::list<std::int32_t> sums;
    mgpu::segmented_reduce(
      thrust::seq, items.begin(), items.end(), in.offsets.begin(), in.offsets.end(), std::back_inserter(sums));
    EXPECT_EQ(std::vector<std::int32_t>(sums.begin(), sums.end()), expected);
    std::vector<std::int64_t> planned;
    const mgpu::segmented_reduce_plan plan(in.num_items, in.offsets.begin(), in.offsets.end());
    auto end = plan.reduce(items.begin(), std::back_inserter(planned));
    *end = 77; // the returned iterator is past the results
    EXPECT_EQ(planned.back(), 77);
    planned.pop_back();
    EXPECT_EQ(planned, std::vector<std::int64_t>(expected.begin(), expected.end()));
  }
}

// Items and results that own memory.
TEST(SegmentedReduceIterators, Strings)
{
  for (const test::lengths kind :
       {test::lengths::mean_4, test::lengths::one_segment, test::lengths::empty_run_in_middle})
  {
    const auto in = test::make_segmentation(kind, 100000, 1);
    std::vector<std::string> words;
    for (std::int64_t i = 0; i < in.num_items; ++i)
    {
      words.push_back(i % 50 == 0 ? "a word that is too long for its object" : std::to_string(i));
    }
    std::vector<std::string> expected;
    for (std::int64_t segment = 0; segment < in.num_segments(); ++segment)
    {
      expected.push_back("a beginning of each that is too long for its object:");
      for (std::int64_t i = 0; i < in.size(segment); ++i)
      {
        expected.back() += words[in.offsets[segment] + i];
      }
    }
    test::for_each_policy(
      [&](const auto& policy)
      {
        std::vector<std::string> out(in.num_segments());
        mgpu::segmented_reduce(
          policy, words.begin(), words.end(), in.offsets.begin(), in.offsets.end(), out.begin(),
          std::string("a beginning of each that is too long for its object:"));
        EXPECT_TRUE(out == expected);
      });
  }
}

// An iterator that holds a lambda can be copied, but not assigned.
TEST(SegmentedReduceIterators, LambdasInIterators)
{
  const auto numbers = thrust::make_counting_iterator(std::int64_t{0});
  const auto tens = thrust::make_transform_iterator(numbers, [](std::int64_t x) { return 10 * x; });
  const auto ones = thrust::make_transform_iterator(numbers, [](std::int64_t) { return 1; });
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::int64_t> out(10000, -7);
      const auto plus_one = thrust::make_transform_output_iterator(out.begin(), [](std::int64_t x) { return x + 1; });
      const auto end = mgpu::segmented_reduce(
        policy, ones, ones + 100000, tens, tens + 10000, plus_one, 100, [](int x, int y) { return x + y; });
      EXPECT_EQ(end - plus_one, 10000);
      EXPECT_EQ(out, std::vector<std::int64_t>(10000, 111));
    });
}

#endif

} // namespace

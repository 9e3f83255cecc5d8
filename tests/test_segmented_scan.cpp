// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented scans: every distribution of sizes, segments at the ends of pieces, operators that reveal the order, items
// of every size, in place, iterators, overloads and policies; and that the same call gives the same bits.

#include <mgpu_thrust/segmented_scan.h>

#include "support/functions.h"
#include "support/policy_battery.h"
#include "support/reduction_battery.h"
#include "support/systems.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/functional>
#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <list>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using test::add;
using test::compose;
using test::has_same_bits;
using test::segmentation;
using scanned_maps = test::affine_maps<1>;

enum class scans
{
  inclusive,
  inclusive_with_init,
  exclusive
};
constexpr scans all_scans[] = {scans::inclusive, scans::inclusive_with_init, scans::exclusive};

/// The results of a plain loop.
template <class T, class Item, class Op>
std::vector<T> expected_scan(scans kind, const segmentation& in, const std::vector<Item>& items, const T& init, Op op)
{
  std::vector<T> all;
  all.reserve(items.size());
  for (std::int64_t segment = 0; segment < in.num_segments(); ++segment)
  {
    T value = init;
    for (std::int64_t i = in.offsets[segment]; i < in.offsets[segment] + in.size(segment); ++i)
    {
      const T before = value;
      const T item = static_cast<T>(items[i]);
      value = kind == scans::inclusive && i == in.offsets[segment] ? item : static_cast<T>(op(value, item));
      all.push_back(kind == scans::exclusive ? before : value);
    }
  }
  return all;
}

template <class Policy, class Items, class Offsets, class Output, class T, class Op>
Output
scan(scans kind, const Policy& policy, Items first, Items last, Offsets offsets, Offsets end, Output out, T init, Op op)
{
  switch (kind)
  {
  case scans::inclusive:
    return mgpu::segmented_inclusive_scan(policy, first, last, offsets, end, out, op);
  case scans::inclusive_with_init:
    return mgpu::segmented_inclusive_scan(policy, first, last, offsets, end, out, init, op);
  default:
    return mgpu::segmented_exclusive_scan(policy, first, last, offsets, end, out, init, op);
  }
}

/// Checks scans of these kinds under every policy, and in place.
template <class Offset = std::int32_t, class T, class Op>
void check_scans(
  const segmentation& in, const std::vector<T>& items, const T& init, Op op,
  std::vector<scans> kinds = {std::begin(all_scans), std::end(all_scans)})
{
  for (const scans kind : kinds)
  {
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
    const auto expected = expected_scan(kind, in, items, init, op);
    test::for_each_policy(
      [&](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        const auto offsets = test::to_memory<policy_t>(in.offsets_as<Offset>());
        const auto input = test::to_memory<policy_t>(items);
        test::memory<policy_t, T> out(items.size() + 1, test::guard_of<T>());
        auto end =
          scan(kind, policy, input.begin(), input.end(), offsets.begin(), offsets.end(), out.begin(), init, op);
        test::expect_results(out, expected, end - out.begin());
        auto guarded = items;
        guarded.push_back(test::guard_of<T>());
        out = test::to_memory<policy_t>(guarded);
        end = scan(kind, policy, out.begin(), out.end() - 1, offsets.begin(), offsets.end(), out.begin(), init, op);
        SCOPED_TRACE("in place");
        test::expect_results(out, expected, end - out.begin());
      });
  }
}
void check_maps(const segmentation& in)
{
  check_scans(in, test::items_of<scanned_maps>(in.num_items), scanned_maps(77), compose{});
}

TEST(SegmentedScan, AllSmallSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_small_segmentation(
    4, 2,
    [](const segmentation& in)
    {
      if (in.num_segments() > 0)
      {
        check_maps(in);
      }
    });
}

TEST(SegmentedScan, EveryDistributionOfSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_segmentation([](const segmentation& in) { check_maps(in); });
}

#if defined(__CUDACC__)

/// The same with so many empty segments after the others that the tiles of items of type T are not co-resident, so that
/// their carries are served.
template <class T>
segmentation with_served_carries(const segmentation& in)
{
  constexpr std::int64_t many =
    (mgpu::detail::max_coresident_scan_tiles + 1) * mgpu::detail::coresident_scan_shape<T>::weight;
  return test::with_empty_segments(in, many);
}

TEST(SegmentedScan, EveryDistributionOfSizesWithEmptySegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_segmentation(
    [](const segmentation& in)
    {
      check_scans(
        with_served_carries<scanned_maps>(in), test::items_of<scanned_maps>(in.num_items), scanned_maps(77), compose{},
        {in.num_items % 2 == 0 ? scans::inclusive : scans::exclusive});
    });
}

#endif

#if defined(__CUDACC__)
constexpr std::int64_t scanned_piece = mgpu::detail::coresident_scan_shape<scanned_maps>::cut_items;

// Segments that start about as long before the end of a piece as a tile's begin can be moved, and others of that
// length.
template <class Shape>
std::vector<std::int64_t> sizes_at_moved_begins(std::int64_t d)
{
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < 3; ++i)
  {
    sizes.push_back(Shape::cut_items - Shape::max_shift - d);
    sizes.push_back(Shape::max_shift + d);
  }
  sizes.insert(sizes.end(), 8, Shape::max_shift + d);
  sizes.push_back(3 * Shape::cut_items);
  return sizes;
}

TEST(SegmentedScan, BeginsOfTilesMoved)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (std::int64_t d = -2; d <= 2; ++d)
  {
    check_maps(test::from_sizes(sizes_at_moved_begins<mgpu::detail::coresident_scan_shape<scanned_maps>>(d)));
    check_maps(with_served_carries<scanned_maps>(
      test::from_sizes(sizes_at_moved_begins<mgpu::detail::segmented_scan_shape<scanned_maps>>(d))));
    ASSERT_FALSE(HasFatalFailure()) << d;
  }
}

// Twelve blocks with a segment each, of which one has as many items as a block has room for, or one more or fewer.
TEST(SegmentedScan, AsManyItemsAsABlockHasRoomFor)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t most = mgpu::detail::coresident_scan_shape<scanned_maps>::items;
  for (std::int64_t d = -1; d <= 1; ++d)
  {
    for (const std::size_t longest : {0, 5, 11})
    {
      std::vector<std::int64_t> sizes(12, most / 6);
      sizes[longest] = most + d;
      check_maps(test::from_sizes(sizes));
      ASSERT_FALSE(HasFatalFailure()) << d << ", " << longest;
    }
  }
}
#else
constexpr std::int64_t scanned_piece = mgpu::detail::cpu_piece_elements;
#endif

// Segments that begin or end at the ends of pieces, and segments over several pieces, next to segments of one item or
// none.
TEST(SegmentedScan, SegmentsAtTheEndsOfPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (std::int64_t d = -2; d <= 2; ++d)
  {
    for (const std::int64_t others : {0, 1})
    {
      std::vector<std::int64_t> sizes;
      for (const std::int64_t size : {scanned_piece + d, scanned_piece, 2 * scanned_piece - d, 5 * scanned_piece + d})
      {
        sizes.insert(sizes.end(), others == 0 ? 3 : 5, others);
        sizes.push_back(size);
      }
      sizes.insert(sizes.end(), scanned_piece, others);
      sizes.push_back(3);
      SCOPED_TRACE(std::to_string(d) + ", others of " + std::to_string(others));
      const auto in = test::from_sizes(sizes);
      check_maps(in);
#if defined(__CUDACC__)
      check_maps(with_served_carries<scanned_maps>(in));
#endif
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// Carries over more tiles than a group has, and than the warps of the serving block take in turn.
TEST(SegmentedScan, SegmentsOfManyTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t many = scanned_piece * (scanned_piece < 10000 ? 600 : 20);
  check_maps(test::from_sizes({many}));
  check_maps(test::from_sizes({0, 1, many / 3, 0, many / 3, 7, many / 3, 0, 0}));
  std::vector<std::int64_t> sizes(20000, 0);
  sizes[10000] = many;
  check_maps(test::from_sizes(sizes));
}

template <class Item>
void check_items(const segmentation& in, const std::vector<scans>& kinds)
{
  if constexpr (std::is_arithmetic_v<Item>)
  {
    check_scans(in, test::items_of<Item>(in.num_items), Item(3), add{}, kinds);
  }
  else
  {
    check_scans<std::int64_t>(in, test::items_of<Item>(in.num_items), Item(5), compose{}, kinds);
  }
}
template <class Item>
void check_items(std::int64_t size, const std::vector<scans>& kinds)
{
  SCOPED_TRACE(std::to_string(sizeof(Item)) + " bytes");
  for (const test::lengths kind : {test::lengths::mean_64, test::lengths::one_segment, test::lengths::power_law})
  {
    const auto in = test::make_segmentation(kind, size, sizeof(Item));
    check_items<Item>(in, kinds);
#if defined(__CUDACC__)
    check_items<Item>(with_served_carries<Item>(in), kinds);
#endif
  }
}

TEST(SegmentedScan, ItemsOfEverySize)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_items<std::int8_t>(70001, {scans::exclusive});
  check_items<test::affine_maps<2>>(70001, {scans::inclusive});            // 12 bytes
  check_items<test::affine_maps<31>>(20001, {scans::inclusive_with_init}); // 128
#if defined(__CUDACC__) // the pieces of a CPU do not depend on the size
  check_items<std::uint16_t>(70001, {scans::inclusive});
  check_items<std::uint32_t>(70001, {scans::inclusive_with_init});
  check_items<test::affine_maps<2>>(70001, {scans::exclusive});
  check_items<test::affine_maps<3>>(70001, {scans::inclusive});  // 16
  check_items<test::affine_maps<9>>(40001, {scans::inclusive});  // 40
  check_items<test::affine_maps<15>>(40001, {scans::inclusive}); // 64
  check_items<test::affine_maps<31>>(20001, {scans::exclusive});
#endif
}

// Each kind of scan accumulates in its own type.
TEST(SegmentedScan, TypesOfTheAccumulator)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto items = test::to_memory<policy_t>(std::vector<std::uint8_t>{200, 100, 50, 7});
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 3});
      test::memory<policy_t, double> out(4);
      const auto expect = [&](auto end, std::vector<double> expected)
      {
        EXPECT_EQ(end - out.begin(), 4);
        EXPECT_EQ(test::to_host(out), expected);
      };
      const ::cuda::std::plus<> plus;
      const auto first = items.begin();
      const auto last = items.end();
      expect(
        mgpu::segmented_inclusive_scan(policy, first, last, offsets.begin(), offsets.end(), out.begin()),
        {200, 44, 94, 7});
      expect(
        mgpu::segmented_inclusive_scan(policy, first, last, offsets.begin(), offsets.end(), out.begin(), 0.5, plus),
        {200.5, 300.5, 350.5, 7.5});
      expect(
        mgpu::segmented_exclusive_scan(policy, first, last, offsets.begin(), offsets.end(), out.begin()),
        {0, 200, 44, 0});
      expect(
        mgpu::segmented_exclusive_scan(policy, first, last, offsets.begin(), offsets.end(), out.begin(), 1000),
        {1000, 1200, 1300, 1000});
      expect(
        mgpu::segmented_exclusive_scan(first, last, offsets.begin(), offsets.end(), out.begin(), 2.0),
        {2, 202, 302, 2});
      expect(
        mgpu::segmented_inclusive_scan(first, last, offsets.begin(), offsets.end(), out.begin(), test::larger{}),
        {200, 200, 200, 7});
    });
}

/// Checks that a hundred calls give the same bits, and all numbers of workers.
void check_bits(const segmentation& in)
{
  std::mt19937_64 random(1);
  std::vector<float> numbers(in.num_items);
  for (float& number : numbers)
  {
    number = static_cast<float>(random()) / float(1 << 30);
  }
  std::vector<float> of_workers; // the results of all policies with workers, whatever their number
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto input = test::to_memory<policy_t>(numbers);
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      test::memory<policy_t, float> out(in.num_items);
      std::vector<float> first;
      for (int repeat = 0; repeat < 100; ++repeat)
      {
        out.assign(out.size(), -1.0f);
        mgpu::segmented_inclusive_scan(policy, input.begin(), input.end(), offsets.begin(), offsets.end(), out.begin());
        const auto got = test::to_host(out);
        first = first.empty() ? got : first;
        ASSERT_TRUE(has_same_bits(got, first)) << "repeat " << repeat;
      }
      if constexpr (!std::is_same_v<mgpu::detail::backend_t<policy_t>, mgpu::detail::serial_backend>)
      {
        of_workers = of_workers.empty() ? first : of_workers;
        EXPECT_TRUE(has_same_bits(first, of_workers)) << "the bits depend on the number of workers";
      }
    });
}

TEST(SegmentedScan, TheSameCallGivesTheSameBits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__)
  constexpr std::int64_t sizes[] = {1000001, 3000001}; // co-resident tiles, and more
#else
  constexpr std::int64_t sizes[] = {5 * scanned_piece + 1};
#endif
  for (const std::int64_t size : sizes)
  {
    for (const test::lengths kind : {test::lengths::mean_64, test::lengths::power_law, test::lengths::one_segment})
    {
      check_bits(test::make_segmentation(kind, size, 7));
    }
  }
}

// From the end; chains of items that a permutation orders; computed items; and results that are negated.
TEST(SegmentedScanIterators, ReversedPermutedComputedAndTransformed)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_64, 50000, 1);
  std::vector<std::int64_t> items;
  std::vector<std::int32_t> order;
  for (std::int64_t i = 0; i < in.num_items; ++i)
  {
    items.push_back(3 * i);
    order.push_back(static_cast<std::int32_t>(in.num_items - 1 - i));
  }
  const auto expected = expected_scan(scans::exclusive, in, items, std::int64_t{5}, add{});
  auto backward = items;
  std::reverse(backward.begin(), backward.end());
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int64_t>());
      const auto reversed = test::to_memory<policy_t>(backward);
      const auto places = test::to_memory<policy_t>(order);
      const auto check = [&](auto first, bool negates)
      {
        test::memory<policy_t, std::int64_t> out(in.num_items);
        if (negates)
        {
          mgpu::segmented_exclusive_scan(
            policy, first, first + in.num_items, offsets.begin(), offsets.end(),
            thrust::make_transform_output_iterator(out.begin(), test::negate{}), std::int64_t{5}, add{});
        }
        else
        {
          mgpu::segmented_exclusive_scan(
            policy, first, first + in.num_items, offsets.begin(), offsets.end(),
            thrust::make_reverse_iterator(out.end()), std::int64_t{5}, add{});
        }
        auto got = test::to_host(out);
        if (negates)
        {
          std::transform(got.begin(), got.end(), got.begin(), test::negate{});
        }
        else
        {
          std::reverse(got.begin(), got.end());
        }
        EXPECT_TRUE(got == expected);
      };
      check(thrust::make_reverse_iterator(reversed.end()), false);
      check(thrust::make_permutation_iterator(reversed.begin(), places.begin()), true);
      check(thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), test::times_three{}), false);
    });
}

// Memory with no more than its type's alignment, different for input and output; items of 4 and of 16 bytes.
template <class Item, class Op>
void check_alignment(const Item& init, Op op)
{
  const auto in = test::make_segmentation(test::lengths::mean_64, 30000, 1);
  const auto items = test::items_of<Item>(in.num_items);
  const auto expected = expected_scan(scans::inclusive, in, items, init, op);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      constexpr std::int64_t words = sizeof(Item) / 4;
      test::memory<policy_t, std::int32_t> in_memory(words * in.num_items + 4);
      for (std::int64_t shift = 0; shift < 4; ++shift)
      {
        test::memory<policy_t, std::int32_t> out(words * in.num_items + 8, -7);
        std::vector<std::int32_t> bits(words * in.num_items + 4);
        std::memcpy(bits.data() + shift, items.data(), items.size() * sizeof(Item));
        in_memory = test::to_memory<policy_t>(bits);
        const auto* const first = reinterpret_cast<const Item*>(thrust::raw_pointer_cast(in_memory.data()) + shift);
        const std::int64_t place = 1 + (shift * 3) % 4;
        auto* const result = reinterpret_cast<Item*>(thrust::raw_pointer_cast(out.data()) + place);
        mgpu::segmented_inclusive_scan(policy, first, first + in.num_items, offsets.begin(), offsets.end(), result, op);
        const auto got = test::to_host(out);
        EXPECT_EQ(std::memcmp(got.data() + place, expected.data(), expected.size() * sizeof(Item)), 0);
        EXPECT_EQ(got[place - 1], -7);
        EXPECT_EQ(got[place + words * in.num_items], -7);
      }
    });
}

TEST(SegmentedScanIterators, PointersAlignedToTheTypeOnly)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_alignment(std::int32_t{0}, add{});
  check_alignment(test::affine_maps<3>(1), compose{});
}

// Whatever the offsets, the call ends and nothing outside the output is written.
TEST(SegmentedScan, WrongOffsets)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(1);
  for (const std::int64_t size : {100, 30000, 200000})
  {
    for (const std::int64_t segments : {1, 50, 3000, 100000})
    {
      std::vector<std::int64_t> offsets(segments);
      for (std::int64_t i = 0; i < segments; ++i)
      {
        offsets[i] = static_cast<std::int64_t>(random() % (size + 50)) - 20;
      }
      test::for_each_policy(
        [&](const auto& policy)
        {
          using policy_t = std::decay_t<decltype(policy)>;
          const auto input = test::to_memory<policy_t>(std::vector<std::int32_t>(size, 1));
          const auto starts = test::to_memory<policy_t>(offsets);
          test::memory<policy_t, std::int32_t> out(size + 40, -7);
          mgpu::segmented_exclusive_scan(
            policy, input.begin(), input.end(), starts.begin(), starts.end(), out.begin() + 20, 0, add{});
          const auto got = test::to_host(out);
          ASSERT_TRUE(std::all_of(got.begin(), got.begin() + 20, [](std::int32_t x) { return x == -7; }));
          ASSERT_TRUE(std::all_of(got.end() - 20, got.end(), [](std::int32_t x) { return x == -7; }));
        });
    }
  }
}

#if !defined(__CUDACC__)

// A serial policy scans from left to right into any output; items and results may own memory.
TEST(SegmentedScanIterators, StringsAndPlainOutputIterators)
{
  const std::vector<std::int32_t> offsets{0, 3, 3, 4};
  const std::vector<std::string> items{"a", "b", "c", "d", "e", "f"};
  std::list<std::string> out;
  mgpu::segmented_inclusive_scan(
    thrust::seq, items.begin(), items.end(), offsets.begin(), offsets.end(), std::back_inserter(out), std::string("-"),
    ::cuda::std::plus<>{});
  EXPECT_EQ(out, (std::list<std::string>{"-a", "-ab", "-abc", "-d", "-e", "-ef"}));
  const auto in = test::make_segmentation(test::lengths::all_4096, 200000, 1);
  std::vector<std::string> words;
  for (std::int64_t i = 0; i < in.num_items; ++i)
  {
    words.push_back(i % 2000 == 0 ? "a word that is too long for its object" : "");
  }
  const auto expected = expected_scan(scans::exclusive, in, words, std::string("begin"), ::cuda::std::plus<>{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      auto places = words;
      mgpu::segmented_exclusive_scan(
        policy, places.begin(), places.end(), in.offsets.begin(), in.offsets.end(), places.begin(),
        std::string("begin"));
      EXPECT_TRUE(places == expected);
    });
}

// An exception of the operator stops all workers, and none waits for a carry that does not come.
TEST(SegmentedScan, ExceptionsStopAllWorkers)
{
  const auto in = test::from_sizes({1000000});
  std::vector<std::int32_t> items(in.num_items, 1);
  items[500000] = -1;
  const auto throws = [](std::int32_t x, std::int32_t y) { return y < 0 ? throw std::string("negative") : x + y; };
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::int32_t> out(in.num_items);
      EXPECT_THROW(
        mgpu::segmented_inclusive_scan(
          policy, items.begin(), items.end(), in.offsets.begin(), in.offsets.end(), out.begin(), throws),
        std::string);
    });
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(SegmentedScan, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_random_segmentation([](const segmentation& in) { check_maps(in); });
}

/// Segmented scans of maps under composition, each of two integers.
struct segmented_scan_call : test::policy_call
{
  static constexpr bool synchronises = false;

  explicit segmented_scan_call(std::int64_t size)
  {
    const auto in = test::make_segmentation(test::lengths::power_law, size, 1);
    const auto items = test::items_of<scanned_maps>(in.num_items);
    inputs = {as_ints(items), in.offsets_as<std::int32_t>()};
    expected = as_ints(expected_scan(scans::exclusive, in, items, scanned_maps(5), compose{}));
    result = in.num_items;
  }
  static test::ints as_ints(const std::vector<scanned_maps>& values)
  {
    test::ints all;
    for (const scanned_maps& value : values)
    {
      all.push_back(static_cast<std::int32_t>(value.factor));
      all.push_back(static_cast<std::int32_t>(value.terms[0]));
    }
    return all;
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const auto* const items = reinterpret_cast<const scanned_maps*>(in.first[0]);
    auto* const results = reinterpret_cast<scanned_maps*>(out);
    const auto end = mgpu::segmented_exclusive_scan(
      policy, items, items + in.size(0) / 2, in.first[1], in.last[1], results, scanned_maps(5), compose{});
    return end - results;
  }
};

using scan_calls = testing::Types<segmented_scan_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SegmentedScan, Policies, scan_calls);
}

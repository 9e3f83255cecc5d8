// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented reduction and its plan: small segments exhaustively, every cut of their path, every distribution of sizes,
// operators that reveal the order, overloads and policies; and that the same call gives the same bits. Types are tested
// in test_segmented_reduce_types.

#include "support/functions.h"
#include "support/policy_battery.h"
#include "support/reduction_battery.h"
#include "support/systems.h"

#include <cuda/functional>
#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
using maps = test::affine_maps<1>;
using plus = ::cuda::std::plus<>;

TEST(SegmentedReduce, AllSmallSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_small_segmentation(
    4, 2,
    [](const segmentation& in)
    {
      if (in.num_segments() > 0)
      {
        test::check_segmented_reduce<std::int32_t>(in);
      }
    });
}

TEST(SegmentedReduce, EveryDistributionOfSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_segmentation([](const segmentation& in) { test::check_segmented_reduce<std::int32_t>(in); });
}

// Segments without items reduce to init; without segments nothing is written.
TEST(SegmentedReduce, NoItems)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>(100000, 0));
      const test::memory<policy_t, std::int32_t> none;
      for (const std::int64_t segments : {0, 1, 100000})
      {
        const auto last = offsets.begin() + segments;
        const std::vector<std::int64_t> expected(segments, 5);
        test::memory<policy_t, std::int64_t> out(segments + 1, test::guard_of<std::int64_t>());
        auto end =
          mgpu::segmented_reduce(policy, none.begin(), none.end(), offsets.begin(), last, out.begin(), std::int64_t{5});
        test::expect_results(out, expected, end - out.begin());
        out.assign(segments + 1, test::guard_of<std::int64_t>());
        const mgpu::segmented_reduce_plan plan(policy, 0, offsets.begin(), last);
        end = plan.reduce(none.begin(), out.begin(), std::int64_t{5});
        test::expect_results(out, expected, end - out.begin());
      }
    });
}

#if defined(__CUDACC__)
constexpr std::int64_t piece = 4096;
#else
constexpr std::int64_t piece = mgpu::detail::cpu_piece_elements;
#endif

// A segment that begins or ends around the cuts of the path, next to segments of one item or none.
TEST(SegmentedReduce, SegmentsAtTheEndsOfPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (std::int64_t before = piece / 2 - 2; before <= piece / 2 + 2; ++before)
  {
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, piece - 1, piece, 2 * piece + 1})
    {
      for (const std::int64_t others : {0, 1})
      {
        segmentation in;
        for (std::int64_t i = 0; i < (2 - others) * before; ++i)
        {
          in.add(others);
        }
        in.add(size);
        for (std::int64_t i = 0; i < piece; ++i)
        {
          in.add(others);
        }
        in.add(3);
        SCOPED_TRACE(std::to_string(before) + " of " + std::to_string(others) + ", then " + std::to_string(size));
        test::check_segmented_reduce<std::int32_t>(in);
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

#if defined(__CUDACC__)

// On both sides of each border between segments that a group of warps, a cluster, or several tiles reduce; of types
// that are loaded in batches, and of one that is not.
template <class Item>
void check_whole_segments(const std::vector<std::int64_t>& sizes)
{
  using shape = mgpu::detail::whole_segments_shape<Item>;
  const segmentation in = test::from_sizes(sizes);
  SCOPED_TRACE(std::to_string(sizes.size()) + " segments, " + std::to_string(in.num_items) + " items");
  SCOPED_TRACE(shape::takes(in.num_items, in.num_segments()) ? "whole" : "not whole");
  test::check_reduction<std::int32_t>(in, test::items_of<Item>(in.num_items), Item(5), compose{});
}

template <class Item>
void check_borders_of_whole_segments()
{
  using shape = mgpu::detail::whole_segments_shape<Item>;
  const std::int64_t of_block = shape::max_items_of_block(shape::cluster_blocks + 1);
  for (const std::int64_t d : {-1, 0, 1})
  {
    // One segment, of as many items as a block reduces, all blocks; few, of as many as a warp reduces alone.
    check_whole_segments<Item>({shape::max_items_of_block(1) + d});
    check_whole_segments<Item>({256 + d, 0, 32 + d, 1, 256 - d});
    check_whole_segments<Item>({std::min(shape::max_mean_items, shape::max_items) + d});
    check_whole_segments<Item>({0, 5, shape::max_items - 100 + d, 95, 0});

    // Blocks of one, two, three and all their segments, and of one too many; an item more or less than a group of
    // warps reduces.
    for (const std::int64_t of_each : {1, 2, 3, shape::warps, shape::warps + 1})
    {
      const std::int64_t groups = of_each <= 2 ? of_each : of_each <= 4 ? 4 : 8;
      const std::int64_t of_group = of_block / groups;
      std::vector<std::int64_t> sizes(shape::max_blocks * of_each - 1 + d, 3);
      sizes[7] = of_group + d;
      sizes[8] = 256 + d;
      sizes[sizes.size() / 2] = 0;
      sizes.back() = of_group - d;
      check_whole_segments<Item>(sizes);
    }

    // Large inputs, with as many segments as there are blocks, one of them of as many items as a block just reduces;
    // with so many items that a segment is one warp's, two warps', or more; and as many or as few as there can be.
    using large_shape = mgpu::detail::whole_segments_shape<Item, true>;
    if constexpr (large_shape::exists)
    {
      std::vector<std::int64_t> large(large_shape::max_blocks + d, (3 << 19) / large_shape::max_blocks);
      large[9] = large_shape::max_items_of_block(large_shape::max_blocks) + d;
      large[400 % large.size()] = 100000;
      check_whole_segments<Item>(large);
      for (const std::int64_t of_warps : {1, 2, 4})
      {
        const std::int64_t size = of_warps * large_shape::max_mean_items_of_warp + d;
        check_whole_segments<Item>(std::vector<std::int64_t>(4 * large_shape::max_blocks / of_warps, size));
      }
      check_whole_segments<Item>(std::vector<std::int64_t>(9000, large_shape::min_mean_items(1) + d));
      check_whole_segments<Item>(
        std::vector<std::int64_t>(4200, large_shape::min_mean_items(large_shape::max_items) + d));
      std::vector<std::int64_t> most(large_shape::max_items / 4096, 4096);
      most.back() += d;
      check_whole_segments<Item>(most);
    }

    // As many of the longest as there can be, in few clusters, next to others that blocks reduce.
    const std::int64_t longest = (shape::max_items - 4000) / (of_block + 1);
    std::vector<std::int64_t> sizes(longest + 400, 1);
    std::fill_n(sizes.begin() + 3, longest, of_block + d);
    std::fill_n(sizes.begin() + 3 + longest, 5, of_block / 4 + 1);
    check_whole_segments<Item>(sizes);
  }
}

TEST(SegmentedReduce, BordersOfWholeSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_borders_of_whole_segments<test::affine_maps<1>>();
  check_borders_of_whole_segments<test::affine_maps<3>>(); // 16 bytes
  check_borders_of_whole_segments<test::affine_maps<9>>(); // not loaded in batches
}

// On both sides of the borders of what is reduced by a segment per block; with segments that blocks share, of which one
// starts with a unit, and one has many.
template <class Item>
void check_segment_per_block()
{
  using shape = mgpu::detail::segment_per_block_shape<Item>;
  const std::int64_t of_unit = std::int64_t{1} << shape::log_unit_items;
  for (const std::int64_t d : {-1, 0, 1})
  {
    std::vector<std::int64_t> sizes(shape::min_items / 5000, 5000);
    sizes[0] = of_unit;
    sizes[1] = 2 * of_unit + d;
    sizes[2] = 3 * of_unit - d;
    sizes[7] = 0;
    sizes[100] = 40 * of_unit + d;
    sizes.back() = 2 * of_unit + 1;
    check_whole_segments<Item>(sizes);
    const auto more_in = [](std::int64_t size) { return std::vector<std::int64_t>(shape::min_items / size + 2, size); };
    check_whole_segments<Item>(more_in(shape::min_mean_items + d));
    check_whole_segments<Item>(more_in(2 * of_unit + d));
  }
#  if defined(__CUDACC__)
  check_whole_segments<Item>({3 * shape::min_items}); // more units than blocks execute at once
#  endif
}

TEST(SegmentedReduce, SegmentPerBlock)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_segment_per_block<test::affine_maps<1>>();
  check_segment_per_block<test::affine_maps<3>>(); // 16 bytes
}

// As many tiles as blocks cut, and one more, which an earlier kernel cuts; of short segments, some of them empty, with
// two that are as long as many tiles.
TEST(SegmentedReduce, TilesCutByBlocksOrBefore)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t most_weight =
    mgpu::detail::max_tiles_cut_by_blocks * mgpu::detail::segmented_reduce_shape::weight;
  constexpr std::int64_t size = 4;
  constexpr std::int64_t segments = most_weight / (mgpu::detail::item_weight * size + 1);
  for (const std::int64_t more : {0, 1})
  {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(segments + more), size);
    sizes[100] = 0;
    sizes[1000] = 100001 * size;
    std::fill_n(sizes.begin() + 5000, 100000, 0);
    sizes[800000] = 300001 * size;
    std::fill_n(sizes.begin() + 900000, 300000, 0);
    sizes.back() = 2 * size;
    const segmentation in = test::from_sizes(sizes);
    const std::int64_t weight = mgpu::detail::item_weight * in.num_items + in.num_segments();
    ASSERT_EQ(weight > most_weight, more == 1);
    SCOPED_TRACE(std::to_string(in.num_items) + " items");
    using item = test::affine_maps<1>;
    test::check_reduction<std::int32_t>(in, test::items_of<item>(in.num_items), item(5), compose{});
    ASSERT_FALSE(HasFatalFailure());
  }
}

// Operators that are known to commute, for which a lane of a warp has every 32nd item; in segments around full rows and
// batches, by each kernel that reduces whole segments.
TEST(SegmentedReduce, InAnyOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto check = [](const std::vector<std::int64_t>& sizes)
  {
    const segmentation in = test::from_sizes(sizes);
    SCOPED_TRACE(std::to_string(in.num_items) + " items");
    std::vector<std::int32_t> items(in.num_items);
    std::vector<double> numbers(in.num_items);
    for (std::int64_t i = 0; i < in.num_items; ++i)
    {
      items[i] = static_cast<std::int32_t>(i * 2654435761 % 1000003 - 500000);
      numbers[i] = static_cast<double>(items[i]);
    }
    test::check_reduction<std::int32_t>(in, items, std::int32_t{7}, plus{});
    test::check_reduction<std::int32_t>(in, items, std::int32_t{-7}, ::cuda::maximum<>{});
    test::check_reduction<std::int32_t>(in, numbers, 0.5, plus{});
  };
  std::vector<std::int64_t> sizes{0, 1, 2, 31, 32, 33, 63, 64, 65};
  for (const std::int64_t batch : {96, 160, 256, 320, 512, 640, 8 * 256, 8 * 512, 24576, 100000})
  {
    for (const std::int64_t d : {-1, 0, 1, 31, 32, 33})
    {
      sizes.push_back(batch + d);
    }
  }
  check(sizes);
  for (const std::int64_t size : sizes)
  {
    if (size < 8 * 512 || size == 24576)
    {
      check({size, 0}); // none can be long
    }
  }
  sizes.resize(1000, 2000);
  check(sizes); // in clusters
  sizes.resize(mgpu::detail::segment_per_block_shape<int>::min_items / 4000, 4000);
  check(sizes); // a segment per block
}

// Whatever the offsets, nothing outside the output is written and no item outside the input is read.
TEST(SegmentedReduce, WrongOffsets)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(1);
  for (const std::int64_t size : {100, 30000, 2000000, 3000000, 9000000})
  {
    for (const std::int64_t segments : {1, 50, 128, 500, 1200, 3000})
    {
      std::vector<std::int64_t> offsets(segments);
      for (std::int64_t i = 0; i < segments; ++i)
      {
        offsets[i] = size >= 2000000 ? i % 50 * 40000 : static_cast<std::int64_t>(random() % (size + 50)) - 20;
      }
      test::for_each_policy(
        [&](const auto& policy)
        {
          using policy_t = std::decay_t<decltype(policy)>;
          const auto input = test::to_memory<policy_t>(std::vector<std::int32_t>(size, 1));
          const auto starts = test::to_memory<policy_t>(offsets);
          test::memory<policy_t, std::int32_t> out(segments + 40, -7);
          mgpu::segmented_reduce(
            policy, input.begin(), input.end(), starts.begin(), starts.end(), out.begin() + 20, 0, add{});
          const auto got = test::to_host(out);
          ASSERT_TRUE(std::all_of(got.begin(), got.begin() + 20, [](std::int32_t x) { return x == -7; }));
          ASSERT_TRUE(std::all_of(got.end() - 20, got.end(), [](std::int32_t x) { return x == -7; }));
        });
    }
  }
}

#endif

template <class Number>
void check_same_bits(test::lengths kind)
{
  SCOPED_TRACE(test::name_of(kind));
  const auto in = test::make_segmentation(kind, 300001, 7);
  std::mt19937_64 random(1);
  std::vector<Number> numbers(in.num_items);
  for (Number& number : numbers)
  {
    number = static_cast<Number>(random()) / Number(1 << 30);
  }
  const auto expected = test::expected_reduction(in, std::vector<double>(numbers.begin(), numbers.end()), 0.0, add{});
  std::vector<Number> of_workers; // the results of all policies with workers, whatever their number
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto input = test::to_memory<policy_t>(numbers);
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      test::memory<policy_t, Number> out(in.num_segments());
      mgpu::segmented_reduce(
        policy, input.begin(), input.end(), offsets.begin(), offsets.end(), out.begin(), Number(0), plus{});
      const auto first = test::to_host(out);
      for (std::int64_t segment = 0; segment < in.num_segments(); ++segment)
      {
        ASSERT_NEAR(first[segment], expected[segment], 1e-4 * std::abs(expected[segment])) << "segment " << segment;
      }
      const mgpu::segmented_reduce_plan plan(policy, in.num_items, offsets.begin(), offsets.end());
      for (int repeat = 0; repeat < 3; ++repeat)
      {
        out.assign(out.size(), Number(-1));
        mgpu::segmented_reduce(
          policy, input.begin(), input.end(), offsets.begin(), offsets.end(), out.begin(), Number(0), plus{});
        EXPECT_TRUE(has_same_bits(test::to_host(out), first));
        out.assign(out.size(), Number(-1));
        plan.reduce(input.begin(), out.begin(), Number(0), plus{});
        EXPECT_TRUE(has_same_bits(test::to_host(out), first)) << "with a plan";
      }
      if constexpr (!std::is_same_v<mgpu::detail::backend_t<policy_t>, mgpu::detail::serial_backend>)
      {
        of_workers = of_workers.empty() ? first : of_workers;
        EXPECT_TRUE(has_same_bits(first, of_workers)) << "the bits depend on the number of workers";
      }
    });
}

TEST(SegmentedReduce, TheSameCallGivesTheSameBits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::lengths kind :
       {test::lengths::mean_64, test::lengths::all_4096, test::lengths::power_law, test::lengths::one_segment})
  {
    check_same_bits<float>(kind);
  }
  check_same_bits<double>(test::lengths::power_law);
}

TEST(SegmentedReduce, Overloads)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 2, 2, 3});
      const auto items = test::to_memory<policy_t>(std::vector<double>{1.5, 2, 3, 4, 5.5});
      test::memory<policy_t, double> out(4);
      const auto first = items.begin();
      const auto last = items.end();
      const auto segments = offsets.begin();
      const auto segments_end = offsets.end();
      const auto result = out.begin();
      const auto expect = [&](auto end, const std::vector<double>& expected)
      {
        EXPECT_TRUE(end == out.end());
        EXPECT_EQ(test::to_host(out), expected);
        out.assign(4, -7);
      };
      const test::larger op{};
      const std::vector<double> sums{3.5, 0, 3, 9.5};
      const std::vector<double> more{13.5, 10, 13, 19.5};
      const std::vector<double> whole{3, 0, 3, 9}; // the init is an int, so sums are ints
      const std::vector<double> largest{3, 3, 3, 5.5};
      expect(mgpu::segmented_reduce(policy, first, last, segments, segments_end, result), sums);
      expect(mgpu::segmented_reduce(policy, first, last, segments, segments_end, result, 10.0), more);
      expect(mgpu::segmented_reduce(policy, first, last, segments, segments_end, result, 0), whole);
      expect(mgpu::segmented_reduce(policy, first, last, segments, segments_end, result, 3.0, op), largest);
      expect(mgpu::segmented_reduce(first, last, segments, segments_end, result), sums);
      expect(mgpu::segmented_reduce(first, last, segments, segments_end, result, 10.0), more);
      expect(mgpu::segmented_reduce(first, last, segments, segments_end, result, 3.0, op), largest);
      const mgpu::segmented_reduce_plan plan(policy, 5, segments, segments_end);
      expect(plan.reduce(first, result), sums);
      expect(plan.reduce(first, result, 10.0), more);
      expect(plan.reduce(first, result, 3.0, op), largest);
      const mgpu::segmented_reduce_plan without_policy(std::size_t{5}, segments, segments_end);
      expect(without_policy.reduce(first, result), sums);
    });
}

// One plan with inputs and results of several types; it still works after it is moved.
TEST(SegmentedReducePlan, ReducesManyInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::power_law, 100000, 1);
  const auto others = test::make_segmentation(test::lengths::mean_64, 100000, 2);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(in.offsets_as<std::int32_t>());
      const auto other_offsets = test::to_memory<policy_t>(others.offsets_as<std::int32_t>());
      mgpu::segmented_reduce_plan plan(policy, in.num_items, offsets.begin(), offsets.end());
      const auto check = [&](const auto& reducer, const segmentation& segments, const auto& items, auto init, auto op)
      {
        using value = decltype(init);
        const auto input = test::to_memory<policy_t>(items);
        test::memory<policy_t, value> out(segments.num_segments() + 1, test::guard_of<value>());
        const auto end = reducer.reduce(input.begin(), out.begin(), init, op);
        test::expect_results(out, test::expected_reduction(segments, items, init, op), end - out.begin());
      };
      check(plan, in, test::items_of<std::int32_t>(in.num_items), std::int64_t{5}, plus{});
      check(plan, in, test::items_of<float>(in.num_items), 0.5f, plus{});
      auto moved = std::move(plan);
      check(moved, in, test::items_of<maps>(in.num_items), maps(1), compose{});
      plan = mgpu::segmented_reduce_plan(policy, others.num_items, other_offsets.begin(), other_offsets.end());
      check(plan, others, test::items_of<maps>(others.num_items), maps(1), compose{});
      check(moved, in, test::items_of<maps>(in.num_items), maps(2), compose{});
      plan = std::move(moved);
      check(plan, in, test::items_of<maps>(in.num_items), maps(3), compose{});
    });
}

#if !defined(__CUDACC__)

// The path is cut into pieces of every size, which are reduced from the last to the first.
TEST(SegmentedReduce, EveryCutOfThePath)
{
  test::for_each_small_segmentation(
    4, 3,
    [](const segmentation& in)
    {
      if (in.num_segments() == 0)
      {
        return;
      }
      const auto items = test::items_of<maps>(in.num_items);
      const auto expected = test::expected_reduction(in, items, maps(5), compose{});
      const mgpu::detail::segments all{in.num_items, in.offsets.begin(), in.num_segments()};
      const std::int64_t total = in.num_items + in.num_segments();
      for (std::int64_t step = 1; step <= total; ++step)
      {
        std::vector<maps> out(in.num_segments() + 1, test::guard_of<maps>());
        const mgpu::detail::segment_reduction job{items.begin(), out.begin(), maps(5), compose{}};
        const auto cut = [&](std::int64_t part)
        { return mgpu::load_balance(all.num_items, all.offsets, all.num_segments, std::min(part * step, total)); };
        const std::int64_t parts = (total + step - 1) / step;
        using carries_type = mgpu::detail::segment_carries<maps>;
        std::vector<std::int64_t> storage(carries_type::bytes(parts) / sizeof(std::int64_t) + 1);
        const carries_type carries(storage.data(), parts);
        for (std::int64_t part = parts - 1; part >= 0; --part)
        {
          mgpu::detail::reduce_piece(job, all, cut(part), cut(part + 1), carries[part]);
        }
        mgpu::detail::reduce_carries(job, carries, parts, in.num_segments());
        test::expect_results(out, expected, in.num_segments());
      }
    });
}

// Whatever the offsets, nothing outside the output is written and no item outside the input is read.
TEST(SegmentedReduce, WrongOffsetsStayWithinBounds)
{
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 150; ++repeat)
  {
    const std::int64_t size = repeat % 10 == 0 ? 70000 : random() % 100;
    std::vector<std::int64_t> offsets(1 + random() % (repeat % 10 == 0 ? 40000 : 50));
    for (std::int64_t& offset : offsets)
    {
      offset = static_cast<std::int64_t>(random() % (size + 50)) - 20;
    }
    if (repeat % 3 == 0)
    {
      std::sort(offsets.begin(), offsets.end());
    }
    const std::vector<std::int32_t> items(size, 1); // on the heap, which the address sanitizer checks
    test::for_each_policy(
      [&](const auto& policy)
      {
        std::vector<std::int32_t> out(offsets.size() + 40, -7);
        const auto first = out.begin() + 20;
        const auto end =
          mgpu::segmented_reduce(policy, items.begin(), items.end(), offsets.begin(), offsets.end(), first, 0, add{});
        const mgpu::segmented_reduce_plan plan(policy, size, offsets.begin(), offsets.end());
        plan.reduce(items.begin(), first, 0, add{});
        ASSERT_TRUE(std::all_of(out.begin(), first, [](std::int32_t x) { return x == -7; }));
        ASSERT_TRUE(std::all_of(end, out.end(), [](std::int32_t x) { return x == -7; }));
      });
    ASSERT_FALSE(HasFatalFailure());
  }
}

// A serial policy reduces from left to right, with one copy of the operator.
TEST(SegmentedReduce, SerialPoliciesKeepTheOrder)
{
  const std::vector<std::int32_t> offsets{0, 3, 3, 4};
  const std::vector<std::string> items{"a", "b", "c", "d", "e", "f"};
  const auto check = [&](const auto& policy)
  {
    std::vector<std::string> out(4);
    std::vector<std::string> calls;
    mgpu::segmented_reduce(
      policy, items.begin(), items.end(), offsets.begin(), offsets.end(), out.begin(), std::string("-"),
      [&calls, count = 0](const std::string& x, const std::string& y) mutable
      {
        EXPECT_EQ(count++, static_cast<int>(calls.size()));
        calls.push_back(x + "+" + y);
        return x + y;
      });
    EXPECT_EQ(out, (std::vector<std::string>{"-abc", "-", "-d", "-ef"}));
    EXPECT_EQ(calls, (std::vector<std::string>{"-+a", "-a+b", "-ab+c", "-+d", "-+e", "-e+f"}));
  };
  check(thrust::seq);
  check(thrust::cpp::par);
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(SegmentedReduce, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_random_segmentation(
    [](const segmentation& in)
    {
      const auto items = test::items_of<maps>(in.num_items);
      test::check_reduction<std::int32_t>(in, items, maps(77), compose{});
    });
}

/// Segmented reductions of maps under composition, each of two integers.
struct segmented_reduce_call : test::policy_call
{
  static constexpr bool synchronises = false;

  explicit segmented_reduce_call(std::int64_t size)
  {
    const auto in = test::make_segmentation(test::lengths::power_law, size, 1);
    const auto items = test::items_of<maps>(in.num_items);
    inputs = {as_ints(items), in.offsets_as<std::int32_t>()};
    expected = as_ints(test::expected_reduction(in, items, maps(5), compose{}));
    result = in.num_segments();
  }
  static test::ints as_ints(const std::vector<maps>& values)
  {
    test::ints all;
    for (const maps& value : values)
    {
      all.push_back(static_cast<std::int32_t>(value.factor));
      all.push_back(static_cast<std::int32_t>(value.terms[0]));
    }
    return all;
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const auto* const items = reinterpret_cast<const maps*>(in.first[0]);
    auto* const results = reinterpret_cast<maps*>(out);
    const auto end = mgpu::segmented_reduce(
      policy, items, items + in.size(0) / 2, in.first[1], in.last[1], results, maps(5), compose{});
    return end - results;
  }
};

struct segmented_reduce_plan_call : segmented_reduce_call
{
  static constexpr bool runs_in_device_code = false;

  using segmented_reduce_call::segmented_reduce_call;
  template <class Policy>
  static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    auto* const results = reinterpret_cast<maps*>(out);
    const mgpu::segmented_reduce_plan plan(policy, in.size(0) / 2, in.first[1], in.last[1]);
    return plan.reduce(reinterpret_cast<const maps*>(in.first[0]), results, maps(5), compose{}) - results;
  }
};

using reduction_calls = testing::Types<segmented_reduce_call, segmented_reduce_plan_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SegmentedReduce, Policies, reduction_calls);
}

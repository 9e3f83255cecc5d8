// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Load-balancing search and functions that are called for items in segments: small segments exhaustively, every cut of
// their path, every distribution of sizes, overloads, policies. Types are tested in test_load_balance_types.

#include "support/functions.h"
#include "support/policy_battery.h"
#include "support/segment_battery.h"
#include "support/systems.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::ints;

TEST(LoadBalance, AllSmallSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_small_segmentation(
    4, 2,
    [](const test::segmentation& in)
    {
      if (in.num_segments() > 0)
      {
        test::for_each_policy([&](const auto& policy) { test::check_load_balance<std::int32_t>(policy, in); });
      }
    });
}

TEST(LoadBalance, EveryDistributionOfSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_segmentation(
    [](const test::segmentation& in)
    { test::for_each_policy([&](const auto& policy) { test::check_load_balance<std::int32_t>(policy, in); }); });
}

// Without items, only what is checked is read, and nothing is written.
TEST(LoadBalance, NoItems)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>(100000, 0));
      test::memory<policy_t, std::int8_t> out(1, -7);
      for (const std::int64_t segments : {0, 1, 100000})
      {
        const auto last = offsets.begin() + segments;
        EXPECT_TRUE(mgpu::load_balancing_search(policy, 0, offsets.begin(), last, out.begin()) == out.begin());
        EXPECT_TRUE(
          mgpu::transform_in_segments(policy, 0, offsets.begin(), last, out.begin(), test::mix_item{}) == out.begin());
        mgpu::for_each_in_segments(policy, 0, offsets.begin(), last, test::note_item{});
      }
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>{-7});
    });
}

#if defined(__CUDACC__)
constexpr std::int64_t piece = 4096;
#else
constexpr std::int64_t piece = mgpu::detail::cpu_piece_elements;
#endif

// A segment that begins or ends around the cuts of the path, next to segments of one item or none.
TEST(LoadBalance, SegmentsAtTheEndsOfPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (std::int64_t before = piece / 2 - 2; before <= piece / 2 + 2; ++before)
  {
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, piece - 1, piece, 2 * piece + 1})
    {
      for (const std::int64_t others : {0, 1})
      {
        test::segmentation in;
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
        test::for_each_policy(
          [&](const auto& policy)
          {
            test::check_load_balancing_search<std::int32_t, std::int32_t>(policy, in);
            test::check_for_each_in_segments<std::int32_t>(policy, in);
          });
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

#if defined(__CUDACC__)

// As many segments and items as blocks without tiles take, one more, and one less. Some segments are empty, also the
// first and the last.
TEST(LoadBalance, FewSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t segments : {2, 255, 256, 257, 1023, 1024, 1025})
  {
    for (const std::int64_t items : {-1, 0, 1})
    {
      std::vector<std::int64_t> sizes(segments, 3);
      sizes.front() = 0;
      sizes[segments / 2] = 0;
      sizes.back() = 0;
      std::int64_t& largest = sizes[segments / 3 + 1];
      largest = 0;
      largest = mgpu::detail::few_segments_shape::max_items + items
                - std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
      const test::segmentation in = test::from_sizes(sizes);
      SCOPED_TRACE(std::to_string(segments) + " segments, " + std::to_string(in.num_items) + " items");
      test::for_each_policy(
        [&](const auto& policy)
        {
          test::check_load_balancing_search<std::int32_t, std::int32_t>(policy, in);
          test::check_for_each_in_segments<std::int32_t>(policy, in);
          test::check_transform_in_segments<std::int64_t>(policy, in);
        });
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// As many tiles and segments as blocks cut, and one more: of more of both a kernel cuts them. Some segments are empty,
// and one is as long as a thousand tiles.
TEST(LoadBalance, SegmentsFoundByBlocksOrBefore)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto check = [](const test::segmentation& in)
  {
    SCOPED_TRACE(std::to_string(in.num_segments()) + " segments, " + std::to_string(in.num_items) + " items");
    test::for_each_policy(
      [&](const auto& policy)
      {
        test::check_load_balancing_search<std::int32_t, std::int32_t>(policy, in);
        test::check_transform_in_segments<std::int32_t>(policy, in);
      });
  };
  const std::int64_t max_items = mgpu::detail::max_tiles_cut_by_blocks * mgpu::detail::segments_shape::items;
  for (const std::int64_t items : {max_items, max_items + 1})
  {
    for (const int more : {0, 1})
    {
      std::vector<std::int64_t> sizes(mgpu::detail::segments_shape::max_segments_without_cut + more, 15);
      sizes.front() = 0;
      sizes[1000] = 0;
      sizes[50000] = 0;
      sizes[50000] = items - std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
      check(test::from_sizes(sizes));
      ASSERT_FALSE(HasFatalFailure());
    }
    check(test::make_segmentation(test::lengths::mean_4, items, 1));
    ASSERT_FALSE(HasFatalFailure());
  }
}

#endif

// Checks all overloads, with num_items of any integer type.
template <class Policy, class Size>
void check_overloads(const Policy& policy, Size num_items)
{
  const auto offsets = test::to_memory<Policy>(std::vector<std::int32_t>{0, 2, 2, 3});
  const auto values = test::to_memory<Policy>(std::vector<std::int32_t>{10, 20, 30, 40});
  const std::vector<std::int64_t> segments{0, 0, 2, 3, 3};
  const auto first = offsets.begin();
  const auto last = offsets.end();
  const auto expect = [&](const auto& out, auto end, std::int64_t value, std::int64_t step)
  {
    EXPECT_TRUE(end == out.end());
    const std::vector<std::int64_t> ranks{0, 1, 0, 0, 1};
    const auto got = test::to_host(out);
    for (std::int64_t i = 0; i < 5; ++i)
    {
      EXPECT_EQ(got[i], test::mix_item{}(i, segments[i], ranks[i], value + step * segments[i]));
    }
  };
  test::memory<Policy, std::int64_t> out(5);
  const test::mix_item f{};
  expect(out, mgpu::transform_in_segments(policy, num_items, first, last, out.begin(), f), 0, 0);
  out.assign(5, -7);
  expect(out, mgpu::transform_in_segments(num_items, first, last, out.begin(), f), 0, 0);
  expect(out, mgpu::transform_in_segments(policy, num_items, first, last, values.begin(), out.begin(), f), 10, 10);
  out.assign(5, -7);
  expect(out, mgpu::transform_in_segments(num_items, first, last, values.begin(), out.begin(), f), 10, 10);
  out.assign(5, -7);
  EXPECT_TRUE(mgpu::load_balancing_search(policy, num_items, first, last, out.begin()) == out.end());
  EXPECT_EQ(test::to_host(out), segments);
  out.assign(5, -7);
  EXPECT_TRUE(mgpu::load_balancing_search(num_items, first, last, out.begin()) == out.end());
  EXPECT_EQ(test::to_host(out), segments);

  test::memory<Policy, std::int32_t> calls(5, 0);
  test::memory<Policy, std::int64_t> noted(15, -7);
  std::int64_t* const notes = thrust::raw_pointer_cast(noted.data());
  const test::note_item note{thrust::raw_pointer_cast(calls.data()), notes, notes + 5, notes + 10};
  mgpu::for_each_in_segments(policy, num_items, first, last, note);
  mgpu::for_each_in_segments(num_items, first, last, note);
  EXPECT_EQ(test::to_host(calls), std::vector<std::int32_t>(5, 2));
  EXPECT_EQ(test::to_host(noted)[14], -7);
  mgpu::for_each_in_segments(policy, num_items, first, last, values.begin(), note);
  EXPECT_EQ(test::to_host(noted)[14], 40);
  mgpu::for_each_in_segments(num_items, first, last, values.begin(), note);
  EXPECT_EQ(test::to_host(calls), std::vector<std::int32_t>(5, 4));
}

TEST(LoadBalance, Overloads)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      check_overloads(policy, 5);
      check_overloads(policy, std::int64_t{5});
      check_overloads(policy, std::size_t{5});
      check_overloads(policy, static_cast<unsigned char>(5));
    });
}

#if !defined(__CUDACC__)

/// Executes all parts of the path between diagonals `step` apart, the last first, and compares the output of each.
template <class Action>
void check_all_parts(Action action, ints& out, const test::segmentation& in, std::int64_t step, const ints& expected)
{
  const mgpu::detail::segments all{in.num_items, in.offsets.begin(), in.num_segments()};
  const std::int64_t total = in.num_items + in.num_segments();
  const auto cut = [&](std::int64_t diagonal)
  { return mgpu::load_balance(all.num_items, all.offsets, all.num_segments, diagonal); };
  std::fill(out.begin(), out.end(), -7);
  for (std::int64_t begin = total / step * step; begin >= 0; begin -= step)
  {
    const auto from = cut(begin);
    const auto to = cut(std::min(begin + step, total));
    mgpu::detail::process_segments(action, all, from, to);
    for (std::int64_t i = 0; i < in.num_items; ++i)
    {
      ASSERT_EQ(out[i], i < from.item_index ? -7 : expected[i]) << "item " << i << ", " << begin << " by " << step;
    }
  }
}

TEST(LoadBalance, EveryCutOfThePath)
{
  test::for_each_small_segmentation(
    4, 3,
    [](const test::segmentation& in)
    {
      if (in.num_segments() == 0)
      {
        return;
      }
      const auto segments = in.segments();
      ints ranks(in.num_items);
      ints far(in.num_items);
      for (std::int64_t i = 0; i < in.num_items; ++i)
      {
        ranks[i] = static_cast<std::int32_t>(i - in.offsets[segments[i]]);
        far[i] = static_cast<std::int32_t>(100 * segments[i] + ranks[i]);
      }
      const thrust::counting_iterator<std::int32_t> numbers(0);
      const auto hundreds = thrust::make_transform_iterator(numbers, [](std::int32_t i) { return 100 * i; });
      ints out(in.num_items);
      const auto rank = [](std::int64_t, std::int64_t, std::int64_t r) { return static_cast<std::int32_t>(r); };
      const mgpu::detail::no_values none;
      for (std::int64_t step = 1; step <= in.num_items + in.num_segments(); ++step)
      {
        using namespace mgpu::detail;
        check_all_parts(
          segment_transform{segment_number<std::int32_t>{}, none, out.data()}, out, in, step,
          ints(segments.begin(), segments.end()));
        check_all_parts(segment_transform{rank, none, out.data()}, out, in, step, ranks);
        check_all_parts(segment_transform{element_at_rank{numbers}, hundreds, out.data()}, out, in, step, far);
        check_all_parts(segment_copy{hundreds, in.offsets.begin(), numbers, out.data()}, out, in, step, far);
        if (testing::Test::HasFatalFailure())
        {
          return;
        }
      }
    });
}

// Whatever the offsets, nothing outside the output is written.
TEST(LoadBalance, WrongOffsetsStayWithinBounds)
{
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 150; ++repeat)
  {
    const bool is_large = repeat % 25 == 0;
    const std::int64_t size = is_large ? 70000 : random() % 100;
    std::vector<std::int64_t> offsets(1 + random() % (is_large ? 40000 : 50));
    for (std::int64_t& offset : offsets)
    {
      offset = static_cast<std::int64_t>(random() % (size + 50)) - 20;
    }
    if (repeat % 3 == 0)
    {
      std::sort(offsets.begin(), offsets.end());
    }
    test::for_each_policy(
      [&](const auto& policy)
      {
        ints out(size + 40, -7);
        const auto first = out.begin() + 20;
        mgpu::load_balancing_search(policy, size, offsets.begin(), offsets.end(), first);
        mgpu::interval_expand(policy, size, offsets.begin(), offsets.end(), offsets.begin(), first);
        mgpu::transform_in_segments(policy, size, offsets.begin(), offsets.end(), first, test::mix_item{});
        mgpu::for_each_in_segments(
          policy, size, offsets.begin(), offsets.end(),
          [&](std::int64_t item, std::int64_t segment, std::int64_t)
          {
            if (item < 0 || item >= size || segment < 0 || segment >= static_cast<std::int64_t>(offsets.size()))
            {
              throw std::out_of_range("an item or segment that there is not");
            }
          });
        ASSERT_TRUE(std::all_of(out.begin(), first, [](std::int32_t x) { return x == -7; }));
        ASSERT_TRUE(std::all_of(first + size, out.end(), [](std::int32_t x) { return x == -7; }));
      });
    ASSERT_FALSE(HasFatalFailure());
  }
}

// A serial policy calls one copy of the function, in item order.
TEST(LoadBalance, SerialPoliciesKeepTheOrder)
{
  const auto in = test::make_segmentation(test::lengths::ones_and_runs, 20000, 1);
  const auto check = [&](const auto& policy)
  {
    std::vector<std::int64_t> items;
    mgpu::for_each_in_segments(
      policy, in.num_items, in.offsets.begin(), in.offsets.end(),
      [&items, calls = std::int64_t{0}](std::int64_t item, std::int64_t, std::int64_t) mutable
      {
        EXPECT_EQ(calls++, item);
        items.push_back(item);
      });
    EXPECT_EQ(items.size(), static_cast<std::size_t>(in.num_items));
  };
  check(thrust::seq);
  check(thrust::cpp::par);
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(LoadBalance, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_random_segmentation(
    [](const test::segmentation& in)
    { test::for_each_policy([&](const auto& policy) { test::check_load_balance<std::int32_t>(policy, in); }); });
}

/// Input of items in segments of many lengths.
struct segments_call : test::policy_call
{
  static constexpr bool synchronises = false;
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;
  static constexpr std::int64_t size_with_storage = test::size_of_many_tiles;

  explicit segments_call(std::int64_t size)
      : in(test::make_segmentation(test::lengths::power_law, size, 1))
  {
    inputs = {in.offsets_as<std::int32_t>()};
    result = in.num_items;
  }
  test::segmentation in;
};

struct load_balancing_search_call : segments_call
{
  explicit load_balancing_search_call(std::int64_t size)
      : segments_call(size)
  {
    const auto segments = in.segments();
    expected.assign(segments.begin(), segments.end());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::load_balancing_search(policy, in.output_size, in.first[0], in.last[0], out) - out;
  }
};

/// Combines an item, its segment and its rank into one number.
struct mix_in_32_bits
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t item, std::int64_t segment, std::int64_t rank) const
  {
    return static_cast<std::int32_t>(item + 17 * segment + 257 * rank);
  }
};

struct transform_in_segments_call : segments_call
{
  explicit transform_in_segments_call(std::int64_t size)
      : segments_call(size)
  {
    const auto segments = in.segments();
    for (std::int64_t i = 0; i < in.num_items; ++i)
    {
      expected.push_back(mix_in_32_bits{}(i, segments[i], i - in.offsets[segments[i]]));
    }
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::transform_in_segments(policy, in.output_size, in.first[0], in.last[0], out, mix_in_32_bits{}) - out;
  }
};

/// Writes the number of mix_in_32_bits at an item's position.
struct write_mixed
{
  std::int32_t* out;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t item, std::int64_t segment, std::int64_t rank) const
  {
    out[item] = mix_in_32_bits{}(item, segment, rank);
  }
};

struct for_each_in_segments_call : transform_in_segments_call
{
  using transform_in_segments_call::transform_in_segments_call;
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    mgpu::for_each_in_segments(policy, in.output_size, in.first[0], in.last[0], write_mixed{out});
    return in.output_size;
  }
};

using calls = testing::Types<load_balancing_search_call, transform_in_segments_call, for_each_in_segments_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(LoadBalance, Policies, calls);
}

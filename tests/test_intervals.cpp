// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Interval operations: small intervals exhaustively, every distribution of lengths, overloads and policies. Types are
// tested in test_intervals_types.

#include "support/policy_battery.h"
#include "support/segment_battery.h"
#include "support/systems.h"

#include <thrust/iterator/constant_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

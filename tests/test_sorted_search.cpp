// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The sorted searches against std::, on every distribution and size, of computed keys, with wrong sizes, and under
// policies of every kind.

#include "support/distributions.h"
#include "support/functions.h"
#include "support/policy_battery.h"
#include "support/search_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/sorted_search.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

/// Checks all searches of 4-byte keys.
void check(test::distribution d, std::int64_t haystack, std::int64_t needles, std::uint64_t seed)
{
  test::check_searches<std::int32_t, std::int32_t>(test::all_searches{}, d, haystack, needles, seed);
}

TEST(SortedSearch, Distributions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    check(d, 50000, 40000, 1);
    check(d, 3000, 90000, 2);
    check(d, 90000, 3000, 3); // few needles, but not so few that each is searched individually
#if defined(__CUDACC__)
    check(d, 300000, 270000, 4);  // too many to bisect for each needle, but few tiles
    check(d, 1000000, 900000, 5); // many tiles
#endif
  }
}

TEST(SortedSearch, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = test::search_tile_items<std::int32_t>();
  for (const std::int64_t haystack : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, tile - 1, tile, 3 * tile + 1})
  {
    for (const std::int64_t needles :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{31}, std::int64_t{63}, std::int64_t{64}, std::int64_t{65},
          std::int64_t{128}, std::int64_t{129}, tile, tile + 1})
    {
      check(test::distribution::uniform, haystack, needles, 4);
      check(test::distribution::all_equal, haystack, needles, 5);
    }
  }
  check(test::distribution::uniform, (1 << 20) + 3, (1 << 20) + 3, 6);
#if defined(__CUDACC__)
  for (const std::int64_t more : {-1, 0, 1}) // around the sizes from which other kernels are used
  {
    constexpr std::int64_t few = mgpu::detail::max_to_search_by_bisection / 2;
    constexpr std::int64_t tiles = mgpu::detail::max_tiles_cut_by_blocks;
    check(test::distribution::uniform, few + more, few, 7);
    check(test::distribution::uniform, tiles * tile / 2 + more, tiles * tile / 2, 8);
  }
#endif
}

TEST(SortedSearch, SkewedSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::one_run, test::distribution::runs})
  {
    check(d, 1000000, 1, 7);
    check(d, 1000000, 1000, 8);
    check(d, 1, 1000000, 9);
    check(d, 1000, 1000000, 10);
  }
}

// Computed keys of different types on both sides, and keys of two columns.
TEST(SortedSearch, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto threes =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), test::times_three{});
      const thrust::counting_iterator<std::int32_t> numbers(0);
      test::memory<policy_t, std::int32_t> lower(30000);
      mgpu::sorted_lower_bound(policy, threes, threes + 10000, numbers, numbers + 30000, lower.begin());
      const auto got = test::to_host(lower);
      for (std::int32_t i = 0; i < 30000; ++i)
      {
        ASSERT_EQ(got[i], (i + 2) / 3);
      }
      const auto rows = thrust::make_zip_iterator(numbers, threes);
      const auto other_rows = thrust::make_zip_iterator(numbers + 5, threes + 5);
      test::flags<policy_t> found(100);
      mgpu::sorted_contains(policy, rows, rows + 50, other_rows, other_rows + 100, found.data());
      const auto flags = found.to_host();
      for (std::int32_t i = 0; i < 100; ++i)
      {
        ASSERT_EQ(flags[i], i + 5 < 50);
      }
    });
}

TEST(SortedSearch, IndicesThatDoNotFitAreAnError)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int32_t> numbers(0);
      test::memory<policy_t, std::int8_t> out(10, -5);
      const auto expect_length_error = [&](auto f)
      {
        try
        {
          f();
          ADD_FAILURE() << "no exception";
        }
        catch (const std::length_error& error)
        {
          EXPECT_NE(std::string(error.what()).find("mgpu::sorted_"), std::string::npos);
          EXPECT_NE(std::string(error.what()).find("do not fit the output"), std::string::npos);
        }
      };
      expect_length_error(
        [&] { mgpu::sorted_lower_bound(policy, numbers, numbers + 128, numbers, numbers + 10, out.begin()); });
      expect_length_error(
        [&] { mgpu::sorted_upper_bound(policy, numbers, numbers + 128, numbers, numbers + 10, out.begin()); });
      expect_length_error(
        [&]
        {
          mgpu::sorted_search(
            policy, numbers, numbers + 10, numbers, numbers + 128, out.begin(), thrust::make_discard_iterator());
        });
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(10, -5));
      mgpu::sorted_lower_bound(policy, numbers, numbers + 127, numbers, numbers + 10, out.begin());
      EXPECT_EQ(test::to_host(out)[9], 9);
      EXPECT_THROW(
        mgpu::sorted_lower_bound(policy, numbers + 1, numbers, numbers, numbers + 10, out.begin()),
        std::invalid_argument);
      EXPECT_THROW(
        mgpu::sorted_contains(policy, numbers, numbers, numbers + 1, numbers, out.begin()), std::invalid_argument);
    });
}

#if !defined(__CUDACC__)

TEST(SortedSearch, PlainOutputIterators)
{
  const std::vector<int> haystack{1, 3, 3, 5};
  const std::vector<int> needles{0, 3, 4, 9};
  std::vector<int> lower;
  std::vector<long> upper;
  mgpu::sorted_equal_range(
    thrust::seq, haystack.begin(), haystack.end(), needles.begin(), needles.end(), std::back_inserter(lower),
    std::back_inserter(upper));
  EXPECT_EQ(lower, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(upper, (std::vector<long>{0, 3, 3, 4}));
  std::vector<bool> found;
  mgpu::sorted_contains(
    thrust::host, haystack.begin(), haystack.end(), needles.begin(), needles.end(), std::back_inserter(found));
  EXPECT_EQ(found, (std::vector<bool>{false, true, false, false}));
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(SortedSearch, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::fuzz_distributions([](auto... input) { check(input...); });
}

/// Two sorted inputs, in which every third element of one and every second of the other are in both.
struct search_call : test::policy_call
{
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;
  static constexpr std::int64_t size_with_storage = test::size_of_many_tiles;

  explicit search_call(std::int64_t size)
  {
    inputs.resize(2);
    for (std::int32_t i = 0; i < size; ++i)
    {
      inputs[0].push_back(2 * i);
      inputs[1].push_back(3 * i);
    }
    for (const std::int32_t needle : inputs[1])
    {
      const auto lower = std::lower_bound(inputs[0].begin(), inputs[0].end(), needle);
      expected.push_back(static_cast<std::int32_t>(lower - inputs[0].begin()));
    }
    result = size;
  }
};

struct lower_bound_call : search_call
{
  static constexpr bool synchronises = false;

  using search_call::search_call;
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::sorted_lower_bound(policy, in.first[0], in.last[0], in.first[1], in.last[1], out) - out;
  }
};

/// Searches each input in the other; in the output, the upper bounds follow the lower bounds.
struct joint_search_call : search_call
{
  explicit joint_search_call(std::int64_t size)
      : search_call(size)
  {
    std::int64_t matches = 0;
    for (const std::int32_t key : inputs[0])
    {
      const auto range = std::equal_range(inputs[1].begin(), inputs[1].end(), key);
      expected.push_back(static_cast<std::int32_t>(range.second - inputs[1].begin()));
      matches += range.first != range.second;
    }
    result = 1000000 * matches + matches; // no element occurs twice
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    std::int64_t counts[2] = {0, 0};
    mgpu::sorted_search(policy, in.first[1], in.last[1], in.first[0], in.last[0], out, out + in.size(1), &counts);
    return 1000000 * counts[0] + counts[1];
  }
};

using calls = testing::Types<lower_bound_call, joint_search_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SortedSearch, Policies, calls);
}

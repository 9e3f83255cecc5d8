// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Merges of any number of runs against std::stable_sort of the runs one after the other: numbers, lengths and orders of
// runs; by key, indices; wrong sizes, and policies. Types are tested in test_multiway_merge_types.

#include <mgpu_thrust/multiway_merge.h>

#include "support/elements.h"
#include "support/fuzz.h"
#include "support/keys.h"
#include "support/policy_battery.h"
#include "support/runs_battery.h"
#include "support/systems.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::make_runs;
using test::placed_values;
using test::run_keys;
using test::sorted_runs;
using merged_ints = std::vector<std::int32_t>;

/// Checks all six functions on integers, under every policy.
void check_merged_runs(const sorted_runs& runs)
{
  const merged_ints order = runs.merged();
  merged_ints keys;
  merged_ints numbers;
  merged_ints positions;
  for (const std::int32_t i : order)
  {
    const auto run = std::upper_bound(runs.offsets.begin(), runs.offsets.end(), i) - 1;
    keys.push_back(static_cast<std::int32_t>(runs.ranks[i]));
    numbers.push_back(static_cast<std::int32_t>(run - runs.offsets.begin()));
    positions.push_back(i - *run);
  }
  const auto n = runs.num_items();
  const auto k = runs.num_runs();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      using output = test::memory<policy_t, std::int32_t>;
      const test::placed_runs<policy_t, std::int32_t> in(
        runs, [](std::int64_t rank) { return static_cast<std::int32_t>(rank); }, -100);
      const placed_values<policy_t> values(runs);
      output out(n + 1, -7);
      output more(n + 1, -7);
      const auto expect = [&](const char* function, const merged_ints& first, std::int64_t size)
      {
        SCOPED_TRACE(function);
        test::expect_output(out, first, size);
        out.assign(out.size(), -7);
      };
      const auto expect_both = [&](const char* function, const merged_ints& first, const merged_ints& second, auto ends)
      {
        expect(function, first, ends.first - out.begin());
        SCOPED_TRACE(function);
        test::expect_output(more, second, ends.second - more.begin());
        more.assign(more.size(), -7);
      };
      const auto first = in.keys.begin();
      const auto last = in.keys.end();
      const auto offsets = in.offsets.begin();
      const auto offsets_last = in.offsets.end();
      expect(
        "merge_runs", keys, mgpu::merge_runs(policy, first, last, offsets, offsets_last, out.begin()) - out.begin());
      expect_both(
        "merge_runs_by_key", keys, order,
        mgpu::merge_runs_by_key(
          policy, first, last, values.values.begin(), offsets, offsets_last, out.begin(), more.begin()));
      expect(
        "merge_runs_indices", order,
        mgpu::merge_runs_indices(policy, first, last, offsets, offsets_last, out.begin()) - out.begin());
      const auto firsts = in.first_of_runs.begin();
      const auto sizes = in.sizes.begin();
      expect("multiway_merge", keys, mgpu::multiway_merge(policy, firsts, sizes, k, n, out.begin()) - out.begin());
      expect_both(
        "multiway_merge_by_key", keys, order,
        mgpu::multiway_merge_by_key(
          policy, firsts, values.first_of_runs.begin(), sizes, k, n, out.begin(), more.begin()));
      expect_both(
        "multiway_merge_indices", numbers, positions,
        mgpu::multiway_merge_indices(policy, firsts, sizes, k, n, out.begin(), more.begin()));
    });
}

/// Elements of several pieces, or tiles.
constexpr std::int64_t pieces_of_runs = 70001;

TEST(MultiwayMerge, EveryNumberOfRuns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_merged_runs({});
  for (const std::int64_t k : {1, 2, 3, 7, 8, 9, 16, 63, 64, 65, 511, 512, 513, 1000})
  {
    for (const run_keys kind : {run_keys::random, k % 2 == 0 ? run_keys::few : run_keys::in_turn})
    {
      SCOPED_TRACE(std::to_string(k) + " runs, keys " + std::to_string(static_cast<int>(kind)));
      check_merged_runs(make_runs(test::equal_sizes(k, pieces_of_runs), kind));
      check_merged_runs(make_runs(test::equal_sizes(k, 3 * k), kind));
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

TEST(MultiwayMerge, EveryOrderOfKeys)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const run_keys kind : test::all_run_keys)
  {
    SCOPED_TRACE("keys " + std::to_string(static_cast<int>(kind)));
    check_merged_runs(make_runs(test::equal_sizes(20, pieces_of_runs), kind));
    check_merged_runs(make_runs(test::power_law_sizes(100, 40000), kind));
    check_merged_runs(make_runs(test::power_law_sizes(1000, 20000), kind));
    ASSERT_FALSE(HasFatalFailure());
  }
}

// One long run and many that are empty or short; all of one element; none with an element.
TEST(MultiwayMerge, EveryMixtureOfLengths)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const run_keys kind : {run_keys::random, run_keys::few})
  {
    for (const std::int64_t k : {8, 9, 1000, 100000})
    {
      SCOPED_TRACE(std::to_string(k) + " runs, keys " + std::to_string(static_cast<int>(kind)));
      std::vector<std::int64_t> sizes(k, 0);
      check_merged_runs(make_runs(sizes, kind));
      sizes[k / 3] = pieces_of_runs;
      check_merged_runs(make_runs(sizes, kind));
      sizes[k - 1] = 3;
      sizes[0] = 1;
      check_merged_runs(make_runs(sizes, kind));
      check_merged_runs(make_runs(std::vector<std::int64_t>(k, 1), kind));
      ASSERT_FALSE(HasFatalFailure());
    }
    check_merged_runs(make_runs(test::equal_sizes(100000, 300007), kind));
    check_merged_runs(make_runs({pieces_of_runs, 1, pieces_of_runs, 0, 5000, 5000, 3, 40000}, kind));
  }
}

#if defined(__CUDACC__)

// So many tiles that all of them are not co-resident.
TEST(MultiwayMerge, ManyTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t k : {3, 8, 50, 700})
  {
    SCOPED_TRACE(std::to_string(k) + " runs");
    check_merged_runs(make_runs(test::equal_sizes(k, 9000011), run_keys::random));
    check_merged_runs(make_runs(test::power_law_sizes(k, 4000000), run_keys::few));
    ASSERT_FALSE(HasFatalFailure());
  }
}

#endif

// All runs of up to three of two keys, of up to four runs: every path of few elements.
TEST(MultiwayMerge, AllSmallRuns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      constexpr int step = test::on_cuda<policy_t> ? 37 : 1; // calls take longer there
      constexpr int kinds = 10;                              // of runs: s keys, of which the first z are 0, z <= s <= 3
      for (int number = 0; number < kinds * kinds * kinds * kinds; number += step)
      {
        sorted_runs runs;
        for (int run = 0, rest = number; run < 4; ++run, rest /= kinds)
        {
          const int kind = rest % kinds;
          const int size = kind == 0 ? 0 : kind < 3 ? 1 : kind < 6 ? 2 : 3;
          const int zeros = kind - size * (size + 1) / 2;
          runs.offsets.push_back(static_cast<std::int32_t>(runs.num_items()));
          runs.sizes.push_back(size);
          for (int i = 0; i < size; ++i)
          {
            runs.ranks.push_back(i >= zeros);
          }
        }
        const auto keys = test::to_memory<policy_t>(runs.ranks);
        const auto offsets = test::to_memory<policy_t>(runs.offsets);
        test::memory<policy_t, std::int32_t> out(runs.num_items() + 1, -7);
        const auto end =
          mgpu::merge_runs_indices(policy, keys.begin(), keys.end(), offsets.begin(), offsets.end(), out.begin());
        test::expect_output(out, runs.merged(), end - out.begin());
        ASSERT_FALSE(HasFatalFailure()) << "number " << number;
      }
    });
}

TEST(MultiwayMerge, WithoutAPolicy)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__)
  using memory_policy = thrust::cuda::tag;
#else
  using memory_policy = std::decay_t<decltype(thrust::seq)>;
#endif
  const sorted_runs runs = make_runs(test::power_law_sizes(12, 1000), run_keys::few);
  const merged_ints order = runs.merged();
  const test::placed_runs<memory_policy, std::int32_t> in(
    runs, [](std::int64_t rank) { return static_cast<std::int32_t>(rank); }, -100);
  const placed_values<memory_policy> values(runs);
  test::memory<memory_policy, std::int32_t> keys(runs.num_items());
  test::memory<memory_policy, std::int32_t> out(runs.num_items() + 1, -7);
  const auto first = in.keys.begin();
  const auto last = in.keys.end();
  mgpu::merge_runs_indices(first, last, in.offsets.begin(), in.offsets.end(), out.begin());
  test::expect_output(out, order, runs.num_items());
  out.assign(out.size(), -7);
  mgpu::merge_runs(first, last, in.offsets.begin(), in.offsets.end(), keys.begin());
  mgpu::merge_runs_by_key(
    first, last, values.values.begin(), in.offsets.begin(), in.offsets.end(), keys.begin(), out.begin());
  test::expect_output(out, order, runs.num_items());
  out.assign(out.size(), -7);
  const auto k = in.num_runs();
  const auto n = in.num_items();
  mgpu::multiway_merge(in.first_of_runs.begin(), in.sizes.begin(), k, n, keys.begin());
  mgpu::multiway_merge_by_key(
    in.first_of_runs.begin(), values.first_of_runs.begin(), in.sizes.begin(), k, n, keys.begin(), out.begin());
  test::expect_output(out, order, runs.num_items());
  mgpu::multiway_merge_indices(in.first_of_runs.begin(), in.sizes.begin(), k, n, keys.begin(), out.begin());
  const auto numbers = test::to_host(keys);
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), 5), runs.sizes[5]);
}

// Sizes that are negative, more or less than the number of items: nothing is written past it, and nothing is read past
// the runs, where nines are. If there are too few elements, the result may have zeros.
TEST(MultiwayMerge, WrongSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::vector<std::vector<std::int64_t>> all_sizes{
    {1000, -5, 2000, 2000},
    {5000, 5000, 5000},
    {-1, -1},
    {10, 20},
    {5000, std::int64_t{1} << 62, std::int64_t{1} << 62}};
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (const auto& sizes : all_sizes)
      {
        std::vector<std::int64_t> keys(5000, 9);
        const std::int64_t longest = *std::max_element(sizes.begin(), sizes.end());
        std::fill_n(keys.begin(), std::clamp<std::int64_t>(longest, 0, 5000), 3);
        const auto in = test::to_memory<policy_t>(keys);
        for (const std::int64_t n : {1, 30, 4999, 5000})
        {
          const auto placed = test::to_memory<policy_t>(sizes);
          const auto firsts = test::to_memory<policy_t>(
            std::vector<const std::int64_t*>(sizes.size(), thrust::raw_pointer_cast(in.data())));
          test::memory<policy_t, std::int64_t> out(n + 1, -7);
          const auto end = mgpu::multiway_merge(
            policy, firsts.begin(), placed.begin(), static_cast<std::int64_t>(sizes.size()), n, out.begin());
          EXPECT_LE(end - out.begin(), n);
          const auto got = test::to_host(out);
          EXPECT_EQ(got.back(), -7);
          EXPECT_TRUE(std::all_of(
            got.begin(), got.end(), [=](std::int64_t x) { return x == 3 || x == -7 || (x == 0 && longest < 0); }));
        }
      }
    });
}

#if !defined(__CUDACC__)

// An exception of the comparator stops all workers.
TEST(MultiwayMerge, ExceptionsStopAllWorkers)
{
  const sorted_runs runs = make_runs(test::equal_sizes(20, 200000), run_keys::random);
  const auto throws = [](std::int64_t x, std::int64_t y)
  { return x > 8000000 && y > 8000000 ? throw std::string("large") : x < y; };
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::int64_t> out(runs.ranks.size());
      EXPECT_THROW(
        mgpu::merge_runs(
          policy, runs.ranks.begin(), runs.ranks.end(), runs.offsets.begin(), runs.offsets.end(), out.begin(), throws),
        std::string);
    });
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(MultiwayMerge, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    12,
    [](std::mt19937_64& random)
    {
      const auto k = static_cast<std::int64_t>(1 + random() % (random() % 4 == 0 ? 3000 : 30));
      const std::uint64_t longest = 1 + random() % (random() % 3 == 0 ? 60000 : 500);
      std::vector<std::int64_t> sizes(k);
      std::int64_t left = 200000;
      for (std::int64_t& size : sizes)
      {
        size = random() % 4 == 0 ? 0 : std::min<std::int64_t>(left, static_cast<std::int64_t>(random() % longest));
        left -= size;
      }
      const std::int64_t largest = random() % 3 == 0 ? 5 : 1 << 24;
      check_merged_runs(
        make_runs(sizes, test::all_run_keys[random() % std::size(test::all_run_keys)], largest, random()));
    });
}

/// Elements of runs of one range, by offsets.
struct run_in_range
{
  const std::int32_t* keys;
  const std::int32_t* offsets;

  MGPU_THRUST_HOST_DEVICE const std::int32_t* operator()(std::int64_t run) const
  {
    return keys + offsets[run];
  }
};

struct merge_runs_call : test::policy_call
{
  static constexpr bool synchronises = false;
  static constexpr test::cpu_storage allocates_on_cpu = test::cpu_storage::always;

  explicit merge_runs_call(std::int64_t size)
  {
    const sorted_runs runs = make_runs(test::equal_sizes(13, size), run_keys::random);
    inputs = {test::ints(runs.ranks.begin(), runs.ranks.end()), runs.offsets, runs.sizes};
    for (const std::int32_t i : runs.merged())
    {
      expected.push_back(static_cast<std::int32_t>(runs.ranks[i]));
    }
    result = size;
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::merge_runs(policy, in.first[0], in.last[0], in.first[1], in.last[1], out) - out;
  }
};

/// Positions in runs, with computed iterators to runs.
struct multiway_merge_indices_call : test::policy_call
{
  static constexpr bool synchronises = false;
  static constexpr test::cpu_storage allocates_on_cpu = test::cpu_storage::always;

  explicit multiway_merge_indices_call(std::int64_t size)
  {
    const sorted_runs runs = make_runs(test::equal_sizes(7, size), run_keys::few);
    inputs = {test::ints(runs.ranks.begin(), runs.ranks.end()), runs.offsets, runs.sizes};
    for (const std::int32_t i : runs.merged())
    {
      expected.push_back(i - *(std::upper_bound(runs.offsets.begin(), runs.offsets.end(), i) - 1));
    }
    result = size;
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const thrust::counting_iterator<std::int64_t> numbers(0);
    const auto ends = mgpu::multiway_merge_indices(
      policy, thrust::make_transform_iterator(numbers, run_in_range{in.first[0], in.first[1]}), in.first[2], in.size(2),
      in.size(0), thrust::make_discard_iterator(), out);
    return ends.second - out;
  }
};

using multiway_merge_calls = testing::Types<merge_runs_call, multiway_merge_indices_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(MultiwayMerge, Policies, multiway_merge_calls);
}

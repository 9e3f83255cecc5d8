// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Merges of runs that fold equal keys, against a loop over the sorted elements: numbers, lengths and orders of runs,
// shares of equal keys, an operator that does not commute; levels of a store; policies.

#include "support/fold_battery.h"
#include "support/fuzz.h"
#include "support/policy_battery.h"
#include "support/systems.h"

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::check_folds;
using test::make_runs;
using test::run_keys;
using test::sorted_runs;
using test::with_numbers;

/// Elements of several pieces, or tiles.
constexpr std::int64_t folded_items = 70001;

TEST(MergeFolds, EveryNumberOfRuns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_folds({});
  for (const std::int64_t k : {1, 2, 8, 9, 65, 700})
  {
    for (const std::int64_t largest : {std::int64_t{3}, std::int64_t{30000}})
    {
      SCOPED_TRACE(std::to_string(k) + " runs, ranks below " + std::to_string(largest));
      check_folds(with_numbers(make_runs(test::equal_sizes(k, folded_items), run_keys::random, largest)));
      check_folds(with_numbers(make_runs(test::equal_sizes(k, 3 * k), run_keys::random, largest)));
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// Some runs have a single key. Some begin with the last key of the runs before.
TEST(MergeFolds, EveryOrderOfKeys)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const run_keys kind : test::all_run_keys)
  {
    SCOPED_TRACE("keys " + std::to_string(static_cast<int>(kind)));
    check_folds(with_numbers(make_runs(test::equal_sizes(20, folded_items / 2), kind)));
    check_folds(with_numbers(make_runs(test::power_law_sizes(300, 40000), kind, 2000)));
    sorted_runs runs = make_runs(test::equal_sizes(9, folded_items), kind);
    for (std::int64_t& rank : runs.ranks) // so groups end in later pieces and tiles
    {
      rank /= 20000;
    }
    check_folds(with_numbers(runs));
    ASSERT_FALSE(HasFatalFailure());
  }
}

// One long run and many that are empty or short; all of one element; none with an element.
TEST(MergeFolds, EveryMixtureOfLengths)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t k : {8, 1000})
  {
    SCOPED_TRACE(std::to_string(k) + " runs");
    std::vector<std::int64_t> sizes(k, 0);
    check_folds(with_numbers(make_runs(sizes, run_keys::random)));
    sizes[k / 3] = folded_items;
    check_folds(with_numbers(make_runs(sizes, run_keys::random, 50000)));
    sizes[k - 1] = 300;
    sizes[0] = 1;
    check_folds(with_numbers(make_runs(sizes, run_keys::random, 50000)));
    check_folds(with_numbers(make_runs(std::vector<std::int64_t>(k, 1), run_keys::random, 100)));
  }
}

// All runs of up to three of two keys, of three runs.
TEST(MergeFolds, AllSmallRuns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__)
  constexpr int step = 37; // calls take longer there
#else
  constexpr int step = 3;
#endif
  constexpr int kinds = 10; // of runs: s keys, of which the first z are 0, z <= s <= 3
  for (int number = 0; number < kinds * kinds * kinds && !HasFatalFailure(); number += step)
  {
    sorted_runs runs;
    for (int run = 0, rest = number; run < 3; ++run, rest /= kinds)
    {
      const int kind = rest % kinds;
      const int size = kind == 0 ? 0 : kind < 3 ? 1 : kind < 6 ? 2 : 3;
      runs.offsets.push_back(static_cast<std::int32_t>(runs.num_items()));
      runs.sizes.push_back(size);
      for (int i = 0; i < size; ++i)
      {
        runs.ranks.push_back(i >= kind - size * (size + 1) / 2);
      }
    }
    SCOPED_TRACE(number);
    check_folds(with_numbers(runs));
  }
}

#if defined(__CUDACC__)

// So many tiles that all of them are not co-resident, and more than a warp serves at a time.
TEST(MergeFolds, ManyTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t k : {1, 3, 8, 50})
  {
    for (const std::int64_t largest : {2, 1000, 1 << 20})
    {
      SCOPED_TRACE(std::to_string(k) + " runs, ranks below " + std::to_string(largest));
      check_folds(with_numbers(make_runs(test::equal_sizes(k, 9000011), run_keys::random, largest)));
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

#endif

struct newest
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t, std::int32_t later) const
  {
    return later;
  }
};
struct is_alive
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t value) const
  {
    return value >= 0;
  }
};

#if defined(__CUDACC__)
using memory_policy = thrust::cuda::tag;
#else
using memory_policy = std::decay_t<decltype(thrust::seq)>;
#endif

// Levels of a store from old to new, with tombstones.
TEST(MergeFolds, LevelsOfAStore)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const sorted_runs runs = make_runs({60000, 20000, 5000, 300}, run_keys::random, 50000);
  const auto n = runs.num_items();
  const test::placed_runs<memory_policy, std::int32_t> in(
    runs, [](std::int64_t rank) { return static_cast<std::int32_t>(rank); }, -100);
  std::vector<std::int32_t> host_values(n);
  std::map<std::int32_t, std::int32_t> store;
  for (std::int64_t i = 0; i < n; ++i)
  {
    host_values[i] = static_cast<std::int32_t>(i % 5 == 2 ? -1 : i);
    store[static_cast<std::int32_t>(runs.ranks[i])] = host_values[i];
  }
  std::vector<std::int32_t> expected_keys;
  std::vector<std::int32_t> expected_values;
  for (const auto& entry : store)
  {
    if (entry.second >= 0)
    {
      expected_keys.push_back(entry.first);
      expected_values.push_back(entry.second);
    }
  }
  const auto alive = static_cast<std::int64_t>(expected_keys.size());
  const auto values = test::to_memory<memory_policy>(host_values);
  test::memory<memory_policy, std::int32_t> keys(alive + 1, -7);
  test::memory<memory_policy, std::int32_t> out(alive + 1, -7);
  const auto ends = mgpu::merge_runs_reduce_by_key(
    in.keys.begin(), in.keys.end(), values.begin(), in.offsets.begin(), in.offsets.end(), keys.begin(), out.begin(),
    ::cuda::std::less<>{}, newest{}, is_alive{});
  test::expect_output(keys, expected_keys, ends.first - keys.begin());
  test::expect_output(out, expected_values, ends.second - out.begin());
}

// Each function without a policy, with the types of the battery.
TEST(MergeFolds, WithoutAPolicy)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using maps = test::affine_maps<1>;
  const sorted_runs runs = with_numbers(make_runs(test::power_law_sizes(12, 1000), run_keys::few));
  const auto host_values = test::items_of<maps>(runs.num_items());
  const test::compose op;
  const test::order_of_ranks comp;
  const auto all = test::expected_folds(runs, host_values, op, mgpu::keep_all{});
  const auto size = static_cast<std::int64_t>(all.keys.size());
  const auto most = test::expected_folds(runs, host_values, op, test::keeps_most{});
  const test::placed_runs<memory_policy, std::int64_t> in(
    runs, [](std::int64_t rank) { return rank; }, -100);
  const auto values = test::to_memory<memory_policy>(host_values);
  std::vector<const maps*> host_firsts;
  for (const std::int32_t offset : runs.offsets)
  {
    host_firsts.push_back(thrust::raw_pointer_cast(values.data()) + offset);
  }
  const auto value_runs = test::to_memory<memory_policy>(host_firsts);
  test::memory<memory_policy, std::int64_t> keys(size + 1);
  test::memory<memory_policy, maps> out(size);
  const auto expect_keys = [&](auto end)
  {
    keys[size] = -7;
    test::expect_output(keys, all.keys, end - keys.begin());
    keys.assign(size + 1, -7);
  };
  const auto first = in.keys.begin();
  const auto last = in.keys.end();
  const auto offsets = in.offsets.begin();
  const auto offsets_last = in.offsets.end();
  const auto firsts = in.first_of_runs.begin();
  const auto sizes = in.sizes.begin();
  const auto k = in.num_runs();
  const auto n = in.num_items();
  expect_keys(mgpu::merge_runs_reduce_by_key(
                first, last, values.begin(), offsets, offsets_last, keys.begin(), out.begin(), comp, op)
                .first);
  expect_keys(mgpu::merge_runs_unique(first, last, offsets, offsets_last, keys.begin(), comp));
  expect_keys(mgpu::multiway_merge_unique(firsts, sizes, k, n, keys.begin(), comp));
  EXPECT_EQ(mgpu::merge_runs_unique_size(first, last, offsets, offsets_last, comp), size);
  EXPECT_EQ(mgpu::multiway_merge_unique_size(firsts, sizes, k, n, comp), size);
  const test::keeps_most keep;
  const auto size_of_most = static_cast<std::int64_t>(most.keys.size());
  mgpu::multiway_merge_reduce_by_key(
    firsts, value_runs.begin(), sizes, k, n, keys.begin(), out.begin(), comp, op, keep);
  EXPECT_EQ(test::to_host(keys)[size_of_most - 1], most.keys.back());
  EXPECT_EQ(
    mgpu::merge_runs_reduce_by_key_size(first, last, values.begin(), offsets, offsets_last, comp, op, keep),
    size_of_most);
  EXPECT_EQ(mgpu::multiway_merge_reduce_by_key_size(firsts, value_runs.begin(), sizes, k, n, comp, op), size);
}

#if !defined(__CUDACC__)

// Sums of floating-point numbers are those of a loop from left to right, under each policy.
TEST(MergeFolds, FromLeftToRight)
{
  const sorted_runs runs = with_numbers(make_runs(test::equal_sizes(5, 200000), run_keys::random, 20));
  std::vector<double> values(runs.ranks.size());
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    values[i] = 1.0 / static_cast<double>(i + 1);
  }
  const auto expected = test::expected_folds(runs, values, test::add{}, mgpu::keep_all{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::int64_t> keys(20);
      std::vector<double> sums(20);
      mgpu::merge_runs_reduce_by_key(
        policy, runs.ranks.begin(), runs.ranks.end(), values.begin(), runs.offsets.begin(), runs.offsets.end(),
        keys.begin(), sums.begin(), test::order_of_ranks{});
      EXPECT_EQ(keys, expected.keys);
      EXPECT_EQ(sums, expected.values);
    });
}

// An exception of the operator stops all workers.
TEST(MergeFolds, ExceptionsStopAllWorkers)
{
  const sorted_runs runs = make_runs(test::equal_sizes(20, 200000), run_keys::random, 1000);
  const auto throws = [](std::int64_t x, std::int64_t y)
  { return y == 700 ? throw std::string("large") : std::max(x, y); };
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::int64_t> out(runs.ranks.size());
      EXPECT_THROW(
        mgpu::merge_runs_reduce_by_key(
          policy, runs.ranks.begin(), runs.ranks.end(), runs.ranks.begin(), runs.offsets.begin(), runs.offsets.end(),
          out.begin(), out.begin(), ::cuda::std::less<>{}, throws),
        std::string);
    });
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(MergeFolds, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    6,
    [](std::mt19937_64& random)
    {
      std::vector<std::int64_t> sizes(1 + random() % (random() % 4 == 0 ? 2000 : 30));
      const std::uint64_t longest = 1 + random() % (random() % 3 == 0 ? 60000 : 500);
      std::int64_t left = 100000;
      for (std::int64_t& size : sizes)
      {
        size = random() % 4 == 0 ? 0 : std::min<std::int64_t>(left, static_cast<std::int64_t>(random() % longest));
        left -= size;
      }
      const std::int64_t largest = std::int64_t{1} << random() % 25;
      const run_keys kind = test::all_run_keys[random() % std::size(test::all_run_keys)];
      check_folds(with_numbers(make_runs(sizes, kind, largest, random())));
    });
}

/// The runs of a call of `size` elements.
sorted_runs runs_of_call(std::int64_t size)
{
  return make_runs(test::equal_sizes(7, size), run_keys::random, size / 3 + 1);
}

struct merge_runs_reduce_by_key_call : test::policy_call
{
  static constexpr test::cpu_storage allocates_on_cpu = test::cpu_storage::always;

  explicit merge_runs_reduce_by_key_call(std::int64_t size)
  {
    const sorted_runs runs = runs_of_call(size);
    inputs = {test::ints(runs.ranks.begin(), runs.ranks.end()), runs.offsets, test::ints(size, 1)};
    std::map<std::int32_t, std::int32_t> copies;
    for (const std::int64_t rank : runs.ranks)
    {
      ++copies[static_cast<std::int32_t>(rank)];
    }
    for (const auto& entry : copies)
    {
      expected.push_back(entry.first);
    }
    for (const auto& entry : copies)
    {
      expected.push_back(entry.second);
    }
    result = static_cast<std::int64_t>(copies.size());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::merge_runs_reduce_by_key(
             policy, in.first[0], in.last[0], in.first[2], in.first[1], in.last[1], out, out + in.output_size / 2)
             .first
           - out;
  }
};

struct merge_runs_unique_call : test::policy_call
{
  static constexpr test::cpu_storage allocates_on_cpu = test::cpu_storage::always;

  explicit merge_runs_unique_call(std::int64_t size)
  {
    const sorted_runs runs = runs_of_call(size);
    inputs = {test::ints(runs.ranks.begin(), runs.ranks.end()), runs.offsets};
    expected = inputs[0];
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    result = static_cast<std::int64_t>(expected.size());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::merge_runs_unique(policy, in.first[0], in.last[0], in.first[1], in.last[1], out) - out;
  }
};

using merge_fold_calls = testing::Types<merge_runs_reduce_by_key_call, merge_runs_unique_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(MergeFolds, Policies, merge_fold_calls);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of folds of runs: keys with the number of their element, values whose order matters, and the results of
/// a loop over the sorted elements.

#include <mgpu_thrust/multiway_merge.h>

#include "reduction_battery.h"
#include "runs_battery.h"
#include "systems.h"

#include <mgpu_thrust/detail/base/config.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace test
{

/// Keys have a rank and the number of their element; this orders them by rank alone.
inline constexpr int number_bits = 24;
struct order_of_ranks
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t x, std::int64_t y) const
  {
    return x >> number_bits < y >> number_bits;
  }
};
/// Gives the elements of runs such keys.
inline sorted_runs with_numbers(sorted_runs runs)
{
  for (std::size_t i = 0; i < runs.ranks.size(); ++i)
  {
    runs.ranks[i] = runs.ranks[i] << number_bits | static_cast<std::int64_t>(i);
  }
  return runs;
}

/// Keeps three of four values.
struct keeps_most
{
  MGPU_THRUST_HOST_DEVICE bool operator()(const affine_maps<1>& value) const
  {
    return value.terms[0] >> 30 != 1;
  }
};

template <class Value>
struct folds
{
  std::vector<std::int64_t> keys;
  std::vector<Value> values;
};

/// Folds runs with_numbers() by a loop.
template <class Value, class Op, class Keep>
folds<Value> expected_folds(const sorted_runs& runs, const std::vector<Value>& values, Op op, Keep keep)
{
  folds<Value> expected;
  const std::vector<std::int32_t> order = runs.merged();
  for (std::size_t i = 0; i < order.size();)
  {
    const std::int64_t key = runs.ranks[order[i]];
    Value value = values[order[i]];
    for (++i; i < order.size() && runs.ranks[order[i]] >> number_bits == key >> number_bits; ++i)
    {
      value = op(value, values[order[i]]);
    }
    if (keep(value))
    {
      expected.keys.push_back(key);
      expected.values.push_back(value);
    }
  }
  return expected;
}

/// Checks each function on runs with_numbers(), under every policy.
inline void check_folds(const sorted_runs& runs)
{
  using maps = affine_maps<1>;
  const std::vector<maps> values = items_of<maps>(runs.num_items());
  const auto all = expected_folds(runs, values, compose{}, mgpu::keep_all{});
  const auto most = expected_folds(runs, values, compose{}, keeps_most{});
  const auto count_all = static_cast<std::int64_t>(all.keys.size());
  const auto count_most = static_cast<std::int64_t>(most.keys.size());
  const order_of_ranks comp;
  const auto n = runs.num_items();
  const auto k = runs.num_runs();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const placed_runs<policy_t, std::int64_t> in(
        runs, [](std::int64_t rank) { return rank; }, -100);
      const auto in_values = test::to_memory<policy_t>(values);
      std::vector<const maps*> firsts;
      for (const std::int32_t offset : runs.offsets)
      {
        firsts.push_back(thrust::raw_pointer_cast(in_values.data()) + offset);
      }
      const auto value_runs = test::to_memory<policy_t>(firsts);
      memory<policy_t, std::int64_t> keys;
      memory<policy_t, maps> results;
      const auto clear = [&](const folds<maps>& expected) // with a guard after the room that is needed
      {
        keys.assign(expected.keys.size() + 1, -7);
        results.assign(expected.keys.size() + 1, maps(99));
      };
      const auto expect = [&](const char* function, const folds<maps>& expected, std::int64_t size, bool has_values)
      {
        SCOPED_TRACE(function);
        ASSERT_EQ(size, static_cast<std::int64_t>(expected.keys.size()));
        std::vector<std::int64_t> expected_keys = expected.keys;
        std::vector<maps> expected_values = expected.values;
        expected_keys.push_back(-7);
        expected_values.push_back(maps(99));
        ASSERT_TRUE(test::to_host(keys) == expected_keys);
        ASSERT_TRUE(!has_values || test::to_host(results) == expected_values);
      };
      const auto first = in.keys.begin();
      const auto last = in.keys.end();
      const auto offsets = in.offsets.begin();
      const auto offsets_last = in.offsets.end();
      clear(all);
      expect(
        "merge_runs_reduce_by_key", all,
        mgpu::merge_runs_reduce_by_key(
          policy, first, last, in_values.begin(), offsets, offsets_last, keys.begin(), results.begin(), comp, compose{})
            .second
          - results.begin(),
        true);
      clear(most);
      expect(
        "multiway_merge_reduce_by_key", most,
        mgpu::multiway_merge_reduce_by_key(
          policy, in.first_of_runs.begin(), value_runs.begin(), in.sizes.begin(), k, n, keys.begin(), results.begin(),
          comp, compose{}, keeps_most{})
            .first
          - keys.begin(),
        true);
      clear(all);
      expect(
        "merge_runs_unique", all,
        mgpu::merge_runs_unique(policy, first, last, offsets, offsets_last, keys.begin(), comp) - keys.begin(), false);
      clear(all);
      expect(
        "multiway_merge_unique", all,
        mgpu::multiway_merge_unique(policy, in.first_of_runs.begin(), in.sizes.begin(), k, n, keys.begin(), comp)
          - keys.begin(),
        false);
      EXPECT_EQ(
        mgpu::merge_runs_reduce_by_key_size(
          policy, first, last, in_values.begin(), offsets, offsets_last, comp, compose{}, keeps_most{}),
        count_most);
      EXPECT_EQ(
        mgpu::multiway_merge_reduce_by_key_size(
          policy, in.first_of_runs.begin(), value_runs.begin(), in.sizes.begin(), k, n, comp, compose{}),
        count_all);
      EXPECT_EQ(mgpu::merge_runs_unique_size(policy, first, last, offsets, offsets_last, comp), count_all);
      EXPECT_EQ(
        mgpu::multiway_merge_unique_size(policy, in.first_of_runs.begin(), in.sizes.begin(), k, n, comp), count_all);
    });
}

} // namespace test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of merges of any number of runs: numbers and lengths of runs, orders of their keys, and what
/// std::stable_sort of the runs one after the other gives.

#include "systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

namespace test
{

/// Runs one after the other, as ranks of their keys.
struct sorted_runs
{
  std::vector<std::int64_t> ranks;
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> sizes;

  std::int64_t num_runs() const
  {
    return static_cast<std::int64_t>(sizes.size());
  }
  std::int64_t num_items() const
  {
    return static_cast<std::int64_t>(ranks.size());
  }
  /// The indices of the elements in the order of the merge.
  std::vector<std::int32_t> merged() const
  {
    std::vector<std::int32_t> order(ranks.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) { return ranks[i] < ranks[j]; });
    return order;
  }
};

/// The keys of runs.
enum class run_keys
{
  random,
  few,      ///< three different ones
  equal,    ///< all the same
  apart,    ///< runs that do not overlap, in order
  reversed, ///< runs that do not overlap, the last first
  in_turn   ///< each run has the next key in turn
};
inline constexpr run_keys all_run_keys[] = {run_keys::random, run_keys::few,      run_keys::equal,
                                            run_keys::apart,  run_keys::reversed, run_keys::in_turn};

/// Makes runs of the given sizes. Their ranks are below `largest`.
inline sorted_runs
make_runs(const std::vector<std::int64_t>& sizes, run_keys kind, std::int64_t largest = 1 << 24, std::uint64_t seed = 1)
{
  sorted_runs runs;
  std::mt19937_64 random(seed);
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const auto k = static_cast<std::int64_t>(sizes.size());
  for (std::int64_t run = 0; run < k; ++run)
  {
    const std::int64_t begin = runs.num_items();
    const std::int64_t size = sizes[run];
    for (std::int64_t i = 0; i < size; ++i)
    {
      const std::int64_t rank = kind == run_keys::random     ? static_cast<std::int64_t>(random() >> 2)
                                : kind == run_keys::few      ? static_cast<std::int64_t>(random() % 3)
                                : kind == run_keys::equal    ? 5
                                : kind == run_keys::apart    ? begin + i
                                : kind == run_keys::reversed ? total - begin - size + i
                                                             : i * k + run;
      runs.ranks.push_back(rank % largest);
    }
    std::sort(runs.ranks.begin() + begin, runs.ranks.end());
    runs.offsets.push_back(static_cast<std::int32_t>(begin));
    runs.sizes.push_back(static_cast<std::int32_t>(size));
  }
  return runs;
}

/// Returns `k` sizes, equal but for one, that are `total` together.
inline std::vector<std::int64_t> equal_sizes(std::int64_t k, std::int64_t total)
{
  std::vector<std::int64_t> sizes(k, k > 0 ? total / k : 0);
  if (k > 0)
  {
    sizes[k / 2] += total % k;
  }
  return sizes;
}

/// Returns `k` sizes from a power law, with some empty runs; about `total` together.
inline std::vector<std::int64_t> power_law_sizes(std::int64_t k, std::int64_t total)
{
  std::vector<std::int64_t> sizes;
  for (std::int64_t run = 0; run < k; ++run)
  {
    const std::int64_t place = run * 7919 % k; // not in order of their sizes
    sizes.push_back(place % 5 == 3 ? 0 : total / (place + 2));
  }
  return sizes;
}

/// Runs in the memory of a policy, in one range, and in buffers of their own: the last run first, each between guards.
template <class Policy, class Key>
class placed_runs
{
public:
  /// make(rank) makes a key; `guard` is one that must not be read.
  template <class Make>
  placed_runs(const sorted_runs& runs, Make make, const Key& guard)
      : num_runs_(runs.num_runs())
      , num_items_(runs.num_items())
      , offsets(test::to_memory<Policy>(runs.offsets))
      , sizes(test::to_memory<Policy>(runs.sizes))
  {
    std::vector<Key> in_order;
    for (const std::int64_t rank : runs.ranks)
    {
      in_order.push_back(make(rank));
    }
    keys = test::to_memory<Policy>(in_order);
    std::vector<Key> apart{guard};
    std::vector<std::int64_t> places(num_runs_); // where each run begins there
    for (std::int64_t run = num_runs_ - 1; run >= 0; --run)
    {
      places[run] = static_cast<std::int64_t>(apart.size());
      const auto begin = in_order.begin() + runs.offsets[run];
      apart.insert(apart.end(), begin, begin + runs.sizes[run]);
      apart.push_back(guard);
    }
    apart_ = test::to_memory<Policy>(apart);
    std::vector<const Key*> firsts;
    for (const std::int64_t place : places)
    {
      firsts.push_back(thrust::raw_pointer_cast(apart_.data()) + place);
    }
    first_of_runs = test::to_memory<Policy>(firsts);
  }

private:
  std::int64_t num_runs_;
  std::int64_t num_items_;
  memory<Policy, Key> apart_;

public:
  memory<Policy, Key> keys;
  memory<Policy, std::int32_t> offsets;
  memory<Policy, std::int32_t> sizes;
  memory<Policy, const Key*> first_of_runs;

  std::int64_t num_runs() const
  {
    return num_runs_;
  }
  std::int64_t num_items() const
  {
    return num_items_;
  }
};

/// Values that say which elements they belong to, in places that follow each other as the runs' keys do. The first is
/// `first`.
template <class Policy, class Value = std::int32_t>
struct placed_values
{
  memory<Policy, Value> values;
  memory<Policy, const Value*> first_of_runs;

  explicit placed_values(const sorted_runs& runs, Value first = 0)
  {
    std::vector<Value> numbers(runs.ranks.size() + 1);
    std::iota(numbers.begin(), numbers.end(), first);
    values = test::to_memory<Policy>(numbers);
    std::vector<const Value*> firsts;
    for (const std::int32_t offset : runs.offsets)
    {
      firsts.push_back(thrust::raw_pointer_cast(values.data()) + offset);
    }
    first_of_runs = test::to_memory<Policy>(firsts);
  }
};

/// More elements than a GPU sorts, so that passes merge them.
#if defined(__CUDACC__)
inline constexpr std::int64_t items_of_passes = 1500007;
#else
inline constexpr std::int64_t items_of_passes = 30000;
#endif

} // namespace test

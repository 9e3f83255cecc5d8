// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Merges of runs: keys and values of every size and type, and iterators of every kind.

#include <mgpu_thrust/multiway_merge.h>

#include "support/elements.h"
#include "support/keys.h"
#include "support/runs_battery.h"
#include "support/systems.h"

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::items_of_passes;
using test::make_runs;
using test::placed_values;
using test::run_keys;
using test::sorted_runs;
using merged_ints = std::vector<std::int32_t>;

/// Checks keys, their values and an order, of `count` elements of runs in one range or apart.
template <class Key, class Value, class Compare>
void check_elements(std::int64_t count, bool is_descending, Compare comp)
{
  sorted_runs runs = make_runs(test::power_law_sizes(40, count), run_keys::random, 100);
  const merged_ints order = runs.merged();
  for (std::int64_t& rank : runs.ranks) // so the descending order of the keys is the ascending one of the ranks
  {
    rank = is_descending ? 100 - rank : rank;
  }
  std::vector<Value> expected;
  for (const std::int32_t i : order)
  {
    expected.push_back(test::make_element<Value>(i));
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const test::placed_runs<policy_t, Key> in(
        runs, [](std::int64_t rank) { return test::make_key<Key>::from(rank); }, test::make_key<Key>::from(-1));
      const auto values = test::to_memory<policy_t>(test::make_elements<Value>(runs.num_items(), 0));
      auto keys_out = in.keys;
      test::memory<policy_t, Value> out(runs.num_items() + 1, test::make_element<Value>(-7));
      const auto ends = mgpu::merge_runs_by_key(
        policy, in.keys.begin(), in.keys.end(), values.begin(), in.offsets.begin(), in.offsets.end(), keys_out.begin(),
        out.begin(), comp);
      test::expect_output(out, expected, ends.second - out.begin());
      const auto merged = test::to_host(keys_out);
      EXPECT_TRUE(std::is_sorted(merged.begin(), merged.end(), comp));

      const auto end = mgpu::multiway_merge(
        policy, in.first_of_runs.begin(), in.sizes.begin(), in.num_runs(), in.num_items(), keys_out.begin(), comp);
      EXPECT_EQ(end - keys_out.begin(), in.num_items());
      const auto apart = test::to_host(keys_out);
      EXPECT_TRUE(std::is_sorted(apart.begin(), apart.end(), comp));
      EXPECT_TRUE(std::equal(
        apart.begin(), apart.end(), merged.begin(),
        [&](const Key& x, const Key& y) { return !comp(x, y) && !comp(y, x); }));
    });
}

TEST(MultiwayMerge, ElementsOfEverySize)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t count : {std::int64_t{8000}, items_of_passes})
  {
    SCOPED_TRACE(std::to_string(count) + " elements");
    check_elements<std::int8_t, std::int64_t>(count, false, ::cuda::std::less<>{});
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
    check_elements<double, test::bytes_element<40>>(count, true, test::greater{});
#endif
    check_elements<test::words_key<10>, test::bytes_element<3>>(count, true, test::greater{});
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // tiles of another size
    check_elements<test::words_key<4>, std::int16_t>(count, false, ::cuda::std::less<>{});
#endif
  }
}

/// Checks values that are negative or fractions, and are converted to another type.
template <class Value, class Converted>
void check_converted_values(const sorted_runs& runs, Value first)
{
  std::vector<Converted> expected;
  for (const std::int32_t i : runs.merged())
  {
    expected.push_back(static_cast<Converted>(first + static_cast<Value>(i)));
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const test::placed_runs<policy_t, std::int32_t> in(
        runs, [](std::int64_t rank) { return static_cast<std::int32_t>(rank); }, -100);
      const placed_values<policy_t, Value> values(runs, first);
      test::memory<policy_t, Converted> out(runs.num_items() + 1, test::make_element<Converted>(-7));
      mgpu::merge_runs_by_key(
        policy, in.keys.begin(), in.keys.end(), values.values.begin(), in.offsets.begin(), in.offsets.end(),
        thrust::make_discard_iterator(), out.begin());
      test::expect_output(out, expected, runs.num_items());
      out.assign(out.size(), test::make_element<Converted>(-7));
      mgpu::multiway_merge_by_key(
        policy, in.first_of_runs.begin(), values.first_of_runs.begin(), in.sizes.begin(), in.num_runs(), in.num_items(),
        thrust::make_discard_iterator(), out.begin());
      test::expect_output(out, expected, runs.num_items());
    });
}

TEST(MultiwayMerge, ValuesOfTwoTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t count : {std::int64_t{5000}, items_of_passes})
  {
    const sorted_runs runs = make_runs(test::equal_sizes(70, count), run_keys::random, 100);
    check_converted_values<std::int32_t, std::int64_t>(runs, -1000);
    check_converted_values<double, double>(runs, -1000.5);
  }
}

/// Where runs begin in a range of computed keys: run r at 1000 r.
struct run_of_multiples
{
  MGPU_THRUST_HOST_DEVICE thrust::counting_iterator<std::int32_t> operator()(std::int64_t run) const
  {
    return thrust::counting_iterator<std::int32_t>(static_cast<std::int32_t>(1000 * run));
  }
};
struct half_of_index
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t x) const
  {
    return x / 2;
  }
};

TEST(MultiwayMerge, ComputedReversedAndDiscarded)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      constexpr std::int64_t k = 30;
      constexpr std::int64_t size = 2000;
      merged_ints expected;
      for (std::int64_t run = 0; run < k; ++run)
      {
        for (std::int64_t i = 0; i < size; ++i)
        {
          expected.push_back(static_cast<std::int32_t>(1000 * run + i));
        }
      }
      std::sort(expected.begin(), expected.end());

      // Runs that are computed, as are their sizes, to a reversed output.
      const thrust::counting_iterator<std::int64_t> numbers(0);
      test::memory<policy_t, std::int32_t> out(k * size);
      const auto end = mgpu::multiway_merge(
        policy, thrust::make_transform_iterator(numbers, run_of_multiples{}),
        thrust::make_constant_iterator(static_cast<std::uint16_t>(size)), k, k * size,
        thrust::make_reverse_iterator(out.end()));
      EXPECT_EQ(end.base(), out.begin());
      auto got = test::to_host(out);
      std::reverse(got.begin(), got.end());
      EXPECT_TRUE(got == expected);

      // Keys in one range that are computed; pairs of which one half is discarded.
      const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<std::int32_t>(0), half_of_index{});
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int64_t>{0, 20000, 50000});
      mgpu::merge_runs(policy, keys, keys + k * size, offsets.begin(), offsets.end(), out.begin());
      got = test::to_host(out);
      EXPECT_TRUE(std::is_sorted(got.begin(), got.end()) && got.back() == (k * size - 1) / 2);
      const auto ends = mgpu::multiway_merge_indices(
        policy, thrust::make_transform_iterator(numbers, run_of_multiples{}), thrust::make_constant_iterator(size), k,
        k * size, thrust::make_discard_iterator(), out.begin());
      EXPECT_EQ(ends.second - out.begin(), k * size);
      got = test::to_host(out);
      EXPECT_EQ(std::count(got.begin(), got.end(), 1999), k);
    });
}

#if !defined(__CUDACC__)

// Serial policies write to plain output iterators; elements may own memory, and those of indices may only be moved.
TEST(MultiwayMerge, StringsAndPlainOutputIterators)
{
  const sorted_runs runs = make_runs(test::power_law_sizes(30, 10000), run_keys::random, 500);
  std::vector<std::string> words;
  for (const std::int64_t rank : runs.ranks)
  {
    words.push_back("a word that is too long for its object " + std::to_string(1000 + rank));
  }
  const merged_ints order = runs.merged();
  std::vector<std::string> expected;
  for (const std::int32_t i : order)
  {
    expected.push_back(words[i]);
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> out(words.size());
      std::vector<std::string> values(words.size());
      mgpu::merge_runs_by_key(
        policy, words.begin(), words.end(), words.begin(), runs.offsets.begin(), runs.offsets.end(), out.begin(),
        values.begin());
      EXPECT_TRUE(out == expected && values == expected);
    });
  std::list<std::string> listed;
  mgpu::merge_runs(
    thrust::seq, words.begin(), words.end(), runs.offsets.begin(), runs.offsets.end(), std::back_inserter(listed));
  EXPECT_TRUE(std::equal(listed.begin(), listed.end(), expected.begin(), expected.end()));
  std::vector<std::unique_ptr<std::int64_t>> only_moved;
  for (const std::int64_t rank : runs.ranks)
  {
    only_moved.push_back(std::make_unique<std::int64_t>(rank));
  }
  merged_ints indices(order.size());
  mgpu::merge_runs_indices(
    thrust::seq, only_moved.begin(), only_moved.end(), runs.offsets.begin(), runs.offsets.end(), indices.begin(),
    [](const auto& x, const auto& y) { return *x < *y; });
  EXPECT_EQ(indices, order);
}

#endif

} // namespace

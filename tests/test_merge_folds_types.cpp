// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Folds of runs: keys and values of every size, strings, computed iterators, and outputs of other types.

#include "support/fold_battery.h"
#include "support/functions.h"
#include "support/keys.h"
#include "support/systems.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using test::make_runs;
using test::run_keys;
using test::sorted_runs;

/// Checks keys and values of these types, of two kinds of runs.
template <class Key, class Value, class Op>
void check_fold_of(std::int64_t k, std::int64_t count, Op op)
{
  SCOPED_TRACE(std::to_string(sizeof(Key)) + " and " + std::to_string(sizeof(Value)) + " bytes");
  const sorted_runs runs = make_runs(test::power_law_sizes(k, count), run_keys::random, 100);
  const std::vector<Value> values = test::items_of<Value>(runs.num_items());
  std::vector<Value> expected;
  std::vector<std::int64_t> expected_ranks;
  for (const std::int32_t i : runs.merged())
  {
    if (expected_ranks.empty() || expected_ranks.back() != runs.ranks[i])
    {
      expected_ranks.push_back(runs.ranks[i]);
      expected.push_back(values[i]);
    }
    else
    {
      expected.back() = op(expected.back(), values[i]);
    }
  }
  const auto size = static_cast<std::int64_t>(expected.size());
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const test::placed_runs<policy_t, Key> in(
        runs, [](std::int64_t rank) { return test::make_key<Key>::from(rank); }, test::make_key<Key>::from(-1));
      const auto in_values = test::to_memory<policy_t>(values);
      auto keys = in.keys;
      auto out = in_values;
      const auto ends = mgpu::merge_runs_reduce_by_key(
        policy, in.keys.begin(), in.keys.end(), in_values.begin(), in.offsets.begin(), in.offsets.end(), keys.begin(),
        out.begin(), ::cuda::std::less<>{}, op);
      ASSERT_EQ(ends.first - keys.begin(), size);
      const auto got_keys = test::to_host(keys);
      const auto got = test::to_host(out);
      for (std::int64_t i = 0; i < size; ++i)
      {
        const Key key = test::make_key<Key>::from(expected_ranks[i]);
        ASSERT_FALSE(key < got_keys[i] || got_keys[i] < key) << i;
        ASSERT_TRUE(test::is_same_result(got[i], expected[i])) << i;
      }
      ASSERT_EQ(
        mgpu::multiway_merge_unique(
          policy, in.first_of_runs.begin(), in.sizes.begin(), in.num_runs(), in.num_items(), keys.begin())
          - keys.begin(),
        size);
    });
}

/// The later of two numbers that only copies may make.
struct last_copy
{
  MGPU_THRUST_HOST_DEVICE test::only_copied operator()(const test::only_copied&, const test::only_copied& y) const
  {
    return y;
  }
};

TEST(MergeFolds, ElementsOfEverySize)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_fold_of<std::int8_t, std::uint8_t>(40, 60000, test::add{});
  check_fold_of<test::words_key<10>, test::affine_maps<31>>(40, 20000, test::compose{}); // 128 bytes
  check_fold_of<std::int32_t, test::only_copied>(5, 60000, last_copy{});
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_fold_of<double, test::affine_maps<5>>(7, 60000, test::compose{}); // 24 bytes
  check_fold_of<test::words_key<4>, test::affine_maps<1>>(70, 60000, test::compose{});
#endif
}

#if !defined(__CUDACC__)

// Strings, and keys that have nothing but an order, in pieces and on one thread; plain iterators as outputs.
TEST(MergeFolds, Strings)
{
  const sorted_runs runs = make_runs(test::equal_sizes(6, 70000), run_keys::random, 300);
  std::vector<std::string> words;
  std::vector<test::only_less> keys;
  std::vector<std::string> expected(300);
  for (const std::int64_t rank : runs.ranks)
  {
    words.push_back("a word that is long: " + std::to_string(1000 + rank));
    keys.emplace_back(static_cast<std::int32_t>(rank));
    expected[rank] = words.back();
  }
  const auto longer = [](std::string x, const std::string& y) { return x.size() < y.size() ? y : std::move(x); };
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> out_keys(300);
      std::vector<std::string> out(300);
      const auto ends = mgpu::merge_runs_reduce_by_key(
        policy, words.begin(), words.end(), words.begin(), runs.offsets.begin(), runs.offsets.end(), out_keys.begin(),
        out.begin(), std::less<>{}, longer);
      EXPECT_EQ(ends.second, out.end());
      EXPECT_EQ(out_keys, expected);
      EXPECT_EQ(out, expected);
      EXPECT_EQ(
        mgpu::merge_runs_unique_size(policy, keys.begin(), keys.end(), runs.offsets.begin(), runs.offsets.end()), 300);
    });
  std::list<std::string> list;
  mgpu::merge_runs_unique(
    thrust::seq, words.begin(), words.end(), runs.offsets.begin(), runs.offsets.end(), std::back_inserter(list));
  EXPECT_TRUE(std::equal(list.begin(), list.end(), expected.begin(), expected.end()));
}

#endif

// Computed keys and values, and outputs that compute, convert, and discard.
TEST(MergeFolds, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const std::int64_t size = 90000;
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int64_t>{0, 30000});
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto threes = thrust::make_transform_iterator(numbers, test::times_three{});
      test::memory<policy_t, std::int32_t> keys(size);
      test::memory<policy_t, std::int64_t> sums(size);
      const auto ends = mgpu::merge_runs_reduce_by_key(
        policy, threes, threes + size, numbers, offsets.begin(), offsets.end(), keys.begin(),
        thrust::make_transform_output_iterator(sums.begin(), test::negate{}));
      EXPECT_EQ(ends.first - keys.begin(), size);
      const auto got_keys = test::to_host(keys);
      const auto got = test::to_host(sums);
      for (std::int64_t i = 0; i < size; ++i)
      {
        ASSERT_EQ(got_keys[i], 3 * i);
        ASSERT_EQ(got[i], -i);
      }
      const auto discarded = mgpu::merge_runs_reduce_by_key(
        policy, threes, threes + size, numbers, offsets.begin(), offsets.end(), thrust::make_discard_iterator(),
        sums.begin(), ::cuda::std::less<>{}, test::add{}, test::is_even{});
      EXPECT_EQ(discarded.second - sums.begin(), size / 2);
    });
}

} // namespace

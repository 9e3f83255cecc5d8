// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The printed results of the articles that introduced the algorithms, compared number by number.

#include "golden/bulk.h"
#include "golden/intervals.h"
#include "golden/multisets.h"
#include "golden/sorted_search.h"
#include "support/set_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/bulk.h>
#include <mgpu_thrust/interval.h>
#include <mgpu_thrust/load_balance.h>
#include <mgpu_thrust/sorted_search.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace
{

/// Returns the result that the article prints for an operation.
const golden::result& printed(test::set_op op, const golden::multisets& sets)
{
  const golden::result* results[] = {&sets.intersection, &sets.union_of, &sets.difference, &sets.symmetric_difference};
  EXPECT_LT(static_cast<std::size_t>(op), std::size(results)) << "the article has four operations";
  return *results[static_cast<std::size_t>(op)];
}

/// Returns first, first + 1, ..., one for each key, which the article uses as an input's values.
std::vector<int> values_from(int first, const std::vector<int>& keys)
{
  std::vector<int> values(keys.size());
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Calls f(policy, op) for all policies and operations.
template <class Function>
void for_each_policy_and_operation(Function f)
{
  test::for_each_op(
    test::all_set_ops{},
    [&](auto op)
    {
      SCOPED_TRACE(test::name_of(op));
      test::for_each_policy([&](const auto& policy) { f(policy, op); });
    });
}

void check_keys(const golden::multisets& sets)
{
  for_each_policy_and_operation(
    [&](const auto& policy, auto op)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(sets.a);
      const auto b = test::to_memory<policy_t>(sets.b);
      test::memory<policy_t, int> keys(a.size() + b.size());
      const auto end = test::set_keys<decltype(op)::value>(
        policy, a.begin(), a.end(), b.begin(), b.end(), keys.begin(), ::cuda::std::less<>{});
      keys.resize(end - keys.begin());
      EXPECT_EQ(test::to_host(keys), printed(op, sets).keys);
    });
}

void check_sizes(const golden::multisets& sets)
{
  for_each_policy_and_operation(
    [&](const auto& policy, auto op)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(sets.a);
      const auto b = test::to_memory<policy_t>(sets.b);
      EXPECT_EQ(
        test::set_size<decltype(op)::value>(policy, a.begin(), a.end(), b.begin(), b.end(), ::cuda::std::less<>{}),
        static_cast<std::int64_t>(printed(op, sets).keys.size()));
    });
}

/// Checks that the first set includes the second, and the second does not include the first.
void check_includes(const std::vector<int>& larger, const std::vector<int>& smaller)
{
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto x = test::to_memory<policy_t>(larger);
      const auto y = test::to_memory<policy_t>(smaller);
      EXPECT_TRUE(mgpu::includes(policy, x.begin(), x.end(), y.begin(), y.end()));
      EXPECT_FALSE(mgpu::includes(policy, y.begin(), y.end(), x.begin(), x.end()));
    });
}

TEST(Golden, Keys)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_keys(golden::keys);
  check_keys(golden::pairs);
  check_keys(golden::key_rank);
}

TEST(Golden, Pairs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const golden::multisets& sets = golden::pairs;
  for_each_policy_and_operation(
    [&](const auto& policy, auto op)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(sets.a);
      const auto b = test::to_memory<policy_t>(sets.b);
      const auto a_values = test::to_memory<policy_t>(values_from(0, sets.a));
      const auto b_values = test::to_memory<policy_t>(values_from(100, sets.b));
      test::memory<policy_t, int> keys(a.size() + b.size());
      test::memory<policy_t, int> values(a.size() + b.size());
      const auto ends = test::set_by_key<decltype(op)::value>(
        policy, a.begin(), a.end(), b.begin(), b.end(), a_values.begin(), b_values.begin(), keys.begin(),
        values.begin(), ::cuda::std::less<>{});
      keys.resize(ends.first - keys.begin());
      values.resize(ends.second - values.begin());
      EXPECT_EQ(test::to_host(keys), printed(op, sets).keys);
      EXPECT_EQ(test::to_host(values), printed(op, sets).values);
    });
}

TEST(Golden, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_sizes(golden::keys);
  check_sizes(golden::pairs);
  check_sizes(golden::key_rank);
}

TEST(Golden, Includes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const golden::multisets* sets : {&golden::keys, &golden::pairs, &golden::key_rank})
  {
    check_includes(sets->a, sets->intersection.keys);
    check_includes(sets->a, sets->difference.keys);
    check_includes(sets->union_of.keys, sets->b);
    check_includes(sets->union_of.keys, sets->symmetric_difference.keys);
  }
}

TEST(Golden, SortedBounds)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const golden::bounds_demonstration& demo = golden::bounds;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto haystack = test::to_memory<policy_t>(demo.haystack);
      const auto needles = test::to_memory<policy_t>(demo.needles);
      test::memory<policy_t, int> lower(needles.size());
      test::memory<policy_t, int> upper(needles.size());
      mgpu::sorted_lower_bound(policy, haystack.begin(), haystack.end(), needles.begin(), needles.end(), lower.begin());
      mgpu::sorted_upper_bound(policy, haystack.begin(), haystack.end(), needles.begin(), needles.end(), upper.begin());
      EXPECT_EQ(test::to_host(lower), demo.lower);
      EXPECT_EQ(test::to_host(upper), demo.upper);
    });
}

TEST(Golden, JointSearch)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const golden::joint_demonstration& demo = golden::joint;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(demo.a);
      const auto b = test::to_memory<policy_t>(demo.b);
      test::memory<policy_t, int> a_lower(a.size());
      test::memory<policy_t, int> b_upper(b.size());
      const auto run = [&](bool* a_match, bool* b_match)
      {
        std::int64_t counts[2] = {-1, -1};
        mgpu::sorted_search(
          policy, a.begin(), a.end(), b.begin(), b.end(), thrust::make_zip_iterator(a_lower.begin(), a_match),
          thrust::make_zip_iterator(b_upper.begin(), b_match), &counts);
        EXPECT_EQ(counts[0], demo.a_matches);
        EXPECT_EQ(counts[1], demo.b_matches);
      };
      test::flags<policy_t> a_match(a.size());
      test::flags<policy_t> b_match(b.size());
      run(a_match.data(), b_match.data());
      EXPECT_EQ(test::to_host(a_lower), demo.a_lower);
      EXPECT_EQ(test::to_host(b_upper), demo.b_upper);
      EXPECT_EQ(a_match.to_host(), demo.a_match);
      EXPECT_EQ(b_match.to_host(), demo.b_match);
    });
}

TEST(Golden, BulkRemove)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const golden::bulk_removal* printed : {&golden::remove_demo, &golden::remove_figure, &golden::remove_comment})
  {
    test::for_each_policy(
      [&](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        const thrust::counting_iterator<int> numbers(0);
        const auto indices = test::to_memory<policy_t>(printed->indices);
        test::memory<policy_t, int> out(printed->result.size());
        const auto end =
          mgpu::bulk_remove(policy, numbers, numbers + printed->size, indices.begin(), indices.end(), out.begin());
        EXPECT_TRUE(end == out.end());
        EXPECT_EQ(test::to_host(out), printed->result);
      });
  }
}

TEST(Golden, BulkInsert)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const golden::bulk_insertion* printed : {&golden::insert_demo, &golden::insert_comment})
  {
    test::for_each_policy(
      [&](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        const thrust::counting_iterator<int> numbers(0);
        const auto values = test::to_memory<policy_t>(printed->values);
        const auto positions = test::to_memory<policy_t>(printed->positions);
        test::memory<policy_t, int> out(printed->result.size());
        const auto end = mgpu::bulk_insert(
          policy, numbers, numbers + printed->size, values.begin(), positions.begin(), positions.end(), out.begin());
        EXPECT_TRUE(end == out.end());
        EXPECT_EQ(test::to_host(out), printed->result);
      });
  }
}

TEST(Golden, BulkInsertFigure)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const golden::insertion_tile& printed = golden::insert_figure;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<int> numbers(0);
      const auto positions = test::to_memory<policy_t>(printed.positions);
      test::memory<policy_t, int> out(400 + positions.size());
      mgpu::bulk_insert(
        policy, numbers + printed.values, numbers + printed.values + 400, numbers, positions.begin(), positions.end(),
        out.begin());
      auto tile = test::to_host(out);
      tile.resize(printed.tile);
      EXPECT_EQ(tile, printed.gather);
    });
}

/// Returns the exclusive scan of sizes.
std::vector<int> offsets_of(const std::vector<int>& sizes)
{
  std::vector<int> offsets(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
  return offsets;
}

TEST(Golden, LoadBalancingSearch)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const golden::load_balancing* printed : {&golden::introduction, &golden::search_figure})
  {
    EXPECT_EQ(offsets_of(printed->sizes), printed->scan);
    test::for_each_policy(
      [&](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        const auto offsets = test::to_memory<policy_t>(printed->scan);
        test::memory<policy_t, int> out(printed->segments.size());
        const auto end = mgpu::load_balancing_search(policy, out.size(), offsets.begin(), offsets.end(), out.begin());
        EXPECT_TRUE(end == out.end());
        EXPECT_EQ(test::to_host(out), printed->segments);
      });
  }
}

TEST(Golden, IntroductionExpand)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::string& printed = golden::introduction_letters;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(golden::introduction.scan);
      const thrust::counting_iterator<char> letters('A');
      test::memory<policy_t, char> out(printed.size());
      mgpu::interval_expand(policy, out.size(), offsets.begin(), offsets.end(), letters, out.begin());
      const auto got = test::to_host(out);
      EXPECT_EQ(std::string(got.begin(), got.end()), printed);
    });
}

TEST(Golden, IntervalExpand)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const golden::interval_expansion& demo = golden::expand_demo;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(offsets_of(demo.sizes));
      const auto values = test::to_memory<policy_t>(demo.values);
      test::memory<policy_t, int> out(demo.result.size());
      const auto end =
        mgpu::interval_expand(policy, out.size(), offsets.begin(), offsets.end(), values.begin(), out.begin());
      EXPECT_TRUE(end == out.end());
      EXPECT_EQ(test::to_host(out), demo.result);
    });
}

TEST(Golden, IntervalMove)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const golden::interval_moves& demo = golden::move_demo;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<int> numbers(0);
      const auto offsets = test::to_memory<policy_t>(offsets_of(demo.sizes));
      const auto gather = test::to_memory<policy_t>(demo.gather);
      const auto scatter = test::to_memory<policy_t>(demo.scatter);
      const std::int64_t size = static_cast<std::int64_t>(demo.result.size());
      test::memory<policy_t, int> out(size, -1);
      mgpu::interval_move(
        policy, size, offsets.begin(), offsets.end(), gather.begin(), scatter.begin(), numbers, out.begin());
      EXPECT_EQ(test::to_host(out), demo.result);
      // A gather followed by a scatter gives the same result.
      test::memory<policy_t, int> gathered(size);
      mgpu::interval_gather(policy, size, offsets.begin(), offsets.end(), gather.begin(), numbers, gathered.begin());
      out.assign(size, -1);
      mgpu::interval_scatter(
        policy, size, offsets.begin(), offsets.end(), scatter.begin(), gathered.begin(), out.begin());
      EXPECT_EQ(test::to_host(out), demo.result);
    });
}

} // namespace

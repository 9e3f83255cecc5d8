// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Sorted searches and as-of joins over ranks that are threads.

#include "support/fuzz.h"
#include "support/rank_pieces.h"
#include "support/systems.h"
#include "support/time_limit.h"

#include <mgpu_thrust/distributed.h>

#include <thrust/execution_policy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::rank_keys;
using test::sequence_keys;

/// Searches over ranks for needles in pieces that ascend, and compares the results with those of std::.
template <class Index, class Policy>
void expect_searches_over_ranks(Policy policy, const sequence_keys& needles, const sequence_keys& haystack)
{
  const auto needle_pieces = test::to_memory_pieces<Policy>(needles);
  const auto haystack_pieces = test::to_memory_pieces<Policy>(haystack);
  std::array<std::vector<std::vector<Index>>, 2> results;
  results.fill(std::vector<std::vector<Index>>(needles.size()));
  mgpu::run_on_threads(
    static_cast<int>(needles.size()),
    [&](mgpu::thread_communicator& communicator)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto exec = mgpu::over(communicator, policy);
      const auto& needle_piece = needle_pieces[rank];
      const auto& haystack_piece = haystack_pieces[rank];
      test::memory<Policy, Index> lower(needle_piece.size() + 1, Index{-1});
      test::memory<Policy, Index> upper(lower);
      const auto lower_end = mgpu::sorted_lower_bound(
        exec, haystack_piece.begin(), haystack_piece.end(), needle_piece.begin(), needle_piece.end(), lower.begin());
      const auto upper_end = mgpu::sorted_upper_bound(
        exec, haystack_piece.begin(), haystack_piece.end(), needle_piece.begin(), needle_piece.end(), upper.begin());
      EXPECT_TRUE(lower_end == lower.end() - 1 && upper_end == upper.end() - 1);
      results[0][rank] = test::to_host(lower);
      results[1][rank] = test::to_host(upper);
    });
  const rank_keys all = test::concatenation(haystack);
  for (std::size_t rank = 0; rank < needles.size(); ++rank)
  {
    std::array<std::vector<Index>, 2> expected;
    for (const int needle : needles[rank])
    {
      expected[0].push_back(static_cast<Index>(std::lower_bound(all.begin(), all.end(), needle) - all.begin()));
      expected[1].push_back(static_cast<Index>(std::upper_bound(all.begin(), all.end(), needle) - all.begin()));
    }
    for (std::size_t bound = 0; bound < 2; ++bound)
    {
      expected[bound].push_back(-1);
      ASSERT_EQ(results[bound][rank], expected[bound]) << "rank " << rank << ", bound " << bound;
    }
  }
}

TEST(DistributedSearches, Results)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_local_policy(
    [](auto policy)
    {
      const auto expect_results = [&](const sequence_keys& needles, const sequence_keys& haystack)
      { expect_searches_over_ranks<int>(policy, test::ascending_by_rank(needles), test::ascending_by_rank(haystack)); };
      test::for_each_distribution(expect_results);
      // More elements than a message has samples; and a few needles for one range, or many.
      std::mt19937 random(7);
      for (const int num_keys : {1, 16, 1 << 30})
      {
        const sequence_keys many = test::random_pieces(random, {100000, 0, 200000, 30}, num_keys);
        expect_results(many, test::random_pieces(random, {30000, 40000, 10000, 150000}, num_keys));
        expect_results(test::random_pieces(random, {1, 0, 30, 0}, num_keys), many);
        expect_results(many, test::random_pieces(random, {1, 0, 30, 0}, num_keys));
      }
    });
}

TEST(DistributedSearches, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    80,
    [](std::mt19937_64& seeds)
    {
      std::mt19937 random(static_cast<unsigned>(seeds()));
      const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
      const int num_ranks = 2 + up_to(3);
      const int num_keys = std::array<int, 4>{1, 3, 20, 1000}[static_cast<std::size_t>(up_to(3))];
      const auto pieces = [&]
      {
        std::vector<int> sizes(static_cast<std::size_t>(num_ranks));
        std::generate(sizes.begin(), sizes.end(), [&] { return up_to(1) * up_to(up_to(1) == 0 ? 5 : 300); });
        return test::ascending_by_rank(test::random_pieces(random, sizes, num_keys));
      };
      const sequence_keys needles = pieces();
      const sequence_keys haystack = pieces();
      expect_searches_over_ranks<int>(thrust::device, needles, haystack);
    });
}

/// An order in which different rows are equal, a distance that tells them apart, and a function that refuses some rows.
struct order_of_fours
{
  MGPU_THRUST_HOST_DEVICE bool operator()(int x, int y) const
  {
    return x / 4 < y / 4;
  }
};
struct distance_of_rows
{
  MGPU_THRUST_HOST_DEVICE int operator()(int left, int right) const
  {
    return (left % 7 * 5 + right % 7 * 3) % 7 + (left < right ? right - left : left - right) / 8;
  }
};
struct refuses_some
{
  MGPU_THRUST_HOST_DEVICE bool operator()(int left, int right) const
  {
    return (left + right) % 5 != 0;
  }
};

/// The right row of a left row.
template <class Direction>
std::int64_t expected_row(const rank_keys& rights, int left, Direction)
{
  const auto bounds = std::equal_range(rights.begin(), rights.end(), left, order_of_fours{});
  const auto accepted = [&](std::int64_t row)
  {
    const bool is_row = 0 <= row && row < static_cast<std::int64_t>(rights.size());
    return is_row && refuses_some{}(left, rights[static_cast<std::size_t>(row)]) ? row : -1;
  };
  const std::int64_t lower = bounds.first - rights.begin();
  const std::int64_t upper = bounds.second - rights.begin();
  if constexpr (Direction::is_nearest)
  {
    const std::int64_t before = accepted(upper - 1);
    const std::int64_t after = accepted(lower);
    const auto distance = [&](std::int64_t row)
    { return distance_of_rows{}(left, rights[static_cast<std::size_t>(row)]); };
    return before < 0 || (after >= 0 && distance(after) < distance(before)) ? after : before;
  }
  else
  {
    return accepted((Direction::is_upper_bound ? upper : lower) - Direction::is_before);
  }
}

/// Joins over ranks rows in pieces that ascend, and compares the results with those of the whole.
template <class Direction>
void expect_asof_join_over_ranks(Direction direction, const sequence_keys& lefts, const sequence_keys& rights)
{
  using policy = std::decay_t<decltype(thrust::device)>;
  const auto left_pieces = test::to_memory_pieces<policy>(lefts);
  const auto right_pieces = test::to_memory_pieces<policy>(rights);
  sequence_keys results(lefts.size());
  mgpu::run_on_threads(
    static_cast<int>(lefts.size()),
    [&](mgpu::thread_communicator& communicator)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      test::memory<policy, int> rows(lefts[rank].size() + 1, -2);
      const auto end = mgpu::asof_join(
        mgpu::over(communicator, thrust::device), left_pieces[rank].begin(), left_pieces[rank].end(),
        right_pieces[rank].begin(), right_pieces[rank].end(), rows.begin(), direction, order_of_fours{},
        refuses_some{});
      EXPECT_TRUE(end == rows.end() - 1);
      results[rank] = test::to_host(rows);
    });
  const rank_keys all = test::concatenation(rights);
  for (std::size_t rank = 0; rank < lefts.size(); ++rank)
  {
    rank_keys expected;
    for (const int left : lefts[rank])
    {
      expected.push_back(static_cast<int>(expected_row(all, left, direction)));
    }
    expected.push_back(-2);
    ASSERT_EQ(results[rank], expected) << "rank " << rank;
  }
}

TEST(DistributedSearches, AsofJoins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto expect_results = [&](const sequence_keys& unordered_lefts, const sequence_keys& unordered_rights)
  {
    const sequence_keys lefts = test::ascending_by_rank(unordered_lefts);
    const sequence_keys rights = test::ascending_by_rank(unordered_rights);
    expect_asof_join_over_ranks(mgpu::backward, lefts, rights);
    expect_asof_join_over_ranks(mgpu::forward, lefts, rights);
    expect_asof_join_over_ranks(mgpu::strictly_backward, lefts, rights);
    expect_asof_join_over_ranks(mgpu::strictly_forward, lefts, rights);
    expect_asof_join_over_ranks(mgpu::nearest(distance_of_rows{}), lefts, rights);
  };
  test::for_each_distribution(expect_results);
  test::for_each_fuzz_case(
    80,
    [&](std::mt19937_64& seeds)
    {
      std::mt19937 random(static_cast<unsigned>(seeds()));
      const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
      const int num_ranks = 2 + up_to(4);
      const int num_keys = std::array<int, 4>{3, 12, 40, 1000}[static_cast<std::size_t>(up_to(3))];
      const auto pieces = [&]
      {
        std::vector<int> sizes(static_cast<std::size_t>(num_ranks));
        std::generate(sizes.begin(), sizes.end(), [&] { return up_to(1) * up_to(up_to(2) == 0 ? 100 : 4); });
        return test::random_pieces(random, sizes, num_keys);
      };
      const sequence_keys lefts = pieces();
      expect_results(lefts, pieces());
    });
}

TEST(DistributedSearches, WrongCalls)
{
  // Indices of each piece fit the output, those of the whole haystack do not.
  const std::vector<int> keys(100, 1);
  std::atomic<int> thrown{0};
  mgpu::run_on_threads(
    2,
    [&](mgpu::thread_communicator& communicator)
    {
      std::vector<signed char> bounds(3, -1);
      try
      {
        mgpu::sorted_lower_bound(
          mgpu::over(communicator, thrust::seq), keys.begin(), keys.end(), keys.begin(), keys.begin() + 3,
          bounds.begin());
      }
      catch (const std::length_error& error)
      {
        EXPECT_STREQ(
          error.what(),
          "mgpu::sorted_lower_bound: indices of up to 200 do not fit the output, which holds 127 at most");
        EXPECT_EQ(bounds, std::vector<signed char>(3, -1));
        ++thrown;
      }
    });
  EXPECT_EQ(thrown, 2);

  // Bounds of different sizes could not return.
  mgpu::run_on_threads(
    2,
    [&](mgpu::thread_communicator& communicator)
    {
      const auto search = [&](auto bounds)
      {
        mgpu::sorted_lower_bound(
          mgpu::over(communicator, thrust::seq), keys.begin(), keys.end(), keys.begin(), keys.end(), bounds.begin());
      };
      EXPECT_THROW(
        communicator.rank() == 0 ? search(std::vector<int>(100)) : search(std::vector<short>(100)),
        std::invalid_argument);
    });
}

TEST(DistributedSearches, BrokenPreconditionsEnd)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const test::time_limit limit;
  std::mt19937 random(4);
  int num_done = 0;
  for (int repetition = 0; repetition < 100; ++repetition)
  {
    std::array<sequence_keys, 2> inputs;
    for (sequence_keys& keys : inputs)
    {
      keys = test::ascending_by_rank(test::random_pieces(random, {20, 7, 30}, 10));
      test::break_order(random, keys, 10);
    }
    std::atomic<int> thrown{0};
    mgpu::run_on_threads(
      3,
      [&](mgpu::thread_communicator& communicator)
      {
        using policy = std::decay_t<decltype(thrust::device)>;
        const auto rank = static_cast<std::size_t>(communicator.rank());
        const auto needles = test::to_memory<policy>(inputs[0][rank]);
        const auto haystack = test::to_memory<policy>(inputs[1][rank]);
        test::memory<policy, int> bounds(needles.size() + 1, -1);
        try
        {
          mgpu::sorted_upper_bound(
            mgpu::over(communicator, thrust::device), haystack.begin(), haystack.end(), needles.begin(), needles.end(),
            bounds.begin());
          EXPECT_EQ(test::to_host(bounds).back(), -1);
        }
        catch (const std::invalid_argument&)
        {
          ++thrown;
        }
      });
    EXPECT_TRUE(thrown == 0 || thrown == 3) << thrown;
    num_done += thrown == 0;
  }
  EXPECT_GT(num_done, 5);
}

#if !defined(__CUDACC__) // a kernel cannot throw

TEST(DistributedSearches, ErrorsOfComparatorsReachAllRanks)
{
  std::mt19937 random(8);
  const sequence_keys needles = test::ascending_by_rank(test::random_pieces(random, {7, 4, 6}, 10));
  const sequence_keys haystack = test::ascending_by_rank(test::random_pieces(random, {2, 9, 3}, 10));
  test::fail_at_each_call(
    10,
    [&](mgpu::thread_communicator& communicator, std::atomic<int>* calls_left)
    {
      const int rank = communicator.rank();
      std::vector<std::int64_t> bounds(needles[rank].size());
      mgpu::sorted_lower_bound(
        mgpu::over(communicator, thrust::seq), haystack[rank].begin(), haystack[rank].end(), needles[rank].begin(),
        needles[rank].end(), bounds.begin(), test::order_that_throws{calls_left});
    },
    [](int thrown) { EXPECT_TRUE(thrown == 0 || thrown == 3) << thrown; });
}

#endif

} // namespace

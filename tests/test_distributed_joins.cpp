// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Joins, semi joins and anti joins over ranks that are threads.

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
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::rank_keys;
using test::rank_output;
using test::sequence_keys;

/// A policy that other tests of joins compile calls for, too.
auto usual_policy()
{
#if defined(__CUDACC__)
  return thrust::cuda::par.on(cudaStreamPerThread);
#else
  return thrust::seq;
#endif
}

/// Row numbers of both inputs that calls must write, or have written.
struct rows_over_ranks
{
  rank_keys left;
  rank_keys right;
};

/// The rows of an inner join, or of a left join.
rows_over_ranks expected_join(const sequence_keys& lefts, const sequence_keys& rights, bool keeps_left)
{
  const rank_keys keys = test::concatenation(rights);
  rows_over_ranks rows;
  int i = 0;
  for (const int key : test::concatenation(lefts))
  {
    const auto bounds = std::equal_range(keys.begin(), keys.end(), key);
    const auto add = [&](std::int64_t j)
    {
      rows.left.push_back(i);
      rows.right.push_back(static_cast<int>(j));
    };
    for (auto match = bounds.first; match != bounds.second; ++match)
    {
      add(match - keys.begin());
    }
    if (keeps_left && bounds.first == bounds.second)
    {
      add(-1);
    }
    ++i;
  }
  return rows;
}

/// The left rows with a match, or without one.
rank_keys expected_filter(const sequence_keys& lefts, const sequence_keys& rights, bool keeps_matched)
{
  const rank_keys keys = test::concatenation(rights);
  rank_keys rows;
  int i = 0;
  for (const int key : test::concatenation(lefts))
  {
    if (std::binary_search(keys.begin(), keys.end(), key) == keeps_matched)
    {
      rows.push_back(i);
    }
    ++i;
  }
  return rows;
}

/// A rank's rows by a plan, `step` at a time.
template <class Plan, class Policy>
void fill_in_steps(
  const Plan& plan, rank_output<Policy>& left, rank_output<Policy>& right, std::int64_t step, std::int64_t first = 0)
{
  for (; first < plan.size(); first += step)
  {
    const std::int64_t last = (std::min)(first + step, plan.size());
    const auto ends = plan.fill(first, last, left.begin() + first, right.begin() + first);
    EXPECT_TRUE(ends.first == left.begin() + last && ends.second == right.begin() + last);
  }
}

/// A join by a plan, whose rows are written at once and in steps, by the function, and by its size.
template <class Kind, class Policy, class Function, class Size>
void expect_join_over_ranks(
  Kind kind, Policy policy, const sequence_keys& lefts, const sequence_keys& rights, Function join, Size join_size)
{
  const auto left_pieces = test::to_memory_pieces<Policy>(lefts);
  const auto right_pieces = test::to_memory_pieces<Policy>(rights);
  const rows_over_ranks expected = expected_join(lefts, rights, Kind::keeps_left);
  std::array<sequence_keys, 2> results{sequence_keys(lefts.size()), sequence_keys(lefts.size())};
  mgpu::run_on_threads(
    static_cast<int>(lefts.size()),
    [&](mgpu::thread_communicator& communicator)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto exec = mgpu::over(communicator, policy);
      const auto& left = left_pieces[rank];
      const auto& right = right_pieces[rank];
      const mgpu::join_plan plan(exec, kind, left.begin(), left.end(), right.begin(), right.end());
      rank_output<Policy> left_rows(plan.size());
      rank_output<Policy> right_rows(plan.size());
      fill_in_steps(plan, left_rows, right_rows, (std::max)(std::int64_t{1}, plan.size()));
      results[0][rank] = left_rows.written(left_rows.begin() + plan.size());
      results[1][rank] = right_rows.written(right_rows.begin() + plan.size());

      const auto expect_same = [&](rank_output<Policy>& left_again, rank_output<Policy>& right_again)
      {
        EXPECT_EQ(left_again.written(left_again.begin() + plan.size()), results[0][rank]);
        EXPECT_EQ(right_again.written(right_again.begin() + plan.size()), results[1][rank]);
      };
      rank_output<Policy> left_again(plan.size());
      rank_output<Policy> right_again(plan.size());
      const auto ends =
        join(exec, left.begin(), left.end(), right.begin(), right.end(), left_again.begin(), right_again.begin());
      EXPECT_TRUE(ends.first == left_again.begin() + plan.size() && ends.second == right_again.begin() + plan.size());
      expect_same(left_again, right_again);
      rank_output<Policy> left_steps(plan.size());
      rank_output<Policy> right_steps(plan.size());
      fill_in_steps(plan, left_steps, right_steps, 1 + plan.size() / 5);
      expect_same(left_steps, right_steps);
      EXPECT_EQ(
        join_size(exec, left.begin(), left.end(), right.begin(), right.end()),
        static_cast<std::int64_t>(expected.left.size()));
    });
  ASSERT_EQ(test::concatenation(results[0]), expected.left);
  ASSERT_EQ(test::concatenation(results[1]), expected.right);
}

/// A semi join or an anti join, and its size.
template <class Policy, class Function, class Size>
void expect_filter_over_ranks(
  bool keeps_matched, Policy policy, const sequence_keys& lefts, const sequence_keys& rights, Function filter,
  Size filter_size)
{
  const auto left_pieces = test::to_memory_pieces<Policy>(lefts);
  const auto right_pieces = test::to_memory_pieces<Policy>(rights);
  const rank_keys expected = expected_filter(lefts, rights, keeps_matched);
  sequence_keys results(lefts.size());
  mgpu::run_on_threads(
    static_cast<int>(lefts.size()),
    [&](mgpu::thread_communicator& communicator)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto exec = mgpu::over(communicator, policy);
      const auto& left = left_pieces[rank];
      const auto& right = right_pieces[rank];
      rank_output<Policy> rows(static_cast<std::int64_t>(left.size() + right.size())); // the room that is stated
      results[rank] = rows.written(filter(exec, left.begin(), left.end(), right.begin(), right.end(), rows.begin()));
      EXPECT_EQ(
        filter_size(exec, left.begin(), left.end(), right.begin(), right.end()),
        static_cast<std::int64_t>(expected.size()));
    });
  ASSERT_EQ(test::concatenation(results), expected);
}

/// All of the functions under a serial policy and on a GPU; under another policy two, as ranks do the same.
template <class Policy>
void expect_joins_over_ranks(Policy policy, const sequence_keys& lefts, const sequence_keys& rights)
{
  constexpr bool has_all = test::on_cuda<Policy> || std::is_same_v<Policy, std::decay_t<decltype(thrust::seq)>>;
  const sequence_keys a = test::ascending_by_rank(lefts);
  const sequence_keys b = test::ascending_by_rank(rights);
  expect_join_over_ranks(
    mgpu::inner_join_t{}, policy, a, b, [](auto... in) { return mgpu::inner_join(in...); },
    [](auto... in) { return mgpu::inner_join_size(in...); });
  expect_filter_over_ranks(
    true, policy, a, b, [](auto... in) { return mgpu::semi_join(in...); },
    [](auto... in) { return mgpu::semi_join_size(in...); });
  if constexpr (has_all)
  {
    expect_join_over_ranks(
      mgpu::left_join_t{}, policy, a, b, [](auto... in) { return mgpu::left_join(in...); },
      [](auto... in) { return mgpu::left_join_size(in...); });
    expect_filter_over_ranks(
      false, policy, a, b, [](auto... in) { return mgpu::anti_join(in...); },
      [](auto... in) { return mgpu::anti_join_size(in...); });
  }
}

/// One in so many elements of each piece: a join of equal keys has many rows.
sequence_keys one_in(std::size_t step, const sequence_keys& pieces)
{
  sequence_keys some(pieces);
  for (rank_keys& piece : some)
  {
    piece.resize((piece.size() + step - 1) / step);
  }
  return some;
}

TEST(DistributedJoins, Results)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_local_policy(
    [](auto policy)
    {
      test::for_each_distribution([&](const sequence_keys& a, const sequence_keys& b)
                                  { expect_joins_over_ranks(policy, one_in(20, a), one_in(20, b)); });
      // Several pieces of a worker, or tiles, and more elements than a message has samples.
      std::mt19937 random(7);
      for (const int num_keys : {1 << 17, 1 << 30})
      {
        const sequence_keys a = test::random_pieces(random, {100000, 0, 200000, 30}, num_keys);
        expect_joins_over_ranks(policy, a, test::random_pieces(random, {30000, 40000, 10000, 150000}, num_keys));
      }
      // A short input is searched for in the other one. Keys have more copies than a message has samples, or few.
      for (const int num_keys : {2, 1000})
      {
        const sequence_keys few = test::random_pieces(random, {1, 0, 30}, num_keys);
        const sequence_keys many = test::random_pieces(random, {5000, 40000, 1}, num_keys);
        expect_joins_over_ranks(policy, few, many);
        expect_joins_over_ranks(policy, many, few);
      }
    });
}

TEST(DistributedJoins, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    60,
    [](std::mt19937_64& seeds)
    {
      std::mt19937 random(static_cast<unsigned>(seeds()));
      const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
      const int num_ranks = 2 + up_to(4);
      const int num_keys = std::array<int, 5>{1, 2, 3, 20, 1000}[static_cast<std::size_t>(up_to(4))];
      const auto pieces = [&]
      {
        std::vector<int> sizes(static_cast<std::size_t>(num_ranks));
        std::generate(sizes.begin(), sizes.end(), [&] { return up_to(2) == 0 ? 0 : up_to(up_to(1) == 0 ? 5 : 100); });
        return test::random_pieces(random, sizes, num_keys);
      };
      const sequence_keys a = pieces();
      const sequence_keys b = pieces();
      test::for_each_local_policy([&](auto policy) { expect_joins_over_ranks(policy, a, b); });
    });
}

/// The number of rows that each rank gets of the rows of pieces.
std::vector<std::int64_t> rows_of_ranks(const sequence_keys& lefts, const sequence_keys& rights)
{
  std::vector<std::int64_t> rows(lefts.size());
  mgpu::run_on_threads(
    static_cast<int>(lefts.size()),
    [&](mgpu::thread_communicator& communicator)
    {
      using policy = decltype(usual_policy());
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto left = test::to_memory<policy>(lefts[rank]);
      const auto right = test::to_memory<policy>(rights[rank]);
      const mgpu::join_plan plan(
        mgpu::over(communicator, usual_policy()), mgpu::inner_join_t{}, left.begin(), left.end(), right.begin(),
        right.end());
      rows[rank] = plan.size();
    });
  return rows;
}

TEST(DistributedJoins, RowsOfOneKeyAreDividedAsItsElements)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // All elements have one key; then it has other keys before and after it.
  const auto expect_bound = [](const std::vector<int>& left_sizes, const std::vector<int>& right_sizes)
  {
    std::mt19937 random(1);
    const sequence_keys lefts = test::random_pieces(random, left_sizes, 1);
    const sequence_keys rights = test::random_pieces(random, right_sizes, 1);
    const std::vector<std::int64_t> brought = test::brought_sizes({lefts, rights});
    const std::int64_t a = std::accumulate(left_sizes.begin(), left_sizes.end(), std::int64_t{0});
    const std::int64_t b = std::accumulate(right_sizes.begin(), right_sizes.end(), std::int64_t{0});
    const std::vector<std::int64_t> rows = rows_of_ranks(lefts, rights);
    EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}), a * b);
    for (std::size_t rank = 0; rank < rows.size(); ++rank)
    {
      EXPECT_LE(rows[rank], a * b * brought[rank] / (a + b) + 1) << "rank " << rank;
      EXPECT_GE(rows[rank], a * b * brought[rank] / (a + b) - 1) << "rank " << rank;
    }
  };
  expect_bound({100, 100, 100}, {100, 100, 100});
  expect_bound({100, 100, 100, 100, 100}, {100, 100, 100, 100, 100});
  expect_bound({500, 0, 0}, {0, 7, 600}); // the rank between has both ends of the key elsewhere
  expect_bound({1, 0, 0, 0, 0}, {100, 200, 0, 300, 1});
  expect_bound({100, 200, 0, 300, 1}, {0, 0, 2, 0, 0});

  // Key 5 has 200 elements of each input, on ranks 1 and 2 after the cuts, and 40,000 of the 40,100 rows.
  const auto pieces = [](int of_rank_0, int of_rank_3) {
    return sequence_keys{rank_keys(100, of_rank_0), rank_keys(100, 5), rank_keys(100, 5), rank_keys(100, of_rank_3)};
  };
  sequence_keys lefts = pieces(1, 7);
  lefts[0][99] = 2;
  sequence_keys rights = pieces(3, 9);
  rights[0].assign(100, 2);
  EXPECT_EQ(rows_of_ranks(lefts, rights), (std::vector<std::int64_t>{100, 20000, 20000, 0}));
}

TEST(DistributedJoins, Proportions)
{
  const std::int64_t largest = INT64_MAX;
  const std::int64_t whole = std::int64_t{1} << 61;
  EXPECT_EQ(mgpu::detail::proportion(largest, whole, whole), largest);
  EXPECT_EQ(mgpu::detail::proportion(largest, whole / 2, whole), largest / 2);
  EXPECT_EQ(mgpu::detail::proportion(largest, 0, whole), 0);
  EXPECT_EQ(mgpu::detail::proportion(3 * (whole - 7), whole - 9, whole - 7), 3 * (whole - 9));
  std::mt19937 random(3);
  for (int repetition = 0; repetition < 1000; ++repetition)
  {
    const std::int64_t small_whole = 1 + random() % 1000;
    const std::int64_t part = random() % (small_whole + 1);
    const std::int64_t number = random() % 1000000;
    EXPECT_EQ(mgpu::detail::proportion(number, part, small_whole), number * part / small_whole);
  }
}

TEST(DistributedJoins, BrokenPreconditionsStayInRoom)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const test::time_limit limit;
  std::mt19937 random(4);
  int num_thrown = 0;
  int num_done = 0;
  for (int repetition = 0; repetition < 200; ++repetition)
  {
    const int num_keys = repetition % 2 == 0 ? 3 : 50;
    std::array<sequence_keys, 2> inputs;
    for (sequence_keys& keys : inputs)
    {
      keys = test::ascending_by_rank(test::random_pieces(random, {20, 7, 30}, num_keys));
      test::break_order(random, keys, num_keys);
    }
    std::atomic<int> thrown{0};
    mgpu::run_on_threads(
      3,
      [&](mgpu::thread_communicator& communicator)
      {
        using policy = decltype(usual_policy());
        const auto rank = static_cast<std::size_t>(communicator.rank());
        const auto exec = mgpu::over(communicator, usual_policy());
        const auto a = test::to_memory<policy>(inputs[0][rank]);
        const auto b = test::to_memory<policy>(inputs[1][rank]);
        try
        {
          const mgpu::join_plan plan(exec, mgpu::inner_join_t{}, a.begin(), a.end(), b.begin(), b.end());
          rank_output<policy> left(plan.size());
          rank_output<policy> right(plan.size());
          fill_in_steps(plan, left, right, 100);
          (void) left.written(left.begin() + plan.size());
          (void) right.written(right.begin() + plan.size());
          rank_output<policy> kept(static_cast<std::int64_t>(a.size() + b.size()));
          (void) kept.written(mgpu::semi_join(exec, a.begin(), a.end(), b.begin(), b.end(), kept.begin()));
        }
        catch (const std::invalid_argument&)
        {
          ++thrown;
        }
      });
    EXPECT_TRUE(thrown == 0 || thrown == 3) << thrown;
    num_thrown += thrown == 3;
    num_done += thrown == 0;
  }
  EXPECT_GT(num_thrown, 5);
  EXPECT_GT(num_done, 5);
}

#if !defined(__CUDACC__) // a kernel cannot throw

TEST(DistributedJoins, ErrorsOfComparatorsReachAllRanks)
{
  std::mt19937 random(8);
  const sequence_keys a = test::ascending_by_rank(test::random_pieces(random, {7, 4, 6}, 10));
  const sequence_keys b = test::ascending_by_rank(test::random_pieces(random, {2, 9, 3}, 10));
  // Once elements have moved, a rank that fails throws alone, unless the result is one of all ranks.
  const auto expect_errors = [&](bool is_of_all, auto call)
  {
    int after_move = 0;
    sequence_keys out(3);
    test::fail_at_each_call(
      10,
      [&](mgpu::thread_communicator& communicator, std::atomic<int>* calls_left)
      {
        const int rank = communicator.rank();
        out[rank].assign(200, -1);
        call(
          mgpu::over(communicator, thrust::seq), a[rank], b[rank], out[rank].begin(),
          test::order_that_throws{calls_left});
      },
      [&](int thrown)
      {
        after_move += thrown == 1;
        EXPECT_TRUE(thrown == 0 || thrown == 3 || (thrown == 1 && !is_of_all)) << thrown;
        if (thrown == 3)
        {
          EXPECT_EQ(test::concatenation(out), rank_keys(600, -1));
        }
      });
    EXPECT_EQ(after_move > 0, !is_of_all);
  };
  expect_errors(
    false, [](const auto& exec, const rank_keys& left, const rank_keys& right, auto out, auto order)
    { mgpu::inner_join(exec, left.begin(), left.end(), right.begin(), right.end(), out, out + 100, order); });
  expect_errors(
    false, [](const auto& exec, const rank_keys& left, const rank_keys& right, auto out, auto order)
    { mgpu::semi_join(exec, left.begin(), left.end(), right.begin(), right.end(), out, order); });
  expect_errors(
    true, [](const auto& exec, const rank_keys& left, const rank_keys& right, auto, auto order)
    { (void) mgpu::inner_join_size(exec, left.begin(), left.end(), right.begin(), right.end(), order); });
  expect_errors(
    true,
    [](const auto& exec, const rank_keys& left, const rank_keys& right, auto, auto order) {
      (void) mgpu::join_plan(exec, mgpu::inner_join_t{}, left.begin(), left.end(), right.begin(), right.end(), order);
    });
}

#endif

TEST(DistributedJoins, WrongCalls)
{
  const rank_keys keys(100, 1);
  const auto expect_message = [&](const std::string& message, auto call)
  {
    std::atomic<int> thrown{0};
    mgpu::run_on_threads(
      2,
      [&](mgpu::thread_communicator& communicator)
      {
        std::vector<signed char> rows(20000, -1);
        try
        {
          call(mgpu::over(communicator, thrust::seq), communicator.rank(), rows.begin());
        }
        catch (const std::logic_error& error)
        {
          EXPECT_EQ(error.what(), message);
          EXPECT_EQ(rows, std::vector<signed char>(20000, -1));
          ++thrown;
        }
      });
    EXPECT_EQ(thrown, 2);
  };
  // Indices of each piece fit the output, those of the whole input do not.
  const std::string too_many = ": indices of up to 199 do not fit the output, which holds 127 at most";
  expect_message(
    "mgpu::inner_join" + too_many, [&](const auto& exec, int, auto rows)
    { mgpu::inner_join(exec, keys.begin(), keys.end(), keys.begin(), keys.end(), rows, rows + 10000); });
  expect_message(
    "mgpu::semi_join" + too_many, [&](const auto& exec, int, auto rows)
    { mgpu::semi_join(exec, keys.begin(), keys.end(), keys.begin(), keys.begin() + 3, rows); });
  const auto plan_of = [&](const auto& exec, auto kind)
  { return mgpu::join_plan(exec, kind, keys.begin(), keys.end(), keys.begin(), keys.end()); };
  expect_message(
    "mgpu::join_plan::fill" + too_many,
    [&](const auto& exec, int, auto rows) { plan_of(exec, mgpu::inner_join_t{}).fill(rows, rows + 10000); });
  expect_message(
    "mgpu::join_plan::fill: no rows from 1 to 20001 among 20000",
    [&](const auto& exec, int, auto rows) { plan_of(exec, mgpu::inner_join_t{}).fill(1, 20001, rows, rows); });

  // Calls that differ in no more than the kind of join.
  expect_message(
    "mgpu::join_plan: rank 1 makes another call than rank 0",
    [&](const auto& exec, int rank, auto)
    {
      if (rank == 0)
      {
        (void) plan_of(exec, mgpu::inner_join_t{});
      }
      else
      {
        (void) plan_of(exec, mgpu::left_join_t{});
      }
    });
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Set operations over ranks that are threads.

#include "support/fuzz.h"
#include "support/rank_pieces.h"
#include "support/set_battery.h"
#include "support/systems.h"
#include "support/time_limit.h"

#include <mgpu_thrust/distributed.h>

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

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
using test::rank_output;
using test::sequence_keys;
using set_order = ::cuda::std::less<>;

/// The room that is stated for the result of a rank that brings some elements.
std::int64_t room_of_set(test::set_op op, std::int64_t brought)
{
  return op == test::set_op::intersection ? (brought + 1) / 2 : brought + 1;
}

/// Executes an operation, a union without values too, over ranks whose pieces ascend. Compares the results, one after
/// the other, with that of std::.
template <test::set_op Op, class Policy>
void expect_set_over_ranks(Policy policy, const sequence_keys& a, const sequence_keys& b)
{
  constexpr bool has_keys_alone = Op == test::set_op::union_of;
  const auto a_keys = test::to_memory_pieces<Policy>(a);
  const auto b_keys = test::to_memory_pieces<Policy>(b);
  const auto a_ids = test::to_memory_pieces<Policy>(test::ids_of(a, 0));
  const auto b_ids = test::to_memory_pieces<Policy>(test::ids_of(b, test::b_origin));
  sequence_keys keys(a.size());
  sequence_keys ids(a.size());
  sequence_keys only(a.size());
  const auto expected = test::std_set_operation(Op, test::concatenation(a), test::concatenation(b), set_order{});
  mgpu::run_on_threads(
    static_cast<int>(a.size()),
    [&](mgpu::thread_communicator& communicator)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto exec = mgpu::over(communicator, policy);
      const auto first1 = a_keys[rank].begin();
      const auto last1 = a_keys[rank].end();
      const auto first2 = b_keys[rank].begin();
      const auto last2 = b_keys[rank].end();
      const std::int64_t room = room_of_set(Op, (last1 - first1) + (last2 - first2));
      rank_output<Policy> keys_out(room);
      rank_output<Policy> ids_out(room);
      rank_output<Policy> only_out(room);
      const auto ends = test::set_by_key<Op>(
        exec, first1, last1, first2, last2, a_ids[rank].begin(), b_ids[rank].begin(), keys_out.begin(), ids_out.begin(),
        set_order{});
      keys[rank] = keys_out.written(ends.first);
      ids[rank] = ids_out.written(ends.second);
      if constexpr (has_keys_alone)
      {
        only[rank] =
          only_out.written(test::set_keys<Op>(exec, first1, last1, first2, last2, only_out.begin(), set_order{}));
      }
      const std::int64_t size = test::set_size<Op>(exec, first1, last1, first2, last2, set_order{});
      EXPECT_EQ(size, static_cast<std::int64_t>(expected.keys.size()));
    });
  ASSERT_EQ(test::concatenation(keys), expected.keys);
  ASSERT_EQ(test::concatenation(ids), expected.values);
  ASSERT_EQ(test::concatenation(only), has_keys_alone ? expected.keys : rank_keys());
}

/// All operations under a serial policy and on a GPU; under another policy one, as ranks do the same.
template <class Policy>
void expect_sets_over_ranks(Policy policy, const sequence_keys& a, const sequence_keys& b)
{
  constexpr bool has_all = test::on_cuda<Policy> || std::is_same_v<Policy, std::decay_t<decltype(thrust::seq)>>;
  const sequence_keys a_pieces = test::ascending_by_rank(a);
  const sequence_keys b_pieces = test::ascending_by_rank(b);
  test::for_each_op(
    std::conditional_t<has_all, test::all_set_ops, test::set_ops<test::set_op::union_of>>{},
    [&](auto op)
    {
      SCOPED_TRACE(test::name_of(op));
      expect_set_over_ranks<decltype(op)::value>(policy, a_pieces, b_pieces);
    });
}

TEST(DistributedSets, Results)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_local_policy(
    [](auto policy)
    {
      test::for_each_distribution([&](const sequence_keys& a, const sequence_keys& b)
                                  { expect_sets_over_ranks(policy, a, b); });
      // Several pieces of a worker, or tiles, and more elements than a message has samples.
      std::mt19937 random(7);
      for (const int num_keys : {1, 16, 1 << 30})
      {
        const sequence_keys a = test::random_pieces(random, {100000, 0, 200000, 30}, num_keys);
        expect_sets_over_ranks(policy, a, test::random_pieces(random, {30000, 40000, 10000, 150000}, num_keys));
      }
      // A short input is searched for in the other one.
      const sequence_keys few = test::random_pieces(random, {1, 0, 30}, 1000);
      const sequence_keys many = test::random_pieces(random, {5000, 40000, 1}, 1000);
      expect_sets_over_ranks(policy, few, many);
      expect_sets_over_ranks(policy, many, few);
    });
}

TEST(DistributedSets, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    40,
    [](std::mt19937_64& seeds)
    {
      std::mt19937 random(static_cast<unsigned>(seeds()));
      const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
      const int num_ranks = 2 + up_to(3);
      const int num_keys = std::array<int, 4>{1, 3, 20, 1000}[static_cast<std::size_t>(up_to(3))];
      std::vector<int> sizes[2];
      for (std::vector<int>& of_ranks : sizes)
      {
        for (int rank = 0; rank < num_ranks; ++rank)
        {
          of_ranks.push_back(up_to(1) * up_to(up_to(1) == 0 ? 5 : 300));
        }
      }
      const sequence_keys a = test::random_pieces(random, sizes[0], num_keys);
      test::for_each_local_policy(
        [&](auto policy) { expect_sets_over_ranks(policy, a, test::random_pieces(random, sizes[1], num_keys)); });
    });
}

TEST(DistributedSets, CombinedValuesAndInclusion)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // Values of another type in each input, and in the result.
  using policy = std::decay_t<decltype(thrust::device)>;
  std::mt19937 random(3);
  for (const int num_keys : {2, 5000})
  {
    const sequence_keys a = test::ascending_by_rank(test::random_pieces(random, {900, 0, 2000}, num_keys));
    const sequence_keys b = test::ascending_by_rank(test::random_pieces(random, {1, 1500, 800}, num_keys));
    const sequence_keys a_ids = test::ids_of(a, 0);
    const sequence_keys b_ids = test::ids_of(b, 0);
    sequence_keys keys(3);
    std::vector<std::vector<double>> values(3);
    mgpu::run_on_threads(
      3,
      [&](mgpu::thread_communicator& communicator)
      {
        const auto rank = static_cast<std::size_t>(communicator.rank());
        const auto exec = mgpu::over(communicator, thrust::device);
        const auto a_keys = test::to_memory<policy>(a[rank]);
        const auto b_keys = test::to_memory<policy>(b[rank]);
        const auto a_values = test::to_memory<policy>(a_ids[rank]);
        const auto b_values = test::to_memory<policy>(std::vector<double>(b_ids[rank].begin(), b_ids[rank].end()));
        rank_output<policy> out(
          room_of_set(test::set_op::intersection, (a_keys.end() - a_keys.begin()) + (b_keys.end() - b_keys.begin())));
        test::memory<policy, double> values_out(static_cast<std::size_t>(out.room));
        const auto ends = mgpu::set_intersection_by_key(
          exec, a_keys.begin(), a_keys.end(), b_keys.begin(), b_keys.end(), a_values.begin(), b_values.begin(),
          out.begin(), values_out.begin(), set_order{}, ::cuda::std::minus<>{});
        keys[rank] = out.written(ends.first);
        values[rank] = test::to_host(values_out);
        values[rank].resize(keys[rank].size());

        EXPECT_EQ(mgpu::includes(exec, a_keys.begin(), a_keys.end(), b_keys.begin(), b_keys.end()), num_keys == 2);
        EXPECT_TRUE(mgpu::includes(
          exec, a_keys.begin(), a_keys.end(), a_keys.begin() + a_keys.size() / 3, a_keys.end() - a_keys.size() / 3));
      });
    const auto ids_of_result = [&](const sequence_keys& first, const sequence_keys& second)
    {
      return test::std_set_operation(
        test::set_op::intersection, test::concatenation(first), test::concatenation(second), set_order{});
    };
    const auto expected = ids_of_result(a, b);
    const auto mirrored = ids_of_result(b, a);
    ASSERT_EQ(test::concatenation(keys), expected.keys);
    std::vector<double> differences;
    for (std::size_t i = 0; i < expected.values.size(); ++i)
    {
      differences.push_back(expected.values[i] - mirrored.values[i]);
    }
    std::vector<double> all_values;
    for (const std::vector<double>& of_rank : values)
    {
      all_values.insert(all_values.end(), of_rank.begin(), of_rank.end());
    }
    ASSERT_EQ(all_values, differences);
  }
}

TEST(DistributedSets, BrokenPreconditionsStayInRoom)
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
      std::vector<int> sizes(3);
      std::generate(sizes.begin(), sizes.end(), [&] { return static_cast<int>(random() % 40); });
      keys = test::ascending_by_rank(test::random_pieces(random, sizes, num_keys));
      test::break_order(random, keys, num_keys);
    }
    std::atomic<int> thrown{0};
    mgpu::run_on_threads(
      3,
      [&](mgpu::thread_communicator& communicator)
      {
        using policy = std::decay_t<decltype(thrust::device)>;
        const auto rank = static_cast<std::size_t>(communicator.rank());
        const auto a = test::to_memory<policy>(inputs[0][rank]);
        const auto b = test::to_memory<policy>(inputs[1][rank]);
        rank_output<policy> out(static_cast<std::int64_t>(a.size() + b.size()) + 1);
        try
        {
          (void) out.written(mgpu::set_union(
            mgpu::over(communicator, thrust::device), a.begin(), a.end(), b.begin(), b.end(), out.begin()));
        }
        catch (const std::invalid_argument&)
        {
          EXPECT_TRUE(out.written(out.begin()).empty());
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

TEST(DistributedSets, ErrorsOfComparatorsReachAllRanks)
{
  std::mt19937 random(8);
  const sequence_keys a = test::ascending_by_rank(test::random_pieces(random, {7, 4, 6}, 10));
  const sequence_keys b = test::ascending_by_rank(test::random_pieces(random, {2, 9, 3}, 10));
  for (const bool writes : {true, false})
  {
    for (int failing = 0; failing < 3; ++failing)
    {
      int thrown = 3;
      int after_move = 0;
      for (int call = 0; thrown > 0; ++call)
      {
        SCOPED_TRACE("rank " + std::to_string(failing) + ", call " + std::to_string(call));
        std::atomic<int> calls_left{call};
        sequence_keys out(3);
        thrown = test::ranks_that_throw(
          failing,
          [&](mgpu::thread_communicator& communicator)
          {
            const int rank = communicator.rank();
            const test::order_that_throws order{rank == failing ? &calls_left : nullptr};
            const auto exec = mgpu::over(communicator, thrust::seq);
            out[rank].assign(a[rank].size() + b[rank].size() + 1, -1);
            if (writes)
            {
              mgpu::set_union(
                exec, a[rank].begin(), a[rank].end(), b[rank].begin(), b[rank].end(), out[rank].begin(), order);
            }
            else
            {
              (void) mgpu::set_union_size(exec, a[rank].begin(), a[rank].end(), b[rank].begin(), b[rank].end(), order);
            }
          });
        // Once elements have moved, a rank writes its result alone. Of a size all ranks learn.
        after_move += thrown == 1;
        EXPECT_TRUE(thrown == 0 || thrown == 3 || (writes && thrown == 1)) << thrown;
        if (thrown == 3)
        {
          EXPECT_EQ(test::concatenation(out), rank_keys(test::concatenation(out).size(), -1));
        }
      }
      EXPECT_EQ(after_move > 0, writes);
    }
  }
}

#endif

TEST(DistributedSets, WrongCalls)
{
  const rank_keys keys{1, 2, 3};
  const auto expect_message = [&](const rank_keys& of_rank_1, std::ptrdiff_t count, const std::string& part)
  {
    try
    {
      mgpu::run_on_threads(
        2,
        [&](mgpu::thread_communicator& communicator)
        {
          const rank_keys& mine = communicator.rank() == 0 ? keys : of_rank_1;
          rank_keys out(7);
          mgpu::set_union(
            mgpu::over(communicator, thrust::seq), mine.begin(), mine.end(), mine.begin(), mine.begin() + count,
            out.begin());
        });
      FAIL() << part;
    }
    catch (const std::invalid_argument& error)
    {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_message({3, 3}, -1, "mgpu::set_union: the last of the second input is before its first (-1 elements)");
  expect_message({1, 2}, 2, "mgpu::set_union: the pieces of sequence 0 do not ascend by rank");
}

} // namespace

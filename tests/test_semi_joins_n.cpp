// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Semi and anti joins whose sizes are deferred: the battery, the sizes at which another kernel works, a chain, and
// inputs that are not sorted.

#include "support/deferred_battery.h"

#include <mgpu_thrust/read_count.h>
#include <mgpu_thrust/semi_join_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_semi_join.cuh>
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::ints;
using test::two_ranges;

/// The first range is the left input, the second the right one.
template <bool KeepsMatched>
struct filtered_rows : test::ranges_of_copies
{
  static constexpr bool writes = true;

  static ints expected(const ints& left, const ints& right)
  {
    ints kept;
    for (std::size_t row = 0; row < left.size(); ++row)
    {
      if (std::binary_search(right.begin(), right.end(), left[row]) == KeepsMatched)
      {
        kept.push_back(static_cast<std::int32_t>(row));
      }
    }
    return kept;
  }
  static std::int64_t most(std::int64_t left, std::int64_t)
  {
    return left;
  }
};

#define MGPU_THRUST_TEST_FILTER(name, keeps_matched, function, Function, ...)                                          \
  struct name : filtered_rows<keeps_matched>                                                                           \
  {                                                                                                                    \
    static constexpr bool writes = sizeof(#__VA_ARGS__) > 1;                                                           \
    template <class Policy, class Size1, class Size2, class Count>                                                     \
    static MGPU_THRUST_HOST_DEVICE auto                                                                                \
    run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count count)                         \
    {                                                                                                                  \
      return mgpu::function(policy, ranges.first, size1, ranges.second, size2, __VA_ARGS__ count);                     \
    }                                                                                                                  \
    MGPU_THRUST_TEST_QUEUE(Function, __VA_ARGS__)                                                                      \
  };
#if defined(__CUDACC__)
#  define MGPU_THRUST_TEST_QUEUE(Function, ...)                                                                        \
    template <class Size1, class Size2, class Count>                                                                   \
    static cudaError_t queue(                                                                                          \
      void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count* count,             \
      cudaStream_t stream)                                                                                             \
    {                                                                                                                  \
      return mgpu::DeviceSemiJoin::Function(                                                                           \
        storage, bytes, ranges.first, size1, ranges.second, size2, __VA_ARGS__ count, cuda::std::less<>{}, stream);    \
    }
#else
#  define MGPU_THRUST_TEST_QUEUE(Function, ...)
#endif
#define MGPU_THRUST_TEST_OUT ranges.out,
MGPU_THRUST_TEST_FILTER(matched, true, semi_join_n, Semi, MGPU_THRUST_TEST_OUT)
MGPU_THRUST_TEST_FILTER(unmatched, false, anti_join_n, Anti, MGPU_THRUST_TEST_OUT)
MGPU_THRUST_TEST_FILTER(matched_size, true, semi_join_size_n, SemiCount, )
MGPU_THRUST_TEST_FILTER(unmatched_size, false, anti_join_size_n, AntiCount, )

using deferred_joins = testing::Types<matched, unmatched, matched_size, unmatched_size>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SemiJoins, DeferredSizes, deferred_joins);
} // namespace test

namespace
{

/// Joins with every kind of size, for the sizes at which another kernel works, and with the count where a size is read.
TEST(SemiJoinsN, SizesForEitherKernel)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__)
  constexpr std::int64_t room = 200000;
#else
  constexpr std::int64_t room = 64100; // there is one algorithm
#endif
  const ints all_left = matched::input(0, room);
  const ints all_right = matched::input(1, room);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto left = test::to_memory<policy_t>(all_left);
      const auto right = test::to_memory<policy_t>(all_right);
      test::memory<policy_t, std::int32_t> out(room + 1, -7);
      for (const test::two_counts sizes :
           {test::two_counts{1000, 63999},
            {1000, 64000},
            {1000, room},
            {3125, room},
            {3126, room},
            {1, 63},
            {1, 64},
            {1, 0},
            {0, 63},
            {0, room},
            {room, 500}})
      {
        const std::int64_t num_left = sizes.first;
        const std::int64_t num_right = sizes.second;
        SCOPED_TRACE(std::to_string(num_left) + " and " + std::to_string(num_right));
        const ints expected = unmatched::expected(
          ints(all_left.begin(), all_left.begin() + num_left), ints(all_right.begin(), all_right.begin() + num_right));
        ints expected_room = expected;
        expected_room.resize(room + 1, -7);
        test::memory<policy_t, int> counts(2);
        const auto check = [&](auto size_left, auto size_right, int written)
        {
          counts[0] = static_cast<int>(num_left);
          counts[1] = static_cast<int>(num_right);
          thrust::fill(out.begin(), out.end(), -7);
          mgpu::anti_join_n(
            policy, left.begin(), size_left, right.begin(), size_right, out.begin(), counts.data() + written);
          ASSERT_EQ(test::to_host(out), expected_room);
          ASSERT_EQ(static_cast<std::size_t>(counts[written]), expected.size());
          counts[0] = static_cast<int>(num_left);
          counts[1] = static_cast<int>(num_right);
          mgpu::anti_join_size_n(policy, left.begin(), size_left, right.begin(), size_right, counts.data() + written);
          ASSERT_EQ(static_cast<std::size_t>(counts[written]), expected.size());
        };
        // With the last one there are more tiles than a GPU executes at once.
        for (const std::int64_t more : {0, 1, 80000, 8000000})
        {
          const mgpu::deferred deferred_left{counts.data(), num_left + more};
          const mgpu::deferred deferred_right{counts.data() + 1, num_right + more};
          check(deferred_left, deferred_right, 0);
          check(deferred_left, deferred_right, 1);
          check(deferred_left, num_right, 0);
          check(num_left, deferred_right, 1);
        }
      }
    });
}

/// Rows that two tables lack: numbers of numbers.
TEST(SemiJoinsN, Chain)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr int size = 30030;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto of1 = test::multiples_of<policy_t>(1, size);
      const auto of2 = test::multiples_of<policy_t>(2, size);
      const auto of3 = test::multiples_of<policy_t>(3, size);
      test::memory<policy_t, std::int32_t> odd(size);
      test::memory<policy_t, std::int32_t> neither(size);
      test::memory<policy_t, std::int64_t> count(1);
      const auto left_of2 =
        mgpu::anti_join_n(policy, of1.begin(), size, of2.begin(), of2.size(), odd.begin(), count.data());
      const auto left =
        mgpu::anti_join_n(policy, odd.begin(), left_of2, of3.begin(), of3.size(), neither.begin(), count.data());
      ASSERT_EQ(mgpu::read_count(policy, left), size / 3);
      ASSERT_EQ(left.capacity, size);
      ASSERT_EQ(test::to_host(neither)[2], 3); // of 1, 3, 5, 7
    });
}

TEST(SemiJoinsN, BoundsThatAreNotPossible)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys = test::to_memory<policy_t>(ints(1000, 1));
      test::memory<policy_t, std::int8_t> out(10, -7);
      auto counts = test::to_memory<policy_t>(ints{5, 5, 100});
      // The numbers fit for the size, but not for all that the capacity allows.
      EXPECT_THROW(
        mgpu::semi_join_n(
          policy, keys.begin(), mgpu::deferred{counts.data(), 129}, keys.begin(), 5, out.begin(), counts.data() + 2),
        std::length_error);
      EXPECT_THROW(
        mgpu::semi_join_n(
          policy, keys.begin(), 5, keys.begin(), mgpu::deferred{counts.data(), -1}, out.begin(), counts.data() + 2),
        std::invalid_argument);
      EXPECT_EQ(test::to_host(counts)[2], 100);
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(10, -7));
      // Nothing can be in the result, so nothing is read.
      mgpu::semi_join_n(
        policy, keys.begin(), mgpu::deferred{counts.data(), 128}, keys.begin(), 0, out.begin(), counts.data() + 2);
      EXPECT_EQ(test::to_host(counts)[2], 0);
    });
}

/// From ranges that are not sorted any rows are kept, but no more than there is room for.
TEST(SemiJoinsN, InputsThatAreNotSorted)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t capacity = 50021;
  constexpr std::int64_t size_now = 40009;
  ints keys;
  for (std::int64_t i = 0; i < capacity; ++i)
  {
    keys.push_back(static_cast<std::int32_t>(i * 7919 % 10007));
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto placed = test::to_memory<policy_t>(keys);
      test::memory<policy_t, std::int32_t> out(capacity, -7);
      auto counts = test::to_memory<policy_t>(std::vector<std::int64_t>{size_now, -1});
      const mgpu::deferred size{counts.data(), capacity};
      const auto rows =
        mgpu::anti_join_n(policy, placed.begin(), size, placed.begin(), size, out.begin(), counts.data() + 1);
      EXPECT_EQ(rows.capacity, capacity);
      const std::int64_t count = test::to_host(counts)[1];
      EXPECT_TRUE(0 <= count && count <= size_now);
      const ints written = test::to_host(out);
      EXPECT_TRUE(std::all_of(written.begin() + count, written.end(), [](std::int32_t x) { return x == -7; }));
    });
}

} // namespace

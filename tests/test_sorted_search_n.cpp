// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorted searches whose sizes are deferred: the battery, the sizes at which another kernel works, several outputs,
// match counts where sizes are read, and inputs that are not sorted.

#include "support/deferred_battery.h"

#include <mgpu_thrust/set_operations_n.h>
#include <mgpu_thrust/sorted_search_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_sorted_search.cuh>
#endif

#include <thrust/iterator/discard_iterator.h>

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

/// The first range are needles, the second is the haystack; the result is a number for each needle.
struct search_input : test::ranges_of_copies
{
  static constexpr bool writes = true;
  static constexpr int result_at = 0;

  static std::int64_t most(std::int64_t needles, std::int64_t)
  {
    return needles;
  }
  /// Returns function(lower, upper) of the bounds of each needle.
  template <class Function>
  static ints expected_of(const ints& needles, const ints& haystack, Function function)
  {
    ints results;
    for (const std::int32_t needle : needles)
    {
      const auto range = std::equal_range(haystack.begin(), haystack.end(), needle);
      results.push_back(
        static_cast<std::int32_t>(function(range.first - haystack.begin(), range.second - haystack.begin())));
    }
    return results;
  }
};

/// Counts one at least for each needle.
struct outer_rows
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t lower, std::int64_t upper) const
  {
    return upper > lower ? upper - lower : 1;
  }
};

#define MGPU_THRUST_TEST_SEARCH(name, function, Function, result, ...)                                                 \
  struct name : search_input                                                                                           \
  {                                                                                                                    \
    static ints expected(const ints& needles, const ints& haystack)                                                    \
    {                                                                                                                  \
      return expected_of(                                                                                              \
        needles, haystack,                                                                                             \
        [](std::int64_t lower [[maybe_unused]], std::int64_t upper [[maybe_unused]]) { return result; });              \
    }                                                                                                                  \
    template <class Policy, class Size1, class Size2, class Count>                                                     \
    static MGPU_THRUST_HOST_DEVICE auto                                                                                \
    run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count)                               \
    {                                                                                                                  \
      return mgpu::function(                                                                                           \
        policy, ranges.second, size2, ranges.first, size1, ranges.out, cuda::std::less<> {} __VA_ARGS__);              \
    }                                                                                                                  \
    MGPU_THRUST_TEST_QUEUE(Function, __VA_ARGS__)                                                                      \
  };
#if defined(__CUDACC__)
#  define MGPU_THRUST_TEST_QUEUE(Function, ...)                                                                        \
    template <class Size1, class Size2, class Count>                                                                   \
    static cudaError_t queue(                                                                                          \
      void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count*,                   \
      cudaStream_t stream)                                                                                             \
    {                                                                                                                  \
      return mgpu::DeviceSortedSearch::Function(                                                                       \
        storage, bytes, ranges.second, size2, ranges.first, size1, ranges.out, cuda::std::less<> {} __VA_ARGS__,       \
        stream);                                                                                                       \
    }
#else
#  define MGPU_THRUST_TEST_QUEUE(Function, ...)
#endif
MGPU_THRUST_TEST_SEARCH(lower_bounds, sorted_lower_bound_n, LowerBound, lower)
MGPU_THRUST_TEST_SEARCH(upper_bounds, sorted_upper_bound_n, UpperBound, upper)
MGPU_THRUST_TEST_SEARCH(matches, sorted_contains_n, Contains, lower < upper)
MGPU_THRUST_TEST_SEARCH(equals, sorted_count_n, Count, upper - lower)
MGPU_THRUST_TEST_SEARCH(rows, sorted_count_n, Count, outer_rows{}(lower, upper), , outer_rows{})

using deferred_searches = testing::Types<lower_bounds, upper_bounds, matches, equals, rows>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SortedSearch, DeferredSizes, deferred_searches);
} // namespace test

namespace
{

#if defined(__CUDACC__)

/// Searches with every kind of size, for the sizes at which another kernel works.
TEST(SortedSearchN, SizesForEitherKernel)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t room = 600000;
  const ints all_needles = search_input::input(0, room);
  const ints all_haystack = search_input::input(1, room);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto needles = test::to_memory<policy_t>(all_needles);
      const auto haystack = test::to_memory<policy_t>(all_haystack);
      test::memory<policy_t, std::int32_t> out(room + 1, -7);
      const auto check = [&](auto num_needles, auto num_haystack, std::int64_t needles_now, std::int64_t haystack_now)
      {
        const ints haystack_part(all_haystack.begin(), all_haystack.begin() + haystack_now);
        ints lower =
          lower_bounds::expected(ints(all_needles.begin(), all_needles.begin() + needles_now), haystack_part);
        ints upper =
          upper_bounds::expected(ints(all_needles.begin(), all_needles.begin() + needles_now), haystack_part);
        ints equal = equals::expected(ints(all_needles.begin(), all_needles.begin() + needles_now), haystack_part);
        lower.resize(room + 1, -7);
        upper.resize(room + 1, -7);
        equal.resize(room + 1, -7);
        thrust::fill(out.begin(), out.end(), -7);
        mgpu::sorted_lower_bound_n(policy, haystack.begin(), num_haystack, needles.begin(), num_needles, out.begin());
        ASSERT_EQ(test::to_host(out), lower);
        thrust::fill(out.begin(), out.end(), -7);
        mgpu::sorted_upper_bound_n(policy, haystack.begin(), num_haystack, needles.begin(), num_needles, out.begin());
        ASSERT_EQ(test::to_host(out), upper);
        thrust::fill(out.begin(), out.end(), -7);
        mgpu::sorted_count_n(policy, haystack.begin(), num_haystack, needles.begin(), num_needles, out.begin());
        ASSERT_EQ(test::to_host(out), equal);
      };
      constexpr std::int64_t few = std::int64_t{1} << 19;
      for (const test::two_counts sizes :
           {test::two_counts{1000, 63999},
            {1000, 64000},
            {1000, room},
            {9375, room},
            {9376, room},
            {few, 0},
            {few - 1000, 1000},
            {few - 1000, 1001},
            {0, 1000},
            {room, 500}})
      {
        const std::int64_t num_needles = sizes.first;
        const std::int64_t num_haystack = sizes.second;
        SCOPED_TRACE(std::to_string(num_needles) + " in " + std::to_string(num_haystack));
        auto counts = test::to_memory<policy_t>(ints{static_cast<int>(num_needles), static_cast<int>(num_haystack)});
        for (const std::int64_t more : {0, 1, 80000})
        {
          const mgpu::deferred deferred_needles{counts.data(), std::min(num_needles + more, room)};
          const mgpu::deferred deferred_haystack{counts.data() + 1, std::min(num_haystack + more, room)};
          check(deferred_needles, deferred_haystack, num_needles, num_haystack);
          check(deferred_needles, num_haystack, num_needles, num_haystack);
          check(num_needles, deferred_haystack, num_needles, num_haystack);
        }
      }
    });
}

#endif

TEST(SortedSearchN, BothBoundsAndBothSides)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t size = 50021;
  constexpr std::int64_t size_now = 30011;
  const ints all_a = search_input::input(0, size);
  const ints b = search_input::input(1, size);
  const ints a(all_a.begin(), all_a.begin() + size_now);
  const auto with_rest = [&](ints results)
  {
    results.resize(size, -7);
    return results;
  };
  const ints lower = with_rest(lower_bounds::expected(a, b));
  const ints upper = with_rest(upper_bounds::expected(a, b));
  const ints a_found = matches::expected(a, b);
  const ints b_found = matches::expected(b, a);
  const std::int64_t matches_a = std::count(a_found.begin(), a_found.end(), 1);
  const std::int64_t matches_b = std::count(b_found.begin(), b_found.end(), 1);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys_a = test::to_memory<policy_t>(all_a);
      const auto keys_b = test::to_memory<policy_t>(b);
      test::memory<policy_t, std::int32_t> out_a(size, -7);
      test::memory<policy_t, std::int32_t> out_b(size, -7);
      test::memory<policy_t, std::int64_t> counts(2, size_now);
      const mgpu::deferred size_a{counts.data(), size};

      const auto result =
        mgpu::sorted_equal_range_n(policy, keys_b.begin(), size, keys_a.begin(), size_a, out_a.begin(), out_b.begin());
      EXPECT_EQ(result.count, size_a.count);
      EXPECT_EQ(result.capacity, size);
      EXPECT_EQ(test::to_host(out_a), lower);
      EXPECT_EQ(test::to_host(out_b), upper);

      thrust::fill(out_a.begin(), out_a.end(), -7);
      const auto sizes =
        mgpu::sorted_search_n(policy, keys_a.begin(), size_a, keys_b.begin(), size, out_a.begin(), out_b.begin());
      EXPECT_EQ(sizes.first.count, size_a.count);
      EXPECT_EQ(sizes.second, size);
      EXPECT_EQ(test::to_host(out_a), lower);
      EXPECT_EQ(test::to_host(out_b), upper_bounds::expected(b, a));

      // One side alone, with counts of matches and without, where the size of A is read.
      thrust::fill(out_b.begin(), out_b.end(), -7);
      mgpu::sorted_search_n(
        policy, keys_a.begin(), size_a, keys_b.begin(), size, thrust::make_discard_iterator(), out_b.begin());
      EXPECT_EQ(test::to_host(out_b), upper_bounds::expected(b, a));
      thrust::fill(out_a.begin(), out_a.end(), -7);
      mgpu::sorted_search_n(
        policy, keys_a.begin(), size_a, keys_b.begin(), size, out_a.begin(), thrust::make_discard_iterator(),
        counts.data());
      EXPECT_EQ(test::to_host(out_a), lower);
      EXPECT_EQ(test::to_host(counts), (std::vector<std::int64_t>{matches_a, matches_b}));

      // All of both sides, the sizes known; and none of either.
      mgpu::sorted_search_n(
        policy, keys_a.begin(), size_now, keys_b.begin(), size, out_a.begin(), out_b.begin(), counts.data());
      EXPECT_EQ(test::to_host(counts), (std::vector<std::int64_t>{matches_a, matches_b}));
      counts[0] = -1;
      counts[1] = 0;
      mgpu::sorted_search_n(
        policy, keys_a.begin(), size_a, keys_b.begin(), mgpu::deferred{counts.data() + 1, size}, out_a.begin(),
        out_b.begin(), counts.data());
      EXPECT_EQ(test::to_host(counts), (std::vector<std::int64_t>{0, 0}));
      EXPECT_EQ(test::to_host(out_a), lower);
    });
}

/// What an intersection has kept is looked up in a third list.
TEST(SortedSearchN, Chain)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr int size = 30030;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto of2 = test::multiples_of<policy_t>(2, size);
      const auto of3 = test::multiples_of<policy_t>(3, size);
      const auto of5 = test::multiples_of<policy_t>(5, size);
      test::memory<policy_t, std::int32_t> both(size);
      test::memory<policy_t, std::int32_t> positions(size, -7);
      test::memory<policy_t, std::int64_t> count(1);
      const auto of6 =
        mgpu::set_intersection_n(policy, of2.begin(), of2.size(), of3.begin(), of3.size(), both.begin(), count.data());
      const auto looked_up =
        mgpu::sorted_lower_bound_n(policy, of5.begin(), of5.size(), both.begin(), of6, positions.begin());
      EXPECT_EQ(looked_up.count, of6.count);
      EXPECT_EQ(looked_up.capacity, of6.capacity);
      const ints found = test::to_host(positions);
      for (int i = 0; i < size / 6; ++i)
      {
        ASSERT_EQ(found[static_cast<std::size_t>(i)], (6 * i + 4) / 5);
      }
      ASSERT_EQ(found[size / 6], -7);
    });
}

TEST(SortedSearchN, BoundsThatAreNotPossible)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys = test::to_memory<policy_t>(ints(1000, 1));
      test::memory<policy_t, std::int8_t> out(10, -7);
      const auto counts = test::to_memory<policy_t>(ints{5, 5});
      // The indices fit for the sizes, but not for all that the capacity allows.
      EXPECT_THROW(
        mgpu::sorted_lower_bound_n(
          policy, keys.begin(), mgpu::deferred{counts.data(), 1000}, keys.begin(), 5, out.begin()),
        std::length_error);
      EXPECT_THROW(
        mgpu::sorted_upper_bound_n(
          policy, keys.begin(), 5, keys.begin(), mgpu::deferred{counts.data(), -1}, out.begin()),
        std::invalid_argument);
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(10, -7));
      mgpu::sorted_upper_bound_n(
        policy, keys.begin(), mgpu::deferred{counts.data(), 127}, keys.begin(), mgpu::deferred{counts.data() + 1, 9},
        out.begin());
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{5, 5, 5, 5, 5, -7, -7, -7, -7, -7}));
    });
}

/// In ranges that are not sorted nothing is found, but nothing outside of the room is written either.
TEST(SortedSearchN, InputsThatAreNotSorted)
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
      test::memory<policy_t, std::int32_t> lower(capacity, -7);
      test::memory<policy_t, std::int32_t> upper(capacity, -7);
      const auto count = test::to_memory<policy_t>(std::vector<std::int64_t>{size_now});
      const mgpu::deferred size{count.data(), capacity};
      mgpu::sorted_equal_range_n(policy, placed.begin(), size, placed.begin(), size, lower.begin(), upper.begin());
      mgpu::sorted_search_n(policy, placed.begin(), size, placed.begin(), size, lower.begin(), upper.begin());
      for (const ints& out : {test::to_host(lower), test::to_host(upper)})
      {
        EXPECT_TRUE(std::all_of(out.begin() + size_now, out.end(), [](std::int32_t x) { return x == -7; }));
      }
    });
}

} // namespace

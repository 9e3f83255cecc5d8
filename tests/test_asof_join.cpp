// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// As-of joins against their definitions and std::, on every distribution and size: of computed elements of different
// types, in groups, with functions of every kind. And the policies of every kind.

#include "support/asof_battery.h"
#include "support/distributions.h"
#include "support/functions.h"
#include "support/policy_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/asof_join.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// Checks all directions on 4-byte keys, with rows that are refused and without.
void check_rows(test::distribution d, std::int64_t left, std::int64_t right, std::uint64_t seed)
{
  test::check_asof_joins<std::int32_t, std::int32_t>(test::all_directions{}, d, left, right, seed, mgpu::accept_any{});
  test::check_asof_joins<std::int32_t, std::int32_t>(test::all_directions{}, d, left, right, seed, test::accept_most{});
}

TEST(AsofJoin, Distributions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    check_rows(d, 40000, 50000, 1);
    check_rows(d, 90000, 3000, 2);
    check_rows(d, 3000, 90000, 3); // few left rows, but not so few that each is searched for individually
#if defined(__CUDACC__)
    check_rows(d, 270000, 300000, 4);  // too many to bisect for each left row, but few tiles
    check_rows(d, 900000, 1000000, 5); // many tiles
#endif
  }
}

TEST(AsofJoin, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = test::search_tile_items<std::int32_t>();
  for (const std::int64_t right : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, tile - 1, 3 * tile + 1})
  {
    for (const std::int64_t left : {std::int64_t{0}, std::int64_t{1}, std::int64_t{63}, std::int64_t{65}, tile + 1})
    {
      check_rows(test::distribution::uniform, left, right, 4);
      check_rows(test::distribution::all_equal, left, right, 5);
    }
  }
#if defined(__CUDACC__)
  for (const std::int64_t more : {-1, 0, 1}) // around the sizes from which other kernels are used
  {
    constexpr std::int64_t few = mgpu::detail::max_to_search_by_bisection / 2;
    constexpr std::int64_t tiles = mgpu::detail::max_tiles_cut_by_blocks;
    check_rows(test::distribution::uniform, few, few + more, 7);
    check_rows(test::distribution::runs, tiles * tile / 2, tiles * tile / 2 + more, 8);
  }
#endif
}

TEST(AsofJoin, SkewedSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::one_run, test::distribution::runs})
  {
    check_rows(d, 1, test::many_keys, 7);
    check_rows(d, 1000, test::many_keys, 8);
    check_rows(d, test::many_keys, 1, 9);
    check_rows(d, test::many_keys, 1000, 10);
  }
}

/// The last of `size` right rows that is kept, or the first, or -1: by a scan of all of them.
template <class Keep>
int last_row(int size, Keep keep)
{
  int row = size - 1;
  while (row >= 0 && !keep(row))
  {
    --row;
  }
  return row;
}
template <class Keep>
int first_row(int size, Keep keep)
{
  int row = 0;
  while (row < size && !keep(row))
  {
    ++row;
  }
  return row < size ? row : -1;
}

/// Returns all ascending sequences of up to `size` of three keys.
std::vector<std::vector<int>> every_short_input(std::size_t size)
{
  std::vector<std::vector<int>> inputs{{}};
  for (std::size_t i = 0; i < inputs.size(); ++i)
  {
    for (int key = inputs[i].empty() ? 0 : inputs[i].back(); inputs[i].size() < size && key < 3; ++key)
    {
      inputs.push_back(inputs[i]);
      inputs.back().push_back(key);
    }
  }
  return inputs;
}

// All pairs of short inputs, with a scan in place of the searches of the battery.
TEST(AsofJoin, EveryShortInput)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto inputs = every_short_input(4);
  test::call_with_one_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (const std::vector<int>& left : inputs)
      {
        for (const std::vector<int>& right : inputs)
        {
          const int size = static_cast<int>(right.size());
          const auto l = test::to_memory<policy_t>(left);
          const auto r = test::to_memory<policy_t>(right);
          test::memory<policy_t, int> out(left.size());
          const auto check = [&](auto direction, auto row_of)
          {
            mgpu::asof_join(policy, l.begin(), l.end(), r.begin(), r.end(), out.begin(), direction);
            const auto rows = test::to_host(out);
            for (std::size_t i = 0; i < left.size(); ++i)
            {
              ASSERT_EQ(rows[i], row_of(left[i]));
            }
          };
          const auto before = [&](int key) { return last_row(size, [&](int j) { return right[j] <= key; }); };
          const auto after = [&](int key) { return first_row(size, [&](int j) { return right[j] >= key; }); };
          check(mgpu::backward, before);
          check(mgpu::forward, after);
          check(
            mgpu::strictly_backward, [&](int key) { return last_row(size, [&](int j) { return right[j] < key; }); });
          check(
            mgpu::strictly_forward, [&](int key) { return first_row(size, [&](int j) { return right[j] > key; }); });
          check(
            mgpu::nearest(test::distance_of_keys{}),
            [&](int key)
            {
              const int b = before(key);
              const int a = after(key);
              return b < 0 || (a >= 0 && right[a] - key < key - right[b]) ? a : b;
            });
        }
      }
    });
}

/// Rows of two types, ordered by group, then by time. They are compared in all four combinations.
struct event
{
  std::int32_t group;
  std::int32_t time;
};
struct reading
{
  std::int32_t sensor;
  std::int64_t time;
  std::int64_t number;
};
MGPU_THRUST_HOST_DEVICE std::int32_t group_of(const event& e)
{
  return e.group;
}
MGPU_THRUST_HOST_DEVICE std::int32_t group_of(const reading& r)
{
  return r.sensor;
}

struct by_group_and_time
{
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return group_of(x) != group_of(y) ? group_of(x) < group_of(y) : x.time < y.time;
  }
};
struct same_group
{
  MGPU_THRUST_HOST_DEVICE bool operator()(const event& e, const reading& r) const
  {
    return e.group == r.sensor;
  }
};
struct within_time
{
  std::int64_t tolerance;

  MGPU_THRUST_HOST_DEVICE bool operator()(const event& e, const reading& r) const
  {
    return e.group == r.sensor && r.time - e.time <= tolerance && e.time - r.time <= tolerance;
  }
};
struct time_between
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(const event& e, const reading& r) const
  {
    return r.time < e.time ? e.time - r.time : r.time - e.time;
  }
};

/// Returns rows of random groups and times, sorted; of `groups` groups about every third has none.
template <class Row, class Make>
std::vector<Row> make_rows(std::int64_t size, int groups, std::uint64_t seed, Make make)
{
  std::mt19937_64 random(seed);
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < size; ++i)
  {
    const auto group = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(groups));
    if ((group + seed) % 3 != 0)
    {
      rows.push_back(make(group, static_cast<std::int32_t>(random() % 1000)));
    }
  }
  std::stable_sort(rows.begin(), rows.end(), by_group_and_time{});
  return rows;
}

// Rows of different types, in groups: the result is that of a join within each group.
TEST(AsofJoin, Groups)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const int groups : {1, 30, 20000})
  {
    const auto left = make_rows<event>(
      20000, groups, 1,
      [](std::int32_t group, std::int32_t time) {
        return event{group, time};
      });
    const auto right = make_rows<reading>(
      30000, groups, 2,
      [](std::int32_t group, std::int32_t time) {
        return reading{group, time, 7};
      });
    const auto check = [&](auto direction, auto accept)
    { test::check_join<std::int32_t>(left, right, direction, by_group_and_time{}, accept); };
    check(mgpu::backward, same_group{});
    check(mgpu::forward, within_time{2});
    check(mgpu::nearest(time_between{}), same_group{});

    // The last row of the group that is not after the left row is found by a scan.
    for (std::size_t i = 0; i < left.size(); i += left.size() / 7)
    {
      const event& e = left[i];
      const int row = last_row(
        static_cast<int>(right.size()), [&](int j) { return right[j].sensor == e.group && right[j].time <= e.time; });
      same_group accept;
      ASSERT_EQ(test::row_by_std(e, right, mgpu::backward, by_group_and_time{}, accept), row);
    }
  }
}

/// Orders by tens, so equal elements may be different, and at different distances.
struct by_tens
{
  MGPU_THRUST_HOST_DEVICE bool operator()(int x, int y) const
  {
    return x / 10 < y / 10;
  }
};

TEST(AsofJoin, EqualElementsThatDiffer)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(3);
  for (const int tens : {3, 3000})
  {
    std::vector<std::int32_t> left(30000);
    std::vector<std::int32_t> right(40000);
    const auto fill = [&](std::vector<std::int32_t>& keys)
    {
      for (std::int32_t& key : keys)
      {
        key = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(10 * tens));
      }
      std::stable_sort(keys.begin(), keys.end(), by_tens{});
    };
    fill(left);
    fill(right);
    test::check_join<std::int64_t>(left, right, mgpu::nearest(test::distance_of_keys{}), by_tens{}, mgpu::accept_any{});
    test::check_join<std::int64_t>(
      left, right, mgpu::nearest(test::distance_of_keys{}), by_tens{}, test::accept_most{});
  }
}

// Computed elements of different types, and elements of two columns.
TEST(AsofJoin, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto threes =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), test::times_three{});
      const thrust::counting_iterator<std::int32_t> numbers(0);
      test::memory<policy_t, std::int32_t> rows(30000);
      mgpu::asof_join(
        policy, numbers, numbers + 30000, threes, threes + 10000, rows.begin(),
        mgpu::nearest(test::distance_of_keys{}));
      const auto nearest = test::to_host(rows);
      for (std::int32_t i = 0; i < 29999; ++i)
      {
        ASSERT_EQ(nearest[i], (i + 1) / 3);
      }
      const auto pairs = thrust::make_zip_iterator(numbers, threes);
      const auto other_pairs = thrust::make_zip_iterator(numbers + 5, threes + 5);
      mgpu::asof_join(policy, pairs, pairs + 100, other_pairs, other_pairs + 50, rows.begin(), mgpu::strictly_backward);
      const auto before = test::to_host(rows);
      for (std::int32_t i = 0; i < 100; ++i)
      {
        ASSERT_EQ(before[i], i < 6 ? -1 : std::min(i - 6, 49));
      }
      test::memory<policy_t, std::int64_t> wide(30000);
      mgpu::asof_join(
        policy, numbers, numbers + 30000, threes, threes + 10000,
        thrust::make_transform_output_iterator(wide.begin(), test::negate{}), mgpu::forward);
      const auto after = test::to_host(wide);
      for (std::int32_t i = 0; i < 30000; ++i)
      {
        ASSERT_EQ(after[i], i > 29997 ? 1 : -(i + 2) / 3);
      }
    });
}

TEST(AsofJoin, IndicesThatDoNotFitAreAnError)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int32_t> numbers(0);
      test::memory<policy_t, std::int8_t> out(10, -5);
      const auto join = [&](std::int64_t left, std::int64_t right, auto direction) {
        mgpu::asof_join(policy, numbers + 120, numbers + 120 + left, numbers, numbers + right, out.begin(), direction);
      };
      EXPECT_THROW(join(10, 129, mgpu::backward), std::length_error);
      EXPECT_THROW(join(10, 129, mgpu::forward), std::length_error);
      EXPECT_THROW(join(-1, 10, mgpu::forward), std::invalid_argument);
      EXPECT_THROW(join(10, -1, mgpu::backward), std::invalid_argument);
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(10, -5));
      join(10, 128, mgpu::backward);
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{120, 121, 122, 123, 124, 125, 126, 127, 127, 127}));
      join(10, 128, mgpu::strictly_forward);
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{121, 122, 123, 124, 125, 126, 127, -1, -1, -1}));
    });
}

#if !defined(__CUDACC__)

TEST(AsofJoin, StringsAndPlainOutputIterators)
{
  const std::vector<std::string> left{"ant", "bee", "cat", "zebra"};
  const std::vector<std::string> right{"bat", "bee", "bee", "yak"};
  std::vector<long> rows;
  mgpu::asof_join(
    thrust::seq, left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(rows), mgpu::backward);
  EXPECT_EQ(rows, (std::vector<long>{-1, 2, 2, 3}));
  std::vector<int> found(4);
  const auto same_letter = [](const std::string& l, const std::string& r) { return l[0] == r[0]; };
  const auto letters = [](const std::string& l, const std::string& r) { return std::abs(l[0] - r[0]); };
  mgpu::asof_join(
    left.begin(), left.end(), right.begin(), right.end(), found.begin(), mgpu::nearest(letters), std::less<>{});
  EXPECT_EQ(found, (std::vector<int>{0, 2, 2, 3}));
  mgpu::asof_join(
    left.begin(), left.end(), right.begin(), right.end(), found.begin(), mgpu::nearest(letters), std::less<>{},
    same_letter);
  EXPECT_EQ(found, (std::vector<int>{-1, 2, -1, -1}));
}

// What a function throws reaches the caller, whichever worker calls it.
TEST(AsofJoin, FunctionsThatThrow)
{
  test::for_each_policy(
    [](const auto& policy)
    {
      std::vector<int> rows(100000);
      const thrust::counting_iterator<int> numbers(0);
      const auto accept = [](int left, int) { return left == 77777 ? throw std::domain_error("refused") : true; };
      const auto distance = [](int left, int right)
      { return left == 77777 ? throw std::domain_error("too far") : std::abs(left - right); };
      EXPECT_THROW(
        mgpu::asof_join(
          policy, numbers, numbers + 100000, numbers, numbers + 100000, rows.begin(), mgpu::forward, std::less<>{},
          accept),
        std::domain_error);
      EXPECT_THROW(
        mgpu::asof_join(
          policy, numbers, numbers + 100000, numbers, numbers + 100000, rows.begin(), mgpu::nearest(distance)),
        std::domain_error);
    });
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(AsofJoin, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::fuzz_distributions([](auto... input) { check_rows(input...); });
}

/// Two sorted inputs, in which every third element of one and every second of the other are in both.
struct asof_call : test::policy_call
{
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;
  static constexpr std::int64_t size_with_storage = test::size_of_many_tiles;
  static constexpr bool synchronises = false;

  template <class Direction, class Accept>
  asof_call(std::int64_t size, Direction direction, Accept accept)
  {
    inputs.resize(2);
    for (std::int32_t i = 0; i < size; ++i)
    {
      inputs[0].push_back(2 * i);
      inputs[1].push_back(3 * i);
    }
    expected = test::rows_by_std<std::int32_t>(inputs[0], inputs[1], direction, ::cuda::std::less<>{}, accept);
    result = size;
  }
};

struct backward_call : asof_call
{
  explicit backward_call(std::int64_t size)
      : asof_call(size, mgpu::backward, mgpu::accept_any{})
  {
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::asof_join(policy, in.first[0], in.last[0], in.first[1], in.last[1], out, mgpu::backward) - out;
  }
};

struct nearest_call : asof_call
{
  explicit nearest_call(std::int64_t size)
      : asof_call(size, test::nearest_key{}, test::accept_most{})
  {
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::asof_join(
             policy, in.first[0], in.last[0], in.first[1], in.last[1], out, mgpu::nearest(test::distance_of_keys{}),
             ::cuda::std::less<>{}, test::accept_most{})
           - out;
  }
};

using asof_calls = testing::Types<backward_call, nearest_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(AsofJoin, Policies, asof_calls);
}

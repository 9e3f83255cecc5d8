// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The joins of keys of two types, of computed keys and of keys that own memory, to outputs of every kind.

#include "support/distributions.h"
#include "support/functions.h"
#include "support/join_battery.h"
#include "support/systems.h"

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using ints = std::vector<std::int32_t>;

/// A right key that is compared only by its number, and has no common type with a left key.
struct right_key
{
  std::int64_t number;
  std::int32_t payload[3];
};
struct less_number
{
  static MGPU_THRUST_HOST_DEVICE std::int64_t number(std::int16_t x)
  {
    return x;
  }
  static MGPU_THRUST_HOST_DEVICE std::int64_t number(const right_key& x)
  {
    return x.number;
  }
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return number(x) < number(y);
  }
};

TEST(Joins, DifferentKeyTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto ranks = test::make_ranks(test::distribution::uniform, 30000, 40000, 32767, 17);
  const std::vector<std::int16_t> left(ranks.first.begin(), ranks.first.end());
  std::vector<right_key> right;
  for (const std::int64_t rank : ranks.second)
  {
    right.push_back({rank, {1, 2, 3}});
  }
  test::check_under_all_policies<std::int32_t>(test::full_join{}, left, right, less_number{});
}

/// Returns the last two digits of a column's value at a row, or `otherwise` for a negative row.
struct value_at
{
  const std::int64_t* column;
  std::int64_t otherwise;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    return row < 0 ? otherwise : column[row] % 100;
  }
};

// Computed keys, and outputs that write columns of the tables instead of row numbers, or nothing.
TEST(Joins, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t n = 20000;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto threes = thrust::make_transform_iterator(numbers, test::times_three{});
      std::vector<std::int64_t> squares(3 * n);
      for (std::int64_t i = 0; i < 3 * n; ++i)
      {
        squares[i] = i * i;
      }
      const auto column = test::to_memory<policy_t>(squares);
      const value_at value{thrust::raw_pointer_cast(column.data()), -5};
      // Column types that cannot hold row numbers.
      test::memory<policy_t, double> x(3 * n);
      test::memory<policy_t, std::int8_t> y(3 * n);
      const auto x_out = thrust::make_transform_output_iterator(x.begin(), value);
      const auto y_out = thrust::make_transform_output_iterator(y.begin(), value);
      const auto ends = mgpu::left_join(policy, numbers, numbers + 3 * n, threes, threes + n, x_out, y_out);
      ASSERT_EQ(ends.first - x_out, 3 * n);
      ASSERT_EQ(ends.second - y_out, 3 * n);
      const auto got_x = test::to_host(x);
      const auto got_y = test::to_host(y);
      for (std::int64_t i = 0; i < 3 * n; ++i)
      {
        ASSERT_EQ(got_x[i], i * i % 100);
        ASSERT_EQ(got_y[i], i % 3 == 0 ? i * i / 9 % 100 : -5);
      }
      const auto nowhere = thrust::make_discard_iterator();
      EXPECT_EQ(
        mgpu::left_join(policy, numbers, numbers + 3 * n, threes, threes + n, nowhere, nowhere).first - nowhere, 3 * n);
      const auto rows = thrust::make_zip_iterator(numbers, threes);
      EXPECT_EQ(mgpu::full_join_size(policy, rows, rows + 50, rows + 5, rows + 105), 105);
      const thrust::constant_iterator<std::int32_t> sevens(7);
      EXPECT_EQ(mgpu::inner_join_size(policy, sevens, sevens + 1000000, sevens, sevens + 1000000), 1000000000000);
    });
}

#if !defined(__CUDACC__)

TEST(JoinIterators, PlainOutputIterators)
{
  const ints left{1, 3, 3, 5};
  const ints right{0, 3, 3, 4};
  test::for_each_join(
    [&](auto join)
    {
      const auto expected = test::search_each<std::int64_t>(join, left, right, ::cuda::std::less<>{});
      std::list<std::int64_t> x;
      std::vector<std::int64_t> y;
      join.run(
        thrust::seq, left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(x),
        std::back_inserter(y));
      EXPECT_EQ(std::vector<std::int64_t>(x.begin(), x.end()), expected.left);
      EXPECT_EQ(y, expected.right);
      x.clear();
      join.run(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(x), y.begin());
      EXPECT_EQ(std::vector<std::int64_t>(x.begin(), x.end()), expected.left);
    });
}

// A lambda, or an iterator that holds one, can be copied, but not assigned.
TEST(JoinIterators, Lambdas)
{
  const auto numbers = thrust::make_counting_iterator(std::int64_t{0});
  const auto tens = thrust::make_transform_iterator(numbers, [](std::int64_t x) { return 10 * x; });
  const auto less = [](std::int64_t x, std::int64_t y) { return x < y; };
  test::for_each_policy(
    [&](const auto& policy)
    {
      ints x(100000, -7);
      ints y(100000, -7);
      const auto x_out = thrust::make_transform_output_iterator(x.begin(), [](std::int64_t i) { return i + 1; });
      const auto y_out = thrust::make_transform_output_iterator(y.begin(), [](std::int64_t j) { return j + 1; });
      const auto ends = mgpu::full_join(policy, numbers, numbers + 100000, tens, tens + 10000, x_out, y_out, less);
      EXPECT_EQ(ends.first - x_out, 100000);
      const mgpu::join_plan plan(policy, mgpu::full_join_t{}, numbers, numbers + 100000, tens, tens + 10000, less);
      for (int repeat = 0; repeat < 2; ++repeat)
      {
        for (std::int32_t i = 0; i < 100000; ++i)
        {
          ASSERT_EQ(x[i], i + 1);
          ASSERT_EQ(y[i], i % 10 == 0 ? i / 10 + 1 : 0);
        }
        x.assign(100000, -7);
        y.assign(100000, -7);
        plan.fill(x_out, y_out);
      }
    });
}

// Keys that own memory.
TEST(JoinIterators, Strings)
{
  std::vector<std::string> left;
  std::vector<std::string> right;
  for (int i = 0; i < 40000; ++i)
  {
    left.push_back("a key that is too long for its object " + std::to_string(i / 3));
    right.push_back("a key that is too long for its object " + std::to_string(i / 2));
  }
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  test::check_under_all_policies<std::int32_t>(test::full_join{}, left, right, ::cuda::std::less<>{});
}

#endif

} // namespace

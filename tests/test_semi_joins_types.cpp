// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The semi and anti joins of keys of every type and of two types, in other orders, with row numbers of other types and
// through iterators of every kind. Each key type is tested with the rows of one join and the size of the other.

#include "support/distributions.h"
#include "support/functions.h"
#include "support/keys.h"
#include "support/semi_join_battery.h"
#include "support/systems.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using semi_and_anti_size = test::semi_joins<test::semi_join::semi, test::semi_join::anti_size>;
using anti_and_semi_size = test::semi_joins<test::semi_join::anti, test::semi_join::semi_size>;

/// Checks joins of keys of a type: of tables of equal size, of a long left table, and of a right table so long that
/// most of it is not read.
template <class Key, class Functions>
void check_key_type()
{
  SCOPED_TRACE("keys of " + std::to_string(sizeof(Key)) + " bytes");
  const std::int64_t most = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(Key));
  const std::int64_t n = std::min<std::int64_t>(test::semi_join_tile_items<Key>() + 5, most);
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::few_keys, test::distribution::extremes})
  {
    test::check_semi_joins<std::int64_t, Key>(Functions{}, d, n, n, 13);
    test::check_semi_joins<std::int64_t, Key>(Functions{}, d, 3 * n, 1, 14);
    test::check_semi_joins<std::int64_t, Key>(Functions{}, d, 10, 3 * n, 15);
  }
  const std::int64_t more = test::few_and_more().back();
  test::check_semi_joins<std::int64_t, Key>(Functions{}, test::distribution::runs, more + n, n, 16);
}

TEST(SemiJoin, KeysOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key_type<test::only_less, anti_and_semi_size>();
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_key_type<std::int8_t, semi_and_anti_size>();
  check_key_type<std::int64_t, semi_and_anti_size>();
  check_key_type<double, semi_and_anti_size>();
  check_key_type<test::words_key<3>, anti_and_semi_size>();
#endif
  check_key_type<test::words_key<40>, anti_and_semi_size>();
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // other tiles; a CPU has no other paths for these
  check_key_type<std::uint8_t, anti_and_semi_size>();
  check_key_type<std::int16_t, semi_and_anti_size>();
  check_key_type<std::uint32_t, anti_and_semi_size>();
  check_key_type<float, semi_and_anti_size>();
  check_key_type<std::uint64_t, anti_and_semi_size>();
  check_key_type<test::words_key<4>, semi_and_anti_size>();
  check_key_type<test::words_key<100>, semi_and_anti_size>();
  check_key_type<test::words_key<400>, anti_and_semi_size>(); // too large for shared memory
#endif
}

TEST(SemiJoin, DescendingOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_semi_joins<std::uint32_t, std::int32_t>(
    semi_and_anti_size{}, test::distribution::runs, 70000, 50000, 16, test::greater{});
}

TEST(SemiJoin, RowsOfOtherTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using semi = test::semi_joins<test::semi_join::semi>;
  using anti = test::semi_joins<test::semi_join::anti>;
  test::check_semi_joins<std::uint16_t, std::int32_t>(anti{}, test::distribution::runs, 65536, 50000, 17);
  test::check_semi_joins<std::int8_t, std::int32_t>(semi{}, test::distribution::uniform, 128, 100, 18);
  test::check_semi_joins<std::uint64_t, std::int32_t>(anti{}, test::distribution::uniform, 30000, 50000, 19);
}

/// A row of a table: a key and a payload that the order ignores.
struct row
{
  std::int32_t key;
  float payload;
};

/// Compares keys of different types, in all four combinations.
struct by_key
{
  static MGPU_THRUST_HOST_DEVICE std::int64_t key(const row& r)
  {
    return r.key;
  }
  static MGPU_THRUST_HOST_DEVICE std::int64_t key(std::int64_t k)
  {
    return k;
  }
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return key(x) < key(y);
  }
};

TEST(SemiJoin, KeysOfTwoTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::vector<row> rows;
  std::vector<std::int64_t> keys;
  std::vector<std::int32_t> expected;
  for (std::int32_t i = 0; i < 30000; ++i)
  {
    rows.push_back({i / 2, static_cast<float>(-i)});
    keys.push_back(3 * i);
    if (i / 2 % 3 == 0)
    {
      expected.push_back(i);
    }
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto l = test::to_memory<policy_t>(rows);
      const auto r = test::to_memory<policy_t>(keys);
      test::memory<policy_t, std::int32_t> out(rows.size());
      const auto end = mgpu::semi_join(policy, l.begin(), l.end(), r.begin(), r.end(), out.begin(), by_key{});
      auto got = test::to_host(out);
      got.resize(end - out.begin());
      ASSERT_EQ(got, expected);
    });
}

/// Looks up a column of the left table for each row number that is written.
struct look_up
{
  const std::int64_t* column;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    return column[row];
  }
};

// Computed keys, keys of two columns, keys with their own comparator; an output that writes a column, not row numbers.
TEST(SemiJoin, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      constexpr std::int64_t size = 30000;
      const thrust::counting_iterator<std::int32_t> numbers(0);
      const auto threes =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), test::times_three{});
      std::vector<std::int64_t> squares;
      for (std::int64_t i = 0; i < size; ++i)
      {
        squares.push_back(i * i);
      }
      const auto column = test::to_memory<policy_t>(squares);
      test::memory<policy_t, double> out(size); // a type that no row number has
      const auto to_column = thrust::make_transform_output_iterator(
        thrust::raw_pointer_cast(out.data()), look_up{thrust::raw_pointer_cast(column.data())});
      const auto end = mgpu::anti_join(policy, numbers, numbers + size, threes, threes + size, to_column);
      ASSERT_EQ(end - to_column, size / 3 * 2);
      const auto got = test::to_host(out);
      for (std::int64_t i = 0; i < size / 3 * 2; ++i)
      {
        const std::int64_t row = i / 2 * 3 + 1 + i % 2;
        ASSERT_EQ(got[i], static_cast<double>(row * row));
      }

      const auto rows = thrust::make_zip_iterator(numbers, threes);
      const auto other_rows = thrust::make_zip_iterator(numbers + 5, threes + 5);
      ASSERT_EQ(mgpu::semi_join_size(policy, rows, rows + 50, other_rows, other_rows + 100), 45);
      const auto every_third = thrust::make_permutation_iterator(column.begin(), threes);
      ASSERT_EQ(mgpu::semi_join_size(policy, every_third, every_third + 1000, column.begin(), column.end()), 1000);
      ASSERT_EQ(
        mgpu::anti_join_size(policy, column.begin(), column.end(), every_third, every_third + 1000), size - 1000);
    });
}

#if !defined(__CUDACC__)

TEST(SemiJoin, PlainOutputIterators)
{
  const std::vector<int> left{1, 3, 3, 5};
  const std::vector<int> right{2, 3, 5, 5};
  std::vector<std::int64_t> semi;
  mgpu::semi_join(thrust::seq, left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(semi));
  EXPECT_EQ(semi, (std::vector<std::int64_t>{1, 2, 3}));
  std::vector<short> anti;
  mgpu::anti_join(thrust::host, left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(anti));
  EXPECT_EQ(anti, (std::vector<short>{0}));
}

#endif

} // namespace

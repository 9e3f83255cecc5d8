// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts in every order, and sorts of keys that iterators compute, zip, permute or reverse.

#include "support/sort_battery.h"
#include "support/systems.h"

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using ints = std::vector<std::int32_t>;
using test::make_ints;

/// Compares indices of a table's rows.
struct by_row
{
  const std::int32_t* rows;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t i, std::int32_t j) const
  {
    return rows[i] < rows[j];
  }
};

/// Comparator with state that its calls modify.
struct counting_order
{
  std::int64_t calls = 0;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t x, std::int32_t y)
  {
    ++calls;
    return x > y;
  }
};

/// Compares by the hundreds alone, so that equivalent keys can differ.
struct by_hundreds
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t x, std::int32_t y) const
  {
    return x / 100 < y / 100;
  }
};

TEST(SortOrders, Expensive)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_sort_everywhere<std::int32_t, test::with_values | test::as_indices>(
    make_ints(test::disorder::uniform, 80003), test::by_collatz_steps{});
}

TEST(SortOrders, DescendingIndirectAndWithState)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::disorder d : test::all_disorders)
  {
    SCOPED_TRACE(test::name_of(d));
    const auto keys = make_ints(d, 100003);
    test::check_sort_everywhere<std::int32_t, test::keys_alone>(keys, thrust::greater<std::int32_t>{});
    test::check_sort_everywhere<std::int32_t, test::with_values | test::as_indices>(keys, counting_order{});
    test::for_each_policy(
      [&](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        const auto order = test::expected_order(keys, by_hundreds{});
        ints expected;
        for (const std::int64_t i : order)
        {
          expected.push_back(keys[i]);
        }
        auto sorted = test::to_memory<policy_t>(keys);
        mgpu::sort(policy, sorted.begin(), sorted.end(), by_hundreds{});
        ASSERT_EQ(test::to_host(sorted), expected);

        const auto rows = test::to_memory<policy_t>(keys);
        auto indices = test::to_memory<policy_t>(test::make_elements<std::int32_t>(keys.size(), 0));
        mgpu::stable_sort(policy, indices.begin(), indices.end(), by_row{thrust::raw_pointer_cast(rows.data())});
        const auto by_less = test::expected_order(keys, ::cuda::std::less<>{});
        ASSERT_EQ(test::to_host(indices), ints(by_less.begin(), by_less.end()));
      });
  }
}

TEST(SortOrders, LeastAndLargestIntegersDescending)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_extreme_integers<std::int32_t, test::keys_alone>(thrust::greater<std::int32_t>{});
}

/// Compares rows of two columns, the second one descending.
struct by_columns
{
  template <class Row>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Row& x, const Row& y) const
  {
    const std::int32_t x0 = thrust::get<0>(x), y0 = thrust::get<0>(y);
    const std::int64_t x1 = thrust::get<1>(x), y1 = thrust::get<1>(y);
    return x0 != y0 ? x0 < y0 : y1 < x1;
  }
};

TEST(SortIterators, ZippedColumns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t size : {10, 1000, 100003, 300007})
  {
    const auto first = make_ints(test::disorder::few_keys, size, 1);
    const auto second = test::make_disorder(test::disorder::uniform, size, 1000, 2);
    std::vector<std::pair<std::int32_t, std::int64_t>> rows(size);
    for (std::int64_t i = 0; i < size; ++i)
    {
      rows[i] = {first[i], -second[i]};
    }
    std::sort(rows.begin(), rows.end());
    test::for_each_policy(
      [&](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        auto a = test::to_memory<policy_t>(first);
        auto b = test::to_memory<policy_t>(second);
        const auto columns = thrust::make_zip_iterator(a.begin(), b.begin());
        mgpu::stable_sort(policy, columns, columns + size, by_columns{});
        const auto got_a = test::to_host(a);
        const auto got_b = test::to_host(b);
        for (std::int64_t i = 0; i < size; ++i)
        {
          ASSERT_EQ(got_a[i], rows[i].first) << i;
          ASSERT_EQ(got_b[i], -rows[i].second) << i;
        }

        // The columns as keys, with values.
        auto key_a = test::to_memory<policy_t>(first);
        auto key_b = test::to_memory<policy_t>(second);
        const auto keys = thrust::make_zip_iterator(key_a.begin(), key_b.begin());
        auto values = test::to_memory<policy_t>(test::make_elements<std::int32_t>(size, 0));
        mgpu::sort_by_key(policy, keys, keys + size, values.begin(), by_columns{});
        const auto got_values = test::to_host(values);
        const auto sorted_a = test::to_host(key_a);
        for (std::int64_t i = 0; i < size; ++i)
        {
          ASSERT_EQ(sorted_a[i], rows[i].first) << i;
          ASSERT_EQ(first[got_values[i]], rows[i].first) << i;
          ASSERT_EQ(second[got_values[i]], -rows[i].second) << i;
        }
      });
  }
}

TEST(SortIterators, PermutedAndReversed)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t size = 100003;
  const auto keys = make_ints(test::disorder::uniform, size);
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  auto places = test::make_elements<std::int32_t>(size, 0);
  std::shuffle(places.begin(), places.end(), std::mt19937_64(3));
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto sorted = test::to_memory<policy_t>(keys);
      const auto map = test::to_memory<policy_t>(places);
      const auto permuted = thrust::make_permutation_iterator(sorted.begin(), map.begin());
      mgpu::stable_sort(policy, permuted, permuted + size);
      const auto got = test::to_host(sorted);
      for (std::int64_t i = 0; i < size; ++i)
      {
        ASSERT_EQ(got[places[i]], expected[i]) << i;
      }

      sorted = test::to_memory<policy_t>(keys);
      const auto last = thrust::make_reverse_iterator(sorted.end());
      mgpu::stable_sort(policy, last, last + size, thrust::greater<std::int32_t>{});
      ASSERT_EQ(test::to_host(sorted), expected);
    });
}

struct modulo_1000
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t x) const
  {
    return x * 7919 % 1000;
  }
};

// Indices of computed keys, which are not in memory.
TEST(SortIterators, IndicesOfComputedKeys)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int32_t size = 100003;
  const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<std::int32_t>(0), modulo_1000{});
  const auto order = test::expected_order(ints(keys, keys + size), ::cuda::std::less<>{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      test::memory<policy_t, std::int32_t> out(size + 1, -7);
      mgpu::stable_sort_indices(policy, keys, keys + size, out.begin());
      test::expect_sorted_values<std::int32_t>(out, order);
    });
}

} // namespace

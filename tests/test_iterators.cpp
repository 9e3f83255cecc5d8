// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The set operations with iterators and value types beyond plain vectors.

#include "support/functions.h"
#include "support/keys.h"
#include "support/set_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/merge.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/sorted_search.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

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

/// Numbers first, first + step, ... below last.
ints every(std::int32_t step, std::int32_t first, std::int32_t last)
{
  ints result;
  for (; first < last; first += step)
  {
    result.push_back(first);
  }
  return result;
}

constexpr std::int32_t n = 100000;

struct twice
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t x) const
  {
    return 2 * x;
  }
};

TEST(Iterators, CountingAndTransform)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int32_t> numbers(0);
      const auto even = thrust::make_transform_iterator(numbers, twice{});
      test::memory<policy_t, std::int32_t> out(n);
      const auto end = mgpu::set_intersection(policy, numbers, numbers + n, even, even + n, out.begin());
      auto got = test::to_host(out);
      got.resize(end - out.begin());
      EXPECT_EQ(got, every(2, 0, n));
    });
}

TEST(Iterators, ConstantPermutationAndReverse)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::constant_iterator<std::int32_t> sevens(7);
      EXPECT_EQ(mgpu::set_union_size(policy, sevens, sevens + n, sevens, sevens + 2 * n), 2 * n);

      // A permutation that sorts: the numbers are in reverse order, and the map restores ascending order.
      const auto backward = test::to_memory<policy_t>(
        []
        {
          ints numbers = every(1, 0, n);
          std::reverse(numbers.begin(), numbers.end());
          return numbers;
        }());
      const auto map = test::to_memory<policy_t>(
        []
        {
          ints numbers = every(1, 0, n);
          std::reverse(numbers.begin(), numbers.end());
          return numbers;
        }());
      const auto sorted = thrust::make_permutation_iterator(backward.begin(), map.begin());
      const auto also = thrust::make_reverse_iterator(backward.end());
      test::memory<policy_t, std::int32_t> out(n);
      const auto end = mgpu::set_difference(
        policy, sorted, sorted + n, also, also + n / 2, out.begin(), ::cuda::std::less<std::int32_t>{});
      auto got = test::to_host(out);
      got.resize(end - out.begin());
      EXPECT_EQ(got, every(1, n / 2, n));
    });
}

struct by_first
{
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return thrust::get<0>(x) < thrust::get<0>(y);
  }
};

TEST(Iterators, ZipInAndOut)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(every(2, 0, n));
      const auto b = test::to_memory<policy_t>(every(3, 0, n));
      const auto ids = test::to_memory<policy_t>(test::origins(n, 0));
      const auto za = thrust::make_zip_iterator(a.begin(), ids.begin());
      const auto zb = thrust::make_zip_iterator(b.begin(), ids.begin());
      test::memory<policy_t, std::int32_t> keys(n);
      test::memory<policy_t, std::int32_t> rows(n);
      const auto out = thrust::make_zip_iterator(keys.begin(), rows.begin());
      const auto end = mgpu::set_intersection(policy, za, za + a.size(), zb, zb + b.size(), out, by_first{});
      auto got_keys = test::to_host(keys);
      auto got_rows = test::to_host(rows);
      got_keys.resize(end - out);
      got_rows.resize(end - out);
      EXPECT_EQ(got_keys, every(6, 0, n));
      EXPECT_EQ(got_rows, every(3, 0, n / 2));
    });
}

TEST(Iterators, DiscardAndTransformOutput)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(every(2, 0, n));
      const auto b = test::to_memory<policy_t>(every(3, 0, n));
      test::memory<policy_t, std::int32_t> out(n);
      const auto negated = thrust::make_transform_output_iterator(out.begin(), test::negate{});
      const auto ends = mgpu::set_union_by_key(
        policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(), thrust::make_discard_iterator(), negated);
      const auto expected =
        test::std_set_operation(test::set_op::union_of, every(2, 0, n), every(3, 0, n), ::cuda::std::less<>{});
      ASSERT_EQ(ends.second - negated, static_cast<std::ptrdiff_t>(expected.keys.size()));
      ASSERT_EQ(ends.first - thrust::make_discard_iterator(), static_cast<std::ptrdiff_t>(expected.keys.size()));
      const auto got = test::to_host(out);
      for (std::size_t i = 0; i < expected.keys.size(); ++i)
      {
        ASSERT_EQ(got[i], -expected.keys[i]);
      }
    });
}

// Outputs that can be written and not read.
template <class Key>
void expect_indices_in_write_only_output(std::int32_t count)
{
  std::vector<std::int64_t> ranks;
  for (std::int32_t i = 0; i < count; ++i)
  {
    ranks.push_back(i * 7919 % 1000);
  }
  ints expected = test::origins(count, 0);
  std::stable_sort(expected.begin(), expected.end(), [&](int i, int j) { return ranks[i] < ranks[j]; });
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys = test::to_memory<policy_t>(test::to_keys<Key>(ranks));
      test::memory<policy_t, std::int32_t> out(count);
      const auto negated = thrust::make_transform_output_iterator(out.begin(), test::negate{});
      EXPECT_EQ(mgpu::stable_sort_indices(policy, keys.begin(), keys.end(), negated) - negated, count);
      auto got = test::to_host(out);
      std::transform(got.begin(), got.end(), got.begin(), test::negate{});
      EXPECT_EQ(got, expected);
    });
}

TEST(Iterators, SortedIndicesToWriteOnlyOutputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int32_t count : {0, 10, 20000})
  {
    expect_indices_in_write_only_output<std::int32_t>(count);
    expect_indices_in_write_only_output<test::words_key<20>>(count);
  }
}

// Two value types without a common type, and an output that can be assigned from both.
struct left_row
{
  std::int32_t key;
};
struct right_row
{
  double weight;
  std::int64_t key;
};
struct any_row
{
  std::int64_t key = -1;
  bool right = false;

  any_row() = default;
  MGPU_THRUST_HOST_DEVICE any_row(const left_row& row)
      : key(row.key)
  {
  }
  MGPU_THRUST_HOST_DEVICE any_row(const right_row& row)
      : key(row.key)
      , right(true)
  {
  }
};
struct row_less
{
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return x.key < y.key;
  }
};

TEST(Iterators, InputsOfDifferentTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::vector<left_row> left;
  std::vector<right_row> right;
  for (std::int32_t i = 0; i < n; ++i)
  {
    left.push_back({i / 2 * 2});
    right.push_back({0.5, i / 3 * 3});
  }
  const auto expected = [&]
  {
    std::vector<any_row> both(2 * n);
    both.resize(
      std::set_symmetric_difference(left.begin(), left.end(), right.begin(), right.end(), both.begin(), row_less{})
      - both.begin());
    return both;
  }();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(left);
      const auto b = test::to_memory<policy_t>(right);
      test::memory<policy_t, any_row> out(2 * n);
      const auto end =
        mgpu::set_symmetric_difference(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), row_less{});
      ASSERT_EQ(end - out.begin(), static_cast<std::ptrdiff_t>(expected.size()));
      const auto got = test::to_host(out);
      for (std::size_t i = 0; i < expected.size(); ++i)
      {
        ASSERT_EQ(got[i].key, expected[i].key);
        ASSERT_EQ(got[i].right, expected[i].right);
      }
    });
}

// Memory with no more than its type's alignment.
TEST(Iterators, PointersAlignedToTheTypeOnly)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(every(2, 0, n));
      const auto b = test::to_memory<policy_t>(every(3, 0, n));
      test::memory<policy_t, std::int32_t> out(2 * n);
      for (int offset = 1; offset < 4; ++offset)
      {
        const std::int32_t* const a_first = thrust::raw_pointer_cast(a.data()) + offset;
        const std::int32_t* const b_first = thrust::raw_pointer_cast(b.data()) + 4 - offset;
        std::int32_t* const result = thrust::raw_pointer_cast(out.data()) + offset;
        const std::int32_t* const a_last = thrust::raw_pointer_cast(a.data()) + a.size();
        const std::int32_t* const b_last = thrust::raw_pointer_cast(b.data()) + b.size();
        const auto size = mgpu::set_union(policy, a_first, a_last, b_first, b_last, result) - result;
        const auto expected = test::std_set_operation(
          test::set_op::union_of, every(2, 2 * offset, n), every(3, 3 * (4 - offset), n), ::cuda::std::less<>{});
        auto got = test::to_host(out);
        got.erase(got.begin(), got.begin() + offset);
        got.resize(size);
        ASSERT_EQ(got, expected.keys);
      }
    });
}

// Keys of 16 bytes that are aligned to 4; a GPU's tiles hold them aligned to 16.
TEST(Iterators, WideKeysAlignedToTheirTypeOnly)
{
  using key = test::words_key<4>;
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int32_t count = 3000;
  const auto words_from = [](std::int32_t offset, std::int32_t step)
  {
    std::vector<std::int32_t> words(static_cast<std::size_t>(offset));
    for (std::int32_t i = 0; i < count; ++i)
    {
      const key k = test::make_key<key>::from(i * step);
      words.insert(words.end(), k.words, k.words + 4);
    }
    return words;
  };
  std::vector<std::int32_t> expected;
  for (std::int32_t i = 0; i < 2 * count; i += 2)
  {
    const key k = test::make_key<key>::from(i);
    for (const std::int32_t word : k.words)
    {
      if (i % 3 == 0)
      {
        expected.push_back(word);
      }
    }
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (int offset = 0; offset < 4; ++offset)
      {
        const auto a = test::to_memory<policy_t>(words_from(offset, 2));
        const auto b = test::to_memory<policy_t>(words_from(3 - offset, 3));
        test::memory<policy_t, std::int32_t> out(4 * count + 4);
        const auto keys_at = [](const std::int32_t* words) { return reinterpret_cast<const key*>(words); };
        const key* const a_first = keys_at(thrust::raw_pointer_cast(a.data()) + offset);
        const key* const b_first = keys_at(thrust::raw_pointer_cast(b.data()) + 3 - offset);
        key* const result = reinterpret_cast<key*>(thrust::raw_pointer_cast(out.data()) + offset);
        const auto size =
          mgpu::set_intersection(policy, a_first, a_first + count, b_first, b_first + count, result) - result;
        auto got = test::to_host(out);
        got.erase(got.begin(), got.begin() + offset);
        got.resize(4 * static_cast<std::size_t>(size));
        ASSERT_EQ(got, expected);
      }
    });
}

// A file that nvcc compiles may select a host policy, by name or by its iterators.
TEST(Iterators, HostPoliciesAndNone)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints a = every(2, 0, n);
  const thrust::device_vector<std::int32_t> d(a.begin(), a.end());
  EXPECT_EQ(mgpu::set_union_size(d.begin(), d.end(), d.begin(), d.end()), n / 2);
  EXPECT_EQ(mgpu::set_union_size(a.begin(), a.end(), a.begin(), a.end()), n / 2);
  EXPECT_EQ(mgpu::set_union_size(thrust::host, a.begin(), a.end(), a.begin(), a.end()), n / 2);
}

#if !defined(__CUDACC__)

TEST(Iterators, PlainOutputIterators)
{
  const ints a = every(2, 0, n);
  const ints b = every(3, 0, n);
  std::list<std::int32_t> list;
  std::string text;
  mgpu::set_union(thrust::seq, a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(list));
  EXPECT_EQ(
    ints(list.begin(), list.end()), test::std_set_operation(test::set_op::union_of, a, b, ::cuda::std::less<>{}).keys);
  const std::string x = "aabc", y = "abd";
  mgpu::set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(text));
  EXPECT_EQ(text, "acd");
}

// Keys that own memory: compared by reference, copied only to the output.
TEST(Iterators, Strings)
{
  std::vector<std::string> a;
  std::vector<std::string> b;
  for (std::int32_t i = 0; i < n; ++i)
  {
    a.push_back("key number " + std::to_string(100000 + i));
    b.push_back("key number " + std::to_string(100000 + i / 2 * 3));
  }
  const auto expected = test::std_set_operation(test::set_op::difference, a, b, std::less<>{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> out(n);
      out.erase(mgpu::set_difference(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin()), out.end());
      EXPECT_EQ(out, expected.keys);
    });
}

// Move iterators: elements are compared, then copied, and stay what they were. A worker that moved one would change
// what another worker's search reads.
TEST(Iterators, MoveIterators)
{
  std::vector<std::string> a;
  std::vector<std::string> b;
  for (std::int32_t i = 0; i < n; ++i)
  {
    a.push_back("key number " + std::to_string(100000 + 2 * i));
    b.push_back("key number " + std::to_string(100000 + 3 * i));
  }
  std::vector<std::string> expected(2 * n);
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
  const auto move = [](auto iterator) { return std::make_move_iterator(iterator); };
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> from_a = a;
      std::vector<std::string> from_b = b;
      std::vector<std::string> out(2 * n);
      mgpu::merge(
        policy, move(from_a.begin()), move(from_a.end()), move(from_b.begin()), move(from_b.end()), out.begin());
      EXPECT_EQ(out, expected);
      EXPECT_EQ(from_a, a);
      EXPECT_EQ(from_b, b);
      std::vector<std::int32_t> bounds(n);
      mgpu::sorted_lower_bound(policy, move(from_a.begin()), move(from_a.end()), b.begin(), b.end(), bounds.begin());
      EXPECT_EQ(bounds[1], 2);
      EXPECT_EQ(from_a, a);
    });
}

// An iterator that holds a lambda can be copied, but not assigned.
TEST(Iterators, LambdasInIterators)
{
  const auto numbers = thrust::make_counting_iterator(0);
  const auto even = thrust::make_transform_iterator(numbers, [](int x) { return 2 * x; });
  test::for_each_policy(
    [&](const auto& policy)
    {
      ints out(n);
      const auto plus_one = thrust::make_transform_output_iterator(out.begin(), [](int x) { return x + 1; });
      const auto end = mgpu::set_intersection(
        policy, even, even + n, numbers, numbers + n, plus_one, [](int x, int y) { return x < y; });
      out.resize(end - plus_one);
      EXPECT_EQ(out, every(2, 1, n));
    });
}

#endif

} // namespace

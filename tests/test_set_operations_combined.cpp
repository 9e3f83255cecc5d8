// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Unions and intersections by key that combine the values of matches, against a loop that takes the smaller key.

#include "support/distributions.h"
#include "support/few_and_more.h"
#include "support/fuzz.h"
#include "support/systems.h"
#include "support/uneven_inputs.h"
#if defined(__CUDACC__)
#  include "support/device_calls.h"
#  include <mgpu_thrust/device/device_set_operations.cuh>
#endif

#include <mgpu_thrust/set_operations.h>
#include <mgpu_thrust/set_operations_n.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace
{

using combined_keys = std::vector<std::int32_t>;

constexpr std::int32_t first_b_value = 1 << 30;
constexpr std::int64_t untouched_value = -7;

/// The combined value of a match tells both of its elements, and which is of A.
struct both_values
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(const std::int32_t& a, const std::int32_t& b)
  {
    return (std::int64_t{a} + 1) << 32 | b;
  }
};

/// The keys and values of a result, which a loop computes of sorted keys. Value i of A is i, value j of B is
/// first_b_value + j.
struct combined_pairs
{
  combined_keys keys;
  std::vector<std::int64_t> values;

  template <class KeysA, class KeysB>
  combined_pairs(const KeysA& a, const KeysB& b, bool keeps_all)
  {
    std::size_t i = 0;
    std::size_t j = 0;
    const auto keep = [&](std::int64_t key, std::int64_t value)
    {
      keys.push_back(static_cast<std::int32_t>(key));
      values.push_back(value);
    };
    while (i < a.size() || j < b.size())
    {
      const std::int32_t a_value = static_cast<std::int32_t>(i);
      const std::int32_t b_value = first_b_value + static_cast<std::int32_t>(j);
      const bool takes_a = j == b.size() || (i < a.size() && !(b[j] < a[i]));
      const bool takes_b = i == a.size() || (j < b.size() && !(a[i] < b[j]));
      if (takes_a && takes_b)
      {
        keep(a[i], both_values{}(a_value, b_value));
      }
      else if (keeps_all)
      {
        keep(takes_a ? std::int64_t{a[i]} : std::int64_t{b[j]}, takes_a ? a_value : b_value);
      }
      i += takes_a;
      j += takes_b;
    }
  }
};

combined_keys numbers_from(std::int32_t first, std::size_t size)
{
  combined_keys numbers(size);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// Two ranges with values in the memory of a policy, and outputs with a guard after their end.
template <class Policy>
struct combined_problem
{
  combined_problem(const combined_keys& a_keys, const combined_keys& b_keys)
      : a(test::to_memory<Policy>(a_keys))
      , b(test::to_memory<Policy>(b_keys))
      , a_values(test::to_memory<Policy>(numbers_from(0, a.size())))
      , b_values(test::to_memory<Policy>(numbers_from(first_b_value, b.size())))
  {
  }
  /// Calls f(keys_out, values_out), which returns the size of the result, and compares the outputs.
  template <class Function>
  void expect(const char* name, const combined_pairs& expected, Function f)
  {
    SCOPED_TRACE(name);
    const std::size_t size = expected.keys.size();
    test::memory<Policy, std::int32_t> keys(size + 1, static_cast<std::int32_t>(untouched_value));
    test::memory<Policy, std::int64_t> values(size + 1, untouched_value);
    ASSERT_EQ(static_cast<std::size_t>(f(keys.begin(), values.begin())), size);
    combined_keys got_keys = test::to_host(keys);
    std::vector<std::int64_t> got_values = test::to_host(values);
    ASSERT_EQ(got_keys.back(), untouched_value) << "wrote past the end";
    ASSERT_EQ(got_values.back(), untouched_value) << "wrote past the end";
    got_keys.pop_back();
    got_values.pop_back();
    ASSERT_TRUE(got_keys == expected.keys);
    const auto wrong = std::mismatch(got_values.begin(), got_values.end(), expected.values.begin());
    ASSERT_EQ(wrong.first - got_values.begin(), static_cast<std::ptrdiff_t>(size)) << "the first wrong value";
  }

  test::memory<Policy, std::int32_t> a, b, a_values, b_values;
};

/// Checks both operations under a policy.
template <class Policy>
void check_combined_under(
  const Policy& policy, const combined_keys& a, const combined_keys& b, const combined_pairs& both,
  const combined_pairs& all)
{
  combined_problem<Policy> in(a, b);
  const ::cuda::std::less<> less;
  in.expect(
    "set_intersection_by_key", both,
    [&](auto keys, auto values)
    {
      const auto ends = mgpu::set_intersection_by_key(
        policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), in.a_values.begin(), in.b_values.begin(), keys,
        values, less, both_values{});
      EXPECT_EQ(ends.first - keys, ends.second - values);
      return ends.first - keys;
    });
  in.expect(
    "set_union_by_key", all,
    [&](auto keys, auto values)
    {
      const auto ends = mgpu::set_union_by_key(
        policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), in.a_values.begin(), in.b_values.begin(), keys,
        values, less, both_values{});
      EXPECT_EQ(ends.first - keys, ends.second - values);
      return ends.first - keys;
    });
}

void check_combined(const combined_keys& a, const combined_keys& b)
{
  const combined_pairs both(a, b, false);
  const combined_pairs all(a, b, true);
  test::for_each_policy([&](const auto& policy) { check_combined_under(policy, a, b, both, all); });
}

combined_keys sorted_combined_keys(const test::ranks& ranks)
{
  combined_keys keys(ranks.begin(), ranks.end());
  std::sort(keys.begin(), keys.end());
  return keys;
}

void check_combined(test::distribution d, std::int64_t a_size, std::int64_t b_size, std::uint64_t seed)
{
  SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(a_size) + "+" + std::to_string(b_size));
  const auto ranks = test::make_ranks(d, a_size, b_size, 1 << 30, seed);
  check_combined(sorted_combined_keys(ranks.first), sorted_combined_keys(ranks.second));
}

/// Number of elements of a tile, or of a worker's piece.
#if defined(__CUDACC__)
constexpr std::int64_t combined_tile = mgpu::detail::set_operation_shape<mgpu::detail::set_union_t, 4, true>::items;
#else
constexpr std::int64_t combined_tile = mgpu::detail::cpu_piece_elements;
#endif

TEST(CombinedValues, SizesAndDistributions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    for (const std::int64_t more : test::few_and_more())
    {
      check_combined(d, more / 2 + 3 * combined_tile + 1, more / 2 + 2 * combined_tile, 31);
      check_combined(d, more + combined_tile - 1, combined_tile, 32);
    }
    check_combined(d, 70, 90, 33);
  }
  for (const std::int64_t size : {0, 1, 2})
  {
    check_combined(test::distribution::few_keys, size, 2 - size, 34);
    check_combined(test::distribution::few_keys, size, 0, 35);
  }
}

// One side so short that its elements are searched for in the other.
TEST(CombinedValues, UnevenSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_uneven_pair(
    1000, [](const combined_keys& few, const combined_keys& many) { check_combined(few, many); });
}

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(CombinedValues, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    100,
    [](std::mt19937_64& random)
    {
      const auto any_size = [&] { return static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 18)); };
      const std::int64_t a_size = any_size();
      const std::int64_t b_size = any_size();
      const auto d = test::all_distributions[random() % std::size(test::all_distributions)];
      check_combined(d, a_size, b_size, random());
    });
}

#if defined(__CUDACC__)

// Up to the last tile of a co-resident grid, and more.
TEST(CombinedValues, ManyTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const int blocks : {7, 8, 9, 10, 20})
  {
    const std::int64_t total = mgpu::detail::max_coresident_blocks(blocks) * combined_tile;
    check_combined(test::distribution::runs, total / 2, total - total / 2, 36);
    check_combined(test::distribution::uniform, total / 2 + 1, total / 2, 37);
  }
  // So many needles that offsets are served.
  check_combined(test::distribution::uniform, 300000, 300000 * mgpu::detail::sparse_needles_ratio, 38);
  check_combined(test::distribution::uniform, 300000 * mgpu::detail::sparse_needles_ratio, 300000, 39);
}

TEST(CombinedValues, DeviceLayer)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using ops = mgpu::DeviceSetOperations;
  using test::raw;
  for (const std::int64_t size : {1000, 300000})
  {
    const auto ranks = test::make_ranks(test::distribution::runs, size, size + 9, 1 << 30, 40);
    const combined_keys a = sorted_combined_keys(ranks.first);
    const combined_keys b = sorted_combined_keys(ranks.second);
    combined_problem<decltype(thrust::cuda::par)> in(a, b);
    const std::int64_t a_size = in.a.size();
    const std::int64_t b_size = in.b.size();
    const ::cuda::std::less<> less;
    thrust::device_vector<std::int64_t> count(1, -1);
    for (const auto& run : {test::call, test::capture})
    {
      in.expect(
        "IntersectionCombined", combined_pairs(a, b, false),
        [&](auto keys, auto values)
        {
          run(
            [&](void* storage, std::size_t& bytes, cudaStream_t stream)
            {
              return ops::IntersectionCombined(
                storage, bytes, raw(in.a), raw(in.a_values), a_size, raw(in.b), raw(in.b_values), b_size, keys, values,
                raw(count), less, both_values{}, stream);
            });
          return static_cast<std::int64_t>(count[0]);
        });
      in.expect(
        "UnionCombined", combined_pairs(a, b, true),
        [&](auto keys, auto values)
        {
          run(
            [&](void* storage, std::size_t& bytes, cudaStream_t stream)
            {
              return ops::UnionCombined(
                storage, bytes, raw(in.a), raw(in.a_values), a_size, raw(in.b), raw(in.b_values), b_size, keys, values,
                raw(count), less, both_values{}, stream);
            });
          return static_cast<std::int64_t>(count[0]);
        });
    }
  }
}

#endif

TEST(CombinedValues, DeferredSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t a_capacity = 200000;
  const std::int64_t b_capacity = 180000;
  const auto ranks = test::make_ranks(test::distribution::runs, a_capacity, b_capacity, 1 << 30, 41);
  const combined_keys all_a = sorted_combined_keys(ranks.first);
  const combined_keys all_b = sorted_combined_keys(ranks.second);
  const ::cuda::std::less<> less;
  const std::pair<std::int64_t, std::int64_t> sizes[] = {{a_capacity, b_capacity}, {150000, 99999}, {1000, b_capacity},
                                                         {a_capacity, 1000},       {0, 77},         {3, 0}};
  for (const auto& [a_size, b_size] : sizes)
  {
    SCOPED_TRACE(std::to_string(a_size) + "+" + std::to_string(b_size));
    const combined_keys a(all_a.begin(), all_a.begin() + a_size);
    const combined_keys b(all_b.begin(), all_b.begin() + b_size);
    test::for_each_policy(
      [&, a_now = a_size, b_now = b_size](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        combined_problem<policy_t> in(all_a, all_b);
        auto counts = test::to_memory<policy_t>(std::vector<std::int64_t>{a_now, b_now, -1});
        const mgpu::deferred size1{counts.data(), a_capacity};
        const mgpu::deferred size2{counts.data() + 1, b_capacity};
        in.expect(
          "set_intersection_by_key_n", combined_pairs(a, b, false),
          [&](auto keys, auto values)
          {
            mgpu::set_intersection_by_key_n(
              policy, in.a.begin(), size1, in.b.begin(), size2, in.a_values.begin(), in.b_values.begin(), keys, values,
              counts.data() + 2, less, both_values{});
            return test::to_host(counts)[2];
          });
        in.expect(
          "set_union_by_key_n", combined_pairs(a, b, true),
          [&](auto keys, auto values)
          {
            mgpu::set_union_by_key_n(
              policy, in.a.begin(), size1, in.b.begin(), size2, in.a_values.begin(), in.b_values.begin(), keys, values,
              counts.data() + 2, less, both_values{});
            return test::to_host(counts)[2];
          });
      });
  }
}

/// A value that is no number, and too large for a batch of registers.
struct wide_value
{
  std::int64_t number;
  std::int64_t more[3];
};

/// What can be assigned from both inputs' values, and from a result of another type than any of these.
struct assigned_value
{
  std::int64_t number = untouched_value;

  MGPU_THRUST_HOST_DEVICE assigned_value& operator=(const wide_value& value)
  {
    number = value.number;
    return *this;
  }
  MGPU_THRUST_HOST_DEVICE assigned_value& operator=(const std::int32_t& value)
  {
    number = value;
    return *this;
  }
  MGPU_THRUST_HOST_DEVICE assigned_value& operator=(const double& value)
  {
    number = static_cast<std::int64_t>(value);
    return *this;
  }
};

/// Combines the values of two types to one of a third; with a state that other function objects lack.
struct scaled_difference
{
  std::int32_t factor;

  MGPU_THRUST_HOST_DEVICE double operator()(const wide_value& a, const std::int32_t& b) const
  {
    return static_cast<double>(factor * (std::int64_t{b} - first_b_value) - a.number);
  }
};

// Keys and values whose types all differ; results of a type that is not that of any value.
TEST(CombinedValues, OtherTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t more : test::few_and_more())
  {
    const auto ranks =
      test::make_ranks(test::distribution::runs, more + combined_tile + 99, 2 * combined_tile, 1 << 30, 42);
    const combined_keys a = sorted_combined_keys(ranks.first);
    std::vector<std::int64_t> b(ranks.second.begin(), ranks.second.end());
    std::sort(b.begin(), b.end());
    std::vector<wide_value> a_values;
    for (std::size_t i = 0; i < a.size(); ++i)
    {
      a_values.push_back({static_cast<std::int64_t>(i), {}});
    }
    const scaled_difference combine{5};
    test::for_each_policy(
      [&](const auto& policy)
      {
        using policy_t = std::decay_t<decltype(policy)>;
        const auto da = test::to_memory<policy_t>(a);
        const auto db = test::to_memory<policy_t>(b);
        const auto va = test::to_memory<policy_t>(a_values);
        const auto vb = test::to_memory<policy_t>(numbers_from(first_b_value, b.size()));
        for (const bool keeps_all : {false, true})
        {
          const combined_pairs expected(a, b, keeps_all);
          test::memory<policy_t, std::int64_t> keys(expected.keys.size() + 1, untouched_value);
          test::memory<policy_t, assigned_value> values(expected.keys.size() + 1);
          // References to elements of a device_vector would be assigned their type alone.
          assigned_value* const values_out = thrust::raw_pointer_cast(values.data());
          const ::cuda::std::less<> less;
          const auto end = keeps_all ? mgpu::set_union_by_key(
                             policy, da.begin(), da.end(), db.begin(), db.end(), va.begin(), vb.begin(), keys.begin(),
                             values_out, less, combine)
                                     : mgpu::set_intersection_by_key(
                                       policy, da.begin(), da.end(), db.begin(), db.end(), va.begin(), vb.begin(),
                                       keys.begin(), values_out, less, combine);
          ASSERT_EQ(end.first - keys.begin(), static_cast<std::ptrdiff_t>(expected.keys.size()));
          const auto got_keys = test::to_host(keys);
          const auto got_values = test::to_host(values);
          ASSERT_TRUE(std::equal(expected.keys.begin(), expected.keys.end(), got_keys.begin()));
          ASSERT_EQ(got_keys.back(), untouched_value);
          ASSERT_EQ(got_values.back().number, untouched_value);
          for (std::size_t k = 0; k < expected.values.size(); ++k)
          {
            const std::int64_t code = expected.values[k];
            const std::int64_t i = (code >> 32) - 1;
            const std::int64_t j = (code & 0xffffffff) - first_b_value;
            ASSERT_EQ(got_values[k].number, i < 0 ? code : 5 * j - i) << "at " << k;
          }
        }
      });
  }
}

#if !defined(__CUDACC__)

// Without a policy, to plain output iterators, by functions that cannot be assigned or change; values are not moved.
TEST(CombinedValues, CopiesByAnyFunction)
{
  const std::vector<std::string> a{"a", "c", "c", "e"};
  const std::vector<std::string> b{"b", "c", "e", "e"};
  std::vector<std::string> a_values{"1", "2", "3", "4 is too long for a buffer within the string"};
  std::vector<std::string> b_values{"5", "6", "7", "8"};
  const auto before = a_values;
  std::vector<std::string> keys;
  std::vector<std::string> values;
  int calls = 0;
  const auto combine = [&calls, n = 0](const std::string& x, const std::string& y) mutable
  {
    ++calls;
    return x + (n++ == 0 ? " and " : " & ") + y;
  };
  mgpu::set_union_by_key(
    thrust::seq, a.begin(), a.end(), b.begin(), b.end(), std::make_move_iterator(a_values.begin()),
    std::make_move_iterator(b_values.begin()), std::back_inserter(keys), std::back_inserter(values),
    ::cuda::std::less<>{}, combine);
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "b", "c", "c", "e", "e"}));
  EXPECT_EQ(values, (std::vector<std::string>{"1", "5", "2 and 6", "3", before[3] + " & 7", "8"}));
  EXPECT_EQ(a_values, before);
  EXPECT_EQ(calls, 2);

  std::vector<std::string> products(4);
  const auto end = mgpu::set_intersection_by_key(
    a.begin(), a.end(), b.begin(), b.end(), a_values.begin(), b_values.begin(), keys.begin(), products.begin(),
    ::cuda::std::less<>{}, combine);
  EXPECT_EQ(end.second - products.begin(), 2);
  EXPECT_EQ(products[0], "2 and 6");
  EXPECT_EQ(products[1], before[3] + " & 7");
}

#endif

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts of keys and values that are not numbers: large, copy-only, move-only, over-aligned, or owning memory.

#include "support/sort_battery.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace
{

using ints = std::vector<std::int32_t>;
using test::as_indices;
using test::check_types;
using test::keys_alone;
using test::make_ints;
using test::with_values;

TEST(SortTypes, KeysThatAreNoNumbers)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_types<test::words_key<4>, keys_alone>();
#endif
  check_types<test::words_key<12>, with_values | as_indices, test::only_copied>(30011);
  check_types<test::words_key<200>, keys_alone>(5003);
#if !defined(__CUDACC__) // a device_vector cannot hold them
  check_types<test::only_less, test::all_forms>();
#endif
}

TEST(SortTypes, ValuesOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_types<std::uint32_t, with_values, test::bytes_element<16>>();
  check_types<std::uint32_t, with_values, test::bytes_element<33>>();
#endif
  check_types<std::uint32_t, with_values, test::only_copied>();
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // other tiles; a CPU has no other paths for these
  check_types<std::uint32_t, with_values, test::bytes_element<12>>();
  check_types<std::uint32_t, with_values, test::bytes_element<400>>();
#endif
}

#if !defined(__CUDACC__)

// Elements that own memory, alone and as values.
TEST(SortTypes, Strings)
{
  for (const std::int64_t size : {10, 1000, 60000})
  {
    std::vector<std::string> words;
    for (const std::int64_t rank : test::make_disorder(test::disorder::uniform, size, size / 3 + 1, 5))
    {
      words.push_back("a word that is too long for its object " + std::to_string(rank));
    }
    const auto order = test::expected_order(words, std::less<>{});
    std::vector<std::string> expected;
    for (const std::int64_t i : order)
    {
      expected.push_back(words[i]);
    }
    test::for_each_policy(
      [&](const auto& policy)
      {
        auto sorted = words;
        mgpu::stable_sort(policy, sorted.begin(), sorted.end());
        ASSERT_EQ(sorted, expected);
        sorted = words;
        auto values = words;
        mgpu::sort_by_key(policy, sorted.begin(), sorted.end(), values.begin());
        ASSERT_EQ(sorted, expected);
        ASSERT_EQ(values, expected);
        std::vector<std::int64_t> indices(size);
        mgpu::stable_sort_indices(policy, words.begin(), words.end(), indices.begin());
        ASSERT_EQ(indices, order);
        std::vector<std::int32_t> keys(size);
        for (std::int64_t i = 0; i < size; ++i)
        {
          keys[i] = static_cast<std::int32_t>(size - i);
        }
        values = words;
        mgpu::sort_by_key(policy, keys.begin(), keys.end(), values.begin());
        ASSERT_EQ(values, std::vector<std::string>(words.rbegin(), words.rend()));
      });
  }
}

// Elements that can be moved, but not copied.
TEST(SortTypes, MovedElements)
{
  const auto keys = make_ints(test::disorder::uniform, 70000);
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::unique_ptr<std::int32_t>> pointers;
      for (const std::int32_t key : keys)
      {
        pointers.push_back(std::make_unique<std::int32_t>(key));
      }
      mgpu::stable_sort(policy, pointers.begin(), pointers.end(), [](const auto& x, const auto& y) { return *x < *y; });
      for (std::size_t i = 0; i < expected.size(); ++i)
      {
        ASSERT_EQ(*pointers[i], expected[i]);
      }
    });
}

// Elements that can be moved, but not copied, and that fit a register.
struct only_moved
{
  std::int32_t value;

  explicit only_moved(std::int32_t v)
      : value(v)
  {
  }
  only_moved(only_moved&&) = default;
  only_moved& operator=(only_moved&&) = default;
};

TEST(SortTypes, SmallMovedElements)
{
  const auto keys = make_ints(test::disorder::uniform, 70000);
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<only_moved> elements(keys.begin(), keys.end());
      mgpu::sort(
        policy, elements.begin(), elements.end(),
        [](const only_moved& x, const only_moved& y) { return x.value < y.value; });
      for (std::size_t i = 0; i < expected.size(); ++i)
      {
        ASSERT_EQ(elements[i].value, expected[i]);
      }
    });
}

/// An element that records whether any of its copies was made at a misaligned address.
struct alignas(128) aligned_element
{
  std::int32_t value;
  bool is_aligned = true;

  explicit aligned_element(std::int32_t v)
      : value(v)
  {
  }
  aligned_element(const aligned_element& other)
      : value(other.value)
      , is_aligned(other.is_aligned && reinterpret_cast<std::uintptr_t>(this) % alignof(aligned_element) == 0)
  {
  }
  aligned_element& operator=(const aligned_element&) = default;
};

TEST(SortTypes, AlignedElements)
{
  for (const std::int64_t size : {17, 1000, 70007})
  {
    const auto keys = make_ints(test::disorder::uniform, size);
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    test::for_each_policy(
      [&](const auto& policy)
      {
        std::vector<aligned_element> values(keys.begin(), keys.end());
        auto sorted = values;
        const auto is_less = [](const aligned_element& x, const aligned_element& y) { return x.value < y.value; };
        mgpu::sort(policy, sorted.begin(), sorted.end(), is_less);
        auto sorted_keys = keys;
        mgpu::sort_by_key(policy, sorted_keys.begin(), sorted_keys.end(), values.begin());
        for (std::int64_t i = 0; i < size; ++i)
        {
          ASSERT_TRUE(sorted[i].value == expected[i] && sorted[i].is_aligned) << i;
          ASSERT_TRUE(values[i].value == expected[i] && values[i].is_aligned) << i;
        }
      });
  }
}

#endif

} // namespace

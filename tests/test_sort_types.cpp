// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sorts of keys, values and indices of every type, and of elements that own memory.

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
using test::keys_alone;
using test::make_ints;
using test::with_values;

/// Sorts keys of a type in some forms, in several sizes and disorders; indices up to what their type counts.
template <class Key, unsigned Forms, class Value = std::int32_t, class Index = std::int32_t>
void check_types(std::int64_t large_size = 100003)
{
  SCOPED_TRACE(
    "keys of " + std::to_string(sizeof(Key)) + " bytes, values of " + std::to_string(sizeof(Value)) + ", indices of "
    + std::to_string(sizeof(Index)));
  for (const test::disorder d : {test::disorder::uniform, test::disorder::few_keys, test::disorder::local})
  {
    for (const std::int64_t size : {std::int64_t{7}, std::int64_t{1000}, large_size})
    {
      auto keys = test::to_keys<Key>(test::make_disorder(d, size, test::largest_rank<Key>(), size));
      test::check_sort_everywhere<Value, Forms & ~as_indices, Index>(keys);
      if (size - 1 > mgpu::detail::largest_index<Index>)
      {
        keys.erase(keys.begin() + mgpu::detail::largest_index<Index> + 1, keys.end());
      }
      test::check_sort_everywhere<Value, Forms & as_indices, Index>(keys);
    }
  }
}

// Not each type of keys meets each form, nor each type of values or indices: but each form meets keys of 1 to 16 bytes,
// and values meet keys that are narrower, wider, and as wide. Keys of 4, 8 and 12 bytes are also in test_sort.
TEST(SortTypes, KeysOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<std::int8_t, keys_alone>();
  check_types<std::uint8_t, with_values | as_indices, std::int16_t, std::int16_t>();
  check_types<std::int16_t, with_values, test::bytes_element<3>>();
  check_types<std::uint16_t, keys_alone>();
  check_types<std::uint32_t, with_values | as_indices, double, std::int64_t>();
  check_types<std::uint64_t, with_values | as_indices, std::int64_t, std::uint64_t>();
  check_types<float, with_values | as_indices, std::int32_t, std::uint32_t>();
  check_types<double, with_values | as_indices, std::int8_t, std::int8_t>();
}

TEST(SortTypes, KeysThatAreNoNumbers)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<test::words_key<4>, keys_alone>();
  check_types<test::words_key<12>, with_values | as_indices, test::only_copied>(30011);
  check_types<test::words_key<200>, keys_alone>(5003);
#if !defined(__CUDACC__) // a device_vector of them cannot be made
  check_types<test::only_less, test::all_forms>();
#endif
}

// The types of values, and of indices, that keys of every type did not meet.
TEST(SortTypes, ValuesOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<std::uint32_t, with_values, test::bytes_element<12>>();
  check_types<std::uint64_t, with_values, test::bytes_element<16>>();
  check_types<std::uint32_t, with_values, test::bytes_element<33>>();
  check_types<std::uint64_t, with_values, test::bytes_element<400>>();
  check_types<std::uint32_t, with_values, test::only_copied>();
}

TEST(SortTypes, IndicesOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<double, as_indices, std::int32_t, std::uint8_t>();
  check_types<std::uint8_t, as_indices, std::int32_t, std::uint16_t>();
  check_types<float, as_indices, std::int32_t, std::int32_t>();
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

// The same of elements that would fit a register.
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

/// An element that tells whether it was ever where it may not be.
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

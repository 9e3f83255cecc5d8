// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Bulk removal and insertion of elements of every type at indices of every type, through iterators of every kind.

#include "support/bulk_battery.h"
#include "support/functions.h"
#include "support/systems.h"

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// Removes and inserts elements of a type, at indices of a type.
template <class Element, class Index>
void check_types(std::int64_t size)
{
  SCOPED_TRACE(
    "elements of " + std::to_string(sizeof(Element)) + " bytes, indices of " + std::to_string(sizeof(Index)));
  for (const double probability : {0.01, 0.5, 0.9})
  {
    test::check_bulk<Element>(size, test::random_indices<Index>(size, probability, sizeof(Element)));
  }
  test::for_each_policy(
    [&](const auto& policy)
    { test::check_bulk_insert<Element>(policy, size, std::vector<Index>(5000, static_cast<Index>(size))); });
}

// A position may equal the size, so small index types reach their largest value.
TEST(Bulk, ElementsAndIndicesOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<std::int32_t, std::int8_t>(127);
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_types<std::int32_t, std::uint8_t>(255);
  check_types<std::int8_t, std::int16_t>(32767);
  check_types<std::int16_t, std::uint16_t>(65535);
  check_types<float, std::uint32_t>(30011);
  check_types<test::bytes_element<7>, std::int64_t>(10007);
  check_types<double, std::uint64_t>(30011);
  check_types<test::bytes_element<64>, std::uint64_t>(10007);
#endif
  check_types<test::bytes_element<400>, std::int32_t>(10007);
  check_types<test::only_copied, std::int32_t>(10007);
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // other tiles; a CPU has no other paths for these
  check_types<test::bytes_element<3>, std::int32_t>(10007);
  check_types<test::bytes_element<12>, std::int32_t>(10007);
  check_types<test::bytes_element<16>, std::uint32_t>(10007);
  check_types<test::bytes_element<33>, std::int64_t>(10007);
#endif
}

TEST(BulkIterators, ComputedInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t n = 100000;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int32_t> numbers(0);
      const auto threes =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), test::times_three{});
      const auto indices = test::every_index<std::int64_t>(0, n, 3);
      const std::int64_t count = indices.size();
      {
        test::memory<policy_t, std::int32_t> out(n - count + 1, -7);
        const auto end = mgpu::bulk_remove(policy, numbers, numbers + n, threes, threes + count, out.begin());
        test::expect_output(out, test::expected_removal<std::int32_t>(n, indices), end - out.begin());
      }
      {
        // Values whose iterator type differs from the input's.
        test::memory<policy_t, std::int32_t> out(n + count + 1, -7);
        const auto values = test::to_memory<policy_t>(test::make_elements<std::int32_t>(count, test::first_value));
        const auto end =
          mgpu::bulk_insert(policy, numbers, numbers + n, values.begin(), threes, threes + count, out.begin());
        test::expect_output(out, test::expected_insertion<std::int32_t>(n, indices), end - out.begin());
      }
    });
}

TEST(BulkIterators, PermutationAndConstant)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int32_t n = 50000;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto backward = test::make_elements<std::int32_t>(n, 0);
      std::reverse(backward.begin(), backward.end());
      const auto numbers = test::to_memory<policy_t>(backward);
      const auto map = test::to_memory<policy_t>(backward);
      const auto input = thrust::make_permutation_iterator(numbers.begin(), map.begin());
      const auto indices = test::random_indices<std::int32_t>(n, 0.3, 5);
      const auto places = test::to_memory<policy_t>(indices);
      test::memory<policy_t, std::int32_t> kept(n - indices.size() + 1, -7);
      const auto kept_end = mgpu::bulk_remove(policy, input, input + n, places.begin(), places.end(), kept.begin());
      test::expect_output(kept, test::expected_removal<std::int32_t>(n, indices), kept_end - kept.begin());

      const thrust::constant_iterator<std::int32_t> nines(9);
      test::memory<policy_t, std::int32_t> all(n + indices.size() + 1, -7);
      const auto all_end =
        mgpu::bulk_insert(policy, input, input + n, nines, places.begin(), places.end(), all.begin());
      auto expected = test::expected_insertion<std::int32_t>(n, indices);
      std::replace_if(
        expected.begin(), expected.end(), [](std::int32_t x) { return x >= test::first_value; }, 9);
      test::expect_output(all, expected, all_end - all.begin());
    });
}

TEST(BulkIterators, ZipInAndOut)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int32_t n = 50000;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys = test::to_memory<policy_t>(test::make_elements<std::int32_t>(n, 0));
      const auto rows = test::to_memory<policy_t>(test::make_elements<std::int64_t>(n, 0));
      const auto indices = test::random_indices<std::int32_t>(n, 0.5, 6);
      const auto places = test::to_memory<policy_t>(indices);
      const auto input = thrust::make_zip_iterator(keys.begin(), rows.begin());
      {
        test::memory<policy_t, std::int32_t> keys_out(n - indices.size() + 1, -7);
        test::memory<policy_t, std::int64_t> rows_out(n - indices.size() + 1, -7);
        const auto out = thrust::make_zip_iterator(keys_out.begin(), rows_out.begin());
        const auto end = mgpu::bulk_remove(policy, input, input + n, places.begin(), places.end(), out);
        test::expect_output(keys_out, test::expected_removal<std::int32_t>(n, indices), end - out);
        test::expect_output(rows_out, test::expected_removal<std::int64_t>(n, indices), end - out);
      }
      {
        const auto new_keys =
          test::to_memory<policy_t>(test::make_elements<std::int32_t>(indices.size(), test::first_value));
        const auto new_rows =
          test::to_memory<policy_t>(test::make_elements<std::int64_t>(indices.size(), test::first_value));
        test::memory<policy_t, std::int32_t> keys_out(n + indices.size() + 1, -7);
        test::memory<policy_t, std::int64_t> rows_out(n + indices.size() + 1, -7);
        const auto out = thrust::make_zip_iterator(keys_out.begin(), rows_out.begin());
        const auto values = thrust::make_zip_iterator(new_keys.begin(), new_rows.begin());
        const auto end = mgpu::bulk_insert(policy, input, input + n, values, places.begin(), places.end(), out);
        test::expect_output(keys_out, test::expected_insertion<std::int32_t>(n, indices), end - out);
        test::expect_output(rows_out, test::expected_insertion<std::int64_t>(n, indices), end - out);
      }
    });
}

TEST(BulkIterators, DiscardAndTransformOutput)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int32_t n = 50000;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int32_t> numbers(0);
      const auto indices = test::random_indices<std::uint32_t>(n, 0.1, 7);
      const auto places = test::to_memory<policy_t>(indices);
      const auto nowhere = thrust::make_discard_iterator();
      const auto count = static_cast<std::ptrdiff_t>(indices.size());
      EXPECT_EQ(
        mgpu::bulk_remove(policy, numbers, numbers + n, places.begin(), places.end(), nowhere) - nowhere, n - count);
      EXPECT_EQ(
        mgpu::bulk_insert(policy, numbers, numbers + n, numbers, places.begin(), places.end(), nowhere) - nowhere,
        n + count);
      test::memory<policy_t, std::int32_t> out(n - count + 1, -7);
      const auto negated = thrust::make_transform_output_iterator(out.begin(), test::negate{});
      const auto end = mgpu::bulk_remove(policy, numbers, numbers + n, places.begin(), places.end(), negated);
      auto expected = test::expected_removal<std::int32_t>(n, indices);
      std::transform(expected.begin(), expected.end(), expected.begin(), test::negate{});
      test::expect_output(out, expected, end - negated);
    });
}

// Values whose type differs from the elements'; both can be assigned to the output.
TEST(BulkIterators, ValuesOfAnotherType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t n = 20000;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto indices = test::random_indices<std::int32_t>(n, 0.4, 8);
      const auto input = test::to_memory<policy_t>(test::make_elements<std::int32_t>(n, 0));
      const auto values = test::to_memory<policy_t>(test::make_elements<double>(indices.size(), test::first_value));
      const auto places = test::to_memory<policy_t>(indices);
      test::memory<policy_t, std::int64_t> out(n + indices.size() + 1, -7);
      const auto end = mgpu::bulk_insert(
        policy, input.begin(), input.end(), values.begin(), places.begin(), places.end(), out.begin());
      test::expect_output(out, test::expected_insertion<std::int64_t>(n, indices), end - out.begin());
    });
}

// Memory with no more than its type's alignment.
TEST(BulkIterators, PointersAlignedToTheTypeOnly)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t n = 20000;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (std::int64_t offset = 1; offset < 4; ++offset)
      {
        auto indices = test::random_indices<std::int16_t>(n, 0.4, 9);
        const auto input = test::to_memory<policy_t>(test::make_elements<std::int32_t>(n + offset, -offset));
        const std::int32_t* const first = thrust::raw_pointer_cast(input.data()) + offset;
        indices.insert(indices.begin(), offset, 0);
        const auto places = test::to_memory<policy_t>(indices);
        const std::int16_t* const places_first = thrust::raw_pointer_cast(places.data()) + offset;
        indices.erase(indices.begin(), indices.begin() + offset);
        test::memory<policy_t, std::int32_t> out(n + 8, -7);
        std::int32_t* const result = thrust::raw_pointer_cast(out.data()) + offset;
        const auto end =
          mgpu::bulk_remove(policy, first, first + n, places_first, places_first + indices.size(), result);
        const auto expected = test::expected_removal<std::int32_t>(n, indices);
        ASSERT_EQ(end - result, static_cast<std::ptrdiff_t>(expected.size()));
        const auto got = test::to_host(out);
        ASSERT_EQ(std::vector<std::int32_t>(got.begin() + offset, got.begin() + offset + expected.size()), expected);
        ASSERT_EQ(got[offset - 1], -7);
        ASSERT_EQ(got[offset + expected.size()], -7);
      }
    });
}

#if !defined(__CUDACC__)

TEST(BulkIterators, PlainOutputIterators)
{
  const std::string text = "remove and insert";
  const std::vector<std::uint8_t> indices{0, 1, 6, 10};
  std::string kept;
  mgpu::bulk_remove(thrust::seq, text.begin(), text.end(), indices.begin(), indices.end(), std::back_inserter(kept));
  EXPECT_EQ(kept, "moveandinsert");
  const std::string values = "<<->";
  std::list<char> all;
  mgpu::bulk_insert(text.begin(), text.end(), values.begin(), indices.begin(), indices.end(), std::back_inserter(all));
  EXPECT_EQ(std::string(all.begin(), all.end()), "<r<emove- and> insert");
  // Long stretches too.
  const auto input = test::make_elements<std::int32_t>(5000, 0);
  std::vector<std::int32_t> out;
  mgpu::bulk_remove(
    thrust::cpp::par, input.begin(), input.end(), indices.begin(), indices.end(), std::back_inserter(out));
  EXPECT_EQ(out, test::expected_removal<std::int32_t>(5000, indices));
}

// Elements that own memory.
TEST(BulkIterators, Strings)
{
  std::vector<std::string> words;
  for (int i = 0; i < 50000; ++i)
  {
    words.push_back("a word that is too long for its object " + std::to_string(i));
  }
  const auto indices = test::random_indices<std::int32_t>(50000, 0.2, 3);
  std::vector<std::string> expected;
  for (const std::int32_t i : test::expected_removal<std::int32_t>(50000, indices))
  {
    expected.push_back(words[i]);
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> out(expected.size());
      mgpu::bulk_remove(policy, words.begin(), words.end(), indices.begin(), indices.end(), out.begin());
      EXPECT_EQ(out, expected);
    });
}

// An iterator that holds a lambda can be copied, but not assigned.
TEST(BulkIterators, LambdasInIterators)
{
  const auto numbers = thrust::make_counting_iterator(0);
  const auto tens = thrust::make_transform_iterator(numbers, [](int x) { return 10 * x; });
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::int32_t> out(110000, -7);
      const auto plus_one = thrust::make_transform_output_iterator(out.begin(), [](int x) { return x + 1; });
      const auto removed_end = mgpu::bulk_remove(policy, numbers, numbers + 100000, tens, tens + 10000, plus_one);
      EXPECT_EQ(removed_end - plus_one, 90000);
      EXPECT_EQ(out[9], 12);
      EXPECT_EQ(out[89999], 100000);
      const auto inserted_end =
        mgpu::bulk_insert(policy, numbers, numbers + 100000, tens, tens, tens + 10000, plus_one);
      EXPECT_EQ(inserted_end - plus_one, 110000);
      EXPECT_EQ(out[11], 11);
      EXPECT_EQ(out[109999], 100000);
    });
}

#endif

} // namespace

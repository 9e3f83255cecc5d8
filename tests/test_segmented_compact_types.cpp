// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented compaction of items of every size, with offsets of other types, and of computed ones.

#include "support/compact_battery.h"
#include "support/functions.h"
#include "support/systems.h"

#include <mgpu_thrust/segmented_compact.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// The lowest byte of the number that an element encodes.
template <class Number>
MGPU_THRUST_HOST_DEVICE int low_byte(const Number& number)
{
  return static_cast<unsigned char>(number);
}
template <int Bytes>
MGPU_THRUST_HOST_DEVICE int low_byte(const test::bytes_element<Bytes>& element)
{
  return element.bytes[0];
}
MGPU_THRUST_HOST_DEVICE int low_byte(const test::only_copied& element)
{
  return static_cast<unsigned char>(element.value);
}

/// Whether a number is even, as an object that converts to bool.
struct explicit_bool
{
  bool value;

  MGPU_THRUST_HOST_DEVICE explicit operator bool() const
  {
    return value;
  }
};
struct is_even
{
  template <class Item>
  MGPU_THRUST_HOST_DEVICE explicit_bool operator()(const Item& item) const
  {
    return {low_byte(item) % 2 == 0};
  }
};
/// Whether two numbers are in the same four.
struct are_in_same_four
{
  template <class Item>
  MGPU_THRUST_HOST_DEVICE explicit_bool operator()(const Item& x, const Item& y) const
  {
    return {low_byte(x) / 4 == low_byte(y) / 4};
  }
};

template <class Item, class Offset, class ResultOffset>
void check_items(std::int64_t size)
{
  SCOPED_TRACE("items of " + std::to_string(sizeof(Item)) + " bytes");
  for (const test::lengths kind : {test::lengths::mean_4, test::lengths::power_law, test::lengths::one_segment})
  {
    const auto in = test::make_segmentation(kind, size, sizeof(Item));
    const auto items = test::make_elements<Item>(size, 0);
    const auto keep_even = [&](std::int64_t i, std::int64_t, bool) { return i % 2 == 0; };
    test::check_compaction<Offset, ResultOffset>(
      in, items, test::expected_compaction(in, items, keep_even),
      [&](const auto& policy, auto... arguments) { return mgpu::segmented_copy_if(policy, arguments..., is_even{}); });
    const auto keep_fours = [&](std::int64_t i, std::int64_t, bool is_first) { return is_first || i % 4 == 0; };
    test::check_compaction<Offset, ResultOffset>(
      in, items, test::expected_compaction(in, items, keep_fours),
      [&](const auto& policy, auto... arguments)
      { return mgpu::segmented_unique_copy(policy, arguments..., are_in_same_four{}); });
  }
}

TEST(SegmentedCompact, ItemsOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_items<std::uint8_t, std::int64_t, std::int32_t>(50001);
  check_items<test::only_copied, std::uint16_t, std::int16_t>(30001);
  check_items<test::bytes_element<400>, unsigned, std::uint64_t>(20001);
#if defined(__CUDACC__) || !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_items<test::bytes_element<3>, std::int32_t, std::int64_t>(50001);
  check_items<test::bytes_element<24>, std::uint64_t, std::int32_t>(50001);
#endif
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_items<std::int16_t, std::int32_t, std::int32_t>(30001);
  check_items<std::int64_t, std::int32_t, std::int32_t>(50001);
  check_items<test::bytes_element<16>, std::int32_t, std::int32_t>(50001);
  check_items<test::bytes_element<64>, std::int32_t, std::int32_t>(20001);
  check_items<test::bytes_element<128>, std::int32_t, std::int32_t>(20001);
#endif
}

// Computed items and offsets, and outputs that compute.
TEST(SegmentedCompact, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const std::int64_t segments = 20000;
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto threes = thrust::make_transform_iterator(numbers, test::times_three{});
      test::memory<policy_t, std::int64_t> out(3 * segments);
      test::memory<policy_t, std::int64_t> offsets(segments + 1);
      const auto negated = thrust::make_transform_output_iterator(out.begin(), test::negate{});
      const auto end = mgpu::segmented_copy_if(
        policy, numbers, numbers + 3 * segments, threes, threes + segments, negated,
        thrust::make_transform_output_iterator(offsets.begin(), test::negate{}), is_even{});
      ASSERT_EQ(end - negated, 3 * segments / 2);
      const std::vector<std::int64_t> kept = test::to_host(out);
      const std::vector<std::int64_t> starts = test::to_host(offsets);
      for (std::int64_t i = 0; i < 3 * segments / 2; ++i)
      {
        ASSERT_EQ(kept[i], -2 * i);
      }
      for (std::int64_t i = 0; i <= segments; ++i)
      {
        ASSERT_EQ(starts[i], -((3 * i + 1) / 2));
      }
    });
}

} // namespace

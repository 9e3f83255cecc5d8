// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of the segmented sorts: all functions under every policy against std::stable_sort of each segment.

#include <mgpu_thrust/segmented_sort.h>

#include "sort_battery.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

namespace test
{

/// The indices that sort the keys of each segment.
template <class Key, class Offset, class Compare>
std::vector<std::int64_t>
expected_segmented_order(const std::vector<Key>& keys, const std::vector<Offset>& offsets, Compare comp)
{
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t s = 0; s < offsets.size(); ++s)
  {
    const auto end =
      s + 1 < offsets.size() ? static_cast<std::int64_t>(offsets[s + 1]) : static_cast<std::int64_t>(keys.size());
    std::stable_sort(
      order.begin() + offsets[s], order.begin() + end,
      [&](std::int64_t i, std::int64_t j) mutable { return comp(keys[i], keys[j]); });
  }
  return order;
}

/// Form of segmented sorts in addition to those of sort_battery.h: keys alone, in segments given by flags. It has no
/// empty segments.
inline constexpr unsigned by_flags = 8;

/// Checks sorts of the keys of segments under all policies, in the forms `Forms`.
template <
  class Value = std::int32_t, unsigned Forms = keys_alone | with_values | as_indices | by_flags, class Key,
  class Offset, class Compare = ::cuda::std::less<>>
void check_segmented_sort(const std::vector<Key>& keys, const std::vector<Offset>& offsets, Compare comp = Compare{})
{
  const auto size = static_cast<std::int64_t>(keys.size());
  const auto order = expected_segmented_order(keys, offsets, comp);
  std::vector<char> flags(size, 0);
  for (const Offset offset : offsets)
  {
    if (static_cast<std::int64_t>(offset) < size)
    {
      flags[offset] = 1;
    }
  }
  if (size > 0)
  {
    flags[0] = static_cast<char>(size % 2); // element 0 begins a segment whatever its flag
  }
  for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto segments = to_memory<policy_t>(offsets);
      if constexpr ((Forms & keys_alone) != 0)
      {
        SCOPED_TRACE("segmented_stable_sort");
        auto sorted = to_guarded_memory<policy_t>(keys);
        mgpu::segmented_stable_sort(
          policy, sorted.begin(), sorted.begin() + size, segments.begin(), segments.end(), comp);
        expect_sorted(sorted, keys, order);
      }
      if constexpr ((Forms & with_values) != 0)
      {
        SCOPED_TRACE("segmented_sort_by_key");
        auto sorted = to_guarded_memory<policy_t>(keys);
        auto values = values_in_guarded_memory<policy_t, Value>(size);
        mgpu::segmented_sort_by_key(
          policy, sorted.begin(), sorted.begin() + size, values.begin(), segments.begin(), segments.end(), comp);
        expect_sorted(sorted, keys, order);
        expect_sorted_values<Value>(values, order);
      }
      if constexpr ((Forms & as_indices) != 0)
      {
        SCOPED_TRACE("segmented_stable_sort_indices");
        const auto input = to_guarded_memory<policy_t>(keys);
        memory<policy_t, Value> indices(size + 1, make_element<Value>(-7));
        const auto end = mgpu::segmented_stable_sort_indices(
          policy, input.begin(), input.begin() + size, segments.begin(), segments.end(), indices.begin(), comp);
        ASSERT_EQ(end - indices.begin(), size);
        expect_sorted_values<Value>(indices, order);
      }
      if constexpr ((Forms & by_flags) != 0)
      {
        SCOPED_TRACE("segmented_sort_by_flags");
        const auto heads = to_memory<policy_t>(flags);
        auto sorted = to_guarded_memory<policy_t>(keys);
        mgpu::segmented_sort_by_flags(policy, sorted.begin(), sorted.begin() + size, heads.begin(), comp);
        expect_sorted(sorted, keys, order);
      }
    });
}

/// Offsets of segments of `size` elements in total, with the sizes that next() returns.
template <class Next>
std::vector<std::int32_t> make_offsets(std::int64_t size, Next next)
{
  std::vector<std::int32_t> offsets{0};
  for (std::int64_t at = next(); at < size; at += next())
  {
    offsets.push_back(static_cast<std::int32_t>(at));
  }
  return offsets;
}

} // namespace test

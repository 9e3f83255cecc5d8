// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of segmented compaction: items that tell where they were, any share of which is kept, under every policy
/// against a plain loop.

#include <mgpu_thrust/segmented_compact.h>

#include "elements.h"
#include "segment_battery.h"
#include "systems.h"

#include <mgpu_thrust/detail/base/config.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace test
{

/// Keeps about `limit` of 64 items, by a number that each item determines.
struct keep_some
{
  std::uint32_t limit;

  template <class Item>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Item& item) const
  {
    return (static_cast<std::uint32_t>(item) * 2654435761u >> 26) < limit;
  }
};

/// Keeps items by their number and that of their segment.
struct keep_by_segment
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t item, std::int64_t segment) const
  {
    return (item + 7 * segment) % 3 == 0;
  }
};

/// Items are equal but for the lowest bits, which tell copies apart.
inline constexpr int copy_bits = 3;
struct are_copies
{
  template <class Item>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Item& x, const Item& y) const
  {
    return static_cast<std::uint32_t>(x) >> copy_bits == static_cast<std::uint32_t>(y) >> copy_bits;
  }
};

/// Numbers of items.
inline std::vector<std::int32_t> numbered_items(std::int64_t count)
{
  std::vector<std::int32_t> items(count);
  for (std::int64_t i = 0; i < count; ++i)
  {
    items[i] = static_cast<std::int32_t>(i);
  }
  return items;
}

/// Items that are copies of the one before, but for about `limit` of 64.
inline std::vector<std::int32_t> runs_of_copies(std::int64_t count, std::uint32_t limit)
{
  std::vector<std::int32_t> items(count);
  std::int32_t run = 0;
  for (std::int64_t i = 0; i < count; ++i)
  {
    run += keep_some{limit}(i);
    items[i] = run << copy_bits | static_cast<std::int32_t>(i % (1 << copy_bits));
  }
  return items;
}

/// What a compaction gives.
template <class Item>
struct compacted
{
  std::vector<Item> items;
  std::vector<std::int64_t> offsets;
};

/// The result of a plain loop, which asks keep(item, segment, is_first).
template <class Item, class Keep>
compacted<Item> expected_compaction(const segmentation& in, const std::vector<Item>& items, Keep keep)
{
  compacted<Item> all;
  for (std::int64_t segment = 0; segment < in.num_segments(); ++segment)
  {
    all.offsets.push_back(static_cast<std::int64_t>(all.items.size()));
    const std::int64_t begin = in.offsets[segment];
    for (std::int64_t i = begin; i < begin + in.size(segment); ++i)
    {
      if (keep(i, segment, i == begin))
      {
        all.items.push_back(items[i]);
      }
    }
  }
  all.offsets.push_back(static_cast<std::int64_t>(all.items.size()));
  return all;
}

/// Checks a call(policy, first, last, offsets, offsets_end, result, offsets_result) under all policies. The output has
/// room for the result alone.
template <class Offset, class ResultOffset, class Item, class Call>
void check_compaction(
  const segmentation& in, const std::vector<Item>& items, const compacted<Item>& expected, Call call)
{
  for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = to_memory<policy_t>(in.offsets_as<Offset>());
      const auto input = to_memory<policy_t>(items);
      memory<policy_t, Item> out(expected.items.size() + 1, make_element<Item>(-7));
      memory<policy_t, ResultOffset> offsets_out(expected.offsets.size() + 1, make_element<ResultOffset>(-7));
      const auto end =
        call(policy, input.begin(), input.end(), offsets.begin(), offsets.end(), out.begin(), offsets_out.begin());
      expect_output(out, expected.items, end - out.begin());
      expect_output(
        offsets_out, std::vector<ResultOffset>(expected.offsets.begin(), expected.offsets.end()),
        static_cast<std::int64_t>(expected.offsets.size()));
    });
}

/// Checks segmented_copy_if by a predicate of an item, or of an item and its segment.
template <class Offset = std::int32_t, class ResultOffset = std::int32_t, class Item, class Predicate>
void check_copy_if(const segmentation& in, const std::vector<Item>& items, Predicate pred)
{
  const auto keep = [&](std::int64_t i, [[maybe_unused]] std::int64_t segment, bool)
  {
    if constexpr (std::is_same_v<Predicate, keep_by_segment>)
    {
      return pred(items[i], segment);
    }
    else
    {
      return pred(items[i]);
    }
  };
  check_compaction<Offset, ResultOffset>(
    in, items, expected_compaction(in, items, keep),
    [&](const auto& policy, auto... arguments) { return mgpu::segmented_copy_if(policy, arguments..., pred); });
}

/// Checks segmented_unique_copy.
template <class Offset = std::int32_t, class ResultOffset = std::int32_t, class Item, class Equal>
void check_unique_copy(const segmentation& in, const std::vector<Item>& items, Equal equal)
{
  const auto keep = [&](std::int64_t i, std::int64_t, bool is_first)
  { return is_first || !equal(items[i - 1], items[i]); };
  check_compaction<Offset, ResultOffset>(
    in, items, expected_compaction(in, items, keep),
    [&](const auto& policy, auto... arguments) { return mgpu::segmented_unique_copy(policy, arguments..., equal); });
}

/// Checks both functions on segments, where about `limit` of 64 items are kept.
inline void check_compactions(const segmentation& in, std::uint32_t limit)
{
  SCOPED_TRACE(std::to_string(limit) + " of 64");
  check_copy_if(in, numbered_items(in.num_items), keep_some{limit});
  check_unique_copy(in, runs_of_copies(in.num_items, limit), are_copies{});
}

} // namespace test

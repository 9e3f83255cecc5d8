// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of as-of joins: each direction under every policy, with rows that are refused and without, against what
/// the definitions say.

#include <mgpu_thrust/asof_join.h>

#include "distributions.h"
#include "keys.h"
#include "search_battery.h"
#include "systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace test
{

/// A number that orders keys as `<` does.
template <class Key>
MGPU_THRUST_HOST_DEVICE auto value_of(const Key& key)
{
  return key;
}
MGPU_THRUST_HOST_DEVICE inline std::int32_t value_of(const only_less& key)
{
  return key.value;
}
template <int Words>
MGPU_THRUST_HOST_DEVICE std::int64_t value_of(const words_key<Words>& key)
{
  return std::int64_t{7} * key.words[Words - 1] + key.words[0];
}

/// The distance of two keys, whichever is before the other.
struct distance_of_keys
{
  template <class Left, class Right>
  MGPU_THRUST_HOST_DEVICE double operator()(const Left& left, const Right& right) const
  {
    const double distance = static_cast<double>(test::value_of(right)) - static_cast<double>(test::value_of(left));
    return distance < 0 ? -distance : distance;
  }
};

/// Accepts about two of three pairs of keys. The call is not constant, as that of a comparator may be.
struct accept_most
{
  template <class Left, class Right>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Left& left, const Right& right)
  {
    const auto sum =
      static_cast<std::int64_t>(test::value_of(left)) + static_cast<std::int64_t>(test::value_of(right)) / 2;
    return sum % 3 != 1;
  }
};

/// The right row that a direction names, or -1.
template <class Left, class Right, class Compare, bool IsUpper, bool IsBefore>
std::int64_t candidate(
  const Left& left, const std::vector<Right>& right, Compare comp, mgpu::detail::asof_direction<IsUpper, IsBefore>)
{
  const auto bound = IsUpper ? std::upper_bound(right.begin(), right.end(), left, comp)
                             : std::lower_bound(right.begin(), right.end(), left, comp);
  const std::int64_t row = bound - right.begin() - IsBefore;
  return row < static_cast<std::int64_t>(right.size()) ? row : -1;
}

/// The result for a left row.
template <class Left, class Right, class Direction, class Compare, class Accept>
std::int64_t
row_by_std(const Left& left, const std::vector<Right>& right, Direction direction, Compare comp, Accept& accept)
{
  const auto accepted = [&](std::int64_t row) { return row >= 0 && accept(left, right[row]) ? row : -1; };
  if constexpr (Direction::is_nearest)
  {
    const std::int64_t before = accepted(test::candidate(left, right, comp, mgpu::backward));
    const std::int64_t after = accepted(test::candidate(left, right, comp, mgpu::forward));
    if (before < 0 || after < 0)
    {
      return std::max(before, after);
    }
    return direction.distance(left, right[after]) < direction.distance(left, right[before]) ? after : before;
  }
  else
  {
    return accepted(test::candidate(left, right, comp, direction));
  }
}

template <class Index, class Left, class Right, class Direction, class Compare, class Accept>
std::vector<Index> rows_by_std(
  const std::vector<Left>& left, const std::vector<Right>& right, Direction direction, Compare comp, Accept accept)
{
  std::vector<Index> rows;
  for (const Left& row : left)
  {
    rows.push_back(static_cast<Index>(test::row_by_std(row, right, direction, comp, accept)));
  }
  return rows;
}

template <class... Directions>
struct directions
{
};
using nearest_key = mgpu::nearest_t<distance_of_keys>;
using all_directions =
  directions<mgpu::backward_t, mgpu::forward_t, mgpu::strictly_backward_t, mgpu::strictly_forward_t, nearest_key>;

/// Joins under all policies, and compares the result.
template <class Index, class Left, class Right, class Direction, class Compare, class Accept>
void check_join(
  const std::vector<Left>& left, const std::vector<Right>& right, Direction direction, Compare comp, Accept accept)
{
  auto expected = test::rows_by_std<Index>(left, right, direction, comp, accept);
  expected.push_back(Index{99}); // nothing is written past the end
  for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto l = test::to_memory<policy_t>(left);
      const auto r = test::to_memory<policy_t>(right);
      memory<policy_t, Index> out(expected.size(), Index{99});
      const auto end =
        mgpu::asof_join(policy, l.begin(), l.end(), r.begin(), r.end(), out.begin(), direction, comp, accept);
      ASSERT_TRUE(end == out.end() - 1);
      ASSERT_EQ(test::to_host(out), expected);
    });
}

/// Checks the given directions on keys of a distribution.
template <class Index, class Key, class... Directions, class Accept, class Compare = ::cuda::std::less<>>
void check_asof_joins(
  directions<Directions...>, distribution d, std::int64_t left, std::int64_t right, std::uint64_t seed, Accept accept,
  Compare comp = {})
{
  SCOPED_TRACE(
    std::string(name_of(d)) + " " + std::to_string(left) + " to " + std::to_string(right) + " seed "
    + std::to_string(seed));
  const auto ranks = make_ranks(d, left, right, largest_rank<Key>(), seed);
  auto l = to_keys<Key>(ranks.first);
  auto r = to_keys<Key>(ranks.second);
  std::stable_sort(l.begin(), l.end(), comp);
  std::stable_sort(r.begin(), r.end(), comp);
  (test::check_join<Index>(l, r, Directions{}, comp, accept), ...);
}

} // namespace test

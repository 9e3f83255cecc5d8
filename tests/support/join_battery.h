// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of the joins: each kind in each form (rows, size, plan) against loops over both inputs.

#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/join/tuning.h>
#include <mgpu_thrust/join.h>

#include "distributions.h"
#include "keys.h"
#include "systems.h"

#include <thrust/fill.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test
{

/// A number of elements that co-resident blocks never join in tiles of both inputs, whatever the device.
inline constexpr std::int64_t join_haystack_size =
  mgpu::detail::max_tiles_cut_by_blocks * mgpu::detail::coresident_join_shape<sizeof(std::int32_t)>::items + 1;

// A kind of join: its name, and mgpu's functions.
struct inner_join : mgpu::inner_join_t
{
  using kind = mgpu::inner_join_t;
  static constexpr const char* name = "inner_join";

  template <class... Arguments>
  auto run(Arguments... arguments) const
  {
    return mgpu::inner_join(arguments...);
  }
  template <class... Arguments>
  auto size(Arguments... arguments) const
  {
    return mgpu::inner_join_size(arguments...);
  }
};
struct left_join : mgpu::left_join_t
{
  using kind = mgpu::left_join_t;
  static constexpr const char* name = "left_join";

  template <class... Arguments>
  auto run(Arguments... arguments) const
  {
    return mgpu::left_join(arguments...);
  }
  template <class... Arguments>
  auto size(Arguments... arguments) const
  {
    return mgpu::left_join_size(arguments...);
  }
};
struct right_join : mgpu::right_join_t
{
  using kind = mgpu::right_join_t;
  static constexpr const char* name = "right_join";

  template <class... Arguments>
  auto run(Arguments... arguments) const
  {
    return mgpu::right_join(arguments...);
  }
  template <class... Arguments>
  auto size(Arguments... arguments) const
  {
    return mgpu::right_join_size(arguments...);
  }
};
struct full_join : mgpu::full_join_t
{
  using kind = mgpu::full_join_t;
  static constexpr const char* name = "full_join";

  template <class... Arguments>
  auto run(Arguments... arguments) const
  {
    return mgpu::full_join(arguments...);
  }
  template <class... Arguments>
  auto size(Arguments... arguments) const
  {
    return mgpu::full_join_size(arguments...);
  }
};

/// Calls f(kind) for each kind of join.
template <class Function>
void for_each_join(Function f)
{
  f(inner_join{});
  f(left_join{});
  f(right_join{});
  f(full_join{});
}

/// The rows of a join, as element indices.
template <class Index>
struct join_rows
{
  std::vector<Index> left;
  std::vector<Index> right;

  void add(std::int64_t i, std::int64_t j)
  {
    left.push_back(static_cast<Index>(i));
    right.push_back(static_cast<Index>(j));
  }
  std::int64_t size() const
  {
    return static_cast<std::int64_t>(left.size());
  }
};

/// Reference join: matching(i) returns the half-open range of right elements that left element i equals.
template <class Index, class Join, class Matching>
join_rows<Index> make_join_rows(Join, std::int64_t left_size, std::int64_t right_size, Matching matching)
{
  join_rows<Index> rows;
  std::vector<bool> has_match(right_size, false);
  for (std::int64_t i = 0; i < left_size; ++i)
  {
    const auto range = matching(i);
    for (std::int64_t j = range.first; j < range.second; ++j)
    {
      rows.add(i, j);
    }
    if (range.first < range.second)
    {
      std::fill(has_match.begin() + range.first, has_match.begin() + range.second, true);
    }
    else if (Join::keeps_left)
    {
      rows.add(i, -1);
    }
  }
  for (std::int64_t j = 0; j < right_size; ++j)
  {
    if (Join::keeps_right && !has_match[j])
    {
      rows.add(-1, j);
    }
  }
  return rows;
}

/// The rows of a join, computed by nested loops.
template <class Index, class Join, class Left, class Right, class Compare>
join_rows<Index> nested_loops(Join join, const std::vector<Left>& left, const std::vector<Right>& right, Compare comp)
{
  const auto matching = [&](std::int64_t i)
  {
    std::pair<std::int64_t, std::int64_t> range{0, 0};
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(right.size()); ++j)
    {
      if (!comp(left[i], right[j]) && !comp(right[j], left[i]))
      {
        range = {range.first == range.second ? j : range.first, j + 1};
      }
    }
    return range;
  };
  return make_join_rows<Index>(join, left.size(), right.size(), matching);
}

/// The rows of a join, computed by a search for each left element.
template <class Index, class Join, class Left, class Right, class Compare>
join_rows<Index> search_each(Join join, const std::vector<Left>& left, const std::vector<Right>& right, Compare comp)
{
  const auto matching = [&](std::int64_t i)
  {
    const auto first = std::lower_bound(right.begin(), right.end(), left[i], comp);
    const auto last = std::upper_bound(right.begin(), right.end(), left[i], comp);
    return std::pair<std::int64_t, std::int64_t>(first - right.begin(), last - right.begin());
  };
  return make_join_rows<Index>(join, left.size(), right.size(), matching);
}

/// Compares outputs with rows [first, first + size), checks the guard element after each output, and clears them.
template <class Index, class Memory>
void expect_rows(
  Memory& left_out, Memory& right_out, const join_rows<Index>& expected, std::int64_t first, std::int64_t size)
{
  constexpr auto guard = static_cast<Index>(-7);
  const auto check = [&](Memory& out, const std::vector<Index>& all, const char* side)
  {
    const auto& got = to_host(out);
    ASSERT_EQ(got[size], guard) << "wrote past the end of the " << side;
    if (!std::equal(got.begin(), got.begin() + size, all.begin() + first)) // several times as fast as std::mismatch
    {
      const auto wrong = std::mismatch(got.begin(), got.begin() + size, all.begin() + first);
      FAIL() << "row " << wrong.second - all.begin() << " of " << all.size() << ", " << side << ": " << +*wrong.first
             << " instead of " << +*wrong.second;
    }
    thrust::fill_n(out.begin(), size, guard);
  };
  check(left_out, expected.left, "left");
  check(right_out, expected.right, "right");
}

/// Forms that a check covers: the plan and the size, or also the join written in one pass.
enum class join_forms
{
  planned,
  all
};

/// Checks a join under a policy: its size, plan and rows.
template <
  join_forms Forms = join_forms::all, class Index, class Policy, class Join, class Left, class Right, class Compare>
void check_join(
  const Policy& policy, Join join, const std::vector<Left>& host_left, const std::vector<Right>& host_right,
  Compare comp, const join_rows<Index>& expected)
{
  SCOPED_TRACE(
    std::string(Join::name) + " of " + std::to_string(host_left.size()) + " and " + std::to_string(host_right.size()));
  const auto left = to_memory<Policy>(host_left);
  const auto right = to_memory<Policy>(host_right);
  const std::int64_t size = expected.size();
  memory<Policy, Index> left_out(size + 1, static_cast<Index>(-7));
  memory<Policy, Index> right_out(size + 1, static_cast<Index>(-7));
  const auto first = left.begin();
  const auto last = left.end();

  ASSERT_EQ(join.size(policy, first, last, right.begin(), right.end(), comp), size);
  if constexpr (Forms == join_forms::all)
  {
    const auto ends =
      join.run(policy, first, last, right.begin(), right.end(), left_out.begin(), right_out.begin(), comp);
    ASSERT_EQ(ends.first - left_out.begin(), size);
    ASSERT_EQ(ends.second - right_out.begin(), size);
    expect_rows(left_out, right_out, expected, 0, size);
  }
  const mgpu::join_plan plan(policy, typename Join::kind{}, first, last, right.begin(), right.end(), comp);
  ASSERT_EQ(plan.size(), size);
  const auto plan_ends = plan.fill(left_out.begin(), right_out.begin());
  ASSERT_EQ(plan_ends.first - left_out.begin(), size);
  ASSERT_EQ(plan_ends.second - right_out.begin(), size);
  expect_rows(left_out, right_out, expected, 0, size);
  const std::int64_t piece = size / 5 + 1;
  for (std::int64_t begin = 0; begin <= size; begin += piece)
  {
    const std::int64_t end = std::min(begin + piece, size);
    const auto piece_ends = plan.fill(begin, end, left_out.begin(), right_out.begin());
    ASSERT_EQ(piece_ends.first - left_out.begin(), end - begin);
    ASSERT_EQ(piece_ends.second - right_out.begin(), end - begin);
    expect_rows(left_out, right_out, expected, begin, end - begin);
  }
}

/// Checks a join of two inputs under all policies.
template <class Index, join_forms Forms = join_forms::all, class Join, class Left, class Right, class Compare>
void check_under_all_policies(Join join, const std::vector<Left>& left, const std::vector<Right>& right, Compare comp)
{
  const auto expected = search_each<Index>(join, left, right, comp);
  for_each_policy([&](const auto& policy) { check_join<Forms>(policy, join, left, right, comp, expected); });
}

/// Checks all joins of two inputs under all policies.
template <class Index, class Left, class Right, class Compare>
void check_joins(const std::vector<Left>& left, const std::vector<Right>& right, Compare comp)
{
  for_each_join([&](auto join) { check_under_all_policies<Index>(join, left, right, comp); });
}

/// Number of elements of a tile, or of a CPU worker's piece.
template <class Key>
constexpr std::int64_t join_tile_items()
{
#if defined(__CUDACC__)
  return decltype(mgpu::detail::choose_join_shape<sizeof(Key)>())::items;
#else
  return mgpu::detail::cpu_piece_elements;
#endif
}

/// Calls f(left, right) with the keys of a distribution.
template <class Key, class Compare, class Function>
void with_keys(
  distribution d, std::int64_t left_size, std::int64_t right_size, std::uint64_t seed, Compare comp, Function f)
{
  SCOPED_TRACE(std::string(test::name_of(d)) + " seed " + std::to_string(seed));
  const auto ranks = test::make_ranks(d, left_size, right_size, test::largest_rank<Key>(), seed);
  auto left = test::to_keys<Key>(ranks.first);
  auto right = test::to_keys<Key>(ranks.second);
  std::stable_sort(left.begin(), left.end(), comp);
  std::stable_sort(right.begin(), right.end(), comp);
  f(left, right);
}

} // namespace test

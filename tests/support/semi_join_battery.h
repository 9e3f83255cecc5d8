// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of the semi and anti joins: the rows and the size of each, against std::binary_search.

#include <mgpu_thrust/semi_join.h>

#include "distributions.h"
#include "few_and_more.h"
#include "keys.h"
#include "systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace test
{

/// Number of items of a tile, or of rows of a CPU worker's piece.
template <class Key>
constexpr std::int64_t semi_join_tile_items()
{
#if defined(__CUDACC__)
  return decltype(mgpu::detail::choose_semi_join_shape<sizeof(Key)>())::items;
#else
  return mgpu::detail::cpu_piece_rows;
#endif
}

/// The rows that each join must keep.
template <class Index>
struct expected_rows
{
  std::vector<Index> semi;
  std::vector<Index> anti;
};

enum class semi_join
{
  semi,
  anti,
  semi_size,
  anti_size
};

/// A list of functions as a type, so that a test compiles no others.
template <semi_join... Functions>
struct semi_joins
{
};
using all_semi_joins = semi_joins<semi_join::semi, semi_join::anti, semi_join::semi_size, semi_join::anti_size>;

/// Checks one function under one policy.
template <semi_join Function, class Index, class Policy, class Keys, class Compare>
void check_semi_join(
  const Policy& policy, const Keys& left, const Keys& right, const expected_rows<Index>& expected, Compare comp)
{
  constexpr bool is_semi = Function == semi_join::semi || Function == semi_join::semi_size;
  const std::vector<Index>& rows = is_semi ? expected.semi : expected.anti;
  const auto size = static_cast<std::int64_t>(rows.size());
  if constexpr (Function == semi_join::semi_size)
  {
    ASSERT_EQ(mgpu::semi_join_size(policy, left.begin(), left.end(), right.begin(), right.end(), comp), size);
  }
  else if constexpr (Function == semi_join::anti_size)
  {
    ASSERT_EQ(mgpu::anti_join_size(policy, left.begin(), left.end(), right.begin(), right.end(), comp), size);
  }
  else
  {
    memory<Policy, Index> out(left.size() + 1, 99);
    const auto end = [&]
    {
      if constexpr (is_semi)
      {
        return mgpu::semi_join(policy, left.begin(), left.end(), right.begin(), right.end(), out.begin(), comp);
      }
      else
      {
        return mgpu::anti_join(policy, left.begin(), left.end(), right.begin(), right.end(), out.begin(), comp);
      }
    }();
    ASSERT_EQ(end - out.begin(), size);
    auto got = test::to_host(out);
    ASSERT_TRUE(std::all_of(got.begin() + size, got.end(), [](Index i) { return i == Index{99}; }))
      << "wrote past the end";
    got.resize(size);
    ASSERT_EQ(got, rows);
  }
}

/// Checks the given functions under all policies.
template <class Index, semi_join... Functions, class Key, class Compare>
void check_semi_joins(
  semi_joins<Functions...>, const std::vector<Key>& left, const std::vector<Key>& right,
  const expected_rows<Index>& expected, Compare comp)
{
  for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto l = test::to_memory<policy_t>(left);
      const auto r = test::to_memory<policy_t>(right);
      (test::check_semi_join<Functions>(policy, l, r, expected, comp), ...);
    });
}

/// Checks the given functions on keys, sorted by `comp`, under all policies.
template <class Index, semi_join... Functions, class Key, class Compare>
void check_semi_joins(
  semi_joins<Functions...> functions, const std::vector<Key>& left, const std::vector<Key>& right, Compare comp)
{
  expected_rows<Index> expected;
  for (std::size_t row = 0; row < left.size(); ++row)
  {
    const bool has_match = std::binary_search(right.begin(), right.end(), left[row], comp);
    (has_match ? expected.semi : expected.anti).push_back(static_cast<Index>(row));
  }
  check_semi_joins(functions, left, right, expected, comp);
}

/// Checks the given functions on keys of a distribution under all policies.
template <class Index, class Key, semi_join... Functions, class Compare = ::cuda::std::less<>>
void check_semi_joins(
  semi_joins<Functions...> functions, distribution d, std::int64_t left, std::int64_t right, std::uint64_t seed,
  Compare comp = {})
{
  SCOPED_TRACE(
    std::string(name_of(d)) + " " + std::to_string(left) + " and " + std::to_string(right) + " seed "
    + std::to_string(seed));
  const auto ranks = make_ranks(d, left, right, largest_rank<Key>(), seed);
  auto l = to_keys<Key>(ranks.first);
  auto r = to_keys<Key>(ranks.second);
  std::stable_sort(l.begin(), l.end(), comp);
  std::stable_sort(r.begin(), r.end(), comp);
  check_semi_joins<Index>(functions, l, r, comp);
}

} // namespace test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of the sorted searches: each search under every policy against std::equal_range.

#include <mgpu_thrust/sorted_search.h>

#include "distributions.h"
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

/// Number of items of a tile, or of needles of a CPU worker's piece.
template <class Key>
constexpr std::int64_t search_tile_items()
{
#if defined(__CUDACC__)
  return decltype(mgpu::detail::choose_sorted_search_shape<sizeof(Key)>())::items;
#else
  return mgpu::detail::cpu_piece_needles;
#endif
}

struct twice_or_one
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t lower, std::int64_t upper) const
  {
    return upper > lower ? 2 * (upper - lower) : 1;
  }
};

/// The results of std:: for all needles.
template <class Index>
struct found_by_std
{
  std::vector<Index> lower;
  std::vector<Index> upper;
  std::vector<Index> count;
  std::vector<std::int64_t> value; ///< results of twice_or_one
  std::vector<bool> contains;

  template <class Key, class Compare>
  found_by_std(const std::vector<Key>& haystack, const std::vector<Key>& needles, Compare comp)
  {
    for (const Key& needle : needles)
    {
      const auto range = std::equal_range(haystack.begin(), haystack.end(), needle, comp);
      lower.push_back(static_cast<Index>(range.first - haystack.begin()));
      upper.push_back(static_cast<Index>(range.second - haystack.begin()));
      count.push_back(static_cast<Index>(range.second - range.first));
      value.push_back(twice_or_one{}(lower.back(), upper.back()));
      contains.push_back(range.first != range.second);
    }
  }
};

/// Inputs and outputs of searches, in memory that a policy can access.
template <class Policy, class Index, class Key>
struct search_case
{
  using indices = memory<Policy, Index>;

  const Policy& policy;
  const found_by_std<Index>& expected;
  memory<Policy, Key> h;
  memory<Policy, Key> n;
  indices x;
  indices y;

  search_case(
    const Policy& p, const std::vector<Key>& haystack, const std::vector<Key>& needles,
    const found_by_std<Index>& by_std)
      : policy(p)
      , expected(by_std)
      , h(test::to_memory<Policy>(haystack))
      , n(test::to_memory<Policy>(needles))
      , x(needles.size() + 1, 99)
      , y(needles.size() + 1, 99)
  {
  }
  /// Compares an output, checks the guard element after it, and clears it.
  void expect(indices& got, const std::vector<Index>& by_std) const
  {
    auto host = test::to_host(got);
    ASSERT_EQ(host.back(), Index{99}) << "wrote past the end";
    host.pop_back();
    ASSERT_EQ(host, by_std);
    got.assign(got.size(), 99);
  }
};

// Each search is called and compared. The first two find positions, the others use both positions of a needle.
struct lower_bound
{
  template <class Case, class Compare>
  static void check(Case& in, Compare comp)
  {
    const auto end =
      mgpu::sorted_lower_bound(in.policy, in.h.begin(), in.h.end(), in.n.begin(), in.n.end(), in.x.begin(), comp);
    ASSERT_TRUE(end == in.x.end() - 1);
    in.expect(in.x, in.expected.lower);
  }
};
struct upper_bound
{
  template <class Case, class Compare>
  static void check(Case& in, Compare comp)
  {
    const auto end =
      mgpu::sorted_upper_bound(in.policy, in.h.begin(), in.h.end(), in.n.begin(), in.n.end(), in.x.begin(), comp);
    ASSERT_TRUE(end == in.x.end() - 1);
    in.expect(in.x, in.expected.upper);
  }
};
struct equal_range
{
  template <class Case, class Compare>
  static void check(Case& in, Compare comp)
  {
    const auto ends = mgpu::sorted_equal_range(
      in.policy, in.h.begin(), in.h.end(), in.n.begin(), in.n.end(), in.x.begin(), in.y.begin(), comp);
    ASSERT_TRUE(ends.first == in.x.end() - 1 && ends.second == in.y.end() - 1);
    in.expect(in.x, in.expected.lower);
    in.expect(in.y, in.expected.upper);
  }
};
struct count
{
  template <class Case, class Compare>
  static void check(Case& in, Compare comp)
  {
    const auto end =
      mgpu::sorted_count(in.policy, in.h.begin(), in.h.end(), in.n.begin(), in.n.end(), in.x.begin(), comp);
    ASSERT_TRUE(end == in.x.end() - 1);
    in.expect(in.x, in.expected.count);
  }
};
struct count_with_operator
{
  template <class Case, class Compare>
  static void check(Case& in, Compare comp)
  {
    memory<std::decay_t<decltype(in.policy)>, std::int64_t> values(in.n.size());
    mgpu::sorted_count(
      in.policy, in.h.begin(), in.h.end(), in.n.begin(), in.n.end(), values.begin(), comp, twice_or_one{});
    ASSERT_EQ(test::to_host(values), in.expected.value);
  }
};
struct contains
{
  template <class Case, class Compare>
  static void check(Case& in, Compare comp)
  {
    flags<std::decay_t<decltype(in.policy)>> found(in.n.size());
    ASSERT_TRUE(
      mgpu::sorted_contains(in.policy, in.h.begin(), in.h.end(), in.n.begin(), in.n.end(), found.data(), comp)
      == found.data() + in.n.size());
    ASSERT_EQ(found.to_host(), in.expected.contains);
  }
};

template <class... Searches>
struct searches
{
};
using all_searches = searches<lower_bound, upper_bound, equal_range, count, count_with_operator, contains>;

/// Checks the given searches on keys of a distribution under all policies.
template <class Index, class Key, class... Searches, class Compare = ::cuda::std::less<>>
void check_searches(
  searches<Searches...>, distribution d, std::int64_t haystack, std::int64_t needles, std::uint64_t seed,
  Compare comp = {})
{
  SCOPED_TRACE(
    std::string(name_of(d)) + " " + std::to_string(needles) + " in " + std::to_string(haystack) + " seed "
    + std::to_string(seed));
  const auto ranks = make_ranks(d, haystack, needles, largest_rank<Key>(), seed);
  auto h = to_keys<Key>(ranks.first);
  auto n = to_keys<Key>(ranks.second);
  std::stable_sort(h.begin(), h.end(), comp);
  std::stable_sort(n.begin(), n.end(), comp);
  const found_by_std<Index> expected(h, n, comp);
  for_each_policy(
    [&](const auto& policy)
    {
      search_case<std::decay_t<decltype(policy)>, Index, Key> in(policy, h, n, expected);
      (Searches::check(in, comp), ...);
    });
}

} // namespace test

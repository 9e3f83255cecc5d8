// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Searches for the needles of pairs of lists: the work of a pair, and the loop that searches for some of its needles.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/pairs/count/serial.h>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A search for bounds as a merge that keeps the needles. Equal needles go before the elements of a haystack for a
/// lower bound, and after them for an upper bound. So they are A in the first case, and B in the second.
template <search_bound Bound>
struct list_search : set_operation<Bound == search_bound::lower, false, Bound == search_bound::upper, false>
{
  static constexpr search_bound bound = Bound;
  static constexpr bool needles_are_a = Bound == search_bound::lower;
};

template <search_bound Bound>
struct list_needles<list_search<Bound>>
{
  static constexpr bool may_be_a = list_search<Bound>::needles_are_a;
  static constexpr bool may_be_b = !may_be_a;
};

/// The work of a pair on a CPU: each needle is searched for from where the one before it is.
template <class Search>
struct search_work
{
  list_pair lists;
  std::int64_t needle_weight;

  MGPU_THRUST_HOST_DEVICE explicit search_work(const list_pair& of)
      : lists(of)
      , needle_weight(2)
  {
    const std::int64_t haystack = Search::needles_are_a ? of.b_count : of.a_count;
    for (std::int64_t rest = needles() > 0 ? haystack / needles() : 0; rest > 0; rest /= 2)
    {
      ++needle_weight;
    }
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t needles() const
  {
    return Search::needles_are_a ? lists.a_count : lists.b_count;
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t weight() const
  {
    return pair_weight + needles() * needle_weight;
  }
  /// Returns the number of needles in the first `weight` of the work.
  MGPU_THRUST_HOST_DEVICE std::int64_t steps(std::int64_t weight) const
  {
    return weight < pair_weight ? 0 : (weight - pair_weight) / needle_weight;
  }
};

/// Stores the bounds of the needles [begin, end) of a pair to result, that of the first needle of the pair.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Search, class Index, class Inputs, class Compare, class Result>
MGPU_THRUST_HOST_DEVICE void
search_list(Search, const Inputs& in, std::int64_t begin, std::int64_t end, Compare& comp, Result result)
{
  const lies_before<Search::bound, Compare> before{comp};
  std::int64_t bound = 0;
  for (std::int64_t needle = begin; needle < end; ++needle)
  {
    if constexpr (Search::needles_are_a)
    {
      bound = detail::bound_after(in.b, bound, in.b_count, detail::element(in.a, needle), before);
    }
    else
    {
      bound = detail::bound_after(in.a, bound, in.a_count, detail::element(in.b, needle), before);
    }
    *(result + needle) = static_cast<Index>(bound);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

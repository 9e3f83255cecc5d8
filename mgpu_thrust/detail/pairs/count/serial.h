// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The actions on matches of pairs of lists, and the loops that find the matches of one pair, or of a part of it.
/// Nothing here knows about scheduling.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/pairs/pairs.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// The k-th copy of an element in A and the k-th copy in B are a match. An action has
//   visits             whether it is called with each match, visit(pair, i, j), in any order and from any thread: i and
//                      j are positions in A and in B
// or, if not, a result for each pair that depends on the number of its matches,
//   stops_early        whether one match decides
//   store(pair, count) stores the result of a pair
//   append(count)      stores that of the next pair, and advances the output

/// Stores the number of matches of each pair.
template <class Output>
struct pair_counts
{
  static constexpr bool visits = false;
  static constexpr bool stops_early = false;
  using number = written_index_t<Output>;

  Output output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void store(std::int64_t pair, std::int64_t count)
  {
    *(output + pair) = static_cast<number>(count);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void append(std::int64_t count)
  {
    *output = static_cast<number>(count);
    ++output;
  }
};

/// Stores whether each pair has a match.
template <class Output>
struct pair_flags
{
  static constexpr bool visits = false;
  static constexpr bool stops_early = true;

  Output output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void store(std::int64_t pair, std::int64_t count)
  {
    *(output + pair) = count != 0;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void append(std::int64_t count)
  {
    *output = count != 0;
    ++output;
  }
};

/// Calls a function with each match.
template <class Function>
struct match_visits
{
  static constexpr bool visits = true;
  static constexpr bool stops_early = false;

  Function f;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void visit(std::int64_t pair, std::int64_t i, std::int64_t j)
  {
    f(pair, i, j);
  }
};

/// Weight of a pair, whose bounds are read, in steps of a merge.
inline constexpr std::int64_t pair_weight = 8;

/// How the matches of a pair are found, and its work, in steps of a merge: a merge of both lists, or a bisection of
/// the haystack for each needle.
struct pair_work
{
  list_pair lists;
  bool is_merge;
  std::int64_t needle_weight; ///< steps of a needle's bisection

  /// The last arguments tell which lists' elements may be the needles, if they are the shorter ones, by what ratio.
  MGPU_THRUST_HOST_DEVICE explicit pair_work(
    const list_pair& of, bool may_be_a = true, bool may_be_b = true, std::int64_t ratio = cpu_short_side_ratio)
      : lists(of)
      , is_merge(
          detail::choose_short_side(may_be_a, may_be_b, of.a_count, of.b_count, ratio, ratio) == short_side::none)
      , needle_weight(2)
  {
    if (!is_merge)
    {
      for (std::int64_t rest = of.needles_are_a() ? of.b_count : of.a_count; rest > 0; rest /= 2)
      {
        ++needle_weight;
      }
    }
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t weight() const
  {
    return pair_weight + (is_merge ? lists.a_count + lists.b_count : lists.needles() * needle_weight);
  }
  /// Returns the number of steps of the merge, or of needles, in the first `weight` of the work.
  MGPU_THRUST_HOST_DEVICE std::int64_t steps(std::int64_t weight) const
  {
    const std::int64_t of_steps = weight < pair_weight ? 0 : weight - pair_weight;
    return is_merge ? of_steps : of_steps / needle_weight;
  }
};

/// Calls on_match(i, j) for the matches of two ranges of sorted lists, of which A has [i, a_end) and B [j, b_end),
/// until it returns false. No copy of an element in one range has its match outside of the other.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class A, class B, class Compare, class OnMatch>
MGPU_THRUST_HOST_DEVICE void merge_matches(
  A a, std::int64_t i, std::int64_t a_end, B b, std::int64_t j, std::int64_t b_end, Compare& comp, OnMatch& on_match)
{
  while (i < a_end && j < b_end)
  {
    auto&& x = detail::element(a, i);
    auto&& y = detail::element(b, j);
    const bool is_before = comp(x, y);
    const bool is_after = comp(y, x);
    if (!is_before && !is_after && !on_match(i, j))
    {
      return;
    }
    i += is_before || !is_after; // an invalid order, such as <=, may set both, and each step must take an element
    j += !is_before;
  }
}

/// Calls on_match(needle, position) for the matches of needles [begin, end) of a list in a haystack, until it returns
/// false.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Needles, class Haystack, class Compare, class OnMatch>
MGPU_THRUST_HOST_DEVICE void bisect_matches(
  Needles needles, std::int64_t begin, std::int64_t end, Haystack haystack, std::int64_t count, Compare& comp,
  OnMatch& on_match)
{
  std::int64_t low = 0;
  std::int64_t copies = 0; // of the needle, in front of it
  for (std::int64_t needle = begin; needle < end; ++needle)
  {
    auto&& key = detail::element(needles, needle);
    const bool is_copy = needle > 0 && !comp(detail::element(needles, needle - 1), key);
    if (is_copy && needle == begin)
    {
      copies = needle - detail::lower_bound(needles, std::int64_t{0}, needle, key, comp);
    }
    else
    {
      copies = is_copy ? copies + 1 : 0;
    }
    low = detail::lower_bound(haystack, low, count, key, comp);
    if (low == count)
    {
      return;
    }
    const std::int64_t position = low + copies;
    if (position < count && !comp(key, detail::element(haystack, position)) && !on_match(needle, position))
    {
      return;
    }
  }
}

/// Calls on_match(i, j) for the matches in a part of a pair's work, until it returns false: from its first `begin` to
/// its first `end`, as weights. i and j are positions in A and in B.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Pairs, class Compare, class OnMatch>
MGPU_THRUST_HOST_DEVICE void find_matches(
  const Pairs& pairs, const pair_work& work, std::int64_t begin, std::int64_t end, Compare& comp, OnMatch on_match)
{
  const list_pair& lists = work.lists;
  if (lists.a_count == 0 || lists.b_count == 0)
  {
    return; // the bounds of an empty list may be anything
  }
  const auto a = pairs.a.elements + lists.a_begin;
  const auto b = pairs.b.elements + lists.b_begin;
  const std::int64_t first = work.steps(begin);
  const std::int64_t last = work.steps(end);
  if (work.is_merge)
  {
    const bool is_rest = last == lists.a_count + lists.b_count;
    std::int64_t i = 0;
    std::int64_t j = 0;
    std::int64_t i_end = lists.a_count;
    std::int64_t j_end = lists.b_count;
    if (first > 0)
    {
      const auto cut = mgpu::balanced_path(a, lists.a_count, b, lists.b_count, first, comp);
      i = cut.a_index;
      j = cut.b_index;
    }
    if (!is_rest)
    {
      const auto cut = mgpu::balanced_path(a, lists.a_count, b, lists.b_count, last, comp);
      i_end = cut.a_index;
      j_end = cut.b_index;
    }
    auto with_positions = [&](std::int64_t of_a, std::int64_t of_b)
    { return on_match(lists.a_begin + of_a, lists.b_begin + of_b); };
    detail::merge_matches(a, i, i_end, b, j, j_end, comp, with_positions);
  }
  else if (lists.needles_are_a())
  {
    auto with_positions = [&](std::int64_t of_a, std::int64_t of_b)
    { return on_match(lists.a_begin + of_a, lists.b_begin + of_b); };
    detail::bisect_matches(a, first, last, b, lists.b_count, comp, with_positions);
  }
  else
  {
    auto with_positions = [&](std::int64_t of_b, std::int64_t of_a)
    { return on_match(lists.a_begin + of_a, lists.b_begin + of_b); };
    detail::bisect_matches(b, first, last, a, lists.a_count, comp, with_positions);
  }
}

/// Visits the matches in a part of a pair's work, or returns their number, 1 at most for an action that stops early.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Action, class Pairs, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t process_matches(
  Action& action, const Pairs& pairs, std::int64_t pair, const pair_work& work, std::int64_t begin, std::int64_t end,
  Compare& comp)
{
  std::int64_t count = 0;
  detail::find_matches(
    pairs, work, begin, end, comp,
    [&](std::int64_t i, std::int64_t j)
    {
      if constexpr (Action::visits)
      {
        action.visit(pair, i, j);
      }
      static_cast<void>(i);
      static_cast<void>(j);
      ++count;
      return !Action::stops_early;
    });
  return count;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

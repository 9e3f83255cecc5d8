// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How a warp finds the matches of up to 32 neighbouring pairs of lists.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/segmented_sets/choice.h>
#include <mgpu_thrust/detail/segmented_sets/needle_search.cuh>
#include <mgpu_thrust/detail/segmented_sets/pairs.h>
#include <mgpu_thrust/detail/segmented_sets/tuning.h>

#include <cub/warp/warp_scan.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The pair of a lane, and its units of work.
struct lane_pair
{
  list_pair lists{0, 0, 0, 0};
  bool is_merged = false;
  std::int64_t units = 0;
};

/// What the lanes of a warp share of their pairs. The units of all are numbered, one pair after the other.
struct warp_pairs
{
  list_pair lists[32];
  std::int64_t first_units[32];
  int counts[32]; ///< the matches
};

/// Numbers the units of a warp's pairs, of which the calling lane has some. Returns its first, and how many there are.
MGPU_THRUST_DEVICE std::int64_t number_units(std::int64_t own, std::int64_t& first)
{
  using scan = cub::WarpScan<std::int64_t>;
  typename scan::TempStorage nothing_shared;
  std::int64_t total;
  scan(nothing_shared).ExclusiveSum(own, first, total);
  return total;
}

/// Elements of both lists of a pair that are before a point of their balanced path.
struct path_position
{
  std::int64_t a;
  std::int64_t b;
};

/// Calls on_match(i, j) for the matches in a chunk of the merge of two lists, until it returns false: from the point (i, j)
/// of the balanced path to the first one on the diagonal `end`, or after it. Returns that in i and j.
template <class A, class B, class Compare, class OnMatch>
MGPU_THRUST_DEVICE void
merge_chunk(A a, int& i, int a_count, B b, int& j, int b_count, int end, Compare& comp, OnMatch on_match)
{
  if constexpr (!std::is_reference_v<element_t<A>> && !std::is_reference_v<element_t<B>>)
  {
    if (i >= a_count || j >= b_count || i + j >= end)
    {
      return;
    }
    element_t<A> x = detail::element(a, i);
    element_t<B> y = detail::element(b, j);
    while (true)
    {
      const int from_a = comp(y, x) ? 0 : 1;
      const int from_b = comp(x, y) ? 0 : 1;
      if ((from_a & from_b) != 0 && !on_match(i, j))
      {
        return;
      }
      i += from_a;
      j += from_b;
      if (i >= a_count || j >= b_count || i + j >= end)
      {
        return;
      }
      if (from_a)
      {
        detail::reassign(x, detail::element(a, i));
      }
      if (from_b)
      {
        detail::reassign(y, detail::element(b, j));
      }
    }
  }
  else
  {
    while (i < a_count && j < b_count && i + j < end)
    {
      auto&& x = detail::element(a, i);
      auto&& y = detail::element(b, j);
      const bool is_before = comp(x, y);
      const bool is_after = comp(y, x);
      if (!is_before && !is_after && !on_match(i, j))
      {
        return;
      }
      i += !is_after;
      j += !is_before;
    }
  }
}

/// Processes the units [begin, end) of a window, of which `first_pair` is lane 0's pair: calls the action's visit() with
/// each match, or adds the matches of each pair to shared.counts. begin is a multiple of 32. If `is_own`, no pair has more
/// than one unit, and each lane takes that of its pair.
template <bool IsPart, class Action, class Pairs, class Compare>
MGPU_THRUST_DEVICE void process_units(
  Action& action, const Pairs& pairs, std::int64_t first_pair, const lane_pair& own, bool is_own, std::int64_t begin,
  std::int64_t end, Compare& comp, warp_pairs& shared)
{
  constexpr int chunk = segmented_sets_shape::chunk;
  constexpr std::int64_t max_reach = 40 * chunk; // more than the steps of a warp, and a chunk
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned merged_lanes = __ballot_sync(~0u, own.is_merged);
  int* const counts = shared.counts;
  shared.lists[lane] = own.lists;
  __syncwarp();
  path_position reached{0, 0}; // in the pair of the last unit before the word
  for (std::int64_t word = begin; word < end; word += 32)
  {
    // 1. Find the unit's pair: that of the last lane whose units begin there or before.
    int owner = lane;
    std::int64_t unit = 0;
    bool is_unit = own.units > 0;
    if (!is_own)
    {
      owner = 0;
#pragma unroll
      for (int step = 16; step > 0; step /= 2)
      {
        owner += shared.first_units[owner + step] <= word + lane ? step : 0;
      }
      unit = word + lane - shared.first_units[owner];
      is_unit = word + lane < end;
    }
    const list_pair lists = shared.lists[owner];
    const bool is_merged = (merged_lanes >> owner) % 2 != 0;
    const bool continues = unit > lane; // the pair has units before the word

    // 2. Find where a chunk in the middle of a merge begins.
    if constexpr (IsPart)
    {
      if (word == begin && __shfl_sync(~0u, is_merged && continues, 0))
      {
        const std::int64_t a_count = __shfl_sync(~0u, lists.a_count, 0);
        const std::int64_t b_count = __shfl_sync(~0u, lists.b_count, 0);
        const std::int64_t diagonal = __shfl_sync(~0u, unit, 0) * chunk;
        const auto a = pairs.a.elements + __shfl_sync(~0u, lists.a_begin, 0);
        const auto b = pairs.b.elements + __shfl_sync(~0u, lists.b_begin, 0);
        const std::int64_t i = detail::warp_merge_path(a, a_count, b, b_count, diagonal, comp);
        const auto point = detail::balance(a, i, b, b_count, diagonal - i, comp);
        reached = {point.a_index, point.b_index};
      }
    }
    const path_position from = continues ? reached : path_position{0, 0};
    [[maybe_unused]] const int num_continuing = __popc(__ballot_sync(~0u, is_unit && continues));

    // 3. Find the unit's matches.
    path_position to{0, 0};
    bool is_wanted = is_unit;
    if constexpr (Action::stops_early)
    {
      __syncwarp();
      is_wanted = is_unit && counts[owner] == 0;
      __syncwarp();
    }
    int matches = 0;
    if (is_wanted)
    {
      const auto on_match = [&](std::int64_t i, std::int64_t j)
      {
        if constexpr (Action::visits)
        {
          action.visit(first_pair + owner, i, j);
        }
        ++matches;
        return !Action::stops_early;
      };
      if (is_merged)
      {
        const auto a_begin = lists.a_begin + from.a;
        const auto b_begin = lists.b_begin + from.b;
        const auto a = pairs.a.elements + a_begin;
        const auto b = pairs.b.elements + b_begin;
        const auto a_count = static_cast<int>((min) (lists.a_count - from.a, max_reach));
        const auto b_count = static_cast<int>((min) (lists.b_count - from.b, max_reach));
        const auto first_step = static_cast<int>(unit * chunk - from.a - from.b); // -1 after a star
        const auto point = mgpu::balanced_path(a, a_count, b, b_count, (max) (first_step, 0), comp);
        int i = point.a_index;
        int j = point.b_index;
        detail::merge_chunk(
          a, i, a_count, b, j, b_count, first_step + chunk, comp,
          [&](int of_a, int of_b) { return on_match(a_begin + of_a, b_begin + of_b); });
        // If a list has ended, the rest of the path is straight.
        const int rest = (max) (first_step + chunk - i - j, 0);
        to = {from.a + i + (i < a_count ? rest : 0), from.b + j + (i < a_count ? 0 : rest)};
      }
      else
      {
        const bool is_a = lists.needles_are_a();
        needle_search search;
        search.needle = unit;
        search.last = continues && word > begin ? unit - lane + num_continuing - 1 : -1;
        search.low = continues && word > begin ? from.b : 0;
        search.lower = 0;
        using a_elements = decltype(pairs.a.elements);
        using b_elements = decltype(pairs.b.elements);
        if constexpr (std::is_same_v<a_elements, b_elements>)
        {
          const a_elements& needles = is_a ? pairs.a.elements : pairs.b.elements;
          const a_elements& haystack = is_a ? pairs.b.elements : pairs.a.elements;
          detail::search_for_needle(
            search, needles + (is_a ? lists.a_begin : lists.b_begin), haystack + (is_a ? lists.b_begin : lists.a_begin),
            is_a ? lists.b_count : lists.a_count, comp);
        }
        else if (is_a)
        {
          detail::search_for_needle(
            search, pairs.a.elements + lists.a_begin, pairs.b.elements + lists.b_begin, lists.b_count, comp);
        }
        else
        {
          detail::search_for_needle(
            search, pairs.b.elements + lists.b_begin, pairs.a.elements + lists.a_begin, lists.a_count, comp);
        }
        to.b = search.lower;
        if (search.match >= 0)
        {
          on_match(
            lists.a_begin + (is_a ? search.needle : search.match),
            lists.b_begin + (is_a ? search.match : search.needle));
        }
      }
    }
    if constexpr (!Action::visits)
    {
      if (matches > 0)
      {
        atomicAdd(&counts[owner], matches);
      }
    }
    if (word + 32 < end)
    {
      reached.a = __shfl_sync(~0u, to.a, 31);
      reached.b = __shfl_sync(~0u, to.b, 31);
    }
  }
  __syncwarp();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How a warp finds the matches of up to 32 neighbouring short pairs of lists.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/pairs/choice.h>
#include <mgpu_thrust/detail/pairs/count/needle_search.cuh>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/pairs/tuning.h>

#include <cub/warp/warp_scan.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Numbers the items of a warp's lanes, of which the calling lane has `own`. Returns how many there are.
template <class Number>
MGPU_THRUST_DEVICE Number warp_number(Number own, Number& first)
{
  using scan = cub::WarpScan<Number>;
  typename scan::TempStorage nothing_shared;
  Number total;
  scan(nothing_shared).ExclusiveSum(own, first, total);
  return total;
}

/// Returns the path of a pair.
MGPU_THRUST_DEVICE segmented_sets_path path_of(const list_pair& lists)
{
  const std::int64_t needles = lists.needles();
  return detail::choose_segmented_sets_path(needles, lists.a_count + lists.b_count - needles);
}

/// Visits the matches on a part of the balanced path of two lists, or returns their number: from the point (i, j) on,
/// as long as is_inside(i, j), which is false where a list has no more elements. If a match decides, the first one ends
/// it. a_begin and b_begin are the positions of the lists' first elements.
template <class Action, class A, class B, class IsInside, class Compare>
MGPU_THRUST_DEVICE int merge_part(
  Action& action, std::int64_t pair, A a, std::int64_t a_begin, int i, B b, std::int64_t b_begin, int j,
  IsInside is_inside, Compare& comp)
{
  const int begin = i + j;
  int steps = 0;
  const auto step = [&]
  {
    auto&& x = detail::element(a, i);
    auto&& y = detail::element(b, j);
    const bool is_before = comp(x, y);
    const bool is_after = comp(y, x);
    if constexpr (Action::visits)
    {
      if (!is_before && !is_after)
      {
        action.visit(pair, a_begin + i, b_begin + j);
      }
    }
    i += is_before || !is_after; // an invalid order, such as <=, may set both, and each step must take an element
    j += !is_before;
    ++steps;
  };
  // The first step is apart, so that nvcc keeps the addresses of both lists: a step is 18 instead of 24 instructions.
  if (is_inside(i, j))
  {
    step();
    while (is_inside(i, j) && (!Action::stops_early || i + j - begin == steps))
    {
      step();
    }
  }
  return i + j - begin - steps; // a step over a match takes two elements
}

/// Calls f(needles, haystack, count) with the list that has the needles, the other one, and the number of its elements.
template <class Pairs, class Function>
MGPU_THRUST_DEVICE void with_needles(const Pairs& pairs, const list_pair& lists, Function f)
{
  const bool is_a = lists.needles_are_a();
  const auto& a = pairs.a.elements;
  const auto& b = pairs.b.elements;
  if constexpr (std::is_same_v<decltype(a), decltype(b)>)
  {
    f((is_a ? a : b) + (is_a ? lists.a_begin : lists.b_begin), (is_a ? b : a) + (is_a ? lists.b_begin : lists.a_begin),
      is_a ? lists.b_count : lists.a_count);
  }
  else if (is_a)
  {
    f(a + lists.a_begin, b + lists.b_begin, lists.b_count);
  }
  else
  {
    f(b + lists.b_begin, a + lists.a_begin, lists.a_count);
  }
}

/// Visits the match of a needle that was found, and returns whether there is one.
template <class Action>
MGPU_THRUST_DEVICE int
take_needle(Action& action, std::int64_t pair, const list_pair& lists, std::int64_t needle, const found_needle& found)
{
  if constexpr (Action::visits)
  {
    if (found.match >= 0)
    {
      const bool is_a = lists.needles_are_a();
      action.visit(pair, lists.a_begin + (is_a ? needle : found.match), lists.b_begin + (is_a ? found.match : needle));
    }
  }
  return found.match >= 0 ? 1 : 0;
}

/// A window of short pairs, of which each lane has one. The tasks of their work, chunks of merges and needles, are
/// numbered, one pair after the other, and each lane takes one of 32 at a time.
struct short_pairs
{
  struct TempStorage
  {
    list_pair lists[32];
    int first_tasks[32];
    int counts[32]; ///< the matches
  };

  /// Processes the tasks of all pairs; returns the matches of the calling lane's pair. first_pair is the first lane's
  /// one.
  template <class Action, class Pairs, class Compare>
  MGPU_THRUST_DEVICE static int process(
    Action& action, const Pairs& pairs, std::int64_t first_pair, const list_pair& own, bool is_merged, int own_tasks,
    Compare& comp, TempStorage& shared)
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const unsigned merged_lanes = __ballot_sync(~0u, is_merged);
    const int num_tasks = detail::warp_number(own_tasks, shared.first_tasks[lane]);
    shared.lists[lane] = own;
    shared.counts[lane] = 0;
    __syncwarp();
    const int end = Action::stops_early ? (num_tasks + 31) / 32 * 32 : num_tasks; // as all lanes call __syncwarp()
    for (int task = lane; task < end; task += 32)
    {
      const int owner = owner_of(task, shared.first_tasks);
      if constexpr (Action::stops_early) // a pair with a match needs no other
      {
        __syncwarp();
        const bool is_wanted = task < num_tasks && shared.counts[owner] == 0;
        __syncwarp();
        if (!is_wanted)
        {
          continue;
        }
      }
      const int own_task = task - shared.first_tasks[owner];
      const list_pair lists = shared.lists[owner];
      const std::int64_t pair = first_pair + owner;
      const bool is_chunk = (merged_lanes >> owner) % 2 != 0;
      const int matches = is_chunk ? merge_chunk(action, pairs, pair, lists, own_task, comp)
                                   : take_task_needle(action, pairs, pair, lists, own_task, comp);
      if (!Action::visits && matches > 0)
      {
        atomicAdd(&shared.counts[owner], matches);
      }
    }
    __syncwarp();
    return shared.counts[lane];
  }

private:
  /// Returns the last lane whose tasks begin at a task or before.
  MGPU_THRUST_DEVICE static int owner_of(int task, const int (&first_tasks)[32])
  {
    int owner = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
    {
      owner += first_tasks[owner + step] <= task ? step : 0;
    }
    return owner;
  }

  /// Merges a chunk of a pair, and returns its matches.
  template <class Action, class Pairs, class Compare>
  MGPU_THRUST_DEVICE static int
  merge_chunk(Action& action, const Pairs& pairs, std::int64_t pair, const list_pair& lists, int number, Compare& comp)
  {
    constexpr int chunk = segmented_sets_shape::items_per_thread;
    const auto a = pairs.a.elements + lists.a_begin;
    const auto b = pairs.b.elements + lists.b_begin;
    const auto a_count = static_cast<int>(lists.a_count);
    const auto b_count = static_cast<int>(lists.b_count);
    const int step = number * chunk;
    const auto point = mgpu::balanced_path(a, a_count, b, b_count, step, comp);
    const auto is_inside = [&](int i, int j) { return i < a_count && j < b_count && i + j < step + chunk; };
    return detail::merge_part(
      action, pair, a, lists.a_begin, point.a_index, b, lists.b_begin, point.b_index, is_inside, comp);
  }

  /// Searches for a needle of a pair, and returns its matches.
  template <class Action, class Pairs, class Compare>
  MGPU_THRUST_DEVICE static int take_task_needle(
    Action& action, const Pairs& pairs, std::int64_t pair, const list_pair& lists, int needle, Compare& comp)
  {
    found_needle found{0, -1};
    detail::with_needles(
      pairs, lists,
      [&](auto needles, auto haystack, std::int64_t count)
      { found = detail::search_for_needle(needles, needle, haystack, 0, count, count, comp); });
    return detail::take_needle(action, pair, lists, needle, found);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

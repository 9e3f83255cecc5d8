// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How warps find the matches of pairs of lists: of a window of short pairs together, of long ones by words.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/segmented_sets/choice.h>
#include <mgpu_thrust/detail/segmented_sets/needle_search.cuh>
#include <mgpu_thrust/detail/segmented_sets/pairs.h>
#include <mgpu_thrust/detail/segmented_sets/tuning.h>
#ifdef PS_PREFETCH
#include <mgpu_thrust/detail/tile/tile_loader.cuh>
#endif

#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cuda_pipeline.h>

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

/// Visits the matches on a part of the balanced path of two lists, or returns their number: from the point (i, j) on, as long
/// as is_inside(i, j), which is false where a list has no more elements. If a match decides, the first one ends it. a_begin
/// and b_begin are the positions of the lists' first elements.
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
    i += !is_after;
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

/// A window of short pairs, of which each lane has one. The units of their work, chunks of merges and needles, are numbered,
/// one pair after the other, and each lane takes one of 32 at a time.
struct short_pairs
{
  struct TempStorage
  {
    list_pair lists[32];
    int first_units[32];
    int counts[32]; ///< the matches
  };

  /// Processes the units of all pairs; returns the matches of the calling lane's pair. first_pair is the first lane's one.
  template <class Action, class Pairs, class Compare>
  MGPU_THRUST_DEVICE static int process(
    Action& action, const Pairs& pairs, std::int64_t first_pair, const list_pair& own, bool is_merged, int own_units,
    Compare& comp, TempStorage& shared)
  {
    constexpr int chunk = segmented_sets_shape::items_per_thread;
    const int lane = static_cast<int>(threadIdx.x % 32);
    const unsigned merged_lanes = __ballot_sync(~0u, is_merged);
    const int num_units = detail::warp_number(own_units, shared.first_units[lane]);
    shared.lists[lane] = own;
    shared.counts[lane] = 0;
    __syncwarp();
    for (int unit = lane; unit < num_units; unit += 32)
    {
      // The unit's pair is that of the last lane whose units begin there or before.
      int owner = 0;
#pragma unroll
      for (int step = 16; step > 0; step /= 2)
      {
        owner += shared.first_units[owner + step] <= unit ? step : 0;
      }
      const int own_unit = unit - shared.first_units[owner];
      const list_pair lists = shared.lists[owner];
      const std::int64_t pair = first_pair + owner;
      int matches;
      if ((merged_lanes >> owner) % 2 != 0)
      {
        const auto a = pairs.a.elements + lists.a_begin;
        const auto b = pairs.b.elements + lists.b_begin;
        const auto a_count = static_cast<int>(lists.a_count);
        const auto b_count = static_cast<int>(lists.b_count);
        const int step = own_unit * chunk;
        const auto point = mgpu::balanced_path(a, a_count, b, b_count, step, comp);
        const auto is_inside = [&](int i, int j) { return i < a_count && j < b_count && i + j < step + chunk; };
        matches = detail::merge_part(
          action, pair, a, lists.a_begin, point.a_index, b, lists.b_begin, point.b_index, is_inside, comp);
      }
      else
      {
        found_needle found;
        detail::with_needles(
          pairs, lists, [&](auto needles, auto haystack, std::int64_t count)
          { found = detail::search_for_needle(needles, own_unit, haystack, 0, count, count, comp); });
        matches = detail::take_needle(action, pair, lists, own_unit, found);
      }
      if (!Action::visits && matches > 0)
      {
        atomicAdd(&shared.counts[owner], matches);
      }
    }
    __syncwarp();
    return shared.counts[lane];
  }
};

/// Whether the elements of a word of a merge are staged in shared memory: those of 4 or 8 bytes, in memory.
template <class A, class B, class Value = element_t<A>>
inline constexpr bool is_staged_v =
  std::is_pointer_v<A> && std::is_pointer_v<B> && std::is_same_v<Value, element_t<B>> && is_batchable_v<Value> &&
  (sizeof(Value) == 4 || sizeof(Value) == 8) && PS_STAGE && alignof(Value) == sizeof(Value);

/// The elements of a word of a merge: in shared memory, those of A, then those of B, if `IsStaged`.
template <bool IsStaged, class A, class B>
struct staged_word
{
  struct TempStorage
  {
  };

  A a;
  B b;

  MGPU_THRUST_DEVICE staged_word(TempStorage&, A of_a, int, B of_b, int)
      : a(of_a)
      , b(of_b)
  {
  }
};
template <class A, class B>
struct staged_word<true, A, B>
{
  using value = element_t<A>;

  struct TempStorage
  {
    value elements[long_pairs_shape::word_steps + 1]; ///< a match at the end may be one more
  };

  const value* a;
  const value* b;

  MGPU_THRUST_DEVICE staged_word(TempStorage& shared, A of_a, int a_count, B of_b, int b_count)
      : a(shared.elements)
      , b(shared.elements + a_count)
  {
    __syncwarp(); // the word before is not needed any more
    copy(of_a, a_count, shared.elements);
    copy(of_b, b_count, shared.elements + a_count);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
  }

private:
  MGPU_THRUST_DEVICE static void copy(const value* from, int count, value* to)
  {
#pragma unroll 8
    for (int k = static_cast<int>(threadIdx.x % 32); k < count; k += 32)
    {
      __pipeline_memcpy_async(to + k, from + k, sizeof(value));
    }
  }
};

/// Elements of both lists of a pair that are before a point of their balanced path. Of a search b is where the last needle
/// was found.
struct path_position
{
  std::int64_t a;
  std::int64_t b;
};

/// Returns the number of words of a queued pair: of word_steps of a merge, or of 32 needles.
MGPU_THRUST_DEVICE std::int64_t num_words(segmented_sets_path path, const list_pair& lists)
{
  return path == segmented_sets_path::long_merged
           ? (lists.a_count + lists.b_count + long_pairs_shape::word_steps - 1) / long_pairs_shape::word_steps
           : (lists.needles() + 31) / 32;
}

/// A word of a long pair, which a warp takes.
template <class Pairs>
struct long_pair_word
{
  using a_elements = decltype(Pairs::a.elements);
  using b_elements = decltype(Pairs::b.elements);
  using stage = staged_word<is_staged_v<a_elements, b_elements>, a_elements, b_elements>;
  using TempStorage = typename stage::TempStorage;

  const Pairs& pairs;
  std::int64_t pair;
  list_pair lists;
  std::int64_t word; ///< of the pair

  /// Finds where a word in the middle of a merge begins, without those before it.
  template <class Compare>
  MGPU_THRUST_DEVICE path_position find(Compare& comp) const
  {
    const std::int64_t diagonal = word * long_pairs_shape::word_steps;
    const auto a = pairs.a.elements + lists.a_begin;
    const auto b = pairs.b.elements + lists.b_begin;
    const std::int64_t i = detail::warp_merge_path(a, lists.a_count, b, lists.b_count, diagonal, comp);
    const auto point = detail::balance(a, i, b, lists.b_count, diagonal - i, comp);
    return {point.a_index, point.b_index};
  }

  /// Processes the word of a merge, which begins at `position`, and moves that to its end. Returns the matches of the calling
  /// lane.
  template <class Action, class Compare>
  MGPU_THRUST_DEVICE int merge(Action& action, path_position& position, Compare& comp, TempStorage& shared) const
  {
    // 1. Find where the word ends: on the diagonal of the next one, or a step further.
    constexpr std::int64_t steps = long_pairs_shape::word_steps;
    const std::int64_t a_begin = lists.a_begin + position.a;
    const std::int64_t b_begin = lists.b_begin + position.b;
    const auto a = pairs.a.elements + a_begin;
    const auto b = pairs.b.elements + b_begin;
    const auto a_rest = static_cast<int>((min) (lists.a_count - position.a, steps + 2));
    const auto b_rest = static_cast<int>((min) (lists.b_count - position.b, steps + 2));
    const auto to_next = static_cast<int>((word + 1) * steps - position.a - position.b);
    const int end = (min) (to_next, a_rest + b_rest);
    const int i = detail::warp_merge_path(a, a_rest, b, b_rest, end, comp);
    const auto point = detail::balance(a, i, b, b_rest, end - i, comp);
    const int a_count = point.a_index;
    const int b_count = point.b_index;
    position.a += a_count;
    position.b += b_count;

#ifdef PS_PREFETCH
    {
      using loader = tile_loader<32>;
      if (threadIdx.x % 32 == 0)
      {
        loader::prefetch<element_t<a_elements>>(a + a_count, static_cast<int>((min) (lists.a_count - position.a, std::int64_t{PS_PREFETCH})));
      }
      if (threadIdx.x % 32 == 1)
      {
        loader::prefetch<element_t<b_elements>>(b + b_count, static_cast<int>((min) (lists.b_count - position.b, std::int64_t{PS_PREFETCH})));
      }
    }
#endif
    // 2. Each lane merges a chunk, which ends where that of the next one begins.
    const stage staged(shared, a, a_count, b, b_count);
    const int chunk = (a_count + b_count + 31) / 32;
    const int step = (min) (static_cast<int>(threadIdx.x % 32) * chunk, a_count + b_count);
    const auto begin = mgpu::balanced_path(staged.a, a_count, staged.b, b_count, step, comp);
    const bool is_last = threadIdx.x % 32 == 31;
    const int a_next = __shfl_down_sync(~0u, begin.a_index, 1);
    const int b_next = __shfl_down_sync(~0u, begin.b_index, 1);
    const int a_end = is_last ? a_count : a_next;
    const int b_end = is_last ? b_count : b_next;
    const auto is_inside = [&](int of_a, int of_b) { return of_a < a_end && of_b < b_end; };
    return detail::merge_part(
      action, pair, staged.a, a_begin, begin.a_index, staged.b, b_begin, begin.b_index, is_inside, comp);
  }

  /// Searches for the needles of the word. None of them is before `position` in the haystack, which is moved to where the
  /// last one is. Returns the matches of the calling lane.
  template <class Action, class Compare>
  MGPU_THRUST_DEVICE int search(Action& action, path_position& position, Compare& comp) const
  {
    const std::int64_t needle = word * 32 + static_cast<int>(threadIdx.x % 32);
    const std::int64_t last = (min) (word * 32 + 31, lists.needles() - 1);
    found_needle found{0, -1};
    detail::with_needles(
      pairs, lists,
      [&](auto needles, auto haystack, std::int64_t count)
      {
        const std::int64_t end = detail::warp_bound_needle(needles, last, haystack, position.b, count, comp);
        if (needle <= last)
        {
          found = detail::search_for_needle(needles, needle, haystack, position.b, end, count, comp);
        }
      });
    position.b = __shfl_sync(~0u, found.lower, 31);
    return detail::take_needle(action, pair, lists, needle, found);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How a warp finds the matches of a long pair of lists: by words, which are pieces of the balanced path or 32 needles.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/pairs/choice.h>
#include <mgpu_thrust/detail/pairs/count/needle_search.cuh>
#include <mgpu_thrust/detail/pairs/count/warp_pairs.cuh>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/pairs/tuning.h>

#include <cuda_pipeline.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether the elements of a word of a merge are staged in shared memory: those of 4 or 8 bytes, in memory.
template <class A, class B, class Value = element_t<A>>
inline constexpr bool is_staged_v = std::is_pointer_v<A>&& std::is_pointer_v<B>&& std::is_same_v<Value, element_t<B>>&&
                                      is_batchable_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8)
                                    && alignof(Value) == sizeof(Value);

/// Copies elements to shared memory, by a warp.
template <class Value>
MGPU_THRUST_DEVICE void copy_by_warp(const Value* from, int count, Value* to)
{
#pragma unroll 8
  for (int k = static_cast<int>(threadIdx.x % 32); k < count; k += 32)
  {
    __pipeline_memcpy_async(to + k, from + k, sizeof(Value));
  }
}

/// Elements of both lists of a pair that are before a point of their balanced path. Of a search b is where the last
/// needle was found.
struct path_position
{
  std::int64_t a;
  std::int64_t b;
};

/// Number of steps of a word of a merge.
template <class Action>
inline constexpr int word_steps =
  Action::stops_early ? long_pairs_shape::deciding_word_steps : long_pairs_shape::word_steps;

/// Returns the number of words of a pair: of word_steps of a merge, or of 32 needles; 0 for short pairs.
template <class Action>
MGPU_THRUST_DEVICE std::int64_t num_words(segmented_sets_path path, const list_pair& lists)
{
  constexpr int steps = word_steps<Action>;
  return path == segmented_sets_path::long_merged     ? (lists.a_count + lists.b_count + steps - 1) / steps
         : path == segmented_sets_path::long_searched ? (lists.needles() + 31) / 32
                                                      : 0;
}

/// A word of a long pair, which a warp takes.
template <class Action, class Pairs>
struct long_pair_word
{
  using a_elements = decltype(Pairs::a.elements);
  using b_elements = decltype(Pairs::b.elements);
  static constexpr bool is_staged = !Action::stops_early && is_staged_v<a_elements, b_elements>;

  /// The elements of a word, those of A, then those of B. A match at the end may be one more than its steps.
  struct TempStorage
  {
    std::conditional_t<is_staged, element_t<a_elements>, char> elements[is_staged ? word_steps<Action> + 1 : 1];
  };

  const Pairs& pairs;
  std::int64_t pair;
  list_pair lists;
  std::int64_t number; ///< of the word in the pair

  /// Finds where a word in the middle of a merge begins, without those before it.
  template <class Compare>
  MGPU_THRUST_DEVICE path_position find(Compare& comp) const
  {
    const std::int64_t diagonal = number * word_steps<Action>;
    const auto a = pairs.a.elements + lists.a_begin;
    const auto b = pairs.b.elements + lists.b_begin;
    const std::int64_t i = detail::warp_merge_path(a, lists.a_count, b, lists.b_count, diagonal, comp);
    const auto point = detail::balance(a, i, b, lists.b_count, diagonal - i, comp);
    return {point.a_index, point.b_index};
  }

  /// Processes the word of a merge, which begins at `position`, and moves that to its end. Returns the matches of the
  /// calling lane.
  template <class Compare>
  MGPU_THRUST_DEVICE int merge(Action& action, path_position& position, Compare& comp, TempStorage& shared) const
  {
    // 1. Find where the word ends: on the diagonal of the next one, or a step further.
    constexpr std::int64_t steps = word_steps<Action>;
    const std::int64_t a_begin = lists.a_begin + position.a;
    const std::int64_t b_begin = lists.b_begin + position.b;
    const auto a = pairs.a.elements + a_begin;
    const auto b = pairs.b.elements + b_begin;
    const auto a_rest = static_cast<int>((min) (lists.a_count - position.a, steps + 2));
    const auto b_rest = static_cast<int>((min) (lists.b_count - position.b, steps + 2));
    const auto to_next = static_cast<int>((number + 1) * steps - position.a - position.b);
    const int end = (min) (to_next, a_rest + b_rest);
    const int i = detail::warp_merge_path(a, a_rest, b, b_rest, end, comp);
    const auto point = detail::balance(a, i, b, b_rest, end - i, comp);
    const int a_count = point.a_index;
    const int b_count = point.b_index;
    position.a += a_count;
    position.b += b_count;

    // 2. Merge the elements. They are staged if most are read: not if a match decides, or most chunks have few of one
    //    list.
    if constexpr (is_staged)
    {
      if ((min) (a_count, b_count) * min_unstaged_ratio > (max) (a_count, b_count))
      {
        __syncwarp(); // the word before is not needed any more
        detail::copy_by_warp(a, a_count, shared.elements);
        detail::copy_by_warp(b, b_count, shared.elements + a_count);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncwarp();
        const auto* const staged = shared.elements;
        return merge_chunks(action, staged, a_begin, a_count, staged + a_count, b_begin, b_count, comp);
      }
    }
    return merge_chunks(action, a, a_begin, a_count, b, b_begin, b_count, comp);
  }

  /// Searches for the needles of the word. None of them is before `position` in the haystack, which is moved to where
  /// the last one is. Returns the matches of the calling lane.
  template <class Compare>
  MGPU_THRUST_DEVICE int search(Action& action, path_position& position, Compare& comp) const
  {
    const std::int64_t needle = number * 32 + static_cast<int>(threadIdx.x % 32);
    const std::int64_t last = (min) (number * 32 + 31, lists.needles() - 1);
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

private:
  /// Merges a chunk of the elements of the word, which ends where that of the next lane begins.
  template <class A, class B, class Compare>
  MGPU_THRUST_DEVICE int merge_chunks(
    Action& action, A a, std::int64_t a_begin, int a_count, B b, std::int64_t b_begin, int b_count, Compare& comp) const
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int chunk = (a_count + b_count + 31) / 32;
    const int step = (min) (lane * chunk, a_count + b_count);
    const auto begin = mgpu::balanced_path(a, a_count, b, b_count, step, comp);
    const int a_next = __shfl_down_sync(~0u, begin.a_index, 1);
    const int b_next = __shfl_down_sync(~0u, begin.b_index, 1);
    const int a_end = lane < 31 ? a_next : a_count;
    const int b_end = lane < 31 ? b_next : b_count;
    return detail::merge_part(
      action, pair, a, a_begin, begin.a_index, b, b_begin, begin.b_index,
      [&](int i, int j) { return i < a_end && j < b_end; }, comp);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

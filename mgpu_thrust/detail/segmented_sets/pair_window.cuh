// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The needles of a window of neighbouring pairs of lists, and how a block finds their matches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/segmented_sets/needle_search.cuh>
#include <mgpu_thrust/detail/segmented_sets/pairs.h>
#include <mgpu_thrust/detail/segmented_sets/tuning.h>

#include <cub/block/block_scan.cuh>

#include <cuda/cmath>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The part of a pair's needles that a block has.
struct needle_part
{
  list_pair lists{0, 0, 0, 0};
  std::int64_t skipped = 0; ///< needles of the pair before this part; 0 unless it is the block's first
  int needles = 0;
};

/// The needles of a block, up to MaxNeedles of up to segmented_sets_shape::max_pairs pairs. If `IsWalk`, a warp that has
/// needles of one pair searches on from where it found the ones before.
template <int MaxNeedles, bool IsWalk>
class pair_window
{
  using shape = segmented_sets_shape;
  using scan = cub::BlockScan<int, shape::threads>;
  static constexpr int parts = shape::pairs_per_thread;
  static constexpr int max_words = MaxNeedles / 32;
  static constexpr int rank_shift = 20; ///< a scan adds up needles, and above them pairs that have any
  static_assert(MaxNeedles < 1 << rank_shift && shape::max_pairs < 1 << (31 - rank_shift));

public:
  struct TempStorage
  {
    typename scan::TempStorage scan_storage;
    std::int64_t skipped;
    // Of pairs with needles, by rank.
    std::int64_t needle_begins[shape::max_pairs]; ///< where the needles' list begins
    std::int64_t haystack_begins[shape::max_pairs];
    std::int64_t haystack_counts[shape::max_pairs];
    int starts[shape::max_pairs];  ///< the number of the pair's first needle in the block
    int numbers[shape::max_pairs]; ///< twice the pair's number in the window, and 1 if A has the needles
    int counts[shape::max_pairs];  ///< the matches
    /// A bit for each needle, set for the first of a pair.
    unsigned start_bits[max_words];
  };

  MGPU_THRUST_DEVICE explicit pair_window(TempStorage& shared)
      : shared_(shared)
  {
  }

  /// Stores the needles of the calling thread's pairs, which are neighbours.
  MGPU_THRUST_DEVICE void load(const needle_part (&own)[parts])
  {
    for (int word = static_cast<int>(threadIdx.x); word < max_words; word += shape::threads)
    {
      shared_.start_bits[word] = 0;
    }
    int places[parts];
#pragma unroll
    for (int k = 0; k < parts; ++k)
    {
      places[k] = own[k].needles > 0 ? own[k].needles + (1 << rank_shift) : 0;
    }
    int total;
    scan(shared_.scan_storage).ExclusiveSum(places, places, total);
    num_needles_ = total & ((1 << rank_shift) - 1);
    num_ranks_ = total >> rank_shift;
    __syncthreads(); // the bits are cleared
#pragma unroll
    for (int k = 0; k < parts; ++k)
    {
      ranks_[k] = -1;
      if (own[k].needles > 0)
      {
        const list_pair& lists = own[k].lists;
        const bool is_a = lists.needles_are_a();
        const int start = places[k] & ((1 << rank_shift) - 1);
        const int rank = places[k] >> rank_shift;
        ranks_[k] = rank;
        shared_.needle_begins[rank] = is_a ? lists.a_begin : lists.b_begin;
        shared_.haystack_begins[rank] = is_a ? lists.b_begin : lists.a_begin;
        shared_.haystack_counts[rank] = is_a ? lists.b_count : lists.a_count;
        shared_.starts[rank] = start;
        shared_.numbers[rank] = 2 * (static_cast<int>(threadIdx.x) * parts + k) + (is_a ? 1 : 0);
        shared_.counts[rank] = 0;
        atomicOr(&shared_.start_bits[start / 32], 1u << (start % 32));
        if (rank == 0)
        {
          shared_.skipped = own[k].skipped;
        }
      }
    }
    __syncthreads();
  }

  /// Calls the action's visit() with each match, given the number of the window's first pair; or counts the matches of
  /// each pair.
  template <class Action, class Pairs, class Compare>
  MGPU_THRUST_DEVICE void process(Action& action, const Pairs& pairs, std::int64_t first_pair, Compare& comp)
  {
    constexpr int warps = shape::threads / 32;
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int words = ::cuda::ceil_div(num_needles_, 32);
    const int words_of_warp = ::cuda::ceil_div(words, warps);
    const int first_word = static_cast<int>(threadIdx.x / 32) * words_of_warp;
    const int end_word = (min) (first_word + words_of_warp, words);
    int next_rank =
      first_word < end_word
        ? detail::partition_point(0, num_ranks_, [&](int rank) { return shared_.starts[rank] < first_word * 32; })
        : 0;
    std::int64_t low = 0;
    for (int word = first_word; word < end_word; ++word)
    {
      // 1. Find the needle's pair.
      const unsigned starts = shared_.start_bits[word];
      const int rank = next_rank + __popc(starts & (~0u >> (31 - lane))) - 1;
      next_rank += __popc(starts);
      const int number = word * 32 + lane;
      const bool is_needle = number < num_needles_;

      // 2. Search for it.
      needle_search search;
      search.last = -1;
      search.low = 0;
      search.lower = 0;
      if (is_needle)
      {
        const std::int64_t list_number = number - shared_.starts[rank];
        search.needle = list_number + (rank == 0 ? shared_.skipped : 0);
        if (IsWalk && starts == 0 && word > first_word)
        {
          search.low = low;
          search.last = search.needle - lane + ((min) (num_needles_ - word * 32, 32) - 1);
        }
        const std::int64_t haystack_count = shared_.haystack_counts[rank];
        const std::int64_t needles = shared_.needle_begins[rank];
        const std::int64_t haystack = shared_.haystack_begins[rank];
        const bool is_a = shared_.numbers[rank] % 2 != 0;
        using a_elements = decltype(pairs.a.elements);
        using b_elements = decltype(pairs.b.elements);
        if constexpr (std::is_same_v<a_elements, b_elements>)
        {
          const a_elements& needle_lists = is_a ? pairs.a.elements : pairs.b.elements;
          const a_elements& haystacks = is_a ? pairs.b.elements : pairs.a.elements;
          detail::search_for_needle(search, needle_lists + needles, haystacks + haystack, haystack_count, comp);
        }
        else if (is_a)
        {
          detail::search_for_needle(
            search, pairs.a.elements + needles, pairs.b.elements + haystack, haystack_count, comp);
        }
        else
        {
          detail::search_for_needle(
            search, pairs.b.elements + needles, pairs.a.elements + haystack, haystack_count, comp);
        }
        if constexpr (Action::visits)
        {
          if (search.match >= 0)
          {
            const std::int64_t found = haystack + search.match;
            const std::int64_t needle = needles + search.needle;
            action.visit(first_pair + shared_.numbers[rank] / 2, is_a ? needle : found, is_a ? found : needle);
          }
        }
      }
      if constexpr (IsWalk)
      {
        low = __shfl_sync(~0u, search.lower, 31);
      }

      // 3. Count the matches: the first lane of each pair those of all.
      if constexpr (!Action::visits)
      {
        const unsigned matches = __ballot_sync(~0u, search.match >= 0);
        const bool is_first = lane == 0 || (starts >> lane) % 2 != 0;
        const unsigned later_starts = lane < 31 ? starts >> (lane + 1) : 0;
        const int own_lanes = later_starts != 0 ? __ffs(static_cast<int>(later_starts)) : 32 - lane;
        const unsigned own_matches = (matches >> lane) & (~0u >> (32 - own_lanes));
        if (is_needle && is_first && own_matches != 0)
        {
          atomicAdd(&shared_.counts[rank], __popc(own_matches));
        }
      }
    }
    __syncthreads();
  }

  /// Returns the number of matches of the calling thread's pair k, after all threads have processed the window.
  MGPU_THRUST_DEVICE int count(int k) const
  {
    return ranks_[k] < 0 ? 0 : shared_.counts[ranks_[k]];
  }

private:
  TempStorage& shared_;
  int num_needles_ = 0;
  int num_ranks_ = 0;
  int ranks_[parts];
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

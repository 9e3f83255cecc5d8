// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of operations on pairs of lists.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/segmented_sets/choice.h>
#include <mgpu_thrust/detail/segmented_sets/pairs.h>
#include <mgpu_thrust/detail/segmented_sets/tuning.h>
#include <mgpu_thrust/detail/segmented_sets/warp_pairs.cuh>

#include <cuda/atomic>
#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A window of neighbouring pairs of which some are long. The units of the long ones, one pair after the other, are in words
/// of 32.
struct queued_window
{
  std::int64_t first_word; ///< the words of windows that were queued before
  std::int64_t first_pair;
  std::int64_t words;
  std::int64_t done_words;
};

/// The windows with long pairs, in the order of their words, which is that of one atomic number: the words of all, shifted,
/// plus the number of windows. At least 32 bits are left for words.
struct pair_queue
{
  using device_number = ::cuda::atomic_ref<std::int64_t, ::cuda::thread_scope_device>;

  std::int64_t* end;
  int window_bits; ///< the number of all windows fits in them
  queued_window* windows;
  std::int64_t* counts; ///< of each long pair, the matches in pieces that have a part of it

  MGPU_THRUST_DEVICE std::int64_t num_windows(std::int64_t number) const
  {
    return number & ((std::int64_t{1} << window_bits) - 1);
  }
  MGPU_THRUST_DEVICE std::int64_t num_words(std::int64_t number) const
  {
    return number >> window_bits;
  }
  /// Adds the windows of a block that have words. All threads call it, with the first pair and the words of their warp.
  MGPU_THRUST_DEVICE void add(std::int64_t first_pair, std::int64_t words) const
  {
    constexpr int warps = segmented_sets_shape::warps;
    __shared__ std::int64_t shared_numbers[warps];
    const int warp = static_cast<int>(threadIdx.x / 32);
    const bool is_first_lane = threadIdx.x % 32 == 0;
    if (is_first_lane)
    {
      shared_numbers[warp] = words == 0 ? 0 : (words << window_bits) + 1;
    }
    if (__syncthreads_or(words != 0) == 0)
    {
      return;
    }
    if (threadIdx.x == 0)
    {
      std::int64_t all = 0;
#pragma unroll
      for (int k = 0; k < warps; ++k)
      {
        all += shared_numbers[k];
      }
      std::int64_t before = device_number(*end).fetch_add(all, ::cuda::memory_order_relaxed);
#pragma unroll
      for (int k = 0; k < warps; ++k)
      {
        const std::int64_t own = shared_numbers[k];
        shared_numbers[k] = before;
        before += own;
      }
    }
    __syncthreads();
    if (is_first_lane && words != 0)
    {
      const std::int64_t before = shared_numbers[warp];
      windows[num_windows(before)] = {num_words(before), first_pair, words, 0};
    }
  }
};

/// Returns whether the lists of a warp's pairs, of which some have units, begin near each other on both sides.
MGPU_THRUST_DEVICE bool are_near(const list_pair& lists, bool has_units)
{
  const unsigned with_units = __ballot_sync(~0u, has_units);
  const int first = with_units == 0 ? 0 : __ffs(static_cast<int>(with_units)) - 1;
  const std::int64_t from_a = lists.a_begin - __shfl_sync(~0u, lists.a_begin, first);
  const std::int64_t from_b = lists.b_begin - __shfl_sync(~0u, lists.b_begin, first);
  const bool is_near = from_a < max_near_distance && from_a > -max_near_distance && from_b < max_near_distance
                       && from_b > -max_near_distance;
  return __all_sync(~0u, is_near || !has_units) != 0;
}

/// Finds the matches of short pairs, and queues the windows that have longer ones. A warp has a window. If the number of
/// pairs is deferred, the grid is for the capacity.
template <class Action, class Pairs, class Compare>
MGPU_THRUST_KERNEL void
__launch_bounds__(segmented_sets_shape::threads, segmented_sets_shape::blocks_per_multiprocessor)
  short_pairs_kernel(Action action, Pairs given, Compare comp, int pairs_of_window, pair_queue queue)
{
  using shape = segmented_sets_shape;
  __shared__ warp_pairs shared_pairs[shape::warps];

  // 1. Read the bounds. If the number of pairs is deferred, surplus blocks return.
  const auto& pairs = detail::sized(given);
  const std::int64_t first_of_block = std::int64_t{blockIdx.x} * shape::warps * pairs_of_window;
  if (first_of_block >= pairs.num_pairs)
  {
    return;
  }
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t first_pair = first_of_block + static_cast<int>(threadIdx.x / 32) * pairs_of_window;
  const std::int64_t pair = first_pair + lane;
  const bool is_pair = lane < pairs_of_window && pair < pairs.num_pairs;
  lane_pair own;
  if (is_pair)
  {
    own.lists = pairs.pair(pair);
  }
  const std::int64_t needles = own.lists.needles();
  const pair_units work = detail::choose_pair_units(needles, own.lists.a_count + own.lists.b_count - needles);
  own.is_merged = work.is_merged;
  own.units = work.units;

  // 2. Queue the window if it has a long pair. Long pairs begin without matches.
  const bool is_long = detail::choose_segmented_sets_path(work.units) == segmented_sets_path::long_lists;
  std::int64_t words = 0;
  if (__any_sync(~0u, is_long))
  {
    std::int64_t first_unit;
    words = (detail::number_units(is_long ? own.units : 0, first_unit) + 31) / 32;
    own.units = is_long ? 0 : own.units;
    if constexpr (!Action::visits)
    {
      if (is_long)
      {
        queue.counts[pair] = 0;
      }
    }
  }
  queue.add(first_pair, words);

  // 3. Find the matches of short pairs.
  if (!detail::are_near(own.lists, own.units > 0) && own.is_merged && own.units == 1)
  {
    own.is_merged = false;
    own.units = needles;
  }
  warp_pairs& shared = shared_pairs[threadIdx.x / 32];
  shared.counts[lane] = 0;
  const bool is_own = __all_sync(~0u, own.units <= 1) != 0;
  const std::int64_t units = is_own ? 32 : detail::number_units(own.units, shared.first_units[lane]);
  detail::process_units<false>(action, pairs, first_pair, own, is_own, 0, units, comp, shared);
  if constexpr (!Action::visits)
  {
    if (is_pair && (!is_long || Action::stops_early))
    {
      action.store(pair, shared.counts[lane]);
    }
  }
}

/// Maximum number of words of a piece, so that the matches of a pair in it are fewer than 2^31.
inline constexpr std::int64_t max_piece_words = std::int64_t{1} << 20;

/// Finds the matches of long pairs. The words of all windows are divided into equal pieces, which the warps of a grid of any
/// size take.
template <class Action, class Pairs, class Compare>
MGPU_THRUST_KERNEL void
__launch_bounds__(segmented_sets_shape::threads, segmented_sets_shape::blocks_per_multiprocessor)
  long_pairs_kernel(Action action, Pairs given, Compare comp, int pairs_of_window, pair_queue queue)
{
  using shape = segmented_sets_shape;
  __shared__ warp_pairs shared_pairs[shape::warps];

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the queue is complete
  const std::int64_t queued = *queue.end;
  const std::int64_t num_words = queue.num_words(queued);
  const std::int64_t num_warps = std::int64_t{gridDim.x} * shape::warps;
  const std::int64_t words_of_piece = (min) ((num_words + num_warps - 1) / num_warps, max_piece_words);
  const int lane = static_cast<int>(threadIdx.x % 32);
  warp_pairs& shared = shared_pairs[threadIdx.x / 32];
  const std::int64_t warp = std::int64_t{blockIdx.x} * shape::warps + threadIdx.x / 32;
  const auto& pairs = detail::sized(given);
  for (std::int64_t piece = warp; piece * words_of_piece < num_words; piece += num_warps)
  {
    std::int64_t next_word = piece * words_of_piece;
    const std::int64_t end_word = (min) (next_word + words_of_piece, num_words);

    // 1. Find the window, the last one that begins at the piece or before it.
    std::int64_t number = detail::warp_partition_point(
      std::int64_t{1}, queue.num_windows(queued),
      [&](std::int64_t window) { return queue.windows[window].first_word <= next_word; });
    for (; next_word < end_word; ++number)
    {
      queued_window& window = queue.windows[number - 1];
      const std::int64_t first_word = window.first_word;
      const std::int64_t words = window.words;
      const std::int64_t begin_unit = (next_word - first_word) * 32;
      const std::int64_t end_of_part = (min) (end_word - first_word, words);
      const std::int64_t pair = window.first_pair + lane;

      // 2. Number the units of long pairs.
      lane_pair own;
      if (lane < pairs_of_window && pair < pairs.num_pairs)
      {
        own.lists = pairs.pair(pair);
        const std::int64_t needles = own.lists.needles();
        const pair_units work = detail::choose_pair_units(needles, own.lists.a_count + own.lists.b_count - needles);
        own.is_merged = work.is_merged;
        const bool is_long = detail::choose_segmented_sets_path(work.units) == segmented_sets_path::long_lists;
        own.units = is_long ? work.units : 0;
      }
      std::int64_t first_unit;
      const std::int64_t units = detail::number_units(own.units, first_unit);
      shared.first_units[lane] = first_unit;
      const std::int64_t end_unit = (min) (end_of_part * 32, units);

      // 3. Find the matches. A pair with a match needs no other if that decides.
      shared.counts[lane] = 0;
      if constexpr (Action::stops_early)
      {
        if (own.units > 0)
        {
          shared.counts[lane] = pair_queue::device_number(queue.counts[pair]).load(::cuda::memory_order_relaxed) != 0;
        }
      }
      __syncwarp();
      detail::process_units<true>(action, pairs, window.first_pair, own, false, begin_unit, end_unit, comp, shared);

      // 4. Store the results of pairs that are in this piece alone, and add up those of others.
      if constexpr (Action::stops_early)
      {
        if (shared.counts[lane] > 0)
        {
          action.store(pair, 1);
          pair_queue::device_number(queue.counts[pair]).store(1, ::cuda::memory_order_relaxed);
        }
      }
      else if constexpr (!Action::visits)
      {
        const std::int64_t end_of_own = first_unit + own.units;
        if (own.units > 0 && first_unit < end_unit && end_of_own > begin_unit)
        {
          if (first_unit >= begin_unit && end_of_own <= end_unit)
          {
            action.store(pair, shared.counts[lane]);
          }
          else
          {
            pair_queue::device_number(queue.counts[pair]).fetch_add(shared.counts[lane], ::cuda::memory_order_relaxed);
          }
        }
        __syncwarp();

        // 5. The last part of a window to be done stores the results of the others.
        const std::int64_t words_of_part = end_of_part - (next_word - first_word);
        if (words_of_part < words)
        {
          std::int64_t done = 0;
          if (lane == 0)
          {
            done = pair_queue::device_number(window.done_words).fetch_add(words_of_part, ::cuda::memory_order_acq_rel);
          }
          const bool is_last = __shfl_sync(~0u, done, 0) + words_of_part == words;
          if (is_last && own.units > 0)
          {
            const std::int64_t first_piece = (first_word + first_unit / 32) / words_of_piece;
            const std::int64_t last_piece = (first_word + (end_of_own - 1) / 32) / words_of_piece;
            if (first_piece != last_piece)
            {
              action.store(pair, pair_queue::device_number(queue.counts[pair]).load(::cuda::memory_order_relaxed));
            }
          }
        }
      }
      __syncwarp();
      next_word = first_word + words;
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

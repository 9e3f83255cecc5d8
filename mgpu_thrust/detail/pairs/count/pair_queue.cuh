// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The queue of windows with long pairs of lists, which one kernel fills and the next one divides among its warps.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/atomic>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Neighbouring words of the queue, or of one pair.
struct word_range
{
  std::int64_t begin;
  std::int64_t end;

  MGPU_THRUST_DEVICE std::int64_t size() const
  {
    return end - begin;
  }
};

/// A window of neighbouring pairs of which some are long.
struct queued_window
{
  std::int64_t first_word; ///< the words of windows that were queued before
  std::int64_t first_pair;
  std::int64_t words;
  std::int64_t done_words;
};

/// The windows with long pairs, in the order of their words, which is that of one atomic number: the words of all,
/// shifted, plus the number of windows. At least 32 bits are left for words.
struct pair_queue
{
  using device_number = ::cuda::atomic_ref<std::int64_t, ::cuda::thread_scope_device>;

  std::int64_t* end;
  int window_bits; ///< the number of all windows fits in them
  queued_window* windows;
  std::int64_t* counts; ///< of each long pair, the matches in ranges that have a part of it

  MGPU_THRUST_DEVICE std::int64_t num_windows(std::int64_t number) const
  {
    return number & ((std::int64_t{1} << window_bits) - 1);
  }
  MGPU_THRUST_DEVICE std::int64_t num_words(std::int64_t number) const
  {
    return number >> window_bits;
  }
  /// Adds a window with words. One thread calls it.
  MGPU_THRUST_DEVICE void add(std::int64_t first_pair, std::int64_t words) const
  {
    const std::int64_t before = device_number(*end).fetch_add((words << window_bits) + 1, ::cuda::memory_order_relaxed);
    windows[num_windows(before)] = {num_words(before), first_pair, words, 0};
  }
  /// Stores that a long pair has a match, if it has one, for other warps too.
  template <class Action>
  MGPU_THRUST_DEVICE void store_match(Action& action, std::int64_t pair, int matches) const
  {
    if (matches > 0)
    {
      action.store(pair, 1);
      device_number(counts[pair]).store(1, ::cuda::memory_order_relaxed);
    }
  }
  /// Stores the counts of a window's long pairs, of which each lane has one, after its warp has found the matches in
  /// some words of the window. `own` are the words of the lane's pair, `matches` its matches in `part`. Counts of pairs
  /// whose words are in several ranges, of range_words each, are added up, and the last part of the window to be done
  /// stores them.
  template <class Action>
  MGPU_THRUST_DEVICE void store_counts(
    Action& action, std::int64_t pair, const word_range& own, int matches, queued_window& window,
    const word_range& part, std::int64_t range_words) const
  {
    const bool has_words = own.size() > 0;
    if (has_words && own.begin >= part.begin && own.end <= part.end)
    {
      action.store(pair, matches);
    }
    else if (has_words && own.begin < part.end && own.end > part.begin)
    {
      device_number(counts[pair]).fetch_add(matches, ::cuda::memory_order_relaxed);
    }
    __syncwarp();
    if (part.size() < window.words)
    {
      std::int64_t done = 0;
      if (threadIdx.x % 32 == 0)
      {
        done = device_number(window.done_words).fetch_add(part.size(), ::cuda::memory_order_acq_rel);
      }
      const bool is_last = __shfl_sync(~0u, done, 0) + part.size() == window.words;
      if (is_last && has_words && own.begin / range_words != (own.end - 1) / range_words)
      {
        action.store(pair, device_number(counts[pair]).load(::cuda::memory_order_relaxed));
      }
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

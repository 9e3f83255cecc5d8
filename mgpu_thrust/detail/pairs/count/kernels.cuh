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
#include <mgpu_thrust/detail/pairs/choice.h>
#include <mgpu_thrust/detail/pairs/count/pair_queue.cuh>
#include <mgpu_thrust/detail/pairs/count/pair_words.cuh>
#include <mgpu_thrust/detail/pairs/count/warp_pairs.cuh>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/pairs/tuning.h>

#include <cub/warp/warp_reduce.cuh>

#include <cuda/atomic>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns whether the lists of a warp's pairs that have work begin near each other on both sides. A distance of 2^32
/// counts as 0, which costs time alone.
MGPU_THRUST_DEVICE bool are_near(const list_pair& lists, bool has_work)
{
  const unsigned lanes = __ballot_sync(~0u, has_work);
  const int first = lanes == 0 ? 0 : __ffs(static_cast<int>(lanes)) - 1;
  const auto is_near_first = [&](std::int64_t begin)
  {
    const auto low_half = static_cast<unsigned>(begin);
    return low_half - __shfl_sync(~0u, low_half, first) + near_distance < 2u * near_distance;
  };
  const bool is_near_a = is_near_first(lists.a_begin);
  const bool is_near_b = is_near_first(lists.b_begin);
  return __all_sync(~0u, (is_near_a && is_near_b) || !has_work) != 0;
}

/// Merges the lane's own pair, which has up to max_own_steps; or, if a match decides, that many steps of a longer one.
/// Returns the matches.
template <class Action, class Pairs, class Compare>
MGPU_THRUST_DEVICE int
merge_own_pair(Action& action, const Pairs& pairs, std::int64_t pair, const list_pair& lists, Compare& comp)
{
  const auto merged = [](std::int64_t count)
  { return static_cast<int>(Action::stops_early ? (min) (count, std::int64_t{max_own_steps}) : count); };
  const int a_count = merged(lists.a_count);
  const int b_count = merged(lists.b_count);
  return detail::merge_part(
    action, pair, pairs.a.elements + lists.a_begin, lists.a_begin, 0, pairs.b.elements + lists.b_begin, lists.b_begin,
    0, [&](int i, int j) { return i < a_count && j < b_count && (!Action::stops_early || i + j < max_own_steps); },
    comp);
}

/// Stores the result of a lane's pair, if the lane has the matches of all of it.
template <class Action>
MGPU_THRUST_DEVICE void
store_matches(Action& action, [[maybe_unused]] std::int64_t pair, [[maybe_unused]] bool has_all, int matches)
{
  if constexpr (!Action::visits)
  {
    if (has_all)
    {
      action.store(pair, matches);
    }
  }
}

/// Queues the window of a warp that has a long pair. Each lane has a pair. A long pair begins with the match that
/// decides, if it is found, and otherwise without matches.
template <class Action>
MGPU_THRUST_DEVICE void queue_window(
  const pair_queue& queue, segmented_sets_path path, const list_pair& lists, const std::int64_t& first_pair,
  const std::int64_t& pair, const int& found)
{
  const int lane = static_cast<int>(threadIdx.x % 32);
  std::int64_t first_word;
  const std::int64_t words = detail::warp_number(detail::num_words<Action>(path, lists), first_word);
  if (lane == 0)
  {
    queue.add(first_pair, words);
  }
  if constexpr (!Action::visits)
  {
    if (detail::is_queued(path))
    {
      queue.counts[pair] = Action::stops_early ? found : 0;
    }
  }
}

/// Finds the matches of short pairs, and queues the windows that have longer ones. A warp has a window. If the number
/// of pairs is deferred, the grid is for the capacity.
template <class Action, class Pairs, class Compare>
MGPU_THRUST_KERNEL void
__launch_bounds__(segmented_sets_shape::threads, segmented_sets_shape::blocks_per_multiprocessor)
  short_pairs_kernel(Action action, Pairs given, Compare comp, int pairs_of_window, pair_queue queue)
{
  using shape = segmented_sets_shape;
  constexpr int chunk = shape::items_per_thread;
  __shared__ short_pairs::TempStorage shared[shape::warps];

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
  const list_pair lists = is_pair ? pairs.pair(pair) : list_pair{0, 0, 0, 0};

  // 2. If pairs are short, and their lists near each other, each lane merges its own. If a match decides, each lane
  //    looks for it among the first elements.
  const std::int64_t all_steps = lists.a_count + lists.b_count;
  bool is_done = lists.a_count == 0 || lists.b_count == 0;
  int found = 0;
  if constexpr (Action::stops_early)
  {
    found = detail::merge_own_pair(action, pairs, pair, lists, comp);
    is_done = is_done || found > 0 || all_steps <= max_own_steps;
  }
  else if (__all_sync(~0u, is_done || all_steps <= max_own_steps) && detail::are_near(lists, !is_done))
  {
    const int matches = detail::merge_own_pair(action, pairs, pair, lists, comp);
    detail::store_matches(action, pair, is_pair, matches);
    return;
  }

  // 3. The lanes share the work of the rest. A few elements that are far apart are read faster by as many lanes.
  const segmented_sets_path path = detail::path_of(lists);
  const bool is_long = detail::is_queued(path) && !is_done;
  const bool has_work = !is_long && !is_done;
  const bool is_near = detail::are_near(lists, has_work);
  const auto steps = static_cast<int>(path == segmented_sets_path::merged ? all_steps : 0);
  const bool is_merged = steps > (is_near ? 0 : max_far_chunks * chunk);
  const int tasks = !has_work ? 0 : is_merged ? (steps + chunk - 1) / chunk : static_cast<int>(lists.needles());
  const int matches =
    found + short_pairs::process(action, pairs, first_pair, lists, is_merged, tasks, comp, shared[threadIdx.x / 32]);
  detail::store_matches(action, pair, is_pair && (!is_long || Action::stops_early), matches);

  // 4. Queue the window if it has a long pair.
  if (__any_sync(~0u, is_long))
  {
    detail::queue_window<Action>(queue, path, lists, first_pair, pair, found);
  }
}

/// Maximum number of words of a range, so that the matches of a pair in it are fewer than 2^31.
inline constexpr std::int64_t max_range_words = std::int64_t{1} << 20;

/// Numbers the words of a window's long pairs, of which each lane has one, or none: `lists`. `own` receives the words
/// of the lane's pair, shared_lists[] the pairs of all lanes. Returns the lanes whose pairs are merged.
template <class Action>
MGPU_THRUST_DEVICE unsigned
number_long_words(const list_pair& lists, const queued_window& window, word_range& own, list_pair (&shared_lists)[32])
{
  const segmented_sets_path path = detail::path_of(lists);
  const std::int64_t own_words = detail::num_words<Action>(path, lists);
  detail::warp_number(own_words, own.begin);
  own.begin += window.first_word;
  own.end = own.begin + own_words;
  const unsigned merged_lanes = __ballot_sync(~0u, path == segmented_sets_path::long_merged);
  shared_lists[threadIdx.x % 32] = lists;
  __syncwarp();
  return merged_lanes;
}

/// Finds the matches of the words from `next` on in a part of a window, and adds those of the lane's pair, whose words
/// are `own`, to own_matches. `lists` are the pairs of all lanes. A pair with a match needs no other if that decides.
template <class Action, class Pairs, class Compare>
MGPU_THRUST_DEVICE void find_long_matches(
  Action& action, const Pairs& pairs, const std::int64_t& first_pair, const list_pair (&lists)[32],
  const word_range& own, const unsigned& merged_lanes, const word_range& part, Compare& comp,
  typename long_pair_word<Action, Pairs>::TempStorage& shared, std::int64_t& next, int& own_matches)
{
  using pair_word = long_pair_word<Action, Pairs>;
  [[maybe_unused]] const int lane = static_cast<int>(threadIdx.x % 32);
  path_position position{0, 0};
  for (; next < part.end; ++next)
  {
    const int owner = __popc(__ballot_sync(~0u, own.begin <= next)) - 1;
    if (Action::stops_early && __shfl_sync(~0u, own_matches, owner) != 0)
    {
      continue;
    }
    const bool is_merged = (merged_lanes >> owner) % 2 != 0;
    const pair_word word{pairs, first_pair + owner, lists[owner], next - __shfl_sync(~0u, own.begin, owner)};
    if (word.number == 0 || next == part.begin)
    {
      position = word.number > 0 && is_merged ? word.find(comp) : path_position{0, 0};
    }
    const int matches = is_merged ? word.merge(action, position, comp, shared) : word.search(action, position, comp);
    if constexpr (!Action::visits)
    {
      typename cub::WarpReduce<int>::TempStorage nothing_shared;
      const int of_warp = __shfl_sync(~0u, cub::WarpReduce<int>(nothing_shared).Sum(matches), 0);
      own_matches += lane == owner ? of_warp : 0;
    }
  }
}

/// Finds the matches of long pairs. The words of all windows are divided into equal ranges, which the warps of a grid
/// of any size take.
template <class Action, class Pairs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(long_pairs_shape::threads, long_pairs_shape::blocks_per_multiprocessor)
  long_pairs_kernel(Action action, Pairs given, Compare comp, int pairs_of_window, pair_queue queue)
{
  using shape = long_pairs_shape;
  using pair_word = long_pair_word<Action, std::decay_t<decltype(detail::sized(given))>>;
  using device_number = pair_queue::device_number;
  __shared__ typename pair_word::TempStorage shared_words[shape::warps];
  __shared__ list_pair shared_lists[shape::warps][32];
  static_assert(sizeof(shared_words) + sizeof(shared_lists) + max_shared_bytes_of_function <= max_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the queue is complete
  const std::int64_t queued = *queue.end;
  const std::int64_t all_words = queue.num_words(queued);
  const std::int64_t num_warps = std::int64_t{gridDim.x} * shape::warps;
  const std::int64_t range_words = (min) ((all_words + num_warps - 1) / num_warps, max_range_words);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const auto& pairs = detail::sized(given);
  for (std::int64_t next = (std::int64_t{blockIdx.x} * shape::warps + warp) * range_words; next < all_words;
       next += (num_warps - 1) * range_words)
  {
    // 1. Find the window, the last one that begins at the range or before it.
    const std::int64_t end_of_range = (min) (next + range_words, all_words);
    std::int64_t number = detail::warp_partition_point(
      std::int64_t{1}, queue.num_windows(queued),
      [&](std::int64_t window) { return queue.windows[window].first_word <= next; });
    for (; next < end_of_range; ++number)
    {
      queued_window& window = queue.windows[number - 1];
      const word_range part{next, (min) (end_of_range, window.first_word + window.words)};

      // 2. Number the words of long pairs, of which each lane has one.
      const std::int64_t first_pair = window.first_pair;
      const std::int64_t pair = first_pair + lane;
      const list_pair lists =
        lane < pairs_of_window && pair < pairs.num_pairs ? pairs.pair(pair) : list_pair{0, 0, 0, 0};
      word_range own;
      const unsigned merged_lanes = detail::number_long_words<Action>(lists, window, own, shared_lists[warp]);

      // 3. Find the matches. A pair with a match needs no other if that decides.
      int own_matches = 0;
      if constexpr (Action::stops_early)
      {
        own_matches = own.size() > 0 && device_number(queue.counts[pair]).load(::cuda::memory_order_relaxed) != 0;
      }
      detail::find_long_matches(
        action, pairs, first_pair, shared_lists[warp], own, merged_lanes, part, comp, shared_words[warp], next,
        own_matches);
      __syncwarp(); // the lists are not needed any more

      // 4. Store the results.
      if constexpr (Action::stops_early)
      {
        queue.store_match(action, pair, own_matches);
      }
      else if constexpr (!Action::visits)
      {
        queue.store_counts(action, pair, own, own_matches, window, part, range_words);
      }
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

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
#include <mgpu_thrust/detail/segmented_sets/pair_window.cuh>
#include <mgpu_thrust/detail/segmented_sets/pairs.h>
#include <mgpu_thrust/detail/segmented_sets/tuning.h>

#include <cub/block/block_scan.cuh>

#include <cuda/atomic>
#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Neighbouring pairs of which some are long: their needles, one pair after the other, are in tiles of
/// segmented_sets_shape::items.
struct queued_window
{
  std::int64_t first_tile; ///< the tiles of windows that were queued before
  std::int64_t first_pair;
  std::int64_t needles;
  std::int64_t done_tiles;
};

/// The windows with long pairs, in the order of their tiles, which is that of one atomic number: the tiles of all, shifted,
/// plus the number of windows. At least 32 bits are left for tiles.
struct pair_queue
{
  using device_number = ::cuda::atomic_ref<std::int64_t, ::cuda::thread_scope_device>;

  std::int64_t* end;
  int window_bits; ///< the number of all windows fits in them
  queued_window* windows;
  std::int64_t* needles_before; ///< of each pair of a queued window, the long pairs' needles in the window before it
  std::int64_t* counts;         ///< of each long pair, the matches in tiles that have a part of it

  MGPU_THRUST_DEVICE std::int64_t num_windows(std::int64_t number) const
  {
    return number & ((std::int64_t{1} << window_bits) - 1);
  }
  MGPU_THRUST_DEVICE std::int64_t num_tiles(std::int64_t number) const
  {
    return number >> window_bits;
  }
  /// Adds a window. Called by one thread, when what others read of its pairs is stored.
  MGPU_THRUST_DEVICE void add(std::int64_t first_pair, std::int64_t needles) const
  {
    const std::int64_t tiles = ::cuda::ceil_div(needles, std::int64_t{segmented_sets_shape::items});
    const std::int64_t before = device_number(*end).fetch_add((tiles << window_bits) + 1, ::cuda::memory_order_relaxed);
    windows[num_windows(before)] = {num_tiles(before), first_pair, needles, 0};
  }
};

/// Finds the matches of short pairs, and queues the windows that have longer ones. A block has a window. If the number of
/// pairs is deferred, the grid is for the capacity.
template <class Action, class Pairs, class Compare>
MGPU_THRUST_KERNEL void
__launch_bounds__(segmented_sets_shape::threads, segmented_sets_shape::blocks_per_multiprocessor)
  short_pairs_kernel(Action action, Pairs given, Compare comp, int pairs_of_window, pair_queue queue)
{
  using shape = segmented_sets_shape;
  using window = pair_window<shape::max_pairs * max_short_needles, false>;
  using long_scan = cub::BlockScan<std::int64_t, shape::threads>;
  constexpr int parts = shape::pairs_per_thread;
  __shared__ typename window::TempStorage shared;
  __shared__ typename long_scan::TempStorage shared_scan;
  static_assert(sizeof(shared) + sizeof(shared_scan) + max_shared_bytes_of_function <= max_static_shared_bytes);

  // 1. Read the bounds. If the number of pairs is deferred, surplus blocks return.
  const auto& pairs = detail::sized(given);
  const std::int64_t first_pair = std::int64_t{blockIdx.x} * pairs_of_window;
  if (first_pair >= pairs.num_pairs)
  {
    return;
  }
  const int count = static_cast<int>((min) (pairs.num_pairs - first_pair, std::int64_t{pairs_of_window}));
  const int first_own = static_cast<int>(threadIdx.x) * parts;
  needle_part own[parts];
  std::int64_t long_needles[parts];
#pragma unroll
  for (int k = 0; k < parts; ++k)
  {
    long_needles[k] = 0;
    if (first_own + k < count)
    {
      own[k].lists = pairs.pair(first_pair + first_own + k);
      const std::int64_t needles = own[k].lists.needles();
      const bool is_short = detail::choose_segmented_sets_path(needles) == segmented_sets_path::short_lists;
      own[k].needles = is_short ? static_cast<int>(needles) : 0;
      long_needles[k] = is_short ? 0 : needles;
    }
  }

  // 2. Find the matches of short pairs. Long pairs begin without any.
  window of_block(shared);
  of_block.load(own);
  of_block.process(action, pairs, first_pair, comp);
  bool has_long = false;
#pragma unroll
  for (int k = 0; k < parts; ++k)
  {
    const bool is_long = long_needles[k] > 0;
    has_long |= is_long;
    if constexpr (!Action::visits)
    {
      const std::int64_t pair = first_pair + first_own + k;
      if (first_own + k < count && (!is_long || Action::stops_early))
      {
        action.store(pair, of_block.count(k));
      }
      if (is_long)
      {
        queue.counts[pair] = 0;
      }
    }
  }

  // 3. Queue the window if it has a long pair.
  if (__syncthreads_or(has_long) == 0)
  {
    return;
  }
  std::int64_t needles;
  long_scan(shared_scan).ExclusiveSum(long_needles, long_needles, needles);
#pragma unroll
  for (int k = 0; k < parts; ++k)
  {
    if (first_own + k < count)
    {
      queue.needles_before[first_pair + first_own + k] = long_needles[k];
    }
  }
  if (threadIdx.x == 0)
  {
    queue.add(first_pair, needles);
  }
}

/// Finds the matches of long pairs. Blocks of a grid of any size take tiles of needles in turn.
template <class Action, class Pairs, class Compare>
MGPU_THRUST_KERNEL void
__launch_bounds__(segmented_sets_shape::threads, segmented_sets_shape::blocks_per_multiprocessor)
  long_pairs_kernel(Action action, Pairs given, Compare comp, int pairs_of_window, pair_queue queue)
{
  using shape = segmented_sets_shape;
  using window = pair_window<shape::items, true>;
  constexpr int parts = shape::pairs_per_thread;
  __shared__ typename window::TempStorage shared;
  __shared__ std::int64_t shared_number;
  __shared__ bool shared_is_last;
  static_assert(sizeof(shared) + max_shared_bytes_of_function <= max_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the queue is complete
  const auto& pairs = detail::sized(given);
  const std::int64_t queued = *queue.end;
  const std::int64_t num_windows = queue.num_windows(queued);
  const std::int64_t num_tiles = queue.num_tiles(queued);
  const int first_own = static_cast<int>(threadIdx.x) * parts;
  for (std::int64_t tile = blockIdx.x; tile < num_tiles; tile += gridDim.x)
  {
    // 1. Find the window, the last one that begins at the tile or before it.
    if (threadIdx.x < 32)
    {
      const std::int64_t after = detail::warp_partition_point(
        std::int64_t{1}, num_windows, [&](std::int64_t number) { return queue.windows[number].first_tile <= tile; });
      if (threadIdx.x == 0)
      {
        shared_number = after - 1;
      }
    }
    __syncthreads();
    queued_window& in_queue = queue.windows[shared_number];
    const std::int64_t first_tile = in_queue.first_tile;
    const std::int64_t first_pair = in_queue.first_pair;
    const std::int64_t needles = in_queue.needles;
    const std::int64_t tile_begin = (tile - first_tile) * shape::items;
    const std::int64_t tile_end = (min) (tile_begin + shape::items, needles);
    const int count = static_cast<int>((min) (pairs.num_pairs - first_pair, std::int64_t{pairs_of_window}));

    // 2. Find the parts of the tile. A pair with a match needs no other if that decides.
    std::int64_t begins[parts + 1];
#pragma unroll
    for (int k = 0; k <= parts; ++k)
    {
      begins[k] = first_own + k < count ? queue.needles_before[first_pair + first_own + k] : needles;
    }
    needle_part own[parts];
#pragma unroll
    for (int k = 0; k < parts; ++k)
    {
      const std::int64_t begin = (max) (begins[k], tile_begin);
      const std::int64_t end = (min) (begins[k + 1], tile_end);
      const std::int64_t pair = first_pair + first_own + k;
      bool is_decided = false;
      if constexpr (Action::stops_early)
      {
        is_decided =
          begin < end && pair_queue::device_number(queue.counts[pair]).load(::cuda::memory_order_relaxed) != 0;
      }
      if (begin < end && !is_decided)
      {
        own[k].lists = pairs.pair(pair);
        own[k].skipped = begin - begins[k];
        own[k].needles = static_cast<int>(end - begin);
      }
    }

    // 3. Find their matches.
    window of_block(shared);
    of_block.load(own);
    of_block.process(action, pairs, first_pair, comp);

    // 4. Store the results of pairs that are in this tile alone, and add up those of others.
    if constexpr (!Action::visits)
    {
#pragma unroll
      for (int k = 0; k < parts; ++k)
      {
        const std::int64_t pair = first_pair + first_own + k;
        const int matches = of_block.count(k);
        const pair_queue::device_number pair_count(queue.counts[own[k].needles > 0 ? pair : first_pair]);
        if constexpr (Action::stops_early)
        {
          if (matches > 0)
          {
            action.store(pair, 1);
            pair_count.store(1, ::cuda::memory_order_relaxed);
          }
        }
        else if (own[k].needles > 0)
        {
          if (begins[k] >= tile_begin && begins[k + 1] <= tile_end)
          {
            action.store(pair, matches);
          }
          else
          {
            pair_count.fetch_add(matches, ::cuda::memory_order_relaxed);
          }
        }
      }
    }
    __syncthreads(); // for the next tile, and before the tile is done

    // 5. The last tile of a window to be done stores the results of the others.
    if constexpr (!Action::visits && !Action::stops_early)
    {
      if (threadIdx.x == 0)
      {
        const std::int64_t tiles = ::cuda::ceil_div(needles, std::int64_t{shape::items});
        const std::int64_t done =
          pair_queue::device_number(in_queue.done_tiles).fetch_add(1, ::cuda::memory_order_acq_rel);
        shared_is_last = done + 1 == tiles;
      }
      __syncthreads();
      if (shared_is_last)
      {
#pragma unroll
        for (int k = 0; k < parts; ++k)
        {
          if (begins[k] < begins[k + 1] && begins[k] / shape::items != (begins[k + 1] - 1) / shape::items)
          {
            const std::int64_t pair = first_pair + first_own + k;
            action.store(pair, pair_queue::device_number(queue.counts[pair]).load(::cuda::memory_order_relaxed));
          }
        }
      }
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

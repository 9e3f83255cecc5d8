// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of set operations on pairs of lists that keep matches alone.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/segmented_sets/lists/chunk_sums.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/chunks.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/coresident_chunks.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/kernels.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/serial.h>
#include <mgpu_thrust/detail/segmented_sets/lists/tuning.h>
#include <mgpu_thrust/detail/segmented_sets/pairs.h>
#include <mgpu_thrust/detail/tile/prefetch_element.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

#include <cub/block/block_scan.cuh>

#include <cuda/atomic>

#include <cooperative_groups.h>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The storage of a call, for a grid of up to max_lists_blocks blocks.
struct matches_storage
{
  std::int64_t* counted; ///< by a pass that only counts
  ring_offsets offsets;  ///< of tiles
  chunk_storage chunks;
};

/// Whether outputs are of elements, not of their positions.
template <class Outputs>
inline constexpr bool writes_elements = true;
template <class A, class B>
inline constexpr bool writes_elements<position_outputs<A, B>> = false;

/// Writes the matches, in one pass over the tiles by a co-resident grid, whose first block turns the counts of tiles
/// into offsets. *count receives the number of all elements; if that is more than the largest offset, nothing else is
/// written. So where it may be more, a pass that only counts comes before.
template <class Operation, class Pairs, class Outputs, class Offsets, class Offset, class Compare, class Count>
MGPU_THRUST_KERNEL void
__launch_bounds__(segmented_lists_shape::threads, segmented_lists_shape::blocks_per_multiprocessor)
  write_matches_kernel(
    Pairs given, Outputs outputs, std::int64_t capacity, Offsets offsets, Compare comp, matches_storage storage,
    std::int64_t max_offset, Count* count)
{
  constexpr int threads = segmented_lists_shape::threads;
  constexpr int posting_thread = 32; // as the first warp finds the next tile
  using chunks = coresident_chunks<Operation, sized_t<Pairs>, Compare>;
  using block_scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename chunks::TempStorage shared;
  __shared__ typename block_scan::TempStorage shared_scan;
  __shared__ std::int64_t shared_offset;
  __shared__ kept_element shared_kept[threads * max_kept_of_chunk<Operation>];
  static_assert(
    sizeof(shared) + sizeof(shared_scan) + sizeof(shared_kept) + max_shared_bytes_of_function
    <= max_static_shared_bytes);

  // 1. Add up the chunks. The count may be stored where the number of pairs was when all blocks have read that.
  const int thread = static_cast<int>(threadIdx.x);
  const int worker = detail::spread_number() - 1;
  const ring_offsets& ring = storage.offsets;
  const bool is_worker = 0 <= worker && worker < ring.workers();
  if (thread == 0 && is_worker)
  {
    ring.clear(worker);
  }
  if (thread == 0 && worker < 0)
  {
    *storage.counted = 0;
  }
  const sized_t<Pairs> pairs = detail::sized(given);
  chunks all(shared, pairs, storage.chunks, comp);
  const auto arrays = pairs.inputs(list_pair{0, 0, 0, 0});

  for (bool only_counts = all.room() > max_offset;; only_counts = false)
  {
    // 2. Turn the counts of tiles into offsets. Lists that are not sorted may have more matches than there is room for.
    if (worker < 0 && !only_counts)
    {
      if (thread < 32)
      {
        const std::int64_t total = (min) (ring.serve(all.tiles()), all.room());
        if (thread == 0)
        {
          if (count != nullptr)
          {
            *count = detail::saturated_index<Count>(total);
          }
          *(offsets + pairs.num_pairs) = static_cast<Offset>(total);
        }
      }
      return;
    }

    // 3. While the offset of a tile is not known, decide on the next one.
    std::int64_t counted = 0;
    int kept_before = 0;
    int kept_of_tile = 0;
    struct
    {
      int kept = -1; // none
      int before;
      std::int64_t pair; // whose offset the thread stores, or -1
      int turn;
    } last;
    const auto write_last = [&]
    {
      const std::int64_t offset = shared_offset;
      if (last.pair >= 0)
      {
        *(offsets + last.pair) = static_cast<Offset>((min) (offset + last.before, all.room()));
      }
      if (thread < 32)
      {
        return; // the first warp finds a tile meanwhile
      }
      const std::int64_t room = (min) (all.room(), capacity);
      const int end = static_cast<int>(detail::clamp_index(room - offset, 0, last.kept));
      if constexpr (writes_elements<Outputs>)
      {
        // The L1 cache does not have them any more.
        for (int k = thread - 32; k < end; k += threads - 32)
        {
          const kept_element element = shared_kept[k];
          detail::prefetch_element(arrays.a, shared.a_begins[last.turn][element.chunk()] + element.i());
        }
      }
      for (int k = thread - 32; k < end; k += threads - 32)
      {
        const kept_element element = shared_kept[k];
        const std::int64_t i = shared.a_begins[last.turn][element.chunk()] + element.i();
        const std::int64_t j = shared.b_begins[last.turn][element.chunk()] + element.j();
        detail::write_kept_element(Operation{}, element.step(), arrays, i, j, detail::outputs_at(outputs, offset + k));
      }
    };
    const auto post = [&](const list_chunk& own, int turn)
    {
      block_scan(shared_scan).ExclusiveSum(own.decisions.kept(), kept_before, kept_of_tile);
      if (only_counts)
      {
        counted += kept_of_tile;
        return;
      }
      if (thread == posting_thread)
      {
        if (last.kept >= 0)
        {
          shared_offset = ring.wait(worker, 1 - turn);
        }
        ring.post(worker, turn, kept_of_tile);
      }
      __syncthreads();
    };
    const auto write = [&](const list_chunk& own, int turn)
    {
      if (only_counts)
      {
        return;
      }
      if (last.kept >= 0)
      {
        write_last();
        __syncthreads();
      }

      // 4. Put the elements of the tile in order.
      kept_element* next = shared_kept + kept_before;
      own.decisions.for_each_kept(
        Operation{},
        [&](list_step step, int i, int j) { *next++ = kept_element(static_cast<int>(threadIdx.x), step, i, j); });
      last.kept = kept_of_tile;
      last.before = kept_before;
      last.pair = own.is_first ? own.pair : -1;
      last.turn = turn;
    };
    if (is_worker)
    {
      all.for_each_tile(worker, ring.workers(), post, write);
      if (last.kept >= 0)
      {
        if (thread == posting_thread)
        {
          shared_offset = ring.wait(worker, last.turn);
        }
        __syncthreads();
        write_last();
      }
    }
    if (!only_counts)
    {
      return;
    }

    // 5. Leave if there are too many elements.
    ::cuda::atomic_ref<std::int64_t, ::cuda::thread_scope_device> total_word(*storage.counted);
    if (thread == 0 && is_worker)
    {
      total_word.fetch_add(counted, ::cuda::memory_order_relaxed);
    }
    cooperative_groups::this_grid().sync();
    const std::int64_t total = (min) (total_word.load(::cuda::memory_order_relaxed), all.room());
    if (total > max_offset)
    {
      if (thread == 0 && worker < 0 && count != nullptr)
      {
        *count = detail::saturated_index<Count>(total);
      }
      return;
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

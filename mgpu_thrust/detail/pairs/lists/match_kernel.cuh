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
#include <mgpu_thrust/detail/driver/ring_offsets.cuh>
#include <mgpu_thrust/detail/pairs/lists/chunk_sums.cuh>
#include <mgpu_thrust/detail/pairs/lists/chunks.cuh>
#include <mgpu_thrust/detail/pairs/lists/coresident_chunks.cuh>
#include <mgpu_thrust/detail/pairs/lists/kernels.cuh>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/lists/tuning.h>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/tile/load/prefetch_element.cuh>

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

  /// Clears what is of a worker, or of the block that serves, -1, before a grid barrier.
  MGPU_THRUST_DEVICE void clear(int worker) const
  {
    const bool is_first = threadIdx.x == 0;
    if (is_first && worker < 0)
    {
      *counted = 0;
    }
    else if (is_first && worker < offsets.workers())
    {
      offsets.clear(worker);
    }
  }
  /// Returns the sum of what the blocks of the grid have counted; called by all their threads.
  MGPU_THRUST_DEVICE std::int64_t add_up(std::int64_t of_block) const
  {
    ::cuda::atomic_ref<std::int64_t, ::cuda::thread_scope_device> sum(*counted);
    if (threadIdx.x == 0)
    {
      sum.fetch_add(of_block, ::cuda::memory_order_relaxed);
    }
    cooperative_groups::this_grid().sync();
    return sum.load(::cuda::memory_order_relaxed);
  }
};

/// Whether outputs are of elements, not of their positions.
template <class Outputs>
inline constexpr bool writes_elements = true;
template <class A, class B>
inline constexpr bool writes_elements<position_outputs<A, B>> = false;

/// The tiles of a block of a co-resident grid, one after the other: it posts how many elements a tile keeps, and writes
/// them after it has decided on its next tile, as their offset is known then. Or it only counts them.
template <class Operation, class Chunks, class Arrays, class Outputs, class Offsets, class Offset>
class matches_of_block
{
  static constexpr int threads = segmented_lists_shape::threads;
  static constexpr int posting_thread = 32; // as the first warp finds the next tile
  using block_scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;

public:
  struct TempStorage
  {
    typename block_scan::TempStorage scan;
    std::int64_t offset;
    kept_element kept[threads * max_kept_of_chunk<Operation>];
  };

  MGPU_THRUST_DEVICE matches_of_block(
    TempStorage& shared, const typename Chunks::TempStorage& chunks, const Arrays& arrays, const Outputs& outputs,
    const Offsets& offsets, std::int64_t room, std::int64_t capacity, const ring_offsets& ring, int worker,
    bool only_counts)
      : shared_(shared)
      , chunks_(chunks)
      , arrays_(arrays)
      , outputs_(outputs)
      , offsets_(offsets)
      , room_(room)
      , capacity_(capacity)
      , ring_(ring)
      , worker_(worker)
      , only_counts_(only_counts)
  {
  }

  /// The elements that it has counted.
  MGPU_THRUST_DEVICE std::int64_t counted() const
  {
    return counted_;
  }
  /// Posts what the tile of a turn keeps, and waits for the offset of the tile before it.
  MGPU_THRUST_DEVICE void post(const list_chunk& own, int turn)
  {
    block_scan(shared_.scan).ExclusiveSum(own.decisions.kept(), kept_before_, kept_of_tile_);
    if (only_counts_)
    {
      counted_ += kept_of_tile_;
      return;
    }
    if (static_cast<int>(threadIdx.x) == posting_thread)
    {
      if (last_.kept >= 0)
      {
        shared_.offset = ring_.wait(worker_, 1 - turn);
      }
      ring_.post(worker_, turn, kept_of_tile_);
    }
    __syncthreads();
  }
  /// Writes what the tile before keeps, and puts the elements of this one in order.
  MGPU_THRUST_DEVICE void write(const list_chunk& own, int turn)
  {
    if (only_counts_)
    {
      return;
    }
    if (last_.kept >= 0)
    {
      write_last();
      __syncthreads();
    }
    detail::put_kept(Operation{}, own.decisions, shared_.kept + kept_before_);
    last_.kept = kept_of_tile_;
    last_.before = kept_before_;
    last_.pair = own.is_first ? own.pair : -1;
    last_.turn = turn;
  }
  /// Waits for the offset of the last tile, and writes what that keeps.
  MGPU_THRUST_DEVICE void finish()
  {
    if (last_.kept >= 0)
    {
      if (static_cast<int>(threadIdx.x) == posting_thread)
      {
        shared_.offset = ring_.wait(worker_, last_.turn);
      }
      __syncthreads();
      write_last();
    }
  }

private:
  /// Writes what the last tile keeps, by all warps but the first, which finds a tile meanwhile.
  MGPU_THRUST_DEVICE void write_last() const
  {
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t offset = shared_.offset;
    if (last_.pair >= 0)
    {
      *(offsets_ + last_.pair) = static_cast<Offset>((min) (offset + last_.before, room_));
    }
    if (thread < 32)
    {
      return;
    }
    const std::int64_t* const a_begins = chunks_.a_begins[last_.turn];
    const int end = static_cast<int>(detail::clamp_index((min) (room_, capacity_) - offset, 0, last_.kept));
    if constexpr (writes_elements<Outputs>)
    {
      // The L1 cache does not have them any more.
      for (int k = thread - 32; k < end; k += threads - 32)
      {
        const kept_element element = shared_.kept[k];
        detail::prefetch_element(arrays_.a, a_begins[element.chunk()] + element.i());
      }
    }
    for (int k = thread - 32; k < end; k += threads - 32)
    {
      detail::write_kept_element(
        Operation{}, shared_.kept[k], a_begins, chunks_.b_begins[last_.turn], arrays_,
        detail::outputs_at(outputs_, offset + k));
    }
  }

  TempStorage& shared_;
  const typename Chunks::TempStorage& chunks_;
  const Arrays& arrays_;
  const Outputs& outputs_;
  const Offsets& offsets_;
  std::int64_t room_;
  std::int64_t capacity_;
  const ring_offsets& ring_;
  int worker_;
  bool only_counts_;
  std::int64_t counted_ = 0;
  int kept_before_ = 0;
  int kept_of_tile_ = 0;
  struct
  {
    int kept = -1; // none
    int before;
    std::int64_t pair; // whose offset the thread stores, or -1
    int turn;
  } last_;
};

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
  using chunks = coresident_chunks<Operation, sized_t<Pairs>, Compare>;
  using arrays_type = decltype(given.inputs(list_pair{0, 0, 0, 0}));
  using matches = matches_of_block<Operation, chunks, arrays_type, Outputs, Offsets, Offset>;
  __shared__ typename chunks::TempStorage shared;
  __shared__ typename matches::TempStorage shared_matches;
  static_assert(sizeof(shared) + sizeof(shared_matches) + max_shared_bytes_of_function <= max_static_shared_bytes);

  // 1. Add up the chunks. The count may be stored where the number of pairs was when all blocks have read that.
  const int thread = static_cast<int>(threadIdx.x);
  const int worker = detail::spread_number() - 1;
  const ring_offsets& ring = storage.offsets;
  storage.clear(worker);
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
          detail::store_list_total<Offset>(total, max_offset, offsets + pairs.num_pairs, count);
        }
      }
      return;
    }

    // 3. Write what tiles keep, or count it.
    matches of_block(shared_matches, shared, arrays, outputs, offsets, all.room(), capacity, ring, worker, only_counts);
    if (0 <= worker && worker < ring.workers())
    {
      all.for_each_tile(
        worker, ring.workers(), [&](const list_chunk& own, int turn) { of_block.post(own, turn); },
        [&](const list_chunk& own, int turn) { of_block.write(own, turn); });
      of_block.finish();
    }
    if (!only_counts)
    {
      return;
    }

    // 4. Leave if there are too many elements.
    const std::int64_t total = (min) (storage.add_up(of_block.counted()), all.room());
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

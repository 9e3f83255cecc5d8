// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The chunks of all pairs, which the blocks of a co-resident grid take in turn.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/pairs/lists/chunk_sums.cuh>
#include <mgpu_thrust/detail/pairs/lists/chunks.cuh>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/lists/tuning.h>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/tile/load/prefetch_element.cuh>

#include <cub/block/block_scan.cuh>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns where the path of a pair has a number of steps, to all lanes of a full warp: most likely
/// near the same share of both lists.
template <class Operation, class Inputs, class Compare>
MGPU_THRUST_DEVICE set_position
warp_cut_lists_near(Operation operation, const Inputs& inputs, std::int64_t steps, Compare& comp)
{
  const std::int64_t begin = steps > inputs.b_count ? steps - inputs.b_count : 0;
  const std::int64_t end = steps < inputs.a_count ? steps : inputs.a_count;
  const float ratio = static_cast<float>(inputs.a_count) / static_cast<float>(inputs.a_count + inputs.b_count);
  const float in_range = static_cast<float>(steps) * ratio - static_cast<float>(begin);
  const std::int64_t i = detail::warp_partition_point_after(
    begin, end, in_range / static_cast<float>(end - begin + 1),
    [&](std::int64_t own)
    { return !comp(detail::element(inputs.b, steps - 1 - own), detail::element(inputs.a, own)); });
  const auto point = detail::operation_path_from(operation, inputs.a, i, inputs.b, inputs.b_count, steps - i, comp);
  return {point.a_index, point.b_index};
}

/// The chunks of all pairs, tile by tile, for a co-resident grid whose blocks take tiles in turn.
template <class Operation, class Pairs, class Compare>
class coresident_chunks
{
  static constexpr int threads = segmented_lists_shape::threads;
  using pair_sums = chunk_sums<Operation, Pairs>;
  using end_scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;

public:
  struct TempStorage
  {
    typename pair_sums::TempStorage sums;
    typename end_scan::TempStorage scan;
    chunk_tile tiles[3];  ///< this tile and the next two, in turn
    group_position group; ///< where the second next tile begins
    int ends[threads];    ///< where each pair of the tile ends, as chunks of the tile, clamped to threads + 1
    /// Where the elements of each chunk begin in the arrays of all lists: of this tile and the one before, in turn.
    std::int64_t a_begins[2][threads];
    std::int64_t b_begins[2][threads];
  };

  using chunk = list_chunk;

  /// Adds up the chunks of all pairs, and waits for all blocks of the co-resident grid.
  MGPU_THRUST_DEVICE
  coresident_chunks(TempStorage& shared, const Pairs& pairs, const chunk_storage& storage, Compare& comp)
      : shared_(shared)
      , pairs_(pairs)
      , sums_(shared.sums, pairs, storage)
      , comp_(comp)
  {
  }

  MGPU_THRUST_DEVICE std::int64_t tiles() const
  {
    return ::cuda::ceil_div(sums_.all().chunks, std::int64_t{threads});
  }
  /// The elements that sorted lists have in their results at most.
  MGPU_THRUST_DEVICE std::int64_t room() const
  {
    return sums_.all().room;
  }

  /// Calls decided(chunk, turn) and then written(chunk, turn) for the chunks of the tiles first, first + stride, and so
  /// on; turn is 0 and 1 alternately, and the begins of chunks are those of this turn and the last. Both may
  /// synchronise the block, and decided() does. A thread without a chunk has an empty one. In between the first warp
  /// finds the second next tile, and all threads read the bounds of the next tile's pairs.
  template <class Decided, class Written>
  MGPU_THRUST_DEVICE void for_each_tile(std::int64_t first_tile, int stride, Decided decided, Written written)
  {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < 32)
    {
      for (int k = 0; k < 2; ++k)
      {
        find_group(first_tile + k * stride);
        find_tile(shared_.tiles[k], first_tile + k * stride);
      }
    }
    __syncthreads();
    int slot = 0;
    int turn = 0;
    list_pair lists = read_pair(first_tile, shared_.tiles[0]);
    for (std::int64_t number = first_tile; number < tiles(); number += stride)
    {
      // 1. Find the ends of the tile's pairs, which are as many at most as it has chunks.
      const chunk_tile& tile = shared_.tiles[slot];
      const bool has_pair = tile.position.pair + thread < pairs_.num_pairs;
      std::int64_t chunks = has_pair ? detail::count_chunks<Operation>(lists) : threads + 1;
      chunks += thread == 0 ? tile.position.begin : 0;
      int end;
      end_scan(shared_.scan).InclusiveSum(static_cast<int>((min) (chunks, std::int64_t{threads + 1})), end);
      shared_.ends[thread] = (min) (end, threads + 1);
      __syncthreads();

      // 2. Decide on the thread's chunk.
      const tile_chunks<Operation, Pairs, Compare> tile_of_block{
        pairs_, comp_, tile, shared_.ends, shared_.a_begins[turn], shared_.b_begins[turn]};
      const chunk own = tile_of_block.decide(
        number * threads + thread < sums_.all().chunks,
        [&](std::int64_t pair, int rank) { return rank == thread ? lists : pairs_.pair(pair); },
        [&](const auto& inputs, set_position first, std::int64_t steps)
        { return detail::cut_lists_from(Operation{}, inputs, first, steps, comp_); });
      decided(own, turn);

      // 3. Prepare for the next tiles.
      const int next_slot = slot == 2 ? 0 : slot + 1;
      const std::int64_t second_next = number + 2 * std::int64_t{stride};
      lists = read_pair(number + stride, shared_.tiles[next_slot]);
      if (thread < 32)
      {
        find_group(second_next);
      }
      written(own, turn);
      prefetch_elements(lists);
      if (thread < 32)
      {
        find_tile(shared_.tiles[next_slot == 2 ? 0 : next_slot + 1], second_next);
      }
      __syncthreads();
      slot = next_slot;
      turn = 1 - turn;
    }
  }

private:
  /// Returns the thread's pair of a tile, or an empty one.
  MGPU_THRUST_DEVICE list_pair read_pair(std::int64_t number, const chunk_tile& tile) const
  {
    const std::int64_t pair = number < tiles() ? tile.position.pair + static_cast<int>(threadIdx.x) : pairs_.num_pairs;
    return pair < pairs_.num_pairs ? pairs_.pair(pair) : list_pair{0, 0, 0, 0};
  }
  /// Prefetches the first elements of a pair.
  MGPU_THRUST_DEVICE void prefetch_elements(const list_pair& lists) const
  {
    if (lists.a_count > 0)
    {
      detail::prefetch_element(pairs_.a.elements, lists.a_begin);
    }
    if (lists.b_count > 0)
    {
      detail::prefetch_element(pairs_.b.elements, lists.b_begin);
    }
  }
  /// Finds the group where a tile begins, if there is one; called by a warp.
  MGPU_THRUST_DEVICE void find_group(std::int64_t number) const
  {
    if (number < tiles())
    {
      const group_position group = sums_.find_group(number * threads);
      if (threadIdx.x == 0)
      {
        shared_.group = group;
      }
      __syncwarp();
    }
  }
  /// Finds where a tile begins, if there is one, after find_group(); called by a warp.
  MGPU_THRUST_DEVICE void find_tile(chunk_tile& tile, std::int64_t number) const
  {
    if (number >= tiles())
    {
      return;
    }
    const chunk_position position = sums_.find_pair(shared_.group);
    __syncwarp();
    set_position cut{0, 0};
    if (position.begin < 0)
    {
      const list_work<Operation> work(pairs_.pair(position.pair), min_needle_ratio);
      if (work.side() == short_side::none)
      {
        cut = detail::warp_cut_lists_near(
          Operation{}, pairs_.inputs(work.lists), -position.begin * segmented_lists_shape::path_steps, comp_);
      }
    }
    if (threadIdx.x == 0)
    {
      tile = {position, cut};
    }
  }

  TempStorage& shared_;
  const Pairs& pairs_;
  const pair_sums sums_;
  Compare& comp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

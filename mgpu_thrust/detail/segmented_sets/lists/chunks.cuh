// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The work of pairs of lists in chunks of one thread each, and what a thread keeps of its chunk.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/chunk_sums.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/serial.h>
#include <mgpu_thrust/detail/segmented_sets/lists/tuning.h>
#include <mgpu_thrust/detail/segmented_sets/pairs.h>
#include <mgpu_thrust/detail/segmented_sets/serial.h>
#include <mgpu_thrust/detail/tile/prefetch_element.cuh>

#include <cub/block/block_scan.cuh>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A step of a chunk: an element of A, one of B, or a match of both.
enum class list_step
{
  of_a,
  of_b,
  match
};

/// Whether an operation keeps the element of a step.
template <class Operation>
MGPU_THRUST_DEVICE constexpr bool keeps_list_step(list_step step)
{
  return step == list_step::of_a   ? Operation::keeps_unmatched_a
         : step == list_step::of_b ? Operation::keeps_unmatched_b
                                   : Operation::keeps_matched;
}

/// The steps of a chunk, two bits each, until either list has no element left, whose rest has no match.
class chunk_decisions
{
public:
  /// The chunk of a needle: an element of A that has no match, one of B, or both, which are a match.
  template <class Operation>
  MGPU_THRUST_DEVICE void set_needle(Operation, bool has_a, bool has_b)
  {
    const bool is_match = has_a && has_b;
    a_count_ = has_a ? 1 : 0;
    b_count_ = has_b ? 1 : 0;
    num_steps_ = is_match ? 1 : 0;
    steps_ = static_cast<std::uint64_t>(list_step::match);
    kept_ = is_match ? Operation::keeps_matched
                     : (has_a && Operation::keeps_unmatched_a) || (has_b && Operation::keeps_unmatched_b);
  }
  /// The chunk of a piece of the path.
  template <class Operation, class A, class B, class Compare>
  MGPU_THRUST_DEVICE void walk(Operation, A a, int a_count, B b, int b_count, Compare& comp)
  {
    int i = 0;
    int j = 0;
    while (i < a_count && j < b_count)
    {
      const list_step step = next_step(Operation{}, detail::element(a, i), detail::element(b, j), comp);
      steps_ |= static_cast<std::uint64_t>(step) << (2 * num_steps_);
      ++num_steps_;
      kept_ += detail::keeps_list_step<Operation>(step) ? 1 : 0;
      i += step != list_step::of_b ? 1 : 0;
      j += step != list_step::of_a ? 1 : 0;
    }
    kept_ += (Operation::keeps_unmatched_a ? a_count - i : 0) + (Operation::keeps_unmatched_b ? b_count - j : 0);
    a_count_ = a_count;
    b_count_ = b_count;
  }

  /// The number of elements that are kept.
  MGPU_THRUST_DEVICE int kept() const
  {
    return kept_;
  }
  /// Calls f(step, i, j) for each element that is kept, in order.
  template <class Operation, class Function>
  MGPU_THRUST_DEVICE void for_each_kept(Operation, Function f) const
  {
    int i = 0;
    int j = 0;
    for (int k = 0; k < num_steps_; ++k)
    {
      const auto step = static_cast<list_step>((steps_ >> (2 * k)) & 3);
      if (detail::keeps_list_step<Operation>(step))
      {
        f(step, i, j);
      }
      i += step != list_step::of_b ? 1 : 0;
      j += step != list_step::of_a ? 1 : 0;
    }
    for (; Operation::keeps_unmatched_a && i < a_count_; ++i)
    {
      f(list_step::of_a, i, j);
    }
    for (; Operation::keeps_unmatched_b && j < b_count_; ++j)
    {
      f(list_step::of_b, i, j);
    }
  }

private:
  template <class Operation, class X, class Y, class Compare>
  MGPU_THRUST_DEVICE static list_step next_step(Operation, const X& x, const Y& y, Compare& comp)
  {
    if constexpr (Operation::matches)
    {
      const bool is_before = comp(x, y);
      const bool is_after = comp(y, x);
      return is_before ? list_step::of_a : is_after ? list_step::of_b : list_step::match;
    }
    else
    {
      return comp(y, x) ? list_step::of_b : list_step::of_a;
    }
  }
  static_assert(segmented_lists_shape::path_steps < 32, "a starred cut adds a step, and all fit 64 bits");

  std::uint64_t steps_ = 0;
  int num_steps_ = 0;
  int a_count_ = 0;
  int b_count_ = 0;
  int kept_ = 0;
};

/// What an operation does with a needle.
template <class Operation>
struct needle_chunk
{
  static_assert(
    Operation::matches || Operation::keeps_unmatched_a == Operation::keeps_unmatched_b,
    "a search has a specialisation, beside its kernel");

  /// Searches for a needle, and decides on it. Returns its position, and that of its match.
  template <class Inputs, class Compare>
  MGPU_THRUST_DEVICE static set_position
  decide(const Inputs& inputs, short_side side, std::int64_t needle, Compare& comp, chunk_decisions& decisions)
  {
    std::int64_t match = -1;
    const auto on_match = [&](std::int64_t, std::int64_t position)
    {
      match = position;
      return true;
    };
    const bool is_a = side == short_side::a;
    if (is_a)
    {
      detail::bisect_matches(inputs.a, needle, needle + 1, inputs.b, inputs.b_count, comp, on_match);
    }
    else
    {
      detail::bisect_matches(inputs.b, needle, needle + 1, inputs.a, inputs.a_count, comp, on_match);
    }
    decisions.set_needle(Operation{}, is_a || match >= 0, match >= 0);
    const std::int64_t found = match >= 0 ? match : 0;
    return {is_a ? needle : found, is_a ? found : needle};
  }
};

/// Returns where the path of a pair has a number of steps, to all lanes of a full warp.
template <class Operation, class Inputs, class Compare>
MGPU_THRUST_DEVICE set_position
warp_cut_lists(Operation operation, const Inputs& inputs, std::int64_t steps, Compare& comp)
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

/// Returns where it has a number of steps, given a point of it at the same step or before.
template <class Operation, class Inputs, class Compare>
MGPU_THRUST_DEVICE set_position
cut_lists_from(Operation operation, const Inputs& inputs, set_position from, std::int64_t steps, Compare& comp)
{
  const auto rest = inputs.piece(from.i, from.j, inputs.a_count, inputs.b_count, inputs.a_count + inputs.b_count);
  const std::int64_t diagonal = detail::clamp_index(steps - from.i - from.j, 0, rest.a_count + rest.b_count);
  const set_position found = detail::cut_lists(operation, rest, diagonal, comp);
  return {from.i + found.i, from.j + found.j};
}

/// The chunks of all pairs, tile by tile. A tile has a chunk for each thread of a block.
template <class Operation, class Pairs, class Compare>
class block_chunks
{
  static constexpr int threads = segmented_lists_shape::threads;
  using pair_sums = chunk_sums<Operation, Pairs>;
  using end_scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;

  /// Where a tile begins.
  struct tile_begin
  {
    chunk_position position;
    set_position cut; ///< on the path of the pair, if it has one
  };

public:
  struct TempStorage
  {
    typename pair_sums::TempStorage sums;
    typename end_scan::TempStorage scan;
    tile_begin tiles[3];    ///< this tile and the next two, in turn
    window_position window; ///< where the second next tile begins
    int ends[threads];      ///< where each pair of the tile ends, as chunks of the tile, clamped to threads + 1
    /// Where the elements of each chunk begin in the arrays of all lists: of this tile and the one before, in turn.
    std::int64_t a_begins[2][threads];
    std::int64_t b_begins[2][threads];
  };

  /// What a thread has of a tile.
  struct chunk
  {
    std::int64_t pair;
    list_pair lists;
    bool is_first; ///< of the pair's chunks
    int turn;      ///< of the tile, 0 or 1
    chunk_decisions decisions;
  };

  /// Adds up the chunks of all pairs, and waits for all blocks of the co-resident grid.
  MGPU_THRUST_DEVICE
  block_chunks(TempStorage& shared, const Pairs& pairs, const chunk_storage& storage, Compare& comp)
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

  /// Calls decided(chunk) and then written(chunk) for the chunks of the tiles first, first + stride, and so on. Both may
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
        find_window(first_tile + k * stride);
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
      const tile_begin& tile = shared_.tiles[slot];
      const bool has_pair = tile.position.pair + thread < pairs_.num_pairs;
      std::int64_t chunks = has_pair ? detail::chunks_of_pair<Operation>(lists) : threads + 1;
      chunks += thread == 0 ? tile.position.begin : 0;
      int end;
      end_scan(shared_.scan).InclusiveSum(static_cast<int>((min) (chunks, std::int64_t{threads + 1})), end);
      shared_.ends[thread] = (min) (end, threads + 1);
      __syncthreads();

      // 2. Find the thread's chunk, and decide on a needle.
      const bool has_chunk = number * threads + thread < sums_.all().chunks;
      const int rank = has_chunk ? rank_of(thread) : 0;
      chunk own;
      own.pair = tile.position.pair + rank;
      own.turn = turn;
      own.lists = !has_chunk ? list_pair{0, 0, 0, 0} : rank == thread ? lists : pairs_.pair(own.pair);
      const list_work<Operation> work(own.lists);
      const short_side side = work.side();
      const std::int64_t pair_begin = rank > 0 ? shared_.ends[rank - 1] : tile.position.begin;
      const std::int64_t begin = has_chunk ? (thread - pair_begin) * detail::chunk_steps(side) : 0;
      own.is_first = has_chunk && begin == 0;
      const auto inputs = pairs_.inputs(own.lists);
      set_position first{0, 0};
      if (side != short_side::none)
      {
        if (begin < work.all_steps())
        {
          first = needle_chunk<Operation>::decide(inputs, side, begin, comp_, own.decisions);
        }
      }
      else if (begin > 0)
      {
        const set_position from = rank == 0 ? tile.cut : set_position{0, 0};
        first = thread == 0 ? from : detail::cut_lists_from(Operation{}, inputs, from, begin, comp_);
      }
      shared_.a_begins[turn][thread] = own.lists.a_begin + first.i;
      shared_.b_begins[turn][thread] = own.lists.b_begin + first.j;
      __syncthreads();

      // 3. Walk along the path, to where the next chunk of the pair begins.
      if (side == short_side::none)
      {
        set_position last{own.lists.a_count, own.lists.b_count};
        const std::int64_t next_begin = begin + segmented_lists_shape::path_steps;
        if (next_begin < work.all_steps())
        {
          if (thread + 1 < threads)
          {
            last.i = shared_.a_begins[turn][thread + 1] - own.lists.a_begin;
            last.j = shared_.b_begins[turn][thread + 1] - own.lists.b_begin;
          }
          else
          {
            last = detail::cut_lists_from(Operation{}, inputs, first, next_begin, comp_);
          }
        }
        // A starred cut adds a step.
        const auto piece = inputs.piece(first.i, first.j, last.i, last.j, segmented_lists_shape::path_steps + 1);
        own.decisions.walk(
          Operation{}, piece.a, static_cast<int>(piece.a_count), piece.b, static_cast<int>(piece.b_count), comp_);
      }
      decided(own);

      // 4. Prepare for the next tiles.
      const int next_slot = slot == 2 ? 0 : slot + 1;
      const std::int64_t second_next = number + 2 * std::int64_t{stride};
      lists = read_pair(number + stride, shared_.tiles[next_slot]);
      if (thread < 32)
      {
        find_window(second_next);
      }
      written(own);
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
  MGPU_THRUST_DEVICE list_pair read_pair(std::int64_t number, const tile_begin& tile) const
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
  /// Finds the window where a tile begins, if there is one; called by a warp.
  MGPU_THRUST_DEVICE void find_window(std::int64_t number) const
  {
    if (number < tiles())
    {
      const window_position window = sums_.find_window(number * threads);
      if (threadIdx.x == 0)
      {
        shared_.window = window;
      }
      __syncwarp();
    }
  }
  /// Finds where a tile begins, if there is one, after find_window(); called by a warp.
  MGPU_THRUST_DEVICE void find_tile(tile_begin& tile, std::int64_t number) const
  {
    if (number >= tiles())
    {
      return;
    }
    const chunk_position position = sums_.find_pair(shared_.window);
    __syncwarp();
    set_position cut{0, 0};
    if (position.begin < 0)
    {
      const list_work<Operation> work(pairs_.pair(position.pair));
      if (work.side() == short_side::none)
      {
        cut = detail::warp_cut_lists(
          Operation{}, pairs_.inputs(work.lists), -position.begin * segmented_lists_shape::path_steps, comp_);
      }
    }
    if (threadIdx.x == 0)
    {
      tile = {position, cut};
    }
  }
  /// Returns the number of the tile's pairs that end before a chunk. Often each has one chunk.
  MGPU_THRUST_DEVICE int rank_of(int number) const
  {
    if (shared_.ends[number] > number && (number == 0 || shared_.ends[number - 1] <= number))
    {
      return number;
    }
    return detail::partition_point(0, threads, [&](int k) { return shared_.ends[k] <= number; });
  }

  TempStorage& shared_;
  const Pairs& pairs_;
  const pair_sums sums_;
  Compare& comp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

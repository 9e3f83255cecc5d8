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
#include <mgpu_thrust/detail/pairs/choice.h>
#include <mgpu_thrust/detail/pairs/count/serial.h>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/lists/tuning.h>
#include <mgpu_thrust/detail/pairs/pairs.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// The work of a pair is divided into chunks: parts of the path of both lists, or needles. Each pair has one at least,
// in which its offset is written. A tile has a chunk for each thread of a block.

/// The number of steps of a chunk.
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t chunk_steps(short_side needles)
{
  return detail::choose_segmented_lists_path(needles) == segmented_lists_path::walk ? segmented_lists_shape::path_steps
                                                                                    : 1;
}

/// Returns the number of chunks of a pair.
template <class Operation>
MGPU_THRUST_DEVICE std::int64_t count_chunks(const list_pair& lists)
{
  const list_work<Operation> work(lists, min_needle_ratio);
  const std::int64_t steps = work.all_steps();
  const std::int64_t chunks = detail::chunk_steps(work.side()) == 1
                                ? steps
                                : ::cuda::ceil_div(steps, std::int64_t{segmented_lists_shape::path_steps});
  return chunks > 0 ? chunks : 1;
}

/// The number of chunks of a pair; 0 for numbers from the actual number of pairs on, up to the capacity.
template <class Operation, class Pairs>
struct chunks_of_pair
{
  Pairs given;

  MGPU_THRUST_DEVICE std::int64_t operator()(std::int64_t pair) const
  {
    const auto& pairs = detail::sized(given);
    return pair < pairs.num_pairs ? detail::count_chunks<Operation>(pairs.pair(pair)) : 0;
  }
};

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

/// Returns where the path of a pair has a number of steps, to all lanes of a full warp, given a point of it at the same
/// step or before.
template <class Operation, class Inputs, class Compare>
MGPU_THRUST_DEVICE set_position
warp_cut_lists(Operation operation, const Inputs& inputs, set_position from, std::int64_t steps, Compare& comp)
{
  const auto a = inputs.a + from.i;
  const auto b = inputs.b + from.j;
  const std::int64_t a_count = inputs.a_count - from.i;
  const std::int64_t b_count = inputs.b_count - from.j;
  const std::int64_t diagonal = detail::clamp_index(steps - from.i - from.j, 0, a_count + b_count);
  const std::int64_t i = detail::warp_merge_path(a, a_count, b, b_count, diagonal, comp);
  const auto point = detail::operation_path_from(operation, a, i, b, b_count, diagonal - i, comp);
  return {from.i + point.a_index, from.j + point.b_index};
}

/// The same of one thread.
template <class Operation, class Inputs, class Compare>
MGPU_THRUST_DEVICE set_position
cut_lists_from(Operation operation, const Inputs& inputs, set_position from, std::int64_t steps, Compare& comp)
{
  const auto rest = inputs.piece(from.i, from.j, inputs.a_count, inputs.b_count, inputs.a_count + inputs.b_count);
  const std::int64_t diagonal = detail::clamp_index(steps - from.i - from.j, 0, rest.a_count + rest.b_count);
  const set_position found = detail::cut_lists(operation, rest, diagonal, comp);
  return {from.i + found.i, from.j + found.j};
}

/// A position in the chunks of all pairs, of a chunk of one pair.
struct chunk_position
{
  std::int64_t pair;
  std::int64_t begin; ///< the pair's first chunk, counted from this one; 0 or less
};

/// Where a tile begins.
struct chunk_tile
{
  chunk_position position; ///< of its first chunk
  set_position cut;        ///< on the path of the pair, if it has one
};

/// What a thread has of a tile.
struct list_chunk
{
  std::int64_t pair;
  list_pair lists;
  bool is_first; ///< of the pair's chunks
  chunk_decisions decisions;
};

/// The chunks of a tile. The arrays have an item for each thread.
template <class Operation, class Pairs, class Compare>
struct tile_chunks
{
  static constexpr int threads = segmented_lists_shape::threads;

  const Pairs& pairs;
  Compare& comp;
  const chunk_tile& tile;
  const int* ends; ///< where each pair of the tile ends, as chunks of the tile, clamped to threads + 1
  /// Where the elements of each chunk begin in the arrays of all lists.
  std::int64_t* a_begins;
  std::int64_t* b_begins;

  /// Decides on the chunk of a thread, or of none, which is an empty one; called by all threads of the block.
  /// pair_of(number, rank) returns a pair of the tile, and cut_after(inputs, first, steps) where the path of the tile's
  /// last pair has a number of steps, those of the next tile's begin, given a point before.
  template <class PairOf, class CutAfter>
  MGPU_THRUST_DEVICE list_chunk decide(bool has_chunk, PairOf pair_of, CutAfter cut_after) const
  {
    // 1. Find where the thread's chunk begins, and decide on a needle.
    const int thread = static_cast<int>(threadIdx.x);
    const int rank = has_chunk ? rank_of(thread) : 0;
    list_chunk own;
    own.pair = tile.position.pair + rank;
    own.lists = has_chunk ? pair_of(own.pair, rank) : list_pair{0, 0, 0, 0};
    const list_work<Operation> work(own.lists, min_needle_ratio);
    const short_side side = work.side();
    const std::int64_t pair_begin = rank > 0 ? ends[rank - 1] : tile.position.begin;
    const std::int64_t begin = has_chunk ? (thread - pair_begin) * detail::chunk_steps(side) : 0;
    own.is_first = has_chunk && begin == 0;
    const auto inputs = pairs.inputs(own.lists);
    set_position first{0, 0};
    if (side != short_side::none)
    {
      if (begin < work.all_steps())
      {
        first = needle_chunk<Operation>::decide(inputs, side, begin, comp, own.decisions);
      }
    }
    else if (begin > 0)
    {
      const set_position from = rank == 0 ? tile.cut : set_position{0, 0};
      first = thread == 0 ? from : detail::cut_lists_from(Operation{}, inputs, from, begin, comp);
    }
    a_begins[thread] = own.lists.a_begin + first.i;
    b_begins[thread] = own.lists.b_begin + first.j;
    __syncthreads();

    // 2. Walk along the path, to where the next chunk of the pair begins.
    if (side == short_side::none)
    {
      set_position last{own.lists.a_count, own.lists.b_count};
      const std::int64_t next_begin = begin + segmented_lists_shape::path_steps;
      if (next_begin < work.all_steps())
      {
        if (thread + 1 < threads)
        {
          last = {a_begins[thread + 1] - own.lists.a_begin, b_begins[thread + 1] - own.lists.b_begin};
        }
        else
        {
          last = cut_after(inputs, first, next_begin);
        }
      }
      // A starred cut adds a step.
      const auto piece = inputs.piece(first.i, first.j, last.i, last.j, segmented_lists_shape::path_steps + 1);
      own.decisions.walk(
        Operation{}, piece.a, static_cast<int>(piece.a_count), piece.b, static_cast<int>(piece.b_count), comp);
    }
    return own;
  }

private:
  /// Returns the number of the tile's pairs that end before a chunk. Often each has one chunk.
  MGPU_THRUST_DEVICE int rank_of(int number) const
  {
    if (ends[number] > number && (number == 0 || ends[number - 1] <= number))
    {
      return number;
    }
    return detail::partition_point(0, threads, [&](int k) { return ends[k] <= number; });
  }
};

/// The chunks of a block, tile by tile. Each block has equally many.
template <class Operation, class Pairs, class Compare>
class block_chunks
{
  static constexpr int threads = segmented_lists_shape::threads;

public:
  struct TempStorage
  {
    chunk_tile tiles[2]; ///< this tile and the next one, in turn
    int ends[threads];   ///< where each pair of the tile ends, as chunks of the tile, clamped to threads + 1
    /// Where the elements of each chunk begin in the arrays of all lists.
    std::int64_t a_begins[threads];
    std::int64_t b_begins[threads];
  };

  using chunk = list_chunk;

  /// `before` has the chunks before each pair, and the number of all.
  MGPU_THRUST_DEVICE
  block_chunks(TempStorage& shared, const Pairs& pairs, const std::int64_t* before, Compare& comp)
      : shared_(shared)
      , pairs_(pairs)
      , before_(before)
      , comp_(comp)
  {
    const std::int64_t all = before[pairs.num_pairs];
    const std::int64_t tiles = ::cuda::ceil_div(all, std::int64_t{threads});
    const std::int64_t of_block = ::cuda::ceil_div(tiles, std::int64_t{gridDim.x}) * threads;
    begin_ = (min) (of_block * blockIdx.x, all);
    end_ = (min) (begin_ + of_block, all);
    if (begin_ < end_ && threadIdx.x < 32)
    {
      const std::int64_t after = detail::warp_partition_point(
        std::int64_t{1}, pairs.num_pairs, [&](std::int64_t pair) { return before[pair] <= begin_; });
      store_tile(shared_.tiles[0], {after - 1, before[after - 1] - begin_}, {0, 0});
    }
    __syncthreads();
  }

  /// Calls f(chunk) for the chunks of each tile, which may synchronise the block. A thread without one has an empty
  /// chunk.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each_tile(Function f)
  {
    const int thread = static_cast<int>(threadIdx.x);
    std::int64_t own_end = begin_ < end_ ? end_of_pair(shared_.tiles[0].position.pair + thread) : 0;
    for (int turn = 0; begin_ < end_; turn = 1 - turn)
    {
      // 1. Find the ends of the tile's pairs, which are as many at most as it has chunks.
      const chunk_tile& tile = shared_.tiles[turn];
      const std::int64_t chunks_to_end = own_end - begin_;
      shared_.ends[thread] = static_cast<int>((min) (chunks_to_end, std::int64_t{threads + 1}));
      const int ended = __syncthreads_count(chunks_to_end <= threads ? 1 : 0);

      // 2. Find the begin of the next tile, and read the ends of its pairs while this one is processed.
      const std::int64_t next_begin = begin_ + threads;
      own_end = next_begin < end_ ? end_of_pair(tile.position.pair + ended + thread) : 0;
      if (thread < 32)
      {
        const std::int64_t next_pair = tile.position.pair + ended;
        store_tile(
          shared_.tiles[1 - turn], {next_pair, (ended > 0 ? shared_.ends[ended - 1] : tile.position.begin) - threads},
          ended > 0 ? set_position{0, 0} : tile.cut);
      }

      // 3. Decide on the thread's chunk.
      const tile_chunks<Operation, Pairs, Compare> chunks{pairs_,           comp_,           tile, shared_.ends,
                                                          shared_.a_begins, shared_.b_begins};
      f(chunks.decide(
        begin_ + thread < end_, [&](std::int64_t pair, int) { return pairs_.pair(pair); },
        [&](const auto&, set_position, std::int64_t) { return shared_.tiles[1 - turn].cut; }));
      begin_ = next_begin;
    }
  }

private:
  /// Returns the number of chunks up to the end of a pair, or more for what is behind all pairs.
  MGPU_THRUST_DEVICE std::int64_t end_of_pair(std::int64_t pair) const
  {
    return pair < pairs_.num_pairs ? before_[pair + 1] : end_ + threads + 1;
  }
  /// Stores where a tile begins, given a point of the path of its first pair before. Called by a warp.
  MGPU_THRUST_DEVICE void store_tile(chunk_tile& tile, const chunk_position& position, set_position from) const
  {
    set_position cut{0, 0};
    if (position.begin < 0 && position.pair < pairs_.num_pairs)
    {
      const list_work<Operation> work(pairs_.pair(position.pair), min_needle_ratio);
      if (work.side() == short_side::none)
      {
        cut = detail::warp_cut_lists(
          Operation{}, pairs_.inputs(work.lists), from, -position.begin * segmented_lists_shape::path_steps, comp_);
      }
    }
    if (threadIdx.x == 0)
    {
      tile = {position, cut};
    }
  }

  TempStorage& shared_;
  const Pairs& pairs_;
  const std::int64_t* before_;
  Compare& comp_;
  std::int64_t begin_; ///< of the tile
  std::int64_t end_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

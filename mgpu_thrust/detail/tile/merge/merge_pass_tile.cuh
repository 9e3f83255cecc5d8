// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A tile of a merge pass.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/tile/load/load_values.cuh>
#include <mgpu_thrust/detail/tile/load/run_elements.cuh>
#include <mgpu_thrust/detail/tile/load/runs_loader.cuh>
#include <mgpu_thrust/detail/tile/load/shared_pointers.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/merge/thread_merge.cuh>
#include <mgpu_thrust/detail/tile/place/tile_store.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Merges the pieces of up to max_ways sorted runs into one tile, by all threads of a block. `Shapes` is a sort_shapes,
/// `Keys` the run_elements that keys are read from, `Value` may be no_values, and `KeysOut` is the iterator that keys
/// are written to.
///
/// A key has three positions:
///
/// - its *offset*: the number of keys before it, run by run. Each level merges pairs of neighbouring pieces, and
///   permutes the offsets within a pair. After the last level they are the positions in the output.
/// - its *slot*: an index in shared memory. Before the first level it is where runs_loader has put the key, and may be
///   negative, as it is relative to the slot of offset 0 after that level; later it equals the offset.
/// - its *number*: the offset before the first level. Values are loaded in the order of numbers.
///
/// On level n the pieces of 2^n neighbouring runs are one, which begins with its first run.
template <class Shapes, class Keys, class Value, class KeysOut, bool IsSegmented, class Compare>
class merge_pass_tile
{
  using key = typename ::cuda::std::iterator_traits<decltype(Keys::all)>::value_type;
  using shape = typename Shapes::merge;
  using key_slot = staged_t<key>;
  using store = tile_store<shape::threads, key, KeysOut>;
  using loader = runs_loader<shape::threads, key, Keys>;
  static constexpr bool has_values_too = has_values<Value>;
  static constexpr int items = shape::items_per_thread;
  /// Some keys past the end of the tile are read, but not used.
  static constexpr int shared_items = Shapes::tile_items + items;
  static constexpr int key_bytes = loader::template bytes_for<shared_items> + store::max_shift;
  static constexpr int value_bytes = has_values_too ? static_cast<int>(sizeof(Value)) * Shapes::tile_items : 0;

public:
  /// Shared memory, phase by phase:
  ///
  ///                              bytes                                               numbers
  ///     1. pieces loaded         | |piece of run 0| |piece of run 1| |piece of run 2|
  ///     2. level merged          |shift|keys by slots                         |      key's number, by slots
  ///     3. keys written          |shift|keys by slots                         |      key's number, by slots
  ///        values loaded         |values by numbers                       |          key's number, by slots
  ///
  /// The shift aligns the keys to the output. `pieces` has the positions of the pieces in all phases. There are no
  /// numbers without values.
  struct TempStorage
  {
    alignas(16) unsigned char bytes[key_bytes > value_bytes ? key_bytes : value_bytes];
    typename loader::storage pieces;
    ::cuda::std::uint16_t numbers[has_values_too ? shared_items : 1];
    bool stays;
  };

  /// `keys` are those of all runs, `out` is where the tile begins in the output, `count` is its size, and `own_run`
  /// is its run.
  MGPU_THRUST_DEVICE
  merge_pass_tile(TempStorage& shared, const Keys& keys, KeysOut out, int count, int own_run, Compare comp)
      : shared_(shared)
      , load_(shared.pieces, keys)
      , store_(out)
      , keys_(reinterpret_cast<key_slot*>(shared.bytes) + store_.shift())
      , count_(count)
      , own_run_(own_run)
      , order_{comp}
      , thread_(static_cast<int>(threadIdx.x))
  {
  }

  /// 1. Starts to load the piece of each run, unless the tile is in position: all its elements are in its own run, at
  /// their output positions. Called by the first warp. (If `comp` is not a strict weak order, pieces may have any size;
  /// with a negative one the tile stays as it is.) `piece` is that of the lane's run, `values` is the run_elements of
  /// the values, if there are any.
  template <class Pieces, class Values>
  MGPU_THRUST_DEVICE void
  start_to_load(const Pieces& pieces, std::int64_t tile, const run_piece& piece, const Values& values)
  {
    const bool is_in_position =
      thread_ == own_run_ ? piece.begin == pieces.begin(tile) && piece.size == count_ : piece.size == 0;
    const bool stays = __any_sync(0xffffffff, piece.size < 0) || __all_sync(0xffffffff, is_in_position);
    if (!stays)
    {
      start(pieces, tile, piece, values);
    }
    if (thread_ == 0)
    {
      shared_.stays = stays;
    }
  }
  /// The same wherever the elements are, if no piece has a negative size.
  template <class Pieces, class Values>
  MGPU_THRUST_DEVICE void
  start(const Pieces& pieces, std::int64_t tile, const run_piece& piece, [[maybe_unused]] const Values& values)
  {
    load_.start(pieces, tile, piece.begin, static_cast<int>(piece.size), loaded());
    if constexpr (has_values_too && Values::are_in_memory)
    {
      if (thread_ < max_ways)
      {
        prefetch<Value>(values.at(pieces, tile, thread_, piece.begin), piece);
      }
    }
    if constexpr (Pieces::prefetches_beside_load)
    {
      prefetch_later(pieces, tile);
    }
  }

  /// Whether the tile is in position. All threads may ask after the barrier that follows start_to_load().
  MGPU_THRUST_DEVICE bool stays() const
  {
    return shared_.stays;
  }

  /// Waits for the pieces; called by all threads after that barrier. Then prefetches a later tile, unless that is done
  /// beside the load, as in a sort: there the prefetch delays the load. On an H100 the merge kernel of two runs of 2^26
  /// int32 takes 364 us with the prefetch after the load, 387 beside it.
  template <class Pieces>
  MGPU_THRUST_DEVICE void finish_load(const Pieces& pieces, std::int64_t tile)
  {
    load_.finish(pieces, tile, loaded());
    if constexpr (!Pieces::prefetches_beside_load)
    {
      if (thread_ < 32)
      {
        prefetch_later(pieces, tile);
      }
    }
  }

  /// 2. Merges neighbouring pieces, pair by pair, until one is left.
  MGPU_THRUST_DEVICE void merge(int levels, const tile_borders& borders)
  {
    for (int level = 0; level < levels; ++level)
    {
      const bool is_first = level == 0;
      thread_share share = share_of(level, levels);
      if (!is_first && share.count > 0 && is_in_order(share))
      {
        share.count = 0; // its keys keep their slots
      }
      key_slot taken[items];
      int numbers[items];
      if (share.count > 0)
      {
        take(share, is_first, borders, taken, numbers);
      }
      __syncthreads(); // all threads have taken their shares
      put(share, taken, numbers);
      store::fence_writes();
      __syncthreads(); // all shares are where the next level reads them
    }
  }

  /// Returns the merged keys.
  MGPU_THRUST_DEVICE const key_slot* keys() const
  {
    return keys_;
  }

  /// 3. Writes the keys.
  MGPU_THRUST_DEVICE void write_keys() const
  {
    store_.write(keys_, count_);
  }
  /// Loads the values of the pieces to the memory of the keys, and writes them in the order of the keys.
  template <class Pieces, class Values, class ValuesOut>
  MGPU_THRUST_DEVICE void
  write_values(const Pieces& pieces, std::int64_t tile, const Values& in, int runs, ValuesOut out)
  {
    const Value* const values = load_values(pieces, tile, in, runs);
#pragma unroll 4
    for (int i = thread_; i < count_; i += shape::threads)
    {
      *(out + i) = values[shared_.numbers[i]];
    }
  }
  /// Loads the values alone, and returns them by numbers. All threads have used the keys.
  template <class Pieces, class Values>
  MGPU_THRUST_DEVICE const Value* load_values(const Pieces& pieces, std::int64_t tile, const Values& in, int runs)
  {
    __syncthreads(); // the keys have been written
    auto* const values = reinterpret_cast<Value*>(shared_.bytes);
    for (int run = 0; run < runs; ++run)
    {
      detail::start_to_load_values<shape::threads>(
        in.at(pieces, tile, run, load_.source(run)), load_.offset(run + 1) - load_.offset(run),
        values + load_.offset(run));
    }
    detail::wait_for_values();
    return values;
  }
  /// Returns the number of a merged key.
  MGPU_THRUST_DEVICE int number(int i) const
  {
    return shared_.numbers[i];
  }

  /// Makes the storage ready for the next tile; called by all threads.
  MGPU_THRUST_DEVICE void release()
  {
    store::fence_writes();
    __syncthreads(); // all threads have used the keys
    if (!stays() && thread_ == 0)
    {
      load_.release();
    }
    __syncthreads();
  }

private:
  /// A thread's share of a level: up to `items` consecutive elements of the merge of two neighbouring pieces, A of the
  /// runs [first, middle) and B of the runs [middle, last).
  struct thread_share
  {
    int first;
    int middle;
    int last;
    int diagonal; ///< number of elements of this merge before the share
    int offset;   ///< of the share's first element, after the level
    int count;    ///< number of elements
  };

  /// Prefetches the keys of the tile pieces.prefetch_distance ahead, if it exists; called by the first warp.
  template <class Pieces>
  MGPU_THRUST_DEVICE void prefetch_later(const Pieces& pieces, std::int64_t tile) const
  {
    const std::int64_t later = tile + pieces.prefetch_distance;
    if (later < pieces.tile_count() && pieces.is_active(later))
    {
      const run_piece piece = pieces.piece(later, thread_);
      prefetch<key>(load_.at(pieces, later, thread_, piece.begin), piece);
    }
  }

  template <class Element, class Iterator>
  MGPU_THRUST_DEVICE static void prefetch(Iterator first, const run_piece& piece)
  {
    tile_loader<shape::threads>::template prefetch<Element>(first, static_cast<int>(piece.size));
  }

  /// The keys by slots of the loader.
  MGPU_THRUST_DEVICE key_slot* loaded() const
  {
    return reinterpret_cast<key_slot*>(shared_.bytes);
  }

  /// Returns the thread's share. Each pair has its own threads, and the last of them may have a smaller share.
  /// sort_shapes asserts that the block has enough threads; the others have empty shares.
  MGPU_THRUST_DEVICE thread_share share_of(int level, int levels) const
  {
    const int width = 1 << level;
    int first = 0;
    int work = thread_;
    for (int middle = first + width; middle + width < 1 << levels; middle += 2 * width)
    {
      const int pair_threads = (load_.offset(middle + width) - load_.offset(first) + items - 1) / items;
      if (work < pair_threads)
      {
        break;
      }
      work -= pair_threads;
      first += 2 * width;
    }
    const int middle = first + width;
    const int last = middle + width;
    const int offset = load_.offset(first) + work * items;
    return {first, middle, last, work * items, offset, (min) ((max) (load_.offset(last) - offset, 0), items)};
  }

  /// Whether a level after the first leaves the share as it is: all of it precedes B, or follows A, or the end of A and
  /// the begin of B are in order.
  MGPU_THRUST_DEVICE bool is_in_order(const thread_share& share)
  {
    const int border = load_.offset(share.middle);
    const bool is_alone = border == load_.offset(share.first) || border == load_.offset(share.last);
    return is_alone
           || !order_(keys_[(max) (share.offset, border)], keys_[(min) (share.offset + share.count, border) - 1]);
  }

  /// The slots of the keys of a run's piece minus their offsets, before a level.
  MGPU_THRUST_DEVICE int slot_shift(int run, bool is_first_level) const
  {
    return is_first_level ? load_.slot(run) - load_.offset(run) - store_.shift() : 0;
  }

  /// Copies the keys of a share, and their numbers if there are values. Before the first level numbers are offsets;
  /// later they are stored by slots.
  MGPU_THRUST_DEVICE void take(
    const thread_share& share, bool is_first_level, const tile_borders& borders, key_slot (&taken)[items],
    int (&numbers)[items])
  {
    const int a_shift = slot_shift(share.first, is_first_level);
    const int b_shift = slot_shift(share.middle, is_first_level);
    tile_merge slots{
      a_shift + load_.offset(share.first), a_shift + load_.offset(share.middle), b_shift + load_.offset(share.middle),
      b_shift + load_.offset(share.last)};
    if constexpr (IsSegmented)
    {
      set_active(slots, share, borders);
    }
    const shared_pointers<key_slot> pointers(keys_);
    const int b_begin = slots.b;
    slots = detail::merge_from<IsSegmented>(pointers, slots, share.diagonal, order_);
    detail::take_merged<IsSegmented>(pointers, slots, order_, taken, numbers);
    if constexpr (has_values_too)
    {
#pragma unroll
      for (int k = 0; k < items; ++k)
      {
        const int slot = numbers[k]; // what take_merged() stores
        numbers[k] = is_first_level ? slot - (slot >= b_begin ? b_shift : a_shift) : shared_.numbers[slot];
      }
    }
  }

  /// Sets which elements of A and B can change positions: those of the segment across their border. Pieces before the
  /// own run have elements of the tile's first segment only, pieces after it of the last segment only. The own run's
  /// piece may have others: before the last segment if it is in A, after the first one if it is in B.
  MGPU_THRUST_DEVICE void set_active(tile_merge& slots, const thread_share& share, const tile_borders& borders) const
  {
    slots.a_active = slots.a;
    slots.b_active = slots.b_end;
    if (share.first <= own_run_ && own_run_ < share.middle)
    {
      const int after = count_ - load_.offset(share.middle);
      slots.a_active = slots.a_end - (min) ((max) (borders.last - after, 0), slots.a_end - slots.a);
    }
    else if (share.middle <= own_run_ && own_run_ < share.last)
    {
      const int before = load_.offset(share.middle);
      slots.b_active = slots.b + (min) ((max) (borders.first - before, 0), slots.b_end - slots.b);
    }
  }

  /// Stores a share to the slots of its offsets.
  MGPU_THRUST_DEVICE void put(const thread_share& share, const key_slot (&taken)[items], const int (&numbers)[items])
  {
    if constexpr (has_values_too)
    {
      detail::put_merged(taken, numbers, share.count, keys_ + share.offset, shared_.numbers + share.offset);
    }
    else
    {
      detail::put_merged(taken, numbers, share.count, keys_ + share.offset, no_values{});
    }
  }

  TempStorage& shared_;
  loader load_;
  store store_;
  key_slot* keys_; ///< by slots
  int count_;
  int own_run_;
  compare_staged<Compare> order_;
  int thread_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

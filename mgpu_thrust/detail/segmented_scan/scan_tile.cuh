// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A tile of a segmented scan: what a block does with it.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/tile/load/converted_items.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/place/tile_store.cuh>
#include <mgpu_thrust/detail/tile/segments/block_segment_prefix.cuh>
#include <mgpu_thrust/detail/tile/segments/carry_group.cuh>
#include <mgpu_thrust/detail/tile/segments/start_marks.cuh>
#include <mgpu_thrust/detail/tile/segments/thread_items.cuh>
#include <mgpu_thrust/detail/tile/segments/tile_segments.cuh>

#include <cstdint>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Scans the items of one tile: up to Shape::items items, and the ends of segments among them.
///
/// Two indices are used. An item is numbered from the first of the tile. `k` numbers the items of a thread from its
/// first; thread_items converts it to an item.
///
/// Shared memory, from left to right, in each phase:
///
///                  +-------------------+------------------------+-----------------------------+----------------+
///                  | marks             | values                 | prefix                      | carry          |
///     1. load      | cleared, then set | items arrive           |                             |                |
///     2. reduce    | read              | items are read         |                             |                |
///     3. prefix    |                   |                        | a value and a flag per warp |                |
///     4. carry     |                   |                        |                             | stored, read   |
///     5. write     |                   | results put, then read |                             |                |
///                  +-------------------+------------------------+-----------------------------+----------------+
///
/// The members do not overlap. Each item is read by one thread, and before the results are written, so the output may
/// be the input.
template <class Shape, class Scan, class Offsets, class Carries>
class scan_tile
{
  using T = typename Scan::value_type;
  using segments_type = tile_segments<Shape, Offsets>;
  using marks_type = typename segments_type::marks_type;
  using loader = tile_loader<Shape::threads>;
  using prefix_type = block_segment_prefix<Shape::threads, T>;
  using output_type = decltype(std::declval<Scan&>().output + std::int64_t{});
  using store_type = tile_bytes_store<Shape::threads, T, output_type>;
  static constexpr int granule = load_granule<T>;

public:
  struct TempStorage
  {
    typename marks_type::storage marks;
    alignas(granule) unsigned char values[Shape::items * sizeof(T) + granule];
    typename loader::storage loading;
    typename prefix_type::storage prefix;
    typename Carries::storage carry;
  };

  /// Prefetches the items and the offsets of the tile from begins[0] to begins[1]; called by one thread.
  MGPU_THRUST_DEVICE static void
  prefetch(const Scan& scan, const segments<Offsets>& in, const load_balance_point* begins)
  {
    segments_type::prefetch(in, begins[0], begins[1]);
    loader::template prefetch<T>(
      detail::values_from<T>(scan.input + begins[0].item_index),
      static_cast<int>(begins[1].item_index - begins[0].item_index));
  }

  /// The tile from `begin` to `end`. If it is the only one, there are no carries.
  MGPU_THRUST_DEVICE scan_tile(
    TempStorage& shared, const Scan& scan, const segments<Offsets>& in, const load_balance_point& begin,
    const load_balance_point& end, int tile, const Carries& carries, bool is_alone)
      : shared_(shared)
      , scan_(scan)
      , op_(scan.op)
      , segments_(in, begin, end)
      , begin_(begin.item_index)
      , tile_(tile)
      , carries_(carries)
      , is_alone_(is_alone)
  {
  }

  /// Writes the results of the tile's items. Called by all threads of the block. One thread calls prefetch() while the
  /// items arrive.
  template <class Prefetch>
  MGPU_THRUST_DEVICE void process(Prefetch prefetch)
  {
    if (segments_.count <= 0)
    {
      post_nothing();
      return;
    }

    // 1. Load the items, and mark those at which segments start.
    const marks_type marks(shared_.marks);
    marks.clear();
    loader load(shared_.loading, 1);
    const staged_t<T>* const items =
      load.template load<T>(detail::values_from<T>(scan_.input + begin_), segments_.count, shared_.values);
    if (threadIdx.x == Shape::threads - 1)
    {
      prefetch();
    }
    __syncthreads();
    segments_.mark_starts(marks);
    load.wait();

    // 2. Each thread reduces its items. The first item of all starts a segment, whatever the offsets are.
    thread_items own = segments_.items_of_thread(marks);
    own.starts |= begin_ == 0 && own.first == 0;
    uninitialized_t<T> values[Shape::items_per_thread];
    const T tail = own.count == Shape::items_per_thread ? reduce_items<true>(own, items, values)
                                                        : reduce_items<false>(own, items, values);

    // 3. A scan over the threads reduces the items before the thread's first. The last thread that has items posts what
    //    the tile hands on.
    const bool is_new = own.has_start() || own.count <= 0;
    const segment_prefix<T> prefix = prefix_type::before(shared_.prefix, tail, is_new, op_);
    if (!is_alone_ && own.count > 0 && own.stop() == segments_.count)
    {
      post(own, tail, prefix);
    }

    // 4. Threads whose first item's segment started in an earlier tile need the carry. From here on, items that a
    //    thread does not have count as starts, so that nothing is combined with them.
    own.starts |= ~0u << (max) (own.count, 0);
    wait_for_carry(own);
    T before = prefix.value;
    if (!own.is_start(0) && !(own.first > 0 && prefix.is_after_start))
    {
      const T carry = shared_.carry.value();
      before = own.first == 0 ? carry : static_cast<T>(op_(carry, prefix.value));
    }

    // 5. Each thread scans its items, and the block writes the results.
    const store_type store(scan_.output + begin_);
    unsigned char* const results = shared_.values + store.shift();
    put_results(own, values, before, results);
    store_type::fence_writes();
    __syncthreads();
    store.write(results, segments_.count);
  }

private:
  /// Appends an item to the reduction of those before it in its segment, or begins with it if it starts a segment.
  MGPU_THRUST_DEVICE void append(T& value, const T& next, bool is_start)
  {
    value = is_start ? next : static_cast<T>(op_(value, next));
  }
  /// Appends an item, or begins with init and the item if that starts a segment. An inclusive scan keeps both in its
  /// place, so that append() does the rest.
  MGPU_THRUST_DEVICE void append_to_init(T& value, uninitialized_t<T>& next, bool is_start)
  {
    if (is_start) // not an operand of ?:, which would take the address of init
    {
      value = scan_.init;
    }
    value = static_cast<T>(op_(value, static_cast<const T&>(next)));
    if (Scan::is_inclusive && is_start)
    {
      next = value;
    }
  }

  /// Reads the thread's items, and returns their reduction from the last start on. A thread that is not full repeats
  /// the tile's last item in place of those that it does not have.
  template <bool IsFull>
  MGPU_THRUST_DEVICE T
  reduce_items(const thread_items& own, const staged_t<T>* items, uninitialized_t<T> (&values)[Shape::items_per_thread])
  {
#pragma unroll
    for (int k = 0; k < Shape::items_per_thread; ++k)
    {
      values[k] = detail::staged_value(items[IsFull ? own.item(k) : (min) (own.item(k), segments_.count - 1)]);
    }
    T value = values[0];
    if constexpr (Scan::has_init)
    {
      if (own.is_start(0))
      {
        append_to_init(value, values[0], true);
      }
    }
#pragma unroll
    for (int k = 1; k < Shape::items_per_thread; ++k)
    {
      if (IsFull || k < own.count)
      {
        if constexpr (Scan::has_init)
        {
          append_to_init(value, values[k], own.is_start(k));
        }
        else
        {
          append(value, values[k], own.is_start(k));
        }
      }
    }
    return value;
  }

  /// Waits for the carry if the tile's first item does not start a segment. Called by all threads of the block. It ends
  /// with a barrier.
  MGPU_THRUST_DEVICE void wait_for_carry(const thread_items& own)
  {
    if constexpr (Carries::are_served)
    {
      if (threadIdx.x < 32 && __shfl_sync(~0u, own.starts & 1, 0) == 0)
      {
        carries_.wait(tile_, shared_.carry, op_);
      }
      __syncthreads();
    }
    else if (!is_alone_)
    {
      auto arrival = carries_.arrive();
      if (__syncthreads_or(own.first == 0 && !own.is_start(0)))
      {
        carries_.template wait<Shape::threads>(arrival, tile_, shared_.carry, op_);
      }
      __syncthreads();
    }
  }

  /// Posts that a tile without items hands nothing on. Called by all threads of the block.
  MGPU_THRUST_DEVICE void post_nothing() const
  {
    if (!is_alone_)
    {
      if (threadIdx.x == 0)
      {
        const uninitialized_t<T> unspecified{};
        carries_.post(tile_, carried::nothing, unspecified);
      }
      if constexpr (!Carries::are_served)
      {
        carries_.arrive();
      }
    }
  }

  /// Posts what the tile hands on, for the last thread that has items.
  MGPU_THRUST_DEVICE void post(const thread_items& own, const T& tail, const segment_prefix<T>& prefix) const
  {
    const bool is_restarted = own.has_start() || (own.first > 0 && prefix.is_after_start);
    const carried kind = is_restarted ? carried::restarted : carried::continued;
    const bool is_whole = own.has_start() || own.first == 0;
    carries_.post(tile_, kind, is_whole ? tail : static_cast<T>(op_(prefix.value, tail)));
  }

  /// Puts the results of the thread's items, where `value` is the reduction of what is before them. What it puts for
  /// items that it does not have, each of which counts as a start, is not written.
  MGPU_THRUST_DEVICE void put_results(
    const thread_items& own, const uninitialized_t<T> (&values)[Shape::items_per_thread], T value,
    unsigned char* results)
  {
#pragma unroll
    for (int k = 0; k < Shape::items_per_thread; ++k)
    {
      if constexpr (Scan::is_inclusive)
      {
        append(value, values[k], own.is_start(k));
        store_type::put(results, own.item(k), value);
      }
      else
      {
        if (own.is_start(k))
        {
          value = scan_.init;
        }
        store_type::put(results, own.item(k), value);
        if (!own.is_start(k + 1))
        {
          value = static_cast<T>(op_(value, static_cast<const T&>(values[k])));
        }
      }
    }
  }

  TempStorage& shared_;
  const Scan& scan_; ///< its init is read where it is needed, as it would take registers
  decltype(Scan::op) op_;
  segments_type segments_;
  std::int64_t begin_;
  int tile_;
  Carries carries_;
  bool is_alone_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

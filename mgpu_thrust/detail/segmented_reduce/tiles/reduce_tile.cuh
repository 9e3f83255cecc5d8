// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A tile of a segmented reduction: what a block does with it.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_reduce/tiles/direct_values.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tiles/staged_values.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tiles/thread_results.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tiles/tile_output.cuh>
#include <mgpu_thrust/detail/tile/load/converted_items.cuh>
#include <mgpu_thrust/detail/tile/segments/block_segment_prefix.cuh>
#include <mgpu_thrust/detail/tile/segments/start_marks.cuh>
#include <mgpu_thrust/detail/tile/segments/tile_segments.cuh>

#include <cuda/std/utility>

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Reduces the segments of one tile: up to Shape::items items, and the ends of segments among them.
///
/// Three indices are used. A `segment` and an `item` are numbered from the first of the tile, as in tile_segments. `k`
/// numbers the items of a thread from its first; thread_items converts it to an item.
///
/// Shared memory, from left to right, in each phase:
///
///                  +-------------------+-------------------------------+-----------------------------+
///                  | marks             | values                        | scan                        |
///     1. load      | cleared, then set | items arrive                  |                             |
///     2. reduce    | read              | items are read; results of    |                             |
///                  |                   | heads and inner segments put  |                             |
///     3. scan      |                   |                               | a value and a flag per warp |
///     4. complete  |                   | heads completed, tails put    |                             |
///     5. write     |                   | results are read              |                             |
///                  +-------------------+-------------------------------+-----------------------------+
///
/// The members do not overlap: no barrier separates phases 2 and 3, so one warp may scan while another reads marks.
/// Values that are not staged have no memory here: items are read, and results written, in global memory.
template <class Shape, class T, class Reduction, class Offsets>
class reduce_tile
{
  using segments_type = tile_segments<Shape, Offsets>;
  using input_type = converted_t<T, decltype(std::declval<Reduction&>().input + std::int64_t{})>;
  using output_type = tile_output<T, Reduction>;
  using values_type = std::conditional_t<
    Shape::template stages_values<T>, staged_values<Shape, T>,
    direct_values<T, input_type, segments_type, output_type>>;
  using marks_type = typename segments_type::marks_type;
  using prefix_type = block_segment_prefix<Shape::threads, T>;

public:
  struct TempStorage
  {
    typename marks_type::storage marks;
    alignas(values_type::alignment) typename values_type::storage values;
    union
    {
      typename prefix_type::storage scan;
      load_balance_point begins[2]; ///< of this tile and the next one, if the caller finds them; read at construction
    };
  };

  /// Prefetches the offsets of the tile from begins[0] to begins[1]; called by one thread.
  MGPU_THRUST_DEVICE static void prefetch(const segments<Offsets>& in, const load_balance_point* begins)
  {
    segments_type::prefetch(in, begins[0], begins[1]);
  }

  /// The tile from begins[0] to begins[1], which carries to own_carries.first[0] and own_carries.last[0].
  MGPU_THRUST_DEVICE reduce_tile(
    TempStorage& shared, Reduction& reduction, const segments<Offsets>& in, const load_balance_point* begins,
    const tile_carries<T>& own_carries)
      : shared_(shared)
      , reduction_(reduction)
      , segments_(in, begins[0], begins[1])
      , input_(detail::values_from<T>(reduction.input + begins[0].item_index))
      , output_(reduction, begins[0].segment_index, segments_.is_begun, own_carries.first)
      , last_carry_(own_carries.last)
  {
  }

  /// Writes the results of the segments that end in the tile, and the tile's carries. Called by all threads of the
  /// block. One thread calls prefetch() while the items arrive.
  template <class Prefetch>
  MGPU_THRUST_DEVICE void process(Prefetch prefetch)
  {
    // 1. Load the items, and mark those at which segments start.
    const marks_type marks(shared_.marks);
    marks.clear();
    values_type values(shared_.values, input_, segments_, output_);
    if (threadIdx.x == Shape::threads - 1)
    {
      prefetch();
    }
    __syncthreads();
    segments_.mark_starts(marks);
    values.wait();

    if (segments_.count > 0)
    {
      // 2. Each thread reduces its items.
      const thread_items own = segments_.items_of_thread(marks);
      thread_results<values_type> results(values);
      const T tail = reduce_items(own, values, results);

      // 3. A scan reduces the items of the thread's first segment that the threads before have.
      const bool is_new = own.has_start() || own.count <= 0;
      const T before = prefix_type::before(shared_.scan, tail, is_new, reduction_.op).value;

      // 4. Complete the results that begin in threads before.
      complete_results(own, ::cuda::std::move(results), tail, before);
    }
    __syncthreads();

    // 5. Write the results that are not yet written.
    write_results(values);
  }

private:
  /// Reduces the thread's items, and puts the results of its head and inner segments. Returns the tail, or an
  /// unspecified value if the thread has no items. If values are staged, the loop selects values and does not branch on
  /// starts.
  MGPU_THRUST_DEVICE T
  reduce_items(const thread_items& own, const values_type& values, thread_results<values_type>& results)
  {
    T value = own.count > 0 ? values.item(own.item(0)) : reduction_.init;
    const auto reduce_next = [&](int k)
    {
      const T next = values.item(own.item(k));
      const bool is_start = own.is_start(k);
      if (is_start)
      {
        results.put(own.item(k - 1), value);
      }
      value = is_start ? next : static_cast<T>(reduction_.op(value, next));
    };
    if (own.count == Shape::items_per_thread)
    {
#pragma unroll
      for (int k = 1; k < Shape::items_per_thread; ++k)
      {
        reduce_next(k);
      }
    }
    else
    {
#pragma unroll 1
      for (int k = 1; k < own.count; ++k)
      {
        reduce_next(k);
      }
    }
    return value;
  }

  /// Completes the thread's results. `before` is the reduction of the items of its first segment that the threads
  /// before have, and `tail` is its own tail. The tail of the last thread that has items is the tile's last carry.
  MGPU_THRUST_DEVICE void
  complete_results(const thread_items& own, thread_results<values_type>&& results, const T& tail, const T& before) const
  {
    if (own.count > 0)
    {
      const auto join = [&](const T& part) { return static_cast<T>(reduction_.op(before, part)); };
      const T complete_tail = ::cuda::std::move(results).complete(own, tail, join);
      if (own.stop() == segments_.count)
      {
        ::new (static_cast<void*>(last_carry_)) T(complete_tail);
      }
    }
  }

  /// Writes the results of empty segments, and the results that `values` has stored. Neighbouring threads write the
  /// results of neighbouring segments. A segment that began earlier and has no items here has no result here.
  MGPU_THRUST_DEVICE void write_results(const values_type& values) const
  {
    for (int segment = static_cast<int>(threadIdx.x); segment < segments_.ends; segment += Shape::threads)
    {
      const int stop = segments_.stop(segment);
      if (segments_.starts_inside(segment) && (max) (segments_.start(segment), 0) >= stop)
      {
        output_.write_empty(segment);
      }
      else if (stop > 0)
      {
        values.write_result(segment, stop - 1, output_);
      }
    }
  }

  TempStorage& shared_;
  Reduction& reduction_;
  segments_type segments_;
  input_type input_;
  output_type output_;
  T* last_carry_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

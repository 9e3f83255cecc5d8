// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel of bulk removal and insertion: a block marks what is removed or inserted in its tile, then copies.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/block/tile_marks.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/bulk_tuning.cuh>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/partition_kernel.cuh>
#include <mgpu_thrust/thread/bulk.h>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <iterator>
#include <type_traits>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Sets marks at places [0, most) for the indices of a part of the path: at index - b, or, if `Spreads`, one further
/// for each index before it. Indices are loaded some at a time.
template <int Threads, bool Spreads, class Marks, class Path>
MGPU_THRUST_DEVICE void mark_indices(const Marks& marks, const Path& part, std::int64_t b, int most)
{
  constexpr int batch = 4;
  const int count = static_cast<int>(part.a_count);
  for (int first = static_cast<int>(threadIdx.x); first < count; first += batch * Threads)
  {
    int places[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      const int i = first + k * Threads;
      places[k] = -1;
      if (i < count)
      {
        // Without a sign, so that whatever the index is, one comparison tells whether the place is in the tile.
        const auto index = static_cast<std::uint64_t>(static_cast<std::int64_t>(detail::element(part.a, i)));
        const std::uint64_t place = index - static_cast<std::uint64_t>(b) + (Spreads ? i : 0);
        places[k] = place < static_cast<std::uint64_t>(most) ? static_cast<int>(place) : -1;
      }
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      if (places[k] >= 0)
      {
        marks.set(places[k]);
      }
    }
  }
}

/// Removes from a tile, whose items are its elements. Marked are those that are removed.
template <class Shape, class Marks, class Path, class Input, class Output>
MGPU_THRUST_DEVICE void
copy_tile(const Marks& marks, const bulk_removal<Path, Input>& job, const Path& part, tile_begin begin, Output output)
{
  using value = typename std::iterator_traits<Input>::value_type;
  constexpr int batch = detail::bulk_batch<value>(Shape::items_per_thread);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int count = static_cast<int>(min(part.b_count, std::int64_t{Shape::items}));
  const warp_items own = Marks::items_of_warp(count);
  const auto item_of = [&](int round) { return own.first + 32 * round + lane; };
  const auto from = job.input + begin.b;

  // 1. Load the first elements, whether they will be kept or not: nobody has to wait for that to be known.
  std::conditional_t<(batch > 1), value, char> values[batch];
  const auto load = [&]([[maybe_unused]] int first)
  {
    if constexpr (batch > 1)
    {
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        if ((first + k < own.rounds) & (item_of(first + k) < count))
        {
          values[k] = detail::element(from, item_of(first + k));
        }
      }
    }
  };
  load(0);

  // 2. Mark. An index in front of the tile may be that of its first element.
  const std::int64_t offset = job.output_offset(begin.a, begin.b);
  detail::mark_indices<Shape::threads, false>(marks, part, begin.b, count);
  if (threadIdx.x == 0 && offset > begin.b - begin.a)
  {
    marks.set(0);
  }
  __syncthreads();

  // 3. Write what is not marked. There is room for it, unless the indices are wrong.
  const std::int64_t all_room = offset < 0 ? 0 : job.output_size() - offset;
  const auto room = static_cast<int>(detail::clamp_index(all_room, 0, Shape::items));
  const auto to = output + offset;
  int kept_before = own.first - marks.marks_before(own);
  for (int first = 0; first < own.rounds; first += batch)
  {
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      const int item = item_of(first + k);
      const bool is_kept = (first + k < own.rounds) & (item < count) && !marks.is_set(item);
      const lanes_that_say keep(is_kept);
      const int rank = kept_before + keep.before;
      kept_before += keep.all;
      if (is_kept && rank < room)
      {
        if constexpr (batch > 1)
        {
          *(to + rank) = values[k];
        }
        else
        {
          *(to + rank) = detail::element(from, item);
        }
      }
    }
    load(first + batch);
  }
}

/// A pointer as one to const, so that two pointers to one type of elements are of one type; anything else as it is.
template <class Iterator>
MGPU_THRUST_DEVICE auto read_only(Iterator iterator)
{
  if constexpr (std::is_pointer_v<Iterator>)
  {
    return static_cast<const std::remove_pointer_t<Iterator>*>(iterator);
  }
  else
  {
    return iterator;
  }
}

/// Inserts into a tile, whose items are those of its output. Marked are those that are inserted.
template <class Shape, class Marks, class Path, class Input, class Values, class Output>
MGPU_THRUST_DEVICE void copy_tile(
  const Marks& marks, const bulk_insertion<Path, Input, Values>& job, const Path& part, tile_begin begin, Output output)
{
  using value = typename std::iterator_traits<Input>::value_type;
  constexpr bool one_type = std::is_same_v<value, typename std::iterator_traits<Values>::value_type>;
  constexpr int batch = one_type ? detail::bulk_batch<value>(Shape::items_per_thread) : 1;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int element_count = static_cast<int>(part.b_count);
  const int count = min(static_cast<int>(part.a_count) + element_count, Shape::items);

  // 1. Mark. Positions that repeat have places one behind the other.
  detail::mark_indices<Shape::threads, true>(marks, part, begin.b, count);
  __syncthreads();

  // 2. Copy: what is marked from the values, the others from the input. All are there, unless the positions are wrong.
  struct source
  {
    bool exists;
    bool is_inserted;
    int number; ///< in the tile's values or elements
  };
  const auto inserted = detail::read_only(job.values + begin.a);
  const auto from = detail::read_only(job.input + begin.b);
  const auto to = output + job.output_offset(begin.a, begin.b);
  const warp_items own = marks.items_of_warp(count);
  int marks_before = marks.marks_before(own);
  for (int first = 0; first < own.rounds; first += batch)
  {
    const auto item_of = [&](int k) { return own.first + 32 * (first + k) + lane; };
    const auto is_item = [&](int k) { return (first + k < own.rounds) & (item_of(k) < count); };
    const auto find_source = [&](int k)
    {
      const int item = item_of(k);
      const bool is_inserted = is_item(k) && marks.is_set(item);
      const lanes_that_say insert(is_inserted);
      const int rank = marks_before + insert.before;
      marks_before += insert.all;
      const int number = is_inserted ? rank : item - rank;
      const bool exists = is_item(k) & (is_inserted | (number < element_count));
      return source{exists, is_inserted, number};
    };
    if constexpr (batch > 1)
    {
      value values[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        const source it = find_source(k);
        if constexpr (std::is_same_v<decltype(inserted), decltype(from)>)
        {
          if (it.exists)
          {
            values[k] = detail::element(it.is_inserted ? inserted : from, it.number); // one load, no branch
          }
        }
        else
        {
          if (it.exists & it.is_inserted)
          {
            values[k] = detail::element(inserted, it.number);
          }
          if (it.exists & !it.is_inserted)
          {
            values[k] = detail::element(from, it.number);
          }
        }
      }
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        if (is_item(k))
        {
          *(to + item_of(k)) = values[k];
        }
      }
    }
    else
    {
      const source it = find_source(0);
      if (it.exists & it.is_inserted)
      {
        *(to + item_of(0)) = detail::element(inserted, it.number);
      }
      if (it.exists & !it.is_inserted)
      {
        *(to + item_of(0)) = detail::element(from, it.number);
      }
    }
  }
}

/// Runs a bulk_removal or bulk_insertion on a tile a block.
template <class Shape, class Job, class Output>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  bulk_kernel(Job job, Output output, const tile_begin* begins)
{
  using marks_type = tile_marks<Shape::threads, Shape::items_per_thread>;
  __shared__ typename marks_type::storage shared_marks;
  const marks_type marks(shared_marks);
  marks.clear();
  __syncthreads();

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now
  const int tile = static_cast<int>(blockIdx.x);
  const auto part = detail::tile_part<Shape::items>(job.path, begins, tile);
  detail::copy_tile<Shape>(marks, job, part, begins[tile], output);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

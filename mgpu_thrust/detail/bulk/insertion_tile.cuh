// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// An insertion of values into one tile of the output, by a block.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/bulk/mark_indices.cuh>
#include <mgpu_thrust/detail/bulk/tuning.h>
#include <mgpu_thrust/detail/tile/place/tile_marks.cuh>
#include <mgpu_thrust/detail/tile/place/warp_list.cuh>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns a pointer as a pointer to const, so that two pointers to the same element type have the same type; any other
/// iterator unchanged.
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

/// The phases of a block's tile, in this order: the constructor clears the marks, mark() sets those of inserted items,
/// copy() writes all items. All threads call them.
template <class Shape, class Input, class Values>
class insertion_tile
{
  using value = typename ::cuda::std::iterator_traits<Input>::value_type;
  using marks_type = tile_marks<Shape::threads, Shape::items_per_thread>;
  static constexpr bool has_one_type = std::is_same_v<value, typename ::cuda::std::iterator_traits<Values>::value_type>;
  /// Values in flight per thread.
  static constexpr int batch =
    has_one_type
      ? detail::bulk_batch<value>(Shape::items_per_thread, insertion_bytes_in_flight, insertion_elements_in_flight)
      : 1;

public:
  using TempStorage = typename marks_type::storage;

  MGPU_THRUST_DEVICE explicit insertion_tile(TempStorage& shared)
      : marks_(shared)
  {
    marks_.clear();
    __syncthreads();
  }

  /// Marks the inserted items, given the tile's positions and elements, of which the first has index `b_begin`. Values
  /// of equal positions have consecutive items.
  template <class Path>
  MGPU_THRUST_DEVICE void mark(const Path& part, std::int64_t b_begin) const
  {
    detail::mark_indices<Shape::threads, true>(marks_, part.a, static_cast<int>(part.a_count), b_begin, count_of(part));
    __syncthreads();
  }

  /// Copies the marked items from the values, the others from the input.
  template <class Path, class Output>
  MGPU_THRUST_DEVICE void copy(const Path& part, Input input, Values values, Output to) const
  {
    const auto from = detail::read_only(input);
    const auto inserted = detail::read_only(values);
    warp_sources sources{
      marks_, marks_type::items_of_warp(count_of(part)), count_of(part), static_cast<int>(part.b_count)};
    sources.marks_before = marks_.marks_before(sources.own);
    for (int first = 0; first < sources.own.rounds; first += batch)
    {
      if constexpr (batch > 1)
      {
        copy_batch(sources, first, from, inserted, to);
      }
      else
      {
        copy_one(sources, first, from, inserted, to);
      }
    }
  }

private:
  /// Where an item comes from.
  struct source
  {
    bool exists;
    bool is_inserted;
    int number; ///< index in the tile's values or elements
  };
  /// The items of a warp, a round of 32 after the other.
  struct warp_sources
  {
    const marks_type& marks;
    warp_items own;
    int count;         ///< items of the tile
    int element_count; ///< elements of the tile
    int marks_before = 0;

    MGPU_THRUST_DEVICE int item_of(int round) const
    {
      return own.first + 32 * round + static_cast<int>(threadIdx.x % 32);
    }
    MGPU_THRUST_DEVICE bool is_item(int round) const
    {
      return (round < own.rounds) & (item_of(round) < count);
    }
    /// Called once a round. All items have a source, unless the positions are wrong.
    MGPU_THRUST_DEVICE source find(int round)
    {
      const int item = item_of(round);
      const bool is_inserted = is_item(round) && marks.is_set(item);
      const kept_lanes insert(is_inserted);
      const int rank = marks_before + insert.rank();
      marks_before += insert.count();
      const int number = is_inserted ? rank : item - rank;
      const bool exists = is_item(round) & (is_inserted | (number < element_count));
      return source{exists, is_inserted, number};
    }
  };

  template <class Path>
  MGPU_THRUST_DEVICE static int count_of(const Path& part)
  {
    return (min) (static_cast<int>(part.a_count) + static_cast<int>(part.b_count), Shape::items);
  }

  template <class From, class Inserted, class Output>
  MGPU_THRUST_DEVICE static void copy_batch(warp_sources& sources, int first, From from, Inserted inserted, Output to)
  {
    value values[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      const source it = sources.find(first + k);
      if constexpr (std::is_same_v<Inserted, From>)
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
      if (sources.is_item(first + k))
      {
        *(to + sources.item_of(first + k)) = values[k];
      }
    }
  }
  template <class From, class Inserted, class Output>
  MGPU_THRUST_DEVICE static void copy_one(warp_sources& sources, int round, From from, Inserted inserted, Output to)
  {
    const source it = sources.find(round);
    if (it.exists & it.is_inserted)
    {
      *(to + sources.item_of(round)) = detail::element(inserted, it.number);
    }
    if (it.exists & !it.is_inserted)
    {
      *(to + sources.item_of(round)) = detail::element(from, it.number);
    }
  }

  marks_type marks_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

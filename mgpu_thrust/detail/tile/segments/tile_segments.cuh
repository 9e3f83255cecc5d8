// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The segments of a tile, and where they start and stop in it.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/segments/start_marks.cuh>
#include <mgpu_thrust/detail/tile/segments/thread_items.cuh>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The segments that end in a tile of up to Shape::items items, and the one that continues after it.
///
/// Two indices are used. A `segment` is numbered from the first segment of the tile, even if that started in an earlier
/// tile. An `item` is numbered from the first item of the tile.
template <class Shape, class Offsets>
class tile_segments
{
  // Item indices as wide as the offsets, relative to the tile's first item. For the first segment they may overflow, as
  // it may have started long before.
  using offset = typename ::cuda::std::iterator_traits<Offsets>::value_type;
  using item_number = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;

public:
  using marks_type = start_marks<Shape::threads, Shape::items_per_thread>;

  int count;     ///< number of items
  int ends;      ///< number of segments that end in the tile
  bool is_begun; ///< whether the first segment started before the tile

  /// The tile from `begin` to `end`.
  MGPU_THRUST_DEVICE
  tile_segments(const segments<Offsets>& in, const load_balance_point& begin, const load_balance_point& end)
      : count(static_cast<int>(detail::clamp_index(end.item_index - begin.item_index, 0, Shape::items)))
      , ends(static_cast<int>(end.segment_index - begin.segment_index))
      , is_begun(begin.segment_index < in.num_segments && in.offset(begin.segment_index) < begin.item_index)
      , offsets_(in.offsets + begin.segment_index)
      , first_item_(static_cast<item_number>(begin.item_index))
      , starts_(ends + (end.segment_index < in.num_segments))
  {
  }

  /// Returns the number of segments that have a start, the one that continues after the tile included.
  MGPU_THRUST_DEVICE int starts() const
  {
    return starts_;
  }
  /// Returns whether a segment starts in the tile, rather than before it.
  MGPU_THRUST_DEVICE bool starts_inside(int segment) const
  {
    return segment > 0 || !is_begun;
  }
  /// Returns the item at which a segment starts, if it starts inside. (Wrong offsets give any number.)
  MGPU_THRUST_DEVICE int start(int segment) const
  {
    return static_cast<int>(static_cast<item_number>(detail::element(offsets_, segment)) - first_item_);
  }
  /// Returns the item past the last of a segment that ends in the tile.
  MGPU_THRUST_DEVICE int stop(int segment) const
  {
    return segment + 1 < starts_ ? (min) ((max) (start(segment + 1), 0), count) : count;
  }
  /// Returns the segment that an item belongs to.
  MGPU_THRUST_DEVICE int segment_of(int item) const
  {
    return detail::partition_point(1, starts_, [&](int segment) { return start(segment) <= item; }) - 1;
  }

  /// Marks the items at which segments start; called by all threads of the block.
  MGPU_THRUST_DEVICE void mark_starts(const marks_type& marks) const
  {
    for (int segment = static_cast<int>(threadIdx.x); segment < starts(); segment += Shape::threads)
    {
      const int first = start(segment);
      if (static_cast<unsigned>(first) < static_cast<unsigned>(count) && starts_inside(segment))
      {
        marks.mark(first);
      }
    }
  }
  /// Returns the items of the calling thread, after the barrier that follows mark_starts().
  MGPU_THRUST_DEVICE thread_items items_of_thread(const marks_type& marks) const
  {
    const int first = static_cast<int>(threadIdx.x) * Shape::items_per_thread;
    return {first, (min) (count - first, Shape::items_per_thread), marks.own()};
  }

  /// Prefetches the offsets of the tile from `begin` to `end`; called by one thread.
  MGPU_THRUST_DEVICE static void
  prefetch(const segments<Offsets>& in, const load_balance_point& begin, const load_balance_point& end)
  {
    tile_loader<Shape::threads>::template prefetch<offset>(
      in.offsets + begin.segment_index, static_cast<int>(end.segment_index - begin.segment_index));
  }

private:
  Offsets offsets_;
  item_number first_item_;
  int starts_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Load-balancing search over the ends of segments, by weight: how a reduction of segments is cut.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Weight of an item of a reduction; the end of a segment weighs 1. An item is read and reduced; an end costs a read of
/// its offset and a result.
inline constexpr std::int64_t item_weight = 3;

/// Returns the number of tiles of the weight of TileItems items. No product overflows.
template <int TileItems, std::int64_t ItemWeight = item_weight>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t weighted_tiles(std::int64_t num_items, std::int64_t num_segments)
{
  constexpr std::int64_t weight = ItemWeight * TileItems;
  const std::int64_t rest = ItemWeight * (num_items % TileItems) + num_segments;
  return num_items / TileItems + rest / weight + (rest % weight > 0);
}

/// Items and the ends of their segments, each end after its items, in one sequence. A diagonal cuts it where a weight
/// of `diagonal` lies before the cut, apart from a remainder below ItemWeight. Pieces between equally spaced diagonals
/// have equal work, whatever the lengths of the segments, and a bounded number of items.
template <class Offsets, std::int64_t ItemWeight = item_weight>
struct segment_ends
{
  segments<Offsets> in;

  MGPU_THRUST_HOST_DEVICE std::int64_t weight() const
  {
    return ItemWeight * in.num_items + in.num_segments;
  }
  /// Weight of everything before a segment's end. The segment ends before a cut if this weight is below the cut's
  /// diagonal.
  MGPU_THRUST_HOST_DEVICE std::int64_t weight_before_end(std::int64_t segment) const
  {
    return ItemWeight * in.end(segment) + segment;
  }
  /// Returns the cut on a diagonal before which `ended` segments end. (Wrong offsets may make that number
  /// impossible; then it is clamped.) The cut's segment_index is that number: the segment that the item `item_index`
  /// belongs to, unless that item starts a later one.
  MGPU_THRUST_HOST_DEVICE load_balance_point cut(std::int64_t ended, std::int64_t diagonal) const
  {
    ended = detail::clamp_index(
      ended, detail::clamp_index(diagonal - ItemWeight * in.num_items, 0, in.num_segments),
      diagonal < in.num_segments ? diagonal : in.num_segments);
    return {(diagonal - ended) / ItemWeight, ended};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Load-balancing search over the ends of segments, by weight: how a reduction of segments is cut.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What an item weighs, if the end of a segment weighs 1. An item is read and reduced; an end costs a read of its
/// offset and a result.
inline constexpr std::int64_t item_weight = 3;

/// Where a segment ends: the number of the item behind its last.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Offsets>
MGPU_THRUST_HOST_DEVICE std::int64_t
segment_end(std::int64_t num_items, Offsets offsets, std::int64_t num_segments, std::int64_t segment)
{
  return segment + 1 < num_segments ? static_cast<std::int64_t>(detail::element(offsets, segment + 1)) : num_items;
}

/// Items and the ends of their segments, each behind its items, in one sequence. A diagonal cuts it where so much of
/// their weight lies before the cut, less than item_weight of it left over. Pieces between equally spaced diagonals are
/// of equal work, however long or empty the segments are; and have at most so many items as make that weight.
template <class Offsets>
struct segment_ends
{
  std::int64_t num_items;
  Offsets offsets;
  std::int64_t num_segments;

  MGPU_THRUST_HOST_DEVICE std::int64_t weight() const
  {
    return item_weight * num_items + num_segments;
  }
  /// The weight of all before a segment's end. It ends before the cut if that is below the cut's diagonal.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t weight_before_end(std::int64_t segment) const
  {
    return item_weight * detail::segment_end(num_items, offsets, num_segments, segment) + segment;
  }
  /// The cut, if so many do. (If offsets are wrong, that may be impossible; then it is made possible.) Its
  /// segment_index is their number: the segment that the item `item_index` belongs to, unless that starts at a later
  /// one.
  MGPU_THRUST_HOST_DEVICE load_balance_point cut(std::int64_t segments, std::int64_t diagonal) const
  {
    segments = detail::clamp_index(
      segments, detail::clamp_index(diagonal - item_weight * num_items, 0, num_segments),
      diagonal < num_segments ? diagonal : num_segments);
    return {(diagonal - segments) / item_weight, segments};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

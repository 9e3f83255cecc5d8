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
inline constexpr std::int64_t item_weight = 2;

/// Where a segment ends: the number of the item behind its last.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Offsets>
MGPU_THRUST_HOST_DEVICE std::int64_t
segment_end(std::int64_t num_items, Offsets offsets, std::int64_t num_segments, std::int64_t segment)
{
  return segment + 1 < num_segments ? static_cast<std::int64_t>(detail::element(offsets, segment + 1)) : num_items;
}

/// Cuts a sequence of items and ends of segments, the end of each behind its items, where `diagonal` of their weight
/// lies before the cut, less than item_weight of it left over. In the result, segment_index ends lie before the cut: it
/// is the segment that the item `item_index` belongs to, unless that starts at a later one.
///
/// Pieces between equally spaced cuts are of equal work, however long or empty the segments are; and of so many items
/// at most as make that weight. The parameters are those of load_balance, with 0 <= diagonal <= item_weight * num_items
/// + num_segments.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Offsets>
MGPU_THRUST_HOST_DEVICE load_balance_point
cut_segment_ends(std::int64_t num_items, Offsets offsets, std::int64_t num_segments, std::int64_t diagonal)
{
  std::int64_t begin = diagonal > item_weight * num_items ? diagonal - item_weight * num_items : 0;
  std::int64_t end = diagonal < num_segments ? diagonal : num_segments;
  while (begin < end)
  {
    const std::int64_t middle = begin + (end - begin) / 2;
    const std::int64_t weight_before =
      item_weight * detail::segment_end(num_items, offsets, num_segments, middle) + middle;
    if (weight_before < diagonal)
    {
      begin = middle + 1;
    }
    else
    {
      end = middle;
    }
  }
  return {(diagonal - begin) / item_weight, begin};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup agent_load_balance Load-balancing search of one item
/// Load-balancing search: which segment an item belongs to, and where a diagonal cuts items and segments together.

#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <thrust/iterator/counting_iterator.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// A point at which load_balance cuts: item_index items and the starts of segment_index segments are before it.
/// @since 1.0
struct load_balance_point
{
  std::int64_t item_index;
  std::int64_t segment_index;
};

/// @addtogroup agent_load_balance
/// @{

/// Finds where a diagonal cuts a sequence of segments of items, if starting a segment costs as much as an item.
///
/// Segment s holds the items from offsets[s] to offsets[s + 1] - 1, the last one those up to num_items - 1; it may be
/// empty. The path is the merge path of the offsets with the items 0, 1, 2, ..., the start of a segment before its
/// first item. Cutting it at equally spaced diagonals gives pieces of equal work, however long or empty the segments
/// are.
///
/// @param num_items    number of items, not negative
/// @param offsets      random-access iterator to integers in ascending order, from 0 to num_items, the first one 0
/// @param num_segments number of segments, not negative: n if there are n + 1 offsets, as in CSR
/// @param diagonal     items and starts before the cut, 0 <= diagonal <= num_items + num_segments
/// @return the items and the starts before the cut, `diagonal` together. The item `item_index` belongs to the last
///         segment that starts before it: segment_index - 1, if offsets[segment_index] is not that item itself
/// @since 1.0
///
/// Complexity: log2(min(diagonal, num_items, num_segments)) reads of offsets. Callable from host and device; allocates
/// and synchronises nothing; throws only what the iterator throws.
///
/// @code{.cpp}
/// const int offsets[] = {0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// const mgpu::load_balance_point cut = mgpu::load_balance(6, offsets, 4, 5);
/// assert(cut.item_index == 3 && cut.segment_index == 2); // 0: items 0 1 2; 1: nothing yet
/// @endcode
///
/// Source: S. Baxter: Modern GPU, "Load-Balancing Search" (2013).
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Offsets>
MGPU_THRUST_HOST_DEVICE load_balance_point
load_balance(std::int64_t num_items, Offsets offsets, std::int64_t num_segments, std::int64_t diagonal)
{
  const std::int64_t segment_index = mgpu::merge_path(
    offsets, num_segments, thrust::counting_iterator<std::int64_t>(0), num_items, diagonal, detail::index_less{});
  return {diagonal - segment_index, segment_index};
}

/// Returns the segment that an item belongs to: the last one whose offset is not above it. So it is never an empty one.
///
/// @param offsets      random-access iterator to integers in ascending order, the first one 0
/// @param num_segments number of segments, at least 1: n if there are n + 1 offsets, as in CSR
/// @param item         0 or more
/// @since 1.0
///
/// Complexity: log2(num_segments) reads of offsets. Callable from host and device; throws only what the iterator
/// throws.
///
/// @code{.cpp}
/// const int offsets[] = {0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// assert(mgpu::segment_of(offsets, 4, 3) == 2);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Offsets>
MGPU_THRUST_HOST_DEVICE std::int64_t segment_of(Offsets offsets, std::int64_t num_segments, std::int64_t item)
{
  // The first offset is 0, so it is never read.
  return detail::upper_bound(offsets, std::int64_t{1}, num_segments, item, detail::index_less{}) - 1;
}

/// @}
MGPU_THRUST_NAMESPACE_END

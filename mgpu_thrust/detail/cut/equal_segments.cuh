// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The cut into equal numbers of segments, which takes no search.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Tiles of equal numbers of segments. Each begins and ends with a segment, so none has a carry.
template <class Offsets>
struct equal_segments
{
  segments<Offsets> in;
  int tiles;

  /// Returns where a tile begins; for `tiles`, where the last one ends.
  MGPU_THRUST_DEVICE load_balance_point begin(int tile) const
  {
    // Quotient and remainder apart: the product of both numbers could overflow.
    const std::int64_t segment = in.num_segments / tiles * tile + in.num_segments % tiles * tile / tiles;
    const bool is_inside = 0 < tile && segment < in.num_segments;
    return {is_inside ? in.offset(segment) : tile > 0 ? in.num_items : 0, segment};
  }

  /// Returns whether each of the tiles that the calling thread checks has 0 to `max_items` items. If the threads of a
  /// block, which check all, return true, begins ascend from 0 to the number of items, whatever the offsets are. The
  /// last threads check the first tiles, as the first warps may have a search to do.
  MGPU_THRUST_DEVICE bool have_at_most(int max_items) const
  {
    bool have = true;
    for (int tile = static_cast<int>(blockDim.x - 1 - threadIdx.x); tile < tiles; tile += static_cast<int>(blockDim.x))
    {
      const std::int64_t items = detail::index_difference(begin(tile + 1).item_index, begin(tile).item_index);
      have &= 0 <= items && items <= max_items;
    }
    return have;
  }
};

template <class Offsets>
equal_segments(segments<Offsets>, int) -> equal_segments<Offsets>;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Bounds of a sampled_cut of items in segments.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/cut/segments.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Tiles of TileItems items: stores to tile_segments[t] the segment of a tile's first item; for the end of the last tile,
/// that of the last item.
template <int TileItems, class Offsets>
struct item_bounds
{
  segments<Offsets> in;
  std::int64_t* tile_segments;

  MGPU_THRUST_DEVICE std::int64_t begin() const
  {
    return 1;
  }
  MGPU_THRUST_DEVICE std::int64_t end() const
  {
    return in.num_segments;
  }
  MGPU_THRUST_DEVICE std::int64_t key(std::int64_t segment) const
  {
    return in.offset(segment);
  }
  MGPU_THRUST_DEVICE std::int64_t bound(std::int64_t tile) const
  {
    return tile * TileItems + 1;
  }
  MGPU_THRUST_DEVICE std::int64_t last_bound() const
  {
    return in.num_items;
  }
  MGPU_THRUST_DEVICE void store(std::int64_t tile, std::int64_t next_segment) const
  {
    tile_segments[tile] = next_segment - 1;
  }
};

/// Tiles of TileWeight items and ends of segments, weighted: stores to begins[t] where a tile begins.
template <std::int64_t TileWeight, class Offsets>
struct end_bounds
{
  segment_ends<Offsets> ends;
  load_balance_point* begins;

  MGPU_THRUST_DEVICE std::int64_t begin() const
  {
    return 0;
  }
  MGPU_THRUST_DEVICE std::int64_t end() const
  {
    return ends.num_segments;
  }
  MGPU_THRUST_DEVICE std::int64_t key(std::int64_t segment) const
  {
    return ends.weight_before_end(segment);
  }
  MGPU_THRUST_DEVICE std::int64_t bound(std::int64_t tile) const
  {
    return tile * TileWeight;
  }
  MGPU_THRUST_DEVICE std::int64_t last_bound() const
  {
    return ends.weight();
  }
  MGPU_THRUST_DEVICE void store(std::int64_t tile, std::int64_t segments_ended) const
  {
    begins[tile] = ends.cut(segments_ended, min(bound(tile), last_bound()));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

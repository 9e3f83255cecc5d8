// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tiles of a sort on a GPU: where they begin, and which segments cross their borders.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Maximum distance from the border of two tiles within which elements are merged without a pass.
inline constexpr int border_reach = 1024;

/// Whether some elements are further than border_reach from their sorted positions.
struct sort_locality
{
  bool was_far; ///< in samples of the input
  bool is_far;  ///< passes are needed
};

/// Tiles of equal size in one segment, without a test for locality. Passes have work in all of them. Count is the type
/// of `count`.
template <class Count>
struct plain_tiles
{
  Count count;
  int items;

  static constexpr bool is_segmented = false;
  static constexpr bool is_deferred = false;    ///< whether now() reads the number of elements
  static constexpr bool may_be_local = false;   ///< whether near_tile_sort may sort tiles
  static constexpr bool knows_all_tiles = true; ///< whether a block knows the tiles of other blocks

  MGPU_THRUST_HOST_DEVICE std::int64_t begin(std::int64_t tile) const
  {
    return tile * items < count ? tile * items : count;
  }
  MGPU_THRUST_HOST_DEVICE segment_range segment(std::int64_t) const
  {
    return {0, count};
  }
  MGPU_THRUST_DEVICE bool is_active(std::int64_t, int) const
  {
    return true;
  }
};

/// Tiles of equal size in one segment. Passes have work in all of them, or, if no element is far, in none.
struct even_tiles : plain_tiles<std::int64_t>
{
  const sort_locality* locality; ///< null if not tested

  static constexpr bool may_be_local = true;

  MGPU_THRUST_HOST_DEVICE const even_tiles& now() const
  {
    return *this;
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t tile_count() const
  {
    return ::cuda::ceil_div(count, std::int64_t{items});
  }
  MGPU_THRUST_DEVICE bool is_active(std::int64_t, int) const
  {
    return locality == nullptr || locality->is_far;
  }
  MGPU_THRUST_HOST_DEVICE tile_borders borders(std::int64_t, std::int64_t, int tile_count) const
  {
    return {tile_count, tile_count};
  }
};

/// The origin of a tile, and the segment of its first element.
struct tile_origin
{
  std::int64_t begin;
  segment_range segment;
  std::int64_t next_segment; ///< the first that begins after that element; for offsets only
};

/// Tiles of segmented elements as merge passes see them, the same type for offsets and flags. A tile begins every
/// `step` elements, or with the next segment if that begins at most `slack` elements later. Then no pass has work in
/// short segments.
struct tiles_by_origin
{
  std::int64_t count;
  int step;
  int slack;
  const tile_origin* origins; ///< one for each tile and for the end
  signed char* last_passes;   ///< of each tile, or -1; written by the block sort

  static constexpr bool is_segmented = true;
  static constexpr bool is_deferred = false;
  static constexpr bool may_be_local = false;
  static constexpr bool knows_all_tiles = true;

  /// Returns where a tile begins, given the first element `even` of its step and the segment of that element.
  MGPU_THRUST_HOST_DEVICE std::int64_t origin_in(const segment_range& segment, std::int64_t even) const
  {
    const bool stays = segment.begin >= even || segment.end - even > slack || segment.end == count;
    return stays ? even : segment.end;
  }

  MGPU_THRUST_HOST_DEVICE const tile_origin& origin(std::int64_t tile) const
  {
    return origins[tile];
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t begin(std::int64_t tile) const
  {
    return origins[tile].begin;
  }
  MGPU_THRUST_HOST_DEVICE segment_range segment(std::int64_t tile) const
  {
    return origins[tile].segment;
  }
  MGPU_THRUST_HOST_DEVICE bool is_active(std::int64_t tile, int pass) const
  {
    return last_passes[tile] >= pass;
  }
  MGPU_THRUST_HOST_DEVICE tile_borders borders(std::int64_t tile, std::int64_t begin, int tile_count) const
  {
    const std::int64_t end = begin + tile_count;
    return {
      static_cast<int>(detail::clamp_index(origins[tile].segment.end, begin, end) - begin),
      static_cast<int>(end - detail::clamp_index(origins[tile + 1].segment.begin, begin, end))};
  }

  /// Returns the first and the last tile of a segment; `known` for both if it is empty. No tile of the first step of
  /// the segment moves past its begin. A tile of its last step may move to its end.
  MGPU_THRUST_HOST_DEVICE tile_run tiles_of(const segment_range& segment, std::int64_t known) const
  {
    if (segment.begin >= segment.end)
    {
      return {known, known};
    }
    const std::int64_t last = (segment.end - 1) / step;
    return {segment.begin / step, last - (origin_in(segment, last * step) == segment.end)};
  }
};

/// Returns the last pass in which a tile takes part, or -1, if a segment crosses a border of the tile; called by all
/// lanes of a warp. (Inlined, it makes nvcc 13.0 compile the sort of keys whose comparator has a loop for minutes.)
MGPU_THRUST_DEVICE_CALL int
last_pass_of_shared(tiles_by_origin tiles, std::int64_t tile, merge_plan plan, bool ends_in_a_buffer)
{
  const segment_range own = tiles.segment(tile);
  const segment_range next = tiles.segment(tile + 1);
  tiles.count = tiles.begin(plan.tiles); // the actual count, if sizes are deferred
  const tile_run alone{tile, tile};
  const tile_run first = own.begin < tiles.begin(tile) ? tiles.tiles_of(own, tile) : alone;
  const tile_run last = next.begin < tiles.begin(tile + 1) ? tiles.tiles_of(next, tile) : alone;
  const int pass = static_cast<int>(threadIdx.x % 32);
  const unsigned merges = __ballot_sync(0xffffffff, pass < plan.passes() && plan.merges(pass, tile, first, last));
  return merges == 0 ? -1 : plan.last_pass_of(31 - __clz(static_cast<int>(merges)), ends_in_a_buffer);
}

/// Returns the last pass in which a tile takes part, or -1; called by all lanes of a warp.
MGPU_THRUST_DEVICE int
last_pass_of_tile(const tiles_by_origin& tiles, std::int64_t tile, const merge_plan& plan, bool ends_in_a_buffer)
{
  const bool is_shared = tiles.segment(tile).begin < tiles.begin(tile) //
                         || tiles.segment(tile + 1).begin < tiles.begin(tile + 1);
  return is_shared ? detail::last_pass_of_shared(tiles, tile, plan, ends_in_a_buffer) : -1;
}

/// tiles_by_origin with the segments, for kernels before the passes.
template <class Segments>
struct segment_tiles : tiles_by_origin
{
  Segments segments;
};

/// Tiles of segments with deferred sizes. Sized for capacities on the host; converted to the actual sizes on the
/// device.
template <class Segments, class First, class Second>
struct segment_tiles<deferred_inputs<Segments, First, Second>> : tiles_by_origin
{
  deferred_inputs<Segments, First, Second> segments;

  MGPU_THRUST_DEVICE operator segment_tiles<Segments>() const
  {
    tiles_by_origin now = *this;
    now.count = detail::count_now(count, segments);
    return {now, detail::segments_now(segments)};
  }
};

/// The tiles with actual sizes; kernels bind a reference to it. (With a function in its place, nvcc 13.0 changes the
/// code for known sizes.)
template <class Tiles>
using tiles_now_t = segment_tiles<sized_t<decltype(Tiles::segments)>>;

/// The tile of a block that has found its own origin and the next one.
template <class Segments>
struct own_tile
{
  const Segments& segments;
  std::int64_t number;
  const tile_origin* ends; ///< of this tile, and of the next one

  static constexpr bool is_segmented = true;
  static constexpr bool may_be_local = false;
  static constexpr bool knows_all_tiles = false;

  /// `tile` is this tile or the next one.
  MGPU_THRUST_DEVICE const tile_origin& origin(std::int64_t tile) const
  {
    return ends[tile - number];
  }
  MGPU_THRUST_DEVICE std::int64_t begin(std::int64_t tile) const
  {
    return origin(tile).begin;
  }
  MGPU_THRUST_DEVICE segment_range segment(std::int64_t tile) const
  {
    return origin(tile).segment;
  }
  MGPU_THRUST_DEVICE static bool is_active(std::int64_t, int)
  {
    return false;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

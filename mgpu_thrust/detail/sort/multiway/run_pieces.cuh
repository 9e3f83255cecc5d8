// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The runs of a merge pass: the parts that multiway_cut cuts, and the pieces that a tile merges.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/multiway_cut.cuh>
#include <mgpu_thrust/detail/sort/geometry/segments.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The tiles of a pass as multiway_cut sees them. It stores where each begins in each run of its group to
/// splits[max_ways * tile + run].
template <class Key, class Tiles, class Compare>
struct tiles_to_cut
{
  using key = Key;
  using order = Compare;
  static constexpr bool work_has_keys = true;

  const Key* keys;
  Tiles tiles;
  merge_pass pass;
  int pass_number;
  Compare comp;
  std::int64_t* splits;

  MGPU_THRUST_HOST_DEVICE std::int64_t tile_count() const
  {
    return pass.tiles;
  }
  MGPU_THRUST_DEVICE bool is_active(std::int64_t tile) const
  {
    return tiles.is_active(tile, pass_number);
  }
  MGPU_THRUST_DEVICE static std::int64_t find(std::int64_t number, bool)
  {
    return number;
  }
  /// Returns the part of a run in the segment of the tile's first element. A part in inactive tiles may be in the other
  /// buffer; it is then within one run.
  MGPU_THRUST_DEVICE part_to_cut part_of(std::int64_t tile, int run) const
  {
    const tile_run group = pass.group_of(tile);
    const tile_run part = pass.run_of(group.begin, run);
    const segment_range segment = tiles.segment(tile);
    const std::int64_t run_begin = tiles.begin(part.begin);
    const std::int64_t run_end = tiles.begin(part.end);
    const std::int64_t begin = (min) ((max) (segment.begin, run_begin), run_end);
    return {
      begin, (min) ((max) (segment.end, run_begin), run_end) - begin,
      tiles.begin(tile) - (max) (segment.begin, tiles.begin(group.begin))};
  }
  MGPU_THRUST_DEVICE const Key* keys_of(std::int64_t, const part_to_cut& part, int) const
  {
    return keys + part.begin;
  }
  MGPU_THRUST_DEVICE Key any_key(int lane, std::int64_t number, const Key*) const
  {
    return keys[tiles.begin(__shfl_sync(0xffffffff, number, lane))];
  }
  MGPU_THRUST_DEVICE void store(std::int64_t tile, const part_to_cut&, int run, std::int64_t split) const
  {
    splits[max_ways * tile + run] = split;
  }
};

/// The pieces that the tiles of a pass merge: the elements of each run of a tile's group that end up in the tile.
/// multiway_cut finds where they begin.
template <class Tiles>
struct run_pieces
{
  static constexpr bool prefetches_beside_load = true;

  const Tiles& tiles;
  const merge_pass& pass;
  int pass_number;
  const std::int64_t* splits; ///< where tile `tile` begins in run `run` of its group, at max_ways * tile + run
  int prefetch_distance;      ///< in tiles

  MGPU_THRUST_DEVICE std::int64_t tile_count() const
  {
    return pass.tiles;
  }
  MGPU_THRUST_DEVICE std::int64_t begin(std::int64_t tile) const
  {
    return tiles.begin(tile);
  }
  /// Whether the pass has work in a tile.
  MGPU_THRUST_DEVICE bool is_active(std::int64_t tile) const
  {
    return tiles.is_active(tile, pass_number);
  }
  /// Returns the run that contains a tile.
  MGPU_THRUST_DEVICE int own_run(std::int64_t tile) const
  {
    return static_cast<int>((tile - pass.group_of(tile).begin) >> pass.run_level);
  }

  /// Returns the piece of a run that a tile merges; it is empty if there is no such run. It ends where the next tile's
  /// piece begins. If the tile is the last of its group, or the next one is inactive, no element crosses the tile's
  /// end: each run is cut at that position.
  MGPU_THRUST_DEVICE run_piece piece(std::int64_t tile, int run) const
  {
    if (run >= max_ways)
    {
      return {0, 0};
    }
    const tile_run group = pass.group_of(tile);
    const tile_run part = pass.run_of(group.begin, run);
    const std::int64_t begin = splits[max_ways * tile + run];
    const std::int64_t end = tile + 1 < group.end && is_active(tile + 1)
                               ? splits[max_ways * (tile + 1) + run]
                               : (min) ((max) (tiles.begin(tile + 1), tiles.begin(part.begin)), tiles.begin(part.end));
    return {begin, end - begin};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The pieces of sorted runs that a tile of a merge pass merges.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

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

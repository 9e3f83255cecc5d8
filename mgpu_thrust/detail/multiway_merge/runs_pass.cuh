// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The geometry of a merge of given runs on a GPU: where runs begin, the groups that a pass merges, and their tiles.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A tile of a pass: its first element, and the first given run of the group that it belongs to.
struct runs_tile
{
  std::int64_t begin;
  std::int64_t first_run;
};

/// The part of a run that the tiles of its group merge, and the number of elements of all parts in earlier tiles.
struct part_to_cut
{
  std::int64_t begin;
  std::int64_t size;
  std::int64_t diagonal;
};

/// A pass over given runs, whose lengths the device knows. It merges groups of 2^levels neighbouring runs; a run is what
/// earlier passes have merged of 2^run_level given ones. So it is between two of the bounds of given runs, in the input of
/// every pass.
///
/// A tile belongs to one group. The tiles of group g, whose first element is b, are numbered from floor(b / tile_items) + g
/// on. These are enough numbers for a group of n elements, as floor((b + n) / t) - floor(b / t) + 1 >= ceil(n / t) for
/// tiles of t, and at most one too many, whose tile is empty:
///
///     elements       |   group 0     | group 1  |        group 2        |
///     tiles          |t0    |t1    |t2|t3    |t4 |t5    |t6    |t7    |t8|
///
/// A cut stores where each tile begins, and where in each run. It is the first to know which group a tile is of.
struct runs_pass
{
  const std::int64_t* bounds; ///< where each given run begins, and the end of the last
  merge_pass runs;            ///< the geometry of groups, with given runs for tiles
  int tile_items;
  std::int64_t tiles; ///< the number of tiles
  runs_tile* found;   ///< of each tile
  std::int64_t* splits;

  /// Returns the number of tiles of a pass for `count` elements.
  static std::int64_t tiles_for(std::int64_t count, const merge_pass& runs, int tile_items)
  {
    const std::int64_t group = std::int64_t{1} << (runs.run_level + runs.levels);
    return count / tile_items + (runs.tiles + group - 1) / group;
  }

  /// Returns the number of all elements.
  MGPU_THRUST_DEVICE std::int64_t count() const
  {
    return bounds[runs.tiles];
  }

  // For a cut.

  /// Finds the tile of a number.
  MGPU_THRUST_DEVICE runs_tile find(std::int64_t tile) const
  {
    const std::int64_t groups = ((runs.tiles - 1) >> group_level()) + 1;
    const std::int64_t group =
      detail::partition_point(std::int64_t{1}, groups, [&](std::int64_t next) { return first_tile(next) <= tile; }) - 1;
    const std::int64_t first_run = group << group_level();
    const std::int64_t end = bounds[runs.group_of(first_run).end];
    const std::int64_t begin = bounds[first_run] + (tile - first_tile(group)) * tile_items;
    return {begin < end ? begin : end, first_run};
  }
  MGPU_THRUST_DEVICE part_to_cut part_of(const runs_tile& tile, int run) const
  {
    const run_piece all = whole_run(tile.first_run, run);
    return {all.begin, all.size, tile.begin - bounds[tile.first_run]};
  }
  MGPU_THRUST_DEVICE void store(std::int64_t number, const runs_tile& tile, int run, std::int64_t split) const
  {
    splits[max_ways * number + run] = split;
    if (run == 0)
    {
      found[number] = tile;
    }
  }

  // For the merge of a tile, after the cut.

  MGPU_THRUST_DEVICE std::int64_t tile_count() const
  {
    return tiles;
  }
  MGPU_THRUST_DEVICE static bool is_active(std::int64_t)
  {
    return true;
  }
  /// Returns the first element of a tile; the number of all elements for the tile after the last.
  MGPU_THRUST_DEVICE std::int64_t begin(std::int64_t tile) const
  {
    return tile < tiles ? found[tile].begin : count();
  }
  /// Returns the run that contains the first element of a tile: the last that begins there or before, as empty runs may
  /// begin there too.
  MGPU_THRUST_DEVICE int own_run(std::int64_t tile) const
  {
    const runs_tile own = found[tile];
    int run = 0;
#pragma unroll
    for (int next = 1; next < max_ways; ++next)
    {
      run = whole_run(own.first_run, next).begin <= own.begin ? next : run;
    }
    return run;
  }
  /// Returns the piece of a run that a tile merges; it is empty if there is no such run.
  MGPU_THRUST_DEVICE run_piece piece(std::int64_t tile, int run) const
  {
    if (run >= max_ways)
    {
      return {0, 0};
    }
    const std::int64_t first_run = found[tile].first_run;
    const std::int64_t begin = splits[max_ways * tile + run];
    const run_piece all = whole_run(first_run, run);
    const bool continues = tile + 1 < tiles && found[tile + 1].first_run == first_run;
    return {begin, (continues ? splits[max_ways * (tile + 1) + run] : all.begin + all.size) - begin};
  }

private:
  MGPU_THRUST_DEVICE int group_level() const
  {
    return runs.run_level + runs.levels;
  }
  MGPU_THRUST_DEVICE std::int64_t first_tile(std::int64_t group) const
  {
    return bounds[group << group_level()] / tile_items + group;
  }
  /// Returns a run of the group that begins with a given run.
  MGPU_THRUST_DEVICE run_piece whole_run(std::int64_t first_run, int run) const
  {
    const tile_run given = runs.run_of(first_run, run);
    const std::int64_t begin = bounds[given.begin];
    return {begin, bounds[given.end] - begin};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

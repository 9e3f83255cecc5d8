// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The geometry of a merge of given runs on a GPU: where runs begin, the groups that a pass merges, and their tiles.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/multiway_cut.cuh>
#include <mgpu_thrust/detail/driver/prefetch.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A tile of a pass.
struct alignas(16) runs_tile
{
  std::int64_t begin; ///< its first element
  int group;
  ::cuda::std::int16_t size;
  ::cuda::std::int16_t own_run; ///< the last that begins where the tile does or before; empty runs may begin there too
};

/// The elements of a run that a tile merges.
struct alignas(16) run_part_of_tile
{
  std::int64_t begin;
  std::int64_t end;
};

/// A tile that is being cut.
struct tile_to_cut
{
  runs_tile tile;
  std::int64_t number;
  std::int64_t first_run; ///< the first given run of its group
  bool ends_group;        ///< whether no element of the group is in later tiles
};

/// A pass over given runs, whose lengths the device knows. It merges groups of 2^levels neighbouring runs; a run is
/// what earlier passes have merged of 2^run_level given ones. So it is between two of the bounds of given runs, in the
/// input of every pass.
///
/// A tile belongs to one group. The tiles of group g, whose first element is b, are numbered from floor(b / tile_items)
/// + g on. These are enough numbers for a group of n elements, as floor((b + n) / t) - floor(b / t) + 1 >= ceil(n / t)
/// for tiles of t, and at most one too many, whose tile is empty:
///
///     elements       |   group 0     | group 1  |        group 2        |
///     tiles          |t0    |t1    |t2|t3    |t4 |t5    |t6    |t7    |t8|
///
/// A cut stores each tile, and its part of each run. So the merge of a tile waits for memory once before it loads.
struct runs_pass
{
  static constexpr bool prefetches_beside_load = false; ///< see merge_pass_tile::finish_load()
  static constexpr int prefetch_distance = detail::prefetch_distance;

  const std::int64_t* bounds; ///< where each given run begins, and the end of the last
  merge_pass runs;            ///< the geometry of groups, with given runs for tiles
  int tile_items;
  std::int64_t tiles;      ///< the number of tiles
  runs_tile* found;        ///< of each tile
  run_part_of_tile* parts; ///< of each tile and run, at max_ways * tile + run

  /// Returns the number of all elements.
  MGPU_THRUST_DEVICE std::int64_t count() const
  {
    return bounds[runs.tiles];
  }

  // For a cut.

  /// Finds the tile of a number.
  MGPU_THRUST_DEVICE tile_to_cut find(std::int64_t number) const
  {
    const std::int64_t groups = ((runs.tiles - 1) >> group_level()) + 1;
    const std::int64_t group =
      detail::partition_point(std::int64_t{1}, groups, [&](std::int64_t next) { return first_tile(next) <= number; })
      - 1;
    const std::int64_t first_run = group << group_level();
    const std::int64_t end = bounds[runs.group_of(first_run).end];
    const std::int64_t begin = (min) (bounds[first_run] + (number - first_tile(group)) * tile_items, end);
    int own_run = 0;
#pragma unroll
    for (int next = 1; next < max_ways; ++next)
    {
      own_run = bounds[runs.run_of(first_run, next).begin] <= begin ? next : own_run;
    }
    const auto size = static_cast<::cuda::std::int16_t>((min) (end - begin, std::int64_t{tile_items}));
    return {
      {begin, static_cast<int>(group), size, static_cast<::cuda::std::int16_t>(own_run)},
      number,
      first_run,
      end - begin <= tile_items};
  }
  MGPU_THRUST_DEVICE part_to_cut part_of(const tile_to_cut& cut, int run) const
  {
    const tile_run given = runs.run_of(cut.first_run, run);
    const std::int64_t begin = bounds[given.begin];
    return {begin, bounds[given.end] - begin, cut.tile.begin - bounds[cut.first_run]};
  }
  /// Stores where a tile begins in a run, which is where the tile before ends, and the tile.
  MGPU_THRUST_DEVICE void store(const tile_to_cut& cut, const part_to_cut& part, int run, std::int64_t split) const
  {
    const std::int64_t at = max_ways * cut.number + run;
    parts[at].begin = split;
    if (part.diagonal > 0)
    {
      parts[at - max_ways].end = split;
    }
    if (cut.ends_group)
    {
      parts[at].end = part.begin + part.size;
    }
    if (run == 0)
    {
      found[cut.number] = cut.tile;
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
  /// Returns the first element of a tile.
  MGPU_THRUST_DEVICE std::int64_t begin(std::int64_t tile) const
  {
    return found[tile].begin;
  }
  /// Returns the given runs of a run of a tile's group.
  MGPU_THRUST_DEVICE tile_run given_runs(std::int64_t tile, int run) const
  {
    return runs.run_of(static_cast<std::int64_t>(found[tile].group) << group_level(), run);
  }
  /// Returns the piece of a run that a tile merges; it is empty if there is no such run.
  MGPU_THRUST_DEVICE run_piece piece(std::int64_t tile, int run) const
  {
    if (run >= max_ways)
    {
      return {0, 0};
    }
    const run_part_of_tile part = parts[max_ways * tile + run];
    return {part.begin, part.end - part.begin};
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
};

/// The group of a tile that is being cut, for run_elements.
struct runs_group
{
  const merge_pass& runs;
  std::int64_t first_run;

  MGPU_THRUST_DEVICE tile_run given_runs(std::int64_t, int run) const
  {
    return runs.run_of(first_run, run);
  }
};

/// The tiles of a pass as multiway_cut sees them. Keys is a run_elements.
template <class Keys, class Compare>
struct runs_to_cut
{
  using key = typename ::cuda::std::iterator_traits<decltype(Keys::all)>::value_type;
  using order = Compare;
  static constexpr bool work_has_keys = false;

  Keys keys;
  runs_pass pass;
  Compare comp;

  MGPU_THRUST_HOST_DEVICE std::int64_t tile_count() const
  {
    return pass.tiles;
  }
  MGPU_THRUST_DEVICE static constexpr bool is_active(std::int64_t)
  {
    return true;
  }
  MGPU_THRUST_DEVICE tile_to_cut find(std::int64_t number, bool has_work) const
  {
    return pass.find(has_work ? number : 0);
  }
  MGPU_THRUST_DEVICE part_to_cut part_of(const tile_to_cut& tile, int run) const
  {
    return pass.part_of(tile, run);
  }
  MGPU_THRUST_DEVICE const key* keys_of(const tile_to_cut& tile, const part_to_cut& part, int run) const
  {
    return keys.at(runs_group{pass.runs, tile.first_run}, tile.number, run, part.begin);
  }
  MGPU_THRUST_DEVICE static const key& any_key(int lane, std::int64_t, const key* first)
  {
    const auto address = __shfl_sync(0xffffffff, reinterpret_cast<unsigned long long>(first), lane);
    return *reinterpret_cast<const key*>(address);
  }
  MGPU_THRUST_DEVICE void store(const tile_to_cut& tile, const part_to_cut& part, int run, std::int64_t split) const
  {
    pass.store(tile, part, run, split);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

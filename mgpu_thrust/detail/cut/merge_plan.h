// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The geometry of merges of many runs on a GPU: tiles, sorted runs of tiles, and merge passes. Its users are sorts,
/// and merges of given runs, which count these in place of tiles.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/std/bit>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Maximum number of runs that a pass merges into one.
inline constexpr int max_ways = 8;

/// Two neighbouring sorted runs, [a, b) and [b, end). Either may be empty.
struct run_pair
{
  int a;
  int b;
  int end;
};

/// Tiles [begin, end).
struct tile_run
{
  std::int64_t begin;
  std::int64_t end;
};

/// The piece of a run that a tile merges: `size` elements from index `begin` on.
struct run_piece
{
  std::int64_t begin;
  std::int64_t size;
};

/// Number of elements of a tile in the segment of its first element, and in the segment that continues in the next
/// tile.
struct tile_borders
{
  int first;
  int last;
};

/// A pass merges groups of 2^levels neighbouring runs of 2^run_level tiles each. The last ones may be shorter.
struct merge_pass
{
  std::int64_t tiles; ///< total number of tiles
  int run_level;
  int levels;

  /// Returns the group of a tile.
  MGPU_THRUST_HOST_DEVICE tile_run group_of(std::int64_t tile) const
  {
    const std::int64_t size = std::int64_t{1} << (run_level + levels);
    const std::int64_t begin = tile & ~(size - 1);
    return {begin, up_to_end(begin + size)};
  }
  /// Returns run `run` of the group that begins at tile `group_begin`. It may be empty; runs from 2^levels on are.
  MGPU_THRUST_HOST_DEVICE tile_run run_of(std::int64_t group_begin, int run) const
  {
    const int ways = 1 << levels;
    const auto tiles_of = [this](int runs) { return static_cast<std::int64_t>(runs) << run_level; };
    return {
      up_to_end(group_begin + tiles_of(run < ways ? run : ways)),
      up_to_end(group_begin + tiles_of(run < ways ? run + 1 : ways))};
  }

  /// Whether elements in tiles [first, last] are in several runs of a tile's group.
  MGPU_THRUST_HOST_DEVICE bool is_across_runs(std::int64_t first, std::int64_t last, std::int64_t tile) const
  {
    const tile_run group = group_of(tile);
    const std::int64_t from = first > group.begin ? first : group.begin;
    const std::int64_t to = last < group.end ? last : group.end - 1;
    return from < to && from >> run_level != to >> run_level;
  }

private:
  MGPU_THRUST_HOST_DEVICE std::int64_t up_to_end(std::int64_t tile) const
  {
    return tile < tiles ? tile : tiles;
  }
};

/// The passes over a number of tiles: as few as possible, with levels as equal as possible; passes with fewer levels
/// are last.
struct merge_plan
{
  std::int64_t tiles;

  /// Number of binary merge levels.
  MGPU_THRUST_HOST_DEVICE constexpr int levels() const
  {
    return tiles > 1 ? ::cuda::std::bit_width(static_cast<std::uint64_t>(tiles - 1)) : 0;
  }
  MGPU_THRUST_HOST_DEVICE constexpr int passes() const
  {
    return (levels() + max_levels - 1) / max_levels;
  }
  MGPU_THRUST_HOST_DEVICE constexpr merge_pass pass(int number) const
  {
    const int all = levels();
    const int count = passes();
    const int larger = all % count; // passes with a level more than the others
    const int before = number * (all / count) + (number < larger ? number : larger);
    return {tiles, before, all / count + (number < larger)};
  }

  /// Whether a pass merges elements of a tile in its first or its last segment, which lie in these tiles, including the
  /// ends.
  MGPU_THRUST_HOST_DEVICE bool
  merges(int number, std::int64_t tile, const tile_run& first_segment, const tile_run& last_segment) const
  {
    const merge_pass here = pass(number);
    return here.is_across_runs(first_segment.begin, first_segment.end, tile)
           || here.is_across_runs(last_segment.begin, last_segment.end, tile);
  }
  /// Returns the last pass in which a tile takes part, given the last one that merges its elements. If the result must
  /// be in the target buffer of the last pass, that may be one pass more; otherwise it is the last pass.
  MGPU_THRUST_HOST_DEVICE int last_pass_of(int last_merge, bool ends_in_a_buffer) const
  {
    const int last = passes() - 1;
    return ends_in_a_buffer ? last_merge + (last - last_merge) % 2 : last;
  }

private:
  static constexpr int max_levels = 3;
  static_assert(1 << max_levels == max_ways, "a pass merges up to that many runs");
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

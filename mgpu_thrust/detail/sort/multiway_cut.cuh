// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The cut of a merge pass: where each tile begins in each of the runs that it is merged from.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/multiway_split.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/segments.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Stores where each tile begins in each run of its group to splits[most_ways * tile + run]. The lanes that have the runs
/// of a tile search together.
template <class Key, class Tiles, class Compare>
struct multiway_cut
{
  static constexpr bool starts_next = false;
  static constexpr int block_tiles = cut_threads / most_ways;
  struct TempStorage
  {
  };

  const Key* keys;
  Tiles tiles;
  merge_pass pass;
  int number; ///< of the pass
  Compare comp;
  std::int64_t* splits;

  int blocks() const
  {
    return static_cast<int>(::cuda::ceil_div(pass.tiles, block_tiles));
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage&) const
  {
    cut_tile(static_cast<std::int64_t>(blockIdx.x) * block_tiles + static_cast<int>(threadIdx.x) / most_ways);
  }
  /// Cuts a tile, if there is one of that number; called by all lanes of a warp, of which most_ways neighbours have a tile.
  MGPU_THRUST_DEVICE void cut_tile(std::int64_t tile) const
  {
    const int run = static_cast<int>(threadIdx.x) % most_ways;
    const bool is_tile = tile < pass.tiles && tiles.is_active(tile, number);
    const unsigned lanes_with_tiles = __ballot_sync(0xffffffff, is_tile);
    if (lanes_with_tiles == 0)
    {
      return;
    }

    // The part of each run that belongs to the segment of the tile's first element; elements before it belong to
    // earlier tiles. Where that part lies in tiles that are not active, it may be in the other buffer by now: then it is
    // all in one run.
    std::int64_t begin = 0;
    std::int64_t size = 0;
    std::int64_t diagonal = 0;
    if (is_tile)
    {
      const tile_run group = pass.group_of(tile);
      const tile_run part = pass.run_of(group.begin, run);
      const segment_bounds segment = tiles.segment(tile);
      const std::int64_t run_begin = tiles.begin(part.begin);
      const std::int64_t run_end = tiles.begin(part.end);
      begin = min(max(segment.begin, run_begin), run_end);
      size = min(max(segment.end, run_begin), run_end) - begin;
      diagonal = tiles.begin(tile) - max(segment.begin, tiles.begin(group.begin));
    }
    const std::int64_t a_tile = __shfl_sync(0xffffffff, tile, __ffs(static_cast<int>(lanes_with_tiles)) - 1);
    const Key any_key = keys[tiles.begin(a_tile)];
    const std::int64_t split =
      multiway_split<most_ways, Key, Compare>(keys + begin, size, diagonal, any_key, comp).find();
    if (is_tile)
    {
      splits[most_ways * tile + run] = begin + split;
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

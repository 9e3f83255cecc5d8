// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The cut of a merge pass over up to eight runs at once: where each tile begins in each run that it merges.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/multiway_block_split.cuh>
#include <mgpu_thrust/detail/cut/multiway_split.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The part of a run that the tiles of its group merge, and the number of elements of all parts in earlier tiles.
struct part_to_cut
{
  std::int64_t begin;
  std::int64_t size;
  std::int64_t diagonal;
};

// The tiles of a pass as a cut sees them are of a sort (tiles_to_cut), or of given runs (runs_to_cut). They have
//   key, order, comp                the type of the keys, and their comparator
//   tile_count()                    the number of tiles
//   is_active(number)               whether the pass has work in a tile
//   work_has_keys                   whether each tile with work has keys; otherwise tiles without work can be found
//   find(number, has_work)          a tile by its number
//   part_of(tile, run)              the part_to_cut of a run
//   keys_of(tile, part, run)        the keys of that part
//   any_key(lane, number, keys)     a key of a lane that has some; called by all lanes
//   store(tile, part, run, split)   stores that the tile begins at element `split` of the run

/// The cut by lanes: a lane has a run, and the lanes of a tile search together.
template <class Tiles>
struct multiway_cut
{
  static constexpr int threads = cut_threads;
  static constexpr bool starts_next = false;
  static constexpr int block_tiles = threads / max_ways;
  struct TempStorage
  {
  };

  Tiles tiles;

  int blocks() const
  {
    return static_cast<int>(::cuda::ceil_div(tiles.tile_count(), block_tiles));
  }
  MGPU_THRUST_DEVICE void cut_tiles(TempStorage&) const
  {
    cut_tile(static_cast<std::int64_t>(blockIdx.x) * block_tiles + static_cast<int>(threadIdx.x) / max_ways);
  }
  /// Cuts a tile, if it exists; called by all lanes of a warp. max_ways neighbouring lanes have a tile.
  MGPU_THRUST_DEVICE void cut_tile(std::int64_t number) const
  {
    const int run = static_cast<int>(threadIdx.x) % max_ways;
    const bool has_work = number < tiles.tile_count() && tiles.is_active(number);
    unsigned lanes = 0; // those that know a key
    if constexpr (Tiles::work_has_keys)
    {
      lanes = __ballot_sync(0xffffffff, has_work);
      if (lanes == 0)
      {
        return;
      }
    }
    const auto tile = tiles.find(number, has_work);
    const bool has_part = has_work || !Tiles::work_has_keys;
    const part_to_cut part = has_part ? tiles.part_of(tile, run) : part_to_cut{0, 0, 0};
    const auto* const keys = tiles.keys_of(tile, part, run);
    if constexpr (!Tiles::work_has_keys)
    {
      lanes = __ballot_sync(0xffffffff, part.size > 0);
    }
    std::int64_t split = 0;
    if (lanes != 0)
    {
      const auto& any_key = tiles.any_key(__ffs(static_cast<int>(lanes)) - 1, number, keys);
      split = multiway_split<max_ways, typename Tiles::key, typename Tiles::order>(
                keys, part.size, part.diagonal, any_key, tiles.comp)
                .find();
    }
    if (has_work)
    {
      tiles.store(tile, part, run, part.begin + split);
    }
  }
};

/// The cut by a block per tile, with a warp per run.
template <class Tiles>
struct multiway_block_cut
{
  using split_type = multiway_block_split<max_ways, typename Tiles::key, typename Tiles::order>;
  static constexpr int threads = split_type::threads;
  static constexpr bool starts_next = false;
  using TempStorage = typename split_type::TempStorage;

  Tiles tiles;

  int blocks() const
  {
    return static_cast<int>(tiles.tile_count());
  }
  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    if (!tiles.is_active(blockIdx.x))
    {
      return;
    }
    const int run = static_cast<int>(threadIdx.x) / 32;
    const auto tile = tiles.find(blockIdx.x, true);
    const part_to_cut part = tiles.part_of(tile, run);
    const std::int64_t split =
      split_type(shared, tiles.keys_of(tile, part, run), part.size, part.diagonal, tiles.comp).find();
    if (threadIdx.x % 32 == 0)
    {
      tiles.store(tile, part, run, part.begin + split);
    }
  }
};

/// Queues the cut of a pass: few tiles are cut by a block each.
template <class Tiles>
cudaError_t queue_multiway_cut(const Tiles& tiles, cudaStream_t stream)
{
  return tiles.tile_count() <= max_tiles_cut_by_a_block ? detail::queue_cut(multiway_block_cut<Tiles>{tiles}, stream)
                                                        : detail::queue_cut(multiway_cut<Tiles>{tiles}, stream);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

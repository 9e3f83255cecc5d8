// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The cut of a merge pass: where each tile begins in each run that it merges.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/multiway_block_split.cuh>
#include <mgpu_thrust/detail/cut/multiway_split.cuh>
#include <mgpu_thrust/detail/sort/geometry/segments.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Stores where each tile begins in each run of its group to splits[max_ways * tile + run]. A lane has a run, and the
/// lanes of a tile search together.
template <class Key, class Tiles, class Compare>
struct multiway_cut
{
  static constexpr int threads = cut_threads;
  static constexpr bool starts_next = false;
  static constexpr int block_tiles = threads / max_ways;
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
    cut_tile(static_cast<std::int64_t>(blockIdx.x) * block_tiles + static_cast<int>(threadIdx.x) / max_ways);
  }
  /// Cuts a tile, if it exists; called by all lanes of a warp. max_ways neighbouring lanes have a tile.
  MGPU_THRUST_DEVICE void cut_tile(std::int64_t tile) const
  {
    const int run = static_cast<int>(threadIdx.x) % max_ways;
    const bool is_tile = tile < pass.tiles && tiles.is_active(tile, number);
    const unsigned lanes_with_tiles = __ballot_sync(0xffffffff, is_tile);
    if (lanes_with_tiles == 0)
    {
      return;
    }
    const run_part part = is_tile ? part_of(tile, run) : run_part{0, 0, 0};
    const std::int64_t a_tile = __shfl_sync(0xffffffff, tile, __ffs(static_cast<int>(lanes_with_tiles)) - 1);
    const Key any_key = keys[tiles.begin(a_tile)];
    const std::int64_t split =
      multiway_split<max_ways, Key, Compare>(keys + part.begin, part.size, part.diagonal, any_key, comp).find();
    if (is_tile)
    {
      splits[max_ways * tile + run] = part.begin + split;
    }
  }

protected:
  /// The part of a run in the segment of a tile's first element, and the number of elements of all parts in earlier
  /// tiles.
  struct run_part
  {
    std::int64_t begin;
    std::int64_t size;
    std::int64_t diagonal;
  };

  /// If a part lies in inactive tiles, it may be in the other buffer; it is then within one run.
  MGPU_THRUST_DEVICE run_part part_of(std::int64_t tile, int run) const
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
};

/// multiway_cut by a block per tile, with a warp per run.
template <class Key, class Tiles, class Compare>
struct multiway_block_cut : multiway_cut<Key, Tiles, Compare>
{
  using base = multiway_cut<Key, Tiles, Compare>;
  using split_type = multiway_block_split<max_ways, Key, Compare>;
  static constexpr int threads = split_type::threads;
  using TempStorage = typename split_type::TempStorage;

  explicit multiway_block_cut(const base& cut)
      : base(cut)
  {
  }
  int blocks() const
  {
    return static_cast<int>(base::pass.tiles);
  }
  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    const std::int64_t tile = blockIdx.x;
    if (!base::tiles.is_active(tile, base::number))
    {
      return;
    }
    const int run = static_cast<int>(threadIdx.x) / 32;
    const auto part = base::part_of(tile, run);
    const std::int64_t split = split_type(shared, base::keys + part.begin, part.size, part.diagonal, base::comp).find();
    if (threadIdx.x % 32 == 0)
    {
      base::splits[max_ways * tile + run] = part.begin + split;
    }
  }
};

/// Queues the cut of a pass.
template <class Key, class Tiles, class Compare>
cudaError_t queue_multiway_cut(const multiway_cut<Key, Tiles, Compare>& cut, cudaStream_t stream)
{
  return cut.pass.tiles <= max_tiles_cut_by_a_block
           ? detail::queue_cut(multiway_block_cut<Key, Tiles, Compare>(cut), stream)
           : detail::queue_cut(cut, stream);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

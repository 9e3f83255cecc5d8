// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The cut of a pass over given runs: where each tile begins, and where in each run that it merges.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/multiway_block_split.cuh>
#include <mgpu_thrust/detail/cut/multiway_split.cuh>
#include <mgpu_thrust/detail/multiway_merge/runs_pass.cuh>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The cut by lanes: a lane has a run, and the lanes of a tile search together.
template <class Key, class Compare>
struct runs_cut
{
  static constexpr int threads = cut_threads;
  static constexpr bool starts_next = false;
  static constexpr int block_tiles = threads / max_ways;
  struct TempStorage
  {
  };

  const Key* keys;
  runs_pass pass;
  Compare comp;

  int blocks() const
  {
    return static_cast<int>(::cuda::ceil_div(pass.tiles, block_tiles));
  }
  MGPU_THRUST_DEVICE void cut_tiles(TempStorage&) const
  {
    const std::int64_t number =
      static_cast<std::int64_t>(blockIdx.x) * block_tiles + static_cast<int>(threadIdx.x) / max_ways;
    const int run = static_cast<int>(threadIdx.x) % max_ways;
    const bool is_tile = number < pass.tiles;
    const runs_tile tile = pass.find(is_tile ? number : 0);
    const part_to_cut part = pass.part_of(tile, run);
    std::int64_t split = 0;
    if (pass.count() > 0) // there is a key
    {
      split = multiway_split<max_ways, Key, Compare>(keys + part.begin, part.size, part.diagonal, keys[0], comp).find();
    }
    if (is_tile)
    {
      pass.store(number, tile, run, part.begin + split);
    }
  }
};

/// The cut by a block per tile, with a warp per run.
template <class Key, class Compare>
struct runs_block_cut : runs_cut<Key, Compare>
{
  using base = runs_cut<Key, Compare>;
  using split_type = multiway_block_split<max_ways, Key, Compare>;
  static constexpr int threads = split_type::threads;
  using TempStorage = typename split_type::TempStorage;

  explicit runs_block_cut(const base& cut)
      : base(cut)
  {
  }
  int blocks() const
  {
    return static_cast<int>(base::pass.tiles);
  }
  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    const int run = static_cast<int>(threadIdx.x) / 32;
    const runs_tile tile = base::pass.find(blockIdx.x);
    const part_to_cut part = base::pass.part_of(tile, run);
    const std::int64_t split = split_type(shared, base::keys + part.begin, part.size, part.diagonal, base::comp).find();
    if (threadIdx.x % 32 == 0)
    {
      base::pass.store(blockIdx.x, tile, run, part.begin + split);
    }
  }
};

/// Queues the cut of a pass.
template <class Key, class Compare>
cudaError_t queue_runs_cut(const runs_cut<Key, Compare>& cut, cudaStream_t stream)
{
  return cut.pass.tiles <= max_tiles_cut_by_a_block ? detail::queue_cut(runs_block_cut<Key, Compare>(cut), stream)
                                                    : detail::queue_cut(cut, stream);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The cut of a pass over given runs: where each tile begins, and where in each run that it merges. The cut of a sort's
/// pass, multiway_cut, has other tiles and parts: a tile need not be found, may have no work, and has a segment; and
/// all keys are in one range. Common to both is the search, which is in detail/cut.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/multiway_block_split.cuh>
#include <mgpu_thrust/detail/cut/multiway_split.cuh>
#include <mgpu_thrust/detail/multiway_merge/runs_pass.cuh>
#include <mgpu_thrust/detail/tile/run_elements.cuh>

#include <cuda/cmath>
#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

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

/// The cut by lanes: a lane has a run, and the lanes of a tile search together. Keys is a run_elements.
template <class Keys, class Compare>
struct runs_cut
{
  using key = typename ::cuda::std::iterator_traits<decltype(Keys::all)>::value_type;
  static constexpr int threads = cut_threads;
  static constexpr bool starts_next = false;
  static constexpr int block_tiles = threads / max_ways;
  struct TempStorage
  {
  };

  Keys keys;
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
    const tile_to_cut tile = pass.find(is_tile ? number : 0);
    const part_to_cut part = pass.part_of(tile, run);
    const key* const first = first_of(tile, part, run);
    std::int64_t split = 0;
    const unsigned lanes_with_keys = __ballot_sync(0xffffffff, part.size > 0);
    if (lanes_with_keys != 0)
    {
      const auto any_key = __shfl_sync(
        0xffffffff, reinterpret_cast<unsigned long long>(first), __ffs(static_cast<int>(lanes_with_keys)) - 1);
      split = multiway_split<max_ways, key, Compare>(
                first, part.size, part.diagonal, *reinterpret_cast<const key*>(any_key), comp)
                .find();
    }
    if (is_tile)
    {
      pass.store(tile, part, run, part.begin + split);
    }
  }

protected:
  /// Returns where the part of a run is.
  MGPU_THRUST_DEVICE const key* first_of(const tile_to_cut& tile, const part_to_cut& part, int run) const
  {
    return keys.at(runs_group{pass.runs, tile.first_run}, tile.number, run, part.begin);
  }
};

/// The cut by a block per tile, with a warp per run.
template <class Keys, class Compare>
struct runs_block_cut : runs_cut<Keys, Compare>
{
  using base = runs_cut<Keys, Compare>;
  using split_type = multiway_block_split<max_ways, typename base::key, Compare>;
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
    const tile_to_cut tile = base::pass.find(blockIdx.x);
    const part_to_cut part = base::pass.part_of(tile, run);
    const std::int64_t split =
      split_type(shared, base::first_of(tile, part, run), part.size, part.diagonal, base::comp).find();
    if (threadIdx.x % 32 == 0)
    {
      base::pass.store(tile, part, run, part.begin + split);
    }
  }
};

/// Queues the cut of a pass.
template <class Keys, class Compare>
cudaError_t queue_runs_cut(const runs_cut<Keys, Compare>& cut, cudaStream_t stream)
{
  return cut.pass.tiles <= max_tiles_cut_by_a_block ? detail::queue_cut(runs_block_cut<Keys, Compare>(cut), stream)
                                                    : detail::queue_cut(cut, stream);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

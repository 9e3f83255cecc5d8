// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of the last pass of a fold of runs.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/multiway_merge/fold/fold_tile.cuh>
#include <mgpu_thrust/detail/multiway_merge/runs_pass.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Shared memory of a block with a tile, or of the block that serves carries.
template <class Tile, class Serving>
union fold_storage
{
  Tile tile;
  Serving serving;
  MGPU_THRUST_DEVICE fold_storage()
  {
  }
};

/// The blocks of a grid before those with tiles: they serve offsets, and carries.
inline constexpr int fold_serving_blocks = 2;

/// Merges and folds a tile of the last pass per block. *count receives the number of results.
template <class Shapes, class From, class Compare, class Fold, class Carries, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::merge::threads, Shapes::merge::blocks_per_multiprocessor)
  fold_runs_kernel(
    From in, runs_pass pass, Compare comp, Fold fold, tile_offsets offsets, Carries carries, Count* count)
{
  using tile_type = fold_tile<Shapes, From, Compare, Fold>;
  constexpr int threads = Shapes::merge::threads;
  __shared__ fold_storage<typename tile_type::TempStorage, typename Carries::template serving_storage<threads>> shared;
  static_assert(
    sizeof(shared) + max_shared_bytes_of_function <= max_static_shared_bytes, "mgpu_thrust: values are too large");

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  if (blockIdx.x == 0)
  {
    const std::int64_t sum = offsets.template serve_grid<threads, Fold::writes>();
    if (threadIdx.x == 0)
    {
      *count = static_cast<Count>(sum);
    }
  }
  else if (blockIdx.x >= fold_serving_blocks)
  {
    const int tile = static_cast<int>(blockIdx.x) - fold_serving_blocks;
    tile_type(shared.tile, in, pass, tile, comp, fold, offsets, carries).process();
  }
  else if constexpr (Fold::has_values_too)
  {
    carries.template serve<threads>(shared.serving, static_cast<int>(pass.tiles), fold);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of segmented reductions: one reduces a tile per block, one combines the parts of segments that lie in
/// several tiles.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_reduce/carry_block.cuh>
#include <mgpu_thrust/detail/segmented_reduce/reduce_tile.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tile_carries.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tuning.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Reduces the segments of one tile per block. begins[tile] is where a tile begins; `carries` receives the partial
/// results of segments that lie in several tiles.
template <class Shape, class T, class Reduction, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) segmented_reduce_kernel(
  Reduction reduction, segments<Offsets> in, int tiles, const load_balance_point* begins, tile_carries<T> carries)
{
  using tile_type = reduce_tile<Shape, T, Reduction, Offsets>;
  __shared__ typename tile_type::TempStorage shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes);
  const int tile = static_cast<int>(blockIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now

  tile_type(shared, reduction, in, begins + tile, {carries.last + tile, carries.first + tile})
    .process(
      [&]
      {
        const int later = tile + Shape::prefetch_distance;
        if (later < tiles)
        {
          tile_type::prefetch(in, begins + later);
        }
      });
}

/// Combines the parts of each segment that began before a tile and ends in it: by the tile's thread or, if the segment
/// lies in many tiles, by the whole block.
template <class T, class Reduction, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(segmented_carry_shape::threads) segmented_carry_kernel(
  Reduction reduction, segments<Offsets> in, int tiles, const load_balance_point* begins, tile_carries<T> carries)
{
  using shape = segmented_carry_shape;
  using block_type = carry_block<shape, T, Reduction, Offsets>;
  __shared__ typename block_type::TempStorage shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the carries are there now

  block_type(shared, reduction, in, begins, carries).process(static_cast<int>(blockIdx.x) * shape::threads, tiles);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

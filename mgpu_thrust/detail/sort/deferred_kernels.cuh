// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of sorts of a deferred number of elements that are not those of a known number. A block without a tile, or
/// in a pass without work, does nothing. Grids and passes are those of the capacity.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/sort/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/borders_kernels.cuh>
#include <mgpu_thrust/detail/sort/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/tiles.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns tiles for a block sort, which reads them again and again: as they are or, where the number of elements has to
/// be read, with that number in shared memory. (A known number is in constant memory. For one in registers nvcc 13.0
/// spills 25 others.) Called by all threads of a block.
template <class Tiles>
MGPU_THRUST_DEVICE const auto& keep_tiles(const Tiles& tiles)
{
  if constexpr (Tiles::is_segmented)
  {
    return tiles;
  }
  else
  {
    __shared__ decltype(tiles.now()) now;
    if (threadIdx.x == 0)
    {
      now = tiles.now();
    }
    __syncthreads();
    return now;
  }
}

/// The block sort of tiles of which some are empty, whose blocks leave at once. Tiles of segments must have their origins
/// already.
template <class Shapes, class In, class To, class Out, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  sort_nonempty_tiles_kernel(In in, To to, Out out, Tiles given, Compare comp, unsigned char* is_same)
{
  using tiles_type = std::decay_t<decltype(detail::keep_tiles(given))>;
  using tile = block_sort_tile<Shapes, In, To, Out, tiles_type, Compare>;
  __shared__ typename tile::TempStorage shared;
  static_assert(
    sizeof(shared) + max_shared_bytes_of_function <= max_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the number of elements is known now
  // All threads leave together, and nvcc knows that: otherwise it spills, too.
  if (!__syncthreads_or(given.begin(blockIdx.x) < given.begin(blockIdx.x + 1)))
  {
    if constexpr (Tiles::is_segmented)
    {
      if (threadIdx.x == 0)
      {
        given.last_passes[blockIdx.x] = -1;
      }
    }
    return;
  }
  if (threadIdx.x == 0)
  {
    is_same[blockIdx.x] = false;
  }
  const tiles_type& tiles = detail::keep_tiles(given);
  tile(shared, in, to, out, tiles, comp).process();
}

/// A pass of pairs of runs, of which the first `buffer_passes` write to buffers. `pass` is that of the capacity.
template <class Shape, class In, class Out, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) deferred_merge_pairs_kernel(
  In in, Out out, pair_pass pass, int buffer_passes, sort_size size, Compare comp, unsigned char* is_far)
{
  // The next pass may start now. This one reads the size while it waits for the end of the one before. All blocks wait,
  // those without work too, so that the end of a pass is that of all before it.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
  const int begin = static_cast<int>(blockIdx.x) * Shape::items;
  pass.count = static_cast<int>(detail::read_size(size));
  pass.may_end_early = pass.may_end_early && pass.count > Shape::items; // a tile alone has no border
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
  const bool may_be_near = pass.may_end_early && pass.number > 0 && !*is_far;
  if (!__syncthreads_or(begin < pass.count && (may_be_near || pass.is_needed(buffer_passes))))
  {
    return;
  }
  detail::merge_pair<Shape>(in, out, pass, begin, compare_staged<Compare>{comp}, is_far);
}

template <int TileItems, class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(border_threads)
  deferred_merge_borders_kernel(Buffer buffer, deferred_even_tiles given, Compare comp, sort_locality* locality)
{
  const even_tiles tiles = given.now();
  detail::merge_borders(buffer, tiles, ::cuda::ceil_div(tiles.count, std::int64_t{TileItems}), comp, locality);
}

template <int TileItems, class Buffer>
MGPU_THRUST_KERNEL void __launch_bounds__(border_threads)
  deferred_copy_tiles_kernel(Buffer from, Buffer to, deferred_even_tiles given, const sort_locality* locality)
{
  const even_tiles tiles = given.now();
  detail::copy_tiles(from, to, tiles, ::cuda::ceil_div(tiles.count, std::int64_t{TileItems}), locality);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

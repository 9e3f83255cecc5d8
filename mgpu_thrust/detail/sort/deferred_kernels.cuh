// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of sorts of a deferred number of elements. Each reads the number, and does what the kernel for a known
/// number does, whose name it has; a block without a tile, or in a pass that is not needed, leaves at once. Grids, and
/// the passes that are queued, are those of the capacity.
///
/// What a block computes from the number is in shared memory, as the arguments of the other kernels are in constant
/// memory: in registers it would displace keys.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/sort/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/borders_kernels.cuh>
#include <mgpu_thrust/detail/sort/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/merge_pass_kernels.cuh>
#include <mgpu_thrust/detail/sort/multiway_cut.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/tiles.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <iterator>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The tiles of as many elements as there are, and the buffers of a pass.
template <class Tiles, class Buffer>
struct sort_now
{
  Tiles tiles;
  Buffer from;
  Buffer to;
};

template <class Shapes, class In, class Buffer, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  deferred_block_sort_kernel(
    In in, deferred_buffers<Buffer> buffers, Tiles tiles, sort_size size, Compare comp, unsigned char* is_same)
{
  using tile = block_sort_tile<Shapes, In, Buffer, Buffer, Tiles, Compare>;
  __shared__ typename tile::TempStorage shared;
  __shared__ sort_now<Tiles, Buffer> now;
  static_assert(
    sizeof(shared) + sizeof(now) <= most_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");
  detail::take_size(tiles, size);
  if (!__syncthreads_or(detail::has_tile(tiles))) // nvcc 13.0 spills where it does not know that all threads leave
  {
    return;
  }
  if (threadIdx.x == 0)
  {
    now.tiles = tiles;
    now.to = buffers.source(detail::passes_of<Shapes::tile_items>(tiles));
    is_same[blockIdx.x] = false;
  }
  __syncthreads();
  tile(shared, in, now.to, buffers.even, now.tiles, comp).process();
}

/// The block sort of tiles in segments, whose origins are known, of which some are empty.
template <class Shapes, class In, class To, class Out, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  sort_full_tiles_kernel(In in, To to, Out out, Tiles tiles, Compare comp, unsigned char* is_same)
{
  using tile = block_sort_tile<Shapes, In, To, Out, Tiles, Compare>;
  __shared__ typename tile::TempStorage shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");
  if (!__syncthreads_or(tiles.begin(blockIdx.x) < tiles.begin(blockIdx.x + 1)))
  {
    return;
  }
  if (threadIdx.x == 0)
  {
    is_same[blockIdx.x] = false;
  }
  tile(shared, in, to, out, tiles, comp).process();
}

// Passes of few elements.

template <class Shapes, class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  deferred_merge_pairs_kernel(
    deferred_buffers<Buffer> buffers, plain_tiles<int> tiles, sort_size size, int number, Compare comp,
    unsigned char* is_far)
{
  // The next pass may start now. This one reads the size while it waits for the end of the one before. All blocks wait,
  // those without work too, so that the end of a pass is that of all before it.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
  __shared__ sort_now<plain_tiles<int>, Buffer> now;
  detail::take_size(tiles, size);
  const int passes = detail::passes_of<Shapes::tile_items>(tiles);
  const bool has_work = number < passes && detail::has_tile(tiles);
  if (threadIdx.x == 0)
  {
    now = {tiles, buffers.source(passes - number), detail::target_of(buffers, passes - number)};
  }
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
  if (!__syncthreads_or(has_work))
  {
    return;
  }
  using shape = typename Shapes::block_sort;
  const pair_pass pass{tiles.count, Shapes::tile_items << number, number, passes, passes > 2};
  detail::merge_pair<shape>(
    now.from, now.to, pass, static_cast<int>(blockIdx.x) * shape::items, compare_staged<Compare>{comp}, is_far);
}

// Passes of many elements.

/// multiway_cut of a deferred number of elements.
template <int TileItems, class Buffer, class Compare>
struct deferred_multiway_cut
{
  using cut_type = multiway_cut<typename std::iterator_traits<decltype(Buffer::keys)>::value_type, even_tiles, Compare>;
  using TempStorage = typename cut_type::TempStorage;
  static constexpr bool starts_next = cut_type::starts_next;

  deferred_buffers<Buffer> buffers;
  even_tiles tiles; ///< of the capacity
  sort_size size;
  int number; ///< of the pass
  Compare comp;
  std::int64_t* splits;

  int blocks() const
  {
    return static_cast<int>(::cuda::ceil_div(detail::plan_of<TileItems>(tiles).tiles, cut_type::block_tiles));
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    even_tiles now = tiles;
    detail::take_size(now, size);
    const merge_plan plan = detail::plan_of<TileItems>(now);
    const int passes = plan.passes();
    if (number < passes && std::int64_t{blockIdx.x} * cut_type::block_tiles < plan.tiles)
    {
      const cut_type cut{buffers.source(passes - number).keys, now, plan.pass(number), number, comp, splits};
      cut.cut_tiles(shared);
    }
  }
};

template <class Shapes, class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::merge::threads, Shapes::merge::blocks_per_multiprocessor)
  deferred_merge_pass_kernel(
    deferred_buffers<Buffer> buffers, even_tiles tiles, sort_size size, int number, Compare comp,
    const std::int64_t* splits, unsigned char* is_same)
{
  __shared__ sort_now<even_tiles, Buffer> now;
  __shared__ merge_pass pass;
  detail::take_size(tiles, size);
  const merge_plan plan = detail::plan_of<Shapes::tile_items>(tiles);
  const int passes = plan.passes();
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  if (!__syncthreads_or(number < passes && detail::has_tile(tiles)))
  {
    return;
  }
  if (threadIdx.x == 0)
  {
    now = {tiles, buffers.source(passes - number), detail::target_of(buffers, passes - number)};
    pass = plan.pass(number);
  }
  __syncthreads();
  detail::merge_tile_of_pass<Shapes>(now.from, now.to, now.tiles, pass, number, comp, splits, is_same, true);
}

/// A tile alone is sorted as if its keys were far from their positions: it has no borders.
template <class Keys, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(locality_threads)
  deferred_look_for_locality_kernel(Keys keys, even_tiles tiles, sort_size size, Compare comp, sort_locality* locality)
{
  detail::take_size(tiles, size);
  if (tiles.count > tiles.items)
  {
    detail::look_for_locality(keys, tiles.count, comp, locality);
  }
  else if (threadIdx.x == 0)
  {
    *locality = {true, true};
  }
}

template <int TileItems, class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(border_threads)
  deferred_merge_borders_kernel(Buffer buffer, even_tiles tiles, sort_size size, Compare comp, sort_locality* locality)
{
  detail::take_size(tiles, size);
  detail::merge_borders(buffer, tiles, detail::plan_of<TileItems>(tiles).tiles, comp, locality);
}

template <int TileItems, class Buffer>
MGPU_THRUST_KERNEL void __launch_bounds__(border_threads)
  deferred_copy_tiles_kernel(Buffer from, Buffer to, even_tiles tiles, sort_size size, const sort_locality* locality)
{
  detail::take_size(tiles, size);
  const merge_plan plan = detail::plan_of<TileItems>(tiles);
  if (plan.passes() % 2 == 1)
  {
    detail::copy_tiles(from, to, tiles, plan.tiles, locality);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of sorts of a deferred number of elements. Each reads the number, and does what the kernel for a known
/// number does, whose name it has; a block without a tile, or in a pass that is not needed, leaves at once. Grids, and
/// the passes that are queued, are those of the capacity.

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

// Few elements. Each block computes the number of passes, and the buffers, from the number of elements.

/// The tiles of a sort of few elements, as they are now, and the number of passes that they need.
template <class Shapes>
struct few_tiles_now
{
  plain_tiles<int> tiles;
  int passes;

  MGPU_THRUST_DEVICE explicit few_tiles_now(const sort_size& size)
      : tiles{static_cast<int>(detail::read_size(size)), Shapes::tile_items}
      , passes(merge_plan{::cuda::ceil_div(tiles.count, Shapes::tile_items)}.levels())
  {
  }

  MGPU_THRUST_DEVICE bool has_tile() const
  {
    return tiles.begin(blockIdx.x) < tiles.count;
  }
};

template <class Shapes, class In, class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  deferred_block_sort_kernel(
    In in, deferred_buffers<Buffer> buffers, sort_size size, Compare comp, unsigned char* is_same)
{
  using tile = block_sort_tile<Shapes, In, Buffer, Buffer, plain_tiles<int>, Compare>;
  __shared__ typename tile::TempStorage shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");
  const few_tiles_now<Shapes> now(size);
  if (!__syncthreads_or(now.has_tile())) // nvcc 13.0 spills where it does not know that all threads leave
  {
    return;
  }
  if (threadIdx.x == 0)
  {
    is_same[blockIdx.x] = false;
  }
  const Buffer to = detail::source_of(buffers, now.passes);
  tile(shared, in, to, buffers.even, now.tiles, comp).process();
}

template <class Shapes, class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  deferred_merge_pairs_kernel(
    deferred_buffers<Buffer> buffers, sort_size size, int number, Compare comp, unsigned char* is_far)
{
  // The next pass may start now. This one reads the size while it waits for the end of the one before. All blocks wait,
  // those without work too, so that the end of a pass is that of all before it.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
  const few_tiles_now<Shapes> now(size);
  const Buffer from = detail::source_of(buffers, now.passes - number);
  const Buffer to = detail::target_of(buffers, now.passes - number);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
  if (!__syncthreads_or(number < now.passes && now.has_tile()))
  {
    return;
  }
  using shape = typename Shapes::block_sort;
  const pair_pass pass{now.tiles.count, Shapes::tile_items << number, number, now.passes, now.passes > 2};
  detail::merge_pair<shape>(
    from, to, pass, static_cast<int>(blockIdx.x) * shape::items, compare_staged<Compare>{comp}, is_far);
}

// Many elements. The first kernel computes the steps for the others.

/// Looks for locality, unless `locality` is null, and stores steps[0, step_count). A tile alone is sorted as if its keys
/// were far from their positions: it has no borders.
template <class Shapes, class Keys, class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(locality_threads) deferred_look_for_locality_kernel(
  Keys keys, deferred_buffers<Buffer> buffers, sort_size size, Compare comp, sort_locality* locality,
  sort_step<Buffer>* steps, int step_count)
{
  const even_tiles tiles{{detail::read_size(size), Shapes::tile_items}, locality};
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < step_count)
  {
    steps[thread] = detail::make_step<Shapes::tile_items>(tiles, buffers, thread);
  }
  if (locality != nullptr && tiles.count > tiles.items)
  {
    detail::look_for_locality(keys, tiles.count, comp, locality);
  }
  else if (locality != nullptr && thread == 0)
  {
    *locality = {true, true};
  }
}

template <class Shapes, class In, class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  sort_tiles_there_are_kernel(In in, Buffer out, const sort_step<Buffer>* steps, Compare comp, unsigned char* is_same)
{
  using tile = block_sort_tile<Shapes, In, Buffer, Buffer, even_tiles, Compare>;
  __shared__ typename tile::TempStorage shared;
  __shared__ sort_step<Buffer> step;
  static_assert(
    sizeof(shared) + sizeof(step) <= most_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");
  detail::copy_to_shared(step, steps);
  if (!__syncthreads_or(std::int64_t{blockIdx.x} * Shapes::tile_items < steps->tiles.count))
  {
    return;
  }
  if (threadIdx.x == 0)
  {
    is_same[blockIdx.x] = false;
  }
  tile(shared, in, step.from, out, step.tiles, comp).process();
}

/// multiway_cut of a step.
template <class Buffer, class Compare>
struct deferred_multiway_cut
{
  using cut_type = multiway_cut<typename std::iterator_traits<decltype(Buffer::keys)>::value_type, even_tiles, Compare>;
  using TempStorage = typename cut_type::TempStorage;
  static constexpr bool starts_next = cut_type::starts_next;

  const sort_step<Buffer>* step;
  std::int64_t most_tiles;
  int number; ///< of the pass
  Compare comp;
  std::int64_t* splits;

  int blocks() const
  {
    return static_cast<int>(::cuda::ceil_div(most_tiles, cut_type::block_tiles));
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    if (std::int64_t{blockIdx.x} * cut_type::block_tiles < step->pass.tiles)
    {
      const cut_type cut{step->from.keys, step->tiles, step->pass, number, comp, splits};
      cut.cut_tiles(shared);
    }
  }
};

template <class Shapes, class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::merge::threads, Shapes::merge::blocks_per_multiprocessor)
  deferred_merge_pass_kernel(
    const sort_step<Buffer>* given, int number, Compare comp, const std::int64_t* splits, unsigned char* is_same)
{
  __shared__ sort_step<Buffer> step;
  detail::copy_to_shared(step, given);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  if (!__syncthreads_or(blockIdx.x < given->pass.tiles))
  {
    return;
  }
  detail::merge_tile_of_pass<Shapes>(step.from, step.to, step.tiles, step.pass, number, comp, splits, is_same, true);
}

template <class Buffer, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(border_threads)
  deferred_merge_borders_kernel(Buffer buffer, const sort_step<Buffer>* steps, Compare comp, sort_locality* locality)
{
  detail::merge_borders(buffer, steps->tiles, steps->pass.tiles, comp, locality);
}

template <class Buffer>
MGPU_THRUST_KERNEL void __launch_bounds__(border_threads)
  deferred_copy_tiles_kernel(Buffer from, Buffer to, const sort_step<Buffer>* steps, const sort_locality* locality)
{
  if (steps->from.keys == to.keys)
  {
    detail::copy_tiles(from, to, steps->tiles, steps->pass.tiles, locality);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

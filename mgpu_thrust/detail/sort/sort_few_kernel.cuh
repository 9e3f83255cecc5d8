// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The first kernel of a sort of a deferred number of elements, of which there is room for many. If they are few it sorts
/// them; otherwise it looks whether they are near their sorted positions, for the kernels after it.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/sort/borders_kernels.cuh>
#include <mgpu_thrust/detail/sort/buffers.cuh>
#include <mgpu_thrust/detail/sort/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/sort_of_few.cuh>
#include <mgpu_thrust/detail/sort/tiles.cuh>

#include <cooperative_groups.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The number of its blocks, of that shape, on the current device: as many as execute at once. On an H200 they have tiles for
/// all that a sort of a known number would sort by pairs of runs.
template <class Shape>
int sort_few_blocks()
{
  return (std::max)(1, detail::max_coresident_blocks(Shape::sure_blocks));
}

/// Sorts up to a tile for each block from `in` to `buffers.out`, which may be the same; then *rest, the number of elements
/// for later kernels, is 0. Of more elements *rest is the number, and *locality what is known of them, unless it is null.
/// All blocks execute at once.
template <class Shapes, class In, class Buffer, class Out, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  sort_few_kernel(
    In in, pass_buffers<Buffer, Out> buffers, sort_size size, Compare comp, sort_locality* locality, std::int64_t* rest)
{
  using shape = typename Shapes::block_sort;
  using sort = sort_of_few<Shapes, In, Buffer, Out, Compare>;
  __shared__ typename sort::TempStorage shared;
  __shared__ tiles_of_few tiles; // nvcc 13.0 would spill registers
  static_assert(
    sizeof(shared) + sizeof(tiles) <= max_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");

  // The next kernel may start now; it waits for the end of this one.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))

  // 1. Of many elements, only look at some.
  const std::int64_t all = detail::read_size(size);
  const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
  if (all > static_cast<int>(gridDim.x) * shape::items)
  {
    if (is_first)
    {
      *rest = all;
    }
    if (blockIdx.x == 0 && locality != nullptr)
    {
      detail::look_for_locality<shape::threads>(in.keys, all, comp, locality);
    }
    return;
  }
  const int count = static_cast<int>(all);
  if (threadIdx.x == 0)
  {
    tiles = {{count, shape::items}, detail::spread_number(), sort::passes_of(count) > 0};
  }
  if (is_first)
  {
    *rest = 0;
    if (locality != nullptr)
    {
      *locality = {true, true};
    }
  }
  __syncthreads();

  // 2. Sort few.
  sort::process(shared, in, buffers, tiles, comp, [] { cooperative_groups::this_grid().sync(); });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

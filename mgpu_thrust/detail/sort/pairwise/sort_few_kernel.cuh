// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The co-resident path: the first kernel of a sort of a deferred size with a large capacity. It sorts up to a tile per
/// co-resident block; of more elements it samples whether they are near their sorted positions.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/sort/choice.h>
#include <mgpu_thrust/detail/sort/geometry/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/multiway/borders_kernels.cuh>
#include <mgpu_thrust/detail/sort/pairwise/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/tile/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/tile/merge/merge_buffers.cuh>

#include <cuda/cmath>

#include <cooperative_groups.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Tiles of the co-resident path; the calling block has number `own`.
struct coresident_tiles : plain_tiles<int>
{
  int own;
  bool have_passes;

  MGPU_THRUST_DEVICE std::int64_t begin(std::int64_t block) const
  {
    return plain_tiles::begin(block - blockIdx.x + own);
  }
  MGPU_THRUST_DEVICE bool is_active(std::int64_t, int) const
  {
    return have_passes;
  }
};

/// Returns whether a co-resident grid sorts all `count` elements. Sets *rest, the number of elements for later kernels,
/// and *locality, unless these are null; of elements for later kernels it samples the keys.
template <class Shape, class In, class Compare>
MGPU_THRUST_DEVICE bool
takes_all(const In& in, std::int64_t count, Compare comp, sort_locality* locality, std::int64_t* rest)
{
  const bool are_coresident =
    detail::choose_deferred_sort_path(count, static_cast<int>(gridDim.x), Shape::items) == sort_path::coresident;
  if (blockIdx.x == 0 && threadIdx.x == 0 && rest != nullptr)
  {
    *rest = are_coresident ? 0 : count;
    if (are_coresident && locality != nullptr)
    {
      *locality = {true, true};
    }
  }
  if (!are_coresident)
  {
    if (blockIdx.x == 0 && locality != nullptr)
    {
      detail::look_for_locality<Shape::threads>(in.keys, count, comp, locality);
    }
    return false;
  }
  return true;
}

/// Merges pairs of runs of sorted tiles, pass by pass, a tile per block; called by all blocks of a co-resident grid.
template <class Shape, class Buffer, class Out, class Compare>
MGPU_THRUST_DEVICE void merge_all_pairs(
  pair_storage_of<Shape, Buffer>& shared, const pass_buffers<Buffer, Out>& buffers, int begin, int count, int passes,
  Compare comp, unsigned char* is_far)
{
  for (int pass = 0; pass < passes; ++pass)
  {
    cooperative_groups::this_grid().sync();
    const pair_pass now{count, Shape::items << pass, pass, passes, std::is_same_v<Buffer, Out> && passes > 2};
    if (detail::are_near(now, is_far) && now.is_after_end())
    {
      return;
    }
    if (begin < count)
    {
      buffers.with_target(
        passes - pass,
        [&](const auto& target)
        {
          detail::merge_pair<Shape>(
            shared, buffers.source(passes - pass), target, now, begin, compare_staged<Compare>{comp}, is_far);
        });
    }
  }
}

/// Sorts up to a tile per block from `in` to `buffers.out`, which may be the same, and sets *rest, the number of
/// elements for later kernels, to 0. If there are more elements, sets *rest to their number, and *locality, unless it
/// is null, to the result of the samples. `rest` is null if there are no later kernels. Overwrites *is_far.
template <class Shapes, class In, class Buffer, class Out, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  sort_few_kernel(
    In in, pass_buffers<Buffer, Out> buffers, sort_size size, Compare comp, sort_locality* locality, std::int64_t* rest,
    unsigned char* is_far)
{
  using shape = typename Shapes::block_sort;
  using tile_sort = block_sort_tile<Shapes, In, Buffer, Out, coresident_tiles, Compare>;
  union storage
  {
    typename tile_sort::TempStorage sort;
    pair_storage_of<shape, Buffer> merge;
  };
  __shared__ storage shared;
  __shared__ coresident_tiles tiles; // nvcc 13.0 would spill registers
  static_assert(
    sizeof(shared) + sizeof(tiles) <= max_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");

  // Programmatic dependent launch: the next kernel may start; it waits for the end of this one.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))

  // 1. If there are more elements, only sample the keys.
  const std::int64_t all = detail::read_size(size);
  if (!detail::takes_all<shape>(in, all, comp, locality, rest))
  {
    return;
  }

  // 2. Sort a tile.
  if (blockIdx.x == 0 && threadIdx.x == 0)
  {
    *is_far = false;
  }
  const int count = static_cast<int>(all);
  const int passes = merge_plan{::cuda::ceil_div(count, shape::items)}.levels();
  if (threadIdx.x == 0)
  {
    tiles = {{count, shape::items}, detail::spread_number(), passes > 0};
  }
  __syncthreads();
  const int begin = tiles.own * shape::items;
  if (begin < count)
  {
    tile_sort(shared.sort, in, buffers.source(passes), buffers.out, tiles, comp).process();
  }

  // 3. Merge pairs of runs, pass by pass.
  detail::merge_all_pairs<shape>(shared.merge, buffers, begin, count, passes, comp, is_far);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

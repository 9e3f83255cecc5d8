// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that sorts as many elements as the blocks of a cluster have in their tiles, by one launch.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/sort/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/buffers.cuh>
#include <mgpu_thrust/detail/sort/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/sort_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/tiles.cuh>

#include <cuda/cmath>

#include <cooperative_groups.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Tiles of few elements, of which the calling block has number `own`.
struct tiles_of_few : plain_tiles<int>
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

/// A sort of a tile for each block, which wait for each other between its passes.
template <class Shapes, class In, class Buffer, class Out, class Compare>
class sort_of_few
{
  using shape = typename Shapes::block_sort;
  using tile_sort = block_sort_tile<Shapes, In, Buffer, Out, tiles_of_few, Compare>;

public:
  union TempStorage
  {
    typename tile_sort::TempStorage sort;
    pair_storage_of<shape, Buffer> merge;
  };

  /// Returns the number of passes.
  MGPU_THRUST_DEVICE static int passes_of(int count)
  {
    return merge_plan{::cuda::ceil_div(count, shape::items)}.levels();
  }

  /// Sorts the elements of all tiles from `in` to `buffers.out`, which may be the same; called by all blocks, which see all
  /// that others have written after wait_for_all().
  template <class WaitForAll>
  MGPU_THRUST_DEVICE static void process(
    TempStorage& shared, const In& in, const pass_buffers<Buffer, Out>& buffers, const tiles_of_few& tiles,
    const Compare& comp, WaitForAll wait_for_all)
  {
    // 1. Sort a tile.
    const int count = tiles.count;
    const int begin = tiles.own * shape::items;
    const int passes = passes_of(count);
    if (begin < count)
    {
      tile_sort(shared.sort, in, buffers.source(passes), buffers.out, tiles, comp).process();
    }

    // 2. Merge pairs of runs, pass by pass.
    for (int pass = 0; pass < passes; ++pass)
    {
      wait_for_all();
      if (begin < count)
      {
        const pair_pass now{count, shape::items << pass, pass, passes, false};
        buffers.with_target(
          passes - pass,
          [&](const auto& target)
          {
            detail::merge_from_pair<shape>(
              shared.merge, buffers.source(passes - pass), target, now.pair_of(begin), begin,
              (min) (count - begin, shape::items), compare_staged<Compare>{comp});
          });
      }
    }
  }
};

/// Sorts up to a tile for each block from `in` to `buffers.out`, which may be the same. The blocks are a cluster, which
/// waits for all of its blocks in a tenth of the time that a launch takes. If the number of elements is deferred, and there
/// are no more than threads, each thread sorts one, as where that number is known.
template <class Shapes, class In, class Buffer, class Out, class Size, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  sort_in_cluster_kernel(In in, pass_buffers<Buffer, Out> buffers, Size size, Compare comp)
{
  using shape = typename Shapes::block_sort;
  using sort = sort_of_few<Shapes, In, Buffer, Out, Compare>;
  using sort_of_fewer = rank_sort<shape::threads, In, Out, Compare>;
  constexpr bool may_be_fewer =
    is_deferred_v<Size> && sizeof(typename sort_of_fewer::TempStorage) <= max_static_shared_bytes;
  union storage
  {
    typename sort::TempStorage passes;
    std::conditional_t<may_be_fewer, typename sort_of_fewer::TempStorage, char> ranks;
  };
  __shared__ storage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");
  const int count = static_cast<int>(detail::read_size(size));
  if constexpr (may_be_fewer)
  {
    if (count <= static_cast<int>(gridDim.x) * shape::threads)
    {
      sort_of_fewer(shared.ranks, in, buffers.out, 0, count, static_cast<int>(blockIdx.x), comp).process();
      return;
    }
  }
  const tiles_of_few tiles{{count, shape::items}, static_cast<int>(blockIdx.x), sort::passes_of(count) > 0};
  sort::process(
    shared.passes, in, buffers, tiles, comp,
    [] { MGPU_THRUST_IF_CLUSTERS((cooperative_groups::this_cluster().sync();)) });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

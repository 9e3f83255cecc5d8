// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A sort of a tile for each block of a co-resident grid: all passes within one launch.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/sort/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/buffers.cuh>
#include <mgpu_thrust/detail/sort/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/tiles.cuh>

#include <cuda/cmath>

#include <cstdint>

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

/// A sort of a tile for each block. All blocks wait for each other between its passes.
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
        const pair_pass now{count, shape::items << pass, pass, passes, passes, false};
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

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

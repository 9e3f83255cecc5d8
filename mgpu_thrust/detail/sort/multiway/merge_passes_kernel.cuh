// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that executes all merge passes of a sort of short segments in plain memory, by one cooperative launch. It
/// ends after the last pass that has work in any tile. Usually no pass has: then one launch replaces two per pass.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/multiway_cut.cuh>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/multiway/merge_pass_kernels.cuh>
#include <mgpu_thrust/detail/sort/multiway/run_pieces.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/merge/merge_buffers.cuh>

#include <cuda/ptx>
#include <cuda/std/iterator>

#include <cooperative_groups.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether a pass has work in any tile; called by all threads of a block of `Threads`.
template <int Threads>
MGPU_THRUST_DEVICE bool has_work(const tiles_by_origin& tiles, std::int64_t tile_count, int pass)
{
  bool is_active = false;
#pragma unroll 8
  for (std::int64_t tile = threadIdx.x; tile < tile_count; tile += Threads)
  {
    is_active |= tiles.is_active(tile, pass);
  }
  return __syncthreads_or(is_active) != 0;
}

/// Waits until all blocks have written their tiles of a pass, so that bulk copies (TMA) can read them.
MGPU_THRUST_DEVICE void wait_for_all_tiles()
{
  NV_IF_TARGET(
    NV_PROVIDES_SM_90, (::cuda::ptx::cp_async_bulk_wait_group(::cuda::ptx::n32_t<0>{});
                        ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_global);))
  cooperative_groups::this_grid().sync();
  NV_IF_TARGET(NV_PROVIDES_SM_90, (::cuda::ptx::fence_proxy_async(::cuda::ptx::space_global);))
}

/// Finds the cuts of all tiles, by the whole grid; a warp cuts several tiles. (Inlined, it would leave the merge too
/// few registers.)
template <int Threads, class Cut>
MGPU_THRUST_DEVICE_CALL void cut_all_tiles(const Cut& cut)
{
  constexpr int warp_tiles = 32 / max_ways;
  const int warp = static_cast<int>(threadIdx.x / 32 * gridDim.x + blockIdx.x);
  const std::int64_t step = std::int64_t{Threads / 32 * warp_tiles} * gridDim.x;
  for (std::int64_t first = std::int64_t{warp} * warp_tiles; first < cut.tiles.tile_count(); first += step)
  {
    cut.cut_tile(first + threadIdx.x % 32 / max_ways);
  }
}

/// Merges segments that lie in several tiles, pass by pass. The grid is co-resident; a block has every gridDim.x-th
/// tile.
template <class Shapes, class Buffer, class Compare>
MGPU_THRUST_KERNEL void
__launch_bounds__(Shapes::merge::threads, detail::blocks_of_all_passes(Shapes::merge::blocks_per_multiprocessor))
  merge_passes_kernel(
    pass_buffers<Buffer, Buffer> buffers, tiles_by_origin tiles, merge_plan plan, Compare comp, std::int64_t* splits,
    unsigned char* is_same)
{
  using key = typename ::cuda::std::iterator_traits<decltype(Buffer::keys)>::value_type;
  constexpr int threads = Shapes::merge::threads;
  __shared__ typename merge_pass_tile_of<Shapes, Buffer, Buffer, tiles_by_origin, Compare>::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");
  // The pass is in shared memory, as registers are scarce.
  __shared__ merge_pass pass;
  __shared__ Buffer from;
  __shared__ Buffer target;

  for (int number = 0; detail::has_work<threads>(tiles, plan.tiles, number); ++number)
  {
    const int left = plan.passes() - number;
    if (threadIdx.x == 0)
    {
      pass = plan.pass(number);
      from = buffers.source(left);
      target = buffers.source(left - 1);
    }
    __syncthreads();

    // 1. Cut: find where each tile begins in the runs.
    detail::cut_all_tiles<threads>(
      multiway_cut<tiles_to_cut<key, tiles_by_origin, Compare>>{{from.keys, tiles, pass, number, comp, splits}});
    cooperative_groups::this_grid().sync();

    // 2. Merge the tiles. The lanes of each warp find which of the block's next 32 tiles have work.
    for (std::int64_t first = blockIdx.x; first < plan.tiles; first += std::int64_t{32} * gridDim.x)
    {
      const auto tile_of = [&](int lane) { return first + std::int64_t{lane} * gridDim.x; };
      const std::int64_t own = tile_of(static_cast<int>(threadIdx.x % 32));
      unsigned active = __ballot_sync(~0u, own < plan.tiles && tiles.is_active(own, number));
      for (; active != 0; active &= active - 1)
      {
        detail::merge_tile_of_pass<Shapes, true>(
          shared, tile_of(__ffs(static_cast<int>(active)) - 1), from, target, tiles, pass, number, comp, splits,
          is_same, true);
      }
    }
    detail::wait_for_all_tiles();
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that cuts: it finds where tiles begin, for the kernel that processes them.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/cut_sizes.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// A Cut holds the inputs, and memory for what it finds. Its type depends on iterators and orders alone, so algorithms
// with the same cut share a kernel. It has
//   blocks()             the number of blocks of the kernel
//   threads              the threads of a block
//   TempStorage          the shared memory of a block
//   cut_tiles(storage)   finds where a block's tiles begin, and stores it; called by all threads of the block
//   starts_next          whether the blocks of the next kernel may start while it is still executing
// The cuts are path_cut, sampled_cut, multiway_cut and multiway_block_cut of sorts and of merges of runs, removal_cut,
// and deferred forms.

/// Threads of a block of all cuts but those of a block per tile.
inline constexpr int cut_threads = 128;

/// Up to this number of tiles, a warp cuts each tile. It waits for memory fewer times than a thread, but loads more: on
/// an H200 set operations and joins of 1100 to 2400 tiles take 3 to 18 % less time, and those of 3500 tiles 4 % more.
inline constexpr int max_tiles_cut_by_warps = 2560;

/// Whether a warp cuts each of `tiles` tiles, and how many of them a block cuts.
template <class Number>
MGPU_THRUST_HOST_DEVICE constexpr bool are_cut_by_warps(Number tiles)
{
  return tiles <= max_tiles_cut_by_warps;
}
template <class Number>
MGPU_THRUST_HOST_DEVICE constexpr int tiles_of_cut_block(Number tiles)
{
  return detail::are_cut_by_warps(tiles) ? cut_threads / 32 : cut_threads;
}
/// Returns the number of blocks that cut `tiles` tiles, and the end of the last.
template <class Number>
MGPU_THRUST_HOST_DEVICE constexpr int cut_blocks(Number tiles)
{
  return static_cast<int>(tiles / detail::tiles_of_cut_block(tiles)) + 1;
}
/// Returns the maximum number of blocks that cut up to `max_tiles` tiles.
constexpr int max_cut_blocks(std::int64_t max_tiles)
{
  return (std::max)(
    detail::cut_blocks(max_tiles), detail::cut_blocks(std::min<std::int64_t>(max_tiles, max_tiles_cut_by_warps)));
}

template <class Cut>
MGPU_THRUST_KERNEL void __launch_bounds__(Cut::threads) cut_kernel(Cut cut)
{
  __shared__ typename Cut::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);
  if constexpr (Cut::starts_next)
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
  }
  cut.cut_tiles(shared);
}

template <class Cut>
cudaError_t queue_cut(const Cut& cut, cudaStream_t stream)
{
  return detail::launch_kernel(detail::cut_kernel<Cut>, cut.blocks(), Cut::threads, false, stream, cut);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

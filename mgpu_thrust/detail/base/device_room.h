// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How many threads and blocks are co-resident on a device. It compiles without CUDA, as choice.h of each family
/// includes it.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>

#include <cuda/cmath>

#include <algorithm>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether every architecture compiled for has programmatic dependent launch: a kernel may start while the previous one
/// is still executing. Without a CUDA compiler, choices are those of compute capability 9.0.
#if defined(__CUDA_ARCH_LIST__)
inline constexpr bool kernels_can_overlap = (std::min)({__CUDA_ARCH_LIST__}) >= 900;
#elif defined(__CUDACC__)
inline constexpr bool kernels_can_overlap = false;
#else
inline constexpr bool kernels_can_overlap = true;
#endif

/// Maximum number of blocks of a cluster on any GPU with clusters; 1 unless every architecture compiled for has
/// clusters.
inline constexpr int max_cluster_blocks = kernels_can_overlap ? 8 : 1;

/// Whether code is compiled for a debugger (nvcc -G). Functions are not inlined then, and no bound on registers applies
/// to them; so kernels have no bound either.
#if defined(__CUDACC_DEBUG__)
inline constexpr bool is_for_debugger = true;
#else
inline constexpr bool is_for_debugger = false;
#endif

/// Returns how many threads a multiprocessor of an architecture holds. `architecture` is a value of __CUDA_ARCH__. For
/// unknown ones it is the minimum of the last few generations.
constexpr int multiprocessor_threads(int architecture)
{
  const bool is_of_data_center = architecture == 800 || (architecture >= 900 && architecture < 1100);
  return architecture < 800 ? 1024 : is_of_data_center ? 2048 : 1536;
}

/// Returns the second argument of __launch_bounds__ for a kernel with `blocks_on_sm90` blocks of `threads` threads on a
/// multiprocessor of compute capability 9.0: that number, but at most the blocks that a multiprocessor of the
/// architecture compiled for holds (ptxas ignores a larger number, with a warning). It is 1 for a debugger.
constexpr int min_blocks(int threads, int blocks_on_sm90)
{
#if defined(__CUDA_ARCH__)
  const int max_blocks = detail::multiprocessor_threads(__CUDA_ARCH__) / threads;
#else
  static_cast<void>(threads);
  const int max_blocks = blocks_on_sm90;
#endif
  return is_for_debugger ? 1 : (std::min)(blocks_on_sm90, max_blocks);
}

/// What launches need to know of a device.
struct device_room
{
  int multiprocessors; ///< 0 if that is not known
  bool is_as_on_sm90;  ///< whether a multiprocessor executes as many blocks as one of compute capability 9.0
};

/// Returns the number of co-resident blocks on a device of a kernel with `blocks_per_multiprocessor` on compute
/// capability 9.0; 0 if the device is not known. Where a multiprocessor has less room, as from 12.0 on, it counts one
/// block each. The runtime's occupancy calculation would take 0.25 us.
MGPU_THRUST_HOST_DEVICE constexpr int max_coresident_blocks(const device_room& device, int blocks_per_multiprocessor)
{
  return device.multiprocessors
         * (device.is_as_on_sm90 || blocks_per_multiprocessor < 1 ? blocks_per_multiprocessor : 1);
}

// A cooperative launch fills one multiprocessor after the other: of 565 blocks on an H200, the first 36 are on 8 of
// 132. If only the first tiles may have work, neighbouring tiles therefore go to blocks that are far apart.

/// Distance of the blocks of neighbouring tiles: odd, and a divisor of 132, the multiprocessors of an H100 or H200.
inline constexpr int spread_distance = 33;

/// Returns the number of blocks of such a launch: `blocks`, rounded up to a multiple of that distance unless they are
/// few, or more than `max_blocks` then.
constexpr int spread_grid(int blocks, int max_blocks)
{
  const int spread = ::cuda::round_up(blocks, spread_distance);
  return blocks < 4 * spread_distance || spread > max_blocks ? blocks : spread;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

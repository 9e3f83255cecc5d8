// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The shape of a tile, which the tuning of each family chooses.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Maximum bytes of shared memory for the keys of a tile. With the numbers of kept elements and the scan, a block needs
/// less than the 48 KiB that every architecture allows without an opt-in.
inline constexpr int staged_tile_bytes = 33 * 1024;

/// Size in bytes of the largest keys that are staged. Larger keys stay in global memory, and are compared there.
inline constexpr int largest_staged_key = staged_tile_bytes / (32 * 2 + 2);

/// The shape of a tile: `Threads` threads with `ItemsPerThread` items each. A tile holds up to one item more. The
/// compiler limits registers so that `BlocksOnSm90` blocks fit on a multiprocessor.
template <int Threads, int ItemsPerThread, int BlocksOnSm90>
struct tile_shape
{
  static constexpr int threads = Threads;
  static constexpr int items_per_thread = ItemsPerThread;
  static constexpr int items = Threads * ItemsPerThread;

  /// All architectures have the same tiles, as the host must know them. The bound on blocks applies from sm_90 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  static constexpr int blocks_per_multiprocessor = detail::min_blocks(Threads, BlocksOnSm90);
#else
  static constexpr int blocks_per_multiprocessor = 1;
#endif

  /// Tiles twice as large; half as many blocks fit.
  using twice = tile_shape<2 * Threads, ItemsPerThread, BlocksOnSm90 / 2>;

  /// Co-resident blocks of a multiprocessor with the room of compute capability 9.0, whichever architecture the code
  /// was compiled for. See max_coresident_blocks().
  static constexpr int sure_blocks = kernels_can_overlap && !is_for_debugger ? BlocksOnSm90 : 1;
};

/// Number of items in the first half of a thread's `Items` items; the second half has as many, or one fewer.
template <int Items>
inline constexpr int first_half = (Items + 1) / 2;

/// The blocks that bisect for one element of an input per thread.
using bisection_shape = tile_shape<128, 1, 16>;

/// Returns the largest odd number of items per thread, up to `max_items`, with which a tile of keys of `key_bytes`
/// fits. It does not compile if there is none. Odd numbers spread the threads' first items over the banks of shared
/// memory.
constexpr int items_that_fit(int threads, int key_bytes, int max_items)
{
  for (int items = max_items; items > 0; items -= 2)
  {
    if ((threads * (items + 1) + 2) * key_bytes <= staged_tile_bytes)
    {
      return items;
    }
  }
  throw "a tile with an item per thread does not fit";
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

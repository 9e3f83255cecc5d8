// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How large a tile of the set operation kernel is, by architecture and by the sizes of keys and values.

#include <mgpu_thrust/detail/config.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape of a tile: `Threads` threads with `ItemsPerThread` items each. A tile holds up to one item more. The
/// compiler is told to use so few registers that `BlocksOnSm90` blocks fit a multiprocessor.
template <int Threads, int ItemsPerThread, int BlocksOnSm90>
struct set_operation_shape
{
  static constexpr int threads = Threads;
  static constexpr int items_per_thread = ItemsPerThread;
  static constexpr int items = Threads * ItemsPerThread;

  /// Every architecture takes the same tiles, as the host must know them; that bound is for the architecture measured.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  static constexpr int blocks_per_multiprocessor = BlocksOnSm90;
#else
  static constexpr int blocks_per_multiprocessor = 1;
#endif
};

/// How many tiles before its turn a tile's keys are asked for: some microseconds. From 192 to 384 it makes no
/// difference on an H200, 1024 are more than the second-level cache keeps; none costs 4 %.
inline constexpr int prefetch_distance = 256;

/// Shared memory for the keys of a tile, in bytes, at most. With the numbers of the survivors and the scan it stays
/// under 48 KiB, which every architecture gives a block without being asked.
inline constexpr int set_operation_tile_bytes = 33 * 1024;

/// Keys larger than this stay in global memory, and are compared there.
inline constexpr int largest_staged_key = set_operation_tile_bytes / (32 * 2 + 2);

/// The largest odd number of items per thread, up to `most`, with which a tile of such keys fits. Odd numbers spread
/// the threads' first items over the banks of shared memory.
constexpr int items_that_fit(int threads, int key_bytes, int most)
{
  int items = most;
  while (items > 1 && (threads * (items + 1) + 2) * key_bytes > set_operation_tile_bytes)
  {
    items -= 2;
  }
  return items;
}

/// The shape for keys of `KeyBytes`, the larger of both inputs' key sizes, with values or without, for an operation
/// that keeps matches only or not. The values' size does not matter, as they never occupy shared memory. Keys that are
/// not staged count as one byte.
///
/// Measured on an H200; the figures are in benchmarks/results. A thread with many items spreads the cost of its search,
/// and an odd number spreads the threads' keys over the banks of shared memory. What matters then is how many keys a
/// multiprocessor has in flight, as tiles wait for their keys and for their offset: hence as few registers as it takes
/// to fill it, a few bytes of spilling included, and small blocks. The larger the keys, the more conflicts in shared
/// memory a search costs, so fewer threads search.
template <int KeyBytes, bool HasValues, bool KeepsMatchesOnly>
constexpr auto choose_set_operation_shape()
{
  constexpr int bytes = KeyBytes > largest_staged_key ? 1 : KeyBytes;
  if constexpr (bytes <= 4 && !HasValues)
  {
    return set_operation_shape<128, 29, 12>{}; // limited by registers: 40 of them
  }
  else if constexpr (bytes <= 4)
  {
    return set_operation_shape<
      128, 29, (KeepsMatchesOnly ? 11 : 9)>{}; // by shared memory, for keys and numbers of survivors
  }
  else if constexpr (bytes <= 8)
  {
    return set_operation_shape<96, 23, 10>{}; // by shared memory
  }
  else if constexpr (bytes <= 32)
  {
    return set_operation_shape<64, items_that_fit(64, bytes, 19), 8>{}; // by shared memory
  }
  else
  {
    return set_operation_shape<32, items_that_fit(32, bytes, 15), 6>{}; // one warp, as keys become large
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

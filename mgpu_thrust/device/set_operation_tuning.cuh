// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How large a tile of the set operation kernel is, by the sizes of the keys. Values never occupy shared memory, so
/// their sizes do not matter.

#include <mgpu_thrust/detail/config.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape of a tile: `threads` threads with `items_per_thread` items each. A tile holds up to one item more.
template <int Threads, int ItemsPerThread>
struct set_operation_shape
{
  static constexpr int threads = Threads;
  static constexpr int items_per_thread = ItemsPerThread; // at most 32: a thread's steps are bits of a word
  static constexpr int items = Threads * ItemsPerThread;
};

/// Shared memory for the keys of a tile, in bytes, at most. With the codes of the survivors and the scan it stays under
/// 48 KiB, which every architecture gives a block without being asked.
inline constexpr int set_operation_tile_bytes = 24 * 1024;

/// Keys larger than this stay in global memory, and are compared there.
inline constexpr int largest_staged_key = set_operation_tile_bytes / (32 + 1);

/// The largest odd number of items per thread, up to `most`, with which a tile of such keys fits. Odd numbers spread
/// the threads' first items over the banks of shared memory.
constexpr int items_that_fit(int threads, int key_bytes, int most)
{
  int items = most;
  while (items > 1 && (threads * items + 1) * key_bytes > set_operation_tile_bytes)
  {
    items -= 2;
  }
  return items;
}

/// The shape for keys of `KeyBytes`, the larger of both inputs' key sizes. Keys that are not staged count as one byte.
/// Measured on an H200: a thread with many items spreads the cost of its search, and what matters then is how many
/// tiles a multiprocessor's shared memory holds, not how many threads.
template <int KeyBytes>
constexpr auto choose_set_operation_shape()
{
  constexpr int bytes = KeyBytes > largest_staged_key ? 1 : KeyBytes;
  if constexpr (bytes <= 4)
  {
    return set_operation_shape<192, items_that_fit(192, bytes, 27)>{};
  }
  else if constexpr (bytes <= 32)
  {
    return set_operation_shape<128, items_that_fit(128, bytes, 23)>{};
  }
  else
  {
    return set_operation_shape<32, items_that_fit(32, bytes, 23)>{};
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

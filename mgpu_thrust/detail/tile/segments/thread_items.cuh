// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The items of a tile that one thread has, and the segments that start among them.

#include <mgpu_thrust/detail/base/config.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The neighbouring items of a tile that one thread reduces or scans. The parts of segments among them are of three
/// kinds:
///
///     segment of each item    a a a | b b | c c c | d d
///                             head    inner         tail
///
/// The head is the part of the thread's first segment if the next segment starts among the items too. It is incomplete
/// if the segment has items in the threads before. An inner segment is complete. The tail reaches to the thread's last
/// item, whether its segment ends there or not. If no segment starts after the thread's first item, all items are the
/// tail, and there is no head. Then the tail is incomplete if the segment has items in the threads before.
struct thread_items
{
  int first;       ///< its first item, numbered in the tile
  int count;       ///< number of its items; 0 or less if it has none
  unsigned starts; ///< bit k tells whether a segment starts at item(k)

  /// Returns the thread's k-th item, numbered in the tile.
  MGPU_THRUST_DEVICE int item(int k) const
  {
    return first + k;
  }
  /// Returns the item after the last.
  MGPU_THRUST_DEVICE int stop() const
  {
    return item(count);
  }
  /// Returns whether a segment starts at any of the items.
  MGPU_THRUST_DEVICE bool has_start() const
  {
    return starts != 0;
  }
  /// Returns whether a segment starts at item(k).
  MGPU_THRUST_DEVICE bool is_start(int k) const
  {
    return starts >> k & 1;
  }
  /// Returns whether the first segment has items in the threads before.
  MGPU_THRUST_DEVICE bool is_begun() const
  {
    return first > 0 && !is_start(0);
  }
  /// Returns the number of items before the first start; -1 if no segment starts at any.
  MGPU_THRUST_DEVICE int items_before_start() const
  {
    return __ffs(static_cast<int>(starts)) - 1;
  }
  /// Returns the number of items of the head; -1 if there is none.
  MGPU_THRUST_DEVICE int head_count() const
  {
    return __ffs(static_cast<int>(starts & ~1u)) - 1;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

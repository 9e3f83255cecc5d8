// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// SetTile: a tile of two sorted ranges.

#include <mgpu_thrust/detail/base/config.h>

MGPU_THRUST_NAMESPACE_BEGIN

/// A tile: a part of two sorted ranges between two points of their balanced path (of their merge path for Merge), for
/// example all of them.
///
/// Ranges longer than a tile are cut one tile after another: a tile has the elements before the balanced path's point
/// on the diagonal BlockThreads * ItemsPerThread of what remains, or all that remains if that is less.
///
/// `a_continues` says that one more element of A follows a[a_count - 1] and may be read, `b_continues` the same of B.
/// If both are true the tile must be full and cut as described above, and the operation takes a faster path if the keys
/// are pointers.
template <class KeysA, class KeysB>
struct SetTile
{
  KeysA a;                  ///< random-access iterator to the tile's part of A; a pointer to shared memory is fastest
  int a_count;              ///< elements of A in the tile
  KeysB b;                  ///< the tile's part of B
  int b_count;              ///< elements of B in the tile
  bool a_continues = false; ///< whether a[a_count] may be read: the first element of A in the next tile
  bool b_continues = false; ///< whether b[b_count] may be read
};

// Clang deduces arguments on a device by a guide for devices only.
template <class KeysA, class KeysB, class... Rest>
MGPU_THRUST_HOST_DEVICE SetTile(KeysA, int, KeysB, int, Rest...)->SetTile<KeysA, KeysB>;

MGPU_THRUST_NAMESPACE_END

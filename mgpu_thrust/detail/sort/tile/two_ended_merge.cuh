// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merges of two short neighbouring runs from both ends, without a search for the begin of a part.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/sort/tile/thread_sort.cuh>
#include <mgpu_thrust/detail/tile/load/shared_pointers.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A walk through a merge of two sorted ranges from the front, or, with steps of -1, from the back. It takes no more
/// elements than either range has, and reads none after the last that it takes, so it needs no bounds checks.
template <class Key>
struct end_walk
{
  unsigned a; ///< address of the next element of the first range
  unsigned b; ///< address of the next element of the second range
  Key a_key;
  Key b_key;

  MGPU_THRUST_DEVICE end_walk(const shared_pointers<Key>& tile, int a_index, int b_index)
      : a(tile.pointer(a_index))
      , b(tile.pointer(b_index))
      , a_key(tile.element(a, 0))
      , b_key(tile.element(b, 0))
  {
  }

  /// Returns the next element, stores its position to `number`, and advances unless it is the last one.
  MGPU_THRUST_DEVICE Key take(const shared_pointers<Key>& tile, bool takes_b, int step, bool is_last, int& number)
  {
    const Key taken = takes_b ? b_key : a_key;
    const unsigned from = takes_b ? b : a;
    number = tile.index(from);
    if (is_last)
    {
      return taken;
    }
    const Key next_key = tile.element(from, step);
    if (takes_b)
    {
      b += tile.distance(step);
      b_key = next_key;
    }
    else
    {
      a += tile.distance(step);
      a_key = next_key;
    }
    return taken;
  }
};

/// Merges the sorted halves of a thread's own keys, which start at `first`, into registers, with their positions. One
/// half of the result comes from the front (the smaller half, if Items is odd), the other from the back.
///
/// If Items is odd, the walk from the back takes one element more than the second half has. If it has taken all of that
/// half, its last step is at the last key of the first half in both ranges, and takes it, which is correct.
template <int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void
merge_halves(const shared_pointers<Key>& tile, int first, Compare comp, Key (&taken)[Items], int (&numbers)[Items])
{
  constexpr int half = first_half<Items>;
  end_walk<Key> front(tile, first, first + half);
  end_walk<Key> back(tile, first + half - 1, first + Items - 1);
#pragma unroll
  for (int k = 0; k < half; ++k)
  {
    if (k < Items - half)
    {
      taken[k] = front.take(tile, comp(front.b_key, front.a_key), 1, k + 1 == Items - half, numbers[k]);
    }
    const int last = Items - 1 - k;
    taken[last] = back.take(tile, !comp(back.b_key, back.a_key), -1, k + 1 == half, numbers[last]);
  }
}

/// Merges the runs of two neighbouring threads, of Items keys each. One thread takes its half of the result from the
/// front; the other (`is_back`) from the back, last element first. `first` is the position of the thread's own run.
template <int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void merge_pair(
  const shared_pointers<Key>& tile, int first, bool is_back, Compare comp, Key (&taken)[Items], int (&numbers)[Items])
{
  const int step = is_back ? -1 : 1;
  const int a = is_back ? first - 1 : first;
  end_walk<Key> walk(tile, a, a + Items);
#pragma unroll
  for (int k = 0; k < Items; ++k)
  {
    taken[k] = walk.take(tile, comp(walk.b_key, walk.a_key) != is_back, step, k + 1 == Items, numbers[k]);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

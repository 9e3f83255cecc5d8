// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A thread's part of a merge in shared memory. The result stays in registers until all threads have read.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/tile/load/shared_pointers.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/std/cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A merge of two sorted ranges of a tile in shared memory, [a, a_end) and [b, b_end). Only elements of [a_active,
/// a_end) and [b, b_active) can change positions; without segments these are all elements.
struct tile_merge
{
  int a;
  int a_end;
  int b;
  int b_end;
  int a_active;
  int b_active;
};

/// Distance from the straight line between the ends of the merge path within which the search of long ranges starts:
/// saves 2 % of a sort of random keys.
inline constexpr int guess_reach = 32;

/// merge_path of two ranges in shared memory that start at `a` and `b`. Long ranges usually have similar distributions;
/// then the cut is near the straight line between the ends of the path, and the search takes a third fewer steps.
template <class Key, class Compare>
MGPU_THRUST_DEVICE int
shared_merge_path(const shared_pointers<Key>& tile, int a, int a_count, int b, int b_count, int diagonal, Compare comp)
{
  const unsigned a_first = tile.pointer(a);
  const unsigned b_last = tile.pointer(b + diagonal - 1);
  const auto is_first = [&](int i) -> bool
  {
    const unsigned distance = tile.distance(i);
    return !comp(tile.element(b_last - distance, 0), tile.element(a_first + distance, 0));
  };
  int begin = (max) (diagonal - b_count, 0);
  int end = (min) (diagonal, a_count);
  if (end - begin > 4 * guess_reach)
  {
    const float share = __fdividef(static_cast<float>(a_count), static_cast<float>(a_count + b_count));
    const int guess = static_cast<int>(static_cast<float>(diagonal) * share);
    detail::narrow_range<2>(begin, end, guess - guess_reach, 2 * guess_reach, is_first);
  }
  return detail::partition_point(begin, end, is_first);
}

/// Returns the rest of a merge from position `diagonal` of its result on.
template <bool IsSegmented, class Key, class Compare>
MGPU_THRUST_DEVICE tile_merge merge_from(const shared_pointers<Key>& tile, tile_merge merge, int diagonal, Compare comp)
{
  if constexpr (IsSegmented)
  {
    const int before = merge.a_active - merge.a;
    const int active_b = merge.b_active - merge.b;
    const int active = merge.a_end - merge.a_active + active_b;
    const int into = (min) ((max) (diagonal - before, 0), active);
    const int from_a =
      detail::shared_merge_path(tile, merge.a_active, merge.a_end - merge.a_active, merge.b, active_b, into, comp);
    merge.a += (min) (diagonal, before) + from_a;
    merge.b += into - from_a + (max) (diagonal - before - active, 0);
  }
  else
  {
    const int from_a =
      detail::shared_merge_path(tile, merge.a, merge.a_end - merge.a, merge.b, merge.b_end - merge.b, diagonal, comp);
    merge.a += from_a;
    merge.b += diagonal - from_a;
  }
  return merge;
}

/// How a thread reads the elements of a merge.
enum class takes
{
  inside,     ///< both ranges have at least as many elements as the thread takes
  to_the_end, ///< it may read up to that many elements past the ends of both ranges, unused
  alone       ///< it must not read past both ranges, where other threads may write
};

/// Copies the first `Items` elements of a merge, or all if there are fewer, to `taken`, and their positions to
/// `numbers`. takes::alone limits the addresses to the second range's last element. takes::to_the_end omits the second
/// half if the first half has all `count` elements that the caller needs.
template <takes How, bool IsSegmented, int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void take_merged(
  const shared_pointers<Key>& tile, const tile_merge& merge, Compare comp, Key (&taken)[Items], int (&numbers)[Items],
  [[maybe_unused]] int count = Items)
{
  unsigned a = tile.pointer(merge.a);
  unsigned b = tile.pointer(merge.b);
  const unsigned a_active = tile.pointer(merge.a_active);
  const unsigned a_end = tile.pointer(merge.a_end);
  const unsigned b_end = tile.pointer(IsSegmented ? merge.b_active : merge.b_end);
  const unsigned last = tile.pointer(merge.b_end - 1);
  const unsigned before_last = last - tile.distance(1);
  Key a_key = tile.element(How == takes::alone ? (min) (a, last) : a, 0);
  Key b_key = tile.element(How == takes::alone ? (min) (b, last) : b, 0);
#pragma unroll
  for (int k = 0; k < Items; ++k)
  {
    if (How == takes::to_the_end && k == first_half<Items> && count <= k)
    {
      break;
    }
    bool takes_b;
    if constexpr (How == takes::inside)
    {
      takes_b = comp(b_key, a_key);
    }
    else
    {
      takes_b = a >= a_end || ((!IsSegmented || a >= a_active) && b < b_end && comp(b_key, a_key));
    }
    taken[k] = takes_b ? b_key : a_key;
    const unsigned from = takes_b ? b : a;
    numbers[k] = tile.index(from);
    if (k + 1 < Items)
    {
      const Key next_key = tile.element(How == takes::alone ? (min) (from, before_last) : from, 1);
      if (takes_b)
      {
        b += tile.distance(1);
        b_key = next_key;
      }
      else
      {
        a += tile.distance(1);
        a_key = next_key;
      }
    }
  }
}

/// Calls take_merged in the fastest way for the calling lanes of a warp. No thread may write to the tile meanwhile.
template <bool IsSegmented, int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void take_merged(
  const shared_pointers<Key>& tile, const tile_merge& merge, Compare comp, Key (&taken)[Items], int (&numbers)[Items],
  [[maybe_unused]] int count = Items)
{
  const bool is_inside = (!IsSegmented || merge.a >= merge.a_active) && merge.a_end - merge.a >= Items
                         && (IsSegmented ? merge.b_active : merge.b_end) - merge.b >= Items;
  if (__all_sync(__activemask(), is_inside))
  {
    detail::take_merged<takes::inside, IsSegmented>(tile, merge, comp, taken, numbers);
  }
  else
  {
    detail::take_merged<takes::to_the_end, IsSegmented>(tile, merge, comp, taken, numbers, count);
  }
}

/// Stores the first `count` merged elements to `keys`, and their numbers to `numbers` unless that is no_values.
template <int Items, class Key, class Numbers>
MGPU_THRUST_DEVICE void
put_merged(const Key (&taken)[Items], const int (&taken_numbers)[Items], int count, Key* keys, Numbers numbers)
{
  const auto put = [&](int k)
  {
    keys[k] = taken[k];
    if constexpr (has_values<Numbers>)
    {
      numbers[k] = static_cast<::cuda::std::uint16_t>(taken_numbers[k]);
    }
  };
  if (count == Items)
  {
#pragma unroll
    for (int k = 0; k < Items; ++k)
    {
      put(k);
    }
  }
  else if (count > 0)
  {
#pragma unroll
    for (int k = 0; k < Items; ++k)
    {
      if (k < count)
      {
        put(k);
      }
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A thread's part of a merge in shared memory, whose result it keeps in registers until all threads have read.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/tile/shared_places.cuh>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>

#include <cuda/std/cstdint>

#include <cuda_pipeline.h>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Two sorted ranges of a tile in shared memory that are merged: [a, a_end) and [b, b_end). Only elements of [a_active,
/// a_end) and of [b, b_active) can change positions; without segments these are all elements.
struct tile_merge
{
  int a;
  int a_end;
  int b;
  int b_end;
  int a_active;
  int b_active;
};

/// merge_path for two ranges in shared memory that start at `a` and `b`. Long ranges are expected to have similar
/// distributions; if so, the cut is near the straight line between the ends of the path, which saves a third of the
/// steps.
template <class Key, class Compare>
MGPU_THRUST_DEVICE int
shared_merge_path(const shared_places<Key>& places, int a, int a_count, int b, int b_count, int diagonal, Compare comp)
{
  constexpr int reach = 32;
  const unsigned a_place = places.place(a);
  const unsigned b_place = places.place(b + diagonal - 1);
  const auto is_first = [&](int i) -> bool
  {
    const unsigned distance = places.distance(i);
    return !comp(places.element(b_place - distance, 0), places.element(a_place + distance, 0));
  };
  int begin = max(diagonal - b_count, 0);
  int end = min(diagonal, a_count);
  if (end - begin > 4 * reach)
  {
    const float share = __fdividef(static_cast<float>(a_count), static_cast<float>(a_count + b_count));
    const int guess = static_cast<int>(static_cast<float>(diagonal) * share);
    detail::narrow_range<2>(begin, end, guess - reach, 2 * reach, is_first);
  }
  return detail::partition_point(begin, end, is_first);
}

/// Returns the part of a merge from position `diagonal` of its result to the end.
template <bool IsSegmented, class Key, class Compare>
MGPU_THRUST_DEVICE tile_merge merge_from(const shared_places<Key>& places, tile_merge merge, int diagonal, Compare comp)
{
  if constexpr (IsSegmented)
  {
    const int before = merge.a_active - merge.a;
    const int active_b = merge.b_active - merge.b;
    const int active = merge.a_end - merge.a_active + active_b;
    const int into = min(max(diagonal - before, 0), active);
    const int from_a =
      detail::shared_merge_path(places, merge.a_active, merge.a_end - merge.a_active, merge.b, active_b, into, comp);
    merge.a += min(diagonal, before) + from_a;
    merge.b += into - from_a + max(diagonal - before - active, 0);
  }
  else
  {
    const int from_a =
      detail::shared_merge_path(places, merge.a, merge.a_end - merge.a, merge.b, merge.b_end - merge.b, diagonal, comp);
    merge.a += from_a;
    merge.b += diagonal - from_a;
  }
  return merge;
}

/// How a thread consumes elements of a merge.
enum class takes
{
  inside,     ///< neither range ends before the thread has all its elements
  to_the_end, ///< it may read elements past the ends of both ranges, which are not used
  alone       ///< it must not read past both ranges, as other threads may write there
};

/// Copies the first `Items` elements of a merge, or all if there are fewer, to `taken`, and their positions to
/// `numbers`.
template <takes How, bool IsSegmented, int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void take_merged(
  const shared_places<Key>& places, const tile_merge& merge, Compare comp, Key (&taken)[Items], int (&numbers)[Items])
{
  unsigned a = places.place(merge.a);
  unsigned b = places.place(merge.b);
  const unsigned a_active = places.place(merge.a_active);
  const unsigned a_end = places.place(merge.a_end);
  const unsigned b_end = places.place(IsSegmented ? merge.b_active : merge.b_end);
  const unsigned last = places.place(merge.b_end - 1);
  const unsigned before_last = last - places.distance(1);
  Key a_key = places.element(How == takes::alone ? min(a, last) : a, 0);
  Key b_key = places.element(How == takes::alone ? min(b, last) : b, 0);
#pragma unroll
  for (int k = 0; k < Items; ++k)
  {
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
    numbers[k] = places.index(from);
    if (k + 1 < Items)
    {
      const Key next_key = places.element(How == takes::alone ? min(from, before_last) : from, 1);
      if (takes_b)
      {
        b += places.distance(1);
        b_key = next_key;
      }
      else
      {
        a += places.distance(1);
        a_key = next_key;
      }
    }
  }
}

/// Calls take_merged in the fastest way for the calling lanes of a warp. No thread may write to the tile meanwhile.
template <bool IsSegmented, int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void take_merged(
  const shared_places<Key>& places, const tile_merge& merge, Compare comp, Key (&taken)[Items], int (&numbers)[Items])
{
  const bool is_inside = (!IsSegmented || merge.a >= merge.a_active) && merge.a_end - merge.a >= Items
                         && (IsSegmented ? merge.b_active : merge.b_end) - merge.b >= Items;
  if (__all_sync(__activemask(), is_inside))
  {
    detail::take_merged<takes::inside, IsSegmented>(places, merge, comp, taken, numbers);
  }
  else
  {
    detail::take_merged<takes::to_the_end, IsSegmented>(places, merge, comp, taken, numbers);
  }
}

/// A walk through a merge of two sorted ranges from one of its ends: from the front, or, with steps of -1, from the
/// back. A walk that stops before it can exhaust either range needs no bounds checks.
template <class Key>
struct end_walk
{
  unsigned a;
  unsigned b;
  Key a_key;
  Key b_key;

  MGPU_THRUST_DEVICE end_walk(const shared_places<Key>& places, int a_index, int b_index)
      : a(places.place(a_index))
      , b(places.place(b_index))
      , a_key(places.element(a, 0))
      , b_key(places.element(b, 0))
  {
  }

  /// Returns the next element, stores its position to `number`, and advances, unless it is the last one.
  MGPU_THRUST_DEVICE Key take(const shared_places<Key>& places, bool takes_b, int step, bool is_last, int& number)
  {
    const Key taken = takes_b ? b_key : a_key;
    const unsigned from = takes_b ? b : a;
    number = places.index(from);
    if (is_last)
    {
      return taken;
    }
    const Key next_key = places.element(from, step);
    if (takes_b)
    {
      b += places.distance(step);
      b_key = next_key;
    }
    else
    {
      a += places.distance(step);
      a_key = next_key;
    }
    return taken;
  }
};

/// Number of elements in the first of two halves of `Items` elements; the second half has as many, or one less.
template <int Items>
inline constexpr int first_half = (Items + 1) / 2;

/// Merges the sorted halves of a thread's own elements, which start at `first`: one half of the result (the smaller, if
/// Items is odd) from the front, the other from the back.
template <int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void
merge_halves(const shared_places<Key>& places, int first, Compare comp, Key (&taken)[Items], int (&numbers)[Items])
{
  constexpr int half = first_half<Items>;
  end_walk<Key> front(places, first, first + half);
  end_walk<Key> back(places, first + half - 1, first + Items - 1);
#pragma unroll
  for (int k = 0; k < half; ++k)
  {
    if (k < Items - half)
    {
      taken[k] = front.take(places, comp(front.b_key, front.a_key), 1, k + 1 == Items - half, numbers[k]);
    }
    const int last = Items - 1 - k;
    taken[last] = back.take(places, !comp(back.b_key, back.a_key), -1, k + 1 == half, numbers[last]);
  }
}

/// Merges the runs of two neighbouring threads: one thread merges its half of the result from the front; the other, for
/// which `is_back` is true, merges its half from the back, last element first.
template <int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void merge_pair(
  const shared_places<Key>& places, int first, bool is_back, Compare comp, Key (&taken)[Items], int (&numbers)[Items])
{
  const int step = is_back ? -1 : 1;
  const int a = is_back ? first - 1 : first;
  end_walk<Key> walk(places, a, a + Items);
#pragma unroll
  for (int k = 0; k < Items; ++k)
  {
    taken[k] = walk.take(places, comp(walk.b_key, walk.a_key) != is_back, step, k + 1 == Items, numbers[k]);
  }
}

/// Stores the first `count` merged elements to `keys`, and, unless there are no values, their numbers to `numbers`.
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

/// Starts to load `count` values to shared memory, by all threads of a block.
template <int Threads, class Values, class Value>
MGPU_THRUST_DEVICE void start_to_load_values(Values from, int count, Value* to)
{
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads)
  {
    if constexpr (
      std::is_pointer_v<Values> && (sizeof(Value) == 4 || sizeof(Value) == 8) && alignof(Value) == sizeof(Value))
    {
      __pipeline_memcpy_async(to + i, from + i, sizeof(Value));
    }
    else
    {
      to[i] = detail::element(from, i);
    }
  }
}
/// Waits for all values that start_to_load_values() loads; afterwards every thread of the block sees them.
MGPU_THRUST_DEVICE void wait_for_values()
{
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

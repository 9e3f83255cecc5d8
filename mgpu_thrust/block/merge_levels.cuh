// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A thread's part of a merge in shared memory, whose result it keeps in registers until all threads have read.

#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/block/tile_loader.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/thread/set_operation.h>

#include <cuda/std/cstdint>

#include <cuda_pipeline.h>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Two sorted ranges of a tile in shared memory that are merged: [a, a_end) and [b, b_end). Of the first only what is
/// from a_active on, of the second only what is before b_active can change places; that is all of them if there are no
/// segments.
struct tile_merge
{
  int a;
  int a_end;
  int b;
  int b_end;
  int a_active;
  int b_active;
};

/// The part of a merge that begins at place `diagonal` of its result: all that is merged from there on.
template <bool IsSegmented, class Key, class Compare>
MGPU_THRUST_DEVICE tile_merge merge_from(const Key* keys, tile_merge merge, int diagonal, Compare comp)
{
  if constexpr (IsSegmented)
  {
    const int before = merge.a_active - merge.a;
    const int active_b = merge.b_active - merge.b;
    const int active = merge.a_end - merge.a_active + active_b;
    const int into = min(max(diagonal - before, 0), active);
    const int from_a =
      mgpu::merge_path(keys + merge.a_active, merge.a_end - merge.a_active, keys + merge.b, active_b, into, comp);
    merge.a += min(diagonal, before) + from_a;
    merge.b += into - from_a + max(diagonal - before - active, 0);
  }
  else
  {
    const int from_a =
      mgpu::merge_path(keys + merge.a, merge.a_end - merge.a, keys + merge.b, merge.b_end - merge.b, diagonal, comp);
    merge.a += from_a;
    merge.b += diagonal - from_a;
  }
  return merge;
}

/// Takes the first `Items` elements of a merge, or all that there are, and tells where each was. If IsInside, neither
/// range ends before. Nothing behind both is read, where another warp may write.
template <bool IsInside, bool IsSegmented, int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void
take_merged(const Key* keys, const tile_merge& merge, Compare comp, Key (&taken)[Items], int (&places)[Items])
{
  int a = merge.a;
  int b = merge.b;
  const int b_end = IsSegmented ? merge.b_active : merge.b_end;
  const int last = max(merge.b_end - 1, 0);
  const auto key_at = [&](int place) { return keys[IsInside ? place : min(place, last)]; };
  Key a_key = key_at(a);
  Key b_key = key_at(b);
#pragma unroll
  for (int k = 0; k < Items; ++k)
  {
    bool takes_b;
    if constexpr (IsInside)
    {
      takes_b = comp(b_key, a_key);
    }
    else
    {
      takes_b = a >= merge.a_end || ((!IsSegmented || a >= merge.a_active) && b < b_end && comp(b_key, a_key));
    }
    taken[k] = takes_b ? b_key : a_key;
    places[k] = takes_b ? b : a;
    if (k + 1 < Items)
    {
      const int next = places[k] + 1;
      const Key next_key = key_at(next);
      if (takes_b)
      {
        b = next;
        b_key = next_key;
      }
      else
      {
        a = next;
        a_key = next_key;
      }
    }
  }
}

/// The same, in the fastest way for the calling lanes of a warp.
template <bool IsSegmented, int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void
take_merged(const Key* keys, const tile_merge& merge, Compare comp, Key (&taken)[Items], int (&places)[Items])
{
  const bool is_inside = (!IsSegmented || merge.a >= merge.a_active) && merge.a_end - merge.a >= Items
                         && (IsSegmented ? merge.b_active : merge.b_end) - merge.b >= Items;
  if (__all_sync(__activemask(), is_inside))
  {
    detail::take_merged<true, IsSegmented>(keys, merge, comp, taken, places);
  }
  else
  {
    detail::take_merged<false, IsSegmented>(keys, merge, comp, taken, places);
  }
}

/// Puts the first `count` of them, and with values their numbers, where they belong.
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
/// Waits for all of them; afterwards every thread of the block sees all values.
MGPU_THRUST_DEVICE void wait_for_values()
{
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

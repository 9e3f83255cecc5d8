// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sort of a tile that is a short segment: each key counts the keys that go before it. The comparisons are
/// independent of each other.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/std/bit>
#include <cuda/std/cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns how many of the keys begin, begin + step, ... before `end` go before key `own`. Of equal keys the earlier
/// ones do.
template <class Key, class Compare>
MGPU_THRUST_DEVICE int count_before(const Key* keys, int begin, int end, int step, int own, Compare comp)
{
  const Key key = keys[own];
  int before = 0;
#pragma unroll 4
  for (int i = begin; i < end; i += step)
  {
    const Key other = keys[i];
    const bool is_earlier = i < own; // and goes before the key if they are equal
    before += comp(is_earlier ? key : other, is_earlier ? other : key) != is_earlier;
  }
  return before;
}

/// Finds the source of each key of a tile of 1 to `Threads` keys: sets numbers[i] to the position of sorted key i.
/// numbers[i] must be i before; it may stay so if `comp` is not a strict weak order. Called by all threads of a block;
/// they see the result.
template <int Threads, class Key, class Compare>
MGPU_THRUST_DEVICE void ranked_tile_sort(const Key* keys, int count, ::cuda::std::uint16_t* numbers, Compare comp)
{
  // A power of two of neighbouring lanes shares the comparisons of a key.
  static_assert((Threads & (Threads - 1)) == 0, "lanes are powers of two");
  const int width = ::cuda::std::bit_width(static_cast<unsigned>(count - 1)); // of the keys' positions
  const int lanes_width = (min) (::cuda::std::bit_width(static_cast<unsigned>(Threads - 1)) - width, 5);
  const int lanes = 1 << lanes_width;
  const int own = static_cast<int>(threadIdx.x) >> lanes_width;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  int before = own < count ? detail::count_before(keys, lane, count, lanes, own, comp) : 0;
  for (int step = lanes / 2; step > 0; step /= 2)
  {
    before += __shfl_xor_sync(~0u, before, step);
  }
  if (own < count && lane == 0)
  {
    numbers[(min) (before, count - 1)] = static_cast<::cuda::std::uint16_t>(own);
  }
  __syncthreads();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

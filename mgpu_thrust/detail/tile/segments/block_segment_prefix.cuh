// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A segmented scan over the threads of a block.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>

#include <cub/util_type.cuh>

#include <new>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The reduction of the values of earlier threads.
template <class T>
struct segment_prefix
{
  T value;             ///< from the last start on; unspecified for the first thread
  bool is_after_start; ///< whether any of these threads starts a segment
};

/// A segmented scan over the threads of a block, one value per thread. Some threads start a new segment.
///
/// A ballot tells all lanes of a warp where segments start, so lanes exchange values alone. The last threads may have
/// no items: they pass any value of T as if they started a segment, so that it is combined with no other.
template <int Threads, class T>
class block_segment_prefix
{
  static constexpr int warps = Threads / 32;

public:
  struct storage
  {
    cub::Uninitialized<T> values[warps]; ///< reduction of a warp's values from its last start on
    bool is_new[warps];                  ///< whether there is a start in the warp
  };

  /// Returns the reduction, in order, of the values of the threads before, from the last one with `is_new` on. All
  /// threads call it. It contains a barrier.
  template <class Op>
  MGPU_THRUST_DEVICE static segment_prefix<T> before(storage& shared, T value, bool is_new, Op& op)
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int warp = static_cast<int>(threadIdx.x / 32);

    // 1. Scan within the warp.
    const unsigned new_lanes = __ballot_sync(~0u, is_new);
    value = scan_warp(value, lane, new_lanes, op);
    if (lane == 31)
    {
      ::new (static_cast<void*>(&shared.values[warp])) T(value);
      shared.is_new[warp] = new_lanes != 0;
    }
    __syncthreads();

    // 2. Combine with the warps before, unless a lane before starts a new segment.
    T result = detail::shuffle_up(value, 1);
    const bool is_new_in_warp = (new_lanes & ((1u << lane) - 1)) != 0;
    if (warp > 0 && !is_new_in_warp)
    {
      const T of_warps = reduce_warps_before(shared, warp, op);
      result = lane == 0 ? of_warps : static_cast<T>(op(of_warps, result));
    }
    return {result, is_new_in_warp || has_start_before(shared, warp)};
  }

private:
  /// Returns the reduction of the lanes' values up to the calling lane, from the last start at or before it on.
  /// `new_lanes` has a bit for each lane that starts a segment.
  template <class Op>
  MGPU_THRUST_DEVICE static T scan_warp(T value, int lane, unsigned new_lanes, Op& op)
  {
    const int first_lane = (max) (31 - __clz(static_cast<int>(new_lanes & (~0u >> (31 - lane)))), 0);
#pragma unroll
    for (int stride = 1; stride < 32; stride *= 2)
    {
      const T other = detail::shuffle_up(value, stride);
      if (lane - stride >= first_lane)
      {
        value = static_cast<T>(op(other, value));
      }
    }
    return value;
  }
  MGPU_THRUST_DEVICE static bool has_start_before(const storage& shared, int warp)
  {
    bool has_start = false;
#pragma unroll
    for (int i = 0; i + 1 < warps; ++i)
    {
      has_start |= i < warp && shared.is_new[i];
    }
    return has_start;
  }
  /// Returns the reduction of the warps before `warp`, which is not the first, from the last start on.
  template <class Op>
  MGPU_THRUST_DEVICE static T reduce_warps_before(storage& shared, int warp, Op& op)
  {
    T of_warps = shared.values[0].Alias();
#pragma unroll
    for (int i = 1; i + 1 < warps; ++i)
    {
      if (i < warp)
      {
        const T& of_warp = shared.values[i].Alias();
        of_warps = shared.is_new[i] ? of_warp : static_cast<T>(op(of_warps, of_warp));
      }
    }
    return of_warps;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

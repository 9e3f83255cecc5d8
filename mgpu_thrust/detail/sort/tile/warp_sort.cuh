// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sort of a warp's keys in registers by a sorting network, without searches or shared memory. Batcher's bitonic
/// merges join the lanes' runs, and his merge exchange sorts the keys of a lane (Batcher, Sorting networks and their
/// applications, 1968; Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/sort/tile/thread_sort.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/std/bit>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Sorts the keys of a warp: those of lane 0 first, then of lane 1, and so on; called by all lanes. Networks are not
/// stable: equivalent keys must be equal, or have numbers, which ascend initially and then decide. The loops over lanes
/// are not unrolled, so that a kernel loads few instructions.
template <class Key, int Items, bool HasNumbers, class Compare>
class warp_sort
{
  using own_keys = thread_keys<Key, Items, HasNumbers>;
  static constexpr unsigned all_lanes = 0xffffffff;

public:
  MGPU_THRUST_DEVICE warp_sort(own_keys& own, Compare comp)
      : own_(own)
      , comp_(comp)
      , lane_(static_cast<int>(threadIdx.x % 32))
  {
  }

  MGPU_THRUST_DEVICE void process()
  {
    sort_lane();
#pragma unroll 1
    for (int lanes = 1; lanes < 32; lanes *= 2) // of a run
    {
      // Exchange the first key of two runs with the last, the second with the last but one, and so on. The smaller half
      // is then in the first run's lanes, and each half is bitonic.
      exchange_flipped(lanes);
#pragma unroll 1
      for (int distance = lanes / 2; distance > 0; distance /= 2)
      {
        exchange(distance);
      }
      sort_lane();
    }
  }

private:
  MGPU_THRUST_DEVICE bool goes_before(const Key& left, int left_number, const Key& right, int right_number)
  {
    if constexpr (HasNumbers)
    {
      const bool is_greater = comp_(right, left); // no branches: a comparison is one instruction
      return comp_(left, right) | ((left_number < right_number) & !is_greater);
    }
    else
    {
      return comp_(left, right);
    }
  }

  /// Sorts the keys of each lane.
  MGPU_THRUST_DEVICE void sort_lane()
  {
    constexpr int top = static_cast<int>(::cuda::std::bit_ceil(static_cast<unsigned>(Items))) / 2;
#pragma unroll
    for (int p = top; p > 0; p /= 2)
    {
#pragma unroll
      for (int q = top; q >= p; q /= 2)
      {
        const int distance = q == top ? p : 2 * q - p;
#pragma unroll
        for (int k = 0; k < Items; ++k)
        {
          if (k + distance < Items && (k & p) == (q == top ? 0 : p))
          {
            exchange_own(k, k + distance);
          }
        }
      }
    }
  }

  MGPU_THRUST_DEVICE void exchange_own(int first, int second)
  {
    const Key first_key = own_.keys[first];
    const Key second_key = own_.keys[second];
    const int first_number = HasNumbers ? own_.numbers[first] : 0;
    const int second_number = HasNumbers ? own_.numbers[second] : 0;
    const bool swaps = goes_before(second_key, second_number, first_key, first_number);
    own_.keys[first] = swaps ? second_key : first_key;
    own_.keys[second] = swaps ? first_key : second_key;
    if constexpr (HasNumbers)
    {
      own_.numbers[first] = swaps ? second_number : first_number;
      own_.numbers[second] = swaps ? first_number : second_number;
    }
  }

  /// A key of another lane.
  struct other_key
  {
    Key key;
    int number;
  };
  MGPU_THRUST_DEVICE other_key receive(int k, int lane_mask)
  {
    return {
      static_cast<Key>(__shfl_xor_sync(all_lanes, own_.keys[k], lane_mask)),
      HasNumbers ? __shfl_xor_sync(all_lanes, own_.numbers[k], lane_mask) : 0};
  }
  /// Keeps the smaller or the larger one of an own key and another.
  MGPU_THRUST_DEVICE void keep(int k, const other_key& other, bool keeps_smaller)
  {
    const bool takes = goes_before(other.key, other.number, own_.keys[k], HasNumbers ? own_.numbers[k] : 0) //
                       == keeps_smaller;
    own_.keys[k] = takes ? other.key : own_.keys[k];
    if constexpr (HasNumbers)
    {
      own_.numbers[k] = takes ? other.number : own_.numbers[k];
    }
  }

  /// Exchanges keys with the lane at a distance.
  MGPU_THRUST_DEVICE void exchange(int distance)
  {
    const bool keeps_smaller = (lane_ & distance) == 0;
#pragma unroll
    for (int k = 0; k < Items; ++k)
    {
      keep(k, receive(k, distance), keeps_smaller);
    }
  }
  /// Exchanges the keys of two neighbouring runs of `lanes` lanes, one of them in reverse.
  MGPU_THRUST_DEVICE void exchange_flipped(int lanes)
  {
    const int lane_mask = 2 * lanes - 1;
    const bool keeps_smaller = (lane_ & lanes) == 0;
#pragma unroll
    for (int k = 0; k < first_half<Items>; ++k)
    {
      const int last = Items - 1 - k;
      const other_key of_last = receive(last, lane_mask);
      if (k < last)
      {
        keep(last, receive(k, lane_mask), keeps_smaller);
      }
      keep(k, of_last, keeps_smaller);
    }
  }

  own_keys& own_;
  Compare comp_;
  int lane_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The reduction of neighbouring items by a warp.

#include <mgpu_thrust/detail/base/config.h>

#include <cub/warp/warp_reduce.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Reduces items in order by a warp: batches of Shape::rows rows, of which each lane has Shape::run neighbouring items. All
/// items of a batch are loaded before the first is reduced. A result is lane 0's; other lanes get an unspecified value.
template <class Shape, class T, class Reduction>
class warp_reduction
{
  using warp_reduce = cub::WarpReduce<T>;
  static constexpr int batch_items = Shape::rows * 32 * Shape::run;

public:
  using TempStorage = typename warp_reduce::TempStorage;

  static constexpr int row_items = 32 * Shape::run;

  MGPU_THRUST_DEVICE warp_reduction(TempStorage& shared, Reduction& reduction)
      : shared_(shared)
      , reduction_(reduction)
      , lane_(static_cast<int>(threadIdx.x % 32))
  {
  }

  /// Returns the reduction of items [begin, end), one at least. The first batch is the one that may not be full.
  MGPU_THRUST_DEVICE T reduce(std::int64_t begin, std::int64_t end)
  {
    const int first_count = static_cast<int>((end - begin - 1) % batch_items) + 1;
    T total = reduce_batch<false>(begin, first_count);
#pragma unroll 1
    for (begin += first_count; begin < end; begin += batch_items)
    {
      append(total, reduce_batch<true>(begin, batch_items));
    }
    return total;
  }
  /// Returns the reduction of `count` values, one at least, that value_of(0), value_of(1), ... return.
  template <class ValueOf>
  MGPU_THRUST_DEVICE T reduce_values(ValueOf value_of, int count)
  {
    T total = reduce_lanes(value_of(min(lane_, count - 1)), count);
    for (int first = 32; first < count; first += 32)
    {
      append(total, reduce_lanes(value_of(min(first + lane_, count - 1)), count - first));
    }
    return total;
  }

private:
  MGPU_THRUST_DEVICE void append(T& total, const T& next)
  {
    if (lane_ == 0)
    {
      reduction_.append(total, next);
    }
  }
  /// Returns the reduction of the values of the first `count` lanes, or of all if there are fewer.
  MGPU_THRUST_DEVICE T reduce_lanes(const T& value, int count)
  {
    return warp_reduce(shared_).Reduce(value, reduction_.op, min(count, 32));
  }

  /// Returns the reduction of `count` items, all of a batch if it IsFull.
  template <bool IsFull>
  MGPU_THRUST_DEVICE T reduce_batch(std::int64_t begin, int count)
  {
    if constexpr (!Shape::is_batched)
    {
      return reduce_lanes(reduction_.item(begin + min(lane_, count - 1)), count);
    }
    else
    {
      // 1. Load; instead of items after the last, the last.
      T items[Shape::rows][Shape::run];
#pragma unroll
      for (int row = 0; row < Shape::rows; ++row)
      {
        if (IsFull || row * row_items < count)
        {
#pragma unroll
          for (int k = 0; k < Shape::run; ++k)
          {
            const int item = row * row_items + lane_ * Shape::run + k;
            items[row][k] = reduction_.item(begin + (IsFull ? item : min(item, count - 1)));
          }
        }
      }

      // 2. Reduce each row, then append it to those before.
#pragma unroll
      for (int row = 0; row < Shape::rows; ++row)
      {
        const int row_count = IsFull ? row_items : min(count - row * row_items, row_items);
#pragma unroll
        for (int k = 1; k < Shape::run; ++k)
        {
          if (IsFull || lane_ * Shape::run + k < row_count)
          {
            reduction_.append(items[row][0], items[row][k]);
          }
        }
        if constexpr (IsFull)
        {
          items[row][0] = warp_reduce(shared_).Reduce(items[row][0], reduction_.op);
        }
        else if (row_count > 0)
        {
          items[row][0] = reduce_lanes(items[row][0], (row_count + Shape::run - 1) / Shape::run);
        }
        if (row > 0 && row_count > 0)
        {
          append(items[0][0], items[row][0]);
        }
      }
      return items[0][0];
    }
  }

  TempStorage& shared_;
  Reduction& reduction_;
  int lane_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

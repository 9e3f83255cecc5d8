// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The reduction of neighbouring items by a warp.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/segmented_reduce/whole/commutes.h>

#include <cub/util_ptx.cuh>
#include <cub/warp/warp_reduce.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Reduces items by a warp, in batches of Shape::rows rows, a power of two. All items of a batch are loaded before the first
/// is reduced. A result is lane 0's; other lanes get an unspecified value.
///
/// The order of the items is kept, unless the operator is known to commute: of each row a lane has Shape::run neighbouring
/// items, and rows are put together batch by batch. If it commutes, a lane has every 32nd item, and adds them up on its own. If
/// it FitsBatches, it then begins with a full batch, and ends with a short one, where it can: that is fewer instructions, but
/// more code and registers.
template <class Shape, class T, class Reduction, bool FitsBatches = false>
class warp_reduction
{
  using warp_reduce = cub::WarpReduce<T>;
  static constexpr int items_of_lane = Shape::rows * Shape::run; ///< in a batch
  /// Most items of a short batch that is not full: it takes a fourth of the instructions of another one.
  static constexpr int most_of_short = 8 * items_of_lane;

public:
  using TempStorage = typename warp_reduce::TempStorage;

  static constexpr int row_items = 32 * Shape::run;
  static constexpr int batch_items = 32 * items_of_lane;

  MGPU_THRUST_DEVICE warp_reduction(TempStorage& shared, Reduction& reduction)
      : shared_(shared)
      , reduction_(reduction)
      , lane_(static_cast<int>(threadIdx.x % 32))
  {
  }

  /// Returns the reduction of `count` items from `begin` on, one at least.
  MGPU_THRUST_DEVICE T reduce(std::int64_t begin, int count)
  {
    if constexpr (Shape::is_batched && commutes<std::decay_t<decltype(reduction_.op)>, T>)
    {
      return reduce_in_any_order(begin, count);
    }
    else
    {
      return reduce_in_order(begin, count);
    }
  }
  /// Returns the reduction of `count` values, one at least, that value_of(0), value_of(1), ... return.
  template <class ValueOf>
  MGPU_THRUST_DEVICE T reduce_values(ValueOf value_of, int count)
  {
    T total = reduce_lanes(value_of((min) (lane_, count - 1)), count);
    for (int first = 32; first < count; first += 32)
    {
      append(total, reduce_lanes(value_of((min) (first + lane_, count - 1)), count - first));
    }
    return total;
  }
  /// Returns the reduction of the values of the first `count` lanes, or of all if there are fewer.
  MGPU_THRUST_DEVICE T reduce_lanes(const T& value, int count)
  {
    return warp_reduce(shared_).Reduce(value, reduction_.op, (min) (count, 32));
  }

private:
  /// Returns the reduction of items in their order. The first batch is the one that may not be full.
  MGPU_THRUST_DEVICE T reduce_in_order(std::int64_t begin, int count)
  {
    const int first_count = (count - 1) % batch_items + 1;
    if constexpr (!Shape::is_batched)
    {
      T total = reduce_lanes(reduction_.item(begin + (min) (lane_, first_count - 1)), first_count);
      for (int done = first_count; done < count; done += batch_items)
      {
        append(total, reduce_lanes(reduction_.item(begin + done + lane_), batch_items));
      }
      return total;
    }
    else
    {
      batch items;
      load<false>(items, begin, first_count);
      batch next;
      const auto load_next = [&](int done)
      {
        if (done < count)
        {
          load<true>(next, begin + done, batch_items);
        }
      };
      if constexpr (Shape::loads_ahead)
      {
        load_next(first_count);
      }
      T total = reduce_batch<false>(items, first_count);
#pragma unroll 1
      for (int done = first_count; done < count; done += batch_items)
      {
        if constexpr (Shape::loads_ahead)
        {
          items = next;
          load_next(done + batch_items);
        }
        else
        {
          load<true>(items, begin + done, batch_items);
        }
        append(total, reduce_batch<true>(items, batch_items));
      }
      return total;
    }
  }
  /// Returns the reduction of items in any order. Only the last batch may not be full, which is short if few items are left.
  MGPU_THRUST_DEVICE T reduce_in_any_order(std::int64_t begin, int count)
  {
    T own;
    int done = batch_items;
    if (FitsBatches && count >= batch_items)
    {
      T items[items_of_lane];
      load_items<true>(items, begin, count);
      own = items[0];
      append_items<true>(own, items, count, 1);
    }
    else
    {
      own = reduction_.item(begin + (min) (lane_, count - 1));
      done = 32;
    }
#pragma unroll 1
    for (; done + batch_items <= count; done += batch_items)
    {
      append_batch<true, items_of_lane>(own, begin + done, batch_items);
    }
    const int rest = count - done;
    if (rest > (FitsBatches ? most_of_short : 0))
    {
      append_batch<false, items_of_lane>(own, begin + done, rest);
    }
    else if (rest > 0)
    {
      append_batch<false, most_of_short / 32>(own, begin + done, rest);
    }
    if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    {
      if (count >= 32)
      {
        return warp_reduce(shared_).Reduce(own, reduction_.op); // one instruction, for most operators
      }
    }
    return reduce_lanes(own, count);
  }
  /// Appends a lane's items of the first `count` of 32 * ItemsOfLane items, or of all if it IsFull, to the lane's value.
  template <bool IsFull, int ItemsOfLane>
  MGPU_THRUST_DEVICE void append_batch(T& own, std::int64_t begin, int count)
  {
    T items[ItemsOfLane];
    load_items<IsFull>(items, begin, count);
    append_items<IsFull>(own, items, count, 0);
  }
  // These load such items, and append them from item `first` of the lane on.
  template <bool IsFull, int ItemsOfLane>
  MGPU_THRUST_DEVICE void load_items(T (&items)[ItemsOfLane], std::int64_t begin, [[maybe_unused]] int count)
  {
#pragma unroll
    for (int k = 0; k < ItemsOfLane; ++k)
    {
      if (IsFull || 32 * k + lane_ < count)
      {
        items[k] = reduction_.item(begin + 32 * k + lane_);
      }
    }
  }
  template <bool IsFull, int ItemsOfLane>
  MGPU_THRUST_DEVICE void append_items(T& own, const T (&items)[ItemsOfLane], [[maybe_unused]] int count, int first)
  {
#pragma unroll
    for (int k = first; k < ItemsOfLane; ++k)
    {
      if (IsFull || 32 * k + lane_ < count)
      {
        reduction_.append(own, items[k]);
      }
    }
  }

  MGPU_THRUST_DEVICE void append(T& total, const T& next)
  {
    if (lane_ == 0)
    {
      reduction_.append(total, next);
    }
  }

  /// A lane's items of a batch.
  struct batch
  {
    T of[Shape::rows][Shape::run];
  };

  /// Loads a lane's items of the first `count` of a batch, or of all if it IsFull; the others have any value.
  template <bool IsFull>
  MGPU_THRUST_DEVICE void load(batch& items, std::int64_t begin, [[maybe_unused]] int count)
  {
#pragma unroll
    for (int row = 0; row < Shape::rows; ++row)
    {
#pragma unroll
      for (int k = 0; k < Shape::run; ++k)
      {
        const int item = row * row_items + lane_ * Shape::run + k;
        if (IsFull || item < count)
        {
          items.of[row][k] = reduction_.item(begin + item);
        }
      }
    }
  }

  /// Returns the reduction of the first `count` items of a batch, or of all if it IsFull.
  template <bool IsFull>
  MGPU_THRUST_DEVICE T reduce_batch(const batch& items, int count)
  {
    // 1. Each lane reduces its items of each row.
    T values[Shape::rows];
#pragma unroll
    for (int row = 0; row < Shape::rows; ++row)
    {
      values[row] = items.of[row][0];
#pragma unroll
      for (int k = 1; k < Shape::run; ++k)
      {
        if (IsFull || row * row_items + lane_ * Shape::run + k < count)
        {
          reduction_.append(values[row], items.of[row][k]);
        }
      }
    }

    // 2. Reduce what the lanes have.
    return !IsFull && count <= row_items ? reduce_lanes(values[0], (count - 1) / Shape::run + 1)
                                         : reduce_rows<IsFull>(values, count);
  }

  /// Returns the reduction of the lanes' values of each row of a batch of `count` items.
  ///
  /// Of two rows a lane keeps the value of one and gets its neighbour's of that row; the neighbour keeps the other row.
  /// That halves the number of rows, and again, until a lane has one value; then rows are reduced, and at last put
  /// together. 4 rows take 3 + 3 + 2 exchanges instead of 5 each.
  template <bool IsFull>
  MGPU_THRUST_DEVICE T reduce_rows(T (&values)[Shape::rows], int count)
  {
    // The first item of a lane's right operand, where its group of lanes has `distance` lanes on either side.
    const auto right_item = [&](int row, int distance)
    { return row * row_items + ((lane_ & ~(2 * distance - 1)) | distance) * Shape::run; };

    // 1. Leave each lane one row.
    int own_row = 0;
#pragma unroll
    for (int half = Shape::rows / 2; half > 0; half /= 2)
    {
      const int distance = Shape::rows / 2 / half;
      const bool keeps_upper = (lane_ & distance) != 0;
      own_row += keeps_upper ? half : 0;
#pragma unroll
      for (int row = 0; row < half; ++row)
      {
        const T lower = values[row];
        const T upper = values[row + half];
        values[row] = join(
          keeps_upper ? upper : lower, keeps_upper ? lower : upper, distance,
          IsFull || right_item(own_row + row, distance) < count);
      }
    }

    // 2. Reduce the rows.
    T value = values[0];
#pragma unroll
    for (int distance = Shape::rows; distance < 32; distance *= 2)
    {
      value = join(value, value, distance, IsFull || right_item(own_row, distance) < count);
    }

    // 3. Put neighbouring rows together.
#pragma unroll
    for (int rows = 1; rows < Shape::rows; rows *= 2)
    {
      value = join(value, value, Shape::rows / 2 / rows, IsFull || (own_row | rows) * row_items < count);
    }
    return value;
  }
  /// Sends a value to the lane at a distance, and returns the reduction of the value kept and the one that comes: the
  /// left one alone unless it `has_right`.
  MGPU_THRUST_DEVICE T join(const T& kept, const T& sent, int distance, bool has_right)
  {
    const T received = cub::ShuffleIndex<32>(sent, lane_ ^ distance, ~0u);
    const bool is_right = (lane_ & distance) != 0;
    T value = is_right ? received : kept;
    if (has_right)
    {
      reduction_.append(value, is_right ? kept : received);
    }
    return value;
  }

  TempStorage& shared_;
  Reduction& reduction_;
  int lane_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

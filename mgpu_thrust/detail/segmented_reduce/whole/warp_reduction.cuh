// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The reduction of neighbouring items by a warp.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/segmented_reduce/whole/commutes.h>

#include <cub/warp/warp_reduce.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Reduces items by a warp, in batches of Shape::rows rows, a power of two. A lane loads all its items of a batch
/// before it reduces the first. Lane 0 gets the result, and other lanes an unspecified value.
///
/// The order of the items is kept, unless the operator is known to commute. In order, a lane has Shape::run
/// neighbouring items of each row, and rows are combined batch by batch. If the operator commutes, a lane reduces every
/// 32nd item. If it FitsBatches, it then begins with a full batch and ends with a short one, where it can. That takes
/// fewer instructions, but more code and registers.
template <class Shape, class T, class Reduction, bool FitsBatches = false>
class warp_reduction
{
  using warp_reduce = cub::WarpReduce<uninitialized_t<T>>;
  static constexpr int items_of_lane = Shape::rows * Shape::run; ///< in a batch
  /// The items of a short batch, which takes a fourth of the instructions of a full one.
  static constexpr int max_short_items = 8 * items_of_lane;

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

  /// Returns the reduction of `count` items from `begin` on. `count` is 1 or more.
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
  /// Returns the reduction of value_of(0), value_of(1), ..., which are `count` values, 1 or more.
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
    return warp_reduce(shared_).Reduce(value, detail::on_uninitialized<T>(reduction_.op), (min) (count, 32));
  }

private:
  /// Returns the reduction of items in their order. Only the first batch may be partial.
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
  /// Returns the reduction of items in any order. Only the last batch may be partial. It is short if few items are
  /// left.
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
    if (rest > (FitsBatches ? max_short_items : 0))
    {
      append_batch<false, items_of_lane>(own, begin + done, rest);
    }
    else if (rest > 0)
    {
      append_batch<false, max_short_items / 32>(own, begin + done, rest);
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
  /// Appends a lane's items of a batch to its value. The batch has `count` items, or 32 * ItemsOfLane if it IsFull.
  template <bool IsFull, int ItemsOfLane>
  MGPU_THRUST_DEVICE void append_batch(T& own, std::int64_t begin, int count)
  {
    T items[ItemsOfLane];
    load_items<IsFull>(items, begin, count);
    append_items<IsFull>(own, items, count, 0);
  }
  // Load a lane's items of such a batch, and append them from number `first` on.
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

  /// Loads a lane's items of a batch of `count` items, or of a full one if it IsFull. Items past the end have any
  /// value.
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

  /// Returns the reduction of a batch of `count` items, or of a full one if it IsFull.
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
  /// Two neighbouring lanes divide two rows between them: each keeps one row, and sends its value of the other. That
  /// halves the rows of a lane. It is repeated until each lane has one value. Then rows are reduced, and at last
  /// combined. 4 rows take 3 + 3 + 2 exchanges instead of 5 each.
  template <bool IsFull>
  MGPU_THRUST_DEVICE T reduce_rows(T (&values)[Shape::rows], int count)
  {
    // The first item of a lane's right operand, if the lanes that exchange are `distance` apart.
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

    // 3. Combine neighbouring rows.
#pragma unroll
    for (int rows = 1; rows < Shape::rows; rows *= 2)
    {
      value = join(value, value, Shape::rows / 2 / rows, IsFull || (own_row | rows) * row_items < count);
    }
    return value;
  }
  /// Sends a value to the lane at a distance, and receives one. Returns the reduction of the value kept and the value
  /// received; the left one alone unless it `has_right`.
  MGPU_THRUST_DEVICE T join(const T& kept, const T& sent, int distance, bool has_right)
  {
    const T received = detail::shuffle_index(sent, lane_ ^ distance);
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

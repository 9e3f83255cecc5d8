// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The windows of a block.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/window_reduce/disjoint_table.h>
#include <mgpu_thrust/detail/window_reduce/units.cuh>
#include <mgpu_thrust/detail/window_reduce/window_tiles.cuh>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Reduces the windows of consecutive units, in rounds of Shape::windows windows. A round loads the bounds of its
/// windows, and stages the tiles of one unit after another. If all windows of a round are short, it stages nothing.
template <class Shape, class T, class Reduction, class Bounds>
class window_block
{
  using tiles_type = window_tiles<Shape, T, Reduction>;
  using window = narrow_window<typename window_index<Bounds>::type>;
  static constexpr int own_windows = Shape::windows_per_thread;

public:
  using TempStorage = typename tiles_type::TempStorage;

  /// The block has the `count` units from `units` on. The next unit begins where they end. `totals` are those of all
  /// tiles.
  MGPU_THRUST_DEVICE window_block(
    TempStorage& shared, Reduction& reduction, const windows<Bounds>& in, const disjoint_table<T>& totals,
    const window_unit* units, int count)
      : tiles_(shared, reduction, in.num_items)
      , reduction_(reduction)
      , windows_(in)
      , totals_(totals)
      , unit_(units)
      , last_unit_(units + count)
  {
  }

  /// Reduces the windows. While a round is processed, the bounds of the next one arrive.
  MGPU_THRUST_DEVICE void process()
  {
    std::int64_t first = unit_->first;
    const std::int64_t max_windows = (last_unit_ - unit_)
                                     << Shape::log_unit_windows; // there are no more if bounds ascend
    const std::int64_t end = (min) (last_unit_->first, first + max_windows);
    if (threadIdx.x == Shape::threads - 1)
    {
      tiles_.prefetch(*unit_);
    }
    window next[own_windows];
    load(next, first, end);
    for (; first < end; first += Shape::windows)
    {
      window own[own_windows];
#pragma unroll
      for (int k = 0; k < own_windows; ++k)
      {
        own[k] = next[k];
      }
      load(next, first + Shape::windows, end);
      process_round(own, first, static_cast<int>((min) (end - first, std::int64_t{Shape::windows})));
    }
  }

private:
  /// Returns the position in a round of the k-th window of the thread.
  MGPU_THRUST_DEVICE static int position(int k)
  {
    return k * Shape::threads + static_cast<int>(threadIdx.x);
  }
  MGPU_THRUST_DEVICE static bool is_long(const window& own)
  {
    return own.end - own.begin > Shape::max_short_window;
  }

  /// Loads the bounds of the thread's windows of the round from row `first` on. Those from `end` on are empty.
  MGPU_THRUST_DEVICE void load(window* own, std::int64_t first, std::int64_t end)
  {
#pragma unroll
    for (int k = 0; k < own_windows; ++k)
    {
      own[k] = first + position(k) < end ? detail::narrow_window_of(windows_, first + position(k)) : window{0, 0};
    }
  }

  /// Reduces `count` windows from row `first` on.
  MGPU_THRUST_DEVICE void process_round(const window* own, std::int64_t first, int count)
  {
    const auto output = reduction_.output + first;
    bool has_long = false;
#pragma unroll
    for (int k = 0; k < own_windows; ++k)
    {
      has_long |= is_long(own[k]);
    }
    reduce_short_windows(own, count, output);
    if (__syncthreads_or(static_cast<int>(has_long)) != 0)
    {
      reduce_long_windows(own, first, count, output);
    }
  }

  /// Reduces the short ones of a round's windows, side by side, so that items of several windows arrive together.
  template <class Output>
  MGPU_THRUST_DEVICE void reduce_short_windows(const window* own, int count, Output output)
  {
    int longest = 0;
#pragma unroll
    for (int k = 0; k < own_windows; ++k)
    {
      longest = is_long(own[k]) ? longest : (max) (longest, static_cast<int>(own[k].end - own[k].begin));
    }
    uninitialized_t<T> values[own_windows];
#pragma unroll
    for (int k = 0; k < own_windows; ++k)
    {
      values[k] = reduction_.init;
    }
#pragma unroll 2
    for (int item = 0; item < longest; ++item)
    {
#pragma unroll
      for (int k = 0; k < own_windows; ++k)
      {
        if (own[k].begin + item < own[k].end && !is_long(own[k]))
        {
          values[k] =
            static_cast<T>(reduction_.op(static_cast<const T&>(values[k]), reduction_.item(own[k].begin + item)));
        }
      }
    }
#pragma unroll
    for (int k = 0; k < own_windows; ++k)
    {
      if (position(k) < count && !is_long(own[k]))
      {
        *(output + position(k)) = static_cast<const T&>(values[k]);
      }
    }
  }

  /// Reduces the long ones of a round's windows, which are in one or more units.
  template <class Output>
  MGPU_THRUST_DEVICE void reduce_long_windows(const window* own, std::int64_t first, int count, Output output)
  {
    for (bool is_last = false; !is_last;)
    {
      const window_unit unit = unit_[0];
      const auto begin = static_cast<int>((max) (unit.first - first, std::int64_t{0}));
      const auto end = static_cast<int>((min) (unit_[1].first - first, std::int64_t{count}));
      if (unit.begin_tile <= unit.end_tile && begin < end)
      {
        tiles_.stage(unit, totals_);
        if (threadIdx.x == Shape::threads - 1)
        {
          tiles_.prefetch(unit_[1]);
        }
#pragma unroll
        for (int k = 0; k < own_windows; ++k)
        {
          if (begin <= position(k) && position(k) < end && is_long(own[k]))
          {
            *(output + position(k)) =
              tiles_.window(static_cast<unsigned>(own[k].begin), static_cast<unsigned>(own[k].end) - 1);
          }
        }
      }
      is_last = unit_[1].first - first >= count || unit_ + 1 == last_unit_;
      unit_ += is_last ? 0 : 1;
    }
  }

  tiles_type tiles_;
  Reduction& reduction_;
  windows<Bounds> windows_;
  const disjoint_table<T>& totals_;
  const window_unit* unit_;
  const window_unit* last_unit_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sequential reduction of windows one after another: two stacks, of which the first has a bounded size.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/window_reduce/disjoint_table.h>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The sizes of a CPU's stacks and tiles, by the size of a value.
template <class T>
struct window_sizes
{
  /// Number of values of the front stack. All values together stay in a core's caches.
  static constexpr std::int64_t front = sizeof(T) <= 16 ? 8192 : sizeof(T) <= 64 ? 2048 : 512;
  /// Number of items of a tile.
  static constexpr std::int64_t tile = front / 4;
};

/// The two stacks of a window. The front has, for each item before the middle, the reduction from it to the middle. The
/// back is the reduction from the middle on. The next windows move their begin in the front, and append to the back.
///
///     begin          middle               end
///       | ============ | ================= |
///       front[0]       back
///
/// Reduction is a segment_reduction. `front` has room for window_sizes::front values, or for all items.
template <class Reduction>
class window_stacks
{
  using T = typename Reduction::value_type;
  using sizes = window_sizes<T>;

public:
  /// `totals` are those of all whole tiles, or of none if windows are short.
  window_stacks(Reduction& reduction, const disjoint_table<T>& totals, T* front)
      : reduction_(reduction)
      , totals_(totals)
      , front_(front)
      , back_(reduction.init)
  {
  }

  /// Whether a window that begins at an index, which may be wrong, begins in the front.
  bool has(std::int64_t begin) const
  {
    return static_cast<std::uint64_t>(detail::index_difference(begin, begin_))
           < static_cast<std::uint64_t>(middle_ - begin_);
  }

  /// Fills the front for a window that has items. Its middle is the end of the window, or, if the front would be too
  /// large, the begin of the last tile within its capacity.
  void restart(item_window window)
  {
    const std::int64_t limit = window.begin + sizes::front;
    begin_ = window.begin;
    middle_ = window.end <= limit ? window.end : limit / sizes::tile * sizes::tile;
    end_ = middle_;
    std::int64_t count = middle_ - begin_ - 1;
    front_[count] = reduction_.item(middle_ - 1);
    while (count-- > 0)
    {
      T value = reduction_.item(begin_ + count);
      reduction_.append(value, front_[count + 1]);
      front_[count] = std::move(value);
    }
  }

  /// Appends the items up to `end` to the back.
  void extend(std::int64_t end)
  {
    if (end >= end_ + sizes::tile && totals_.count > 0)
    {
      append_tiles(end);
    }
    append_items(end);
  }

  /// Returns the reduction of init and the items from `begin`, which is in the front, to the end.
  T result(std::int64_t begin)
  {
    T value = reduction_.init;
    reduction_.append(value, front_[begin - begin_]);
    if (end_ > middle_)
    {
      reduction_.append(value, back_);
    }
    return value;
  }

private:
  void append_items(std::int64_t end)
  {
    if (end_ == middle_ && end_ < end)
    {
      back_ = reduction_.item(end_++);
    }
    for (; end_ < end; ++end_)
    {
      reduction_.append(back_, reduction_.item(end_));
    }
  }
  /// Appends the items up to the last tile that ends before `end`.
  void append_tiles(std::int64_t end)
  {
    const std::int64_t first = ::cuda::ceil_div(end_, sizes::tile);
    const std::int64_t last = end / sizes::tile - 1;
    if (first <= last)
    {
      append_items(first * sizes::tile);
      T total = totals_.run(first, last, reduction_.op);
      if (end_ == middle_)
      {
        back_ = std::move(total);
      }
      else
      {
        reduction_.append(back_, total);
      }
      end_ = (last + 1) * sizes::tile;
    }
  }

  Reduction& reduction_;
  const disjoint_table<T>& totals_;
  T* front_;
  T back_;
  std::int64_t begin_ = 0;
  std::int64_t middle_ = 0;
  std::int64_t end_ = 0;
};

/// Writes the results of the windows of rows [row, row_end), of which there is at least one. Returns the end of the
/// output. Wrong bounds may begin anywhere, or end before the middle.
template <class Reduction, class Bounds, class T, class Output>
Output reduce_windows(
  Reduction reduction, windows<Bounds> in, const disjoint_table<T>& totals, T* front, std::int64_t row,
  std::int64_t row_end, Output output)
{
  window_stacks<Reduction> stacks(reduction, totals, front);
  for (item_window window = in.of(row); row < row_end; window = ++row < row_end ? in.after(window, row) : window)
  {
    if (!stacks.has(window.begin))
    {
      const item_window next = window.clamped(in.num_items);
      if (next.is_empty())
      {
        *output = reduction.init;
        ++output;
        continue;
      }
      stacks.restart(next);
    }
    stacks.extend((std::min)(window.end, in.num_items));
    *output = stacks.result(window.begin);
    ++output;
  }
  return output;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

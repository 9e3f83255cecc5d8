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
  /// Up to this length a window that does not begin in the front is reduced item by item.
  static constexpr std::int64_t max_short_window = 4;
};

/// Whether an index, which may be wrong, is in [begin, end).
inline bool is_between(std::int64_t index, std::int64_t begin, std::int64_t end)
{
  return static_cast<std::uint64_t>(detail::index_difference(index, begin)) < static_cast<std::uint64_t>(end - begin);
}

/// The back of a window: the reduction of the items from the window's middle to `end`, if there are any.
template <class T>
struct window_back
{
  T value;
  std::int64_t end;
};

/// Fills the front of a window that has items: for each item before the middle, init and all items from there to the
/// middle. Returns the middle: the end of the window, or, if the front would be too large, the last tile that begins
/// within its capacity.
template <class Reduction, class T>
std::int64_t fill_front(Reduction& reduction, item_window window, T* front)
{
  using sizes = window_sizes<T>;
  const std::int64_t limit = window.begin + sizes::front;
  const std::int64_t middle = window.end <= limit ? window.end : limit / sizes::tile * sizes::tile;
  T value = reduction.item(middle - 1);
  for (std::int64_t count = middle - window.begin; count > 0;)
  {
    T with_init = reduction.init;
    reduction.append(with_init, value);
    front[--count] = std::move(with_init);
    if (count > 0)
    {
      T left = reduction.item(window.begin + count - 1);
      reduction.append(left, value);
      value = std::move(left);
    }
  }
  return middle;
}

/// Appends the items up to the last tile that ends in a window to its back, if there is a tile among them.
template <class Reduction, class T>
window_back<T> append_tiles(
  Reduction& reduction, const disjoint_table<T>& totals, std::int64_t window_end, std::int64_t middle,
  window_back<T> back)
{
  constexpr std::int64_t tile = window_sizes<T>::tile;
  const std::int64_t first = ::cuda::ceil_div(back.end, tile);
  const std::int64_t last = window_end / tile - 1;
  const auto append = [&](const T& value, std::int64_t end)
  {
    back.end == middle ? static_cast<void>(back.value = value) : reduction.append(back.value, value);
    back.end = end;
  };
  if (first <= last)
  {
    while (back.end < first * tile)
    {
      append(reduction.item(back.end), back.end + 1);
    }
    append(totals.run(first, last, reduction.op), (last + 1) * tile);
  }
  return back;
}

/// Writes the results of the windows of rows [row, row_end), of which there is at least one. Returns the end of the
/// output. `front` has room for the capacity of a front, or for all items. `totals` are those of all whole tiles, or of
/// none if windows are short.
///
/// A result combines a value of the front with the back, if there is a back. A window that does not begin in the front
/// gets a new one, unless it is short. (Wrong bounds may begin anywhere, or end before the middle.)
template <class Reduction, class Bounds, class T, class Output>
Output reduce_windows(
  Reduction reduction, windows<Bounds> in, const disjoint_table<T>& totals, T* front, std::int64_t row,
  std::int64_t row_end, Output output)
{
  item_window window = in.of(row);
  std::int64_t front_begin = 0;
  std::int64_t middle = 0;
  T back = reduction.init; // of the items from the middle to back_end, if there are any
  std::int64_t back_end = 0;
  const auto is_in_front = [&] { return detail::is_between(window.begin, front_begin, middle); };
  const auto end = [&] { return (std::min)(window.end, in.num_items); };
  const auto write = [&](T&& value)
  {
    *output = std::move(value);
    ++output;
    window = ++row < row_end ? in.after(window, row) : window;
  };
  while (row < row_end)
  {
    if (!is_in_front())
    {
      window = window.clamped(in.num_items);
      if (window.end - window.begin <= window_sizes<T>::max_short_window)
      {
        write(reduction.reduce(reduction.init, window.begin, window.end));
        continue;
      }
      front_begin = window.begin;
      middle = detail::fill_front(reduction, window, front);
      back_end = middle;
    }
    if (totals.count > 0 && end() >= back_end + window_sizes<T>::tile)
    {
      auto longer = detail::append_tiles(reduction, totals, end(), middle, window_back<T>{std::move(back), back_end});
      back = std::move(longer.value);
      back_end = longer.end;
    }
    if (back_end == middle)
    {
      if (end() <= middle)
      {
        write(T(front[window.begin - front_begin]));
        continue;
      }
      back = reduction.item(middle);
      back_end = middle + 1;
    }
    const std::int64_t limit = back_end + window_sizes<T>::tile;
    do
    {
      for (const std::int64_t last = end(); back_end < last; ++back_end)
      {
        reduction.append(back, reduction.item(back_end));
      }
      T value = front[window.begin - front_begin];
      reduction.append(value, back);
      write(std::move(value));
    } while (row < row_end && is_in_front() && window.end < limit);
  }
  return output;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

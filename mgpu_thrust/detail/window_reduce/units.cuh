// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Units of windows: how they are numbered; and the bounds of windows in an integer type that is no wider than needed.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The type in which bounds of windows are computed: `int` if that of the given bounds is no wider, as arithmetic of 64
/// bits would take a third of a window's time.
template <class Bounds>
struct window_index
{
  using type = std::int64_t;
};
template <class Begins, class Ends>
struct window_index<given_bounds<Begins, Ends>>
{
  template <class Iterator>
  static constexpr bool fit = std::numeric_limits<std::decay_t<element_t<Iterator>>>::digits <= 31;
  using type = std::conditional_t<fit<Begins> && fit<Ends>, int, std::int64_t>;
};

/// A unit: consecutive windows with the same tile of begins and the same tile of ends.
struct window_unit
{
  std::int64_t first; ///< its first window; the unit ends where the next one begins
  int begin_tile;     ///< where its windows begin
  int end_tile;       ///< where the last items of its windows are; before begin_tile only if all of them are empty
};

/// A window with bounds of that type.
template <class Index>
struct narrow_window
{
  Index begin;
  Index end;
};

/// Returns the window of a row. Wrong bounds are clamped.
template <class Bounds>
MGPU_THRUST_DEVICE auto narrow_window_of(windows<Bounds>& in, std::int64_t row)
{
  if constexpr (std::is_same_v<typename window_index<Bounds>::type, int>)
  {
    constexpr std::int64_t largest = 0x7fffffff;
    const int limit = static_cast<int>((min) (in.num_items, largest));
    const int begin = static_cast<int>(detail::element(in.bounds.begins, row));
    const int end = static_cast<int>(detail::element(in.bounds.ends, row));
    return narrow_window<int>{(min) ((max) (begin, 0), limit), (min) ((max) (end, 0), limit)};
  }
  else
  {
    const item_window found = in.of(row);
    return narrow_window<std::int64_t>{found.begin, found.end};
  }
}

/// Returns the unit that begins with a row. Whatever the bounds of its window are, the tiles exist.
template <class Shape, class Bounds>
MGPU_THRUST_DEVICE window_unit unit_beginning_at(windows<Bounds>& in, std::int64_t row)
{
  using index = typename window_index<Bounds>::type;
  const auto window = detail::narrow_window_of(in, row);
  return {
    row, (min) (static_cast<int>(window.begin / Shape::items), static_cast<int>(Shape::tiles(in.num_items) - 1)),
    static_cast<int>((max) (window.end - 1, index{0}) / Shape::items)};
}

/// Returns the unit of a number, or the next one that has a window. search(begin, end, before) is partition_point(), or
/// that of a warp. The number of a window's unit is the sum of three numbers that ascend with the window: its tile of
/// begins, its tile of ends, and its piece of 2^log_unit_windows windows. So windows with one sum share all three.
template <class Shape, class Bounds, class Search>
MGPU_THRUST_DEVICE window_unit find_unit(windows<Bounds>& in, std::int64_t number, Search search)
{
  const std::int64_t row = search(
    std::int64_t{0}, in.num_windows,
    [&](std::int64_t i)
    {
      const window_unit unit = detail::unit_beginning_at<Shape>(in, i);
      return (i >> Shape::log_unit_windows) + unit.begin_tile + unit.end_tile < number;
    });
  return row < in.num_windows ? detail::unit_beginning_at<Shape>(in, row) : window_unit{in.num_windows, 0, -1};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

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

/// Windows with bounds of Index, which are read by row.
template <class Bounds>
class window_reader
{
public:
  using index = typename window_index<Bounds>::type;
  struct window
  {
    index begin;
    index end;
  };

  MGPU_THRUST_DEVICE explicit window_reader(const windows<Bounds>& in)
      : in_(in)
      , limit_(static_cast<index>((min) (in.num_items, std::int64_t{largest})))
  {
  }
  /// Returns the window of a row, whose bounds are clamped to the items.
  MGPU_THRUST_DEVICE window of(std::int64_t row)
  {
    if constexpr (std::is_same_v<index, int>)
    {
      const int begin = static_cast<int>(detail::element(in_.bounds.begins, row));
      const int end = static_cast<int>(detail::element(in_.bounds.ends, row));
      return {(min) ((max) (begin, 0), limit_), (min) ((max) (end, 0), limit_)};
    }
    else
    {
      const item_window found = in_.of(row);
      return {found.begin, found.end};
    }
  }
  MGPU_THRUST_DEVICE std::int64_t num_windows() const
  {
    return in_.num_windows;
  }

private:
  static constexpr index largest = (std::numeric_limits<index>::max)();
  windows<Bounds> in_;
  index limit_;
};

/// Numbers the units of Windows. The number of a window's unit is the sum of three numbers that ascend with the window:
/// its tile of begins, its tile of ends, and its piece of 2^log_unit_windows windows. So windows with one sum have all
/// three in common. Most sums that are left out are those of tiles without a begin and an end.
template <class Shape, class Bounds>
class window_units
{
  using reader = window_reader<Bounds>;
  using index = typename reader::index;

public:
  MGPU_THRUST_DEVICE explicit window_units(const windows<Bounds>& in)
      : windows_(in)
      , last_tile_(static_cast<int>(Shape::tiles(in.num_items) - 1))
      , count_(Shape::units(in.num_items, in.num_windows))
  {
  }
  MGPU_THRUST_DEVICE std::int64_t count() const
  {
    return count_;
  }
  /// Returns the unit of a number, or the next one that has a window.
  MGPU_THRUST_DEVICE window_unit find(std::int64_t number)
  {
    const std::int64_t rows = windows_.num_windows();
    const std::int64_t row = detail::partition_point(
      std::int64_t{0}, rows,
      [&](std::int64_t i)
      {
        const window_unit unit = beginning_at(i);
        return (i >> Shape::log_unit_windows) + unit.begin_tile + unit.end_tile < number;
      });
    return row < rows ? beginning_at(row) : window_unit{rows, 0, -1};
  }

private:
  /// Returns the unit that begins with a row. Whatever the bounds of its window are, the tiles exist.
  MGPU_THRUST_DEVICE window_unit beginning_at(std::int64_t row)
  {
    const auto window = windows_.of(row);
    return {
      row, (min) (static_cast<int>(window.begin / Shape::items), last_tile_),
      static_cast<int>((max) (window.end - 1, index{0}) / Shape::items)};
  }

  reader windows_;
  int last_tile_;
  std::int64_t count_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

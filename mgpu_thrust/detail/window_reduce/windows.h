// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sliding windows of items: their bounds are given, or found by a search of sorted keys.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A window: the items [begin, end); none if `end` is not after `begin`.
struct item_window
{
  std::int64_t begin;
  std::int64_t end;

  /// The window with bounds from 0 to `num_items`: wrong ones may be anywhere.
  MGPU_THRUST_HOST_DEVICE item_window clamped(std::int64_t num_items) const
  {
    return {detail::clamp_index(begin, 0, num_items), detail::clamp_index(end, 0, num_items)};
  }
};

/// Bounds that the caller gives.
template <class Begins, class Ends>
struct given_bounds
{
  static constexpr const char* items_name = "the items";
  static constexpr const char* windows_name = "the begins";
  Begins begins;
  Ends ends;

  /// The bounds of a row as they are.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE item_window of(std::int64_t row, std::int64_t)
  {
    return {
      static_cast<std::int64_t>(detail::element(begins, row)), static_cast<std::int64_t>(detail::element(ends, row))};
  }
  MGPU_THRUST_HOST_DEVICE item_window after(item_window, std::int64_t row, std::int64_t num_items)
  {
    return of(row, num_items);
  }
  /// Whether the window of a row ends before a position from 1 to the number of items.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool ends_before(std::int64_t row, std::int64_t position)
  {
    return static_cast<std::int64_t>(detail::element(ends, row)) < position;
  }
};

/// Bounds by keys that are sorted by `comp`, one for each item. The window of a row has the items whose keys are in
/// [low(key), high(key)] of the row's key.
template <class Keys, class Low, class High, class Compare>
struct key_bounds
{
  static constexpr const char* items_name = "the range of keys";
  static constexpr const char* windows_name = "the range of keys";
  Keys keys;
  Low low;
  High high;
  Compare comp;

  /// The bounds of a row, given those of an earlier one: they are not before those, and usually shortly after.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE item_window after(item_window from, std::int64_t row, std::int64_t num_items)
  {
    auto&& key = detail::element(keys, row);
    return {
      next_bound(from.begin, num_items, low(key), lies_before<search_bound::lower, Compare>{comp}),
      next_bound(from.end, num_items, high(key), lies_before<search_bound::upper, Compare>{comp})};
  }
  /// The bounds of a row.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE item_window of(std::int64_t row, std::int64_t num_items)
  {
    auto&& key = detail::element(keys, row);
    return {
      detail::lower_bound(keys, std::int64_t{0}, num_items, low(key), comp),
      detail::upper_bound(keys, std::int64_t{0}, num_items, high(key), comp)};
  }
  /// Whether the window of a row ends before a position from 1 to the number of items.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool ends_before(std::int64_t row, std::int64_t position)
  {
    return static_cast<bool>(comp(high(detail::element(keys, row)), detail::element(keys, position - 1)));
  }

private:
  /// Returns a bound that is not before `at`. Most are a few keys after it, so steps of one key go before a search: a
  /// CPU takes 0.7 of the time then, for 2^20 int32 in windows of 1 to 1,000 rows.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Bound, class Before>
  MGPU_THRUST_HOST_DEVICE std::int64_t
  next_bound(std::int64_t at, std::int64_t num_items, const Bound& bound, Before before)
  {
    for (int steps = 8; steps > 0; --steps)
    {
      if (at == num_items || !before(detail::element(keys, at), bound))
      {
        return at;
      }
      ++at;
    }
    return detail::bound_after(keys, at, num_items, bound, before);
  }
};

/// A window of items for each row. Begins ascend from row to row, and ends ascend. Bounds is given_bounds or
/// key_bounds. Functions of the caller need not be constant, so each thread has a copy.
template <class Bounds>
struct windows
{
  std::int64_t num_items;
  Bounds bounds;
  std::int64_t num_windows;

  /// The same windows with other sizes.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE windows with_sizes(std::int64_t new_num_items, std::int64_t new_num_windows) const
  {
    return {new_num_items, bounds, new_num_windows};
  }
  /// Returns the window of a row. Wrong bounds are clamped.
  MGPU_THRUST_HOST_DEVICE item_window of(std::int64_t row)
  {
    return bounds.of(row, num_items).clamped(num_items);
  }
  /// Returns the window of a row, given that of an earlier one, which makes a search short. Bounds that are given are
  /// returned as they are: wrong ones may be anywhere.
  MGPU_THRUST_HOST_DEVICE item_window after(item_window earlier, std::int64_t row)
  {
    return bounds.after(earlier, row, num_items);
  }
};

template <class Bounds>
windows(std::int64_t, Bounds, std::int64_t) -> windows<Bounds>;

/// Makes windows whose bounds are given, from iterators, which it unwraps, and sizes, which may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class NumItems, class Begins, class NumWindows, class Ends>
MGPU_THRUST_HOST_DEVICE auto
make_windows(const NumItems& num_items, Begins begins, const NumWindows& num_windows, Ends ends)
{
  const auto begins_of_rows = detail::unwrap(begins);
  const auto ends_of_rows = detail::unwrap(ends);
  using bounds = given_bounds<std::decay_t<decltype(begins_of_rows)>, std::decay_t<decltype(ends_of_rows)>>;
  return detail::make_inputs(
    windows{std::int64_t{0}, bounds{begins_of_rows, ends_of_rows}, std::int64_t{0}}, detail::as_size(num_items),
    detail::as_size(num_windows));
}

/// Makes windows whose bounds are found by keys, which it unwraps, as many as items; the number may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keys, class NumItems, class Low, class High, class Compare>
MGPU_THRUST_HOST_DEVICE auto
make_windows_by_range(Keys keys, const NumItems& num_items, Low low, High high, Compare comp)
{
  const auto sorted_keys = detail::unwrap(keys);
  const auto size = detail::as_size(num_items);
  const auto order = detail::as_order<std::decay_t<decltype(sorted_keys)>>(comp);
  using bounds = key_bounds<std::decay_t<decltype(sorted_keys)>, Low, High, std::decay_t<decltype(order)>>;
  return detail::make_inputs(
    windows{std::int64_t{0}, bounds{sorted_keys, low, high, order}, std::int64_t{0}}, size, size);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of reductions of windows: windows of every shape under every policy, with an operator that tells whether
/// its operands are neighbours.

#include <mgpu_thrust/window_reduce.h>

#include "reduction_battery.h"
#include "systems.h"

#include <mgpu_thrust/detail/base/config.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace test
{

/// The bounds of windows of `num_items` items.
struct window_bounds
{
  std::int64_t num_items;
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;

  std::int64_t num_windows() const
  {
    return static_cast<std::int64_t>(begins.size());
  }
  template <class Index>
  static std::vector<Index> as(const std::vector<std::int64_t>& bounds)
  {
    return std::vector<Index>(bounds.begin(), bounds.end());
  }
};

/// Returns the row that is `move` after a row, clipped to [0, size].
struct clipped_to
{
  std::int64_t move;
  std::int64_t size;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    return row + move < 0 ? 0 : row + move < size ? row + move : size;
  }
};

enum class window_shape
{
  trailing,  ///< as many items as `length` up to a row's own
  centred,   ///< of `length` items to both sides
  growing,   ///< from the first item on
  shrinking, ///< up to the last item
  whole,     ///< all items
  empty,     ///< none, with an end that is not after the begin
  tumbling,  ///< one after the other, of `length` items
  sparse,    ///< of three items, `length` items apart
  staircase, ///< the same for many rows, then `length` items further
  any,       ///< independent bounds
  power_law  ///< of lengths that differ by orders of magnitude
};
inline constexpr window_shape all_window_shapes[] = {
  window_shape::trailing,  window_shape::centred, window_shape::growing,  window_shape::shrinking,
  window_shape::whole,     window_shape::empty,   window_shape::tumbling, window_shape::sparse,
  window_shape::staircase, window_shape::any,     window_shape::power_law};

/// Makes windows of a shape for `rows` rows. Of wrong bounds, those that are out of range are clamped, and those that
/// descend are sorted.
inline window_bounds
make_windows(window_shape shape, std::int64_t items, std::int64_t rows, std::int64_t length, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const auto any_below = [&](std::int64_t limit)
  { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit)); };
  window_bounds in{items, {}, {}};
  for (std::int64_t i = 0; i < rows; ++i)
  {
    const auto own = static_cast<std::int64_t>(static_cast<double>(items) / static_cast<double>(rows) * i); // item
    std::int64_t begin = 0;
    std::int64_t end = items;
    switch (shape)
    {
    case window_shape::trailing:
      begin = own + 1 - length;
      end = own + 1;
      break;
    case window_shape::centred:
      begin = own - length;
      end = own + length + 1;
      break;
    case window_shape::growing:
      end = own + 1;
      break;
    case window_shape::shrinking:
      begin = own;
      break;
    case window_shape::whole:
      break;
    case window_shape::empty:
      begin = own + any_below(2);
      end = own;
      break;
    case window_shape::tumbling:
      begin = i * length;
      end = begin + length;
      break;
    case window_shape::sparse:
      begin = i * length;
      end = begin + 3;
      break;
    case window_shape::staircase:
      begin = i / 1000 * length;
      end = begin + 3 * length;
      break;
    case window_shape::any:
      begin = any_below(items + 1);
      end = any_below(items + 1);
      break;
    case window_shape::power_law:
      begin = own;
      end = own + (std::int64_t{1} << any_below(20));
      break;
    }
    in.begins.push_back(std::clamp(begin, std::int64_t{0}, items));
    in.ends.push_back(std::clamp(end, std::int64_t{0}, items));
  }
  std::sort(in.begins.begin(), in.begins.end());
  std::sort(in.ends.begin(), in.ends.end());
  return in;
}

/// The results of windows of item_spans after an initial span of nothing.
inline std::vector<item_span> expected_spans(const window_bounds& in)
{
  std::vector<item_span> all;
  for (std::int64_t i = 0; i < in.num_windows(); ++i)
  {
    const auto begin = static_cast<std::int32_t>(in.begins[i]);
    const auto end = static_cast<std::int32_t>(in.ends[i]);
    all.push_back(begin < end ? item_span{begin, end - 1, end - begin} : item_span{0, 0, 0});
  }
  return all;
}

/// The results of windows, item by item.
template <class T, class Item, class Op>
std::vector<T> expected_windows(const window_bounds& in, const std::vector<Item>& items, const T& init, Op op)
{
  std::vector<T> all;
  for (std::int64_t i = 0; i < in.num_windows(); ++i)
  {
    T value = init;
    for (std::int64_t k = in.begins[i]; k < in.ends[i]; ++k)
    {
      value = static_cast<T>(op(value, static_cast<T>(items[k])));
    }
    all.push_back(value);
  }
  return all;
}

/// Reduces windows under all policies, and compares the results.
template <class Index, class Item, class T, class Op>
void check_windows(
  const window_bounds& in, const std::vector<Item>& items, const T& init, Op op, const std::vector<T>& expected)
{
  for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto begins = to_memory<policy_t>(window_bounds::as<Index>(in.begins));
      const auto ends = to_memory<policy_t>(window_bounds::as<Index>(in.ends));
      const auto input = to_memory<policy_t>(items);
      memory<policy_t, T> out(in.num_windows() + 1, guard_of<T>());
      const auto end = mgpu::window_reduce(
        policy, input.begin(), input.end(), begins.begin(), begins.end(), ends.begin(), out.begin(), init, op);
      expect_results(out, expected, end - out.begin());
    });
}

/// Checks windows with the operator that tells whether its operands are neighbours.
inline void check_spans(const window_bounds& in)
{
  check_windows<std::int32_t>(
    in, items_of<item_span>(in.num_items), item_span{0, 0, 0}, join_spans{}, expected_spans(in));
}

/// A bound of windows: a key, moved and scaled.
struct key_bound
{
  std::int64_t move;
  std::int64_t divisor;

  template <class Key>
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(const Key& key)
  {
    return static_cast<std::int64_t>(key) / divisor + move;
  }
};

/// Windows by sorted keys, as std:: finds their bounds.
template <class Key>
window_bounds windows_of_keys(const std::vector<Key>& keys, key_bound low, key_bound high)
{
  window_bounds in{static_cast<std::int64_t>(keys.size()), {}, {}};
  for (const Key& key : keys)
  {
    in.begins.push_back(std::lower_bound(keys.begin(), keys.end(), low(key)) - keys.begin());
    in.ends.push_back(std::upper_bound(keys.begin(), keys.end(), high(key)) - keys.begin());
  }
  return in;
}

/// Reduces windows by range under all policies, and compares the results.
template <class Key, class Item, class T, class Op>
void check_windows_by_range(
  const std::vector<Key>& keys, key_bound low, key_bound high, const std::vector<Item>& items, const T& init, Op op,
  const std::vector<T>& expected)
{
  for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto k = to_memory<policy_t>(keys);
      const auto input = to_memory<policy_t>(items);
      memory<policy_t, T> out(keys.size() + 1, guard_of<T>());
      const auto end =
        mgpu::window_reduce_by_range(policy, k.begin(), k.end(), input.begin(), out.begin(), low, high, init, op);
      expect_results(out, expected, end - out.begin());
    });
}

/// Checks windows by range with the operator that tells whether its operands are neighbours.
inline void check_spans_by_range(const std::vector<std::int32_t>& keys, key_bound low, key_bound high)
{
  const window_bounds in = windows_of_keys(keys, low, high);
  check_windows_by_range(
    keys, low, high, items_of<item_span>(in.num_items), item_span{0, 0, 0}, join_spans{}, expected_spans(in));
}

/// Makes sorted keys from 0 on, of which about `copies` are equal; with long runs of equal ones, if that is negative.
inline std::vector<std::int32_t> make_window_keys(std::int64_t size, std::int64_t copies, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> keys;
  for (std::int64_t i = 0; i < size; ++i)
  {
    const double share = static_cast<double>(random() >> 11) / 9007199254740992.0;
    const double key = copies < 0 ? std::exp(share * 20.0) : share * static_cast<double>(size) / copies;
    keys.push_back(static_cast<std::int32_t>(key));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

} // namespace test

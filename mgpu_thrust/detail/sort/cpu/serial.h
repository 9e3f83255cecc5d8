// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Stable sorts and merges of items in memory, on one CPU core. An item is a key, or a key with its value.

#include <mgpu_thrust/detail/base/cheap_keys.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/adaptive.h>
#include <mgpu_thrust/detail/set_operation/select.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A key and its value.
template <class Key, class Value>
struct sort_pair
{
  Key key;
  Value value;
};

/// Merges of numbers compare twice per step and choose without a branch. Small pairs whose key is a number are merged
/// likewise.
template <class Key, class Value>
inline constexpr bool is_cheap_key<sort_pair<Key, Value>> =
  std::is_arithmetic_v<Key>&& is_small_v<sort_pair<Key, Value>>;

/// Orders pairs by their keys.
template <class Compare>
struct pair_order
{
  Compare comp;

  template <class Key, class Value>
  bool operator()(const sort_pair<Key, Value>& x, const sort_pair<Key, Value>& y)
  {
    return comp(x.key, y.key);
  }
};

/// Moves items to memory that does not overlap theirs.
template <class Item>
void move_items(Item* from, std::int64_t count, Item* to)
{
  std::move(from, from + count, to);
}

/// Two sorted runs of at most short_run items in total are merged from both ends. Items of more than
/// largest_walked_item bytes always are: walks in four parts would need more registers than there are.
inline constexpr std::int64_t short_run = 1024;
inline constexpr int largest_walked_item = 8;

/// Merges the sorted A and B from both ends, without a branch on the data. The two walks are independent, and stay
/// within their inputs, as they take no more steps than the shorter input has items. The items between them are merged
/// step by step.
template <class Item, class Compare>
void merge_from_both_ends(
  const Item* a, std::int64_t a_count, const Item* b, std::int64_t b_count, Item* output, Compare& comp)
{
  const std::int64_t steps = (std::min)(a_count, b_count);
  const Item* a_end = a + a_count - 1;
  const Item* b_end = b + b_count - 1;
  Item* output_end = output + a_count + b_count - 1;
  for (std::int64_t step = 0; step < steps; ++step)
  {
    const Item a_item = *a;
    const Item b_item = *b;
    const bool takes_b = comp(b_item, a_item);
    *output++ = detail::select(takes_b, b_item, a_item);
    a += !takes_b;
    b += takes_b;

    const Item a_last = *a_end;
    const Item b_last = *b_end;
    const bool takes_last_a = comp(b_last, a_last);
    *output_end-- = detail::select(takes_last_a, a_last, b_last);
    a_end -= takes_last_a;
    b_end -= !takes_last_a;
  }
  while (output <= output_end)
  {
    const bool takes_b = a > a_end || (b <= b_end && comp(*b, *a));
    *output++ = takes_b ? *b++ : *a++;
  }
}

/// Merges the sorted A and B, and moves all items to `output`, which does not overlap them. From is Item, perhaps
/// constant.
template <class From, class Item, class Compare>
void merge_items(From* a, std::int64_t a_count, From* b, std::int64_t b_count, Item* output, Compare& comp)
{
  if constexpr (is_cheap_key<Item>)
  {
    const Item* const const_a = a;
    const Item* const const_b = b;
    if (sizeof(Item) > largest_walked_item || a_count + b_count <= short_run)
    {
      detail::merge_from_both_ends(const_a, a_count, const_b, b_count, output, comp);
      return;
    }
    const set_inputs inputs{const_a, no_values{}, a_count, const_b, no_values{}, b_count};
    detail::write_set_operation(merge_t{}, inputs, set_outputs<Item*, no_values>{output, {}}, comp);
  }
  else
  {
    From* const a_end = a + a_count;
    From* const b_end = b + b_count;
    while (a != a_end && b != b_end)
    {
      if (comp(*b, *a))
      {
        *output++ = std::move(*b++);
      }
      else
      {
        *output++ = std::move(*a++);
      }
    }
    output = std::move(a, a_end, output);
    std::move(b, b_end, output);
  }
}

/// Merges the sorted [0, half) and [half, count) of `from`. If they hardly overlap, as in nearly sorted input, only the
/// overlapping items are merged; the rest is moved.
template <class Item, class Compare>
void merge_halves(Item* from, std::int64_t half, std::int64_t count, Item* to, Compare& comp)
{
  const std::int64_t middle = half + (count - half) / 2;
  const bool is_begin_in_place = !comp(from[half], from[half / 2]);
  const bool is_end_in_place = !comp(from[middle], from[half - 1]);
  const std::int64_t begin =
    is_begin_in_place ? detail::upper_bound(from, half / 2 + 1, half, from[half], comp) : std::int64_t{0};
  const std::int64_t end = is_end_in_place ? detail::lower_bound(from, half, middle, from[half - 1], comp) : count;
  detail::move_items(from, begin, to);
  detail::move_items(from + end, count - end, to + end);
  detail::merge_items(from + begin, half - begin, from + half, end - half, to + begin, comp);
}

/// Sorts a few items by insertion.
template <class Item, class Compare>
void sort_few_items(Item* items, std::int64_t count, Compare& comp)
{
  for (std::int64_t i = 1; i < count; ++i)
  {
    if (comp(items[i], items[i - 1]))
    {
      Item item = std::move(items[i]);
      std::int64_t j = i;
      do
      {
        items[j] = std::move(items[j - 1]);
        --j;
      } while (j > 0 && comp(item, items[j - 1]));
      items[j] = std::move(item);
    }
  }
}

/// Sorts `count` items to `items` or to `other`. Sorts halves first, so that the merged items are in the nearest cache.
template <class Item, class Compare>
void sort_items(Item* items, Item* other, std::int64_t count, bool to_other, Compare& comp)
{
  constexpr std::int64_t few_items = 8;
  if (count <= few_items)
  {
    detail::sort_few_items(items, count, comp);
    if (to_other)
    {
      detail::move_items(items, count, other);
    }
    return;
  }
  const std::int64_t half = count / 2;
  detail::sort_items(items, other, half, !to_other, comp);
  detail::sort_items(items + half, other + half, count - half, !to_other, comp);
  Item* const from = to_other ? items : other;
  Item* const to = to_other ? other : items;
  if (!comp(from[half], from[half - 1])) // the halves are in order already
  {
    detail::move_items(from, count, to);
  }
  else if (comp(from[count - 1], from[0])) // the whole second half belongs before the first
  {
    detail::move_items(from, half, to + (count - half));
    detail::move_items(from + half, count - half, to);
  }
  else
  {
    detail::merge_halves(from, half, count, to, comp);
  }
}

/// Whether items are in order; stops at the first that is not.
template <class Item, class Compare>
bool are_items_sorted(const Item* items, std::int64_t count, Compare& comp)
{
  std::int64_t i = 1;
  while (i < count && !comp(items[i], items[i - 1]))
  {
    ++i;
  }
  return i >= count;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

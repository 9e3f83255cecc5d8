// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A stable sort on one thread without temporary storage: for device code, which cannot allocate, and for few elements.
/// Blocks are sorted by insertion, then merged by rotations.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the value of an element that is about to be overwritten. It is moved if the iterator refers to an object.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator>
MGPU_THRUST_HOST_DEVICE typename ::cuda::std::iterator_traits<Iterator>::value_type
take(Iterator first, std::int64_t index)
{
  using reference = typename ::cuda::std::iterator_traits<Iterator>::reference;
  using value = typename ::cuda::std::iterator_traits<Iterator>::value_type;
  if constexpr (std::is_same_v<reference, value&>)
  {
    return std::move(*(first + index));
  }
  else
  {
    return static_cast<value>(*(first + index));
  }
}

/// Elements that are sorted in place: keys, and their values or no_values.
template <class Keys, class Values>
struct swapped_elements
{
  Keys keys;
  Values values;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Compare>
  MGPU_THRUST_HOST_DEVICE bool less(std::int64_t i, std::int64_t j, Compare& comp) const
  {
    return comp(detail::element(keys, i), detail::element(keys, j));
  }
  MGPU_THRUST_HOST_DEVICE void swap(std::int64_t i, std::int64_t j) const
  {
    swap_in(keys, i, j);
    if constexpr (has_values<Values>)
    {
      swap_in(values, i, j);
    }
  }

private:
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Iterator>
  MGPU_THRUST_HOST_DEVICE static void swap_in(Iterator first, std::int64_t i, std::int64_t j)
  {
    auto value = detail::take(first, i);
    *(first + i) = detail::take(first, j);
    *(first + j) = std::move(value);
  }
};

template <class Keys, class Values>
swapped_elements(Keys, Values) -> swapped_elements<Keys, Values>;

/// Sorts [begin, end) by insertion.
template <class Elements, class Compare>
MGPU_THRUST_HOST_DEVICE void
sort_by_insertion(const Elements& elements, std::int64_t begin, std::int64_t end, Compare& comp)
{
  for (std::int64_t i = begin + 1; i < end; ++i)
  {
    for (std::int64_t j = i; j > begin && elements.less(j, j - 1, comp); --j)
    {
      elements.swap(j, j - 1);
    }
  }
}

template <class Elements>
MGPU_THRUST_HOST_DEVICE void reverse_elements(const Elements& elements, std::int64_t begin, std::int64_t end)
{
  for (; begin < --end; ++begin)
  {
    elements.swap(begin, end);
  }
}

/// Merges the sorted [begin, middle) and [middle, end). Cuts the longer range in half, and the other where the element
/// at that cut belongs; rotates the elements between the cuts; then merges both sides, the shorter one first.
template <class Elements, class Compare>
MGPU_THRUST_HOST_DEVICE void
merge_in_place(const Elements& elements, std::int64_t begin, std::int64_t middle, std::int64_t end, Compare& comp)
{
  struct part
  {
    std::int64_t begin, middle, end;
  };
  part later[64]; // each is at most half as long as the one before
  int count = 0;
  for (;;)
  {
    if (begin == middle || middle == end || !elements.less(middle, middle - 1, comp))
    {
      if (count == 0)
      {
        return;
      }
      const part next = later[--count];
      begin = next.begin;
      middle = next.middle;
      end = next.end;
      continue;
    }
    // The position in [low, high) where element `cut` belongs.
    const bool cuts_first = middle - begin >= end - middle;
    const std::int64_t cut = cuts_first ? begin + (middle - begin) / 2 : middle + (end - middle) / 2;
    std::int64_t low = cuts_first ? middle : begin;
    std::int64_t high = cuts_first ? end : middle;
    while (low < high)
    {
      const std::int64_t probe = low + (high - low) / 2;
      const bool is_before = cuts_first ? elements.less(probe, cut, comp) : !elements.less(cut, probe, comp);
      low = is_before ? probe + 1 : low;
      high = is_before ? high : probe;
    }
    const std::int64_t first_cut = cuts_first ? cut : low;
    const std::int64_t second_cut = cuts_first ? low : cut;
    detail::reverse_elements(elements, first_cut, middle);
    detail::reverse_elements(elements, middle, second_cut);
    detail::reverse_elements(elements, first_cut, second_cut);
    const std::int64_t new_middle = first_cut + (second_cut - middle);
    const part left{begin, first_cut, new_middle};
    const part right{new_middle, second_cut, end};
    const bool left_is_longer = new_middle - begin > end - new_middle;
    later[count++] = left_is_longer ? left : right;
    const part next = left_is_longer ? right : left;
    begin = next.begin;
    middle = next.middle;
    end = next.end;
  }
}

/// Sorts [begin, end). O(n log(n)^2) work.
template <class Elements, class Compare>
MGPU_THRUST_HOST_DEVICE void
in_place_sort(const Elements& elements, std::int64_t begin, std::int64_t end, Compare& comp)
{
  constexpr std::int64_t block = 16;
  for (std::int64_t at = begin; at < end; at += block)
  {
    detail::sort_by_insertion(elements, at, end - at < block ? end : at + block, comp);
  }
  for (std::int64_t width = block; width < end - begin; width *= 2)
  {
    for (std::int64_t at = begin; end - at > width; at += 2 * width)
    {
      detail::merge_in_place(elements, at, at + width, end - at < 2 * width ? end : at + 2 * width, comp);
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Searches for one needle in a long haystack on a GPU. Of numbers in their own order, the values themselves tell where
/// to look.

#include <mgpu_thrust/detail/base/cheap_keys.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether `Compare` is the ascending or descending order of numbers of both types, which are one.
template <class Compare, class Key, class Needle>
inline constexpr bool is_number_order = false;
template <template <class> class Order, class T, class Key>
inline constexpr bool is_number_order<Order<T>, Key, Key> =
  is_plain_order<
    Order<T>> && (std::is_void_v<T> || std::is_same_v<T, Key>) &&std::is_arithmetic_v<Key> && sizeof(Key) <= 8;

/// Returns how far two numbers are apart.
template <class Key>
MGPU_THRUST_HOST_DEVICE float distance_of(Key x, Key y)
{
  if constexpr (std::is_integral_v<Key>)
  {
    // Differences of 64 bits may overflow; modulo 2^64 they are right.
    const auto x_bits = static_cast<std::uint64_t>(x);
    const auto y_bits = static_cast<std::uint64_t>(y);
    return static_cast<float>(x < y ? y_bits - x_bits : x_bits - y_bits);
  }
  else
  {
    return static_cast<float>(x < y ? y - x : x - y);
  }
}

/// Returns `value` clamped to [0, largest]; 0 if it is no number.
MGPU_THRUST_HOST_DEVICE inline int clamp_to_int(float value, int largest)
{
  const auto limit = static_cast<float>(largest);
  return !(value > 0) ? 0 : value < limit ? static_cast<int>(value) : largest;
}

/// Up to this number of elements, the values of the first and the last tell where to look. In more, values are less
/// even, and neighbouring needles share the elements that bisection reads.
inline constexpr std::int64_t max_guided_elements = 1 << 11;

/// Shorter ranges are bisected: 2^12 needles in as many int32 would take 12.1 us instead of 10.6, 2^16 13.1 instead of
/// 11.9, as caches hold what they read (H100).
inline constexpr std::int64_t max_unguided_haystack = 1 << 20;

/// Elements that one line of the cache holds need no guide.
inline constexpr int min_guided_elements = 16;

/// Returns the first index in [0, count) of a sorted range of numbers for which `before` is false, or `count`. `before`
/// is true up to there; otherwise the result is unspecified in [0, count].
///
/// A bisection of a long range is bound by memory: of 2^20 needles in 2^28 int32, each reads seven lines or eight that
/// no other does. If values are even, a few guesses read two or three. If they are not, they cost a guess or two more
/// than bisection.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Key, class Before>
MGPU_THRUST_HOST_DEVICE std::int64_t
guided_partition_point(Iterator numbers, std::int64_t count, const Key& needle, Before before)
{
  // 1. Bisect, until few elements are left and those around them have been read.
  std::int64_t begin = 0;
  std::int64_t end = count;
  Key first{}; // element begin - 1
  Key last{};  // element end
  while (begin < end && (end - begin > max_guided_elements || begin == 0 || end == count))
  {
    const std::int64_t middle = begin + ((end - begin) >> 1);
    const Key value = detail::element(numbers, middle);
    if (before(value))
    {
      begin = middle + 1;
      first = value;
    }
    else
    {
      end = middle;
      last = value;
    }
  }

  // 2. Guess by the values around, then by the value of the guess.
  const Iterator part = numbers + begin;
  int low = 0;
  int high = static_cast<int>(end - begin);
  if (high > min_guided_elements)
  {
    const float elements_per_distance = static_cast<float>(high) / detail::distance_of(first, last);
    int guess = detail::clamp_to_int(detail::distance_of(first, needle) * elements_per_distance, high - 1);
    for (int k = 0; k < 2 && low < high; ++k)
    {
      const Key value = detail::element(part, guess);
      const float off = detail::distance_of(value, needle) * elements_per_distance;
      if (before(value))
      {
        low = guess + 1;
        guess = low + detail::clamp_to_int(off, high - 1 - low);
      }
      else
      {
        high = guess;
        guess = high - 1 - detail::clamp_to_int(off, high - 1 - low);
      }
    }

    // 3. Look around the guess, ever further away.
    if (low < high)
    {
      int stride = 4;
      if (before(detail::element(part, guess)))
      {
        for (low = guess + 1; low < high; stride += stride)
        {
          const int probe = low + stride < high ? low + stride : high - 1;
          if (!before(detail::element(part, probe)))
          {
            high = probe;
            break;
          }
          low = probe + 1;
        }
      }
      else
      {
        for (high = guess; low < high; stride += stride)
        {
          const int probe = high - stride > low ? high - stride : low;
          if (before(detail::element(part, probe)))
          {
            low = probe + 1;
            break;
          }
          high = probe;
        }
      }
    }
  }

  // 4. Bisect what is left.
  return begin + detail::partition_point(low, high, [&](int i) { return before(detail::element(part, i)); });
}

/// lower_bound() in [0, count) of a haystack that may be long.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Key, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t
lower_bound_in_haystack(Iterator haystack, std::int64_t count, const Key& needle, Compare comp)
{
  if constexpr (is_number_order<Compare, std::decay_t<element_t<Iterator>>, Key>)
  {
    if (count > max_unguided_haystack)
    {
      return detail::guided_partition_point(
        haystack, count, needle, [&](const Key& value) { return comp(value, needle); });
    }
  }
  return detail::lower_bound(haystack, std::int64_t{0}, count, needle, comp);
}

/// upper_bound() in [0, count) of a haystack that may be long.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Key, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t
upper_bound_in_haystack(Iterator haystack, std::int64_t count, const Key& needle, Compare comp)
{
  if constexpr (is_number_order<Compare, std::decay_t<element_t<Iterator>>, Key>)
  {
    if (count > max_unguided_haystack)
    {
      return detail::guided_partition_point(
        haystack, count, needle, [&](const Key& value) { return !comp(needle, value); });
    }
  }
  return detail::upper_bound(haystack, std::int64_t{0}, count, needle, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

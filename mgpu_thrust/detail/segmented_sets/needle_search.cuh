// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Searches for a needle of a pair of lists in its haystack.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// lower_bound() in [begin, end) with as many steps for any key, and no branch but that of the loop.
template <class Iterator, class Key, class Compare>
MGPU_THRUST_DEVICE std::int64_t
branch_free_lower_bound(Iterator list, std::int64_t begin, std::int64_t end, const Key& key, Compare& comp)
{
  constexpr std::int64_t max_int_length = std::int64_t{1} << 30;
  std::int64_t length = end - begin;
  while (length > max_int_length)
  {
    const std::int64_t half = length / 2;
    begin += comp(detail::element(list, begin + half - 1), key) ? half : 0;
    length -= half;
  }
  const auto part = list + begin;
  int size = static_cast<int>(length);
  int index = 0; // of the last element that is before the key, if the first one is
  while (size > 1)
  {
    const int half = size / 2;
    index += comp(detail::element(part, index + half), key) ? half : 0;
    size -= half;
  }
  if (size == 1)
  {
    index += comp(detail::element(part, index), key) ? 1 : 0;
  }
  return begin + index;
}

/// Stride, in elements, of the first probe for the last of several needles.
inline constexpr std::int64_t first_needle_stride = 32;

/// Where a needle was found.
struct found_needle
{
  std::int64_t lower; ///< the haystack's first element that is not before the needle
  std::int64_t match; ///< that of the copy of the needle's rank, or -1
};

/// Searches for a needle in the elements of a haystack from `low` on. No needle up to `last` is before these, and the calling
/// lanes of the warp have needles up to that one; -1 if they have others too.
template <class Needles, class Haystack, class Compare>
MGPU_THRUST_DEVICE found_needle search_for_needle(
  Needles needles, std::int64_t needle, std::int64_t last, Haystack haystack, std::int64_t low, std::int64_t count,
  Compare& comp)
{
  // 1. Where the last needle of the warp is, none is behind it.
  std::int64_t end = count;
  if (last >= 0)
  {
    auto&& last_key = detail::element(needles, last);
    std::int64_t probe = low;
    for (std::int64_t stride = first_needle_stride; probe < count - stride; stride += stride)
    {
      probe += stride;
      if (!comp(detail::element(haystack, probe), last_key))
      {
        end = probe;
        break;
      }
    }
  }

  // 2. The first element that is not before the needle.
  auto&& key = detail::element(needles, needle);
  const std::int64_t lower = detail::branch_free_lower_bound(haystack, low, end, key, comp);
  if (lower == count || comp(key, detail::element(haystack, lower)))
  {
    return {lower, -1};
  }

  // 3. The copy of the needle's rank among its equals.
  std::int64_t match = lower;
  if (needle > 0 && !comp(detail::element(needles, needle - 1), key))
  {
    match += detail::copies_before(needles, needle, key, comp);
    if (match >= count || comp(key, detail::element(haystack, match)))
    {
      return {lower, -1};
    }
  }
  return {lower, match};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

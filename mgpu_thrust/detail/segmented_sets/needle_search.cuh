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
  int index = 0;
  while (size > 1)
  {
    const int half = size / 2;
    index = comp(detail::element(part, index + half - 1), key) ? index + half : index;
    size -= half;
  }
  if (size == 1)
  {
    index += comp(detail::element(part, index), key) ? 1 : 0;
  }
  return begin + index;
}

/// Where a needle is searched for, and where it was found.
struct needle_search
{
  std::int64_t needle;     ///< index in its list
  std::int64_t last;       ///< index of the last needle of the warp, which has needles of one pair; or -1
  std::int64_t low;        ///< lower bound of the position
  std::int64_t lower;      ///< the haystack's first element that is not before the needle
  std::int64_t match = -1; ///< that of the copy of the needle's rank, or -1
};

/// Stride, in elements, of the first probe for the last needle of a warp.
inline constexpr std::int64_t first_needle_stride = 32;

/// Searches for a needle in a haystack of `count` elements.
template <class Needles, class Haystack, class Compare>
MGPU_THRUST_DEVICE void
search_for_needle(needle_search& search, Needles needles, Haystack haystack, std::int64_t count, Compare& comp)
{
  // 1. Where the last needle of the warp is, none is behind it.
  std::int64_t end = count;
  if (search.last >= 0)
  {
    auto&& last = detail::element(needles, search.last);
    std::int64_t probe = search.low;
    for (std::int64_t stride = first_needle_stride; probe < count - stride; stride += stride)
    {
      probe += stride;
      if (!comp(detail::element(haystack, probe), last))
      {
        end = probe;
        break;
      }
    }
  }

  // 2. The first element that is not before the needle.
  auto&& key = detail::element(needles, search.needle);
  search.lower = detail::branch_free_lower_bound(haystack, search.low, end, key, comp);
  if (search.lower == count || comp(key, detail::element(haystack, search.lower)))
  {
    return;
  }

  // 3. The copy of the needle's rank among its equals.
  std::int64_t match = search.lower;
  if (search.needle > 0 && !comp(detail::element(needles, search.needle - 1), key))
  {
    match += detail::copies_before(needles, search.needle, key, comp);
    if (match >= count || comp(key, detail::element(haystack, match)))
    {
      return;
    }
  }
  search.match = match;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

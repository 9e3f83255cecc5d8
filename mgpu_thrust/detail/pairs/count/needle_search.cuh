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

/// Where a needle was found.
struct found_needle
{
  std::int64_t lower; ///< the haystack's first element that is not before the needle
  std::int64_t match; ///< that of the copy of the needle's rank, or -1
};

/// Distance, in elements, of the first probe for the last of a warp's needles.
inline constexpr std::int64_t first_needle_probe = 32;

/// Returns an upper bound of the lower bound of needle `last` to all lanes of a full warp. `low` is a lower bound of
/// it, and lane k probes low + 32 * 2^k.
template <class Needles, class Haystack, class Compare>
MGPU_THRUST_DEVICE std::int64_t warp_bound_needle(
  Needles needles, std::int64_t last, Haystack haystack, std::int64_t low, std::int64_t count, Compare& comp)
{
  auto&& key = detail::element(needles, last);
  const std::int64_t probe = low + (first_needle_probe << threadIdx.x % 32);
  const unsigned behind = __ballot_sync(~0u, probe >= count || !comp(detail::element(haystack, probe), key));
  const std::int64_t end = low + (first_needle_probe << (behind == 0 ? 32 : __ffs(static_cast<int>(behind)) - 1));
  return behind != 0 && end < count ? end : count;
}

/// Searches for a needle in [low, end) of a haystack of `count` elements, in which it is, or at the end of which.
template <class Needles, class Haystack, class Compare>
MGPU_THRUST_DEVICE found_needle search_for_needle(
  Needles needles, std::int64_t needle, Haystack haystack, std::int64_t low, std::int64_t end, std::int64_t count,
  Compare& comp)
{
  // 1. The first element that is not before the needle.
  auto&& key = detail::element(needles, needle);
  const std::int64_t lower = detail::branch_free_lower_bound(haystack, low, end, key, comp);
  if (lower == count || comp(key, detail::element(haystack, lower)))
  {
    return {lower, -1};
  }

  // 2. The copy of the needle's rank among its equals.
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

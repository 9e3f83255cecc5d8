// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup agent_merge_path Merge path
/// Merge path: where a diagonal cuts the merge of two sorted ranges.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda/std/functional>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup agent_merge_path
/// @{

/// Finds how many elements of A are among the first `diagonal` elements of the stable merge of two sorted ranges.
///
/// Merging A and B traces a path from (0, 0) to (a_count, b_count) that steps right when it takes from A and down when
/// it takes from B; equal keys of A go before those of B. A cross-diagonal `diagonal` crosses that path in one point.
/// Cutting the path at equally spaced diagonals gives pieces of equal size that can be merged independently.
///
/// @param a        start of the first range, a random-access iterator to a_count elements sorted by comp
/// @param a_count  number of elements of A, not negative
/// @param b        start of the second range, b_count elements sorted by comp; its value type may differ from A's
/// @param b_count  number of elements of B, not negative
/// @param diagonal number of merged elements before the cut, 0 <= diagonal <= a_count + b_count
/// @param comp     strict weak order, called as comp(element of B, element of A); default: operator<
/// @return the number i of elements of A before the cut; diagonal - i elements of B are before it. Its type is the
///         common type of the counts, so counts of 64 bits give a search of 64 bits.
/// @since 1.0
///
/// Complexity: log2(min(diagonal, a_count, b_count)) comparisons. To search within a piece that starts at (i, j), pass
/// a + i, b + j and the counts that remain: the cost then depends on the distance from that start alone. Callable from
/// host and device; allocates and synchronises nothing; throws only what comp and the iterators throw.
///
/// @code{.cpp}
/// const int a[] = {1, 3, 5, 7}, b[] = {2, 3, 4};
/// // The merge is 1 2 3 3 4 5 7. Its first three elements are 1 and 3 of A, and 2 of B.
/// assert(mgpu::merge_path(a, 4, b, 3, 3) == 2);
/// @endcode
///
/// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path (2012); S. Baxter: Modern GPU (2013).
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class IteratorA, class CountA, class IteratorB, class CountB, class Diagonal, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::common_type_t<CountA, CountB, Diagonal>
merge_path(IteratorA a, CountA a_count, IteratorB b, CountB b_count, Diagonal diagonal, Compare comp = Compare{})
{
  using index = std::common_type_t<CountA, CountB, Diagonal>;
  const index diag = diagonal;
  index begin = diag > index(b_count) ? diag - index(b_count) : 0;
  index end = diag < index(a_count) ? diag : index(a_count);
  while (begin < end)
  {
    const index middle = begin + ((end - begin) >> 1);
    // The cut is after A[middle] if that element goes before the last B that would be on its side otherwise.
    if (comp(detail::element(b, diag - 1 - middle), detail::element(a, middle)))
    {
      end = middle;
    }
    else
    {
      begin = middle + 1;
    }
  }
  return begin;
}

namespace detail
{

/// merge_path, faster if the result is near `guess`: it searches within a few hundred elements first, then
/// within a few thousand.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class IteratorA, class IteratorB, class Index, class Compare>
MGPU_THRUST_HOST_DEVICE Index
merge_path_near(IteratorA a, Index a_count, IteratorB b, Index b_count, Index diagonal, Index guess, Compare comp)
{
  // The result is the first index in [begin, end) that is `after`, or `end`.
  const auto after = [&](Index index) -> bool
  { return comp(detail::element(b, diagonal - 1 - index), detail::element(a, index)); };
  Index begin = diagonal > b_count ? diagonal - b_count : 0;
  Index end = diagonal < a_count ? diagonal : a_count;
  for (Index reach = 128; reach <= 1024; reach *= 8)
  {
    // Narrow the range by probes at both ends of the reach.
    const Index low = guess - reach;
    const Index high = guess + reach;
    const bool asks_low = begin <= low && low < end;
    const bool asks_high = begin <= high && high < end;
    const bool ends_low = asks_low && after(low);
    const bool ends_high = asks_high && after(high);
    begin = asks_high && !ends_high ? high + 1 : asks_low && !ends_low ? low + 1 : begin;
    end = ends_low ? low : ends_high ? high : end;
    const bool is_outside = ends_low || (asks_high && !ends_high);
    if (!is_outside)
    {
      break;
    }
  }
  const Index size = end - begin;
  return begin + mgpu::merge_path(a + begin, size, b + (diagonal - end), size, size, comp);
}

} // namespace detail

/// @}
MGPU_THRUST_NAMESPACE_END

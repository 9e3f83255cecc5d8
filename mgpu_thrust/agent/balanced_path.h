// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup agent_balanced_path Balanced path
/// Balanced path: where a diagonal cuts two sorted multisets without separating elements that match.

#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda/std/functional>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// A point of the balanced path: a_index elements of A and b_index elements of B lie before it. a_index + b_index is
/// the requested diagonal, plus one where that diagonal is starred.
/// @since 1.0
template <class Index>
struct balanced_path_point
{
  Index a_index; ///< elements of A before the cut
  Index b_index; ///< elements of B before the cut, the one that a star adds included
  bool starred;  ///< the cut was moved by one element of B, to keep it with its match in A
};

/// @addtogroup agent_balanced_path
/// @{

namespace detail
{

/// The point of the balanced path on the diagonal on which the merge path has the point (i, j).
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class IteratorA, class IteratorB, class Index, class Compare>
MGPU_THRUST_HOST_DEVICE balanced_path_point<Index>
balance(IteratorA a, Index i, IteratorB b, Index b_count, Index j, Compare comp)
{
  // 1. The merge path takes all copies of a key from A before any from B. It differs from the balanced path only if
  //    the next element of B, which is not before any element of A that was taken, equals the last of these.
  if (j == b_count || i == 0 || comp(detail::element(a, i - 1), detail::element(b, j)))
  {
    return {i, j, false};
  }

  // 2. Most often the elements on both sides of the cut are the first of their run: a match, which a star keeps
  //    together.
  auto&& key = detail::element(b, j);
  if ((i == 1 || comp(detail::element(a, i - 2), key)) && (j == 0 || comp(detail::element(b, j - 1), key)))
  {
    return {i, j + 1, true};
  }

  // 3. Otherwise the run of that key began here, on both paths.
  const Index a_run = detail::copies_before(a, i, key, comp);
  const Index b_run = detail::copies_before(b, j, key, comp);
  const Index before = a_run + b_run; // elements of the run before the cut

  // 4. Deal them out by rank: half to B, rounded down; more if A's copies are used up, fewer if B's are.
  const Index half = before / 2;
  const Index wanted = half > before - a_run ? half : before - a_run;
  // B's copies, of which b[j] is one, are counted up to wanted + 1.
  const Index b_begin = j - b_run;
  const Index counted_end = b_begin + wanted < b_count ? b_begin + wanted + 1 : b_count;
  const Index in_b = b_run + 1 + detail::copies_after(b, j + 1, counted_end, key, comp);
  const Index from_b = wanted < in_b ? wanted : in_b;
  const Index from_a = before - from_b;

  // 5. If the last of A's is one rank ahead and B has that rank too, B's must be before the cut as well.
  const bool starred = from_a == from_b + 1 && from_b < in_b;
  return {i - a_run + from_a, b_begin + from_b + (starred ? 1 : 0), starred};
}

} // namespace detail

/// Cuts two sorted ranges at a diagonal so that elements that match each other stay on one side.
///
/// The k-th copy of a key in A matches the k-th copy of that key in B (they have the same key-rank). The balanced path
/// consumes the copies of a key in the order of their ranks, A's copy of a rank just before B's, and what has no match
/// last. A diagonal that falls between the two halves of a match is *starred*: the element of B after it moves before
/// the cut. Cutting at equally spaced diagonals therefore gives pieces of equal size, plus or minus one, on which a set
/// operation can run independently and in parallel; their outputs, one after another, are its result.
///
/// @param a        start of the first range, a random-access iterator to a_count elements sorted by comp
/// @param a_count  number of elements of A, not negative
/// @param b        start of the second range, b_count elements sorted by comp; its value type may differ from A's
/// @param b_count  number of elements of B, not negative
/// @param diagonal number of elements before the cut, 0 <= diagonal <= a_count + b_count
/// @param comp     strict weak order; called on elements of the ranges only, as comp(A, B), comp(B, A) and comp(B, B);
///                 default: operator<
/// @return the point of the path; its index type is the common type of the counts, so counts of 64 bits give a search
///         of 64 bits
/// @since 1.0
///
/// Complexity: a merge-path search, then up to three comparisons unless a run of equal keys crosses the cut, then 15
/// more, or O(log r) if r, the part of that run before the cut, is longer than 5. To search within a piece that starts
/// at a point of the path, pass a + a_index, b + b_index and the counts that remain: the path from there is the same,
/// and every search is then O(log d) for a diagonal at distance d, however long the run. Callable from host and device;
/// allocates and synchronises nothing; throws only what comp and the iterators throw.
///
/// @code{.cpp}
/// const int a[] = {6, 6, 6, 6}, b[] = {6, 6, 6, 6};
/// // Three elements before the cut would be 6 6 of A and 6 of B, with the match of the second 6 after it.
/// const auto point = mgpu::balanced_path(a, 4, b, 4, 3);
/// assert(point.starred && point.a_index == 2 && point.b_index == 2);
/// @endcode
///
/// Source: S. Baxter: Modern GPU, "Multisets" (2013); written anew here.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class IteratorA, class CountA, class IteratorB, class CountB, class Diagonal, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE balanced_path_point<std::common_type_t<CountA, CountB, Diagonal>>
balanced_path(IteratorA a, CountA a_count, IteratorB b, CountB b_count, Diagonal diagonal, Compare comp = Compare{})
{
  using index = std::common_type_t<CountA, CountB, Diagonal>;
  // Signed, as indices before a range's beginning are computed.
  using signed_index = std::conditional_t<std::is_signed_v<index>, index, std::int64_t>;
  const index i = mgpu::merge_path(a, a_count, b, b_count, diagonal, comp);
  const auto point =
    detail::balance(a, signed_index(i), b, signed_index(b_count), signed_index(index(diagonal) - i), comp);
  return {index(point.a_index), index(point.b_index), point.starred};
}

/// @}
MGPU_THRUST_NAMESPACE_END

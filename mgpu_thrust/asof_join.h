// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup asof_join As-of joins
/// Joins by order: each row of a sorted input is joined with the row before it, after it, or nearest to it in another
/// input. Examples are the last quote before a trade, the next calibration after a reading, the session of an event.
///
/// Policies, iterators, comparators, thread safety, exceptions, complexity, temporary storage, synchronisation,
/// aliasing, elements on a GPU and broken preconditions are as for the sorted searches of
/// `mgpu_thrust/sorted_search.h`; left rows are the needles. Differences:
///
/// **Semantics.** Both inputs are sorted by `comp`, which is called in all four combinations of their types. For each
/// left row the direction names a right row, the candidate:
///
/// | direction | candidate |
/// |---|---|
/// | `mgpu::backward` | the last right row that is not after the left row: of equal ones the last |
/// | `mgpu::forward` | the first right row that is not before the left row: of equal ones the first |
/// | `mgpu::strictly_backward` | the last right row that is before the left row |
/// | `mgpu::strictly_forward` | the first right row that is after the left row |
/// | `mgpu::nearest(distance)` | the nearer of those of backward and forward; of equally near ones that of backward |
///
/// **Acceptance.** If `accept(left, right)` refuses the candidate, the left row has no match: no other right row is
/// tried. A tolerance is said so, and a group. Of `nearest` each candidate is accepted or refused on its own, and the
/// nearer of those that are accepted is the match.
///
/// **Groups.** Let both inputs be sorted by group, then by time, and let `accept` compare the groups. Then a match is
/// the match of a join within the group. Rows of a group are neighbours: if the candidate of a direction is of another
/// group, the left row's group has no row in that direction.
///
/// **Functions.** `accept` and the `distance` of `nearest` are called with an element of the left input and one of the
/// right input, as constants; how often is not specified. Each thread calls copies of its own. On a GPU they must be
/// callable there: a function that only the host has does not compile.
///
/// **Indices** have the value type of the output, a signed integer of up to 8 bytes; an output without a value type
/// receives std::int64_t. A left row without a match receives -1, so unsigned integers do not compile.
/// std::length_error if the type cannot hold the index of each right row; nothing is written then.
///
/// **Ranks.** asof_join also takes rows in pieces on several ranks: see `mgpu_thrust/distributed.h`.
///
/// **Source.** The search is that of S. Baxter: Modern GPU, "Vectorized Sorted Search" (2013); its bounds become rows.

#include <mgpu_thrust/asof_directions.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/sorted_search/asof_job.h>
#include <mgpu_thrust/detail/sorted_search/cpu.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sorted_search/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup asof_join
/// @{

/// Finds for every left row the right row that belongs to it, and writes its index, or -1.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the left input, sorted
/// @param right_first,right_last the right input, sorted; its elements may be of another type
/// @param result                 start of the output, of an index for each left row
/// @param direction              `mgpu::backward`, `mgpu::forward`, `mgpu::strictly_backward`, `mgpu::strictly_forward`
///                               or `mgpu::nearest(distance)`
/// @param comp                   strict weak order of both inputs
/// @param accept                 predicate of a left element and a right one; it may be called at the same time by
///                               several threads. A right row that it refuses is no match. Default: accepts all
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> trades{5, 10, 20, 30}, quotes{7, 10, 10, 26};
/// std::vector<int> rows(4);
/// mgpu::asof_join(
///   thrust::host, trades.begin(), trades.end(), quotes.begin(), quotes.end(), rows.begin(), mgpu::backward);
/// assert((rows == std::vector<int>{-1, 2, 2, 3})); // the last quote at the time of a trade
/// mgpu::asof_join(
///   thrust::host, trades.begin(), trades.end(), quotes.begin(), quotes.end(), rows.begin(), mgpu::forward);
/// assert((rows == std::vector<int>{0, 1, 3, -1}));
///
/// const auto distance = [](int trade, int quote) { return std::abs(trade - quote); };
/// const auto is_near = [=](int trade, int quote) { return distance(trade, quote) <= 5; };
/// mgpu::asof_join(
///   thrust::host, trades.begin(), trades.end(), quotes.begin(), quotes.end(), rows.begin(), mgpu::nearest(distance),
///   std::less<>{}, is_near);
/// assert((rows == std::vector<int>{0, 2, -1, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class RightIterator, class OutputIterator, class Direction,
  class Compare = ::cuda::std::less<>, class Accept = accept_any>
MGPU_THRUST_HOST_DEVICE OutputIterator asof_join(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, OutputIterator result, Direction direction, Compare comp = {},
  Accept accept = {})
{
  const auto ends = detail::execute(
    exec, "asof_join",
    detail::asof_job(
      left_first, detail::length_of(left_first, left_last), right_first, detail::length_of(right_first, right_last),
      result, direction, comp, accept));
  return detail::rewrap(result, detail::asof_end(direction, ends));
}

/// asof_join on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class LeftIterator, class RightIterator, class OutputIterator, class Direction, class Compare = ::cuda::std::less<>,
  class Accept = accept_any>
MGPU_THRUST_HOST_DEVICE OutputIterator asof_join(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  OutputIterator result, Direction direction, Compare comp = {}, Accept accept = {})
{
  return mgpu::asof_join(
    detail::system_policy_t<LeftIterator, RightIterator, OutputIterator>{}, left_first, left_last, right_first,
    right_last, result, direction, comp, accept);
}

/// @}
MGPU_THRUST_NAMESPACE_END

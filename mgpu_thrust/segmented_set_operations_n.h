// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations on pairs of lists whose number may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.
///
/// Where lists are results, elements beyond the room that is stated are counted, not written: a count above
/// result_capacity means that the result was cut off. A count whose type cannot hold the number is the largest one of
/// that type. If the type of the offsets cannot hold the number of all elements, a GPU writes nothing but the count,
/// and a CPU throws std::length_error. std::invalid_argument if result_capacity is negative.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/pairs/count/cpu.h>
#include <mgpu_thrust/detail/pairs/count/job.h>
#include <mgpu_thrust/detail/pairs/count/serial.h>
#include <mgpu_thrust/detail/pairs/lists/cpu.h>
#include <mgpu_thrust/detail/pairs/lists/job.h>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/search/cpu.h>
#include <mgpu_thrust/detail/pairs/search/job.h>
#include <mgpu_thrust/detail/pairs/search/serial.h>
#include <mgpu_thrust/detail/set_operation/combined_values.h>
#include <mgpu_thrust/detail/set_operation/result.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/pairs/count/launch.cuh>
#  include <mgpu_thrust/detail/pairs/lists/launch.cuh>
#  include <mgpu_thrust/detail/pairs/search/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// segmented_set_intersection_size of segmented_set_operations.h: counts the matches of each pair of lists.
///
/// @param exec          execution policy
/// @param a             start of the array that the lists of A are in
/// @param a_begins      start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends        start of the positions in `a` where each pair's list ends
/// @param b             start of the array that the lists of B are in
/// @param b_begins      start of the positions in `b` where each pair's list begins
/// @param b_ends        start of the positions in `b` where each pair's list ends
/// @param num_pairs     number of pairs
/// @param counts_result start of the output, of integers of any type that holds the counts, with room for num_pairs
/// @param comp          strict weak order, which each list is sorted by
/// @return num_pairs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5}, begins{0, 3, 0}, ends{3, 6, 2};
/// const int num_pairs = 2;
/// std::vector<int> common(3, -5);
/// mgpu::segmented_set_intersection_size_n(
///   thrust::host, lists.begin(), begins.begin(), ends.begin(), lists.begin(), begins.begin() + 1, ends.begin() + 1,
///   mgpu::deferred{&num_pairs, 2}, common.begin());
/// assert((common == std::vector<int>{2, 1, -5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs,
  class CountIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumPairs segmented_set_intersection_size_n(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, NumPairs num_pairs, CountIterator counts_result, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_set_intersection_size_n",
    detail::segmented_sets_job(
      detail::pair_counts<detail::unwrapped_t<CountIterator>>{detail::unwrap(counts_result)},
      detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, num_pairs), comp, counts_result));
  return num_pairs;
}

/// segmented_have_overlap of segmented_set_operations.h: tells of each pair of lists whether it has a match.
///
/// @param exec         execution policy
/// @param a            start of the array that the lists of A are in
/// @param a_begins     start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends       start of the positions in `a` where each pair's list ends
/// @param b            start of the array that the lists of B are in
/// @param b_begins     start of the positions in `b` where each pair's list begins
/// @param b_ends       start of the positions in `b` where each pair's list ends
/// @param num_pairs    number of pairs
/// @param flags_result start of the output, of elements that a bool is assigned to, with room for num_pairs
/// @param comp         strict weak order, which each list is sorted by
/// @return num_pairs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 4, 5}, begins{0, 3, 0}, ends{3, 6, 2};
/// const int num_pairs = 2;
/// std::vector<int> overlap(3, -5);
/// mgpu::segmented_have_overlap_n(
///   thrust::host, lists.begin(), begins.begin(), ends.begin(), lists.begin(), begins.begin() + 1, ends.begin() + 1,
///   mgpu::deferred{&num_pairs, 2}, overlap.begin());
/// assert((overlap == std::vector<int>{1, 0, -5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs,
  class FlagIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumPairs segmented_have_overlap_n(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, NumPairs num_pairs, FlagIterator flags_result, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_have_overlap_n",
    detail::segmented_sets_job(
      detail::pair_flags<detail::unwrapped_t<FlagIterator>>{detail::unwrap(flags_result)},
      detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, num_pairs), comp, flags_result));
  return num_pairs;
}

/// for_each_in_intersections of segmented_set_operations.h: calls a function for each match of each pair of lists.
///
/// @param exec      execution policy
/// @param a         start of the array that the lists of A are in
/// @param a_begins  start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends    start of the positions in `a` where each pair's list ends
/// @param b         start of the array that the lists of B are in
/// @param b_begins  start of the positions in `b` where each pair's list begins
/// @param b_ends    start of the positions in `b` where each pair's list ends
/// @param num_pairs number of pairs
/// @param f         called as f(pair, i, j); otherwise as in for_each_in_intersections
/// @param comp      strict weak order, which each list is sorted by
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5}, begins{0, 3, 0}, ends{3, 6, 2};
/// const int num_pairs = 1;
/// std::vector<int> match_in_b(3, -1); // of each element of the first list
/// mgpu::for_each_in_intersections_n(
///   thrust::host, lists.begin(), begins.begin(), ends.begin(), lists.begin(), begins.begin() + 1, ends.begin() + 1,
///   mgpu::deferred{&num_pairs, 2},
///   [&](std::int64_t, std::int64_t i, std::int64_t j) { match_in_b[i] = static_cast<int>(j); });
/// assert((match_in_b == std::vector<int>{-1, 4, 5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs,
  class Function, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void for_each_in_intersections_n(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, NumPairs num_pairs, Function f, Compare comp = {})
{
  detail::execute_n(
    exec, "for_each_in_intersections_n",
    detail::segmented_sets_job(
      detail::match_visits<Function>{f}, detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, num_pairs),
      comp, detail::nothing{}));
}

/// segmented_set_intersection of segmented_set_operations.h: writes the intersection of each pair of lists.
///
/// @param exec            execution policy
/// @param a               start of the array that the lists of A are in
/// @param a_begins        start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends          start of the positions in `a` where each pair's list ends
/// @param b               start of the array that the lists of B are in
/// @param b_begins        start of the positions in `b` where each pair's list begins
/// @param b_ends          start of the positions in `b` where each pair's list ends
/// @param num_pairs       number of pairs
/// @param result          start of the output of elements; room for the sum of the shorter lists' lengths is always
///   enough
/// @param result_capacity number of elements that the output has room for, 0 or more; those beyond it are not written
/// @param offsets_result  start of the output, with room for num_pairs + 1 integers, of where each pair's result
///                        begins, and the number of all elements, whatever result_capacity is
/// @param d_count         receives the number of all elements
/// @param comp            strict weak order, which each list is sorted by
/// @return the number of elements that were written: the count is that of all elements, the capacity result_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// const int num_pairs = 2; // stands for what an earlier call stores
/// std::vector<int> result(2), result_offsets(4, -1);
/// std::int64_t count = 0;
/// mgpu::segmented_set_intersection_n(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, mgpu::deferred{&num_pairs, 3}, result.begin(), 2, result_offsets.begin(), &count);
/// assert(count == 3); // of which two had room
/// assert((result == std::vector<int>{3, 5}));
/// assert((result_offsets == std::vector<int>{0, 2, 3, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs,
  class OutputIterator, class OffsetIterator, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_set_intersection_n(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity, OffsetIterator offsets_result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "segmented_set_intersection_n",
    detail::segmented_lists_job(
      detail::set_intersection_t{},
      detail::make_valued_pairs(
        a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
      detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
      comp),
    d_count);
}

/// segmented_set_intersection_indices of segmented_set_operations.h: writes the positions of the matches of each pair
/// of lists.
///
/// @param exec             execution policy
/// @param a                start of the array that the lists of A are in
/// @param a_begins         start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends           start of the positions in `a` where each pair's list ends
/// @param b                start of the array that the lists of B are in
/// @param b_begins         start of the positions in `b` where each pair's list begins
/// @param b_ends           start of the positions in `b` where each pair's list ends
/// @param num_pairs        number of pairs
/// @param a_indices_result start of the output of positions in `a`; room for the sum of the shorter lists' lengths is
///                         always enough
/// @param b_indices_result start of the output of positions in `b`, of the same size
/// @param result_capacity  number of matches that both outputs have room for, 0 or more; those beyond it are not
///   written
/// @param offsets_result   start of the output, with room for num_pairs + 1 integers, of where each pair's matches
///                         begin, and the number of all matches, whatever result_capacity is
/// @param d_count          receives the number of all matches
/// @param comp             strict weak order, which each list is sorted by
/// @return the number of matches that were written: the count is that of all matches, the capacity result_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// const int num_pairs = 2; // stands for what an earlier call stores
/// std::vector<int> in_a(2), in_b(2), match_offsets(3);
/// std::int64_t count = 0;
/// mgpu::segmented_set_intersection_indices_n(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, mgpu::deferred{&num_pairs, 2}, in_a.begin(), in_b.begin(), 2, match_offsets.begin(), &count);
/// assert(count == 3); // of which two had room
/// assert((in_a == std::vector<int>{1, 2}));
/// assert((in_b == std::vector<int>{4, 5}));
/// assert((match_offsets == std::vector<int>{0, 2, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs,
  class AIndexIterator, class BIndexIterator, class OffsetIterator, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_set_intersection_indices_n(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, NumPairs num_pairs, AIndexIterator a_indices_result, BIndexIterator b_indices_result,
  std::int64_t result_capacity, OffsetIterator offsets_result, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "segmented_set_intersection_indices_n",
    detail::segmented_lists_job(
      detail::set_intersection_t{},
      detail::make_valued_pairs(
        a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::list_positions{}, detail::list_positions{}),
      detail::lists_result_within(
        detail::kept_positions<AIndexIterator, BIndexIterator>{a_indices_result, b_indices_result}, offsets_result,
        result_capacity),
      comp),
    d_count);
}

/// segmented_set_union of segmented_set_operations.h: writes the union of each pair of lists.
///
/// @param exec            execution policy
/// @param a               start of the array that the lists of A are in
/// @param a_begins        start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends          start of the positions in `a` where each pair's list ends
/// @param b               start of the array that the lists of B are in
/// @param b_begins        start of the positions in `b` where each pair's list begins
/// @param b_ends          start of the positions in `b` where each pair's list ends
/// @param num_pairs       number of pairs
/// @param result          start of the output of elements; room for the sum of all lists' lengths is always enough
/// @param result_capacity number of elements that the output has room for, 0 or more; those beyond it are not written
/// @param offsets_result  start of the output, with room for num_pairs + 1 integers, of where each pair's result
///                        begins, and the number of all elements, whatever result_capacity is
/// @param d_count         receives the number of all elements
/// @param comp            strict weak order, which each list is sorted by
/// @return the number of elements that were written: the count is that of all elements, the capacity result_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// const int num_pairs = 2; // stands for what an earlier call stores
/// std::vector<int> result(2), result_offsets(4, -1);
/// std::int64_t count = 0;
/// mgpu::segmented_set_union_n(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, mgpu::deferred{&num_pairs, 3}, result.begin(), 2, result_offsets.begin(), &count);
/// assert(count == 8); // of which two had room
/// assert((result == std::vector<int>{1, 2}));
/// assert((result_offsets == std::vector<int>{0, 4, 8, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs,
  class OutputIterator, class OffsetIterator, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_set_union_n(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity, OffsetIterator offsets_result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "segmented_set_union_n",
    detail::segmented_lists_job(
      detail::set_union_t{},
      detail::make_valued_pairs(
        a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
      detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
      comp),
    d_count);
}

/// segmented_set_difference of segmented_set_operations.h: writes the difference of each pair of lists.
///
/// @param exec            execution policy
/// @param a               start of the array that the lists of A are in
/// @param a_begins        start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends          start of the positions in `a` where each pair's list ends
/// @param b               start of the array that the lists of B are in
/// @param b_begins        start of the positions in `b` where each pair's list begins
/// @param b_ends          start of the positions in `b` where each pair's list ends
/// @param num_pairs       number of pairs
/// @param result          start of the output of elements; room for the sum of the lengths of A's lists is always
///   enough
/// @param result_capacity number of elements that the output has room for, 0 or more; those beyond it are not written
/// @param offsets_result  start of the output, with room for num_pairs + 1 integers, of where each pair's result
///                        begins, and the number of all elements, whatever result_capacity is
/// @param d_count         receives the number of all elements
/// @param comp            strict weak order, which each list is sorted by
/// @return the number of elements that were written: the count is that of all elements, the capacity result_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// const int num_pairs = 2; // stands for what an earlier call stores
/// std::vector<int> result(2), result_offsets(4, -1);
/// std::int64_t count = 0;
/// mgpu::segmented_set_difference_n(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, mgpu::deferred{&num_pairs, 3}, result.begin(), 2, result_offsets.begin(), &count);
/// assert(count == 3); // of which two had room
/// assert((result == std::vector<int>{1, 2}));
/// assert((result_offsets == std::vector<int>{0, 1, 3, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs,
  class OutputIterator, class OffsetIterator, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_set_difference_n(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity, OffsetIterator offsets_result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "segmented_set_difference_n",
    detail::segmented_lists_job(
      detail::set_difference_t{},
      detail::make_valued_pairs(
        a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
      detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
      comp),
    d_count);
}

/// segmented_set_symmetric_difference of segmented_set_operations.h: writes the symmetric difference of each pair of
/// lists.
///
/// @param exec            execution policy
/// @param a               start of the array that the lists of A are in
/// @param a_begins        start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends          start of the positions in `a` where each pair's list ends
/// @param b               start of the array that the lists of B are in
/// @param b_begins        start of the positions in `b` where each pair's list begins
/// @param b_ends          start of the positions in `b` where each pair's list ends
/// @param num_pairs       number of pairs
/// @param result          start of the output of elements; room for the sum of all lists' lengths is always enough
/// @param result_capacity number of elements that the output has room for, 0 or more; those beyond it are not written
/// @param offsets_result  start of the output, with room for num_pairs + 1 integers, of where each pair's result
///                        begins, and the number of all elements, whatever result_capacity is
/// @param d_count         receives the number of all elements
/// @param comp            strict weak order, which each list is sorted by
/// @return the number of elements that were written: the count is that of all elements, the capacity result_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// const int num_pairs = 2; // stands for what an earlier call stores
/// std::vector<int> result(2), result_offsets(4, -1);
/// std::int64_t count = 0;
/// mgpu::segmented_set_symmetric_difference_n(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, mgpu::deferred{&num_pairs, 3}, result.begin(), 2, result_offsets.begin(), &count);
/// assert(count == 5); // of which two had room
/// assert((result == std::vector<int>{1, 2}));
/// assert((result_offsets == std::vector<int>{0, 2, 5, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs,
  class OutputIterator, class OffsetIterator, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_set_symmetric_difference_n(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity, OffsetIterator offsets_result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "segmented_set_symmetric_difference_n",
    detail::segmented_lists_job(
      detail::set_symmetric_difference_t{},
      detail::make_valued_pairs(
        a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
      detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
      comp),
    d_count);
}

/// segmented_merge of segmented_set_operations.h: merges each pair of lists.
///
/// @param exec            execution policy
/// @param a               start of the array that the lists of A are in
/// @param a_begins        start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends          start of the positions in `a` where each pair's list ends
/// @param b               start of the array that the lists of B are in
/// @param b_begins        start of the positions in `b` where each pair's list begins
/// @param b_ends          start of the positions in `b` where each pair's list ends
/// @param num_pairs       number of pairs
/// @param result          start of the output of elements; room for the sum of all lists' lengths is always enough
/// @param result_capacity number of elements that the output has room for, 0 or more; those beyond it are not written
/// @param offsets_result  start of the output, with room for num_pairs + 1 integers, of where each pair's result
///                        begins, and the number of all elements, whatever result_capacity is
/// @param d_count         receives the number of all elements
/// @param comp            strict weak order, which each list is sorted by
/// @return the number of elements that were written: the count is that of all elements, the capacity result_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// const int num_pairs = 2; // stands for what an earlier call stores
/// std::vector<int> result(2), result_offsets(4, -1);
/// std::int64_t count = 0;
/// mgpu::segmented_merge_n(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, mgpu::deferred{&num_pairs, 3}, result.begin(), 2, result_offsets.begin(), &count);
/// assert(count == 11); // of which two had room
/// assert((result == std::vector<int>{1, 2}));
/// assert((result_offsets == std::vector<int>{0, 6, 11, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs,
  class OutputIterator, class OffsetIterator, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_merge_n(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, NumPairs num_pairs, OutputIterator result, std::int64_t result_capacity, OffsetIterator offsets_result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "segmented_merge_n",
    detail::segmented_lists_job(
      detail::merge_t{},
      detail::make_valued_pairs(
        a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
      detail::lists_result_within(detail::set_result{result, detail::no_values{}}, offsets_result, result_capacity),
      comp),
    d_count);
}

/// segmented_set_union_by_key of segmented_set_operations.h: writes the union of each pair of lists of keys, with
/// values.
///
/// @param exec            execution policy
/// @param a_keys          start of the array that the lists of A are in
/// @param a_begins        start of the positions in `a_keys` where each pair's list begins, one for each pair
/// @param a_ends          start of the positions in `a_keys` where each pair's list ends
/// @param b_keys          start of the array that the lists of B are in
/// @param b_begins        start of the positions in `b_keys` where each pair's list begins
/// @param b_ends          start of the positions in `b_keys` where each pair's list ends
/// @param num_pairs       number of pairs
/// @param a_values        start of the values of `a_keys`, one for each key
/// @param b_values        start of the values of `b_keys`, one for each key
/// @param keys_result     start of the output of keys; room for the sum of all lists' lengths is always enough
/// @param values_result   start of the output of values, of the same size
/// @param result_capacity number of elements that both outputs have room for, 0 or more; those beyond it are not
///   written
/// @param offsets_result  start of the output, with room for num_pairs + 1 integers, of where each pair's result
///                        begins, and the number of all elements, whatever result_capacity is
/// @param d_count         receives the number of all elements
/// @param comp            strict weak order of keys, which each list is sorted by
/// @param combine         combine(a_value, b_value) is assigned to values_result for each match; default: a_value
/// @return the number of elements that were written: the count is that of all elements, the capacity result_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{0, 2, 1}, a_rows{0, 2, 3}, b{2, 0, 1}, b_rows{0, 1, 3};
/// const std::vector<double> a_values{1.0, 2.0, 3.0}, b_values{10.0, 20.0, 30.0};
/// const int num_pairs = 2; // stands for what an earlier call stores
/// std::vector<int> columns(4), rows(3);
/// std::vector<double> values(4);
/// std::int64_t count = 0;
/// mgpu::segmented_set_union_by_key_n(
///   thrust::host, a.begin(), a_rows.begin(), a_rows.begin() + 1, b.begin(), b_rows.begin(), b_rows.begin() + 1,
///   mgpu::deferred{&num_pairs, 2}, a_values.begin(), b_values.begin(), columns.begin(), values.begin(), 4,
///   rows.begin(), &count, cuda::std::less<>{}, cuda::std::plus<>{});
/// assert(count == 4 && columns[1] == 2 && values[1] == 12.0);
/// assert((rows == std::vector<int>{0, 2, 4}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class NumPairs,
  class AValues, class BValues, class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator,
  class CountPointer, class Compare = ::cuda::std::less<>, class Combine = detail::value_of_a>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_set_union_by_key_n(
  const thrust::execution_policy<Policy>& exec, AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys,
  BBegins b_begins, BEnds b_ends, NumPairs num_pairs, AValues a_values, BValues b_values, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, std::int64_t result_capacity, OffsetIterator offsets_result, CountPointer d_count,
  Compare comp = {}, Combine combine = {})
{
  return detail::execute_n(
    exec, "segmented_set_union_by_key_n",
    detail::segmented_lists_job(
      detail::set_union_t{},
      detail::make_valued_pairs(a_keys, a_begins, a_ends, b_keys, b_begins, b_ends, num_pairs, a_values, b_values),
      detail::lists_result_within(
        detail::combined_result{keys_result, values_result, combine}, offsets_result, result_capacity),
      comp),
    d_count);
}

/// segmented_set_intersection_by_key of segmented_set_operations.h: writes the intersection of each pair of lists of
/// keys, with values.
///
/// @param exec            execution policy
/// @param a_keys          start of the array that the lists of A are in
/// @param a_begins        start of the positions in `a_keys` where each pair's list begins, one for each pair
/// @param a_ends          start of the positions in `a_keys` where each pair's list ends
/// @param b_keys          start of the array that the lists of B are in
/// @param b_begins        start of the positions in `b_keys` where each pair's list begins
/// @param b_ends          start of the positions in `b_keys` where each pair's list ends
/// @param num_pairs       number of pairs
/// @param a_values        start of the values of `a_keys`, one for each key
/// @param b_values        start of the values of `b_keys`, one for each key
/// @param keys_result     start of the output of keys; room for the sum of the shorter lists' lengths is always enough
/// @param values_result   start of the output of values, of the same size
/// @param result_capacity number of elements that both outputs have room for, 0 or more; those beyond it are not
///   written
/// @param offsets_result  start of the output, with room for num_pairs + 1 integers, of where each pair's result
///                        begins, and the number of all elements, whatever result_capacity is
/// @param d_count         receives the number of all elements
/// @param comp            strict weak order of keys, which each list is sorted by
/// @param combine         combine(a_value, b_value) is assigned to values_result for each match; default: a_value
/// @return the number of elements that were written: the count is that of all elements, the capacity result_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{0, 2, 1}, a_rows{0, 2, 3}, b{2, 0, 1}, b_rows{0, 1, 3};
/// const std::vector<double> a_values{1.0, 2.0, 3.0}, b_values{10.0, 20.0, 30.0};
/// const int num_pairs = 2; // stands for what an earlier call stores
/// std::vector<int> columns(4), rows(3);
/// std::vector<double> values(4);
/// std::int64_t count = 0;
/// mgpu::segmented_set_intersection_by_key_n(
///   thrust::host, a.begin(), a_rows.begin(), a_rows.begin() + 1, b.begin(), b_rows.begin(), b_rows.begin() + 1,
///   mgpu::deferred{&num_pairs, 2}, a_values.begin(), b_values.begin(), columns.begin(), values.begin(), 4,
///   rows.begin(), &count, cuda::std::less<>{}, cuda::std::multiplies<>{});
/// assert(count == 2 && columns[1] == 1 && values[1] == 90.0);
/// assert((rows == std::vector<int>{0, 1, 2}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class NumPairs,
  class AValues, class BValues, class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator,
  class CountPointer, class Compare = ::cuda::std::less<>, class Combine = detail::value_of_a>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_set_intersection_by_key_n(
  const thrust::execution_policy<Policy>& exec, AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys,
  BBegins b_begins, BEnds b_ends, NumPairs num_pairs, AValues a_values, BValues b_values, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, std::int64_t result_capacity, OffsetIterator offsets_result, CountPointer d_count,
  Compare comp = {}, Combine combine = {})
{
  return detail::execute_n(
    exec, "segmented_set_intersection_by_key_n",
    detail::segmented_lists_job(
      detail::set_intersection_t{},
      detail::make_valued_pairs(a_keys, a_begins, a_ends, b_keys, b_begins, b_ends, num_pairs, a_values, b_values),
      detail::lists_result_within(
        detail::combined_result{keys_result, values_result, combine}, offsets_result, result_capacity),
      comp),
    d_count);
}

/// segmented_lower_bound of segmented_set_operations.h: searches for each needle of each pair of lists.
///
/// @param exec      execution policy
/// @param haystack  start of the array that the lists are in that are searched
/// @param h_begins  start of the positions in `haystack` where each pair's list begins, one for each pair
/// @param h_ends    start of the positions in `haystack` where each pair's list ends
/// @param needles   start of the array that the lists of needles are in
/// @param n_begins  start of the positions in `needles` where each pair's list begins
/// @param n_ends    start of the positions in `needles` where each pair's list ends
/// @param num_pairs number of pairs
/// @param result    start of the output, of integers of any type that holds the lengths of the lists that are searched
/// @param offsets   start of the positions in `result` where each pair's results begin, integers, one for each pair.
///                  Where the lists of needles are one after the other, these can be n_begins. Of n + 1 offsets, as
///                  CSR has them, the last one is not read
/// @param comp      strict weak order, which each list is sorted by
/// @return num_pairs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8}, results{0, 3};
/// const int num_pairs = 1; // stands for what an earlier call stores
/// std::vector<int> bounds(5, -1);
/// mgpu::segmented_lower_bound_n(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, mgpu::deferred{&num_pairs, 2}, bounds.begin(), results.begin());
/// assert((bounds == std::vector<int>{1, 1, 2, -1, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds, class NumPairs,
  class IndexIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumPairs segmented_lower_bound_n(
  const thrust::execution_policy<Policy>& exec, Haystack haystack, HBegins h_begins, HEnds h_ends, Needles needles,
  NBegins n_begins, NEnds n_ends, NumPairs num_pairs, IndexIterator result, OffsetIterator offsets, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_lower_bound_n",
    detail::segmented_search_job(
      detail::list_search<detail::search_bound::lower>{},
      detail::make_searched_pairs(
        detail::list_search<detail::search_bound::lower>{}, haystack, h_begins, h_ends, needles, n_begins, n_ends,
        num_pairs),
      detail::unwrap(result), detail::unwrap(offsets), detail::written_index_t<IndexIterator>{}, comp));
  return num_pairs;
}

/// segmented_upper_bound of segmented_set_operations.h: searches for each needle of each pair of lists.
///
/// @param exec      execution policy
/// @param haystack  start of the array that the lists are in that are searched
/// @param h_begins  start of the positions in `haystack` where each pair's list begins, one for each pair
/// @param h_ends    start of the positions in `haystack` where each pair's list ends
/// @param needles   start of the array that the lists of needles are in
/// @param n_begins  start of the positions in `needles` where each pair's list begins
/// @param n_ends    start of the positions in `needles` where each pair's list ends
/// @param num_pairs number of pairs
/// @param result    start of the output, of integers of any type that holds the lengths of the lists that are searched
/// @param offsets   start of the positions in `result` where each pair's results begin, integers, one for each pair.
///                  Where the lists of needles are one after the other, these can be n_begins. Of n + 1 offsets, as
///                  CSR has them, the last one is not read
/// @param comp      strict weak order, which each list is sorted by
/// @return num_pairs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8}, results{0, 3};
/// const int num_pairs = 1; // stands for what an earlier call stores
/// std::vector<int> bounds(5, -1);
/// mgpu::segmented_upper_bound_n(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, mgpu::deferred{&num_pairs, 2}, bounds.begin(), results.begin());
/// assert((bounds == std::vector<int>{1, 2, 3, -1, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds, class NumPairs,
  class IndexIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumPairs segmented_upper_bound_n(
  const thrust::execution_policy<Policy>& exec, Haystack haystack, HBegins h_begins, HEnds h_ends, Needles needles,
  NBegins n_begins, NEnds n_ends, NumPairs num_pairs, IndexIterator result, OffsetIterator offsets, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_upper_bound_n",
    detail::segmented_search_job(
      detail::list_search<detail::search_bound::upper>{},
      detail::make_searched_pairs(
        detail::list_search<detail::search_bound::upper>{}, haystack, h_begins, h_ends, needles, n_begins, n_ends,
        num_pairs),
      detail::unwrap(result), detail::unwrap(offsets), detail::written_index_t<IndexIterator>{}, comp));
  return num_pairs;
}

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup segmented_set_operations Set operations on pairs of lists
/// Set operations and merges of very many pairs of sorted lists of any lengths, and searches for the elements of one
/// list in the other. The results of all pairs are one after the other, with or without values. Of intersections there
/// are the positions of matches, sizes, whether they are empty, and a function called for each match, too.
///
/// Always write `mgpu::`. Policies, comparators, matches of elements that occur more than once, and thread safety are
/// as for the set operations of `mgpu_thrust/set_operations.h`. Differences:
///
/// **Pairs.** Pair p is a list of A, the elements of `a` at the positions [a_begins[p], a_ends[p]), and one of B,
/// likewise. Lists may overlap, be those of several pairs, be empty, and of one array on both sides. An end that is not
/// after its begin is that of an empty list: a begin of size_t(-1) and an end of 0 can mark a list that is missing. A
/// list with a bound above 2^63 - 1 is empty too. Begins and ends are integers of any type; they and `a` and `b` are
/// random-access iterators, so fancy ones choose any pairs of any lists: for the lists of both ends of an edge (u, v),
/// permutation iterators to the offsets of the graph's vertices at u, and at v. Positions are trusted: those of a list
/// that is not empty can be read.
///
/// **Matches.** The k-th copy of an element in a list of A and the k-th copy in that of B are a match, as the
/// intersection of multisets has it. For lists without duplicates the matches are the common elements.
///
/// **Lists as results.** The results of all pairs are written one after the other, in the order of the pairs; each is
/// what the function without `segmented_` writes for its two lists. `offsets_result` receives num_pairs + 1 integers of
/// its value type (std::int64_t where it has none): the offsets of the results, and at last the number of all elements.
/// So result p is at [offsets[p], offsets[p + 1]), and offsets and elements are lists for the next call. How much room
/// is always enough is stated with each function. Functions with `_n` write as many elements as there is room for, and
/// all offsets.
///
/// **Searches.** A result is a position in the list of its pair, not in the array. Both lists are sorted. The offsets
/// that tell where results go are trusted: those of a pair must have room in the output, and not be those of another
/// pair.
///
/// **Complexity.** For a pair of lists of m and n elements, m <= n, O(m log(n / m)) comparisons at least and O(m
/// log(n)) at most are made, or O(m + n) where the lengths are alike on a CPU. Where lists are results, and in
/// searches, they are O(m + n); but O(m log(n)) for intersections, for differences with the shorter list in A, and for
/// searches in the longer list, if one list is 32 times as long as the other. Several workers, and a GPU, read inputs
/// twice if lists are results; a GPU reads those of intersections once, if the largest offset is not less than the
/// number of elements that lists of these lengths can have in common. Work is divided into equal pieces, of many short
/// pairs or of a part of a long one. Pairs that are alone, empty ones in any number, and power laws of lengths are no
/// special cases.
///
/// **Synchronisation.** A function that returns the end of lists waits for the GPU once, with `par_nosync` too. No
/// other one returns a size, so with `par_nosync` it does not wait: inputs, outputs and the policy's allocator must
/// live until its stream has completed the call. (The checked mode waits.)
///
/// **Temporary storage.** From the policy's allocator: on CPU workers a byte for 16 pairs, and up to 1 MiB; on a GPU 16
/// bytes for each pair (8 for for_each_in_intersections) and less than 1 % more, or 34 KiB; where lists are results,
/// and in searches, 8 bytes for each pair, less than 1 % more, and 24 KiB (a byte for 16 pairs in intersections). None
/// on the calling thread alone.
///
/// **Aliasing.** Outputs must not overlap the inputs or each other.
///
/// **Exceptions.** std::invalid_argument if the number of pairs is negative; std::length_error if there are more pairs
/// than a grid of a GPU can take, or if the type of the offsets cannot hold the number of all elements: nothing is
/// written then (in device code that is not checked); mgpu::temporary_storage_error, a std::bad_alloc that names the
/// function, if a default allocator has no memory; thrust::system_error if a kernel cannot be launched. An exception
/// that a comparator, a function or an iterator throws on the host stops all workers and reaches the caller; some
/// results may have been written then. Lists are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then
/// std::invalid_argument names the first pair of which a list is not sorted, the list and the position in it, before
/// anything is written.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (lists that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs) the result is unspecified, but the call ends, and if the elements are trivially copyable
/// it reads nothing outside of its lists and writes nothing outside of the room that is stated for its outputs; for
/// other elements the behaviour is undefined. What lies outside of the inputs because begins or ends are wrong is read,
/// and what lies outside of the output because offsets are wrong is written.
///
/// **Source.** The method is ours. Related: O. Green, P. Yalamanchili, L. Munguia: "Fast Triangle Counting on the GPU"
/// (2014), which divides the lists of an edge by merge paths.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
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
#include <thrust/pair.h>

#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup segmented_set_operations
/// @{

/// Counts the matches of each pair of lists.
///
/// @param exec          execution policy
/// @param a             start of the array that the lists of A are in
/// @param a_begins      start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends        start of the positions in `a` where each pair's list ends
/// @param b             start of the array that the lists of B are in
/// @param b_begins      start of the positions in `b` where each pair's list begins
/// @param b_ends        start of the positions in `b` where each pair's list ends
/// @param num_pairs     number of pairs
/// @param counts_result start of the output, of num_pairs integers of any type that holds the counts
/// @param comp          strict weak order, which each list is sorted by
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// // Common neighbours of the ends of each edge of a graph, whose vertices have sorted lists of neighbours.
/// const std::vector<int> offsets{0, 2, 5, 8, 10}, neighbours{1, 2, 0, 2, 3, 0, 1, 3, 1, 2};
/// const std::vector<int> from{0, 0, 1, 1, 2}, to{1, 2, 2, 3, 3};
/// const auto begins = [&](const std::vector<int>& ends)
/// { return thrust::make_permutation_iterator(offsets.begin(), ends.begin()); };
/// const auto ends = [&](const std::vector<int>& ends)
/// { return thrust::make_permutation_iterator(offsets.begin() + 1, ends.begin()); };
/// std::vector<int> common(5);
/// mgpu::segmented_set_intersection_size(
///   thrust::host, neighbours.begin(), begins(from), ends(from), neighbours.begin(), begins(to), ends(to), 5,
///   common.begin());
/// assert((common == std::vector<int>{1, 1, 2, 1, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class CountIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE CountIterator segmented_set_intersection_size(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, std::int64_t num_pairs, CountIterator counts_result, Compare comp = {})
{
  return detail::execute(
    exec, "segmented_set_intersection_size",
    detail::segmented_sets_job(
      detail::pair_counts<detail::unwrapped_t<CountIterator>>{detail::unwrap(counts_result)},
      detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, num_pairs), comp, counts_result));
}

/// segmented_set_intersection_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class CountIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE CountIterator segmented_set_intersection_size(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  CountIterator counts_result, Compare comp = {})
{
  return mgpu::segmented_set_intersection_size(
    detail::system_policy_t<A, ABegins, AEnds, B, BBegins, BEnds, CountIterator>{}, a, a_begins, a_ends, b, b_begins,
    b_ends, num_pairs, counts_result, comp);
}

/// Tells of each pair of lists whether it has a match. The search in a long pair ends early: parts of it that begin
/// after a match was found are not searched.
///
/// @param exec         execution policy
/// @param a            start of the array that the lists of A are in
/// @param a_begins     start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends       start of the positions in `a` where each pair's list ends
/// @param b            start of the array that the lists of B are in
/// @param b_begins     start of the positions in `b` where each pair's list begins
/// @param b_ends       start of the positions in `b` where each pair's list ends
/// @param num_pairs    number of pairs
/// @param flags_result start of the output, of num_pairs elements that a bool is assigned to
/// @param comp         strict weak order, which each list is sorted by
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// // Whether documents that are near each other share a word.
/// const std::vector<int> words{3, 5, 9, 1, 5, 2, 4, 6}, begins{0, 3, 5}, ends{3, 5, 8};
/// std::vector<char> share(2);
/// mgpu::segmented_have_overlap(
///   thrust::host, words.begin(), begins.begin(), ends.begin(), words.begin(), begins.begin() + 1, ends.begin() + 1, 2,
///   share.begin());
/// assert((share == std::vector<char>{1, 0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class FlagIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE FlagIterator segmented_have_overlap(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, std::int64_t num_pairs, FlagIterator flags_result, Compare comp = {})
{
  return detail::execute(
    exec, "segmented_have_overlap",
    detail::segmented_sets_job(
      detail::pair_flags<detail::unwrapped_t<FlagIterator>>{detail::unwrap(flags_result)},
      detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, num_pairs), comp, flags_result));
}

/// segmented_have_overlap on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class FlagIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE FlagIterator segmented_have_overlap(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  FlagIterator flags_result, Compare comp = {})
{
  return mgpu::segmented_have_overlap(
    detail::system_policy_t<A, ABegins, AEnds, B, BBegins, BEnds, FlagIterator>{}, a, a_begins, a_ends, b, b_begins,
    b_ends, num_pairs, flags_result, comp);
}

/// Calls a function for each match of each pair of lists.
///
/// @param exec      execution policy
/// @param a         start of the array that the lists of A are in
/// @param a_begins  start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends    start of the positions in `a` where each pair's list ends
/// @param b         start of the array that the lists of B are in
/// @param b_begins  start of the positions in `b` where each pair's list begins
/// @param b_ends    start of the positions in `b` where each pair's list ends
/// @param num_pairs number of pairs
/// @param f         called as f(pair, i, j), with the positions in `a` and in `b` of a match; its return value is
///                  ignored. What it writes must not depend on the order of the calls, which may be concurrent: calls
///                  that write to the same address must use atomic operations
/// @param comp      strict weak order, which each list is sorted by
/// @since 1.0
///
/// @code{.cpp}
/// // Products of sparse vectors: of the first with the second, and with the third.
/// const std::vector<int> index{0, 2, 5, 2, 5, 1, 2}, a_begins{0, 0}, a_ends{3, 3}, b_begins{3, 5}, b_ends{5, 7};
/// const std::vector<double> value{1.0, 2.0, 3.0, 10.0, 20.0, 30.0, 40.0};
/// std::vector<double> product(2);
/// mgpu::for_each_in_intersections(
///   thrust::host, index.begin(), a_begins.begin(), a_ends.begin(), index.begin(), b_begins.begin(), b_ends.begin(), 2,
///   [&](std::int64_t pair, std::int64_t i, std::int64_t j) { product[pair] += value[i] * value[j]; });
/// assert((product == std::vector<double>{80.0, 80.0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class Function,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void for_each_in_intersections(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, std::int64_t num_pairs, Function f, Compare comp = {})
{
  detail::execute(
    exec, "for_each_in_intersections",
    detail::segmented_sets_job(
      detail::match_visits<Function>{f}, detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, num_pairs),
      comp, detail::nothing{}));
}

/// for_each_in_intersections on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class Function,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void for_each_in_intersections(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs, Function f,
  Compare comp = {})
{
  mgpu::for_each_in_intersections(
    detail::system_policy_t<A, ABegins, AEnds, B, BBegins, BEnds>{}, a, a_begins, a_ends, b, b_begins, b_ends,
    num_pairs, f, comp);
}

/// Writes the intersection of each pair of lists, one after the other.
///
/// An element with m copies in the list of A and n in that of B appears min(m, n) times: the first min(m, n) copies in
/// A.
///
/// @param exec           execution policy
/// @param a              start of the array that the lists of A are in
/// @param a_begins       start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends         start of the positions in `a` where each pair's list ends
/// @param b              start of the array that the lists of B are in
/// @param b_begins       start of the positions in `b` where each pair's list begins
/// @param b_ends         start of the positions in `b` where each pair's list ends
/// @param num_pairs      number of pairs
/// @param result         start of the output of elements; room for the sum of the shorter lists' lengths is always
///   enough
/// @param offsets_result start of the output of num_pairs + 1 integers: where each pair's result begins, and the number
///                       of all elements
/// @param comp           strict weak order, which each list is sorted by
/// @return the end of the output of elements
/// @since 1.0
///
/// @code{.cpp}
/// // Common elements of each list with the next.
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// std::vector<int> result(3), result_offsets(3);
/// const auto end = mgpu::segmented_set_intersection(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, 2, result.begin(), result_offsets.begin());
/// result.erase(end, result.end());
/// assert((result == std::vector<int>{3, 5, 3}));
/// assert((result_offsets == std::vector<int>{0, 2, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator,
  class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_set_intersection(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, std::int64_t num_pairs, OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return detail::execute(
           exec, "segmented_set_intersection",
           detail::segmented_lists_job(
             detail::set_intersection_t{},
             detail::make_valued_pairs(
               a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
             detail::lists_result{detail::set_result{result, detail::no_values{}}, offsets_result}, comp))
    .keys;
}

/// segmented_set_intersection on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator, class OffsetIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_set_intersection(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return mgpu::segmented_set_intersection(
    detail::system_policy_t<A, ABegins, AEnds, B, BBegins, BEnds, OutputIterator, OffsetIterator>{}, a, a_begins,
    a_ends, b, b_begins, b_ends, num_pairs, result, offsets_result, comp);
}

/// Writes the positions of the matches of each pair of lists, one pair after the other.
///
/// The matches of a pair are in the order of its lists. The elements at the positions in `a` are those that
/// segmented_set_intersection writes, and may be anything else of the lists, such as the edges of a graph.
///
/// @param exec             execution policy
/// @param a                start of the array that the lists of A are in
/// @param a_begins         start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends           start of the positions in `a` where each pair's list ends
/// @param b                start of the array that the lists of B are in
/// @param b_begins         start of the positions in `b` where each pair's list begins
/// @param b_ends           start of the positions in `b` where each pair's list ends
/// @param num_pairs        number of pairs
/// @param a_indices_result start of the output of positions in `a`, integers of any type that holds them; room for the
///                         sum of the shorter lists' lengths is always enough
/// @param b_indices_result start of the output of positions in `b`, of the same size
/// @param offsets_result   start of the output of num_pairs + 1 integers: where each pair's matches begin, and the
///                         number of all matches
/// @param comp             strict weak order, which each list is sorted by
/// @return the ends of both outputs of positions
/// @since 1.0
///
/// @code{.cpp}
/// // Where the common elements of each list with the next are.
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// std::vector<int> in_a(3), in_b(3), match_offsets(3);
/// mgpu::segmented_set_intersection_indices(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, 2, in_a.begin(), in_b.begin(), match_offsets.begin());
/// assert((in_a == std::vector<int>{1, 2, 4}));
/// assert((in_b == std::vector<int>{4, 5, 6}));
/// assert((match_offsets == std::vector<int>{0, 2, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class AIndexIterator,
  class BIndexIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<AIndexIterator, BIndexIterator> segmented_set_intersection_indices(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, std::int64_t num_pairs, AIndexIterator a_indices_result, BIndexIterator b_indices_result,
  OffsetIterator offsets_result, Compare comp = {})
{
  return detail::execute(
    exec, "segmented_set_intersection_indices",
    detail::segmented_lists_job(
      detail::set_intersection_t{},
      detail::make_valued_pairs(
        a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::list_positions{}, detail::list_positions{}),
      detail::lists_result{
        detail::kept_positions<AIndexIterator, BIndexIterator>{a_indices_result, b_indices_result}, offsets_result},
      comp));
}

/// segmented_set_intersection_indices on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class AIndexIterator, class BIndexIterator,
  class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<AIndexIterator, BIndexIterator> segmented_set_intersection_indices(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  AIndexIterator a_indices_result, BIndexIterator b_indices_result, OffsetIterator offsets_result, Compare comp = {})
{
  return mgpu::segmented_set_intersection_indices(
    detail::system_policy_t<A, ABegins, AEnds, B, BBegins, BEnds, AIndexIterator, BIndexIterator, OffsetIterator>{}, a,
    a_begins, a_ends, b, b_begins, b_ends, num_pairs, a_indices_result, b_indices_result, offsets_result, comp);
}

/// Writes the union of each pair of lists, one after the other.
///
/// An element with m copies in the list of A and n in that of B appears max(m, n) times: all m copies in A, then the
/// last max(n - m, 0) copies in B.
///
/// @param exec           execution policy
/// @param a              start of the array that the lists of A are in
/// @param a_begins       start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends         start of the positions in `a` where each pair's list ends
/// @param b              start of the array that the lists of B are in
/// @param b_begins       start of the positions in `b` where each pair's list begins
/// @param b_ends         start of the positions in `b` where each pair's list ends
/// @param num_pairs      number of pairs
/// @param result         start of the output of elements; room for the sum of all lists' lengths is always enough
/// @param offsets_result start of the output of num_pairs + 1 integers: where each pair's result begins, and the number
///                       of all elements
/// @param comp           strict weak order, which each list is sorted by
/// @return the end of the output of elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// std::vector<int> result(11), result_offsets(3);
/// const auto end = mgpu::segmented_set_union(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, 2, result.begin(), result_offsets.begin());
/// result.erase(end, result.end());
/// assert((result == std::vector<int>{1, 2, 3, 5, 2, 3, 4, 5}));
/// assert((result_offsets == std::vector<int>{0, 4, 8}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator,
  class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_set_union(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, std::int64_t num_pairs, OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return detail::execute(
           exec, "segmented_set_union",
           detail::segmented_lists_job(
             detail::set_union_t{},
             detail::make_valued_pairs(
               a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
             detail::lists_result{detail::set_result{result, detail::no_values{}}, offsets_result}, comp))
    .keys;
}

/// segmented_set_union on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator, class OffsetIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_set_union(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return mgpu::segmented_set_union(
    detail::system_policy_t<A, ABegins, AEnds, B, BBegins, BEnds, OutputIterator, OffsetIterator>{}, a, a_begins,
    a_ends, b, b_begins, b_ends, num_pairs, result, offsets_result, comp);
}

/// Writes the difference of each pair of lists, one after the other: what A holds and B does not.
///
/// An element with m copies in the list of A and n in that of B appears max(m - n, 0) times: the last max(m - n, 0)
/// copies in A.
///
/// @param exec           execution policy
/// @param a              start of the array that the lists of A are in
/// @param a_begins       start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends         start of the positions in `a` where each pair's list ends
/// @param b              start of the array that the lists of B are in
/// @param b_begins       start of the positions in `b` where each pair's list begins
/// @param b_ends         start of the positions in `b` where each pair's list ends
/// @param num_pairs      number of pairs
/// @param result         start of the output of elements; room for the sum of the lengths of A's lists is always enough
/// @param offsets_result start of the output of num_pairs + 1 integers: where each pair's result begins, and the number
///                       of all elements
/// @param comp           strict weak order, which each list is sorted by
/// @return the end of the output of elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// std::vector<int> result(6), result_offsets(3);
/// const auto end = mgpu::segmented_set_difference(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, 2, result.begin(), result_offsets.begin());
/// result.erase(end, result.end());
/// assert((result == std::vector<int>{1, 2, 5}));
/// assert((result_offsets == std::vector<int>{0, 1, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator,
  class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_set_difference(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, std::int64_t num_pairs, OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return detail::execute(
           exec, "segmented_set_difference",
           detail::segmented_lists_job(
             detail::set_difference_t{},
             detail::make_valued_pairs(
               a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
             detail::lists_result{detail::set_result{result, detail::no_values{}}, offsets_result}, comp))
    .keys;
}

/// segmented_set_difference on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator, class OffsetIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_set_difference(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return mgpu::segmented_set_difference(
    detail::system_policy_t<A, ABegins, AEnds, B, BBegins, BEnds, OutputIterator, OffsetIterator>{}, a, a_begins,
    a_ends, b, b_begins, b_ends, num_pairs, result, offsets_result, comp);
}

/// Writes the symmetric difference of each pair of lists, one after the other: what one of them holds and the other
/// does not.
///
/// An element with m copies in the list of A and n in that of B appears |m - n| times: the last |m - n| copies in the
/// list that has more.
///
/// @param exec           execution policy
/// @param a              start of the array that the lists of A are in
/// @param a_begins       start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends         start of the positions in `a` where each pair's list ends
/// @param b              start of the array that the lists of B are in
/// @param b_begins       start of the positions in `b` where each pair's list begins
/// @param b_ends         start of the positions in `b` where each pair's list ends
/// @param num_pairs      number of pairs
/// @param result         start of the output of elements; room for the sum of all lists' lengths is always enough
/// @param offsets_result start of the output of num_pairs + 1 integers: where each pair's result begins, and the number
///                       of all elements
/// @param comp           strict weak order, which each list is sorted by
/// @return the end of the output of elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// std::vector<int> result(11), result_offsets(3);
/// const auto end = mgpu::segmented_set_symmetric_difference(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, 2, result.begin(), result_offsets.begin());
/// result.erase(end, result.end());
/// assert((result == std::vector<int>{1, 2, 2, 4, 5}));
/// assert((result_offsets == std::vector<int>{0, 2, 5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator,
  class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_set_symmetric_difference(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, std::int64_t num_pairs, OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return detail::execute(
           exec, "segmented_set_symmetric_difference",
           detail::segmented_lists_job(
             detail::set_symmetric_difference_t{},
             detail::make_valued_pairs(
               a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
             detail::lists_result{detail::set_result{result, detail::no_values{}}, offsets_result}, comp))
    .keys;
}

/// segmented_set_symmetric_difference on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator, class OffsetIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_set_symmetric_difference(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return mgpu::segmented_set_symmetric_difference(
    detail::system_policy_t<A, ABegins, AEnds, B, BBegins, BEnds, OutputIterator, OffsetIterator>{}, a, a_begins,
    a_ends, b, b_begins, b_ends, num_pairs, result, offsets_result, comp);
}

/// Merges each pair of lists, one after the other.
///
/// All copies of an element in A go before those in B.
///
/// @param exec           execution policy
/// @param a              start of the array that the lists of A are in
/// @param a_begins       start of the positions in `a` where each pair's list begins, one for each pair
/// @param a_ends         start of the positions in `a` where each pair's list ends
/// @param b              start of the array that the lists of B are in
/// @param b_begins       start of the positions in `b` where each pair's list begins
/// @param b_ends         start of the positions in `b` where each pair's list ends
/// @param num_pairs      number of pairs
/// @param result         start of the output of elements; room for the sum of all lists' lengths is always enough
/// @param offsets_result start of the output of num_pairs + 1 integers: where each pair's result begins, and the number
///                       of all elements
/// @param comp           strict weak order, which each list is sorted by
/// @return the end of the output of elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8};
/// std::vector<int> result(11), result_offsets(3);
/// const auto end = mgpu::segmented_merge(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, 2, result.begin(), result_offsets.begin());
/// result.erase(end, result.end());
/// assert((result == std::vector<int>{1, 2, 3, 3, 5, 5, 2, 3, 3, 4, 5}));
/// assert((result_offsets == std::vector<int>{0, 6, 11}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator,
  class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_merge(
  const thrust::execution_policy<Policy>& exec, A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins,
  BEnds b_ends, std::int64_t num_pairs, OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return detail::execute(
           exec, "segmented_merge",
           detail::segmented_lists_job(
             detail::merge_t{},
             detail::make_valued_pairs(
               a, a_begins, a_ends, b, b_begins, b_ends, num_pairs, detail::no_values{}, detail::no_values{}),
             detail::lists_result{detail::set_result{result, detail::no_values{}}, offsets_result}, comp))
    .keys;
}

/// segmented_merge on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class OutputIterator, class OffsetIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_merge(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  OutputIterator result, OffsetIterator offsets_result, Compare comp = {})
{
  return mgpu::segmented_merge(
    detail::system_policy_t<A, ABegins, AEnds, B, BBegins, BEnds, OutputIterator, OffsetIterator>{}, a, a_begins,
    a_ends, b, b_begins, b_ends, num_pairs, result, offsets_result, comp);
}

/// Writes the union of each pair of lists of keys, one after the other, with a value for each key. A match has one that
/// is combined of both sides' values, or, without a function, the value of A.
///
/// The keys are those of segmented_set_union. Values of keys without a match are kept as they are. So the sum of sparse
/// matrices is the union of their rows.
///
/// @param exec           execution policy
/// @param a_keys         start of the array that the lists of A are in
/// @param a_begins       start of the positions in `a_keys` where each pair's list begins, one for each pair
/// @param a_ends         start of the positions in `a_keys` where each pair's list ends
/// @param b_keys         start of the array that the lists of B are in
/// @param b_begins       start of the positions in `b_keys` where each pair's list begins
/// @param b_ends         start of the positions in `b_keys` where each pair's list ends
/// @param num_pairs      number of pairs
/// @param a_values       start of the values of `a_keys`, one for each key
/// @param b_values       start of the values of `b_keys`, one for each key
/// @param keys_result    start of the output of keys; room for the sum of all lists' lengths is always enough
/// @param values_result  start of the output of values, of the same size
/// @param offsets_result start of the output of num_pairs + 1 integers: where each pair's result begins, and the number
///                       of all elements
/// @param comp           strict weak order of keys, which each list is sorted by
/// @param combine        combine(a_value, b_value) is assigned to values_result for each match; default: a_value
/// @return the ends of the outputs of keys and of values
/// @since 1.0
///
/// @code{.cpp}
/// // Sum of sparse matrices: the columns and values of the elements of each row.
/// const std::vector<int> a{0, 2, 1}, a_rows{0, 2, 3}, b{2, 0, 1}, b_rows{0, 1, 3};
/// const std::vector<double> a_values{1.0, 2.0, 3.0}, b_values{10.0, 20.0, 30.0};
/// std::vector<int> columns(6), rows(3);
/// std::vector<double> values(6);
/// const auto end = mgpu::segmented_set_union_by_key(
///   thrust::host, a.begin(), a_rows.begin(), a_rows.begin() + 1, b.begin(), b_rows.begin(), b_rows.begin() + 1, 2,
///   a_values.begin(), b_values.begin(), columns.begin(), values.begin(), rows.begin(), cuda::std::less<>{},
///   cuda::std::plus<>{});
/// columns.erase(end.first, columns.end());
/// values.erase(end.second, values.end());
/// assert((columns == std::vector<int>{0, 2, 0, 1}));
/// assert((values == std::vector<double>{1.0, 12.0, 20.0, 33.0}));
/// assert((rows == std::vector<int>{0, 2, 4}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class AValues,
  class BValues, class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator,
  class Compare = ::cuda::std::less<>, class Combine = detail::value_of_a>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> segmented_set_union_by_key(
  const thrust::execution_policy<Policy>& exec, AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys,
  BBegins b_begins, BEnds b_ends, std::int64_t num_pairs, AValues a_values, BValues b_values,
  KeyOutputIterator keys_result, ValueOutputIterator values_result, OffsetIterator offsets_result, Compare comp = {},
  Combine combine = {})
{
  const auto end = detail::execute(
    exec, "segmented_set_union_by_key",
    detail::segmented_lists_job(
      detail::set_union_t{},
      detail::make_valued_pairs(a_keys, a_begins, a_ends, b_keys, b_begins, b_ends, num_pairs, a_values, b_values),
      detail::lists_result{detail::combined_result{keys_result, values_result, combine}, offsets_result}, comp));
  return {end.keys, end.values};
}

/// segmented_set_union_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class AValues, class BValues,
  class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator, class Compare = ::cuda::std::less<>,
  class Combine = detail::value_of_a>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> segmented_set_union_by_key(
  AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  AValues a_values, BValues b_values, KeyOutputIterator keys_result, ValueOutputIterator values_result,
  OffsetIterator offsets_result, Compare comp = {}, Combine combine = {})
{
  return mgpu::segmented_set_union_by_key(
    detail::system_policy_t<
      AKeys, ABegins, AEnds, BKeys, BBegins, BEnds, AValues, BValues, KeyOutputIterator, ValueOutputIterator,
      OffsetIterator>{},
    a_keys, a_begins, a_ends, b_keys, b_begins, b_ends, num_pairs, a_values, b_values, keys_result, values_result,
    offsets_result, comp, combine);
}

/// Writes the intersection of each pair of lists of keys, one after the other, with a value for each key, which is
/// combined of both sides' values, or, without a function, the value of A.
///
/// The keys are those of segmented_set_intersection. So the element-wise product of sparse matrices is the intersection
/// of their rows.
///
/// @param exec           execution policy
/// @param a_keys         start of the array that the lists of A are in
/// @param a_begins       start of the positions in `a_keys` where each pair's list begins, one for each pair
/// @param a_ends         start of the positions in `a_keys` where each pair's list ends
/// @param b_keys         start of the array that the lists of B are in
/// @param b_begins       start of the positions in `b_keys` where each pair's list begins
/// @param b_ends         start of the positions in `b_keys` where each pair's list ends
/// @param num_pairs      number of pairs
/// @param a_values       start of the values of `a_keys`, one for each key
/// @param b_values       start of the values of `b_keys`, one for each key
/// @param keys_result    start of the output of keys; room for the sum of the shorter lists' lengths is always enough
/// @param values_result  start of the output of values, of the same size
/// @param offsets_result start of the output of num_pairs + 1 integers: where each pair's result begins, and the number
///                       of all elements
/// @param comp           strict weak order of keys, which each list is sorted by
/// @param combine        combine(a_value, b_value) is assigned to values_result for each match; default: a_value
/// @return the ends of the outputs of keys and of values
/// @since 1.0
///
/// @code{.cpp}
/// // Element-wise product of sparse matrices: the columns and values of the elements of each row.
/// const std::vector<int> a{0, 2, 1}, a_rows{0, 2, 3}, b{2, 0, 1}, b_rows{0, 1, 3};
/// const std::vector<double> a_values{1.0, 2.0, 3.0}, b_values{10.0, 20.0, 30.0};
/// std::vector<int> columns(3), rows(3);
/// std::vector<double> values(3);
/// const auto end = mgpu::segmented_set_intersection_by_key(
///   thrust::host, a.begin(), a_rows.begin(), a_rows.begin() + 1, b.begin(), b_rows.begin(), b_rows.begin() + 1, 2,
///   a_values.begin(), b_values.begin(), columns.begin(), values.begin(), rows.begin(), cuda::std::less<>{},
///   cuda::std::multiplies<>{});
/// columns.erase(end.first, columns.end());
/// values.erase(end.second, values.end());
/// assert((columns == std::vector<int>{2, 1}));
/// assert((values == std::vector<double>{20.0, 90.0}));
/// assert((rows == std::vector<int>{0, 1, 2}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class AValues,
  class BValues, class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator,
  class Compare = ::cuda::std::less<>, class Combine = detail::value_of_a>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> segmented_set_intersection_by_key(
  const thrust::execution_policy<Policy>& exec, AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys,
  BBegins b_begins, BEnds b_ends, std::int64_t num_pairs, AValues a_values, BValues b_values,
  KeyOutputIterator keys_result, ValueOutputIterator values_result, OffsetIterator offsets_result, Compare comp = {},
  Combine combine = {})
{
  const auto end = detail::execute(
    exec, "segmented_set_intersection_by_key",
    detail::segmented_lists_job(
      detail::set_intersection_t{},
      detail::make_valued_pairs(a_keys, a_begins, a_ends, b_keys, b_begins, b_ends, num_pairs, a_values, b_values),
      detail::lists_result{detail::combined_result{keys_result, values_result, combine}, offsets_result}, comp));
  return {end.keys, end.values};
}

/// segmented_set_intersection_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class AKeys, class ABegins, class AEnds, class BKeys, class BBegins, class BEnds, class AValues, class BValues,
  class KeyOutputIterator, class ValueOutputIterator, class OffsetIterator, class Compare = ::cuda::std::less<>,
  class Combine = detail::value_of_a>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> segmented_set_intersection_by_key(
  AKeys a_keys, ABegins a_begins, AEnds a_ends, BKeys b_keys, BBegins b_begins, BEnds b_ends, std::int64_t num_pairs,
  AValues a_values, BValues b_values, KeyOutputIterator keys_result, ValueOutputIterator values_result,
  OffsetIterator offsets_result, Compare comp = {}, Combine combine = {})
{
  return mgpu::segmented_set_intersection_by_key(
    detail::system_policy_t<
      AKeys, ABegins, AEnds, BKeys, BBegins, BEnds, AValues, BValues, KeyOutputIterator, ValueOutputIterator,
      OffsetIterator>{},
    a_keys, a_begins, a_ends, b_keys, b_begins, b_ends, num_pairs, a_values, b_values, keys_result, values_result,
    offsets_result, comp, combine);
}

/// Searches for each needle of each pair of lists: the result is the number of elements of the list that go before it,
/// as std::lower_bound has it. The results of pair p are stored at result + offsets[p].
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
/// @since 1.0
///
/// @code{.cpp}
/// // Where the elements of each list belong in the list before.
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8}, results{0, 3};
/// std::vector<int> bounds(5);
/// mgpu::segmented_lower_bound(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, 2, bounds.begin(), results.begin());
/// assert((bounds == std::vector<int>{1, 1, 2, 1, 2}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds,
  class IndexIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_lower_bound(
  const thrust::execution_policy<Policy>& exec, Haystack haystack, HBegins h_begins, HEnds h_ends, Needles needles,
  NBegins n_begins, NEnds n_ends, std::int64_t num_pairs, IndexIterator result, OffsetIterator offsets,
  Compare comp = {})
{
  detail::execute(
    exec, "segmented_lower_bound",
    detail::segmented_search_job(
      detail::list_search<detail::search_bound::lower>{},
      detail::make_searched_pairs(
        detail::list_search<detail::search_bound::lower>{}, haystack, h_begins, h_ends, needles, n_begins, n_ends,
        num_pairs),
      detail::unwrap(result), detail::unwrap(offsets), detail::written_index_t<IndexIterator>{}, comp));
}

/// segmented_lower_bound on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds, class IndexIterator,
  class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_lower_bound(
  Haystack haystack, HBegins h_begins, HEnds h_ends, Needles needles, NBegins n_begins, NEnds n_ends,
  std::int64_t num_pairs, IndexIterator result, OffsetIterator offsets, Compare comp = {})
{
  mgpu::segmented_lower_bound(
    detail::system_policy_t<Haystack, HBegins, HEnds, Needles, NBegins, NEnds, IndexIterator, OffsetIterator>{},
    haystack, h_begins, h_ends, needles, n_begins, n_ends, num_pairs, result, offsets, comp);
}

/// Searches for each needle of each pair of lists: the result is the number of elements of the list that do not go
/// after it, as std::upper_bound has it. The results of pair p are stored at result + offsets[p].
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
/// @since 1.0
///
/// @code{.cpp}
/// // Where the elements of each list belong in the list before.
/// const std::vector<int> lists{1, 3, 5, 2, 3, 5, 3, 4}, offsets{0, 3, 6, 8}, results{0, 3};
/// std::vector<int> bounds(5);
/// mgpu::segmented_upper_bound(
///   thrust::host, lists.begin(), offsets.begin(), offsets.begin() + 1, lists.begin(), offsets.begin() + 1,
///   offsets.begin() + 2, 2, bounds.begin(), results.begin());
/// assert((bounds == std::vector<int>{1, 2, 3, 2, 2}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds,
  class IndexIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_upper_bound(
  const thrust::execution_policy<Policy>& exec, Haystack haystack, HBegins h_begins, HEnds h_ends, Needles needles,
  NBegins n_begins, NEnds n_ends, std::int64_t num_pairs, IndexIterator result, OffsetIterator offsets,
  Compare comp = {})
{
  detail::execute(
    exec, "segmented_upper_bound",
    detail::segmented_search_job(
      detail::list_search<detail::search_bound::upper>{},
      detail::make_searched_pairs(
        detail::list_search<detail::search_bound::upper>{}, haystack, h_begins, h_ends, needles, n_begins, n_ends,
        num_pairs),
      detail::unwrap(result), detail::unwrap(offsets), detail::written_index_t<IndexIterator>{}, comp));
}

/// segmented_upper_bound on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds, class IndexIterator,
  class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_upper_bound(
  Haystack haystack, HBegins h_begins, HEnds h_ends, Needles needles, NBegins n_begins, NEnds n_ends,
  std::int64_t num_pairs, IndexIterator result, OffsetIterator offsets, Compare comp = {})
{
  mgpu::segmented_upper_bound(
    detail::system_policy_t<Haystack, HBegins, HEnds, Needles, NBegins, NEnds, IndexIterator, OffsetIterator>{},
    haystack, h_begins, h_ends, needles, n_begins, n_ends, num_pairs, result, offsets, comp);
}

/// @}
MGPU_THRUST_NAMESPACE_END

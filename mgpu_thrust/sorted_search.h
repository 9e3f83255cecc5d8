// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup sorted_search Sorted searches
/// Searches for many sorted needles in a sorted haystack at once: bounds, membership, equal ranges and counts; and the
/// joint search of two sorted ranges in each other.
///
/// Policies, iterators, comparators, thread safety and exceptions are as for the set operations of
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Semantics.** For each needle exactly the result of `std::lower_bound`, `std::upper_bound`, `std::binary_search` or
/// `std::equal_range`, as indices. Both ranges are sorted by `comp`, which is called on elements of the ranges only, in
/// all four combinations of their types.
///
/// **Indices** have the value type of the output, an integer of up to 8 bytes; an output without a value type (a
/// transform output or back-insert iterator) receives std::int64_t. std::length_error if that type cannot hold the
/// number of elements of the haystack; nothing is written then.
///
/// **Complexity.** Linear in both sizes if they are similar. If there are few needles the work is
/// O(needles * log(haystack)), and the rest of the haystack is not read.
///
/// **Temporary storage.** None on a CPU; on a GPU under 1 % of the size of the input, from the policy's allocator.
///
/// **Synchronisation.** The size of the result is known. So under `thrust::cuda::par_nosync` a search is enqueued and
/// not waited for, unless match counts are requested on the host: the inputs, the outputs and the policy's allocator
/// must live until the stream has completed it. Under other CUDA policies it returns when the result is complete.
///
/// **Aliasing.** An output must not overlap an input or another output.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined.
///
/// **Source.** S. Baxter: Modern GPU, "Vectorized Sorted Search" (2013): sorted needles allow both ranges to be divided
/// along a merge path, into pieces in which every search is short.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/sorted_search/cpu.h>
#include <mgpu_thrust/detail/sorted_search/job.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sorted_search/launch.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/pair.h>

#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup sorted_search
/// @{

/// Finds the lower bound of every needle in the haystack: the number of elements that are ordered before it, which is
/// the first position at which it could be inserted.
///
/// @param exec                         execution policy
/// @param haystack_first,haystack_last the sorted range that is searched
/// @param needles_first,needles_last   the sorted range of values to search for
/// @param result                       start of the output, of an index for each needle
/// @param comp                         strict weak order of both ranges
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 9};
/// std::vector<int> bounds(4);
/// mgpu::sorted_lower_bound(
///   thrust::host, haystack.begin(), haystack.end(), needles.begin(), needles.end(), bounds.begin());
/// assert((bounds == std::vector<int>{0, 1, 3, 4}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_lower_bound(
  const thrust::execution_policy<Policy>& exec, HaystackIterator haystack_first, HaystackIterator haystack_last,
  NeedleIterator needles_first, NeedleIterator needles_last, OutputIterator result, Compare comp = {})
{
  const auto ends = detail::execute(
    exec, "sorted_lower_bound",
    detail::sorted_search_job(
      {"the range of needles", "the haystack"},
      detail::inputs_of_ranges(needles_first, needles_last, haystack_first, haystack_last),
      detail::index_output(result), detail::no_search_output{}, comp, nullptr));
  return detail::rewrap(result, ends.a.result);
}

/// sorted_lower_bound on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_lower_bound(
  HaystackIterator haystack_first, HaystackIterator haystack_last, NeedleIterator needles_first,
  NeedleIterator needles_last, OutputIterator result, Compare comp = {})
{
  return mgpu::sorted_lower_bound(
    detail::system_policy_t<HaystackIterator, NeedleIterator, OutputIterator>{}, haystack_first, haystack_last,
    needles_first, needles_last, result, comp);
}

/// Finds the upper bound of every needle in the haystack: the number of elements that are not ordered after it, which
/// is the last position at which it could be inserted.
///
/// @param exec                         execution policy
/// @param haystack_first,haystack_last the sorted range that is searched
/// @param needles_first,needles_last   the sorted range of values to search for
/// @param result                       start of the output, of an index for each needle
/// @param comp                         strict weak order of both ranges
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 9};
/// std::vector<int> bounds(4);
/// mgpu::sorted_upper_bound(
///   thrust::host, haystack.begin(), haystack.end(), needles.begin(), needles.end(), bounds.begin());
/// assert((bounds == std::vector<int>{0, 3, 3, 4}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_upper_bound(
  const thrust::execution_policy<Policy>& exec, HaystackIterator haystack_first, HaystackIterator haystack_last,
  NeedleIterator needles_first, NeedleIterator needles_last, OutputIterator result, Compare comp = {})
{
  const auto ends = detail::execute(
    exec, "sorted_upper_bound",
    detail::sorted_search_job(
      {"the haystack", "the range of needles"},
      detail::inputs_of_ranges(haystack_first, haystack_last, needles_first, needles_last), detail::no_search_output{},
      detail::index_output(result), comp, nullptr));
  return detail::rewrap(result, ends.b.result);
}

/// sorted_upper_bound on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_upper_bound(
  HaystackIterator haystack_first, HaystackIterator haystack_last, NeedleIterator needles_first,
  NeedleIterator needles_last, OutputIterator result, Compare comp = {})
{
  return mgpu::sorted_upper_bound(
    detail::system_policy_t<HaystackIterator, NeedleIterator, OutputIterator>{}, haystack_first, haystack_last,
    needles_first, needles_last, result, comp);
}

/// Finds for every needle whether the haystack has an equal element.
///
/// @param exec                         execution policy
/// @param haystack_first,haystack_last the sorted range that is searched
/// @param needles_first,needles_last   the sorted range of values to search for
/// @param result                       start of the output, of one element for each needle, to which a bool is assigned
/// @param comp                         strict weak order of both ranges
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 5};
/// std::vector<char> found(4);
/// mgpu::sorted_contains(
///   thrust::host, haystack.begin(), haystack.end(), needles.begin(), needles.end(), found.begin());
/// assert((found == std::vector<char>{false, true, false, true}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_contains(
  const thrust::execution_policy<Policy>& exec, HaystackIterator haystack_first, HaystackIterator haystack_last,
  NeedleIterator needles_first, NeedleIterator needles_last, OutputIterator result, Compare comp = {})
{
  const auto ends = detail::execute(
    exec, "sorted_contains",
    detail::sorted_search_job(
      {"the range of needles", "the haystack"},
      detail::inputs_of_ranges(needles_first, needles_last, haystack_first, haystack_last),
      detail::match_output(result), detail::no_search_output{}, comp, nullptr));
  return detail::rewrap(result, ends.a.result);
}

/// sorted_contains on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_contains(
  HaystackIterator haystack_first, HaystackIterator haystack_last, NeedleIterator needles_first,
  NeedleIterator needles_last, OutputIterator result, Compare comp = {})
{
  return mgpu::sorted_contains(
    detail::system_policy_t<HaystackIterator, NeedleIterator, OutputIterator>{}, haystack_first, haystack_last,
    needles_first, needles_last, result, comp);
}

/// Finds the lower and the upper bound of every needle in the haystack.
///
/// @param exec                         execution policy
/// @param haystack_first,haystack_last the sorted range that is searched
/// @param needles_first,needles_last   the sorted range of values to search for
/// @param lower_out                    start of the output of the lower bounds, an index for each needle
/// @param upper_out                    start of the output of the upper bounds, an index for each needle
/// @param comp                         strict weak order of both ranges
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 9};
/// std::vector<int> lower(4), upper(4);
/// mgpu::sorted_equal_range(
///   thrust::host, haystack.begin(), haystack.end(), needles.begin(), needles.end(), lower.begin(), upper.begin());
/// assert((lower == std::vector<int>{0, 1, 3, 4} && upper == std::vector<int>{0, 3, 3, 4}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class HaystackIterator, class NeedleIterator, class LowerIterator, class UpperIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LowerIterator, UpperIterator> sorted_equal_range(
  const thrust::execution_policy<Policy>& exec, HaystackIterator haystack_first, HaystackIterator haystack_last,
  NeedleIterator needles_first, NeedleIterator needles_last, LowerIterator lower_out, UpperIterator upper_out,
  Compare comp = {})
{
  const auto ends = detail::execute(
    exec, "sorted_equal_range",
    detail::sorted_search_job(
      {"the range of needles", "the haystack"},
      detail::inputs_of_ranges(needles_first, needles_last, haystack_first, haystack_last),
      detail::bounds_output(lower_out, upper_out), detail::no_search_output{}, comp, nullptr));
  return {detail::rewrap(lower_out, ends.a.lower), detail::rewrap(upper_out, ends.a.upper)};
}

/// sorted_equal_range on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class HaystackIterator, class NeedleIterator, class LowerIterator, class UpperIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LowerIterator, UpperIterator> sorted_equal_range(
  HaystackIterator haystack_first, HaystackIterator haystack_last, NeedleIterator needles_first,
  NeedleIterator needles_last, LowerIterator lower_out, UpperIterator upper_out, Compare comp = {})
{
  return mgpu::sorted_equal_range(
    detail::system_policy_t<HaystackIterator, NeedleIterator, LowerIterator, UpperIterator>{}, haystack_first,
    haystack_last, needles_first, needles_last, lower_out, upper_out, comp);
}

/// Counts for every needle the elements of the haystack that equal it.
///
/// @param exec                         execution policy
/// @param haystack_first,haystack_last the sorted range that is searched
/// @param needles_first,needles_last   the sorted range of values to search for
/// @param result                       start of the output, of an integer for each needle
/// @param comp                         strict weak order of both ranges
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 5};
/// std::vector<int> counts(4);
/// mgpu::sorted_count(
///   thrust::host, haystack.begin(), haystack.end(), needles.begin(), needles.end(), counts.begin());
/// assert((counts == std::vector<int>{0, 2, 0, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_count(
  const thrust::execution_policy<Policy>& exec, HaystackIterator haystack_first, HaystackIterator haystack_last,
  NeedleIterator needles_first, NeedleIterator needles_last, OutputIterator result, Compare comp = {})
{
  const auto ends = detail::execute(
    exec, "sorted_count",
    detail::sorted_search_job(
      {"the range of needles", "the haystack"},
      detail::inputs_of_ranges(needles_first, needles_last, haystack_first, haystack_last),
      detail::count_output(result), detail::no_search_output{}, comp, nullptr));
  return detail::rewrap(result, ends.a.result);
}

/// sorted_count on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_count(
  HaystackIterator haystack_first, HaystackIterator haystack_last, NeedleIterator needles_first,
  NeedleIterator needles_last, OutputIterator result, Compare comp = {})
{
  return mgpu::sorted_count(
    detail::system_policy_t<HaystackIterator, NeedleIterator, OutputIterator>{}, haystack_first, haystack_last,
    needles_first, needles_last, result, comp);
}

/// Writes op(lower, upper) for every needle, from its lower and upper bounds, both std::int64_t: their difference is
/// the number of elements that equal it.
///
/// @param exec                         execution policy
/// @param haystack_first,haystack_last the sorted range that is searched
/// @param needles_first,needles_last   the sorted range of values to search for
/// @param result                       start of the output, of an element for each needle
/// @param comp                         strict weak order of both ranges
/// @param op                           callable on two std::int64_t, at the same time by several threads; its result is
///                                     assigned to the output
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 5};
/// std::vector<int> rows(4); // of an outer join: one at least for each needle
/// mgpu::sorted_count(
///   thrust::host, haystack.begin(), haystack.end(), needles.begin(), needles.end(), rows.begin(),
///   cuda::std::less<>{}, [](std::int64_t lower, std::int64_t upper) { return upper > lower ? upper - lower : 1; });
/// assert((rows == std::vector<int>{1, 2, 1, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare, class Operator>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_count(
  const thrust::execution_policy<Policy>& exec, HaystackIterator haystack_first, HaystackIterator haystack_last,
  NeedleIterator needles_first, NeedleIterator needles_last, OutputIterator result, Compare comp, Operator op)
{
  const auto ends = detail::execute(
    exec, "sorted_count",
    detail::sorted_search_job(
      {"the range of needles", "the haystack"},
      detail::inputs_of_ranges(needles_first, needles_last, haystack_first, haystack_last),
      detail::operator_output(result, op), detail::no_search_output{}, comp, nullptr));
  return detail::rewrap(result, ends.a.result);
}

/// sorted_count with an operator, on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class HaystackIterator, class NeedleIterator, class OutputIterator, class Compare, class Operator>
MGPU_THRUST_HOST_DEVICE OutputIterator sorted_count(
  HaystackIterator haystack_first, HaystackIterator haystack_last, NeedleIterator needles_first,
  NeedleIterator needles_last, OutputIterator result, Compare comp, Operator op)
{
  return mgpu::sorted_count(
    detail::system_policy_t<HaystackIterator, NeedleIterator, OutputIterator>{}, haystack_first, haystack_last,
    needles_first, needles_last, result, comp, op);
}

/// Searches two sorted ranges in each other: finds the lower bound in B of every element of A, and the upper bound in A
/// of every element of B, and whether the other range has an equal element. (Swap the ranges to have upper bounds of A
/// and lower bounds of B.)
///
/// The value type of an output determines what it receives: an integer the bound, `bool` whether there is an equal
/// element, `thrust::tuple<Integer, bool>` (of a zip iterator) both; a `thrust::discard_iterator` receives nothing.
/// Results that no output receives are not computed.
///
/// @param exec           execution policy
/// @param a_first,a_last the first sorted range, A
/// @param b_first,b_last the second sorted range, B
/// @param a_out          start of the output for A, an element for each of A
/// @param b_out          start of the output for B, an element for each of B
/// @param comp           strict weak order of both ranges
/// @param match_counts   receives the number of elements of A that have an equal one in B, and the number of elements
///                       of B that have one in A; a CUDA policy then synchronises. It must not be a null pointer
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 4, 5};
/// std::vector<int> a_bounds(4);
/// std::vector<char> b_found(3);
/// std::vector<int> b_bounds(3);
/// std::int64_t match_counts[2];
/// mgpu::sorted_search(
///   thrust::host, a.begin(), a.end(), b.begin(), b.end(), a_bounds.begin(), b_bounds.begin(), cuda::std::less<>{},
///   &match_counts);
/// assert((a_bounds == std::vector<int>{0, 0, 0, 2} && b_bounds == std::vector<int>{3, 3, 4}));
/// assert(match_counts[0] == 3 && match_counts[1] == 2);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator1, class InputIterator2, class OutputIterator1, class OutputIterator2, class Compare>
MGPU_THRUST_HOST_DEVICE thrust::pair<OutputIterator1, OutputIterator2> sorted_search(
  const thrust::execution_policy<Policy>& exec, InputIterator1 a_first, InputIterator1 a_last, InputIterator2 b_first,
  InputIterator2 b_last, OutputIterator1 a_out, OutputIterator2 b_out, Compare comp, std::int64_t (*match_counts)[2])
{
  const auto ends = detail::execute(
    exec, "sorted_search",
    detail::sorted_search_job(
      {"the first input", "the second input"}, detail::inputs_of_ranges(a_first, a_last, b_first, b_last),
      detail::joint_search_output(a_out), detail::joint_search_output(b_out), comp, match_counts));
  return {
    detail::joint_search_end(a_out, ends.a, a_last - a_first),
    detail::joint_search_end(b_out, ends.b, b_last - b_first)};
}

/// Searches two sorted ranges in each other, without match counts.
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator1, class InputIterator2, class OutputIterator1, class OutputIterator2,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<OutputIterator1, OutputIterator2> sorted_search(
  const thrust::execution_policy<Policy>& exec, InputIterator1 a_first, InputIterator1 a_last, InputIterator2 b_first,
  InputIterator2 b_last, OutputIterator1 a_out, OutputIterator2 b_out, Compare comp = {})
{
  const auto ends = detail::execute(
    exec, "sorted_search",
    detail::sorted_search_job(
      {"the first input", "the second input"}, detail::inputs_of_ranges(a_first, a_last, b_first, b_last),
      detail::joint_search_output(a_out), detail::joint_search_output(b_out), comp, nullptr));
  return {
    detail::joint_search_end(a_out, ends.a, a_last - a_first),
    detail::joint_search_end(b_out, ends.b, b_last - b_first)};
}

/// Searches two sorted ranges in each other, with match counts and the default order.
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator1, class InputIterator2, class OutputIterator1, class OutputIterator2>
MGPU_THRUST_HOST_DEVICE thrust::pair<OutputIterator1, OutputIterator2> sorted_search(
  const thrust::execution_policy<Policy>& exec, InputIterator1 a_first, InputIterator1 a_last, InputIterator2 b_first,
  InputIterator2 b_last, OutputIterator1 a_out, OutputIterator2 b_out, std::int64_t (*match_counts)[2])
{
  return mgpu::sorted_search(exec, a_first, a_last, b_first, b_last, a_out, b_out, ::cuda::std::less<>{}, match_counts);
}

/// sorted_search with match counts, on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class OutputIterator1, class OutputIterator2, class Compare>
MGPU_THRUST_HOST_DEVICE thrust::pair<OutputIterator1, OutputIterator2> sorted_search(
  InputIterator1 a_first, InputIterator1 a_last, InputIterator2 b_first, InputIterator2 b_last, OutputIterator1 a_out,
  OutputIterator2 b_out, Compare comp, std::int64_t (*match_counts)[2])
{
  return mgpu::sorted_search(
    detail::system_policy_t<InputIterator1, InputIterator2, OutputIterator1, OutputIterator2>{}, a_first, a_last,
    b_first, b_last, a_out, b_out, comp, match_counts);
}

/// sorted_search without match counts, on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class InputIterator1, class InputIterator2, class OutputIterator1, class OutputIterator2,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<OutputIterator1, OutputIterator2> sorted_search(
  InputIterator1 a_first, InputIterator1 a_last, InputIterator2 b_first, InputIterator2 b_last, OutputIterator1 a_out,
  OutputIterator2 b_out, Compare comp = {})
{
  return mgpu::sorted_search(
    detail::system_policy_t<InputIterator1, InputIterator2, OutputIterator1, OutputIterator2>{}, a_first, a_last,
    b_first, b_last, a_out, b_out, comp);
}

/// sorted_search with match counts and the default order, on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class OutputIterator1, class OutputIterator2>
MGPU_THRUST_HOST_DEVICE thrust::pair<OutputIterator1, OutputIterator2> sorted_search(
  InputIterator1 a_first, InputIterator1 a_last, InputIterator2 b_first, InputIterator2 b_last, OutputIterator1 a_out,
  OutputIterator2 b_out, std::int64_t (*match_counts)[2])
{
  return mgpu::sorted_search(
    detail::system_policy_t<InputIterator1, InputIterator2, OutputIterator1, OutputIterator2>{}, a_first, a_last,
    b_first, b_last, a_out, b_out, ::cuda::std::less<>{}, match_counts);
}

/// @}
MGPU_THRUST_NAMESPACE_END

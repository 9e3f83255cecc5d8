// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorted searches of ranges whose sizes may be known on the device alone. Where the capacities leave open whether the
/// haystack is searched by tiles or bisected for each needle, one kernel does either, as the sizes say.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/sorted_search/cpu.h>
#include <mgpu_thrust/detail/sorted_search/job.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sorted_search/launch.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/pair.h>

#include <cuda/std/functional>

#include <cstddef>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// sorted_lower_bound of sorted_search.h: finds the lower bound of every needle.
///
/// @param exec                        execution policy
/// @param haystack_first,num_haystack the sorted range that is searched
/// @param needles_first,num_needles   the sorted range of values to search for
/// @param result                      start of the output, of an index for each needle
/// @param comp                        strict weak order of both ranges
/// @return num_needles
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 9};
/// const int count = 3; // of the needles
/// std::vector<int> found(4, -1);
/// mgpu::sorted_lower_bound_n(
///   thrust::host, haystack.begin(), 4, needles.begin(), mgpu::deferred{&count, 4}, found.begin());
/// assert((found == std::vector<int>{0, 1, 3, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class NumHaystack, class Needles, class NumNeedles, class OutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumNeedles sorted_lower_bound_n(
  const thrust::execution_policy<Policy>& exec, Haystack haystack_first, NumHaystack num_haystack,
  Needles needles_first, NumNeedles num_needles, OutputIterator result, Compare comp = {})
{
  detail::execute_n(
    exec, "sorted_lower_bound_n",
    detail::sorted_search_job(
      {"the range of needles_first", "the haystack_first"},
      detail::make_set_inputs(needles_first, num_needles, haystack_first, num_haystack), detail::index_output(result),
      detail::no_search_output{}, comp, nullptr));
  return num_needles;
}

/// sorted_upper_bound of sorted_search.h: finds the upper bound of every needle.
///
/// @param exec                        execution policy
/// @param haystack_first,num_haystack the sorted range that is searched
/// @param needles_first,num_needles   the sorted range of values to search for
/// @param result                      start of the output, of an index for each needle
/// @param comp                        strict weak order of both ranges
/// @return num_needles
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 9};
/// const int count = 3; // of the needles
/// std::vector<int> found(4, -1);
/// mgpu::sorted_upper_bound_n(
///   thrust::host, haystack.begin(), 4, needles.begin(), mgpu::deferred{&count, 4}, found.begin());
/// assert((found == std::vector<int>{0, 3, 3, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class NumHaystack, class Needles, class NumNeedles, class OutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumNeedles sorted_upper_bound_n(
  const thrust::execution_policy<Policy>& exec, Haystack haystack_first, NumHaystack num_haystack,
  Needles needles_first, NumNeedles num_needles, OutputIterator result, Compare comp = {})
{
  detail::execute_n(
    exec, "sorted_upper_bound_n",
    detail::sorted_search_job(
      {"the haystack_first", "the range of needles_first"},
      detail::make_set_inputs(haystack_first, num_haystack, needles_first, num_needles), detail::no_search_output{},
      detail::index_output(result), comp, nullptr));
  return num_needles;
}

/// sorted_contains of sorted_search.h: finds for every needle whether the haystack has an equal element.
///
/// @param exec                        execution policy
/// @param haystack_first,num_haystack the sorted range that is searched
/// @param needles_first,num_needles   the sorted range of values to search for
/// @param result                      start of the output, of one element for each needle, to which a bool is assigned
/// @param comp                        strict weak order of both ranges
/// @return num_needles
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 9};
/// const int count = 3; // of the needles
/// std::vector<int> found(4, -1);
/// mgpu::sorted_contains_n(
///   thrust::host, haystack.begin(), 4, needles.begin(), mgpu::deferred{&count, 4}, found.begin());
/// assert((found == std::vector<int>{0, 1, 0, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class NumHaystack, class Needles, class NumNeedles, class OutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumNeedles sorted_contains_n(
  const thrust::execution_policy<Policy>& exec, Haystack haystack_first, NumHaystack num_haystack,
  Needles needles_first, NumNeedles num_needles, OutputIterator result, Compare comp = {})
{
  detail::execute_n(
    exec, "sorted_contains_n",
    detail::sorted_search_job(
      {"the range of needles_first", "the haystack_first"},
      detail::make_set_inputs(needles_first, num_needles, haystack_first, num_haystack), detail::match_output(result),
      detail::no_search_output{}, comp, nullptr));
  return num_needles;
}

/// sorted_equal_range of sorted_search.h: finds both bounds of every needle.
///
/// @param exec                        execution policy
/// @param haystack_first,num_haystack the sorted range that is searched
/// @param needles_first,num_needles   the sorted range of values to search for
/// @param lower_out,upper_out         starts of the outputs of the lower and the upper bounds, of an index for each
///                                    needle
/// @param comp                        strict weak order of both ranges
/// @return num_needles
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 9};
/// const int count = 3; // of the needles
/// std::vector<int> lower(4, -1), upper(4, -1);
/// mgpu::sorted_equal_range_n(
///   thrust::host, haystack.begin(), 4, needles.begin(), mgpu::deferred{&count, 4}, lower.begin(), upper.begin());
/// assert((lower == std::vector<int>{0, 1, 3, -1} && upper == std::vector<int>{0, 3, 3, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class NumHaystack, class Needles, class NumNeedles, class LowerIterator,
  class UpperIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumNeedles sorted_equal_range_n(
  const thrust::execution_policy<Policy>& exec, Haystack haystack_first, NumHaystack num_haystack,
  Needles needles_first, NumNeedles num_needles, LowerIterator lower_out, UpperIterator upper_out, Compare comp = {})
{
  detail::execute_n(
    exec, "sorted_equal_range_n",
    detail::sorted_search_job(
      {"the range of needles_first", "the haystack_first"},
      detail::make_set_inputs(needles_first, num_needles, haystack_first, num_haystack),
      detail::bounds_output(lower_out, upper_out), detail::no_search_output{}, comp, nullptr));
  return num_needles;
}

/// sorted_count of sorted_search.h: counts for every needle the elements of the haystack that equal it.
///
/// @param exec                        execution policy
/// @param haystack_first,num_haystack the sorted range that is searched
/// @param needles_first,num_needles   the sorted range of values to search for
/// @param result                      start of the output, of an integer for each needle
/// @param comp                        strict weak order of both ranges
/// @return num_needles
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> haystack{1, 3, 3, 5}, needles{0, 3, 4, 9};
/// const int count = 3; // of the needles
/// std::vector<int> found(4, -1);
/// mgpu::sorted_count_n(
///   thrust::host, haystack.begin(), 4, needles.begin(), mgpu::deferred{&count, 4}, found.begin());
/// assert((found == std::vector<int>{0, 2, 0, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class NumHaystack, class Needles, class NumNeedles, class OutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumNeedles sorted_count_n(
  const thrust::execution_policy<Policy>& exec, Haystack haystack_first, NumHaystack num_haystack,
  Needles needles_first, NumNeedles num_needles, OutputIterator result, Compare comp = {})
{
  detail::execute_n(
    exec, "sorted_count_n",
    detail::sorted_search_job(
      {"the range of needles_first", "the haystack_first"},
      detail::make_set_inputs(needles_first, num_needles, haystack_first, num_haystack), detail::count_output(result),
      detail::no_search_output{}, comp, nullptr));
  return num_needles;
}

/// sorted_count of sorted_search.h with an operator: writes op(lower, upper) for every needle, from its lower and upper
/// bounds.
///
/// @param exec                        execution policy
/// @param haystack_first,num_haystack the sorted range that is searched
/// @param needles_first,num_needles   the sorted range of values to search for
/// @param result                      start of the output, of an element for each needle
/// @param comp                        strict weak order of both ranges
/// @param op                          callable on two std::int64_t, at the same time by several threads; its result is
///                                    assigned to the output
/// @return num_needles
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Haystack, class NumHaystack, class Needles, class NumNeedles, class OutputIterator, class Compare,
  class Operator>
MGPU_THRUST_HOST_DEVICE NumNeedles sorted_count_n(
  const thrust::execution_policy<Policy>& exec, Haystack haystack_first, NumHaystack num_haystack,
  Needles needles_first, NumNeedles num_needles, OutputIterator result, Compare comp, Operator op)
{
  detail::execute_n(
    exec, "sorted_count_n",
    detail::sorted_search_job(
      {"the range of needles_first", "the haystack_first"},
      detail::make_set_inputs(needles_first, num_needles, haystack_first, num_haystack),
      detail::operator_output(result, op), detail::no_search_output{}, comp, nullptr));
  return num_needles;
}

/// sorted_search of sorted_search.h: searches two sorted ranges in each other.
///
/// @param exec           execution policy
/// @param a_first,a_size the first range
/// @param b_first,b_size the second range
/// @param a_out,b_out    starts of the outputs, of an element for each of the first and of the second range; their
///                       value types determine what they receive
/// @param d_match_counts pointer to two std::int64_t, where the work executes, that receive the number of elements of
///                       the first range that have an equal one in the second, and the number of those of the second
///                       that have one in the first; they may be where sizes are read. Or nullptr
/// @param comp           strict weak order of both ranges
/// @return a_size and b_size, which are the sizes of the results
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{0, 3, 4, 9}, b{1, 3, 3, 5};
/// const int count = 3; // of the first range
/// std::vector<int> lower(4, -1), upper(4, -1);
/// mgpu::sorted_search_n(
///   thrust::host, a.begin(), mgpu::deferred{&count, 4}, b.begin(), 4, lower.begin(), upper.begin());
/// assert((lower == std::vector<int>{0, 1, 3, -1} && upper == std::vector<int>{1, 2, 2, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class OutputIterator1, class OutputIterator2,
  class CountsPointer = std::nullptr_t, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<Size1, Size2> sorted_search_n(
  const thrust::execution_policy<Policy>& exec, Keys1 a_first, Size1 a_size, Keys2 b_first, Size2 b_size,
  OutputIterator1 a_out, OutputIterator2 b_out, CountsPointer d_match_counts = nullptr, Compare comp = {})
{
  detail::execute_n(
    exec, "sorted_search_n",
    detail::sorted_search_job(
      {"the first input", "the second input"}, detail::make_set_inputs(a_first, a_size, b_first, b_size),
      detail::joint_search_output(a_out), detail::joint_search_output(b_out), comp,
      detail::match_counts_of(d_match_counts)));
  return {a_size, b_size};
}

/// @}
MGPU_THRUST_NAMESPACE_END

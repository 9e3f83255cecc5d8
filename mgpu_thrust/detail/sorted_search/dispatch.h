// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The one dispatch path from the Thrust-style interface of the sorted searches to their backends.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/host_or_device.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/sorted_search/cpu.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sorted_search/cuda.cuh>
#endif

#include <thrust/pair.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Names of an algorithm and its two ranges in error messages.
struct search_names
{
  const char* algorithm;
  const char* a;
  const char* b;
};

/// The outputs of a search, advanced past its results.
template <class OutputA, class OutputB>
struct search_ends
{
  OutputA a;
  OutputB b;
};

/// The end of an output of a joint search with `count` results.
template <class Iterator, class Output>
MGPU_THRUST_HOST_DEVICE Iterator joint_search_end(Iterator first, const Output& end, std::int64_t count)
{
  if constexpr (Output::is_wanted)
  {
    return detail::rewrap(first, end.result);
  }
  else
  {
    return first + count;
  }
}

template <class Policy, class A, class B, class OutputA, class OutputB, class Compare, class MatchCounts>
search_ends<OutputA, OutputB> sorted_search_from_host(
  Policy& policy, search_names names, A a_first, A a_last, B b_first, B b_last, OutputA a_output, OutputB b_output,
  Compare comp, MatchCounts match_counts)
{
  const set_inputs inputs{detail::unwrap(a_first), no_values{}, static_cast<std::int64_t>(a_last - a_first),
                          detail::unwrap(b_first), no_values{}, static_cast<std::int64_t>(b_last - b_first)};
  detail::check_size(names.algorithm, names.a, inputs.a_count);
  detail::check_size(names.algorithm, names.b, inputs.b_count);
  detail::check_total_size(names.algorithm, inputs.a_count, inputs.b_count);
  detail::check_index_range(names.algorithm, inputs.b_count, OutputA::largest);
  detail::check_index_range(names.algorithm, inputs.a_count, OutputB::largest);
  detail::check_sorted(policy, names.algorithm, names.a, inputs.a, inputs.a_count, comp);
  detail::check_sorted(policy, names.algorithm, names.b, inputs.b, inputs.b_count, comp);
  detail::run_sorted_search(
    backend_t<Policy>{}, policy, names.algorithm, inputs, a_output, b_output, comp, match_counts);
  return {a_output, b_output};
}

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class A, class B, class OutputA, class OutputB, class Compare, class MatchCounts>
MGPU_THRUST_HOST_DEVICE search_ends<OutputA, OutputB> sorted_search_in_thread(
  A a_first, A a_last, B b_first, B b_last, OutputA a_output, OutputB b_output, Compare comp, MatchCounts match_counts)
{
  const set_inputs inputs{detail::unwrap(a_first), no_values{}, static_cast<std::int64_t>(a_last - a_first),
                          detail::unwrap(b_first), no_values{}, static_cast<std::int64_t>(b_last - b_first)};
  constexpr bool counts = !std::is_same_v<MatchCounts, std::nullptr_t>;
  std::int64_t matches[2] = {0, 0};
  detail::search_piece<counts>(inputs, {0, 0}, {inputs.a_count, inputs.b_count}, a_output, b_output, comp, matches);
  if constexpr (counts)
  {
    (*match_counts)[0] = matches[0];
    (*match_counts)[1] = matches[1];
  }
  return {a_output, b_output};
}

/// Finds the lower bound of every element of A in B, and the upper bound of every element of B in A, as far as their
/// outputs are wanted; *match_counts, unless it is nullptr, receives the numbers of elements of A and of B that have an
/// equal one in the other range.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class A, class B, class OutputA, class OutputB, class Compare, class MatchCounts>
MGPU_THRUST_HOST_DEVICE search_ends<OutputA, OutputB> sorted_search_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] search_names names, A a_first, A a_last, B b_first,
  B b_last, OutputA a_output, OutputB b_output, Compare comp, MatchCounts match_counts)
{
  detail::check_iterators<backend_t<Policy>, typename OutputA::iterator, A, B>();
  detail::check_iterators<backend_t<Policy>, typename OutputB::iterator, A, B>();
  detail::check_order<Compare, A, B>();
  const auto order = detail::as_order<A, B>(comp);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::sorted_search_from_host(
      detail::derived(policy), names, a_first, a_last, b_first, b_last, a_output, b_output, order, match_counts)),
    (detail::sorted_search_in_thread(a_first, a_last, b_first, b_last, a_output, b_output, order, match_counts)))
}

/// Executes sorted_search; match_counts is nullptr or points to two integers.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class A, class B, class OutA, class OutB, class Compare, class MatchCounts>
MGPU_THRUST_HOST_DEVICE thrust::pair<OutA, OutB> joint_search(
  const thrust::execution_policy<Policy>& policy, A a_first, A a_last, B b_first, B b_last, OutA a_out, OutB b_out,
  Compare comp, MatchCounts match_counts)
{
  const auto ends = detail::sorted_search_entry(
    policy, {"sorted_search", "the first input", "the second input"}, a_first, a_last, b_first, b_last,
    detail::joint_search_output(a_out), detail::joint_search_output(b_out), comp, match_counts);
  return {
    detail::joint_search_end(a_out, ends.a, a_last - a_first),
    detail::joint_search_end(b_out, ends.b, b_last - b_first)};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

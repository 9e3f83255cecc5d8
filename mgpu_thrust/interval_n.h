// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Interval operations on items and intervals whose numbers may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/segments/cpu.h>
#include <mgpu_thrust/detail/segments/job.h>
#include <mgpu_thrust/detail/segments/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segments/launch.cuh>
#endif

#include <thrust/execution_policy.h>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// interval_expand of interval.h: writes the value of every interval as many times as the interval is long.
///
/// @param exec                        execution policy
/// @param num_items                   total length of all intervals
/// @param offsets_first,num_intervals the intervals' offsets, and their number: n if there are n + 1 offsets, as in CSR
/// @param values_first                start of the values, one for each interval
/// @param result                      start of the output, with room for num_items elements
/// @return num_items
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> offsets{0, 3, 3, 4}; // intervals of 3, 0, 1 and 2 items
/// const std::vector<char> values{'a', 'b', 'c', 'd'};
/// const int num_items = 6;
/// std::vector<char> out(8, '-');
/// mgpu::interval_expand_n(
///   thrust::host, mgpu::deferred{&num_items, 8}, offsets.begin(), 4, values.begin(), out.begin());
/// assert((out == std::vector<char>{'a', 'a', 'a', 'c', 'd', 'd', '-', '-'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class NumItems, class Offsets, class NumIntervals, class ValueIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE NumItems interval_expand_n(
  const thrust::execution_policy<Policy>& exec, NumItems num_items, Offsets offsets_first, NumIntervals num_intervals,
  ValueIterator values_first, OutputIterator result)
{
  detail::execute_n(
    exec, "interval_expand_n",
    detail::segments_job(
      detail::segment_transform{detail::value_of_segment{}, detail::unwrap(values_first), detail::unwrap(result)},
      detail::make_segments_n(num_items, offsets_first, num_intervals), result));
  return num_items;
}

/// interval_gather of interval.h: copies intervals from any positions of an input to consecutive positions of the
/// output.
///
/// @param exec                        execution policy
/// @param num_items                   total length of all intervals
/// @param offsets_first,num_intervals the intervals' offsets, and their number: n if there are n + 1 offsets, as in CSR
/// @param gather_first                start of the indices of the intervals' first elements in the input
/// @param input                       start of the input
/// @param result                      start of the output, with room for num_items elements
/// @return num_items
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> input{'a', 'b', 'c', 'd', 'e', 'f'};
/// const std::vector<int> offsets{0, 3, 3}, gather{2, 0, 4}; // c d e; nothing; e f
/// const int num_items = 5;
/// std::vector<char> out(6, '-');
/// mgpu::interval_gather_n(
///   thrust::host, mgpu::deferred{&num_items, 6}, offsets.begin(), 3, gather.begin(), input.begin(), out.begin());
/// assert((out == std::vector<char>{'c', 'd', 'e', 'e', 'f', '-'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class NumItems, class Offsets, class NumIntervals, class GatherIterator, class InputIterator,
  class OutputIterator>
MGPU_THRUST_HOST_DEVICE NumItems interval_gather_n(
  const thrust::execution_policy<Policy>& exec, NumItems num_items, Offsets offsets_first, NumIntervals num_intervals,
  GatherIterator gather_first, InputIterator input, OutputIterator result)
{
  detail::execute_n(
    exec, "interval_gather_n",
    detail::segments_job(
      detail::segment_transform{
        detail::element_at_rank{detail::unwrap(input)}, detail::unwrap(gather_first), detail::unwrap(result)},
      detail::make_segments_n(num_items, offsets_first, num_intervals), result));
  return num_items;
}

/// interval_scatter of interval.h: copies consecutive intervals of an input to any positions of the output.
///
/// @param exec                        execution policy
/// @param num_items                   total length of all intervals
/// @param offsets_first,num_intervals the intervals' offsets, and their number: n if there are n + 1 offsets, as in CSR
/// @param scatter_first               start of the indices of the intervals' first elements in the output
/// @param input                       start of the input, of num_items elements
/// @param result                      start of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> input{'a', 'b', 'c', 'd', 'e'};
/// const std::vector<int> offsets{0, 3, 3}, scatter{4, 0, 1}; // a b c; nothing; d e
/// const int num_items = 5;
/// std::vector<char> out(7, '-');
/// mgpu::interval_scatter_n(
///   thrust::host, mgpu::deferred{&num_items, 6}, offsets.begin(), 3, scatter.begin(), input.begin(), out.begin());
/// assert((out == std::vector<char>{'-', 'd', 'e', '-', 'a', 'b', 'c'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class NumItems, class Offsets, class NumIntervals, class ScatterIterator, class InputIterator,
  class OutputIterator>
MGPU_THRUST_HOST_DEVICE void interval_scatter_n(
  const thrust::execution_policy<Policy>& exec, NumItems num_items, Offsets offsets_first, NumIntervals num_intervals,
  ScatterIterator scatter_first, InputIterator input, OutputIterator result)
{
  detail::execute_n(
    exec, "interval_scatter_n",
    detail::segments_job(
      detail::segment_copy{
        detail::no_values{}, detail::unwrap(scatter_first), detail::unwrap(input), detail::unwrap(result)},
      detail::make_segments_n(num_items, offsets_first, num_intervals), detail::nothing{}));
}

/// interval_move of interval.h: copies intervals from any positions of an input to any positions of the output.
///
/// @param exec                        execution policy
/// @param num_items                   total length of all intervals
/// @param offsets_first,num_intervals the intervals' offsets, and their number: n if there are n + 1 offsets, as in CSR
/// @param gather_first                start of the indices of the intervals' first elements in the input
/// @param scatter_first               start of the indices of the intervals' first elements in the output
/// @param input                       start of the input
/// @param result                      start of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> input{'a', 'b', 'c', 'd', 'e', 'f'};
/// const std::vector<int> offsets{0, 3, 3}, gather{2, 0, 4}, scatter{4, 0, 1}; // c d e; nothing; e f
/// const int num_items = 5;
/// std::vector<char> out(7, '-');
/// mgpu::interval_move_n(
///   thrust::host, mgpu::deferred{&num_items, 6}, offsets.begin(), 3, gather.begin(), scatter.begin(), input.begin(),
///   out.begin());
/// assert((out == std::vector<char>{'-', 'e', 'f', '-', 'c', 'd', 'e'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class NumItems, class Offsets, class NumIntervals, class GatherIterator, class ScatterIterator,
  class InputIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE void interval_move_n(
  const thrust::execution_policy<Policy>& exec, NumItems num_items, Offsets offsets_first, NumIntervals num_intervals,
  GatherIterator gather_first, ScatterIterator scatter_first, InputIterator input, OutputIterator result)
{
  detail::execute_n(
    exec, "interval_move_n",
    detail::segments_job(
      detail::segment_copy{
        detail::unwrap(gather_first), detail::unwrap(scatter_first), detail::unwrap(input), detail::unwrap(result)},
      detail::make_segments_n(num_items, offsets_first, num_intervals), detail::nothing{}));
}

/// @}
MGPU_THRUST_NAMESPACE_END

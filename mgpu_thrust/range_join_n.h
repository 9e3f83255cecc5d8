// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Range joins of points and intervals whose numbers may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/join/cpu.h>
#include <mgpu_thrust/detail/join/job.h>
#include <mgpu_thrust/detail/join/ranges/cpu.h>
#include <mgpu_thrust/detail/join/ranges/intervals.h>
#include <mgpu_thrust/detail/join/ranges/job.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/range_bounds.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/join/ranges/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// range_join of range_join.h: writes the index of each point in each interval, and the index of the interval.
///
/// @param exec                    execution policy
/// @param points_first,num_points the sorted points. On a GPU there must be fewer than 2^45 if num_points *
///                                num_begins is 2^63 or more
/// @param begins_first,num_begins the begins of the intervals, in any order
/// @param ends_first              the ends of the intervals, as many as there are begins
/// @param points_result           start of the output of the indices of points
/// @param intervals_result        start of the output of the indices of intervals
/// @param rows_capacity           the number of rows that both outputs have room for, 0 or more
/// @param d_count                 receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                    strict weak order of the points, by which they are compared with begins and ends
/// @param bounds                  closed_open, closed, open or open_closed
/// @return the number of rows that were written: the count is that of all rows, the capacity rows_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> points{1, 3, 3, 5, 8}, begins{3, 0, 6}, ends{8, 2, 7};
/// std::vector<int> i(2), j(2);
/// const int num_begins = 3; // stands for what an earlier call stores
/// std::int64_t rows = 0;
/// mgpu::range_join_n(
///   thrust::host, points.begin(), 5, begins.begin(), mgpu::deferred{&num_begins, 3}, ends.begin(), i.begin(),
///   j.begin(), 2, &rows);
/// assert(rows == 4); // of which two had room
/// assert((i == std::vector<int>{1, 2} && j == std::vector<int>{0, 0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class PointIterator, class NumPoints, class BeginIterator, class NumBegins, class EndIterator,
  class PointIndices, class IntervalIndices, class CountPointer, class Compare = ::cuda::std::less<>,
  class Bounds = closed_open_t>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> range_join_n(
  const thrust::execution_policy<Policy>& exec, PointIterator points_first, NumPoints num_points,
  BeginIterator begins_first, NumBegins num_begins, EndIterator ends_first, PointIndices points_result,
  IntervalIndices intervals_result, std::int64_t rows_capacity, CountPointer d_count, Compare comp = {},
  [[maybe_unused]] Bounds bounds = {})
{
  return detail::execute_n(
    exec, "range_join_n",
    detail::join_job(
      detail::range_join_t<Bounds>{},
      detail::make_interval_inputs(points_first, num_points, begins_first, num_begins, ends_first),
      detail::join_result_within{intervals_result, points_result, rows_capacity}, comp),
    d_count);
}

/// range_join_size of range_join.h: counts the rows and writes nothing else.
///
/// @param exec                    execution policy
/// @param points_first,num_points the sorted points
/// @param begins_first,num_begins the begins of the intervals, in any order
/// @param ends_first              the ends of the intervals, as many as there are begins
/// @param d_count                 receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                    strict weak order of the points, by which they are compared with begins and ends
/// @param bounds                  closed_open, closed, open or open_closed
/// @return the number of rows; its capacity is num_points * num_begins, or 2^63 - 1 if that is less
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> points{1, 3, 3, 5, 8}, begins{3, 0, 6}, ends{8, 2, 7};
/// std::int64_t count = 3; // of the intervals, then of the rows
/// mgpu::range_join_size_n(
///   thrust::host, points.begin(), 5, begins.begin(), mgpu::deferred{&count, 3}, ends.begin(), &count);
/// assert(count == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class PointIterator, class NumPoints, class BeginIterator, class NumBegins, class EndIterator,
  class CountPointer, class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> range_join_size_n(
  const thrust::execution_policy<Policy>& exec, PointIterator points_first, NumPoints num_points,
  BeginIterator begins_first, NumBegins num_begins, EndIterator ends_first, CountPointer d_count, Compare comp = {},
  [[maybe_unused]] Bounds bounds = {})
{
  return detail::execute_n(
    exec, "range_join_size_n",
    detail::join_job(
      detail::range_join_t<Bounds>{},
      detail::make_interval_inputs(points_first, num_points, begins_first, num_begins, ends_first),
      detail::saturating_join_size{}, comp),
    d_count);
}

/// range_count of range_join.h: writes the number of points in each interval.
///
/// @param exec                    execution policy
/// @param points_first,num_points the sorted points
/// @param begins_first,num_begins the begins of the intervals, in any order
/// @param ends_first              the ends of the intervals, as many as there are begins
/// @param counts_result           start of the output, of a number for each interval
/// @param comp                    strict weak order of the points, by which they are compared with begins and ends
/// @param bounds                  closed_open, closed, open or open_closed
/// @return num_begins
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> points{1, 3, 3, 5, 8}, begins{3, 0, 6}, ends{8, 2, 7};
/// const int count = 2; // of the intervals
/// std::vector<int> counts(3, -1);
/// mgpu::range_count_n(
///   thrust::host, points.begin(), 5, begins.begin(), mgpu::deferred{&count, 3}, ends.begin(), counts.begin());
/// assert((counts == std::vector<int>{3, 1, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class PointIterator, class NumPoints, class BeginIterator, class NumBegins, class EndIterator,
  class CountIterator, class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
MGPU_THRUST_HOST_DEVICE NumBegins range_count_n(
  const thrust::execution_policy<Policy>& exec, PointIterator points_first, NumPoints num_points,
  BeginIterator begins_first, NumBegins num_begins, EndIterator ends_first, CountIterator counts_result,
  Compare comp = {}, [[maybe_unused]] Bounds bounds = {})
{
  detail::execute_n(
    exec, "range_count_n",
    detail::range_count_job(
      detail::range_join_t<Bounds>{},
      detail::make_interval_inputs(points_first, num_points, begins_first, num_begins, ends_first),
      detail::count_output(counts_result), comp));
  return num_begins;
}

/// @}
MGPU_THRUST_NAMESPACE_END

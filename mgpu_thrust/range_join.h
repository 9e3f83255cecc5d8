// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup range_join Range joins
/// Joins of sorted points with intervals in any order: a row for each point in each interval, the number of these rows,
/// and the number of points in each interval.
///
/// Policies, iterators, comparators, thread safety and exceptions are as for the set operations of
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Semantics.** Interval i lies between two values, begins[i] and ends[i], and has the points between them. Bounds
/// tell whether it has the points that equal them:
///
///     bounds        an interval has the points p with
///     closed_open   begin <= p < end, the default
///     closed        begin <= p <= end
///     open          begin < p < end
///     open_closed   begin < p <= end
///
/// An interval whose end is before its begin has none. Intervals may overlap, contain each other, and be equal. Points
/// are sorted by `comp`. Begins, ends and points may have three types: `comp` is called with two elements of one range,
/// and with a point and a begin or an end, in either order, but never with a begin and an end.
///
/// A row is the index of a point and the index of an interval that has it. Rows are in the order of intervals. Those of
/// an interval are in the order of its points, which are neighbours.
///
/// **Outputs** receive indices in their value type, an integer of up to 8 bytes; an output without a value type (a
/// transform output or back-insert iterator) receives std::int64_t. std::length_error if that type cannot hold the
/// index of the last point or interval, or, where points are counted, the number of all points; or if there are
/// 2^63 - 1 rows or more. Nothing is written then. Where the comparator or an iterator threw, outputs may hold
/// unspecified values.
///
/// **Size.** There are up to points * intervals rows. range_join_size counts them; a range_join_plan searches once,
/// reports their number, and then writes them, all at once or some at a time.
///
/// **Complexity.** O(rows), and O(intervals * log(points)) for the searches, however the rows are divided among the
/// intervals. Of neighbouring intervals whose begins ascend, the search for one starts near the one before, and so of
/// ends: where all ascend it is O(intervals + points). Few intervals take their own time, and most points are not read.
///
/// **Temporary storage.** From the policy's allocator: 40 bytes for each 1024 intervals on a CPU; on a GPU some 50
/// bytes for each 256 to 2048 intervals. range_count needs none; thrust::seq and thrust::cpp::par need none, except for
/// a range_join_plan.
///
/// **Synchronisation.** A CUDA policy synchronises its stream once, to obtain the number of rows; par_nosync too. The
/// size of the result of range_count is known: under `thrust::cuda::par_nosync` it is enqueued and not waited for, so
/// the inputs and the output must live until the stream has completed it.
///
/// **Aliasing.** An output must not overlap an input or the other output.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (points that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs) the result is unspecified, but the call ends, and if the elements are trivially copyable
/// it reads nothing outside of its inputs and writes nothing outside of the room that is stated for its outputs; for
/// other elements the behaviour is undefined. A range join never writes more rows than range_join_size counts under the
/// same policy.
///
/// **Source.** Ours: the points of an interval lie between two bounds, and rows are written as those of other joins.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/prepared_job.h>
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
#include <thrust/pair.h>

#include <cuda/std/functional>

#include <cstdint>
#include <memory>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup range_join
/// @{

/// Writes the index of each point in each interval, and the index of the interval.
///
/// @param exec                     execution policy
/// @param points_first,points_last the sorted points
/// @param begins_first,begins_last the begins of the intervals, in any order
/// @param ends_first               the ends of the intervals, as many as there are begins
/// @param points_result            start of the output of the indices of points
/// @param intervals_result         start of the output of the indices of intervals
/// @param comp                     strict weak order of the points, by which they are compared with begins and ends
/// @param bounds                   closed_open, closed, open or open_closed
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> points{1, 3, 3, 5, 8}, begins{3, 0, 6}, ends{8, 2, 7};
/// std::vector<int> i(4), j(4);
/// mgpu::range_join(
///   thrust::host, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), i.begin(), j.begin());
/// assert((i == std::vector<int>{1, 2, 3, 0})); // points 3, 3 and 5 are in [3, 8), and point 1 is in [0, 2)
/// assert((j == std::vector<int>{0, 0, 0, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class PointIterator, class BeginIterator, class EndIterator, class PointIndices, class IntervalIndices,
  class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
MGPU_THRUST_HOST_DEVICE thrust::pair<PointIndices, IntervalIndices> range_join(
  const thrust::execution_policy<Policy>& exec, PointIterator points_first, PointIterator points_last,
  BeginIterator begins_first, BeginIterator begins_last, EndIterator ends_first, PointIndices points_result,
  IntervalIndices intervals_result, Compare comp = {}, [[maybe_unused]] Bounds bounds = {})
{
  const auto ends = detail::execute(
    exec, "range_join",
    detail::join_job(
      detail::range_join_t<Bounds>{},
      detail::inputs_of_intervals(points_first, points_last, begins_first, begins_last, ends_first),
      detail::join_result{intervals_result, points_result}, comp));
  return {ends.second, ends.first};
}

/// range_join on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class PointIterator, class BeginIterator, class EndIterator, class PointIndices, class IntervalIndices,
  class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
MGPU_THRUST_HOST_DEVICE thrust::pair<PointIndices, IntervalIndices> range_join(
  PointIterator points_first, PointIterator points_last, BeginIterator begins_first, BeginIterator begins_last,
  EndIterator ends_first, PointIndices points_result, IntervalIndices intervals_result, Compare comp = {},
  Bounds bounds = {})
{
  return mgpu::range_join(
    detail::system_policy_t<PointIterator, BeginIterator, EndIterator, PointIndices, IntervalIndices>{}, points_first,
    points_last, begins_first, begins_last, ends_first, points_result, intervals_result, comp, bounds);
}

/// Returns the number of rows of range_join.
///
/// @param exec                     execution policy
/// @param points_first,points_last the sorted points
/// @param begins_first,begins_last the begins of the intervals, in any order
/// @param ends_first               the ends of the intervals, as many as there are begins
/// @param comp                     strict weak order of the points, by which they are compared with begins and ends
/// @param bounds                   closed_open, closed, open or open_closed
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> points{1, 3, 3, 5, 8}, begins{3, 0, 6}, ends{8, 2, 7};
/// assert(mgpu::range_join_size(
///          thrust::host, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin()) == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class PointIterator, class BeginIterator, class EndIterator, class Compare = ::cuda::std::less<>,
  class Bounds = closed_open_t>
MGPU_THRUST_HOST_DEVICE std::int64_t range_join_size(
  const thrust::execution_policy<Policy>& exec, PointIterator points_first, PointIterator points_last,
  BeginIterator begins_first, BeginIterator begins_last, EndIterator ends_first, Compare comp = {},
  [[maybe_unused]] Bounds bounds = {})
{
  return detail::execute(
    exec, "range_join_size",
    detail::join_job(
      detail::range_join_t<Bounds>{},
      detail::inputs_of_intervals(points_first, points_last, begins_first, begins_last, ends_first),
      detail::join_size{}, comp));
}

/// range_join_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class PointIterator, class BeginIterator, class EndIterator, class Compare = ::cuda::std::less<>,
  class Bounds = closed_open_t>
MGPU_THRUST_HOST_DEVICE std::int64_t range_join_size(
  PointIterator points_first, PointIterator points_last, BeginIterator begins_first, BeginIterator begins_last,
  EndIterator ends_first, Compare comp = {}, Bounds bounds = {})
{
  return mgpu::range_join_size(
    detail::system_policy_t<PointIterator, BeginIterator, EndIterator>{}, points_first, points_last, begins_first,
    begins_last, ends_first, comp, bounds);
}

/// Writes the number of points in each interval.
///
/// @param exec                     execution policy
/// @param points_first,points_last the sorted points
/// @param begins_first,begins_last the begins of the intervals, in any order
/// @param ends_first               the ends of the intervals, as many as there are begins
/// @param counts_result            start of the output, of a number for each interval
/// @param comp                     strict weak order of the points, by which they are compared with begins and ends
/// @param bounds                   closed_open, closed, open or open_closed
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> points{1, 3, 3, 5, 8}, begins{3, 0, 6}, ends{8, 2, 7};
/// std::vector<int> counts(3);
/// mgpu::range_count(
///   thrust::host, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin(), counts.begin(),
///   cuda::std::less<>{}, mgpu::closed);
/// assert((counts == std::vector<int>{4, 1, 0})); // 3, 3, 5 and 8 are in [3, 8]
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class PointIterator, class BeginIterator, class EndIterator, class CountIterator,
  class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
MGPU_THRUST_HOST_DEVICE CountIterator range_count(
  const thrust::execution_policy<Policy>& exec, PointIterator points_first, PointIterator points_last,
  BeginIterator begins_first, BeginIterator begins_last, EndIterator ends_first, CountIterator counts_result,
  Compare comp = {}, [[maybe_unused]] Bounds bounds = {})
{
  const auto end = detail::execute(
    exec, "range_count",
    detail::range_count_job(
      detail::range_join_t<Bounds>{},
      detail::inputs_of_intervals(points_first, points_last, begins_first, begins_last, ends_first),
      detail::count_output(counts_result), comp));
  return detail::rewrap(counts_result, end.result);
}

/// range_count on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class PointIterator, class BeginIterator, class EndIterator, class CountIterator, class Compare = ::cuda::std::less<>,
  class Bounds = closed_open_t>
MGPU_THRUST_HOST_DEVICE CountIterator range_count(
  PointIterator points_first, PointIterator points_last, BeginIterator begins_first, BeginIterator begins_last,
  EndIterator ends_first, CountIterator counts_result, Compare comp = {}, Bounds bounds = {})
{
  return mgpu::range_count(
    detail::system_policy_t<PointIterator, BeginIterator, EndIterator, CountIterator>{}, points_first, points_last,
    begins_first, begins_last, ends_first, counts_result, comp, bounds);
}

/// @}

/// Plan of a range join that has been searched once and can be written any number of times: all at once, or some rows
/// at a time, for results that do not fit in memory. The rows are those of range_join.
///
/// It holds copies of the policy, the iterators and the comparator, and, from the policy's allocator, where the rows of
/// tiles of intervals are written; not the rows. The inputs must stay as they are, and the allocator alive, until the
/// plan is destroyed. Under thrust::cuda::par_nosync destroy it when the stream has completed what it wrote, unless the
/// allocator frees memory in stream order. It can be moved, and is called from host code only.
///
/// The constructor searches, and waits for the result. It throws what the functions throw for their inputs.
///
/// @code{.cpp}
/// const std::vector<int> points{1, 3, 3, 5, 8}, begins{3, 0, 6}, ends{8, 2, 7};
/// mgpu::range_join_plan plan(
///   thrust::host, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin());
/// assert(plan.size() == 4);
/// std::vector<int> i(3), j(3);
/// plan.fill(0, 3, i.begin(), j.begin()); // the first three rows
/// assert((i == std::vector<int>{1, 2, 3} && j == std::vector<int>{0, 0, 0}));
/// plan.fill(3, 4, i.begin(), j.begin()); // the last one
/// assert(i[0] == 0 && j[0] == 1);
/// @endcode
///
/// @since 1.0
template <
  class Policy, class PointIterator, class BeginIterator, class EndIterator, class Compare = ::cuda::std::less<>,
  class Bounds = closed_open_t>
class range_join_plan
{
public:
  /// Searches for the intervals, and waits for the result.
  ///
  /// @param exec                     execution policy, of the search and of later writes
  /// @param points_first,points_last the sorted points
  /// @param begins_first,begins_last the begins of the intervals, in any order
  /// @param ends_first               the ends of the intervals, as many as there are begins
  /// @param comp                     strict weak order of the points, by which they are compared with begins and ends
  /// @param bounds                   closed_open, closed, open or open_closed
  range_join_plan(
    const thrust::execution_policy<Policy>& exec, PointIterator points_first, PointIterator points_last,
    BeginIterator begins_first, BeginIterator begins_last, EndIterator ends_first, Compare comp = Compare{},
    [[maybe_unused]] Bounds bounds = Bounds{})
      : join_(std::make_unique<detail::prepared_job<Policy, job>>(
        exec, "range_join_plan",
        job(
          kind{}, detail::inputs_of_intervals(points_first, points_last, begins_first, begins_last, ends_first),
          detail::join_size{}, comp)))
  {
  }

  /// Returns the number of rows.
  std::int64_t size() const
  {
    return join_->count();
  }

  /// Writes all rows.
  ///
  /// @param points_result    random-access output of the indices of points
  /// @param intervals_result random-access output of the indices of intervals
  /// @return the ends of both outputs
  template <class PointIndices, class IntervalIndices>
  thrust::pair<PointIndices, IntervalIndices> fill(PointIndices points_result, IntervalIndices intervals_result) const
  {
    return fill(0, size(), points_result, intervals_result);
  }

  /// Writes the rows from `first_row` up to, but not including, `last_row`, the first of them to the outputs' first
  /// elements. std::invalid_argument unless 0 <= first_row <= last_row <= size(). The work is that of these rows, and
  /// of the tiles that they come from; a GPU also examines each tile, which takes microseconds. Any number of threads
  /// may call it at once. Under thrust::cuda::par_nosync it is enqueued and not waited for: the inputs, the outputs and
  /// the policy's allocator must then live until the stream has completed it.
  ///
  /// @param first_row,last_row the rows' numbers: the first, and the one past the last
  /// @param points_result      random-access output of the indices of points
  /// @param intervals_result   random-access output of the indices of intervals
  /// @return the ends of both outputs
  template <class PointIndices, class IntervalIndices>
  thrust::pair<PointIndices, IntervalIndices> fill(
    std::int64_t first_row, std::int64_t last_row, PointIndices points_result, IntervalIndices intervals_result) const
  {
    const auto ends = join_->execute(
      "range_join_plan::fill", detail::join_rows_job(
                                 kind{}, join_->storage(), join_->job().inputs, {{first_row, last_row}, size()},
                                 detail::join_result{intervals_result, points_result}, join_->job().comp));
    return {ends.second, ends.first};
  }

private:
  using kind = detail::range_join_t<Bounds>;
  using inputs = decltype(detail::inputs_of_intervals(
    std::declval<PointIterator>(), std::declval<PointIterator>(), std::declval<BeginIterator>(),
    std::declval<BeginIterator>(), std::declval<EndIterator>()));
  using job = detail::join_job<kind, inputs, detail::join_size, Compare>;

  std::unique_ptr<detail::prepared_job<Policy, job>> join_;
};

MGPU_THRUST_NAMESPACE_END

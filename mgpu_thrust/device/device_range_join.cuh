// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceRangeJoin: range joins queued on a stream, with temporary storage of the caller or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/join/job.h>
#include <mgpu_thrust/detail/join/launch.cuh>
#include <mgpu_thrust/detail/join/ranges/intervals.h>
#include <mgpu_thrust/detail/join/ranges/job.h>
#include <mgpu_thrust/detail/join/ranges/launch.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/range_bounds.h>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// Joins of points with intervals in device memory, shaped like CUB's device algorithms: they never wait, queue their
/// work on a stream, and can be captured into a CUDA graph.
///
/// Rows writes all rows of range_join in range_join.h, and their number; or, given rows_capacity, the rows that have
/// room and the number of all. RowCount writes the number only, and leaves the offsets of the rows in the temporary
/// storage: SomeRows then writes rows [first_row, first_row + num_rows), as often as you like, for a result that does
/// not fit in memory as a whole, or to allocate what it takes. Counts is range_count.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call. SomeRows has no short form: the storage is what
/// RowCount has left.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_range_join.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int values[] = {1, 3, 3, 5, 8, 3, 0, 8, 2}; // points, then begins, then ends
///   int* points;
///   cudaMalloc(&points, sizeof(values));
///   cudaMemcpy(points, values, sizeof(values), cudaMemcpyHostToDevice);
///   const int* const begins = points + 5;
///   const int* const ends = points + 7;
///   std::int64_t* d_rows;
///   cudaMalloc(&d_rows, sizeof(std::int64_t));
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   void* storage = nullptr;
///   std::size_t bytes = 0;
///   check(mgpu::DeviceRangeJoin::RowCount(storage, bytes, points, 5, begins, 2, ends, d_rows));
///   cudaMalloc(&storage, bytes);
///   check(mgpu::DeviceRangeJoin::RowCount(storage, bytes, points, 5, begins, 2, ends, d_rows));
///   std::int64_t rows;
///   cudaMemcpy(&rows, d_rows, sizeof(rows), cudaMemcpyDeviceToHost);
///   assert(rows == 4);
///   int* out;
///   cudaMalloc(&out, 4 * sizeof(int));
///   // Two rows, from row 2 on.
///   check(mgpu::DeviceRangeJoin::SomeRows(storage, bytes, points, 5, begins, 2, ends, 2, 2, out, out + 2));
///   int two[4];
///   cudaMemcpy(two, out, sizeof(two), cudaMemcpyDeviceToHost);
///   assert(two[0] == 3 && two[1] == 0 && two[2] == 0 && two[3] == 1); // points, then intervals
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size. For SomeRows it is the storage as RowCount,
///                           with the same inputs, comp and bounds, has left it; deferred sizes have the numbers
///                           that RowCount has read
/// @param temp_storage_bytes its size in bytes: some 50 for each tile, of 256 to 2048 intervals; Counts needs none
/// @param points,num_points  random-access iterator that device code can read, and how many points: an integer, 0 or
///                           more, or a mgpu::deferred, which is read when the work is executed. They are sorted by
///                           comp, which is not checked
/// @param begins,num_begins  likewise the begins of the intervals, in any order; their value type may differ
/// @param ends               the ends of the intervals, as many as there are begins; their value type may differ
/// @param points_out         random-access iterator, an element for each row: the index of the point
/// @param intervals_out      likewise, the index of the interval. The outputs must not overlap each other or the
///                           inputs. There are at most num_points * num_begins rows; without a better bound, count
///                           first
/// @param counts_out         Counts only: random-access iterator, an element for each interval. It must not overlap
///                           the inputs, nor a size that is read
/// @param rows_capacity      the number of rows that the outputs have room for, 0 or more. Rows after these are not
///                           written; a number of rows above rows_capacity tells that there are such. There must be
///                           fewer than 2^45 points if num_points * num_begins is 2^63 or more
/// @param first_row,num_rows SomeRows only: first row, and number of rows, 0 or more. Rows past the end are not
///                           written
/// @param d_num_rows_out     pointer to an integer in device memory, whose type can hold rows_capacity; without that,
///                           or if there are more rows, the largest number of its type stands for larger ones. It may
///                           be where a size is read. If that number is 2^63 - 1 or more it receives 2^63 - 1, and no
///                           row is written, except with rows_capacity
/// @param comp               strict weak order on two elements of one range, and on a point and a begin or an end in
///                           either order, called on elements of the inputs only; default: operator<
/// @param bounds             closed_open, closed, open or open_closed
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size or rows_capacity is negative, if the blocks for the intervals
///         are more than the 2^31 - 1 of a grid, if an output's value type cannot hold the indices or counts, if the
///         type of *d_num_rows_out cannot hold rows_capacity, or if temp_storage_bytes is too small; else the error of
///         a launch or, in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws. After
///         cudaErrorInvalidValue nothing was written.
/// @since 1.0
///
/// O(num_begins * log(num_points)) work at most, and O(rows), a block for each tile. Each interval is searched for
/// twice if num_points * num_begins is 2^63 or more and there is no rows_capacity. A deferred size counts as its
/// capacity in all that is said here of errors, storage and passes.
struct DeviceRangeJoin
{
  /// Queues range_join of range_join.h.
  /// @since 1.0
  template <
    class Points, class NumPoints, class Begins, class NumBegins, class Ends, class PointsOut, class IntervalsOut,
    class NumRowsOut, class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
  [[nodiscard]] static cudaError_t Rows(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Points points, NumPoints num_points, Begins begins,
    NumBegins num_begins, Ends ends, PointsOut points_out, IntervalsOut intervals_out, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, [[maybe_unused]] Bounds bounds = Bounds{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        detail::range_join_t<Bounds>{}, detail::make_interval_inputs(points, num_points, begins, num_begins, ends),
        detail::join_result{intervals_out, points_out}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Points, class NumPoints, class Begins, class NumBegins, class Ends, class PointsOut, class IntervalsOut,
    class NumRowsOut, class Compare = ::cuda::std::less<>, class Bounds = closed_open_t, class Env = cudaStream_t,
    class = detail::short_call<Points, Env, NumPoints, NumBegins>, class = detail::if_no_size<PointsOut>>
  [[nodiscard]] static cudaError_t Rows(
    Points points, NumPoints num_points, Begins begins, NumBegins num_begins, Ends ends, PointsOut points_out,
    IntervalsOut intervals_out, NumRowsOut* d_num_rows_out, Compare comp = Compare{}, Bounds bounds = Bounds{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Rows(all...); }, points, num_points, begins, num_begins, ends, points_out,
      intervals_out, d_num_rows_out, comp, bounds);
  }
  /// The same for outputs with room for rows_capacity rows.
  /// @since 1.0
  template <
    class Points, class NumPoints, class Begins, class NumBegins, class Ends, class PointsOut, class IntervalsOut,
    class NumRowsOut, class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
  [[nodiscard]] static cudaError_t Rows(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Points points, NumPoints num_points, Begins begins,
    NumBegins num_begins, Ends ends, PointsOut points_out, IntervalsOut intervals_out, std::int64_t rows_capacity,
    NumRowsOut* d_num_rows_out, Compare comp = Compare{}, [[maybe_unused]] Bounds bounds = Bounds{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        detail::range_join_t<Bounds>{}, detail::make_interval_inputs(points, num_points, begins, num_begins, ends),
        detail::join_result_within{intervals_out, points_out, rows_capacity}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Points, class NumPoints, class Begins, class NumBegins, class Ends, class PointsOut, class IntervalsOut,
    class NumRowsOut, class Compare = ::cuda::std::less<>, class Bounds = closed_open_t, class Env = cudaStream_t,
    class = detail::short_call<Points, Env, NumPoints, NumBegins>, class = detail::if_no_size<PointsOut>>
  [[nodiscard]] static cudaError_t Rows(
    Points points, NumPoints num_points, Begins begins, NumBegins num_begins, Ends ends, PointsOut points_out,
    IntervalsOut intervals_out, std::int64_t rows_capacity, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    Bounds bounds = Bounds{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Rows(all...); }, points, num_points, begins, num_begins, ends, points_out,
      intervals_out, rows_capacity, d_num_rows_out, comp, bounds);
  }
  /// Queues range_join_size of range_join.h.
  /// @since 1.0
  template <
    class Points, class NumPoints, class Begins, class NumBegins, class Ends, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
  [[nodiscard]] static cudaError_t RowCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Points points, NumPoints num_points, Begins begins,
    NumBegins num_begins, Ends ends, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    [[maybe_unused]] Bounds bounds = Bounds{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        detail::range_join_t<Bounds>{}, detail::make_interval_inputs(points, num_points, begins, num_begins, ends),
        detail::join_size{}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Points, class NumPoints, class Begins, class NumBegins, class Ends, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Bounds = closed_open_t, class Env = cudaStream_t,
    class = detail::short_call<Points, Env, NumPoints, NumBegins>>
  [[nodiscard]] static cudaError_t RowCount(
    Points points, NumPoints num_points, Begins begins, NumBegins num_begins, Ends ends, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, Bounds bounds = Bounds{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return RowCount(all...); }, points, num_points, begins, num_begins, ends, d_num_rows_out,
      comp, bounds);
  }
  /// Queues the writing of rows [first_row, first_row + num_rows) of range_join in range_join.h, after RowCount.
  /// @since 1.0
  template <
    class Points, class NumPoints, class Begins, class NumBegins, class Ends, class PointsOut, class IntervalsOut,
    class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
  [[nodiscard]] static cudaError_t SomeRows(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Points points, NumPoints num_points, Begins begins,
    NumBegins num_begins, Ends ends, std::int64_t first_row, std::int64_t num_rows, PointsOut points_out,
    IntervalsOut intervals_out, Compare comp = Compare{}, [[maybe_unused]] Bounds bounds = Bounds{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_rows_job(
        detail::range_join_t<Bounds>{}, nullptr,
        detail::make_interval_inputs(points, num_points, begins, num_begins, ends),
        detail::rows_from(first_row, num_rows), detail::join_result{intervals_out, points_out}, comp),
      detail::no_count, stream);
  }
  /// Queues range_count of range_join.h.
  /// @since 1.0
  template <
    class Points, class NumPoints, class Begins, class NumBegins, class Ends, class CountsOut,
    class Compare = ::cuda::std::less<>, class Bounds = closed_open_t>
  [[nodiscard]] static cudaError_t Counts(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Points points, NumPoints num_points, Begins begins,
    NumBegins num_begins, Ends ends, CountsOut counts_out, Compare comp = Compare{},
    [[maybe_unused]] Bounds bounds = Bounds{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::range_count_job(
        detail::range_join_t<Bounds>{}, detail::make_interval_inputs(points, num_points, begins, num_begins, ends),
        detail::count_output(counts_out), comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Points, class NumPoints, class Begins, class NumBegins, class Ends, class CountsOut,
    class Compare = ::cuda::std::less<>, class Bounds = closed_open_t, class Env = cudaStream_t,
    class = detail::short_call<Points, Env, NumPoints, NumBegins>, class = detail::if_no_size<CountsOut>>
  [[nodiscard]] static cudaError_t Counts(
    Points points, NumPoints num_points, Begins begins, NumBegins num_begins, Ends ends, CountsOut counts_out,
    Compare comp = Compare{}, Bounds bounds = Bounds{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Counts(all...); }, points, num_points, begins, num_begins, ends, counts_out, comp,
      bounds);
  }
};

MGPU_THRUST_NAMESPACE_END

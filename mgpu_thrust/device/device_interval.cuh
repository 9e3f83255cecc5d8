// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceInterval: interval operations queued on a stream, with temporary storage of the caller or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/segments/job.h>
#include <mgpu_thrust/detail/segments/launch.cuh>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// Interval operations in device memory, shaped like CUB's device algorithms: they never wait, queue their work on a
/// stream, and can be captured into a CUDA graph. Each computes what the function of the same name in interval.h
/// computes; intervals and offsets are explained there.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_interval.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int offsets[] = {0, 3, 3, 4}; // intervals of 3, 0, 1 and 2 items
///   const char values[] = {'a', 'b', 'c', 'd'};
///   int* d_offsets;
///   char* d_values; // and the result
///   cudaMalloc(&d_offsets, sizeof(offsets));
///   cudaMalloc(&d_values, 10);
///   cudaMemcpy(d_offsets, offsets, sizeof(offsets), cudaMemcpyHostToDevice);
///   cudaMemcpy(d_values, values, 4, cudaMemcpyHostToDevice);
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceInterval::Expand(6, d_offsets, 4, d_values, d_values + 4));
///   char out[6];
///   cudaMemcpy(out, d_values + 4, 6, cudaMemcpyDeviceToHost);
///   assert(out[0] == 'a' && out[1] == 'a' && out[2] == 'a' && out[3] == 'c' && out[4] == 'd' && out[5] == 'd');
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage        device memory, or nullptr to query its size
/// @param temp_storage_bytes    its size in bytes: up to 8 for each tile of 4096 items, and some more
/// @param num_items             length of all intervals together: an integer, 0 or more, or a mgpu::deferred, which is
///                              read when the work is executed
/// @param offsets,num_intervals a random-access iterator that device code can read, to integers in ascending order from
///                              0 to num_items, the first one 0: where the intervals start. And their number, a
///                              size like num_items; 1 or more if there are items: n if there are n + 1 offsets, as
///                              CUB has them
/// @param values                Expand only: a random-access iterator, a value for each interval
/// @param gather                Gather and Move only: likewise, an integer for each interval: the index of the input's
///                              element that it begins with
/// @param scatter               Scatter and Move only: likewise, the index of the output's element that it begins with
/// @param input                 all but Expand: random-access iterator to elements of any type, num_items of them for
///                              Scatter
/// @param output                random-access iterator; for num_items elements if there is no scatter. It must not
///                              overlap the inputs
/// @param stream                where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                   a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it:
///                              its stream, and its memory resource for the temporary storage. Default: the default
///                              stream. Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if there are items and no interval, if the items
///         are more than a grid of 2^31 - 1 tiles takes, or if temp_storage_bytes is too small; else the error of a
///         launch or, in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws. After an error
///         nothing was written. Where a size is deferred, items without an interval are no error: there are none then.
///         Of deferred sizes it is the capacities that must fit the grid.
/// @since 1.0
///
/// Offsets, gather and scatter are not checked. No two intervals may be written to the same elements. If offsets are
/// wrong, Expand leaves some elements wrong, or not written; the others may read and write out of bounds.
///
/// O(num_items + num_intervals) work, and a bisection of the offsets for each tile.
///
/// Source: S. Baxter: Modern GPU, "IntervalExpand and IntervalMove" (2013).
struct DeviceInterval
{
  /// Queues interval_expand of interval.h.
  /// @since 1.0
  template <class NumItems, class Offsets, class NumIntervals, class Values, class Output>
  [[nodiscard]] static cudaError_t Expand(
    void* d_temp_storage, std::size_t& temp_storage_bytes, NumItems num_items, Offsets offsets,
    NumIntervals num_intervals, Values values, Output output, detail::stream_argument stream = nullptr)
  {
    const detail::segment_transform action{detail::value_of_segment{}, detail::unwrap(values), detail::unwrap(output)};
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segments_job(action, detail::make_segments_n(num_items, offsets, num_intervals), detail::nothing{}),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumIntervals, class Values, class Output, class Env = cudaStream_t,
    class = detail::short_call<NumItems, Env, NumItems, NumIntervals>>
  [[nodiscard]] static cudaError_t Expand(
    NumItems num_items, Offsets offsets, NumIntervals num_intervals, Values values, Output output,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Expand(all...); }, num_items, offsets, num_intervals, values, output);
  }

  /// Queues interval_gather of interval.h.
  /// @since 1.0
  template <class NumItems, class Offsets, class NumIntervals, class Sources, class Input, class Output>
  [[nodiscard]] static cudaError_t Gather(
    void* d_temp_storage, std::size_t& temp_storage_bytes, NumItems num_items, Offsets offsets,
    NumIntervals num_intervals, Sources gather, Input input, Output output, detail::stream_argument stream = nullptr)
  {
    const detail::segment_transform action{
      detail::element_at_rank{detail::unwrap(input)}, detail::unwrap(gather), detail::unwrap(output)};
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segments_job(action, detail::make_segments_n(num_items, offsets, num_intervals), detail::nothing{}),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumIntervals, class Sources, class Input, class Output,
    class Env = cudaStream_t, class = detail::short_call<NumItems, Env, NumItems, NumIntervals>>
  [[nodiscard]] static cudaError_t Gather(
    NumItems num_items, Offsets offsets, NumIntervals num_intervals, Sources gather, Input input, Output output,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Gather(all...); }, num_items, offsets, num_intervals, gather, input, output);
  }

  /// Queues interval_scatter of interval.h.
  /// @since 1.0
  template <class NumItems, class Offsets, class NumIntervals, class Positions, class Input, class Output>
  [[nodiscard]] static cudaError_t Scatter(
    void* d_temp_storage, std::size_t& temp_storage_bytes, NumItems num_items, Offsets offsets,
    NumIntervals num_intervals, Positions scatter, Input input, Output output, detail::stream_argument stream = nullptr)
  {
    return Move(
      d_temp_storage, temp_storage_bytes, num_items, offsets, num_intervals, detail::no_values{}, scatter, input,
      output, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumIntervals, class Positions, class Input, class Output,
    class Env = cudaStream_t, class = detail::short_call<NumItems, Env, NumItems, NumIntervals>>
  [[nodiscard]] static cudaError_t Scatter(
    NumItems num_items, Offsets offsets, NumIntervals num_intervals, Positions scatter, Input input, Output output,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Scatter(all...); }, num_items, offsets, num_intervals, scatter, input, output);
  }

  /// Queues interval_move of interval.h.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumIntervals, class Sources, class Positions, class Input, class Output>
  [[nodiscard]] static cudaError_t Move(
    void* d_temp_storage, std::size_t& temp_storage_bytes, NumItems num_items, Offsets offsets,
    NumIntervals num_intervals, Sources gather, Positions scatter, Input input, Output output,
    detail::stream_argument stream = nullptr)
  {
    const detail::segment_copy action{
      detail::unwrap(gather), detail::unwrap(scatter), detail::unwrap(input), detail::unwrap(output)};
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segments_job(action, detail::make_segments_n(num_items, offsets, num_intervals), detail::nothing{}),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumIntervals, class Sources, class Positions, class Input, class Output,
    class Env = cudaStream_t, class = detail::short_call<NumItems, Env, NumItems, NumIntervals>>
  [[nodiscard]] static cudaError_t Move(
    NumItems num_items, Offsets offsets, NumIntervals num_intervals, Sources gather, Positions scatter, Input input,
    Output output, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Move(all...); }, num_items, offsets, num_intervals, gather, scatter, input,
      output);
  }
};

MGPU_THRUST_NAMESPACE_END

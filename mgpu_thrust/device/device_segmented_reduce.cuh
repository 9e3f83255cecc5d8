// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceSegmentedReduce: reductions of items in segments, queued on a stream, with temporary storage of the caller or
/// of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/launch.cuh>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// Segmented reduction in device memory, shaped like CUB's device algorithms: it never waits, queues its work on a
/// stream, and can be captured into a CUDA graph. It computes what segmented_reduce in segmented_reduce.h computes,
/// where segments, `init` and the operator are explained; the same call always gives the same bits.
///
/// Reduce has two forms. The short one, without the first two parameters, allocates its temporary storage in the order
/// of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_segmented_reduce.cuh>
///
/// #include <thrust/functional.h>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int numbers[] = {0, 3, 3, 4, 5, 1, 8, 2, 7, 1}; // offsets: segments of 3, 0, 1 and 2 items; then the items
///   int* d_numbers;                                       // and the result
///   cudaMalloc(&d_numbers, 14 * sizeof(int));
///   cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
///   const int* const offsets = d_numbers;
///   const int* const items = d_numbers + 4;
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   const thrust::plus<int> sum;
///   check(mgpu::DeviceSegmentedReduce::Reduce(items, 6, offsets, 4, d_numbers + 10, 100, sum));
///   int sums[4];
///   cudaMemcpy(sums, d_numbers + 10, sizeof(sums), cudaMemcpyDeviceToHost);
///   assert(sums[0] == 114 && sums[1] == 100 && sums[2] == 102 && sums[3] == 108);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes: for each tile of 3840 items or 11,520 segments 16 and two values, and
///                           some more; few bytes where segmented_reduce needs none
/// @param items              random-access iterator to the num_items elements to reduce, each converted to T
/// @param num_items          number of items: an integer, 0 or more, or a mgpu::deferred, which is read when the work
///                           is executed
/// @param offsets            random-access iterator to integers in ascending order from 0 to num_items, the first one
///                           0: where the segments start
/// @param num_segments       number of segments, likewise; 1 or more if there are items: n if there are n + 1
///                           offsets, as CUB has them. If deferred sizes say that there are items and no segment,
///                           there are no items
/// @param result             random-access iterator for num_segments values. It must not overlap the inputs
/// @param init               initial value of each segment's reduction, and its result for an empty segment. T is
///                           copied by its bytes, as `mgpu_thrust/segmented_reduce.h` says
/// @param op                 associative; device code calls it as op(T, T), from many threads at once, each of which
///                           has a copy
/// @param stream             where the work is queued
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if there are items and no segment, if they are
///         more than a grid of 2^31 - 1 tiles takes, or if temp_storage_bytes is too small; else the error of a
///         launch or, in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws. After an
///         error nothing was written.
/// @since 1.0
///
/// Offsets are not checked. If they are wrong, results are unspecified, but nothing outside is read or written.
/// O(num_items + num_segments) work, and a search of the offsets for each tile.
///
/// Source: S. Baxter: Modern GPU, "Segmented Reduction" (2013), for what is computed; the method is ours.
struct DeviceSegmentedReduce
{
  /// Queues segmented_reduce of segmented_reduce.h.
  /// @since 1.0
  template <class Items, class NumItems, class Offsets, class NumSegments, class Result, class T, class BinaryOp>
  [[nodiscard]] static cudaError_t Reduce(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Items items, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Result result, T init, BinaryOp op, detail::stream_argument stream = nullptr)
  {
    const detail::segment_reduction reduction{detail::unwrap(items), detail::unwrap(result), init, op};
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segmented_reduce_job(reduction, detail::make_segments_n(num_items, offsets, num_segments), result),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Items, class NumItems, class Offsets, class NumSegments, class Result, class T, class BinaryOp,
    class Env = cudaStream_t, class = detail::short_call<Items, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t Reduce(
    Items items, NumItems num_items, Offsets offsets, NumSegments num_segments, Result result, T init, BinaryOp op,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Reduce(all...); }, items, num_items, offsets, num_segments, result, init, op);
  }
};

MGPU_THRUST_NAMESPACE_END

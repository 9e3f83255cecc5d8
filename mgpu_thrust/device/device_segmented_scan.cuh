// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceSegmentedScan: scans of items in segments, queued on a stream, with temporary storage of the caller or of an
/// environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/segmented_scan/job.h>
#include <mgpu_thrust/detail/segmented_scan/launch.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>

MGPU_THRUST_NAMESPACE_BEGIN

/// Segmented scans in device memory, shaped like CUB's device algorithms: they never wait, queue their work on a
/// stream, and can be captured into a CUDA graph. They compute what the functions in segmented_scan.h compute, where
/// segments, `init`, the accumulator types and the operator are explained; the same call always gives the same bits.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_segmented_scan.cuh>
///
/// #include <thrust/functional.h>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int numbers[] = {0, 3, 3, 4, 5, 1, 8, 2, 7, 1}; // offsets: segments of 3, 0, 1 and 2 items; then the items
///   int* d_numbers;
///   cudaMalloc(&d_numbers, sizeof(numbers));
///   cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
///   const int* const offsets = d_numbers;
///   int* const items = d_numbers + 4; // and the results
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   const thrust::plus<int> sum;
///   check(mgpu::DeviceSegmentedScan::InclusiveScan(items, 6, offsets, 4, items, sum));
///   int sums[6];
///   cudaMemcpy(sums, items, sizeof(sums), cudaMemcpyDeviceToHost);
///   assert(sums[0] == 5 && sums[1] == 6 && sums[2] == 14 && sums[3] == 2 && sums[4] == 7 && sums[5] == 8);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes: for each tile 16 and twice the size of a value, and some more; few
///                           bytes for one tile
/// @param items              random-access iterator to the num_items elements to scan
/// @param num_items          number of items: an integer, 0 or more, or a mgpu::deferred, which is read when the work
///                           is executed
/// @param offsets            random-access iterator to integers in ascending order from 0 to num_items, the first one
///                           0: where the segments start
/// @param num_segments       number of segments, likewise; 1 or more if there are items: n if there are n + 1
///                           offsets, as CUB has them. If deferred sizes say that there are items and no segment,
///                           there are no items
/// @param result             random-access iterator for num_items values; may be `items`. Otherwise it must not overlap
///                           the inputs
/// @param init               InclusiveScanInit and ExclusiveScan only: leftmost operand in every segment. The
///                           accumulator type, in ExclusiveScan that of init, is copied by its bytes, as
///                           `mgpu_thrust/segmented_scan.h` says
/// @param op                 associative; device code calls it from many threads at once, each of which has a copy
/// @param stream             where the work is queued
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if there are items and no segment, if they are
///         more than a grid of 2^31 - 1 tiles takes, or if temp_storage_bytes is too small; else the error of a launch
///         or, in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws. After an error
///         nothing was written
/// @since 1.0
///
/// Offsets are not checked. If they are wrong, results are unspecified, but nothing outside is read or written.
/// O(num_items + num_segments) work, and a search of the offsets for each tile.
///
/// Source: S. Sengupta, M. Harris, Y. Zhang, J. D. Owens: "Scan Primitives for GPU Computing" (2007), for what is
/// computed; the method is ours.
struct DeviceSegmentedScan
{
  /// Queues segmented_inclusive_scan of segmented_scan.h.
  /// @since 1.0
  template <class Items, class NumItems, class Offsets, class NumSegments, class Result, class BinaryOp>
  [[nodiscard]] static cudaError_t InclusiveScan(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Items items, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Result result, BinaryOp op, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::make_inclusive_scan_job(items, detail::make_segments_n(num_items, offsets, num_segments), result, op),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Items, class NumItems, class Offsets, class NumSegments, class Result, class BinaryOp,
    class Env = cudaStream_t, class = detail::short_call<Items, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t InclusiveScan(
    Items items, NumItems num_items, Offsets offsets, NumSegments num_segments, Result result, BinaryOp op,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return InclusiveScan(all...); }, items, num_items, offsets, num_segments, result, op);
  }

  /// Queues segmented_inclusive_scan with `init`.
  /// @since 1.0
  template <class Items, class NumItems, class Offsets, class NumSegments, class Result, class Init, class BinaryOp>
  [[nodiscard]] static cudaError_t InclusiveScanInit(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Items items, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Result result, Init init, BinaryOp op, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::make_inclusive_scan_job(
        items, detail::make_segments_n(num_items, offsets, num_segments), result, init, op),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Items, class NumItems, class Offsets, class NumSegments, class Result, class Init, class BinaryOp,
    class Env = cudaStream_t, class = detail::short_call<Items, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t InclusiveScanInit(
    Items items, NumItems num_items, Offsets offsets, NumSegments num_segments, Result result, Init init, BinaryOp op,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return InclusiveScanInit(all...); }, items, num_items, offsets, num_segments, result,
      init, op);
  }

  /// Queues segmented_exclusive_scan of segmented_scan.h.
  /// @since 1.0
  template <class Items, class NumItems, class Offsets, class NumSegments, class Result, class T, class BinaryOp>
  [[nodiscard]] static cudaError_t ExclusiveScan(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Items items, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Result result, T init, BinaryOp op, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::make_exclusive_scan_job(
        items, detail::make_segments_n(num_items, offsets, num_segments), result, init, op),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Items, class NumItems, class Offsets, class NumSegments, class Result, class T, class BinaryOp,
    class Env = cudaStream_t, class = detail::short_call<Items, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t ExclusiveScan(
    Items items, NumItems num_items, Offsets offsets, NumSegments num_segments, Result result, T init, BinaryOp op,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return ExclusiveScan(all...); }, items, num_items, offsets, num_segments, result, init,
      op);
  }
};

MGPU_THRUST_NAMESPACE_END

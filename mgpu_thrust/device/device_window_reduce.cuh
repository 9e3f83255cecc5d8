// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceWindowReduce: reductions of sliding windows, queued on a stream, with temporary storage of the caller or of an
/// environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/window_reduce/job.h>
#include <mgpu_thrust/detail/window_reduce/launch.cuh>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>

MGPU_THRUST_NAMESPACE_BEGIN

/// Reductions of sliding windows in device memory, shaped like CUB's device algorithms: they never wait, queue their
/// work on a stream, and can be captured into a CUDA graph. They compute what the functions of window_reduce.h compute,
/// where windows, `init` and the operator are explained; the same call always gives the same bits.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_window_reduce.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int numbers[] = {0, 0, 1, 1, 3, 3, 5, 1, 8}; // the begins and the ends of 3 windows; then 3 items
///   int* d_numbers;                                    // and the results
///   cudaMalloc(&d_numbers, 12 * sizeof(int));
///   cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
///   const int* const begins = d_numbers;
///   const int* const ends = d_numbers + 3;
///   const int* const items = d_numbers + 6;
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceWindowReduce::Reduce(items, 3, begins, 3, ends, d_numbers + 9, 100));
///   int sums[3];
///   cudaMemcpy(sums, d_numbers + 9, sizeof(sums), cudaMemcpyDeviceToHost);
///   assert(sums[0] == 105 && sums[1] == 114 && sums[2] == 109);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes
/// @param items,num_items    random-access iterator that device code can read, and how many: an integer, 0 or more, or
///                           a mgpu::deferred, which is read when the work is executed
/// @param begins             random-access iterator for num_windows integers from 0 to num_items, which ascend: for
///                           each row the index of the first item of its window
/// @param num_windows        number of rows, likewise
/// @param ends               for each row the index of the item after the last one, likewise
/// @param keys               random-access iterator for num_items keys, sorted by comp, which is not checked
/// @param result             random-access iterator, an element for each row. It must not overlap the inputs
/// @param low,high           functions of a key: a row's window has the items whose keys are in [low(key), high(key)]
/// @param init               leftmost operand of every reduction; its type is the accumulator type. T is copied by its
///                           bytes, as `mgpu_thrust/segmented_reduce.h` says
/// @param op                 associative; device code calls it as op(T, T), from many threads at once, each of which
///                           has a copy. Default: plus
/// @param comp               strict weak order of keys and bounds. Default: operator<
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if there are more items and rows than a grid of
///         2^31 - 1 tiles takes, or if temp_storage_bytes is too small; else the error of a launch or, in the short
///         form, of the storage: cudaErrorMemoryAllocation if a resource throws. After an error nothing was written. A
///         deferred size counts as its capacity.
/// @since 1.0
///
/// Bounds are not checked. If they are wrong, results are unspecified, but nothing outside is read or written.
/// O(num_items + num_windows) work, whatever the lengths of the windows.
struct DeviceWindowReduce
{
  /// Queues window_reduce of window_reduce.h.
  /// @since 1.0
  template <
    class Items, class NumItems, class Begins, class NumWindows, class Ends, class Result, class T,
    class BinaryOp = ::cuda::std::plus<>>
  [[nodiscard]] static cudaError_t Reduce(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Items items, NumItems num_items, Begins begins,
    NumWindows num_windows, Ends ends, Result result, T init, BinaryOp op = BinaryOp{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::window_reduce_job(
        detail::segment_reduction{detail::unwrap(items), detail::unwrap(result), init, op},
        detail::make_windows(num_items, begins, num_windows, ends), result),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Items, class NumItems, class Begins, class NumWindows, class Ends, class Result, class T,
    class BinaryOp = ::cuda::std::plus<>, class Env = cudaStream_t,
    class = detail::short_call<Items, Env, NumItems, NumWindows>>
  [[nodiscard]] static cudaError_t Reduce(
    Items items, NumItems num_items, Begins begins, NumWindows num_windows, Ends ends, Result result, T init,
    BinaryOp op = BinaryOp{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Reduce(all...); }, items, num_items, begins, num_windows, ends, result, init, op);
  }

  /// Queues window_reduce_by_range of window_reduce.h.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Items, class Result, class Low, class High, class T,
    class BinaryOp = ::cuda::std::plus<>, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t ReduceByRange(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Items items, Result result,
    Low low, High high, T init, BinaryOp op = BinaryOp{}, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::window_reduce_job(
        detail::segment_reduction{detail::unwrap(items), detail::unwrap(result), init, op},
        detail::make_windows_by_range(keys, num_items, low, high, comp), result),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Items, class Result, class Low, class High, class T,
    class BinaryOp = ::cuda::std::plus<>, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys, Env, NumItems>, class = detail::if_no_size<Result>>
  [[nodiscard]] static cudaError_t ReduceByRange(
    Keys keys, NumItems num_items, Items items, Result result, Low low, High high, T init, BinaryOp op = BinaryOp{},
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return ReduceByRange(all...); }, keys, num_items, items, result, low, high, init, op,
      comp);
  }
};

MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceAsofJoin: as-of joins queued on a stream, with temporary storage of the caller or of an environment.

#include <mgpu_thrust/asof_directions.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/sorted_search/asof_job.h>
#include <mgpu_thrust/detail/sorted_search/launch.cuh>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>

MGPU_THRUST_NAMESPACE_BEGIN

/// As-of joins of sorted ranges in device memory, shaped like CUB's device algorithms: they never wait, queue their
/// work on a stream, and can be captured into a CUDA graph.
///
/// Rows has two forms. The short one, without the first two parameters, allocates its temporary storage in the order of
/// the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_asof_join.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int trades[] = {5, 10, 20}, quotes[] = {7, 10, 10, 26};
///   int* times; // trades, quotes, and the result
///   cudaMalloc(&times, 10 * sizeof(int));
///   cudaMemcpy(times, trades, sizeof(trades), cudaMemcpyHostToDevice);
///   cudaMemcpy(times + 3, quotes, sizeof(quotes), cudaMemcpyHostToDevice);
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceAsofJoin::Rows(times, 3, times + 3, 4, times + 7, mgpu::backward));
///   int rows[3];
///   cudaMemcpy(rows, times + 7, sizeof(rows), cudaMemcpyDeviceToHost);
///   assert(rows[0] == -1 && rows[1] == 2 && rows[2] == 2);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes: 16 for each tile of some thousand elements
/// @param left,num_left      random-access iterator that device code can read, and how many rows: an integer, 0 or
///                           more, or a mgpu::deferred, which is read when the work is executed
/// @param right,num_right    likewise; its value type may differ. Both are sorted by comp, which is not checked
/// @param out                random-access iterator, an element for each left row; for as many as num_left can be,
///                           which is the number of results. It must not overlap the inputs, nor a count that is read
/// @param direction          `mgpu::backward` or another direction of asof_join
/// @param comp               strict weak order on all four combinations of element types, called on elements of the
///                           inputs only; default: operator<
/// @param accept             predicate of a left element and a right one; a right row that it refuses is no match.
///                           Default: `mgpu::accept_any{}`
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if the blocks for both are more than the 2^31 - 1
///         of a grid, if the output's value type cannot hold the indices, or if temp_storage_bytes is too small; else
///         the error of a launch or, in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws.
///         After an error nothing was written. A deferred size counts as its capacity.
/// @since 1.0
///
/// O(num_left + num_right) work, a block for each tile of some thousand; or O(num_left * log(num_right)), a block for
/// each 128 left rows, if there are few.
///
/// Source: S. Baxter: Modern GPU, "Vectorized Sorted Search" (2013), for the search.
struct DeviceAsofJoin
{
  /// Queues asof_join of asof_join.h.
  /// @since 1.0
  template <
    class Left, class NumLeft, class Right, class NumRight, class Out, class Direction,
    class Compare = ::cuda::std::less<>, class Accept = accept_any>
  [[nodiscard]] static cudaError_t Rows(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Left left, NumLeft num_left, Right right, NumRight num_right,
    Out out, Direction direction, Compare comp = Compare{}, Accept accept = Accept{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::asof_job(left, num_left, right, num_right, out, direction, comp, accept), detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Left, class NumLeft, class Right, class NumRight, class Out, class Direction,
    class Compare = ::cuda::std::less<>, class Accept = accept_any, class Env = cudaStream_t,
    class = detail::short_call<Left, Env, NumLeft, NumRight>, class = detail::if_no_size<Direction>>
  [[nodiscard]] static cudaError_t Rows(
    Left left, NumLeft num_left, Right right, NumRight num_right, Out out, Direction direction,
    Compare comp = Compare{}, Accept accept = Accept{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Rows(all...); }, left, num_left, right, num_right, out, direction, comp, accept);
  }
};

MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceSemiJoin: semi and anti joins queued on a stream, with temporary storage of the caller or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/semi_join/job.h>
#include <mgpu_thrust/detail/semi_join/launch.cuh>
#include <mgpu_thrust/detail/semi_join/serial.h>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// Semi and anti joins by sorted keys in device memory, shaped like CUB's device algorithms: they never wait, queue
/// their work on a stream, leave the size of the result in device memory, and can be captured into a CUDA graph. They
/// compute what semi_join and anti_join in semi_join.h compute: the numbers of the rows of the left input that have an
/// equal row in the right one, or have none.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_semi_join.cuh>
///
/// #include <cassert>
/// #include <cstdint>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int left[] = {1, 3, 3, 5}, right[] = {2, 3, 5, 5};
///   int* memory; // left, right, and the rows
///   std::int64_t* d_count;
///   cudaMalloc(&memory, 12 * sizeof(int));
///   cudaMalloc(&d_count, sizeof(std::int64_t));
///   cudaMemcpy(memory, left, sizeof(left), cudaMemcpyHostToDevice);
///   cudaMemcpy(memory + 4, right, sizeof(right), cudaMemcpyHostToDevice);
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceSemiJoin::Semi(memory, 4, memory + 4, 4, memory + 8, d_count));
///   int rows[4];
///   std::int64_t count = 0;
///   cudaMemcpy(rows, memory + 8, sizeof(rows), cudaMemcpyDeviceToHost);
///   cudaMemcpy(&count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
///   assert(count == 3 && rows[0] == 1 && rows[1] == 2 && rows[2] == 3);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage       device memory, or nullptr to query its size
/// @param temp_storage_bytes   its size in bytes: O(tiles), about 28 bytes for each tile of some thousand keys; for few
///                             keys up to 16 KiB. What is enough for some sizes, or capacities, is enough for all
///                             smaller ones
/// @param left_keys,num_left   random-access iterator that device code can read, and how many keys: an integer, 0 or
///                             more, or a mgpu::deferred, which is read when the work is executed
/// @param right_keys,num_right likewise; its value type may differ. Both are sorted by comp, which is not checked
/// @param left_out             Semi and Anti only: random-access iterator, for row numbers; room for num_left is always
///                             enough. It must not overlap the inputs
/// @param d_num_rows_out       pointer to an integer in device memory, for the number of rows kept; it may be where a
///                             size is read
/// @param comp                 strict weak order on all four combinations of key types, called on elements of the
///                             inputs only; default: operator<
/// @param stream               where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                  a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                             stream, and its memory resource for the temporary storage. Default: the default stream.
///                             Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if the blocks for both are more than the 2^31 - 1
///         of a grid, if the output's value type cannot hold num_left - 1, if the type of *d_num_rows_out cannot hold
///         num_left, or if temp_storage_bytes is too small; else the error of a launch or, in the short form, of the
///         storage: cudaErrorMemoryAllocation if a resource throws. After an error nothing was written. A deferred size
///         counts as its capacity.
/// @since 1.0
///
/// One pass over the inputs; O(num_left + num_right) work, a block for each tile of some thousand. O(num_left *
/// log(num_right)), a block for each 128 left keys, if the right input has at least 64 times as many keys as the left
/// one; if it is the other way round, O(num_right * log(num_left)) for SemiCount and AntiCount.
///
/// Source: S. Baxter: Modern GPU, "Relational Joins" (2013), for joins by sorted searches.
struct DeviceSemiJoin
{
  /// Queues semi_join of semi_join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class Out, class NumRows,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Semi(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, Out left_out, NumRows* d_num_rows_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::semi_join_job(
        detail::semi_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::semi_join_result{left_out}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class Out, class NumRows,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Semi(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, Out left_out,
    NumRows* d_num_rows_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Semi(all...); }, left_keys, num_left, right_keys, num_right, left_out,
      d_num_rows_out, comp);
  }

  /// Queues anti_join of semi_join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class Out, class NumRows,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Anti(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, Out left_out, NumRows* d_num_rows_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::semi_join_job(
        detail::anti_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::semi_join_result{left_out}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class Out, class NumRows,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Anti(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, Out left_out,
    NumRows* d_num_rows_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Anti(all...); }, left_keys, num_left, right_keys, num_right, left_out,
      d_num_rows_out, comp);
  }

  /// Queues semi_join_size of semi_join.h: stores the size of the result alone.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRows, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SemiCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, NumRows* d_num_rows_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::semi_join_job(
        detail::semi_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::semi_join_size{}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRows, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t SemiCount(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, NumRows* d_num_rows_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SemiCount(all...); }, left_keys, num_left, right_keys, num_right, d_num_rows_out,
      comp);
  }

  /// Queues anti_join_size of semi_join.h: stores the size of the result alone.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRows, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t AntiCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, NumRows* d_num_rows_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::semi_join_job(
        detail::anti_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::semi_join_size{}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRows, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t AntiCount(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, NumRows* d_num_rows_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return AntiCount(all...); }, left_keys, num_left, right_keys, num_right, d_num_rows_out,
      comp);
  }
};

MGPU_THRUST_NAMESPACE_END

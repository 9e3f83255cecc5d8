// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceJoin: joins queued on a stream, with temporary storage of the caller or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/join/job.h>
#include <mgpu_thrust/detail/join/launch.cuh>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/join_kinds.h>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// Joins of sorted ranges in device memory, shaped like CUB's device algorithms: they never wait, queue their work on a
/// stream, and can be captured into a CUDA graph. Each computes what the function of the same name in join.h computes.
///
/// Each kind of join has three functions. Inner writes all rows and their number; or, given rows_capacity, the rows
/// that have room and the number of all. InnerCount writes the number only, and leaves the offsets of the rows in the
/// temporary storage: InnerRows then writes rows [first_row, first_row + num_rows), as often as you like, for a result
/// that does not fit in memory as a whole, or to allocate what it takes. Left, Right and Full are alike.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call. InnerRows and the like have no short form: the
/// storage is what InnerCount has left.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_join.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int left[] = {1, 3, 3, 5}, right[] = {0, 3, 4};
///   int* keys; // left, right
///   cudaMalloc(&keys, 7 * sizeof(int));
///   cudaMemcpy(keys, left, sizeof(left), cudaMemcpyHostToDevice);
///   cudaMemcpy(keys + 4, right, sizeof(right), cudaMemcpyHostToDevice);
///   std::int64_t* d_rows;
///   cudaMalloc(&d_rows, sizeof(std::int64_t));
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   void* storage = nullptr;
///   std::size_t bytes = 0;
///   check(mgpu::DeviceJoin::LeftCount(storage, bytes, keys, 4, keys + 4, 3, d_rows));
///   cudaMalloc(&storage, bytes);
///   check(mgpu::DeviceJoin::LeftCount(storage, bytes, keys, 4, keys + 4, 3, d_rows));
///   std::int64_t rows;
///   cudaMemcpy(&rows, d_rows, sizeof(rows), cudaMemcpyDeviceToHost);
///   assert(rows == 4);
///   int* out;
///   cudaMalloc(&out, 4 * sizeof(int));
///   // Two rows, from row 1 on.
///   check(mgpu::DeviceJoin::LeftRows(storage, bytes, keys, 4, keys + 4, 3, 1, 2, out, out + 2));
///   int two[4];
///   cudaMemcpy(two, out, sizeof(two), cudaMemcpyDeviceToHost);
///   assert(two[0] == 1 && two[1] == 2 && two[2] == 1 && two[3] == 1);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage       device memory, or nullptr to query its size. For InnerRows and the like it is the
///                             storage as InnerCount, with the same inputs and comp, has left it; deferred sizes have
///                             the numbers that InnerCount has read
/// @param temp_storage_bytes   its size in bytes: some 50 for each tile, of 2816 elements where keys have 5 to 8 bytes,
///                             of few elements 1792; Right and Full take one more for each 8 right elements
/// @param left_keys,num_left   random-access iterator that device code can read, and how many keys: an integer, 0 or
///                             more, or a mgpu::deferred, which is read when the work is executed
/// @param right_keys,num_right likewise; its value type may differ. Both are sorted by comp, which is not checked
/// @param left_out,right_out   random-access iterators, an element for each row. They must not overlap each other or
///                             the inputs. Inner writes at most num_left * num_right rows, of each left key its
///                             matches; Left num_left more, Right num_right more, Full both. Without a better bound,
///                             count first
/// @param rows_capacity        the number of rows that the outputs have room for, 0 or more. Rows after these are not
///                             written; a number of rows above rows_capacity tells that there are such
/// @param first_row,num_rows   InnerRows and the like only: first row, and number of rows, 0 or more. Rows past the end
///                             are not written
/// @param d_num_rows_out       pointer to an integer in device memory, whose type can hold rows_capacity; without that,
///                             or if there are more rows, the largest number of its type stands for larger ones. It may
///                             be where a size is read. If that number is 2^63 - 1 or more it receives 2^63 - 1, and no
///                             row is written, except with rows_capacity
/// @param comp                 strict weak order on all four combinations of key types, called on elements of the
///                             inputs only; default: operator<
/// @param stream               where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                  a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                             stream, and its memory resource for the temporary storage. Default: the default stream.
///                             Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size or rows_capacity is negative, if the blocks for both inputs are
///         more than the 2^31 - 1 of a grid, if an output's value type cannot hold the indices of the elements, if the
///         type of *d_num_rows_out cannot hold rows_capacity, or if temp_storage_bytes is too small; else the error of
///         a launch or, in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws. After
///         cudaErrorInvalidValue nothing was written.
/// @since 1.0
///
/// O(num_left + num_right) work, and O(rows). Inner, Left, Right and Full read the inputs once; twice if num_left *
/// num_right is 2^63 or more and there is no rows_capacity. A block has a tile of some thousand keys. Where one input
/// has at least 64 times as many keys as the other, and num_left * num_right is below 31 * 2^58, the work is O(short *
/// log(long)) in place of O(num_left + num_right), and a block has 128 short keys or more: Inner with either input
/// short, Left with a short left one, Right with a short right one. A deferred size counts as its capacity in all that
/// is said here of errors, storage and passes.
///
/// Source: S. Baxter: Modern GPU, "Relational Joins" (2013).
struct DeviceJoin
{
  /// Queues inner_join of join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Inner(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, LeftOut left_out, RightOut right_out, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        inner_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::join_result{left_out, right_out}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Inner(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, LeftOut left_out,
    RightOut right_out, NumRowsOut* d_num_rows_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Inner(all...); }, left_keys, num_left, right_keys, num_right, left_out, right_out,
      d_num_rows_out, comp);
  }
  /// The same for outputs with room for rows_capacity rows.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Inner(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, LeftOut left_out, RightOut right_out, std::int64_t rows_capacity, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        inner_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::join_result_within{left_out, right_out, rows_capacity}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Inner(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, LeftOut left_out,
    RightOut right_out, std::int64_t rows_capacity, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Inner(all...); }, left_keys, num_left, right_keys, num_right, left_out, right_out,
      rows_capacity, d_num_rows_out, comp);
  }
  /// Queues inner_join_size of join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t InnerCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, NumRowsOut* d_num_rows_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        inner_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right), detail::join_size{}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t InnerCount(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return InnerCount(all...); }, left_keys, num_left, right_keys, num_right, d_num_rows_out,
      comp);
  }
  /// Queues the writing of rows [first_row, first_row + num_rows) of inner_join in join.h, after InnerCount.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t InnerRows(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, std::int64_t first_row, std::int64_t num_rows, LeftOut left_out, RightOut right_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_rows_job(
        inner_join_t{}, nullptr, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::rows_from(first_row, num_rows), detail::join_result{left_out, right_out}, comp),
      detail::no_count, stream);
  }

  /// Queues left_join of join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Left(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, LeftOut left_out, RightOut right_out, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        left_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::join_result{left_out, right_out}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Left(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, LeftOut left_out,
    RightOut right_out, NumRowsOut* d_num_rows_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Left(all...); }, left_keys, num_left, right_keys, num_right, left_out, right_out,
      d_num_rows_out, comp);
  }
  /// The same for outputs with room for rows_capacity rows.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Left(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, LeftOut left_out, RightOut right_out, std::int64_t rows_capacity, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        left_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::join_result_within{left_out, right_out, rows_capacity}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Left(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, LeftOut left_out,
    RightOut right_out, std::int64_t rows_capacity, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Left(all...); }, left_keys, num_left, right_keys, num_right, left_out, right_out,
      rows_capacity, d_num_rows_out, comp);
  }
  /// Queues left_join_size of join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t LeftCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, NumRowsOut* d_num_rows_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        left_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right), detail::join_size{}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t LeftCount(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return LeftCount(all...); }, left_keys, num_left, right_keys, num_right, d_num_rows_out,
      comp);
  }
  /// Queues the writing of rows [first_row, first_row + num_rows) of left_join in join.h, after LeftCount.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t LeftRows(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, std::int64_t first_row, std::int64_t num_rows, LeftOut left_out, RightOut right_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_rows_job(
        left_join_t{}, nullptr, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::rows_from(first_row, num_rows), detail::join_result{left_out, right_out}, comp),
      detail::no_count, stream);
  }

  /// Queues right_join of join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Right(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, LeftOut left_out, RightOut right_out, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        right_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::join_result{left_out, right_out}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Right(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, LeftOut left_out,
    RightOut right_out, NumRowsOut* d_num_rows_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Right(all...); }, left_keys, num_left, right_keys, num_right, left_out, right_out,
      d_num_rows_out, comp);
  }
  /// The same for outputs with room for rows_capacity rows.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Right(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, LeftOut left_out, RightOut right_out, std::int64_t rows_capacity, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        right_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::join_result_within{left_out, right_out, rows_capacity}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Right(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, LeftOut left_out,
    RightOut right_out, std::int64_t rows_capacity, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Right(all...); }, left_keys, num_left, right_keys, num_right, left_out, right_out,
      rows_capacity, d_num_rows_out, comp);
  }
  /// Queues right_join_size of join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t RightCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, NumRowsOut* d_num_rows_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        right_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right), detail::join_size{}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t RightCount(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return RightCount(all...); }, left_keys, num_left, right_keys, num_right, d_num_rows_out,
      comp);
  }
  /// Queues the writing of rows [first_row, first_row + num_rows) of right_join in join.h, after RightCount.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t RightRows(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, std::int64_t first_row, std::int64_t num_rows, LeftOut left_out, RightOut right_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_rows_job(
        right_join_t{}, nullptr, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::rows_from(first_row, num_rows), detail::join_result{left_out, right_out}, comp),
      detail::no_count, stream);
  }

  /// Queues full_join of join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Full(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, LeftOut left_out, RightOut right_out, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        full_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::join_result{left_out, right_out}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Full(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, LeftOut left_out,
    RightOut right_out, NumRowsOut* d_num_rows_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Full(all...); }, left_keys, num_left, right_keys, num_right, left_out, right_out,
      d_num_rows_out, comp);
  }
  /// The same for outputs with room for rows_capacity rows.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Full(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, LeftOut left_out, RightOut right_out, std::int64_t rows_capacity, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        full_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::join_result_within{left_out, right_out, rows_capacity}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t Full(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, LeftOut left_out,
    RightOut right_out, std::int64_t rows_capacity, NumRowsOut* d_num_rows_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Full(all...); }, left_keys, num_left, right_keys, num_right, left_out, right_out,
      rows_capacity, d_num_rows_out, comp);
  }
  /// Queues full_join_size of join.h.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRowsOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t FullCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, NumRowsOut* d_num_rows_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_job(
        full_join_t{}, detail::make_set_inputs(left_keys, num_left, right_keys, num_right), detail::join_size{}, comp),
      d_num_rows_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class NumRowsOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<LeftKeys, Env, NumLeft, NumRight>>
  [[nodiscard]] static cudaError_t FullCount(
    LeftKeys left_keys, NumLeft num_left, RightKeys right_keys, NumRight num_right, NumRowsOut* d_num_rows_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return FullCount(all...); }, left_keys, num_left, right_keys, num_right, d_num_rows_out,
      comp);
  }
  /// Queues the writing of rows [first_row, first_row + num_rows) of full_join in join.h, after FullCount.
  /// @since 1.0
  template <
    class LeftKeys, class NumLeft, class RightKeys, class NumRight, class LeftOut, class RightOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t FullRows(
    void* d_temp_storage, std::size_t& temp_storage_bytes, LeftKeys left_keys, NumLeft num_left, RightKeys right_keys,
    NumRight num_right, std::int64_t first_row, std::int64_t num_rows, LeftOut left_out, RightOut right_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::join_rows_job(
        full_join_t{}, nullptr, detail::make_set_inputs(left_keys, num_left, right_keys, num_right),
        detail::rows_from(first_row, num_rows), detail::join_result{left_out, right_out}, comp),
      detail::no_count, stream);
  }
};

MGPU_THRUST_NAMESPACE_END

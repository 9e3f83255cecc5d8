// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceBulk: bulk removal and insertion queued on a stream, with temporary storage of the caller or of an
/// environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/bulk/job.h>
#include <mgpu_thrust/detail/bulk/launch.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// Bulk removal and insertion in device memory, shaped like CUB's device algorithms: they never wait, queue their work
/// on a stream, and can be captured into a CUDA graph. Each computes what the function of the same name in bulk.h
/// computes.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_bulk.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const char letters[] = {'a', 'b', 'c', 'd', 'e'};
///   const int indices[] = {1, 3};
///   char* d_letters; // and the result
///   int* d_indices;
///   cudaMalloc(&d_letters, 8);
///   cudaMalloc(&d_indices, sizeof(indices));
///   cudaMemcpy(d_letters, letters, 5, cudaMemcpyHostToDevice);
///   cudaMemcpy(d_indices, indices, sizeof(indices), cudaMemcpyHostToDevice);
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceBulk::Remove(d_letters, 5, d_indices, 2, d_letters + 5));
///   char kept[3];
///   cudaMemcpy(kept, d_letters + 5, 3, cudaMemcpyDeviceToHost);
///   assert(kept[0] == 'a' && kept[1] == 'c' && kept[2] == 'e');
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage           device memory, or nullptr to query its size
/// @param temp_storage_bytes       its size in bytes: for each tile of 512 to some thousand elements of the input 8 to
///                                 remove, of the output 16 to insert, and some more
/// @param input,num_items          a random-access iterator that device code can read, to elements of any type, and how
///                                 many: an integer, 0 or more, or a mgpu::deferred, which is read when the work is
///                                 executed
/// @param indices,num_indices      Remove only: integers in ascending order, none twice, each from 0 to num_items - 1;
///                                 their number is a size like num_items
/// @param values                   Insert only: a random-access iterator, a value for each position
/// @param positions,num_insertions Insert only: integers in ascending order, each from 0 to num_items; their number is
///                                 a size like num_items
/// @param output                   random-access iterator for num_items - num_indices or num_items + num_insertions
///                                 elements. It must not overlap the inputs
/// @param d_num_out                pointer to an integer in device memory, for the size of the output; it may be where
///                                 a size is read
/// @param stream                   where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                      a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it:
///                                 its stream, and its memory resource for the temporary storage. Default: the default
///                                 stream. Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if there are more indices than elements, if those
///         tiles are more than the 2^31 - 1 of a grid, if the type of *d_num_out cannot hold num_items or num_items +
///         num_insertions, or if temp_storage_bytes is too small; else the error of a launch or, in the short form, of
///         the storage: cudaErrorMemoryAllocation if a resource throws. After an error nothing was written. Where a
///         size is deferred, or there is a d_num_out, more indices than elements are no error: the output is empty.
/// @since 1.0
///
/// Indices and positions are not checked. If they are wrong, the output has unspecified elements; nothing outside it is
/// written.
///
/// One pass over the inputs; O(num_items + num_indices) work.
///
/// Source: S. Baxter: Modern GPU, "Bulk Remove and Bulk Insert" (2013).
struct DeviceBulk
{
  /// Queues bulk_remove of bulk.h.
  /// @since 1.0
  template <class Input, class NumItems, class Indices, class NumIndices, class Output>
  [[nodiscard]] static cudaError_t Remove(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Input input, NumItems num_items, Indices indices,
    NumIndices num_indices, Output output, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::bulk_job(detail::make_bulk_removal(input, num_items, indices, num_indices), output), detail::no_count,
      stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Input, class NumItems, class Indices, class NumIndices, class Output, class Env = cudaStream_t,
    class = detail::short_call<Input, Env, NumItems, NumIndices>>
  [[nodiscard]] static cudaError_t Remove(
    Input input, NumItems num_items, Indices indices, NumIndices num_indices, Output output, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Remove(all...); }, input, num_items, indices, num_indices, output);
  }

  /// The same, and stores the size of the output.
  /// @since 1.0
  template <
    class Input, class NumItems, class Indices, class NumIndices, class Output, class NumOut,
    std::enable_if_t<std::is_integral_v<NumOut>, int> = 0>
  [[nodiscard]] static cudaError_t Remove(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Input input, NumItems num_items, Indices indices,
    NumIndices num_indices, Output output, NumOut* d_num_out, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::bulk_job(detail::as_deferred(detail::make_bulk_removal(input, num_items, indices, num_indices)), output),
      d_num_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Input, class NumItems, class Indices, class NumIndices, class Output, class NumOut,
    std::enable_if_t<std::is_integral_v<NumOut>, int> = 0, class Env = cudaStream_t,
    class = detail::short_call<Input, Env, NumItems, NumIndices>>
  [[nodiscard]] static cudaError_t Remove(
    Input input, NumItems num_items, Indices indices, NumIndices num_indices, Output output, NumOut* d_num_out,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Remove(all...); }, input, num_items, indices, num_indices, output, d_num_out);
  }

  /// Queues bulk_insert of bulk.h.
  /// @since 1.0
  template <class Input, class NumItems, class Values, class Positions, class NumInsertions, class Output>
  [[nodiscard]] static cudaError_t Insert(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Input input, NumItems num_items, Values values,
    Positions positions, NumInsertions num_insertions, Output output, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::bulk_job(detail::make_bulk_insertion(input, num_items, values, positions, num_insertions), output),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Input, class NumItems, class Values, class Positions, class NumInsertions, class Output,
    class Env = cudaStream_t, class = detail::short_call<Input, Env, NumItems, NumInsertions>>
  [[nodiscard]] static cudaError_t Insert(
    Input input, NumItems num_items, Values values, Positions positions, NumInsertions num_insertions, Output output,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Insert(all...); }, input, num_items, values, positions, num_insertions, output);
  }

  /// The same, and stores the size of the output.
  /// @since 1.0
  template <
    class Input, class NumItems, class Values, class Positions, class NumInsertions, class Output, class NumOut,
    std::enable_if_t<std::is_integral_v<NumOut>, int> = 0>
  [[nodiscard]] static cudaError_t Insert(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Input input, NumItems num_items, Values values,
    Positions positions, NumInsertions num_insertions, Output output, NumOut* d_num_out,
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::bulk_job(
        detail::as_deferred(detail::make_bulk_insertion(input, num_items, values, positions, num_insertions)), output),
      d_num_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Input, class NumItems, class Values, class Positions, class NumInsertions, class Output, class NumOut,
    std::enable_if_t<std::is_integral_v<NumOut>, int> = 0, class Env = cudaStream_t,
    class = detail::short_call<Input, Env, NumItems, NumInsertions>>
  [[nodiscard]] static cudaError_t Insert(
    Input input, NumItems num_items, Values values, Positions positions, NumInsertions num_insertions, Output output,
    NumOut* d_num_out, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Insert(all...); }, input, num_items, values, positions, num_insertions, output,
      d_num_out);
  }
};

MGPU_THRUST_NAMESPACE_END

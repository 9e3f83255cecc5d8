// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceSort: stable sorts queued on a stream, with temporary storage of the caller or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/sort/job.h>
#include <mgpu_thrust/detail/sort/launch.cuh>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// Stable sorts by comparison in device memory, shaped like CUB's device algorithms: they never wait, queue their work
/// on a stream, and can be captured into a CUDA graph. Each computes what the function of the same name in sort.h
/// computes.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_sort.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int keys[] = {3, 1, 3, 2}, values[] = {10, 11, 12, 13};
///   int* d_keys; // and the values
///   cudaMalloc(&d_keys, 8 * sizeof(int));
///   cudaMemcpy(d_keys, keys, sizeof(keys), cudaMemcpyHostToDevice);
///   cudaMemcpy(d_keys + 4, values, sizeof(values), cudaMemcpyHostToDevice);
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceSort::StableSortPairs(d_keys, d_keys + 4, 4));
///   int sorted[8];
///   cudaMemcpy(sorted, d_keys, sizeof(sorted), cudaMemcpyDeviceToHost);
///   assert(sorted[0] == 1 && sorted[1] == 2 && sorted[2] == 3 && sorted[3] == 3);
///   assert(sorted[4] == 11 && sorted[5] == 13 && sorted[6] == 10 && sorted[7] == 12);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes: as much as the keys and values take, and under 1 % more; twice as much
///                           where they are not in contiguous memory; for StableSortIndices as much as the indices and
///                           twice the keys; 16 bytes more an item where keys have more than 16 bytes or values more
///                           than 8, which are then moved by indices. For a mgpu::deferred that of the capacity on the
///                           current device, and 256 bytes
/// @param keys,num_items     a random-access iterator that device code can read and write (read alone, for
///                           StableSortIndices), and how many keys: an integer, 0 or more, or a mgpu::deferred, which
///                           is read when the work is executed; keys and values past them stay as they are
/// @param values             Pairs only: likewise, a value for each key
/// @param indices_out        StableSortIndices only: a random-access iterator to integers, which must hold num_items -
///                           1
/// @param comp               strict weak order of keys, called on keys of the input only; default: operator<
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if num_items, or its capacity, is negative, more than a grid of 2^31 - 1
///         tiles takes or than the indices' type can number, or if temp_storage_bytes is too small; else the error of a
///         launch or, in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws. After
///         cudaErrorInvalidValue nothing was written.
/// @since 1.0
///
/// O(n log n) work in log(n) passes; tiles that are in order already are passed over.
///
/// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path (2012); S. Baxter: Modern GPU, "Mergesort"
/// (2013).
struct DeviceSort
{
  /// Queues stable_sort of sort.h.
  /// @since 1.0
  template <class Keys, class NumItems, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t StableSortKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes, detail::make_sort("the keys", keys, num_items, detail::no_values{}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys, Env, NumItems>>
  [[nodiscard]] static cudaError_t
  StableSortKeys(Keys keys, NumItems num_items, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return StableSortKeys(all...); }, keys, num_items, comp);
  }

  /// Queues sort of sort.h: another name for StableSortKeys.
  /// @since 1.0
  template <class Keys, class NumItems, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SortKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return StableSortKeys(d_temp_storage, temp_storage_bytes, keys, num_items, comp, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys, Env, NumItems>>
  [[nodiscard]] static cudaError_t
  SortKeys(Keys keys, NumItems num_items, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SortKeys(all...); }, keys, num_items, comp);
  }

  /// Queues stable_sort_by_key of sort.h.
  /// @since 1.0
  template <class Keys, class Values, class NumItems, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t StableSortPairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, Values values, NumItems num_items,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes, detail::make_sort("the keys", keys, num_items, values, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys, Env, NumItems>>
  [[nodiscard]] static cudaError_t
  StableSortPairs(Keys keys, Values values, NumItems num_items, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return StableSortPairs(all...); }, keys, values, num_items, comp);
  }

  /// Queues sort_by_key of sort.h: another name for StableSortPairs.
  /// @since 1.0
  template <class Keys, class Values, class NumItems, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SortPairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, Values values, NumItems num_items,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return StableSortPairs(d_temp_storage, temp_storage_bytes, keys, values, num_items, comp, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys, Env, NumItems>>
  [[nodiscard]] static cudaError_t
  SortPairs(Keys keys, Values values, NumItems num_items, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SortPairs(all...); }, keys, values, num_items, comp);
  }

  /// Queues stable_sort_indices of sort.h.
  /// @since 1.0
  template <class Keys, class NumItems, class Indices, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t StableSortIndices(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Indices indices_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes, detail::make_sort_indices(keys, num_items, indices_out, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Indices, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys, Env, NumItems>>
  [[nodiscard]] static cudaError_t StableSortIndices(
    Keys keys, NumItems num_items, Indices indices_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return StableSortIndices(all...); }, keys, num_items, indices_out, comp);
  }
};

MGPU_THRUST_NAMESPACE_END

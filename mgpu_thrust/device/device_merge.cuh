// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceMerge: stable merges queued on a stream, with temporary storage of the caller or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/set_operation/job.h>
#include <mgpu_thrust/detail/set_operation/launch.cuh>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// Stable merges of sorted ranges in device memory, shaped like CUB's device algorithms: they never wait, queue their
/// work on a stream, and can be captured into a CUDA graph. Each computes what the function of the same name in merge.h
/// computes.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_merge.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int a[] = {1, 3, 3, 5}, b[] = {2, 3, 7};
///   int* keys; // a, b, and the result
///   cudaMalloc(&keys, 14 * sizeof(int));
///   cudaMemcpy(keys, a, sizeof(a), cudaMemcpyHostToDevice);
///   cudaMemcpy(keys + 4, b, sizeof(b), cudaMemcpyHostToDevice);
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceMerge::MergeKeys(keys, 4, keys + 4, 3, keys + 7));
///   int merged[7];
///   cudaMemcpy(merged, keys + 7, sizeof(merged), cudaMemcpyDeviceToHost);
///   assert(merged[0] == 1 && merged[1] == 2 && merged[4] == 3 && merged[6] == 7);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes: O(tiles), 16 bytes for each tile of some thousand elements
/// @param keys1,num_keys1    A: a random-access iterator that device code can read, and how many keys: an integer, 0 or
///                           more, or a mgpu::deferred, which is read when the work is executed
/// @param keys2,num_keys2    B, likewise; its value type may differ. Both are sorted by comp, which is not checked
/// @param values1,values2    Pairs only: a value for each key
/// @param keys_out           random-access iterator for num_keys1 + num_keys2 keys. It must not overlap the inputs
/// @param values_out         Pairs only: for their values
/// @param d_num_out          pointer to an integer in device memory, for the size of the result; it may be where a size
///                           is read
/// @param comp               strict weak order on all four combinations of key types, called on elements of the inputs
///                           only; default: operator<
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if both together are more than a grid of 2^31 - 1
///         tiles takes, or if temp_storage_bytes is too small; else the error of a launch or, in the short form, of the
///         storage: cudaErrorMemoryAllocation if a resource throws. After an error nothing was written.
/// @since 1.0
///
/// One pass over the inputs; O(num_keys1 + num_keys2) work.
///
/// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path (2012); S. Baxter: Modern GPU (2013).
struct DeviceMerge
{
  /// Queues merge of merge.h.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergeKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, KeysOut keys_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::merge_t{}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2),
        detail::set_result{keys_out, detail::no_values{}}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t MergeKeys(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, KeysOut keys_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeKeys(all...); }, keys1, num_keys1, keys2, num_keys2, keys_out, comp);
  }

  /// The same, and stores the size of the result.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumOut,
    class Compare = ::cuda::std::less<>, std::enable_if_t<std::is_integral_v<NumOut>, int> = 0>
  [[nodiscard]] static cudaError_t MergeKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, KeysOut keys_out, NumOut* d_num_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::merge_t{}, detail::as_deferred(detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2)),
        detail::set_result{keys_out, detail::no_values{}}, comp),
      d_num_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumOut,
    class Compare = ::cuda::std::less<>, std::enable_if_t<std::is_integral_v<NumOut>, int> = 0,
    class Env = cudaStream_t, class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t MergeKeys(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, KeysOut keys_out, NumOut* d_num_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergeKeys(all...); }, keys1, num_keys1, keys2, num_keys2, keys_out, d_num_out,
      comp);
  }

  /// Queues merge_by_key of merge.h.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t MergePairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, Values1 values1, NumKeys1 num_keys1,
    Keys2 keys2, Values2 values2, NumKeys2 num_keys2, KeysOut keys_out, ValuesOut values_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::merge_t{}, detail::make_set_inputs(keys1, values1, num_keys1, keys2, values2, num_keys2),
        detail::set_result{keys_out, values_out}, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t MergePairs(
    Keys1 keys1, Values1 values1, NumKeys1 num_keys1, Keys2 keys2, Values2 values2, NumKeys2 num_keys2,
    KeysOut keys_out, ValuesOut values_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergePairs(all...); }, keys1, values1, num_keys1, keys2, values2, num_keys2,
      keys_out, values_out, comp);
  }

  /// The same, and stores the size of the result.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumOut, class Compare = ::cuda::std::less<>,
    std::enable_if_t<std::is_integral_v<NumOut>, int> = 0>
  [[nodiscard]] static cudaError_t MergePairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, Values1 values1, NumKeys1 num_keys1,
    Keys2 keys2, Values2 values2, NumKeys2 num_keys2, KeysOut keys_out, ValuesOut values_out, NumOut* d_num_out,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::merge_t{},
        detail::as_deferred(detail::make_set_inputs(keys1, values1, num_keys1, keys2, values2, num_keys2)),
        detail::set_result{keys_out, values_out}, comp),
      d_num_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumOut, class Compare = ::cuda::std::less<>,
    std::enable_if_t<std::is_integral_v<NumOut>, int> = 0, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t MergePairs(
    Keys1 keys1, Values1 values1, NumKeys1 num_keys1, Keys2 keys2, Values2 values2, NumKeys2 num_keys2,
    KeysOut keys_out, ValuesOut values_out, NumOut* d_num_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return MergePairs(all...); }, keys1, values1, num_keys1, keys2, values2, num_keys2,
      keys_out, values_out, d_num_out, comp);
  }
};

MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceSetOperations: set operations queued on a stream, with temporary storage of the caller or of an environment.

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

MGPU_THRUST_NAMESPACE_BEGIN

/// Set operations on sorted ranges in device memory, shaped like CUB's device algorithms: for users who manage memory
/// and streams themselves, and for CUDA graphs.
///
/// Every function never waits, queues its work on a stream, and leaves the size of the result in device memory. It can
/// be captured into a CUDA graph, and called by any number of host threads at once. Each computes what the function of
/// the same name in set_operations.h computes: of a key with m copies in A and n in B the intersection has min(m, n),
/// the union max(m, n), the difference max(m - n, 0), the symmetric difference |m - n|.
///
/// A size that the host does not know when a call is queued, or captured, is a mgpu::deferred: the count that an
/// earlier call of the stream stores, and a bound. So operations are chained without the host: see examples/graph.cu.
/// Calls in one stream may share their temporary storage.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_set_operations.cuh>
///
/// #include <cassert>
/// #include <cstdint>
/// #include <stdexcept>
///
/// __global__ void fill(int* a, int a_count, int* b, int b_count)
/// {
///   for (int i = 0; i < a_count; ++i) { a[i] = 2 * i; }
///   for (int i = 0; i < b_count; ++i) { b[i] = 3 * i; }
/// }
///
/// int main()
/// {
///   int *a, *b, *both;
///   std::int64_t* d_count;
///   cudaMalloc(&a, 10 * sizeof(int));
///   cudaMalloc(&b, 7 * sizeof(int));
///   cudaMalloc(&both, 7 * sizeof(int));
///   cudaMalloc(&d_count, sizeof(std::int64_t));
///   fill<<<1, 1>>>(a, 10, b, 7);
///
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceSetOperations::IntersectionKeys(a, 10, b, 7, both, d_count));
///
///   std::int64_t count = 0;
///   cudaMemcpy(&count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
///   assert(count == 4); // 0 6 12 18
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes: O(tiles), about 28 bytes for each tile of some thousand elements; for
///                           few elements up to 14 KiB. What is enough for some sizes, or capacities, is enough for all
///                           smaller ones
/// @param keys1,num_keys1    A: a random-access iterator that device code can read, and how many keys: an integer, 0 or
///                           more, or a mgpu::deferred, which is read when the work is executed
/// @param keys2,num_keys2    B, likewise; its value type may differ. Both are sorted by comp, which is not checked
/// @param values1,values2    Pairs and Combined only: a value for each key. The pairs of an intersection or a
///                           difference are elements of A alone: values2 is never read, and may be nullptr
/// @param keys_out           random-access iterator for the keys of the result. Room for min(num_keys1, num_keys2) is
///                           always enough for an intersection, num_keys1 for a difference, num_keys1 + num_keys2 for
///                           the other two. It must not overlap the inputs
/// @param values_out         Pairs and Combined only: for their values
/// @param d_num_selected_out pointer to an integer in device memory, for the size of the result; fastest is
///                           std::int64_t. Its type can hold the largest size for these inputs, of Count functions too.
///                           It may be where a size is read
/// @param comp               strict weak order on all four combinations of key types, called on elements of the inputs
///                           only; default, but for Combined: operator<
/// @param combine            Combined only: combine(value1, value2) is the value of a match. Its overload of Pairs
///                           would be ambiguous, as a stream stands in the same place
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if the blocks for both are more than the 2^31 - 1
///         of a grid, if the type of *d_num_selected_out cannot hold the largest size, or if temp_storage_bytes is too
///         small; else the error of a launch or, in the short form, of the storage: cudaErrorMemoryAllocation if a
///         resource throws. After an error nothing was written.
/// @since 1.0
///
/// One pass over the inputs; O(num_keys1 + num_keys2) work, a block for each tile of some thousand. Where one input has
/// at least 64 times as many keys as the other, O(short * log(long)), a block for each 128 short ones: intersections
/// and the sizes of all results with either input short, differences with a short first one.
///
/// Source: S. Baxter: Modern GPU, "Multisets" (2013); written anew here.
struct DeviceSetOperations
{
  /// Queues set_intersection on keys: of a key's m copies in A and n in B it keeps min(m, n), of A.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t IntersectionKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, KeysOut keys_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_intersection_t{}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2),
        detail::set_result{keys_out, detail::no_values{}}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t IntersectionKeys(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, KeysOut keys_out, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return IntersectionKeys(all...); }, keys1, num_keys1, keys2, num_keys2, keys_out,
      d_num_selected_out, comp);
  }

  /// Queues set_intersection_by_key of set_operations.h.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t IntersectionPairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, Values1 values1, NumKeys1 num_keys1,
    Keys2 keys2, [[maybe_unused]] Values2 values2, NumKeys2 num_keys2, KeysOut keys_out, ValuesOut values_out,
    NumSelected* d_num_selected_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_intersection_t{},
        detail::make_set_inputs(keys1, values1, num_keys1, keys2, detail::no_values{}, num_keys2),
        detail::set_result{keys_out, values_out}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t IntersectionPairs(
    Keys1 keys1, Values1 values1, NumKeys1 num_keys1, Keys2 keys2, Values2 values2, NumKeys2 num_keys2,
    KeysOut keys_out, ValuesOut values_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return IntersectionPairs(all...); }, keys1, values1, num_keys1, keys2, values2, num_keys2,
      keys_out, values_out, d_num_selected_out, comp);
  }

  /// Queues set_intersection_by_key of set_operations.h with `combine`, which has a value of each input for a match.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare, class Combine>
  [[nodiscard]] static cudaError_t IntersectionCombined(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, Values1 values1, NumKeys1 num_keys1,
    Keys2 keys2, Values2 values2, NumKeys2 num_keys2, KeysOut keys_out, ValuesOut values_out,
    NumSelected* d_num_selected_out, Compare comp, Combine combine, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_intersection_t{}, detail::make_set_inputs(keys1, values1, num_keys1, keys2, values2, num_keys2),
        detail::combined_result{keys_out, values_out, combine}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare, class Combine, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t IntersectionCombined(
    Keys1 keys1, Values1 values1, NumKeys1 num_keys1, Keys2 keys2, Values2 values2, NumKeys2 num_keys2,
    KeysOut keys_out, ValuesOut values_out, NumSelected* d_num_selected_out, Compare comp, Combine combine,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return IntersectionCombined(all...); }, keys1, values1, num_keys1, keys2, values2,
      num_keys2, keys_out, values_out, d_num_selected_out, comp, combine);
  }

  /// Queues set_intersection_size of set_operations.h: stores the size of the result alone.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t IntersectionCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_intersection_t{}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2), detail::set_size{},
        comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class NumSelected, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t IntersectionCount(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return IntersectionCount(all...); }, keys1, num_keys1, keys2, num_keys2,
      d_num_selected_out, comp);
  }

  /// Queues set_union on keys: of a key's m copies in A and n in B it keeps max(m, n), of A as far as it has them.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t UnionKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, KeysOut keys_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_union_t{}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2),
        detail::set_result{keys_out, detail::no_values{}}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t UnionKeys(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, KeysOut keys_out, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return UnionKeys(all...); }, keys1, num_keys1, keys2, num_keys2, keys_out,
      d_num_selected_out, comp);
  }

  /// Queues set_union_by_key of set_operations.h.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t UnionPairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, Values1 values1, NumKeys1 num_keys1,
    Keys2 keys2, Values2 values2, NumKeys2 num_keys2, KeysOut keys_out, ValuesOut values_out,
    NumSelected* d_num_selected_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_union_t{}, detail::make_set_inputs(keys1, values1, num_keys1, keys2, values2, num_keys2),
        detail::set_result{keys_out, values_out}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t UnionPairs(
    Keys1 keys1, Values1 values1, NumKeys1 num_keys1, Keys2 keys2, Values2 values2, NumKeys2 num_keys2,
    KeysOut keys_out, ValuesOut values_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return UnionPairs(all...); }, keys1, values1, num_keys1, keys2, values2, num_keys2,
      keys_out, values_out, d_num_selected_out, comp);
  }

  /// Queues set_union_by_key of set_operations.h with `combine`, which has a value of each input for a match.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare, class Combine>
  [[nodiscard]] static cudaError_t UnionCombined(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, Values1 values1, NumKeys1 num_keys1,
    Keys2 keys2, Values2 values2, NumKeys2 num_keys2, KeysOut keys_out, ValuesOut values_out,
    NumSelected* d_num_selected_out, Compare comp, Combine combine, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_union_t{}, detail::make_set_inputs(keys1, values1, num_keys1, keys2, values2, num_keys2),
        detail::combined_result{keys_out, values_out, combine}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare, class Combine, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t UnionCombined(
    Keys1 keys1, Values1 values1, NumKeys1 num_keys1, Keys2 keys2, Values2 values2, NumKeys2 num_keys2,
    KeysOut keys_out, ValuesOut values_out, NumSelected* d_num_selected_out, Compare comp, Combine combine,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return UnionCombined(all...); }, keys1, values1, num_keys1, keys2, values2, num_keys2,
      keys_out, values_out, d_num_selected_out, comp, combine);
  }

  /// Queues set_union_size of set_operations.h: stores the size of the result alone.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t UnionCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_union_t{}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2), detail::set_size{}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class NumSelected, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t UnionCount(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return UnionCount(all...); }, keys1, num_keys1, keys2, num_keys2, d_num_selected_out,
      comp);
  }

  /// Queues set_difference on keys: of a key's m copies in A and n in B it keeps max(m - n, 0), of A.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t DifferenceKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, KeysOut keys_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_difference_t{}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2),
        detail::set_result{keys_out, detail::no_values{}}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t DifferenceKeys(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, KeysOut keys_out, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return DifferenceKeys(all...); }, keys1, num_keys1, keys2, num_keys2, keys_out,
      d_num_selected_out, comp);
  }

  /// Queues set_difference_by_key of set_operations.h.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t DifferencePairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, Values1 values1, NumKeys1 num_keys1,
    Keys2 keys2, [[maybe_unused]] Values2 values2, NumKeys2 num_keys2, KeysOut keys_out, ValuesOut values_out,
    NumSelected* d_num_selected_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_difference_t{},
        detail::make_set_inputs(keys1, values1, num_keys1, keys2, detail::no_values{}, num_keys2),
        detail::set_result{keys_out, values_out}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t DifferencePairs(
    Keys1 keys1, Values1 values1, NumKeys1 num_keys1, Keys2 keys2, Values2 values2, NumKeys2 num_keys2,
    KeysOut keys_out, ValuesOut values_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return DifferencePairs(all...); }, keys1, values1, num_keys1, keys2, values2, num_keys2,
      keys_out, values_out, d_num_selected_out, comp);
  }

  /// Queues set_difference_size of set_operations.h: stores the size of the result alone.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t DifferenceCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_difference_t{}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2), detail::set_size{},
        comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class NumSelected, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t DifferenceCount(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return DifferenceCount(all...); }, keys1, num_keys1, keys2, num_keys2, d_num_selected_out,
      comp);
  }

  /// Queues set_symmetric_difference on keys: of a key's m copies in A and n in B it keeps |m - n|, of the input with
  /// more.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SymmetricDifferenceKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, KeysOut keys_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_symmetric_difference_t{}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2),
        detail::set_result{keys_out, detail::no_values{}}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class KeysOut, class NumSelected,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t SymmetricDifferenceKeys(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, KeysOut keys_out, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SymmetricDifferenceKeys(all...); }, keys1, num_keys1, keys2, num_keys2, keys_out,
      d_num_selected_out, comp);
  }

  /// Queues set_symmetric_difference_by_key of set_operations.h.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SymmetricDifferencePairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, Values1 values1, NumKeys1 num_keys1,
    Keys2 keys2, Values2 values2, NumKeys2 num_keys2, KeysOut keys_out, ValuesOut values_out,
    NumSelected* d_num_selected_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_symmetric_difference_t{},
        detail::make_set_inputs(keys1, values1, num_keys1, keys2, values2, num_keys2),
        detail::set_result{keys_out, values_out}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class Values1, class NumKeys1, class Keys2, class Values2, class NumKeys2, class KeysOut,
    class ValuesOut, class NumSelected, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t SymmetricDifferencePairs(
    Keys1 keys1, Values1 values1, NumKeys1 num_keys1, Keys2 keys2, Values2 values2, NumKeys2 num_keys2,
    KeysOut keys_out, ValuesOut values_out, NumSelected* d_num_selected_out, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SymmetricDifferencePairs(all...); }, keys1, values1, num_keys1, keys2, values2,
      num_keys2, keys_out, values_out, d_num_selected_out, comp);
  }

  /// Queues set_symmetric_difference_size of set_operations.h: stores the size of the result alone.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class NumSelected, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SymmetricDifferenceCount(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, NumSelected* d_num_selected_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::set_operation_job(
        detail::set_symmetric_difference_t{}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2),
        detail::set_size{}, comp),
      d_num_selected_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class NumSelected, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>>
  [[nodiscard]] static cudaError_t SymmetricDifferenceCount(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, NumSelected* d_num_selected_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SymmetricDifferenceCount(all...); }, keys1, num_keys1, keys2, num_keys2,
      d_num_selected_out, comp);
  }
};

MGPU_THRUST_NAMESPACE_END

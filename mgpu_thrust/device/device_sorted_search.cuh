// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceSortedSearch: sorted searches queued on a stream, with temporary storage of the caller or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/sorted_search/job.h>
#include <mgpu_thrust/detail/sorted_search/launch.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// Searches of sorted ranges in device memory, shaped like CUB's device algorithms: they never wait, queue their work
/// on a stream, and can be captured into a CUDA graph. Each computes what the function of the same name in
/// sorted_search.h computes.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_sorted_search.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int haystack[] = {1, 3, 3, 5}, needles[] = {0, 3, 4};
///   int* keys; // haystack, needles, and the result
///   cudaMalloc(&keys, 10 * sizeof(int));
///   cudaMemcpy(keys, haystack, sizeof(haystack), cudaMemcpyHostToDevice);
///   cudaMemcpy(keys + 4, needles, sizeof(needles), cudaMemcpyHostToDevice);
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceSortedSearch::LowerBound(keys, 4, keys + 4, 3, keys + 7));
///   int bounds[3];
///   cudaMemcpy(bounds, keys + 7, sizeof(bounds), cudaMemcpyDeviceToHost);
///   assert(bounds[0] == 0 && bounds[1] == 1 && bounds[2] == 3);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage        device memory, or nullptr to query its size
/// @param temp_storage_bytes    its size in bytes: 16 for each tile of some thousand elements
/// @param haystack,num_haystack random-access iterator that device code can read, and how many keys: an integer, 0 or
///                              more, or a mgpu::deferred, which is read when the work is executed
/// @param needles,num_needles   likewise; its value type may differ. Both are sorted by comp, which is not checked
/// @param keys1,num_keys1       Search only: the first of two ranges that are searched in each other
/// @param keys2,num_keys2       Search only: the second
/// @param out                   random-access iterator, an element for each needle; for as many as num_needles can be,
///                              which is the number of results. No output may overlap the inputs, nor a count that is
///                              read
/// @param lower_out,upper_out   EqualRange only: likewise, for the two bounds
/// @param out1,out2             Search only: likewise, an element for each of keys1 and of keys2
/// @param d_match_counts        Search only: two std::int64_t in device memory that receive how many elements of keys1
///                              have an equal one in keys2, and how many of keys2 in keys1; they may be where sizes are
///                              read; or nullptr, in the query of the storage too
/// @param op                    Count only: its result for both bounds of a needle, std::int64_t, is stored to the
///                              output
/// @param comp                  strict weak order on all four combinations of key types, called on elements of the
///                              inputs only; default: operator<
/// @param stream                where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                   a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it:
///                              its stream, and its memory resource for the temporary storage. Default: the default
///                              stream. Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if the blocks for both are more than the 2^31 - 1
///         of a grid, if an output's value type cannot hold the indices, or if temp_storage_bytes is too small; else
///         the error of a launch or, in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws.
///         After an error nothing was written. A deferred size counts as its capacity.
/// @since 1.0
///
/// O(num_haystack + num_needles) work, a block for each tile of some thousand; or O(num_needles * log(num_haystack)), a
/// block for each 128 needles, if there are few.
///
/// Source: S. Baxter: Modern GPU, "Vectorized Sorted Search" (2013).
struct DeviceSortedSearch
{
  /// Queues sorted_lower_bound of sorted_search.h.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t LowerBound(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Haystack haystack, NumHaystack num_haystack, Needles needles,
    NumNeedles num_needles, Out out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::sorted_search_job(
        {}, detail::make_set_inputs(needles, num_needles, haystack, num_haystack), detail::index_output(out),
        detail::no_search_output{}, comp, nullptr),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Haystack, Env, NumHaystack, NumNeedles>>
  [[nodiscard]] static cudaError_t LowerBound(
    Haystack haystack, NumHaystack num_haystack, Needles needles, NumNeedles num_needles, Out out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return LowerBound(all...); }, haystack, num_haystack, needles, num_needles, out, comp);
  }

  /// Queues sorted_upper_bound of sorted_search.h.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t UpperBound(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Haystack haystack, NumHaystack num_haystack, Needles needles,
    NumNeedles num_needles, Out out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::sorted_search_job(
        {}, detail::make_set_inputs(haystack, num_haystack, needles, num_needles), detail::no_search_output{},
        detail::index_output(out), comp, nullptr),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Haystack, Env, NumHaystack, NumNeedles>>
  [[nodiscard]] static cudaError_t UpperBound(
    Haystack haystack, NumHaystack num_haystack, Needles needles, NumNeedles num_needles, Out out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return UpperBound(all...); }, haystack, num_haystack, needles, num_needles, out, comp);
  }

  /// Queues sorted_contains of sorted_search.h.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Contains(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Haystack haystack, NumHaystack num_haystack, Needles needles,
    NumNeedles num_needles, Out out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::sorted_search_job(
        {}, detail::make_set_inputs(needles, num_needles, haystack, num_haystack), detail::match_output(out),
        detail::no_search_output{}, comp, nullptr),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Haystack, Env, NumHaystack, NumNeedles>>
  [[nodiscard]] static cudaError_t Contains(
    Haystack haystack, NumHaystack num_haystack, Needles needles, NumNeedles num_needles, Out out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Contains(all...); }, haystack, num_haystack, needles, num_needles, out, comp);
  }

  /// Queues sorted_equal_range of sorted_search.h.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class LowerOut, class UpperOut,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t EqualRange(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Haystack haystack, NumHaystack num_haystack, Needles needles,
    NumNeedles num_needles, LowerOut lower_out, UpperOut upper_out, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::sorted_search_job(
        {}, detail::make_set_inputs(needles, num_needles, haystack, num_haystack),
        detail::bounds_output(lower_out, upper_out), detail::no_search_output{}, comp, nullptr),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class LowerOut, class UpperOut,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Haystack, Env, NumHaystack, NumNeedles>>
  [[nodiscard]] static cudaError_t EqualRange(
    Haystack haystack, NumHaystack num_haystack, Needles needles, NumNeedles num_needles, LowerOut lower_out,
    UpperOut upper_out, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return EqualRange(all...); }, haystack, num_haystack, needles, num_needles, lower_out,
      upper_out, comp);
  }

  /// Queues sorted_count of sorted_search.h.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Count(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Haystack haystack, NumHaystack num_haystack, Needles needles,
    NumNeedles num_needles, Out out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::sorted_search_job(
        {}, detail::make_set_inputs(needles, num_needles, haystack, num_haystack), detail::count_output(out),
        detail::no_search_output{}, comp, nullptr),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Haystack, Env, NumHaystack, NumNeedles>>
  [[nodiscard]] static cudaError_t Count(
    Haystack haystack, NumHaystack num_haystack, Needles needles, NumNeedles num_needles, Out out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Count(all...); }, haystack, num_haystack, needles, num_needles, out, comp);
  }

  /// Queues sorted_count of sorted_search.h with an operator.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare, class Operator>
  [[nodiscard]] static cudaError_t Count(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Haystack haystack, NumHaystack num_haystack, Needles needles,
    NumNeedles num_needles, Out out, Compare comp, Operator op, cudaStream_t stream)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::sorted_search_job(
        {}, detail::make_set_inputs(needles, num_needles, haystack, num_haystack), detail::operator_output(out, op),
        detail::no_search_output{}, comp, nullptr),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Haystack, class NumHaystack, class Needles, class NumNeedles, class Out, class Compare, class Operator,
    class Env, class = detail::short_call<Haystack, Env, NumHaystack, NumNeedles>>
  [[nodiscard]] static cudaError_t Count(
    Haystack haystack, NumHaystack num_haystack, Needles needles, NumNeedles num_needles, Out out, Compare comp,
    Operator op, const Env& env)
  {
    return detail::with_storage(
      env, [](auto&... all) { return Count(all...); }, haystack, num_haystack, needles, num_needles, out, comp, op);
  }

  /// Queues sorted_search of sorted_search.h.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class Out1, class Out2,
    class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t Search(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2,
    NumKeys2 num_keys2, Out1 out1, Out2 out2, std::int64_t* d_match_counts = nullptr, Compare comp = Compare{},
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::sorted_search_job(
        {}, detail::make_set_inputs(keys1, num_keys1, keys2, num_keys2), detail::joint_search_output(out1),
        detail::joint_search_output(out2), comp, d_match_counts),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys1, class NumKeys1, class Keys2, class NumKeys2, class Out1, class Out2,
    class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys1, Env, NumKeys1, NumKeys2>, class = detail::if_no_size<Out2>>
  [[nodiscard]] static cudaError_t Search(
    Keys1 keys1, NumKeys1 num_keys1, Keys2 keys2, NumKeys2 num_keys2, Out1 out1, Out2 out2,
    std::int64_t* d_match_counts = nullptr, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Search(all...); }, keys1, num_keys1, keys2, num_keys2, out1, out2, d_match_counts,
      comp);
  }
};

MGPU_THRUST_NAMESPACE_END

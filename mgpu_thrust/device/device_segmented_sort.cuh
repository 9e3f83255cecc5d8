// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceSegmentedSort: stable sorts of items in segments, queued on a stream, with temporary storage of the caller or
/// of an environment.

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

MGPU_THRUST_NAMESPACE_BEGIN

/// Stable sorts of segments by comparison in device memory, shaped like CUB's device algorithms: they never wait, queue
/// their work on a stream, and can be captured into a CUDA graph. Each computes what the function of the same name in
/// segmented_sort.h computes, where segments are explained.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_segmented_sort.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int numbers[] = {0, 3, 3, 9, 7, 8, 2, 1}; // offsets: segments of 3, 0 and 2 keys; then the keys
///   int* d_numbers;
///   cudaMalloc(&d_numbers, sizeof(numbers));
///   cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
///   int* const keys = d_numbers + 3;
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceSegmentedSort::StableSortKeys(keys, 5, d_numbers, 3));
///   int sorted[5];
///   cudaMemcpy(sorted, keys, sizeof(sorted), cudaMemcpyDeviceToHost);
///   assert(sorted[0] == 7 && sorted[1] == 8 && sorted[2] == 9 && sorted[3] == 1 && sorted[4] == 2);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes, for the current device: as DeviceSort's, and under 1 % more,
///                           or, of keys of fewer than 4 bytes, 4 %; for a mgpu::deferred that of the capacities, and
///                           256 bytes
/// @param keys,num_items     a random-access iterator that device code can read and write (read alone, for
///                           StableSortIndices), and how many keys: an integer, 0 or more, or a mgpu::deferred, which
///                           is read when the work is executed
/// @param values             Pairs only: likewise, a value for each key
/// @param offsets            random-access iterator to integers in ascending order from 0 to num_items, the first one
///                           0: where the segments start
/// @param num_segments       number of segments, an integer, 0 or more, or a mgpu::deferred; 1 or more if there are
///                           items: n if there are n + 1 offsets, as CUB has them. Where a number is deferred, items
///                           without a segment count as none
/// @param indices_out        StableSortIndices only: a random-access iterator to integers, which must hold num_items -
///   1
/// @param flags              SortKeysByFlags only, in place of offsets: random-access iterator to a flag for each key,
///                           true for the first keys of segments; key 0 is one
/// @param comp               strict weak order of keys, called on keys of the input only; default: operator<
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size or capacity is negative, if there are items and no segment and
///         both numbers are integers, if items, or their capacity, are more than a grid of 2^31 - 1 tiles takes or than
///         the indices' type can number, or if temp_storage_bytes is too small; else the error of a launch or, in the
///         short form, of the storage: cudaErrorMemoryAllocation if a resource throws. After cudaErrorInvalidValue
///         nothing was written.
/// @since 1.0
///
/// Offsets are not checked; if they are wrong, the resulting keys are unspecified, but nothing outside is read or
/// written. Offsets and flags must not overlap keys or values or be computed from them. O(n log m) work for segments of
/// up to m keys: a segment that lies in one tile, of some 8,000 keys of 4 bytes, is not touched by any pass, and one
/// that lies in several only by those that have to merge it; and a search of the offsets for each tile. Few keys in
/// segments by offsets are sorted by one cooperative launch, which begins when the device has room for all its blocks.
///
/// Source: S. Baxter: Modern GPU, "Segmented Sort and Locality Sort" (2013), for the idea; the method is ours.
struct DeviceSegmentedSort
{
  /// Queues segmented_stable_sort of segmented_sort.h.
  /// @since 1.0
  template <class Keys, class NumItems, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t StableSortKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::make_segmented_sort("the keys", keys, num_items, detail::no_values{}, offsets, num_segments, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t StableSortKeys(
    Keys keys, NumItems num_items, Offsets offsets, NumSegments num_segments, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return StableSortKeys(all...); }, keys, num_items, offsets, num_segments, comp);
  }

  /// Queues segmented_sort of segmented_sort.h: another name for StableSortKeys.
  /// @since 1.0
  template <class Keys, class NumItems, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SortKeys(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return StableSortKeys(d_temp_storage, temp_storage_bytes, keys, num_items, offsets, num_segments, comp, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t SortKeys(
    Keys keys, NumItems num_items, Offsets offsets, NumSegments num_segments, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SortKeys(all...); }, keys, num_items, offsets, num_segments, comp);
  }

  /// Queues segmented_stable_sort_by_key of segmented_sort.h.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t StableSortPairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, Values values, NumItems num_items,
    Offsets offsets, NumSegments num_segments, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::make_segmented_sort("the keys", keys, num_items, values, offsets, num_segments, comp), detail::no_count,
      stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t StableSortPairs(
    Keys keys, Values values, NumItems num_items, Offsets offsets, NumSegments num_segments, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return StableSortPairs(all...); }, keys, values, num_items, offsets, num_segments, comp);
  }

  /// Queues segmented_sort_by_key of segmented_sort.h: another name for StableSortPairs.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SortPairs(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, Values values, NumItems num_items,
    Offsets offsets, NumSegments num_segments, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return StableSortPairs(
      d_temp_storage, temp_storage_bytes, keys, values, num_items, offsets, num_segments, comp, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class Values, class NumItems, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t SortPairs(
    Keys keys, Values values, NumItems num_items, Offsets offsets, NumSegments num_segments, Compare comp = Compare{},
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SortPairs(all...); }, keys, values, num_items, offsets, num_segments, comp);
  }

  /// Queues segmented_stable_sort_indices of segmented_sort.h.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumSegments, class Indices, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t StableSortIndices(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Indices indices_out, Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::make_segmented_sort_indices(keys, num_items, offsets, num_segments, indices_out, comp), detail::no_count,
      stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Offsets, class NumSegments, class Indices, class Compare = ::cuda::std::less<>,
    class Env = cudaStream_t, class = detail::short_call<Keys, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t StableSortIndices(
    Keys keys, NumItems num_items, Offsets offsets, NumSegments num_segments, Indices indices_out,
    Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return StableSortIndices(all...); }, keys, num_items, offsets, num_segments, indices_out,
      comp);
  }

  /// Queues segmented_sort_by_flags of segmented_sort.h.
  /// @since 1.0
  template <class Keys, class NumItems, class Flags, class Compare = ::cuda::std::less<>>
  [[nodiscard]] static cudaError_t SortKeysByFlags(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Keys keys, NumItems num_items, Flags flags,
    Compare comp = Compare{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes, detail::make_segmented_sort_by_flags(keys, num_items, flags, comp),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Keys, class NumItems, class Flags, class Compare = ::cuda::std::less<>, class Env = cudaStream_t,
    class = detail::short_call<Keys, Env, NumItems>>
  [[nodiscard]] static cudaError_t
  SortKeysByFlags(Keys keys, NumItems num_items, Flags flags, Compare comp = Compare{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return SortKeysByFlags(all...); }, keys, num_items, flags, comp);
  }
};

MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceSegmentedCompact: compactions of items in segments, queued on a stream, with temporary storage of the caller
/// or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/segmented_compact/job.h>
#include <mgpu_thrust/detail/segmented_compact/launch.cuh>
#include <mgpu_thrust/detail/segmented_compact/serial.h>

#include <cuda/std/functional>

#include <cuda_runtime_api.h>

#include <cstddef>

MGPU_THRUST_NAMESPACE_BEGIN

/// Compactions of items in segments in device memory, shaped like CUB's device algorithms: they never wait, queue their
/// work on a stream, leave the number of items that are kept in device memory, and can be captured into a CUDA graph.
/// They compute what the functions of segmented_compact.h compute, where segments, the offsets of results and the
/// functions are explained.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_segmented_compact.cuh>
///
/// #include <cassert>
/// #include <cstdint>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int numbers[] = {0, 4, 4, 5, 5, 7, 7, 7, 2, 9, 9}; // the offsets of 3 segments, and 8 items
///   int* d_numbers;                                          // and the distinct items, and 4 offsets of them
///   std::int64_t* d_count;
///   cudaMalloc(&d_numbers, 23 * sizeof(int));
///   cudaMalloc(&d_count, sizeof(std::int64_t));
///   cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
///   const int* const items = d_numbers + 3;
///   int* const distinct = d_numbers + 11;
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   using device = mgpu::DeviceSegmentedCompact;
///   check(device::UniqueCopy(items, 8, d_numbers, 3, distinct, d_numbers + 19, d_count));
///   int results[12]; // 5 7 7 2 9, and then from the ninth on 0 2 2 5
///   std::int64_t count = 0;
///   cudaMemcpy(results, distinct, sizeof(results), cudaMemcpyDeviceToHost);
///   cudaMemcpy(&count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
///   assert(count == 5 && results[1] == 7 && results[2] == 7 && results[4] == 9);
///   assert(results[8] == 0 && results[9] == 2 && results[10] == 2 && results[11] == 5);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage     device memory, or nullptr to query its size
/// @param temp_storage_bytes its size in bytes: about 28 for each tile of some thousand items. What is enough for some
///                           sizes, or capacities, is enough for all smaller ones
/// @param items,num_items    random-access iterator that device code can read, and how many: an integer, 0 or more, or
///                           a mgpu::deferred, which is read when the work is executed
/// @param offsets            random-access iterator to the segments' offsets, which are not checked
/// @param num_segments       number of segments, likewise: n if there are n + 1 offsets, as in CSR
/// @param out                random-access iterator, for items; room for num_items is always enough. It must not
///                           overlap the inputs
/// @param offsets_out        random-access iterator, for num_segments + 1 integers
/// @param d_num_kept_out     pointer to an integer in device memory, for the number of items that are kept; it may be
///                           where a size is read
/// @param pred               called as pred(item, segment), if it can be called so, otherwise as pred(item), from many
///                           threads at once, each of which has a copy
/// @param equal              called as equal(item before, item), likewise; default: operator==
/// @param stream             where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                           stream, and its memory resource for the temporary storage. Default: the default stream.
///                           Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if there are items and no segment, if there are
///         more items and segments than a grid of 2^31 - 1 tiles takes, if the value type of offsets_out or the type of
///         *d_num_kept_out cannot hold num_items, or if temp_storage_bytes is too small; else the error of a launch or,
///         in the short form, of the storage: cudaErrorMemoryAllocation if a resource throws. After an error nothing
///         was written. A deferred size counts as its capacity.
/// @since 1.0
///
/// One pass over the items; O(num_items + num_segments) work, whatever the lengths of the segments.
struct DeviceSegmentedCompact
{
  /// Queues segmented_copy_if of segmented_compact.h.
  /// @since 1.0
  template <
    class Items, class NumItems, class Offsets, class NumSegments, class Out, class OffsetsOut, class NumKept,
    class Predicate>
  [[nodiscard]] static cudaError_t CopyIf(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Items items, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Out out, OffsetsOut offsets_out, NumKept* d_num_kept_out, Predicate pred,
    detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::make_compact_job(
        items, detail::make_segments_n(num_items, offsets, num_segments), out, offsets_out,
        detail::keep_if<Predicate>{pred}),
      d_num_kept_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Items, class NumItems, class Offsets, class NumSegments, class Out, class OffsetsOut, class NumKept,
    class Predicate, class Env = cudaStream_t, class = detail::short_call<Items, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t CopyIf(
    Items items, NumItems num_items, Offsets offsets, NumSegments num_segments, Out out, OffsetsOut offsets_out,
    NumKept* d_num_kept_out, Predicate pred, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return CopyIf(all...); }, items, num_items, offsets, num_segments, out, offsets_out,
      d_num_kept_out, pred);
  }

  /// Queues segmented_unique_copy of segmented_compact.h.
  /// @since 1.0
  template <
    class Items, class NumItems, class Offsets, class NumSegments, class Out, class OffsetsOut, class NumKept,
    class BinaryPredicate = ::cuda::std::equal_to<>>
  [[nodiscard]] static cudaError_t UniqueCopy(
    void* d_temp_storage, std::size_t& temp_storage_bytes, Items items, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Out out, OffsetsOut offsets_out, NumKept* d_num_kept_out,
    BinaryPredicate equal = BinaryPredicate{}, detail::stream_argument stream = nullptr)
  {
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::make_compact_job(
        items, detail::make_segments_n(num_items, offsets, num_segments), out, offsets_out,
        detail::keep_first_of_equals<BinaryPredicate>{equal}),
      d_num_kept_out, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class Items, class NumItems, class Offsets, class NumSegments, class Out, class OffsetsOut, class NumKept,
    class BinaryPredicate = ::cuda::std::equal_to<>, class Env = cudaStream_t,
    class = detail::short_call<Items, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t UniqueCopy(
    Items items, NumItems num_items, Offsets offsets, NumSegments num_segments, Out out, OffsetsOut offsets_out,
    NumKept* d_num_kept_out, BinaryPredicate equal = BinaryPredicate{}, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return UniqueCopy(all...); }, items, num_items, offsets, num_segments, out, offsets_out,
      d_num_kept_out, equal);
  }
};

MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// DeviceLoadBalance: load-balancing search, and functions called for items in segments, queued on a stream, with
/// temporary storage of the caller or of an environment.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/stream_argument.cuh>
#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/detail/segments/job.h>
#include <mgpu_thrust/detail/segments/launch.cuh>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// Load-balancing search in device memory, shaped like CUB's device algorithms: these functions never wait, queue their
/// work on a stream, and can be captured into a CUDA graph. They compute what load_balancing_search,
/// for_each_in_segments and transform_in_segments in load_balance.h compute, where segments and offsets are explained.
///
/// Each function has two forms. The short one, without the first two parameters, allocates its temporary storage in the
/// order of the stream of `env`, and frees it there. The other one is called twice, and allocates nothing. With
/// `d_temp_storage == nullptr` a call sets `temp_storage_bytes` and does nothing else. The next call takes so much
/// device memory, which must stay until the stream has passed the call.
///
/// @code{.cu}
/// #include <mgpu_thrust/device/device_load_balance.cuh>
///
/// #include <cassert>
/// #include <stdexcept>
///
/// int main()
/// {
///   const int offsets[] = {0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
///   int* d_offsets;                     // and the result
///   cudaMalloc(&d_offsets, 10 * sizeof(int));
///   cudaMemcpy(d_offsets, offsets, sizeof(offsets), cudaMemcpyHostToDevice);
///   const auto check = [](cudaError_t error)
///   {
///     if (error != cudaSuccess) { throw std::runtime_error(cudaGetErrorString(error)); }
///   };
///   check(mgpu::DeviceLoadBalance::Search(6, d_offsets, 4, d_offsets + 4));
///   int segments[6];
///   cudaMemcpy(segments, d_offsets + 4, sizeof(segments), cudaMemcpyDeviceToHost);
///   assert(segments[0] == 0 && segments[1] == 0 && segments[2] == 0);
///   assert(segments[3] == 2 && segments[4] == 3 && segments[5] == 3);
///   return 0;
/// }
/// @endcode
///
/// @param d_temp_storage       device memory, or nullptr to query its size
/// @param temp_storage_bytes   its size in bytes: up to 8 for each tile of 4096 items, and some more
/// @param num_items            number of items: an integer, 0 or more, or a mgpu::deferred, which is read when the work
///                             is executed
/// @param offsets,num_segments a random-access iterator that device code can read, to integers in ascending order from
///                             0 to num_items, the first one 0: where the segments start. And their number, a size
///                             like num_items; 1 or more if there are items: n if there are n + 1 offsets, as in CSR
/// @param segments_out         Search only: random-access iterator for num_items integers
/// @param values               ForEach and Transform, if f takes a value: random-access iterator, a value for each
///                             segment
/// @param result               Transform only: random-access iterator for num_items elements
/// @param f                    an object that device code can call as f(item, segment, rank), each a std::int64_t, or
///                             as f(item, segment, rank, value): once for each item, by many threads at once, each of
///                             which has a copy
/// @param stream               where the work is queued, a cuda::stream_ref too; default: the default stream
/// @param env                  a stream, a `cuda::stream_ref` or, from CCCL 3.5 on, an environment as CUB takes it: its
///                             stream, and its memory resource for the temporary storage. Default: the default stream.
///                             Without a resource storage is of the pool of the device, by cudaMallocAsync
/// @return cudaSuccess; cudaErrorInvalidValue if a size is negative, if there are items and no segment, if the items
///         are more than a grid of 2^31 - 1 tiles takes, if the value type of segments_out cannot hold num_segments - 1
///         while there are items, or if temp_storage_bytes is too small; else the error of a launch or, in the short
///         form, of the storage: cudaErrorMemoryAllocation if a resource throws. After an error nothing was written or
///         called. Where a size is deferred, items without a segment are no error: there are none then. Of deferred
///         sizes it is the capacities that must fit the grid and the value type.
/// @since 1.0
///
/// Outputs must not overlap the inputs. Offsets are not checked. If they are wrong, some items get wrong segments and
/// ranks, or none.
///
/// O(num_items + num_segments) work, and a bisection of the offsets for each tile.
///
/// Source: S. Baxter: Modern GPU, "Load-Balancing Search" (2013).
struct DeviceLoadBalance
{
private:
  /// Distinguishes the overloads with values from the others, whose last argument is the stream or an environment.
  template <class Function>
  using if_function = std::enable_if_t<std::is_class_v<Function> && !detail::is_environment_v<Function>, int>;

public:
  /// Queues load_balancing_search of load_balance.h.
  /// @since 1.0
  template <class NumItems, class Offsets, class NumSegments, class SegmentsOut>
  [[nodiscard]] static cudaError_t Search(
    void* d_temp_storage, std::size_t& temp_storage_bytes, NumItems num_items, Offsets offsets,
    NumSegments num_segments, SegmentsOut segments_out, detail::stream_argument stream = nullptr)
  {
    return Transform(
      d_temp_storage, temp_storage_bytes, num_items, offsets, num_segments, segments_out,
      detail::segment_number<detail::written_index_t<SegmentsOut>>{}, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumSegments, class SegmentsOut, class Env = cudaStream_t,
    class = detail::short_call<NumItems, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t Search(
    NumItems num_items, Offsets offsets, NumSegments num_segments, SegmentsOut segments_out, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Search(all...); }, num_items, offsets, num_segments, segments_out);
  }

  /// Queues for_each_in_segments of load_balance.h.
  /// @since 1.0
  template <class NumItems, class Offsets, class NumSegments, class Function>
  [[nodiscard]] static cudaError_t ForEach(
    void* d_temp_storage, std::size_t& temp_storage_bytes, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Function f, detail::stream_argument stream = nullptr)
  {
    return ForEach(
      d_temp_storage, temp_storage_bytes, num_items, offsets, num_segments, detail::no_values{}, f, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumSegments, class Function, class Env = cudaStream_t,
    class = detail::short_call<NumItems, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t
  ForEach(NumItems num_items, Offsets offsets, NumSegments num_segments, Function f, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return ForEach(all...); }, num_items, offsets, num_segments, f);
  }

  /// Queues for_each_in_segments of load_balance.h with a value for each segment.
  /// @since 1.0
  template <class NumItems, class Offsets, class NumSegments, class Values, class Function, if_function<Function> = 0>
  [[nodiscard]] static cudaError_t ForEach(
    void* d_temp_storage, std::size_t& temp_storage_bytes, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Values values, Function f, detail::stream_argument stream = nullptr)
  {
    const detail::segment_visit action{f, detail::unwrap(values)};
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segments_job(action, detail::make_segments_n(num_items, offsets, num_segments), detail::nothing{}),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumSegments, class Values, class Function, if_function<Function> = 0,
    class Env = cudaStream_t, class = detail::short_call<NumItems, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t ForEach(
    NumItems num_items, Offsets offsets, NumSegments num_segments, Values values, Function f, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return ForEach(all...); }, num_items, offsets, num_segments, values, f);
  }

  /// Queues transform_in_segments of load_balance.h.
  /// @since 1.0
  template <class NumItems, class Offsets, class NumSegments, class Result, class Function>
  [[nodiscard]] static cudaError_t Transform(
    void* d_temp_storage, std::size_t& temp_storage_bytes, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Result result, Function f, detail::stream_argument stream = nullptr)
  {
    return Transform(
      d_temp_storage, temp_storage_bytes, num_items, offsets, num_segments, detail::no_values{}, result, f, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumSegments, class Result, class Function, class Env = cudaStream_t,
    class = detail::short_call<NumItems, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t Transform(
    NumItems num_items, Offsets offsets, NumSegments num_segments, Result result, Function f, const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Transform(all...); }, num_items, offsets, num_segments, result, f);
  }

  /// Queues transform_in_segments of load_balance.h with a value for each segment.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumSegments, class Values, class Result, class Function,
    if_function<Function> = 0>
  [[nodiscard]] static cudaError_t Transform(
    void* d_temp_storage, std::size_t& temp_storage_bytes, NumItems num_items, Offsets offsets,
    NumSegments num_segments, Values values, Result result, Function f, detail::stream_argument stream = nullptr)
  {
    const detail::segment_transform action{f, detail::unwrap(values), detail::unwrap(result)};
    return detail::enqueue(
      d_temp_storage, temp_storage_bytes,
      detail::segments_job(action, detail::make_segments_n(num_items, offsets, num_segments), detail::nothing{}),
      detail::no_count, stream);
  }
  /// As above, with storage of the environment's memory.
  /// @since 1.0
  template <
    class NumItems, class Offsets, class NumSegments, class Values, class Result, class Function,
    if_function<Function> = 0, class Env = cudaStream_t,
    class = detail::short_call<NumItems, Env, NumItems, NumSegments>>
  [[nodiscard]] static cudaError_t Transform(
    NumItems num_items, Offsets offsets, NumSegments num_segments, Values values, Result result, Function f,
    const Env& env = Env{})
  {
    return detail::with_storage(
      env, [](auto&... all) { return Transform(all...); }, num_items, offsets, num_segments, values, result, f);
  }
};

MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues a job with items in segments on a stream: no allocation, no synchronisation.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/partition_kernel.cuh>
#include <mgpu_thrust/detail/segments/kernels.cuh>
#include <mgpu_thrust/detail/segments/serial.h>
#include <mgpu_thrust/detail/segments/tuning.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A job with items in segments on a device. Its temporary storage holds the segment that each tile begins in.
template <class Job, class Offsets>
struct device_segments
{
  using shape = segments_shape;

  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(const segments<Offsets>& in)
  {
    return detail::tiles_of(in.num_items, shape::items);
  }
  static std::size_t storage_bytes(std::int64_t tiles)
  {
    return static_cast<std::size_t>(tiles + 1) * sizeof(std::int64_t);
  }

  /// Queues the job. There must be at least one item; `storage` is in use until the stream has passed the job.
  static cudaError_t launch(void* storage, const Job& job, const segments<Offsets>& in, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(in));
    std::int64_t* tile_segments = nullptr;
    if (in.num_segments > few_segments)
    {
      tile_segments = static_cast<std::int64_t*>(storage);
      const cudaError_t error = detail::launch_kernel(
        detail::segments_partition_kernel<shape::items, Offsets>, tile_count / segments_partition_threads + 1,
        segments_partition_threads, false, stream, in, tile_count, tile_segments);
      if (error != cudaSuccess)
      {
        return error;
      }
    }
    return detail::launch_kernel(
      detail::segments_kernel<shape, Job, Offsets>, tile_count, shape::threads,
      kernels_can_overlap && tile_segments != nullptr, stream, job, in,
      static_cast<const std::int64_t*>(tile_segments));
  }
};

/// Implements the functions of DeviceLoadBalance and DeviceInterval: queues a job if the numbers of items and segments
/// are valid.
template <class Job, class Offsets>
cudaError_t queue_segments(
  void* storage, std::size_t& storage_bytes, const Job& job, const segments<Offsets>& in, cudaStream_t stream)
{
  using operation = device_segments<Job, Offsets>;
  const std::int64_t tiles = operation::tiles(in);
  if (in.num_items < 0 || in.num_segments < 0 || (in.num_items > 0 && in.num_segments == 0) || tiles >= most_tiles)
  {
    return cudaErrorInvalidValue;
  }
  return detail::with_storage(
    storage, storage_bytes, operation::storage_bytes(tiles),
    [&](void* aligned) { return in.num_items == 0 ? cudaSuccess : operation::launch(aligned, job, in, stream); });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues bulk removal and insertion on a stream: no allocation, no synchronisation.

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/bulk_kernel.cuh>
#include <mgpu_thrust/device/bulk_tuning.cuh>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/partition_kernel.cuh>
#include <mgpu_thrust/thread/bulk.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A bulk_removal or bulk_insertion of given types on a device. Its temporary storage is the points that the tiles
/// begin at, partition_bytes(tiles).
template <class Job, class Output>
struct device_bulk
{
  using shape = decltype(choose_bulk_shape<Job::largest_element_bytes>());

  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(const Job& job)
  {
    return detail::tiles_of(job.path.a_count + job.path.b_count, shape::items);
  }

  /// Queues it. There must be at least one tile; `storage` is in use until the stream has passed it.
  static cudaError_t launch(void* storage, const Job& job, const Output& output, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(job));
    auto* const begins = static_cast<tile_begin*>(storage);
    const cudaError_t error = detail::queue_partition<shape::items>(
      merge_t{}, job.path, index_less{}, tile_count, begins, no_tile_offsets{}, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::bulk_kernel<shape, Job, Output>, tile_count, shape::threads, kernels_can_overlap, stream, job, output,
      static_cast<const tile_begin*>(begins));
  }
};

/// DeviceBulk, for a job whose sizes are right.
template <class Job, class Output>
cudaError_t queue_bulk(void* storage, std::size_t& storage_bytes, const Job& job, Output output, cudaStream_t stream)
{
  using operation = device_bulk<Job, Output>;
  const std::int64_t tiles = operation::tiles(job);
  if (tiles >= most_tiles)
  {
    return cudaErrorInvalidValue;
  }
  return detail::with_storage(
    storage, storage_bytes, detail::partition_bytes(tiles),
    [&](void* aligned)
    { return job.output_size() == 0 ? cudaSuccess : operation::launch(aligned, job, output, stream); });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues bulk removal and insertion on a stream: no allocation, no synchronisation.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/bulk/kernels.cuh>
#include <mgpu_thrust/detail/bulk/serial.h>
#include <mgpu_thrust/detail/bulk/tuning.cuh>
#include <mgpu_thrust/detail/cut/partition_kernel.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A bulk_removal or bulk_insertion of given types on a device.
template <class Job, class Output>
struct device_bulk;

/// A removal. Its tiles are of elements; its temporary storage holds the number of indices before each tile.
template <class Path, class Input, class Output>
struct device_bulk<bulk_removal<Path, Input>, Output>
{
  using job_type = bulk_removal<Path, Input>;
  using shape = decltype(choose_bulk_shape<job_type::largest_element_bytes>());

  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(const job_type& job)
  {
    return detail::tiles_of(job.path.b_count, shape::items);
  }
  static std::size_t storage_bytes(std::int64_t tiles)
  {
    return static_cast<std::size_t>(tiles + 1) * sizeof(std::int64_t);
  }

  /// Queues the kernels. There must be at least one tile; `storage` is in use until the stream has passed them.
  static cudaError_t launch(void* storage, const job_type& job, const Output& output, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(job));
    std::int64_t* tile_indices = nullptr;
    if (job.path.a_count > few_indices)
    {
      tile_indices = static_cast<std::int64_t*>(storage);
      const cudaError_t error = detail::launch_kernel(
        detail::removal_partition_kernel<shape::items, Path>, tile_count / removal_partition_threads + 1,
        removal_partition_threads, false, stream, job.path, tile_count, tile_indices);
      if (error != cudaSuccess)
      {
        return error;
      }
    }
    return detail::launch_kernel(
      detail::removal_kernel<shape, Path, Input, Output>, tile_count, shape::threads,
      kernels_can_overlap && tile_indices != nullptr, stream, job, output,
      static_cast<const std::int64_t*>(tile_indices));
  }
};

/// An insertion. Its tiles are of the output; its temporary storage holds the points of the merge path that they begin
/// at, partition_bytes(tiles).
template <class Path, class Input, class Values, class Output>
struct device_bulk<bulk_insertion<Path, Input, Values>, Output>
{
  using job_type = bulk_insertion<Path, Input, Values>;
  using shape = decltype(choose_bulk_shape<job_type::largest_element_bytes>());

  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(const job_type& job)
  {
    return detail::tiles_of(job.output_size(), shape::items);
  }
  static std::size_t storage_bytes(std::int64_t tiles)
  {
    return detail::partition_bytes(tiles);
  }

  /// Queues the kernels. There must be at least one tile; `storage` is in use until the stream has passed them.
  static cudaError_t launch(void* storage, const job_type& job, const Output& output, cudaStream_t stream)
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
      detail::insertion_kernel<shape, Path, Input, Values, Output>, tile_count, shape::threads, kernels_can_overlap,
      stream, job, output, static_cast<const tile_begin*>(begins));
  }
};

/// Implements the functions of DeviceBulk, for a job whose sizes are valid.
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
    storage, storage_bytes, operation::storage_bytes(tiles),
    [&](void* aligned)
    { return job.output_size() == 0 ? cudaSuccess : operation::launch(aligned, job, output, stream); });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

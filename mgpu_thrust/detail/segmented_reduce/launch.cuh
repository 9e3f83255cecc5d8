// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues a segmented reduction on a stream: no allocation, no synchronisation.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/partition_kernel.cuh>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/segmented_reduce/kernels.cuh>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/segmented_reduce/tuning.cuh>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The partition of items in segments into tiles on a device, for reductions of any value type.
template <class Offsets>
struct device_segment_ends
{
  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(const segments<Offsets>& in)
  {
    const std::int64_t tiles_of_items = in.num_items / segmented_reduce_shape::items;
    const std::int64_t rest = item_weight * (in.num_items % segmented_reduce_shape::items) + in.num_segments;
    return tiles_of_items + rest / segmented_reduce_weight + (rest % segmented_reduce_weight != 0);
  }
  static std::size_t storage_bytes(const segments<Offsets>& in)
  {
    return detail::round_up_storage(static_cast<std::size_t>(tiles(in) + 1) * sizeof(load_balance_point));
  }

  /// Queues the partition. There must be at least one segment.
  static cudaError_t launch(load_balance_point* begins, const segments<Offsets>& in, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(in));
    return detail::launch_kernel(
      detail::segment_ends_partition_kernel<Offsets>, tile_count / segment_ends_partition_threads + 1,
      segment_ends_partition_threads, false, stream, in, tile_count, begins);
  }
};

/// A segmented reduction on a device, of items that are partitioned into tiles.
template <class Job, class Offsets>
struct device_segmented_reduce
{
  using value = typename Job::value_type;
  using shape = segmented_reduce_shape;

  static std::size_t storage_bytes(const segments<Offsets>& in)
  {
    return 2 * carries_bytes(in);
  }

  /// Queues the reduction. There must be at least one segment. `storage` and `begins` are in use until the stream has
  /// passed it.
  static cudaError_t launch(
    void* storage, const Job& job, const segments<Offsets>& in, const load_balance_point* begins, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(device_segment_ends<Offsets>::tiles(in));
    const tile_carries<value> carries{
      static_cast<value*>(storage), reinterpret_cast<value*>(static_cast<char*>(storage) + carries_bytes(in))};
    const cudaError_t error = detail::launch_kernel(
      detail::segmented_reduce_kernel<shape, value, Job, Offsets>, tile_count, shape::threads, kernels_can_overlap,
      stream, job, in, tile_count, begins, carries);
    if (error != cudaSuccess || tile_count == 1)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::segmented_carry_kernel<value, Job, Offsets>, (tile_count + carry_threads - 1) / carry_threads,
      carry_threads, kernels_can_overlap, stream, job, in, tile_count, begins, carries);
  }

private:
  static std::size_t carries_bytes(const segments<Offsets>& in)
  {
    return detail::round_up_storage(static_cast<std::size_t>(device_segment_ends<Offsets>::tiles(in)) * sizeof(value));
  }
};

/// Implements DeviceSegmentedReduce: queues the reduction if the numbers of items and segments are valid.
template <class Job, class Offsets>
cudaError_t queue_segmented_reduce(
  void* storage, std::size_t& storage_bytes, const Job& job, const segments<Offsets>& in, cudaStream_t stream)
{
  using partition = device_segment_ends<Offsets>;
  using operation = device_segmented_reduce<Job, Offsets>;
  if (
    in.num_items < 0 || in.num_segments < 0 || (in.num_items > 0 && in.num_segments == 0)
    || partition::tiles(in) >= most_tiles)
  {
    return cudaErrorInvalidValue;
  }
  const std::size_t partition_bytes = partition::storage_bytes(in);
  return detail::with_storage(
    storage, storage_bytes, partition_bytes + operation::storage_bytes(in),
    [&](void* aligned)
    {
      auto* const begins = static_cast<load_balance_point*>(aligned);
      const cudaError_t error = in.num_segments == 0 ? cudaSuccess : partition::launch(begins, in, stream);
      return error != cudaSuccess || in.num_segments == 0
               ? error
               : operation::launch(static_cast<char*>(aligned) + partition_bytes, job, in, begins, stream);
    });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

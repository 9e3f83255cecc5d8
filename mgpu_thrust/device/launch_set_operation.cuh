// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues a set operation on a stream: no allocation, no synchronisation, the count left in device memory.

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/set_operation_kernels.cuh>
#include <mgpu_thrust/device/set_operation_tuning.cuh>
#include <mgpu_thrust/thread/set_operation.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The temporary storage of a set operation over `tiles` tiles, as offsets from an address aligned to 256 bytes.
struct set_operation_storage
{
  explicit set_operation_storage(std::int64_t tiles)
  {
    begins_at = round_up(tile_offsets::bytes(tiles));
    count_at = begins_at + round_up((tiles + 1) * sizeof(tile_begin));
    bytes = count_at + round_up(sizeof(std::int64_t));
  }

  std::size_t begins_at; // behind the tile_offsets
  std::size_t count_at;
  std::size_t bytes;

private:
  static std::size_t round_up(std::size_t size)
  {
    return (size + 255) / 256 * 256;
  }
};

/// A set operation of given types on a device.
template <class Operation, class Inputs, class Outputs, class Compare>
struct device_set_operation
{
  using a_key = typename std::iterator_traits<decltype(Inputs::a)>::value_type;
  using b_key = typename std::iterator_traits<decltype(Inputs::b)>::value_type;
  using shape =
    decltype(choose_set_operation_shape<
             (sizeof(a_key) > sizeof(b_key) ? sizeof(a_key) : sizeof(b_key)), has_values<decltype(Outputs::values)>>());
  using plan = set_operation_plan<shape, Operation, Inputs, Outputs>;

  /// The number of tiles, which must be less than the largest int.
  static std::int64_t tiles(const Inputs& inputs)
  {
    const std::int64_t total = inputs.a_count + inputs.b_count;
    return total / shape::items + (total % shape::items != 0);
  }

  /// Queues the operation. There must be at least one tile; `storage` holds set_operation_storage(tiles).bytes and is
  /// in use until the stream has passed the operation. *count receives the number of elements kept.
  static cudaError_t launch(
    void* storage, const Inputs& inputs, const Outputs& outputs, Compare comp, std::int64_t* count, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(inputs));
    const set_operation_storage layout(tile_count);
    const tile_offsets offsets(storage, tile_count);
    auto* const begins = reinterpret_cast<tile_begin*>(static_cast<char*>(storage) + layout.begins_at);

    const cudaError_t error = launch_kernel(
      detail::set_operation_partition_kernel<shape::items, Inputs, Compare>, tile_count / partition_tiles + 1,
      partition_threads, stream, inputs, comp, tile_count, begins, offsets, count);
    if (error != cudaSuccess)
    {
      return error;
    }
    return launch_kernel(
      detail::set_operation_kernel<shape, Operation, Inputs, Outputs, Compare>, tile_count + plan::writes,
      shape::threads, stream, inputs, outputs, comp, tile_count, static_cast<const tile_begin*>(begins), offsets,
      count);
  }

private:
  template <class... Parameters>
  static cudaError_t
  launch_kernel(void (*kernel)(Parameters...), int blocks, int threads, cudaStream_t stream, Parameters... arguments)
  {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

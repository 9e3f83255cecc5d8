// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues a set operation on a stream: no allocation, no synchronisation, the count left in device memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/partition_kernel.cuh>
#include <mgpu_thrust/detail/set_operation/kernels.cuh>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/tuning.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The layout of the temporary storage of a set operation over `tiles` tiles, as offsets from an aligned pointer. A
/// merge has no tile_offsets.
struct set_operation_storage
{
  set_operation_storage(bool has_offsets, std::int64_t tiles)
      : begins_at(has_offsets ? detail::round_up_storage(tile_offsets::bytes(tiles)) : 0)
      , bytes(begins_at + detail::round_up_storage(detail::partition_bytes(tiles)))
  {
  }

  std::size_t begins_at; // after the tile_offsets
  std::size_t bytes;
};

/// A set operation of given types on a device.
template <class Operation, class Inputs, class Outputs, class Compare>
struct device_set_operation
{
  using kernel_operation = std::conditional_t<std::is_same_v<Outputs, no_outputs>, set_intersection_t, Operation>;
  using shape = decltype(choose_set_operation_shape<
                         kernel_operation, largest_key_bytes<Inputs>, has_values<decltype(Outputs::values)>>());

  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(const Inputs& inputs)
  {
    return detail::tiles_of(inputs.a_count + inputs.b_count, shape::items);
  }

  /// Queues the operation. There must be at least one tile; `storage` holds set_operation_storage(tiles).bytes and is
  /// in use until the stream has passed the operation. *count, in memory that the device can write, receives the number
  /// of elements kept.
  template <class Count>
  static cudaError_t
  launch(void* storage, const Inputs& inputs, const Outputs& outputs, Compare comp, Count* count, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(inputs));
    const set_operation_storage layout(Operation::matches, tile_count);
    const auto offsets = [&]
    {
      if constexpr (Operation::matches)
      {
        return tile_offsets(storage, tile_count);
      }
      else
      {
        return no_tile_offsets{};
      }
    }();
    auto* const begins = reinterpret_cast<tile_begin*>(static_cast<char*>(storage) + layout.begins_at);

    const cudaError_t error =
      detail::queue_partition<shape::items>(kernel_operation{}, inputs, comp, tile_count, begins, offsets, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::set_operation_kernel<
        shape, kernel_operation, Inputs, Outputs, Compare, Count, std::decay_t<decltype(offsets)>>,
      tile_count + kernel_operation::matches, shape::threads, kernels_can_overlap, stream, inputs, outputs, comp,
      tile_count, static_cast<const tile_begin*>(begins), offsets, detail::size_of(Operation{}, inputs), count);
  }
};

/// Implements DeviceSetOperations and DeviceMerge, for any operation and form: keys_out is no_outputs if the result is
/// only counted.
template <
  class Operation, class KeysA, class ValuesA, class KeysB, class ValuesB, class KeysOut, class ValuesOut, class Count,
  class Compare>
cudaError_t queue_set_operation(
  void* storage, std::size_t& storage_bytes, Operation, KeysA a, ValuesA a_values, std::int64_t a_count, KeysB b,
  [[maybe_unused]] ValuesB b_values, std::int64_t b_count, [[maybe_unused]] KeysOut keys_out,
  [[maybe_unused]] ValuesOut values_out, Count* count, Compare compare, cudaStream_t stream)
{
  static_assert(std::is_integral_v<Count>, "mgpu_thrust: d_num_selected_out must point to an integer");
  const auto comp = detail::as_order<KeysA, KeysB>(compare);
  const auto read_b_values = [&]
  {
    if constexpr (Operation::keeps_unmatched_b)
    {
      return detail::unwrap(b_values);
    }
    else
    {
      return no_values{};
    }
  }();
  const auto outputs = [&]
  {
    if constexpr (std::is_same_v<KeysOut, no_outputs>)
    {
      return no_outputs{};
    }
    else
    {
      return set_outputs{detail::unwrap(keys_out), detail::unwrap(values_out)};
    }
  }();
  const set_inputs inputs{
    detail::unwrap(a), detail::unwrap(a_values), a_count, detail::unwrap(b), read_b_values, b_count};
  using operation = device_set_operation<
    Operation, std::decay_t<decltype(inputs)>, std::decay_t<decltype(outputs)>, order_t<Compare, KeysA, KeysB>>;

  // 1. Check the sizes.
  if (a_count < 0 || b_count < 0 || a_count > std::numeric_limits<std::int64_t>::max() - b_count)
  {
    return cudaErrorInvalidValue;
  }
  const std::int64_t tiles = operation::tiles(inputs);
  if (tiles >= most_tiles)
  {
    return cudaErrorInvalidValue;
  }
  return detail::with_storage(
    storage, storage_bytes, set_operation_storage(Operation::matches, tiles).bytes,
    [&](void* aligned)
    {
      // 2. Queue the work.
      if (tiles == 0)
      {
        return Operation::matches ? cudaMemsetAsync(count, 0, sizeof(Count), stream) : cudaSuccess;
      }
      return operation::launch(aligned, inputs, outputs, comp, count, stream);
    });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

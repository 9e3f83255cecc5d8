// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues a semi or anti join on a stream: no allocation, no synchronisation, the count left in device memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/partition_kernel.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/join/semi_kernels.cuh>
#include <mgpu_thrust/detail/join/semi_serial.h>
#include <mgpu_thrust/detail/join/semi_tuning.cuh>
#include <mgpu_thrust/detail/sorted_search/tuning.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A semi or anti join of given types on a device.
template <class Filter, class Inputs, class Output, class Compare>
struct device_semi_join
{
  using shape = decltype(choose_semi_join_shape<largest_key_bytes<Inputs>>());

  /// Whether B is so long that most of it need not be read.
  static bool is_sparse(const Inputs& inputs)
  {
    return inputs.a_count <= inputs.b_count / sparse_needles_ratio;
  }

  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(const Inputs& inputs)
  {
    return is_sparse(inputs) ? detail::tiles_of(inputs.a_count, sparse_search_threads)
                             : detail::tiles_of(inputs.a_count + inputs.b_count, shape::items);
  }

  /// The bytes of temporary storage: the tiles' offsets, then, unless the join is sparse, where the tiles begin.
  static std::size_t storage_bytes(const Inputs& inputs)
  {
    const std::int64_t count = tiles(inputs);
    return begins_at(count) + (is_sparse(inputs) ? 0 : detail::round_up_storage(detail::partition_bytes(count)));
  }

  /// Queues the join. There must be at least one row of A; `storage`, aligned, is in use until the stream has passed
  /// it. *count, in memory that the device can write, receives the number of rows kept.
  template <class Count>
  static cudaError_t
  launch(void* storage, const Inputs& inputs, const Output& output, Compare comp, Count* count, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(inputs));
    const tile_offsets offsets(storage, tile_count);
    if (is_sparse(inputs))
    {
      const cudaError_t error = cudaMemsetAsync(storage, 0, tile_offsets::bytes(tile_count), stream);
      if (error != cudaSuccess)
      {
        return error;
      }
      return detail::launch_kernel(
        detail::sparse_semi_join_kernel<Filter, Inputs, Output, Compare, Count>, tile_count + 1, sparse_search_threads,
        false, stream, inputs, output, comp, offsets, count);
    }
    auto* const begins = reinterpret_cast<tile_begin*>(static_cast<char*>(storage) + begins_at(tile_count));
    const cudaError_t error =
      detail::queue_partition<shape::items>(merge_t{}, inputs, comp, tile_count, begins, offsets, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::semi_join_kernel<shape, Filter, Inputs, Output, Compare, Count>, tile_count + 1, shape::threads,
      kernels_can_overlap, stream, inputs, output, comp, tile_count, static_cast<const tile_begin*>(begins), offsets,
      count);
  }

private:
  static std::size_t begins_at(std::int64_t tile_count)
  {
    return detail::round_up_storage(tile_offsets::bytes(tile_count));
  }
};

/// Implements the functions of DeviceSemiJoin, for either kind of join, with its rows or only their count.
template <class Filter, class Left, class Right, class Output, class Count, class Compare>
cudaError_t queue_semi_join(
  void* storage, std::size_t& storage_bytes, Filter filter, Left left, std::int64_t left_count, Right right,
  std::int64_t right_count, Output output, Count* count, Compare compare, cudaStream_t stream)
{
  static_assert(std::is_integral_v<Count>, "mgpu_thrust: d_num_rows_out must point to an integer");

  const auto comp = detail::as_order<Left, Right>(compare);

  // 1. Check the sizes, and that the output can hold the row numbers.
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (left_count < 0 || right_count < 0 || left_count > largest - right_count || left_count - 1 > Output::largest)
  {
    return cudaErrorInvalidValue;
  }
  const set_inputs inputs{detail::unwrap(left),  no_values{}, left_count,
                          detail::unwrap(right), no_values{}, right_count};
  using join = device_semi_join<Filter, std::decay_t<decltype(inputs)>, Output, order_t<Compare, Left, Right>>;
  if (join::tiles(inputs) >= most_tiles)
  {
    return cudaErrorInvalidValue;
  }

  // 2. Queue the work.
  return detail::with_storage(
    storage, storage_bytes, join::storage_bytes(inputs),
    [&](void* aligned)
    {
      return detail::keeps_no_row(filter, inputs) ? cudaMemsetAsync(count, 0, sizeof(Count), stream)
                                                  : join::launch(aligned, inputs, output, comp, count, stream);
    });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

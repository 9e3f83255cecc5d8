// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues a join on a stream: no allocation, no synchronisation, the number of rows left in device memory.

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/detail/index_type.h>
#include <mgpu_thrust/detail/unwrap.h>
#include <mgpu_thrust/device/join_kernels.cuh>
#include <mgpu_thrust/device/join_tuning.cuh>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/partition_kernel.cuh>
#include <mgpu_thrust/thread/join.h>
#include <mgpu_thrust/thread/set_operation.h>

#include <cub/device/device_scan.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The temporary storage of a join, as offsets from an aligned address: where tiles begin in the inputs, where in the
/// result, and what the scan between these takes.
struct join_storage
{
  std::size_t counts_at = 0;
  std::size_t scan_at = 0;
  std::size_t scan_bytes = 0;
  std::size_t bytes = 0;
};

/// The sums over all tiles before each one, in place of their counts.
inline cudaError_t
queue_join_scan(void* storage, std::size_t& storage_bytes, join_counts* counts, std::int64_t tiles, cudaStream_t stream)
{
  return cub::DeviceScan::ExclusiveScan(
    storage, storage_bytes, counts, counts, add_join_counts{}, join_counts{0, 0, 0}, static_cast<int>(tiles + 1),
    stream);
}

/// A join of given types on a device.
template <class Kind, class Inputs, class Compare>
struct device_join
{
  using shape = decltype(choose_join_shape<largest_key_bytes<Inputs>>());

  /// The number of tiles, which must be less than most_tiles less the extra blocks.
  static std::int64_t tiles(const Inputs& inputs)
  {
    return detail::tiles_of(inputs.a_count + inputs.b_count, shape::items);
  }

  static cudaError_t lay_out(const Inputs& inputs, join_storage& layout)
  {
    const std::int64_t count = tiles(inputs);
    layout.counts_at = detail::round_up_storage(detail::partition_bytes(count));
    layout.scan_at =
      layout.counts_at + detail::round_up_storage(static_cast<std::size_t>(count + 1) * sizeof(join_counts));
    const cudaError_t error = detail::queue_join_scan(nullptr, layout.scan_bytes, nullptr, count, nullptr);
    layout.bytes = layout.scan_at + detail::round_up_storage(layout.scan_bytes);
    return error;
  }

  /// Queues the search, which leaves in `storage` what `fill` needs. *size, in memory that the device can write,
  /// receives the number of rows.
  template <class Size>
  static cudaError_t
  count(void* storage, join_storage layout, const Inputs& inputs, Compare comp, Size* size, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(inputs));
    if (tile_count == 0)
    {
      return cudaMemsetAsync(size, 0, sizeof(Size), stream);
    }
    tile_begin* const begins = begins_of(storage);
    join_counts* const counts = counts_of(storage, layout);
    cudaError_t error =
      detail::queue_partition<shape::items>(merge_t{}, inputs, comp, tile_count, begins, no_tile_offsets{}, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    error = detail::launch_kernel(
      detail::join_count_kernel<shape, Kind, Inputs, Compare>, tile_count, shape::threads, kernels_can_overlap, stream,
      inputs, comp, tile_count, static_cast<const tile_begin*>(begins), counts);
    if (error != cudaSuccess)
    {
      return error;
    }
    error = detail::queue_join_scan(
      static_cast<char*>(storage) + layout.scan_at, layout.scan_bytes, counts, tile_count, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::join_size_kernel<Size>, 1, 1, false, stream, rows_of(storage, layout, tile_count), size);
  }

  /// Queues the writing of those rows that are `wanted`, the first of them to the outputs' first elements.
  template <class Outputs>
  static cudaError_t fill(
    void* storage, join_storage layout, const Inputs& inputs, const Outputs& outputs, Compare comp, row_range wanted,
    cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(inputs));
    if (tile_count == 0 || wanted.size() == 0)
    {
      return cudaSuccess;
    }
    return detail::launch_kernel(
      detail::join_fill_kernel<shape, Kind, Inputs, Outputs, Compare>, tile_count + join_extra_blocks, shape::threads,
      false, stream, inputs, outputs, comp, static_cast<const tile_begin*>(begins_of(storage)),
      rows_of(storage, layout, tile_count), wanted);
  }

private:
  static tile_begin* begins_of(void* storage)
  {
    return static_cast<tile_begin*>(storage);
  }
  static join_counts* counts_of(void* storage, join_storage layout)
  {
    return reinterpret_cast<join_counts*>(static_cast<char*>(storage) + layout.counts_at);
  }
  static join_layout rows_of(void* storage, join_storage layout, int tile_count)
  {
    return {counts_of(storage, layout), tile_count, join_unit_rows};
  }
};

/// What all functions of DeviceJoin do: queue(aligned storage, its layout, inputs) if the inputs' sizes are possible.
template <class Kind, class Left, class Right, class Compare, class Queue>
cudaError_t with_join(
  void* storage, std::size_t& storage_bytes, Left left, std::int64_t left_count, Right right, std::int64_t right_count,
  Queue queue)
{
  const set_inputs inputs{detail::unwrap(left),  no_values{}, left_count,
                          detail::unwrap(right), no_values{}, right_count};
  using join = device_join<Kind, std::decay_t<decltype(inputs)>, Compare>;
  if (
    left_count < 0 || right_count < 0 || left_count > std::numeric_limits<std::int64_t>::max() - right_count
    || join::tiles(inputs) >= most_tiles - join_extra_blocks)
  {
    return cudaErrorInvalidValue;
  }
  join_storage layout;
  const cudaError_t error = join::lay_out(inputs, layout);
  if (error != cudaSuccess)
  {
    return error;
  }
  return detail::with_storage(
    storage, storage_bytes, layout.bytes, [&](void* aligned) { return queue(join{}, aligned, layout, inputs); });
}

/// Whether outputs can hold the numbers of so many elements.
template <class Outputs>
bool holds_numbers(const Outputs&, std::int64_t left_count, std::int64_t right_count)
{
  return left_count - 1 <= largest_index<
           typename Outputs::left_index> && right_count - 1 <= largest_index<typename Outputs::right_index>;
}

/// A whole join, if LeftOut is an iterator; if it is no_values the rows are only counted.
template <class Kind, class Left, class Right, class LeftOut, class RightOut, class Size, class Compare>
cudaError_t queue_join(
  void* storage, std::size_t& storage_bytes, Kind kind, Left left, std::int64_t left_count, Right right,
  std::int64_t right_count, [[maybe_unused]] LeftOut left_out, [[maybe_unused]] RightOut right_out, Size* size,
  Compare comp, cudaStream_t stream)
{
  static_assert(std::is_integral_v<Size>, "mgpu_thrust: d_num_rows_out must point to an integer");
  const auto count = [&](auto join, void* aligned, const join_storage& layout, const auto& inputs)
  { return join.count(aligned, layout, inputs, comp, size, stream); };
  if constexpr (has_values<LeftOut>)
  {
    const auto outputs = detail::make_join_outputs(kind, left_out, right_out);
    if (!detail::holds_numbers(outputs, left_count, right_count))
    {
      return cudaErrorInvalidValue;
    }
    constexpr row_range all{0, std::numeric_limits<std::int64_t>::max()};
    return detail::with_join<Kind, Left, Right, Compare>(
      storage, storage_bytes, left, left_count, right, right_count,
      [&](auto join, void* aligned, const join_storage& layout, const auto& inputs)
      {
        const cudaError_t error = count(join, aligned, layout, inputs);
        return error == cudaSuccess ? join.fill(aligned, layout, inputs, outputs, comp, all, stream) : error;
      });
  }
  else
  {
    return detail::with_join<Kind, Left, Right, Compare>(
      storage, storage_bytes, left, left_count, right, right_count, count);
  }
}

/// Some rows of a join that was counted.
template <class Kind, class Left, class Right, class LeftOut, class RightOut, class Compare>
cudaError_t queue_join_rows(
  void* storage, std::size_t& storage_bytes, Kind kind, Left left, std::int64_t left_count, Right right,
  std::int64_t right_count, std::int64_t first_row, std::int64_t num_rows, LeftOut left_out, RightOut right_out,
  Compare comp, cudaStream_t stream)
{
  const auto outputs = detail::make_join_outputs(kind, left_out, right_out);
  if (
    first_row < 0 || num_rows < 0 || num_rows > std::numeric_limits<std::int64_t>::max() - first_row
    || !detail::holds_numbers(outputs, left_count, right_count))
  {
    return cudaErrorInvalidValue;
  }
  return detail::with_join<Kind, Left, Right, Compare>(
    storage, storage_bytes, left, left_count, right, right_count,
    [&](auto join, void* aligned, const join_storage& layout, const auto& inputs)
    {
      const row_range wanted{first_row, first_row + num_rows};
      return join.fill(aligned, layout, inputs, outputs, comp, wanted, stream);
    });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues a join on a stream: no allocation, no synchronisation, the number of rows left in device memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/partition_kernel.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/join/kernels.cuh>
#include <mgpu_thrust/detail/join/pass_kernels.cuh>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/join/tuning.cuh>

#include <cub/device/device_scan.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The layout of a join's temporary storage, as offsets from an aligned pointer: the tiles' begins in the inputs, their
/// begins in the result, and the storage of the scan that computes the latter.
struct join_storage
{
  std::size_t counts_at = 0;
  std::size_t scan_at = 0;
  std::size_t scan_bytes = 0;
  std::size_t bytes = 0;
};

/// Queues the scan that replaces the counts of each tile by the sums over all tiles before it.
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

  /// Queues the kernels that count the rows and leave in `storage` what `fill` needs. *size, in memory that the device
  /// can write, receives the number of rows.
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

  /// Queues the kernel that writes the rows in `wanted`, the first of them to the outputs' first elements.
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

  /// Whether one pass can join these inputs: only if there cannot be too many rows, as it starts to write before their
  /// number is known.
  static bool is_one_pass(const Inputs& inputs)
  {
    return !detail::may_have_too_many_rows(inputs);
  }

  /// The bytes of temporary storage of a join in one pass.
  static std::size_t pass_bytes(const Inputs& inputs)
  {
    const std::int64_t count = tiles(inputs);
    return pass_begins_at(inputs) + detail::round_up_storage(detail::partition_bytes(count));
  }

  /// Queues a join in one pass, independently of `count` and `fill`. *size, in memory that the device can write,
  /// receives the number of rows.
  template <class Outputs, class Size>
  static cudaError_t
  pass(void* storage, const Inputs& inputs, const Outputs& outputs, Compare comp, Size* size, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(inputs));
    if (tile_count == 0)
    {
      return cudaMemsetAsync(size, 0, sizeof(Size), stream);
    }
    const join_progress<Kind> progress(storage, tile_count);
    auto* const begins = reinterpret_cast<tile_begin*>(static_cast<char*>(storage) + pass_begins_at(inputs));
    const auto* const read_begins = static_cast<const tile_begin*>(begins);
    cudaError_t error =
      detail::queue_partition<shape::items>(merge_t{}, inputs, comp, tile_count, begins, progress, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    error = detail::launch_kernel(
      detail::join_pass_kernel<shape, Kind, Inputs, Outputs, Compare, Size>, tile_count + 1, shape::threads,
      kernels_can_overlap, stream, inputs, outputs, comp, tile_count, read_begins, progress, size);
    if (error != cudaSuccess)
    {
      return error;
    }
    error = detail::launch_kernel(
      detail::join_extra_kernel<shape, Kind, Inputs, Outputs, Compare>, join_extra_blocks, shape::threads,
      kernels_can_overlap, stream, inputs, outputs, comp, tile_count, read_begins, progress);
    if constexpr (Kind::keeps_right)
    {
      if (error == cudaSuccess)
      {
        error = detail::launch_kernel(
          detail::join_right_only_kernel<shape, Kind, Outputs>, tile_count, join_right_only_threads,
          kernels_can_overlap, stream, outputs, tile_count, read_begins, progress);
      }
    }
    return error;
  }

private:
  static std::size_t pass_begins_at(const Inputs& inputs)
  {
    return detail::round_up_storage(join_progress<Kind>::bytes(tiles(inputs), inputs.b_count));
  }
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

/// Returns act(device_join, inputs), or an error if the inputs' sizes are not possible, for all functions of
/// DeviceJoin.
template <class Kind, class Left, class Right, class Compare, class Act>
cudaError_t with_join(Left left, std::int64_t left_count, Right right, std::int64_t right_count, Act act)
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
  return act(join{}, inputs);
}

/// Returns queue(aligned storage, its layout) if there is storage, else sets its size, for joins that count first.
template <class Join, class Inputs, class Queue>
cudaError_t with_join_storage(Join, void* storage, std::size_t& storage_bytes, const Inputs& inputs, Queue queue)
{
  join_storage layout;
  const cudaError_t error = Join::lay_out(inputs, layout);
  if (error != cudaSuccess)
  {
    return error;
  }
  return detail::with_storage(
    storage, storage_bytes, layout.bytes, [&](void* aligned) { return queue(aligned, layout); });
}

/// Whether the value types of the outputs can hold the indices of left_count and right_count elements.
template <class Outputs>
bool holds_numbers(const Outputs&, std::int64_t left_count, std::int64_t right_count)
{
  return left_count - 1 <= largest_index<
           typename Outputs::left_index> && right_count - 1 <= largest_index<typename Outputs::right_index>;
}

/// Queues a whole join if LeftOut is an iterator; if it is no_values, the rows are only counted.
template <class Kind, class Left, class Right, class LeftOut, class RightOut, class Size, class Compare>
cudaError_t queue_join(
  void* storage, std::size_t& storage_bytes, Kind kind, Left left, std::int64_t left_count, Right right,
  std::int64_t right_count, [[maybe_unused]] LeftOut left_out, [[maybe_unused]] RightOut right_out, Size* size,
  Compare compare, cudaStream_t stream)
{
  static_assert(std::is_integral_v<Size>, "mgpu_thrust: d_num_rows_out must point to an integer");
  const auto comp = detail::as_order<Left, Right>(compare);
  const auto outputs = [&]
  {
    if constexpr (has_values<LeftOut>)
    {
      return detail::make_join_outputs(kind, left_out, right_out);
    }
    else
    {
      return no_join_outputs{};
    }
  }();
  if constexpr (has_values<LeftOut>)
  {
    if (!detail::holds_numbers(outputs, left_count, right_count))
    {
      return cudaErrorInvalidValue;
    }
  }
  return detail::with_join<Kind, Left, Right, order_t<Compare, Left, Right>>(
    left, left_count, right, right_count,
    [&](auto join, const auto& inputs)
    {
      if constexpr (has_values<LeftOut>)
      {
        if (join.is_one_pass(inputs))
        {
          return detail::with_storage(
            storage, storage_bytes, join.pass_bytes(inputs),
            [&](void* aligned) { return join.pass(aligned, inputs, outputs, comp, size, stream); });
        }
      }
      return detail::with_join_storage(
        join, storage, storage_bytes, inputs,
        [&](void* aligned, const join_storage& layout)
        {
          cudaError_t error = join.count(aligned, layout, inputs, comp, size, stream);
          if constexpr (has_values<LeftOut>)
          {
            constexpr row_range all{0, std::numeric_limits<std::int64_t>::max()};
            error = error == cudaSuccess ? join.fill(aligned, layout, inputs, outputs, comp, all, stream) : error;
          }
          return error;
        });
    });
}

/// Queues the writing of rows [first_row, first_row + num_rows) of a join that was counted.
template <class Kind, class Left, class Right, class LeftOut, class RightOut, class Compare>
cudaError_t queue_join_rows(
  void* storage, std::size_t& storage_bytes, Kind kind, Left left, std::int64_t left_count, Right right,
  std::int64_t right_count, std::int64_t first_row, std::int64_t num_rows, LeftOut left_out, RightOut right_out,
  Compare compare, cudaStream_t stream)
{
  const auto comp = detail::as_order<Left, Right>(compare);
  const auto outputs = detail::make_join_outputs(kind, left_out, right_out);
  if (
    first_row < 0 || num_rows < 0 || num_rows > std::numeric_limits<std::int64_t>::max() - first_row
    || !detail::holds_numbers(outputs, left_count, right_count))
  {
    return cudaErrorInvalidValue;
  }
  return detail::with_join<Kind, Left, Right, order_t<Compare, Left, Right>>(
    left, left_count, right, right_count,
    [&](auto join, const auto& inputs)
    {
      return detail::with_join_storage(
        join, storage, storage_bytes, inputs,
        [&](void* aligned, const join_storage& layout)
        {
          const row_range wanted{first_row, first_row + num_rows};
          return join.fill(aligned, layout, inputs, outputs, comp, wanted, stream);
        });
    });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

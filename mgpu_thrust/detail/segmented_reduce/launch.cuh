// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segmented reduction on a CUDA device: the layout of its temporary storage, and the launches.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segmented_reduce/choice.h>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/tiles/kernels.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tiles/tile_output.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tuning.h>
#include <mgpu_thrust/detail/segmented_reduce/whole/kernels.cuh>
#include <mgpu_thrust/detail/segmented_reduce/whole/segment_per_block_kernels.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the bytes of the cuts of that many tiles.
inline std::size_t segment_cuts_bytes(std::int64_t tiles)
{
  return detail::round_up_storage(static_cast<std::size_t>(tiles + 1) * sizeof(load_balance_point));
}

/// Queues the cut into tiles.
template <class Segments>
cudaError_t queue_segment_cuts(const Segments& in, void* cuts, cudaStream_t stream)
{
  return detail::queue_segment_cut<segmented_reduce_bounds<decltype(Segments::offsets)>>(
    in, static_cast<load_balance_point*>(cuts), stream);
}

template <class Offsets>
struct device_work<segment_cuts_job<Offsets>>
{
  using job_type = segment_cuts_job<Offsets>;

  template <class Count>
  static device_plan plan(const job_type& job, const Count*)
  {
    const std::int64_t tiles = segmented_reduce_shape::tiles(job.in.num_items, job.in.num_segments);
    return {tiles, detail::segment_cuts_bytes(tiles)};
  }
  static cudaError_t launch(void* storage, const job_type& job, const device_plan&, std::int64_t*, cudaStream_t stream)
  {
    return detail::queue_segment_cuts(job.in, storage, stream);
  }
};

/// The layout in temporary storage of the units of long segments, of which there are up to `max_units`.
template <class T>
struct item_units_layout
{
  std::int64_t max_units;

  std::size_t bytes() const
  {
    return 2 * bytes_of<int>() + bytes_of<T>();
  }
  item_units<T> in(void* storage, int log_items) const
  {
    char* const segments = static_cast<char*>(storage);
    char* const done = segments + bytes_of<int>();
    return {
      reinterpret_cast<int*>(segments), reinterpret_cast<int*>(done), reinterpret_cast<T*>(done + bytes_of<int>()),
      log_items};
  }

private:
  template <class Number>
  std::size_t bytes_of() const
  {
    return detail::round_up_storage(static_cast<std::size_t>(max_units) * sizeof(Number));
  }
};

template <class Reduction, class Segments, class Output>
struct device_work<segmented_reduce_job<Reduction, Segments, Output>>
{
  using job_type = segmented_reduce_job<Reduction, Segments, Output>;
  using value = typename Reduction::value_type;
  using path = segmented_reduce_path;

  struct plan_type : device_plan
  {
    segmented_reduce_choice chosen;
  };

  /// Tiles need two values each, and the cuts, unless a plan has them. A segment per block needs the units of long
  /// segments. Whole segments need no storage.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const segmented_reduce_choice chosen = detail::choose_segmented_reduce<value>(
      job.in.num_items, job.in.num_segments, is_deferred_v<Segments>, job.cuts != nullptr,
      detail::current_device_room());
    std::size_t bytes = 0;
    switch (chosen.path)
    {
    case path::shared_segments:
    case path::large_segments:
      break;
    case path::segment_per_block:
      bytes = item_units_layout<value>{chosen.max_units}.bytes();
      break;
    case path::planned_tiles:
      bytes = 2 * values_bytes(chosen.tiles);
      break;
    default:
      bytes = 2 * values_bytes(chosen.tiles) + detail::segment_cuts_bytes(chosen.tiles);
    }
    return {{chosen.tiles, bytes}, chosen};
  }

  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    switch (plan.chosen.path)
    {
    case path::shared_segments:
      return reduce_whole_segments<whole_segments_shape<value>>(job, plan.chosen, stream);
    case path::large_segments:
      return reduce_whole_segments<whole_segments_shape<value, true>>(job, plan.chosen, stream);
    case path::segment_per_block:
      return reduce_segment_per_block(storage, job, plan.chosen, stream);
    default:
      return reduce_tiles(storage, job, plan.chosen, stream);
    }
  }

private:
  static std::size_t values_bytes(std::int64_t tiles)
  {
    return detail::round_up_storage(static_cast<std::size_t>(tiles) * sizeof(value));
  }

  template <class Shape>
  static cudaError_t reduce_whole_segments(
    [[maybe_unused]] const job_type& job, [[maybe_unused]] const segmented_reduce_choice& chosen,
    [[maybe_unused]] cudaStream_t stream)
  {
    if constexpr (Shape::exists)
    {
      return detail::launch_clusters(
        detail::whole_segments_kernel<Shape, value, Reduction, Segments>, static_cast<int>(chosen.blocks),
        Shape::cluster_blocks, Shape::threads, stream, job.reduction, job.in, chosen.log_size,
        chosen.max_items_of_group);
    }
    else
    {
      return cudaErrorNotSupported; // never chosen
    }
  }

  static cudaError_t reduce_segment_per_block(
    [[maybe_unused]] void* storage, [[maybe_unused]] const job_type& job,
    [[maybe_unused]] const segmented_reduce_choice& chosen, [[maybe_unused]] cudaStream_t stream)
  {
    using shape = segment_per_block_shape<value>;
    if constexpr (shape::is_batched)
    {
      const item_units<value> units = item_units_layout<value>{chosen.max_units}.in(storage, chosen.log_size);
      const cudaError_t error = detail::launch_kernel(
        detail::segment_per_block_kernel<shape, value, Reduction, Segments>, static_cast<int>(chosen.blocks),
        shape::threads, false, stream, job.reduction, job.in, units);
      return error != cudaSuccess
               ? error
               : detail::launch_kernel(
                 detail::long_segments_kernel<shape, value, Reduction, Segments>, static_cast<int>(chosen.later_blocks),
                 shape::threads, kernels_can_overlap, stream, job.reduction, job.in, units);
    }
    else
    {
      return cudaErrorNotSupported; // never chosen
    }
  }

  static cudaError_t
  reduce_tiles(void* storage, const job_type& job, const segmented_reduce_choice& chosen, cudaStream_t stream)
  {
    using shape = segmented_reduce_shape;
    constexpr bool can_be_few = is_deferred_v<Segments> && few_whole_segments_shape<value>::exists;

    // 1. Cut, unless a plan has the cuts or blocks cut their own tiles.
    char* const values = static_cast<char*>(storage);
    const std::size_t bytes = values_bytes(chosen.tiles);
    void* const cuts = chosen.path == path::planned_tiles ? job.cuts : values + 2 * bytes;
    cudaError_t error = chosen.path == path::tiles ? detail::queue_segment_cuts(job.in, cuts, stream) : cudaSuccess;
    if (error != cudaSuccess)
    {
      return error;
    }

    // 2. Reduce tiles.
    const int tile_count = static_cast<int>(chosen.tiles);
    auto* const begins = static_cast<load_balance_point*>(cuts);
    const tile_carries<value> carries{reinterpret_cast<value*>(values), reinterpret_cast<value*>(values + bytes)};
    const auto reduce = [&](auto kernel, bool overlaps)
    {
      return detail::launch_kernel(
        kernel, static_cast<int>(chosen.blocks), shape::threads, overlaps, stream, job.reduction, job.in, tile_count,
        begins, carries);
    };
    switch (chosen.path)
    {
    case path::tiles:
    case path::planned_tiles:
      error = reduce(detail::segmented_reduce_kernel<shape, value, false, Reduction, Segments>, kernels_can_overlap);
      break;
    case path::deferred_tiles:
      error = reduce(detail::segmented_reduce_kernel<shape, value, true, Reduction, Segments, can_be_few>, false);
      break;
    default:
      error = reduce(detail::segmented_reduce_kernel<shape, value, true, Reduction, Segments>, false);
    }
    if (error != cudaSuccess || chosen.later_blocks == 0)
    {
      return error;
    }

    // 3. Combine the carries.
    return detail::launch_kernel(
      detail::segmented_carry_kernel<value, Reduction, Segments>, static_cast<int>(chosen.later_blocks),
      segmented_carry_shape::threads, kernels_can_overlap, stream, job.reduction, job.in, tile_count,
      static_cast<const load_balance_point*>(begins), carries);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

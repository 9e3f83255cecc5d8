// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segmented reduction on a CUDA device: the layout of its temporary storage, and the launches.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
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

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
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

  static std::int64_t tiles(const job_type& job)
  {
    return segmented_reduce_shape::tiles(job.in.num_items, job.in.num_segments);
  }
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = detail::segment_cuts_bytes(tiles(job));
    return cudaSuccess;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    return detail::queue_segment_cuts(job.in, storage, stream);
  }
};

/// The layout in temporary storage of the units of `num_items` items.
template <class T>
class item_units_layout
{
  using shape = segment_per_block_shape<T>;

public:
  item_units_layout(std::int64_t num_items, std::int64_t num_segments)
      : log_items_(shape::log_items_of_unit(num_items, num_segments))
      , count_(::cuda::ceil_div(num_items, std::int64_t{1} << log_items_))
  {
  }

  std::int64_t count() const
  {
    return count_;
  }
  std::size_t bytes() const
  {
    return 2 * bytes_of<int>() + bytes_of<T>();
  }
  item_units<T> in(void* storage) const
  {
    char* const segments = static_cast<char*>(storage);
    char* const done = segments + bytes_of<int>();
    return {
      reinterpret_cast<int*>(segments), reinterpret_cast<int*>(done), reinterpret_cast<T*>(done + bytes_of<int>()),
      log_items_};
  }

private:
  template <class Number>
  std::size_t bytes_of() const
  {
    return detail::round_up_storage(static_cast<std::size_t>(count_) * sizeof(Number));
  }

  int log_items_;
  std::int64_t count_;
};

/// Queues the kernel that reduces a segment per block, and the one for long segments.
template <class Reduction, class Segments>
cudaError_t queue_segment_per_block(const Reduction& reduction, const Segments& in, void* storage, cudaStream_t stream)
{
  using value = typename Reduction::value_type;
  using shape = segment_per_block_shape<value>;
  const item_units_layout<value> layout(in.num_items, in.num_segments);
  const item_units<value> units = layout.in(storage);
  const cudaError_t error = detail::launch_kernel(
    detail::segment_per_block_kernel<shape, value, Reduction, Segments>, static_cast<int>(in.num_segments),
    shape::threads, false, stream, reduction, in, units);
  if (error != cudaSuccess)
  {
    return error;
  }
  const std::int64_t max_blocks = detail::max_coresident_blocks(shape::blocks_per_multiprocessor);
  return detail::launch_kernel(
    detail::long_segments_kernel<shape, value, Reduction, Segments>,
    static_cast<int>(max_blocks > 0 ? (std::min)(layout.count(), max_blocks) : layout.count()), shape::threads,
    kernels_can_overlap, stream, reduction, in, units);
}

template <class Reduction, class Segments, class Output>
struct device_work<segmented_reduce_job<Reduction, Segments, Output>>
{
  using job_type = segmented_reduce_job<Reduction, Segments, Output>;
  using value = typename Reduction::value_type;
  using path = segmented_reduce_path;

  static std::int64_t tiles(const job_type& job)
  {
    return path_of(job) == path::segment_per_block
             ? (std::max)(job.in.num_segments, item_units_layout<value>(job.in.num_items, 1).count())
             : segmented_reduce_shape::tiles(job.in.num_items, job.in.num_segments);
  }
  /// Tiles need two values each, and the cuts, unless a plan has them. A segment per block needs the units of long
  /// segments. Whole segments need no storage.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    switch (path_of(job))
    {
    case path::whole_segments:
    case path::shared_segments:
    case path::large_segments:
      bytes = 0;
      break;
    case path::segment_per_block:
      bytes = item_units_layout<value>(job.in.num_items, 1).bytes(); // fewer segments may have more units
      break;
    case path::planned_tiles:
      bytes = 2 * values_bytes(job);
      break;
    default:
      bytes = 2 * values_bytes(job) + detail::segment_cuts_bytes(tiles(job));
    }
    return cudaSuccess;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    const path chosen = path_of(job);
    if constexpr (block_shape::is_batched)
    {
      if (chosen == path::segment_per_block)
      {
        return detail::queue_segment_per_block(job.reduction, job.in, storage, stream);
      }
    }
    if constexpr (whole_shape::exists)
    {
      if (chosen == path::whole_segments)
      {
        return reduce_whole_segments<whole_shape, false>(job, stream);
      }
      if (chosen == path::shared_segments)
      {
        return reduce_whole_segments<whole_shape, true>(job, stream);
      }
    }
    if constexpr (large_shape::exists)
    {
      if (chosen == path::large_segments)
      {
        return reduce_whole_segments<large_shape, true>(job, stream);
      }
    }
    return reduce_tiles(chosen, storage, job, stream);
  }

private:
  using shape = segmented_reduce_shape;
  using block_shape = segment_per_block_shape<value>;
  using whole_shape = whole_segments_shape<value>;
  using large_shape = whole_segments_shape<value, true>;
  using few_shape = few_whole_segments_shape<value>;
  static constexpr bool can_be_few = is_deferred_v<Segments> && few_shape::exists;

  static path path_of(const job_type& job)
  {
    return detail::choose_segmented_reduce_path<value>(
      job.in.num_items, job.in.num_segments, is_deferred_v<Segments>, job.cuts != nullptr);
  }
  static std::size_t values_bytes(const job_type& job)
  {
    return detail::round_up_storage(static_cast<std::size_t>(tiles(job)) * sizeof(value));
  }

  template <class Shape, bool MayBeLong>
  static cudaError_t reduce_whole_segments(const job_type& job, cudaStream_t stream)
  {
    constexpr int cluster_blocks = MayBeLong ? Shape::cluster_blocks : 1;
    const int count = static_cast<int>(job.in.num_segments);
    const int log_of_block = Shape::log_segments_of_block(job.in.num_items, count);
    const int blocks = ::cuda::round_up(::cuda::ceil_div(count, 1 << log_of_block), cluster_blocks);
    return detail::launch_clusters(
      detail::whole_segments_kernel<Shape, MayBeLong, value, Reduction, Segments>, blocks, cluster_blocks,
      Shape::threads, stream, job.reduction, job.in, log_of_block, Shape::max_items_of_group(job.in.num_items, count));
  }

  static cudaError_t reduce_tiles(path chosen, void* storage, const job_type& job, cudaStream_t stream)
  {
    // 1. Cut, unless a plan has the cuts or blocks cut their own tiles.
    const int tile_count = static_cast<int>(tiles(job));
    char* const values = static_cast<char*>(storage);
    void* const cuts = chosen == path::planned_tiles ? job.cuts : values + 2 * values_bytes(job);
    cudaError_t error = chosen == path::tiles ? detail::queue_segment_cuts(job.in, cuts, stream) : cudaSuccess;
    if (error != cudaSuccess)
    {
      return error;
    }

    // 2. Reduce tiles.
    auto* const begins = static_cast<load_balance_point*>(cuts);
    const tile_carries<value> carries{
      reinterpret_cast<value*>(values), reinterpret_cast<value*>(values + values_bytes(job))};
    const auto reduce = [&](auto kernel, int blocks, bool overlaps)
    {
      return detail::launch_kernel(
        kernel, blocks, shape::threads, overlaps, stream, job.reduction, job.in, tile_count, begins, carries);
    };
    switch (chosen)
    {
    case path::tiles:
    case path::planned_tiles:
      error = reduce(
        detail::segmented_reduce_kernel<shape, value, false, Reduction, Segments>, tile_count, kernels_can_overlap);
      break;
    case path::deferred_tiles:
      error = reduce(
        detail::segmented_reduce_kernel<shape, value, true, Reduction, Segments, can_be_few>,
        (std::max)(tile_count, few_shape::min_grid_blocks), false);
      break;
    default:
      error = reduce(detail::segmented_reduce_kernel<shape, value, true, Reduction, Segments>, tile_count, false);
    }
    if (error != cudaSuccess || chosen == path::one_tile)
    {
      return error;
    }

    // 3. Combine the carries.
    return detail::launch_kernel(
      detail::segmented_carry_kernel<value, Reduction, Segments>,
      static_cast<int>(::cuda::ceil_div(tile_count, segmented_carry_shape::threads)), segmented_carry_shape::threads,
      kernels_can_overlap, stream, job.reduction, job.in, tile_count, static_cast<const load_balance_point*>(begins),
      carries);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

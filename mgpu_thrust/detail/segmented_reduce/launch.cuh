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
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segmented_reduce/block_launch.cuh>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/kernels.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tuning.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the number of tiles of a reduction of any value type.
template <class Segments>
std::int64_t segmented_reduce_tiles(const Segments& in)
{
  const std::int64_t tiles_of_items = in.num_items / segmented_reduce_shape::items;
  const std::int64_t rest = item_weight * (in.num_items % segmented_reduce_shape::items) + in.num_segments;
  return tiles_of_items + ::cuda::ceil_div(rest, segmented_reduce_weight);
}

/// Returns the bytes of the cuts between them.
inline std::size_t segment_cuts_bytes(std::int64_t tiles)
{
  return detail::round_up_storage(static_cast<std::size_t>(tiles + 1) * sizeof(load_balance_point));
}

/// Queues the cut.
template <class Segments>
cudaError_t queue_segment_cuts(const Segments& in, void* cuts, cudaStream_t stream)
{
  return detail::queue_segment_cut<end_bounds<segmented_reduce_weight, decltype(Segments::offsets)>>(
    in, static_cast<load_balance_point*>(cuts), stream);
}

template <class Offsets>
struct device_work<segment_cuts_job<Offsets>>
{
  using job_type = segment_cuts_job<Offsets>;

  static std::int64_t tiles(const job_type& job)
  {
    return detail::segmented_reduce_tiles(job.in);
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

template <class Reduction, class Segments, class Output>
struct device_work<segmented_reduce_job<Reduction, Segments, Output>>
{
  using job_type = segmented_reduce_job<Reduction, Segments, Output>;
  using value = typename Reduction::value_type;
  using shape = segmented_reduce_shape;

  static std::int64_t tiles(const job_type& job)
  {
    return detail::segmented_reduce_tiles(job.in);
  }
  /// Two values for each tile, then, unless a plan has them, the cuts; for a segment per block, the units of long ones; for
  /// whole segments nothing.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = 0;
    if (takes_segment_per_block(job))
    {
      bytes = item_units_layout<value>(job.in.num_items).bytes();
    }
    else if (!takes_whole_segments(job))
    {
      bytes = 2 * values_bytes(job) + (job.cuts != nullptr ? 0 : detail::segment_cuts_bytes(tiles(job)));
    }
    return cudaSuccess;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    const Segments& in = job.in;
    if constexpr (block_shape::is_batched)
    {
      if (takes_segment_per_block(job))
      {
        return detail::queue_segment_per_block(job.reduction, in, storage, stream);
      }
    }
    if constexpr (whole_shape::exists)
    {
      if (whole_shape::takes(job.in.num_items, job.in.num_segments))
      {
        return reduce_whole_segments<whole_shape>(job.reduction, in, stream);
      }
    }
    if constexpr (large_whole_shape::exists)
    {
      if (large_whole_shape::takes(job.in.num_items, job.in.num_segments))
      {
        return reduce_whole_segments<large_whole_shape>(job.reduction, in, stream);
      }
    }

    // 1. Cut, unless the blocks of few tiles do that.
    const int tile_count = static_cast<int>(tiles(job));
    char* const values = static_cast<char*>(storage);
    void* const cuts = job.cuts != nullptr ? job.cuts : values + 2 * values_bytes(job);
    const bool finds_begins = job.cuts == nullptr && tile_count <= most_tiles_cut_by_blocks;
    cudaError_t error =
      job.cuts != nullptr || finds_begins ? cudaSuccess : detail::queue_segment_cuts(in, cuts, stream);
    if (error != cudaSuccess)
    {
      return error;
    }

    // 2. Reduce tiles, then combine what they carry.
    auto* const begins = static_cast<load_balance_point*>(cuts);
    const tile_carries<value> carries{
      reinterpret_cast<value*>(values), reinterpret_cast<value*>(values + values_bytes(job))};
    const auto reduce_tiles = [&](auto kernel, int blocks)
    {
      return detail::launch_kernel(
        kernel, blocks, shape::threads, kernels_can_overlap && !finds_begins, stream, job.reduction, in, tile_count,
        begins, carries);
    };
    if (!finds_begins)
    {
      error = reduce_tiles(detail::segmented_reduce_kernel<shape, value, false, Reduction, Segments>, tile_count);
    }
    else if (may_be_few && few_shape::may_take(tile_count))
    {
      error = reduce_tiles(
        detail::segmented_reduce_kernel<shape, value, true, Reduction, Segments, may_be_few>,
        (std::max)(tile_count, few_shape::blocks));
    }
    else
    {
      error = reduce_tiles(detail::segmented_reduce_kernel<shape, value, true, Reduction, Segments>, tile_count);
    }
    if (error != cudaSuccess || tile_count == 1)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::segmented_carry_kernel<value, Reduction, Segments>,
      static_cast<int>(::cuda::ceil_div(tile_count, segmented_carry_shape::threads)), segmented_carry_shape::threads,
      kernels_can_overlap, stream, job.reduction, in, tile_count, static_cast<const load_balance_point*>(begins),
      carries);
  }

private:
  using whole_shape = whole_segments_shape<value>;
  using large_whole_shape = whole_segments_shape<value, true>;
  using block_shape = segment_per_block_shape<value>;
  using few_shape = few_whole_segments_shape<value>;
  static constexpr bool may_be_few = is_deferred_v<Segments> && few_shape::exists;

  static bool takes_segment_per_block(const job_type& job)
  {
    return block_shape::takes(job.in.num_items, job.in.num_segments);
  }
  static bool takes_whole_segments(const job_type& job)
  {
    return large_whole_shape::takes(job.in.num_items, job.in.num_segments)
           || whole_shape::takes(job.in.num_items, job.in.num_segments);
  }
  template <class Shape>
  static cudaError_t reduce_whole_segments(const Reduction& reduction, const Segments& in, cudaStream_t stream)
  {
    const int count = static_cast<int>(in.num_segments);
    const int log_of_block = Shape::log_segments_of_block(in.num_items, count);
    const int most_of_group = Shape::most_items_of_block(count) >> log_of_block;
    const auto reduce = [&](auto may_be_long, int cluster_blocks)
    {
      const int blocks = ::cuda::round_up(::cuda::ceil_div(count, 1 << log_of_block), cluster_blocks);
      return detail::launch_clusters(
        detail::whole_segments_kernel<Shape, decltype(may_be_long)::value, value, Reduction, Segments>, blocks,
        cluster_blocks, Shape::threads, stream, reduction, in, log_of_block, most_of_group);
    };
    if constexpr (!Shape::is_large)
    {
      if (in.num_items <= most_of_group)
      {
        return reduce(std::false_type{}, 1); // there is nothing to share
      }
    }
    return reduce(std::true_type{}, Shape::cluster_blocks);
  }
  static std::size_t values_bytes(const job_type& job)
  {
    return detail::round_up_storage(static_cast<std::size_t>(tiles(job)) * sizeof(value));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

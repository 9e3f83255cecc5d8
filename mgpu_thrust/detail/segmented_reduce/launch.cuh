// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segmented reduction on a CUDA device: the layout of its temporary storage, and the launches.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/sampled_cut.cuh>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/kernels.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tuning.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The cuts between the tiles of a reduction of any value type.
template <class Offsets>
struct device_work<segment_cuts_job<Offsets>>
{
  using job_type = segment_cuts_job<Offsets>;

  static std::int64_t tiles(const job_type& job)
  {
    const std::int64_t tiles_of_items = job.in.num_items / segmented_reduce_shape::items;
    const std::int64_t rest = item_weight * (job.in.num_items % segmented_reduce_shape::items) + job.in.num_segments;
    return tiles_of_items + ::cuda::ceil_div(rest, segmented_reduce_weight);
  }
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = detail::round_up_storage(static_cast<std::size_t>(tiles(job) + 1) * sizeof(load_balance_point));
    return cudaSuccess;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    using bounds = end_bounds<segmented_reduce_weight, Offsets>;
    const bounds ends{
      {job.in.num_items, job.in.offsets, job.in.num_segments}, static_cast<load_balance_point*>(storage)};
    return detail::queue_cut(sampled_cut<bounds>{ends, tiles(job)}, stream);
  }
};

template <class Reduction, class Offsets, class Output>
struct device_work<segmented_reduce_job<Reduction, Offsets, Output>>
{
  using job_type = segmented_reduce_job<Reduction, Offsets, Output>;
  using value = typename Reduction::value_type;
  using shape = segmented_reduce_shape;
  using cuts_job = segment_cuts_job<Offsets>;
  using cuts_work = device_work<cuts_job>;

  static std::int64_t tiles(const job_type& job)
  {
    return cuts_work::tiles(cuts_job(job.in));
  }
  /// Two values for each tile, then, unless a plan has them, the cuts; nothing for whole segments.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    if (takes_whole_segments(job))
    {
      bytes = 0;
      return cudaSuccess;
    }
    std::size_t cuts_bytes = 0;
    const cudaError_t error =
      job.cuts != nullptr ? cudaSuccess : cuts_work::storage_bytes(cuts_job(job.in), cuts_bytes);
    bytes = 2 * values_bytes(job) + cuts_bytes;
    return error;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t* count, cudaStream_t stream)
  {
    if constexpr (whole_shape::exists)
    {
      if (takes_whole_segments(job))
      {
        return reduce_whole_segments(job, stream);
      }
    }

    // 1. Cut.
    char* const values = static_cast<char*>(storage);
    void* const cuts = job.cuts != nullptr ? job.cuts : values + 2 * values_bytes(job);
    cudaError_t error = job.cuts != nullptr ? cudaSuccess : cuts_work::launch(cuts, cuts_job(job.in), count, stream);
    if (error != cudaSuccess)
    {
      return error;
    }

    // 2. Reduce tiles, then combine what they carry.
    const int tile_count = static_cast<int>(tiles(job));
    const auto* const begins = static_cast<const load_balance_point*>(cuts);
    const tile_carries<value> carries{
      reinterpret_cast<value*>(values), reinterpret_cast<value*>(values + values_bytes(job))};
    error = detail::launch_kernel(
      detail::segmented_reduce_kernel<shape, value, Reduction, Offsets>, tile_count, shape::threads,
      kernels_can_overlap, stream, job.reduction, job.in, tile_count, begins, carries);
    if (error != cudaSuccess || tile_count == 1)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::segmented_carry_kernel<value, Reduction, Offsets>,
      static_cast<int>(::cuda::ceil_div(tile_count, segmented_carry_shape::threads)), segmented_carry_shape::threads,
      kernels_can_overlap, stream, job.reduction, job.in, tile_count, begins, carries);
  }

private:
  using whole_shape = whole_segments_shape<value>;

  static bool takes_whole_segments(const job_type& job)
  {
    return whole_shape::takes(job.in.num_items, job.in.num_segments);
  }
  static cudaError_t reduce_whole_segments(const job_type& job, cudaStream_t stream)
  {
    const int count = static_cast<int>(job.in.num_segments);
    const int of_block = std::min(::cuda::ceil_div(count, whole_shape::most_blocks), whole_shape::warps);
    const int blocks = ::cuda::round_up(::cuda::ceil_div(count, of_block), whole_shape::cluster_blocks);
    return detail::launch_clusters(
      detail::whole_segments_kernel<value, Reduction, Offsets>, blocks, whole_shape::cluster_blocks,
      whole_shape::threads, stream, job.reduction, job.in, of_block);
  }
  static std::size_t values_bytes(const job_type& job)
  {
    return detail::round_up_storage(static_cast<std::size_t>(tiles(job)) * sizeof(value));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

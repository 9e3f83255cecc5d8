// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Compactions of items in segments on a CUDA device: the layout of their temporary storage, and the launches.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/driver/coresident_offsets.cuh>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segmented_compact/choice.h>
#include <mgpu_thrust/detail/segmented_compact/job.h>
#include <mgpu_thrust/detail/segmented_compact/kernels.cuh>
#include <mgpu_thrust/detail/segmented_compact/tuning.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Compaction, class Segments, class Output, class OffsetsOutput>
struct device_work<segmented_compact_job<Compaction, Segments, Output, OffsetsOutput>>
{
  using job_type = segmented_compact_job<Compaction, Segments, Output, OffsetsOutput>;
  using shape =
    compact_shape<static_cast<int>(sizeof(typename Compaction::item_type)), Compaction::keep_type::compares>;
  using plan_type = path_plan<segmented_compact_path>;

  /// The storage has the header of deferred sizes, the tiles' offsets, and where tiles begin.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const device_room device = detail::current_device_room();
    const auto chosen = detail::choose_segmented_compact<shape>(job.in.num_items, job.in.num_segments, device);
    const std::size_t bytes = detail::header_bytes<Segments>() + begins_at(chosen.blocks)
                              + static_cast<std::size_t>(chosen.blocks + 1) * sizeof(load_balance_point);
    return {chosen, bytes, device};
  }

  template <class Count>
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    if (plan.path == segmented_compact_path::coresident_tiles)
    {
      return detail::launch_cooperative(
        detail::segmented_compact_kernel<shape, Compaction, Segments, coresident_offsets, Count>, plan.blocks,
        shape::threads, true, stream, job.compact, job.in, static_cast<const load_balance_point*>(nullptr),
        coresident_offsets(storage), count);
    }
    const auto& in = detail::with_header(job.in, storage);
    const tile_offsets offsets(storage, plan.blocks);
    auto* const begins = reinterpret_cast<load_balance_point*>(static_cast<char*>(storage) + begins_at(plan.blocks));
    const cudaError_t error = detail::queue_cut(compact_cut<shape, Segments>{in, begins, offsets}, stream);
    return error != cudaSuccess
             ? error
             : detail::launch_kernel(
               detail::segmented_compact_kernel<shape, Compaction, in_header_t<Segments>, tile_offsets, Count>,
               plan.blocks + 1, shape::threads, kernels_can_overlap, stream, job.compact, detail::in_header(in),
               static_cast<const load_balance_point*>(begins), offsets, count);
  }

private:
  /// Position of the points where tiles begin, after the header.
  static std::size_t begins_at(std::int64_t tiles)
  {
    return detail::round_up_storage(tile_offsets::bytes(tiles));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Semi and anti joins on a CUDA device: the layout of their temporary storage, and the launches of each path.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/driver/bisection_kernel.cuh>
#include <mgpu_thrust/detail/driver/coresident_offsets.cuh>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/semi_join/choice.h>
#include <mgpu_thrust/detail/semi_join/job.h>
#include <mgpu_thrust/detail/semi_join/kernels.cuh>
#include <mgpu_thrust/detail/semi_join/serial.h>
#include <mgpu_thrust/detail/semi_join/size_kernel.cuh>
#include <mgpu_thrust/detail/semi_join/tuning.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Filter, class Inputs, class Result, class Compare>
struct device_work<semi_join_job<Filter, Inputs, Result, Compare>>
{
  using job_type = semi_join_job<Filter, Inputs, Result, Compare>;
  using order_type = typename job_type::order_type;
  using output_type = typename job_type::output_type;
  using shape = semi_join_shape<largest_key_bytes<Inputs>>;

  using plan_type = path_plan<semi_join_path>;

  /// The storage has the header of deferred sizes, the tiles' offsets, then, for cut_tiles, the points where tiles
  /// begin. At least the offsets of blocks that bisect.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const device_room device = detail::current_device_room();
    const std::int64_t most = ::cuda::ceil_div(
      semi_join_storage_bisection<Result::writes>::max_smaller_tiled(job.inputs.a_count, job.inputs.b_count),
      std::int64_t{shape::items});
    const std::int64_t few_rows = (std::min)(job.inputs.a_count, max_to_semi_join_by_bisection);
    static_assert(shape::items <= sparse_needles_ratio * bisection_shape::threads, "there are more tiles than blocks");
    const std::size_t bytes =
      detail::header_bytes<Inputs>()
      + (std::max)(
        {begins_at(most) + detail::cut_bytes(most), begins_at(detail::semi_join_bisection_blocks(few_rows)),
         detail::semi_join_size_bytes(job.inputs.b_count)});
    return {
      detail::choose_semi_join<shape>(
        detail::size_of_a(job.inputs), detail::size_of_b(job.inputs), Result::writes, device),
      bytes, device};
  }

  template <class Count>
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    if constexpr (!Result::writes)
    {
      if (plan.path == semi_join_path::count_by_bisection)
      {
        return detail::queue_semi_join_size<Filter>(storage, job.inputs, job.order(), plan.blocks, count, stream);
      }
    }
    switch (plan.path)
    {
    case semi_join_path::bisect:
      return detail::queue_coresident_bisection(
        storage, job.inputs, step_type{job.output.output()}, job.order(), plan.blocks, plan.device, count, stream);
    case semi_join_path::bisect_with_served_offsets:
      return detail::queue_served_bisection(
        storage, job.inputs, step_type{job.output.output()}, job.order(), plan.blocks, count, stream);
    case semi_join_path::coresident_tiles:
      return join_coresident_tiles(storage, job, plan, count, stream);
    default:
      return join_tiles(storage, job, plan.blocks, count, stream);
    }
  }

private:
  using step_type = semi_join_bisection_step<Filter, output_type>;

  template <class Count>
  static cudaError_t
  join_coresident_tiles(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    return detail::launch_cooperative(
      detail::semi_join_kernel<shape, Filter, Inputs, output_type, order_type, Count, coresident_offsets>,
      detail::coresident_grid<Inputs>(plan.blocks, detail::max_coresident_tiles<shape>(plan.device)), shape::threads,
      true, stream, job.inputs, job.output.output(), job.order(), 0, static_cast<const tile_begin*>(nullptr),
      coresident_offsets(storage), count);
  }

  template <class Count>
  static cudaError_t join_tiles(void* storage, const job_type& job, int tile_count, Count* count, cudaStream_t stream)
  {
    const auto& inputs = detail::with_header(job.inputs, storage);
    const tile_offsets offsets(storage, tile_count);
    auto* const begins = reinterpret_cast<tile_begin*>(static_cast<char*>(storage) + begins_at(tile_count));
    const cudaError_t error = detail::queue_path_cut<shape::items, semi_join_tiling<shape::threads>>(
      merge_t{}, inputs, job.order(), tile_count, begins, offsets, stream);
    return error != cudaSuccess
             ? error
             : detail::launch_kernel(
               detail::semi_join_kernel<
                 shape, Filter, in_header_t<Inputs>, output_type, order_type, Count, tile_offsets>,
               tile_count + 1, shape::threads, kernels_can_overlap, stream, detail::in_header(inputs),
               job.output.output(), job.order(), tile_count, static_cast<const tile_begin*>(begins), offsets, count);
  }

  static std::size_t begins_at(std::int64_t tile_count)
  {
    return detail::round_up_storage(tile_offsets::bytes(tile_count));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

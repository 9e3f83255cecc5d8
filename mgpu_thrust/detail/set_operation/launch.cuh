// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations and merges on a CUDA device: the layout of their temporary storage, and the launches of each path.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/driver/bisection_kernel.cuh>
#include <mgpu_thrust/detail/driver/coresident_offsets.cuh>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/set_operation/bisection_step.cuh>
#include <mgpu_thrust/detail/set_operation/choice.h>
#include <mgpu_thrust/detail/set_operation/job.h>
#include <mgpu_thrust/detail/set_operation/kernels.cuh>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/tuning.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Operation, class Inputs, class Result, class Compare>
struct device_work<set_operation_job<Operation, Inputs, Result, Compare>>
{
  using job_type = set_operation_job<Operation, Inputs, Result, Compare>;
  using order_type = typename job_type::order_type;
  using outputs_type = typename job_type::outputs_type;
  using traits = set_operation_traits<
    Operation, largest_key_bytes<Inputs>, has_values<decltype(outputs_type::values)>, job_type::writes,
    is_deferred_v<Inputs>, combines_values<decltype(outputs_type::values)>>;
  using kernel_operation = typename traits::kernel_operation;
  using shape = typename traits::shape;
  using coresident_shape = typename traits::coresident_shape;

  /// The traits with the co-resident blocks that the kernel has room for.
  struct traits_with_room : traits
  {
    struct coresident_shape : traits::coresident_shape
    {
      static constexpr int sure_blocks = set_operation_tile_types<
        typename traits::coresident_shape, kernel_operation, sized_t<Inputs>, outputs_type>::sure_blocks;
    };
  };

  using plan_type = path_plan<set_operation_path>;

  /// The storage has the header of deferred sizes, the tiles' offsets, unless they are known, then the points where
  /// tiles begin. At least the offsets of blocks that bisect.
  template <class Count>
  static plan_type plan(const job_type& job, const Count* count)
  {
    const device_room device = traits::may_wait ? detail::current_device_room() : device_room{};
    const path_choice<set_operation_path> chosen = detail::choose_set_operation<traits_with_room>(
      detail::size_of_a(job.inputs), detail::size_of_b(job.inputs), detail::may_read_in_place(job.inputs, count),
      device);
    std::size_t bytes = detail::header_bytes<Inputs>();
    if constexpr (traits::may_bisect)
    {
      static_assert(
        shape::items <= sparse_needles_ratio * bisection_shape::threads, "there are more tiles than blocks");
      const std::int64_t most = ::cuda::ceil_div(
        traits::bisection_type::max_smaller_tiled(job.inputs.a_count, job.inputs.b_count), std::int64_t{shape::items});
      const std::int64_t few_blocks =
        detail::set_bisection_blocks((std::min)(job.inputs.a_count, max_to_match_by_bisection));
      bytes += (std::max)(begins_at(most) + detail::cut_bytes(most), tile_offsets::bytes(few_blocks));
    }
    else if (kernel_operation::matches || !detail::are_cut_by_blocks(chosen.max_blocks, !is_deferred_v<Inputs>))
    {
      bytes += begins_at(chosen.max_blocks) + detail::cut_bytes(chosen.max_blocks);
    }
    return {chosen, bytes, device};
  }

  template <class Count>
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    if constexpr (traits::may_bisect)
    {
      auto size = detail::size_of(Operation{}, job.inputs);
      const set_bisection_step<kernel_operation, typename traits::bisection_type, outputs_type, decltype(size)> step{
        job.output.outputs(), size};
      if (plan.path == set_operation_path::bisect)
      {
        return detail::queue_coresident_bisection(
          storage, job.inputs, step, job.order(), plan.blocks, plan.device, count, stream);
      }
      if (plan.path == set_operation_path::bisect_with_served_offsets)
      {
        return detail::queue_served_bisection(storage, job.inputs, step, job.order(), plan.blocks, count, stream);
      }
    }
    if constexpr (traits::may_wait)
    {
      if (plan.path == set_operation_path::coresident_tiles)
      {
        return work_on_coresident_tiles(storage, job, plan, count, stream);
      }
    }
    const auto& inputs = detail::with_header(job.inputs, storage);
    if constexpr (Operation::matches)
    {
      const tile_offsets offsets(storage, plan.blocks);
      auto* const begins = reinterpret_cast<tile_begin*>(static_cast<char*>(storage) + begins_at(plan.blocks));
      const cudaError_t error =
        detail::queue_path_cut<shape::items, set_operation_tiling<shape::threads, kernel_operation>>(
          kernel_operation{}, inputs, job.order(), plan.blocks, begins, offsets, stream);
      return error != cudaSuccess
               ? error
               : work_on_tiles(job, detail::in_header(inputs), plan.blocks, begins, offsets, count, stream);
    }
    else
    {
      const bool by_blocks = plan.path == set_operation_path::tiles_cut_by_blocks;
      const tile_begin* begins = nullptr;
      const cudaError_t error =
        detail::queue_merge_cut<shape::items>(inputs, job.order(), plan.blocks, by_blocks, storage, begins, stream);
      return error != cudaSuccess
               ? error
               : detail::launch_with_sizes(
                 by_blocks, inputs,
                 [&](const auto& given)
                 { return work_on_tiles(job, given, plan.blocks, begins, no_tile_offsets{}, count, stream); });
    }
  }

private:
  /// Queues the kernel, whose blocks cut their tiles if `begins` is null.
  template <class Given, class Offsets, class Count>
  static cudaError_t work_on_tiles(
    const job_type& job, const Given& inputs, int tile_count, const tile_begin* begins, Offsets offsets, Count* count,
    cudaStream_t stream)
  {
    auto size = detail::size_of(Operation{}, inputs);
    return detail::launch_kernel(
      detail::set_operation_kernel<
        shape, kernel_operation, Given, outputs_type, order_type, decltype(size), Count, Offsets>,
      tile_count + kernel_operation::matches, shape::threads, begins != nullptr && kernels_can_overlap, stream, inputs,
      job.output.outputs(), job.order(), begins != nullptr ? tile_count : 0, begins, offsets, size, count);
  }
  /// Queues the kernel alone: the blocks of a co-resident grid cut their tiles, and wait for each other before they
  /// write.
  template <class Count>
  static cudaError_t
  work_on_coresident_tiles(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    auto size = detail::size_of(Operation{}, job.inputs);
    return detail::launch_cooperative(
      detail::set_operation_kernel<
        coresident_shape, kernel_operation, Inputs, outputs_type, order_type, decltype(size), Count,
        coresident_offsets>,
      detail::coresident_grid<Inputs>(
        plan.blocks, detail::max_coresident_tiles<typename traits_with_room::coresident_shape>(plan.device)),
      coresident_shape::threads, true, stream, job.inputs, job.output.outputs(), job.order(), 0,
      static_cast<const tile_begin*>(nullptr), coresident_offsets(storage), size, count);
  }
  /// Position in the storage of the points where tiles begin: after the offsets, if there are any.
  static std::size_t begins_at(std::int64_t tile_count)
  {
    return Operation::matches ? detail::round_up_storage(tile_offsets::bytes(tile_count)) : 0;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

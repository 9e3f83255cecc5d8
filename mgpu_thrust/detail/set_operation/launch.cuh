// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations and merges on a CUDA device: the layout of their temporary storage, and two launches, or one for few
/// tiles.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/set_operation/bisection_kernel.cuh>
#include <mgpu_thrust/detail/set_operation/job.h>
#include <mgpu_thrust/detail/set_operation/kernels.cuh>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/tuning.h>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

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
  /// All operations that only count have one kernel, which counts matches.
  using kernel_operation = std::conditional_t<job_type::writes, Operation, set_intersection_t>;
  static constexpr int key_bytes = largest_key_bytes<Inputs>;
  static constexpr bool has_values_out = has_values<decltype(outputs_type::values)>;
  using shape = decltype(choose_set_operation_shape<kernel_operation, key_bytes, has_values_out>());
  using at_once = std::conditional_t<kernel_operation::matches, shape_at_once<shape, key_bytes, has_values_out>, shape>;

  static std::int64_t tiles(const job_type& job)
  {
    return detail::tiles_of<shape::items>(job.inputs);
  }

  /// The header of deferred sizes, the tiles' offsets, unless they are known, then the points that the tiles begin at; or the
  /// offsets of blocks that bisect, though there are more elements, so that the storage of more elements is enough for fewer.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    const std::int64_t count = tiles(job);
    if constexpr (Operation::matches)
    {
      bytes = begins_at(count) + detail::cut_bytes(count);
      if (may_bisect)
      {
        bytes = (std::max)(bytes, tile_offsets::bytes(bisection_blocks((std::min)(job.inputs.a_count, few_to_match))));
      }
    }
    else
    {
      bytes = detail::merge_cut_bytes<Inputs>(count);
    }
    bytes += detail::header_bytes<Inputs>();
    return cudaSuccess;
  }

  template <class Count>
  static cudaError_t launch(void* storage, const job_type& job, Count* count, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(job));
    const bool in_place = detail::may_read_in_place(job.inputs, count);
    if constexpr (may_bisect)
    {
      if (job.inputs.a_count + job.inputs.b_count <= few_to_match)
      {
        const std::int64_t blocks = bisection_blocks(job.inputs.a_count);
        const int most = detail::max_coresident_tiles<set_bisection_shape>();
        if (blocks <= most)
        {
          return bisect(storage, job, static_cast<int>(blocks), most, count, stream);
        }
      }
    }
    if constexpr (job_type::is_counted)
    {
      const bool waits = Operation::matches || !in_place;
      const std::int64_t at_once_tiles = detail::tiles_of<at_once::items>(job.inputs);
      const int most = detail::max_coresident_tiles<at_once>();
      if (waits && at_once_tiles <= most)
      {
        const int blocks = detail::coresident_grid<Inputs>(static_cast<int>(at_once_tiles), most);
        return work_at_once(storage, job, blocks, count, stream);
      }
    }
    const auto& inputs = detail::with_header(job.inputs, storage);
    if constexpr (Operation::matches)
    {
      const tile_offsets offsets(storage, tile_count);
      auto* const begins = reinterpret_cast<tile_begin*>(static_cast<char*>(storage) + begins_at(tile_count));
      const cudaError_t error = detail::queue_path_cut<shape::items>(
        kernel_operation{}, inputs, job.order(), tile_count, begins, offsets, stream);
      return error != cudaSuccess
               ? error
               : work_on_tiles(job, detail::in_header(inputs), tile_count, begins, offsets, count, stream);
    }
    else
    {
      const tile_begin* begins = nullptr;
      const cudaError_t error =
        detail::queue_merge_cut<shape::items>(inputs, job.order(), tile_count, in_place, storage, begins, stream);
      return error != cudaSuccess
               ? error
               : detail::launch_with_sizes(
                 begins == nullptr, inputs,
                 [&](const auto& given)
                 { return work_on_tiles(job, given, tile_count, begins, no_tile_offsets{}, count, stream); });
    }
  }

private:
  /// Whether the operation writes elements of A alone, or counts matches.
  static constexpr bool may_bisect = kernel_operation::matches && !kernel_operation::keeps_unmatched_b;

  static std::int64_t bisection_blocks(std::int64_t a_count)
  {
    return (std::max)(::cuda::ceil_div(a_count, std::int64_t{set_bisection_shape::threads}), std::int64_t{1});
  }
  /// Queues the kernel of few elements.
  template <class Count>
  static cudaError_t bisect(void* storage, const job_type& job, int blocks, int most, Count* count, cudaStream_t stream)
  {
    auto size = detail::size_of(Operation{}, job.inputs);
    return detail::launch_cooperative(
      detail::set_bisection_kernel<kernel_operation, Inputs, outputs_type, order_type, decltype(size), Count>,
      detail::coresident_grid<Inputs>(blocks, most), set_bisection_shape::threads, true, stream, job.inputs,
      job.output.outputs(), job.order(), coresident_offsets(storage), size, count);
  }

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
  /// Queues the kernel alone: its blocks cut the inputs, and wait for each other before they write.
  template <class Count>
  static cudaError_t work_at_once(void* storage, const job_type& job, int tile_count, Count* count, cudaStream_t stream)
  {
    auto size = detail::size_of(Operation{}, job.inputs);
    return detail::launch_cooperative(
      detail::set_operation_kernel<
        at_once, kernel_operation, Inputs, outputs_type, order_type, decltype(size), Count, coresident_offsets>,
      tile_count, at_once::threads, true, stream, job.inputs, job.output.outputs(), job.order(), 0,
      static_cast<const tile_begin*>(nullptr), coresident_offsets(storage), size, count);
  }
  static std::size_t begins_at(std::int64_t tile_count)
  {
    return detail::round_up_storage(tile_offsets::bytes(tile_count));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

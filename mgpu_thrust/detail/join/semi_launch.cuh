// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Semi and anti joins on a CUDA device: the layout of their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/join/semi_job.h>
#include <mgpu_thrust/detail/join/semi_kernels.cuh>
#include <mgpu_thrust/detail/join/semi_serial.h>
#include <mgpu_thrust/detail/join/semi_tuning.h>
#include <mgpu_thrust/detail/sorted_search/tuning.h>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

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
  using shape = decltype(choose_semi_join_shape<largest_key_bytes<Inputs>>());

  /// Of the kernel that is queued.
  static std::int64_t tiles(const job_type& job)
  {
    const std::int64_t full = full_tiles(job.inputs);
    return full > 0 ? full : bisection_blocks(job.inputs.a_count);
  }

  /// The header of deferred sizes, the tiles' offsets, then, unless the join is sparse, the points that the tiles begin
  /// at; or the offsets of blocks that bisect few elements, so that the storage of more elements is enough for fewer.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    const std::int64_t full = full_tiles(job.inputs);
    const std::size_t needed = begins_at(tiles(job)) + (full > 0 ? detail::cut_bytes(full) : 0);
    const std::int64_t few_rows = (std::min)(job.inputs.a_count, few_to_semi_join);
    bytes = detail::header_bytes<Inputs>() + (std::max)(needed, begins_at(bisection_blocks(few_rows)));
    return cudaSuccess;
  }

  template <class Count>
  static cudaError_t launch(void* storage, const job_type& job, Count* count, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(job));
    return full_tiles(job.inputs) > 0 ? join_tiles(storage, job, tile_count, count, stream)
                                      : bisect(storage, job, tile_count, count, stream);
  }

private:
  template <class Count>
  static cudaError_t join_tiles(void* storage, const job_type& job, int tile_count, Count* count, cudaStream_t stream)
  {
    const int most = detail::max_coresident_tiles<shape>();
    if (tile_count <= most)
    {
      return detail::launch_cooperative(
        detail::semi_join_kernel<shape, Filter, Inputs, output_type, order_type, Count, coresident_offsets>,
        detail::coresident_grid<Inputs>(tile_count, most), shape::threads, true, stream, job.inputs,
        job.output.output(), job.order(), 0, static_cast<const tile_begin*>(nullptr), coresident_offsets(storage),
        count);
    }
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

  template <class Count>
  static cudaError_t bisect(void* storage, const job_type& job, int block_count, Count* count, cudaStream_t stream)
  {
    using block = semi_join_bisection_shape;
    const int most = detail::max_coresident_tiles<block>();
    if (block_count <= most)
    {
      return detail::launch_cooperative(
        detail::sparse_semi_join_kernel<Filter, Inputs, output_type, order_type, Count, coresident_offsets>,
        detail::coresident_grid<Inputs>(block_count, most), block::threads, true, stream, job.inputs,
        job.output.output(), job.order(), coresident_offsets(storage), count);
    }
    const auto& inputs = detail::with_header(job.inputs, storage);
    cudaError_t error = cudaMemsetAsync(storage, 0, tile_offsets::bytes(block_count), stream);
    error = error != cudaSuccess ? error : detail::queue_header(inputs, stream);
    return error != cudaSuccess ? error
                                : detail::launch_kernel(
                                  detail::sparse_semi_join_kernel<
                                    Filter, in_header_t<Inputs>, output_type, order_type, Count, tile_offsets>,
                                  block_count + 1, block::threads, false, stream, detail::in_header(inputs),
                                  job.output.output(), job.order(), tile_offsets(storage, block_count), count);
  }

  /// None if B is so long that most of it need not be read, or if there are few elements.
  static std::int64_t full_tiles(const Inputs& inputs)
  {
    return ::cuda::ceil_div(
      bisection<few_to_semi_join>::most_tiled(detail::size_of_a(inputs), detail::size_of_b(inputs)), shape::items);
  }
  static std::int64_t bisection_blocks(std::int64_t rows)
  {
    return ::cuda::ceil_div(rows, semi_join_bisection_shape::threads);
  }
  static std::size_t begins_at(std::int64_t tile_count)
  {
    return detail::round_up_storage(tile_offsets::bytes(tile_count));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Semi and anti joins on a CUDA device: the layout of their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/join/semi_job.h>
#include <mgpu_thrust/detail/join/semi_kernels.cuh>
#include <mgpu_thrust/detail/join/semi_serial.h>
#include <mgpu_thrust/detail/join/semi_tuning.cuh>
#include <mgpu_thrust/detail/sorted_search/tuning.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

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

  static std::int64_t tiles(const job_type& job)
  {
    return is_sparse(job.inputs) ? ::cuda::ceil_div(job.inputs.a_count, sparse_search_threads)
                                 : ::cuda::ceil_div(job.inputs.a_count + job.inputs.b_count, shape::items);
  }

  /// The tiles' offsets, then, unless the join is sparse, the points that the tiles begin at.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    const std::int64_t count = tiles(job);
    bytes = begins_at(count) + (is_sparse(job.inputs) ? 0 : detail::cut_bytes(count));
    return cudaSuccess;
  }

  template <class Count>
  static cudaError_t launch(void* storage, const job_type& job, Count* count, cudaStream_t stream)
  {
    const Inputs& inputs = job.inputs;
    const int tile_count = static_cast<int>(tiles(job));
    const tile_offsets offsets(storage, tile_count);
    if (is_sparse(inputs))
    {
      const cudaError_t error = cudaMemsetAsync(storage, 0, tile_offsets::bytes(tile_count), stream);
      if (error != cudaSuccess)
      {
        return error;
      }
      return detail::launch_kernel(
        detail::sparse_semi_join_kernel<Filter, Inputs, output_type, order_type, Count>, tile_count + 1,
        sparse_search_threads, false, stream, inputs, job.output.output(), job.order(), offsets, count);
    }
    auto* const begins = reinterpret_cast<tile_begin*>(static_cast<char*>(storage) + begins_at(tile_count));
    const cudaError_t error =
      detail::queue_path_cut<shape::items>(merge_t{}, inputs, job.order(), tile_count, begins, offsets, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::semi_join_kernel<shape, Filter, Inputs, output_type, order_type, Count>, tile_count + 1, shape::threads,
      kernels_can_overlap, stream, inputs, job.output.output(), job.order(), tile_count,
      static_cast<const tile_begin*>(begins), offsets, count);
  }

private:
  /// Whether B is so long that most of it need not be read.
  static bool is_sparse(const Inputs& inputs)
  {
    return inputs.a_count <= inputs.b_count / sparse_needles_ratio;
  }
  static std::size_t begins_at(std::int64_t tile_count)
  {
    return detail::round_up_storage(tile_offsets::bytes(tile_count));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

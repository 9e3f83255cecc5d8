// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations on pairs of lists whose results are lists, on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/chunk_sums.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/job.h>
#include <mgpu_thrust/detail/segmented_sets/lists/kernels.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/tuning.h>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Operation, class Pairs, class Result, class Compare>
struct device_work<segmented_lists_job<Operation, Pairs, Result, Compare>>
{
  using job_type = segmented_lists_job<Operation, Pairs, Result, Compare>;
  using order = typename job_type::order_type;
  using outputs = typename job_type::kept_type::outputs_type;
  using offsets = typename job_type::offsets_type;
  using offset = typename job_type::offset_type;

  static std::int64_t tiles(const job_type& job)
  {
    return chunk_storage::tiles(job.pairs.num_pairs);
  }
  /// The offsets of tiles, and the sums of chunks.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = offsets_at + offsets_bytes + chunk_storage::bytes(job.pairs.num_pairs);
    return cudaSuccess;
  }
  template <class Count>
  static cudaError_t launch(void* storage, const job_type& job, Count* count, cudaStream_t stream)
  {
    const auto kernel = detail::write_lists_kernel<Operation, Pairs, outputs, offsets, offset, order, Count>;
    int blocks = 0;
    const cudaError_t error = detail::find_lists_grid(kernel, blocks);
    auto* const bytes = static_cast<unsigned char*>(storage);
    return error != cudaSuccess
             ? error
             : detail::launch_cooperative(
               kernel, blocks, segmented_lists_shape::threads, true, stream, job.pairs, job.output.kept.outputs(),
               std::int64_t{job.output.room}, detail::unwrap(job.output.offsets), job.order(),
               lists_storage{
                 static_cast<std::int64_t*>(storage), ring_offsets(bytes + offsets_at, blocks),
                 chunk_storage(bytes + offsets_at + offsets_bytes)},
               job_type::max_offset, count);
  }

private:
  static constexpr std::size_t offsets_at = storage_alignment;
  static constexpr std::size_t offsets_bytes =
    ::cuda::round_up(ring_offsets::bytes(segmented_lists_max_blocks), storage_alignment);
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

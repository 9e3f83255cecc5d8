// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations on pairs of lists whose results are lists, on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/job.h>
#include <mgpu_thrust/detail/segmented_sets/lists/kernels.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/tuning.h>

#include <cub/device/device_scan.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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
  using shape = segmented_lists_shape;

  /// More than the grid has if there are so many pairs, 2^58, that offsets in the storage may overflow.
  static std::int64_t tiles(const job_type& job)
  {
    return (std::max)(std::int64_t{segmented_lists_blocks}, job.pairs.num_pairs >> 27);
  }
  /// The header of a deferred number, the totals of blocks, the chunks before each pair, and the storage of their scan.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    std::size_t scan_bytes = 0;
    const cudaError_t error = queue_scan(nullptr, scan_bytes, job.pairs, nullptr, nullptr);
    bytes = detail::header_bytes<Pairs>() + scan_at(job) + detail::round_up_storage(scan_bytes);
    return error;
  }
  template <class Count>
  static cudaError_t launch(void* storage, const job_type& job, Count* count, cudaStream_t stream)
  {
    const auto& pairs = detail::with_header(job.pairs, storage);
    auto* const bytes = static_cast<unsigned char*>(storage);
    auto* const before = reinterpret_cast<std::int64_t*>(bytes + totals_bytes);
    const list_chunks division{before, static_cast<block_total*>(storage)};
    std::size_t scan_bytes = 0;
    cudaError_t error = queue_scan(nullptr, scan_bytes, pairs, nullptr, stream);
    if (error == cudaSuccess)
    {
      error = queue_scan(bytes + scan_at(job), scan_bytes, pairs, before, stream);
    }
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::count_lists_kernel<Operation, std::decay_t<decltype(pairs)>, order>, segmented_lists_blocks,
        shape::threads, false, stream, pairs, job.order(), division);
    }
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::write_lists_kernel<Operation, in_header_t<Pairs>, outputs, offsets, offset, order, Count>,
        segmented_lists_blocks, shape::threads, kernels_can_overlap, stream,
        in_header_t<Pairs>(detail::in_header(pairs)), job.output.kept.outputs(), std::int64_t{job.output.room},
        detail::unwrap(job.output.offsets), job.order(), division, job_type::max_offset, count);
    }
    return error;
  }

private:
  static constexpr std::size_t totals_bytes = segmented_lists_blocks * sizeof(block_total);
  static_assert(totals_bytes % storage_alignment == 0);

  static std::size_t scan_at(const job_type& job)
  {
    return totals_bytes
           + detail::round_up_storage(static_cast<std::size_t>(job.pairs.num_pairs + 1) * sizeof(std::int64_t));
  }
  template <class SomePairs>
  static cudaError_t
  queue_scan(void* storage, std::size_t& bytes, const SomePairs& pairs, std::int64_t* before, cudaStream_t stream)
  {
    return cub::DeviceScan::ExclusiveSum(
      storage, bytes,
      thrust::make_transform_iterator(
        thrust::counting_iterator<std::int64_t>(0), chunks_of_pair<Operation, SomePairs>{pairs}),
      before, pairs.num_pairs + 1, stream);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

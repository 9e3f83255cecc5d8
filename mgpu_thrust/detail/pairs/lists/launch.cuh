// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations on pairs of lists whose results are lists, on a CUDA device: their temporary storage, and the
/// launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/driver/ring_offsets.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/pairs/choice.h>
#include <mgpu_thrust/detail/pairs/lists/chunk_scan.cuh>
#include <mgpu_thrust/detail/pairs/lists/chunk_sums.cuh>
#include <mgpu_thrust/detail/pairs/lists/job.h>
#include <mgpu_thrust/detail/pairs/lists/kernels.cuh>
#include <mgpu_thrust/detail/pairs/lists/match_kernel.cuh>
#include <mgpu_thrust/detail/pairs/lists/tuning.h>

#include <cuda/cmath>

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

  struct plan_type : device_plan
  {
    int blocks;
    std::size_t scan_bytes; ///< of the chunks before each pair
  };

  /// In one pass, the storage has a counter, the offsets of tiles and the sums of chunks. In two, the header of a
  /// deferred number, the totals of blocks, and the chunks before each pair.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const std::int64_t num_pairs = job.pairs.num_pairs;
    cudaError_t error = cudaSuccess;
    if constexpr (takes_one_lists_pass<Operation>)
    {
      const segmented_lists_choice chosen = detail::choose_segmented_lists(num_pairs, coresident_blocks<Count>(error));
      const std::size_t bytes = storage_alignment + offsets_bytes + chunk_storage::bytes(num_pairs);
      return {{chosen.tiles, bytes, error}, chosen.blocks, 0};
    }
    else
    {
      const segmented_lists_choice chosen = detail::choose_segmented_lists(num_pairs, 0);
      const std::size_t scan_bytes = chunk_scan<Operation>::bytes(job.pairs, error);
      const std::size_t bytes = detail::header_bytes<Pairs>() + totals_bytes + scan_bytes;
      return {{chosen.tiles, bytes, error}, chosen.blocks, scan_bytes};
    }
  }
  template <class Count>
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    if constexpr (takes_one_lists_pass<Operation>)
    {
      return write_in_one_pass(static_cast<unsigned char*>(storage), job, plan, count, stream);
    }
    else
    {
      return count_and_write(storage, job, plan, count, stream);
    }
  }

private:
  static constexpr std::size_t totals_bytes = segmented_lists_blocks * sizeof(block_total);
  static_assert(totals_bytes % storage_alignment == 0);
  static constexpr std::size_t offsets_bytes =
    ::cuda::round_up(ring_offsets::bytes(max_lists_blocks), storage_alignment);

  template <class Count>
  static constexpr auto one_pass_kernel =
    detail::write_matches_kernel<Operation, Pairs, outputs, offsets, offset, order, Count>;

  /// Returns the number of co-resident blocks of the one pass, at least one. The runtime tells it, as builds for
  /// architectures before 9.0 are sure of one block on each multiprocessor only: of 132 on an H200 instead of 528.
  template <class Count>
  static int coresident_blocks(cudaError_t& error)
  {
    int of_multiprocessor = 0;
    error =
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, one_pass_kernel<Count>, shape::threads, 0);
    return (std::max)(1, detail::current_device_room().multiprocessors * of_multiprocessor);
  }

  template <class Count>
  static cudaError_t write_in_one_pass(
    unsigned char* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    unsigned char* const offsets_of_tiles = storage + storage_alignment;
    const matches_storage division{
      reinterpret_cast<std::int64_t*>(storage), ring_offsets(offsets_of_tiles, plan.blocks),
      chunk_storage(offsets_of_tiles + offsets_bytes)};
    return detail::launch_cooperative(
      one_pass_kernel<Count>, plan.blocks, shape::threads, true, stream, job.pairs, job.output.kept.outputs(),
      std::int64_t{job.output.room}, detail::unwrap(job.output.offsets), job.order(), division, job_type::max_offset,
      count);
  }
  template <class Count>
  static cudaError_t
  count_and_write(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    const auto& pairs = detail::with_header(job.pairs, storage);
    void* const scanned = static_cast<unsigned char*>(storage) + totals_bytes;
    const list_chunks division{static_cast<const std::int64_t*>(scanned), static_cast<block_total*>(storage)};
    cudaError_t error = chunk_scan<Operation>::queue(scanned, plan.scan_bytes, pairs, stream);
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::count_lists_kernel<Operation, std::decay_t<decltype(pairs)>, order>, plan.blocks, shape::threads, false,
        stream, pairs, job.order(), division);
    }
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::write_lists_kernel<Operation, in_header_t<Pairs>, outputs, offsets, offset, order, Count>, plan.blocks,
        shape::threads, kernels_can_overlap, stream, in_header_t<Pairs>(detail::in_header(pairs)),
        job.output.kept.outputs(), std::int64_t{job.output.room}, detail::unwrap(job.output.offsets), job.order(),
        division, job_type::max_offset, count);
    }
    return error;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

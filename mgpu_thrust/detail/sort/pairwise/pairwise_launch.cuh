// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sort by ranks or by pairs of runs on a CUDA device: its temporary storage, and its launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/sort/choice.h>
#include <mgpu_thrust/detail/sort/geometry/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/pairwise/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/pairwise/sort_few_kernel.cuh>
#include <mgpu_thrust/detail/sort/ranks/sort_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/tile/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/merge/merge_buffers.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Queues the co-resident path of a deferred size, by `blocks` blocks. `locality` and `rest` may be null: see the
/// kernel.
template <class In, class Out, class Compare>
cudaError_t queue_coresident_sort(
  const In& in, const merge_buffers<In, Out>& buffers, int blocks, const sort_size& size, Compare comp,
  sort_locality* locality, std::int64_t* rest, unsigned char* is_far, cudaStream_t stream)
{
  using all_buffers = merge_buffers<In, Out>;
  using buffer = typename all_buffers::buffer;
  using output = typename all_buffers::output;
  using shapes = pairwise_shapes_t<typename all_buffers::key, all_buffers::values::bytes>;
  return detail::launch_cooperative(
    detail::sort_few_kernel<shapes, In, buffer, output, Compare>, blocks, shapes::block_sort::threads, true, stream, in,
    pass_buffers<buffer, output>{buffers.first(), buffers.second(), buffers.result_of_tiles()}, size, comp, locality,
    rest, is_far);
}

/// A sort from `In` to `Out` on the ranks, the pairwise, or, if its size is deferred, the co-resident path. No samples
/// are taken: the first pass of pairs tests whether keys are near their sorted positions.
template <class In, class Out, class Compare>
class pairwise_sort
{
  using buffers_type = merge_buffers<In, Out>;
  using buffer = typename buffers_type::buffer;
  using output = typename buffers_type::output;
  using key = typename buffers_type::key;
  using shapes = pairwise_shapes_t<key, buffers_type::values::bytes>;
  using shape = typename shapes::block_sort;

public:
  /// The buffers, and the flags of the tiles, which the block sort clears. The passes use the first.
  static std::size_t storage_bytes(std::int64_t count, const sort_choice& chosen)
  {
    return buffers_type::bytes(count, chosen.passes) + detail::round_up_storage(static_cast<std::size_t>(chosen.tiles));
  }

  /// Queues the sort of at least one element. `storage` is in use until the stream has passed it. If the size is
  /// deferred, Given is stored_segment, and `all` is the capacity.
  template <class Given>
  static cudaError_t launch(
    void* storage, const sort_choice& chosen, const In& in, const Out& out, std::int64_t all, const Given& segment,
    Compare comp, cudaStream_t stream)
  {
    auto* const bytes = static_cast<unsigned char*>(storage);
    const buffers_type buffers(bytes, out, all, chosen.passes);
    unsigned char* const flags = bytes + buffers_type::bytes(all, chosen.passes);
    const auto size = pairwise_sort::size_of(all, segment);
    if (chosen.path == sort_path::ranks)
    {
      constexpr int max_threads = max_rank_threads<sizeof(key), buffers_type::values::bytes>;
      return detail::launch_clusters(
        detail::sort_by_ranks_kernel<max_threads, In, output, std::decay_t<decltype(size)>, Compare>, chosen.blocks,
        chosen.blocks, chosen.cluster_threads, stream, in, buffers.result(), size, comp);
    }
    if constexpr (is_deferred_v<Given>)
    {
      return detail::queue_coresident_sort(in, buffers, chosen.blocks, size, comp, nullptr, nullptr, flags, stream);
    }
    else
    {
      return sort_pairs(chosen, in, buffers, static_cast<int>(all), comp, flags, stream);
    }
  }

private:
  static cudaError_t sort_pairs(
    const sort_choice& chosen, const In& in, const buffers_type& buffers, int count, Compare comp, unsigned char* flags,
    cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(chosen.tiles);
    const int passes = chosen.passes;

    // 1. Sort tiles.
    cudaError_t error = detail::launch_kernel(
      detail::block_sort_kernel<shapes, false, In, buffer, output, plain_tiles<int>, Compare>, tile_count,
      shape::threads, false, stream, in, buffers.source(0), buffers.result_of_tiles(),
      plain_tiles<int>{count, shapes::tile_items}, comp, flags);

    // 2. Merge runs.
    for (int number = 0; number < passes && error == cudaSuccess; ++number)
    {
      const pair_pass pass{
        count, shapes::tile_items << number, number, passes, buffers_type::is_output_a_buffer && passes > 2};
      const auto merge_to = [&](const auto& to)
      {
        return detail::launch_kernel(
          detail::merge_pairs_kernel<shape, buffer, std::decay_t<decltype(to)>, Compare>, tile_count, shape::threads,
          kernels_can_overlap, stream, buffers.source(number), to, pass, comp, flags);
      };
      error = number == passes - 1 ? merge_to(buffers.result()) : merge_to(buffers.target(number));
    }
    return error;
  }

  static std::int64_t size_of(std::int64_t count, const one_segment&)
  {
    return count;
  }
  static sort_size size_of(std::int64_t, const stored_segment& segment)
  {
    return segment.first_size;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sort by ranks or by pairs of runs on a CUDA device: its temporary storage, and its launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/sort/choice.h>
#include <mgpu_thrust/detail/sort/geometry/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/pairwise/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/pairwise/sort_few_kernel.cuh>
#include <mgpu_thrust/detail/sort/ranks/sort_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/tile/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/merge_buffers.cuh>

#include <cuda/cmath>

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
  static constexpr int max_threads = max_rank_threads<sizeof(key), buffers_type::values::bytes>;

public:
  /// Returns the path of a sort of `count` elements on the current device.
  static sort_path choose(std::int64_t count, bool is_deferred)
  {
    return detail::choose_sort_path<key, buffers_type::values::bytes>(
      count, is_deferred, detail::current_device_room());
  }
  static std::int64_t tiles(std::int64_t count, const one_segment& = {})
  {
    return ::cuda::ceil_div(count, shapes::tile_items);
  }
  static std::size_t storage_bytes(std::int64_t count, const one_segment& = {})
  {
    return flags_at(count) + detail::round_up_storage(static_cast<std::size_t>(tiles(count)));
  }

  /// Queues the sort of at least one element. `storage` is in use until the stream has passed it. If the size is
  /// deferred, Given is stored_segment, and `all` is the capacity.
  template <class Given>
  static cudaError_t launch(
    void* storage, const In& in, const Out& out, std::int64_t all, const Given& segment, Compare comp,
    cudaStream_t stream)
  {
    auto* const bytes = static_cast<unsigned char*>(storage);
    const int count = static_cast<int>(all);
    const int tile_count = static_cast<int>(tiles(count));
    const int passes = passes_of(count);
    const buffers_type buffers(bytes, out, count, passes);
    unsigned char* const flags = bytes + flags_at(count);
    const auto size = pairwise_sort::size_of(all, segment);
    if (choose(all, is_deferred_v<Given>) == sort_path::ranks)
    {
      const rank_grid grid(all, max_threads);
      return detail::launch_clusters(
        detail::sort_by_ranks_kernel<max_threads, In, output, std::decay_t<decltype(size)>, Compare>, grid.blocks,
        grid.blocks, grid.threads, stream, in, buffers.result(), size, comp);
    }
    if constexpr (is_deferred_v<Given>)
    {
      const int blocks = detail::spread_grid(tile_count, detail::max_coresident_blocks(shape::sure_blocks));
      return detail::queue_coresident_sort(in, buffers, blocks, size, comp, nullptr, nullptr, flags, stream);
    }
    else
    {
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
  }

private:
  static std::int64_t size_of(std::int64_t count, const one_segment&)
  {
    return count;
  }
  static sort_size size_of(std::int64_t, const stored_segment& segment)
  {
    return segment.first_size;
  }
  static int passes_of(std::int64_t count)
  {
    return merge_plan{tiles(count)}.levels();
  }
  /// The flags of the tiles, which the block sort clears. The passes use the first.
  static std::size_t flags_at(std::int64_t count)
  {
    return buffers_type::bytes(count, passes_of(count));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

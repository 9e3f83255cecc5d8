// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sort of few elements on a CUDA device: its temporary storage, and its launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/sort/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/buffers.cuh>
#include <mgpu_thrust/detail/sort/deferred_kernels.cuh>
#include <mgpu_thrust/detail/sort/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/merge_pairs_kernel.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/sort_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/sort_in_cluster_kernel.cuh>
#include <mgpu_thrust/detail/sort/tiles.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sort from `In` to `Out` by passes that merge pairs of runs: where there are few tiles, the multiprocessors wait for
/// memory and launches, not for each other. Its tiles are small, so that there are many. If they are as few as a cluster can
/// have blocks, all is one launch, and if the elements are as few as its threads, there are no passes. Otherwise each pass is
/// a launch; no samples are taken: the first pass sees whether keys are near their sorted positions.
template <class In, class Out, class Compare>
class pairwise_sort
{
  using buffers_type = sort_buffers<In, Out>;
  using buffer = typename buffers_type::buffer;
  using output = typename buffers_type::output;
  using shapes = pairwise_shapes_t<typename buffers_type::key, buffers_type::values::bytes>;
  static constexpr int most_threads =
    most_rank_threads<sizeof(typename buffers_type::key), buffers_type::values::bytes>;
  static constexpr int most_ranked = most_threads * max_cluster_blocks;

public:
  static std::int64_t tiles(std::int64_t count, const one_segment& = {})
  {
    return ::cuda::ceil_div(count, shapes::tile_items);
  }
  static bool can_sort(std::int64_t count, const one_segment&)
  {
    return detail::are_few_to_sort(count, sizeof(typename buffers_type::key));
  }
  static std::size_t storage_bytes(std::int64_t count, const one_segment& = {})
  {
    return flags_at(count) + detail::round_up_storage(static_cast<std::size_t>(tiles(count)));
  }

  /// Queues the sort. There must be at least one element, and can_sort() must hold; `storage` is in use until the stream
  /// has passed it. If the number is deferred, Given is stored_segment, and `all` is the capacity.
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

    if (count <= most_ranked)
    {
      return sort_by_ranks(in, buffers, count, pairwise_sort::size_of(all, segment), comp, stream);
    }
    if constexpr (max_cluster_blocks > 1)
    {
      static_assert(most_ranked >= shapes::tile_items, "there are several tiles");
      if (tile_count <= max_cluster_blocks)
      {
        return sort_in_cluster(in, buffers, tile_count, pairwise_sort::size_of(all, segment), comp, stream);
      }
    }

    // 1. Sort tiles.
    const auto sort_tiles = [&](auto kernel, const auto& all_tiles)
    {
      return detail::launch_kernel(
        kernel, tile_count, shapes::block_sort::threads, false, stream, in, buffers.source(0),
        buffers.result_of_tiles(), all_tiles, comp, flags);
    };
    cudaError_t error = cudaSuccess;
    if constexpr (is_deferred_v<Given>)
    {
      using tiles_type = deferred_plain_tiles;
      error = sort_tiles(
        detail::sort_nonempty_tiles_kernel<shapes, In, buffer, output, tiles_type, Compare>,
        tiles_type{segment.first_size, shapes::tile_items});
    }
    else
    {
      using tiles_type = plain_tiles<int>;
      error = sort_tiles(
        detail::block_sort_kernel<shapes, In, buffer, output, tiles_type, Compare>,
        tiles_type{count, shapes::tile_items});
    }

    // 2. Merge runs.
    for (int number = 0; number < passes && error == cudaSuccess; ++number)
    {
      const pair_pass pass{
        count, shapes::tile_items << number, number, passes, buffers_type::is_output_a_buffer && passes > 2};
      const auto merge_to = [&](const auto& to)
      {
        using to_type = std::decay_t<decltype(to)>;
        using shape = typename shapes::block_sort;
        if constexpr (is_deferred_v<Given>)
        {
          return detail::launch_kernel(
            detail::deferred_merge_pairs_kernel<shape, buffer, to_type, Compare>, tile_count, shape::threads,
            kernels_can_overlap, stream, buffers.source(number), to, pass, passes - !buffers_type::is_output_a_buffer,
            segment.first_size, comp, flags);
        }
        else
        {
          return detail::launch_kernel(
            detail::merge_pairs_kernel<shape, buffer, to_type, Compare>, tile_count, shape::threads,
            kernels_can_overlap, stream, buffers.source(number), to, pass, comp, flags);
        }
      };
      error = number == passes - 1 ? merge_to(buffers.result()) : merge_to(buffers.target(number));
    }
    return error;
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
  template <class Size>
  static cudaError_t sort_by_ranks(
    const In& in, const buffers_type& buffers, int count, const Size& size, Compare comp, cudaStream_t stream)
  {
    const rank_grid grid(count, most_threads);
    return detail::launch_clusters(
      detail::sort_by_ranks_kernel<most_threads, In, output, Size, Compare>, grid.blocks, grid.blocks, grid.threads,
      stream, in, buffers.result(), size, comp);
  }
  template <class Size>
  static cudaError_t sort_in_cluster(
    const In& in, const buffers_type& buffers, int tile_count, const Size& size, Compare comp, cudaStream_t stream)
  {
    return detail::launch_clusters(
      detail::sort_in_cluster_kernel<shapes, In, buffer, output, Size, Compare>, tile_count, tile_count,
      shapes::block_sort::threads, stream, in,
      pass_buffers<buffer, output>{buffers.first(), buffers.second(), buffers.result_of_tiles()}, size, comp);
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

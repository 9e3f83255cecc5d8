// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sort of few elements in segments on a CUDA device: its temporary storage, and its launch.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/sort/buffers.cuh>
#include <mgpu_thrust/detail/sort/few_segments.cuh>
#include <mgpu_thrust/detail/sort/pairwise_launch.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/rank_in_segments_kernel.cuh>
#include <mgpu_thrust/detail/sort/segments.h>
#include <mgpu_thrust/detail/sort/segments_by_length.cuh>
#include <mgpu_thrust/detail/sort/shared_segments.cuh>
#include <mgpu_thrust/detail/sort/sort_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/sort_segments_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/sort_segments_kernel.cuh>
#include <mgpu_thrust/detail/sort/tiles.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sort of each segment from `In` to `Out` by one launch: a launch takes longer than all blocks wait for each other,
/// and the host does not know whether any segment needs a pass. Its tiles are as small as those of a pairwise_sort. If
/// there are few segments, each has tiles of its own; or a cluster that ranks the elements, if these are as few as its threads; or
/// one that sorts tiles and ranks them. If there is one segment, a pairwise_sort sorts it.
template <class In, class Out, class Compare, class Offsets>
class segmented_pairwise_sort
{
  using segments_type = offset_segments<Offsets>;
  using buffers_type = sort_buffers<In, Out>;
  using buffer = typename buffers_type::buffer;
  using output = typename buffers_type::output;
  using key = typename buffers_type::key;
  using shapes = segmented_pairwise_shapes_t<key, buffers_type::values::bytes>;
  using shape = typename shapes::block_sort;
  using sort_of_one = pairwise_sort<In, Out, Compare>;
  static constexpr std::int64_t most_mean = most_mean_to_rank<key>;
  static constexpr int most_threads = most_segment_rank_threads<sizeof(key), buffers_type::values::bytes>;

  /// The tiles of a sort.
  struct tiling
  {
    bool are_ranked;         ///< whether one block sorts each element by rank_in_segments_kernel
    bool have_rank_clusters; ///< whether each segment is sorted by sort_segments_by_ranks_kernel
    std::int64_t tiles;
    int step;             ///< number of elements from tile to tile; if each segment has tiles of its own, at most
    bool are_of_segments; ///< whether each segment has tiles of its own
    bool are_of_clusters; ///< whether each segment has a cluster, if none is too long
    int passes;           ///< of a segment of all elements; blocks wait for each other if there are any
    device_room device;   ///< the current one

    tiling(std::int64_t count, const segments_type& segments)
        : device(detail::current_device_room())
    {
      const std::int64_t num_segments = segments.in.num_segments;
      const std::int64_t tiles_of_segments = detail::most_tiles_of_segments<shape>(count, num_segments);
      const bool are_few = num_segments <= most_few_segments<shape>;
      are_ranked = are_few && rank_in_segments<shape::threads, In>::takes(count, num_segments);
      have_rank_clusters = num_segments <= most_segments_by_ranks && count <= most_threads * max_cluster_blocks
                           && count >= least_mean_by_ranks<sizeof(key)> * num_segments;
      are_of_segments = are_few && (count <= shapes::tile_items || fit(tiles_of_segments));
      are_of_clusters = are_of_segments && can_have_clusters(count, num_segments, tiles_of_segments);
      step = are_of_segments ? shapes::tile_items : segmented_pairwise_sort::choose_step(count, num_segments);
      const std::int64_t tiles_of_all = ::cuda::ceil_div(count, step);
      tiles = are_of_segments ? tiles_of_segments : tiles_of_all;
      passes = merge_plan{tiles_of_all}.levels();
    }

    /// Whether the current device executes the blocks of that many tiles at once.
    bool fit(std::int64_t num_tiles) const
    {
      return num_tiles <= detail::max_coresident_blocks(device, shape::sure_blocks);
    }
    /// Whether each segment can have a cluster, all of which execute at once, and segments are so long, on average, that some
    /// may have several tiles. There must be a block for each of these tiles, which they sort if a segment is too long for a
    /// cluster. Of the blocks that fit, a quarter is left out: clusters do not fill all parts of a device.
    bool can_have_clusters(std::int64_t count, std::int64_t num_segments, std::int64_t num_tiles) const
    {
      const std::int64_t blocks = cluster_shapes::blocks * num_segments;
      return may_have_segment_clusters<sizeof(key)> && num_segments <= segments_by_length::most
             && count >= shapes::tile_items / 2 * num_segments && num_tiles <= blocks
             && blocks <= detail::max_coresident_blocks(device, shape::sure_blocks - 1);
    }
  };

  struct storage_layout
  {
    explicit storage_layout(std::int64_t count, const tiling& chosen)
        : begins_at(buffers_type::bytes(count, chosen.passes))
        , passes_at(begins_at + detail::round_up_storage(static_cast<std::size_t>(chosen.tiles + 1) * sizeof(int)))
        , bytes(
            chosen.are_of_segments || chosen.passes == 0
              ? begins_at
              : passes_at + detail::round_up_storage(static_cast<std::size_t>(chosen.tiles)))
    {
    }

    std::size_t begins_at; ///< after the buffers
    std::size_t passes_at;
    std::size_t bytes;
  };

  /// The number of elements from tile to tile. Tiles can begin where segments of the mean length do if these are short,
  /// or if they are up to half as long as a tile and tiles half as far apart are not too many for the device. Otherwise
  /// tiles are full, and segments lie in several.
  static int choose_step(std::int64_t count, std::int64_t num_segments)
  {
    constexpr int tile_items = shapes::tile_items;
    const std::int64_t mean = count / num_segments;
    if (count > tile_items && mean <= (tile_items - shapes::segment_step) / 2)
    {
      return shapes::segment_step;
    }
    const bool are_few = tile_items < count && count <= most_few_to_sort / 2;
    return are_few && mean <= shapes::long_segment_step ? shapes::long_segment_step : tile_items;
  }

public:
  static std::int64_t tiles(std::int64_t count, const segments_type& segments)
  {
    return tiling(count, segments).tiles;
  }
  static bool can_sort(std::int64_t count, const segments_type& segments)
  {
    if (!segments.has_any() || count > most_few_to_sort)
    {
      return false;
    }
    const tiling chosen(count, segments);
    return chosen.are_of_segments || chosen.fit(chosen.tiles);
  }
  static std::size_t storage_bytes(std::int64_t count, const segments_type& segments)
  {
    const std::size_t bytes_of_one = segments.in.num_segments == 1 ? sort_of_one::storage_bytes(count) : 0;
    return (std::max)(storage_layout(count, tiling(count, segments)).bytes, bytes_of_one);
  }

  /// Queues the sort. There must be at least one element, and can_sort() must hold; `storage` is in use until the stream
  /// has passed it. If the numbers of elements and of segments are deferred, Given is the type of the segments, and
  /// `count` is the capacity.
  template <class Given>
  static cudaError_t launch(
    void* storage, const In& in, const Out& out, std::int64_t count, const Given& segments, Compare comp,
    cudaStream_t stream)
  {
    if constexpr (!is_deferred_v<Given>)
    {
      if (segments.in.num_segments == 1)
      {
        return sort_of_one::launch(storage, in, out, count, one_segment{count}, comp, stream);
      }
    }
    auto* const bytes = static_cast<unsigned char*>(storage);
    const tiling chosen(count, segments);
    const storage_layout layout(count, chosen);
    const buffers_type buffers(bytes, out, count, chosen.passes);
    if constexpr (most_mean > 0)
    {
      if (chosen.are_ranked)
      {
        return detail::launch_kernel(
          detail::rank_in_segments_kernel<shape::threads, In, output, Given, Compare>, 1, shape::threads, false, stream,
          in, buffers.result_of_tiles(), segments, comp);
      }
    }
    if (chosen.have_rank_clusters)
    {
      const rank_grid grid(count, most_threads);
      return detail::launch_clusters(
        detail::sort_segments_by_ranks_kernel<most_threads, In, output, Given, Compare>,
        grid.blocks * static_cast<int>(segments.in.num_segments), grid.blocks, grid.threads, stream, in,
        buffers.result_of_tiles(), segments, grid.blocks, comp);
    }
    const auto sort_tiles = [&](auto has_clusters, int blocks, int cluster_blocks)
    {
      const bool may_wait = has_clusters || chosen.passes > 0;
      const int clusters_apart = (std::max)(1, chosen.device.multiprocessors / cluster_blocks);
      return detail::launch_cooperative_clusters(
        detail::sort_segments_kernel<shapes, decltype(has_clusters)::value, In, buffer, output, Given, Compare>, blocks,
        cluster_blocks, shape::threads, may_wait, stream, in,
        pass_buffers<buffer, output>{buffers.first(), buffers.second(), buffers.result_of_tiles()},
        segment_tiles<Given>{{count, chosen.step, shapes::tile_items - chosen.step, nullptr, nullptr}, segments},
        chosen.are_of_segments, clusters_apart, comp, reinterpret_cast<int*>(bytes + layout.begins_at),
        bytes + layout.passes_at);
    };
    if constexpr (may_have_segment_clusters<sizeof(key)>)
    {
      if (chosen.are_of_clusters)
      {
        constexpr int blocks = cluster_shapes::blocks;
        const cudaError_t error =
          sort_tiles(std::true_type{}, blocks * static_cast<int>(segments.in.num_segments), blocks);
        if (error != cudaErrorCooperativeLaunchTooLarge)
        {
          return error;
        }
        (void) cudaGetLastError(); // a device that clusters fill worse than those measured
      }
    }
    const int tiles = static_cast<int>(chosen.tiles);
    const int most_blocks = detail::max_coresident_blocks(chosen.device, shape::sure_blocks);
    return sort_tiles(std::false_type{}, detail::coresident_grid<Given>(tiles, most_blocks), 1);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

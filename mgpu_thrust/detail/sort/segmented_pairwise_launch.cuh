// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The sort of few elements in segments on a CUDA device: its temporary storage, and its launch.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/sort/buffers.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/segments.h>
#include <mgpu_thrust/detail/sort/sort_segments_kernel.cuh>
#include <mgpu_thrust/detail/sort/tiles.cuh>
#include <mgpu_thrust/detail/sort/tuning.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sort of each segment from `In` to `Out` by one launch: a launch takes longer than all blocks wait for each other,
/// and the host does not know whether any segment needs a pass. Its tiles are as small as those of a pairwise_sort.
template <class In, class Out, class Compare, class Offsets>
class segmented_pairwise_sort
{
  using segments_type = offset_segments<Offsets>;
  using buffers_type = sort_buffers<In, Out>;
  using buffer = typename buffers_type::buffer;
  using output = typename buffers_type::output;
  using shapes = pairwise_shapes_t<typename buffers_type::key, buffers_type::values::bytes>;
  static constexpr int threads = shapes::block_sort::threads;
  static constexpr auto kernel = sort_segments_kernel<shapes, In, buffer, output, Offsets, Compare>;

  struct storage_layout
  {
    explicit storage_layout(std::int64_t count, std::int64_t tiles)
        : last_passes_at(buffers_type::bytes(count, merge_plan{tiles, 1}.passes()))
        , origins_at(last_passes_at + detail::round_up_storage(static_cast<std::size_t>(tiles)))
        , bytes(origins_at + detail::round_up_storage(static_cast<std::size_t>(tiles + 1) * sizeof(tile_origin)))
    {
    }

    std::size_t last_passes_at; ///< after the buffers
    std::size_t origins_at;
    std::size_t bytes;
  };

  /// The number of elements from tile to tile: as many as leave room to move a tile to the begin of a segment of the
  /// mean length, unless most segments are longer than tiles.
  static int tile_step(std::int64_t count, const segments_type& segments)
  {
    const std::int64_t mean = count / segments.in.num_segments;
    const bool are_short = mean <= (shapes::tile_items - shapes::segment_step) / 2;
    const bool are_long = count <= shapes::tile_items || mean > 2 * shapes::tile_items;
    return are_long ? shapes::tile_items : are_short ? shapes::segment_step : shapes::long_segment_step;
  }

public:
  static std::int64_t tiles(std::int64_t count, const segments_type& segments)
  {
    return ::cuda::ceil_div(count, tile_step(count, segments));
  }
  /// Whether the current device executes the blocks of all tiles at once.
  static bool can_sort(std::int64_t count, const segments_type& segments)
  {
    return segments.has_any() && detail::are_few_to_sort(count)
           && tiles(count, segments) <= detail::most_blocks_at_once(shapes::block_sort::sure_blocks);
  }
  static std::size_t storage_bytes(std::int64_t count, const segments_type& segments)
  {
    return storage_layout(count, tiles(count, segments)).bytes;
  }

  /// Queues the sort. There must be at least one element, and can_sort() must hold; `storage` is in use until the stream
  /// has passed it.
  static cudaError_t launch(
    void* storage, const In& in, const Out& out, std::int64_t count, const segments_type& segments, Compare comp,
    cudaStream_t stream)
  {
    auto* const bytes = static_cast<unsigned char*>(storage);
    const merge_plan plan{tiles(count, segments), 1};
    const storage_layout layout(count, plan.tiles);
    auto* const last_passes = reinterpret_cast<signed char*>(bytes + layout.last_passes_at);
    auto* const origins = reinterpret_cast<tile_origin*>(bytes + layout.origins_at);
    const int step = tile_step(count, segments);
    const buffers_type buffers(bytes, out, count, plan.passes());
    return detail::launch_at_once(
      kernel, static_cast<int>(plan.tiles), threads, stream, in,
      pass_buffers<buffer, output>{buffers.source(0), buffers.target(0), buffers.result()},
      segment_tiles<segments_type>{{count, step, shapes::tile_items - step, origins, last_passes}, segments}, plan,
      comp, origins, last_passes);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

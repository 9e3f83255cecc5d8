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
#include <mgpu_thrust/detail/sort/shared_segments.cuh>
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
        : begins_at(buffers_type::bytes(count, most_passes(tiles)))
        , passes_at(begins_at + detail::round_up_storage(static_cast<std::size_t>(tiles + 1) * sizeof(int)))
        , bytes(passes_at + detail::round_up_storage(static_cast<std::size_t>(tiles)))
    {
    }

    std::size_t begins_at; ///< after the buffers
    std::size_t passes_at;
    std::size_t bytes;
  };

  /// The passes of a segment that lies in all tiles.
  static int most_passes(std::int64_t tiles)
  {
    return merge_plan{tiles}.levels();
  }
  /// The number of elements from tile to tile. Tiles can begin where segments of the mean length do if these are short,
  /// or if they are up to half as long as a tile and tiles half as far apart are not too many for the device. Otherwise
  /// tiles are full, and segments lie in several.
  static int tile_step(std::int64_t count, const segments_type& segments)
  {
    constexpr int tile_items = shapes::tile_items;
    const std::int64_t mean = count / segments.in.num_segments;
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
    const std::int64_t tile_count = tiles(count, segments);
    const storage_layout layout(count, tile_count);
    const int step = tile_step(count, segments);
    const buffers_type buffers(bytes, out, count, most_passes(tile_count));
    return detail::launch_at_once(
      kernel, static_cast<int>(tile_count), threads, stream, in,
      pass_buffers<buffer, output>{buffers.first(), buffers.second(), buffers.result_of_tiles()},
      segment_tiles<segments_type>{{count, step, shapes::tile_items - step, nullptr, nullptr}, segments}, comp,
      reinterpret_cast<int*>(bytes + layout.begins_at), bytes + layout.passes_at);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The segmented sorts of one launch on a CUDA device: their temporary storage, and the launch.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/sort/choice.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/pairwise/pairwise_launch.cuh>
#include <mgpu_thrust/detail/sort/ranks/sort_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/ranks/sort_segments_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/segmented/shared_segments.cuh>
#include <mgpu_thrust/detail/sort/segmented/sort_segments_kernel.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/merge_buffers.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sort of each segment from `In` to `Out` on a path of one launch. The host does not know whether any segment needs
/// a pass, and a grid barrier takes less time than a launch. One segment is a pairwise_sort, which has the same tiles.
template <class In, class Out, class Compare>
class segmented_pairwise_sort
{
  using buffers_type = merge_buffers<In, Out>;
  using buffer = typename buffers_type::buffer;
  using output = typename buffers_type::output;
  using key = typename buffers_type::key;
  using shapes = segmented_pairwise_shapes_t<key, buffers_type::values::bytes>;
  using shape = typename shapes::block_sort;
  using sort_of_one = pairwise_sort<In, Out, Compare>;
  static constexpr int max_threads = max_segment_rank_threads<sizeof(key), buffers_type::values::bytes>;

  struct storage_layout
  {
    storage_layout(std::int64_t count, const segmented_sort_choice& chosen)
        : passes(merge_plan{::cuda::ceil_div(count, std::int64_t{chosen.step})}.levels())
        , begins_at(buffers_type::bytes(count, passes))
        , passes_at(begins_at + detail::round_up_storage(static_cast<std::size_t>(chosen.tiles + 1) * sizeof(int)))
        , bytes(
            chosen.path != segmented_sort_path::shared_tiles || passes == 0
              ? begins_at
              : passes_at + detail::round_up_storage(static_cast<std::size_t>(chosen.tiles)))
    {
    }

    int passes;            ///< of a segment of all elements; with any the launch is cooperative
    std::size_t begins_at; ///< after the buffers
    std::size_t passes_at;
    std::size_t bytes;
  };

public:
  template <class Given>
  static segmented_sort_choice choose(std::int64_t count, const Given& segments)
  {
    return detail::choose_segmented_sort<key, buffers_type::values::bytes>(
      count, segments.in.num_segments, is_deferred_v<Given>, buffers_type::is_output_a_buffer,
      detail::current_device_room());
  }
  template <class Given>
  static std::int64_t tiles(std::int64_t count, const Given& segments)
  {
    return choose(count, segments).tiles;
  }
  template <class Given>
  static std::size_t storage_bytes(std::int64_t count, const Given& segments)
  {
    const segmented_sort_choice chosen = choose(count, segments);
    const std::size_t bytes_of_one =
      chosen.path == segmented_sort_path::one_segment ? sort_of_one::storage_bytes(count) : 0;
    return (std::max)(storage_layout(count, chosen).bytes, bytes_of_one);
  }

  /// Queues the sort of at least one element; choose() must name a path of one launch. `storage` is in use until the
  /// stream has passed it. If sizes are deferred, Given is the type of the segments, and `count` is the capacity.
  template <class Given>
  static cudaError_t launch(
    void* storage, const In& in, const Out& out, std::int64_t count, const Given& segments, Compare comp,
    cudaStream_t stream)
  {
    const segmented_sort_choice chosen = choose(count, segments);
    if constexpr (!is_deferred_v<Given>)
    {
      if (chosen.path == segmented_sort_path::one_segment)
      {
        return sort_of_one::launch(storage, in, out, count, one_segment{count}, comp, stream);
      }
    }
    auto* const bytes = static_cast<unsigned char*>(storage);
    const storage_layout layout(count, chosen);
    const buffers_type buffers(bytes, out, count, layout.passes);
    if (chosen.path == segmented_sort_path::ranks)
    {
      const rank_grid grid(count, max_threads);
      return detail::launch_clusters(
        detail::sort_segments_by_ranks_kernel<max_threads, In, output, Given, Compare>,
        grid.blocks * static_cast<int>(segments.in.num_segments), grid.blocks, grid.threads, stream, in,
        buffers.result_of_tiles(), segments, grid.blocks, comp);
    }
    const int max_blocks = detail::max_coresident_blocks(shape::sure_blocks);
    return detail::launch_cooperative(
      detail::sort_segments_kernel<shapes, In, buffer, output, Given, Compare>,
      detail::coresident_grid<Given>(static_cast<int>(chosen.tiles), max_blocks), shape::threads, layout.passes > 0,
      stream, in, pass_buffers<buffer, output>{buffers.first(), buffers.second(), buffers.result_of_tiles()},
      segment_tiles<Given>{{count, chosen.step, shapes::tile_items - chosen.step, nullptr, nullptr}, segments},
      chosen.path == segmented_sort_path::own_tiles, comp, reinterpret_cast<int*>(bytes + layout.begins_at),
      bytes + layout.passes_at);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

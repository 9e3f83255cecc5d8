// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The segmented sorts of one launch on a CUDA device: their temporary storage, and the launch.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/sort/choice.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/ranks/sort_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/ranks/sort_segments_by_ranks_kernel.cuh>
#include <mgpu_thrust/detail/sort/segmented/shared_segments.cuh>
#include <mgpu_thrust/detail/sort/segmented/sort_segments_kernel.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/merge/merge_buffers.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sort of each segment from `In` to `Out` on a path of one launch. The host does not know whether any segment needs
/// a pass, and a grid barrier takes less time than a launch.
template <class In, class Out, class Compare>
class segmented_pairwise_sort
{
  using buffers_type = merge_buffers<In, Out>;
  using buffer = typename buffers_type::buffer;
  using output = typename buffers_type::output;
  using key = typename buffers_type::key;
  using shapes = segmented_pairwise_shapes_t<key, buffers_type::values::bytes>;
  using shape = typename shapes::block_sort;

  struct storage_layout
  {
    storage_layout(std::int64_t count, const sort_choice& chosen)
        : begins_at(buffers_type::bytes(count, chosen.passes))
        , passes_at(begins_at + detail::round_up_storage(static_cast<std::size_t>(chosen.tiles + 1) * sizeof(int)))
        , bytes(passes_at + detail::round_up_storage(static_cast<std::size_t>(chosen.tiles)))
    {
    }

    std::size_t begins_at; ///< after the buffers; of shared tiles alone
    std::size_t passes_at;
    std::size_t bytes;
  };

public:
  /// Minimum number of elements from tile to tile.
  static constexpr int min_step = shapes::long_segment_step;

  /// The bytes for shared tiles, which need more than others.
  static std::size_t storage_bytes(std::int64_t count, const sort_choice& chosen)
  {
    return storage_layout(count, chosen).bytes;
  }

  /// Queues the sort of at least one element on a path of one launch. `storage` is in use until the stream has passed
  /// it. If sizes are deferred, Given is the type of the segments, and `count` is the capacity.
  template <class Given>
  static cudaError_t launch(
    void* storage, const sort_choice& chosen, const In& in, const Out& out, std::int64_t count, const Given& segments,
    Compare comp, cudaStream_t stream)
  {
    auto* const bytes = static_cast<unsigned char*>(storage);
    const storage_layout layout(count, chosen);
    const buffers_type buffers(bytes, out, count, chosen.passes);
    if (chosen.in_segments == segmented_sort_path::ranks)
    {
      constexpr int max_threads = max_segment_rank_threads<sizeof(key), buffers_type::values::bytes>;
      return detail::launch_clusters(
        detail::sort_segments_by_ranks_kernel<max_threads, In, output, Given, Compare>,
        chosen.blocks * static_cast<int>(segments.in.num_segments), chosen.blocks, chosen.cluster_threads, stream, in,
        buffers.result_of_tiles(), segments, chosen.blocks, comp);
    }
    return detail::launch_cooperative(
      detail::sort_segments_kernel<shapes, In, buffer, output, Given, Compare>, chosen.blocks, shape::threads,
      chosen.passes > 0, stream, in,
      pass_buffers<buffer, output>{buffers.first(), buffers.second(), buffers.result_of_tiles()},
      segment_tiles<Given>{{count, chosen.step, shapes::tile_items - chosen.step, nullptr, nullptr}, segments},
      chosen.in_segments == segmented_sort_path::own_tiles, comp, reinterpret_cast<int*>(bytes + layout.begins_at),
      bytes + layout.passes_at);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

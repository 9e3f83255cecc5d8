// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The multiway sort on a CUDA device: the layout of its temporary storage, and its launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/sort/choice.h>
#include <mgpu_thrust/detail/sort/geometry/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/geometry/origins_kernels.cuh>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/multiway/borders_kernels.cuh>
#include <mgpu_thrust/detail/sort/multiway/merge_pass_kernels.cuh>
#include <mgpu_thrust/detail/sort/multiway/merge_passes_kernel.cuh>
#include <mgpu_thrust/detail/sort/multiway/multiway_cut.cuh>
#include <mgpu_thrust/detail/sort/pairwise/pairwise_launch.cuh>
#include <mgpu_thrust/detail/sort/tile/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/merge_buffers.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The number of elements from tile to tile.
template <class Shapes>
int tile_step(const one_segment&, std::int64_t)
{
  return Shapes::tile_items;
}
template <class Shapes, class Offsets>
int tile_step(const offset_segments<Offsets>& segments, std::int64_t count)
{
  return detail::choose_multiway_step<Shapes>(count, segments.in.num_segments);
}
template <class Shapes, class Flags>
int tile_step(const flag_segments<Flags>&, std::int64_t)
{
  return Shapes::segment_step;
}

/// Whether the host knows the mean length of segments, or that of the capacities. It does not for flags.
template <class Segments>
inline constexpr bool have_known_mean = false;
template <class Offsets>
inline constexpr bool have_known_mean<offset_segments<Offsets>> = true;
template <class Segments, class First, class Second>
inline constexpr bool have_known_mean<deferred_inputs<Segments, First, Second>> = have_known_mean<Segments>;

/// The tiles of a sort. Segments need `origins`, which are found first.
template <class Shapes>
even_tiles
make_tiles(const one_segment&, std::int64_t count, const sort_locality* locality, const tile_origin*, signed char*)
{
  return {{count, Shapes::tile_items}, locality};
}
template <class Shapes>
deferred_even_tiles
make_tiles(const stored_segment& segment, std::int64_t, const sort_locality* locality, const tile_origin*, signed char*)
{
  return {segment.first_size, Shapes::tile_items, locality};
}
template <class Shapes, class Segments>
segment_tiles<Segments> make_tiles(
  const Segments& segments, std::int64_t count, const sort_locality*, const tile_origin* origins,
  signed char* last_passes)
{
  const int step = detail::tile_step<Shapes>(segments, count);
  return {{count, step, Shapes::tile_items - step, origins, last_passes}, segments};
}

template <class In, class Out>
using sort_shapes_of = sort_shapes_t<typename merge_buffers<In, Out>::key, merge_buffers<In, Out>::values::bytes>;

/// A sort from `In` to `Out`, of all keys, or of each segment, by passes that merge up to eight runs. Shapes is a
/// sort_shapes.
template <class In, class Out, class Compare, class Segments, class Shapes = sort_shapes_of<In, Out>>
class multiway_sort
{
  using buffers_type = merge_buffers<In, Out>;
  using key = typename buffers_type::key;
  using values = typename buffers_type::values;
  using buffer = typename buffers_type::buffer;
  using output = typename buffers_type::output;
  static constexpr bool discards_keys = buffers_type::discards_keys;
  static constexpr bool is_output_a_buffer = buffers_type::is_output_a_buffer;
  using shapes = Shapes;
  using tiles_type = decltype(detail::make_tiles<shapes>(std::declval<Segments>(), 0, nullptr, nullptr, nullptr));

  /// Whether tiles are sorted to the output if no sampled element is far from its sorted position.
  static constexpr bool finds_locality = is_output_a_buffer && !tiles_type::is_segmented;
  static_assert(2 * border_reach <= shapes::tile_items, "what is merged at two borders must not meet");

  struct storage_layout
  {
    storage_layout(std::int64_t count, const Segments& segments, bool may_be_coresident)
    {
      const auto tiles = static_cast<std::size_t>(multiway_sort::tiles(count, segments));
      const int passes = merge_plan{multiway_sort::tiles(count, segments)}.passes();
      splits_at = buffers_type::bytes(count, passes, may_be_coresident);
      is_same_at = splits_at + detail::round_up_storage(tiles * max_ways * sizeof(std::int64_t));
      locality_at = is_same_at + detail::round_up_storage(tiles);
      looks_for_locality = finds_locality && passes > (discards_keys ? 1 : 0);
      bytes = locality_at + (looks_for_locality ? detail::round_up_storage(sizeof(sort_locality)) : 0);
      if constexpr (tiles_type::is_segmented)
      {
        // The kernels that find the origins end before the others start, and share their storage.
        const auto* const kind = static_cast<const Segments*>(nullptr);
        bytes = (std::max)(bytes, detail::origins_storage_bytes(kind, multiway_sort::tiles(count, segments)));
        last_passes_at = detail::round_up_storage(bytes);
        origins_at = last_passes_at + detail::round_up_storage(tiles);
        bytes = origins_at + detail::round_up_storage((tiles + 1) * sizeof(tile_origin));
      }
    }

    std::size_t splits_at; ///< after the buffers
    std::size_t is_same_at;
    std::size_t locality_at;
    bool looks_for_locality; ///< if the first buffer has keys, and there are passes
    std::size_t last_passes_at = 0;
    std::size_t origins_at = 0;
    std::size_t bytes;
  };

public:
  /// The number of tiles, which must be less than max_tiles.
  static std::int64_t tiles(std::int64_t count, const Segments& segments)
  {
    return ::cuda::ceil_div(count, detail::tile_step<shapes>(segments, count));
  }
  template <class Given>
  static std::size_t storage_bytes(std::int64_t count, const Given& segments)
  {
    return storage_layout(count, segments, is_one_segment<Given>).bytes;
  }

  /// Queues the sort of at least one element. `storage` is in use until the stream has passed it. If sizes are
  /// deferred, Given is the type of the segments; tiles are for the capacities, and empty after the last element.
  template <class Given>
  static cudaError_t launch(
    void* storage, const In& in, const Out& out, std::int64_t count, const Given& segments, Compare comp,
    cudaStream_t stream)
  {
    // On the co-resident path of a deferred size there are more passes, over pairs of runs.
    constexpr bool may_be_coresident = is_one_segment<Given>;
    const storage_layout layout(count, segments, may_be_coresident);
    auto* const bytes = static_cast<unsigned char*>(storage);
    auto* const locality =
      layout.looks_for_locality ? reinterpret_cast<sort_locality*>(bytes + layout.locality_at) : nullptr;
    const buffers_type buffers(bytes, out, count, merge_plan{tiles(count, segments)}.passes(), may_be_coresident);
    if constexpr (is_one_segment<Given>)
    {
      // A size on the co-resident path is sorted by sort_few_kernel, which then leaves no elements to the other
      // kernels.
      std::int64_t* const rest = &segments.header->second;
      const cudaError_t error = detail::queue_coresident_sort(
        in, buffers, detail::coresident_sort_blocks<typename pairwise_shapes_t<key, values::bytes>::block_sort>(),
        segments.first_size, comp, locality, rest, bytes + layout.is_same_at, stream);
      const stored_segment others(segments, {rest, count}, 0);
      return error != cudaSuccess ? error
                                  : queue_multiway(bytes, layout, in, buffers, count, others, comp, locality, stream);
    }
    else
    {
      if constexpr (finds_locality)
      {
        if (locality != nullptr)
        {
          const cudaError_t error = look_for_locality(in.keys, count, comp, locality, stream);
          if (error != cudaSuccess)
          {
            return error;
          }
        }
      }
      return queue_multiway(bytes, layout, in, buffers, count, segments, comp, locality, stream);
    }
  }

private:
  template <class Given>
  static cudaError_t queue_multiway(
    unsigned char* bytes, const storage_layout& layout, const In& in, const buffers_type& buffers, std::int64_t count,
    const Given& segments, Compare comp, sort_locality* locality, cudaStream_t stream)
  {
    auto* const splits = reinterpret_cast<std::int64_t*>(bytes + layout.splits_at);
    auto* const is_same = bytes + layout.is_same_at;
    auto* const last_passes = reinterpret_cast<signed char*>(bytes + layout.last_passes_at);
    auto* const origins = reinterpret_cast<tile_origin*>(bytes + layout.origins_at);
    const merge_plan plan{tiles(count, segments)};
    const int pass_count = plan.passes();
    const auto given_tiles = detail::make_tiles<shapes>(segments, count, locality, origins, last_passes);
    const auto all_tiles = multiway_sort::after_origins(given_tiles);
    using all_tiles_type = std::decay_t<decltype(all_tiles)>;
    using passes_tiles = std::conditional_t<tiles_type::is_segmented, tiles_by_origin, all_tiles_type>;
    const passes_tiles& tiles_of_passes = all_tiles;

    // 1. Sort tiles.
    cudaError_t error = cudaSuccess;
    if constexpr (tiles_type::is_segmented)
    {
      error = detail::queue_origins(given_tiles, plan.tiles, origins, bytes, stream);
    }
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::block_sort_kernel<shapes, is_deferred_v<Given>, In, buffer, output, all_tiles_type, Compare>,
        static_cast<int>(plan.tiles), shapes::block_sort::threads,
        (is_one_segment<Given> || tiles_type::is_segmented) && kernels_can_overlap, stream, in, buffers.source(0),
        buffers.result_of_tiles(), all_tiles, comp, is_same);
    }
    if constexpr (finds_locality)
    {
      if (locality != nullptr && error == cudaSuccess)
      {
        error = merge_borders(buffers.first(), buffers.second(), all_tiles, plan, comp, locality, stream);
      }
    }

    // 2. Merge runs.
    if constexpr (have_known_mean<Given> && is_output_a_buffer)
    {
      if (
        pass_count > 0 && error == cudaSuccess
        && detail::rarely_has_passes<key, values::bytes>(count, segments.in.num_segments, is_output_a_buffer))
      {
        return detail::launch_cooperative(
          detail::merge_passes_kernel<shapes, buffer, Compare>, coresident_blocks(plan.tiles), shapes::merge::threads,
          true, stream, pass_buffers<buffer, buffer>{buffers.first(), buffers.second(), buffers.result_of_tiles()},
          tiles_of_passes, plan, comp, splits, is_same);
      }
    }
    for (int number = 0; number < pass_count && error == cudaSuccess; ++number)
    {
      const merge_pass pass = plan.pass(number);
      const buffer& from = buffers.source(number);
      error = detail::queue_multiway_cut(
        multiway_cut<key, passes_tiles, Compare>{from.keys, tiles_of_passes, pass, number, comp, splits}, stream);
      const auto merge_tiles = [&](const auto& to, bool skips)
      {
        using to_type = std::decay_t<decltype(to)>;
        return detail::launch_kernel(
          detail::merge_pass_kernel<shapes, buffer, to_type, passes_tiles, Compare>, static_cast<int>(plan.tiles),
          shapes::merge::threads, kernels_can_overlap, stream, from, to, tiles_of_passes, pass, number, comp,
          static_cast<const std::int64_t*>(splits), is_same, skips);
      };
      if (error == cudaSuccess)
      {
        error = number == pass_count - 1 ? merge_tiles(buffers.result(), is_output_a_buffer)
                                         : merge_tiles(buffers.target(number), true);
      }
    }
    return error;
  }

  /// The grid of merge_passes_kernel.
  static int coresident_blocks(std::int64_t tiles)
  {
    const int max_blocks = detail::max_coresident_blocks(detail::blocks_of_all_passes(shapes::merge::sure_blocks));
    return static_cast<int>(std::min<std::int64_t>(tiles, (std::max)(max_blocks, 1)));
  }

  /// Returns the tiles once the origins are found; of deferred sizes, the tiles of the capacities.
  template <class Tiles>
  static const Tiles& after_origins(const Tiles& tiles)
  {
    return tiles;
  }
  template <class First, class Second>
  static tiles_type after_origins(const segment_tiles<deferred_inputs<Segments, First, Second>>& tiles)
  {
    return {tiles, tiles.segments};
  }

  static cudaError_t look_for_locality(
    decltype(In::keys) keys, std::int64_t count, Compare comp, sort_locality* locality, cudaStream_t stream)
  {
    return detail::launch_kernel(
      detail::look_for_locality_kernel<decltype(In::keys), Compare>, 1, locality_threads, false, stream, keys, count,
      comp, locality);
  }

  /// Queues the merge of tile borders, which completes the sort if no element is far. For an odd number of passes also
  /// queues the kernel that otherwise copies tiles to where the first pass reads them.
  template <class Tiles>
  static cudaError_t merge_borders(
    const buffer& first, const buffer& second, const Tiles& all_tiles, const merge_plan& plan, Compare comp,
    sort_locality* locality, cudaStream_t stream)
  {
    const int blocks = static_cast<int>((std::min)(plan.tiles, std::int64_t{border_blocks}));
    const bool copies = plan.passes() % 2 == 1;
    const cudaError_t error = detail::launch_kernel(
      detail::merge_borders_kernel<buffer, Tiles, Compare>, blocks, border_threads, false, stream, first, all_tiles,
      comp, locality);
    return error != cudaSuccess || !copies
             ? error
             : detail::launch_kernel(
               detail::copy_tiles_kernel<buffer, Tiles>, blocks, border_threads, false, stream, first, second,
               all_tiles, static_cast<const sort_locality*>(locality));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

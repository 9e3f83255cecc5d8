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
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/multiway_cut.cuh>
#include <mgpu_thrust/detail/sort/choice.h>
#include <mgpu_thrust/detail/sort/geometry/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/geometry/origins_kernels.cuh>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/multiway/borders_kernels.cuh>
#include <mgpu_thrust/detail/sort/multiway/merge_pass_kernels.cuh>
#include <mgpu_thrust/detail/sort/multiway/merge_passes_kernel.cuh>
#include <mgpu_thrust/detail/sort/multiway/run_pieces.cuh>
#include <mgpu_thrust/detail/sort/pairwise/pairwise_launch.cuh>
#include <mgpu_thrust/detail/sort/tile/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/merge/merge_buffers.cuh>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether the host knows the mean length of segments, or that of the capacities. It does not for flags.
template <class Segments>
inline constexpr bool have_known_mean = false;
template <class Offsets>
inline constexpr bool have_known_mean<offset_segments<Offsets>> = true;
template <class Segments, class First, class Second>
inline constexpr bool have_known_mean<deferred_inputs<Segments, First, Second>> = have_known_mean<Segments>;

/// The tiles of a sort. Segments need `origins`, which are found first.
template <class Shapes>
even_tiles make_tiles(
  const one_segment&, std::int64_t count, int step, const sort_locality* locality, const tile_origin*, signed char*)
{
  return {{count, step}, locality};
}
template <class Shapes>
deferred_even_tiles make_tiles(
  const stored_segment& segment, std::int64_t, int step, const sort_locality* locality, const tile_origin*,
  signed char*)
{
  return {segment.first_size, step, locality};
}
template <class Shapes, class Segments>
segment_tiles<Segments> make_tiles(
  const Segments& segments, std::int64_t count, int step, const sort_locality*, const tile_origin* origins,
  signed char* last_passes)
{
  return {{count, step, Shapes::tile_items - step, origins, last_passes}, segments};
}

template <class In, class Out>
using sort_shapes_of = sort_shapes_t<typename merge_buffers<In, Out>::key, merge_buffers<In, Out>::values::bytes>;

/// A sort from `In` to `Out`, of all keys, or of each segment, by passes that merge up to eight runs. Shapes is a
/// sort_shapes. If sizes are deferred, Given is the type of the segments; tiles are for the capacities, and empty after
/// the last element.
template <class In, class Out, class Compare, class Segments, class Shapes = sort_shapes_of<In, Out>>
class multiway_sort
{
  using buffers_type = merge_buffers<In, Out>;
  using key = typename buffers_type::key;
  using values = typename buffers_type::values;
  using buffer = typename buffers_type::buffer;
  using output = typename buffers_type::output;
  static constexpr bool is_output_a_buffer = buffers_type::is_output_a_buffer;
  using tiles_type = decltype(detail::make_tiles<Shapes>(std::declval<Segments>(), 0, 0, nullptr, nullptr, nullptr));

  /// Whether tiles are sorted to the output if no sampled element is far from its sorted position.
  static constexpr bool finds_locality = is_output_a_buffer && !tiles_type::is_segmented;
  static_assert(2 * border_reach <= Shapes::tile_items, "what is merged at two borders must not meet");

  struct storage_layout
  {
    storage_layout(std::int64_t count, const sort_choice& chosen, bool may_be_coresident)
    {
      const auto tiles = static_cast<std::size_t>(chosen.tiles);
      origins_at = tiles_type::is_segmented ? detail::round_up_storage(tiles) : 0;
      buffers_at =
        origins_at + (tiles_type::is_segmented ? detail::round_up_storage((tiles + 1) * sizeof(tile_origin)) : 0);
      splits_at = buffers_at + buffers_type::bytes(count, chosen.passes, may_be_coresident);
      is_same_at = splits_at + detail::round_up_storage(tiles * max_ways * sizeof(std::int64_t));
      locality_at = is_same_at + detail::round_up_storage(tiles);
      bytes = locality_at + (chosen.looks_for_locality ? detail::round_up_storage(sizeof(sort_locality)) : 0);
    }

    std::size_t origins_at; ///< after the last passes of tiles; of segments alone
    std::size_t buffers_at; ///< the kernels that find the origins end before, and have their storage here
    std::size_t splits_at;
    std::size_t is_same_at;
    std::size_t locality_at;
    std::size_t bytes;
  };

public:
  template <class Given>
  static std::size_t storage_bytes(std::int64_t count, const sort_choice& chosen, const Given&)
  {
    const storage_layout layout(count, chosen, is_one_segment<Given>);
    if constexpr (tiles_type::is_segmented)
    {
      const auto* const kind = static_cast<const Segments*>(nullptr);
      return (std::max)(layout.bytes, layout.buffers_at + detail::origins_storage_bytes(kind, chosen.tiles));
    }
    else
    {
      return layout.bytes;
    }
  }

  /// Queues the sort of at least one element. `storage` is in use until the stream has passed it.
  template <class Given>
  static cudaError_t launch(
    void* storage, const sort_choice& chosen, const In& in, const Out& out, std::int64_t count, const Given& segments,
    Compare comp, cudaStream_t stream)
  {
    return multiway_sort(storage, chosen, in, out, count, is_one_segment<Given>, comp, stream).queue(segments);
  }

private:
  /// On the co-resident path of a deferred size there are more passes, over pairs of runs.
  multiway_sort(
    void* storage, const sort_choice& chosen, const In& in, const Out& out, std::int64_t count, bool may_be_coresident,
    Compare comp, cudaStream_t stream)
      : chosen_(chosen)
      , layout_(count, chosen, may_be_coresident)
      , bytes_(static_cast<unsigned char*>(storage))
      , in_(in)
      , buffers_(bytes_ + layout_.buffers_at, out, count, chosen.passes, may_be_coresident)
      , locality_(chosen.looks_for_locality ? reinterpret_cast<sort_locality*>(bytes_ + layout_.locality_at) : nullptr)
      , count_(count)
      , comp_(comp)
      , stream_(stream)
  {
  }

  template <class Given>
  cudaError_t queue(const Given& segments) const
  {
    if constexpr (is_one_segment<Given>)
    {
      // A size on the co-resident path is sorted by sort_few_kernel, which then leaves no elements to the other
      // kernels.
      std::int64_t* const rest = &segments.header->second;
      const cudaError_t error = detail::queue_coresident_sort(
        in_, buffers_, chosen_.blocks, segments.first_size, comp_, locality_, rest, is_same(), stream_);
      return error != cudaSuccess ? error : queue_tiles_and_passes(stored_segment(segments, {rest, count_}, 0));
    }
    else
    {
      const cudaError_t error = look_for_locality();
      return error != cudaSuccess ? error : queue_tiles_and_passes(segments);
    }
  }

  template <class Given>
  cudaError_t queue_tiles_and_passes(const Given& segments) const
  {
    auto* const last_passes = reinterpret_cast<signed char*>(bytes_);
    auto* const origins = reinterpret_cast<tile_origin*>(bytes_ + layout_.origins_at);
    const auto given_tiles =
      detail::make_tiles<Shapes>(segments, count_, chosen_.step, locality_, origins, last_passes);
    const auto all_tiles = multiway_sort::after_origins(given_tiles);
    cudaError_t error = cudaSuccess;
    if constexpr (tiles_type::is_segmented)
    {
      error = detail::queue_origins(given_tiles, chosen_.tiles, origins, bytes_ + layout_.buffers_at, stream_);
    }
    error = error == cudaSuccess ? sort_tiles<Given>(all_tiles) : error;
    using passes_tiles =
      std::conditional_t<tiles_type::is_segmented, tiles_by_origin, std::decay_t<decltype(all_tiles)>>;
    return error == cudaSuccess ? merge_runs<Given, passes_tiles>(all_tiles) : error;
  }

  template <class Given, class Tiles>
  cudaError_t sort_tiles(const Tiles& tiles) const
  {
    const cudaError_t error = detail::launch_kernel(
      detail::block_sort_kernel<Shapes, is_deferred_v<Given>, In, buffer, output, Tiles, Compare>,
      static_cast<int>(chosen_.tiles), Shapes::block_sort::threads,
      (is_one_segment<Given> || tiles_type::is_segmented) && kernels_can_overlap, stream_, in_, buffers_.source(0),
      buffers_.result_of_tiles(), tiles, comp_, is_same());
    if constexpr (finds_locality)
    {
      if (locality_ != nullptr && error == cudaSuccess)
      {
        return merge_borders(tiles);
      }
    }
    return error;
  }

  template <class Given, class Tiles>
  cudaError_t merge_runs(const Tiles& tiles) const
  {
    const merge_plan plan{chosen_.tiles};
    if constexpr (have_known_mean<Given> && is_output_a_buffer)
    {
      if (chosen_.blocks > 0 && chosen_.passes > 0)
      {
        return detail::launch_cooperative(
          detail::merge_passes_kernel<Shapes, buffer, Compare>, chosen_.blocks, Shapes::merge::threads, true, stream_,
          pass_buffers<buffer, buffer>{buffers_.first(), buffers_.second(), buffers_.result_of_tiles()}, tiles, plan,
          comp_, splits(), is_same());
      }
    }
    cudaError_t error = cudaSuccess;
    for (int number = 0; number < chosen_.passes && error == cudaSuccess; ++number)
    {
      const merge_pass pass = plan.pass(number);
      error = number == chosen_.passes - 1 ? queue_pass(pass, number, buffers_.result(), tiles, is_output_a_buffer)
                                           : queue_pass(pass, number, buffers_.target(number), tiles, true);
    }
    return error;
  }

  /// Queues a pass: its cut, and its merge.
  template <class To, class Tiles>
  cudaError_t queue_pass(const merge_pass& pass, int number, const To& to, const Tiles& tiles, bool skips) const
  {
    const buffer& from = buffers_.source(number);
    const cudaError_t error = detail::queue_multiway_cut(
      tiles_to_cut<key, Tiles, Compare>{from.keys, tiles, pass, number, comp_, splits()}, stream_);
    return error != cudaSuccess
             ? error
             : detail::launch_kernel(
               detail::merge_pass_kernel<Shapes, buffer, To, Tiles, Compare>, static_cast<int>(pass.tiles),
               Shapes::merge::threads, kernels_can_overlap, stream_, from, to, tiles, pass, number, comp_,
               static_cast<const std::int64_t*>(splits()), is_same(), skips);
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

  cudaError_t look_for_locality() const
  {
    if constexpr (finds_locality)
    {
      if (locality_ != nullptr)
      {
        return detail::launch_kernel(
          detail::look_for_locality_kernel<decltype(In::keys), Compare>, 1, locality_threads, false, stream_, in_.keys,
          count_, comp_, locality_);
      }
    }
    return cudaSuccess;
  }

  /// Queues the merge of tile borders, which completes the sort if no element is far. For an odd number of passes also
  /// queues the kernel that otherwise copies tiles to where the first pass reads them.
  template <class Tiles>
  cudaError_t merge_borders(const Tiles& tiles) const
  {
    const int blocks = static_cast<int>((std::min)(chosen_.tiles, std::int64_t{border_blocks}));
    const bool copies = chosen_.passes % 2 == 1;
    const cudaError_t error = detail::launch_kernel(
      detail::merge_borders_kernel<buffer, Tiles, Compare>, blocks, border_threads, false, stream_, buffers_.first(),
      tiles, comp_, locality_);
    return error != cudaSuccess || !copies
             ? error
             : detail::launch_kernel(
               detail::copy_tiles_kernel<buffer, Tiles>, blocks, border_threads, false, stream_, buffers_.first(),
               buffers_.second(), tiles, static_cast<const sort_locality*>(locality_));
  }

  std::int64_t* splits() const
  {
    return reinterpret_cast<std::int64_t*>(bytes_ + layout_.splits_at);
  }
  unsigned char* is_same() const
  {
    return bytes_ + layout_.is_same_at;
  }

  const sort_choice& chosen_;
  storage_layout layout_;
  unsigned char* bytes_;
  const In& in_;
  buffers_type buffers_;
  sort_locality* locality_;
  std::int64_t count_;
  Compare comp_;
  cudaStream_t stream_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

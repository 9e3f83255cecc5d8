// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The path of a sort and of a segmented sort on a GPU, by sizes, types and the device. The comments of the paths are
/// the table "What runs when" of docs/how-it-works/sort.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/sort/tuning.h>

#include <cuda/cmath>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Sorts. Large keys and values are sorted by their indices, and moved once afterwards. A tile that is in order is
/// copied, not sorted.
enum class sort_path
{
  /// A cluster sorts with one thread per key; each thread finds the rank of its key in sorted runs of 32, 128, ...
  /// keys.
  /// When: up to {max_ranked<8, 0>} elements; {max_ranked<4, 4>} if keys have up to 4 bytes and there are values,
  /// {max_ranked<16, 0>} if keys have more than 8 bytes
  /// Kernels: sort_by_ranks_kernel
  /// Launches: 1
  /// Why: 2^10 int32 by a user's comparator take 8.9 us in a graph, 13.6 in tiles (H200)
  ranks,
  /// Blocks sort small tiles; each pass merges pairs of runs, and each block finds its own cuts.
  /// When: up to {max_pairwise<4>} elements, {max_pairwise<16>} if keys have more than 8 bytes; not of deferred sizes
  /// Kernels: block_sort_kernel, merge_pairs_kernel
  /// Launches: 1, and 1 a pass
  /// Why: 2^20 int32 take 69 us, 85 by eight-way passes (H200)
  /// Data: if each key is less than half a tile from its sorted position, the second pass is the last with work
  pairwise,
  /// The blocks of a co-resident grid sort a tile each; grid barriers separate the passes over pairs of runs.
  /// When: deferred sizes of at most a tile per co-resident block, {528 * pairwise_shapes_t<int, 0>::tile_items}
  /// elements of an H100 or H200 if keys have up to 8 bytes
  /// Kernels: sort_few_kernel
  /// Launches: 1; if the capacity is multiway, also the kernels of that path, which have no work
  /// Why: a sixteenth of a capacity of 2^22 takes 58 us, 87 by all its passes (H200)
  /// Data: as pairwise
  coresident,
  /// Blocks sort tiles; each pass cuts and merges up to eight runs.
  /// When: more elements
  /// Kernels: block_sort_kernel, cut_kernel, merge_pass_kernel
  /// Launches: 1, and 2 a pass
  /// Why: 2^27 int32 take 4.1 ms, 6.0 by passes over pairs of runs (H200)
  /// Data: if samples 1,024 apart are in order, tiles are merged at their borders (look_for_locality_kernel,
  /// merge_borders_kernel), and passes have no work. Where that does not suffice, copy_tiles_kernel moves tiles to
  /// where the first pass reads them
  multiway
};

/// Returns the path of a deferred size that has been read, for `blocks` co-resident blocks with tiles of `tile_items`
/// elements.
MGPU_THRUST_HOST_DEVICE constexpr sort_path choose_deferred_sort_path(std::int64_t count, int blocks, int tile_items)
{
  return count <= std::int64_t{blocks} * tile_items ? sort_path::coresident : sort_path::multiway;
}

/// Returns the path of a sort of `count` elements. For a deferred size `count` is the capacity.
template <class Key, int ValueBytes>
MGPU_THRUST_HOST_DEVICE constexpr sort_path
choose_sort_path(std::int64_t count, bool is_deferred, const device_room& device)
{
  using shapes = pairwise_shapes_t<Key, ValueBytes>;
  if (count <= max_ranked<sizeof(Key), ValueBytes>)
  {
    return sort_path::ranks;
  }
  if (is_deferred)
  {
    const int blocks = detail::max_coresident_blocks(device, shapes::block_sort::sure_blocks);
    return detail::choose_deferred_sort_path(count, blocks, shapes::tile_items);
  }
  return count <= max_pairwise<sizeof(Key)> ? sort_path::pairwise : sort_path::multiway;
}

/// Segmented sorts. By flags, the path is multiway; step_heads_kernel and origins_by_flags_kernel cut its tiles. If
/// sizes are deferred and elements are moved by indices, count_in_segments_kernel counts the elements.
enum class segmented_sort_path
{
  /// The sort of all elements, by ranks or pairwise.
  /// When: one segment of up to {max_pairwise<4>} elements; never if sizes are deferred
  /// Kernels: sort_by_ranks_kernel, block_sort_kernel, merge_pairs_kernel
  /// Launches: those of the sort
  /// Why: a block sort that looks for segments takes 3 % longer (H200)
  one_segment,
  /// A cluster per segment; each thread finds the rank of its key.
  /// When: up to {max_segments_by_ranks} segments, with as many elements in all as a sort by ranks; if keys have more
  /// than 8 bytes, up to {max_segments_ranked<16, 0>} elements, {min_mean_by_ranks<16>} or more a segment on average
  /// Kernels: sort_segments_by_ranks_kernel
  /// Launches: 1
  /// Why: segments of 2,000 take 0.8 to 0.85 of the time of tiles (H200)
  ranks,
  /// Each segment has tiles of its own; segments of several tiles are merged by passes within the launch.
  /// When: up to {max_own_tile_segments<segmented_pairwise_shapes_t<int, 0>>} segments, up to {max_pairwise<4>}
  /// elements, and all tiles are co-resident
  /// Kernels: sort_segments_kernel
  /// Launches: 1
  /// Why: 2^12 int32 in segments of 64 take 12 us, 20 if blocks search (H200)
  own_tiles,
  /// Tiles begin with segments where these are short; segments across tiles are merged by passes within the launch.
  /// When: more segments, up to {max_pairwise<4>} elements, and all tiles are co-resident
  /// Kernels: sort_segments_kernel
  /// Launches: 1
  /// Why: 2^16 int32 in segments of 64 take 20 us, 40 by a launch a pass (H200)
  shared_tiles,
  /// Blocks sort tiles that begin with segments; one kernel executes the passes that have work.
  /// When: otherwise, if segments have up to {max_mean_without_passes<sort_shapes_t<int, 0>>} elements on average
  /// (int32), and the output is plain memory
  /// Kernels: cut_kernel, block_sort_kernel, merge_passes_kernel
  /// Launches: 3
  /// Why: 2^24 int32 in segments of 16 take 113 us, 127 by a launch a pass (H200)
  multiway_short,
  /// The tiles and passes of the sort, within segments.
  /// When: otherwise
  /// Kernels: cut_kernel, block_sort_kernel, cut_kernel, merge_pass_kernel
  /// Launches: 2, and 2 a pass
  /// Why: 2^27 int32 in segments of a power law, of mean four, take 1.82 ms by a launch a pass, 2.01 by one launch for
  /// all passes (H200)
  multiway
};

/// Whether the mean length of segments selects short_segments_shapes_t for a multiway sort.
template <class Key, int ValueBytes>
MGPU_THRUST_HOST_DEVICE constexpr bool have_short_shapes(std::int64_t count, std::int64_t num_segments)
{
  return !std::is_same_v<
           short_segments_shapes_t<Key, ValueBytes>,
           sort_shapes_t<Key, ValueBytes>> && min_mean_of_short<ValueBytes> * num_segments < count
         && count <= max_mean_of_short * num_segments;
}

/// Whether one kernel executes the passes of a multiway sort: segments are short on average, and the output is plain
/// memory, which passes can read.
template <class Key, int ValueBytes>
MGPU_THRUST_HOST_DEVICE constexpr bool rarely_has_passes(std::int64_t count, std::int64_t num_segments, bool is_plain)
{
  return is_plain && count <= max_mean_without_passes<sort_shapes_t<Key, ValueBytes>> * num_segments;
}

/// Returns the number of elements from tile to tile of a multiway sort. Tiles are full if most segments are too long
/// for a tile to begin with one.
template <class Shapes>
MGPU_THRUST_HOST_DEVICE constexpr int choose_multiway_step(std::int64_t count, std::int64_t num_segments)
{
  constexpr int step = Shapes::segment_step;
  return count / (Shapes::tile_items - step) / 4 > num_segments ? Shapes::tile_items : step;
}

/// The path of a segmented sort, and its tiles if it is one launch.
struct segmented_sort_choice
{
  segmented_sort_path path;
  std::int64_t tiles; ///< 0 if the path has none, or is multiway
  int step;           ///< elements from tile to tile; for own_tiles the maximum

  /// Whether a segmented sort is one launch of tiles, or of clusters.
  MGPU_THRUST_HOST_DEVICE constexpr bool is_one_launch() const
  {
    return path != segmented_sort_path::multiway_short && path != segmented_sort_path::multiway;
  }
};

/// Returns the number of elements from tile to tile. A tile can begin with a segment if segments are short on average,
/// or if they are up to half a tile long and the elements are few. Otherwise tiles are full.
template <class Shapes>
MGPU_THRUST_HOST_DEVICE constexpr int choose_step(std::int64_t count, std::int64_t num_segments)
{
  constexpr int tile_items = Shapes::tile_items;
  const std::int64_t mean = count / num_segments;
  if (count > tile_items && mean <= (tile_items - Shapes::segment_step) / 2)
  {
    return Shapes::segment_step;
  }
  const bool are_few = tile_items < count && count <= max_pairwise<4> / 2;
  return are_few && mean <= Shapes::long_segment_step ? Shapes::long_segment_step : tile_items;
}

/// Chooses for `count` elements in segments by offsets. For deferred sizes these are the capacities.
template <class Key, int ValueBytes>
MGPU_THRUST_HOST_DEVICE constexpr segmented_sort_choice choose_segmented_sort(
  std::int64_t count, std::int64_t num_segments, bool is_deferred, bool is_plain, const device_room& device)
{
  using shapes = segmented_pairwise_shapes_t<Key, ValueBytes>;
  if (num_segments > 0 && count <= max_pairwise<4>)
  {
    if (num_segments == 1 && !is_deferred)
    {
      return {segmented_sort_path::one_segment, 0, shapes::tile_items};
    }
    if (
      num_segments <= max_segments_by_ranks
      && count
           <= max_segments_ranked<sizeof(Key), ValueBytes> && count >= min_mean_by_ranks<sizeof(Key)> * num_segments)
    {
      return {segmented_sort_path::ranks, 0, shapes::tile_items};
    }
    const std::int64_t max_tiles = detail::max_coresident_blocks(device, shapes::block_sort::sure_blocks);
    const std::int64_t own_tiles = num_segments + count / shapes::tile_items;
    if (num_segments <= max_own_tile_segments<shapes> && (count <= shapes::tile_items || own_tiles <= max_tiles))
    {
      return {segmented_sort_path::own_tiles, own_tiles, shapes::tile_items};
    }
    const int step = detail::choose_step<shapes>(count, num_segments);
    const std::int64_t tiles = ::cuda::ceil_div(count, std::int64_t{step});
    if (tiles <= max_tiles)
    {
      return {segmented_sort_path::shared_tiles, tiles, step};
    }
  }
  const bool is_short = detail::rarely_has_passes<Key, ValueBytes>(count, num_segments, is_plain);
  return {is_short ? segmented_sort_path::multiway_short : segmented_sort_path::multiway, 0, 0};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

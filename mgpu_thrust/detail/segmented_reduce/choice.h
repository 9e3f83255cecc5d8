// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a segmented reduction runs on a GPU. The comments of the paths are the table "What runs when" of
/// docs/how-it-works/segmented_reduce.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/segmented_reduce/tuning.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a segmented reduction. None depends on the device. Clusters are used only if all architectures compiled
/// for have them.
enum class segmented_reduce_path
{
  /// A block reduces up to eight segments. The blocks of a cluster share segments that are too long for a group of
  /// warps.
  /// When: up to {whole_segments_shape<int>::max_items} items in up to {whole_segments_shape<int>::max_segments}
  /// segments, of up to {whole_segments_shape<int>::max_mean_items} items on average (int32;
  /// {whole_segments_shape<double>::max_mean_items} for double). Without clusters, and for values above 16 bytes or not
  /// trivial, up to {whole_segments_shape<int, false, 1>::max_items} items; none above 256 bytes
  /// Kernels: whole_segments_kernel
  /// Launches: 1
  /// Why: one launch takes 10 to 12 us where a cut, tiles and carries take 14 to 17 (H200)
  shared_segments,
  /// As shared_segments, with more loads in flight.
  /// When: more items, up to {whole_segments_shape<int, true>::max_items} items in up to {whole_segments_shape<int,
  /// true>::max_segments} segments, of {whole_segments_shape<int, true>::min_mean_items(1 << 23)} to
  /// {whole_segments_shape<int, true>::max_mean_items} items on average (int32); of {whole_segments_shape<int,
  /// true>::min_mean_items(1)} or more up to {whole_segments_shape<int, true>::max_short_items} items; where there are
  /// clusters
  /// Kernels: whole_segments_kernel
  /// Launches: 1
  /// Why: 2^22 int32 in segments of 700 take 0.69 of the time of few_tiles (H200)
  large_segments,
  /// A block reduces a segment. A second kernel reduces the long segments, each by several blocks.
  /// When: more than {segment_per_block_shape<int>::min_items - 1} items, in segments of
  /// {segment_per_block_shape<int>::min_mean_items} or more on average; trivial values of up to 16 bytes
  /// Kernels: segment_per_block_kernel, long_segments_kernel
  /// Launches: 2
  /// Why: 2^26 int32 in segments of 262,144 are at 1.02 of CUB's speed, where tiles were at 0.918 (H100)
  segment_per_block,
  /// A block reduces the only tile, which carries nothing.
  /// When: otherwise, if all is one tile: up to {segmented_reduce_shape::items} items or
  /// {segmented_reduce_shape::weight} segments; an item weighs as much as {item_weight} segments
  /// Kernels: segmented_reduce_kernel
  /// Launches: 1
  /// Why: two empty kernels take 4 us longer than one (H200)
  one_tile,
  /// Each block finds where its tile begins, and reduces it. A second kernel combines the carries.
  /// When: otherwise, if there are up to {max_tiles_cut_by_blocks} tiles
  /// Kernels: segmented_reduce_kernel, segmented_carry_kernel
  /// Launches: 2
  /// Why: 2^16 to 2^22 items take 0.8 to 0.95 of the time of the path with a cut (H200)
  few_tiles,
  /// A kernel finds where tiles begin. A block reduces a tile, and a third kernel combines the carries.
  /// When: otherwise
  /// Kernels: cut_kernel, segmented_reduce_kernel, segmented_carry_kernel
  /// Launches: 3
  /// Why: 2^27 int32 in segments of 30 take 171 us, by few_tiles 216; up to 2^24 items there is no difference (H200)
  tiles,
  /// As tiles, without the cut: a plan has found where tiles begin.
  /// When: in place of few_tiles and tiles, for a plan
  /// Kernels: segmented_reduce_kernel, segmented_carry_kernel
  /// Launches: 2
  /// Why: for 2^22 int32 in segments of 30 a caller waits 16 us instead of 19 (H200)
  planned_tiles,
  /// As few_tiles, unless the sizes that the kernels read are those of few_deferred_segments.
  /// When: in place of few_tiles, if sizes are deferred and the capacities are up to
  /// {few_whole_segments_shape<int>::max_tiles} tiles; values of up to 256 bytes
  /// Kernels: segmented_reduce_kernel, segmented_carry_kernel
  /// Launches: 2
  /// Why: a sixteenth of 2^16 int32 takes 13.3 us instead of 16 (H200)
  deferred_tiles,
  /// In the kernels of deferred_tiles a warp reduces a segment, and no tile has a carry.
  /// When: in deferred_tiles, if there are up to {few_whole_segments_shape<int>::max_items} items and
  /// {few_whole_segments_shape<int>::max_segments} segments
  /// Kernels: segmented_reduce_kernel, segmented_carry_kernel
  /// Launches: 2
  /// Why: the figure of deferred_tiles
  few_deferred_segments,
};

/// How a device executes a segmented reduction.
struct segmented_reduce_choice
{
  segmented_reduce_path path;
  std::int64_t tiles;        ///< tiles, or other blocks, of the largest grid on any device
  std::int64_t blocks;       ///< of the kernel that reduces first
  std::int64_t later_blocks; ///< of the kernel after it, for long segments or carries; 0 if there is none
  int log_size;              ///< the logarithm of the segments of a block, or of the items of a unit
  int max_items_of_group;    ///< items that a group of warps reduces alone
  std::int64_t max_units;    ///< units of these items in any segments
};

/// Chooses for whole segments of Shape.
template <class Shape>
constexpr segmented_reduce_choice choose_whole_segments(std::int64_t num_items, std::int64_t num_segments)
{
  using path = segmented_reduce_path;
  const int count = static_cast<int>(num_segments);
  const int log_of_block = Shape::log_segments_of_block(num_items, count);
  const int blocks = ::cuda::round_up(::cuda::ceil_div(count, 1 << log_of_block), Shape::cluster_blocks);
  return {
    Shape::is_large ? path::large_segments : path::shared_segments,
    blocks,
    blocks,
    0,
    log_of_block,
    Shape::max_items_of_group(num_items, count),
    0};
}

/// Chooses for a segment per block of Shape.
template <class Shape>
constexpr segmented_reduce_choice
choose_segment_per_block(std::int64_t num_items, std::int64_t num_segments, const device_room& device)
{
  const int log_items = Shape::log_items_of_unit(num_items, num_segments);
  const std::int64_t units = Shape::units(num_items, log_items);
  const std::int64_t max_units = Shape::units(num_items, Shape::log_items_of_unit(num_items, 1));
  const std::int64_t max_blocks = detail::max_coresident_blocks(device, Shape::blocks_per_multiprocessor);
  return {
    segmented_reduce_path::segment_per_block,
    (std::max)(num_segments, max_units),
    num_segments,
    max_blocks > 0 ? (std::min)(units, max_blocks) : units,
    log_items,
    0,
    max_units};
}

/// Chooses for tiles. `min_blocks` is that of a grid of deferred_tiles, or 0 for others.
constexpr segmented_reduce_choice choose_reduced_tiles(std::int64_t tiles, std::int64_t min_blocks, bool has_plan)
{
  using path = segmented_reduce_path;
  const path chosen = tiles <= 1                         ? path::one_tile
                      : has_plan                         ? path::planned_tiles
                      : min_blocks > 0                   ? path::deferred_tiles
                      : tiles <= max_tiles_cut_by_blocks ? path::few_tiles
                                                         : path::tiles;
  const std::int64_t carry_blocks =
    tiles <= 1 ? 0 : ::cuda::ceil_div(tiles, std::int64_t{segmented_carry_shape::threads});
  return {chosen, tiles, chosen == path::deferred_tiles ? (std::max)(tiles, min_blocks) : tiles, carry_blocks, 0, 0, 0};
}

/// Chooses for values of type T. Deferred sizes count as their capacities. `ClusterBlocks` is 1 where there are no
/// clusters.
template <class T, int ClusterBlocks = max_cluster_blocks>
constexpr segmented_reduce_choice choose_segmented_reduce(
  std::int64_t num_items, std::int64_t num_segments, bool is_deferred, bool has_plan, const device_room& device)
{
  using per_block = segment_per_block_shape<T>;
  using whole = whole_segments_shape<T, false, ClusterBlocks>;
  using large = whole_segments_shape<T, true, ClusterBlocks>;
  using few = few_whole_segments_shape<T>;
  if (num_segments == 0)
  {
    return {segmented_reduce_path::shared_segments, 0, 0, 0, 0, 0, 0}; // nothing to reduce, and no storage
  }
  if (per_block::takes(num_items, num_segments))
  {
    return detail::choose_segment_per_block<per_block>(num_items, num_segments, device);
  }
  if (whole::takes(num_items, num_segments))
  {
    return detail::choose_whole_segments<whole>(num_items, num_segments);
  }
  if (large::takes(num_items, num_segments))
  {
    return detail::choose_whole_segments<large>(num_items, num_segments);
  }
  const std::int64_t tiles = segmented_reduce_shape::tiles(num_items, num_segments);
  return detail::choose_reduced_tiles(
    tiles, is_deferred && few::takes_tiles(tiles) ? few::min_grid_blocks : 0, has_plan);
}

/// Returns whether the kernels of deferred_tiles reduce tiles or whole segments, by the sizes that they have read.
template <class T>
MGPU_THRUST_HOST_DEVICE constexpr segmented_reduce_path
choose_in_deferred_tiles(std::int64_t num_items, std::int64_t num_segments)
{
  return few_whole_segments_shape<T>::takes(num_items, num_segments) ? segmented_reduce_path::few_deferred_segments
                                                                     : segmented_reduce_path::deferred_tiles;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

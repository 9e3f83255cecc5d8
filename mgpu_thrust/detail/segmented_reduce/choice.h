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

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a segmented reduction. None depends on the device. Clusters are used only if all architectures compiled
/// for have them.
enum class segmented_reduce_path
{
  /// A block reduces up to eight segments, each by a group of its warps.
  /// When: within the limits of shared_segments, if one group may reduce all items: up to
  /// {whole_segments_shape<int>::max_items_of_block(1)} in up to {whole_segments_shape<int>::cluster_blocks} segments,
  /// {whole_segments_shape<int>::max_items_of_block(9)} in more, divided by the segments of a block (int32; half for
  /// double)
  /// Kernels: whole_segments_kernel
  /// Launches: 1
  /// Why: in a graph, 2^12 int32 in segments of 30 take 1.00 of CUB's time instead of 1.06 (H200)
  whole_segments,
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
  /// Why: if blocks found where their tiles begin, they would take 3 to 5 % longer (H200)
  tiles,
  /// As tiles, without the cut: a plan has found where tiles begin.
  /// When: in place of few_tiles and tiles, for a plan
  /// Kernels: segmented_reduce_kernel, segmented_carry_kernel
  /// Launches: 2
  /// Why: 2^27 int32 in segments of 30 take 0.160 ms instead of 0.166 (H200)
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

/// Returns the path of a reduction of values of type T. If the sizes are deferred, they are the capacities.
/// `ClusterBlocks` is 1 where there are no clusters.
template <class T, int ClusterBlocks = max_cluster_blocks>
MGPU_THRUST_HOST_DEVICE constexpr segmented_reduce_path
choose_segmented_reduce_path(std::int64_t num_items, std::int64_t num_segments, bool is_deferred, bool has_plan)
{
  using path = segmented_reduce_path;
  using whole = whole_segments_shape<T, false, ClusterBlocks>;
  using large = whole_segments_shape<T, true, ClusterBlocks>;
  if (segment_per_block_shape<T>::takes(num_items, num_segments))
  {
    return path::segment_per_block;
  }
  if (num_segments == 0)
  {
    return path::whole_segments; // there is nothing to reduce, and no storage is needed
  }
  if (whole::takes(num_items, num_segments))
  {
    const bool none_is_long = num_items <= whole::max_items_of_group(num_items, static_cast<int>(num_segments));
    return none_is_long ? path::whole_segments : path::shared_segments;
  }
  if (large::takes(num_items, num_segments))
  {
    return path::large_segments;
  }
  const std::int64_t tiles = segmented_reduce_shape::tiles(num_items, num_segments);
  if (tiles <= 1)
  {
    return path::one_tile;
  }
  if (has_plan)
  {
    return path::planned_tiles;
  }
  if (is_deferred && few_whole_segments_shape<T>::takes_tiles(tiles))
  {
    return path::deferred_tiles;
  }
  return tiles <= max_tiles_cut_by_blocks ? path::few_tiles : path::tiles;
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

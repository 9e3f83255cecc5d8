// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a compaction of items in segments runs on a GPU. The comments of the paths are the table "What runs
/// when" of docs/how-it-works/segmented_compact.md.

#include <mgpu_thrust/detail/base/chosen_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/segmented_compact/tuning.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a compaction. Deferred sizes count as their capacities.
enum class segmented_compact_path
{
  /// Each block of a co-resident grid finds where its tile begins, and waits for the counts of all others.
  /// When: if the grid is co-resident: on an H200 up to {132 * compact_shape<4>::sure_blocks} tiles of
  /// {compact_shape<4>::items} items of 4 bytes, where an item weighs as much as {compacted_item_weight} segments
  /// Kernels: segmented_compact_kernel
  /// Launches: 1, cooperative
  /// Why: there is no earlier kernel, which takes three to five microseconds
  coresident_tiles,
  /// A kernel finds where tiles begin. A block finds what it keeps of a tile, and the first block serves offsets.
  /// When: otherwise
  /// Kernels: cut_kernel, segmented_compact_kernel
  /// Launches: 2
  /// Why: the items are read once
  tiles,
};

/// Chooses for tiles of Shape. An unknown device, device_room{}, has no co-resident grid.
template <class Shape>
constexpr path_choice<segmented_compact_path>
choose_segmented_compact(std::int64_t num_items, std::int64_t num_segments, const device_room& device)
{
  using path = segmented_compact_path;
  const std::int64_t tiles = Shape::tiles(num_items, num_segments);
  return {tiles <= detail::max_coresident_tiles<Shape>(device) ? path::coresident_tiles : path::tiles, tiles, tiles};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

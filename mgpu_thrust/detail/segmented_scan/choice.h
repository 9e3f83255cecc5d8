// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a segmented scan runs on a GPU. The comments of the paths are the table "What runs when" of
/// docs/how-it-works/segmented_scan.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/segmented_scan/tuning.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a segmented scan. Each depends on the size of the accumulator type.
enum class segmented_scan_path
{
  /// A block scans the only tile.
  /// When: up to {coresident_scan_shape<int>::cut_items} items of 4 bytes or {coresident_scan_shape<int>::weight}
  /// segments, where an item weighs as much as {scanned_item_weight} segments
  /// ({coresident_scan_shape<double>::cut_items} and {coresident_scan_shape<double>::weight} for 8 bytes)
  /// Kernels: segmented_scan_kernel
  /// Launches: 1
  /// Why: there is no cut, no carry and no temporary storage
  one_tile,
  /// Each block takes equally many segments, if none then has more items than a tile has room for. Otherwise it finds
  /// where its tile begins, and waits for the others before it combines what they hand on.
  /// When: otherwise, up to {max_coresident_scan_tiles} tiles, if they are co-resident: a tile has as much as one_tile
  /// Kernels: segmented_scan_kernel
  /// Launches: 1, cooperative
  /// Why: 2^20 int32 take 13.3 us instead of 19.0 (H100)
  coresident_tiles,
  /// A kernel finds where tiles begin. A block scans a tile, and waits for its carry, which the first block computes.
  /// When: otherwise
  /// Kernels: cut_kernel, segmented_scan_kernel
  /// Launches: 2
  /// Why: the carry within the kernel lets it read the items once
  tiles,
};

/// How a device executes a segmented scan.
struct segmented_scan_choice
{
  segmented_scan_path path;
  std::int64_t tiles;            ///< of the path of tiles, which are the most on any device
  std::int64_t coresident_tiles; ///< of the other paths
  int blocks;                    ///< of these
};

/// Chooses for values of type T. If the sizes are deferred, they are the capacities. An unknown device, device_room{},
/// has no co-resident grid.
template <class T>
constexpr segmented_scan_choice
choose_segmented_scan(std::int64_t num_items, std::int64_t num_segments, const device_room& device)
{
  using shape = coresident_scan_shape<T>;
  using path = segmented_scan_path;
  const std::int64_t tiles = segmented_scan_shape<T>::tiles(num_items, num_segments);
  const std::int64_t coresident_tiles = shape::tiles(num_items, num_segments);
  if (coresident_tiles <= 1)
  {
    return {path::one_tile, tiles, coresident_tiles, 1};
  }
  const bool are_coresident =
    coresident_tiles <= max_coresident_scan_tiles && coresident_tiles <= detail::max_coresident_tiles<shape>(device);
  return are_coresident
           ? segmented_scan_choice{path::coresident_tiles, tiles, coresident_tiles, shape::blocks(static_cast<int>(coresident_tiles), num_items, device)}
           : segmented_scan_choice{path::tiles, tiles, coresident_tiles, 0};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

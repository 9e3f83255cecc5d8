// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a segmented scan runs on a GPU. The comments of the paths are the table "What runs when" of
/// docs/how-it-works.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/segmented_scan/tuning.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a segmented scan. None depends on the device.
enum class segmented_scan_path
{
  /// A block scans the only tile.
  /// When: up to {segmented_scan_shape<int>::items} items of 4 bytes or {segmented_scan_shape<int>::weight} segments,
  /// where an item weighs as much as {item_weight} segments ({segmented_scan_shape<double>::items} and
  /// {segmented_scan_shape<double>::weight} for 8 bytes)
  /// Kernels: segmented_scan_kernel
  /// Launches: 1
  /// Why: there is no cut, no carry and no temporary storage
  one_tile,
  /// A kernel finds where tiles begin. A block scans a tile, and waits for its carry, which the first block computes.
  /// When: otherwise
  /// Kernels: cut_kernel, segmented_scan_kernel
  /// Launches: 2
  /// Why: the carry within the kernel lets it read the items once
  tiles,
};

/// Returns the path of a scan of values of type T. If the sizes are deferred, they are the capacities.
template <class T>
MGPU_THRUST_HOST_DEVICE constexpr segmented_scan_path
choose_segmented_scan_path(std::int64_t num_items, std::int64_t num_segments)
{
  return segmented_scan_shape<T>::tiles(num_items, num_segments) <= 1 ? segmented_scan_path::one_tile
                                                                      : segmented_scan_path::tiles;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

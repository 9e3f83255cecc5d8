// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tuning of segmented scans: the shapes of tiles.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Weight of an item of a scan; the end of a segment weighs 1. An item is read, scanned and written; an end costs a read of
/// its offset and a mark.
inline constexpr std::int64_t scanned_item_weight = 6;

/// Shapes of tiles by the size of a value in bytes. A thread has its items in registers, so it has fewer of larger ones,
/// and each kernel fits without spills: with products of 4 x 4 matrices of float it takes 148 registers. Odd numbers of
/// items spread the threads' first items over the banks of shared memory. Tiles have 12 to 24 KiB, and 4 or 8 of values of 1
/// or 2 bytes.
template <int Bytes>
using scan_tile_shape = std::conditional_t<
  Bytes <= 2, tile_shape<256, 15, 6>,
  std::conditional_t<
    Bytes <= 4, tile_shape<256, 13, 8>,
    std::conditional_t<
      Bytes <= 8, tile_shape<256, 9, 6>,
      std::conditional_t<
        Bytes <= 16, tile_shape<256, 5, 5>,
        std::conditional_t<
          Bytes <= 32, tile_shape<128, 3, 8>,
          std::conditional_t<
            Bytes <= 64, tile_shape<128, 3, 3>,
            std::conditional_t<Bytes <= 256, tile_shape<128, 1, 3>, tile_shape<32, 1, 8>>>>>>>>;

/// How far ahead items are prefetched, in bytes: 512 tiles of 4-byte values, and 370 of 8 bytes.
inline constexpr int prefetched_bytes = 6'800'000;

/// The shape of tiles of values of type T.
template <class T>
struct segmented_scan_shape : scan_tile_shape<static_cast<int>(sizeof(T))>
{
  using base = scan_tile_shape<static_cast<int>(sizeof(T))>;

  /// The weight of a tile, in units of a segment's end.
  static constexpr std::int64_t weight = scanned_item_weight * base::items;

  /// Prefetch distance of a tile's items and offsets, in tiles: while blocks wait for carries, they load nothing. What lies
  /// between must stay in the L2 cache: with four times as many bytes, int32 in segments of 7 reach 68 % of a copy, with half
  /// as many 76 instead of 78 (H100).
  static constexpr int prefetch_distance = prefetched_bytes / (base::items * static_cast<int>(sizeof(T))) + 1;

  /// Returns whether later tiles are prefetched. On an H100, int32 in segments of 7 then reach 81 % of a copy instead of 74,
  /// and in segments of one item 81 instead of 89. Lengths between these are not measured.
  MGPU_THRUST_HOST_DEVICE static constexpr bool prefetches(std::int64_t num_items, std::int64_t num_segments)
  {
    return num_items / 3 >= num_segments;
  }

  /// Returns the number of tiles.
  MGPU_THRUST_HOST_DEVICE static constexpr std::int64_t tiles(std::int64_t num_items, std::int64_t num_segments)
  {
    return detail::weighted_tiles<base::items, scanned_item_weight>(num_items, num_segments);
  }
};

/// Maximum number of tiles of a co-resident grid. Each block reads what all tiles before its own hand on.
inline constexpr int max_coresident_scan_tiles = 512;

/// The shape of the blocks of a co-resident grid, and of the only tile: no more blocks than such a grid has, and more
/// registers.
template <class T>
struct coresident_scan_shape : segmented_scan_shape<T>
{
  static constexpr int max_blocks = 4; ///< of a multiprocessor: 528 on an H200
  static constexpr int blocks_per_multiprocessor =
    (std::min)(segmented_scan_shape<T>::blocks_per_multiprocessor, max_blocks);
  static constexpr int sure_blocks = (std::min)(segmented_scan_shape<T>::sure_blocks, max_blocks);
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

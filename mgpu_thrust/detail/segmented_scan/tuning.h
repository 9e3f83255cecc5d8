// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tuning of segmented scans: the shapes of tiles.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Weight of an item of a scan; the end of a segment weighs 1. An item is read, scanned and written; an end costs a
/// read of its offset and a mark.
inline constexpr std::int64_t scanned_item_weight = 6;

/// Shapes of tiles by the size of a value in bytes. A thread has its items in registers, so it has fewer of larger
/// ones, and each kernel fits without spills: with products of 4 x 4 matrices of float it takes 148 registers. Odd
/// numbers of items spread the threads' first items over the banks of shared memory. Tiles have 12 to 36 KiB, and 7 or
/// 15 of values of 1 or 2 bytes.
template <int Bytes>
using scan_tile_shape = std::conditional_t<
  Bytes <= 2, tile_shape<512, 15, 3>,
  std::conditional_t<
    Bytes <= 4, tile_shape<512, 13, 4>,
    std::conditional_t<
      Bytes <= 8, tile_shape<512, 9, 3>,
      std::conditional_t<
        Bytes <= 16, tile_shape<256, 5, 5>,
        std::conditional_t<
          Bytes <= 32, tile_shape<128, 3, 8>,
          std::conditional_t<
            Bytes <= 64, tile_shape<128, 3, 3>,
            std::conditional_t<Bytes <= 256, tile_shape<128, 1, 3>, tile_shape<32, 1, 8>>>>>>>>;

/// Shapes of the tiles of a co-resident grid, and of the only tile: smaller ones, as there are few.
template <int Bytes>
using few_scan_tiles_shape = std::conditional_t<
  Bytes <= 2, tile_shape<256, 15, 4>,
  std::conditional_t<
    Bytes <= 4, tile_shape<256, 15, 4>,
    std::conditional_t<
      Bytes <= 8, tile_shape<256, 11, 4>,
      std::conditional_t<
        Bytes <= 16, tile_shape<256, 7, 4>,
        std::conditional_t<
          Bytes <= 32, tile_shape<128, 3, 4>,
          std::conditional_t<
            Bytes <= 64, tile_shape<128, 3, 3>,
            std::conditional_t<Bytes <= 256, tile_shape<128, 1, 3>, tile_shape<32, 1, 4>>>>>>>>;

/// How far ahead items are prefetched, in bytes. What lies between must stay in the L2 cache: int32 in segments of 7
/// reach 95 % of a copy, with twice as many bytes 81, with 13.6 MB 70; in one segment 86, with 3.4 MB 83 (H100).
inline constexpr int prefetched_bytes = 5'000'000;

/// A shape of tiles of values of type T, with up to MaxShift items before the item at which the weights cut: see
/// end_bounds. A tile that begins with a segment waits for no other.
template <class T, class Tile, int MaxShift>
struct shifted_scan_shape : Tile
{
  static constexpr int max_shift = MaxShift;

  /// The items of a tile's weight.
  static constexpr int cut_items = Tile::items - MaxShift;

  /// The weight of a tile, in units of a segment's end.
  static constexpr std::int64_t weight = scanned_item_weight * cut_items;

  /// Prefetch distance of a tile's items and offsets, in tiles: while blocks wait for carries, they load nothing.
  static constexpr int prefetch_distance = prefetched_bytes / (cut_items * static_cast<int>(sizeof(T))) + 1;

  /// Returns whether later tiles are prefetched. Percent of a copy with and without, on an H100: int32 in one segment
  /// 86 and 67, in segments of 4 90 and 85, of 2 86 and 89, of one item 79 and 88; int64 in segments of one item 93 and
  /// 82.
  MGPU_THRUST_HOST_DEVICE static constexpr bool prefetches(std::int64_t num_items, std::int64_t num_segments)
  {
    return sizeof(T) >= 8 || num_items / 3 >= num_segments;
  }

  /// Returns the number of tiles.
  MGPU_THRUST_HOST_DEVICE static constexpr std::int64_t tiles(std::int64_t num_items, std::int64_t num_segments)
  {
    return detail::weighted_tiles<cut_items, scanned_item_weight>(num_items, num_segments);
  }
};

/// Values up to this size have tiles that begin with segments.
inline constexpr int max_shifted_scan_bytes = 16;

/// The shape of tiles of values of type T.
template <class T, class Tile = scan_tile_shape<static_cast<int>(sizeof(T))>>
struct segmented_scan_shape : shifted_scan_shape<T, Tile, sizeof(T) <= max_shifted_scan_bytes ? Tile::items / 12 : 0>
{
};

/// Maximum number of tiles of a co-resident grid. Each block reads what all tiles before its own hand on.
inline constexpr int max_coresident_scan_tiles = 512;

/// The shape of the blocks of a co-resident grid, and of the only tile: no more blocks than such a grid has (four a
/// multiprocessor are 528 on an H200), and more registers.
template <class T, class Tile = few_scan_tiles_shape<static_cast<int>(sizeof(T))>>
struct coresident_scan_shape
    : shifted_scan_shape<T, Tile, 2 < sizeof(T) && sizeof(T) <= max_shifted_scan_bytes ? 2 * Tile::threads : 0>
{
  /// Returns the number of blocks of a co-resident grid. It is that of the tiles; or a larger one, so that each block
  /// may take equally many segments, with a quarter of a tile's items on average. Such a grid has at most a block per
  /// thread: a thread of each block checks the segments of one block.
  static constexpr int blocks(int tiles, std::int64_t num_items, const device_room& device)
  {
    const std::int64_t few_items = ::cuda::ceil_div(num_items, std::int64_t{Tile::items / 4});
    const std::int64_t most = (std::min)(Tile::threads, detail::max_coresident_blocks(device, Tile::sure_blocks));
    return (std::max)(tiles, static_cast<int>((std::min)(few_items, most)));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

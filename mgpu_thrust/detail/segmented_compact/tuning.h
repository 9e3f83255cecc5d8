// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tuning of compactions of items in segments: the shapes of tiles. Those of items of 4 bytes are measured.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Weight of an item of a compaction; the end of a segment weighs 1. An item is read, and written if it is kept; an end
/// costs a read of an offset and a write of another.
inline constexpr std::int64_t compacted_item_weight = 2;

/// Size in bytes of the largest items that are staged in shared memory. Larger ones are read where they are.
inline constexpr int largest_compacted_item = 128;

/// Tiles by the size of an item in bytes, and by whether items are compared, which takes more registers and memory.
/// They have up to 32 KiB, and several are resident, as they wait for their offsets.
template <int Bytes, bool Compares>
using compact_tile_shape = std::conditional_t<
  Bytes <= 4, tile_shape<256, 24, Compares ? 6 : 8>,
  std::conditional_t<
    Bytes <= 8, tile_shape<256, 12, 6>,
    std::conditional_t<
      Bytes <= 16, tile_shape<256, 8, 5>,
      std::conditional_t<
        Bytes <= 32, tile_shape<128, 8, 5>,
        std::conditional_t<
          Bytes <= 64, tile_shape<128, 4, 5>,
          std::conditional_t<Bytes <= largest_compacted_item, tile_shape<64, 4, 5>, tile_shape<256, 8, 4>>>>>>>;

/// The shape of tiles of items of that size.
template <int Bytes, bool Compares = false>
struct compact_shape : compact_tile_shape<Bytes, Compares>
{
  using tile = compact_tile_shape<Bytes, Compares>;

  /// The weight of a tile, in units of a segment's end.
  static constexpr std::int64_t weight = compacted_item_weight * tile::items;

  /// Prefetch distance of a tile's items and offsets, in tiles: about 5 MB, as in segmented scans.
  static constexpr int prefetch_distance = 5'000'000 / (tile::items * Bytes) + 1;

  /// Returns whether later tiles are prefetched. In segmented scans of segments of one item that takes longer.
  MGPU_THRUST_HOST_DEVICE static constexpr bool prefetches(std::int64_t num_items, std::int64_t num_segments)
  {
    return Bytes >= 8 || num_items / 3 >= num_segments;
  }

  /// Returns the number of tiles, which is at least 1.
  MGPU_THRUST_HOST_DEVICE static constexpr std::int64_t tiles(std::int64_t num_items, std::int64_t num_segments)
  {
    const std::int64_t tiles = detail::weighted_tiles<tile::items, compacted_item_weight>(num_items, num_segments);
    return tiles > 0 ? tiles : 1;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

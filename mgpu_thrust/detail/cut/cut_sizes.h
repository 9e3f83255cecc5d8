// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Up to how many tiles the blocks that process them also cut them. It compiles without CUDA, as choice.h of each
/// family includes it.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Up to this number of tiles, the blocks that process them also cut them, which saves a launch and memory. Of the time
/// that a caller waits it saves 2 of 17 us for a merge of 2^20 random int32 a side, 6 of 40 for 2^22, 2 to 3 for
/// searches and set operations, and 3 to 7 for load balancing of up to 2^23 items. With 4096, searches of 2^23 and load
/// balancing of 2^24 took a tenth longer, as blocks of every wave wait for their searches. Such blocks prefetch no
/// later tile.
inline constexpr std::int64_t max_tiles_cut_by_blocks = 2048;

/// Returns the maximum number of tiles of Shape that co-resident blocks of a device cut.
template <class Shape>
constexpr int max_coresident_tiles(const device_room& device)
{
  return static_cast<int>(
    std::min<std::int64_t>(max_tiles_cut_by_blocks, detail::max_coresident_blocks(device, Shape::sure_blocks)));
}

/// Whether there are too many tiles of TileItems items for blocks to cut their own.
template <int TileItems>
MGPU_THRUST_HOST_DEVICE constexpr bool need_cut(std::int64_t num_items)
{
  return num_items > max_tiles_cut_by_blocks * TileItems;
}

/// Whether the blocks that process the tiles cut them. They read the sizes in place. If the call stores its count where
/// a deferred size is read, an earlier kernel has to read the sizes.
constexpr bool are_cut_by_blocks(std::int64_t tiles, bool in_place)
{
  return tiles <= max_tiles_cut_by_blocks && in_place;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

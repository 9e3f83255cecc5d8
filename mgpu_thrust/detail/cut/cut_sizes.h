// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How many tiles the blocks that work on them cut. The families' choices ask this, on a host without CUDA too.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Up to this number of tiles, the blocks that work on them cut them, which saves a launch, and memory: of random keys, 2
/// of 17 us that a caller waits for a merge of 2^20 int32 a side, 6 of 40 for 2^22, 2 to 3 for searches and set
/// operations, 3 to 7 for load balancing of up to 2^23 items. With 4096, searches of 2^23 and load balancing of 2^24 took a
/// tenth longer, as each block of every wave waits for its search. None of these tiles prefetches a later one.
inline constexpr std::int64_t max_tiles_cut_by_blocks = 2048;

/// Returns the maximum number of tiles of Shape whose blocks are co-resident on a device, and cut them.
template <class Shape>
constexpr int max_coresident_tiles(const device_room& device)
{
  return static_cast<int>(
    std::min<std::int64_t>(max_tiles_cut_by_blocks, detail::max_coresident_blocks(device, Shape::sure_blocks)));
}

/// Whether the blocks that work on the tiles cut them. They read the sizes in place: if these are deferred, and stored to by
/// the call, another kernel has to read them first.
constexpr bool are_cut_by_blocks(std::int64_t tiles, bool in_place)
{
  return tiles <= max_tiles_cut_by_blocks && in_place;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

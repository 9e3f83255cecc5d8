// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Prefetching of tiles of two inputs.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Prefetch distance of a tile's keys, in tiles: some microseconds. From 192 to 384 it makes no difference on an H200,
/// 1024 are more than the second-level cache keeps; no prefetching costs 4 %.
inline constexpr int prefetch_distance = 256;

/// Prefetches the keys of the tile `prefetch_distance` ahead, if there is one.
template <class Shape, class Inputs>
struct prefetch_later_tile
{
  const Inputs& inputs;
  const tile_begin* begins;
  int tile;
  int tiles;

  template <class Prefetch>
  MGPU_THRUST_DEVICE void operator()(Prefetch prefetch) const
  {
    if (tile + prefetch_distance < tiles)
    {
      prefetch(detail::tile_part<Shape::items>(inputs, begins, tile + prefetch_distance));
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

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

/// Returns the number of tiles for prefetch_later_tile where `tiles` are those of the capacities of deferred sizes, or 0:
/// 0 if the tile that it would prefetch is not there.
template <class Shape, class Inputs>
MGPU_THRUST_DEVICE int tiles_to_prefetch(const Inputs& inputs, int tile, int tiles)
{
  return detail::has_tile<Shape::items>(inputs, tile + prefetch_distance) ? tiles : 0;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Prefetching of tiles of two inputs.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Prefetch distance of a tile's keys, in tiles: some microseconds. 192 to 384 are equally fast on an H200. The L2
/// cache does not keep 1024. No prefetching costs 4 %.
inline constexpr int prefetch_distance = 256;

/// Prefetches the keys of the tile `prefetch_distance` ahead, if it exists. `tiles` is the number of tiles, that of the
/// capacities if the sizes of the Given inputs are deferred. With 0 tiles nothing is prefetched.
template <class Shape, class Given, class Inputs>
struct prefetch_later_tile
{
  const Given& given;
  const Inputs& inputs;
  const tile_begin* begins;
  int tile;
  int tiles;

  template <class Prefetch>
  MGPU_THRUST_DEVICE void operator()(Prefetch prefetch) const
  {
    const int later = tile + prefetch_distance;
    if (later < tiles && (!is_deferred_v<Given> || detail::has_tile<Shape::items>(given, inputs, later)))
    {
      prefetch(detail::ends_of(begins, later).part(inputs, Shape::items + 1));
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

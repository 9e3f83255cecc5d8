// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of segmented scans, which works in a single pass over tiles.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/equal_segments.cuh>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_scan/scan_tile.cuh>
#include <mgpu_thrust/detail/segmented_scan/tuning.h>

#include <cuda_runtime_api.h>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shared memory of a block that serves carries, if any does.
template <int Threads, class Carries, bool AreServed = Carries::are_served>
struct scan_serving
{
  struct storage
  {
  };
};
template <int Threads, class Carries>
struct scan_serving<Threads, Carries, true>
{
  using storage = typename Carries::template serving_storage<Threads>;
};

/// Shared memory of a block that serves carries, or first finds where its tile begins.
template <class Tile, class Serving>
union scan_storage
{
  Tile tile;
  Serving serving;
  load_balance_point begins[2];
  MGPU_THRUST_DEVICE scan_storage()
  {
  }
};

/// Finds both ends of a tile of a co-resident grid. Returns whether the grid's blocks take equally many segments; then
/// the ends are those of the block's share. Called by all threads of the block.
template <class Shape, class Bounds>
MGPU_THRUST_DEVICE bool find_coresident_ends(
  const Bounds& bounds, int tiles, int tile, load_balance_point (&shared)[2], load_balance_point (&ends)[2])
{
  // Whether equal numbers of segments fit is the same in all blocks, and found while the first warps search.
  const equal_segments equal{bounds.ends.in, static_cast<int>(gridDim.x)};
  const bool fits = equal.tiles > tiles && equal.have_at_most(Shape::items);
  detail::find_begins(bounds, tile, shared);
  const bool are_equal = __syncthreads_and(fits) != 0;
  ends[0] = are_equal ? equal.begin(tile) : shared[0];
  ends[1] = are_equal ? equal.begin(tile + 1) : shared[1];
  __syncthreads(); // shared memory is free
  return are_equal;
}

/// Scans the items of one tile per block.
///
/// If carries are served, begins[tile] is where a tile begins, and the first block serves carries to the others.
/// Otherwise the grid is co-resident, blocks find where their tiles begin, and `begins` is not used; nor are `carries`
/// if there is only one tile. If the grid has more blocks than tiles, each block takes equally many segments instead,
/// without carries, unless that gives a block more items than it has room for.
///
/// If sizes are deferred, `tiles` is for the capacities, and surplus blocks return.
template <class Shape, class Scan, class Segments, class Carries>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  segmented_scan_kernel(const Scan scan, Segments given, int tiles, const load_balance_point* begins, Carries carries)
{
  using offsets_type = decltype(Segments::offsets);
  using bounds_type = end_bounds<Shape::weight, offsets_type, scanned_item_weight, Shape::max_shift>;
  using tile_type = scan_tile<Shape, Scan, offsets_type, Carries>;
  using serving = scan_serving<Shape::threads, Carries>;
  __shared__ scan_storage<typename tile_type::TempStorage, typename serving::storage> shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);

  const auto& in = detail::sized_segments(given);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete, and the carries cleared
  bool is_alone = !Carries::are_served && tiles == 1;
  const auto bounds = bounds_type::of(in, nullptr);
  if (is_deferred_v<Segments> && !is_alone)
  {
    tiles = static_cast<int>(bounds.tiles());
  }
  if constexpr (Carries::are_served)
  {
    if (blockIdx.x == 0)
    {
      auto op = scan.op;
      carries.template serve<Shape::threads>(shared.serving, tiles, op);
      return;
    }
  }
  const int tile = static_cast<int>(blockIdx.x) - Carries::are_served;
  load_balance_point ends[2] = {{0, 0}, {in.num_items, in.num_segments}};
  if constexpr (Carries::are_served)
  {
    if (tile >= tiles)
    {
      return;
    }
    ends[0] = begins[tile];
    ends[1] = begins[tile + 1];
  }
  else if (!is_alone)
  {
    is_alone = detail::find_coresident_ends<Shape>(bounds, tiles, tile, shared.begins, ends);
    if (!is_alone && tile >= tiles)
    {
      carries.arrive();
      return;
    }
  }
  tile_type(shared.tile, scan, in, ends[0], ends[1], tile, carries, is_alone)
    .process(
      [&]
      {
        const int later = tile + Shape::prefetch_distance;
        if (Carries::are_served && later < tiles && Shape::prefetches(in.num_items, in.num_segments))
        {
          tile_type::prefetch(scan, in, begins + later);
        }
      });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

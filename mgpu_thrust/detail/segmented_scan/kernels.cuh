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
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_scan/scan_tile.cuh>
#include <mgpu_thrust/detail/tile/served_carries.cuh>

#include <cuda_runtime_api.h>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Scans the items of one tile per block. begins[tile] is where a tile begins. The first block serves carries to the
/// others; if there is one tile, it has that tile, and neither `begins` nor `carries` is used.
///
/// If sizes are deferred, `tiles` is for the capacities, and surplus blocks return.
template <class Shape, class Scan, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) segmented_scan_kernel(
  const Scan scan, Segments given, int tiles, const load_balance_point* begins,
  served_carries<typename Scan::value_type> carries)
{
  using offsets_type = decltype(Segments::offsets);
  using bounds_type = end_bounds<Shape::weight, offsets_type>;
  using carries_type = served_carries<typename Scan::value_type>;
  using tile_type = scan_tile<Shape, Scan, offsets_type>;
  __shared__ union shared_storage
  {
    typename tile_type::TempStorage tile;
    typename carries_type::template serving_storage<Shape::threads> serving;
    MGPU_THRUST_DEVICE shared_storage()
    {
    }
  } shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);

  const auto& in = detail::sized_segments(given);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete, and the carries cleared
  const bool is_alone = tiles == 1;
  if (is_deferred_v<Segments> && !is_alone)
  {
    tiles = static_cast<int>(bounds_type::of(in, nullptr).tiles());
  }
  if (blockIdx.x == 0 && !is_alone)
  {
    auto op = scan.op;
    carries.template serve<Shape::threads>(shared.serving, tiles, op);
    return;
  }
  const int tile = is_alone ? 0 : static_cast<int>(blockIdx.x) - 1;
  if (tile >= tiles)
  {
    return;
  }

  const load_balance_point begin = is_alone ? load_balance_point{0, 0} : begins[tile];
  const load_balance_point end = is_alone ? load_balance_point{in.num_items, in.num_segments} : begins[tile + 1];
  tile_type(shared.tile, scan, in, begin, end, tile, carries, is_alone)
    .process(
      [&]
      {
        const int later = tile + Shape::prefetch_distance;
        if (later < tiles)
        {
          tile_type::prefetch(scan, in, begins + later);
        }
      });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of a merge pass, which merges up to eight neighbouring sorted runs into one, tile by tile. All passes
/// have the same tiles.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/driver/prefetch.cuh>
#include <mgpu_thrust/detail/sort/multiway/run_pieces.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/load/run_elements.cuh>
#include <mgpu_thrust/detail/tile/merge/merge_pass_tile.cuh>
#include <mgpu_thrust/detail/tile/place/copy_tile.cuh>

#include <cuda_runtime_api.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The merge_pass_tile of a pass from `In` to `Out`.
template <class Shapes, class In, class Out, class Tiles, class Compare>
using merge_pass_tile_of = merge_pass_tile<
  Shapes, run_elements_of<decltype(In::keys)>, typename value_or_none<decltype(In::values)>::type, decltype(Out::keys),
  Tiles::is_segmented, Compare>;

/// Merges a tile from `in` to `out`, by all threads of a block. A tile that is in position is copied. If `skips`, that
/// copy is omitted where `is_same` says that `out` holds the same; `is_same` is then set for the next pass, which goes
/// the other way. If HasMore, the block continues with tile + gridDim.x, if that exists, in the same shared memory.
template <class Shapes, bool HasMore, class In, class Out, class Tiles, class Compare>
MGPU_THRUST_DEVICE void merge_tile_of_pass(
  typename merge_pass_tile_of<Shapes, In, Out, Tiles, Compare>::TempStorage& shared, std::int64_t tile, const In& in,
  const Out& out, const Tiles& tiles, const merge_pass& pass, int number, const Compare& comp,
  const std::int64_t* splits, unsigned char* is_same, bool skips)
{
  if (!tiles.is_active(tile, number))
  {
    return;
  }
  const std::int64_t begin = tiles.begin(tile);
  const int count = static_cast<int>(tiles.begin(tile + 1) - begin);
  const int distance = HasMore ? static_cast<int>(gridDim.x) : prefetch_distance; // to the block's next tile, if known
  const run_pieces<Tiles> pieces{tiles, pass, number, splits, distance};
  const std::int64_t all = tiles.begin(pass.tiles);
  const run_elements<decltype(In::values)> values{in.values, all};
  merge_pass_tile_of<Shapes, In, Out, Tiles, Compare> merger(
    shared, {in.keys, all}, out.keys + begin, count, pieces.own_run(tile), comp);

  // 1. Load the piece of each run, unless the tile is in position.
  if (threadIdx.x < 32)
  {
    merger.start_to_load(pieces, tile, pieces.piece(tile, static_cast<int>(threadIdx.x)), values);
  }
  const bool was_same = is_same[tile];
  __syncthreads(); // all threads have read is_same[tile]
  const bool stays = merger.stays();
  if (threadIdx.x == 0)
  {
    is_same[tile] = stays && skips;
  }
  if (stays)
  {
    if (!was_same || !skips)
    {
      detail::copy_tile_by_block<Shapes::merge::threads>(in, begin, out, begin, count);
    }
    if constexpr (HasMore)
    {
      merger.release();
    }
    return;
  }
  merger.finish_load(pieces, tile);

  // 2. Merge the pieces.
  merger.merge(pass.levels, tiles.borders(tile, begin, count));

  // 3. Write.
  if (detail::takes_keys(out))
  {
    merger.write_keys();
  }
  if constexpr (has_values<decltype(In::values)>)
  {
    merger.write_values(pieces, tile, values, 1 << pass.levels, out.values + begin);
  }
  if constexpr (HasMore)
  {
    merger.release();
  }
}

template <class Shapes, class In, class Out, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::merge::threads, Shapes::merge::blocks_per_multiprocessor)
  merge_pass_kernel(
    In in, Out out, Tiles tiles, merge_pass pass, int number, Compare comp, const std::int64_t* splits,
    unsigned char* is_same, bool skips)
{
  __shared__ typename merge_pass_tile_of<Shapes, In, Out, Tiles, Compare>::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  detail::merge_tile_of_pass<Shapes, false>(
    shared, static_cast<std::int64_t>(blockIdx.x), in, out, tiles, pass, number, comp, splits, is_same, skips);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

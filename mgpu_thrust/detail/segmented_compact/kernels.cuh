// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of compactions of items in segments, which works in a single pass over tiles, and the cut before it.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/sampled_cut.cuh>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/driver/tile_place.cuh>
#include <mgpu_thrust/detail/segmented_compact/compact_tile.cuh>
#include <mgpu_thrust/detail/segmented_compact/tuning.h>
#include <mgpu_thrust/detail/tile/segments/tile_segments.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The bounds of the cut into tiles of Shape.
template <class Shape, class Segments>
using compact_bounds = end_bounds<Shape::weight, decltype(Segments::offsets), compacted_item_weight>;

/// Returns the number of tiles of Shape of segments with actual sizes.
template <class Shape, class Offsets>
MGPU_THRUST_HOST_DEVICE int compact_tiles(const segments<Offsets>& in)
{
  return static_cast<int>(Shape::tiles(in.num_items, in.num_segments));
}

/// The cut before tiles whose offsets are served, the first kernel of a call: it clears the offsets too and, if sizes
/// are deferred, stores them in the header.
template <class Shape, class Segments>
struct compact_cut
{
  using bounds_type = compact_bounds<Shape, Segments>;
  using cut = sampled_cut<bounds_type>;
  using TempStorage = typename cut::TempStorage;
  static constexpr int threads = cut::threads;
  static constexpr bool starts_next = true;

  Segments in;
  load_balance_point* begins;
  tile_offsets offsets;

  int blocks() const
  {
    return detail::max_cut_blocks(Shape::tiles(in.num_items, in.num_segments));
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    if constexpr (is_deferred_v<Segments>)
    {
      const auto now = detail::sized_into_header(in, [](const auto&) { return 0; });
      cut_segments(shared, detail::without_stray_items(now));
    }
    else
    {
      cut_segments(shared, in);
    }
  }

private:
  MGPU_THRUST_DEVICE void cut_segments(TempStorage& shared, const sized_t<Segments>& now) const
  {
    const int tiles = detail::compact_tiles<Shape>(now);
    const tile_offsets to_clear = offsets.first(tiles);
    const auto stride = static_cast<int>(gridDim.x * threads);
    for (int tile = static_cast<int>(blockIdx.x * threads + threadIdx.x); tile < tiles; tile += stride)
    {
      to_clear.clear(tile);
    }
    const cut cut_now{bounds_type::of(now, begins), tiles};
    if (cut_now.bounds.needs_cut() && static_cast<int>(blockIdx.x) < cut_now.blocks())
    {
      cut_now.cut_tiles(shared);
    }
  }
};

/// Returns whether a block has a tile. Block -1 serves the offsets of the others, and its first thread calls store(sum)
/// with the number of all results. Surplus blocks arrive at the barrier that co-resident ones wait at.
template <int Threads, class Offsets, class Store>
MGPU_THRUST_DEVICE bool has_compact_tile(int tile, int tiles, Offsets offsets, [[maybe_unused]] Store store)
{
  if constexpr (Offsets::are_served)
  {
    if (tile < 0)
    {
      const std::int64_t sum = offsets.first(tiles).template serve_grid<Threads, true>();
      if (threadIdx.x == 0)
      {
        store(sum);
      }
      return false;
    }
  }
  else if (tile >= tiles)
  {
    offsets.arrive();
  }
  return tile < tiles;
}

/// Finds where a tile begins and ends: at `begins` or, if that is null, by a search. Called by all threads of a block.
template <class Shape, class Offsets>
MGPU_THRUST_DEVICE void find_compact_ends(
  const segments<Offsets>& in, int tile, const load_balance_point* begins, load_balance_point (&shared)[2],
  load_balance_point (&ends)[2])
{
  if (begins == nullptr)
  {
    detail::find_begins(compact_bounds<Shape, segments<Offsets>>::of(in, nullptr), tile, shared);
  }
  const load_balance_point* const found = begins == nullptr ? shared : begins + tile;
  ends[0] = found[0];
  ends[1] = found[1];
}

/// Keeps items of one tile per block, and stores their number to *count.
///
/// If offsets are served, begins[tile] is where a tile begins, and the first block serves the offsets of the others.
/// Otherwise the grid is co-resident, and blocks find where their tiles begin.
///
/// If sizes are deferred, the grid is for the capacities, and surplus blocks return.
template <class Shape, class Compaction, class Segments, class Offsets, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) segmented_compact_kernel(
  const Compaction compact, Segments given, const load_balance_point* begins, Offsets offsets, Count* count)
{
  using tile_type = compact_tile<Shape, Compaction, decltype(Segments::offsets)>;
  __shared__ typename tile_type::TempStorage shared;
  __shared__ load_balance_point shared_ends[2];
  __shared__ std::int64_t shared_offset;
  static_assert(
    sizeof(shared) + sizeof(shared_ends) + sizeof(shared_offset) + max_shared_bytes_of_function
    <= max_static_shared_bytes);

  // 1. Take the block's turn. The first block may serve the others.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // cuts and header are complete, offsets cleared
  const auto& in = detail::sized_segments(given);
  const int tiles = detail::compact_tiles<Shape>(in);
  const auto store = [&](std::int64_t sum)
  {
    const std::int64_t size = (min) (sum, in.num_items);
    *(compact.offsets_output + in.num_segments) = static_cast<typename Compaction::offset_type>(size);
    *count = static_cast<Count>(size);
  };
  const int tile = static_cast<int>(blockIdx.x) - Offsets::are_served;
  if (!detail::has_compact_tile<Shape::threads>(tile, tiles, offsets, store))
  {
    return;
  }

  // 2. Find where the tile begins and ends.
  load_balance_point ends[2] = {{0, 0}, {in.num_items, in.num_segments}};
  if (tiles > 1)
  {
    detail::find_compact_ends<Shape>(in, tile, begins, shared_ends, ends);
  }

  // 3. Find which items are kept. Meanwhile prefetch the tile's offsets, and a later tile.
  tile_type work(shared, compact, in, ends[0], ends[1]);
  auto keep = compact.keep;
  const int kept = work.find(
    keep,
    [&]
    {
      tile_segments<Shape, decltype(Segments::offsets)>::prefetch(in, ends[0], ends[1]);
      const int later = tile + Shape::prefetch_distance;
      if (Offsets::are_served && later < tiles && Shape::prefetches(in.num_items, in.num_segments))
      {
        tile_type::prefetch(compact, in, begins + later);
      }
    });

  // 4. Post their number, and write them at their place.
  tile_place<Offsets> place(tile, offsets);
  place.post(kept);
  work.gather(kept);
  work.write(place.wait(shared_offset, kept, in.num_items, 0, tile == tiles - 1, store), kept);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Bounds of a sampled_cut of items in segments, whose sizes may be deferred.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/cut/sampled_cut.cuh>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// Besides what a sampled_cut needs, these bounds have
//   of(segments, stored)   makes them
//   tiles()                the number of tiles
//   needs_cut()            whether a kernel has to cut the tiles

/// Tiles of TileItems items: stores to tile_segments[t] the segment of a tile's first item; past the last tile, the
/// segment of the last item.
template <int TileItems, class Offsets>
struct item_bounds
{
  using stored_type = std::int64_t;

  segments<Offsets> in;
  std::int64_t* tile_segments;

  MGPU_THRUST_HOST_DEVICE static item_bounds of(const segments<Offsets>& in, std::int64_t* stored)
  {
    return {in, stored};
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t tiles() const
  {
    return ::cuda::ceil_div(in.num_items, TileItems);
  }
  MGPU_THRUST_HOST_DEVICE bool needs_cut() const
  {
    return detail::need_cut<TileItems>(in.num_items);
  }
  MGPU_THRUST_DEVICE std::int64_t begin() const
  {
    return 1;
  }
  MGPU_THRUST_DEVICE std::int64_t end() const
  {
    return in.num_segments;
  }
  MGPU_THRUST_DEVICE std::int64_t key(std::int64_t segment) const
  {
    return in.offset(segment);
  }
  MGPU_THRUST_DEVICE std::int64_t bound(std::int64_t tile) const
  {
    return tile * TileItems + 1;
  }
  MGPU_THRUST_DEVICE std::int64_t last_bound() const
  {
    return in.num_items;
  }
  MGPU_THRUST_DEVICE void store(std::int64_t tile, std::int64_t next_segment) const
  {
    tile_segments[tile] = next_segment - 1;
  }
};

/// Tiles of TileWeight items and ends of segments, weighted: stores to begins[t] where a tile begins. A tile that would
/// begin up to MaxShift items after the start of its first segment begins at that start instead, so it has up to
/// MaxShift items more than its weight has.
template <std::int64_t TileWeight, class Offsets, std::int64_t ItemWeight = item_weight, int MaxShift = 0>
struct end_bounds
{
  using stored_type = load_balance_point;

  segment_ends<Offsets, ItemWeight> ends;
  load_balance_point* begins;

  MGPU_THRUST_HOST_DEVICE static end_bounds of(const segments<Offsets>& in, load_balance_point* stored)
  {
    return {{in}, stored};
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t tiles() const
  {
    static_assert(TileWeight % ItemWeight == 0);
    return detail::weighted_tiles<static_cast<int>(TileWeight / ItemWeight), ItemWeight>(
      ends.in.num_items, ends.in.num_segments);
  }
  MGPU_THRUST_HOST_DEVICE bool needs_cut() const
  {
    return ends.weight() > 0;
  }
  MGPU_THRUST_DEVICE std::int64_t begin() const
  {
    return 0;
  }
  MGPU_THRUST_DEVICE std::int64_t end() const
  {
    return ends.in.num_segments;
  }
  MGPU_THRUST_DEVICE std::int64_t key(std::int64_t segment) const
  {
    return ends.weight_before_end(segment);
  }
  MGPU_THRUST_DEVICE std::int64_t bound(std::int64_t tile) const
  {
    return tile * TileWeight;
  }
  MGPU_THRUST_DEVICE std::int64_t last_bound() const
  {
    return ends.weight();
  }
  MGPU_THRUST_DEVICE load_balance_point point(std::int64_t tile, std::int64_t segments_ended) const
  {
    load_balance_point found = ends.cut(segments_ended, detail::bound_of_tile(*this, tile));
    if constexpr (MaxShift > 0)
    {
      if (found.segment_index < ends.in.num_segments)
      {
        const std::int64_t start = ends.in.offset(found.segment_index);
        if (0 <= start && start < found.item_index && found.item_index - MaxShift <= start)
        {
          found.item_index = start;
        }
      }
    }
    return found;
  }
  MGPU_THRUST_DEVICE void store(std::int64_t tile, std::int64_t segments_ended) const
  {
    begins[tile] = point(tile, segments_ended);
  }
};

/// The cut by Bounds of segments with deferred sizes. It does nothing if the actual sizes need no cut.
template <class Bounds, class Segments>
struct deferred_segment_cut
{
  using cut = sampled_cut<Bounds>;
  using TempStorage = typename cut::TempStorage;
  static constexpr int threads = cut::threads;
  static constexpr bool starts_next = cut::starts_next;

  Segments in;
  typename Bounds::stored_type* stored;

  int blocks() const
  {
    return detail::max_cut_blocks(of(in).tiles);
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    const auto now = detail::sized_segments(in);
    const cut cut_now = of(now);
    if (cut_now.bounds.needs_cut() && static_cast<int>(blockIdx.x) < cut_now.blocks())
    {
      cut_now.cut_tiles(shared);
    }
  }

private:
  MGPU_THRUST_HOST_DEVICE cut of(const sized_t<Segments>& segments) const
  {
    const Bounds bounds = Bounds::of(segments, stored);
    return {bounds, bounds.tiles()};
  }
};

/// Finds where a tile begins and where it ends. Called by all threads of a block, which all get both. Bounds are
/// end_bounds.
template <class Bounds>
MGPU_THRUST_DEVICE void find_begins(const Bounds& bounds, int tile, load_balance_point (&found)[2])
{
  detail::find_both_ends([&](int end)
                         { found[end] = bounds.point(tile + end, detail::find_bound_of_tile(bounds, tile + end)); });
}

/// Makes the cut of segments by Bounds.
template <class Bounds, class Segments>
auto make_segment_cut(const Segments& in, typename Bounds::stored_type* stored)
{
  if constexpr (is_deferred_v<Segments>)
  {
    return deferred_segment_cut<Bounds, Segments>{in, stored};
  }
  else
  {
    const Bounds bounds = Bounds::of(in, stored);
    return sampled_cut<Bounds>{bounds, bounds.tiles()};
  }
}

/// Queues the cut of segments by Bounds.
template <class Bounds, class Segments>
cudaError_t queue_segment_cut(const Segments& in, typename Bounds::stored_type* stored, cudaStream_t stream)
{
  return detail::queue_cut(detail::make_segment_cut<Bounds>(in, stored), stream);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

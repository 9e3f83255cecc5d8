// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels that execute an action on the items of segments.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/block/block_load_balance.cuh>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/segment_starts.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/segments/choice.h>
#include <mgpu_thrust/detail/segments/serial.h>
#include <mgpu_thrust/detail/segments/tuning.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>

#include <cub/thread/thread_store.cuh>

#include <cuda/std/iterator>
#include <cuda/std/utility>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Executes an action on the items of few segments, in a grid-stride loop.
template <class Action, class Offsets>
MGPU_THRUST_DEVICE void do_items_of_few_segments(
  Action& action, const segments<Offsets>& in, int (&shared_starts)[few_segments_shape::max_segments])
{
  constexpr int threads = few_segments_shape::threads;

  // 1. Load where all segments start.
  const segment_starts starts(in);
  const int count = static_cast<int>(in.num_segments);
#pragma unroll
  for (int k = 0; k < few_segments_shape::max_segments / threads; ++k)
  {
    const int segment = static_cast<int>(threadIdx.x) + k * threads;
    if (segment < count)
    {
      shared_starts[segment] = starts[segment];
    }
  }
  __syncthreads();

  const int step = static_cast<int>(gridDim.x) * threads;
#pragma unroll 1
  for (int item = static_cast<int>(blockIdx.x * threads + threadIdx.x); item < in.num_items; item += step)
  {
    // 2. Find the item's segment: the last one that starts at or before it; any segment if offsets are wrong.
    const int segment =
      detail::partition_point(1, count, [&](int candidate) { return shared_starts[candidate] <= item; }) - 1;

    // 3. Execute the action.
    const segment_item at{item, segment, (max) (item - shared_starts[segment], 0)};
    const auto& value = action.value(segment);
    action.store(at, value, action.load(at, value));
  }
}
template <class Action, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(few_segments_shape::threads)
  few_segments_kernel(Action action, Segments given)
{
  __shared__ int starts[few_segments_shape::max_segments];
  const auto& in = detail::sized_segments(given);
  detail::do_items_of_few_segments(action, in, starts);
}

/// Returns the segments of a tile's first and last item; called by all threads of the block.
template <class Offsets>
MGPU_THRUST_DEVICE tile_range
find_tile_segments(const segments<Offsets>& in, std::int64_t first_item, int count, tile_range& shared)
{
  return detail::find_tile_range(
    shared,
    [&](bool is_first)
    {
      const std::int64_t item = is_first ? first_item : first_item + count - 1;
      const std::int64_t after = detail::warp_partition_point_after(
        1, in.num_segments, static_cast<float>(item) / static_cast<float>(in.num_items),
        [&](std::int64_t segment) { return in.offset(segment) <= item; });
      return after - 1;
    });
}

/// Prefetches the offsets and values of a tile's segments; called by one thread. Where segments have fewer than two
/// items on average, the offsets alone gain more than both.
template <class Shape, class Action, class Offsets>
MGPU_THRUST_DEVICE void prefetch_segments(const Action& action, const segments<Offsets>& in, const tile_range& range)
{
  const std::int64_t count = range.last - range.first;
  const auto prefetch = [&](auto first)
  {
    using value = typename ::cuda::std::iterator_traits<decltype(first)>::value_type;
    tile_loader<Shape::threads>::template prefetch<value>(first + range.first, static_cast<int>(count));
  };
  if (0 < count && count <= Shape::items)
  {
    prefetch(in.offsets);
  }
  if (0 < count && count <= Shape::items / 2)
  {
    action.visit_values(prefetch);
  }
}

/// Prefetches the sector that a border of results divides, if it divides one.
MGPU_THRUST_DEVICE void prefetch_divided_sector(const void* border)
{
  if (reinterpret_cast<std::uintptr_t>(border) % 32 != 0)
  {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(border));
  }
}

/// Prefetches the sectors that a tile's results fill in part, at both ends of each segment, unless there are many
/// segments; called by all threads of the block. A part of a sector is written fast only if the L2 cache has the rest.
template <class Shape, class Action, class Offsets>
MGPU_THRUST_DEVICE void prefetch_result_ends(const Action&, const segments<Offsets>&, const tile_range&)
{
}
template <class Shape, class Sources, class Index, class Input, class T, class Offsets>
MGPU_THRUST_DEVICE void prefetch_result_ends(
  const segment_copy<Sources, Index*, Input, T*>& action, const segments<Offsets>& in, const tile_range& range)
{
  static_assert(Shape::max_segments_with_result_ends <= Shape::threads);
  const std::int64_t count = range.last - range.first + 1;
  const int own = static_cast<int>(threadIdx.x);
  if (own < count && count <= Shape::max_segments_with_result_ends)
  {
    const std::int64_t segment = range.first + own;
    const std::int64_t start = in.offset(segment);
    const std::int64_t end = in.end(segment);
    if (start < end)
    {
      T* const results = action.output + static_cast<std::int64_t>(action.destinations[segment]);
      detail::prefetch_divided_sector(results);
      detail::prefetch_divided_sector(results + (end - start));
    }
  }
}

/// Type that an action loads for an item of a segment with a value of type Value. (Clang rejects std::declval, a host
/// function.)
template <class Action, class Value>
using loaded_t =
  std::decay_t<decltype(::cuda::std::declval<Action&>().load(segment_item{}, ::cuda::std::declval<const Value&>()))>;

/// The results of `Count` neighbouring items, stored as one vector.
template <class Result, int Count>
struct alignas(Count * sizeof(Result)) result_vector
{
  Result results[Count];
};

/// Returns whether vectors of an action's results are aligned in its output.
template <int Vector, class Action>
MGPU_THRUST_DEVICE bool takes_vectors([[maybe_unused]] const Action& action)
{
  if constexpr (Vector > 1)
  {
    return reinterpret_cast<std::uintptr_t>(action.output) % (Vector * sizeof(*action.output)) == 0;
  }
  else
  {
    return true;
  }
}

/// Stores what was loaded for `Vector` neighbouring items, the first of which is at[0]. Results are not read again
/// soon, so the L2 cache evicts them first.
template <int Vector, class Action, class Value, class Loaded>
MGPU_THRUST_DEVICE void store_items(Action& action, const segment_item* at, const Value* values, const Loaded* loaded)
{
  if constexpr (Vector > 1)
  {
    using result = std::decay_t<decltype(*action.output)>;
    result_vector<result, Vector> vector;
#pragma unroll
    for (int k = 0; k < Vector; ++k)
    {
      vector.results[k] = loaded[k];
    }
    cub::ThreadStore<cub::STORE_CS>(reinterpret_cast<result_vector<result, Vector>*>(action.output + at->item), vector);
  }
  else
  {
    action.store(*at, *values, *loaded);
  }
}

/// Executes an action on the calling warp's items, all of which exist. next(positions) stores the segments and ranks of
/// a thread's next `Vector` items to `positions`. value_of(segment) returns the value of a segment. Both count segments
/// from the tile's first.
template <class Shape, int Vector, class Action, class Rows, class Next, class ValueOf>
MGPU_THRUST_DEVICE void do_full_warp(
  Action& action, std::int64_t first_item, std::int64_t first_segment, Rows& rows, Next next, ValueOf value_of)
{
  using value_type = std::decay_t<decltype(value_of(0))>;
  using loaded_type = loaded_t<Action, value_type>;
  constexpr int batch = detail::segments_batch<value_type, loaded_type>();
  if constexpr (batch > 1)
  {
    static_assert(batch % Vector == 0 && Shape::items_per_thread % batch == 0);
#pragma unroll 1
    for (int first = 0; first < Shape::items_per_thread; first += batch)
    {
      segment_item at[batch];
      value_type values[batch];
      loaded_type loaded[batch];
#pragma unroll
      for (int v = 0; v < batch; v += Vector)
      {
        typename Rows::Place positions[Vector];
        const int item = rows.Item();
        next(positions);
#pragma unroll
        for (int k = 0; k < Vector; ++k)
        {
          at[v + k] = {first_item + item + k, first_segment + positions[k].segment, positions[k].rank};
          values[v + k] = value_of(positions[k].segment);
          loaded[v + k] = action.load(at[v + k], values[v + k]);
        }
      }
#pragma unroll
      for (int v = 0; v < batch; v += Vector)
      {
        detail::store_items<Vector>(action, at + v, values + v, loaded + v);
      }
    }
  }
  else
  {
#pragma unroll 1
    for (int first = 0; first < Shape::items_per_thread; first += Vector)
    {
      typename Rows::Place positions[Vector];
      const int item = rows.Item();
      next(positions);
#pragma unroll 1
      for (int k = 0; k < Vector; ++k)
      {
        const segment_item at{first_item + item + k, first_segment + positions[k].segment, positions[k].rank};
        const auto& value = value_of(positions[k].segment);
        action.store(at, value, action.load(at, value));
      }
    }
  }
}

/// do_full_warp for a tile of `count` items, in which warps may have fewer items or none. It executes the action item
/// by item.
template <class Shape, class Action, class Rows, class ValueOf>
MGPU_THRUST_DEVICE void
do_items(Action& action, std::int64_t first_item, std::int64_t first_segment, int count, Rows rows, ValueOf value_of)
{
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll 1
  for (int k = 0; k < Shape::items_per_thread && rows.Item() - lane < count; ++k)
  {
    typename Rows::Place position[1];
    const int item = rows.Item();
    rows.Next(position);
    if (item < count)
    {
      const segment_item at{first_item + item, first_segment + position[0].segment, position[0].rank};
      const auto& value = value_of(position[0].segment);
      action.store(at, value, action.load(at, value));
    }
  }
}

/// Returns whether a grid has a tile. If sizes are deferred, `num_items` is the actual number.
template <class Shape, bool IsDeferred>
MGPU_THRUST_DEVICE bool has_segments_tile(std::int64_t num_items, unsigned tile)
{
  return IsDeferred ? std::int64_t{tile} * Shape::items < num_items : tile < gridDim.x; // without a division
}

/// Returns the segments of the block's tile by its path; the last one may be that of the item after the tile. Tiles
/// that are cut have them at `cut`; if sizes are deferred, they are read already, to `early`. Prefetches those of a
/// later tile that is cut. Called by all threads of the block.
template <class Shape, bool IsDeferred, class Action, class Offsets>
MGPU_THRUST_DEVICE void find_segments_of_tile(
  const Action& action, const segments<Offsets>& in, segments_path path, std::int64_t first_item, int count,
  const std::int64_t* cut, tile_range& shared, tile_range& range)
{
  if (path == segments_path::one_tile)
  {
    range = {0, in.num_segments - 1}; // empty segments before the first item too
  }
  else if (path == segments_path::uncut_tiles)
  {
    range = detail::find_tile_segments(in, first_item, count, shared);
  }
  else
  {
    if constexpr (!IsDeferred)
    {
      NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
      range = {cut[0], cut[1]};
    }
    if (
      threadIdx.x == 0
      && detail::has_segments_tile<Shape, IsDeferred>(in.num_items, blockIdx.x + Shape::prefetch_distance))
    {
      const std::int64_t* const later = cut + Shape::prefetch_distance;
      detail::prefetch_segments<Shape>(action, in, tile_range{later[0], later[1]});
    }
  }
}

/// Executes an action on the items of a tile, whose segments are loaded. Each warp walks over its items. A warp with a
/// single segment has a loop of its own.
template <class Shape, class Action, class Collective>
MGPU_THRUST_DEVICE void
do_tile(Action& action, const Collective& balance, std::int64_t first_item, int count, const tile_range& range)
{
  constexpr int vector = segments_vector<Action>;
  const Action of_tile = action.with_values_from(range.first);
  const auto value_of = [&](std::int64_t segment) -> decltype(auto) { return of_tile.value(segment); };
  typename Collective::template Rows<vector> rows(balance);
  const int warp_end = (static_cast<int>(threadIdx.x) / 32 + 1) * 32 * Shape::items_per_thread;
  const bool is_full = warp_end <= count && detail::takes_vectors<vector>(action);
  if (is_full && rows.HasOne())
  {
    const auto& value = value_of(rows.Segment());
    const auto same_value = [&](std::int64_t) -> const auto&
    {
      return value;
    };
    detail::do_full_warp<Shape, vector>(
      action, first_item, range.first, rows, [&](auto& positions) { rows.NextOfOne(positions); }, same_value);
  }
  else if (is_full && rows.HasMarks())
  {
    detail::do_full_warp<Shape, vector>(
      action, first_item, range.first, rows, [&](auto& positions) { rows.NextMarked(positions); }, value_of);
  }
  else
  {
    detail::do_items<Shape>(
      action, first_item, range.first, count, typename Collective::template Rows<1>(balance), value_of);
  }
}

/// Executes an action on the items of one tile per block. `tile_segments` is null unless cut_kernel precedes. If sizes
/// are deferred, the grid is for the capacities, and surplus blocks return.
template <class Shape, class Action, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  segments_kernel(Action action, Segments given, const std::int64_t* tile_segments)
{
  using collective = BlockLoadBalance<Shape::threads, Shape::items_per_thread, decltype(Segments::offsets)>;
  __shared__ union
  {
    typename collective::TempStorage tile;
    int starts[few_segments_shape::max_segments];
  } temp;
  __shared__ tile_range shared_range;
  static_assert(sizeof(temp) + sizeof(shared_range) <= max_static_shared_bytes);
  static_assert(Shape::threads == few_segments_shape::threads);

  // 1. Find the tile's items and segments; the last segment may be that of the item after the tile. Prefetch the
  //    segments of a later tile.
  const auto& in = detail::sized_segments(given);
  tile_range range;
  segments_path chosen;
  if constexpr (is_deferred_v<Segments>)
  {
    // All blocks wait for cut_kernel, so that it has ended when this kernel ends.
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
    if (tile_segments != nullptr)
    {
      // tile_segments has room for all tiles of the capacities, so this need not wait for the sizes.
      range = {tile_segments[blockIdx.x], tile_segments[blockIdx.x + 1]};
    }
    chosen = detail::choose_deferred_segments_path(
      in.num_items, in.num_segments, std::int64_t{gridDim.x}, tile_segments != nullptr);
    if (chosen == segments_path::few_deferred_segments)
    {
      if (std::int64_t{blockIdx.x} * few_segments_shape::threads < in.num_items)
      {
        detail::do_items_of_few_segments(action, in, temp.starts);
      }
      return;
    }
    if (!detail::has_segments_tile<Shape, true>(in.num_items, blockIdx.x))
    {
      return;
    }
  }
  else
  {
    chosen = detail::choose_segment_tiles_path(in.num_items, in.num_segments, tile_segments != nullptr);
  }
  const std::int64_t first_item = std::int64_t{blockIdx.x} * Shape::items;
  const int count = static_cast<int>((min) (in.num_items - first_item, std::int64_t{Shape::items}));
  detail::find_segments_of_tile<Shape, is_deferred_v<Segments>>(
    action, in, chosen, first_item, count, tile_segments + blockIdx.x, shared_range, range);

  // 2. Load where the tile's segments start.
  detail::prefetch_result_ends<Shape>(action, in, range);
  collective balance(temp.tile);
  balance.Load({first_item, count, in.offsets, range.first, range.last});
  detail::do_tile<Shape>(action, balance, first_item, count, range);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of a merge pass, which merges up to eight neighbouring sorted runs into one: one finds the piece of each
/// run that each tile merges, one merges the tiles. All passes have the same tiles.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/sort/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/merge_levels.cuh>
#include <mgpu_thrust/detail/sort/multiway_split.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/runs_loader.cuh>
#include <mgpu_thrust/detail/sort/tiles.cuh>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.cuh>
#include <mgpu_thrust/detail/tile/tile_store.cuh>

#include <cuda/std/cstdint>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <iterator>
#include <type_traits>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

inline constexpr int pass_partition_threads = 128;
inline constexpr int pass_partition_tiles = pass_partition_threads / most_ways; ///< per block

/// Stores where each tile begins in each run of its group to splits[most_ways * tile + run].
template <class Key, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(pass_partition_threads)
  pass_partition_kernel(const Key* keys, Tiles tiles, merge_pass pass, int number, Compare comp, std::int64_t* splits)
{
  const int run = static_cast<int>(threadIdx.x) % most_ways;
  const std::int64_t tile =
    static_cast<std::int64_t>(blockIdx.x) * pass_partition_tiles + static_cast<int>(threadIdx.x) / most_ways;
  const bool is_tile = tile < pass.tiles && tiles.is_active(tile, number);
  const unsigned lanes_with_tiles = __ballot_sync(0xffffffff, is_tile);
  if (lanes_with_tiles == 0)
  {
    return;
  }

  // The part of each run that belongs to the segment of the tile's first element; elements before it belong to earlier
  // tiles. Where that part lies in tiles that are not active, it may be in the other buffer by now: then it is all in
  // one run.
  std::int64_t begin = 0;
  std::int64_t size = 0;
  std::int64_t diagonal = 0;
  if (is_tile)
  {
    const tile_run group = pass.group_of(tile);
    const tile_run part = pass.run_of(group.begin, run);
    const segment_bounds segment = tiles.segment(tile);
    const std::int64_t run_begin = tiles.begin(part.begin);
    const std::int64_t run_end = tiles.begin(part.end);
    begin = min(max(segment.begin, run_begin), run_end);
    size = min(max(segment.end, run_begin), run_end) - begin;
    diagonal = tiles.begin(tile) - max(segment.begin, tiles.begin(group.begin));
  }
  const std::int64_t a_tile = __shfl_sync(0xffffffff, tile, __ffs(static_cast<int>(lanes_with_tiles)) - 1);
  const Key any_key = keys[tiles.begin(a_tile)];
  const std::int64_t split = multiway_split<Key, Compare>(keys + begin, size, diagonal, any_key, comp).find();
  if (is_tile)
  {
    splits[most_ways * tile + run] = begin + split;
  }
}

/// A piece of a run: `size` keys from index `begin` on.
struct run_piece
{
  std::int64_t begin;
  std::int64_t size;
};

/// Returns the piece of a run that a tile merges; an empty one, if there is no such run.
template <class Tiles>
MGPU_THRUST_DEVICE run_piece piece_of_run(
  const Tiles& tiles, const merge_pass& pass, int number, const std::int64_t* splits, std::int64_t tile, int run)
{
  if (run >= most_ways)
  {
    return {0, 0};
  }
  const tile_run group = pass.group_of(tile);
  const tile_run part = pass.run_of(group.begin, run);
  const std::int64_t begin = splits[most_ways * tile + run];
  const std::int64_t end = tile + 1 < group.end && tiles.is_active(tile + 1, number)
                             ? splits[most_ways * (tile + 1) + run]
                             : min(max(tiles.begin(tile + 1), tiles.begin(part.begin)), tiles.begin(part.end));
  return {begin, end - begin};
}

/// Copies values, by all threads of a block; a thread loads several before it stores the first.
template <int Threads, class Value, class Output>
MGPU_THRUST_DEVICE void copy_by_block(const Value* from, int count, Output to)
{
  constexpr int batch = 8;
  for (int first = static_cast<int>(threadIdx.x); first < count; first += batch * Threads)
  {
    Value values[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      values[k] = from[min(first + k * Threads, count - 1)];
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      if (first + k * Threads < count)
      {
        *(to + (first + k * Threads)) = values[k];
      }
    }
  }
}

/// Copies `count` keys from `begin` on, with their values if there are any, to the same positions of another range, by
/// all threads of a block.
template <int Threads, class In, class Out>
MGPU_THRUST_DEVICE void copy_tile_by_block(const In& in, const Out& out, std::int64_t begin, int count)
{
  using key = typename std::iterator_traits<decltype(In::keys)>::value_type;
  if (detail::takes_keys(out))
  {
    detail::copy_by_block<Threads, key>(in.keys + begin, count, out.keys + begin);
  }
  if constexpr (has_values<decltype(In::values)>)
  {
    using value = typename std::iterator_traits<decltype(In::values)>::value_type;
    detail::copy_by_block<Threads, value>(in.values + begin, count, out.values + begin);
  }
}

/// Merges one tile per block, from `in` to `out`. A tile that is already in place is copied; if `skips`, only unless
/// `is_same` says that `out` holds the same there. The kernel then sets `is_same` for the next pass, which goes the
/// other way.
template <class Shapes, class In, class Out, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::merge::threads, Shapes::merge::blocks_per_multiprocessor)
  merge_pass_kernel(
    In in, Out out, Tiles tiles, merge_pass pass, int number, Compare comp, const std::int64_t* splits,
    unsigned char* is_same, bool skips)
{
  using shape = typename Shapes::merge;
  using key = std::remove_const_t<std::remove_pointer_t<decltype(In::keys)>>;
  using slot = staged_t<key>;
  constexpr bool has_values_too = has_values<decltype(In::values)>;
  constexpr bool is_segmented = Tiles::is_segmented;
  constexpr int threads = shape::threads;
  constexpr int items = shape::items_per_thread;
  using loader = runs_loader<threads, key>;
  using store = tile_store<threads, key, decltype(Out::keys)>;
  using value = typename value_or_none<decltype(In::values)>::type;
  constexpr int value_bytes = value_or_none<decltype(In::values)>::bytes * Shapes::tile_items;
  constexpr int key_bytes = loader::template bytes_for<Shapes::tile_items + items> + store::most_shift;
  __shared__ alignas(16) unsigned char shared_keys[key_bytes > value_bytes ? key_bytes : value_bytes];
  __shared__ ::cuda::std::uint16_t shared_numbers[has_values_too ? Shapes::tile_items + items : 1];
  __shared__ typename loader::storage shared_loader;
  __shared__ bool shared_stays;
  static_assert(
    sizeof(shared_keys) + sizeof(shared_numbers) + sizeof(shared_loader) + sizeof(shared_stays)
      <= most_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");
  slot* const keys = reinterpret_cast<slot*>(shared_keys);
  const int thread = static_cast<int>(threadIdx.x);
  const auto tile = static_cast<std::int64_t>(blockIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now
  if (!tiles.is_active(tile, number))
  {
    return;
  }

  // 1. Start to load the tile's piece of each run, unless the tile is already in place. (If comp is no strict weak
  //    order, the pieces may be anything; if one has a negative size, the tile stays as it is.)
  const std::int64_t begin = tiles.begin(tile);
  const int count = static_cast<int>(tiles.begin(tile + 1) - begin);
  const tile_run group = pass.group_of(tile);
  const int own_run = static_cast<int>((tile - group.begin) >> pass.run_level);
  loader load(shared_loader, in.keys, tiles.begin(pass.tiles));
  if (thread < 32)
  {
    const run_piece piece = detail::piece_of_run(tiles, pass, number, splits, tile, thread);
    const bool is_in_place = thread == own_run ? piece.begin == begin && piece.size == count : piece.size == 0;
    const bool stays = __any_sync(0xffffffff, piece.size < 0) || __all_sync(0xffffffff, is_in_place);
    if (!stays)
    {
      load.start(piece.begin, static_cast<int>(piece.size), keys);
      if (has_values_too && thread < most_ways)
      {
        tile_loader<threads>::template prefetch<value>(in.values + piece.begin, static_cast<int>(piece.size));
      }
      const std::int64_t later = tile + prefetch_distance;
      if (later < pass.tiles && tiles.is_active(later, number))
      {
        const run_piece later_piece = detail::piece_of_run(tiles, pass, number, splits, later, thread);
        tile_loader<threads>::template prefetch<key>(in.keys + later_piece.begin, static_cast<int>(later_piece.size));
      }
    }
    if (thread == 0)
    {
      shared_stays = stays;
    }
  }
  const bool was_same = is_same[tile];
  __syncthreads(); // all threads have read is_same[tile]
  const bool stays = shared_stays;
  if (thread == 0)
  {
    is_same[tile] = stays && skips;
  }
  if (stays)
  {
    if (!was_same || !skips)
    {
      detail::copy_tile_by_block<threads>(in, out, begin, count);
    }
    return;
  }
  load.finish(keys);
  const store write(out.keys + begin);
  const int shift = write.shift();
  slot* const merged = keys + shift;
  const shared_places<slot> merged_places(merged);

  // 2. Merge neighbouring pieces, pair by pair, until one is left. No thread works on more than one pair.
  const tile_borders borders = tiles.borders(tile, begin, count);
  for (int level = 0; level < pass.levels; ++level)
  {
    const bool is_first = level == 0;
    int first = 0; // first piece of the thread's pair
    int work = thread;
    for (int middle = first + (1 << level); middle + (1 << level) < 1 << pass.levels; middle += 2 << level)
    {
      const int pair_threads = (load.begin(middle + (1 << level)) - load.begin(first) + items - 1) / items;
      if (work < pair_threads)
      {
        break;
      }
      work -= pair_threads;
      first += 2 << level;
    }
    const int middle = first + (1 << level);
    const int last = middle + (1 << level);
    const int at = load.begin(first) + work * items; // offset in the concatenated pieces
    int here = min(max(load.begin(last) - at, 0), items);
    slot taken[items];
    int places[items];
    const int a_at = is_first ? load.place(first) - load.begin(first) - shift : 0;
    const int b_at = is_first ? load.place(middle) - load.begin(middle) - shift : 0;
    // The thread's keys that precede all of the other piece, or follow all of it, stay where they are.
    compare_staged<Compare> order{comp};
    if (!is_first && here > 0)
    {
      const int border = load.begin(middle);
      const bool is_alone = border == load.begin(first) || border == load.begin(last);
      here = is_alone || !order(merged[max(at, border)], merged[min(at + here, border) - 1]) ? 0 : here;
    }
    if (here > 0)
    {
      tile_merge merge{
        a_at + load.begin(first), a_at + load.begin(middle), b_at + load.begin(middle), b_at + load.begin(last)};
      if constexpr (is_segmented)
      {
        merge.a_active = merge.a;
        merge.b_active = merge.b_end;
        if (first <= own_run && own_run < middle)
        {
          const int behind = count - load.begin(middle);
          merge.a_active = merge.a_end - min(max(borders.last - behind, 0), merge.a_end - merge.a);
        }
        else if (middle <= own_run && own_run < last)
        {
          const int before = load.begin(middle);
          merge.b_active = merge.b + min(max(borders.first - before, 0), merge.b_end - merge.b);
        }
      }
      const int b_begin = merge.b;
      merge = detail::merge_from<is_segmented>(merged_places, merge, work * items, order);
      detail::take_merged<is_segmented>(merged_places, merge, order, taken, places);
      if constexpr (has_values_too)
      {
#pragma unroll
        for (int k = 0; k < items; ++k)
        {
          places[k] = is_first ? places[k] - (places[k] >= b_begin ? b_at : a_at) : shared_numbers[places[k]];
        }
      }
    }
    __syncthreads();
    if constexpr (has_values_too)
    {
      detail::put_merged(taken, places, here, merged + at, shared_numbers + at);
    }
    else
    {
      detail::put_merged(taken, places, here, merged + at, no_values{});
    }
    store::fence_writes();
    __syncthreads();
  }

  // 3. Write.
  if (detail::takes_keys(out))
  {
    write.write(merged, count);
  }
  if constexpr (has_values_too)
  {
    __syncthreads();
    auto* const values = reinterpret_cast<value*>(shared_keys);
    for (int run = 0; run < 1 << pass.levels; ++run)
    {
      detail::start_to_load_values<threads>(
        in.values + load.source(run), load.begin(run + 1) - load.begin(run), values + load.begin(run));
    }
    detail::wait_for_values();
    const auto values_out = out.values + begin;
#pragma unroll 4
    for (int i = thread; i < count; i += threads)
    {
      *(values_out + i) = values[shared_numbers[i]];
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

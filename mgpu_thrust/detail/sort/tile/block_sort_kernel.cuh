// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that sorts each tile.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/driver/prefetch.cuh>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/sort/tile/doubling_tile_sort.cuh>
#include <mgpu_thrust/detail/sort/tile/mark_heads.cuh>
#include <mgpu_thrust/detail/sort/tile/near_tile_sort.cuh>
#include <mgpu_thrust/detail/sort/tile/ranked_tile_sort.cuh>
#include <mgpu_thrust/detail/sort/tile/segments_in_tile.cuh>
#include <mgpu_thrust/detail/sort/tile/tile_sort_phases.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/load/load_values.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/segments/tile_heads.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/std/cstdint>
#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A tile of a block sort: the block loads, sorts and writes it. Items are identified by their positions in the tile.
template <class Shapes, class In, class To, class Out, class Tiles, class Compare>
class block_sort_tile
{
  using shape = typename Shapes::block_sort;
  using key = typename ::cuda::std::iterator_traits<decltype(In::keys)>::value_type;
  using slot = staged_t<key>;
  using value = typename value_or_none<decltype(In::values)>::type;
  using loader = tile_loader<shape::threads>;
  static constexpr int threads = shape::threads;
  static constexpr int items = shape::items_per_thread;
  static constexpr bool has_values_too = has_values<decltype(In::values)>;
  static constexpr bool may_be_indices = can_be_indices<decltype(In::values)>;
  static constexpr bool ends_elsewhere = !std::is_same_v<To, Out>;
  /// Whether the origins of a tile and the next one tell which passes have work in it.
  static constexpr bool finds_passes = Tiles::is_segmented && Tiles::knows_all_tiles;
  /// Maximum number of keys in a tile of one segment that ranked_tile_sort sorts.
  static constexpr int max_ranked_keys = Tiles::knows_all_tiles ? 0 : detail::max_ranked_by<key>(threads);
  using heads_of_tile = std::conditional_t<Tiles::is_segmented, tile_heads<threads, shape::items>, no_tile_heads>;
  using segments_of_tile = segments_in_tile<heads_of_tile>;
  using phases = tile_sort_phases<Shapes, has_values_too, slot, segments_of_tile, compare_staged<Compare>>;
  using own_items = typename phases::own_items;
  using own_range = typename phases::own_range;

  static constexpr int room = shape::items + items;
  static constexpr int value_bytes = value_or_none<decltype(In::values)>::bytes;
  static constexpr int slot_bytes = static_cast<int>(sizeof(slot)) > value_bytes ? static_cast<int>(sizeof(slot))
                                                                                 : value_bytes;

public:
  /// The shared memory, phase by phase. There is room for more items than the tile has, as some past its end are read.
  ///
  ///                | numbers             | buffer                               | loading | heads, longest    |
  ///   load         |                     | < 16 bytes, keys as loaded           | barrier | segments' heads   |
  ///   sort         | numbers of the keys | keys, sorted runs that double        |         | the same, longest |
  ///   write keys   | numbers of the keys | sorted keys                          |         |                   |
  ///   write values | numbers of the keys | values as loaded, read by numbers    |         |                   |
  ///
  /// The numbers are first because the sort then needs fewer registers (in segments of 16-byte keys none is spilled).
  struct TempStorage
  {
    ::cuda::std::uint16_t numbers[has_values_too ? room : max_ranked_keys + 1];
    alignas(load_granule<key>) unsigned char buffer[room * slot_bytes + 2 * load_granule<key>];
    typename loader::storage loading;
    typename heads_of_tile::storage heads;
    int longest;     ///< length of the longest segment that crosses a border between two threads' items
    bool has_passes; ///< if finds_passes
  };

  MGPU_THRUST_DEVICE block_sort_tile(
    TempStorage& shared, const In& in, const To& to, const Out& out, const Tiles& tiles, const Compare& comp)
      : shared_(shared)
      , in_(in)
      , to_(to)
      , out_(out)
      , tiles_(tiles)
      , order_{comp}
      , tile_(static_cast<std::int64_t>(blockIdx.x))
      , begin_(tiles.begin(tile_))
      , count_(static_cast<int>(tiles.begin(tile_ + 1) - begin_))
  {
  }

  /// Sorts the tile; called by all threads of the block.
  MGPU_THRUST_DEVICE void process()
  {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0)
    {
      shared_.longest = 0;
    }

    // 1. Load the keys to shared memory, then to registers.
    loader load(shared_.loading, 1);
    const slot* const loaded = load.template load<key>(in_.keys + begin_, count_, shared_.buffer);
    const heads_of_tile heads(shared_.heads);
    const bool are_several = Tiles::is_segmented && tiles_.segment(tile_).end < begin_ + count_;
    const segments_of_tile segments(heads, are_several);
    mark_segments(heads, are_several);
    prefetch();
    find_passes();
    if constexpr (max_ranked_keys > 0)
    {
      if (
        !are_several
        && count_ <= (phases::sorts_warps() ? max_ranked_beside_networks<has_values_too> : max_ranked_keys))
      {
        sort_by_ranks(load, loaded);
        return;
      }
    }
    load.wait();
    const int first = thread * items;
    own_range range((min) ((max) (count_ - first, 0), items));
    range.split(are_several && range.count() > 0 ? segments.heads_from(first + 1) : 0);
    own_items own;
    const bool is_out_of_order = read_own(loaded, first, segments, range, own);

    // 2. A tile that is in order is copied.
    if (!__syncthreads_or(is_out_of_order))
    {
      has_passes() ? copy_to(to_, loaded) : copy_to(out_, loaded);
      return;
    }

    // 3. Sort the tile.
    sort(segments, range, own);

    // 4. Write it.
    has_passes() ? write_to(to_) : write_to(out_);
  }

private:
  /// Whether the values are the elements' indices, and are not read.
  MGPU_THRUST_DEVICE bool has_indices() const
  {
    return detail::has_indices(in_);
  }

  /// Whether a pass has work in the tile. A single tile has no pass; if To and Out differ, its result goes to `out`.
  /// Evaluated at each use, after a barrier, to save a register.
  MGPU_THRUST_DEVICE bool has_passes() const
  {
    if constexpr (finds_passes)
    {
      return shared_.has_passes;
    }
    else
    {
      return (!ends_elsewhere || gridDim.x > 1) && tiles_.is_active(tile_, 0);
    }
  }

  /// Finds the last pass in which the tile takes part; called by all threads. The result is visible after a barrier.
  MGPU_THRUST_DEVICE void find_passes()
  {
    if constexpr (finds_passes)
    {
      if (threadIdx.x < 32)
      {
        const int last_pass = detail::last_pass_of_tile(tiles_, tile_, merge_plan{gridDim.x}, !ends_elsewhere);
        if (threadIdx.x == 0)
        {
          tiles_.last_passes[tile_] = static_cast<signed char>(last_pass);
          shared_.has_passes = last_pass >= 0;
        }
      }
    }
  }

  /// Prefetches the values of this tile, and the keys of the tile `prefetch_distance` ahead.
  MGPU_THRUST_DEVICE void prefetch() const
  {
    if (has_values_too && threadIdx.x == 0 && !has_indices())
    {
      loader::template prefetch<value>(in_.values + begin_, count_);
    }
    if constexpr (Tiles::knows_all_tiles)
    {
      if (threadIdx.x == 0 && tile_ + prefetch_distance < gridDim.x)
      {
        const std::int64_t later = tiles_.begin(tile_ + prefetch_distance);
        loader::template prefetch<key>(
          in_.keys + later, static_cast<int>(tiles_.begin(tile_ + prefetch_distance + 1) - later));
        if constexpr (Tiles::is_segmented)
        {
          detail::prefetch_heads<threads>(
            tiles_.segments, tiles_.origin(tile_ + prefetch_distance), tiles_.origin(tile_ + prefetch_distance + 1));
        }
      }
    }
  }

  MGPU_THRUST_DEVICE void mark_segments([[maybe_unused]] const heads_of_tile& heads, [[maybe_unused]] bool are_several)
  {
    if constexpr (Tiles::is_segmented)
    {
      if (are_several)
      {
        heads.clear();
        detail::mark_heads<threads>(tiles_.segments, tiles_.origin(tile_), tiles_.origin(tile_ + 1), count_, heads);
        heads.finish(count_);
      }
    }
  }

  /// Reads the thread's keys, which begin with item `first`, into registers. Returns whether they, or the first one and
  /// the key before it, are out of order.
  MGPU_THRUST_DEVICE bool
  read_own(const slot* loaded, int first, const segments_of_tile& segments, const own_range& range, own_items& own)
  {
    bool is_out_of_order = range.count() > 0 && first > 0 && !(segments.are_several() && segments.is_head(first))
                           && order_(loaded[first], loaded[first - 1]);
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      own.keys[k] = loaded[first + k];
    }
#pragma unroll
    for (int k = 0; k + 1 < items; ++k)
    {
      is_out_of_order |= range.are_joined(k) && order_(own.keys[k + 1], own.keys[k]);
    }
    return is_out_of_order;
  }

  /// Sorts the tile by the algorithm for its kind.
  MGPU_THRUST_DEVICE void sort(const segments_of_tile& segments, const own_range& range, own_items& own)
  {
    phases tile(keys(), shared_.numbers, count_, segments, order_);
    if constexpr (ends_elsewhere || !Tiles::may_be_local)
    {
      // Keys may be in any order: no samples are taken on small paths, of segments, or if the result is not in plain
      // memory.
      detail::doubling_tile_sort(tile, own, range, count_, shared_.longest);
    }
    else if (has_passes())
    {
      // Sampled keys were far from their sorted positions, or none were sampled.
      detail::doubling_tile_sort(tile, own, range, count_, shared_.longest);
    }
    else
    {
      // Sampled keys were near their sorted positions: tiles are merged at their borders next.
      detail::near_tile_sort(tile, own, range);
    }
  }

  /// Copies a tile that is in order.
  template <class Target>
  MGPU_THRUST_DEVICE void copy_to(const Target& target, const slot* loaded) const
  {
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += threads)
    {
      if (detail::takes_keys(target))
      {
        *(target.keys + (begin_ + i)) = detail::staged_value(loaded[i]);
      }
      if (has_indices())
      {
        put_index(target, i, i);
      }
      else if constexpr (has_values_too)
      {
        *(target.values + (begin_ + i)) = detail::element(in_.values, begin_ + i);
      }
    }
  }

  /// Writes the sorted keys and values, coalesced, which takes less time here than bulk copies (TMA). All values are
  /// loaded before the first is written, as it may overwrite another one.
  template <class Target>
  MGPU_THRUST_DEVICE void write_to(const Target& target)
  {
    const int thread = static_cast<int>(threadIdx.x);
    if (detail::takes_keys(target))
    {
#pragma unroll 4
      for (int i = thread; i < count_; i += threads)
      {
        *(target.keys + (begin_ + i)) = detail::staged_value(keys()[i]);
      }
    }
    if (has_indices())
    {
#pragma unroll 4
      for (int i = thread; i < count_; i += threads)
      {
        put_index(target, i, shared_.numbers[i]);
      }
    }
    else if constexpr (has_values_too)
    {
      __syncthreads();
      auto* const values = reinterpret_cast<value*>(shared_.buffer);
      detail::start_to_load_values<threads>(in_.values + begin_, count_, values);
      detail::wait_for_values();
#pragma unroll 4
      for (int i = thread; i < count_; i += threads)
      {
        *(target.values + (begin_ + i)) = values[shared_.numbers[i]];
      }
    }
  }

  /// Sorts a tile by ranked_tile_sort, and writes it, a thread per element. All values are loaded before the first is
  /// written.
  MGPU_THRUST_DEVICE void sort_by_ranks(loader& load, const slot* loaded) const
  {
    const int i = static_cast<int>(threadIdx.x);
    if (i < count_)
    {
      shared_.numbers[i] = static_cast<::cuda::std::uint16_t>(i);
    }
    load.wait();
    detail::ranked_tile_sort<threads>(loaded, count_, shared_.numbers, order_);
    const int from = i < count_ ? shared_.numbers[i] : 0;
    if (i < count_ && detail::takes_keys(out_))
    {
      *(out_.keys + (begin_ + i)) = detail::staged_value(loaded[from]);
    }
    if (has_indices())
    {
      if (i < count_)
      {
        put_index(out_, i, from);
      }
    }
    else if constexpr (has_values_too)
    {
      const value moved = detail::element(in_.values, begin_ + from);
      __syncthreads();
      if (i < count_)
      {
        *(out_.values + (begin_ + i)) = moved;
      }
    }
  }

  /// Writes the index of the item at position `from` to position `at`.
  template <class Target>
  MGPU_THRUST_DEVICE void put_index(const Target& target, int at, [[maybe_unused]] int from) const
  {
    if constexpr (may_be_indices)
    {
      *(target.values + (begin_ + at)) = static_cast<value>(begin_ + from);
    }
  }

  MGPU_THRUST_DEVICE slot* keys() const
  {
    return reinterpret_cast<slot*>(shared_.buffer);
  }

  TempStorage& shared_;
  const In& in_;
  const To& to_;
  const Out& out_;
  const Tiles& tiles_;
  compare_staged<Compare> order_;
  std::int64_t tile_;
  std::int64_t begin_;
  int count_;
};

/// Returns tiles that a block sort can read repeatedly. A known size is in constant memory. A deferred one is copied to
/// shared memory: for one in registers nvcc 13.0 spills 25 others. Called by all threads of a block.
template <class Tiles>
MGPU_THRUST_DEVICE const auto& keep_tiles(const Tiles& tiles)
{
  if constexpr (Tiles::is_deferred)
  {
    __shared__ decltype(tiles.now()) now;
    if (threadIdx.x == 0)
    {
      now = tiles.now();
    }
    __syncthreads();
    return now;
  }
  else
  {
    return tiles;
  }
}

/// Sorts a tile per block, each segment of it, from `in` to `to`, or to `out` if no pass has work in the tile. These
/// may be the same. Sets is_same[tile] to false: the buffers of the passes differ. If MayBeEmpty, tiles are for the
/// capacities, and blocks of empty tiles return.
template <class Shapes, bool MayBeEmpty, class In, class To, class Out, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  block_sort_kernel(In in, To to, Out out, Tiles given, Compare comp, unsigned char* is_same)
{
  using tiles_type = std::decay_t<decltype(detail::keep_tiles(given))>;
  using tile = block_sort_tile<Shapes, In, To, Out, tiles_type, Compare>;
  __shared__ typename tile::TempStorage shared;
  static_assert(
    sizeof(shared) + (MayBeEmpty ? max_shared_bytes_of_function : 0) <= max_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");
  if constexpr (MayBeEmpty || Tiles::is_segmented)
  {
    // The origins of tiles, or the number of elements, are known now.
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
  }
  if constexpr (MayBeEmpty)
  {
    // All threads return together, and nvcc sees that; otherwise it spills.
    if (!__syncthreads_or(given.begin(blockIdx.x) < given.begin(blockIdx.x + 1)))
    {
      if constexpr (Tiles::is_segmented)
      {
        if (threadIdx.x == 0)
        {
          given.last_passes[blockIdx.x] = -1;
        }
      }
      return;
    }
  }
  if (threadIdx.x == 0)
  {
    is_same[blockIdx.x] = false;
  }
  const tiles_type& tiles = detail::keep_tiles(given);
  tile(shared, in, to, out, tiles, comp).process();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tiles of a unit of windows: what a block does with them.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/load/converted_items.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/segments/block_segment_prefix.cuh>
#include <mgpu_thrust/detail/window_reduce/disjoint_table.h>
#include <mgpu_thrust/detail/window_reduce/units.cuh>
#include <mgpu_thrust/detail/window_reduce/window_group.cuh>

#include <cstdint>
#include <new>

#include <nv/target>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Stages the tiles of a unit so that each of its windows takes few operations. A group is the items of one thread.
///
///   Windows that begin and end in different tiles: suffixes of the tile of begins, prefixes of the tile of ends, and
///   the reduction of all tiles between them.
///
///       begin tile                  tiles between               end tile
///       . . . . b ============ |  ====================  |  ============== e . . .
///               suffixes[b]             between              prefixes[e - 1]
///
///   Windows in one tile: suffixes and prefixes of groups, and a disjoint_table of the groups' totals.
///
///       . . b === | ========== | ========== | ===== e . .
///        suffix          run of groups        prefix
///
/// Shared memory, from left to right, in each phase:
///
///                       +---------------+---------------+--------------+-----------+
///                       | suffixes      | prefixes      | table        | between   |
///     1. load           | items arrive  | items arrive  |              | written   |
///     2. two tiles      | replaced      | replaced      |              |           |
///        one tile       | written       | replaced      | filled       |           |
///     3. reduce windows | read          | read          | read         | read      |
///                       +---------------+---------------+--------------+-----------+
template <class Shape, class T, class Reduction>
class window_tiles
{
  static constexpr int threads = Shape::threads;
  static constexpr int group_items = Shape::items_per_thread;
  static constexpr int granule = load_granule<T>;
  using loader = tile_loader<threads>;
  using item_type = staged_t<T>;
  using scan = block_segment_prefix<threads, T>;

public:
  struct TempStorage
  {
    alignas(granule) unsigned char suffixes[Shape::items * sizeof(T) + granule];
    alignas(granule) unsigned char prefixes[Shape::items * sizeof(T) + granule];
    alignas(granule) unsigned char table[Shape::log_threads * threads * sizeof(T)];
    alignas(granule) typename scan::storage prefix_scan; // aligned: each thread may load 16 bytes of one at once
    alignas(granule) typename scan::storage suffix_scan;
    alignas(granule) unsigned char between[sizeof(T)];
    typename loader::storage loading;
  };

  MGPU_THRUST_DEVICE window_tiles(TempStorage& shared, Reduction& reduction, std::int64_t num_items)
      : shared_(shared)
      , reduction_(reduction)
      , num_items_(num_items)
      , thread_(static_cast<int>(threadIdx.x))
  {
  }

  /// Stores the reduction of a full tile. Has barriers.
  MGPU_THRUST_DEVICE void reduce(int tile, T* total)
  {
    free_buffers();
    loader load(shared_.loading, 1);
    prefixes_ = load_tile(load, tile, shared_.prefixes);
    prefix_tile_ = tile;
    load.wait();
    auto op = directed<false>();
    group<false> own(prefixes_, thread_, Shape::items - 1, reduction_.init);
    own.reduce(op);
    const T before = scan::before(shared_.prefix_scan, own.total(), false, op).value;
    if (thread_ == threads - 1)
    {
      ::new (static_cast<void*>(total)) T(op(before, own.total()));
    }
  }

  /// Stages the tiles of a unit, unless they are staged already. `totals` are those of all tiles. Has barriers.
  MGPU_THRUST_DEVICE void stage(const window_unit& unit, const disjoint_table<T>& totals)
  {
    if (unit.begin_tile != suffix_tile_ || unit.end_tile != prefix_tile_)
    {
      if (unit.begin_tile == unit.end_tile)
      {
        stage_one(unit.end_tile);
      }
      else
      {
        stage_two(unit, totals);
      }
      suffix_tile_ = unit.begin_tile;
      prefix_tile_ = unit.end_tile;
      suffix_positions_ = positions_in(unit.begin_tile);
      prefix_positions_ = positions_in(unit.end_tile);
      __syncthreads();
    }
  }

  /// Prefetches the tiles of a unit that are not staged; called by one thread.
  MGPU_THRUST_DEVICE void prefetch(const window_unit& unit) const
  {
    if (unit.begin_tile <= unit.end_tile)
    {
      prefetch_tile(unit.end_tile);
      prefetch_tile(unit.begin_tile);
    }
  }

  /// Returns the reduction of init and the items from `begin` to `last`, which are in the staged tiles, and more than
  /// max_short_window. The lower halves of their indices are enough. For other items it returns any value.
  MGPU_THRUST_DEVICE T window(unsigned begin, unsigned last_item)
  {
    const bool are_two = suffix_tile_ != prefix_tile_;
    const int first = suffix_positions_.of(begin);
    const int last = prefix_positions_.of(last_item);
    T value = joined(reduction_.init, staged(suffixes_, first));
    if (are_two)
    {
      if (suffix_tile_ + 1 != prefix_tile_)
      {
        value = joined(value, static_cast<const T&>(*between()));
      }
    }
    else
    {
      const int first_group = first / group_items + 1;
      const int last_group = last / group_items - 1;
      if (first_group <= last_group)
      {
        value = joined(value, table().run(first_group, last_group, reduction_.op));
      }
    }
    return joined(value, staged(prefixes_, last));
  }

private:
  /// The positions of items in a staged tile.
  struct tile_positions
  {
    unsigned first_item;
    unsigned last;

    /// Returns the position of an item of the tile, and that of one of them for any other item.
    MGPU_THRUST_DEVICE int of(unsigned item) const
    {
      return static_cast<int>((min) (item - first_item, last));
    }
  };
  MGPU_THRUST_DEVICE tile_positions positions_in(int tile) const
  {
    return {static_cast<unsigned>(tile) * Shape::items, static_cast<unsigned>(items_of(tile)) - 1};
  }

  MGPU_THRUST_DEVICE T joined(const T& left, const T& right)
  {
    return static_cast<T>(reduction_.op(left, right));
  }
  MGPU_THRUST_DEVICE static const T& staged(const item_type* items, int position)
  {
    return detail::staged_value(items[position]);
  }
  MGPU_THRUST_DEVICE T* between() const
  {
    return reinterpret_cast<T*>(shared_.between);
  }
  MGPU_THRUST_DEVICE disjoint_table<T> table() const
  {
    return {reinterpret_cast<T*>(shared_.table), threads};
  }
  MGPU_THRUST_DEVICE int items_of(int tile) const
  {
    return static_cast<int>((min) (num_items_ - std::int64_t{tile} * Shape::items, std::int64_t{Shape::items}));
  }
  MGPU_THRUST_DEVICE item_type* load_tile(loader& load, int tile, unsigned char* to) const
  {
    return const_cast<item_type*>(load.template load<T>(
      detail::values_from<T>(reduction_.input + std::int64_t{tile} * Shape::items), items_of(tile), to));
  }
  MGPU_THRUST_DEVICE void prefetch_tile(int tile) const
  {
    if (tile != prefix_tile_ && tile != suffix_tile_)
    {
      loader::template prefetch<T>(
        detail::values_from<T>(reduction_.input + std::int64_t{tile} * Shape::items), items_of(tile));
    }
  }
  /// Ends the use of what is staged, before a load.
  MGPU_THRUST_DEVICE void free_buffers()
  {
    loader::fence_writes();
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (), (__syncthreads();)) // from sm_90 on, the loader has a barrier
    if (prefix_tile_ >= 0)
    {
      loader::release(shared_.loading);
    }
  }

  template <bool IsSuffix>
  using directed_op = directed_operator<IsSuffix, T, decltype(Reduction::op)>;
  template <bool IsSuffix>
  using group = window_group<group_items, IsSuffix, T, directed_op<IsSuffix>>;
  template <bool IsSuffix>
  MGPU_THRUST_DEVICE directed_op<IsSuffix> directed() const
  {
    return {reduction_.op};
  }

  /// Stages a tile for windows inside it.
  MGPU_THRUST_DEVICE void stage_one(int tile)
  {
    free_buffers();
    loader load(shared_.loading, 1);
    prefixes_ = load_tile(load, tile, shared_.prefixes);
    suffixes_ = reinterpret_cast<item_type*>(shared_.suffixes);
    load.wait();
    const int last = items_of(tile) - 1;
    auto suffix_op = directed<true>();
    group<true> suffixes(prefixes_, thread_, last, reduction_.init);
    suffixes.reduce(suffix_op);
    suffixes.write(suffixes_);
    auto prefix_op = directed<false>();
    group<false> prefixes(prefixes_, thread_, last, reduction_.init);
    prefixes.reduce(prefix_op);
    prefixes.write(prefixes_);

    const int groups = last / group_items + 1;
    const disjoint_table<T> totals = table();
    totals.put(0, thread_, T(prefixes.total()));
#pragma unroll 1
    for (int row = 1; row < Shape::log_threads; ++row)
    {
      if (2 << row <= 32)
      {
        __syncwarp();
      }
      else
      {
        __syncthreads();
      }
      totals.fill(row, thread_, groups, reduction_.op);
    }
  }

  /// Stages two tiles for windows from one to the other.
  MGPU_THRUST_DEVICE void stage_two(const window_unit& unit, const disjoint_table<T>& totals)
  {
    const bool were_two = suffix_tile_ != prefix_tile_;
    const bool has_suffixes = were_two && unit.begin_tile == suffix_tile_;
    const bool has_prefixes = were_two && unit.end_tile == prefix_tile_;
    free_buffers();
    loader load(shared_.loading, !has_suffixes + !has_prefixes);
    if (!has_suffixes)
    {
      suffixes_ = load_tile(load, unit.begin_tile, shared_.suffixes);
    }
    if (!has_prefixes)
    {
      prefixes_ = load_tile(load, unit.end_tile, shared_.prefixes);
    }
    if (unit.begin_tile + 1 < unit.end_tile)
    {
      reduce_between(totals, unit.begin_tile + 1, unit.end_tile);
    }
    load.wait();
    if (!has_suffixes)
    {
      scan_items<true>(suffixes_, Shape::items - 1);
    }
    if (!has_prefixes)
    {
      scan_items<false>(prefixes_, items_of(unit.end_tile) - 1);
    }
  }

  /// Stores the reduction of full tiles [tile, end_tile). One thread does it by the table. If there is row 0 alone, all
  /// threads reduce that, and if there are no totals, the items. Then there are barriers.
  MGPU_THRUST_DEVICE void reduce_between(const disjoint_table<T>& totals, int tile, int end_tile)
  {
    if (totals.count > 0)
    {
      if (thread_ == 0)
      {
        ::new (static_cast<void*>(between())) T(totals.run(tile, end_tile - 1, reduction_.op));
      }
      return;
    }
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the totals are complete now
    auto op = directed<false>();
    const int scale = totals.entries != nullptr ? 1 : Shape::items;
    const int count = (end_tile - tile) * scale;
    const int each = (count - 1) / threads + 1;
    const int first = thread_ * each;
    const int end = (min) (first + each, count);
    T own = reduction_.init; // any value, if the thread has nothing to reduce
    for (int i = first; i < end; ++i)
    {
      const T next = totals.entries != nullptr ? totals.entries[tile + i] : reduction_.item(tile * scale + i);
      own = i == first ? next : op(own, next);
    }
    const T before = scan::before(shared_.prefix_scan, own, first >= end, op).value;
    if (first < end && end == count)
    {
      ::new (static_cast<void*>(between())) T(first == 0 ? own : op(before, own));
    }
    __syncthreads();
  }

  /// Replaces the items of a tile by its prefixes or suffixes. Threads have groups in the direction of the scan.
  template <bool IsSuffix>
  MGPU_THRUST_DEVICE void scan_items(item_type* tile, int last)
  {
    auto op = directed<IsSuffix>();
    group<IsSuffix> own(tile, IsSuffix ? threads - 1 - thread_ : thread_, last, reduction_.init);
    own.reduce(op);
    const T before =
      scan::before(IsSuffix ? shared_.suffix_scan : shared_.prefix_scan, own.total(), own.is_empty(), op).value;
    if (thread_ > 0)
    {
      own.append_to(before, op);
    }
    own.write(tile);
  }

  TempStorage& shared_;
  Reduction& reduction_;
  std::int64_t num_items_;
  int thread_;
  int suffix_tile_ = -1; ///< the staged tiles; the same if it is one
  int prefix_tile_ = -1;
  tile_positions suffix_positions_;
  tile_positions prefix_positions_;
  item_type* suffixes_ = nullptr;
  item_type* prefixes_ = nullptr;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

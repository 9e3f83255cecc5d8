// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A tile of a compaction: what a block does with it.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_compact/tuning.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/place/tile_marks.cuh>
#include <mgpu_thrust/detail/tile/segments/tile_bits.cuh>
#include <mgpu_thrust/detail/tile/segments/tile_segments.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Keeps some of the items of one tile: up to Shape::items items, and the ends of segments among them. All threads of
/// the block call find(), and after a barrier write().
///
/// Items are numbered from the first of the tile. If a Keep compares items, the one before the tile is staged with
/// them, as item -1, unless the tile begins with the first item of all.
///
/// Shared memory, from left to right, in each phase:
///
///                 +--------------+-------------------+------------------------------+
///                 | items        | marks             | kept                         |
///     1. load     | items arrive | cleared, then set |                              |
///     2. find     | read         | read              | a bit an item, then counted  |
///     3. gather   | moved        |                   | read                         |
///     4. write    | read         |                   | read                         |
///                 +--------------+-------------------+------------------------------+
///
/// The members do not overlap.
template <class Shape, class Compaction, class Offsets>
class compact_tile
{
  using item_type = typename Compaction::item_type;
  using keep_type = typename Compaction::keep_type;
  using segments_type = tile_segments<Shape, Offsets>;
  using bits_type = tile_bits<Shape::threads, Shape::items>;
  using marks_type = tile_marks<Shape::threads, Shape::items_per_thread>;
  using loader = tile_loader<Shape::threads>;
  static constexpr bool stages_items = sizeof(item_type) <= largest_compacted_item;
  static constexpr int granule = load_granule<item_type>;

public:
  struct TempStorage
  {
    typename bits_type::storage kept;
    typename loader::storage loading;
    std::conditional_t<keep_type::compares, typename marks_type::storage, nothing> starts;
    alignas(granule) unsigned char items[(stages_items ? Shape::items + 1 : 0) * sizeof(item_type) + granule];
  };

  /// Prefetches the items and the offsets of the tile from begins[0] to begins[1]; called by one thread.
  MGPU_THRUST_DEVICE static void
  prefetch(const Compaction& compact, const segments<Offsets>& in, const load_balance_point* begins)
  {
    segments_type::prefetch(in, begins[0], begins[1]);
    loader::template prefetch<item_type>(
      compact.input + begins[0].item_index, static_cast<int>(begins[1].item_index - begins[0].item_index));
  }

  /// The tile from `begin` to `end`.
  MGPU_THRUST_DEVICE compact_tile(
    TempStorage& shared, const Compaction& compact, const segments<Offsets>& in, const load_balance_point& begin,
    const load_balance_point& end)
      : shared_(shared)
      , compact_(compact)
      , segments_(in, begin, end)
      , begin_(begin)
      , has_before_(keep_type::compares && begin.item_index > 0)
      , kept_(shared.kept)
  {
  }

  /// Finds which items are kept, and returns their number. One thread calls prefetch() while the items arrive.
  template <class Prefetch>
  MGPU_THRUST_DEVICE int find(keep_type& keep, Prefetch prefetch)
  {
    if (segments_.count <= 0)
    {
      return 0;
    }

    // 1. Load the items, and mark those at which segments start, if that matters.
    if constexpr (keep_type::compares)
    {
      starts().clear();
    }
    loader load(shared_.loading, 1);
    items_ = load.template load<item_type>(
               compact_.input + (begin_.item_index - has_before_), stages_items ? segments_.count + has_before_ : 0,
               shared_.items)
             + has_before_;
    if (threadIdx.x == Shape::threads - 1)
    {
      prefetch();
    }
    if constexpr (keep_type::compares)
    {
      __syncthreads();
      for_each_start(
        [&](int, int first)
        {
          if (first < segments_.count)
          {
            starts().set(first);
          }
        });
    }
    load.wait();

    // 2. Find which are kept.
    return kept_.find(
      segments_.count,
      [&](int index)
      {
        return keep(
          item(index), [&] { return is_first(index); }, [&]() -> decltype(auto) { return item(index - 1); },
          [&] { return segment_of(index); });
      });
  }

  /// Moves the `kept` items together, if they are staged and enough others are among them; called by all threads before
  /// the tile waits for its offset, so that they are then written fast. Otherwise they are written from where they are.
  MGPU_THRUST_DEVICE void gather(int kept)
  {
    if constexpr (stages_items)
    {
      is_gathered_ = kept > 0 && 8 * kept < 7 * segments_.count;
      if (is_gathered_)
      {
        __syncthreads();
        auto* const items = const_cast<staged_t<item_type>*>(items_);
        kept_.move_to_front(reinterpret_cast<uninitialized<staged_t<item_type>>*>(items), segments_.count);
      }
    }
  }

  /// Writes the `kept` items that are kept from `offset` on, and the offsets of the segments that start in the tile.
  /// One that starts with the item after the tile starts in the next tile, unless it ends in this one.
  MGPU_THRUST_DEVICE void write(std::int64_t offset, int kept) const
  {
    const auto to = compact_.output + offset;
    if (is_gathered_)
    {
#pragma unroll 4
      for (int i = static_cast<int>(threadIdx.x); i < kept; i += Shape::threads)
      {
        *(to + i) = item(i);
      }
    }
    else if (kept > 0)
    {
      kept_.for_each(segments_.count, [&](int index, int rank) { *(to + rank) = item(index); });
    }
    const auto offsets_to = compact_.offsets_output + begin_.segment_index;
    for_each_start(
      [&](int segment, int index)
      {
        const bool is_inside = index < segments_.count;
        if (is_inside || segment < segments_.ends)
        {
          const std::int64_t before = offset + (is_inside ? kept_.before(index) : kept);
          *(offsets_to + segment) = static_cast<typename Compaction::offset_type>(before);
        }
      });
  }

private:
  /// Returns an item.
  MGPU_THRUST_DEVICE decltype(auto) item(int index) const
  {
    if constexpr (stages_items)
    {
      return detail::staged_value(items_[index]);
    }
    else
    {
      return detail::element(compact_.input, begin_.item_index + index);
    }
  }

  /// Calls f(segment, item) for each segment that starts in the tile, or with the item after it. A thread reads a batch
  /// of starts before it calls f with the first.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each_start(Function f) const
  {
    constexpr int batch = 4;
    for (int first = static_cast<int>(threadIdx.x); first < segments_.starts(); first += batch * Shape::threads)
    {
      int starts[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        starts[k] = segments_.start((min) (first + k * Shape::threads, segments_.starts() - 1));
      }
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        const int segment = first + k * Shape::threads;
        if (segment < segments_.starts() && segments_.starts_inside(segment))
        {
          f(segment, (min) ((max) (starts[k], 0), segments_.count));
        }
      }
    }
  }

  /// Whether an item is the first of its segment, if that matters.
  MGPU_THRUST_DEVICE bool is_first([[maybe_unused]] int index) const
  {
    if constexpr (keep_type::compares)
    {
      return (index == 0 && !has_before_) || starts().is_set(index);
    }
    else
    {
      return false;
    }
  }
  /// The number of an item's segment; if offsets are wrong, of any that there is.
  MGPU_THRUST_DEVICE std::int64_t segment_of(int index) const
  {
    return begin_.segment_index + (min) (segments_.segment_of(index), segments_.starts() - 1);
  }
  MGPU_THRUST_DEVICE marks_type starts() const
  {
    return marks_type(shared_.starts);
  }

  TempStorage& shared_;
  const Compaction& compact_;
  segments_type segments_;
  load_balance_point begin_;
  bool has_before_; ///< whether item -1 is read
  bits_type kept_;
  const staged_t<item_type>* items_ = nullptr; ///< in shared memory, if they are staged
  bool is_gathered_ = false;                   ///< whether items that are kept are the first of them
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A tile of intervals: finds the points of each, by the threads of a block.

#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/ranges/serial.h>
#include <mgpu_thrust/detail/join/ranges/tuning.h>
#include <mgpu_thrust/detail/join/rows/row_words.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/load/tile_stage.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A tile of intervals_of_tile() intervals, for the threads of a block, who call each function together. Where begins
/// and ends ascend, they are between those of the first and the last interval. If there are few points from the first
/// begin to the last end, the block stages them, and searches there for all intervals together. If there are few
/// between the begins, and few between the ends, it searches these together. Otherwise each thread searches all points.
template <class Shape, class Kind, class Inputs, class Compare>
class interval_tile
{
  using tiling = interval_tiling<Shape, largest_key_bytes<Inputs>>;
  using point = b_key_t<Inputs>;
  using end_type = typename ::cuda::std::iterator_traits<decltype(Inputs::ends)>::value_type;
  using loader = tile_loader<Shape::threads>;
  using block_search = BlockSortedSearch<Shape::threads, Shape::items>;
  static constexpr int granule = load_granule<point>;
  static constexpr int max_points = tiling::max_points;
  static_assert(2 * max_points < half_words::limit, "positions and numbers of staged points fit packed words");

public:
  static constexpr bool has_needles = true;

  /// The first point of each interval, if it has any, and the number of its points.
  struct wide_rows
  {
    std::int64_t first[Shape::items];
    std::int64_t count[Shape::items];
  };

  /// Points between which the begins of the tile are, and the ends.
  struct bounds_of_tile
  {
    tile_range begins;
    tile_range ends;
  };

  // Shared memory, from left to right as it is laid out. The block stages rows where the points were:
  //
  //                      | wide, points, rows          | packed
  //   -------------------+-----------------------------+-----------------
  //   points staged      | points, then rows           | rows of intervals
  //   points not staged  | rows of intervals           |
  struct TempStorage
  {
    union
    {
      wide_rows wide;
      alignas(granule) unsigned char points[max_points * sizeof(staged_t<point>) + 2 * granule];
      packed_row rows[Shape::staged_rows];
    };
    packed_left_rows packed[Shape::items]; ///< points are counted from first_point()
    typename loader::storage loading;
    typename block_search::TempStorage search;
    bounds_of_tile bounds;
  };

  MGPU_THRUST_DEVICE interval_tile(const Inputs& inputs, Compare comp, int index)
      : inputs_(inputs)
      , comp_(comp)
      , first_(index * of_tile(inputs))
      , count_(static_cast<int>((min) (inputs.a_count - first_, of_tile(inputs))))
  {
  }

  MGPU_THRUST_DEVICE tile_begin begin() const
  {
    return {first_, 0};
  }
  MGPU_THRUST_DEVICE int count() const
  {
    return count_;
  }
  /// The first staged point; 0 if none is.
  MGPU_THRUST_DEVICE std::int64_t first_point() const
  {
    return first_point_;
  }
  MGPU_THRUST_DEVICE bool is_staged() const
  {
    return is_staged_;
  }

  /// Finds the points of each interval, and stores them to the shared memory. Calls found(position, count) once for
  /// each, on some thread, with the number of its points. There is no barrier after the calls.
  template <class Found>
  MGPU_THRUST_DEVICE void find(TempStorage& shared, Found found)
  {
    if constexpr (max_points > 0)
    {
      if (count_ > 0 && tiling::staged_intervals(inputs_.a_count, inputs_.b_count) > 0 && find_together(shared, found))
      {
        return;
      }
    }
    find_each(shared, found);
  }

  /// Lets a later tile use the shared memory that threads have written; called by all threads.
  MGPU_THRUST_DEVICE static void fence_writes()
  {
    loader::fence_writes();
  }

private:
  MGPU_THRUST_DEVICE static std::int64_t of_tile(const Inputs& inputs)
  {
    return tiling::intervals_of_tile(inputs.a_count, inputs.b_count);
  }

  /// Finds all begins, then all ends. Returns false, and calls nothing, if begins or ends do not ascend, or if an int
  /// does not count the points between them.
  template <class Found>
  MGPU_THRUST_DEVICE bool find_together(TempStorage& shared, Found found)
  {
    find_bounds(shared.bounds);
    const tile_range begins = shared.bounds.begins;
    const tile_range ends = shared.bounds.ends;
    const tile_range points{begins.first, (max) (begins.last, ends.last)};
    if (begins.last < begins.first || ends.last < ends.first)
    {
      return false;
    }
    if (points.last - points.first <= max_points)
    {
      return find_among_staged(shared, points, found);
    }
    const std::int64_t most = (max) (begins.last - begins.first, ends.last - ends.first);
    return most <= largest_index<int> && find_apart(shared, begins, ends, found);
  }

  /// Finds between which points begins and ends are, if both ascend. Four warps find a bound each, and another
  /// prefetches the intervals.
  MGPU_THRUST_DEVICE void find_bounds(bounds_of_tile& bounds)
  {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const std::int64_t last = first_ + count_ - 1;
    if (warp == 0)
    {
      bounds.begins.first = find_around<Kind::begin>(inputs_.a, first_).first;
    }
    else if (warp == 1)
    {
      bounds.begins.last = find_around<Kind::begin>(inputs_.a, last).last;
    }
    else if (warp == 2)
    {
      bounds.ends.first = find_around<Kind::end>(inputs_.ends, first_).first;
    }
    else if (warp == 3)
    {
      bounds.ends.last = find_around<Kind::end>(inputs_.ends, last).last;
    }
    else if (threadIdx.x == Shape::threads - 1)
    {
      loader::template prefetch<a_key_t<Inputs>>(inputs_.a + first_, count_);
      loader::template prefetch<end_type>(inputs_.ends + first_, count_);
    }
    __syncthreads();
  }
  /// Returns a few points around the bound of needle i. They are most likely where the intervals' share of the points
  /// ends.
  template <search_bound Bound, class Needles>
  MGPU_THRUST_DEVICE tile_range find_around(Needles needles, std::int64_t i)
  {
    constexpr std::int64_t few = 64;
    const lies_before<Bound, Compare> before_needle{comp_};
    auto&& needle = detail::element(needles, i);
    const auto before = [&](std::int64_t at) { return before_needle(detail::element(inputs_.b, at), needle); };
    const float share = static_cast<float>(i) / static_cast<float>(inputs_.a_count);
    tile_range around = detail::warp_narrow_after(0, inputs_.b_count, share, before);
    while (around.last - around.first > few)
    {
      const warp_probes<std::int64_t> probes{around.first, (around.last - around.first) / 32 + 1};
      probes.narrow(around.first, around.last, probes.look(around.first, around.last, before));
    }
    return around;
  }

  /// Whether element i of the tile's needles is not before the one in front of it.
  template <class Needles>
  MGPU_THRUST_DEVICE bool is_in_order(Needles needles, int i)
  {
    const std::int64_t at = first_ + i;
    return i == 0 || !comp_(detail::element(needles, at), detail::element(needles, at - 1));
  }

  /// Stages the points, and searches there for all begins together, then for all ends. Returns false if begins or ends
  /// do not ascend: what is found is wrong then.
  template <class Found>
  MGPU_THRUST_DEVICE bool find_among_staged(TempStorage& shared, const tile_range& points, Found found)
  {
    loader load(shared.loading, 1);
    const int count = static_cast<int>(points.last - points.first);
    const staged_t<point>* const staged = load.template load<point>(inputs_.b + points.first, count, shared.points);
    load.wait();
    is_staged_ = find_begins(
      shared, staged, count, [&](int i, int bound) { shared.packed[i] = packed_left_rows::pack(bound, 0); });
    loader::release(shared.loading);
    if (is_staged_)
    {
      first_point_ = points.first;
      search_together<Kind::end>(
        shared, inputs_.ends + first_, staged, count,
        [&](int i, int bound)
        {
          const int first = shared.packed[i].first_match();
          const int points_of_i = (max) (bound - first, 0);
          shared.packed[i] = packed_left_rows::pack(first, points_of_i);
          found(i, std::int64_t{points_of_i});
        });
    }
    return is_staged_;
  }

  /// Searches for all begins together, and for all ends, in points that are apart. Returns false as find_among_staged.
  template <class Found>
  MGPU_THRUST_DEVICE bool find_apart(TempStorage& shared, const tile_range& begins, const tile_range& ends, Found found)
  {
    const bool ascend = find_begins(
      shared, inputs_.b + begins.first, static_cast<int>(begins.last - begins.first),
      [&](int i, int bound) { shared.wide.first[i] = begins.first + bound; });
    if (ascend)
    {
      search_together<Kind::end>(
        shared, inputs_.ends + first_, inputs_.b + ends.first, static_cast<int>(ends.last - ends.first),
        [&](int i, int bound)
        {
          const std::int64_t count = (max) (ends.first + bound - shared.wide.first[i], std::int64_t{0});
          shared.wide.count[i] = count;
          found(i, count);
        });
    }
    return ascend;
  }

  /// Searches for all begins together, and calls put(position, bound) for each. Returns whether begins and ends ascend.
  template <class Points, class Put>
  MGPU_THRUST_DEVICE bool find_begins(TempStorage& shared, Points points, int count, Put put)
  {
    bool ascend = true;
    search_together<Kind::begin>(
      shared, inputs_.a + first_, points, count,
      [&](int i, int bound)
      {
        put(i, bound);
        ascend &= is_in_order(inputs_.a, i) & is_in_order(inputs_.ends, i);
      });
    return __syncthreads_and(static_cast<int>(ascend)) != 0;
  }
  template <search_bound Bound, class Needles, class Points, class Put>
  MGPU_THRUST_DEVICE void search_together(TempStorage& shared, Needles needles, Points points, int count, Put put)
  {
    const compare_staged<Compare> comp{comp_};
    block_search search(shared.search);
    if constexpr (Bound == search_bound::lower)
    {
      search.LowerBounds(needles, count_, points, count, comp, put);
    }
    else
    {
      search.UpperBounds(needles, count_, points, count, comp, put);
    }
  }

  /// Searches all points for each begin and each end.
  template <class Found>
  MGPU_THRUST_DEVICE void find_each(TempStorage& shared, Found found)
  {
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += Shape::threads)
    {
      const std::int64_t first = find_alone<Kind::begin>(inputs_.a, i);
      const std::int64_t count = (max) (find_alone<Kind::end>(inputs_.ends, i) - first, std::int64_t{0});
      shared.wide.first[i] = first;
      shared.wide.count[i] = count;
      found(i, count);
    }
  }
  template <search_bound Bound, class Needles>
  MGPU_THRUST_DEVICE std::int64_t find_alone(Needles needles, int i)
  {
    return detail::bound_in_haystack<Bound>(inputs_.b, inputs_.b_count, detail::element(needles, first_ + i), comp_);
  }

  const Inputs& inputs_;
  Compare comp_;
  std::int64_t first_;
  int count_;
  std::int64_t first_point_ = 0;
  bool is_staged_ = false;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

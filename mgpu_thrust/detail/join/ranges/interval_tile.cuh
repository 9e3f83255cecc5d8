// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A tile of intervals: finds the points of each, by the threads of a block.

#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/ranges/serial.h>
#include <mgpu_thrust/detail/join/ranges/tuning.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cstdint>
#include <limits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A tile of intervals_of_tile() intervals, for the threads of a block, who call each function together. Positions are
/// counted from the tile's first interval.
template <class Shape, class Kind, class Inputs, class Compare>
class interval_tile
{
  using block_search = BlockSortedSearch<Shape::threads, Shape::items>;
  static constexpr std::int64_t max_points = (std::numeric_limits<int>::max)(); // that a block searches together

public:
  struct TempStorage
  {
    typename block_search::TempStorage search;
    tile_range points;                ///< between which the bounds of the tile's first and last needle all others are
    std::int64_t first[Shape::items]; ///< the first point of each interval, if it has any
  };

  MGPU_THRUST_DEVICE interval_tile(const Inputs& inputs, Compare comp, int index)
      : inputs_(inputs)
      , comp_(comp)
      , first_(index * detail::intervals_of_tile(inputs.a_count))
      , count_(static_cast<int>((min) (inputs.a_count - first_, detail::intervals_of_tile(inputs.a_count))))
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

  /// Finds the first point of each interval, and calls found(position, end) once for each, on some thread, with the end
  /// of its points, which is not before the first. There is no barrier after the calls.
  template <class Found>
  MGPU_THRUST_DEVICE void find(TempStorage& shared, Found found)
  {
    const auto begins = inputs_.a + first_;
    find_bounds<Kind::begin>(
      shared, begins, [&](int i, std::int64_t bound) { shared.first[i] = bound; },
      [&](int i) {
        return detail::bound_in_haystack<Kind::begin>(inputs_.b, inputs_.b_count, detail::element(begins, i), comp_);
      });
    __syncthreads();

    // An end is most often not far from its begin.
    const auto ends = inputs_.ends + first_;
    find_bounds<Kind::end>(
      shared, ends, [&](int i, std::int64_t bound) { found(i, (max) (bound, shared.first[i])); },
      [&](int i)
      {
        const lies_before<Kind::end, Compare> before{comp_};
        return detail::bound_after(inputs_.b, shared.first[i], inputs_.b_count, detail::element(ends, i), before);
      });
  }

private:
  /// Calls found(i, bound) for each needle i of the tile. Where the needles ascend, and the points are not many times
  /// more than the intervals, the block searches for them together; otherwise bound = find_alone(i).
  template <search_bound Bound, class Needles, class Found, class FindAlone>
  MGPU_THRUST_DEVICE void find_bounds(TempStorage& shared, Needles needles, Found found, FindAlone find_alone)
  {
    if (!bisection<0>::is_for(inputs_.a_count, inputs_.b_count) && ascend(needles))
    {
      const tile_range points = find_points<Bound>(shared, needles);
      const std::int64_t size = (max) (points.last - points.first, std::int64_t{0}); // less if points are not sorted
      if (size <= max_points)
      {
        search_together<Bound>(
          shared, needles, inputs_.b + points.first, static_cast<int>(size),
          [&](int i, int bound) { found(i, points.first + bound); });
        return;
      }
    }
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += Shape::threads)
    {
      found(i, find_alone(i));
    }
  }

  /// Whether the tile's needles ascend. Has a barrier.
  template <class Needles>
  MGPU_THRUST_DEVICE bool ascend(Needles needles)
  {
    bool ascend = true;
    for (int i = static_cast<int>(threadIdx.x) + 1; i < count_; i += Shape::threads)
    {
      ascend &= !comp_(detail::element(needles, i), detail::element(needles, i - 1));
    }
    return __syncthreads_and(static_cast<int>(ascend)) != 0 && count_ > 0;
  }

  /// Finds the bounds of the tile's first and last needle. They are most likely where the intervals' share of the
  /// points ends.
  template <search_bound Bound, class Needles>
  MGPU_THRUST_DEVICE tile_range find_points(TempStorage& shared, Needles needles)
  {
    const lies_before<Bound, Compare> before{comp_};
    return detail::find_tile_range(
      shared.points,
      [&](bool is_first)
      {
        const int i = is_first ? 0 : count_ - 1;
        auto&& needle = detail::element(needles, i);
        return detail::warp_partition_point_after(
          0, inputs_.b_count, static_cast<float>(first_ + i) / static_cast<float>(inputs_.a_count),
          [&](std::int64_t point) { return before(detail::element(inputs_.b, point), needle); });
      });
  }

  template <search_bound Bound, class Needles, class Points, class Found>
  MGPU_THRUST_DEVICE void
  search_together(TempStorage& shared, Needles needles, Points points, int point_count, Found found)
  {
    block_search search(shared.search);
    if constexpr (Bound == search_bound::lower)
    {
      search.LowerBounds(needles, count_, points, point_count, comp_, found);
    }
    else
    {
      search.UpperBounds(needles, count_, points, point_count, comp_, found);
    }
  }

  const Inputs& inputs_;
  Compare comp_;
  std::int64_t first_;
  int count_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

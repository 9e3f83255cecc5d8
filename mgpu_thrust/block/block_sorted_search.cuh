// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// BlockSortedSearch: the bounds of sorted needles in a sorted haystack, by the threads of a block.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/block/shared_places.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/thread/sorted_search.h>

#include <cub/util_type.cuh>

#include <cuda/std/cstdint>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// Finds the bounds of sorted needles in a sorted haystack, both small enough for shared memory, by the threads of a
/// one-dimensional block.
///
/// @tparam BlockThreads threads of the block, a multiple of 32
/// @tparam MostNeedles  needles of a call, at most
///
/// Threads find the bounds of every 64th needle by bisection. A warp then takes 64 needles at a time, two a lane, whose
/// bounds lie between two of these: few steps, the same number for all lanes, without a branch on the data. Work:
/// O(log haystack) for every 64th needle, O(log w) for the others where w elements of the haystack lie between two of
/// these. Needles and haystack may also be in global memory.
///
/// @code{.cu}
/// #include <mgpu_thrust/block/block_sorted_search.cuh>
///
/// #include <cassert>
///
/// __global__ void ranks(const int* needles, int needle_count, const int* haystack, int haystack_count, int* out)
/// {
///   using collective = mgpu::BlockSortedSearch<64, 100>;
///   __shared__ collective::TempStorage temp;
///   const auto store = [=](int i, int bound) { out[i] = bound; };
///   collective(temp).LowerBounds(needles, needle_count, haystack, haystack_count, cuda::std::less<>{}, store);
/// }
///
/// int main()
/// {
///   const int haystack[] = {1, 3, 3, 5}, needles[] = {0, 3, 4, 9};
///   int* memory;
///   cudaMalloc(&memory, 12 * sizeof(int));
///   cudaMemcpy(memory, needles, sizeof(needles), cudaMemcpyHostToDevice);
///   cudaMemcpy(memory + 4, haystack, sizeof(haystack), cudaMemcpyHostToDevice);
///   ranks<<<1, 64>>>(memory, 4, memory + 4, 4, memory + 8);
///   int bounds[4];
///   cudaMemcpy(bounds, memory + 8, sizeof(bounds), cudaMemcpyDeviceToHost);
///   assert(bounds[0] == 0 && bounds[1] == 1 && bounds[2] == 3 && bounds[3] == 4);
///   return 0;
/// }
/// @endcode
///
/// Source: S. Baxter: Modern GPU (2013), for searching sorted needles together; the search in groups is ours.
template <int BlockThreads, int MostNeedles>
class BlockSortedSearch
{
  static_assert(BlockThreads % 32 == 0, "mgpu_thrust: a block is made of whole warps");
  static constexpr int group_needles = 64;
  static constexpr int most_groups = (MostNeedles + group_needles - 1) / group_needles;

  struct temp_storage
  {
    // The bounds of the first needle of each group; behind the last, the haystack's end.
    int lower[most_groups + 1];
    int upper[most_groups + 1];
  };

public:
  /// The shared memory that the collective needs; it may be used again after a barrier.
  struct TempStorage : cub::Uninitialized<temp_storage>
  {
  };

  MGPU_THRUST_DEVICE explicit BlockSortedSearch(TempStorage& shared)
      : shared_(shared.Alias())
  {
  }

  /// Calls found(i, bound) for every needle i, once, by some thread: 32 neighbours by the lanes of a warp. `bound` is
  /// how many elements of the haystack go before the needle. By all threads of the block.
  template <class Needles, class Haystack, class Compare, class Found>
  MGPU_THRUST_DEVICE void
  LowerBounds(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Found found)
  {
    WarpLowerBounds(
      needles, needle_count, haystack, haystack_count, comp,
      [&](int i, int bound, const auto&, bool is_needle)
      {
        if (is_needle)
        {
          found(i, bound);
        }
      });
  }

  /// The same with how many elements of the haystack do not go after the needle.
  template <class Needles, class Haystack, class Compare, class Found>
  MGPU_THRUST_DEVICE void
  UpperBounds(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Found found)
  {
    const upper_test<Compare> before{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.upper);
    for_each_group(
      needles, needle_count,
      [&](int group, int i, const auto& needle_0, const auto& needle_1)
      {
        const auto bounds = narrow(
          haystack, both_at(shared_.upper[group]), shared_.upper[group + 1] - shared_.upper[group], needle_0, needle_1,
          before);
        if (i < needle_count)
        {
          found(i, bounds.of[0]);
        }
        if (i + 32 < needle_count)
        {
          found(i + 32, bounds.of[1]);
        }
      });
  }

  /// The same with both: found(i, lower, upper).
  template <class Needles, class Haystack, class Compare, class Found>
  MGPU_THRUST_DEVICE void
  EqualRanges(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Found found)
  {
    const lower_test<Compare> before{comp};
    const upper_test<Compare> not_after{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.lower);
    find_group_bounds(needles, needle_count, haystack, haystack_count, not_after, shared_.upper);
    for_each_group(
      needles, needle_count,
      [&](int group, int i, const auto& needle_0, const auto& needle_1)
      {
        const int begin = shared_.lower[group];
        const auto lower =
          narrow(haystack, both_at(begin), shared_.lower[group + 1] - begin, needle_0, needle_1, before);
        const auto upper = near_upper_bounds(
          haystack, haystack_count, lower, needle_0, needle_1, not_after,
          [&] {
            return narrow(haystack, both_at(begin), shared_.upper[group + 1] - begin, needle_0, needle_1, not_after);
          });
        if (i < needle_count)
        {
          found(i, lower.of[0], upper.of[0]);
        }
        if (i + 32 < needle_count)
        {
          found(i + 32, lower.of[1], upper.of[1]);
        }
      });
  }

  /// LowerBounds for who calls functions of a warp: found(i, bound, needle, is_needle) is called by all lanes of a warp
  /// at once. Where is_needle is false there is no needle i, and the others are of the last.
  template <class Needles, class Haystack, class Compare, class Found>
  MGPU_THRUST_DEVICE void
  WarpLowerBounds(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Found found)
  {
    const lower_test<Compare> before{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.lower);
    for_each_group(
      needles, needle_count,
      [&](int group, int i, const auto& needle_0, const auto& needle_1)
      {
        const auto bounds = narrow(
          haystack, both_at(shared_.lower[group]), shared_.lower[group + 1] - shared_.lower[group], needle_0, needle_1,
          before);
        found(i, bounds.of[0], needle_0, i < needle_count);
        found(i + 32, bounds.of[1], needle_1, i + 32 < needle_count);
      });
  }

  /// EqualRanges in the same way: found(i, lower, upper, needle, is_needle).
  template <class Needles, class Haystack, class Compare, class Found>
  MGPU_THRUST_DEVICE void
  WarpEqualRanges(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Found found)
  {
    const lower_test<Compare> before{comp};
    const upper_test<Compare> not_after{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.lower);
    for_each_group(
      needles, needle_count,
      [&](int group, int i, const auto& needle_0, const auto& needle_1)
      {
        const int begin = shared_.lower[group];
        const auto lower =
          narrow(haystack, both_at(begin), shared_.lower[group + 1] - begin, needle_0, needle_1, before);
        const auto upper = near_upper_bounds(
          haystack, haystack_count, lower, needle_0, needle_1, not_after,
          [&]
          {
            return two_bounds{
              {partition_point(haystack, lower.of[0], haystack_count, needle_0, not_after),
               partition_point(haystack, lower.of[1], haystack_count, needle_1, not_after)}};
          });
        found(i, lower.of[0], upper.of[0], needle_0, i < needle_count);
        found(i + 32, lower.of[1], upper.of[1], needle_1, i + 32 < needle_count);
      });
  }

private:
  template <class Compare>
  using lower_test = detail::lies_before<detail::search_bound::lower, Compare>;
  template <class Compare>
  using upper_test = detail::lies_before<detail::search_bound::upper, Compare>;

  /// The bounds of a lane's two needles, or where these are searched for.
  struct two_bounds
  {
    int of[2];
  };
  MGPU_THRUST_DEVICE static two_bounds both_at(int place)
  {
    return {{place, place}};
  }

  /// Where `before` gets false in [begin, end) of the haystack.
  template <class Haystack, class Needle, class Before>
  MGPU_THRUST_DEVICE static int
  partition_point(Haystack haystack, int begin, int end, const Needle& needle, Before before)
  {
    while (begin < end)
    {
      const int middle = (begin + end) / 2;
      const bool is_before = before(detail::element(haystack, middle), needle);
      begin = is_before ? middle + 1 : begin;
      end = is_before ? end : middle;
    }
    return begin;
  }

  /// The upper bounds of a lane's needles. Most likely they are near the lower ones, for all lanes; else it returns
  /// find(). (The last needles of a group may equal the first of the next, so they may even lie behind the lower bound
  /// of that.)
  template <class Haystack, class Needle, class NotAfter, class Find>
  MGPU_THRUST_DEVICE static two_bounds near_upper_bounds(
    Haystack haystack, int haystack_count, two_bounds lower, const Needle& needle_0, const Needle& needle_1,
    NotAfter not_after, Find find)
  {
    constexpr int near = 7;
    const bool is_near = max(lower.of[0], lower.of[1]) + near < haystack_count
                         && !not_after(detail::element(haystack, lower.of[0] + near), needle_0)
                         && !not_after(detail::element(haystack, lower.of[1] + near), needle_1);
    return __all_sync(~0u, is_near) ? narrow(haystack, lower, near, needle_0, needle_1, not_after) : find();
  }

  /// Bisects the haystack for the first needle of every group.
  template <class Needles, class Haystack, class Before>
  MGPU_THRUST_DEVICE static void find_group_bounds(
    Needles needles, int needle_count, Haystack haystack, int haystack_count, Before before, int* bounds)
  {
    const int groups = (needle_count + group_needles - 1) / group_needles;
    for (int group = static_cast<int>(threadIdx.x); group < groups; group += BlockThreads)
    {
      auto&& needle = detail::element(needles, group * group_needles);
      bounds[group] = partition_point(haystack, 0, haystack_count, needle, before);
    }
    if (threadIdx.x == 0)
    {
      bounds[groups] = haystack_count;
    }
  }

  /// Calls search(group, i, needle_0, needle_1) for all groups, a warp each: the lane's needles are i and i + 32, or
  /// the last if there are none.
  template <class Needles, class Search>
  MGPU_THRUST_DEVICE static void for_each_group(Needles needles, int needle_count, Search search)
  {
    __syncthreads(); // the bounds of groups are there
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int groups = (needle_count + group_needles - 1) / group_needles;
    for (int group = static_cast<int>(threadIdx.x) / 32; group < groups; group += BlockThreads / 32)
    {
      const int i = group * group_needles + lane;
      auto&& needle_0 = detail::element(needles, min(i, needle_count - 1));
      auto&& needle_1 = detail::element(needles, min(i + 32, needle_count - 1));
      search(group, i, needle_0, needle_1);
    }
  }

  /// Places of a haystack that need not be in shared memory: indices.
  template <class Haystack>
  struct index_places
  {
    Haystack haystack;

    MGPU_THRUST_DEVICE int place(int index) const
    {
      return index;
    }
    MGPU_THRUST_DEVICE int index(int place) const
    {
      return place;
    }
    MGPU_THRUST_DEVICE int distance(int width) const
    {
      return width;
    }
    MGPU_THRUST_DEVICE decltype(auto) element(int place, int offset) const
    {
      return detail::element(haystack, place + offset);
    }
  };
  /// The bounds of a lane's needles, which are not before `at` and at most `size` behind it, the same for all lanes.
  template <class Haystack, class Needle, class Before>
  MGPU_THRUST_DEVICE static two_bounds
  narrow(Haystack haystack, two_bounds at, int size, const Needle& needle_0, const Needle& needle_1, Before before)
  {
    if constexpr (std::is_pointer_v<Haystack>)
    {
      if (__isShared(haystack))
      {
        using value = std::remove_cv_t<std::remove_pointer_t<Haystack>>;
        return narrow_places(detail::shared_places<value>(haystack), at, size, needle_0, needle_1, before);
      }
    }
    return narrow_places(index_places<Haystack>{haystack}, at, size, needle_0, needle_1, before);
  }
  template <class Places, class Needle, class Before>
  MGPU_THRUST_DEVICE static two_bounds
  narrow_places(Places places, two_bounds at, int size, const Needle& needle_0, const Needle& needle_1, Before before)
  {
    auto place_0 = places.place(at.of[0]);
    auto place_1 = places.place(at.of[1]);
    const auto step = [&](int width)
    {
      if (before(places.element(place_0, width - 1), needle_0))
      {
        place_0 += places.distance(width);
      }
      if (before(places.element(place_1, width - 1), needle_1))
      {
        place_1 += places.distance(width);
      }
    };
    // The first step leaves a power of two of possible bounds, so that no later step has to ask where the window ends.
    const int bounds = max(size, 0) + 1;
    int log = 31 - __clz(bounds);
    if (bounds > 1 << log)
    {
      step(bounds - (1 << log));
    }
    for (; log > 8; --log)
    {
      step(1 << (log - 1));
    }
    switch (log) // steps of constant size cost an instruction less
    {
    case 8:
      step(128);
      [[fallthrough]];
    case 7:
      step(64);
      [[fallthrough]];
    case 6:
      step(32);
      [[fallthrough]];
    case 5:
      step(16);
      [[fallthrough]];
    case 4:
      step(8);
      [[fallthrough]];
    case 3:
      step(4);
      [[fallthrough]];
    case 2:
      step(2);
      [[fallthrough]];
    case 1:
      step(1);
      [[fallthrough]];
    default:
      break;
    }
    return {{places.index(place_0), places.index(place_1)}};
  }

  temp_storage& shared_;
};

MGPU_THRUST_NAMESPACE_END

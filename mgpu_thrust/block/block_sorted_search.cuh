// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// BlockSortedSearch: the bounds of sorted needles in a sorted haystack, by the threads of a block.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_calls.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/tile/load/shared_pointers.cuh>

#include <cub/util_type.cuh>

#include <cuda/std/cstdint>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// Finds the bounds of sorted needles in a sorted haystack, both small enough for shared memory, by the threads of a
/// one-dimensional block.
///
/// @tparam BlockThreads threads of the block, a multiple of 32
/// @tparam MaxNeedles  needles of a call, at most
///
/// @param shared                  shared memory of the block
/// @param needles,needle_count    random-access iterator to keys sorted by `comp`, and how many
/// @param haystack,haystack_count likewise; its value type may differ
/// @param comp                    strict weak order on all four combinations of key types
/// @param found,match             a function object that receives each needle's result, on some thread
/// @since 1.0
///
/// All threads of the block must call a function. Before another call on the same TempStorage the caller needs a
/// barrier.
///
/// Threads find the bounds of every 64th needle by bisection. Each warp then processes neighbouring needles, 64 at a
/// time, two a lane, whose bounds lie between two of those bounds: few steps, the same number for all lanes, without a
/// branch on the data. Work: O(log haystack) for every 64th needle, O(log w) for the others where w elements of the
/// haystack lie between two of these. Needles and haystack may also be in global memory.
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
template <int BlockThreads, int MaxNeedles>
class BlockSortedSearch
{
  static_assert(BlockThreads % 32 == 0, "mgpu_thrust: a block is made of whole warps");
  static constexpr int group_needles = 64;
  static constexpr int max_groups = (MaxNeedles + group_needles - 1) / group_needles;
  static constexpr int usual_log = 7; // fewer than 2^usual_log elements of the haystack lie between groups, most often

  struct temp_storage
  {
    // The bounds of the first needle of each group; after the last, the haystack's end.
    int lower[max_groups + 1];
    int upper[max_groups + 1];
  };

public:
  /// The shared memory that the collective needs; it may be used again after a barrier. LowerBounds and UpperBounds use
  /// different parts of it, and need no barrier between them.
  struct TempStorage : cub::Uninitialized<temp_storage>
  {
  };

  MGPU_THRUST_DEVICE explicit BlockSortedSearch(TempStorage& shared)
      : shared_(shared.Alias())
  {
  }

  /// Calls found(i, bound) once for every needle i, on some thread; the lanes of a warp have 32 neighbouring needles.
  /// `bound` is the number of elements of the haystack that go before the needle.
  template <class Needles, class Haystack, class Compare, class Found>
  MGPU_THRUST_DEVICE void
  LowerBounds(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Found found)
  {
    MGPU_THRUST_CHECK_DEVICE_CODE(detail::device_comparison<Compare, Haystack, Needles>::call);
    const lower_test<Compare> before{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.lower);
    find_bounds(needles, needle_count, haystack, haystack_count, before, shared_.lower, found);
  }

  /// Same as LowerBounds, but `bound` is the number of elements of the haystack that do not go after the needle.
  template <class Needles, class Haystack, class Compare, class Found>
  MGPU_THRUST_DEVICE void
  UpperBounds(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Found found)
  {
    MGPU_THRUST_CHECK_DEVICE_CODE(detail::device_comparison<Compare, Needles, Haystack>::call);
    const upper_test<Compare> before{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.upper);
    find_bounds(needles, needle_count, haystack, haystack_count, before, shared_.upper, found);
  }

  /// Same as LowerBounds, but calls found(i, lower, upper) with both bounds.
  template <class Needles, class Haystack, class Compare, class Found>
  MGPU_THRUST_DEVICE void
  EqualRanges(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Found found)
  {
    detail::check_comparisons<Needles, Haystack>(comp);
    const lower_test<Compare> before{comp};
    const upper_test<Compare> not_after{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.lower);
    find_group_bounds(needles, needle_count, haystack, haystack_count, not_after, shared_.upper);
    for_each_group(
      needles, needle_count, shared_.lower,
      [&](int i, const int* bounds, const auto& needle_0, const auto& needle_1)
      {
        const auto lower = narrow(haystack, haystack_count, bounds[0], bounds[1], needle_0, needle_1, before);
        const auto upper = near_upper_bounds(
          haystack, haystack_count, lower, needle_0, needle_1, not_after,
          [&]
          {
            const int end = shared_.upper[bounds + 1 - shared_.lower];
            return narrow(haystack, haystack_count, bounds[0], end, needle_0, needle_1, not_after);
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

  /// Tells whether the haystack has an element equal to a needle, for users who call warp-wide functions: all lanes of
  /// a warp call match(i, is_found, is_needle) together. If is_needle is false, there is no needle i, and is_found is
  /// that of the last needle. A warp processes its needles in order, from WarpBegin() on, and does not need those up to
  /// i any more.
  template <class Needles, class Haystack, class Compare, class Match>
  MGPU_THRUST_DEVICE void
  WarpMatches(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Match match)
  {
    detail::check_comparisons<Needles, Haystack>(comp);
    const lower_test<Compare> before{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.lower);
    if (haystack_count == 0)
    {
      for_each_group(
        needles, needle_count, shared_.lower,
        [&](int i, const int*, const auto&, const auto&)
        {
          match(i, false, i < needle_count);
          match(i + 32, false, i + 32 < needle_count);
        });
      return;
    }
    for_each_group(
      needles, needle_count, shared_.lower,
      [&](int i, const int* bounds, const auto& needle_0, const auto& needle_1)
      {
        with_places(
          haystack,
          [&](auto pointers)
          {
            const auto at = narrow_pointers(pointers, haystack_count, bounds[0], bounds[1], needle_0, needle_1, before);
            const auto last = pointers.pointer(haystack_count - 1);
            const auto is_found = [&](auto pointer, const auto& needle)
            { return (pointer <= last) & !comp(needle, pointers.element((min) (pointer, last), 0)); };
            const bool is_found_0 = is_found(at.of[0], needle_0);
            const bool is_found_1 = is_found(at.of[1], needle_1);
            __syncwarp();
            match(i, is_found_0, i < needle_count);
            match(i + 32, is_found_1, i + 32 < needle_count);
          });
      });
  }

  /// EqualRanges for users who call warp-wide functions: all lanes of a warp call found(i, lower, upper, needle,
  /// is_needle) together, as in WarpMatches.
  template <class Needles, class Haystack, class Compare, class Found>
  MGPU_THRUST_DEVICE void
  WarpEqualRanges(Needles needles, int needle_count, Haystack haystack, int haystack_count, Compare comp, Found found)
  {
    detail::check_comparisons<Needles, Haystack>(comp);
    const lower_test<Compare> before{comp};
    const upper_test<Compare> not_after{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.lower);
    for_each_group(
      needles, needle_count, shared_.lower,
      [&](int i, const int* bounds, const auto& needle_0, const auto& needle_1)
      {
        const auto lower = narrow(haystack, haystack_count, bounds[0], bounds[1], needle_0, needle_1, before);
        const auto upper = near_upper_bounds(
          haystack, haystack_count, lower, needle_0, needle_1, not_after,
          [&]
          {
            return two_bounds{
              {bisect(haystack, lower.of[0], haystack_count, needle_0, not_after),
               bisect(haystack, lower.of[1], haystack_count, needle_1, not_after)}};
          });
        found(i, lower.of[0], upper.of[0], needle_0, i < needle_count);
        found(i + 32, lower.of[1], upper.of[1], needle_1, i + 32 < needle_count);
      });
  }

  /// The calling warp's first needle in WarpMatches, if it has any.
  MGPU_THRUST_DEVICE static int WarpBegin(int needle_count)
  {
    return first_group(needle_count, static_cast<int>(threadIdx.x) / 32) * group_needles;
  }

private:
  template <class Compare>
  using lower_test = detail::lies_before<detail::search_bound::lower, Compare>;
  template <class Compare>
  using upper_test = detail::lies_before<detail::search_bound::upper, Compare>;

  /// The bounds of a lane's two needles, as indices or pointers.
  template <class Pointer>
  struct two
  {
    Pointer of[2];
  };
  using two_bounds = two<int>;
  template <class Pointer>
  MGPU_THRUST_DEVICE static two<Pointer> both(Pointer of_0, Pointer of_1)
  {
    return {{of_0, of_1}};
  }

  /// Returns the first index in [begin, end) of the haystack for which `before` is false, or `end`.
  template <class Haystack, class Needle, class Before>
  MGPU_THRUST_DEVICE static int bisect(Haystack haystack, int begin, int end, const Needle& needle, Before before)
  {
    return detail::partition_point(begin, end, [&](int i) { return before(detail::element(haystack, i), needle); });
  }

  /// Returns the upper bounds of a lane's needles. Most likely they are near the lower ones, for all lanes; else it
  /// returns find(). (The last needles of a group may equal the first of the next, so their upper bounds may even be
  /// greater than the lower bound of that.)
  template <class Haystack, class Needle, class NotAfter, class Find>
  MGPU_THRUST_DEVICE static two_bounds near_upper_bounds(
    Haystack haystack, int haystack_count, two_bounds lower, const Needle& needle_0, const Needle& needle_1,
    NotAfter not_after, Find find)
  {
    constexpr int near_log = 3;
    constexpr int nearby = (1 << near_log) - 1;
    const bool is_near = (max) (lower.of[0], lower.of[1]) + nearby < haystack_count
                         && !not_after(detail::element(haystack, lower.of[0] + nearby), needle_0)
                         && !not_after(detail::element(haystack, lower.of[1] + nearby), needle_1);
    if (!__all_sync(~0u, is_near))
    {
      return find();
    }
    return with_places(
      haystack,
      [&](auto pointers)
      {
        auto at = both(pointers.pointer(lower.of[0]), pointers.pointer(lower.of[1]));
        halve<near_log>(pointers, at, needle_0, needle_1, not_after);
        return index(pointers, at);
      });
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
      bounds[group] = bisect(haystack, 0, haystack_count, needle, before);
    }
    if (threadIdx.x == 0)
    {
      bounds[groups] = haystack_count;
    }
  }

  /// First group of a warp, which is the end of the groups of the warp before. Warps have the same number of groups, or
  /// differ by one.
  MGPU_THRUST_DEVICE static int first_group(int needle_count, int warp)
  {
    return (needle_count + group_needles - 1) / group_needles * warp / (BlockThreads / 32);
  }

  /// Calls search(i, bounds, needle_0, needle_1) for all groups, neighbouring ones by a warp: the lane's needles are i
  /// and i + 32, or the last needle where there is none; bounds[0] and bounds[1] are the bounds of the group and of the
  /// next.
  template <class Needles, class Search>
  MGPU_THRUST_DEVICE static void
  for_each_group(Needles needles, int needle_count, const int* group_bounds, Search search)
  {
    __syncthreads(); // makes the bounds of groups visible
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int first = first_group(needle_count, warp);
    const int* const end = group_bounds + first_group(needle_count, warp + 1);
    with_places(
      needles,
      [&](auto pointers)
      {
        // Incremented rather than recomputed, which would take more instructions each time.
        int i = first * group_needles + static_cast<int>(threadIdx.x) % 32;
        auto pointer = pointers.pointer(i);
        const auto last = pointers.pointer(needle_count - 1);
#pragma unroll 1
        for (const int* bounds = group_bounds + first; bounds < end; ++bounds)
        {
          auto&& needle_0 = pointers.element((min) (pointer, last), 0);
          auto&& needle_1 = pointers.element((min) (pointer + pointers.distance(32), last), 0);
          search(i, bounds, needle_0, needle_1);
          i += group_needles;
          pointer += pointers.distance(group_needles);
        }
      });
  }

  /// Calls found(i, bound) for all needles, which it searches for between the bounds of their groups.
  template <class Needles, class Haystack, class Before, class Found>
  MGPU_THRUST_DEVICE static void find_bounds(
    Needles needles, int needle_count, Haystack haystack, int haystack_count, Before before, const int* group_bounds,
    Found found)
  {
    for_each_group(
      needles, needle_count, group_bounds,
      [&](int i, const int* bounds, const auto& needle_0, const auto& needle_1)
      {
        const auto at = narrow(haystack, haystack_count, bounds[0], bounds[1], needle_0, needle_1, before);
        if (i < needle_count)
        {
          found(i, at.of[0]);
        }
        if (i + 32 < needle_count)
        {
          found(i + 32, at.of[1]);
        }
      });
  }

  /// The counterpart of shared_pointers for ranges outside shared memory: pointers are indices.
  template <class Range>
  struct index_pointers
  {
    Range range;

    MGPU_THRUST_DEVICE int pointer(int index) const
    {
      return index;
    }
    MGPU_THRUST_DEVICE int index(int pointer) const
    {
      return pointer;
    }
    MGPU_THRUST_DEVICE static int distance(int width)
    {
      return width;
    }
    MGPU_THRUST_DEVICE decltype(auto) element(int pointer, int offset) const
    {
      return detail::element(range, pointer + offset);
    }
    MGPU_THRUST_DEVICE static void advance(int& pointer, int width)
    {
      pointer += width;
    }
  };

  /// Calls f with shared_pointers of a range in shared memory that has a pointer, else with index_pointers.
  template <class Range, class Function>
  MGPU_THRUST_DEVICE static auto with_places(Range range, Function f)
  {
    if constexpr (std::is_pointer_v<Range>)
    {
      if (__isShared(range))
      {
        using value = std::remove_cv_t<std::remove_pointer_t<Range>>;
        return f(detail::shared_pointers<value>(range));
      }
    }
    return f(index_pointers<Range>{range});
  }
  template <class Pointers, class Pointer>
  MGPU_THRUST_DEVICE static two_bounds index(Pointers pointers, two<Pointer> at)
  {
    return {{pointers.index(at.of[0]), pointers.index(at.of[1])}};
  }

  /// Returns the bounds of a lane's needles, which are in [begin, end]; that range is the same for all lanes.
  template <class Haystack, class Needle, class Before>
  MGPU_THRUST_DEVICE static two_bounds narrow(
    Haystack haystack, int haystack_count, int begin, int end, const Needle& needle_0, const Needle& needle_1,
    Before before)
  {
    return with_places(
      haystack, [&](auto pointers)
      { return index(pointers, narrow_pointers(pointers, haystack_count, begin, end, needle_0, needle_1, before)); });
  }

  /// Same as narrow(), but returns pointers. Each step halves a power of two of possible bounds, so that no step has to
  /// check where these end. If the number of steps is a constant, each costs two instructions less; so if possible the
  /// usual number is executed, from an earlier pointer if need be.
  template <class Pointers, class Needle, class Before>
  MGPU_THRUST_DEVICE static auto narrow_pointers(
    Pointers pointers, int haystack_count, int begin, int end, const Needle& needle_0, const Needle& needle_1,
    Before before)
  {
    constexpr int usual = (1 << usual_log) - 1;
    const int size = (max) (end - begin, 0);
    if (size <= usual && usual <= haystack_count)
    {
      const auto first = pointers.pointer((min) (begin, haystack_count - usual));
      auto at = both(first, first);
      halve<usual_log>(pointers, at, needle_0, needle_1, before);
      return at;
    }
    const auto first = pointers.pointer(begin);
    auto at = both(first, first);
    int width = 1 << (31 - __clz(size + 1));
    if (size >= width)
    {
      step(pointers, at, size + 1 - width, needle_0, needle_1, before);
    }
#pragma unroll 1
    while (width /= 2)
    {
      step(pointers, at, width, needle_0, needle_1, before);
    }
    return at;
  }

  /// Advances pointers to the bounds of needles, which are less than 2^Log elements after them.
  template <int Log, class Pointers, class Pointer, class Needle, class Before>
  MGPU_THRUST_DEVICE static void
  halve(Pointers pointers, two<Pointer>& at, const Needle& needle_0, const Needle& needle_1, Before before)
  {
#pragma unroll
    for (int log = Log; log-- > 0;)
    {
      step(pointers, at, 1 << log, needle_0, needle_1, before);
    }
  }

  /// Advances each pointer by `width` elements if these go before its needle.
  template <class Pointers, class Pointer, class Needle, class Before>
  MGPU_THRUST_DEVICE static void
  step(Pointers pointers, two<Pointer>& at, int width, const Needle& needle_0, const Needle& needle_1, Before before)
  {
    if (before(pointers.element(at.of[0], width - 1), needle_0))
    {
      pointers.advance(at.of[0], width);
    }
    if (before(pointers.element(at.of[1], width - 1), needle_1))
    {
      pointers.advance(at.of[1], width);
    }
  }

  temp_storage& shared_;
};

MGPU_THRUST_NAMESPACE_END

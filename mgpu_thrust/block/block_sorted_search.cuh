// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// BlockSortedSearch: the bounds of sorted needles in a sorted haystack, by the threads of a block.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/thread/sorted_search.h>

#include <cub/util_type.cuh>

#include <cuda/std/cstdint>

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
    const lower_test<Compare> before{comp};
    find_group_bounds(needles, needle_count, haystack, haystack_count, before, shared_.lower);
    for_each_group(
      needles, needle_count,
      [&](int group, const auto& needle_0, const auto& needle_1, auto both)
      {
        const auto bounds = narrow(
          haystack, both_at(shared_.lower[group]), shared_.lower[group + 1] - shared_.lower[group], needle_0, needle_1,
          before);
        both([&](int i, int k) { found(i, bounds.of[k]); });
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
      [&](int group, const auto& needle_0, const auto& needle_1, auto both)
      {
        const auto bounds = narrow(
          haystack, both_at(shared_.upper[group]), shared_.upper[group + 1] - shared_.upper[group], needle_0, needle_1,
          before);
        both([&](int i, int k) { found(i, bounds.of[k]); });
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
      [&](int group, const auto& needle_0, const auto& needle_1, auto both)
      {
        const int begin = shared_.lower[group];
        const auto lower =
          narrow(haystack, both_at(begin), shared_.lower[group + 1] - begin, needle_0, needle_1, before);
        // Most likely all upper bounds are near the lower ones. (The last needles of a group may equal the first of the
        // next, so they may even lie behind the lower bound of that.)
        constexpr int near = 7;
        const bool is_near = max(lower.of[0], lower.of[1]) + near < haystack_count
                             && !not_after(detail::element(haystack, lower.of[0] + near), needle_0)
                             && !not_after(detail::element(haystack, lower.of[1] + near), needle_1);
        const auto upper =
          __all_sync(~0u, is_near)
            ? narrow(haystack, lower, near, needle_0, needle_1, not_after)
            : narrow(haystack, both_at(begin), shared_.upper[group + 1] - begin, needle_0, needle_1, not_after);
        both([&](int i, int k) { found(i, lower.of[k], upper.of[k]); });
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

  /// Bisects the haystack for the first needle of every group.
  template <class Needles, class Haystack, class Before>
  MGPU_THRUST_DEVICE static void find_group_bounds(
    Needles needles, int needle_count, Haystack haystack, int haystack_count, Before before, int* bounds)
  {
    const int groups = (needle_count + group_needles - 1) / group_needles;
    for (int group = static_cast<int>(threadIdx.x); group < groups; group += BlockThreads)
    {
      auto&& needle = detail::element(needles, group * group_needles);
      int begin = 0;
      int end = haystack_count;
      while (begin < end)
      {
        const int middle = (begin + end) / 2;
        const bool is_before = before(detail::element(haystack, middle), needle);
        begin = is_before ? middle + 1 : begin;
        end = is_before ? end : middle;
      }
      bounds[group] = begin;
    }
    if (threadIdx.x == 0)
    {
      bounds[groups] = haystack_count;
    }
  }

  /// Calls search(group, needle_0, needle_1, both) for all groups, a warp each, where both(f) calls f(i, k) for the
  /// lane's needles i that there are, k being 0 and 1.
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
      search(
        group, needle_0, needle_1,
        [&](auto f)
        {
          if (i < needle_count)
          {
            f(i, 0);
          }
          if (i + 32 < needle_count)
          {
            f(i + 32, 1);
          }
        });
    }
  }

  /// The bounds of a lane's needles, which are not before `at` and at most `size` behind it, the same for all lanes.
  template <class Haystack, class Needle, class Before>
  MGPU_THRUST_DEVICE static two_bounds
  narrow(Haystack haystack, two_bounds at, int size, const Needle& needle_0, const Needle& needle_1, Before before)
  {
    const auto step = [&](int width)
    {
      if (before(detail::element(haystack, at.of[0] + (width - 1)), needle_0))
      {
        at.of[0] += width;
      }
      if (before(detail::element(haystack, at.of[1] + (width - 1)), needle_1))
      {
        at.of[1] += width;
      }
    };
    // The first step leaves a power of two of possible bounds, so that no later step has to ask where the window ends.
    const int places = max(size, 0) + 1;
    int log = 31 - __clz(places);
    if (places > 1 << log)
    {
      step(places - (1 << log));
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
    return at;
  }

  temp_storage& shared_;
};

MGPU_THRUST_NAMESPACE_END

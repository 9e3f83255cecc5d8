// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The phases of doubling_tile_sort and near_tile_sort.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/sort/tile/integer_order.cuh>
#include <mgpu_thrust/detail/sort/tile/segments_in_tile.cuh>
#include <mgpu_thrust/detail/sort/tile/thread_sort.cuh>
#include <mgpu_thrust/detail/sort/tile/two_ended_merge.cuh>
#include <mgpu_thrust/detail/sort/tile/warp_sort.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/load/shared_pointers.cuh>
#include <mgpu_thrust/detail/tile/merge/thread_merge.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/std/cstdint>
#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A level of merges of sorted runs in a tile. A run is the items of `run_threads` neighbouring threads, a power of
/// two. A level merges at every second border, so that runs double in length. The last level merges at all borders,
/// independently.
struct merge_level
{
  int run_threads;
  int reach; ///< in the last level, items on each side of a border that can change positions
  bool is_last;
};

/// A thread's part of a level: items [begin, last] of the merge of the sorted ranges [a, b) and [b, b_end) on both
/// sides of a border. All are positions in the tile. The part may be empty.
struct part_of_level
{
  int a;
  int b;
  int b_end;
  int begin;
  int last;
};

/// The phases of the sort of a tile by a block. Indices are of threads in the block, or of items in the tile
/// (positions). Thread t first sorts items [t * items, (t + 1) * items).
///
/// `keys` and, if HasNumbers, `numbers` are in shared memory; `numbers` receives the original position of each key.
/// Both must have room for `items` elements more than the tile: some past its end are read, and not used. Shapes is a
/// sort_shapes.
template <class Shapes, bool HasNumbers, class Key, class Segments, class Compare>
class tile_sort_phases
{
public:
  static constexpr int threads = Shapes::block_sort::threads;
  static constexpr int items = Shapes::block_sort::items_per_thread;
  using own_items = thread_keys<Key, items, HasNumbers>;
  using own_range = thread_range<items>;

  MGPU_THRUST_DEVICE
  tile_sort_phases(Key* keys, ::cuda::std::uint16_t* numbers, int count, const Segments& segments, Compare comp)
      : keys_(keys)
      , numbers_(numbers)
      , tile_(keys)
      , count_(count)
      , first_(static_cast<int>(threadIdx.x) * items)
      , segments_(segments)
      , comp_(comp)
  {
  }

  MGPU_THRUST_DEVICE const Segments& segments() const
  {
    return segments_;
  }

  /// Whether each thread of the calling warp has all its keys, and they are in one segment.
  MGPU_THRUST_DEVICE static bool is_whole_warp(const own_range& range)
  {
    return __all_sync(0xffffffff, range.is_whole());
  }

  /// Whether warps sort the keys of a tile of one segment by networks. Keys above 4 bytes, and keys with numbers, only
  /// if no blocks share a multiprocessor: a network has more instructions than merges.
  MGPU_THRUST_DEVICE static bool sorts_warps()
  {
    constexpr bool are_always_sorted = sizeof(Key) <= 4 && !HasNumbers;
    return may_sort_warps && (are_always_sorted || gridDim.x <= max_blocks_alone);
  }

  /// Sorts and stores runs: of each warp if the tile is one segment, otherwise of each thread, with pairs of threads'
  /// runs merged. Returns the number of threads per run, which may differ between warps.
  MGPU_THRUST_DEVICE int sort_runs(own_items& own, const own_range& range)
  {
    const bool are_several = segments_.are_several();
    if constexpr (may_sort_warps)
    {
      if (!are_several && sorts_warps())
      {
        sort_warp(own, range);
        return 32;
      }
    }
    const bool is_whole_warp = tile_sort_phases::is_whole_warp(range); // not at the end of the last tile
    sort_own(own, range, is_whole_warp);
    if (!is_whole_warp || are_several)
    {
      return 1;
    }
    merge_pairs(own);
    return 2;
  }

  /// Sorts and stores each thread's keys if all may be near their sorted positions. Sorts halves in registers, which
  /// takes half the exchanges, and merges them if they are out of order.
  MGPU_THRUST_DEVICE void sort_own_halves(own_items& own, const own_range& range)
  {
    constexpr int half = first_half<items>;
    const int first = first_item();
    own.number_from(first);
    const bool is_whole = is_whole_warp(range);
    if (is_whole)
    {
      detail::sort_halves<Shapes::near_rounds>(own, comp_);
    }
    else
    {
      sort_own_segments(own, range);
    }
    put(own.keys, own.numbers, range.count(), first);
    if (is_whole && comp_(own.keys[half], own.keys[half - 1]))
    {
      detail::merge_halves(tile_, first, comp_, own.keys, own.numbers);
      look_up(own.numbers);
      put(own.keys, own.numbers, range.count(), first);
    }
  }

  /// Merges runs that double in length, initially of `run_threads` threads' items, until one is left, or the last level
  /// is done; `was_last` tells that it already is. `choose_level(run_threads)` returns the level for runs of that
  /// length. Called by all threads of the block; they see the result. Warps may begin with different lengths: they
  /// synchronize only when runs are longer than a warp's, unless choose_level() does.
  template <class ChooseLevel>
  MGPU_THRUST_DEVICE void merge_levels(int run_threads, bool was_last, ChooseLevel choose_level)
  {
    bool is_last = was_last;
    for (; run_threads < threads && items_of(run_threads) < count_ && !is_last; run_threads *= 2)
    {
      const merge_level level = choose_level(run_threads);
      is_last = level.is_last;
      const bool is_within_warps = run_threads < 32 && !is_last;
      const auto synchronize = [is_within_warps]
      {
        if (is_within_warps)
        {
          __syncwarp();
        }
        else
        {
          __syncthreads();
        }
      };
      synchronize(); // the runs are stored

      // A thread merges only if there are items on both sides of the border, and the merge can change its part. It
      // cannot if the first item of the second range from the part's begin on is not less than the last item of the
      // first range up to the part's end: the part then precedes the second range, follows the first, or the ranges are
      // in order.
      const part_of_level part = part_of(level);
      const bool merges = part.begin <= part.last && part.a < part.b && part.b < part.b_end
                          && comp_(keys_[(max) (part.begin, part.b)], keys_[(min) (part.last, part.b - 1)]);
      const int count = part.last + 1 - part.begin;
      Key taken[items];
      int numbers[items];
      if (merges)
      {
        const tile_merge whole{part.a, part.b, part.b, part.b_end, part.a, part.b_end};
        const tile_merge from = detail::merge_from<false>(tile_, whole, part.begin - part.a, comp_);
        if (is_within_warps)
        {
          detail::take_merged<takes::alone, false>(tile_, from, comp_, taken, numbers);
        }
        else
        {
          detail::take_merged<false>(tile_, from, comp_, taken, numbers, count);
        }
        look_up(numbers, count);
      }
      synchronize(); // the runs are read
      put(taken, numbers, merges ? count : 0, part.begin);
    }
    __syncthreads();
  }

  /// Whether no key is half a run away from its sorted position; called by all threads of the block, after a barrier.
  /// The first key of a run must not be less than the middle key of the previous run, nor its middle key less than the
  /// last key of that run. Then the merges of half runs at all borders are independent, and sort the tile.
  MGPU_THRUST_DEVICE bool are_keys_near(int run_threads)
  {
    const int first = first_item();
    bool are_near = true;
    if ((thread() & (run_threads - 1)) == 0 && first > 0 && first < count_)
    {
      const int middle = first + items_of(run_threads) / 2;
      are_near = !comp_(keys_[first], keys_[middle - items_of(run_threads)])
                 && (middle >= count_ || !comp_(keys_[middle], keys_[first - 1]));
    }
    return __syncthreads_and(are_near);
  }

  /// Returns segments_in_tile::longest_across() of the tile.
  MGPU_THRUST_DEVICE int longest_across(int& shared_longest) const
  {
    return segments_.longest_across(first_item(), count_, shared_longest);
  }

  /// Number of items of `count` threads; also the position of the first item of thread `count`.
  MGPU_THRUST_DEVICE static int items_of(int count)
  {
    return count * items;
  }

private:
  static constexpr bool may_sort_warps = Shapes::sorts_warps && is_integer_order<Compare, Key>;

  MGPU_THRUST_DEVICE static int thread()
  {
    return static_cast<int>(threadIdx.x);
  }
  /// Position of the first item of the calling thread.
  MGPU_THRUST_DEVICE int first_item() const
  {
    return first_;
  }

  /// Sorts the keys of each warp, and stores them. Past the tile's end a warp has the last key of the order.
  MGPU_THRUST_DEVICE void sort_warp(own_items& own, const own_range& range)
  {
    const int first_of_warp = items_of(thread() / 32 * 32);
    if (first_of_warp >= count_)
    {
      return;
    }
    const Key last = detail::last_integer<Key>(comp_);
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      own.keys[k] = k < range.count() ? own.keys[k] : last;
    }
    own.number_from(first_item());
    if constexpr (HasNumbers && sizeof(Key) <= 4)
    {
      sort_packed(own);
    }
    else
    {
      warp_sort<Key, items, HasNumbers, Compare>(own, comp_).process();
    }
    put(own.keys, own.numbers, range.count(), first_item());
  }

  /// Sorts the keys and numbers of each warp, packed.
  MGPU_THRUST_DEVICE void sort_packed(own_items& own) const
  {
    const packed_keys<Key, Compare> order(comp_);
    thread_keys<std::uint64_t, items, false> packed;
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      packed.keys[k] = order.pack(own.keys[k], own.numbers[k]);
    }
    using packed_order = ::cuda::std::less<std::uint64_t>;
    warp_sort<std::uint64_t, items, false, packed_order>(packed, packed_order{}).process();
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      own.keys[k] = order.key(packed.keys[k]);
      own.numbers[k] = order.number(packed.keys[k]);
    }
  }

  /// Sorts each thread's keys in registers, each segment on its own, and stores them. (Sorting halves and merging them
  /// takes fewer instructions, but uses shared memory, which already limits the sort of keys in any order.)
  MGPU_THRUST_DEVICE void sort_own(own_items& own, const own_range& range, bool is_whole_warp)
  {
    own.number_from(first_item());
    if (is_whole_warp)
    {
      detail::sort_all(own, comp_);
    }
    else
    {
      sort_own_segments(own, range);
    }
    put(own.keys, own.numbers, range.count(), first_item());
  }

  /// Merges the runs of each pair of neighbouring threads of a warp from both ends, so that no thread searches for its
  /// part: 20 us less for 2^27 int32 in any order. The keys in registers are overwritten.
  MGPU_THRUST_DEVICE void merge_pairs(own_items& own)
  {
    const int first = first_item();
    const bool is_back = threadIdx.x % 2 != 0;
    const int middle = is_back ? first : first + items;
    __syncwarp();
    const bool merges = comp_(keys_[middle], keys_[middle - 1]);
    if (merges)
    {
      detail::merge_pair(tile_, first, is_back, comp_, own.keys, own.numbers);
      look_up(own.numbers);
    }
    __syncwarp();
    if (merges)
    {
      const int step = is_back ? -1 : 1;
      const int begin = is_back ? first + items - 1 : first;
#pragma unroll
      for (int k = 0; k < items; ++k)
      {
        keys_[begin + k * step] = own.keys[k];
        if constexpr (HasNumbers)
        {
          numbers_[begin + k * step] = static_cast<::cuda::std::uint16_t>(own.numbers[k]);
        }
      }
    }
  }

  MGPU_THRUST_DEVICE void sort_own_segments(own_items& own, const own_range& range)
  {
    if (__any_sync(0xffffffff, !range.is_apart()))
    {
      detail::sort_joined(own, range, comp_);
    }
  }

  /// Stores the first `count` of these keys and numbers from position `at` on.
  MGPU_THRUST_DEVICE void put(const Key (&taken)[items], const int (&numbers)[items], int count, int at) const
  {
    if constexpr (HasNumbers)
    {
      detail::put_merged(taken, numbers, count, keys_ + at, numbers_ + at);
    }
    else
    {
      detail::put_merged(taken, numbers, count, keys_ + at, no_values{});
    }
  }

  /// Replaces positions by the numbers at these positions; the second half only if `count` reaches it.
  MGPU_THRUST_DEVICE void look_up([[maybe_unused]] int (&positions)[items], [[maybe_unused]] int count = items) const
  {
    if constexpr (HasNumbers)
    {
#pragma unroll
      for (int k = 0; k < items; ++k)
      {
        if (k == first_half<items> && count <= k)
        {
          break;
        }
        positions[k] = numbers_[positions[k]];
      }
    }
  }

  /// Returns the thread's part of a level. In the last level the threads of a run share the merge at its begin, which
  /// has at most as many items. In other levels a thread has the items of its own positions.
  MGPU_THRUST_DEVICE part_of_level part_of(const merge_level& level) const
  {
    const int run_threads = level.run_threads;
    const bool is_last = level.is_last;
    const int first_of_run = thread() & -run_threads;
    const int first_of_pair = thread() & -(2 * run_threads);
    const int b = (min) (items_of(is_last ? first_of_run : first_of_pair + run_threads), count_);
    int a = is_last ? (max) (b - level.reach, 0) : items_of(first_of_pair);
    int b_end = (min) (b + (is_last ? level.reach : items_of(run_threads)), count_);
    if (segments_.are_several() && b > 0 && b < b_end) // of the segment at the border alone
    {
      a = (max) (a, segments_.begin_of(b));
      b_end = (min) (b_end, segments_.end_of(b));
    }
    const int begin = is_last ? a + items_of(thread() & (run_threads - 1)) : (max) (first_item(), a);
    const int last = (min) ((is_last ? begin : first_item()) + items, b_end) - 1;
    return {a, b, b_end, begin, last};
  }

  Key* keys_;
  ::cuda::std::uint16_t* numbers_;
  shared_pointers<Key> tile_;
  int count_;
  int first_; // kept: recomputing it in each phase makes the compiler spill
  const Segments& segments_;
  Compare comp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The phases that the two sorts of a tile are made of: doubling_tile_sort and near_tile_sort.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/sort/tile/integer_order.cuh>
#include <mgpu_thrust/detail/sort/tile/merge_levels.cuh>
#include <mgpu_thrust/detail/sort/tile/segments_in_tile.cuh>
#include <mgpu_thrust/detail/sort/tile/thread_sort.cuh>
#include <mgpu_thrust/detail/sort/tile/two_ended_merge.cuh>
#include <mgpu_thrust/detail/sort/tile/warp_sort.cuh>
#include <mgpu_thrust/detail/tile/shared_pointers.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A level of merges of a tile's sorted runs, each of which is the items of `run_threads` neighbouring threads, a power
/// of two. In the last level runs are merged at all borders at once, each merge independent of the others; before, at
/// every second border, so that runs double in length.
struct merge_level
{
  int run_threads;
  int reach; ///< in the last level, at most that many items on each side of a border change their positions
  bool is_last;
};

/// A thread's part of a level: the sorted ranges [a, b) and [b, b_end) of items, on both sides of a border, are merged,
/// and the thread finds the items from `begin` to `last`, inclusive, of the result. All are positions in the tile. The
/// part may be empty.
struct merge_part
{
  int a;
  int b;
  int b_end;
  int begin;
  int last;
};

/// The phases of a sort of a tile by the threads of a block. There are two kinds of indices: of threads in the block,
/// and of items in the tile (positions). Thread t sorts items [t * items, (t + 1) * items) first.
///
/// `keys` and, if HasNumbers, `numbers` are in shared memory; the latter receive the position that each key had. Both
/// must have room for `items` elements more than the tile, as some past its end are read, but not used. Shapes is a
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

  /// Whether each thread of the calling warp has all its keys, and they are of one segment.
  MGPU_THRUST_DEVICE static bool is_whole_warp(const own_range& range)
  {
    return __all_sync(0xffffffff, range.is_whole());
  }

  /// Whether the warps of a tile of one segment sort their keys by networks: large keys, and keys with numbers, only if no
  /// block shares a multiprocessor, as a network has more instructions than merges.
  MGPU_THRUST_DEVICE static bool sorts_warps()
  {
    constexpr bool are_always_sorted = sizeof(Key) <= 4 && !HasNumbers;
    return may_sort_warps && (are_always_sorted || gridDim.x <= most_blocks_alone);
  }

  /// Sorts the keys of each warp, if the tile is of one segment, or of each thread, and then merges pairs of threads' runs;
  /// stores them. Returns the number of threads whose items are a run, which may differ from warp to warp.
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

  /// Sorts each thread's keys, and stores them, where all keys may be near their sorted positions: sorts halves in
  /// registers, which takes half the exchanges, and merges them if they are not in order.
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

  /// Merges runs that double in length, of `run_threads` threads' items at first, until one is left, or the last level
  /// is done; was_last tells that it is done already. `choose_level(run_threads)` returns the level for runs of that
  /// length. Called by all threads of the block, which see the merged items afterwards. Warps may begin with different
  /// lengths: they do not wait for each other before runs are longer than a warp's, unless choose_level() does.
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
      // cannot if the last item of the first range up to the part's end, and the first item of the second range from
      // the part's begin on, are in order: then the part is before all of the second range, or after all of the first,
      // or the ranges are in order.
      const merge_part part = part_of(level);
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
  /// A run's first key must not go before the middle key of the previous run, nor its middle key before the last key of
  /// that run. Then the middle key of a run goes before no key of the previous run, and after no key of the next one:
  /// the half runs at each border can be merged at once, and the tile is sorted.
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

  /// Returns the length of the longest segment that crosses a border between two threads' items, or 0. Called as
  /// segments_in_tile::longest_across().
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

  /// Sorts the keys of each warp, and stores them. Past the tile's end a warp has keys that go before none.
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

  /// Sorts each thread's keys in registers, each segment on its own, and stores them. (To sort halves and merge them
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

  /// Merges the runs of each pair of neighbouring threads of a warp, from both ends, so that no thread has to search for
  /// the start of its part: 20 us less for 2^27 int32 in any order. The keys in registers are used up.
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

  /// Replaces positions by the numbers at these positions; of the second half only if there are `count`.
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

  /// Returns the calling thread's part of a level. In the last level the threads of the run from a border on share the
  /// merge there, beginning with the first item of the first range; the threads of a run are enough, as the merge has no
  /// more items. In other levels a thread finds the items of its own positions.
  MGPU_THRUST_DEVICE merge_part part_of(const merge_level& level) const
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
  int first_; // computed anew in each phase, it makes the compiler spill registers
  const Segments& segments_;
  Compare comp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

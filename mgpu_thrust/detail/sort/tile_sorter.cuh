// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorts a tile in shared memory by the threads of a block: each thread's keys in registers, then runs that double in
/// size.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/sort/merge_levels.cuh>
#include <mgpu_thrust/detail/tile/shared_places.cuh>

#include <cuda/std/cstdint>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The neighbouring keys that a thread exchanges to sort its keys.
enum class exchanges
{
  all,        ///< all that are out of order
  joined,     ///< those of the same segment
  near_halves ///< those of the same half; a warp ends early if its halves are sorted, as if keys are near their ranks
};

/// Sorts a thread's keys by exchanges of neighbours, and permutes `numbers` with them if HasNumbers. Bit k of `joined`
/// says that keys k and k + 1 are of the same segment. The loop is not unrolled beyond two rounds, so that its
/// instructions stay in the instruction cache.
template <exchanges What, bool HasNumbers, int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void exchange_neighbours(
  Key (&keys)[Items], [[maybe_unused]] int (&numbers)[Items], [[maybe_unused]] std::uint32_t joined, Compare comp)
{
  constexpr int half = first_half<Items>;
  constexpr bool are_halves = What == exchanges::near_halves;
  const auto exchange = [&](int k)
  {
    const bool is_pair = What == exchanges::joined ? (joined >> k & 1) != 0 : !are_halves || k + 1 != half;
    if (is_pair && comp(keys[k + 1], keys[k]))
    {
      const Key key = keys[k];
      keys[k] = keys[k + 1];
      keys[k + 1] = key;
      if constexpr (HasNumbers)
      {
        const int number = numbers[k];
        numbers[k] = numbers[k + 1];
        numbers[k + 1] = number;
      }
    }
  };
#pragma unroll 1
  for (int round = 0; round < (are_halves ? half : Items); round += 2)
  {
    if (are_halves && round == 8)
    {
      bool is_sorted = true;
#pragma unroll
      for (int k = 0; k + 1 < Items; ++k)
      {
        is_sorted &= k + 1 == half || !comp(keys[k + 1], keys[k]);
      }
      if (__all_sync(0xffffffff, is_sorted))
      {
        return;
      }
    }
#pragma unroll
    for (int k = 0; k + 1 < Items; k += 2)
    {
      exchange(k);
    }
#pragma unroll
    for (int k = 1; k + 1 < Items; k += 2)
    {
      exchange(k);
    }
  }
}

/// Returns the length, within the tile, of the longest segment that crosses a border between two threads' items; 0 if
/// there is none. The caller must set `shared` to 0 before a barrier that precedes the call.
template <class Heads>
MGPU_THRUST_DEVICE int longest_across(const Heads& heads, int first, int count, int& shared)
{
  int longest = 0;
  if (first > 0 && first < count && !heads.is_head(first))
  {
    longest = heads.end_of(first) - heads.begin_of(first);
  }
  for (int distance = 1; distance < 32; distance *= 2)
  {
    longest = max(longest, __shfl_xor_sync(0xffffffff, longest, distance));
  }
  if (threadIdx.x % 32 == 0)
  {
    atomicMax(&shared, longest);
  }
  __syncthreads();
  return shared;
}

/// Sorts each segment of a tile. `keys` and, if HasNumbers, `numbers` are in shared memory; the latter receive the
/// position that each key had. Both must have room for Items elements more than the tile, as some past its end are
/// read, but not used.
template <int Threads, int Items, bool HasNumbers, class Key, class Heads, class Compare>
class tile_sorter
{
  static_assert(1 < Items && Items <= 33, "a word of bits tells which neighbours are in one segment");

public:
  /// The bits of `joined` for a thread whose keys are all in one segment.
  static constexpr std::uint32_t all_joined = static_cast<std::uint32_t>((std::uint64_t{1} << (Items - 1)) - 1);

  MGPU_THRUST_DEVICE
  tile_sorter(
    Key* keys, ::cuda::std::uint16_t* numbers, int count, Heads heads, bool has_heads, int& shared_longest,
    Compare comp)
      : keys_(keys)
      , numbers_(numbers)
      , places_(keys)
      , count_(count)
      , heads_(heads)
      , has_heads_(has_heads)
      , longest_(shared_longest)
      , comp_(comp)
  {
  }

  /// Sorts the keys in the threads' registers, `own` in each, into shared memory. Bit k of `joined` says that a
  /// thread's keys k and k + 1 are in one segment. IsNear is for keys of one segment that may all be near their ranks.
  /// A barrier before the call must follow the last read of that memory, and the store of 0 to shared_longest.
  template <bool IsNear>
  MGPU_THRUST_DEVICE void sort(Key (&own_keys)[Items], int own, std::uint32_t joined)
  {
    // 1. Sort each thread's own keys. Sorting halves and merging them takes fewer instructions, but uses shared memory,
    //    which already limits the sort of random keys.
    const int first = static_cast<int>(threadIdx.x) * Items;
    int own_numbers[Items];
#pragma unroll
    for (int k = 0; k < Items; ++k)
    {
      own_numbers[k] = first + k;
    }
    constexpr exchanges what = IsNear ? exchanges::near_halves : exchanges::all;
    const bool is_whole = __all_sync(0xffffffff, joined == all_joined);
    if (is_whole)
    {
      detail::exchange_neighbours<what, HasNumbers>(own_keys, own_numbers, joined, comp_);
    }
    else if (__any_sync(0xffffffff, joined != 0))
    {
      detail::exchange_neighbours<exchanges::joined, HasNumbers>(own_keys, own_numbers, joined, comp_);
    }
    put(own_keys, own_numbers, own, first);
    if (IsNear && is_whole && comp_(own_keys[first_half<Items>], own_keys[first_half<Items> - 1]))
    {
      detail::merge_halves(places_, first, comp_, own_keys, own_numbers);
      look_up(own_numbers);
      put(own_keys, own_numbers, own, first);
    }

    // 2. Merge the runs of two neighbouring threads from both ends; then longer runs.
    const bool has_pairs = !IsNear && is_whole && !has_heads_;
    if (has_pairs)
    {
      merge_pairs(own_keys, own_numbers);
    }
    merge_runs<IsNear>(has_pairs ? 2 : 1);
  }

private:
  MGPU_THRUST_DEVICE void put(const Key (&taken)[Items], const int (&numbers)[Items], int count, int at) const
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

  /// Replaces positions in shared memory by the numbers at these positions.
  MGPU_THRUST_DEVICE void look_up([[maybe_unused]] int (&places)[Items]) const
  {
    if constexpr (HasNumbers)
    {
#pragma unroll
      for (int k = 0; k < Items; ++k)
      {
        places[k] = numbers_[places[k]];
      }
    }
  }

  /// Merges the runs of each pair of neighbouring threads of a warp. No thread has to search for the start of its part.
  MGPU_THRUST_DEVICE void merge_pairs(Key (&taken)[Items], int (&numbers)[Items])
  {
    const int first = static_cast<int>(threadIdx.x) * Items;
    const bool is_back = threadIdx.x % 2 != 0;
    const int middle = is_back ? first : first + Items;
    __syncwarp();
    const bool merges = comp_(keys_[middle], keys_[middle - 1]);
    if (merges)
    {
      detail::merge_pair(places_, first, is_back, comp_, taken, numbers);
      look_up(numbers);
    }
    __syncwarp();
    if (merges)
    {
      const int step = is_back ? -1 : 1;
      const int begin = is_back ? first + Items - 1 : first;
#pragma unroll
      for (int k = 0; k < Items; ++k)
      {
        keys_[begin + k * step] = taken[k];
        if constexpr (HasNumbers)
        {
          numbers_[begin + k * step] = static_cast<::cuda::std::uint16_t>(numbers[k]);
        }
      }
    }
  }

  /// Merges pairs of runs of `run` threads each until one run is left; a pair within one warp synchronises that warp
  /// alone. Once segments are so short that none crosses two of the borders left, or no key is half a run away from its
  /// rank, the merges at all these borders are done at once.
  template <bool IsNear>
  MGPU_THRUST_DEVICE void merge_runs(int run)
  {
    const int thread = static_cast<int>(threadIdx.x);
    const int first = thread * Items;
    const int longest = has_heads_ ? detail::longest_across(heads_, first, count_, longest_) : count_;
    bool is_last_level = longest == 0;
    for (; run < Threads && run * Items < count_ && !is_last_level; run *= 2)
    {
      is_last_level = has_heads_ && longest <= run * Items;
      int reach = run * Items;
      if constexpr (IsNear)
      {
        // A run's first key must not go before the middle key of the previous run, nor its middle key before the last
        // key of that run: then no key within reach of one border goes after a key within reach of the next.
        __syncthreads();
        reach /= 2;
        bool is_near = true;
        if ((thread & (run - 1)) == 0 && first > 0 && first < count_)
        {
          const int middle = first + reach;
          is_near = !comp_(keys_[first], keys_[middle - run * Items])
                    && (middle >= count_ || !comp_(keys_[middle], keys_[first - 1]));
        }
        is_last_level = __syncthreads_and(is_near);
      }
      const bool is_of_warp = run < 32 && !is_last_level;
      const auto synchronize = [is_of_warp]
      {
        if (is_of_warp)
        {
          __syncwarp();
        }
        else
        {
          __syncthreads();
        }
      };
      synchronize();
      const int b = min((is_last_level ? thread & -run : (thread & -(2 * run)) + run) * Items, count_);
      int a = is_last_level ? max(b - reach, 0) : (thread & -(2 * run)) * Items;
      int b_end = min(b + (is_last_level ? reach : run * Items), count_);
      if (has_heads_ && b > 0 && b < b_end)
      {
        a = max(a, heads_.begin_of(b));
        b_end = min(b_end, heads_.end_of(b));
      }
      // A thread merges only if a segment crosses the border between both runs, and its own part goes neither before
      // all of the other run nor after all of it.
      const int at = is_last_level ? a + (thread & (run - 1)) * Items : max(first, a);
      const int last = min((is_last_level ? at : first) + Items, b_end) - 1;
      const bool merges = at <= last && a < b && b < b_end && comp_(keys_[max(at, b)], keys_[min(last, b - 1)]);
      Key taken[Items];
      int places[Items];
      if (merges)
      {
        const tile_merge part = detail::merge_from<false>(places_, tile_merge{a, b, b, b_end, a, b_end}, at - a, comp_);
        if (is_of_warp)
        {
          detail::take_merged<takes::alone, false>(places_, part, comp_, taken, places);
        }
        else
        {
          detail::take_merged<false>(places_, part, comp_, taken, places);
        }
        look_up(places);
      }
      synchronize();
      put(taken, places, merges ? last + 1 - at : 0, at);
    }
    __syncthreads();
  }

  Key* keys_;
  ::cuda::std::uint16_t* numbers_;
  shared_places<Key> places_;
  int count_;
  Heads heads_;
  bool has_heads_;
  int& longest_;
  Compare comp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

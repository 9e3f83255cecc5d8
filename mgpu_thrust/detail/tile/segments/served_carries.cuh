// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Carries between the tiles of one kernel: each tile gets the reduction of what earlier tiles hand on.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/tile/segments/carry_group.cuh>

#include <cuda/atomic>
#include <cuda/cmath>

#include <cstddef>
#include <cstdint>
#include <cstring>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The carries of the tiles of a grid. A tile posts what it hands on, and combines its carry of what the tiles before
/// it in its group have posted, and of what is before the group; 32 tiles are a group. The first block of the grid, the
/// serving block, combines groups. As it is resident before all others, tiles may wait for it.
///
/// Carries are the same whenever tiles post, as the tree of their combination is fixed. A warp scans a group, one tile
/// a lane, by Kogge and Stone's network, where a lane's result depends on no later lane: so a tile that scans the part
/// of the group before it gets what a scan of the whole group gives. Groups are combined from the left:
///
///     carry of a tile = (carry of its group's first tile) op (scan of the tiles before it in the group)
///
/// The warps of the serving block take groups in turn. Only the combination of groups is sequential, through shared
/// memory: 32 tiles a step.
///
/// T has any size. Each of its words of four bytes travels with a `carried` of four bytes in one 64-bit word. So a
/// reader that finds all words posted has the whole value, and nothing needs a fence.
template <class T>
class served_carries
{
  using word = std::uint64_t;
  using atomic_word = ::cuda::atomic_ref<word, ::cuda::thread_scope_device>;
  using mail_word = ::cuda::atomic_ref<word, ::cuda::thread_scope_block>;
  static constexpr int words = (static_cast<int>(sizeof(T)) + 3) / 4;
  static constexpr int group = carry_group;
  using part = carried_part<T>;

public:
  /// Whether the first block of the grid serves the others.
  static constexpr bool are_served = true;

  /// A carry in shared memory.
  using storage = carry_storage<T>;

  /// The shared memory of a serving block of Threads threads. What is before a group is sent to its warp by the warp of
  /// the group before, in words as all carries, which are taken out by exchanging them for 0. A warp has done that
  /// before it sends to the next, so its mail is empty when the next arrives.
  template <int Threads>
  struct serving_storage
  {
    word mails[Threads / 32][words];
    storage before[Threads / 32];
  };

  /// Returns the bytes of storage for `tiles` tiles.
  static std::size_t bytes(std::int64_t tiles)
  {
    return static_cast<std::size_t>(padded_words(tiles) + padded_words(groups_of(tiles))) * sizeof(word);
  }
  served_carries(void* storage, std::int64_t tiles)
      : posted_(static_cast<word*>(storage))
      , carries_(posted_ + padded_words(tiles))
      , words_(padded_words(tiles) + padded_words(groups_of(tiles)))
  {
  }

  /// Clears a thread's share of all words. All threads of an earlier kernel call it.
  MGPU_THRUST_DEVICE void clear_share() const
  {
    const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words_; i += threads)
    {
      posted_[i] = 0;
    }
  }

  /// Posts what a tile hands on; called by one thread.
  MGPU_THRUST_DEVICE void post(int tile, carried kind, const uninitialized_t<T>& value) const
  {
    put(posted_, tile, kind, value);
  }

  /// Waits for the carry of a tile, and stores it to shared memory, for the time after a barrier; called by a full
  /// warp, for a tile after the first.
  template <class Op>
  MGPU_THRUST_DEVICE void wait(int tile, storage& shared, Op& op) const
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int number = tile / group;
    const int before = tile % group; // tiles of the group before this one

    // 1. If a segment starts in the tile before, its post is the carry, and stays in `shared`.
    if (wait_for_words(posted_, tile - 1, shared) == carried::restarted)
    {
      return;
    }

    // 2. Scan what the tiles of the group before this one hand on. Tiles before the last start do not matter.
    part scanned;
    int last_start = -1;
    if (before > 0)
    {
      while (true)
      {
        scanned = read_posted(number * group + (min) (lane, before - 1));
        const bool is_there = lane < before;
        const unsigned missing = __ballot_sync(~0u, is_there && scanned.kind == carried::unknown);
        last_start = 31 - __clz(static_cast<int>(__ballot_sync(~0u, is_there && scanned.kind == carried::restarted)));
        scanned.kind = is_there && lane >= last_start ? scanned.kind : carried::nothing;
        if (missing == 0 || 31 - __clz(static_cast<int>(missing)) < last_start)
        {
          break;
        }
        __nanosleep(20);
      }
      detail::scan_carried(scanned, op);
    }

    // 3. Combine that with what is before the group, unless a segment starts in the group: then that is the carry.
    carried kind = carried::nothing;
    if (last_start < 0)
    {
      kind = wait_for_words(carries_, number, shared);
    }
    __syncwarp();
    if (before > 0 && lane == before - 1)
    {
      const part carry = detail::combine_carried(kind, shared.value(), scanned, op);
      std::memcpy(shared.bits, &carry.value, sizeof(T));
    }
  }

  /// The work of the serving block, for `tiles` tiles; called by all its Threads threads.
  template <int Threads, class Op>
  MGPU_THRUST_DEVICE void serve(serving_storage<Threads>& shared, int tiles, Op& op) const
  {
    constexpr int warps = Threads / 32;
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int i = static_cast<int>(threadIdx.x); i < warps * words; i += Threads)
    {
      shared.mails[i / words][i % words] = 0;
    }
    if (threadIdx.x == 0)
    {
      const uninitialized_t<T> unspecified{};
      put(carries_, 0, carried::nothing, unspecified);
    }
    __syncthreads();
    const storage& before = shared.before[warp];
#pragma unroll 1
    for (int number = warp; number * group < tiles - group; number += warps)
    {
      // 1. Wait until all tiles of the group have posted.
      part scanned = read_posted(number * group + lane);
      while (__any_sync(~0u, scanned.kind == carried::unknown))
      {
        __nanosleep(20);
        scanned = read_posted(number * group + lane);
      }

      // 2. Scan, combine with what is before the group, and hand it on: to the next group's warp, and to its tiles.
      detail::scan_carried(scanned, op);
      const carried kind = number == 0 ? carried::nothing : receive(shared.mails[warp], shared.before[warp]);
      if (lane == group - 1)
      {
        const part carry = detail::combine_carried(kind, before.value(), scanned, op);
        send(shared.mails[(warp + 1) % warps], carry);
        put(carries_, number + 1, carry.kind, carry.value);
      }
      __syncwarp();
    }
  }

private:
  MGPU_THRUST_HOST_DEVICE static std::int64_t groups_of(std::int64_t tiles)
  {
    return ::cuda::ceil_div(tiles, std::int64_t{group});
  }
  /// Waits for the words of a value, stores the value to shared memory, and returns its kind; called by a full warp.
  MGPU_THRUST_DEVICE carried wait_for_words(word* all, int index, storage& shared) const
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
    carried kind = carried::unknown;
#pragma unroll
    for (int first = 0; first < words; first += 32)
    {
      const int own = (min) (first + lane, words - 1);
      word found = 0;
      while (__any_sync(~0u, (found = load(all, index, own)) == 0))
      {
        __nanosleep(20);
      }
      if (first + lane < words)
      {
        shared.bits[own] = static_cast<unsigned>(found);
      }
      kind = kind_of(found);
    }
    return kind;
  }
  MGPU_THRUST_HOST_DEVICE static std::int64_t padded_words(std::int64_t tiles)
  {
    return ::cuda::ceil_div(tiles, std::int64_t{group}) * group * words;
  }
  /// Returns the index of a word. The same words of a group's tiles are neighbours, so that a warp reads or writes them
  /// together.
  MGPU_THRUST_DEVICE static std::int64_t index_of(int tile, int word)
  {
    return (std::int64_t{tile / group} * words + word) * group + tile % group;
  }
  MGPU_THRUST_DEVICE static word load(word* all, int tile, int number)
  {
    return atomic_word(all[index_of(tile, number)]).load(::cuda::memory_order_relaxed);
  }
  MGPU_THRUST_DEVICE static carried kind_of(word from)
  {
    return static_cast<carried>(from >> 32);
  }

  /// Calls store(i, word) for each word of a value.
  template <class Store>
  MGPU_THRUST_DEVICE static void put_words(carried kind, const uninitialized_t<T>& value, Store store)
  {
    unsigned bits[words] = {};
    std::memcpy(bits, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < words; ++i)
    {
      store(i, word{static_cast<unsigned>(kind)} << 32 | bits[i]);
    }
  }
  MGPU_THRUST_DEVICE static void put(word* to, int tile, carried kind, const uninitialized_t<T>& value)
  {
    put_words(
      kind, value,
      [&](int i, word bits) { atomic_word(to[index_of(tile, i)]).store(bits, ::cuda::memory_order_relaxed); });
  }
  /// Reads what a tile hands on; it is unknown until all its words are posted.
  MGPU_THRUST_DEVICE part read_posted(int tile) const
  {
    unsigned bits[words];
    part found;
    found.kind = carried::restarted;
#pragma unroll
    for (int i = 0; i < words; ++i)
    {
      const word from = load(posted_, tile, i);
      bits[i] = static_cast<unsigned>(from);
      found.kind = kind_of(from) < found.kind ? kind_of(from) : found.kind; // all are equal, or some are unknown
    }
    std::memcpy(&found.value, bits, sizeof(T));
    return found;
  }

  /// Sends what is before a group to its warp; called by one thread.
  MGPU_THRUST_DEVICE static void send(word (&mail)[words], const part& carry)
  {
    put_words(
      carry.kind, carry.value,
      [&](int i, word bits) { mail_word(mail[i]).exchange(bits, ::cuda::memory_order_relaxed); });
  }
  /// Waits for that, stores the value, and returns its kind; called by a full warp.
  MGPU_THRUST_DEVICE static carried receive(word (&mail)[words], storage& to)
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
    word found = 0;
#pragma unroll
    for (int first = 0; first < words; first += 32)
    {
      const bool has_word = first + lane < words;
      found = 0;
      while (__any_sync(~0u, has_word && found == 0))
      {
        if (has_word && found == 0)
        {
          found = mail_word(mail[first + lane]).exchange(0, ::cuda::memory_order_relaxed);
        }
      }
      if (has_word)
      {
        to.bits[first + lane] = static_cast<unsigned>(found);
      }
    }
    __syncwarp();
    return static_cast<carried>(__shfl_sync(~0u, static_cast<unsigned>(kind_of(found)), 0));
  }

  word* posted_;
  word* carries_;
  std::int64_t words_;
};

/// A cut whose kernel also clears carries, for the kernel after it.
template <class Cut, class T>
struct clearing_cut : Cut
{
  served_carries<T> carries;

  clearing_cut(const Cut& cut, const served_carries<T>& to_clear)
      : Cut(cut)
      , carries(to_clear)
  {
  }
  MGPU_THRUST_DEVICE void cut_tiles(typename Cut::TempStorage& shared) const
  {
    carries.clear_share();
    Cut::cut_tiles(shared);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Carries between the tiles of one kernel: each tile gets the reduction of what earlier tiles hand on.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/carry_group.cuh>

#include <cuda/atomic>
#include <cuda/cmath>

#include <cstddef>
#include <cstdint>
#include <cstring>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The carries of the tiles of a grid. A tile posts what it hands on and waits for its carry; the first block of the grid,
/// the serving block, turns the one into the other. As that block is resident before all others, tiles may wait for it.
///
/// Carries are the same whenever tiles post, as the tree of their combination is fixed. 32 tiles are a group: a warp scans
/// it, one tile a lane, by Kogge and Stone's network, where a lane's result depends on no later lane. So the carries of
/// the first tiles are computed, by the same operations, before the last tiles post. Groups are combined from the left:
///
///     carry of a tile = (carry of its group's first tile) op (scan of the tiles before it in the group)
///
/// The warps of the serving block take groups in turn. Only the combination of groups is sequential, through shared
/// memory: 32 tiles a step.
///
/// T has any size. Each of its words of four bytes travels with a `carried` of four bytes in one 64-bit word. So a reader
/// that finds all words posted has the whole value, and nothing needs a fence.
template <class T>
class served_carries
{
  using word = std::uint64_t;
  using atomic_word = ::cuda::atomic_ref<word, ::cuda::thread_scope_device>;
  static constexpr int words = (static_cast<int>(sizeof(T)) + 3) / 4;
  static constexpr int group = carry_group;
  using part = carried_part<T>;

public:
  /// Whether the first block of the grid serves the others.
  static constexpr bool are_served = true;

  /// A carry in shared memory.
  using storage = carry_storage<T>;

  /// What is before a group, in shared memory.
  struct mail
  {
    storage value;
    carried kind;
    int group; ///< the group that is meant
  };

  /// The shared memory of a serving block of Threads threads: mail for two groups a warp. The warp of a group has read
  /// its mail before it hands its next group on, and that is before anything else is stored in its place.
  template <int Threads>
  struct serving_storage
  {
    mail mails[2 * Threads / 32];
  };

  /// Returns the bytes of storage for `tiles` tiles.
  static std::size_t bytes(std::int64_t tiles)
  {
    return 2 * static_cast<std::size_t>(padded_words(tiles)) * sizeof(word);
  }
  served_carries(void* storage, std::int64_t tiles)
      : posted_(static_cast<word*>(storage))
      , carries_(posted_ + padded_words(tiles))
      , words_(2 * padded_words(tiles))
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
  MGPU_THRUST_DEVICE void post(int tile, carried kind, const T& value) const
  {
    put(posted_, tile, kind, value);
  }

  /// Waits for the carry of a tile, and stores it to shared memory, for the time after a barrier; called by a full warp, for
  /// a tile after the first.
  MGPU_THRUST_DEVICE void wait(int tile, storage& shared) const
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int first = 0; first < words; first += 32)
    {
      const int own = (min) (first + lane, words - 1);
      word found = 0;
      while (true)
      {
        // If a segment starts in the previous tile, that one's post is the carry.
        const word before = load(posted_, tile - 1, own);
        found = load(carries_, tile, own);
        found = found == 0 && kind_of(before) == carried::restarted ? before : found;
        if (__all_sync(~0u, found != 0))
        {
          break;
        }
        __nanosleep(20);
      }
      if (first + lane < words)
      {
        shared.bits[own] = static_cast<unsigned>(found);
      }
    }
  }

  /// The work of the serving block, for `tiles` tiles; called by all its Threads threads.
  template <int Threads, class Op>
  MGPU_THRUST_DEVICE void serve(serving_storage<Threads>& shared, int tiles, Op& op) const
  {
    constexpr int warps = Threads / 32;
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int lane = static_cast<int>(threadIdx.x % 32);
    const auto mail_of = [&](int number) -> mail& { return shared.mails[number % (2 * warps)]; };
    if (threadIdx.x < 2 * warps)
    {
      shared.mails[threadIdx.x].group = threadIdx.x == 0 ? 0 : -1;
      shared.mails[threadIdx.x].kind = carried::nothing;
    }
    __syncthreads();
#pragma unroll 1
    for (int number = warp; number < (tiles + group - 1) / group; number += warps)
    {
      const int tile = number * group + lane;
      const mail& before = mail_of(number);
      int published = 0; // lanes whose carries are; one more if the group's is handed on
#pragma unroll 1
      while (published <= group)
      {
        // 1. Read what is posted. (Registers for what is read again would be too many for large values.)
        part scanned = read_posted((min) (tile, tiles - 1));
        const bool is_missing = tile < tiles && scanned.kind == carried::unknown;
        const unsigned missing = __ballot_sync(~0u, is_missing);
        const int ready = missing == 0 ? group : __ffs(static_cast<int>(missing)) - 1;
        if (ready < published)
        {
          __nanosleep(20);
          continue;
        }

        // 2. Scan. Missing lanes are as if they handed nothing on; no lane before them depends on that.
        scanned.kind = is_missing || tile >= tiles ? carried::nothing : scanned.kind;
        detail::scan_carried(scanned, op);
        receive(before, number);

        // 3. Hand the whole group on.
        if (ready == group && lane == group - 1)
        {
          send(
            mail_of(number + 1), number + 1, detail::combine_carried(before.kind, before.value.value(), scanned, op));
        }

        // 4. Publish what is ready: the carry of the first missing lane is, too.
        scanned = detail::shuffle_carried(scanned, 1);
        scanned.kind = lane == 0 ? carried::nothing : scanned.kind;
        if (published <= lane && lane <= ready && tile < tiles)
        {
          const part carry = detail::combine_carried(before.kind, before.value.value(), scanned, op);
          put(carries_, tile, carry.kind, carry.value);
        }
        published = ready + 1;
      }
    }
  }

private:
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

  MGPU_THRUST_DEVICE static void put(word* to, int tile, carried kind, const T& value)
  {
    unsigned bits[words] = {};
    std::memcpy(bits, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < words; ++i)
    {
      atomic_word(to[index_of(tile, i)])
        .store(word{static_cast<unsigned>(kind)} << 32 | bits[i], ::cuda::memory_order_relaxed);
    }
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

  /// Hands what is before a group on to its warp; called by one thread.
  MGPU_THRUST_DEVICE static void send(mail& to, int number, const part& carry)
  {
    std::memcpy(to.value.bits, &carry.value, sizeof(T));
    to.kind = carry.kind;
    ::cuda::atomic_ref<int, ::cuda::thread_scope_block>(to.group).store(number, ::cuda::memory_order_release);
  }
  /// Waits for that.
  MGPU_THRUST_DEVICE static void receive(const mail& from, int number)
  {
    const ::cuda::atomic_ref<int, ::cuda::thread_scope_block> group(const_cast<int&>(from.group));
    while (group.load(::cuda::memory_order_acquire) != number)
    {
      __nanosleep(20);
    }
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A bit for each item of a tile, computed by warps 32 at a time, and the number of bits set before an item.

#include <mgpu_thrust/detail/base/config.h>

#include <cub/block/block_scan.cuh>

#include <cuda/std/cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A bit for each of up to MaxItems items of a tile, in shared memory, and the number of bits set before an item. All
/// threads of the block call, in this order: find(), or set_word() for each word and count(); and, after a barrier,
/// before() and for_each().
template <int Threads, int MaxItems>
class tile_bits
{
  static constexpr int warps = Threads / 32;
  static constexpr int max_words = (MaxItems + 31) / 32;
  static_assert(Threads % 32 == 0 && max_words <= Threads, "mgpu_thrust: a thread counts the bits of one word");
  using block_scan = cub::BlockScan<int, Threads, cub::BLOCK_SCAN_WARP_SCANS>;

  struct word
  {
    ::cuda::std::uint32_t bits;
    int before; ///< number of bits set in earlier words
  };

public:
  struct storage
  {
    alignas(8) word words[max_words];
    typename block_scan::TempStorage scan;
  };

  MGPU_THRUST_DEVICE explicit tile_bits(storage& shared)
      : shared_(shared)
      , lane_(static_cast<int>(threadIdx.x) % 32)
      , warp_(static_cast<int>(threadIdx.x) / 32)
  {
  }

  /// Sets the bit of each of `count` items to is_set(item), and returns the number of bits set. The lanes of a warp
  /// have 32 neighbouring items.
  template <class Predicate>
  MGPU_THRUST_DEVICE int find(int count, Predicate is_set) const
  {
    const auto find_word = [&](int word, bool is_item)
    {
      const unsigned bits = __ballot_sync(~0u, is_item && is_set(32 * word + lane_));
      if (lane_ == 0)
      {
        set_word(word, bits);
      }
    };
    int word = warp_;
#pragma unroll 8
    for (; word < count / 32; word += warps)
    {
      find_word(word, true);
    }
    if (word < words_of(count))
    {
      find_word(word, 32 * word + lane_ < count);
    }
    return this->count(count);
  }

  /// Sets the bits of items 32 * word to 32 * word + 31. Bits of items past the end of the tile must be 0.
  MGPU_THRUST_DEVICE void set_word(int word, ::cuda::std::uint32_t bits) const
  {
    shared_.words[word].bits = bits;
  }

  /// Returns the number of bits set in a tile of `count` items.
  MGPU_THRUST_DEVICE int count(int count) const
  {
    __syncthreads();
    const int word = static_cast<int>(threadIdx.x);
    const bool is_word = word < words_of(count);
    int before = 0;
    int total = 0;
    block_scan(shared_.scan).ExclusiveSum(is_word ? __popc(shared_.words[word].bits) : 0, before, total);
    if (is_word)
    {
      shared_.words[word].before = before;
    }
    return total;
  }

  /// Returns the number of bits set before an item of the tile.
  MGPU_THRUST_DEVICE int before(int item) const
  {
    const auto position = static_cast<unsigned>(item);
    const word found = shared_.words[position / 32];
    return found.before + __popc(found.bits & ((1u << position % 32) - 1));
  }

  /// Calls f(item, rank) for each item whose bit is set, where `rank` is the number of bits set before it; the lanes of
  /// a warp have 32 neighbouring items.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each(int count, Function f) const
  {
    const ::cuda::std::uint32_t bits_before = (1u << lane_) - 1;
#pragma unroll 4
    for (int i = warp_; i < words_of(count); i += warps)
    {
      const word found = shared_.words[i];
      if (found.bits >> lane_ & 1)
      {
        f(32 * i + lane_, found.before + __popc(found.bits & bits_before));
      }
    }
  }

  /// Moves the items whose bit is set to the front, in order: each to its rank. All threads call it after a barrier,
  /// and a barrier must follow. An item moves to a place that no later round reads.
  template <class Item>
  MGPU_THRUST_DEVICE void move_to_front(Item* items, int count) const
  {
    constexpr int words_of_round = sizeof(Item) <= 8 ? 4 : 1;
    const ::cuda::std::uint32_t bits_before = (1u << lane_) - 1;
    for (int first = 0; first < words_of(count); first += words_of_round * warps)
    {
      Item moved[words_of_round];
      int ranks[words_of_round];
#pragma unroll
      for (int k = 0; k < words_of_round; ++k)
      {
        const int i = first + k * warps + warp_;
        const word found = i < words_of(count) ? shared_.words[i] : word{};
        ranks[k] = found.bits >> lane_ & 1 ? found.before + __popc(found.bits & bits_before) : -1;
        if (ranks[k] >= 0)
        {
          moved[k] = items[32 * i + lane_];
        }
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < words_of_round; ++k)
      {
        if (ranks[k] >= 0)
        {
          items[ranks[k]] = moved[k];
        }
      }
    }
  }

private:
  MGPU_THRUST_DEVICE static int words_of(int count)
  {
    return (count + 31) / 32;
  }

  storage& shared_;
  int lane_;
  int warp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

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

/// A bit for each of up to MaxItems items of a tile, in shared memory. All threads of the block call, in this order:
/// set_word() for each word, by any thread; count(), which has barriers; and, after a barrier, before() and for_each().
template <int Threads, int MaxItems>
class tile_bits
{
  static constexpr int max_words = (MaxItems + 31) / 32;
  static_assert(Threads % 32 == 0 && max_words <= Threads, "mgpu_thrust: a thread counts the bits of one word");
  static_assert(MaxItems < 65536, "mgpu_thrust: items are counted in 16 bits");
  using block_scan = cub::BlockScan<int, Threads, cub::BLOCK_SCAN_WARP_SCANS>;

public:
  struct storage
  {
    ::cuda::std::uint32_t words[max_words];
    ::cuda::std::uint16_t before[max_words];
    typename block_scan::TempStorage scan;
  };

  MGPU_THRUST_DEVICE explicit tile_bits(storage& shared)
      : shared_(shared)
  {
  }

  /// Sets the bits of items 32 * word to 32 * word + 31. Bits of items past the end of the tile must be 0.
  MGPU_THRUST_DEVICE void set_word(int word, ::cuda::std::uint32_t bits) const
  {
    shared_.words[word] = bits;
  }

  /// Returns the number of bits set in a tile of `count` items.
  MGPU_THRUST_DEVICE int count(int count) const
  {
    __syncthreads();
    const int word = static_cast<int>(threadIdx.x);
    const bool is_word = word < words_of(count);
    int before = 0;
    int total = 0;
    block_scan(shared_.scan).ExclusiveSum(is_word ? __popc(shared_.words[word]) : 0, before, total);
    if (is_word)
    {
      shared_.before[word] = static_cast<::cuda::std::uint16_t>(before);
    }
    return total;
  }

  /// Returns the number of bits set before an item of the tile.
  MGPU_THRUST_DEVICE int before(int item) const
  {
    return shared_.before[item / 32] + __popc(shared_.words[item / 32] & ((1u << item % 32) - 1));
  }

  /// Calls f(item, rank) for each item whose bit is set, where `rank` is the number of bits set before it; the lanes of
  /// a warp have 32 neighbouring items.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each(int count, Function f) const
  {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const ::cuda::std::uint32_t bits_before = (1u << lane) - 1;
#pragma unroll 4
    for (int word = static_cast<int>(threadIdx.x) / 32; word < words_of(count); word += Threads / 32)
    {
      const ::cuda::std::uint32_t bits = shared_.words[word];
      if (bits >> lane & 1)
      {
        f(32 * word + lane, shared_.before[word] + __popc(bits & bits_before));
      }
    }
  }

private:
  MGPU_THRUST_DEVICE static int words_of(int count)
  {
    return (count + 31) / 32;
  }

  storage& shared_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

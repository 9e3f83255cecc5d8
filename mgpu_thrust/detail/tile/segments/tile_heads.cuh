// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The heads (first elements) of segments in a tile: a bit for each, and the nearest heads of each 32 elements.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/std/cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The heads of segments among up to MaxItems items of a tile, in shared memory. All threads of the block call, in
/// this order: clear(); mark() for each head, by any thread; finish(); then the other functions. The tile's first item,
/// and the one after its last, count as heads. For few words, mark_ends() may replace finish(), if walk_to_begin() and
/// walk_to_end() replace begin_of() and end_of().
template <int Threads, int MaxItems>
class tile_heads
{
  static_assert(Threads % 32 == 0, "a block is made of whole warps");
  using word = ::cuda::std::uint32_t;
  static constexpr int words = MaxItems / 32 + 1; // there is a bit for the item after the last
  static constexpr int summary_words = (words + 31) / 32;

public:
  struct storage
  {
    word bits[words + 1];               ///< heads; the last word has none
    word with_heads[summary_words];     ///< the words of `bits` that have any
    ::cuda::std::uint16_t last[words];  ///< last head up to the word's end
    ::cuda::std::uint16_t first[words]; ///< first head from the word's begin on
  };

  MGPU_THRUST_DEVICE explicit tile_heads(storage& shared)
      : shared_(shared)
  {
  }

  MGPU_THRUST_DEVICE void clear() const
  {
    for (int i = static_cast<int>(threadIdx.x); i <= words; i += Threads)
    {
      shared_.bits[i] = 0;
    }
    __syncthreads();
  }
  MGPU_THRUST_DEVICE void mark(int item) const
  {
    atomicOr(&shared_.bits[item / 32], word{1} << (item % 32));
  }
  MGPU_THRUST_DEVICE void mark_ends(int count) const
  {
    if (threadIdx.x == 0)
    {
      mark(0);
      mark(count);
    }
    __syncthreads();
  }
  MGPU_THRUST_DEVICE void finish(int count) const
  {
    const int thread = static_cast<int>(threadIdx.x);
    mark_ends(count);
    for (int i = thread; i < 32 * summary_words; i += Threads) // whole warps
    {
      shared_.with_heads[i / 32] = __ballot_sync(0xffffffff, i < words && shared_.bits[i] != 0);
    }
    __syncthreads();
    for (int i = thread; i <= count / 32; i += Threads)
    {
      shared_.last[i] = static_cast<::cuda::std::uint16_t>(find_last(i));
      shared_.first[i] = static_cast<::cuda::std::uint16_t>(find_first(i));
    }
    __syncthreads();
  }

  MGPU_THRUST_DEVICE bool is_head(int item) const
  {
    return (shared_.bits[item / 32] >> (item % 32) & 1) != 0;
  }
  /// Returns a word whose bit k says whether item + k is a head.
  MGPU_THRUST_DEVICE word from(int item) const
  {
    return __funnelshift_r(shared_.bits[item / 32], shared_.bits[item / 32 + 1], item % 32);
  }
  /// First item of an item's segment in the tile.
  MGPU_THRUST_DEVICE int begin_of(int item) const
  {
    const word heads = shared_.bits[item / 32] & up_to(item % 32);
    return heads != 0 ? item / 32 * 32 + highest(heads) : shared_.last[item / 32 - 1];
  }
  /// End of an item's segment in the tile: the item after its last one.
  MGPU_THRUST_DEVICE int end_of(int item) const
  {
    const word heads = shared_.bits[item / 32] & ~up_to(item % 32);
    return heads != 0 ? item / 32 * 32 + lowest(heads) : shared_.first[item / 32 + 1];
  }

  /// The same as begin_of() and end_of(), word by word.
  MGPU_THRUST_DEVICE int walk_to_begin(int item) const
  {
    int at = item / 32;
    word heads = shared_.bits[at] & up_to(item % 32);
    while (heads == 0)
    {
      heads = shared_.bits[--at];
    }
    return 32 * at + highest(heads);
  }
  MGPU_THRUST_DEVICE int walk_to_end(int item) const
  {
    int at = item / 32;
    word heads = shared_.bits[at] & ~up_to(item % 32);
    while (heads == 0)
    {
      heads = shared_.bits[++at];
    }
    return 32 * at + lowest(heads);
  }

private:
  // The nearest heads of a word, by the words that have any. There are one at or before it, and one at or after it.

  MGPU_THRUST_DEVICE int find_last(int i) const
  {
    int part = i / 32;
    word words_before = shared_.with_heads[part] & up_to(i % 32);
    while (words_before == 0)
    {
      words_before = shared_.with_heads[--part];
    }
    const int found = 32 * part + highest(words_before);
    return 32 * found + highest(shared_.bits[found]);
  }
  MGPU_THRUST_DEVICE int find_first(int i) const
  {
    int part = i / 32;
    word words_after = shared_.with_heads[part] & ~word{0} << (i % 32);
    while (words_after == 0)
    {
      words_after = shared_.with_heads[++part];
    }
    const int found = 32 * part + lowest(words_after);
    return 32 * found + lowest(shared_.bits[found]);
  }

  // Bits of a word, by their numbers.

  MGPU_THRUST_DEVICE static word up_to(int bit)
  {
    return ~word{0} >> (31 - bit);
  }
  MGPU_THRUST_DEVICE static int lowest(word bits)
  {
    return __ffs(static_cast<int>(bits)) - 1;
  }
  MGPU_THRUST_DEVICE static int highest(word bits)
  {
    return 31 - __clz(static_cast<int>(bits));
  }

  storage& shared_;
};

/// Stands for tile_heads if all items are in one segment.
struct no_tile_heads
{
  struct storage
  {
  };

  MGPU_THRUST_DEVICE explicit no_tile_heads(storage&)
  {
  }
  MGPU_THRUST_DEVICE bool is_head(int) const
  {
    return false;
  }
  MGPU_THRUST_DEVICE ::cuda::std::uint32_t from(int) const
  {
    return 0;
  }
  MGPU_THRUST_DEVICE int begin_of(int) const
  {
    return 0;
  }
  MGPU_THRUST_DEVICE int end_of(int item) const
  {
    return item;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

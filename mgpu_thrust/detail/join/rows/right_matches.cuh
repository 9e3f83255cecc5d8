// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which right elements of a tile have a match, for right and full joins.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/tile/place/tile_marks.cuh>
#include <mgpu_thrust/detail/tile/segments/tile_bits.cuh>

#include <cub/warp/warp_reduce.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the sum of a value over a full warp, in its first lane.
MGPU_THRUST_DEVICE unsigned sum_over_warp(unsigned value)
{
  typename cub::WarpReduce<unsigned>::TempStorage nothing_shared;
  return cub::WarpReduce<unsigned>(nothing_shared).Sum(value);
}

/// Which right elements of a tile have a match: a byte each, which is 0 or 1, so that warps mark matches without
/// atomics. 32 bytes are packed into a word of bits when they are read. A position `right` is counted from the tile's
/// first right element; a `word` is 32 positions.
template <class Shape>
class join_right_matches
{
  static constexpr int max_right = Shape::items + 1;
  using bits_type = tile_bits<Shape::threads, max_right>;

public:
  struct TempStorage
  {
    typename bits_type::storage bits; ///< of the elements without a match, when they are written
    int matched_before;               ///< number of elements, the tile's first, whose match is before the tile
    int right_only;                   ///< number of elements without a match
  };

  /// Returns the number of words of memory that the bytes of `count` elements take: whole words of bits.
  MGPU_THRUST_DEVICE static int memory_words(int count)
  {
    return (count + 31) / 32 * 8;
  }

  /// `memory`, aligned to 16, has memory_words(count) words.
  MGPU_THRUST_DEVICE join_right_matches(TempStorage& shared, void* memory, int count, int lane, int warp)
      : shared_(shared)
      , has_match_(static_cast<unsigned char*>(memory))
      , count_(count)
      , lane_(lane)
      , warp_(warp)
  {
  }

  /// Clears the bytes, and counts the elements whose match is before the tile; called by all threads of the block. A
  /// barrier must follow before mark().
  template <class Tile>
  MGPU_THRUST_DEVICE void clear(Tile& tile)
  {
    auto* const sixteens = reinterpret_cast<uint4*>(has_match_);
    for (int i = static_cast<int>(threadIdx.x); i < (count_ + 31) / 32 * 2; i += Shape::threads)
    {
      sixteens[i] = {0, 0, 0, 0};
    }
    if (warp_ == Shape::threads / 32 - 1)
    {
      const int matched_before = tile.matches_before();
      if (lane_ == 0)
      {
        shared_.matched_before = matched_before;
        shared_.right_only = 0;
      }
    }
  }

  /// Marks the `matches` matches in the tile, from `first` on, of left element `left`; called by a full warp.
  template <class Tile>
  MGPU_THRUST_DEVICE void mark(Tile& tile, int left, int first, int matches)
  {
    // 1. Each lane marks the first matches of its own element.
    constexpr int few = Shape::lane_marks;
#pragma unroll
    for (int k = 0; k < few; ++k)
    {
      if (k < matches)
      {
        has_match_[first + k] = 1;
      }
    }

    // 2. All lanes together mark the others of an element that has more, once for all equal left elements.
    unsigned waiting = __ballot_sync(~0u, matches > few && tile.is_first_of_equals(left));
    while (waiting != 0)
    {
      const int owner = __ffs(static_cast<int>(waiting)) - 1;
      waiting &= waiting - 1;
      const int owner_first = __shfl_sync(~0u, first, owner);
      const int owner_last = owner_first + __shfl_sync(~0u, matches, owner);
      for (int right = owner_first + few + lane_; right < owner_last; right += 32)
      {
        has_match_[right] = 1;
      }
    }
  }

  /// Calls f(word, right_only) for each word, on some thread: bit k of right_only is set if element 32 * word + k
  /// exists and has no match. Returns the number of elements without a match to all threads, after a barrier. All
  /// threads must call it, after a barrier that follows the last mark().
  template <class Function>
  MGPU_THRUST_DEVICE int for_each_word(Function f)
  {
    int right_only_count = 0;
    for (int word = static_cast<int>(threadIdx.x); 32 * word < count_; word += Shape::threads)
    {
      const auto* const sixteens = reinterpret_cast<const uint4*>(has_match_ + 32 * word);
      const unsigned matched = detail::bits_of_marks(sixteens[0]) | detail::bits_of_marks(sixteens[1]) << 16;
      const unsigned present = detail::first_lanes(count_ - 32 * word);
      const unsigned matched_before = detail::first_lanes((max) (shared_.matched_before - 32 * word, 0));
      const unsigned right_only = present & ~(matched | matched_before);
      right_only_count += __popc(right_only);
      f(word, right_only);
    }
    right_only_count = static_cast<int>(detail::sum_over_warp(static_cast<unsigned>(right_only_count)));
    if (lane_ == 0)
    {
      atomicAdd(&shared_.right_only, right_only_count);
    }
    __syncthreads();
    return shared_.right_only;
  }

  /// Finds the elements without a match. Returns and is called as for_each_word().
  MGPU_THRUST_DEVICE int find_right_only()
  {
    const bits_type bits(shared_.bits);
    const int right_only = for_each_word([&](int word, unsigned own) { bits.set_word(word, own); });
    bits.count(count_);
    __syncthreads();
    return right_only;
  }

  /// Calls f(right, rank) for each element that find_right_only() has found, where `rank` is the number of such
  /// elements before it. All threads must call it.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each_right_only(Function f) const
  {
    bits_type(shared_.bits).for_each(count_, f);
  }

private:
  TempStorage& shared_;
  unsigned char* has_match_;
  int count_;
  int lane_;
  int warp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

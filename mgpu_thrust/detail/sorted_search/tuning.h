// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tile size of the sorted search kernel, and when needles are searched for one by one.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape for keys of `KeyBytes`, the larger of both inputs' key sizes: as many keys in flight as shared memory
/// holds. The search distributes the needles over the threads itself, so the items per thread only determine the tile
/// size.
template <int KeyBytes>
constexpr auto choose_sorted_search_shape()
{
  constexpr int bytes = KeyBytes > largest_staged_key ? 1 : KeyBytes;
  if constexpr (bytes <= 4)
  {
    return tile_shape<256, 26, 8>{};
  }
  else if constexpr (bytes <= 8)
  {
    return tile_shape<192, 24, 6>{};
  }
  else if constexpr (bytes <= 128)
  {
    return tile_shape<128, detail::items_that_fit(128, bytes, 17), 6>{};
  }
  else
  {
    return tile_shape<32, detail::items_that_fit(32, bytes, 17), 6>{};
  }
}

/// From this number of elements of the haystack per needle on, it is faster to bisect the haystack for each needle than
/// to read it all.
inline constexpr std::int64_t sparse_needles_ratio = 64;

/// Up to this number of elements in both ranges it is faster to bisect for each needle, too, unless both of its bounds
/// are wanted: for 2^18 int32 a side a caller waits 16 us instead of 18 for tiles, for 2^19 tiles take 15.
inline constexpr std::int64_t few_to_search = std::int64_t{1} << 19;

/// When the haystack is bisected for each needle: if it is so long that most of it need not be read; and, up to Few
/// elements in both ranges, if it is so short that it is read from the cache.
template <std::int64_t Few>
struct bisection
{
  /// Whether it is, for sizes as they are.
  MGPU_THRUST_HOST_DEVICE static constexpr bool is_for(std::int64_t needles, std::int64_t haystack)
  {
    return needles <= haystack / sparse_needles_ratio || needles + haystack <= Few;
  }

  /// Returns the most elements in both ranges that tiles are queued for; 0 if the haystack is bisected for all numbers
  /// that the sizes can be. Deferred sizes may be for either; then the kernel of the tiles does both.
  template <class NumNeedles, class NumHaystack>
  static std::int64_t most_tiled(const NumNeedles& num_needles, const NumHaystack& num_haystack)
  {
    const std::int64_t needles = detail::capacity_of(num_needles);
    const std::int64_t capacity = detail::capacity_of(num_haystack);
    const bool is_bounded = is_deferred_v<NumHaystack> && needles <= capacity / sparse_needles_ratio;
    const std::int64_t haystack = is_bounded ? needles * sparse_needles_ratio - 1 : capacity;
    return needles == 0 || is_for(needles, haystack) ? 0 : needles + haystack;
  }
};

/// The Tiling (path_cut.cuh) of searches with deferred sizes. Where the Bisection is for them there are no tiles, and a
/// block has Threads needles at a time.
template <bool NeedlesAreA, int Threads, class Bisection>
struct unless_bisected
{
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static bool has_tiles(const Inputs& inputs)
  {
    return !Bisection::is_for(needles(inputs), inputs.a_count + inputs.b_count - needles(inputs));
  }
  /// Where the haystack is long, as many blocks have been queued for tiles at least, as a tile has fewer than 64 elements
  /// a thread. Where there are few elements, fewer may have been queued.
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static int blocks_without_tiles(const Inputs& inputs)
  {
    return static_cast<int>(::cuda::ceil_div(needles(inputs), std::int64_t{Threads}));
  }

private:
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static std::int64_t needles(const Inputs& inputs)
  {
    return NeedlesAreA ? inputs.a_count : inputs.b_count;
  }
};

/// Threads of a block of the kernels that bisect for each needle.
inline constexpr int sparse_search_threads = 128;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

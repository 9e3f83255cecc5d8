// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The cut by keys that never descend, such as the offsets of segments: where each tile's bound lies among them.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// Bounds tell a sampled_cut what it searches for. They have
//   begin(), end()          the positions of the keys
//   key(position)           a key; keys never descend, and are expected to ascend from 0 to about last_bound()
//   bound(tile)             the bound of a tile, which grows by the same number from tile to tile, up to
//   last_bound()            the largest bound of all
//   store(tile, position)   stores the first position whose key is not below the tile's bound, or end()

/// Returns the bound of a tile, at most the largest.
template <class Bounds>
MGPU_THRUST_DEVICE std::int64_t bound_of_tile(const Bounds& bounds, std::int64_t tile)
{
  return (min) (bounds.bound(tile), bounds.last_bound());
}

/// Returns the first position whose key is not below a tile's bound, or end(), to all lanes of a full warp.
template <class Bounds>
MGPU_THRUST_DEVICE std::int64_t find_bound_of_tile(const Bounds& bounds, std::int64_t tile)
{
  const std::int64_t bound = detail::bound_of_tile(bounds, tile);
  return detail::warp_partition_point_after(
    bounds.begin(), bounds.end(), static_cast<float>(bound) / static_cast<float>(bounds.last_bound()),
    [&](std::int64_t position) { return bounds.key(position) < bound; });
}

/// The cut of each of `tiles` tiles, and the end of the last. Up to max_tiles_cut_by_warps tiles are cut by a warp
/// each, more by a thread each. A thread waits for memory few times too, not log2(size) times: the first two warps of a
/// block find the block's first and last position, each thread reads a key in between, and linear interpolation between
/// these keys finds most bounds. If keys descend, the result is an unspecified position in the range.
template <class Bounds>
struct sampled_cut
{
  static constexpr int threads = cut_threads;
  static constexpr bool starts_next = true;
  struct TempStorage
  {
    tile_range range;
    std::int64_t keys[cut_threads];
  };

  Bounds bounds;
  std::int64_t tiles;

  MGPU_THRUST_HOST_DEVICE int blocks() const
  {
    return detail::cut_blocks(tiles);
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    if (detail::are_cut_by_warps(tiles))
    {
      const std::int64_t tile = tile_of(static_cast<int>(threadIdx.x)) / 32;
      if (tile <= tiles)
      {
        const std::int64_t position = detail::find_bound_of_tile(bounds, tile);
        if (threadIdx.x % 32 == 0)
        {
          bounds.store(tile, position);
        }
      }
      return;
    }
    const std::int64_t tile = tile_of(static_cast<int>(threadIdx.x));
    const std::int64_t position = find(shared);
    if (tile <= tiles)
    {
      bounds.store(tile, position);
    }
  }

private:
  /// A thread's tile, if each has one.
  MGPU_THRUST_DEVICE static std::int64_t tile_of(int thread)
  {
    return std::int64_t{blockIdx.x} * cut_threads + thread;
  }
  /// The bound of a thread's tile.
  MGPU_THRUST_DEVICE std::int64_t bound_of(int thread) const
  {
    return detail::bound_of_tile(bounds, tile_of(thread));
  }

  /// Returns to each thread the position of its tile.
  MGPU_THRUST_DEVICE std::int64_t find(TempStorage& shared) const
  {
    const int thread = static_cast<int>(threadIdx.x);

    // 1. The block's range.
    const tile_range range = detail::find_tile_range(
      shared.range,
      [&](bool is_first) { return detail::find_bound_of_tile(bounds, tile_of(is_first ? 0 : cut_threads - 1)); });
    if (range.first >= range.last)
    {
      return range.first;
    }

    // 2. Read keys at equal distances, and find the two that the thread's bound lies between.
    const auto position_of = [&](int sample)
    { return range.first + (range.last - range.first) * sample / cut_threads; };
    shared.keys[thread] = bounds.key(position_of(thread));
    __syncthreads();
    const std::int64_t bound = bound_of(thread);
    const int sample = detail::partition_point(0, cut_threads, [&](int i) { return shared.keys[i] < bound; });
    if (sample == 0)
    {
      return range.first;
    }
    std::int64_t begin = position_of(sample - 1) + 1;
    std::int64_t end = sample < cut_threads ? position_of(sample) : range.last;

    // 3. Guess by linear interpolation between them, correct the guess by its key, and search near it first.
    const auto is_below = [&](std::int64_t position) { return bounds.key(position) < bound; };
    const std::int64_t low = shared.keys[sample - 1];
    const std::int64_t high = sample < cut_threads ? shared.keys[sample] : bound_of(cut_threads - 1);
    const float slope = static_cast<float>(end - begin) / static_cast<float>(high - low + 1);
    const auto distance = [&](std::int64_t from)
    { return static_cast<std::int64_t>(static_cast<float>(bound - from) * slope); };
    if (begin < end)
    {
      std::int64_t guess = detail::clamp_index(begin + distance(low), begin, end - 1);
      const std::int64_t found = bounds.key(guess);
      (found < bound ? begin : end) = guess + (found < bound);
      guess += distance(found);
      detail::narrow_range<2>(begin, end, guess - 8, std::int64_t{16}, is_below);
    }
    return detail::partition_point(begin, end, is_below);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

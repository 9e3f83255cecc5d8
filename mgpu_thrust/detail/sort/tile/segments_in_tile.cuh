// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The segments of a tile.

#include <mgpu_thrust/detail/base/config.h>

#include <cub/warp/warp_reduce.cuh>

#include <cuda/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The segments of a tile. Heads is tile_heads or no_tile_heads; it may be read only if there are several segments.
/// Items are identified by their positions in the tile.
template <class Heads>
class segments_in_tile
{
public:
  MGPU_THRUST_DEVICE segments_in_tile(const Heads& heads, bool are_several)
      : heads_(heads)
      , are_several_(are_several)
  {
  }

  MGPU_THRUST_DEVICE bool are_several() const
  {
    return are_several_;
  }
  /// Whether an item is the first of its segment.
  MGPU_THRUST_DEVICE bool is_head(int item) const
  {
    return heads_.is_head(item);
  }
  /// Returns a word: bit k tells whether item + k is the first of its segment.
  MGPU_THRUST_DEVICE std::uint32_t heads_from(int item) const
  {
    return heads_.from(item);
  }

  /// First item of an item's segment in the tile.
  MGPU_THRUST_DEVICE int begin_of(int item) const
  {
    return heads_.begin_of(item);
  }
  /// End of an item's segment in the tile: the item after its last one.
  MGPU_THRUST_DEVICE int end_of(int item) const
  {
    return heads_.end_of(item);
  }

  /// Returns the length, in a tile of `count` items, of the longest segment that crosses a border between two threads'
  /// items; 0 if there is none. Called by all threads of a block, each with its first item. `shared_longest` must be
  /// set to 0 before a barrier that precedes the call.
  MGPU_THRUST_DEVICE int longest_across(int first, int count, int& shared_longest) const
  {
    int longest = 0;
    if (first > 0 && first < count && !heads_.is_head(first))
    {
      longest = heads_.end_of(first) - heads_.begin_of(first);
    }
    typename cub::WarpReduce<int>::TempStorage nothing_shared;
    longest = cub::WarpReduce<int>(nothing_shared).Reduce(longest, ::cuda::maximum<int>{});
    if (threadIdx.x % 32 == 0)
    {
      atomicMax(&shared_longest, longest);
    }
    __syncthreads();
    return shared_longest;
  }

private:
  Heads heads_;
  bool are_several_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How a block combines the carries of segments that lie in several tiles.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_reduce/tiles/tile_output.cuh>

#include <cub/block/block_reduce.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The tiles that a segment lies in. It starts in tile `first`. It ends in tile `last`, or where that tile begins.
struct tile_stretch
{
  int first;
  int last;

  /// Returns the number of tiles whose last items belong to the segment: all but the last.
  MGPU_THRUST_DEVICE int count() const
  {
    return last - first;
  }
};

/// Combines the carries of tiles, Shape::threads tiles per block. A thread has the segment that began before its tile
/// and ends in it, if any. The order of the reduction is fixed.
///
/// Tiles, segments and items are numbered from the first of all, not from the first of a tile or of the block.
///
/// Shared memory, from left to right, in each step of the third phase; the others use none:
///
///                  +----------------------------+---------------------------+-------------------+
///                  | reduce                     | stretches                 | count             |
///     list         |                            | of segments in many tiles | 0, then of these  |
///     combine      | by each stretch in turn    | read                      | read              |
///                  +----------------------------+---------------------------+-------------------+
template <class Shape, class T, class Reduction, class Offsets>
class carry_block
{
  using block_reduce = cub::BlockReduce<uninitialized_t<T>, Shape::threads>;

public:
  struct TempStorage
  {
    typename block_reduce::TempStorage reduce;
    tile_stretch stretches[Shape::threads];
    int count;
  };

  /// Tile t is from begins[t] to begins[t + 1], and its carries are carries.first[t] and carries.last[t].
  MGPU_THRUST_DEVICE carry_block(
    TempStorage& shared, Reduction& reduction, const segments<Offsets>& in, const load_balance_point* begins,
    const tile_carries<T>& carries)
      : shared_(shared)
      , reduction_(reduction)
      , in_(in)
      , begins_(begins)
      , carries_(carries)
  {
  }

  /// Writes the results of the segments that end in Shape::threads tiles from `first_tile` on, and began in earlier
  /// tiles. There are `tiles` tiles in all. Called by all threads of the block.
  MGPU_THRUST_DEVICE void process(int first_tile, int tiles)
  {
    // 1. Find the tile in which the segment began.
    const int tile = first_tile + static_cast<int>(threadIdx.x);
    const tile_stretch own = 0 < tile && tile < tiles ? find_stretch(tile) : tile_stretch{tile, tile};

    // 2. Few tiles: the thread combines them.
    const int count = own.count();
    if (0 < count && count <= Shape::max_tiles_of_thread)
    {
      combine_by_thread(own);
    }

    // 3. Many tiles: the block combines them.
    if (list_long_stretches(own))
    {
      for (int i = 0; i < shared_.count; ++i)
      {
        combine_by_block(shared_.stretches[i]);
      }
    }
  }

private:
  /// Returns the tiles of the first segment that ends in `tile`, if it began in an earlier tile; otherwise a stretch
  /// whose count is 0.
  MGPU_THRUST_DEVICE tile_stretch find_stretch(int tile) const
  {
    int first = tile;
    if (begins_[tile].segment_index < begins_[tile + 1].segment_index)
    {
      const std::int64_t segment = begins_[tile].segment_index;
      const std::int64_t start = in_.offset(segment);
      if (start < begins_[tile].item_index)
      {
        // Everything before the segment has this weight, so it starts in the tile of that weight or, if the cut after
        // that tile divides its first item, in the next one. (Wrong offsets give any tile.)
        first =
          static_cast<int>(detail::clamp_index((item_weight * start + segment) / Shape::tile_weight, 0, tile - 1));
        while (first > 0 && begins_[first].item_index > start)
        {
          --first;
        }
        while (first < tile - 1 && begins_[first + 1].item_index <= start)
        {
          ++first;
        }
      }
    }
    return {first, tile};
  }

  /// Combines the carries of a stretch from the first tile to the last.
  MGPU_THRUST_DEVICE void combine_by_thread(tile_stretch stretch)
  {
    T value = carries_.last[stretch.first];
    for (int tile = stretch.first + 1; tile < stretch.last; ++tile)
    {
      value = static_cast<T>(reduction_.op(value, carries_.last[tile]));
    }
    write_result(stretch.last, value);
  }

  /// Lists the threads' stretches of many tiles, in any order, and returns whether there are any.
  MGPU_THRUST_DEVICE bool list_long_stretches(tile_stretch own)
  {
    const bool is_long = own.count() > Shape::max_tiles_of_thread;
    if (threadIdx.x == 0)
    {
      shared_.count = 0;
    }
    if (!__syncthreads_or(is_long))
    {
      return false;
    }
    if (is_long)
    {
      shared_.stretches[atomicAdd(&shared_.count, 1)] = own;
    }
    __syncthreads();
    return true;
  }

  /// Combines the carries of a stretch. Each thread reduces an equal number of neighbouring carries, then the block
  /// reduces the threads' values. Called by all threads of the block. It ends with a barrier.
  MGPU_THRUST_DEVICE void combine_by_block(tile_stretch stretch)
  {
    const int thread = static_cast<int>(threadIdx.x);
    const int count = stretch.count();
    const int each = (count + Shape::threads - 1) / Shape::threads;
    const T* const own = carries_.last + stretch.first + (min) (thread * each, count - 1);
    const int own_count = (min) (each, count - thread * each);
    T value = own[0];
#pragma unroll 8
    for (int k = 1; k < own_count; ++k)
    {
      value = static_cast<T>(reduction_.op(value, own[k]));
    }
    const T sum =
      block_reduce(shared_.reduce).Reduce(value, detail::on_uninitialized<T>(reduction_.op), (count + each - 1) / each);
    if (thread == 0)
    {
      write_result(stretch.last, sum);
    }
    __syncthreads();
  }

  /// Writes the result of the segment that ends in `tile`. `value` is the reduction of its items in earlier tiles. The
  /// tile's first carry is the reduction of its items in the tile, if it has any there.
  MGPU_THRUST_DEVICE void write_result(int tile, T value)
  {
    const std::int64_t segment = begins_[tile].segment_index;
    if (in_.end(segment) > begins_[tile].item_index)
    {
      value = static_cast<T>(reduction_.op(value, carries_.first[tile]));
    }
    *(reduction_.output + segment) = static_cast<T>(reduction_.op(reduction_.init, value));
  }

  TempStorage& shared_;
  Reduction& reduction_;
  const segments<Offsets>& in_;
  const load_balance_point* begins_;
  tile_carries<T> carries_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The tile sizes of segmented reductions, and which values a tile keeps in shared memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/tile/tile_shape.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// One shape for all types, as a plan is made before the types are known. 15 items per thread spread the threads' first
/// items over the banks of shared memory. On an H200, 128, 192 and 320 threads and 13 items are up to 10 % slower.
struct segmented_reduce_shape : tile_shape<256, 15, 8>
{
  /// The weight of a tile, in units of a segment's end.
  static constexpr std::int64_t weight = item_weight * items;

  /// Prefetch distance of a tile's offsets, in tiles. Items are not prefetched, as the copy engine loads them early
  /// enough: to prefetch both costs `double` a tenth.
  static constexpr int prefetch_distance = 256;

  /// Whether a tile's values are kept in shared memory. Wider values would leave room for few tiles on a
  /// multiprocessor; threads read them from global memory, as a sector is hardly more than one or two of them.
  template <class Value>
  static constexpr bool stages_values = sizeof(Value) <= 8 && std::is_trivially_copyable_v<Value>;
};

/// The weight of a tile, by which tiles are cut.
inline constexpr std::int64_t segmented_reduce_weight = segmented_reduce_shape::weight;

/// The shape of a block that combines what tiles carry.
struct segmented_carry_shape
{
  /// Threads of a block, and number of tiles that the block processes.
  static constexpr int threads = 512;
  /// Most tiles whose carries one thread combines; those of more tiles are combined by the block.
  static constexpr int most_tiles_of_thread = 32;
  /// The weight of a tile, in units of a segment's end.
  static constexpr std::int64_t tile_weight = segmented_reduce_shape::weight;
};

/// The shape of blocks that reduce whole segments of values of type T, and which inputs they reduce.
template <class T>
struct whole_segments_shape
{
  static constexpr int threads = 256;
  static constexpr int warps = threads / 32;
  static constexpr int blocks_per_multiprocessor = 4;

  /// Whether a lane loads several values before it reduces the first.
  static constexpr bool is_batched = is_batchable_v<T>;
  /// Neighbouring items of a lane in a row: 16 bytes, if the input is of type T.
  static constexpr int run = is_batched ? std::clamp(16 / static_cast<int>(sizeof(T)), 1, 4) : 1;
  /// Rows of a batch.
  static constexpr int rows = is_batched ? 4 : 1;

  /// Blocks of a cluster; 1 if not every architecture compiled for has clusters.
  static constexpr int cluster_blocks = is_batched && kernels_can_overlap ? 8 : 1;
  /// Blocks that an H200 executes at once. If there are more segments, each block has several, at most one per warp.
  static constexpr int most_blocks = 448;
  /// Most items of a segment that its warp reduces alone, for each segment of the block: with few segments most warps
  /// would be idle. Most items of one that its block reduces.
  static constexpr int most_items_of_warp = 128;
  static constexpr int most_items_of_block = 8192;

  /// Most items, segments, and items per segment on average: one cluster may have nearly all items.
  static constexpr std::int64_t most_items = cluster_blocks > 1 ? 1 << 21 : 1 << 15;
  static constexpr std::int64_t most_segments = 8192;
  static constexpr std::int64_t most_mean_items = 1 << 16;

  /// Whether the results of units fit shared memory.
  static constexpr bool exists = sizeof(T) <= 256;

  static constexpr bool takes(std::int64_t num_items, std::int64_t num_segments)
  {
    return exists && num_items <= most_items && num_segments <= most_segments
           && num_items <= most_mean_items * num_segments;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tile sizes of segmented reductions, and which values a tile keeps in shared memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>
#include <cuda/std/bit>

#include <algorithm>
#include <cstdint>
#include <limits>
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

/// The shape of blocks whose warps reduce neighbouring values of type T.
template <class T>
struct warp_reduction_shape
{
  static constexpr int log_warps = 3;
  static constexpr int warps = 1 << log_warps;
  static constexpr int threads = 32 * warps;

  /// Whether a lane loads several values before it reduces the first.
  static constexpr bool is_batched = is_batchable_v<T>;
  /// Neighbouring items of a lane in a row: 16 bytes, if the input is of type T.
  static constexpr int run = is_batched ? std::clamp(16 / static_cast<int>(sizeof(T)), 1, 4) : 1;
};

/// The shape of blocks that reduce a segment each, of values of type T, and of which inputs they do.
template <class T>
struct segment_per_block_shape : warp_reduction_shape<T>
{
  using warp_reduction_shape<T>::threads;
  using warp_reduction_shape<T>::is_batched;
  static constexpr int blocks_on_sm90 = sizeof(T) <= 4 ? 8 : sizeof(T) <= 8 ? 6 : 4;
  static constexpr int blocks_per_multiprocessor = detail::min_blocks(threads, blocks_on_sm90);

  /// Rows of a batch, a power of two. They are fewer than those of whole segments, as other blocks load while one waits.
  static constexpr int rows = !is_batched ? 1 : sizeof(T) <= 4 ? 2 : 4;
  static constexpr bool loads_ahead = false;
  static constexpr bool fits_batches = false;

  /// Fewest items, and fewest items per segment on average: shorter segments than these leave most of a block idle.
  static constexpr std::int64_t more_items = 1 << 23;
  static constexpr std::int64_t fewest_mean_items = 2048;

  /// The units by which blocks share long segments: of that many items, or more if they are too many.
  static constexpr int log_unit_items = 14;
  static constexpr std::int64_t most_units = 4096;
  /// Most segments of which each block of the kernel for long ones looks at all, while the others are reduced.
  static constexpr std::int64_t most_looked_at = 1 << 11;

  static constexpr bool takes(std::int64_t num_items, std::int64_t num_segments)
  {
    return is_batched && num_items > more_items && num_segments <= (std::numeric_limits<int>::max)()
           && num_items >= fewest_mean_items * num_segments;
  }
};

/// The shape of blocks that reduce whole segments of values of type T, and which inputs they can reduce. Those of `IsLarge`
/// have more items, in segments of a thousand and more on average.
template <class T, bool IsLarge = false>
struct whole_segments_shape : warp_reduction_shape<T>
{
  using warp_reduction_shape<T>::log_warps;
  using warp_reduction_shape<T>::warps;
  using warp_reduction_shape<T>::threads;
  using warp_reduction_shape<T>::is_batched;
  using warp_reduction_shape<T>::run;
  static constexpr bool is_large = IsLarge;
  static constexpr int blocks_on_sm90 = IsLarge && sizeof(T) <= 4 ? 6 : 4;
  static constexpr int blocks_per_multiprocessor = detail::min_blocks(threads, blocks_on_sm90);

  /// Rows of a batch, a power of two.
  static constexpr int rows = !is_batched ? 1 : IsLarge && sizeof(T) == 8 ? 8 : 4;
  /// Whether a batch is loaded before the one before it is reduced: not where other blocks load meanwhile.
  static constexpr bool loads_ahead = !IsLarge;
  /// Whether a group's warps fit batches to the items; blocks with large segments have no registers for that.
  static constexpr bool fits_batches = !IsLarge;

  /// Blocks of a cluster; 1 if there are no clusters.
  static constexpr int cluster_blocks = is_batched ? max_cluster_blocks : 1;
  /// Blocks that an H200 executes at once, some clusters less. If there are more segments, each block has several, at most
  /// one per warp.
  static constexpr int most_blocks = (IsLarge ? 120 : 112) * blocks_on_sm90;
  static constexpr int batch_items = 32 * run * rows;
  /// Most items of a segment that a group of all warps of a block reduces alone: twelve batches for each, and six if there
  /// is one cluster only, whose other blocks would be idle. A cluster shares longer segments.
  static constexpr int most_items_of_block(std::int64_t num_segments)
  {
    return (num_segments <= cluster_blocks ? 6 : 12) * warps * batch_items;
  }
  /// Few blocks start and end sooner than many: where segments have up to that many items on average, a block has one for
  /// each warp; where they have a few more, there are about as many blocks as an H200 has multiprocessors.
  static constexpr std::int64_t most_shortest_mean_items = 128;
  static constexpr std::int64_t most_short_mean_items = 512;
  static constexpr int few_blocks = 128;
  /// Most items that a warp has on average, if a block has several segments.
  static constexpr std::int64_t most_mean_items_of_warp = 1536;

  /// Most items and segments, and fewest and most items per segment on average: one cluster may have nearly all items. Eight
  /// batches for each of its warps take as long as tiles do.
  static constexpr std::int64_t most_items = cluster_blocks == 1 ? 1 << 15 : IsLarge ? 1 << 23 : 1 << 21;
  static constexpr std::int64_t most_segments = 16384;
  static constexpr std::int64_t fewest_mean_items = IsLarge ? 1024 : 0;
  static constexpr std::int64_t most_mean_items = 8 * cluster_blocks * warps * batch_items;

  /// Whether the results of units fit shared memory, and there are clusters for large inputs.
  static constexpr bool exists = sizeof(T) <= 256 && (!IsLarge || cluster_blocks > 1);

  static constexpr bool takes(std::int64_t num_items, std::int64_t num_segments)
  {
    return exists && num_items <= most_items && num_segments <= most_segments
           && num_items >= fewest_mean_items * num_segments && num_items <= most_mean_items * num_segments;
  }

  /// The logarithm of the number of segments of a block: as many as leave no more blocks than a GPU executes at once, and more
  /// where segments are short.
  static int log_segments_of_block(std::int64_t num_items, int num_segments)
  {
    const auto log_of = [](int number) { return ::cuda::std::bit_width(static_cast<unsigned>(number - 1)); };
    const auto warps_of_segment = static_cast<int>(::cuda::ceil_div(num_items, most_mean_items_of_warp * num_segments));
    int log_segments =
      (std::min)(log_of(::cuda::ceil_div(num_segments, most_blocks)), log_warps - log_of(warps_of_segment));
    if (num_items <= most_shortest_mean_items * num_segments)
    {
      log_segments = log_warps;
    }
    else if (num_items <= most_short_mean_items * num_segments)
    {
      log_segments = (std::max)(log_segments, log_of(::cuda::ceil_div(num_segments, few_blocks)));
    }
    return std::clamp(log_segments, 0, (std::min)(log_of(num_segments), log_warps));
  }
};

/// The shape of blocks with tiles that, where the host does not know how many segments and items there are, may find so few that
/// they reduce whole segments instead, a warp each: then no kernel has to combine what tiles carry. A batch takes as many
/// registers as tiles leave.
template <class T>
struct few_whole_segments_shape : warp_reduction_shape<T>
{
  using warp_reduction_shape<T>::is_batched;
  static constexpr bool is_large = false;
  static constexpr int rows = is_batched ? 2 : 1;
  static constexpr bool loads_ahead = false;
  static constexpr bool fits_batches = false;
  static constexpr int cluster_blocks = 1;

  /// The least blocks of a grid: about as many as an H200 executes at once.
  static constexpr int blocks = 1024;
  /// Most items of a segment that a warp reduces alone; the block shares a longer one.
  static constexpr int most_items_of_warp = 512;
  static constexpr std::int64_t most_items = 1 << 14;
  static constexpr std::int64_t most_segments = 1 << 14;
  /// Most tiles of such capacities. In the kernel of more tiles the code for few would make 2^22 items 2 % slower.
  static constexpr int most_tiles = 256;

  /// Whether the results of a long segment's parts fit shared memory.
  static constexpr bool exists = sizeof(T) <= 256;

  /// Whether capacities of `tiles` may turn out to be few.
  MGPU_THRUST_HOST_DEVICE static constexpr bool may_take(int tiles)
  {
    return exists && tiles <= most_tiles;
  }
  MGPU_THRUST_HOST_DEVICE static constexpr bool takes(std::int64_t num_items, std::int64_t num_segments)
  {
    return num_items <= most_items && num_segments <= most_segments;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

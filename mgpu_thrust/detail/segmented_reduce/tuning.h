// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tuning of segmented reductions: the shapes of tiles and blocks, and the sizes that each of them takes. choice.h puts
/// these limits in order.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/max_tiles.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>
#include <cuda/std/bit>

#include <algorithm>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// One shape of tiles for all types, as a plan is made before the types are known. 15 items per thread spread the
/// threads' first items over the banks of shared memory. On an H200, 128, 192 and 320 threads and 13 items are up to 10
/// % slower.
struct segmented_reduce_shape : tile_shape<256, 15, 8>
{
  /// The weight of a tile, in units of a segment's end.
  static constexpr std::int64_t weight = item_weight * items;

  /// Prefetch distance of a tile's offsets, in tiles. Items are not prefetched: their bulk copy (TMA) starts early
  /// enough. Prefetching both costs `double` a tenth.
  static constexpr int prefetch_distance = 256;

  /// Whether a tile's values are kept in shared memory. Wider values would leave room for few tiles on a
  /// multiprocessor. Threads read them from global memory, where a sector holds one or two.
  template <class Value>
  static constexpr bool stages_values = sizeof(Value) <= 8 && std::is_trivially_copyable_v<Value>;

  /// Returns the number of tiles.
  MGPU_THRUST_HOST_DEVICE static constexpr std::int64_t tiles(std::int64_t num_items, std::int64_t num_segments)
  {
    return detail::weighted_tiles<items>(num_items, num_segments);
  }
};

/// The shape of a block that combines the carries of tiles.
struct segmented_carry_shape
{
  /// Threads of a block, and number of tiles that the block processes.
  static constexpr int threads = 512;
  /// A thread combines the carries of up to this number of tiles, the block the carries of more tiles.
  static constexpr int max_tiles_of_thread = 32;
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

/// Tuning of a segment per block, for values of type T, and the sizes that it takes.
template <class T>
struct segment_per_block_shape : warp_reduction_shape<T>
{
  using warp_reduction_shape<T>::threads;
  using warp_reduction_shape<T>::is_batched;
  static constexpr int blocks_on_sm90 = sizeof(T) <= 4 ? 8 : sizeof(T) <= 8 ? 6 : 4;
  static constexpr int blocks_per_multiprocessor = detail::min_blocks(threads, blocks_on_sm90);

  /// Rows of a batch, a power of two: fewer than for whole segments, as other blocks load while one waits.
  static constexpr int rows = !is_batched ? 1 : sizeof(T) <= 4 ? 2 : 4;
  static constexpr bool loads_ahead = false;
  static constexpr bool fits_batches = false;

  /// Fewer items take other paths. Shorter segments, on average, would leave most of a block idle.
  static constexpr std::int64_t min_items = (1 << 23) + 1;
  static constexpr std::int64_t min_mean_items = 2048;
  static constexpr std::int64_t max_segments = max_tiles - 1; ///< a grid has no more blocks

  /// Blocks share long segments in units of 2^log_unit_items items; in larger ones if there were more than max_units,
  /// or if there are min_whole_segments segments, which keep all blocks busy, of more than a unit on average; as long
  /// as an int counts the items of two units. A segment is long from two units on.
  static constexpr int log_unit_items = 14;
  static constexpr int max_log_unit_items = 29;
  static constexpr std::int64_t max_units = 4096;
  static constexpr std::int64_t min_whole_segments = 1000;
  /// Up to this number of segments, each block of the second kernel reads all offsets while the first kernel executes.
  static constexpr std::int64_t max_early_reads = 1 << 11;

  /// Returns the logarithm of the number of items of a unit.
  static constexpr int log_items_of_unit(std::int64_t num_items, std::int64_t num_segments)
  {
    const bool are_whole = num_segments >= min_whole_segments;
    const std::int64_t units = are_whole ? (std::min)(max_units, num_segments + num_segments / 4) : max_units;
    int log_items = log_unit_items;
    while (log_items < max_log_unit_items && num_items > units << log_items)
    {
      ++log_items;
    }
    return log_items;
  }
  /// Returns the number of units of 2^log_items items.
  static constexpr std::int64_t units(std::int64_t num_items, int log_items)
  {
    return ::cuda::ceil_div(num_items, std::int64_t{1} << log_items);
  }
  MGPU_THRUST_HOST_DEVICE static constexpr bool takes(std::int64_t num_items, std::int64_t num_segments)
  {
    return is_batched && num_items >= min_items && num_segments <= max_segments
           && num_items >= min_mean_items * num_segments;
  }
};

/// Tuning of whole segments, for values of type T, and the sizes that they take. A block has up to eight segments, with
/// a group of warps for each. `IsLarge` is for more items, in segments of some hundred and more on average.
/// `ClusterBlocks` is 1 where there are no clusters.
template <class T, bool IsLarge = false, int ClusterBlocks = max_cluster_blocks>
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
  /// Whether a warp loads a batch before it reduces the previous one. For large inputs, other blocks load meanwhile.
  static constexpr bool loads_ahead = !IsLarge;
  /// Whether a group's warps fit batches to the items. Blocks of large inputs have no registers for that.
  static constexpr bool fits_batches = !IsLarge;

  static constexpr int cluster_blocks = is_batched ? ClusterBlocks : 1;
  /// The co-resident blocks of an H200, less some clusters. With more segments each block has several, at most one per
  /// warp.
  static constexpr int max_blocks = (IsLarge ? 120 : 112) * blocks_on_sm90;
  static constexpr int batch_items = 32 * run * rows;
  /// Returns how many items of a segment all warps of a block reduce alone: twelve batches a warp, or six if there is
  /// only one cluster, whose other blocks would be idle. A cluster shares longer segments.
  MGPU_THRUST_HOST_DEVICE static constexpr int max_items_of_block(std::int64_t num_segments)
  {
    return (num_segments <= cluster_blocks ? 6 : 12) * warps * batch_items;
  }
  /// Few blocks start and end sooner than many. Up to max_shortest_mean_items items a segment, on average, a block has
  /// eight segments. Up to max_short_mean_items there are about few_blocks blocks, one for each multiprocessor of an
  /// H200.
  static constexpr std::int64_t max_shortest_mean_items = 128;
  static constexpr std::int64_t max_short_mean_items = 512;
  static constexpr int few_blocks = 128;
  /// Items of a warp, on average, up to which a block has several segments.
  static constexpr std::int64_t max_mean_items_of_warp = 1536;

  /// Limits of items, of segments, and of items per segment on average. One cluster may have nearly all items: with
  /// eight batches for each of its warps it takes as long as tiles.
  static constexpr std::int64_t max_items = cluster_blocks == 1 ? 1 << 15 : IsLarge ? 1 << 23 : 1 << 21;
  static constexpr std::int64_t max_segments = 16384;
  static constexpr std::int64_t max_mean_items = 8 * cluster_blocks * warps * batch_items;

  /// Whether the results of units fit in shared memory, and there are clusters for large inputs.
  static constexpr bool exists = sizeof(T) <= 256 && (!IsLarge || cluster_blocks > 1);

  /// Returns the minimum number of items per segment, on average. Of up to max_short_items a cluster that has half of
  /// them takes a third longer than tiles; of twice as many, more than twice as long.
  MGPU_THRUST_HOST_DEVICE static constexpr std::int64_t min_mean_items(std::int64_t num_items)
  {
    return !IsLarge ? 0 : num_items <= max_short_items ? 256 : 1024;
  }
  static constexpr std::int64_t max_short_items = 1 << 22;

  MGPU_THRUST_HOST_DEVICE static constexpr bool takes(std::int64_t num_items, std::int64_t num_segments)
  {
    return exists && num_items <= max_items && num_segments <= max_segments
           && num_items >= min_mean_items(num_items) * num_segments && num_items <= max_mean_items * num_segments;
  }

  /// Returns the logarithm of the number of segments of a block. There are at most max_blocks blocks, and fewer where
  /// segments are short.
  MGPU_THRUST_HOST_DEVICE static constexpr int log_segments_of_block(std::int64_t num_items, int num_segments)
  {
    const std::int64_t warps_of_segment = ::cuda::ceil_div(num_items, max_mean_items_of_warp * num_segments);
    int log_segments =
      smaller(log_of(::cuda::ceil_div(num_segments, max_blocks)), log_warps - log_of(warps_of_segment));
    if (num_items <= max_shortest_mean_items * num_segments)
    {
      log_segments = log_warps;
    }
    else if (num_items <= max_short_mean_items * num_segments)
    {
      log_segments = larger(log_segments, log_of(::cuda::ceil_div(num_segments, few_blocks)));
    }
    return larger(smaller(log_segments, smaller(log_of(num_segments), log_warps)), 0);
  }
  /// Returns how many items of a segment its group of warps reduces alone.
  MGPU_THRUST_HOST_DEVICE static constexpr int max_items_of_group(std::int64_t num_items, int num_segments)
  {
    return max_items_of_block(num_segments) >> log_segments_of_block(num_items, num_segments);
  }

private:
  MGPU_THRUST_HOST_DEVICE static constexpr int smaller(int a, int b)
  {
    return b < a ? b : a;
  }
  MGPU_THRUST_HOST_DEVICE static constexpr int larger(int a, int b)
  {
    return a < b ? b : a;
  }
  /// Returns the logarithm, rounded up.
  MGPU_THRUST_HOST_DEVICE static constexpr int log_of(std::int64_t number)
  {
    return static_cast<int>(::cuda::std::bit_width(static_cast<std::uint64_t>(number - 1)));
  }
};

/// Tuning of blocks of tiles that reduce whole segments, a warp each, if deferred sizes are small. A batch takes no
/// more registers than tiles leave.
template <class T>
struct few_whole_segments_shape : warp_reduction_shape<T>
{
  using warp_reduction_shape<T>::is_batched;
  static constexpr bool is_large = false;
  static constexpr int rows = is_batched ? 2 : 1;
  static constexpr bool loads_ahead = false;
  static constexpr bool fits_batches = false;
  static constexpr int cluster_blocks = 1;

  /// The minimum number of blocks of a grid: about the co-resident blocks of an H200.
  static constexpr int min_grid_blocks = 1024;
  /// A warp reduces a segment of up to this number of items alone, and the block shares a longer one.
  static constexpr int max_items_of_warp = 512;
  static constexpr std::int64_t max_items = 1 << 14;
  static constexpr std::int64_t max_segments = 1 << 14;
  /// The limit of tiles for the capacities. In the kernel of more tiles this code would make 2^22 items 2 % slower.
  static constexpr int max_tiles = 256;

  /// Whether the results of a long segment's parts fit in shared memory.
  static constexpr bool exists = sizeof(T) <= 256;

  /// Whether blocks of `tiles` tiles for the capacities may reduce whole segments. One tile has no carries, so it would
  /// gain nothing.
  MGPU_THRUST_HOST_DEVICE static constexpr bool takes_tiles(std::int64_t tiles)
  {
    return exists && tiles > 1 && tiles <= max_tiles;
  }
  MGPU_THRUST_HOST_DEVICE static constexpr bool takes(std::int64_t num_items, std::int64_t num_segments)
  {
    return num_items <= max_items && num_segments <= max_segments;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

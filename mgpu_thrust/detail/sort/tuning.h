// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tile sizes of sorts, by the sizes of keys and values.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shapes of the blocks of a tile: of the block sort, whose threads are a power of two, and of a merge pass, where
/// each pair of runs may need one thread more. Odd numbers of items per thread avoid bank conflicts.
///
/// A merge of n elements takes ceil(n / items_per_thread) threads. max_ways / 2 pairs with tile_items elements in all
/// take at most (tile_items + max_ways / 2 * (items_per_thread - 1)) / items_per_thread, rounded down. The last
/// assertion bounds that by the threads of a pass.
template <class BlockSortShape, class MergeShape>
struct sort_shapes
{
  using block_sort = BlockSortShape;
  using merge = MergeShape;
  static constexpr int tile_items = block_sort::items;
  /// Distance of tiles' origins if these may move to segments: without a move, one warp has no work.
  static constexpr int segment_step = tile_items - 32 * block_sort::items_per_thread;
  /// Whether a warp may sort integers by a network: no, a network has no fewer instructions than merges.
  static constexpr bool sorts_warps = false;
  /// Rounds of exchanges before threads with nearly sorted keys test whether they are done.
  static constexpr int near_rounds = 8;
  static_assert((block_sort::threads & (block_sort::threads - 1)) == 0, "runs double in size");
  static_assert(block_sort::items_per_thread <= 33, "a word of bits tells which neighbours are in one segment");
  static_assert(
    tile_items + (max_ways / 2 - 1) * (merge::items_per_thread - 1) <= merge::items, "each pair has its own threads");
};

/// The shapes for keys of `KeyBytes`, at most 16, and values of `ValueBytes`, at most 8, or 0.
template <int KeyBytes, int ValueBytes>
constexpr auto choose_sort_shapes()
{
  constexpr int bytes = KeyBytes > ValueBytes ? KeyBytes : ValueBytes; // values reuse the memory of the keys
  if constexpr (bytes <= 4 && ValueBytes == 0)
  {
    return sort_shapes<tile_shape<256, 33, 4>, tile_shape<352, 25, 4>>{};
  }
  else if constexpr (bytes <= 4)
  {
    return sort_shapes<tile_shape<256, 27, 3>, tile_shape<288, 25, 3>>{};
  }
  else if constexpr (bytes <= 8 && ValueBytes == 0)
  {
    return sort_shapes<tile_shape<256, 21, 4>, tile_shape<288, 19, 4>>{};
  }
  else if constexpr (bytes <= 8)
  {
    return sort_shapes<tile_shape<256, 17, 3>, tile_shape<288, 17, 3>>{};
  }
  else
  {
    return sort_shapes<tile_shape<128, 17, 4>, tile_shape<160, 15, 4>>{};
  }
}

/// Mean segment lengths (34 to 192) that use 256 x 17 tiles if keys are small. With values the first is 29.
template <int ValueBytes>
inline constexpr std::int64_t min_mean_of_short = ValueBytes > 0 ? 28 : 33;
inline constexpr std::int64_t max_mean_of_short = 192;

/// The shapes for segments of these lengths: a thread sorts fewer keys, and more blocks merge. Larger keys or values
/// use the usual shapes, in which a thread has fewer items.
template <int KeyBytes, int ValueBytes>
constexpr auto choose_short_segments_shapes()
{
  if constexpr (KeyBytes <= 4 && ValueBytes == 0)
  {
    return sort_shapes<tile_shape<256, 17, 5>, tile_shape<288, 17, 5>>{};
  }
  else if constexpr (KeyBytes <= 4 && ValueBytes <= 4)
  {
    return sort_shapes<tile_shape<256, 17, 4>, tile_shape<288, 17, 4>>{};
  }
  else
  {
    return choose_sort_shapes<KeyBytes, ValueBytes>();
  }
}

/// Blocks of merge_passes_kernel per multiprocessor, given those of merge_pass_kernel. As it needs more registers, one
/// fewer fits.
constexpr int blocks_of_all_passes(int of_one_pass)
{
  return of_one_pass > 1 ? of_one_pass - 1 : 1;
}

/// The shape of the blocks of a pairwise_sort. All its kernels have the same tiles.
template <class Shape>
struct pairwise_shapes
{
  using block_sort = Shape;
  static constexpr int tile_items = block_sort::items;
  /// Distances of tiles' origins that move to segments: to short ones, and to those of up to half a tile.
  static constexpr int segment_step = tile_items - 32 * block_sort::items_per_thread;
  static constexpr int long_segment_step = tile_items / 2;
  /// Whether a warp may sort integers by a network: yes, as memory latency dominates here. Keys above 4 bytes, and keys
  /// with numbers, only if no blocks share a multiprocessor.
  static constexpr bool sorts_warps = true;
  static_assert((block_sort::threads & (block_sort::threads - 1)) == 0, "runs double in size");
};

/// The shapes for keys of `KeyBytes`, at most 16, and values of `ValueBytes`, at most 8, or 0. Fewer items per thread
/// shorten the tile sort, and add passes. Small keys: 5 items took as long as 9, and 33 take twice as long up to 2^14
/// keys. 16-byte keys: 256 threads with 3 items take 6 to 14 % longer than 512 with 2.
template <int KeyBytes, int ValueBytes>
constexpr auto choose_pairwise_shapes()
{
  if constexpr (KeyBytes <= 8)
  {
    return pairwise_shapes<tile_shape<256, 9, 4>>{};
  }
  else
  {
    return pairwise_shapes<tile_shape<512, 2, 2>>{};
  }
}

/// The shapes for segments that are mostly shorter than a tile.
template <int KeyBytes, int ValueBytes>
constexpr auto choose_segmented_pairwise_shapes()
{
  if constexpr (KeyBytes <= 8)
  {
    return choose_pairwise_shapes<KeyBytes, ValueBytes>();
  }
  else
  {
    return pairwise_shapes<tile_shape<256, 3, 4>>{};
  }
}

/// Maximum number of keys in a segment that a block of `threads` sorts by comparing each key with all others. If
/// comparisons are expensive (large keys), merge levels are faster from half as many keys on.
template <class Key>
constexpr int max_ranked_by(int threads)
{
  return sizeof(Key) <= 8 ? threads : threads / 2;
}
/// The same for a tile of one segment that warps could sort by networks, which take as long for that many.
template <bool HasValues>
inline constexpr int max_ranked_beside_networks = HasValues ? 192 : 128;
/// Number of multiprocessors of an H100 or H200: up to that number of blocks, no two share one. If they do, the larger
/// number of instructions of a network matters.
inline constexpr unsigned max_blocks_alone = 132;

/// Minimum and maximum threads of a block of sort_by_ranks_kernel, powers of two. A sort has as many blocks as a
/// cluster can have, on different multiprocessors; with fewer threads a block would sort too little before it waits for
/// the others. Beyond the maximum, merges are faster, above all for small keys without values and for expensive
/// comparisons.
inline constexpr int min_rank_threads = 128;
template <int KeyBytes, int ValueBytes>
inline constexpr int max_rank_threads = KeyBytes > 8                      ? 256
                                        : KeyBytes > 4 || ValueBytes == 0 ? 512
                                                                          : 1024;

/// Maximum number of elements that a cluster sorts by ranks.
template <int KeyBytes, int ValueBytes>
inline constexpr std::int64_t max_ranked = max_rank_threads<KeyBytes, ValueBytes>* max_cluster_blocks;

/// Bounds of a sort by ranks with a cluster per segment: threads, elements, mean length, segments. If comparisons are
/// expensive (large keys), tiles are faster for short segments and for more elements. Each lane of a warp reads the
/// bounds of a segment.
template <int KeyBytes, int ValueBytes>
inline constexpr int max_segment_rank_threads =
  KeyBytes > 8 ? min_rank_threads : max_rank_threads<KeyBytes, ValueBytes>;
template <int KeyBytes, int ValueBytes>
inline constexpr std::int64_t max_segments_ranked = max_segment_rank_threads<KeyBytes, ValueBytes>* max_cluster_blocks;
template <int KeyBytes>
inline constexpr std::int64_t min_mean_by_ranks = KeyBytes > 8 ? 128 : 0;
inline constexpr std::int64_t max_segments_by_ranks = 32;

/// Maximum number of elements for passes over pairs of runs. On an H200, 2^20 random keys of 4 or 8 bytes take 0.8 to
/// 0.85 of the time of eight-way passes, 2^19 of 16 bytes 0.95, 700,000 of these 1.2; keys near their sorted positions
/// likewise.
template <int KeyBytes>
inline constexpr std::int64_t max_pairwise = std::int64_t{1} << (KeyBytes > 8 ? 19 : 20);

/// Maximum number of segments with tiles of their own: each thread of a block reads segments_of_thread of them.
inline constexpr int segments_of_thread = 2;
template <class Shapes>
inline constexpr int max_own_tile_segments = Shapes::block_sort::threads* segments_of_thread;

/// Maximum mean length of segments for which passes of a multiway sort rarely have work: half of the distance that a
/// tile can move to begin with a segment.
template <class Shapes>
inline constexpr std::int64_t max_mean_without_passes = (Shapes::tile_items - Shapes::segment_step) / 2;

template <class Key, int ValueBytes>
using sort_shapes_t = decltype(choose_sort_shapes<sizeof(Key), ValueBytes>());
template <class Key, int ValueBytes>
using short_segments_shapes_t = decltype(choose_short_segments_shapes<sizeof(Key), ValueBytes>());
template <class Key, int ValueBytes>
using pairwise_shapes_t = decltype(choose_pairwise_shapes<sizeof(Key), ValueBytes>());
template <class Key, int ValueBytes>
using segmented_pairwise_shapes_t = decltype(choose_segmented_pairwise_shapes<sizeof(Key), ValueBytes>());

} // namespace detail
MGPU_THRUST_NAMESPACE_END

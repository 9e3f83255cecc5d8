// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tile sizes of the sorts, by the sizes of keys and values, and which keys and values move through the tiles
/// themselves.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether a sort moves the keys themselves; otherwise it sorts indices, and moves each key once.
template <class Key>
inline constexpr bool is_sorted_directly = is_batchable_v<Key>;

/// Whether values move with their keys in each pass; otherwise their indices do, and each value is moved once.
template <class Value>
inline constexpr bool is_carried = std::is_trivially_copyable_v<Value>&&
                                     std::is_trivially_default_constructible_v<Value> && sizeof(Value) <= 8;

/// Type of carried values in kernels, which only copy them: words of their size, if they are aligned to it. So values
/// of different types share kernels.
template <class Value>
using carried_t = std::conditional_t<
  !is_carried<Value> || alignof(Value) != sizeof(Value), Value,
  std::conditional_t<
    sizeof(Value) == 8, std::uint64_t,
    std::conditional_t<
      sizeof(Value) == 4, std::uint32_t, std::conditional_t<sizeof(Value) == 2, std::uint16_t, std::uint8_t>>>>;

/// The shapes of the blocks that work on a tile: of the block sort, whose threads must be a power of two, and of a
/// merge pass, where each pair of runs may need one thread more. Odd numbers of items per thread spread the threads'
/// first items over the banks of shared memory.
///
/// In a merge pass, pairs of n elements each take ceil(n / items_per_thread) threads, so max_ways / 2 pairs with
/// tile_items elements in all take at most (tile_items + max_ways / 2 * (items_per_thread - 1)) / items_per_thread,
/// rounded down. That is no more than its threads if the last assertion holds.
template <class BlockSortShape, class MergeShape>
struct sort_shapes
{
  using block_sort = BlockSortShape;
  using merge = MergeShape;
  static constexpr int tile_items = block_sort::items;
  /// The distance of tiles' origins, if segments may move them: where they do not, one warp's threads have no work.
  static constexpr int segment_step = tile_items - 32 * block_sort::items_per_thread;
  /// Whether a warp may sort its integers by a network: no, that would be as many instructions as merges are.
  static constexpr bool sorts_warps = false;
  /// Rounds of exchanges after which threads whose keys are near their sorted positions look whether they are done.
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

/// Mean segment lengths, above the first and up to the second, that use 256 x 17 tiles, if keys are small: about as many keys
/// as a thread of the usual tiles has, and a few levels of merges.
template <int ValueBytes>
inline constexpr std::int64_t min_mean_of_short = ValueBytes > 0 ? 28 : 33;
inline constexpr std::int64_t max_mean_of_short = 192;

/// The shapes for such segments: a thread sorts fewer keys sooner, and more blocks merge. The usual ones for larger keys or
/// values, of which a thread has fewer anyway.
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

/// The shape of the blocks of a pairwise_sort, all of whose kernels have the same tiles.
template <class Shape>
struct pairwise_shapes
{
  using block_sort = Shape;
  static constexpr int tile_items = block_sort::items;
  /// The distances of tiles' origins, if they are moved to the begins of segments: of short ones, and of those that are
  /// up to half as long as a tile.
  static constexpr int segment_step = tile_items - 32 * block_sort::items_per_thread;
  static constexpr int long_segment_step = tile_items / 2;
  /// Whether a warp may sort its integers by a network: yes, as threads wait for memory here, not to execute. Keys with
  /// numbers only if no block shares a multiprocessor.
  static constexpr bool sorts_warps = true;
  static_assert((block_sort::threads & (block_sort::threads - 1)) == 0, "runs double in size");
};

/// The shapes for keys of `KeyBytes`, at most 16, and values of `ValueBytes`, at most 8, or 0. With fewer items a thread
/// sorts its own sooner, but there are more passes: of small keys, 5 items took as long as 9, and 33 take twice as long
/// up to 2^14 keys; of 16-byte keys, 256 threads with 3 items take 6 to 14 % longer than 512 with 2.
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

/// Those for segments, most of which are shorter than a tile.
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

/// The number of keys up to which each is compared with all others of its segment, by a block of that many threads. Where a
/// comparison takes long, levels of merges with fewer of them are faster than 128 by each of two threads.
template <class Key>
constexpr int max_ranked_by(int threads)
{
  return sizeof(Key) <= 8 ? threads : threads / 2;
}
/// The least and the most threads of a block of sort_by_ranks_kernel, powers of two. A sort has as many blocks as a cluster
/// can have, each on a multiprocessor of its own; with fewer threads, a block would sort too little before it waits for the
/// others. For more elements than most threads are for, merges take fewer instructions: above all those of small keys, which
/// find their partners fast where values need not follow, and those of keys whose comparison takes long.
inline constexpr int min_rank_threads = 128;
template <int KeyBytes, int ValueBytes>
inline constexpr int max_rank_threads = KeyBytes > 8                      ? 256
                                        : KeyBytes > 4 || ValueBytes == 0 ? 512
                                                                          : 1024;

/// The number of elements up to which a cluster sorts by ranks.
template <int KeyBytes, int ValueBytes>
inline constexpr std::int64_t max_ranked = max_rank_threads<KeyBytes, ValueBytes>* max_cluster_blocks;

/// The same for a cluster a segment, and the least mean length: where a comparison takes long, short segments and more
/// elements are faster in tiles. A lane of a warp reads the offset of each segment.
template <int KeyBytes, int ValueBytes>
inline constexpr int max_segment_rank_threads =
  KeyBytes > 8 ? min_rank_threads : max_rank_threads<KeyBytes, ValueBytes>;
template <int KeyBytes, int ValueBytes>
inline constexpr std::int64_t max_segments_ranked = max_segment_rank_threads<KeyBytes, ValueBytes>* max_cluster_blocks;
template <int KeyBytes>
inline constexpr std::int64_t min_mean_by_ranks = KeyBytes > 8 ? 128 : 0;
inline constexpr std::int64_t max_segments_by_ranks = 32;

/// The number of elements up to which passes merge pairs of runs. On an H200 2^20 random keys of 4 or 8 bytes take 0.8 to 0.85
/// of the time of eight-way passes, 2^19 of 16 bytes 0.95, 700,000 of these 1.2; keys near their sorted positions the same.
template <int KeyBytes>
inline constexpr std::int64_t max_pairwise = std::int64_t{1} << (KeyBytes > 8 ? 19 : 20);

/// The number of segments up to which each has tiles of its own: each thread of a block looks at that many.
inline constexpr int segments_of_thread = 2;
template <class Shapes>
inline constexpr int max_own_tile_segments = Shapes::block_sort::threads* segments_of_thread;

/// The mean length of segments up to which passes of a multiway sort most often have no work: half of the distance by which
/// tiles are moved to begin with a segment.
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

/// How many values a thread loads before it stores the first, where a tile is copied.
inline constexpr int copy_batch = 8;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

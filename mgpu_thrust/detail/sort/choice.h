// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The path of a sort and of a segmented sort on a GPU, by sizes, types and the device. The comments of the paths are
/// the table "What runs when" of docs/how-it-works/sort.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/sort/tuning.h>

#include <cuda/cmath>
#include <cuda/std/bit>

#include <algorithm>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Sorts. Large keys and values are sorted by their indices, and moved once afterwards. A tile that is in order is
/// copied, not sorted.
enum class sort_path
{
  /// A cluster sorts with one thread per key; each thread finds the rank of its key in sorted runs of 32, 128, ...
  /// keys.
  /// When: up to {max_ranked<8, 0>} elements; {max_ranked<4, 4>} if keys have up to 4 bytes and there are values,
  /// {max_ranked<16, 0>} if keys have more than 8 bytes
  /// Kernels: sort_by_ranks_kernel
  /// Launches: 1
  /// Why: 2^10 int32 by a user's comparator take 8.9 us in a graph, 13.6 in tiles (H200)
  ranks,
  /// Blocks sort small tiles; each pass merges pairs of runs, and each block finds its own cuts.
  /// When: up to {max_pairwise<4>} elements, {max_pairwise<16>} if keys have more than 8 bytes; not of deferred sizes
  /// Kernels: block_sort_kernel, merge_pairs_kernel
  /// Launches: 1, and 1 a pass
  /// Why: 2^20 int32 take 69 us, 85 by eight-way passes (H200)
  /// Data: if each key is less than half a tile from its sorted position, the second pass is the last with work
  pairwise,
  /// The blocks of a co-resident grid sort a tile each; grid barriers separate the passes over pairs of runs.
  /// When: deferred sizes of at most a tile per co-resident block, {528 * pairwise_shapes_t<int, 0>::tile_items}
  /// elements of an H100 or H200 if keys have up to 8 bytes
  /// Kernels: sort_few_kernel
  /// Launches: 1; if the capacity is multiway, also the kernels of that path, which have no work
  /// Why: a sixteenth of a capacity of 2^22 takes 58 us, 87 by all its passes (H200)
  /// Data: as pairwise
  coresident,
  /// Blocks sort tiles; each pass cuts and merges up to eight runs.
  /// When: more elements
  /// Kernels: block_sort_kernel, cut_kernel, merge_pass_kernel
  /// Launches: 1, and 2 a pass
  /// Why: 2^27 int32 take 4.1 ms, 6.0 by passes over pairs of runs (H200)
  /// Data: if samples 1,024 apart are in order, tiles are merged at their borders (look_for_locality_kernel,
  /// merge_borders_kernel), and passes have no work. Where that does not suffice, copy_tiles_kernel moves tiles to
  /// where the first pass reads them
  multiway
};

/// The sort of a rank's piece, in a sort over ranks.
enum class piece_sort_path
{
  /// The stable radix sort of Thrust.
  /// When: numbers of up to 4 bytes by `less` or `greater`, from {min_by_digits<int, 0>} on; with values of up to 8
  /// bytes from {min_by_digits<int, 4>} on; of up to 2 bytes, with such values or none, from
  /// {min_by_digits<short, 0>} on
  /// Kernels: those of `cub::DeviceRadixSort`
  /// Launches: 2, and 1 for each byte of a key
  /// Why: 2^26 int32 take 0.84 of the time of comparisons, with int32 values 0.63, uint16 0.36 (H200); a look at
  /// samples takes 20 us
  /// Data: unless 1,024 samples are in order, as a sort by comparison then may have little to do
  digits,
  /// A sort by comparison.
  /// When: otherwise
  /// Kernels: those of a sort
  /// Launches: those of a sort
  /// Why: 2^21 int32 take 1.1 times as long by digits, 2^26 double 1.3 times (H200)
  comparison
};

/// Segmented sorts. By flags, the path is multiway; step_heads_kernel and origins_by_flags_kernel cut its tiles. If
/// sizes are deferred and elements are moved by indices, count_in_segments_kernel counts the elements.
enum class segmented_sort_path
{
  /// A cluster per segment; each thread finds the rank of its key.
  /// When: up to {max_segments_by_ranks} segments, with as many elements in all as a sort by ranks; if keys have more
  /// than 8 bytes, up to {max_segments_ranked<16, 0>} elements, {min_mean_by_ranks<16>} or more a segment on average
  /// Kernels: sort_segments_by_ranks_kernel
  /// Launches: 1
  /// Why: segments of 2,000 take 0.8 to 0.85 of the time of tiles (H200)
  ranks,
  /// Each segment has tiles of its own; segments of several tiles are merged by passes within the launch.
  /// When: up to {max_own_tile_segments<segmented_pairwise_shapes_t<int, 0>>} segments, up to {max_pairwise<4>}
  /// elements, and all tiles are co-resident
  /// Kernels: sort_segments_kernel
  /// Launches: 1
  /// Why: 2^12 int32 in segments of 64 take 12 us, 20 if blocks search (H200)
  own_tiles,
  /// Tiles begin with segments where these are short; segments across tiles are merged by passes within the launch.
  /// When: more segments, up to {max_pairwise<4>} elements, and all tiles are co-resident
  /// Kernels: sort_segments_kernel
  /// Launches: 1
  /// Why: 2^16 int32 in segments of 64 take 20 us, 40 by a launch a pass (H200)
  shared_tiles,
  /// Blocks sort tiles that begin with segments; one kernel executes the passes that have work.
  /// When: otherwise, if segments have up to {max_mean_without_passes<sort_shapes_t<int, 0>>} elements on average
  /// (int32), and the output is plain memory
  /// Kernels: cut_kernel, block_sort_kernel, merge_passes_kernel
  /// Launches: 3
  /// Why: 2^24 int32 in segments of 16 take 113 us, 127 by a launch a pass (H200)
  multiway_short,
  /// The tiles and passes of the sort, within segments.
  /// When: otherwise
  /// Kernels: cut_kernel, block_sort_kernel, cut_kernel, merge_pass_kernel
  /// Launches: 2, and 2 a pass
  /// Why: 2^27 int32 in segments of a power law, of mean four, take 1.82 ms by a launch a pass, 2.01 by one launch for
  /// all passes (H200)
  multiway
};

/// The least number of elements that a piece is sorted by digits from.
template <class Key, int ValueBytes>
constexpr std::int64_t least_by_digits()
{
  if (sizeof(Key) > 4 || ValueBytes > 8)
  {
    return INT64_MAX;
  }
  return std::int64_t{1} << (sizeof(Key) <= 2 ? 21 : ValueBytes > 0 ? 22 : 23);
}
template <class Key, int ValueBytes>
inline constexpr std::int64_t min_by_digits = detail::least_by_digits<Key, ValueBytes>();

/// Chooses for a piece of numbers in their own order.
template <class Key, int ValueBytes>
constexpr piece_sort_path choose_piece_sort(std::int64_t count)
{
  return count >= min_by_digits<Key, ValueBytes> ? piece_sort_path::digits : piece_sort_path::comparison;
}

/// What a sort decides, once a call. The launches read it, and choose nothing.
struct sort_choice
{
  sort_path path;          ///< in segments, of the sort that it is like: of one launch it is coresident, or ranks
  int step;                ///< elements from tile to tile; the maximum, where tiles are the segments' own
  std::int64_t tiles;      ///< less than max_tiles
  int passes;              ///< over up to eight runs on the path multiway; otherwise over pairs of runs
  int blocks = 0;          ///< of a cluster on the path ranks; otherwise of the co-resident grid, if the path has one
  int cluster_threads = 0; ///< of a block of that cluster
  bool looks_for_locality = false; ///< whether samples tell if any element is far from its sorted position
  segmented_sort_path in_segments = segmented_sort_path::multiway;
  bool has_short_shapes = false; ///< whether a multiway sort has the tiles of short_segments_shapes_t
};

/// Returns the choice of tiles that begin every `step` elements.
constexpr sort_choice in_tiles(sort_path path, std::int64_t count, int step)
{
  const merge_plan plan{::cuda::ceil_div(count, std::int64_t{step})};
  return {path, step, plan.tiles, path == sort_path::multiway ? plan.passes() : plan.levels()};
}

/// Returns the choice of a sort by ranks of up to `max_threads` * max_cluster_blocks elements. The storage is that of
/// tiles of `step` elements.
constexpr sort_choice by_ranks(std::int64_t count, int step, int max_threads)
{
  const auto of_block = static_cast<unsigned>(::cuda::ceil_div(count, std::int64_t{max_cluster_blocks}));
  const int threads = std::clamp(static_cast<int>(::cuda::std::bit_ceil(of_block)), min_rank_threads, max_threads);
  sort_choice chosen = detail::in_tiles(sort_path::ranks, count, step);
  chosen.blocks = static_cast<int>(::cuda::ceil_div(count, std::int64_t{threads}));
  chosen.cluster_threads = threads;
  return chosen;
}

/// Chooses for a number of elements that are few enough to be sorted pairwise.
template <class Key, int ValueBytes>
constexpr sort_choice choose_few_sort(std::int64_t count)
{
  constexpr int tile_items = pairwise_shapes_t<Key, ValueBytes>::tile_items;
  return count <= max_ranked<sizeof(Key), ValueBytes>
           ? detail::by_ranks(count, tile_items, max_rank_threads<sizeof(Key), ValueBytes>)
           : detail::in_tiles(sort_path::pairwise, count, tile_items);
}

/// Returns the path of a deferred size that has been read, for `blocks` co-resident blocks with tiles of `tile_items`
/// elements.
MGPU_THRUST_HOST_DEVICE constexpr sort_path choose_deferred_sort_path(std::int64_t count, int blocks, int tile_items)
{
  return count <= std::int64_t{blocks} * tile_items ? sort_path::coresident : sort_path::multiway;
}

/// Where a sort writes: whether passes can read it, and it is the first buffer; and whether keys are written.
struct sort_output
{
  bool is_plain;
  bool discards_keys;
};

/// Chooses for a sort of `count` elements. For a deferred size `count` is the capacity, and the first kernel of the
/// path multiway has a co-resident grid. Locality is of use if it saves passes, and the first buffer has keys.
template <class Key, int ValueBytes>
constexpr sort_choice
choose_sort(std::int64_t count, bool is_deferred, const sort_output& output, const device_room& device)
{
  using few = pairwise_shapes_t<Key, ValueBytes>;
  const std::int64_t max_few = is_deferred ? max_ranked<sizeof(Key), ValueBytes> : max_pairwise<sizeof(Key)>;
  if (count <= max_few)
  {
    return detail::choose_few_sort<Key, ValueBytes>(count);
  }
  const int max_blocks = detail::max_coresident_blocks(device, few::block_sort::sure_blocks);
  if (is_deferred && detail::choose_deferred_sort_path(count, max_blocks, few::tile_items) == sort_path::coresident)
  {
    sort_choice chosen = detail::in_tiles(sort_path::coresident, count, few::tile_items);
    chosen.blocks = detail::spread_grid(static_cast<int>(chosen.tiles), max_blocks);
    return chosen;
  }
  sort_choice chosen = detail::in_tiles(sort_path::multiway, count, sort_shapes_t<Key, ValueBytes>::tile_items);
  chosen.blocks = is_deferred ? (std::max)(1, max_blocks) : 0;
  chosen.looks_for_locality = output.is_plain && chosen.passes > (output.discards_keys ? 1 : 0);
  return chosen;
}

/// Whether the mean length of segments selects short_segments_shapes_t for a multiway sort.
template <class Key, int ValueBytes>
constexpr bool have_short_shapes(std::int64_t count, std::int64_t num_segments)
{
  return !std::is_same_v<
           short_segments_shapes_t<Key, ValueBytes>,
           sort_shapes_t<Key, ValueBytes>> && min_mean_of_short<ValueBytes> * num_segments < count
         && count <= max_mean_of_short * num_segments;
}

/// Returns the number of elements from tile to tile of one launch. A tile can begin with a segment if segments are
/// short on average, or if they are up to half a tile long and the elements are few. Otherwise tiles are full.
template <class Shapes>
constexpr int choose_step(std::int64_t count, std::int64_t num_segments)
{
  constexpr int tile_items = Shapes::tile_items;
  const std::int64_t mean = count / num_segments;
  if (count > tile_items && mean <= (tile_items - Shapes::segment_step) / 2)
  {
    return Shapes::segment_step;
  }
  const bool are_few = tile_items < count && count <= max_pairwise<4> / 2;
  return are_few && mean <= Shapes::long_segment_step ? Shapes::long_segment_step : tile_items;
}

/// Chooses a multiway sort with tiles of `Shapes`. Tiles are full if most segments are too long for a tile to begin at
/// a segment. One kernel executes all passes if these rarely have work: segments are short on average. It reads the
/// output, which must be plain memory.
template <class Key, int ValueBytes, class Shapes>
constexpr sort_choice
choose_multiway_segments(std::int64_t count, std::int64_t num_segments, bool is_plain, const device_room& device)
{
  constexpr int step = Shapes::segment_step;
  const bool are_long = count / (Shapes::tile_items - step) / 4 > num_segments;
  const bool rarely_has_passes =
    is_plain && count <= max_mean_without_passes<sort_shapes_t<Key, ValueBytes>> * num_segments;
  sort_choice chosen = detail::in_tiles(sort_path::multiway, count, are_long ? Shapes::tile_items : step);
  chosen.in_segments = rarely_has_passes ? segmented_sort_path::multiway_short : segmented_sort_path::multiway;
  chosen.has_short_shapes = !std::is_same_v<Shapes, sort_shapes_t<Key, ValueBytes>>;
  if (rarely_has_passes)
  {
    const int max_blocks =
      detail::max_coresident_blocks(device, detail::blocks_of_all_passes(Shapes::merge::sure_blocks));
    chosen.blocks = static_cast<int>(std::min<std::int64_t>(chosen.tiles, (std::max)(1, max_blocks)));
  }
  return chosen;
}

/// Chooses for `count` elements in segments by offsets. For deferred sizes these are the capacities.
template <class Key, int ValueBytes>
constexpr sort_choice choose_segmented_sort(
  std::int64_t count, std::int64_t num_segments, bool is_deferred, bool is_plain, const device_room& device)
{
  using path = segmented_sort_path;
  using shapes = segmented_pairwise_shapes_t<Key, ValueBytes>;
  if (num_segments > 0 && count <= max_pairwise<4>)
  {
    if (
      num_segments <= max_segments_by_ranks
      && count
           <= max_segments_ranked<sizeof(Key), ValueBytes> && count >= min_mean_by_ranks<sizeof(Key)> * num_segments)
    {
      sort_choice chosen =
        detail::by_ranks(count, shapes::tile_items, max_segment_rank_threads<sizeof(Key), ValueBytes>);
      chosen.in_segments = path::ranks;
      return chosen;
    }
    const int max_blocks = detail::max_coresident_blocks(device, shapes::block_sort::sure_blocks);
    const auto in_one_launch = [&](sort_choice chosen, path in_segments)
    {
      const int tiles = static_cast<int>(chosen.tiles);
      chosen.blocks = is_deferred ? detail::spread_grid(tiles, max_blocks) : tiles;
      chosen.in_segments = in_segments;
      return chosen;
    };
    sort_choice own = detail::in_tiles(sort_path::coresident, count, shapes::tile_items);
    own.tiles = num_segments + count / shapes::tile_items;
    if (num_segments <= max_own_tile_segments<shapes> && (count <= shapes::tile_items || own.tiles <= max_blocks))
    {
      return in_one_launch(own, path::own_tiles);
    }
    const sort_choice shared =
      detail::in_tiles(sort_path::coresident, count, detail::choose_step<shapes>(count, num_segments));
    if (shared.tiles <= max_blocks)
    {
      return in_one_launch(shared, path::shared_tiles);
    }
  }
  return detail::have_short_shapes<Key, ValueBytes>(count, num_segments)
           ? detail::choose_multiway_segments<Key, ValueBytes, short_segments_shapes_t<Key, ValueBytes>>(
             count, num_segments, is_plain, device)
           : detail::choose_multiway_segments<Key, ValueBytes, sort_shapes_t<Key, ValueBytes>>(
             count, num_segments, is_plain, device);
}

/// Chooses for `count` elements in segments by flags, whose number the host does not know.
template <class Key, int ValueBytes>
constexpr sort_choice choose_sort_by_flags(std::int64_t count)
{
  constexpr int step = sort_shapes_t<Key, ValueBytes>::segment_step;
  return detail::in_tiles(sort_path::multiway, count, step);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

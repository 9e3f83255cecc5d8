// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tile sizes of a join.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape of a join's tile, with the number of stores that a lane does without a loop. Up to StagedRows rows of a
/// tile are staged in shared memory.
template <int Threads, int ItemsPerThread, int BlocksOnSm90, int StagedRows = Threads* ItemsPerThread>
struct join_shape : tile_shape<Threads, ItemsPerThread, BlocksOnSm90>
{
  static constexpr int staged_rows = StagedRows;

  /// A lane marks up to this number of matches of its left element; the lanes of its warp mark the others together.
  static constexpr int lane_marks = 4;

  /// A lane stages the first lane_rows rows of its left element without a loop, as most left elements have few rows,
  /// and up to max_lane_rows in a loop. The lanes of its warp stage the others together. With 8 in a loop, joins of
  /// left elements with 16 matches each take 1.19 of the time (H200).
  static constexpr int lane_rows = 3;
  static constexpr int max_lane_rows = 32;
};

/// The tile shape for keys of `KeyBytes`, the larger of both inputs' key sizes: with 4 bytes for the matches of each
/// left element, a tile of small keys takes about 40 KiB of shared memory.
template <int KeyBytes>
constexpr auto choose_join_shape()
{
  constexpr int bytes = KeyBytes > largest_staged_key ? 1 : KeyBytes;
  if constexpr (bytes <= 4)
  {
    return join_shape<256, 19, 5>{};
  }
  else if constexpr (bytes <= 8)
  {
    return join_shape<256, 11, 4>{};
  }
  else if constexpr (bytes <= 64)
  {
    return join_shape<128, detail::items_that_fit(128, bytes, 11), 4>{};
  }
  else
  {
    return join_shape<32, detail::items_that_fit(32, bytes, 11), 4>{};
  }
}

template <int KeyBytes>
using join_tile_shape = decltype(choose_join_shape<KeyBytes>());

/// The shape of co-resident blocks: smaller tiles, for more multiprocessors, with room for more rows.
template <int KeyBytes>
constexpr auto choose_coresident_join_shape()
{
  constexpr int bytes = KeyBytes > largest_staged_key ? 1 : KeyBytes;
  constexpr int rows = 8192;
  if constexpr (bytes <= 8)
  {
    return join_shape<256, 7, 5, rows>{};
  }
  else
  {
    using shape = join_tile_shape<KeyBytes>;
    return join_shape<shape::threads, shape::items_per_thread, shape::sure_blocks, rows>{};
  }
}
template <int KeyBytes>
using coresident_join_shape = decltype(choose_coresident_join_shape<KeyBytes>());

/// The shape of tiles of needles, one needle per thread. Neither keys nor rows are staged; staged_rows is the size of
/// the first units of few tiles (see first_unit_rows).
using join_needle_shape = join_shape<128, 1, 12, 4096>;

/// Number of blocks that write extra rows: more than are co-resident on an H200.
inline constexpr int join_extra_blocks = 1024;

/// Threads of the block that adds up the counts of small tiles, and the maximum number of tiles.
inline constexpr int join_scan_threads = 1024;
inline constexpr int join_scan_tiles = 2048;

/// Threads of a block that writes a tile's right elements without a match: one or two words of bits per thread.
inline constexpr int join_right_only_threads = 128;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

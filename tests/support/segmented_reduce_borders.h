// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The borders between the paths of a segmented reduction, in plain numbers.

#include <mgpu_thrust/detail/segmented_reduce/choice.h>

#include <cstdint>
#include <vector>

namespace test
{

using reduce_path = mgpu::detail::segmented_reduce_path;

/// The sizes on both sides of a border, and their paths.
struct reduce_border
{
  std::int64_t num_items;
  std::int64_t num_segments;
  reduce_path path;
  std::int64_t num_items_beyond;
  std::int64_t num_segments_beyond;
  reduce_path path_beyond;
};

/// A value of which a lane loads several before it reduces the first.
template <int Bytes>
struct plain_value
{
  int words[Bytes / 4];
};

/// What all types have in common: items are too many to be whole segments.
inline std::vector<reduce_border> borders_of_many_tiles()
{
  return {
    {7864319, 1, reduce_path::few_tiles, 7864320, 1, reduce_path::tiles}, // 2048 tiles
    {0, 23592960, reduce_path::few_tiles, 0, 23592961, reduce_path::tiles},
  };
}

/// Of values of 4 bytes, where there are clusters.
inline std::vector<reduce_border> borders_of_4_bytes()
{
  constexpr std::int64_t max_segments = 2147475454; // blocks of a grid
  std::vector<reduce_border> borders{
    // Means of 262,144 items, which only tiles and a segment per block exceed.
    {262144, 1, reduce_path::shared_segments, 262145, 1, reduce_path::few_tiles},
    {786432, 3, reduce_path::shared_segments, 786433, 3, reduce_path::few_tiles},
    // 16,384 segments.
    {16384, 16384, reduce_path::shared_segments, 16384, 16385, reduce_path::few_tiles},
    // 2^21 items, and means of 256.
    {2097152, 16384, reduce_path::shared_segments, 2097153, 16384, reduce_path::few_tiles},
    {2097152, 1024, reduce_path::shared_segments, 2097153, 1024, reduce_path::large_segments},
    {2097408, 8193, reduce_path::large_segments, 2097407, 8193, reduce_path::few_tiles},
    {2097153, 8, reduce_path::few_tiles, 2097153, 9, reduce_path::large_segments},
    // 2^22 items, and means of 1,024.
    {4194304, 16384, reduce_path::large_segments, 4194304, 16385, reduce_path::few_tiles},
    {4194304, 4097, reduce_path::large_segments, 4194305, 4097, reduce_path::few_tiles},
    {4196352, 4098, reduce_path::large_segments, 4196351, 4098, reduce_path::few_tiles},
    // 2^23 items, and means of 2,048.
    {8388608, 4096, reduce_path::large_segments, 8388609, 4096, reduce_path::segment_per_block},
    {8388608, 1, reduce_path::tiles, 8388609, 1, reduce_path::segment_per_block},
    {8388609, 4096, reduce_path::segment_per_block, 8388609, 4097, reduce_path::tiles},
    {2048 * (max_segments + 1), max_segments, reduce_path::segment_per_block, 2048 * (max_segments + 1),
     max_segments + 1, reduce_path::tiles},
  };
  for (const reduce_border& border : borders_of_many_tiles())
  {
    borders.push_back(border);
  }
  return borders;
}

/// Of 40 bytes, which are not loaded in batches: there are no clusters. A group of eight warps has 1,536 items, or
/// 3,072 if there is more than one segment.
inline std::vector<reduce_border> borders_of_40_bytes()
{
  std::vector<reduce_border> borders{
    {2048, 1, reduce_path::shared_segments, 2049, 1, reduce_path::one_tile},
    {3839, 1, reduce_path::one_tile, 3840, 1, reduce_path::few_tiles},
    {32768, 100, reduce_path::shared_segments, 32769, 100, reduce_path::few_tiles},
    {1, 16384, reduce_path::shared_segments, 1, 16385, reduce_path::few_tiles},
  };
  for (const reduce_border& border : borders_of_many_tiles())
  {
    borders.push_back(border);
  }
  return borders;
}

/// Of deferred sizes, whose capacities these are: 256 tiles at most may turn out to be few whole segments.
inline std::vector<reduce_border> borders_of_deferred_4_bytes()
{
  return {
    {262144, 1, reduce_path::shared_segments, 262145, 1, reduce_path::deferred_tiles},
    {983039, 1, reduce_path::deferred_tiles, 983040, 1, reduce_path::few_tiles},
    {976373, 20000, reduce_path::deferred_tiles, 976374, 20000, reduce_path::few_tiles},
    {7864319, 1, reduce_path::few_tiles, 7864320, 1, reduce_path::tiles},
    {8388608, 4096, reduce_path::large_segments, 8388609, 4096, reduce_path::segment_per_block},
  };
}

/// Of a plan: all that are more than one tile have its cuts.
inline std::vector<reduce_border> borders_of_planned_4_bytes()
{
  return {
    {262144, 1, reduce_path::shared_segments, 262145, 1, reduce_path::planned_tiles},
    {7864319, 1, reduce_path::planned_tiles, 7864320, 1, reduce_path::planned_tiles},
    {8388608, 1, reduce_path::planned_tiles, 8388609, 1, reduce_path::segment_per_block},
  };
}

} // namespace test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The borders between the paths of load balancing, intervals, and bulk operations, in plain numbers.

#include <mgpu_thrust/detail/bulk/choice.h>
#include <mgpu_thrust/detail/segments/choice.h>

#include <cstdint>
#include <vector>

namespace test
{

using mgpu::detail::bulk_insertion_path;
using mgpu::detail::bulk_removal_path;
using mgpu::detail::segments_path;

/// The sizes on both sides of a border, and their paths.
struct segments_border
{
  std::int64_t num_items;
  std::int64_t num_segments;
  segments_path path;
  std::int64_t num_items_beyond;
  std::int64_t num_segments_beyond;
  segments_path path_beyond;
};

inline std::vector<segments_border> borders_of_segments()
{
  return {
    {262144, 1024, segments_path::few_segments, 262145, 1024, segments_path::uncut_tiles},
    {262144, 1024, segments_path::few_segments, 262144, 1025, segments_path::uncut_tiles},
    {4096, 1024, segments_path::few_segments, 4096, 1025, segments_path::one_tile},
    {4096, 4096, segments_path::one_tile, 4097, 4096, segments_path::uncut_tiles},
    {4096, 4096, segments_path::one_tile, 4096, 4097, segments_path::uncut_tiles},
    {8388608, 65537, segments_path::uncut_tiles, 8388609, 65537, segments_path::tiles},
    {8388609, 65536, segments_path::uncut_tiles, 8388609, 65537, segments_path::tiles},
  };
}

/// The maximum number of indices of a removal without a cut.
inline constexpr std::int64_t max_uncut_removals = 65536;

/// The maximum output of an insertion without a cut, of 4-byte elements.
inline constexpr std::int64_t max_uncut_output = 12582912;

} // namespace test

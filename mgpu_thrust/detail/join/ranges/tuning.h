// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tiles of intervals of a range join.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/join/tuning.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape of tiles of intervals: a tile keeps 16 bytes for each. Neither points nor rows are staged; staged_rows is
/// the size of the first units of few tiles (see first_unit_rows).
using interval_shape = join_shape<256, 8, 4, 4096>;

/// Intervals are cut into about this number of tiles, as far as a tile then has an interval for each thread, and no
/// more than the shape has. So few intervals are spread over all multiprocessors.
inline constexpr std::int64_t usual_interval_tiles = 4096;

/// Tiles have a multiple of this number of intervals: those that a warp searches for together.
inline constexpr std::int64_t interval_group = 64;

/// Returns the number of intervals in a tile of `intervals`.
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t intervals_of_tile(std::int64_t intervals)
{
  return detail::clamp_index(
    intervals / (usual_interval_tiles * interval_group) * interval_group, interval_shape::threads,
    interval_shape::items);
}

/// Returns the number of tiles of `intervals`: at least one, which may be empty.
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t interval_tiles(std::int64_t intervals)
{
  return intervals > 0 ? ::cuda::ceil_div(intervals, detail::intervals_of_tile(intervals)) : 1;
}

/// Returns the maximum number of tiles of up to `intervals`. There are the most, for their number, where tiles are just
/// not larger yet.
constexpr std::int64_t max_interval_tiles(std::int64_t intervals)
{
  constexpr std::int64_t most = usual_interval_tiles * (interval_shape::threads + interval_group);
  return (std::max)(detail::interval_tiles(intervals), detail::interval_tiles((std::min)(intervals, most - 1)));
}

/// The Tiling (path_cut.cuh) of range joins with deferred sizes: no tiles of both inputs, but tiles of intervals.
struct interval_tiling
{
  static constexpr bool header_counts_other_blocks = true;

  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static bool has_tiles(const Inputs&)
  {
    return false;
  }
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static int blocks_without_tiles(const Inputs& inputs)
  {
    return static_cast<int>(detail::interval_tiles(inputs.a_count));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

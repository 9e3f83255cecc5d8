// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sizes of the units in which the kernels of a join write rows (see join_layout).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Maximum number of rows of a unit. A block loads and searches a unit's tile first; with units of 2^14 rows, tiles
/// were searched twice where each element has a thousand matches.
inline constexpr std::int64_t max_join_unit_rows = std::int64_t{1} << 16;

/// Up to this number of tiles, fewer than the co-resident blocks of an H200, the first unit of a tile has only as many
/// rows as can be staged: otherwise a few tiles with most of the rows would keep few blocks busy.
inline constexpr int max_tiles_with_small_units = 512;

/// Minimum number of rows of a unit, and number of units of few rows, about the multiprocessors of an H200. For each
/// unit its tile is loaded and searched again.
inline constexpr std::int64_t min_join_unit_rows = 1024;
inline constexpr int min_join_units = 128;

/// Returns the maximum number of rows of the first unit of a tile: at least as many as can be staged.
template <class Shape>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t first_unit_rows(std::int64_t tiles)
{
  static_assert(Shape::staged_rows <= max_join_unit_rows);
  return tiles <= max_tiles_with_small_units ? Shape::staged_rows : max_join_unit_rows;
}

/// Returns the number of rows of a unit of extra rows, for `blocks` blocks and `rows` rows in all: clamp(rows / blocks,
/// clamp(rows / 128, 1024, first_unit), 65536).
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t
extra_unit_rows(std::int64_t rows, std::int64_t blocks, std::int64_t first_unit)
{
  return detail::clamp_index(
    rows / blocks, detail::clamp_index(rows / min_join_units, min_join_unit_rows, first_unit), max_join_unit_rows);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

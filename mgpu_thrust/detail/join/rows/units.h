// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The units in which the kernels of a join write rows (see join_layout): how many rows the first unit of a tile has, and how many
/// the units of extra rows.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Maximum number of rows of a unit (see join_layout). A block that writes one loads and searches its tile first; units of 2^14
/// rows did so twice where each element has a thousand matches.
inline constexpr std::int64_t max_join_unit_rows = std::int64_t{1} << 16;

/// Up to this number of tiles, which is fewer than the co-resident blocks of an H200, the first unit of a tile has only the rows
/// that are staged: if a few tiles had most of the rows, their blocks alone would be at work for long.
inline constexpr int max_tiles_with_small_units = 512;

/// Minimum number of rows of a unit, and the number of units of few rows: about as many as an H200 has multiprocessors. Each has
/// to load and search its tile again.
inline constexpr std::int64_t min_join_unit_rows = 1024;
inline constexpr int min_join_units = 128;

/// Returns the maximum number of rows of the first unit of a tile: not less than those that are staged.
template <class Shape>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t first_unit_rows(std::int64_t tiles)
{
  static_assert(Shape::staged_rows <= max_join_unit_rows);
  return tiles <= max_tiles_with_small_units ? Shape::staged_rows : max_join_unit_rows;
}

/// Returns the number of rows of a unit after tiles' first ones, for `blocks` blocks that write units of `rows` rows:
/// clamp(rows / blocks, clamp(rows / 128, 1024, first_unit), 65536).
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t
extra_unit_rows(std::int64_t rows, std::int64_t blocks, std::int64_t first_unit)
{
  return detail::clamp_index(
    rows / blocks, detail::clamp_index(rows / min_join_units, min_join_unit_rows, first_unit), max_join_unit_rows);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The number of rows of a join, and their layout: which rows are those of a tile, and how they are cut into units.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>
#include <limits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The largest number of rows, which also represents any larger number.
inline constexpr std::int64_t max_rows = (std::numeric_limits<std::int64_t>::max)();

/// Returns the sum of two nonnegative numbers, or max_rows if that is less.
MGPU_THRUST_HOST_DEVICE inline std::int64_t saturating_sum(std::int64_t x, std::int64_t y)
{
  return x > max_rows - y ? max_rows : x + y;
}

/// Returns the product of two nonnegative numbers, or max_rows if that is less.
MGPU_THRUST_HOST_DEVICE inline std::int64_t saturating_product(std::int64_t x, std::int64_t y)
{
  return x > 0 && y > max_rows / x ? max_rows : x * y;
}

/// Returns the number of rows of a left element with `matches` matches.
template <class Kind>
MGPU_THRUST_HOST_DEVICE std::int64_t rows_of_left(Kind, std::int64_t matches)
{
  return Kind::keeps_left && matches == 0 ? 1 : matches;
}

/// Number of rows of a tile: of its left elements, and of its right elements without a match; and whether the former
/// are more than its first unit. Sums count the tiles with extra rows.
struct join_counts
{
  std::int64_t rows;
  std::int64_t right_only;
  std::int64_t tiles_with_extra;

  MGPU_THRUST_HOST_DEVICE static join_counts
  of_tile(std::int64_t rows, std::int64_t right_only, std::int64_t first_unit_rows)
  {
    return {rows, right_only, rows > first_unit_rows};
  }
  /// The number of all rows, or max_rows.
  MGPU_THRUST_HOST_DEVICE std::int64_t all() const
  {
    return detail::saturating_sum(rows, right_only);
  }
};

struct add_join_counts
{
  MGPU_THRUST_HOST_DEVICE join_counts operator()(const join_counts& x, const join_counts& y) const
  {
    return {
      detail::saturating_sum(x.rows, y.rows), detail::saturating_sum(x.right_only, y.right_only),
      x.tiles_with_extra + y.tiles_with_extra};
  }
};

/// The rows [first, last).
struct row_range
{
  std::int64_t first;
  std::int64_t last;

  MGPU_THRUST_HOST_DEVICE std::int64_t size() const
  {
    return first < last ? last - first : 0;
  }
  MGPU_THRUST_HOST_DEVICE row_range intersection(row_range other) const
  {
    return {first > other.first ? first : other.first, last < other.last ? last : other.last};
  }
};

/// Layout of the rows of all tiles: first those of left elements, tile by tile, then those of right elements alone.
///
/// Rows of left elements are written in units. The first unit of a tile has up to first_unit_rows of its rows. Its
/// other rows are extra rows. For these the rows of all tiles are cut into units of equal size, wherever tiles begin; a
/// unit's extra rows are written together.
struct join_layout
{
  const join_counts* before; ///< the sums over all tiles before each one; before[tiles] is the sum over all
  std::int64_t tiles;
  std::int64_t first_unit_rows;

  MGPU_THRUST_HOST_DEVICE std::int64_t left_rows() const
  {
    return before[tiles].rows;
  }
  /// The number of all rows, or max_rows.
  MGPU_THRUST_HOST_DEVICE std::int64_t size() const
  {
    return before[tiles].all();
  }
  MGPU_THRUST_HOST_DEVICE bool has_overflow() const
  {
    return size() == max_rows;
  }
  MGPU_THRUST_HOST_DEVICE bool has_extra() const
  {
    return before[tiles].tiles_with_extra > 0;
  }

  /// Returns the first row of a tile's left elements; for the tile past the last, the number of all their rows.
  MGPU_THRUST_HOST_DEVICE std::int64_t first_row_of(std::int64_t tile) const
  {
    return before[tile].rows;
  }
  /// Returns the rows of a tile's first unit.
  MGPU_THRUST_HOST_DEVICE row_range first_unit_of(std::int64_t tile) const
  {
    const std::int64_t first = first_row_of(tile);
    const std::int64_t last = first_row_of(tile + 1);
    return {first, first < last - first_unit_rows ? first + first_unit_rows : last};
  }
  /// Returns the rows of a tile's right elements without a match.
  MGPU_THRUST_HOST_DEVICE row_range right_only_rows_of(std::int64_t tile) const
  {
    return {left_rows() + before[tile].right_only, left_rows() + before[tile + 1].right_only};
  }
};

/// Returns a bound of the number of rows of a join of inputs of these sizes; max_rows if there may be more.
template <class Kind>
MGPU_THRUST_HOST_DEVICE std::int64_t join_rows_bound(Kind, std::int64_t a_count, std::int64_t b_count)
{
  const std::int64_t alone = (Kind::keeps_left ? a_count : 0) + (Kind::keeps_right ? b_count : 0);
  return detail::saturating_sum(detail::saturating_product(a_count, b_count), alone);
}

/// Whether there may be max_rows rows or more, judged by the sizes of the inputs alone. Elements have the most rows if
/// all match each other, or none does: a_count * b_count, or a_count + b_count.
MGPU_THRUST_HOST_DEVICE constexpr bool may_have_too_many_rows(std::int64_t a_count, std::int64_t b_count)
{
  return b_count >= max_rows - a_count || (a_count > 0 && b_count > (max_rows - 1) / a_count);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

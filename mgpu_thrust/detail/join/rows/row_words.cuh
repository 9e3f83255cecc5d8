// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The words in which a block keeps what it knows of a join's rows: two positions or counts of 16 bits in each.

#include <mgpu_thrust/detail/base/config.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Two unsigned numbers, each less than `limit`, in one word: `low` in the lower half, `high` in the upper. The caller
/// guarantees the range; join_row_finder has the proof that all tiles of a join are within it.
struct half_words
{
  static constexpr int limit = 1 << 16;
  unsigned word;

  MGPU_THRUST_DEVICE static half_words pack(int low, int high)
  {
    return {static_cast<unsigned>(high) << 16 | static_cast<unsigned>(low)};
  }
  MGPU_THRUST_DEVICE int low() const
  {
    return static_cast<int>(word & (limit - 1));
  }
  MGPU_THRUST_DEVICE int high() const
  {
    return static_cast<int>(word >> 16);
  }
};

/// Stands for the position of the first match of a left element that has no match, but a row nevertheless. No element
/// has this position.
inline constexpr int no_position = half_words::limit - 1;

/// The rows of a left element in its tile: the position in the tile of its first match, and the number of its rows
/// there. The second is the number of its matches in the tile, or 1 if the first is no_position. Matches after the tile
/// are not counted, as they are the same for all left elements that have any.
struct packed_left_rows
{
  half_words position_and_rows;

  MGPU_THRUST_DEVICE static packed_left_rows pack(int first_match, int rows)
  {
    return {half_words::pack(first_match, rows)};
  }
  MGPU_THRUST_DEVICE int first_match() const
  {
    return position_and_rows.low();
  }
  MGPU_THRUST_DEVICE int rows() const
  {
    return position_and_rows.high();
  }
};

/// A row that is staged in shared memory: the positions in the tile of its right element, or no_position, and of its
/// left element. The former may lie after the tile.
struct packed_row
{
  half_words right_and_left;

  MGPU_THRUST_DEVICE static packed_row pack(int left, int right)
  {
    return {half_words::pack(right, left)};
  }
  /// Returns the row of the same left element with the right element k positions later. That position must be in range
  /// too, so that nothing is carried into the upper half.
  MGPU_THRUST_DEVICE packed_row later(int k) const
  {
    return {right_and_left.word + k};
  }
  MGPU_THRUST_DEVICE int left() const
  {
    return right_and_left.high();
  }
  MGPU_THRUST_DEVICE int right() const
  {
    return right_and_left.low();
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Outputs of a join's rows that have room for some of them.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/join/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// join_outputs (Outputs) with room for rows [0, room). Writers ask for the room once for each stretch of rows.
template <class Outputs>
struct bounded_join_outputs : Outputs
{
  static constexpr bool is_bounded = true;
  std::int64_t room; ///< less than max_rows, as offsets of rows saturate there

  bounded_join_outputs(const Outputs& outputs, std::int64_t rows_capacity)
      : Outputs(outputs)
      , room(rows_capacity < max_rows ? rows_capacity : max_rows - 1)
  {
  }

  /// Returns for how many of `rows` rows from row `row` on there is room. Neither is negative.
  MGPU_THRUST_DEVICE std::int64_t rows_with_room(std::int64_t row, std::int64_t rows) const
  {
    return row < room ? (min) (rows, room - row) : 0;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

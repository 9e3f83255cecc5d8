// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The pieces that the workers of a CPU take, of two sorted inputs.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A set operation cut into pieces of cpu_piece_elements.
template <class Operation, class Inputs, class Compare>
struct set_pieces
{
  Inputs inputs;
  Compare comp;

  std::int64_t total() const
  {
    return inputs.a_count + inputs.b_count;
  }
  std::int64_t count() const
  {
    return equal_pieces{total()}.count();
  }
  Inputs operator[](std::int64_t piece) const
  {
    const auto begin = cut(piece);
    const auto end = cut(piece + 1);
    const std::int64_t max_size = cpu_piece_elements + Operation::matches; // a starred diagonal adds one
    return inputs.piece(begin.a_index, begin.b_index, end.a_index, end.b_index, max_size);
  }

  /// The point where a piece begins and the one before it ends.
  balanced_path_point<std::int64_t> cut(std::int64_t piece) const
  {
    return detail::operation_path(
      Operation{}, inputs.a, inputs.a_count, inputs.b, inputs.b_count, equal_pieces{total()}.begin(piece), comp);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

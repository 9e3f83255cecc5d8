// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The pieces that the workers of a CPU take, of two sorted inputs.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of pieces of `piece_elements` elements, the last of which may have fewer, in `elements` elements.
constexpr std::int64_t pieces_of(std::int64_t elements, std::int64_t piece_elements)
{
  return elements / piece_elements + (elements % piece_elements != 0);
}

/// Number of elements of a piece. Its inputs and the results that its worker holds stay in a core's second-level cache.
inline constexpr std::int64_t cpu_piece_elements = std::int64_t{1} << 15;

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
    return detail::pieces_of(total(), cpu_piece_elements);
  }
  Inputs operator[](std::int64_t piece) const
  {
    const auto begin = cut(piece);
    const auto end = cut(piece + 1);
    const std::int64_t most = cpu_piece_elements + Operation::matches; // a starred diagonal adds one
    return inputs.piece(begin.a_index, begin.b_index, end.a_index, end.b_index, most);
  }

  /// The point where a piece begins and the one before it ends.
  balanced_path_point<std::int64_t> cut(std::int64_t piece) const
  {
    const std::int64_t diagonal = piece < count() ? piece * cpu_piece_elements : total();
    return detail::operation_path(Operation{}, inputs.a, inputs.a_count, inputs.b, inputs.b_count, diagonal, comp);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Pieces of equally many elements, for the workers of a CPU.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of elements of a piece. Its inputs and the results that its worker holds stay in a core's L2 cache.
inline constexpr std::int64_t cpu_piece_elements = std::int64_t{1} << 15;

/// `elements` elements in pieces of `size`, the last of which may have fewer.
struct equal_pieces
{
  std::int64_t elements;
  std::int64_t size = cpu_piece_elements;

  std::int64_t count() const
  {
    return ::cuda::ceil_div(elements, size);
  }
  /// The first element of a piece; for the piece past the last, the number of all elements.
  std::int64_t begin(std::int64_t piece) const
  {
    return piece < count() ? piece * size : elements;
  }
  std::int64_t end(std::int64_t piece) const
  {
    return begin(piece + 1);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

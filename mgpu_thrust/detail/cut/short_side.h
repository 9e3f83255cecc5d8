// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// When one of two inputs is so short that a CPU searches for its elements in the other, which it does not read.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Minimum number of elements of a long input per element of a short one: right joins of 2^20 with one int32 in 32 are
/// counted in 0.7 ms instead of 1.5, and of 2^25 in 47 ms instead of 60 (Xeon, one core).
inline constexpr std::int64_t cpu_short_side_ratio = 32;

/// Number of elements of the short input in the piece of a worker. Their searches take some 100 us.
inline constexpr std::int64_t cpu_short_piece_elements = std::int64_t{1} << 10;

/// The input whose elements are searched for in the other, if there is one.
enum class short_side
{
  none,
  a,
  b
};

/// Returns the short side of inputs of these sizes, if it may be A, or B. The last arguments are the minimum numbers of
/// elements of B per element of a short A, and the other way round.
MGPU_THRUST_HOST_DEVICE constexpr short_side choose_short_side(
  bool may_be_a, bool may_be_b, std::int64_t a_count, std::int64_t b_count,
  std::int64_t min_for_a = cpu_short_side_ratio, std::int64_t min_for_b = cpu_short_side_ratio)
{
  return may_be_a && a_count <= b_count / min_for_a   ? short_side::a
         : may_be_b && b_count <= a_count / min_for_b ? short_side::b
                                                      : short_side::none;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

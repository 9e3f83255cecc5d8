// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// When one of two inputs is so short that a CPU searches for its elements in the other, which it does not read.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/interleaved_search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Minimum number of elements of a long input per element of a short one; min_to_interleave_uncached if the long one has
/// more than max_cached_bytes. An intersection of 2^20 int32 with one in 32 takes 0.46 ms instead of 0.75, with one in
/// 16 it would take 1.0 instead of 1.1 (Xeon, one core); and one with keys that are close together, which a walk finds
/// early, up to 1.4 times as long.
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

/// Whether an input of `size` elements is short beside one of `other` elements of type OtherKey.
template <class OtherKey>
MGPU_THRUST_HOST_DEVICE constexpr bool is_short(std::int64_t size, std::int64_t other)
{
  return size <= other / detail::min_for_needle<OtherKey>(other, cpu_short_side_ratio);
}

/// Returns the short side of inputs, if it may be A, or B.
template <class Inputs>
MGPU_THRUST_HOST_DEVICE constexpr short_side choose_short_side(bool may_be_a, bool may_be_b, const Inputs& inputs)
{
  return may_be_a && detail::is_short<b_key_t<Inputs>>(inputs.a_count, inputs.b_count)   ? short_side::a
         : may_be_b && detail::is_short<a_key_t<Inputs>>(inputs.b_count, inputs.a_count) ? short_side::b
                                                                                         : short_side::none;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

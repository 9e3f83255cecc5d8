// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The integer types that indices are written as.

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What stands for the index of an element where there is none.
inline constexpr std::int64_t no_match = -1;

/// The largest index that an integer holds. No index is above 2^63 - 1.
template <class Index>
inline constexpr std::int64_t largest_index = sizeof(Index) < 8
                                                ? static_cast<std::int64_t>((std::numeric_limits<Index>::max)())
                                                : (std::numeric_limits<std::int64_t>::max)();

/// Returns a number that is not negative as an integer of a type, or the largest one of these if that is less.
template <class Index>
MGPU_THRUST_HOST_DEVICE constexpr Index saturated_index(std::int64_t number)
{
  return static_cast<Index>(number < largest_index<Index> ? number : largest_index<Index>);
}

/// The integer type that an output iterator receives: its value type, or 64 bits if that is void or not an integer.
template <class Iterator>
struct written_index
{
  using value = typename ::cuda::std::iterator_traits<Iterator>::value_type;
  static_assert(!std::is_floating_point_v<value>, "mgpu_thrust: indices and counts are written as integers");
  using type = std::conditional_t<std::is_integral_v<value>, value, std::int64_t>;
  static_assert(sizeof(type) <= 8, "mgpu_thrust: indices are written as integers of 8 bytes at most");
};
/// A transform iterator's function receives 64 bits, whatever the iterator after it receives.
template <class Function, class Iterator>
struct written_index<thrust::transform_output_iterator<Function, Iterator>>
{
  using type = std::int64_t;
};
template <class Input, class Output, class Iterator>
struct written_index<thrust::transform_input_output_iterator<Input, Output, Iterator>>
{
  using type = std::int64_t;
};
template <class Iterator>
using written_index_t = typename written_index<Iterator>::type;

/// Asserts at compile time that an integer type holds no_match, if it MayBe written.
template <class Index, bool MayBe = true>
MGPU_THRUST_HOST_DEVICE constexpr void check_holds_no_match()
{
  static_assert(
    !MayBe || std::is_signed_v<Index>,
    "mgpu_thrust: an output that receives -1 where there is no match must hold signed integers");
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The choice of one of two values without a branch.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns condition ? x : y. For integers, and objects of one or two 64-bit words, in a form that the compiler does
/// not turn into a branch, as the origin of the mask is hidden from it.
template <class Number>
Number select(bool condition, Number x, Number y)
{
  if constexpr (std::is_integral_v<Number>)
  {
    Number mask = static_cast<Number>(-static_cast<Number>(condition));
    detail::hide_origin(mask);
    return static_cast<Number>(y ^ ((x ^ y) & mask));
  }
  else if constexpr (std::is_class_v<Number> && (sizeof(Number) == 8 || sizeof(Number) == 16))
  {
    static_assert(std::is_trivially_copyable_v<Number>);
    std::uint64_t x_words[sizeof(Number) / 8];
    std::uint64_t y_words[sizeof(Number) / 8];
    std::memcpy(x_words, &x, sizeof(Number));
    std::memcpy(y_words, &y, sizeof(Number));
    for (std::size_t word = 0; word < sizeof(Number) / 8; ++word)
    {
      y_words[word] = detail::select(condition, x_words[word], y_words[word]);
    }
    std::memcpy(static_cast<void*>(&y), y_words, sizeof(Number));
    return y;
  }
  else
  {
    return condition ? x : y;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

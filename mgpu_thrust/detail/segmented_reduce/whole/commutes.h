// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Trait: the operators that are known to commute. For them a reduction need not keep the order of the items.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/functional>
#include <cuda/std/functional>

#include <functional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether `Op` is known to commute for numbers of type T. (The minimum of two floating-point numbers does not: one may
/// be NaN, or both may be zeros of different signs.)
template <class Op, class T>
inline constexpr bool commutes = false;

template <class T, class Operand>
inline constexpr bool commutes<::cuda::std::plus<Operand>, T> = std::is_arithmetic_v<T>;
template <class T, class Operand>
inline constexpr bool commutes<std::plus<Operand>, T> = std::is_arithmetic_v<T>;
template <class T, class Operand>
inline constexpr bool commutes<::cuda::std::multiplies<Operand>, T> = std::is_arithmetic_v<T>;
template <class T, class Operand>
inline constexpr bool commutes<::cuda::minimum<Operand>, T> = std::is_integral_v<T>;
template <class T, class Operand>
inline constexpr bool commutes<::cuda::maximum<Operand>, T> = std::is_integral_v<T>;
template <class T, class Operand>
inline constexpr bool commutes<::cuda::std::bit_and<Operand>, T> = std::is_integral_v<T>;
template <class T, class Operand>
inline constexpr bool commutes<::cuda::std::bit_or<Operand>, T> = std::is_integral_v<T>;
template <class T, class Operand>
inline constexpr bool commutes<::cuda::std::bit_xor<Operand>, T> = std::is_integral_v<T>;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

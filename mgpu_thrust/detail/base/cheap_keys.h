// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The keys and orders that are cheap enough for code that compares more often than it must, to save a branch.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/std/functional>

#include <functional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether a key is so cheap to compare and to copy that a branch-free loop may compare it twice per step.
template <class Key>
inline constexpr bool is_cheap_key = std::is_arithmetic_v<Key>;

/// Whether an order is no more than one instruction on numbers.
template <class Compare>
inline constexpr bool is_plain_order = false;
template <class T>
inline constexpr bool is_plain_order<std::less<T>> = true;
template <class T>
inline constexpr bool is_plain_order<std::greater<T>> = true;
template <class T>
inline constexpr bool is_plain_order<::cuda::std::less<T>> = true;
template <class T>
inline constexpr bool is_plain_order<::cuda::std::greater<T>> = true;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

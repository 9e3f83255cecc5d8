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

/// Whether an order is `<` or `>` of keys that are numbers, so that a sort by their digits has the same result. Radix
/// sorts of CUB take -0.0 and 0.0 as equal.
template <class Key, class Compare>
inline constexpr bool is_order_of_numbers = false;
template <class Key, template <class> class Compare, class T>
inline constexpr bool is_order_of_numbers<Key, Compare<T>> =
  std::is_arithmetic_v<Key>&& is_plain_order<Compare<T>> && (std::is_void_v<T> || std::is_same_v<T, Key>);

} // namespace detail
MGPU_THRUST_NAMESPACE_END

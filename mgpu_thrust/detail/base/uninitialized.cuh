// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Values that are declared before they are known, of types that may lack a default constructor or an address; and what
/// CUB does with such values.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/word_of_size.h>

#include <cub/util_ptx.cuh>

#include <new>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Memory for a T in registers, which is copied by its words.
template <class T>
class uninitialized
{
public:
  uninitialized() = default;
  MGPU_THRUST_DEVICE uninitialized(const T& value)
  {
    ::new (static_cast<void*>(words_)) T(value);
  }
  MGPU_THRUST_DEVICE operator const T&() const
  {
    return reinterpret_cast<const T&>(words_);
  }

private:
  using word = aligned_word_t<T>;
  alignas(T) word words_[sizeof(T) / sizeof(word)];
};

/// Whether operator& gives the address of a T.
template <class T, class = void>
inline constexpr bool has_address = false;
template <class T>
inline constexpr bool has_address<T, std::enable_if_t<std::is_pointer_v<decltype(&std::declval<T&>())>>> = true;

/// A T that may be declared without a value, which converts from a T, and to it: T itself, if it is that already.
template <class T>
using uninitialized_t =
  std::conditional_t<std::is_trivially_default_constructible_v<T> && has_address<T>, T, uninitialized<T>>;

/// An operator on T as one on uninitialized_t<T>, which CUB calls.
template <class T, class Op>
struct uninitialized_operator
{
  Op op;

  MGPU_THRUST_DEVICE uninitialized<T> operator()(const uninitialized<T>& x, const uninitialized<T>& y)
  {
    return static_cast<T>(op(static_cast<const T&>(x), static_cast<const T&>(y)));
  }
};
template <class T, class Op>
MGPU_THRUST_DEVICE auto on_uninitialized(Op& op)
{
  if constexpr (std::is_same_v<uninitialized_t<T>, T>)
  {
    return op;
  }
  else
  {
    return uninitialized_operator<T, Op>{op};
  }
}

/// Returns the value of the lane `distance` lanes before; the first lanes get their own.
template <class T>
MGPU_THRUST_DEVICE T shuffle_up(const T& value, int distance)
{
  return cub::ShuffleUp<32>(static_cast<uninitialized_t<T>>(value), distance, 0, ~0u);
}
/// Returns the value of the lane `distance` lanes after; the last lanes get their own.
template <class T>
MGPU_THRUST_DEVICE T shuffle_down(const T& value, int distance)
{
  return cub::ShuffleDown<32>(static_cast<uninitialized_t<T>>(value), distance, 31, ~0u);
}
/// Returns the value of a lane.
template <class T>
MGPU_THRUST_DEVICE T shuffle_index(const T& value, int lane)
{
  return cub::ShuffleIndex<32>(static_cast<uninitialized_t<T>>(value), lane, ~0u);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

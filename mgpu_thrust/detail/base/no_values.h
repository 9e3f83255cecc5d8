// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Placeholders for values, of an algorithm on keys alone, and for results; and assignment that iterators always have.

#include <mgpu_thrust/detail/base/config.h>

#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Placeholder for the values of an operation on keys alone, so that no code needs a second version for that.
struct no_values
{
  template <class Index>
  friend MGPU_THRUST_HOST_DEVICE no_values operator+(no_values, Index)
  {
    return {};
  }
};

/// An element of no_values, for code that reads keys and values.
template <class Index>
MGPU_THRUST_HOST_DEVICE no_values element(no_values, Index)
{
  return {};
}

template <class Values>
inline constexpr bool has_values = !std::is_same_v<Values, no_values>;

/// Placeholder for a value or a result where there is none.
struct nothing
{
};

/// target = source, also for iterators that hold a lambda and so can be copied but not assigned.
template <class T>
MGPU_THRUST_HOST_DEVICE void reassign(T& target, const T& source)
{
  if constexpr (std::is_copy_assignable_v<T>)
  {
    target = source;
  }
  else
  {
    target.~T();
    ::new (static_cast<void*>(&target)) T(source);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

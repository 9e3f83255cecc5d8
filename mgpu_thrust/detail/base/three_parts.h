// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A sequence that lies in three places in memory.

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The function from an index to its element. Each part begins with the elements after those of the part before.
template <class T>
struct three_parts
{
  const T* lower;
  const T* middle;
  const T* upper;
  std::int64_t middle_begin; ///< index
  std::int64_t upper_begin;

  MGPU_THRUST_HOST_DEVICE const T* address(std::int64_t i) const
  {
    return i < middle_begin ? lower + i : i < upper_begin ? middle + (i - middle_begin) : upper + (i - upper_begin);
  }
  MGPU_THRUST_HOST_DEVICE const T& operator()(std::int64_t i) const
  {
    return *address(i);
  }
};

template <class T>
using three_parts_iterator = thrust::transform_iterator<three_parts<T>, thrust::counting_iterator<std::int64_t>>;

template <class Iterator>
inline constexpr bool is_three_parts_v = false;
template <class T>
inline constexpr bool is_three_parts_v<three_parts_iterator<T>> = true;

/// Returns the address of `count` elements that follow each other in memory, or nullptr if they do not.
template <class T>
MGPU_THRUST_HOST_DEVICE const T* contiguous_elements(const three_parts_iterator<T>& first, int count)
{
  const std::int64_t i = *first.base();
  const three_parts<T> parts = first.functor();
  const T* const address = parts.address(i);
  return count < 1 || parts.address(i + count - 1) == address + (count - 1) ? address : nullptr;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Items converted to the type in which a reduction or a scan computes.

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/iterator>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Converts elements to T.
template <class T>
struct to_value
{
  template <class Element>
  MGPU_THRUST_DEVICE T operator()(const Element& element) const
  {
    return static_cast<T>(element);
  }
};

/// Type of an iterator over the elements of an input converted to T: the input itself if they are of type T.
template <class T, class Input>
using converted_t = std::conditional_t<
  std::is_same_v<typename ::cuda::std::iterator_traits<Input>::value_type, T>, Input,
  thrust::transform_iterator<to_value<T>, Input, T, T>>;

/// Returns an iterator over the elements of an input converted to T.
template <class T, class Input>
MGPU_THRUST_DEVICE converted_t<T, Input> values_from(Input input)
{
  if constexpr (std::is_same_v<converted_t<T, Input>, Input>)
  {
    return input;
  }
  else
  {
    return converted_t<T, Input>(input, to_value<T>{});
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

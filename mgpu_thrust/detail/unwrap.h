// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Contiguous iterators as the pointers that they wrap, and back.

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/thread/set_operation.h>

#include <thrust/type_traits/is_contiguous_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A contiguous iterator as the pointer that it wraps; anything else as it is.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto unwrap(Iterator iterator)
{
  if constexpr (std::is_pointer_v<Iterator> || std::is_same_v<Iterator, no_values>)
  {
    return iterator;
  }
  else if constexpr (thrust::is_contiguous_iterator_v<Iterator>)
  {
    return thrust::unwrap_contiguous_iterator(iterator);
  }
  else
  {
    return iterator;
  }
}

/// `end`, which belongs to unwrap(first), as an iterator like `first`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Unwrapped>
MGPU_THRUST_HOST_DEVICE Iterator rewrap(Iterator first, Unwrapped end)
{
  if constexpr (std::is_same_v<Iterator, Unwrapped>)
  {
    return end;
  }
  else
  {
    return first + (end - detail::unwrap(first));
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

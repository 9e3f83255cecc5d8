// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Conversion of contiguous iterators to the pointers that they wrap, and back; the length of a range.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>

#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether `Pointer` is a pointer to the elements of `Iterator`.
template <class Pointer, class Iterator>
inline constexpr bool is_pointer_to_elements_v = std::is_pointer_v<std::decay_t<Pointer>>&& std::is_same_v<
  std::remove_cv_t<std::remove_pointer_t<std::decay_t<Pointer>>>,
  std::remove_cv_t<typename ::cuda::std::iterator_traits<Iterator>::value_type>>;

// Three ways from an iterator to its pointer. None of them forms a reference to an element, as `&*iterator` does, since
// an empty range has no element.

/// `get()`, of Thrust's pointers.
template <class Iterator, class = void>
inline constexpr bool has_get_v = false;
template <class Iterator>
inline constexpr bool has_get_v<Iterator, std::void_t<decltype(std::declval<const Iterator&>().get())>> =
  is_pointer_to_elements_v<decltype(std::declval<const Iterator&>().get()), Iterator>;

/// `base()`, of the iterators of Thrust's and most standard libraries' vectors, and of those with another system's tag.
template <class Iterator, class = void>
inline constexpr bool has_base_v = false;
template <class Iterator>
inline constexpr bool has_base_v<Iterator, std::void_t<decltype(std::declval<const Iterator&>().base())>> = true;

/// `operator->()`, of other standard libraries' vectors.
template <class Iterator, class = void>
inline constexpr bool has_arrow_v = false;
template <class Iterator>
inline constexpr bool has_arrow_v<Iterator, std::void_t<decltype(std::declval<const Iterator&>().operator->())>> =
  is_pointer_to_elements_v<decltype(std::declval<const Iterator&>().operator->()), Iterator>;

/// Returns the pointer that a contiguous iterator wraps. Any other iterator, and one without such a way to its pointer,
/// is returned unchanged.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto unwrap(Iterator iterator)
{
  if constexpr (std::is_same_v<Iterator, no_values> || std::is_pointer_v<Iterator>)
  {
    return iterator;
  }
  else if constexpr (!thrust::is_contiguous_iterator_v<Iterator>)
  {
    return iterator;
  }
  else if constexpr (has_get_v<Iterator>)
  {
    return iterator.get();
  }
  else if constexpr (has_base_v<Iterator>)
  {
    const auto base = detail::unwrap(std::decay_t<decltype(iterator.base())>(iterator.base()));
    if constexpr (is_pointer_to_elements_v<decltype(base), Iterator>)
    {
      return std::decay_t<decltype(base)>(base);
    }
    else
    {
      return iterator;
    }
  }
  else if constexpr (has_arrow_v<Iterator>)
  {
    return iterator.operator->();
  }
  else
  {
    return iterator;
  }
}

template <class Iterator>
using unwrapped_t = decltype(detail::unwrap(std::declval<Iterator>()));

/// Converts `end`, an iterator into the range that starts at unwrap(first), to the type of `first`.
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

/// Number of elements of a range. Ranges without random access, for which an algorithm has a message of its own, have
/// none here.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator>
MGPU_THRUST_HOST_DEVICE std::int64_t length_of([[maybe_unused]] Iterator first, [[maybe_unused]] Iterator last)
{
  if constexpr (is_random_access_v<Iterator>)
  {
    return static_cast<std::int64_t>(last - first);
  }
  else
  {
    return 0;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The keys, and values if there are any, that kernels of sorts and merges read or write.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda/std/iterator>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Iterators to keys, and to values or no_values.
template <class Keys, class Values>
struct key_value_range
{
  Keys keys;
  Values values;
};

template <class Keys, class Values>
key_value_range(Keys, Values) -> key_value_range<Keys, Values>;

/// The value type of an iterator, or no_values.
template <class Iterator, bool Exists = has_values<Iterator>>
struct value_or_none
{
  using type = typename ::cuda::std::iterator_traits<Iterator>::value_type;
  using pointer = type*;
  static constexpr std::size_t bytes = sizeof(type);
};
template <class Iterator>
struct value_or_none<Iterator, false>
{
  using type = no_values;
  using pointer = no_values;
  static constexpr std::size_t bytes = 0;
};

/// Whether `Values` can be a null pointer, which stands for the indices of the elements. A sort of indices thus shares
/// the kernels of a sort of pairs.
template <class Values>
inline constexpr bool can_be_indices = std::is_pointer_v<Values>&& std::is_integral_v<std::remove_pointer_t<Values>>;

/// Whether the values of a range are the indices of the elements, and are not read.
template <class Keys, class Values>
MGPU_THRUST_DEVICE bool has_indices([[maybe_unused]] const key_value_range<Keys, Values>& range)
{
  if constexpr (can_be_indices<Values>)
  {
    return range.values == nullptr;
  }
  else
  {
    return false;
  }
}
/// Returns the value of an element.
template <class Keys, class Values>
MGPU_THRUST_DEVICE typename value_or_none<Values>::type
value_of(const key_value_range<Keys, Values>& range, std::int64_t element)
{
  if constexpr (can_be_indices<Values>)
  {
    if (range.values == nullptr)
    {
      return static_cast<typename value_or_none<Values>::type>(element);
    }
  }
  return detail::element(range.values, element);
}

/// Whether an iterator to keys can be null.
template <class Keys>
inline constexpr bool can_be_null = std::is_pointer_v<Keys>;

/// Whether keys are written to the range. A null pointer to keys of a range with values means that they are not.
template <class Keys, class Values>
MGPU_THRUST_DEVICE bool takes_keys([[maybe_unused]] const key_value_range<Keys, Values>& range)
{
  if constexpr (can_be_null<Keys> && has_values<Values>)
  {
    return range.keys != nullptr;
  }
  else
  {
    return true;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

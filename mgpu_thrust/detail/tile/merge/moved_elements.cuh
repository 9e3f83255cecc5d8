// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which keys and values the kernels of sorts and merges of runs move, and through which iterators. What they do not
/// move is moved once afterwards, by the indices that they order.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/word_of_size.h>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether kernels move the keys. Otherwise they order indices, and each key is moved once.
template <class Key>
inline constexpr bool is_sorted_directly = is_batchable_v<Key>;

/// Whether values move with their keys in each pass. Otherwise their indices do, and each value is moved once.
template <class Value>
inline constexpr bool is_carried = std::is_trivially_copyable_v<Value>&&
                                     std::is_trivially_default_constructible_v<Value> && sizeof(Value) <= 8;

/// Type of carried values in kernels, which only copy them: words of their size, if they are aligned to it. Values of
/// different types thus share kernels.
template <class Value>
using carried_t =
  std::conditional_t<!is_carried<Value> || alignof(Value) != sizeof(Value), Value, word_of_size<sizeof(Value)>>;

/// The iterator that kernels read. Pointers become pointers to const, so that const and other inputs share kernels.
template <class Iterator>
Iterator as_input(Iterator in)
{
  return in;
}
template <class Value>
const Value* as_input(Value* in)
{
  return in;
}

/// The iterator to values in kernels. Pointers become pointers to carried_t.
template <class Values>
Values as_carried(Values values)
{
  return values;
}
template <class Value>
carried_t<Value>* as_carried(Value* values)
{
  return reinterpret_cast<carried_t<Value>*>(values);
}
template <class Value>
const carried_t<Value>* as_carried(const Value* values)
{
  return reinterpret_cast<const carried_t<Value>*>(values);
}

/// The null pointer that stands for the indices of the elements: see can_be_indices.
template <class Index>
inline constexpr const carried_t<Index>* own_indices = nullptr;

/// The comparator of a sort: of the keys, or of their indices if these are sorted.
template <class Keys, class Compare>
auto order_of(Keys keys, Compare comp)
{
  if constexpr (is_sorted_directly<typename ::cuda::std::iterator_traits<Keys>::value_type>)
  {
    return comp;
  }
  else
  {
    return indirect_order<Keys, Compare>{keys, comp};
  }
}

/// The input of kernels that find indices of type Index: keys with their indices, or indices alone if keys do not move.
template <class Index, class Keys>
auto input_of_indices(Keys keys)
{
  if constexpr (is_sorted_directly<typename ::cuda::std::iterator_traits<Keys>::value_type>)
  {
    return key_value_range{detail::as_input(keys), own_indices<Index>};
  }
  else
  {
    return key_value_range{thrust::counting_iterator<Index>(0), no_values{}};
  }
}
/// The output of these kernels. Keys that move are not written.
template <class Keys, class Indices>
auto output_of_indices(Indices to)
{
  if constexpr (is_sorted_directly<typename ::cuda::std::iterator_traits<Keys>::value_type>)
  {
    return key_value_range{thrust::make_discard_iterator(), detail::as_carried(to)};
  }
  else
  {
    return key_value_range{to, no_values{}};
  }
}
/// The same output with the keys, if these move.
template <class Keys, class KeysOut>
auto output_with_indices(KeysOut keys, std::int64_t* indices)
{
  if constexpr (is_sorted_directly<typename ::cuda::std::iterator_traits<Keys>::value_type>)
  {
    return key_value_range{keys, detail::as_carried(indices)};
  }
  else
  {
    return key_value_range{indices, no_values{}};
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Which orders are known to be those of integers, of which equal ones cannot be told apart.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/set_operation/cheap_keys.h>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>

#include <cuda/std/limits>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether `Compare` is the ascending or the descending order of integers of type Key, which are moved in registers.
template <class Compare, class Key>
inline constexpr bool is_integer_order = false;
template <template <class> class Order, class T, class Key>
inline constexpr bool is_integer_order<Order<T>, Key> =
  is_plain_order<
    Order<T>> && (std::is_void_v<T> || std::is_same_v<T, Key>) &&std::is_integral_v<Key> && sizeof(Key) <= 8;
template <class Compare, class Key>
inline constexpr bool is_integer_order<compare_staged<Compare>, Key> = is_integer_order<Compare, Key>;

/// Returns a key that goes before no other in such an order.
template <class Key, class Compare>
MGPU_THRUST_DEVICE Key last_integer(Compare comp)
{
  const Key least = ::cuda::std::numeric_limits<Key>::min();
  const Key largest = ::cuda::std::numeric_limits<Key>::max();
  return comp(least, largest) ? largest : least;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

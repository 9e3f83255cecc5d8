// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Trait: std or cuda less or greater on integers, whose stability cannot be observed.

#include <mgpu_thrust/detail/base/cheap_keys.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>

#include <cuda/std/limits>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether `Compare` is the ascending or descending order of Key, an integer of at most 8 bytes, which registers hold.
template <class Compare, class Key>
inline constexpr bool is_integer_order = false;
template <template <class> class Order, class T, class Key>
inline constexpr bool is_integer_order<Order<T>, Key> =
  is_plain_order<
    Order<T>> && (std::is_void_v<T> || std::is_same_v<T, Key>) &&std::is_integral_v<Key> && sizeof(Key) <= 8;
template <class Compare, class Key>
inline constexpr bool is_integer_order<compare_staged<Compare>, Key> = is_integer_order<Compare, Key>;

/// Returns the last key in the order `comp` of integers.
template <class Key, class Compare>
MGPU_THRUST_DEVICE Key last_integer(Compare comp)
{
  const Key smallest = (::cuda::std::numeric_limits<Key>::min)();
  const Key largest = (::cuda::std::numeric_limits<Key>::max)();
  return comp(smallest, largest) ? largest : smallest;
}

/// Keys of up to 4 bytes, each packed with a number into one integer that orders by key, then by number. A comparison
/// takes two instructions; of keys and then numbers, four.
template <class Key, class Compare>
class packed_keys
{
  static_assert(sizeof(Key) <= 4, "a key and a number are 8 bytes");

public:
  MGPU_THRUST_DEVICE explicit packed_keys(Compare comp)
      : last_(static_cast<std::uint32_t>(detail::last_integer<Key>(comp)))
      , ascends_(detail::last_integer<Key>(comp) == (::cuda::std::numeric_limits<Key>::max)())
  {
  }

  MGPU_THRUST_DEVICE std::uint64_t pack(Key key, int number) const
  {
    // The distance of a key from the last one decreases in the order.
    const std::uint32_t from_last =
      ascends_ ? last_ - static_cast<std::uint32_t>(key) : static_cast<std::uint32_t>(key) - last_;
    return std::uint64_t{~from_last} << 32 | static_cast<std::uint32_t>(number);
  }
  MGPU_THRUST_DEVICE Key key(std::uint64_t packed) const
  {
    const std::uint32_t from_last = ~static_cast<std::uint32_t>(packed >> 32);
    return static_cast<Key>(ascends_ ? last_ - from_last : last_ + from_last);
  }
  MGPU_THRUST_DEVICE static int number(std::uint64_t packed)
  {
    return static_cast<int>(packed);
  }

private:
  std::uint32_t last_;
  bool ascends_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

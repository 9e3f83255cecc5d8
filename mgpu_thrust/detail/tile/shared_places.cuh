// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Values in shared memory by their addresses, which cost fewer instructions than indices that a loop advances.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Access to an array in shared memory by places: addresses of its elements in shared memory, which can be compared.
template <class Value>
class shared_places
{
public:
  MGPU_THRUST_DEVICE explicit shared_places(const Value* first)
      : first_(static_cast<unsigned>(__cvta_generic_to_shared(first)))
  {
  }

  MGPU_THRUST_DEVICE unsigned place(int index) const
  {
    return first_ + distance(index);
  }
  MGPU_THRUST_DEVICE int index(unsigned place) const
  {
    return static_cast<int>((place - first_) / distance(1));
  }
  /// Difference between places whose indices differ by `width`.
  MGPU_THRUST_DEVICE static constexpr unsigned distance(int width)
  {
    return static_cast<unsigned>(width) * static_cast<unsigned>(sizeof(Value));
  }
  /// Returns the value `offset` elements after a place.
  MGPU_THRUST_DEVICE element_t<const Value*> element(unsigned place, int offset) const
  {
    return *static_cast<const Value*>(__cvta_shared_to_generic(place + distance(offset)));
  }
  /// Advances a place by `width` elements. In a conditional, this is one predicated instruction instead of an addition
  /// and a selection.
  MGPU_THRUST_DEVICE static void advance(unsigned& place, int width)
  {
    asm("add.u32 %0, %0, %1;" : "+r"(place) : "r"(distance(width)));
  }

private:
  unsigned first_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Places of values in shared memory as addresses, which cost fewer instructions than indices where a loop moves them.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Places in an array in shared memory, which can be compared.
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
  /// Of places whose indices differ by `width`.
  MGPU_THRUST_DEVICE static constexpr unsigned distance(int width)
  {
    return static_cast<unsigned>(width) * static_cast<unsigned>(sizeof(Value));
  }
  /// The value so many places behind one.
  MGPU_THRUST_DEVICE element_t<const Value*> element(unsigned place, int offset) const
  {
    return *static_cast<const Value*>(__cvta_shared_to_generic(place + distance(offset)));
  }
  /// In a conditional, one instruction that the condition guards, instead of an addition and a selection.
  MGPU_THRUST_DEVICE static void advance(unsigned& place, int width)
  {
    asm("add.u32 %0, %0, %1;" : "+r"(place) : "r"(distance(width)));
  }

private:
  unsigned first_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Places of values in shared memory as addresses, which cost fewer instructions than indices where a loop moves them.

#include <mgpu_thrust/detail/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Places in an array in shared memory. A place may be moved by distance(), and compared with others.
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
    return first_ + static_cast<unsigned>(distance(index));
  }
  MGPU_THRUST_DEVICE int index(unsigned place) const
  {
    return static_cast<int>((place - first_) / static_cast<unsigned>(sizeof(Value)));
  }
  /// Of neighbours that many places apart.
  MGPU_THRUST_DEVICE static constexpr int distance(int width)
  {
    return width * static_cast<int>(sizeof(Value));
  }
  /// The value so many places behind one.
  MGPU_THRUST_DEVICE const Value& element(unsigned place, int offset) const
  {
    return *static_cast<const Value*>(__cvta_shared_to_generic(place + static_cast<unsigned>(distance(offset))));
  }

private:
  unsigned first_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

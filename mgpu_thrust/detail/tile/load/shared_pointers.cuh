// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Values in shared memory by their addresses, which cost fewer instructions than indices that a loop advances.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Access to an array in shared memory by pointers of 32 bits, which can be compared: addresses in shared memory.
template <class Value>
class shared_pointers
{
public:
  MGPU_THRUST_DEVICE explicit shared_pointers(const Value* first)
      : first_(static_cast<unsigned>(__cvta_generic_to_shared(first)))
  {
  }

  MGPU_THRUST_DEVICE unsigned pointer(int index) const
  {
    return first_ + distance(index);
  }
  /// Returns the index of the element at a pointer, which may lie before the first element: an index may be negative.
  MGPU_THRUST_DEVICE int index(unsigned pointer) const
  {
    constexpr int size = static_cast<int>(sizeof(Value));
    const int bytes = static_cast<int>(pointer - first_); // a multiple of the size
    if constexpr ((size & (size - 1)) == 0)
    {
      return bytes >> ::cuda::ilog2(size);
    }
    else
    {
      return bytes / size;
    }
  }
  /// Difference between pointers whose indices differ by `width`.
  MGPU_THRUST_DEVICE static constexpr unsigned distance(int width)
  {
    return static_cast<unsigned>(width) * static_cast<unsigned>(sizeof(Value));
  }
  /// Returns the value `offset` elements after a pointer.
  MGPU_THRUST_DEVICE element_t<const Value*> element(unsigned pointer, int offset) const
  {
    return *static_cast<const Value*>(__cvta_shared_to_generic(pointer + distance(offset)));
  }
  /// Advances a pointer by `width` elements. In a conditional, this is one predicated instruction instead of an
  /// addition and a selection.
  MGPU_THRUST_DEVICE static void advance(unsigned& pointer, int width)
  {
    asm("add.u32 %0, %0, %1;" : "+r"(pointer) : "r"(distance(width)));
  }

private:
  unsigned first_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup deferred Sizes that stay on the device
/// A size that the host does not know yet, in place of an integer: so one operation can use the size of another's
/// result without a wait of the host in between. Functions whose names end in `_n` take such sizes. Each does what the
/// function without `_n` does, in whose header its specification is.
///
/// What holds for all of them stands once, in docs/sizes-on-the-device.md: how sizes are passed, read and clamped, and
/// what a call returns. Their complexity, temporary storage, synchronisation and exceptions are as that page says.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// A size that is read when the work is executed, not when the call is made.
///
/// `*count` is read where the work executes, so it may be what an earlier call stores. `capacity` is a bound that the
/// host knows: temporary storage and grids are chosen for it. docs/sizes-on-the-device.md has the contract.
///
/// @code{.cpp}
/// int count = 3; // stands for what an earlier call stores
/// const std::vector<int> a{1, 3, 5, 7, 9}, b{3, 4, 5, 6, 7};
/// std::vector<int> out(5);
/// std::int64_t out_count = 0;
/// mgpu::set_intersection_n(thrust::host, a.begin(), mgpu::deferred{&count, 5}, b.begin(), 5, out.begin(), &out_count);
/// assert(out_count == 2 && out[0] == 3 && out[1] == 5);
/// @endcode
///
/// @since 1.0
template <class CountIterator>
struct deferred
{
  CountIterator count; ///< random-access iterator to an integer of any type, which can be read where the work executes
  std::int64_t capacity; ///< the largest size, 0 or more: ranges that the size belongs to have room for as many

  /// Makes a size of its count and its capacity.
  ///
  /// @param count_of_size    the count
  /// @param capacity_of_size the capacity, an integer of any type
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Capacity>
  MGPU_THRUST_HOST_DEVICE constexpr deferred(CountIterator count_of_size, Capacity capacity_of_size)
      : count(count_of_size)
      , capacity(static_cast<std::int64_t>(capacity_of_size))
  {
  }
};

MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @defgroup deferred Sizes that stay on the device
/// A size that the host does not know yet, in place of an integer: so that one operation can use the size of another's
/// result without a wait of the host in between.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// A size that is read when the work is executed, not when the call is made.
///
/// Functions whose names end in `_n`, and the functions of the device layer, take one wherever they take a size. They
/// read `*count` once, where the work is executed and before anything is written: on a GPU in the order of the stream,
/// again with each replay of a captured graph. So the count may be what an earlier call of the stream stores, and it
/// may be where the same call stores its own.
///
/// `capacity` is a bound that the host knows. Temporary storage and grids are chosen for it: a call takes nearly the
/// time of one with the plain size, and 0.6 ns more for each tile between the size and the capacity. A count above the
/// capacity is taken as the capacity, and one below 0 as 0. So compare the counts that calls leave with their capacities
/// where results may have been cut off.
///
/// @code{.cpp}
/// int count = 3; // stands for what an earlier call stores
/// const std::vector<int> a{1, 3, 5, 7, 9}, b{3, 4, 5, 6, 7};
/// std::vector<int> out(5);
/// std::int64_t out_count = 0;
/// mgpu::set_intersection_n(thrust::host, a.begin(), mgpu::deferred{&count, 5}, b.begin(), 5, out.begin(), &out_count);
/// assert(out_count == 2 && out[0] == 3 && out[1] == 5);
/// @endcode
template <class CountIterator>
struct deferred
{
  CountIterator count; ///< random-access iterator to an integer of any type, which can be read where the work executes
  std::int64_t capacity; ///< the largest size, 0 or more: ranges that the size belongs to have room for as many
};

template <class CountIterator, class Capacity>
deferred(CountIterator, Capacity) -> deferred<CountIterator>;

/// @}
MGPU_THRUST_NAMESPACE_END

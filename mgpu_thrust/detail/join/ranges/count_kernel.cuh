// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that counts the points in each interval.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/join/ranges/interval_tile.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Writes the number of points in each interval, a tile per block. It reads deferred sizes in place: no output may be
/// where an input is. Surplus blocks have no interval.
template <class Shape, class Kind, class Inputs, class Output, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  range_count_kernel(Inputs given, Output output, Compare comp)
{
  using tile_type = interval_tile<Shape, Kind, sized_t<Inputs>, Compare>;
  __shared__ typename tile_type::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);

  const sized_t<Inputs>& inputs = detail::sized(given);
  tile_type tile(inputs, comp, static_cast<int>(blockIdx.x));
  if (tile.count() > 0)
  {
    Output of_tile = output + tile.begin().a;
    tile.find(shared, [&](int i, std::int64_t count) { of_tile.write(i, search_result{0, false, count}); });
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

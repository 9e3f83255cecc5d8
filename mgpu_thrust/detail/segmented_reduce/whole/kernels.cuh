// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that reduces whole segments.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_reduce/whole/whole_segments.cuh>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Reduces whole segments, 2^log_of_block per block. See reduce_whole_segments().
template <class Shape, bool MayBeLong, class T, class Reduction, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  whole_segments_kernel(Reduction reduction, Segments given, int log_of_block, int max_items)
{
  const auto& in = detail::sized_segments(given);
  detail::reduce_whole_segments<Shape, MayBeLong, T>(reduction, in, log_of_block, max_items);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

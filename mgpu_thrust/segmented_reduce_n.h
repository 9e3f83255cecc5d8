// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segmented reductions, and reductions, of items whose number may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/segmented_reduce/cpu.h>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_reduce/launch.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <cuda/std/functional>
#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// segmented_reduce of segmented_reduce.h: reduces each segment of a range.
///
/// @param exec          execution policy
/// @param first,size    the items
/// @param offsets_first the segments' offsets
/// @param num_segments  the number of segments: n if there are n + 1 offsets, as in CSR
/// @param result        start of the output, of one element for each segment
/// @param init          leftmost operand of every segment's reduction; its type is the accumulator type
/// @param op            associative operator
/// @return num_segments
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// const int counts[] = {4, 3};
/// std::vector<int> largest(4, -5);
/// mgpu::segmented_reduce_n(
///   thrust::host, items.begin(), mgpu::deferred{&counts[0], 6}, offsets.begin(), mgpu::deferred{&counts[1], 4},
///   largest.begin(), -1, thrust::maximum<int>{});
/// assert((largest == std::vector<int>{3, -1, 7, -5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Items, class Size, class Offsets, class NumSegments, class Output, class T, class BinaryOp>
MGPU_THRUST_HOST_DEVICE NumSegments segmented_reduce_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result, T init, BinaryOp op)
{
  detail::execute_n(
    exec, "segmented_reduce_n",
    detail::segmented_reduce_job(
      detail::segment_reduction{detail::unwrap(first), detail::unwrap(result), init, op},
      detail::make_segments_n(size, offsets_first, num_segments), result));
  return num_segments;
}

/// Computes the sum of `init` and the items of each segment.
///
/// @param exec          execution policy
/// @param first,size    the items, as above
/// @param offsets_first the segments' offsets, as above
/// @param num_segments  their number, as above
/// @param result        start of the output
/// @param init          leftmost operand of every segment's sum
/// @return num_segments
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Items, class Size, class Offsets, class NumSegments, class Output, class T>
MGPU_THRUST_HOST_DEVICE NumSegments segmented_reduce_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result, T init)
{
  return mgpu::segmented_reduce_n(exec, first, size, offsets_first, num_segments, result, init, ::cuda::std::plus<>{});
}

/// Computes the sum of each segment in the value type of the items; `init` is a value-initialised object of that type.
///
/// @param exec          execution policy
/// @param first,size    the items, as above
/// @param offsets_first the segments' offsets, as above
/// @param num_segments  their number, as above
/// @param result        start of the output
/// @return num_segments
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Items, class Size, class Offsets, class NumSegments, class Output>
MGPU_THRUST_HOST_DEVICE NumSegments segmented_reduce_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result)
{
  return mgpu::segmented_reduce_n(
    exec, first, size, offsets_first, num_segments, result, typename ::cuda::std::iterator_traits<Items>::value_type{});
}

/// Reduces a range whose size may be deferred: a segmented reduction of one segment. (Thrust's reductions take numbers
/// that the host knows, and return the result to it.)
///
/// @param exec       execution policy
/// @param first,size the items
/// @param result     random-access iterator to one element, which receives the result: `init` if there are no items
/// @param init       leftmost operand; its type is the accumulator type
/// @param op         associative operator
/// @return nothing
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7};
/// const int count = 3;
/// std::vector<int> sum(1);
/// mgpu::reduce_n(thrust::host, items.begin(), mgpu::deferred{&count, 4}, sum.begin(), 100, thrust::plus<int>{});
/// assert(sum[0] == 106);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Items, class Size, class Output, class T, class BinaryOp>
MGPU_THRUST_HOST_DEVICE void
reduce_n(const thrust::execution_policy<Policy>& exec, Items first, Size size, Output result, T init, BinaryOp op)
{
  mgpu::segmented_reduce_n(exec, first, size, thrust::counting_iterator<int>(0), 1, result, init, op);
}

/// @}
MGPU_THRUST_NAMESPACE_END

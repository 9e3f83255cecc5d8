// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segmented scans of items whose number may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/segmented_scan/cpu.h>
#include <mgpu_thrust/detail/segmented_scan/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_scan/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>
#include <cuda/std/iterator>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// segmented_inclusive_scan of segmented_scan.h: computes the inclusive scan of each segment, in the value type of the
/// input.
///
/// @param exec          execution policy
/// @param first,size    the items
/// @param offsets_first the segments' offsets
/// @param num_segments  the number of segments: n if there are n + 1 offsets, as in CSR
/// @param result        start of the output, of one element for each item; may be `first`
/// @param op            associative operator
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// const int counts[] = {4, 3};
/// std::vector<int> largest(6, -5);
/// mgpu::segmented_inclusive_scan_n(
///   thrust::host, items.begin(), mgpu::deferred{&counts[0], 6}, offsets.begin(), mgpu::deferred{&counts[1], 4},
///   largest.begin(), thrust::maximum<int>{});
/// assert((largest == std::vector<int>{3, 3, 3, 7, -5, -5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Items, class Size, class Offsets, class NumSegments, class Output, class BinaryOp>
MGPU_THRUST_HOST_DEVICE Size segmented_inclusive_scan_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result, BinaryOp op)
{
  detail::execute_n(
    exec, "segmented_inclusive_scan_n",
    detail::make_inclusive_scan_job(first, detail::make_segments_n(size, offsets_first, num_segments), result, op));
  return size;
}

/// Computes the running sums of each segment.
///
/// @param exec          execution policy
/// @param first,size    the items, as above
/// @param offsets_first the segments' offsets, as above
/// @param num_segments  their number, as above
/// @param result        start of the output, as above
/// @return size
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Items, class Size, class Offsets, class NumSegments, class Output>
MGPU_THRUST_HOST_DEVICE Size segmented_inclusive_scan_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result)
{
  return mgpu::segmented_inclusive_scan_n(
    exec, first, size, offsets_first, num_segments, result, ::cuda::std::plus<>{});
}

/// Computes the inclusive scan of each segment, with an initial value, in the type that op(item, init) returns.
///
/// @param exec          execution policy
/// @param first,size    the items, as above
/// @param offsets_first the segments' offsets, as above
/// @param num_segments  their number, as above
/// @param result        start of the output, as above
/// @param init          leftmost operand in every segment
/// @param op            associative operator
/// @return size
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Items, class Size, class Offsets, class NumSegments, class Output, class Init, class BinaryOp>
MGPU_THRUST_HOST_DEVICE Size segmented_inclusive_scan_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result, Init init, BinaryOp op)
{
  detail::execute_n(
    exec, "segmented_inclusive_scan_n",
    detail::make_inclusive_scan_job(
      first, detail::make_segments_n(size, offsets_first, num_segments), result, init, op));
  return size;
}

/// segmented_exclusive_scan of segmented_scan.h: computes the exclusive scan of each segment, in the type of `init`.
///
/// @param exec          execution policy
/// @param first,size    the items
/// @param offsets_first the segments' offsets
/// @param num_segments  the number of segments: n if there are n + 1 offsets, as in CSR
/// @param result        start of the output, of one element for each item; may be `first`
/// @param init          result of the first item of every segment; its type is the accumulator type
/// @param op            associative operator
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// const int count = 5;
/// std::vector<int> sums(6, -5);
/// mgpu::segmented_exclusive_scan_n(
///   thrust::host, items.begin(), mgpu::deferred{&count, 6}, offsets.begin(), 4, sums.begin(), 100);
/// assert((sums == std::vector<int>{100, 103, 104, 100, 100, -5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Items, class Size, class Offsets, class NumSegments, class Output, class T, class BinaryOp>
MGPU_THRUST_HOST_DEVICE Size segmented_exclusive_scan_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result, T init, BinaryOp op)
{
  detail::execute_n(
    exec, "segmented_exclusive_scan_n",
    detail::make_exclusive_scan_job(
      first, detail::make_segments_n(size, offsets_first, num_segments), result, init, op));
  return size;
}

/// Computes the sum of `init` and the items before each item in its segment.
///
/// @param exec          execution policy
/// @param first,size    the items, as above
/// @param offsets_first the segments' offsets, as above
/// @param num_segments  their number, as above
/// @param result        start of the output, as above
/// @param init          result of the first item of every segment
/// @return size
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Items, class Size, class Offsets, class NumSegments, class Output, class T>
MGPU_THRUST_HOST_DEVICE Size segmented_exclusive_scan_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result, T init)
{
  return mgpu::segmented_exclusive_scan_n(
    exec, first, size, offsets_first, num_segments, result, init, ::cuda::std::plus<>{});
}

/// Computes the sum of the items before each item in its segment, in the value type of the items; `init` is a
/// value-initialised object of that type.
///
/// @param exec          execution policy
/// @param first,size    the items, as above
/// @param offsets_first the segments' offsets, as above
/// @param num_segments  their number, as above
/// @param result        start of the output, as above
/// @return size
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Items, class Size, class Offsets, class NumSegments, class Output>
MGPU_THRUST_HOST_DEVICE Size segmented_exclusive_scan_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result)
{
  return mgpu::segmented_exclusive_scan_n(
    exec, first, size, offsets_first, num_segments, result, typename ::cuda::std::iterator_traits<Items>::value_type{});
}

/// @}
MGPU_THRUST_NAMESPACE_END

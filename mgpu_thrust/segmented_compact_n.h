// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segmented compaction of items whose number may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/segmented_compact/cpu.h>
#include <mgpu_thrust/detail/segmented_compact/job.h>
#include <mgpu_thrust/detail/segmented_compact/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_compact/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// segmented_copy_if of segmented_compact.h: keeps the items of each segment for which a predicate is true.
///
/// @param exec           execution policy
/// @param first,size     the items
/// @param offsets_first  the segments' offsets
/// @param num_segments   the number of segments: n if there are n + 1 offsets, as in CSR
/// @param result         start of the output of items; room for size is always enough
/// @param offsets_result start of the output of offsets, with room for num_segments + 1; one more than there are
///                       segments are written
/// @param d_count        receives the number of items that are kept
/// @param pred           called as pred(item, segment), if it can be called so, otherwise as pred(item)
/// @return the number of items that are kept; its capacity is size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> scores{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::int64_t count = 5; // of the items, then of those that are kept
/// std::vector<int> good(6, -5), good_offsets(5);
/// mgpu::segmented_copy_if_n(
///   thrust::host, scores.begin(), mgpu::deferred{&count, 6}, offsets.begin(), 4, good.begin(), good_offsets.begin(),
///   &count, [](int score) { return score >= 3; });
/// assert(count == 3 && (good == std::vector<int>{3, 7, 9, -5, -5, -5}));
/// assert((good_offsets == std::vector<int>{0, 1, 1, 2, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Items, class Size, class Offsets, class NumSegments, class Output, class OffsetsOutput,
  class CountPointer, class Predicate>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_copy_if_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result, OffsetsOutput offsets_result, CountPointer d_count, Predicate pred)
{
  return detail::execute_n(
    exec, "segmented_copy_if_n",
    detail::make_compact_job(
      first, detail::make_segments_n(size, offsets_first, num_segments), result, offsets_result,
      detail::keep_if<Predicate>{pred}),
    d_count);
}

/// segmented_unique_copy of segmented_compact.h: keeps the first of each run of equal items of a segment.
///
/// @param exec           execution policy
/// @param first,size     the items
/// @param offsets_first  the segments' offsets
/// @param num_segments   the number of segments: n if there are n + 1 offsets, as in CSR
/// @param result         start of the output of items; room for size is always enough
/// @param offsets_result start of the output of offsets, with room for num_segments + 1; one more than there are
///                       segments are written
/// @param d_count        receives the number of items that are kept
/// @param equal          called as equal(item before, item); default: operator==
/// @return the number of items that are kept; its capacity is size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> words{5, 5, 7, 7, 7, 2, 9, 9}, offsets{0, 4, 4, 5}; // segments of 4, 0, 1 and 3 items
/// std::int64_t count = 7; // of the items, then of those that are kept
/// std::vector<int> distinct(8, -5), distinct_offsets(5);
/// mgpu::segmented_unique_copy_n(
///   thrust::host, words.begin(), mgpu::deferred{&count, 8}, offsets.begin(), 4, distinct.begin(),
///   distinct_offsets.begin(), &count);
/// assert(count == 5 && (distinct == std::vector<int>{5, 7, 7, 2, 9, -5, -5, -5}));
/// assert((distinct_offsets == std::vector<int>{0, 2, 2, 3, 5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Items, class Size, class Offsets, class NumSegments, class Output, class OffsetsOutput,
  class CountPointer, class BinaryPredicate = ::cuda::std::equal_to<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> segmented_unique_copy_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Offsets offsets_first, NumSegments num_segments,
  Output result, OffsetsOutput offsets_result, CountPointer d_count, BinaryPredicate equal = {})
{
  return detail::execute_n(
    exec, "segmented_unique_copy_n",
    detail::make_compact_job(
      first, detail::make_segments_n(size, offsets_first, num_segments), result, offsets_result,
      detail::keep_first_of_equals<BinaryPredicate>{equal}),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

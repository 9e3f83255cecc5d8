// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Load balancing of items and segments whose numbers may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/segments/cpu.h>
#include <mgpu_thrust/detail/segments/job.h>
#include <mgpu_thrust/detail/segments/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segments/launch.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The function of an item that calls `f` with the element of that number.
template <class Iterator, class Function>
struct element_visit
{
  Iterator first;
  Function f;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t item, std::int64_t, std::int64_t)
  {
    f(*(first + item));
  }
};

} // namespace detail
/// @addtogroup deferred
/// @{

/// load_balancing_search of load_balance.h: finds the segment of every item.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,num_segments the segments' offsets, and their number: n if there are n + 1 offsets, as in CSR
/// @param segments_out               start of the output, one segment number for each item, with room for num_items
/// @return num_items
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// const int counts[] = {6, 4};
/// std::vector<int> segments(10);
/// mgpu::load_balancing_search_n(
///   thrust::host, mgpu::deferred{&counts[0], 10}, offsets.begin(), mgpu::deferred{&counts[1], 4}, segments.begin());
/// assert((segments == std::vector<int>{0, 0, 0, 2, 3, 3, 0, 0, 0, 0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class NumItems, class Offsets, class NumSegments, class OutputIterator>
MGPU_THRUST_HOST_DEVICE NumItems load_balancing_search_n(
  const thrust::execution_policy<Policy>& exec, NumItems num_items, Offsets offsets_first, NumSegments num_segments,
  OutputIterator segments_out)
{
  detail::execute_n(
    exec, "load_balancing_search_n",
    detail::segments_job(
      detail::segment_transform{
        detail::segment_number<detail::written_index_t<OutputIterator>>{}, detail::no_values{},
        detail::unwrap(segments_out)},
      detail::make_segments_n(num_items, offsets_first, num_segments), segments_out));
  return num_items;
}

/// for_each_in_segments of load_balance.h: calls a function for every item, with its segment and its rank.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,num_segments the segments' offsets, and their number: n if there are n + 1 offsets, as in CSR
/// @param f                          called as f(item, segment, rank); otherwise as in for_each_in_segments
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> offsets{0, 3, 3}; // segments of 3, 0 and 1 items
/// const int num_items = 4;
/// std::vector<int> reversed(10);
/// mgpu::for_each_in_segments_n(
///   thrust::host, mgpu::deferred{&num_items, 10}, offsets.begin(), 3,
///   [&](std::int64_t item, std::int64_t, std::int64_t rank) { reversed[3 - item] = static_cast<int>(rank); });
/// assert((reversed == std::vector<int>{0, 2, 1, 0, 0, 0, 0, 0, 0, 0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class NumItems, class Offsets, class NumSegments, class Function>
MGPU_THRUST_HOST_DEVICE void for_each_in_segments_n(
  const thrust::execution_policy<Policy>& exec, NumItems num_items, Offsets offsets_first, NumSegments num_segments,
  Function f)
{
  detail::execute_n(
    exec, "for_each_in_segments_n",
    detail::segments_job(
      detail::segment_visit{f, detail::no_values{}}, detail::make_segments_n(num_items, offsets_first, num_segments),
      detail::nothing{}));
}

/// for_each_in_segments of load_balance.h with a value of each segment.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,num_segments the segments' offsets, and their number: n if there are n + 1 offsets, as in CSR
/// @param values_first               start of the values, one for each segment
/// @param f                          called as f(item, segment, rank, value); otherwise as in for_each_in_segments
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> offsets{0, 2, 3}, values{30, 10, 20}; // segments of 2, 1 and 1 items
/// const int num_items = 4;
/// std::vector<int> sums(3);
/// mgpu::for_each_in_segments_n(
///   thrust::seq, mgpu::deferred{&num_items, 10}, offsets.begin(), 3, values.begin(),
///   [&](std::int64_t, std::int64_t segment, std::int64_t, int value) { sums[segment] += value; });
/// assert((sums == std::vector<int>{60, 10, 20}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class NumItems, class Offsets, class NumSegments, class ValueIterator, class Function>
MGPU_THRUST_HOST_DEVICE void for_each_in_segments_n(
  const thrust::execution_policy<Policy>& exec, NumItems num_items, Offsets offsets_first, NumSegments num_segments,
  ValueIterator values_first, Function f)
{
  detail::execute_n(
    exec, "for_each_in_segments_n",
    detail::segments_job(
      detail::segment_visit{f, detail::unwrap(values_first)},
      detail::make_segments_n(num_items, offsets_first, num_segments), detail::nothing{}));
}

/// transform_in_segments of load_balance.h: writes the result of a function called for every item, with its segment and
/// its rank.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,num_segments the segments' offsets, and their number: n if there are n + 1 offsets, as in CSR
/// @param result                     start of the output, with room for num_items elements
/// @param f                          called as f(item, segment, rank); its result must be assignable to the output
/// @return num_items
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// const int num_items = 6;
/// std::vector<int> ranks(8, -1);
/// mgpu::transform_in_segments_n(
///   thrust::host, mgpu::deferred{&num_items, 8}, offsets.begin(), 4, ranks.begin(),
///   [](std::int64_t, std::int64_t, std::int64_t rank) { return static_cast<int>(rank); });
/// assert((ranks == std::vector<int>{0, 1, 2, 0, 0, 1, -1, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class NumItems, class Offsets, class NumSegments, class OutputIterator, class Function>
MGPU_THRUST_HOST_DEVICE NumItems transform_in_segments_n(
  const thrust::execution_policy<Policy>& exec, NumItems num_items, Offsets offsets_first, NumSegments num_segments,
  OutputIterator result, Function f)
{
  detail::execute_n(
    exec, "transform_in_segments_n",
    detail::segments_job(
      detail::segment_transform{f, detail::no_values{}, detail::unwrap(result)},
      detail::make_segments_n(num_items, offsets_first, num_segments), result));
  return num_items;
}

/// transform_in_segments of load_balance.h with a value of each segment.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,num_segments the segments' offsets, and their number: n if there are n + 1 offsets, as in CSR
/// @param values_first               start of the values, one for each segment
/// @param result                     start of the output, with room for num_items elements
/// @param f                          called as f(item, segment, rank, value); its result must be assignable to the
///                                   output
/// @return num_items
/// @since 1.0
///
/// @code{.cpp}
/// // Ranges of numbers, from their first numbers and their lengths.
/// const std::vector<int> firsts{10, 50, 70}, offsets{0, 3, 4}; // of 3, 1 and 2 numbers
/// const int num_items = 6;
/// std::vector<int> numbers(8);
/// mgpu::transform_in_segments_n(
///   thrust::host, mgpu::deferred{&num_items, 8}, offsets.begin(), 3, firsts.begin(), numbers.begin(),
///   [](std::int64_t, std::int64_t, std::int64_t rank, int first) { return first + static_cast<int>(rank); });
/// assert((numbers == std::vector<int>{10, 11, 12, 50, 70, 71, 0, 0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class NumItems, class Offsets, class NumSegments, class ValueIterator, class OutputIterator,
  class Function>
MGPU_THRUST_HOST_DEVICE NumItems transform_in_segments_n(
  const thrust::execution_policy<Policy>& exec, NumItems num_items, Offsets offsets_first, NumSegments num_segments,
  ValueIterator values_first, OutputIterator result, Function f)
{
  detail::execute_n(
    exec, "transform_in_segments_n",
    detail::segments_job(
      detail::segment_transform{f, detail::unwrap(values_first), detail::unwrap(result)},
      detail::make_segments_n(num_items, offsets_first, num_segments), result));
  return num_items;
}

/// Calls a function with every element of a range whose size may be deferred: for_each_in_segments_n for a single
/// segment. (Thrust's functions take numbers that the host knows.)
///
/// @param exec       execution policy
/// @param first,size the elements
/// @param f          called as f(first[i]), in any order, from several threads at once, each of which has a copy
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> numbers{1, 2, 3, 4};
/// const int count = 3;
/// mgpu::for_each_n(thrust::host, numbers.begin(), mgpu::deferred{&count, 4}, [](int& number) { number *= 10; });
/// assert((numbers == std::vector<int>{10, 20, 30, 4}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Size, class Function>
MGPU_THRUST_HOST_DEVICE Size
for_each_n(const thrust::execution_policy<Policy>& exec, Iterator first, Size size, Function f)
{
  mgpu::for_each_in_segments_n(
    exec, size, thrust::counting_iterator<int>(0), 1,
    detail::element_visit<detail::unwrapped_t<Iterator>, Function>{detail::unwrap(first), f});
  return size;
}

/// @}
MGPU_THRUST_NAMESPACE_END

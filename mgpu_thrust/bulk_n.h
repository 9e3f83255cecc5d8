// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Bulk removal and insertion in ranges whose sizes may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/bulk/cpu.h>
#include <mgpu_thrust/detail/bulk/job.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/bulk/launch.cuh>
#endif

#include <thrust/execution_policy.h>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// bulk_remove of bulk.h: copies the elements of a range whose indices are not in a list.
///
/// With as many indices as elements, or more, the result is empty: that is no error, even where both sizes are
/// integers.
///
/// @param exec                      execution policy
/// @param first,size                the range
/// @param indices_first,num_indices the indices of the elements to leave out: in ascending order, without duplicates,
///                                  each from 0 to size - 1; and their number
/// @param result                    start of the output; room for size elements is always enough, less num_indices if
///                                  that is an integer
/// @param d_count                   receives the size of the result
/// @return the size of the result; its capacity is the room above
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> letters{'a', 'b', 'c', 'd', 'e'};
/// const std::vector<int> indices{1, 3, 4};
/// const int num_indices = 2;
/// std::vector<char> out(5, '-');
/// int count = 0;
/// mgpu::bulk_remove_n(
///   thrust::host, letters.begin(), 5, indices.begin(), mgpu::deferred{&num_indices, 3}, out.begin(), &count);
/// assert(count == 3 && (out == std::vector<char>{'a', 'c', 'e', '-', '-'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator, class Size, class IndexIterator, class NumIndices, class OutputIterator,
  class CountPointer>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> bulk_remove_n(
  const thrust::execution_policy<Policy>& exec, InputIterator first, Size size, IndexIterator indices_first,
  NumIndices num_indices, OutputIterator result, CountPointer d_count)
{
  return detail::execute_n(
    exec, "bulk_remove_n",
    detail::bulk_job(detail::as_deferred(detail::make_bulk_removal(first, size, indices_first, num_indices)), result),
    d_count);
}

/// bulk_insert of bulk.h: copies a range and inserts values, each before the element at its position in the range.
///
/// @param exec                          execution policy
/// @param first,size                    the range
/// @param values_first                  start of the values, as many as there are positions
/// @param positions_first,num_positions the positions: in ascending order, each from 0 to size, the position past the
///                                      last element; and their number. Values with the same position keep their order
/// @param result                        start of the output; room for size + num_positions elements is always enough
/// @param d_count                       receives the size of the result
/// @return the size of the result; its capacity is the room above
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> letters{'a', 'b', 'c'}, values{'w', 'x', 'y', 'z'};
/// const std::vector<int> positions{0, 2, 2, 3};
/// const int num_positions = 3;
/// std::vector<char> out(7, '-');
/// int count = 0;
/// mgpu::bulk_insert_n(
///   thrust::host, letters.begin(), 3, values.begin(), positions.begin(), mgpu::deferred{&num_positions, 4},
///   out.begin(), &count);
/// assert(count == 6 && (out == std::vector<char>{'w', 'a', 'b', 'x', 'y', 'c', '-'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator, class Size, class ValueIterator, class PositionIterator, class NumPositions,
  class OutputIterator, class CountPointer>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> bulk_insert_n(
  const thrust::execution_policy<Policy>& exec, InputIterator first, Size size, ValueIterator values_first,
  PositionIterator positions_first, NumPositions num_positions, OutputIterator result, CountPointer d_count)
{
  return detail::execute_n(
    exec, "bulk_insert_n",
    detail::bulk_job(
      detail::as_deferred(detail::make_bulk_insertion(first, size, values_first, positions_first, num_positions)),
      result),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

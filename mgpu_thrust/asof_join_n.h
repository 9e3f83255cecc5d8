// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// As-of joins of inputs whose sizes may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/asof_directions.h>
#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/sorted_search/asof_job.h>
#include <mgpu_thrust/detail/sorted_search/cpu.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sorted_search/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// asof_join of asof_join.h: finds for every left row the right row that belongs to it.
///
/// @param exec                  execution policy
/// @param left_first,num_left   the left input, sorted
/// @param right_first,num_right the right input, sorted
/// @param result                start of the output, of an index for each left row
/// @param direction             `mgpu::backward` or another direction of asof_join
/// @param comp                  strict weak order of both inputs
/// @param accept                predicate of a left element and a right one; a right row that it refuses is no match
/// @return num_left
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> trades{5, 10, 20, 30}, quotes{7, 10, 10, 26};
/// const int count = 3; // of the trades
/// std::vector<int> rows(4, -7);
/// mgpu::asof_join_n(
///   thrust::host, trades.begin(), mgpu::deferred{&count, 4}, quotes.begin(), 4, rows.begin(), mgpu::backward);
/// assert((rows == std::vector<int>{-1, 2, 2, -7}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Left, class NumLeft, class Right, class NumRight, class OutputIterator, class Direction,
  class Compare = ::cuda::std::less<>, class Accept = accept_any>
MGPU_THRUST_HOST_DEVICE NumLeft asof_join_n(
  const thrust::execution_policy<Policy>& exec, Left left_first, NumLeft num_left, Right right_first,
  NumRight num_right, OutputIterator result, Direction direction, Compare comp = {}, Accept accept = {})
{
  detail::execute_n(
    exec, "asof_join_n",
    detail::asof_job(left_first, num_left, right_first, num_right, result, direction, comp, accept));
  return num_left;
}

/// @}
MGPU_THRUST_NAMESPACE_END

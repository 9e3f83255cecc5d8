// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Semi and anti joins of tables whose sizes may be known on the device alone. Where the capacities leave open whether
/// the right input is read by tiles or bisected for each row of the left, one kernel does either, as the sizes say.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/semi_join/cpu.h>
#include <mgpu_thrust/detail/semi_join/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/semi_join/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// semi_join of semi_join.h: writes the numbers of the rows of the left input that have an equal row in the right one.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted keys of the left input
/// @param right_first,right_size the sorted keys of the right input
/// @param left_out               start of the output, of row numbers; room for left_size of them is always enough
/// @param d_count                receives the number of rows
/// @param comp                   strict weak order of both inputs
/// @return the number of rows; its capacity is left_size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 4};
/// std::vector<int> rows(4);
/// std::int64_t count = 3; // of the right keys, then of the rows
/// mgpu::semi_join_n(
///   thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&count, 3}, rows.begin(), &count);
/// assert(count == 2 && rows[0] == 1 && rows[1] == 2);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Left, class NumLeft, class Right, class NumRight, class OutputIterator, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> semi_join_n(
  const thrust::execution_policy<Policy>& exec, Left left_first, NumLeft left_size, Right right_first,
  NumRight right_size, OutputIterator left_out, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "semi_join_n",
    detail::semi_join_job(
      detail::semi_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::semi_join_result{left_out}, comp),
    d_count);
}

/// anti_join of semi_join.h: writes the numbers of the rows of the left input that have no equal row in the right one.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted keys of the left input
/// @param right_first,right_size the sorted keys of the right input
/// @param left_out               start of the output, of row numbers; room for left_size of them is always enough
/// @param d_count                receives the number of rows
/// @param comp                   strict weak order of both inputs
/// @return the number of rows; its capacity is left_size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 4};
/// std::vector<int> rows(4);
/// std::int64_t count = 3; // of the right keys, then of the rows
/// mgpu::anti_join_n(
///   thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&count, 3}, rows.begin(), &count);
/// assert(count == 2 && rows[0] == 0 && rows[1] == 3);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Left, class NumLeft, class Right, class NumRight, class OutputIterator, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> anti_join_n(
  const thrust::execution_policy<Policy>& exec, Left left_first, NumLeft left_size, Right right_first,
  NumRight right_size, OutputIterator left_out, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "anti_join_n",
    detail::semi_join_job(
      detail::anti_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::semi_join_result{left_out}, comp),
    d_count);
}

/// semi_join_size of semi_join.h: counts the rows that semi_join_n would write, and writes nothing else.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted keys of the left input
/// @param right_first,right_size the sorted keys of the right input
/// @param d_count                receives the number of rows
/// @param comp                   strict weak order of both inputs
/// @return the number of rows; its capacity is left_size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 4};
/// std::int64_t count = 3; // of the right keys, then of the rows
/// mgpu::semi_join_size_n(thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&count, 3}, &count);
/// assert(count == 2);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Left, class NumLeft, class Right, class NumRight, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> semi_join_size_n(
  const thrust::execution_policy<Policy>& exec, Left left_first, NumLeft left_size, Right right_first,
  NumRight right_size, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "semi_join_size_n",
    detail::semi_join_job(
      detail::semi_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::semi_join_size{}, comp),
    d_count);
}

/// anti_join_size of semi_join.h: counts the rows that anti_join_n would write, and writes nothing else.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted keys of the left input
/// @param right_first,right_size the sorted keys of the right input
/// @param d_count                receives the number of rows
/// @param comp                   strict weak order of both inputs
/// @return the number of rows; its capacity is left_size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 4};
/// std::int64_t count = 3; // of the right keys, then of the rows
/// mgpu::anti_join_size_n(thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&count, 3}, &count);
/// assert(count == 2);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Left, class NumLeft, class Right, class NumRight, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> anti_join_size_n(
  const thrust::execution_policy<Policy>& exec, Left left_first, NumLeft left_size, Right right_first,
  NumRight right_size, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "anti_join_size_n",
    detail::semi_join_job(
      detail::anti_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::semi_join_size{}, comp),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Semi and anti joins of tables whose sizes may be known on the device alone. Where the capacities leave open whether
/// the right input is read by tiles or bisected for each row of the left, one kernel does either, as the sizes say.

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

/// semi_join of semi_join.h, for sizes that may be deferred: writes the numbers of the rows of the left input that
/// have an equal row in the right one.
///
/// @param exec            execution policy
/// @param left,num_left   the sorted keys of the left input: a random-access iterator, and its size, an integer or a
///                        deferred
/// @param right,num_right the sorted keys of the right input, likewise
/// @param left_out        start of the output, of row numbers, a random-access iterator for every policy; room for
///                        num_left of them is always enough, if that is taken as its capacity. std::length_error if
///                        their type cannot hold the last number that the capacity allows
/// @param d_count         pointer to an integer of any type, where the work executes, that receives the number of rows
/// @param comp            strict weak order of both inputs
/// @return that number as a deferred, whose capacity is num_left, taken as its capacity
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
  const thrust::execution_policy<Policy>& exec, Left left, NumLeft num_left, Right right, NumRight num_right,
  OutputIterator left_out, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "semi_join_n",
    detail::semi_join_job(
      detail::semi_join_t{}, detail::make_set_inputs(left, num_left, right, num_right),
      detail::semi_join_result{left_out}, comp),
    d_count);
}

/// anti_join of semi_join.h, for sizes that may be deferred: writes the numbers of the rows of the left input that
/// have no equal row in the right one.
///
/// @param exec            execution policy
/// @param left,num_left   the sorted keys of the left input: a random-access iterator, and its size, an integer or a
///                        deferred
/// @param right,num_right the sorted keys of the right input, likewise
/// @param left_out        start of the output, of row numbers, a random-access iterator for every policy; room for
///                        num_left of them is always enough, if that is taken as its capacity. std::length_error if
///                        their type cannot hold the last number that the capacity allows
/// @param d_count         pointer to an integer of any type, where the work executes, that receives the number of rows
/// @param comp            strict weak order of both inputs
/// @return that number as a deferred, whose capacity is num_left, taken as its capacity
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
  const thrust::execution_policy<Policy>& exec, Left left, NumLeft num_left, Right right, NumRight num_right,
  OutputIterator left_out, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "anti_join_n",
    detail::semi_join_job(
      detail::anti_join_t{}, detail::make_set_inputs(left, num_left, right, num_right),
      detail::semi_join_result{left_out}, comp),
    d_count);
}

/// semi_join_size of semi_join.h, for sizes that may be deferred: counts the rows that semi_join_n would write,
/// and writes nothing else.
///
/// @param exec            execution policy
/// @param left,num_left   the sorted keys of the left input: a random-access iterator, and its size, an integer or a
///                        deferred
/// @param right,num_right the sorted keys of the right input, likewise
/// @param d_count         pointer to an integer of any type, where the work executes, that receives the number of rows
/// @param comp            strict weak order of both inputs
/// @return that number as a deferred, whose capacity is num_left, taken as its capacity
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
  const thrust::execution_policy<Policy>& exec, Left left, NumLeft num_left, Right right, NumRight num_right,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "semi_join_size_n",
    detail::semi_join_job(
      detail::semi_join_t{}, detail::make_set_inputs(left, num_left, right, num_right), detail::semi_join_size{}, comp),
    d_count);
}

/// anti_join_size of semi_join.h, for sizes that may be deferred: counts the rows that anti_join_n would write,
/// and writes nothing else.
///
/// @param exec            execution policy
/// @param left,num_left   the sorted keys of the left input: a random-access iterator, and its size, an integer or a
///                        deferred
/// @param right,num_right the sorted keys of the right input, likewise
/// @param d_count         pointer to an integer of any type, where the work executes, that receives the number of rows
/// @param comp            strict weak order of both inputs
/// @return that number as a deferred, whose capacity is num_left, taken as its capacity
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
  const thrust::execution_policy<Policy>& exec, Left left, NumLeft num_left, Right right, NumRight num_right,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "anti_join_size_n",
    detail::semi_join_job(
      detail::anti_join_t{}, detail::make_set_inputs(left, num_left, right, num_right), detail::semi_join_size{}, comp),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

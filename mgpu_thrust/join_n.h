// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Joins of sorted ranges whose sizes may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/join/cpu.h>
#include <mgpu_thrust/detail/join/job.h>
#include <mgpu_thrust/join_kinds.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/join/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// inner_join of join.h: writes the indices of every pair of equal keys.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted left range
/// @param right_first,right_size the sorted right range
/// @param left_out               start of the output of the indices of the left elements
/// @param right_out              start of the output of the indices of the right elements
/// @param rows_capacity          the number of rows that both outputs have room for, 0 or more
/// @param d_count                receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                   strict weak order of both ranges
/// @return the number of rows that were written: the count is that of all rows, the capacity rows_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::vector<int> i(3), j(3);
/// const int right_size = 4; // stands for what an earlier call stores
/// std::int64_t rows = 0;
/// mgpu::inner_join_n(
///   thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&right_size, 4}, i.begin(), j.begin(), 3, &rows);
/// assert(rows == 4); // of which three had room
/// assert((i == std::vector<int>{1, 1, 2}));
/// assert((j == std::vector<int>{1, 2, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class LeftSize, class RightIterator, class RightSize, class LeftOutputIterator,
  class RightOutputIterator, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> inner_join_n(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftSize left_size, RightIterator right_first,
  RightSize right_size, LeftOutputIterator left_out, RightOutputIterator right_out, std::int64_t rows_capacity,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "inner_join_n",
    detail::join_job(
      inner_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::join_result_within{left_out, right_out, rows_capacity}, comp),
    d_count);
}

/// inner_join_size of join.h: counts the rows and writes nothing else.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted left range
/// @param right_first,right_size the sorted right range
/// @param d_count                receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                   strict weak order of both ranges
/// @return the number of rows; its capacity is left_size * right_size, or 2^63 - 1 if that is less
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::int64_t count = 4; // of the right keys, then of the rows
/// mgpu::inner_join_size_n(thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&count, 4}, &count);
/// assert(count == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class LeftSize, class RightIterator, class RightSize, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> inner_join_size_n(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftSize left_size, RightIterator right_first,
  RightSize right_size, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "inner_join_size_n",
    detail::join_job(
      inner_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::saturating_join_size{}, comp),
    d_count);
}

/// left_join of join.h: writes the indices of every pair of equal keys, and of every left element without a match.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted left range
/// @param right_first,right_size the sorted right range
/// @param left_out               start of the output of the indices of the left elements
/// @param right_out              start of the output of the indices of the right elements, or -1
/// @param rows_capacity          the number of rows that both outputs have room for, 0 or more
/// @param d_count                receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                   strict weak order of both ranges
/// @return the number of rows that were written: the count is that of all rows, the capacity rows_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::vector<int> i(10), j(10);
/// const int right_size = 4; // stands for what an earlier call stores
/// std::int64_t rows = 0;
/// mgpu::left_join_n(
///   thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&right_size, 4}, i.begin(), j.begin(), 10, &rows);
/// assert(rows == 6); // four of equal keys and those of 1 and 5
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class LeftSize, class RightIterator, class RightSize, class LeftOutputIterator,
  class RightOutputIterator, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> left_join_n(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftSize left_size, RightIterator right_first,
  RightSize right_size, LeftOutputIterator left_out, RightOutputIterator right_out, std::int64_t rows_capacity,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "left_join_n",
    detail::join_job(
      left_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::join_result_within{left_out, right_out, rows_capacity}, comp),
    d_count);
}

/// left_join_size of join.h: counts the rows and writes nothing else.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted left range
/// @param right_first,right_size the sorted right range
/// @param d_count                receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                   strict weak order of both ranges
/// @return the number of rows; its capacity is left_size * right_size + left_size, or 2^63 - 1 if that is less
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::int64_t count = 4; // of the right keys, then of the rows
/// mgpu::left_join_size_n(thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&count, 4}, &count);
/// assert(count == 6);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class LeftSize, class RightIterator, class RightSize, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> left_join_size_n(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftSize left_size, RightIterator right_first,
  RightSize right_size, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "left_join_size_n",
    detail::join_job(
      left_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::saturating_join_size{}, comp),
    d_count);
}

/// right_join of join.h: writes the indices of every pair of equal keys, and after them of every right element without
/// a match.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted left range
/// @param right_first,right_size the sorted right range
/// @param left_out               start of the output of the indices of the left elements, or -1
/// @param right_out              start of the output of the indices of the right elements
/// @param rows_capacity          the number of rows that both outputs have room for, 0 or more
/// @param d_count                receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                   strict weak order of both ranges
/// @return the number of rows that were written: the count is that of all rows, the capacity rows_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::vector<int> i(10), j(10);
/// const int right_size = 4; // stands for what an earlier call stores
/// std::int64_t rows = 0;
/// mgpu::right_join_n(
///   thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&right_size, 4}, i.begin(), j.begin(), 10, &rows);
/// assert(rows == 6); // four of equal keys and those of 0 and 4
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class LeftSize, class RightIterator, class RightSize, class LeftOutputIterator,
  class RightOutputIterator, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> right_join_n(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftSize left_size, RightIterator right_first,
  RightSize right_size, LeftOutputIterator left_out, RightOutputIterator right_out, std::int64_t rows_capacity,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "right_join_n",
    detail::join_job(
      right_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::join_result_within{left_out, right_out, rows_capacity}, comp),
    d_count);
}

/// right_join_size of join.h: counts the rows and writes nothing else.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted left range
/// @param right_first,right_size the sorted right range
/// @param d_count                receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                   strict weak order of both ranges
/// @return the number of rows; its capacity is left_size * right_size + right_size, or 2^63 - 1 if that is less
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::int64_t count = 4; // of the right keys, then of the rows
/// mgpu::right_join_size_n(thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&count, 4}, &count);
/// assert(count == 6);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class LeftSize, class RightIterator, class RightSize, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> right_join_size_n(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftSize left_size, RightIterator right_first,
  RightSize right_size, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "right_join_size_n",
    detail::join_job(
      right_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::saturating_join_size{}, comp),
    d_count);
}

/// full_join of join.h: writes the indices of every pair of equal keys, of every left element without a match, and
/// after them of every right element without a match.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted left range
/// @param right_first,right_size the sorted right range
/// @param left_out               start of the output of the indices of the left elements, or -1
/// @param right_out              start of the output of the indices of the right elements, or -1
/// @param rows_capacity          the number of rows that both outputs have room for, 0 or more
/// @param d_count                receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                   strict weak order of both ranges
/// @return the number of rows that were written: the count is that of all rows, the capacity rows_capacity
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::vector<int> i(10), j(10);
/// const int right_size = 4; // stands for what an earlier call stores
/// std::int64_t rows = 0;
/// mgpu::full_join_n(
///   thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&right_size, 4}, i.begin(), j.begin(), 10, &rows);
/// assert(rows == 8); // four of equal keys and those of 0, 1, 4 and 5
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class LeftSize, class RightIterator, class RightSize, class LeftOutputIterator,
  class RightOutputIterator, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> full_join_n(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftSize left_size, RightIterator right_first,
  RightSize right_size, LeftOutputIterator left_out, RightOutputIterator right_out, std::int64_t rows_capacity,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "full_join_n",
    detail::join_job(
      full_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::join_result_within{left_out, right_out, rows_capacity}, comp),
    d_count);
}

/// full_join_size of join.h: counts the rows and writes nothing else.
///
/// @param exec                   execution policy
/// @param left_first,left_size   the sorted left range
/// @param right_first,right_size the sorted right range
/// @param d_count                receives the number of all rows, or 2^63 - 1 if there are more
/// @param comp                   strict weak order of both ranges
/// @return the number of rows; its capacity is left_size * right_size + left_size + right_size, or 2^63 - 1 if that is
///         less
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::int64_t count = 4; // of the right keys, then of the rows
/// mgpu::full_join_size_n(thrust::host, left.begin(), 4, right.begin(), mgpu::deferred{&count, 4}, &count);
/// assert(count == 8);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class LeftSize, class RightIterator, class RightSize, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> full_join_size_n(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftSize left_size, RightIterator right_first,
  RightSize right_size, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "full_join_size_n",
    detail::join_job(
      full_join_t{}, detail::make_set_inputs(left_first, left_size, right_first, right_size),
      detail::saturating_join_size{}, comp),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup semi_join Semi and anti joins
/// Semi and anti joins of two tables by sorted keys: which rows of the left table have an equal row in the right one,
/// and which have none.
///
/// Policies, iterators, comparators, synchronisation, thread safety and exceptions are as for the set operations of
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Semantics.** A row is a key, and its number is its position in its input: 0, 1, and so on. Each row of the left
/// input is kept or not independently of equal rows there, and of how many equal it in the right input. (A set
/// intersection and a set difference, which match copies one to one, keep min(m, n) and max(m - n, 0) rows of a key.)
///
/// | rows of a key, left and right | `semi_join` writes  | `anti_join` writes  |
/// |-------------------------------|---------------------|---------------------|
/// | m and 0                       | nothing             | the m rows' numbers |
/// | m and n > 0                   | the m rows' numbers | nothing             |
/// | 0 and n                       | nothing             | nothing             |
///
/// Both keep the order of the left input, and together they write each of its rows once.
///
/// **Row numbers** have the value type of the output, an integer of up to 8 bytes. A transform output iterator receives
/// std::int64_t, whatever its underlying iterator, as does an output without a value type (a back-insert iterator). So
/// an output can look up a row and write its column, and no row number is stored: see `docs/joins.md`.
/// std::length_error if the number of the last row of the left input does not fit; nothing is written then.
///
/// **Complexity.** Linear in both sizes if they are similar, in one pass. O(short log long) where there are much fewer
/// rows on the left, or, for the size functions, on the right (32 times on a CPU, 64 times on a GPU): then most of the
/// other input is not read.
///
/// **Temporary storage.** None on the calling thread. Otherwise one allocation from the policy's allocator, freed
/// before the function returns: 128 KiB for each CPU worker, nothing for the size functions; on a GPU under 1 % of the
/// size of the input, and a word of page-locked host memory as for a set operation.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined.
///
/// **Source.** S. Baxter: Modern GPU, "Relational Joins" (2013), for joins by sorted searches; this method of keeping
/// rows is ours.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/semi_join/cpu.h>
#include <mgpu_thrust/detail/semi_join/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/semi_join/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup semi_join
/// @{

/// Writes the numbers of the rows of the left input that have an equal row in the right one, in order.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the left input's sorted keys
/// @param right_first,right_last the right input's sorted keys
/// @param left_out               start of the output, of row numbers; room for left_last - left_first is always enough
/// @param comp                   strict weak order of both inputs
/// @return the end of the output, past the last number written
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> orders{1, 3, 3, 5}, paid{2, 3, 5, 5};
/// std::vector<int> rows(4);
/// rows.erase(
///   mgpu::semi_join(thrust::host, orders.begin(), orders.end(), paid.begin(), paid.end(), rows.begin()), rows.end());
/// assert((rows == std::vector<int>{1, 2, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class RightIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator semi_join(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, OutputIterator left_out, Compare comp = {})
{
  return detail::execute(
    exec, "semi_join",
    detail::semi_join_job(
      detail::semi_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last),
      detail::semi_join_result{left_out}, comp));
}

/// semi_join on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class LeftIterator, class RightIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator semi_join(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  OutputIterator left_out, Compare comp = {})
{
  return mgpu::semi_join(
    detail::system_policy_t<LeftIterator, RightIterator, OutputIterator>{}, left_first, left_last, right_first,
    right_last, left_out, comp);
}

/// Writes the numbers of the rows of the left input that have no equal row in the right one, in order.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the left input's sorted keys
/// @param right_first,right_last the right input's sorted keys
/// @param left_out               start of the output, of row numbers; room for left_last - left_first is always enough
/// @param comp                   strict weak order of both inputs
/// @return the end of the output, past the last number written
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> orders{1, 3, 3, 5}, paid{2, 3, 5, 5};
/// std::vector<int> rows(4);
/// rows.erase(
///   mgpu::anti_join(thrust::host, orders.begin(), orders.end(), paid.begin(), paid.end(), rows.begin()), rows.end());
/// assert((rows == std::vector<int>{0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class RightIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator anti_join(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, OutputIterator left_out, Compare comp = {})
{
  return detail::execute(
    exec, "anti_join",
    detail::semi_join_job(
      detail::anti_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last),
      detail::semi_join_result{left_out}, comp));
}

/// anti_join on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class LeftIterator, class RightIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator anti_join(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  OutputIterator left_out, Compare comp = {})
{
  return mgpu::anti_join(
    detail::system_policy_t<LeftIterator, RightIterator, OutputIterator>{}, left_first, left_last, right_first,
    right_last, left_out, comp);
}

/// Counts the rows that semi_join would write, and writes nothing.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the left input's sorted keys
/// @param right_first,right_last the right input's sorted keys
/// @param comp                   strict weak order of both inputs
/// @return the number of rows
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> orders{1, 3, 3, 5}, paid{2, 3, 5, 5};
/// assert(mgpu::semi_join_size(thrust::host, orders.begin(), orders.end(), paid.begin(), paid.end()) == 3);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t semi_join_size(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, Compare comp = {})
{
  return detail::execute(
    exec, "semi_join_size",
    detail::semi_join_job(
      detail::semi_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last),
      detail::semi_join_size{}, comp));
}

/// semi_join_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t semi_join_size(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  Compare comp = {})
{
  return mgpu::semi_join_size(
    detail::system_policy_t<LeftIterator, RightIterator>{}, left_first, left_last, right_first, right_last, comp);
}

/// Counts the rows that anti_join would write, and writes nothing.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the left input's sorted keys
/// @param right_first,right_last the right input's sorted keys
/// @param comp                   strict weak order of both inputs
/// @return the number of rows
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> orders{1, 3, 3, 5}, paid{2, 3, 5, 5};
/// assert(mgpu::anti_join_size(thrust::host, orders.begin(), orders.end(), paid.begin(), paid.end()) == 1);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t anti_join_size(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, Compare comp = {})
{
  return detail::execute(
    exec, "anti_join_size",
    detail::semi_join_job(
      detail::anti_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last),
      detail::semi_join_size{}, comp));
}

/// anti_join_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t anti_join_size(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  Compare comp = {})
{
  return mgpu::anti_join_size(
    detail::system_policy_t<LeftIterator, RightIterator>{}, left_first, left_last, right_first, right_last, comp);
}

/// @}
MGPU_THRUST_NAMESPACE_END

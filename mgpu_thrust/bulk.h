// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup bulk Bulk removal and insertion
/// Bulk removal and bulk insertion: removes many elements from a range, or inserts many, at sorted positions, in one
/// pass.
///
/// Always write `mgpu::`. Policies, iterators, thread safety and exceptions are as for the set operations of
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Indices** are integers of any type, signed or unsigned, from any random-access iterator; their values are below
/// 2^63. They are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then std::invalid_argument names the
/// first position whose index is out of order or out of range, before anything is written.
///
/// **Elements** may have any size and any type that the output can be assigned from. They are copied, never compared.
///
/// **Complexity.** Linear: one pass, whatever the indices are; with W workers or a GPU, plus a search of O(log n) steps
/// per piece.
///
/// **Synchronisation.** The length of the output follows from the sizes of the inputs. So with `par_nosync` the call
/// does not wait for the GPU: inputs and output must live until its stream has completed the call. An allocator of the
/// policy gets its memory back before that, so it must allocate in stream order. (The checked mode waits.)
///
/// **Temporary storage.** None on a CPU; on a GPU 8 or 16 bytes for each tile of 512 to a few thousand elements;
/// for an insertion of up to 2048 tiles none.
///
/// **Aliasing.** The output must not overlap an input.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined. A plain output iterator may then get fewer
/// elements.
///
/// **Source.** S. Baxter: Modern GPU, "Bulk Remove and Bulk Insert" (2013).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/bulk/cpu.h>
#include <mgpu_thrust/detail/bulk/job.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/bulk/launch.cuh>
#endif

#include <thrust/execution_policy.h>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup bulk
/// @{

/// Copies the elements of a range whose indices are not in a list.
///
/// @param exec                       execution policy
/// @param first,last                 the range
/// @param indices_first,indices_last the indices of the elements to leave out: in ascending order, without duplicates,
///                                   each from 0 to (last - first) - 1
/// @param result                     start of the output, of (last - first) - (indices_last - indices_first) elements
/// @return the end of the output
/// @throws std::invalid_argument if there are more indices than elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> letters{'a', 'b', 'c', 'd', 'e'};
/// const std::vector<int> indices{1, 3};
/// std::vector<char> out(3);
/// mgpu::bulk_remove(thrust::host, letters.begin(), letters.end(), indices.begin(), indices.end(), out.begin());
/// assert((out == std::vector<char>{'a', 'c', 'e'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class IndexIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator bulk_remove(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, IndexIterator indices_first,
  IndexIterator indices_last, OutputIterator result)
{
  return detail::execute(
    exec, "bulk_remove",
    detail::bulk_job(
      detail::make_bulk_removal(
        first, detail::length_of(first, last), indices_first, detail::length_of(indices_first, indices_last)),
      result));
}

/// bulk_remove on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class IndexIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator bulk_remove(
  InputIterator first, InputIterator last, IndexIterator indices_first, IndexIterator indices_last,
  OutputIterator result)
{
  return mgpu::bulk_remove(
    detail::system_policy_t<InputIterator, IndexIterator, OutputIterator>{}, first, last, indices_first, indices_last,
    result);
}

/// Copies a range and inserts values: each before the element at its position in the range.
///
/// @param exec                           execution policy
/// @param first,last                     the range
/// @param values_first                   start of the values, as many as there are positions
/// @param positions_first,positions_last the positions: in ascending order, each from 0 to last - first, the position
///                                       past the last element. Values with the same position keep their order
/// @param result                         start of the output, of (last - first) + (positions_last - positions_first)
///                                       elements
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> letters{'a', 'b', 'c'}, values{'w', 'x', 'y', 'z'};
/// const std::vector<int> positions{0, 2, 2, 3};
/// std::vector<char> out(7);
/// mgpu::bulk_insert(thrust::host, letters.begin(), letters.end(), values.begin(), positions.begin(), positions.end(),
///                   out.begin());
/// assert((out == std::vector<char>{'w', 'a', 'b', 'x', 'y', 'c', 'z'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class ValueIterator, class PositionIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator bulk_insert(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, ValueIterator values_first,
  PositionIterator positions_first, PositionIterator positions_last, OutputIterator result)
{
  return detail::execute(
    exec, "bulk_insert",
    detail::bulk_job(
      detail::make_bulk_insertion(
        first, detail::length_of(first, last), values_first, positions_first,
        detail::length_of(positions_first, positions_last)),
      result));
}

/// bulk_insert on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class ValueIterator, class PositionIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator bulk_insert(
  InputIterator first, InputIterator last, ValueIterator values_first, PositionIterator positions_first,
  PositionIterator positions_last, OutputIterator result)
{
  return mgpu::bulk_insert(
    detail::system_policy_t<InputIterator, ValueIterator, PositionIterator, OutputIterator>{}, first, last,
    values_first, positions_first, positions_last, result);
}

/// @}
MGPU_THRUST_NAMESPACE_END

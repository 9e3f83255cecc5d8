// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup merge Merges
/// Stable merges of two sorted ranges, with and without values. Names, signatures and specifications follow Thrust and
/// the C++ standard library.
///
/// Policies, iterators, comparators, thread safety and exceptions are as for the set operations of
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Semantics.** The result has every element of both ranges; equal elements of the first range come before those of
/// the second, and each range keeps its order. It is exactly the result of `std::merge`.
///
/// **Complexity.** Linear: one pass, on one thread with at most one comparison per element (a constant number where
/// both ranges hold one arithmetic type); with W workers or a GPU, plus a search of O(log n) comparisons per piece.
///
/// **Synchronisation.** The size of the result is known. So under `thrust::cuda::par_nosync` a merge is enqueued and
/// not waited for: the inputs, the output and the policy's allocator must live until the stream has completed it. Under
/// other CUDA policies it returns when the result is complete.
///
/// **Temporary storage.** None on a CPU; on a GPU under 1 % of the size of the input.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined. On a GPU `comp` may then be called with
/// values that no element has.
///
/// **Source.** S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path (2012); S. Baxter: Modern GPU (2013).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/set_operation/cpu.h>
#include <mgpu_thrust/detail/set_operation/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/set_operation/launch.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/pair.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup merge
/// @{

/// Merges two sorted ranges.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param result       start of the output, of (last1 - first1) + (last2 - first2) elements
/// @param comp         strict weak order of both ranges
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{2, 3, 7};
/// std::vector<int> out(7);
/// mgpu::merge(thrust::host, a.begin(), a.end(), b.begin(), b.end(), out.begin());
/// assert((out == std::vector<int>{1, 2, 3, 3, 3, 5, 7}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator merge(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, OutputIterator result, Compare comp = {})
{
  return detail::execute(
           exec, "merge",
           detail::set_operation_job(
             detail::merge_t{}, detail::inputs_of_ranges(first1, last1, first2, last2),
             detail::set_result{result, detail::no_values{}}, comp))
    .keys;
}

/// merge on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator merge(
  InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, OutputIterator result,
  Compare comp = {})
{
  return mgpu::merge(
    detail::system_policy_t<InputIterator1, InputIterator2, OutputIterator>{}, first1, last1, first2, last2, result,
    comp);
}

/// Merges two sorted ranges of keys, and their values with them.
///
/// @param exec                   execution policy
/// @param keys_first1,keys_last1 the first range of keys
/// @param keys_first2,keys_last2 the second range of keys
/// @param values_first1          start of the values of the first range, as many as it has keys
/// @param values_first2          start of the values of the second range, as many as it has keys
/// @param keys_result            start of the output of keys, of as many elements as both ranges have together
/// @param values_result          start of the output of values, of the same size
/// @param comp                   strict weak order of both ranges of keys
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys1{1, 3}, keys2{2, 3};
/// const std::vector<char> values1{'a', 'b'}, values2{'x', 'y'};
/// std::vector<int> keys_out(4);
/// std::vector<char> values_out(4);
/// mgpu::merge_by_key(thrust::host, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(), values1.begin(),
///                    values2.begin(), keys_out.begin(), values_out.begin());
/// assert((keys_out == std::vector<int>{1, 2, 3, 3}));
/// assert((values_out == std::vector<char>{'a', 'x', 'b', 'y'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2,
  class KeyOutputIterator, class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> merge_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator1 keys_first1, KeyIterator1 keys_last1,
  KeyIterator2 keys_first2, KeyIterator2 keys_last2, ValueIterator1 values_first1, ValueIterator2 values_first2,
  KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp = {})
{
  const auto end = detail::execute(
    exec, "merge_by_key",
    detail::set_operation_job(
      detail::merge_t{},
      detail::inputs_of_ranges(keys_first1, keys_last1, values_first1, keys_first2, keys_last2, values_first2),
      detail::set_result{keys_result, values_result}, comp));
  return {end.keys, end.values};
}

/// merge_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2, class KeyOutputIterator,
  class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> merge_by_key(
  KeyIterator1 keys_first1, KeyIterator1 keys_last1, KeyIterator2 keys_first2, KeyIterator2 keys_last2,
  ValueIterator1 values_first1, ValueIterator2 values_first2, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp = {})
{
  return mgpu::merge_by_key(
    detail::system_policy_t<
      KeyIterator1, KeyIterator2, ValueIterator1, ValueIterator2, KeyOutputIterator, ValueOutputIterator>{},
    keys_first1, keys_last1, keys_first2, keys_last2, values_first1, values_first2, keys_result, values_result, comp);
}

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merges of sorted ranges whose sizes may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/set_operation/cpu.h>
#include <mgpu_thrust/detail/set_operation/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/set_operation/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// merge of merge.h: merges two sorted ranges.
///
/// @param exec         execution policy
/// @param first1,size1 the first range
/// @param first2,size2 the second range
/// @param result       start of the output; room for size1 + size2 elements is always enough
/// @param d_count      receives the size of the result
/// @param comp         strict weak order of both ranges
/// @return the size of the result; its capacity is the room above
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::vector<int> out(7);
/// std::int64_t count = 3; // of the keys of a
/// const mgpu::deferred size{&count, 4};
/// mgpu::merge_n(thrust::host, a.begin(), size, b.begin(), 3, out.begin(), &count);
/// assert(count == 6 && out[0] == 1 && out[5] == 7);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> merge_n(
  const thrust::execution_policy<Policy>& exec, Keys1 first1, Size1 size1, Keys2 first2, Size2 size2, KeysOut result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "merge_n",
    detail::set_operation_job(
      detail::merge_t{}, detail::as_deferred(detail::make_set_inputs(first1, size1, first2, size2)),
      detail::set_result{result, detail::no_values{}}, comp),
    d_count);
}

/// merge_by_key of merge.h: keys and their values.
///
/// @param exec                        execution policy
/// @param keys_first1,size1           the first range of keys
/// @param keys_first2,size2           the second range of keys
/// @param values_first1,values_first2 a value for each key of the first and of the second range
/// @param keys_result,values_result   starts of the outputs; room for size1 + size2 elements in each is always enough
/// @param d_count                     receives the size of the result
/// @param comp                        strict weak order of both ranges of keys
/// @return the size of the result; its capacity is the room above
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// const std::vector<char> a_values{'a', 'b', 'c', 'd'}, b_values{'x', 'y', 'z'};
/// std::vector<int> keys(7);
/// std::vector<char> values(7);
/// std::int64_t count = 3; // of the keys of a
/// const mgpu::deferred size{&count, 4};
/// mgpu::merge_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       b_values.begin(), keys.begin(), values.begin(), &count);
/// assert(count == 6 && values[2] == 'c' && values[3] == 'x');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class Values2, class KeysOut,
  class ValuesOut, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> merge_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys_first1, Size1 size1, Keys2 keys_first2, Size2 size2,
  Values1 values_first1, Values2 values_first2, KeysOut keys_result, ValuesOut values_result, CountPointer d_count,
  Compare comp = {})
{
  return detail::execute_n(
    exec, "merge_by_key_n",
    detail::set_operation_job(
      detail::merge_t{},
      detail::as_deferred(
        detail::make_set_inputs(keys_first1, values_first1, size1, keys_first2, values_first2, size2)),
      detail::set_result{keys_result, values_result}, comp),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merges of sorted ranges whose sizes may be known on the device alone.

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

/// merge of merge.h, for sizes that may be deferred: merges two sorted ranges.
///
/// @param exec        execution policy
/// @param keys1,size1 the first range: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2 the second range, likewise
/// @param keys_out    start of the output, a random-access iterator for every policy; room for size1 + size2 elements
///                    is always enough, each size taken as its capacity
/// @param d_count     pointer to an integer of any type, where the work executes, that receives the size of the result
/// @param comp        strict weak order of both ranges
/// @return the size as a deferred, whose capacity is the room above
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
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, KeysOut keys_out,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "merge_n",
    detail::set_operation_job(
      detail::merge_t{}, detail::as_deferred(detail::make_set_inputs(keys1, size1, keys2, size2)),
      detail::set_result{keys_out, detail::no_values{}}, comp),
    d_count);
}

/// merge_by_key of merge.h, for sizes that may be deferred: keys and their values.
///
/// @param exec                execution policy
/// @param keys1,size1         the first range of keys: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2         the second range of keys, likewise
/// @param values1,values2     a value for each key of the first and of the second range
/// @param keys_out,values_out starts of the outputs, random-access iterators for every policy; room for size1 + size2
///                            elements in each is always enough, each size taken as its capacity
/// @param d_count             pointer to an integer of any type, where the work executes, that receives the size of the
///                            result
/// @param comp                strict weak order of both ranges of keys
/// @return the size as a deferred, whose capacity is the room above
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
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, Values1 values1,
  Values2 values2, KeysOut keys_out, ValuesOut values_out, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "merge_by_key_n",
    detail::set_operation_job(
      detail::merge_t{}, detail::as_deferred(detail::make_set_inputs(keys1, values1, size1, keys2, values2, size2)),
      detail::set_result{keys_out, values_out}, comp),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

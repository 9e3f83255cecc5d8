// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations of sorted ranges whose sizes may be known on the device alone.

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

/// set_intersection of set_operations.h, for sizes that may be deferred: writes the intersection of two sorted ranges.
///
/// @param exec        execution policy
/// @param keys1,size1 the first range: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2 the second range, likewise
/// @param keys_out    start of the output, a random-access iterator for every policy; room for min(size1, size2)
///                    elements is always enough, each size taken as its capacity
/// @param d_count     pointer to an integer of any type, where the work executes, that receives the size of the result
/// @param comp        strict weak order of both ranges
/// @return the size as a deferred, whose capacity is the room above
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::vector<int> out(7);
/// std::int64_t count = 3; // of the keys of a
/// const mgpu::deferred size{&count, 4};
/// mgpu::set_intersection_n(thrust::host, a.begin(), size, b.begin(), 3, out.begin(), &count);
/// assert(count == 1 && out[0] == 3);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_intersection_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, KeysOut keys_out,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_intersection_n",
    detail::set_operation_job(
      detail::set_intersection_t{}, detail::make_set_inputs(keys1, size1, keys2, size2),
      detail::set_result{keys_out, detail::no_values{}}, comp),
    d_count);
}

/// set_intersection_by_key of set_operations.h, for sizes that may be deferred: keys and their values.
///
/// @param exec                execution policy
/// @param keys1,size1         the first range of keys: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2         the second range of keys, likewise
/// @param values1             a value for each key of the first range
/// @param keys_out,values_out starts of the outputs, random-access iterators for every policy; room for min(size1,
///                            size2) elements in each is always enough, each size taken as its capacity
/// @param d_count             pointer to an integer of any type, where the work executes, that receives the size of the
///                            result
/// @param comp                strict weak order of both ranges of keys
/// @return the size as a deferred, whose capacity is the room above
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// const std::vector<char> a_values{'a', 'b', 'c', 'd'};
/// std::vector<int> keys(7);
/// std::vector<char> values(7);
/// std::int64_t count = 3; // of the keys of a
/// const mgpu::deferred size{&count, 4};
/// mgpu::set_intersection_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       keys.begin(), values.begin(), &count);
/// assert(count == 1 && values[0] == 'b');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class KeysOut, class ValuesOut,
  class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_intersection_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, Values1 values1,
  KeysOut keys_out, ValuesOut values_out, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_intersection_by_key_n",
    detail::set_operation_job(
      detail::set_intersection_t{}, detail::make_set_inputs(keys1, values1, size1, keys2, detail::no_values{}, size2),
      detail::set_result{keys_out, values_out}, comp),
    d_count);
}

/// set_intersection_size of set_operations.h, for sizes that may be deferred: counts and writes nothing else.
///
/// @param exec        execution policy
/// @param keys1,size1 the first range: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2 the second range, likewise
/// @param d_count     pointer to an integer of any type, where the work executes, that receives the size of the result
/// @param comp        strict weak order of both ranges
/// @return the size as a deferred, whose capacity is min(size1, size2), each size taken as its capacity
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::int64_t count = 3; // of the keys of a
/// mgpu::set_intersection_size_n(thrust::host, a.begin(), mgpu::deferred{&count, 4}, b.begin(), 3, &count);
/// assert(count == 1);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_intersection_size_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_intersection_size_n",
    detail::set_operation_job(
      detail::set_intersection_t{}, detail::make_set_inputs(keys1, size1, keys2, size2), detail::set_size{}, comp),
    d_count);
}

/// set_union of set_operations.h, for sizes that may be deferred: writes the union of two sorted ranges.
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
/// mgpu::set_union_n(thrust::host, a.begin(), size, b.begin(), 3, out.begin(), &count);
/// assert(count == 5 && out[0] == 1 && out[4] == 7);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_union_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, KeysOut keys_out,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_union_n",
    detail::set_operation_job(
      detail::set_union_t{}, detail::make_set_inputs(keys1, size1, keys2, size2),
      detail::set_result{keys_out, detail::no_values{}}, comp),
    d_count);
}

/// set_union_by_key of set_operations.h, for sizes that may be deferred: keys and their values.
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
/// mgpu::set_union_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       b_values.begin(), keys.begin(), values.begin(), &count);
/// assert(count == 5 && values[0] == 'a' && values[4] == 'z');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class Values2, class KeysOut,
  class ValuesOut, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_union_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, Values1 values1,
  Values2 values2, KeysOut keys_out, ValuesOut values_out, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_union_by_key_n",
    detail::set_operation_job(
      detail::set_union_t{}, detail::make_set_inputs(keys1, values1, size1, keys2, values2, size2),
      detail::set_result{keys_out, values_out}, comp),
    d_count);
}

/// set_union_size of set_operations.h, for sizes that may be deferred: counts and writes nothing else.
///
/// @param exec        execution policy
/// @param keys1,size1 the first range: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2 the second range, likewise
/// @param d_count     pointer to an integer of any type, where the work executes, that receives the size of the result
/// @param comp        strict weak order of both ranges
/// @return the size as a deferred, whose capacity is size1 + size2, each size taken as its capacity
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::int64_t count = 3; // of the keys of a
/// mgpu::set_union_size_n(thrust::host, a.begin(), mgpu::deferred{&count, 4}, b.begin(), 3, &count);
/// assert(count == 5);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_union_size_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_union_size_n",
    detail::set_operation_job(
      detail::set_union_t{}, detail::make_set_inputs(keys1, size1, keys2, size2), detail::set_size{}, comp),
    d_count);
}

/// set_difference of set_operations.h, for sizes that may be deferred: writes the difference of two sorted ranges.
///
/// @param exec        execution policy
/// @param keys1,size1 the first range: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2 the second range, likewise
/// @param keys_out    start of the output, a random-access iterator for every policy; room for size1 elements is always
///                    enough, each size taken as its capacity
/// @param d_count     pointer to an integer of any type, where the work executes, that receives the size of the result
/// @param comp        strict weak order of both ranges
/// @return the size as a deferred, whose capacity is the room above
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::vector<int> out(7);
/// std::int64_t count = 3; // of the keys of a
/// const mgpu::deferred size{&count, 4};
/// mgpu::set_difference_n(thrust::host, a.begin(), size, b.begin(), 3, out.begin(), &count);
/// assert(count == 2 && out[0] == 1 && out[1] == 3);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_difference_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, KeysOut keys_out,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_difference_n",
    detail::set_operation_job(
      detail::set_difference_t{}, detail::make_set_inputs(keys1, size1, keys2, size2),
      detail::set_result{keys_out, detail::no_values{}}, comp),
    d_count);
}

/// set_difference_by_key of set_operations.h, for sizes that may be deferred: keys and their values.
///
/// @param exec                execution policy
/// @param keys1,size1         the first range of keys: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2         the second range of keys, likewise
/// @param values1             a value for each key of the first range
/// @param values2             not read, as the result has keys of the first range alone
/// @param keys_out,values_out starts of the outputs, random-access iterators for every policy; room for size1 elements
///                            in each is always enough, each size taken as its capacity
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
/// mgpu::set_difference_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       b_values.begin(), keys.begin(), values.begin(), &count);
/// assert(count == 2 && values[1] == 'c');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class Values2, class KeysOut,
  class ValuesOut, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_difference_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, Values1 values1,
  [[maybe_unused]] Values2 values2, KeysOut keys_out, ValuesOut values_out, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_difference_by_key_n",
    detail::set_operation_job(
      detail::set_difference_t{}, detail::make_set_inputs(keys1, values1, size1, keys2, detail::no_values{}, size2),
      detail::set_result{keys_out, values_out}, comp),
    d_count);
}

/// set_difference_size of set_operations.h, for sizes that may be deferred: counts and writes nothing else.
///
/// @param exec        execution policy
/// @param keys1,size1 the first range: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2 the second range, likewise
/// @param d_count     pointer to an integer of any type, where the work executes, that receives the size of the result
/// @param comp        strict weak order of both ranges
/// @return the size as a deferred, whose capacity is size1, each size taken as its capacity
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::int64_t count = 3; // of the keys of a
/// mgpu::set_difference_size_n(thrust::host, a.begin(), mgpu::deferred{&count, 4}, b.begin(), 3, &count);
/// assert(count == 2);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_difference_size_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_difference_size_n",
    detail::set_operation_job(
      detail::set_difference_t{}, detail::make_set_inputs(keys1, size1, keys2, size2), detail::set_size{}, comp),
    d_count);
}

/// set_symmetric_difference of set_operations.h, for sizes that may be deferred: writes the symmetric difference of two
/// sorted ranges.
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
/// mgpu::set_symmetric_difference_n(thrust::host, a.begin(), size, b.begin(), 3, out.begin(), &count);
/// assert(count == 4 && out[0] == 1 && out[3] == 7);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_symmetric_difference_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, KeysOut keys_out,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_symmetric_difference_n",
    detail::set_operation_job(
      detail::set_symmetric_difference_t{}, detail::make_set_inputs(keys1, size1, keys2, size2),
      detail::set_result{keys_out, detail::no_values{}}, comp),
    d_count);
}

/// set_symmetric_difference_by_key of set_operations.h, for sizes that may be deferred: keys and their values.
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
/// mgpu::set_symmetric_difference_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       b_values.begin(), keys.begin(), values.begin(), &count);
/// assert(count == 4 && values[1] == 'c' && values[3] == 'z');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class Values2, class KeysOut,
  class ValuesOut, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_symmetric_difference_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2, Values1 values1,
  Values2 values2, KeysOut keys_out, ValuesOut values_out, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_symmetric_difference_by_key_n",
    detail::set_operation_job(
      detail::set_symmetric_difference_t{}, detail::make_set_inputs(keys1, values1, size1, keys2, values2, size2),
      detail::set_result{keys_out, values_out}, comp),
    d_count);
}

/// set_symmetric_difference_size of set_operations.h, for sizes that may be deferred: counts and writes nothing else.
///
/// @param exec        execution policy
/// @param keys1,size1 the first range: a random-access iterator, and its size, an integer or a deferred
/// @param keys2,size2 the second range, likewise
/// @param d_count     pointer to an integer of any type, where the work executes, that receives the size of the result
/// @param comp        strict weak order of both ranges
/// @return the size as a deferred, whose capacity is size1 + size2, each size taken as its capacity
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::int64_t count = 3; // of the keys of a
/// mgpu::set_symmetric_difference_size_n(thrust::host, a.begin(), mgpu::deferred{&count, 4}, b.begin(), 3, &count);
/// assert(count == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_symmetric_difference_size_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys1, Size1 size1, Keys2 keys2, Size2 size2,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_symmetric_difference_size_n",
    detail::set_operation_job(
      detail::set_symmetric_difference_t{}, detail::make_set_inputs(keys1, size1, keys2, size2), detail::set_size{},
      comp),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations of sorted ranges whose sizes may be known on the device alone.
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

/// set_intersection of set_operations.h: writes the intersection of two sorted ranges.
///
/// @param exec         execution policy
/// @param first1,size1 the first range
/// @param first2,size2 the second range
/// @param result       start of the output; room for min(size1, size2) elements is always enough
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
/// mgpu::set_intersection_n(thrust::host, a.begin(), size, b.begin(), 3, out.begin(), &count);
/// assert(count == 1 && out[0] == 3);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_intersection_n(
  const thrust::execution_policy<Policy>& exec, Keys1 first1, Size1 size1, Keys2 first2, Size2 size2, KeysOut result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_intersection_n",
    detail::set_operation_job(
      detail::set_intersection_t{}, detail::make_set_inputs(first1, size1, first2, size2),
      detail::set_result{result, detail::no_values{}}, comp),
    d_count);
}

/// set_intersection_by_key of set_operations.h: keys and their values.
///
/// @param exec                      execution policy
/// @param keys_first1,size1         the first range of keys
/// @param keys_first2,size2         the second range of keys
/// @param values_first1             a value for each key of the first range
/// @param keys_result,values_result starts of the outputs; room for min(size1, size2) elements in each is always enough
/// @param d_count                   receives the size of the result
/// @param comp                      strict weak order of both ranges of keys
/// @return the size of the result; its capacity is the room above
/// @since 1.0
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
  const thrust::execution_policy<Policy>& exec, Keys1 keys_first1, Size1 size1, Keys2 keys_first2, Size2 size2,
  Values1 values_first1, KeysOut keys_result, ValuesOut values_result, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_intersection_by_key_n",
    detail::set_operation_job(
      detail::set_intersection_t{},
      detail::make_set_inputs(keys_first1, values_first1, size1, keys_first2, detail::no_values{}, size2),
      detail::set_result{keys_result, values_result}, comp),
    d_count);
}

/// set_intersection_by_key of set_operations.h with `combine`: keys, with a value of both ranges.
///
/// @param exec                        execution policy
/// @param keys_first1,size1           the first range of keys
/// @param keys_first2,size2           the second range of keys
/// @param values_first1,values_first2 a value for each key of the first and of the second range
/// @param keys_result,values_result   starts of the outputs; room for min(size1, size2) elements in each is always
///   enough
/// @param d_count                     receives the size of the result
/// @param comp                        strict weak order of both ranges of keys
/// @param combine                     combine(value1, value2) is assigned to values_result for each match
/// @return the size of the result; its capacity is the room above
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// const std::vector<float> a_values{1, 2, 3, 4}, b_values{10, 20, 30};
/// std::vector<int> keys(7);
/// std::vector<float> products(7);
/// std::int64_t count = 3; // of the keys of a
/// const mgpu::deferred size{&count, 4};
/// mgpu::set_intersection_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       b_values.begin(), keys.begin(), products.begin(), &count, cuda::std::less<>{},
///                       cuda::std::multiplies<>{});
/// assert(count == 1 && products[0] == 20);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class Values2, class KeysOut,
  class ValuesOut, class CountPointer, class Compare, class Combine>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_intersection_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys_first1, Size1 size1, Keys2 keys_first2, Size2 size2,
  Values1 values_first1, Values2 values_first2, KeysOut keys_result, ValuesOut values_result, CountPointer d_count,
  Compare comp, Combine combine)
{
  return detail::execute_n(
    exec, "set_intersection_by_key_n",
    detail::set_operation_job(
      detail::set_intersection_t{},
      detail::make_set_inputs(keys_first1, values_first1, size1, keys_first2, values_first2, size2),
      detail::combined_result{keys_result, values_result, combine}, comp),
    d_count);
}

/// set_intersection_size of set_operations.h: counts and writes nothing else.
///
/// @param exec         execution policy
/// @param first1,size1 the first range
/// @param first2,size2 the second range
/// @param d_count      receives the size of the result
/// @param comp         strict weak order of both ranges
/// @return the size of the result; its capacity is min(size1, size2)
/// @since 1.0
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
  const thrust::execution_policy<Policy>& exec, Keys1 first1, Size1 size1, Keys2 first2, Size2 size2,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_intersection_size_n",
    detail::set_operation_job(
      detail::set_intersection_t{}, detail::make_set_inputs(first1, size1, first2, size2), detail::set_size{}, comp),
    d_count);
}

/// set_union of set_operations.h: writes the union of two sorted ranges.
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
/// mgpu::set_union_n(thrust::host, a.begin(), size, b.begin(), 3, out.begin(), &count);
/// assert(count == 5 && out[0] == 1 && out[4] == 7);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_union_n(
  const thrust::execution_policy<Policy>& exec, Keys1 first1, Size1 size1, Keys2 first2, Size2 size2, KeysOut result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_union_n",
    detail::set_operation_job(
      detail::set_union_t{}, detail::make_set_inputs(first1, size1, first2, size2),
      detail::set_result{result, detail::no_values{}}, comp),
    d_count);
}

/// set_union_by_key of set_operations.h: keys and their values.
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
/// mgpu::set_union_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       b_values.begin(), keys.begin(), values.begin(), &count);
/// assert(count == 5 && values[0] == 'a' && values[4] == 'z');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class Values2, class KeysOut,
  class ValuesOut, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_union_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys_first1, Size1 size1, Keys2 keys_first2, Size2 size2,
  Values1 values_first1, Values2 values_first2, KeysOut keys_result, ValuesOut values_result, CountPointer d_count,
  Compare comp = {})
{
  return detail::execute_n(
    exec, "set_union_by_key_n",
    detail::set_operation_job(
      detail::set_union_t{},
      detail::make_set_inputs(keys_first1, values_first1, size1, keys_first2, values_first2, size2),
      detail::set_result{keys_result, values_result}, comp),
    d_count);
}

/// set_union_by_key of set_operations.h with `combine`: keys and their values, of both ranges where both have a key.
///
/// @param exec                        execution policy
/// @param keys_first1,size1           the first range of keys
/// @param keys_first2,size2           the second range of keys
/// @param values_first1,values_first2 a value for each key of the first and of the second range
/// @param keys_result,values_result   starts of the outputs; room for size1 + size2 elements in each is always enough
/// @param d_count                     receives the size of the result
/// @param comp                        strict weak order of both ranges of keys
/// @param combine                     combine(value1, value2) is assigned to values_result for each match
/// @return the size of the result; its capacity is the room above
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// const std::vector<float> a_values{1, 2, 3, 4}, b_values{10, 20, 30};
/// std::vector<int> keys(7);
/// std::vector<float> sums(7);
/// std::int64_t count = 3; // of the keys of a
/// const mgpu::deferred size{&count, 4};
/// mgpu::set_union_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       b_values.begin(), keys.begin(), sums.begin(), &count, cuda::std::less<>{},
///                       cuda::std::plus<>{});
/// assert(count == 5 && sums[0] == 1 && sums[1] == 12 && sums[2] == 3);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class Values2, class KeysOut,
  class ValuesOut, class CountPointer, class Compare, class Combine>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_union_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys_first1, Size1 size1, Keys2 keys_first2, Size2 size2,
  Values1 values_first1, Values2 values_first2, KeysOut keys_result, ValuesOut values_result, CountPointer d_count,
  Compare comp, Combine combine)
{
  return detail::execute_n(
    exec, "set_union_by_key_n",
    detail::set_operation_job(
      detail::set_union_t{},
      detail::make_set_inputs(keys_first1, values_first1, size1, keys_first2, values_first2, size2),
      detail::combined_result{keys_result, values_result, combine}, comp),
    d_count);
}

/// set_union_size of set_operations.h: counts and writes nothing else.
///
/// @param exec         execution policy
/// @param first1,size1 the first range
/// @param first2,size2 the second range
/// @param d_count      receives the size of the result
/// @param comp         strict weak order of both ranges
/// @return the size of the result; its capacity is size1 + size2
/// @since 1.0
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
  const thrust::execution_policy<Policy>& exec, Keys1 first1, Size1 size1, Keys2 first2, Size2 size2,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_union_size_n",
    detail::set_operation_job(
      detail::set_union_t{}, detail::make_set_inputs(first1, size1, first2, size2), detail::set_size{}, comp),
    d_count);
}

/// set_difference of set_operations.h: writes the difference of two sorted ranges.
///
/// @param exec         execution policy
/// @param first1,size1 the first range
/// @param first2,size2 the second range
/// @param result       start of the output; room for size1 elements is always enough
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
/// mgpu::set_difference_n(thrust::host, a.begin(), size, b.begin(), 3, out.begin(), &count);
/// assert(count == 2 && out[0] == 1 && out[1] == 3);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_difference_n(
  const thrust::execution_policy<Policy>& exec, Keys1 first1, Size1 size1, Keys2 first2, Size2 size2, KeysOut result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_difference_n",
    detail::set_operation_job(
      detail::set_difference_t{}, detail::make_set_inputs(first1, size1, first2, size2),
      detail::set_result{result, detail::no_values{}}, comp),
    d_count);
}

/// set_difference_by_key of set_operations.h: keys and their values.
///
/// @param exec                      execution policy
/// @param keys_first1,size1         the first range of keys
/// @param keys_first2,size2         the second range of keys
/// @param values_first1             a value for each key of the first range
/// @param values_first2             not read, as the result has keys of the first range alone
/// @param keys_result,values_result starts of the outputs; room for size1 elements in each is always enough
/// @param d_count                   receives the size of the result
/// @param comp                      strict weak order of both ranges of keys
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
/// mgpu::set_difference_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       b_values.begin(), keys.begin(), values.begin(), &count);
/// assert(count == 2 && values[1] == 'c');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class Values2, class KeysOut,
  class ValuesOut, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_difference_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys_first1, Size1 size1, Keys2 keys_first2, Size2 size2,
  Values1 values_first1, [[maybe_unused]] Values2 values_first2, KeysOut keys_result, ValuesOut values_result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_difference_by_key_n",
    detail::set_operation_job(
      detail::set_difference_t{},
      detail::make_set_inputs(keys_first1, values_first1, size1, keys_first2, detail::no_values{}, size2),
      detail::set_result{keys_result, values_result}, comp),
    d_count);
}

/// set_difference_size of set_operations.h: counts and writes nothing else.
///
/// @param exec         execution policy
/// @param first1,size1 the first range
/// @param first2,size2 the second range
/// @param d_count      receives the size of the result
/// @param comp         strict weak order of both ranges
/// @return the size of the result; its capacity is size1
/// @since 1.0
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
  const thrust::execution_policy<Policy>& exec, Keys1 first1, Size1 size1, Keys2 first2, Size2 size2,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_difference_size_n",
    detail::set_operation_job(
      detail::set_difference_t{}, detail::make_set_inputs(first1, size1, first2, size2), detail::set_size{}, comp),
    d_count);
}

/// set_symmetric_difference of set_operations.h: writes the symmetric difference of two sorted ranges.
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
/// mgpu::set_symmetric_difference_n(thrust::host, a.begin(), size, b.begin(), 3, out.begin(), &count);
/// assert(count == 4 && out[0] == 1 && out[3] == 7);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_symmetric_difference_n(
  const thrust::execution_policy<Policy>& exec, Keys1 first1, Size1 size1, Keys2 first2, Size2 size2, KeysOut result,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_symmetric_difference_n",
    detail::set_operation_job(
      detail::set_symmetric_difference_t{}, detail::make_set_inputs(first1, size1, first2, size2),
      detail::set_result{result, detail::no_values{}}, comp),
    d_count);
}

/// set_symmetric_difference_by_key of set_operations.h: keys and their values.
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
/// mgpu::set_symmetric_difference_by_key_n(thrust::host, a.begin(), size, b.begin(), 3, a_values.begin(),
///                       b_values.begin(), keys.begin(), values.begin(), &count);
/// assert(count == 4 && values[1] == 'c' && values[3] == 'z');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys1, class Size1, class Keys2, class Size2, class Values1, class Values2, class KeysOut,
  class ValuesOut, class CountPointer, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> set_symmetric_difference_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys1 keys_first1, Size1 size1, Keys2 keys_first2, Size2 size2,
  Values1 values_first1, Values2 values_first2, KeysOut keys_result, ValuesOut values_result, CountPointer d_count,
  Compare comp = {})
{
  return detail::execute_n(
    exec, "set_symmetric_difference_by_key_n",
    detail::set_operation_job(
      detail::set_symmetric_difference_t{},
      detail::make_set_inputs(keys_first1, values_first1, size1, keys_first2, values_first2, size2),
      detail::set_result{keys_result, values_result}, comp),
    d_count);
}

/// set_symmetric_difference_size of set_operations.h: counts and writes nothing else.
///
/// @param exec         execution policy
/// @param first1,size1 the first range
/// @param first2,size2 the second range
/// @param d_count      receives the size of the result
/// @param comp         strict weak order of both ranges
/// @return the size of the result; its capacity is size1 + size2
/// @since 1.0
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
  const thrust::execution_policy<Policy>& exec, Keys1 first1, Size1 size1, Keys2 first2, Size2 size2,
  CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "set_symmetric_difference_size_n",
    detail::set_operation_job(
      detail::set_symmetric_difference_t{}, detail::make_set_inputs(first1, size1, first2, size2), detail::set_size{},
      comp),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

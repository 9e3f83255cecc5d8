// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorts of ranges whose sizes may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/sort/cpu/cpu.h>
#include <mgpu_thrust/detail/sort/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sort/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// stable_sort of sort.h: sorts a range; equal elements keep their order.
///
/// @param exec       execution policy
/// @param first,size the range
/// @param comp       strict weak order
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> numbers{5, 3, 4, 1, 2};
/// const int count = 3; // stands for what an earlier call stores
/// mgpu::stable_sort_n(thrust::host, numbers.begin(), mgpu::deferred{&count, 5});
/// assert((numbers == std::vector<int>{3, 4, 5, 1, 2}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Size, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size
stable_sort_n(const thrust::execution_policy<Policy>& exec, Iterator first, Size size, Compare comp = {})
{
  detail::execute_n(exec, "stable_sort_n", detail::make_sort("the input", first, size, detail::no_values{}, comp));
  return size;
}

/// sort of sort.h; another name for stable_sort_n.
///
/// @param exec       execution policy
/// @param first,size the range
/// @param comp       strict weak order
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> numbers{3, 4, 5, 1, 2};
/// const int count = 3; // stands for what an earlier call stores
/// mgpu::sort_n(thrust::host, numbers.begin(), mgpu::deferred{&count, 5}, thrust::greater<int>{});
/// assert((numbers == std::vector<int>{5, 4, 3, 1, 2}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Size, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size
sort_n(const thrust::execution_policy<Policy>& exec, Iterator first, Size size, Compare comp = {})
{
  detail::execute_n(exec, "sort_n", detail::make_sort("the input", first, size, detail::no_values{}, comp));
  return size;
}

/// stable_sort_by_key of sort.h: sorts keys, and their values with them; equal keys keep their order.
///
/// @param exec            execution policy
/// @param keys_first,size the keys
/// @param values_first    start of the values, as many as there are keys; they must not overlap the keys
/// @param comp            strict weak order of the keys
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> keys{3, 1, 3, 2};
/// std::vector<char> values{'a', 'b', 'c', 'd'};
/// const int count = 3; // stands for what an earlier call stores
/// mgpu::stable_sort_by_key_n(thrust::host, keys.begin(), mgpu::deferred{&count, 4}, values.begin());
/// assert((keys == std::vector<int>{1, 3, 3, 2}));
/// assert((values == std::vector<char>{'b', 'a', 'c', 'd'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class KeyIterator, class Size, class ValueIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size stable_sort_by_key_n(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, Size size, ValueIterator values_first,
  Compare comp = {})
{
  detail::execute_n(exec, "stable_sort_by_key_n", detail::make_sort("the keys", keys_first, size, values_first, comp));
  return size;
}

/// sort_by_key of sort.h; another name for stable_sort_by_key_n.
///
/// @param exec            execution policy
/// @param keys_first,size the keys
/// @param values_first    start of the values, as many as there are keys; they must not overlap the keys
/// @param comp            strict weak order of the keys
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> keys{3, 1, 2};
/// std::vector<std::string> names{"three", "one", "two"};
/// const int count = 2; // stands for what an earlier call stores
/// mgpu::sort_by_key_n(thrust::host, keys.begin(), mgpu::deferred{&count, 3}, names.begin());
/// assert((names == std::vector<std::string>{"one", "three", "two"}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class KeyIterator, class Size, class ValueIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size sort_by_key_n(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, Size size, ValueIterator values_first,
  Compare comp = {})
{
  detail::execute_n(exec, "sort_by_key_n", detail::make_sort("the keys", keys_first, size, values_first, comp));
  return size;
}

/// stable_sort_indices of sort.h: writes the indices that would sort a range, which is left unchanged.
///
/// @param exec        execution policy
/// @param first,size  the range
/// @param indices_out start of the output: a random-access iterator to integers of any type, as many as the range has
///                    elements. It must not overlap the range
/// @param comp        strict weak order
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<std::string> words{"pear", "fig", "apple"};
/// std::vector<int> order(3, -1);
/// const int count = 2; // stands for what an earlier call stores
/// mgpu::stable_sort_indices_n(thrust::host, words.begin(), mgpu::deferred{&count, 3}, order.begin());
/// assert((order == std::vector<int>{1, 0, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Size, class IndexIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size stable_sort_indices_n(
  const thrust::execution_policy<Policy>& exec, Iterator first, Size size, IndexIterator indices_out, Compare comp = {})
{
  detail::execute_n(exec, "stable_sort_indices_n", detail::make_sort_indices(first, size, indices_out, comp));
  return size;
}

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorts of segments, and locality sorts, whose sizes may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/sort/cpu/cpu.h>
#include <mgpu_thrust/detail/sort/cpu/segmented_cpu.h>
#include <mgpu_thrust/detail/sort/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sort/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// segmented_stable_sort of segmented_sort.h: sorts each segment of a range; equal elements keep their order.
///
/// @param exec          execution policy
/// @param first,size    the range
/// @param offsets_first start of the segments' offsets
/// @param num_segments  their number: n if there are n + 1 offsets, as in CSR
/// @param comp          strict weak order
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> neighbours{7, 3, 5, 2, 9, 1};
/// const std::vector<int> offsets{0, 3, 3, 99};
/// const int counts[] = {5, 3}; // of elements and of segments: lists of 3, 0 and 2
/// mgpu::segmented_stable_sort_n(
///   thrust::host, neighbours.begin(), mgpu::deferred{&counts[0], 6}, offsets.begin(), mgpu::deferred{&counts[1], 4});
/// assert((neighbours == std::vector<int>{3, 5, 7, 2, 9, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Iterator, class Size, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size segmented_stable_sort_n(
  const thrust::execution_policy<Policy>& exec, Iterator first, Size size, Offsets offsets_first,
  NumSegments num_segments, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_stable_sort_n",
    detail::make_segmented_sort("the input", first, size, detail::no_values{}, offsets_first, num_segments, comp));
  return size;
}

/// segmented_sort of segmented_sort.h; another name for segmented_stable_sort_n.
///
/// @param exec          execution policy
/// @param first,size    the range
/// @param offsets_first start of the segments' offsets
/// @param num_segments  their number: n if there are n + 1 offsets, as in CSR
/// @param comp          strict weak order
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> numbers{7, 3, 5, 2, 9, 1};
/// const std::vector<int> offsets{0, 4};
/// const int count = 5; // stands for what an earlier call stores
/// mgpu::segmented_sort_n(
///   thrust::host, numbers.begin(), mgpu::deferred{&count, 6}, offsets.begin(), 2, thrust::greater<int>{});
/// assert((numbers == std::vector<int>{7, 5, 3, 2, 9, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Iterator, class Size, class Offsets, class NumSegments, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size segmented_sort_n(
  const thrust::execution_policy<Policy>& exec, Iterator first, Size size, Offsets offsets_first,
  NumSegments num_segments, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_sort_n",
    detail::make_segmented_sort("the input", first, size, detail::no_values{}, offsets_first, num_segments, comp));
  return size;
}

/// segmented_stable_sort_by_key of segmented_sort.h: sorts the keys of each segment, and their values with them; equal
/// keys keep their order.
///
/// @param exec            execution policy
/// @param keys_first,size the keys
/// @param values_first    start of the values, as many as there are keys; they must not overlap the keys
/// @param offsets_first   start of the segments' offsets
/// @param num_segments    their number: n if there are n + 1 offsets, as in CSR
/// @param comp            strict weak order of the keys
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> columns{4, 1, 2, 0};
/// std::vector<double> nonzeros{4.5, 1.5, 2.5, 0.5};
/// const std::vector<int> rows{0, 2};
/// const int count = 3; // stands for what an earlier call stores
/// mgpu::segmented_stable_sort_by_key_n(
///   thrust::host, columns.begin(), mgpu::deferred{&count, 4}, nonzeros.begin(), rows.begin(), 2);
/// assert((columns == std::vector<int>{1, 4, 2, 0}));
/// assert(nonzeros[0] == 1.5 && nonzeros[1] == 4.5 && nonzeros[2] == 2.5);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class Size, class ValueIterator, class Offsets, class NumSegments,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size segmented_stable_sort_by_key_n(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, Size size, ValueIterator values_first,
  Offsets offsets_first, NumSegments num_segments, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_stable_sort_by_key_n",
    detail::make_segmented_sort("the keys", keys_first, size, values_first, offsets_first, num_segments, comp));
  return size;
}

/// segmented_sort_by_key of segmented_sort.h; another name for segmented_stable_sort_by_key_n.
///
/// @param exec            execution policy
/// @param keys_first,size the keys
/// @param values_first    start of the values, as many as there are keys; they must not overlap the keys
/// @param offsets_first   start of the segments' offsets
/// @param num_segments    their number: n if there are n + 1 offsets, as in CSR
/// @param comp            strict weak order of the keys
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> keys{4, 1, 2, 0};
/// std::vector<std::string> names{"four", "one", "two", "none"};
/// const std::vector<int> offsets{0, 2};
/// const int count = 1; // of segments: stands for what an earlier call stores
/// mgpu::segmented_sort_by_key_n(
///   thrust::host, keys.begin(), 4, names.begin(), offsets.begin(), mgpu::deferred{&count, 2});
/// assert((names == std::vector<std::string>{"none", "one", "two", "four"}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class Size, class ValueIterator, class Offsets, class NumSegments,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size segmented_sort_by_key_n(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, Size size, ValueIterator values_first,
  Offsets offsets_first, NumSegments num_segments, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_sort_by_key_n",
    detail::make_segmented_sort("the keys", keys_first, size, values_first, offsets_first, num_segments, comp));
  return size;
}

/// segmented_stable_sort_indices of segmented_sort.h: writes the indices that would sort each segment of a range, which
/// is left unchanged.
///
/// @param exec            execution policy
/// @param keys_first,size the range
/// @param offsets_first   start of the segments' offsets
/// @param num_segments    their number: n if there are n + 1 offsets, as in CSR
/// @param indices_out     start of the output: a random-access iterator to integers of any type, as many as the range
///                        has elements. It must not overlap the range
/// @param comp            strict weak order of the keys
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<std::string> words{"pear", "fig", "apple", "plum", "date"};
/// const std::vector<int> offsets{0, 3};
/// std::vector<int> order(5, -1);
/// const int count = 4; // stands for what an earlier call stores
/// mgpu::segmented_stable_sort_indices_n(
///   thrust::host, words.begin(), mgpu::deferred{&count, 5}, offsets.begin(), 2, order.begin());
/// assert((order == std::vector<int>{2, 1, 0, 3, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class Size, class Offsets, class NumSegments, class IndexIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size segmented_stable_sort_indices_n(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, Size size, Offsets offsets_first,
  NumSegments num_segments, IndexIterator indices_out, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_stable_sort_indices_n",
    detail::make_segmented_sort_indices(keys_first, size, offsets_first, num_segments, indices_out, comp));
  return size;
}

/// segmented_sort_by_flags of segmented_sort.h: sorts each segment, where a flag marks the first element of a segment;
/// equal elements keep their order.
///
/// @param exec        execution policy
/// @param first,size  the range
/// @param flags_first start of the flags, as many as there are elements: true, as a bool, for the first of a segment
/// @param comp        strict weak order
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> numbers{3, 1, 2, 9, 5, 0};
/// const std::vector<int> is_first{0, 0, 1, 0, 0, 1};
/// const int count = 5; // stands for what an earlier call stores
/// mgpu::segmented_sort_by_flags_n(
///   thrust::host, numbers.begin(), mgpu::deferred{&count, 6}, is_first.begin());
/// assert((numbers == std::vector<int>{1, 3, 2, 5, 9, 0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Size, class FlagIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size segmented_sort_by_flags_n(
  const thrust::execution_policy<Policy>& exec, Iterator first, Size size, FlagIterator flags_first, Compare comp = {})
{
  detail::execute_n(
    exec, "segmented_sort_by_flags_n", detail::make_segmented_sort_by_flags(first, size, flags_first, comp));
  return size;
}

/// locality_sort of segmented_sort.h: sorts elements that are near their sorted positions, exactly as stable_sort_n
/// does.
///
/// @param exec       execution policy
/// @param first,size the range
/// @param comp       strict weak order
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> cells{1, 2, 1, 3, 4, 3, 0};
/// const int count = 6; // stands for what an earlier call stores
/// mgpu::locality_sort_n(thrust::host, cells.begin(), mgpu::deferred{&count, 7});
/// assert((cells == std::vector<int>{1, 1, 2, 3, 3, 4, 0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Size, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size
locality_sort_n(const thrust::execution_policy<Policy>& exec, Iterator first, Size size, Compare comp = {})
{
  detail::execute_n(exec, "locality_sort_n", detail::make_sort("the input", first, size, detail::no_values{}, comp));
  return size;
}

/// locality_sort_by_key of segmented_sort.h: sorts keys that are near their sorted positions, and their values with
/// them, exactly as stable_sort_by_key_n does.
///
/// @param exec            execution policy
/// @param keys_first,size the keys
/// @param values_first    start of the values, as many as there are keys; they must not overlap the keys
/// @param comp            strict weak order of the keys
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> cells{1, 2, 1, 0};
/// std::vector<int> particles{0, 1, 2, 3};
/// const int count = 3; // stands for what an earlier call stores
/// mgpu::locality_sort_by_key_n(thrust::host, cells.begin(), mgpu::deferred{&count, 4}, particles.begin());
/// assert((particles == std::vector<int>{0, 2, 1, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class KeyIterator, class Size, class ValueIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size locality_sort_by_key_n(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, Size size, ValueIterator values_first,
  Compare comp = {})
{
  detail::execute_n(
    exec, "locality_sort_by_key_n", detail::make_sort("the keys", keys_first, size, values_first, comp));
  return size;
}

/// @}
MGPU_THRUST_NAMESPACE_END

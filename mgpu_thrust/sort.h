// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup sort Sorts
/// Comparison sorts, with and without values, and the indices that sort a range. Names, signatures and specifications
/// follow Thrust and the C++ standard library.
///
/// Always write `mgpu::`. Policies, comparators and thread safety are as for the set operations of
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Semantics.** All sorts are stable, including `sort` and `sort_by_key`: the result is exactly that of
/// `std::stable_sort`. They are merge sorts, for any order and any keys that can be copied: structures, strings on a
/// CPU, indices ordered by the elements that they refer to. Thrust uses a radix sort for numbers in their natural
/// order, which is faster on a GPU if the input is unordered: use `thrust::sort` for such input. Orders must be strict
/// weak orders, as in `std::`. `<` is not one if there are NaNs among the elements: numbers may then be lost. If
/// MGPU_THRUST_CHECK_PRECONDITIONS is defined, std::invalid_argument names the first NaN that `comp` does not order, or
/// element that it says goes before itself, as `<=` does, before anything is sorted.
///
/// **Iterators.** A range has random-access iterators that can be read and written: pointers, iterators of a
/// `thrust::device_vector`, zip or permutation iterators. On a CPU, elements that iterators refer to are moved, not
/// copied, where the two differ. Values may be of any size; large ones are moved once.
///
/// **Complexity.** O(n log n) comparisons. Pieces (2^15 elements on a CPU worker, a few thousand on a GPU) that are
/// already in order are detected and skipped: a range whose elements are near their sorted positions takes little
/// longer than a copy.
///
/// **Temporary storage.** From the policy's allocator, in up to three allocations, which are freed on every path: as
/// much memory as the elements take, which a stable sort in O(n log n) cannot do without, and twice as much where they
/// are not in contiguous memory, or are keys with values; under 1 % more for bookkeeping. Large values (of more than 16
/// bytes on a CPU, 8 on a GPU) and, on a GPU, keys of more than 16 bytes are moved by indices, which take up to 40
/// bytes each. Up to 16 elements on a CPU need none. In device code none is allocated, and the sort takes O(n log(n)^2)
/// steps; O(n^2) where indices go to an output whose elements are no objects, as those of a transform output iterator.
///
/// **Synchronisation.** With `par_nosync` the call does not wait for the GPU: the range must live until its stream has
/// completed the call. An allocator of the policy gets its memory back before that, so it must allocate in stream
/// order. Under other CUDA policies functions return when the result is complete.
///
/// **Exceptions.** std::invalid_argument if the end of a range is before its start; std::length_error if there are more
/// elements than fit in memory, or in a grid of a GPU; mgpu::temporary_storage_error, a std::bad_alloc that names the
/// function, if a default allocator has no memory; thrust::system_error if a kernel cannot be launched. When any of
/// these is thrown, the range is unchanged. An exception that a comparator or an element's copy throws on the host
/// stops all workers and reaches the caller. The elements are then valid but unspecified: some may be there twice,
/// others be missing, and values need not belong to their keys. To keep the elements, sort a copy.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined.
///
/// **Source.** S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path (2012); S. Baxter: Modern GPU, "Mergesort"
/// and "Segmented Sort and Locality Sort" (2013).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/sort/cpu/cpu.h>
#include <mgpu_thrust/detail/sort/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sort/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup sort
/// @{

/// Sorts a range; equal elements keep their order.
///
/// @param exec       execution policy
/// @param first,last the range
/// @param comp       strict weak order
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<std::string> words{"pear", "fig", "apple", "plum", "date"};
/// const auto is_shorter = [](const std::string& x, const std::string& y) { return x.size() < y.size(); };
/// mgpu::stable_sort(thrust::host, words.begin(), words.end(), is_shorter);
/// assert((words == std::vector<std::string>{"fig", "pear", "plum", "date", "apple"}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void
stable_sort(const thrust::execution_policy<Policy>& exec, Iterator first, Iterator last, Compare comp = {})
{
  detail::execute(
    exec, "stable_sort",
    detail::make_sort("the input", first, detail::length_of(first, last), detail::no_values{}, comp));
}

/// stable_sort on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void stable_sort(Iterator first, Iterator last, Compare comp = {})
{
  mgpu::stable_sort(detail::system_policy_t<Iterator>{}, first, last, comp);
}

/// Sorts a range; another name for stable_sort.
///
/// @param exec       execution policy
/// @param first,last the range
/// @param comp       strict weak order
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<double> numbers{2.5, -1, 7};
/// mgpu::sort(thrust::host, numbers.begin(), numbers.end(), thrust::greater<double>{});
/// assert((numbers == std::vector<double>{7, 2.5, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void
sort(const thrust::execution_policy<Policy>& exec, Iterator first, Iterator last, Compare comp = {})
{
  detail::execute(
    exec, "sort", detail::make_sort("the input", first, detail::length_of(first, last), detail::no_values{}, comp));
}

/// sort on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void sort(Iterator first, Iterator last, Compare comp = {})
{
  mgpu::sort(detail::system_policy_t<Iterator>{}, first, last, comp);
}

/// Sorts keys, and their values with them; equal keys keep their order.
///
/// @param exec                 execution policy
/// @param keys_first,keys_last the keys
/// @param values_first         start of the values, as many as there are keys; they must not overlap the keys
/// @param comp                 strict weak order of the keys
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> keys{3, 1, 3, 2};
/// std::vector<char> values{'a', 'b', 'c', 'd'};
/// mgpu::stable_sort_by_key(thrust::host, keys.begin(), keys.end(), values.begin());
/// assert((keys == std::vector<int>{1, 2, 3, 3}));
/// assert((values == std::vector<char>{'b', 'd', 'a', 'c'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class KeyIterator, class ValueIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void stable_sort_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  ValueIterator values_first, Compare comp = {})
{
  detail::execute(
    exec, "stable_sort_by_key",
    detail::make_sort("the keys", keys_first, detail::length_of(keys_first, keys_last), values_first, comp));
}

/// stable_sort_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeyIterator, class ValueIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void
stable_sort_by_key(KeyIterator keys_first, KeyIterator keys_last, ValueIterator values_first, Compare comp = {})
{
  mgpu::stable_sort_by_key(
    detail::system_policy_t<KeyIterator, ValueIterator>{}, keys_first, keys_last, values_first, comp);
}

/// Sorts keys, and their values with them; another name for stable_sort_by_key.
///
/// @param exec                 execution policy
/// @param keys_first,keys_last the keys
/// @param values_first         start of the values, as many as there are keys; they must not overlap the keys
/// @param comp                 strict weak order of the keys
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> keys{3, 1, 2};
/// std::vector<std::string> names{"three", "one", "two"};
/// mgpu::sort_by_key(thrust::host, keys.begin(), keys.end(), names.begin());
/// assert((names == std::vector<std::string>{"one", "two", "three"}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class KeyIterator, class ValueIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void sort_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  ValueIterator values_first, Compare comp = {})
{
  detail::execute(
    exec, "sort_by_key",
    detail::make_sort("the keys", keys_first, detail::length_of(keys_first, keys_last), values_first, comp));
}

/// sort_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeyIterator, class ValueIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void
sort_by_key(KeyIterator keys_first, KeyIterator keys_last, ValueIterator values_first, Compare comp = {})
{
  mgpu::sort_by_key(detail::system_policy_t<KeyIterator, ValueIterator>{}, keys_first, keys_last, values_first, comp);
}

/// Writes the indices that would sort a range, which is left unchanged: the index of the first element in sorted order,
/// then that of the second, and so on; indices of equal elements are in ascending order.
///
/// @param exec        execution policy
/// @param first,last  the range
/// @param indices_out start of the output: a random-access iterator to integers of any type, as many as the range has
///                    elements; it need not be readable. It must not overlap the range
/// @param comp        strict weak order
/// @return the end of the output
/// @throws std::length_error if the output's integers cannot hold the index of the last element; nothing is written
/// then
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<std::string> words{"pear", "fig", "apple"};
/// std::vector<int> order(3);
/// mgpu::stable_sort_indices(thrust::host, words.begin(), words.end(), order.begin());
/// assert((order == std::vector<int>{2, 1, 0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class IndexIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE IndexIterator stable_sort_indices(
  const thrust::execution_policy<Policy>& exec, Iterator first, Iterator last, IndexIterator indices_out,
  Compare comp = {})
{
  return detail::execute(
    exec, "stable_sort_indices", detail::make_sort_indices(first, detail::length_of(first, last), indices_out, comp));
}

/// stable_sort_indices on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class IndexIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE IndexIterator
stable_sort_indices(Iterator first, Iterator last, IndexIterator indices_out, Compare comp = {})
{
  return mgpu::stable_sort_indices(detail::system_policy_t<Iterator, IndexIterator>{}, first, last, indices_out, comp);
}

/// @}
MGPU_THRUST_NAMESPACE_END

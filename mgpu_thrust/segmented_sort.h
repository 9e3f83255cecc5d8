// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup segmented_sort Segmented sorts and locality sorts
/// Sorts of many segments at once, and sorts of ranges that are nearly sorted.
///
/// Always write `mgpu::`. These sorts are, like those of `mgpu_thrust/sort.h`, stable, by comparison in any order, of
/// any keys that can be copied; their policies, iterators, storage, synchronisation and exceptions are the same too.
/// Differences:
///
/// **Segments** are given by offsets, as in `mgpu_thrust/load_balance.h`: one for each segment, the number of elements
/// before it, the first one 0; the last segment ends at the end of the range. (Of n + 1 offsets, as CSR and CUB have
/// them, pass all but the last: `row_ptr.begin(), row_ptr.end() - 1`.) Or they are given by flags: an element whose
/// flag is true as a bool is the first of a segment; element 0 always is. Offsets may repeat, as segments may be empty,
/// at any position. They are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then std::invalid_argument
/// names the first position whose offset is wrong, before anything is sorted, and `comp` is checked on all elements, as
/// in sort.h. Offsets and flags must not overlap the elements or be computed from them.
///
/// **Complexity.** O(n log(m)) comparisons for segments of up to m elements, plus O(log(segments)) steps per piece. The
/// mixture of segment lengths makes no difference: work is divided into equal pieces, not by segment.
///
/// **Temporary storage.** On a GPU under 1 % more than a sort of all elements needs. On a CPU flags need 8 bytes per
/// segment.
///
/// **Exceptions.** Also std::invalid_argument if `offsets_last` is before `offsets_first`, or there are elements and no
/// segment.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined.
///
/// **Source.** S. Baxter: Modern GPU, "Segmented Sort and Locality Sort" (2013).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/sort/cpu/cpu.h>
#include <mgpu_thrust/detail/sort/cpu/segmented_cpu.h>
#include <mgpu_thrust/detail/sort/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sort/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup segmented_sort
/// @{

/// Sorts each segment of a range; equal elements keep their order.
///
/// @param exec                       execution policy
/// @param first,last                 the range
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param comp                       strict weak order
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> neighbours{7, 3, 5, 2, 9, 1};
/// const std::vector<int> offsets{0, 3, 3, 5}; // lists of 3, 0, 2 and 1
/// mgpu::segmented_stable_sort(
///   thrust::host, neighbours.begin(), neighbours.end(), offsets.begin(), offsets.end());
/// assert((neighbours == std::vector<int>{3, 5, 7, 2, 9, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_stable_sort(
  const thrust::execution_policy<Policy>& exec, Iterator first, Iterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, Compare comp = {})
{
  detail::execute(
    exec, "segmented_stable_sort",
    detail::make_segmented_sort(
      "the input", first, detail::length_of(first, last), detail::no_values{}, offsets_first,
      detail::length_of(offsets_first, offsets_last), comp));
}

/// segmented_stable_sort on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_stable_sort(
  Iterator first, Iterator last, OffsetIterator offsets_first, OffsetIterator offsets_last, Compare comp = {})
{
  mgpu::segmented_stable_sort(
    detail::system_policy_t<Iterator, OffsetIterator>{}, first, last, offsets_first, offsets_last, comp);
}

/// Sorts each segment of a range; another name for segmented_stable_sort.
///
/// @param exec                       execution policy
/// @param first,last                 the range
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param comp                       strict weak order
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> numbers{7, 3, 5, 2, 9, 1};
/// const std::vector<int> offsets{0, 4};
/// mgpu::segmented_sort(
///   thrust::host, numbers.begin(), numbers.end(), offsets.begin(), offsets.end(), thrust::greater<int>{});
/// assert((numbers == std::vector<int>{7, 5, 3, 2, 9, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_sort(
  const thrust::execution_policy<Policy>& exec, Iterator first, Iterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, Compare comp = {})
{
  detail::execute(
    exec, "segmented_sort",
    detail::make_segmented_sort(
      "the input", first, detail::length_of(first, last), detail::no_values{}, offsets_first,
      detail::length_of(offsets_first, offsets_last), comp));
}

/// segmented_sort on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_sort(
  Iterator first, Iterator last, OffsetIterator offsets_first, OffsetIterator offsets_last, Compare comp = {})
{
  mgpu::segmented_sort(
    detail::system_policy_t<Iterator, OffsetIterator>{}, first, last, offsets_first, offsets_last, comp);
}

/// Sorts the keys of each segment, and their values with them; equal keys keep their order.
///
/// @param exec                       execution policy
/// @param keys_first,keys_last       the keys
/// @param values_first               start of the values, as many as there are keys; they must not overlap the keys
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param comp                       strict weak order of the keys
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> columns{4, 1, 2, 0};
/// std::vector<double> nonzeros{4.5, 1.5, 2.5, 0.5};
/// const std::vector<int> rows{0, 2};
/// mgpu::segmented_stable_sort_by_key(
///   thrust::host, columns.begin(), columns.end(), nonzeros.begin(), rows.begin(), rows.end());
/// assert((columns == std::vector<int>{1, 4, 0, 2}));
/// assert((nonzeros == std::vector<double>{1.5, 4.5, 0.5, 2.5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class ValueIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_stable_sort_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  ValueIterator values_first, OffsetIterator offsets_first, OffsetIterator offsets_last, Compare comp = {})
{
  detail::execute(
    exec, "segmented_stable_sort_by_key",
    detail::make_segmented_sort(
      "the keys", keys_first, detail::length_of(keys_first, keys_last), values_first, offsets_first,
      detail::length_of(offsets_first, offsets_last), comp));
}

/// segmented_stable_sort_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeyIterator, class ValueIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_stable_sort_by_key(
  KeyIterator keys_first, KeyIterator keys_last, ValueIterator values_first, OffsetIterator offsets_first,
  OffsetIterator offsets_last, Compare comp = {})
{
  mgpu::segmented_stable_sort_by_key(
    detail::system_policy_t<KeyIterator, ValueIterator, OffsetIterator>{}, keys_first, keys_last, values_first,
    offsets_first, offsets_last, comp);
}

/// Sorts the keys of each segment, and their values with them; another name for segmented_stable_sort_by_key.
///
/// @param exec                       execution policy
/// @param keys_first,keys_last       the keys
/// @param values_first               start of the values, as many as there are keys; they must not overlap the keys
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param comp                       strict weak order of the keys
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> keys{2, 1, 4, 3};
/// std::vector<char> values{'a', 'b', 'c', 'd'};
/// const std::vector<int> offsets{0, 2};
/// mgpu::segmented_sort_by_key(
///   thrust::host, keys.begin(), keys.end(), values.begin(), offsets.begin(), offsets.end());
/// assert((values == std::vector<char>{'b', 'a', 'd', 'c'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class ValueIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_sort_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  ValueIterator values_first, OffsetIterator offsets_first, OffsetIterator offsets_last, Compare comp = {})
{
  detail::execute(
    exec, "segmented_sort_by_key",
    detail::make_segmented_sort(
      "the keys", keys_first, detail::length_of(keys_first, keys_last), values_first, offsets_first,
      detail::length_of(offsets_first, offsets_last), comp));
}

/// segmented_sort_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeyIterator, class ValueIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_sort_by_key(
  KeyIterator keys_first, KeyIterator keys_last, ValueIterator values_first, OffsetIterator offsets_first,
  OffsetIterator offsets_last, Compare comp = {})
{
  mgpu::segmented_sort_by_key(
    detail::system_policy_t<KeyIterator, ValueIterator, OffsetIterator>{}, keys_first, keys_last, values_first,
    offsets_first, offsets_last, comp);
}

/// Writes the indices that would sort each segment of a range, which is left unchanged: for each segment the index of
/// its first element in sorted order, then that of the second, and so on. Indices count from the beginning of the
/// range, not of the segment, so those of segment s fill the places from its offset on; those of equal keys are in
/// ascending order.
///
/// @param exec                       execution policy
/// @param keys_first,keys_last       the range
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param indices_out                start of the output: a random-access iterator to integers of any type, as many as
///                                   the range has elements. It must not overlap the range
/// @param comp                       strict weak order of the keys
/// @return the end of the output
/// @throws std::length_error if the output's integers cannot hold the index of the last element; nothing is written
/// then
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<std::string> words{"pear", "fig", "apple", "plum", "date"};
/// const std::vector<int> offsets{0, 3}; // lists of 3 and 2 words
/// std::vector<int> order(5);
/// mgpu::segmented_stable_sort_indices(
///   thrust::host, words.begin(), words.end(), offsets.begin(), offsets.end(), order.begin());
/// assert((order == std::vector<int>{2, 1, 0, 4, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class OffsetIterator, class IndexIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE IndexIterator segmented_stable_sort_indices(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  OffsetIterator offsets_first, OffsetIterator offsets_last, IndexIterator indices_out, Compare comp = {})
{
  return detail::execute(
    exec, "segmented_stable_sort_indices",
    detail::make_segmented_sort_indices(
      keys_first, detail::length_of(keys_first, keys_last), offsets_first,
      detail::length_of(offsets_first, offsets_last), indices_out, comp));
}

/// segmented_stable_sort_indices on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeyIterator, class OffsetIterator, class IndexIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE IndexIterator segmented_stable_sort_indices(
  KeyIterator keys_first, KeyIterator keys_last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  IndexIterator indices_out, Compare comp = {})
{
  return mgpu::segmented_stable_sort_indices(
    detail::system_policy_t<KeyIterator, OffsetIterator, IndexIterator>{}, keys_first, keys_last, offsets_first,
    offsets_last, indices_out, comp);
}

/// Sorts each segment of a range, where flags mark the first elements of segments; equal elements keep their order.
///
/// @param exec        execution policy
/// @param first,last  the range
/// @param flags_first start of the flags, one for each element
/// @param comp        strict weak order
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> numbers{3, 1, 2, 9, 8};
/// const std::vector<char> is_first{0, 0, 0, 1, 0};
/// mgpu::segmented_sort_by_flags(thrust::host, numbers.begin(), numbers.end(), is_first.begin());
/// assert((numbers == std::vector<int>{1, 2, 3, 8, 9}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class FlagIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void segmented_sort_by_flags(
  const thrust::execution_policy<Policy>& exec, Iterator first, Iterator last, FlagIterator flags_first,
  Compare comp = {})
{
  detail::execute(
    exec, "segmented_sort_by_flags",
    detail::make_segmented_sort_by_flags(first, detail::length_of(first, last), flags_first, comp));
}

/// segmented_sort_by_flags on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class FlagIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void
segmented_sort_by_flags(Iterator first, Iterator last, FlagIterator flags_first, Compare comp = {})
{
  mgpu::segmented_sort_by_flags(detail::system_policy_t<Iterator, FlagIterator>{}, first, last, flags_first, comp);
}

/// Sorts a range whose elements are near their sorted positions: exactly as stable_sort does, in a time that depends on
/// how near they are. Each pass skips the pieces that no element has to enter or leave: the work is O(n) plus
/// O(k log(d)) for k elements in pieces that others, from up to d positions away, belong to. (stable_sort does the
/// same; the name states what a caller expects.)
///
/// @param exec       execution policy
/// @param first,last the range
/// @param comp       strict weak order
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> cells{1, 2, 1, 3, 4, 3, 5}; // of particles that have moved a little
/// mgpu::locality_sort(thrust::host, cells.begin(), cells.end());
/// assert((cells == std::vector<int>{1, 1, 2, 3, 3, 4, 5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Iterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void
locality_sort(const thrust::execution_policy<Policy>& exec, Iterator first, Iterator last, Compare comp = {})
{
  detail::execute(
    exec, "locality_sort",
    detail::make_sort("the input", first, detail::length_of(first, last), detail::no_values{}, comp));
}

/// locality_sort on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void locality_sort(Iterator first, Iterator last, Compare comp = {})
{
  mgpu::locality_sort(detail::system_policy_t<Iterator>{}, first, last, comp);
}

/// Sorts keys that are near their sorted positions, and their values with them; exactly as stable_sort_by_key does.
///
/// @param exec                 execution policy
/// @param keys_first,keys_last the keys
/// @param values_first         start of the values, as many as there are keys; they must not overlap the keys
/// @param comp                 strict weak order of the keys
/// @since 1.0
///
/// @code{.cpp}
/// std::vector<int> cells{1, 2, 1, 3};
/// std::vector<int> particles{0, 1, 2, 3};
/// mgpu::locality_sort_by_key(thrust::host, cells.begin(), cells.end(), particles.begin());
/// assert((particles == std::vector<int>{0, 2, 1, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class KeyIterator, class ValueIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void locality_sort_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  ValueIterator values_first, Compare comp = {})
{
  detail::execute(
    exec, "locality_sort_by_key",
    detail::make_sort("the keys", keys_first, detail::length_of(keys_first, keys_last), values_first, comp));
}

/// locality_sort_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeyIterator, class ValueIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void
locality_sort_by_key(KeyIterator keys_first, KeyIterator keys_last, ValueIterator values_first, Compare comp = {})
{
  mgpu::locality_sort_by_key(
    detail::system_policy_t<KeyIterator, ValueIterator>{}, keys_first, keys_last, values_first, comp);
}

/// @}
MGPU_THRUST_NAMESPACE_END

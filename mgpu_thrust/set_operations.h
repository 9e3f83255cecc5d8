// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup set_operations Set operations
/// Multiset operations on sorted ranges: intersection, union, difference, symmetric difference, with and without
/// values, counted only, and inclusion. Names, signatures and specifications follow Thrust and the C++ standard
/// library.
///
/// The following holds for all of them, and is not repeated below:
///
/// **Semantics.** Ranges are multisets: the k-th copy of a key in one range matches the k-th copy of it in the other.
/// Results are sorted and stable, and exactly those of `std::set_*`, including which range an element comes from.
///
/// **Policies.** `exec` is any Thrust execution policy: `thrust::seq`, `thrust::host` and `thrust::cpp::par` execute on
/// the calling thread; `thrust::omp::par` on omp_get_max_threads() workers; `thrust::tbb::par` on the current arena
/// (comparators may use TBB themselves; in a task group that was cancelled a call does all of its work);
/// `thrust::cuda::par`, with `on(stream)`, an allocator or `par_nosync`, on a GPU; policies derived from these work the
/// same way. A policy selects one of these systems by its base: overloads for a system of your own, which Thrust's
/// functions would find by argument-dependent lookup, are never called. Without a policy the system follows from the
/// iterators. In device code all policies execute serially. Always write `mgpu::`: unqualified calls are ambiguous with
/// Thrust's and the standard library's functions.
///
/// **Iterators.** Inputs are random-access iterators; `last - first` elements, sorted by `comp`. Their value types may
/// differ and need no common type. Outputs are random-access output iterators (discard, zip and transform output
/// iterators too); the serial policies also accept plain ones such as `std::back_insert_iterator`. Only they accept
/// those of a `std::vector<bool>`, whose elements share words, alone or within other iterators. An output must not
/// overlap an input or another output. Elements are copied to it, from move iterators too, so it must be assignable
/// from both value types that it can receive.
///
/// **Comparators.** `comp(x, y)` is a strict weak order, callable with both value types in all four combinations; it
/// may be called at the same time by several threads, each with its own copy, and is called on elements of the input
/// only. The default, `cuda::std::less<>`, is `operator<`.
///
/// **Complexity.** Linear in the number of elements of both ranges: one pass, on one thread with at most two
/// comparisons per element (where both ranges hold one arithmetic type, a constant number of comparisons, as these are
/// cheap); with W workers or a GPU, plus a search of O(log n) comparisons per piece. O(short log long) where one range
/// is much shorter (32 times on a CPU, 256 times if the other has more than 16 MiB; 64 times on a GPU) and nothing of
/// the other is written that has no match: in an intersection and in all size functions either range, in a difference
/// the first, in includes the second. The time does not depend on the lengths of runs of equal keys.
///
/// **Temporary storage.** None on the calling thread. Otherwise one allocation from the policy's allocator, freed
/// before the function returns: room for 2^17 elements (keys of up to 16 bytes, 4 bytes for larger ones or for values,
/// 4 more if these are combined) for each CPU worker; on a GPU under 1 % of the size of the input, and for the size of
/// the result a word of a page of page-locked host memory that the program allocates once and keeps.
///
/// **Synchronisation.** Functions return when their result is complete; a CUDA policy synchronises its stream once,
/// with `par_nosync` too, as the end of the result is not known before. An allocator and the inputs must live until
/// then. So one host thread makes one call at a time; to enqueue calls, use DeviceSetOperations, in
/// `mgpu_thrust/device/device_set_operations.cuh`.
///
/// **Thread safety.** Any number of host threads and streams may call at once.
///
/// **Exceptions.** std::invalid_argument if the end of a range is before its start; std::length_error if both ranges
/// together have more than 2^63 - 1 elements, or, on a GPU, take more than the 2^31 - 1 blocks of a grid: a block has
/// some thousand elements, or 128 of a range that is much shorter than the other; mgpu::temporary_storage_error, a
/// std::bad_alloc that names the function, if a default allocator has no memory; thrust::system_error if a kernel
/// cannot be launched. An exception that the comparator, an iterator or the caller's allocator throws reaches the
/// caller unchanged. When any of these is thrown, the output is untouched, or, where a comparator or an iterator threw,
/// holds elements of the result in some positions. That the ranges are sorted is not checked, unless
/// MGPU_THRUST_CHECK_PRECONDITIONS is defined: then std::invalid_argument names the range and the first position out of
/// order, or where `comp` is no strict weak order (`<=`, or `<` with a NaN), and the output is untouched.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile. Copy constructors and assignments may do more than copy bytes, and only objects are assigned to:
/// the elements of outputs. A `thrust::device_vector` that is made of elements on the host assigns to memory without
/// objects, unless they are trivially copyable, or THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE says that their bytes suffice.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined. On a GPU `comp` may then be called with
/// values that no element has.
///
/// **Source.** S. Baxter: Modern GPU, "Multisets" (2013), whose balanced path divides both ranges into independent
/// pieces.

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

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup set_operations
/// @{

/// Writes the sorted intersection of two sorted ranges.
///
/// A key with m copies in the first range and n in the second appears min(m, n) times: the first min(m, n) copies of
/// the first range. Every element of the result comes from the first range.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param result       start of the output; room for min(last1 - first1, last2 - first2) elements is always enough
/// @param comp         strict weak order of both ranges
/// @return the end of the output, past the last element written
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::vector<int> out(3);
/// const auto end = mgpu::set_intersection(thrust::host, a.begin(), a.end(), b.begin(), b.end(), out.begin());
/// out.erase(end, out.end());
/// assert((out == std::vector<int>{3, 5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator set_intersection(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, OutputIterator result, Compare comp = {})
{
  return detail::execute(
           exec, "set_intersection",
           detail::set_operation_job(
             detail::set_intersection_t{}, detail::inputs_of_ranges(first1, last1, first2, last2),
             detail::set_result{result, detail::no_values{}}, comp))
    .keys;
}

/// set_intersection on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator set_intersection(
  InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, OutputIterator result,
  Compare comp = {})
{
  return mgpu::set_intersection(
    detail::system_policy_t<InputIterator1, InputIterator2, OutputIterator>{}, first1, last1, first2, last2, result,
    comp);
}

/// Writes the sorted union of two sorted ranges.
///
/// A key with m copies in the first range and n in the second appears max(m, n) times: all m copies of the first range,
/// then the last max(n - m, 0) copies of the second.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param result       start of the output; room for (last1 - first1) + (last2 - first2) elements is always enough
/// @param comp         strict weak order of both ranges
/// @return the end of the output, past the last element written
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::vector<int> out(7);
/// const auto end = mgpu::set_union(thrust::host, a.begin(), a.end(), b.begin(), b.end(), out.begin());
/// out.erase(end, out.end());
/// assert((out == std::vector<int>{1, 3, 3, 5, 7}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator set_union(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, OutputIterator result, Compare comp = {})
{
  return detail::execute(
           exec, "set_union",
           detail::set_operation_job(
             detail::set_union_t{}, detail::inputs_of_ranges(first1, last1, first2, last2),
             detail::set_result{result, detail::no_values{}}, comp))
    .keys;
}

/// set_union on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator set_union(
  InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, OutputIterator result,
  Compare comp = {})
{
  return mgpu::set_union(
    detail::system_policy_t<InputIterator1, InputIterator2, OutputIterator>{}, first1, last1, first2, last2, result,
    comp);
}

/// Writes the sorted difference of two sorted ranges: what the first holds and the second does not.
///
/// A key with m copies in the first range and n in the second appears max(m - n, 0) times: the last max(m - n, 0)
/// copies of the first range.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param result       start of the output; room for last1 - first1 elements is always enough
/// @param comp         strict weak order of both ranges
/// @return the end of the output, past the last element written
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::vector<int> out(4);
/// const auto end = mgpu::set_difference(thrust::host, a.begin(), a.end(), b.begin(), b.end(), out.begin());
/// out.erase(end, out.end());
/// assert((out == std::vector<int>{1, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator set_difference(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, OutputIterator result, Compare comp = {})
{
  return detail::execute(
           exec, "set_difference",
           detail::set_operation_job(
             detail::set_difference_t{}, detail::inputs_of_ranges(first1, last1, first2, last2),
             detail::set_result{result, detail::no_values{}}, comp))
    .keys;
}

/// set_difference on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator set_difference(
  InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, OutputIterator result,
  Compare comp = {})
{
  return mgpu::set_difference(
    detail::system_policy_t<InputIterator1, InputIterator2, OutputIterator>{}, first1, last1, first2, last2, result,
    comp);
}

/// Writes the sorted symmetric difference of two sorted ranges: what one of them holds and the other does not.
///
/// A key with m copies in the first range and n in the second appears |m - n| times: the last |m - n| copies of the
/// range that has more.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param result       start of the output; room for (last1 - first1) + (last2 - first2) elements is always enough
/// @param comp         strict weak order of both ranges
/// @return the end of the output, past the last element written
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// std::vector<int> out(7);
/// const auto end = mgpu::set_symmetric_difference(thrust::host, a.begin(), a.end(), b.begin(), b.end(), out.begin());
/// out.erase(end, out.end());
/// assert((out == std::vector<int>{1, 3, 7}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator set_symmetric_difference(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, OutputIterator result, Compare comp = {})
{
  return detail::execute(
           exec, "set_symmetric_difference",
           detail::set_operation_job(
             detail::set_symmetric_difference_t{}, detail::inputs_of_ranges(first1, last1, first2, last2),
             detail::set_result{result, detail::no_values{}}, comp))
    .keys;
}

/// set_symmetric_difference on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator set_symmetric_difference(
  InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, OutputIterator result,
  Compare comp = {})
{
  return mgpu::set_symmetric_difference(
    detail::system_policy_t<InputIterator1, InputIterator2, OutputIterator>{}, first1, last1, first2, last2, result,
    comp);
}

/// Writes the sorted intersection of two sorted ranges, with a value for each key.
///
/// A key with m copies in the first range and n in the second appears min(m, n) times: the first min(m, n) copies of
/// the first range. Every element of the result comes from the first range. Each key is written with its value.
///
/// @param exec                   execution policy
/// @param keys_first1,keys_last1 the first range of keys
/// @param keys_first2,keys_last2 the second range of keys
/// @param values_first1          start of the values of the first range, as many as it has keys; the values of keys in
///                               the result are read
/// @param keys_result            start of the output of keys; room for min(keys_last1 - keys_first1, keys_last2 -
///                               keys_first2) is always enough
/// @param values_result          start of the output of values, of the same size
/// @param comp                   strict weak order of both ranges of keys
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 3, 3, 5}, other{3, 5, 7};
/// const std::vector<char> values{'a', 'b', 'c', 'd'};
/// std::vector<int> keys_out(3);
/// std::vector<char> values_out(3);
/// const auto end = mgpu::set_intersection_by_key(thrust::host, keys.begin(), keys.end(), other.begin(), other.end(),
///                                                values.begin(), keys_out.begin(), values_out.begin());
/// assert(end.first - keys_out.begin() == 2 && keys_out[0] == 3 && keys_out[1] == 5);
/// assert(values_out[0] == 'b' && values_out[1] == 'd');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator1, class KeyIterator2, class ValueIterator1, class KeyOutputIterator,
  class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_intersection_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator1 keys_first1, KeyIterator1 keys_last1,
  KeyIterator2 keys_first2, KeyIterator2 keys_last2, ValueIterator1 values_first1, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp = {})
{
  const auto end = detail::execute(
    exec, "set_intersection_by_key",
    detail::set_operation_job(
      detail::set_intersection_t{},
      detail::inputs_of_ranges(keys_first1, keys_last1, values_first1, keys_first2, keys_last2, detail::no_values{}),
      detail::set_result{keys_result, values_result}, comp));
  return {end.keys, end.values};
}

/// set_intersection_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator1, class KeyIterator2, class ValueIterator1, class KeyOutputIterator, class ValueOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_intersection_by_key(
  KeyIterator1 keys_first1, KeyIterator1 keys_last1, KeyIterator2 keys_first2, KeyIterator2 keys_last2,
  ValueIterator1 values_first1, KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp = {})
{
  return mgpu::set_intersection_by_key(
    detail::system_policy_t<KeyIterator1, KeyIterator2, ValueIterator1, KeyOutputIterator, ValueOutputIterator>{},
    keys_first1, keys_last1, keys_first2, keys_last2, values_first1, keys_result, values_result, comp);
}

/// Writes the sorted intersection of two sorted ranges, with a value of both for each key: the element-wise product of
/// sparse vectors, if `combine` multiplies.
///
/// Keys as in set_intersection_by_key without `combine`. The value of a key is `combine` of the values of its two
/// copies: the k-th copy of a key in the first range matches the k-th copy in the second. This overload takes values of
/// both ranges, and `comp` is required: with a policy it has 11 arguments and without one 10, more than the other.
///
/// @param exec                   execution policy
/// @param keys_first1,keys_last1 the first range of keys
/// @param keys_first2,keys_last2 the second range of keys
/// @param values_first1          start of the values of the first range, as many as it has keys; the values of keys in
///                               the result are read
/// @param values_first2          start of the values of the second range, as for `values_first1`
/// @param keys_result            start of the output of keys; room for min(keys_last1 - keys_first1, keys_last2 -
///                               keys_first2) is always enough
/// @param values_result          start of the output of values, of the same size
/// @param comp                   strict weak order of both ranges of keys; `cuda::std::less<>{}` for operator<
/// @param combine                called as combine(value1, value2), with constant values of the first and of the second
///                               range, once for each key of the result; its result is assigned to `values_result`, and
///                               may be of any type. Several threads may call it at the same time, each its own copy,
///                               in any order
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> indices1{0, 3, 7}, indices2{3, 5, 7};
/// const std::vector<float> vector1{1, 2, 3}, vector2{10, 20, 30};
/// std::vector<int> indices(3);
/// std::vector<float> products(3);
/// const auto end = mgpu::set_intersection_by_key(
///   thrust::host, indices1.begin(), indices1.end(), indices2.begin(), indices2.end(), vector1.begin(),
///   vector2.begin(), indices.begin(), products.begin(), cuda::std::less<>{}, cuda::std::multiplies<>{});
/// assert(end.first - indices.begin() == 2 && indices[0] == 3 && indices[1] == 7);
/// assert(products[0] == 20 && products[1] == 90);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2,
  class KeyOutputIterator, class ValueOutputIterator, class Compare, class Combine>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_intersection_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator1 keys_first1, KeyIterator1 keys_last1,
  KeyIterator2 keys_first2, KeyIterator2 keys_last2, ValueIterator1 values_first1, ValueIterator2 values_first2,
  KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp, Combine combine)
{
  const auto end = detail::execute(
    exec, "set_intersection_by_key",
    detail::set_operation_job(
      detail::set_intersection_t{},
      detail::inputs_of_ranges(keys_first1, keys_last1, values_first1, keys_first2, keys_last2, values_first2),
      detail::combined_result{keys_result, values_result, combine}, comp));
  return {end.keys, end.values};
}

/// set_intersection_by_key with `combine` on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2, class KeyOutputIterator,
  class ValueOutputIterator, class Compare, class Combine>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_intersection_by_key(
  KeyIterator1 keys_first1, KeyIterator1 keys_last1, KeyIterator2 keys_first2, KeyIterator2 keys_last2,
  ValueIterator1 values_first1, ValueIterator2 values_first2, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp, Combine combine)
{
  return mgpu::set_intersection_by_key(
    detail::system_policy_t<
      KeyIterator1, KeyIterator2, ValueIterator1, ValueIterator2, KeyOutputIterator, ValueOutputIterator>{},
    keys_first1, keys_last1, keys_first2, keys_last2, values_first1, values_first2, keys_result, values_result, comp,
    combine);
}

/// Writes the sorted union of two sorted ranges, with a value for each key.
///
/// A key with m copies in the first range and n in the second appears max(m, n) times: all m copies of the first range,
/// then the last max(n - m, 0) copies of the second. Each key is written with its value.
///
/// @param exec                   execution policy
/// @param keys_first1,keys_last1 the first range of keys
/// @param keys_first2,keys_last2 the second range of keys
/// @param values_first1          start of the values of the first range, as many as it has keys; the values of keys in
///                               the result are read
/// @param values_first2          start of the values of the second range, as for `values_first1`
/// @param keys_result            start of the output of keys; room for (keys_last1 - keys_first1) + (keys_last2 -
///                               keys_first2) is always enough
/// @param values_result          start of the output of values, of the same size
/// @param comp                   strict weak order of both ranges of keys
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys1{1, 3}, keys2{3, 5};
/// const std::vector<char> values1{'a', 'b'}, values2{'x', 'y'};
/// std::vector<int> keys_out(4);
/// std::vector<char> values_out(4);
/// const auto end =
///   mgpu::set_union_by_key(thrust::host, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(), values1.begin(),
///                          values2.begin(), keys_out.begin(), values_out.begin());
/// assert(end.first - keys_out.begin() == 3);
/// assert(values_out[0] == 'a' && values_out[1] == 'b' && values_out[2] == 'y');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2,
  class KeyOutputIterator, class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_union_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator1 keys_first1, KeyIterator1 keys_last1,
  KeyIterator2 keys_first2, KeyIterator2 keys_last2, ValueIterator1 values_first1, ValueIterator2 values_first2,
  KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp = {})
{
  const auto end = detail::execute(
    exec, "set_union_by_key",
    detail::set_operation_job(
      detail::set_union_t{},
      detail::inputs_of_ranges(keys_first1, keys_last1, values_first1, keys_first2, keys_last2, values_first2),
      detail::set_result{keys_result, values_result}, comp));
  return {end.keys, end.values};
}

/// set_union_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2, class KeyOutputIterator,
  class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_union_by_key(
  KeyIterator1 keys_first1, KeyIterator1 keys_last1, KeyIterator2 keys_first2, KeyIterator2 keys_last2,
  ValueIterator1 values_first1, ValueIterator2 values_first2, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp = {})
{
  return mgpu::set_union_by_key(
    detail::system_policy_t<
      KeyIterator1, KeyIterator2, ValueIterator1, ValueIterator2, KeyOutputIterator, ValueOutputIterator>{},
    keys_first1, keys_last1, keys_first2, keys_last2, values_first1, values_first2, keys_result, values_result, comp);
}

/// Writes the sorted union of two sorted ranges, with a value of both for each key that both have: the element-wise sum
/// of sparse vectors, if `combine` adds.
///
/// Keys as in set_union_by_key without `combine`. The k-th copy of a key in the first range matches the k-th copy in
/// the second, and the value of a match, which stands where the first range's copy does, is `combine` of both values.
/// Values of keys without a match are copied. `comp` is required: with a policy there are 11 arguments, more than
/// without `combine`. Without a policy there are 10, as without `combine` but with a policy; whether the first argument
/// is a policy tells these apart.
///
/// @param exec                   execution policy
/// @param keys_first1,keys_last1 the first range of keys
/// @param keys_first2,keys_last2 the second range of keys
/// @param values_first1          start of the values of the first range, as many as it has keys; the values of keys in
///                               the result are read
/// @param values_first2          start of the values of the second range, as for `values_first1`
/// @param keys_result            start of the output of keys; room for (keys_last1 - keys_first1) + (keys_last2 -
///                               keys_first2) is always enough
/// @param values_result          start of the output of values, of the same size
/// @param comp                   strict weak order of both ranges of keys; `cuda::std::less<>{}` for operator<
/// @param combine                called as combine(value1, value2), with constant values of the first and of the second
///                               range, for matches alone; its result is assigned to `values_result`, and may be of
///                               any type. Several threads may call it at the same time, each its own copy, in any
///                               order
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> indices1{0, 3, 7}, indices2{3, 5, 7};
/// const std::vector<float> vector1{1, 2, 3}, vector2{10, 20, 30};
/// std::vector<int> indices(6);
/// std::vector<float> sums(6);
/// const auto end = mgpu::set_union_by_key(
///   thrust::host, indices1.begin(), indices1.end(), indices2.begin(), indices2.end(), vector1.begin(),
///   vector2.begin(), indices.begin(), sums.begin(), cuda::std::less<>{}, cuda::std::plus<>{});
/// indices.erase(end.first, indices.end());
/// assert((indices == std::vector<int>{0, 3, 5, 7}));
/// assert(sums[0] == 1 && sums[1] == 12 && sums[2] == 20 && sums[3] == 33);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2,
  class KeyOutputIterator, class ValueOutputIterator, class Compare, class Combine>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_union_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator1 keys_first1, KeyIterator1 keys_last1,
  KeyIterator2 keys_first2, KeyIterator2 keys_last2, ValueIterator1 values_first1, ValueIterator2 values_first2,
  KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp, Combine combine)
{
  const auto end = detail::execute(
    exec, "set_union_by_key",
    detail::set_operation_job(
      detail::set_union_t{},
      detail::inputs_of_ranges(keys_first1, keys_last1, values_first1, keys_first2, keys_last2, values_first2),
      detail::combined_result{keys_result, values_result, combine}, comp));
  return {end.keys, end.values};
}

/// set_union_by_key with `combine` on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2, class KeyOutputIterator,
  class ValueOutputIterator, class Compare, class Combine>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_union_by_key(
  KeyIterator1 keys_first1, KeyIterator1 keys_last1, KeyIterator2 keys_first2, KeyIterator2 keys_last2,
  ValueIterator1 values_first1, ValueIterator2 values_first2, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp, Combine combine)
{
  return mgpu::set_union_by_key(
    detail::system_policy_t<
      KeyIterator1, KeyIterator2, ValueIterator1, ValueIterator2, KeyOutputIterator, ValueOutputIterator>{},
    keys_first1, keys_last1, keys_first2, keys_last2, values_first1, values_first2, keys_result, values_result, comp,
    combine);
}

/// Writes the sorted difference of two sorted ranges: what the first holds and the second does not, with a value for
/// each key.
///
/// A key with m copies in the first range and n in the second appears max(m - n, 0) times: the last max(m - n, 0)
/// copies of the first range. Each key is written with its value.
///
/// @param exec                   execution policy
/// @param keys_first1,keys_last1 the first range of keys
/// @param keys_first2,keys_last2 the second range of keys
/// @param values_first1          start of the values of the first range, as many as it has keys; the values of keys in
///                               the result are read
/// @param values_first2          accepted for compatibility with Thrust, and never read
/// @param keys_result            start of the output of keys; room for keys_last1 - keys_first1 is always enough
/// @param values_result          start of the output of values, of the same size
/// @param comp                   strict weak order of both ranges of keys
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys1{1, 3, 3}, keys2{3, 5};
/// const std::vector<char> values1{'a', 'b', 'c'}, values2{'x', 'y'};
/// std::vector<int> keys_out(3);
/// std::vector<char> values_out(3);
/// const auto end =
///   mgpu::set_difference_by_key(thrust::host, keys1.begin(), keys1.end(), keys2.begin(), keys2.end(), values1.begin(),
///                               values2.begin(), keys_out.begin(), values_out.begin());
/// assert(end.first - keys_out.begin() == 2);
/// assert(values_out[0] == 'a' && values_out[1] == 'c');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2,
  class KeyOutputIterator, class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_difference_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator1 keys_first1, KeyIterator1 keys_last1,
  KeyIterator2 keys_first2, KeyIterator2 keys_last2, ValueIterator1 values_first1, ValueIterator2 values_first2,
  KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp = {})
{
  (void) values_first2;
  const auto end = detail::execute(
    exec, "set_difference_by_key",
    detail::set_operation_job(
      detail::set_difference_t{},
      detail::inputs_of_ranges(keys_first1, keys_last1, values_first1, keys_first2, keys_last2, detail::no_values{}),
      detail::set_result{keys_result, values_result}, comp));
  return {end.keys, end.values};
}

/// set_difference_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2, class KeyOutputIterator,
  class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_difference_by_key(
  KeyIterator1 keys_first1, KeyIterator1 keys_last1, KeyIterator2 keys_first2, KeyIterator2 keys_last2,
  ValueIterator1 values_first1, ValueIterator2 values_first2, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp = {})
{
  return mgpu::set_difference_by_key(
    detail::system_policy_t<
      KeyIterator1, KeyIterator2, ValueIterator1, ValueIterator2, KeyOutputIterator, ValueOutputIterator>{},
    keys_first1, keys_last1, keys_first2, keys_last2, values_first1, values_first2, keys_result, values_result, comp);
}

/// Writes the sorted symmetric difference of two sorted ranges: what one of them holds and the other does not, with a
/// value for each key.
///
/// A key with m copies in the first range and n in the second appears |m - n| times: the last |m - n| copies of the
/// range that has more. Each key is written with its value.
///
/// @param exec                   execution policy
/// @param keys_first1,keys_last1 the first range of keys
/// @param keys_first2,keys_last2 the second range of keys
/// @param values_first1          start of the values of the first range, as many as it has keys; the values of keys in
///                               the result are read
/// @param values_first2          start of the values of the second range, as for `values_first1`
/// @param keys_result            start of the output of keys; room for (keys_last1 - keys_first1) + (keys_last2 -
///                               keys_first2) is always enough
/// @param values_result          start of the output of values, of the same size
/// @param comp                   strict weak order of both ranges of keys
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys1{1, 3, 3}, keys2{3, 5};
/// const std::vector<char> values1{'a', 'b', 'c'}, values2{'x', 'y'};
/// std::vector<int> keys_out(5);
/// std::vector<char> values_out(5);
/// const auto end = mgpu::set_symmetric_difference_by_key(thrust::host, keys1.begin(), keys1.end(), keys2.begin(),
///                                                        keys2.end(), values1.begin(), values2.begin(),
///                                                        keys_out.begin(), values_out.begin());
/// assert(end.first - keys_out.begin() == 3);
/// assert(values_out[0] == 'a' && values_out[1] == 'c' && values_out[2] == 'y');
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2,
  class KeyOutputIterator, class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_symmetric_difference_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator1 keys_first1, KeyIterator1 keys_last1,
  KeyIterator2 keys_first2, KeyIterator2 keys_last2, ValueIterator1 values_first1, ValueIterator2 values_first2,
  KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp = {})
{
  const auto end = detail::execute(
    exec, "set_symmetric_difference_by_key",
    detail::set_operation_job(
      detail::set_symmetric_difference_t{},
      detail::inputs_of_ranges(keys_first1, keys_last1, values_first1, keys_first2, keys_last2, values_first2),
      detail::set_result{keys_result, values_result}, comp));
  return {end.keys, end.values};
}

/// set_symmetric_difference_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator1, class KeyIterator2, class ValueIterator1, class ValueIterator2, class KeyOutputIterator,
  class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> set_symmetric_difference_by_key(
  KeyIterator1 keys_first1, KeyIterator1 keys_last1, KeyIterator2 keys_first2, KeyIterator2 keys_last2,
  ValueIterator1 values_first1, ValueIterator2 values_first2, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp = {})
{
  return mgpu::set_symmetric_difference_by_key(
    detail::system_policy_t<
      KeyIterator1, KeyIterator2, ValueIterator1, ValueIterator2, KeyOutputIterator, ValueOutputIterator>{},
    keys_first1, keys_last1, keys_first2, keys_last2, values_first1, values_first2, keys_result, values_result, comp);
}

/// Counts the elements that `set_intersection` would write, and writes nothing.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param comp         strict weak order of both ranges
/// @return the number of elements of the result
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// assert(mgpu::set_intersection_size(thrust::host, a.begin(), a.end(), b.begin(), b.end()) == 2);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t set_intersection_size(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, Compare comp = {})
{
  return detail::execute(
    exec, "set_intersection_size",
    detail::set_operation_job(
      detail::set_intersection_t{}, detail::inputs_of_ranges(first1, last1, first2, last2), detail::set_size{}, comp));
}

/// set_intersection_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t set_intersection_size(
  InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, Compare comp = {})
{
  return mgpu::set_intersection_size(
    detail::system_policy_t<InputIterator1, InputIterator2>{}, first1, last1, first2, last2, comp);
}

/// Counts the elements that `set_union` would write, and writes nothing.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param comp         strict weak order of both ranges
/// @return the number of elements of the result
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// assert(mgpu::set_union_size(thrust::host, a.begin(), a.end(), b.begin(), b.end()) == 5);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t set_union_size(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, Compare comp = {})
{
  return detail::execute(
    exec, "set_union_size",
    detail::set_operation_job(
      detail::set_union_t{}, detail::inputs_of_ranges(first1, last1, first2, last2), detail::set_size{}, comp));
}

/// set_union_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t set_union_size(
  InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, Compare comp = {})
{
  return mgpu::set_union_size(
    detail::system_policy_t<InputIterator1, InputIterator2>{}, first1, last1, first2, last2, comp);
}

/// Counts the elements that `set_difference` would write, and writes nothing.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param comp         strict weak order of both ranges
/// @return the number of elements of the result
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// assert(mgpu::set_difference_size(thrust::host, a.begin(), a.end(), b.begin(), b.end()) == 2);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t set_difference_size(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, Compare comp = {})
{
  return detail::execute(
    exec, "set_difference_size",
    detail::set_operation_job(
      detail::set_difference_t{}, detail::inputs_of_ranges(first1, last1, first2, last2), detail::set_size{}, comp));
}

/// set_difference_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t set_difference_size(
  InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, Compare comp = {})
{
  return mgpu::set_difference_size(
    detail::system_policy_t<InputIterator1, InputIterator2>{}, first1, last1, first2, last2, comp);
}

/// Counts the elements that `set_symmetric_difference` would write, and writes nothing.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param comp         strict weak order of both ranges
/// @return the number of elements of the result
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 5, 7};
/// assert(mgpu::set_symmetric_difference_size(thrust::host, a.begin(), a.end(), b.begin(), b.end()) == 3);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t set_symmetric_difference_size(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, Compare comp = {})
{
  return detail::execute(
    exec, "set_symmetric_difference_size",
    detail::set_operation_job(
      detail::set_symmetric_difference_t{}, detail::inputs_of_ranges(first1, last1, first2, last2), detail::set_size{},
      comp));
}

/// set_symmetric_difference_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t set_symmetric_difference_size(
  InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, Compare comp = {})
{
  return mgpu::set_symmetric_difference_size(
    detail::system_policy_t<InputIterator1, InputIterator2>{}, first1, last1, first2, last2, comp);
}

/// Returns whether the first sorted range includes the second: every key with n copies in the second has at least n in
/// the first.
///
/// @param exec         execution policy
/// @param first1,last1 the first range
/// @param first2,last2 the second range
/// @param comp         strict weak order of both ranges
/// @return true if it does; an empty range is included in any. On a CPU an early miss ends the search.
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 3, 3, 5}, b{3, 3}, c{5, 5};
/// assert(mgpu::includes(thrust::host, a.begin(), a.end(), b.begin(), b.end()));
/// assert(!mgpu::includes(thrust::host, a.begin(), a.end(), c.begin(), c.end()));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE bool includes(
  const thrust::execution_policy<Policy>& exec, InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
  InputIterator2 last2, Compare comp = {})
{
  // The difference of the second range and the first must be empty.
  return detail::execute(
    exec, "includes",
    detail::set_operation_job(
      detail::set_operation<false, false, true>{}, detail::inputs_of_ranges(first1, last1, first2, last2),
      detail::set_emptiness{}, comp));
}

/// includes on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator1, class InputIterator2, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE bool
includes(InputIterator1 first1, InputIterator1 last1, InputIterator2 first2, InputIterator2 last2, Compare comp = {})
{
  return mgpu::includes(detail::system_policy_t<InputIterator1, InputIterator2>{}, first1, last1, first2, last2, comp);
}

/// @}
MGPU_THRUST_NAMESPACE_END

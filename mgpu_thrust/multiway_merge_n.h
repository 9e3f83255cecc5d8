// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merges and folds of any number of runs, whose number and sizes may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
#include <mgpu_thrust/detail/multiway_merge/cpu.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/keep_all.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/multiway_merge/fold/launch.cuh>
#  include <mgpu_thrust/detail/multiway_merge/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup deferred
/// @{

/// merge_runs of multiway_merge.h: merges sorted runs that lie in one range.
///
/// @param exec          execution policy
/// @param first,size    the range of all runs
/// @param offsets_first start of the runs' offsets; if there are n + 1, as in CSR, num_runs is n
/// @param num_runs      the number of runs
/// @param result        start of the output, of `size` elements; it must not overlap the range
/// @param comp          strict weak order, which each run is sorted by
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 7, 2, 4, 0, 9};
/// const std::vector<int> offsets{0, 3, 99};
/// const int counts[] = {5, 2}; // of elements and of runs: runs of 3 and 2
/// std::vector<int> out(7, -1);
/// mgpu::merge_runs_n(
///   thrust::host, keys.begin(), mgpu::deferred{&counts[0], 7}, offsets.begin(), mgpu::deferred{&counts[1], 3},
///   out.begin());
/// assert((out == std::vector<int>{1, 2, 4, 4, 7, -1, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys, class Size, class Offsets, class NumRuns, class KeysOut,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size merge_runs_n(
  const thrust::execution_policy<Policy>& exec, Keys first, Size size, Offsets offsets_first, NumRuns num_runs,
  KeysOut result, Compare comp = {})
{
  detail::execute_n(
    exec, "merge_runs_n",
    detail::multiway_merge_job(
      "the input", detail::make_contiguous_runs(first, detail::no_values{}, size, offsets_first, num_runs),
      detail::merged_elements{result, detail::no_values{}}, comp));
  return size;
}

/// merge_runs_by_key of multiway_merge.h: keys and their values.
///
/// @param exec            execution policy
/// @param keys_first,size the range of all runs of keys
/// @param values_first    start of the values, as many as there are keys
/// @param offsets_first   start of the runs' offsets; if there are n + 1, as in CSR, num_runs is n
/// @param num_runs        the number of runs
/// @param keys_result     start of the output of keys, of `size` elements; it must not overlap the inputs
/// @param values_result   start of the output of values, of the same size
/// @param comp            strict weak order of the keys, which each run is sorted by
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 1, 3, 4};
/// const std::vector<char> values{'a', 'b', 'x', 'y', 'z'};
/// const std::vector<int> offsets{0, 2};
/// const int count = 4; // stands for what an earlier call stores
/// std::vector<int> keys_out(5);
/// std::vector<char> values_out(5, '-');
/// mgpu::merge_runs_by_key_n(
///   thrust::host, keys.begin(), mgpu::deferred{&count, 5}, values.begin(), offsets.begin(), 2, keys_out.begin(),
///   values_out.begin());
/// assert((values_out == std::vector<char>{'a', 'x', 'y', 'b', '-'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys, class Size, class Values, class Offsets, class NumRuns, class KeysOut, class ValuesOut,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size merge_runs_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys keys_first, Size size, Values values_first, Offsets offsets_first,
  NumRuns num_runs, KeysOut keys_result, ValuesOut values_result, Compare comp = {})
{
  detail::execute_n(
    exec, "merge_runs_by_key_n",
    detail::multiway_merge_job(
      "the keys", detail::make_contiguous_runs(keys_first, values_first, size, offsets_first, num_runs),
      detail::merged_elements{keys_result, values_result}, comp));
  return size;
}

/// merge_runs_indices of multiway_merge.h: where each element of the result stands in the range.
///
/// @param exec           execution policy
/// @param first,size     the range of all runs
/// @param offsets_first  start of the runs' offsets; if there are n + 1, as in CSR, num_runs is n
/// @param num_runs       the number of runs
/// @param indices_result start of the output, of `size` integers of any type
/// @param comp           strict weak order, which each run is sorted by
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<std::string> words{"apple", "pear", "fig", "plum", "date"};
/// const std::vector<int> offsets{0, 2, 4};
/// const int count = 4; // stands for what an earlier call stores
/// std::vector<int> order(5, -1);
/// mgpu::merge_runs_indices_n(
///   thrust::host, words.begin(), mgpu::deferred{&count, 5}, offsets.begin(), 2, order.begin());
/// assert((order == std::vector<int>{0, 2, 1, 3, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys, class Size, class Offsets, class NumRuns, class Indices,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size merge_runs_indices_n(
  const thrust::execution_policy<Policy>& exec, Keys first, Size size, Offsets offsets_first, NumRuns num_runs,
  Indices indices_result, Compare comp = {})
{
  detail::execute_n(
    exec, "merge_runs_indices_n",
    detail::multiway_merge_job(
      "the input", detail::make_contiguous_runs(first, detail::no_values{}, size, offsets_first, num_runs),
      detail::merged_indices{indices_result}, comp));
  return size;
}

/// multiway_merge of multiway_merge.h: merges sorted runs in buffers of their own.
///
/// @param exec        execution policy
/// @param runs_first  random-access iterator to the runs: to random-access iterators to their first elements
/// @param sizes_first the number of elements of each run
/// @param num_runs    the number of runs
/// @param num_items   the number of elements in all runs together
/// @param result      start of the output, of num_items elements
/// @param comp        strict weak order, which each run is sorted by
/// @return num_items
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4, 7}, b{2, 4};
/// const std::vector<const int*> runs{a.data(), b.data(), nullptr};
/// const std::vector<int> sizes{3, 2, 99};
/// const int counts[] = {2, 5}; // of runs and of elements
/// std::vector<int> out(7, -1);
/// mgpu::multiway_merge_n(
///   thrust::host, runs.begin(), sizes.begin(), mgpu::deferred{&counts[0], 3}, mgpu::deferred{&counts[1], 7},
///   out.begin());
/// assert((out == std::vector<int>{1, 2, 4, 4, 7, -1, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Runs, class Sizes, class NumRuns, class NumItems, class KeysOut,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumItems multiway_merge_n(
  const thrust::execution_policy<Policy>& exec, Runs runs_first, Sizes sizes_first, NumRuns num_runs,
  NumItems num_items, KeysOut result, Compare comp = {})
{
  detail::execute_n(
    exec, "multiway_merge_n",
    detail::multiway_merge_job(
      "the input", detail::make_separate_runs(runs_first, detail::no_values{}, num_items, sizes_first, num_runs),
      detail::merged_elements{result, detail::no_values{}}, comp));
  return num_items;
}

/// multiway_merge_by_key of multiway_merge.h: keys and their values.
///
/// @param exec             execution policy
/// @param key_runs_first   random-access iterator to the runs of keys: to random-access iterators to their first
///   elements
/// @param value_runs_first random-access iterator to the runs of values, likewise
/// @param sizes_first      the number of elements of each run
/// @param num_runs         the number of runs
/// @param num_items        the number of elements in all runs together
/// @param keys_result      start of the output of keys, of num_items elements
/// @param values_result    start of the output of values, of the same size
/// @param comp             strict weak order of the keys, which each run is sorted by
/// @return num_items
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4}, b{1, 3};
/// const std::vector<char> a_values{'a', 'b'}, b_values{'x', 'y'};
/// const std::vector<const int*> runs{a.data(), b.data()};
/// const std::vector<const char*> value_runs{a_values.data(), b_values.data()};
/// const std::vector<int> sizes{2, 2};
/// const int count = 4; // stands for what an earlier call stores
/// std::vector<int> keys_out(5);
/// std::vector<char> values_out(5, '-');
/// mgpu::multiway_merge_by_key_n(
///   thrust::host, runs.begin(), value_runs.begin(), sizes.begin(), 2, mgpu::deferred{&count, 5}, keys_out.begin(),
///   values_out.begin());
/// assert((values_out == std::vector<char>{'a', 'x', 'y', 'b', '-'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyRuns, class ValueRuns, class Sizes, class NumRuns, class NumItems, class KeysOut,
  class ValuesOut, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumItems multiway_merge_by_key_n(
  const thrust::execution_policy<Policy>& exec, KeyRuns key_runs_first, ValueRuns value_runs_first, Sizes sizes_first,
  NumRuns num_runs, NumItems num_items, KeysOut keys_result, ValuesOut values_result, Compare comp = {})
{
  detail::execute_n(
    exec, "multiway_merge_by_key_n",
    detail::multiway_merge_job(
      "the keys", detail::make_separate_runs(key_runs_first, value_runs_first, num_items, sizes_first, num_runs),
      detail::merged_elements{keys_result, values_result}, comp));
  return num_items;
}

/// multiway_merge_indices of multiway_merge.h: the number of each element's run, and its position there.
///
/// @param exec             execution policy
/// @param runs_first       random-access iterator to the runs: to random-access iterators to their first elements
/// @param sizes_first      the number of elements of each run
/// @param num_runs         the number of runs
/// @param num_items        the number of elements in all runs together
/// @param numbers_result   start of the output of runs' numbers, of num_items integers of any type; or a
///                         thrust::discard_iterator
/// @param positions_result start of the output of positions, likewise
/// @param comp             strict weak order, which each run is sorted by
/// @return num_items
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4}, b{1, 3};
/// const std::vector<const int*> runs{a.data(), b.data()};
/// const std::vector<int> sizes{2, 2};
/// const int count = 4; // stands for what an earlier call stores
/// std::vector<int> numbers(5, -1), positions(5, -1);
/// mgpu::multiway_merge_indices_n(
///   thrust::host, runs.begin(), sizes.begin(), 2, mgpu::deferred{&count, 5}, numbers.begin(), positions.begin());
/// assert((numbers == std::vector<int>{0, 1, 1, 0, -1}));
/// assert((positions == std::vector<int>{0, 0, 1, 1, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Runs, class Sizes, class NumRuns, class NumItems, class Numbers, class Positions,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE NumItems multiway_merge_indices_n(
  const thrust::execution_policy<Policy>& exec, Runs runs_first, Sizes sizes_first, NumRuns num_runs,
  NumItems num_items, Numbers numbers_result, Positions positions_result, Compare comp = {})
{
  detail::execute_n(
    exec, "multiway_merge_indices_n",
    detail::multiway_merge_job(
      "the input", detail::make_separate_runs(runs_first, detail::no_values{}, num_items, sizes_first, num_runs),
      detail::merged_run_positions{numbers_result, positions_result}, comp));
  return num_items;
}

/// merge_runs_reduce_by_key of multiway_merge.h: equal keys become one, and their values are reduced.
///
/// @param exec             execution policy
/// @param keys_first,size  the range of all runs of keys
/// @param values_first     start of the values, as many as there are keys
/// @param offsets_first    start of the runs' offsets; if there are n + 1, as in CSR, num_runs is n
/// @param num_runs         the number of runs
/// @param keys_result      start of the output of keys; room for `size` elements is always enough
/// @param values_result    start of the output of values, likewise
/// @param d_count          receives the size of the result
/// @param comp             strict weak order of the keys, which each run is sorted by
/// @param op               associative operator on values. Default: plus
/// @param keep             predicate of a reduced value. Default: keep_all
/// @return the size of the result; its capacity is that of the elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 1, 3, 4}, values{1, 2, 3, 4, 5}, offsets{0, 2};
/// std::vector<int> keys_out(5), sums(5);
/// std::int64_t count = 4; // of the elements, which an earlier call stores
/// mgpu::merge_runs_reduce_by_key_n(
///   thrust::host, keys.begin(), mgpu::deferred{&count, 5}, values.begin(), offsets.begin(), 2, keys_out.begin(),
///   sums.begin(), &count);
/// assert(count == 3 && keys_out[0] == 1 && sums[0] == 4 && keys_out[2] == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys, class Size, class Values, class Offsets, class NumRuns, class KeysOut, class ValuesOut,
  class CountPointer, class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>,
  class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> merge_runs_reduce_by_key_n(
  const thrust::execution_policy<Policy>& exec, Keys keys_first, Size size, Values values_first, Offsets offsets_first,
  NumRuns num_runs, KeysOut keys_result, ValuesOut values_result, CountPointer d_count, Compare comp = {},
  BinaryOp op = {}, Predicate keep = {})
{
  return detail::execute_n(
    exec, "merge_runs_reduce_by_key_n",
    detail::multiway_merge_job(
      "the keys", detail::make_contiguous_runs(keys_first, values_first, size, offsets_first, num_runs),
      detail::folded_elements{detail::merged_elements{keys_result, values_result}, op, keep}, comp),
    d_count);
}

/// merge_runs_unique of multiway_merge.h: of all equal elements the first.
///
/// @param exec             execution policy
/// @param first,size       the range of all runs
/// @param offsets_first    start of the runs' offsets; if there are n + 1, as in CSR, num_runs is n
/// @param num_runs         the number of runs
/// @param result           start of the output; room for as many elements as there are is always enough
/// @param d_count          receives the size of the result
/// @param comp             strict weak order, which each run is sorted by
/// @return the size of the result; its capacity is that of the elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 1, 3, 4}, offsets{0, 2};
/// std::vector<int> out(5);
/// std::int64_t count = 4; // of the elements, which an earlier call stores
/// mgpu::merge_runs_unique_n(
///   thrust::host, keys.begin(), mgpu::deferred{&count, 5}, offsets.begin(), 2, out.begin(), &count);
/// assert(count == 3 && out[0] == 1 && out[1] == 3 && out[2] == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys, class Size, class Offsets, class NumRuns, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> merge_runs_unique_n(
  const thrust::execution_policy<Policy>& exec, Keys first, Size size, Offsets offsets_first, NumRuns num_runs,
  KeysOut result, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "merge_runs_unique_n",
    detail::multiway_merge_job(
      "the input", detail::make_contiguous_runs(first, detail::no_values{}, size, offsets_first, num_runs),
      detail::folded_elements{detail::merged_elements{result, detail::no_values{}}, detail::nothing{}, keep_all{}},
      comp),
    d_count);
}

/// multiway_merge_reduce_by_key of multiway_merge.h: equal keys become one, and their values are reduced.
///
/// @param exec             execution policy
/// @param key_runs_first   random-access iterator to the runs of keys: to random-access iterators to their first
///                         elements
/// @param value_runs_first random-access iterator to the runs of values, likewise
/// @param sizes_first      the number of elements of each run
/// @param num_runs         the number of runs
/// @param num_items        the number of elements in all runs together
/// @param keys_result      start of the output of keys; room for num_items elements is always enough
/// @param values_result    start of the output of values, likewise
/// @param d_count          receives the size of the result
/// @param comp             strict weak order of the keys, which each run is sorted by
/// @param op               associative operator on values. Default: plus
/// @param keep             predicate of a reduced value. Default: keep_all
/// @return the size of the result; its capacity is that of the elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4}, b{1, 3}, a_values{1, 2}, b_values{3, 4};
/// const std::vector<const int*> runs{a.data(), b.data()}, value_runs{a_values.data(), b_values.data()};
/// const std::vector<int> sizes{2, 2};
/// std::vector<int> keys_out(5), sums(5);
/// int count = 4; // of the elements, which an earlier call stores
/// mgpu::multiway_merge_reduce_by_key_n(
///   thrust::host, runs.begin(), value_runs.begin(), sizes.begin(), 2, mgpu::deferred{&count, 5}, keys_out.begin(),
///   sums.begin(), &count);
/// assert(count == 3 && keys_out[0] == 1 && sums[0] == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyRuns, class ValueRuns, class Sizes, class NumRuns, class NumItems, class KeysOut,
  class ValuesOut, class CountPointer, class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>,
  class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> multiway_merge_reduce_by_key_n(
  const thrust::execution_policy<Policy>& exec, KeyRuns key_runs_first, ValueRuns value_runs_first, Sizes sizes_first,
  NumRuns num_runs, NumItems num_items, KeysOut keys_result, ValuesOut values_result, CountPointer d_count,
  Compare comp = {}, BinaryOp op = {}, Predicate keep = {})
{
  return detail::execute_n(
    exec, "multiway_merge_reduce_by_key_n",
    detail::multiway_merge_job(
      "the keys", detail::make_separate_runs(key_runs_first, value_runs_first, num_items, sizes_first, num_runs),
      detail::folded_elements{detail::merged_elements{keys_result, values_result}, op, keep}, comp),
    d_count);
}

/// multiway_merge_unique of multiway_merge.h: of all equal elements the first.
///
/// @param exec             execution policy
/// @param runs_first       random-access iterator to the runs: to random-access iterators to their first
///                         elements
/// @param sizes_first      the number of elements of each run
/// @param num_runs         the number of runs
/// @param num_items        the number of elements in all runs together
/// @param result           start of the output; room for as many elements as there are is always enough
/// @param d_count          receives the size of the result
/// @param comp             strict weak order, which each run is sorted by
/// @return the size of the result; its capacity is that of the elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4}, b{1, 3};
/// const std::vector<const int*> runs{a.data(), b.data()};
/// const std::vector<int> sizes{2, 2};
/// std::vector<int> out(5);
/// int count = 4; // of the elements, which an earlier call stores
/// mgpu::multiway_merge_unique_n(
///   thrust::host, runs.begin(), sizes.begin(), 2, mgpu::deferred{&count, 5}, out.begin(), &count);
/// assert(count == 3 && out[0] == 1 && out[1] == 3 && out[2] == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Runs, class Sizes, class NumRuns, class NumItems, class KeysOut, class CountPointer,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer> multiway_merge_unique_n(
  const thrust::execution_policy<Policy>& exec, Runs runs_first, Sizes sizes_first, NumRuns num_runs,
  NumItems num_items, KeysOut result, CountPointer d_count, Compare comp = {})
{
  return detail::execute_n(
    exec, "multiway_merge_unique_n",
    detail::multiway_merge_job(
      "the input", detail::make_separate_runs(runs_first, detail::no_values{}, num_items, sizes_first, num_runs),
      detail::folded_elements{detail::merged_elements{result, detail::no_values{}}, detail::nothing{}, keep_all{}},
      comp),
    d_count);
}

/// @}
MGPU_THRUST_NAMESPACE_END

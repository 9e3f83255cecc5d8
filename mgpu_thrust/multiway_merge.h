// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup multiway_merge Merges of any number of runs
/// Stable merges of any number of sorted runs, with and without values, and of where each element comes from; and
/// merges that fold elements with equal keys to one.
///
/// Always write `mgpu::`. Policies, comparators and thread safety are as for the set operations of
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Runs** are sorted by `comp`. Any number of them may be empty, and their lengths may be any. They are given in one
/// of two ways:
/// - *Runs in one range*, one after the other, by offsets as in `mgpu_thrust/load_balance.h`: one for each run, the
///   number of elements before it, the first one 0; the last run ends at the end of the range. (Of n + 1 offsets, as
///   CSR and CUB have them, pass all but the last: `offsets.begin(), offsets.end() - 1`.)
/// - *Runs in buffers of their own*, by an iterator to the runs' first elements (to pointers, say), one to their sizes,
///   the number of runs, and the number of elements in all. Both iterators, and what the first one gives, can be read
///   where the work executes: for a GPU, pointers to its memory in its memory. A size below 0 counts as 0. Of runs that
///   have more elements together than stated, as many as stated are merged, and which is unspecified: nothing is
///   written past them.
///
/// Offsets, sizes and the order of runs are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then
/// std::invalid_argument names the first offset that is out of order, the first negative size, sizes whose sum is not
/// the number of elements, or the first run that is not sorted and the position in it, before anything is written.
///
/// **Semantics.** The result has every element of all runs, as `std::stable_sort` of the runs one after the other
/// orders them: by key, those with equal keys by run, those of one run as they are there. Elements are copied. Outputs
/// must not overlap the runs, offsets or sizes.
///
/// **Folds.** `..._reduce_by_key` and `..._unique` leave one element for all with equal keys. The operator is called
/// with values in the order of the merge, on a GPU grouped differently, so it is associative; it need not commute. On a
/// CPU values are combined from left to right, whatever the policy. The same call on the same system gives the same
/// bits.
///
/// **Many columns.** Where an element has more than a key and a value, merge the keys to indices, and gather each
/// column by these.
///
/// **Complexity.** O(n log(k)) comparisons for n elements in k runs that are not empty; on a CPU plus searches, of some
/// log2(n)^2 comparisons a run for each worker, and less for each piece. How long the runs are makes no difference:
/// work is divided into equal pieces of the result. In device code, where nothing is allocated, O(k log(n)) comparisons
/// each time that the result goes on with another run.
///
/// **Temporary storage.** From the policy's allocator, freed on every path. On a CPU two buffers of a piece for each
/// worker, of up to 2^15 elements, or 128 for each run if these are more, and some 80 bytes for each run and worker. On
/// a GPU:
/// - as much as the keys and values, or keys and indices, of the result take; none of it if the elements are more than
///   2^20 (2^19 of keys above 8 bytes) in up to eight runs; twice as much if an output of keys or values is not
///   contiguous memory; and as much as the keys more for indices;
/// - as much once more if an input, or a run of it, is not contiguous memory: it is copied first, unless it is sorted;
/// - keys of more than 16 bytes and values of more than 8, or that are not trivial, count as positions of 8 bytes,
///   which are merged in their place; 8 more an element then, and for multiway_merge_indices, for the order that is
///   found;
/// - up to 30 bytes a run, and under 2 % more.
///
/// Folds take four pieces of results more for each worker of a CPU. On a GPU they take under 2 % for up to eight runs.
/// For up to 64 runs they take as much as the elements that move more, and twice as much for more runs.
///
/// **Synchronisation.** The size of a merge's result is known. So under `thrust::cuda::par_nosync` a merge is enqueued
/// and not waited for: the runs, the output and the policy's allocator must live until the stream has completed it.
/// Under other CUDA policies it returns when the result is complete. A fold waits, as it returns the size of its
/// result; the functions of `mgpu_thrust/multiway_merge_n.h` do not.
///
/// **Exceptions.** std::invalid_argument if a number is negative or an end is before its start, or there are elements
/// and no run; std::length_error if there are more elements than a grid of a GPU can take;
/// mgpu::temporary_storage_error, a std::bad_alloc that names the function, if a default allocator has no memory;
/// thrust::system_error if a kernel cannot be launched. An exception that a comparator, an operator or an element's
/// copy throws on the host stops all workers and reaches the caller.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined. On a GPU `comp` may then be called with
/// values that no element has. If the runs have fewer elements than stated, what follows these is unspecified, and so
/// is the end on a CPU: it may follow them at once.
///
/// **Ranks.** Merges of runs, but not their indices, also take runs of which several ranks have some: see
/// `mgpu_thrust/distributed.h`.
///
/// **Source.** The method is ours, from S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path (2012), and S.
/// Baxter: Modern GPU, "Mergesort" (2013), which merge two runs.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/multiway_merge/cpu.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/keep_all.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/multiway_merge/fold/launch.cuh>
#  include <mgpu_thrust/detail/multiway_merge/launch.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/pair.h>

#include <cuda/std/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup multiway_merge
/// @{

/// Merges sorted runs that lie in one range.
///
/// @param exec                       execution policy
/// @param first,last                 the range of all runs
/// @param offsets_first,offsets_last the runs' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (offsets.begin(), offsets.end() - 1)
/// @param result                     start of the output, of last - first elements; it must not overlap the range
/// @param comp                       strict weak order, which each run is sorted by
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 7, 2, 4, 0, 9};
/// const std::vector<int> offsets{0, 3, 3, 5}; // runs of 3, 0, 2 and 2
/// std::vector<int> out(7);
/// mgpu::merge_runs(thrust::host, keys.begin(), keys.end(), offsets.begin(), offsets.end(), out.begin());
/// assert((out == std::vector<int>{0, 1, 2, 4, 4, 7, 9}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator merge_runs(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, Compare comp = {})
{
  return detail::execute(
           exec, "merge_runs",
           detail::multiway_merge_job(
             "the input",
             detail::make_contiguous_runs(
               first, detail::no_values{}, detail::length_of(first, last), offsets_first,
               detail::length_of(offsets_first, offsets_last)),
             detail::merged_elements{result, detail::no_values{}}, comp))
    .keys;
}

/// merge_runs on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator merge_runs(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, Compare comp = {})
{
  return mgpu::merge_runs(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result, comp);
}

/// Merges sorted runs of keys that lie in one range, and their values with them.
///
/// @param exec                       execution policy
/// @param keys_first,keys_last       the range of all runs of keys
/// @param values_first               start of the values, as many as there are keys
/// @param offsets_first,offsets_last the runs' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (offsets.begin(), offsets.end() - 1)
/// @param keys_result                start of the output of keys, as many as there are
/// @param values_result              start of the output of values, of the same size
/// @param comp                       strict weak order of the keys, which each run is sorted by
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 1, 3, 4};
/// const std::vector<char> values{'a', 'b', 'x', 'y', 'z'};
/// const std::vector<int> offsets{0, 2}; // runs of 2 and 3
/// std::vector<int> keys_out(5);
/// std::vector<char> values_out(5);
/// mgpu::merge_runs_by_key(
///   thrust::host, keys.begin(), keys.end(), values.begin(), offsets.begin(), offsets.end(), keys_out.begin(),
///   values_out.begin());
/// assert((keys_out == std::vector<int>{1, 1, 3, 4, 4}));
/// assert((values_out == std::vector<char>{'a', 'x', 'y', 'b', 'z'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class ValueIterator, class OffsetIterator, class KeyOutputIterator,
  class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> merge_runs_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  ValueIterator values_first, OffsetIterator offsets_first, OffsetIterator offsets_last, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp = {})
{
  const auto end = detail::execute(
    exec, "merge_runs_by_key",
    detail::multiway_merge_job(
      "the keys",
      detail::make_contiguous_runs(
        keys_first, values_first, detail::length_of(keys_first, keys_last), offsets_first,
        detail::length_of(offsets_first, offsets_last)),
      detail::merged_elements{keys_result, values_result}, comp));
  return {end.keys, end.values};
}

/// merge_runs_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator, class ValueIterator, class OffsetIterator, class KeyOutputIterator, class ValueOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> merge_runs_by_key(
  KeyIterator keys_first, KeyIterator keys_last, ValueIterator values_first, OffsetIterator offsets_first,
  OffsetIterator offsets_last, KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp = {})
{
  return mgpu::merge_runs_by_key(
    detail::system_policy_t<KeyIterator, ValueIterator, OffsetIterator, KeyOutputIterator, ValueOutputIterator>{},
    keys_first, keys_last, values_first, offsets_first, offsets_last, keys_result, values_result, comp);
}

/// Writes where each element of the merge of sorted runs stands in their range, which is left unchanged: the index of
/// the element that is first in the result, then that of the second, and so on.
///
/// @param exec                       execution policy
/// @param first,last                 the range of all runs
/// @param offsets_first,offsets_last the runs' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (offsets.begin(), offsets.end() - 1)
/// @param indices_result             start of the output, of last - first integers of any type
/// @param comp                       strict weak order, which each run is sorted by
/// @return the end of the output
/// @throws std::length_error if the output's integers cannot hold the index of the last element; nothing is written
/// then
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<std::string> words{"apple", "pear", "fig", "plum", "date"};
/// const std::vector<int> offsets{0, 2, 4}; // runs of 2, 2 and 1
/// std::vector<int> order(5);
/// mgpu::merge_runs_indices(
///   thrust::host, words.begin(), words.end(), offsets.begin(), offsets.end(), order.begin());
/// assert((order == std::vector<int>{0, 4, 2, 1, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator, class OffsetIterator, class IndexIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE IndexIterator merge_runs_indices(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, IndexIterator indices_result, Compare comp = {})
{
  return detail::execute(
           exec, "merge_runs_indices",
           detail::multiway_merge_job(
             "the input",
             detail::make_contiguous_runs(
               first, detail::no_values{}, detail::length_of(first, last), offsets_first,
               detail::length_of(offsets_first, offsets_last)),
             detail::merged_indices{indices_result}, comp))
    .indices;
}

/// merge_runs_indices on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class IndexIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE IndexIterator merge_runs_indices(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  IndexIterator indices_result, Compare comp = {})
{
  return mgpu::merge_runs_indices(
    detail::system_policy_t<InputIterator, OffsetIterator, IndexIterator>{}, first, last, offsets_first, offsets_last,
    indices_result, comp);
}

/// Merges sorted runs in buffers of their own.
///
/// @param exec        execution policy
/// @param runs_first  random-access iterator to the runs: to random-access iterators to their first elements, all of
///                    one type
/// @param sizes_first random-access iterator to integers: the number of elements of each run
/// @param num_runs    number of runs
/// @param num_items   number of elements in all runs together
/// @param result      start of the output, of num_items elements
/// @param comp        strict weak order, which each run is sorted by
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4, 7}, b{2, 4}, c{0, 9};
/// const std::vector<const int*> runs{a.data(), b.data(), c.data()};
/// const std::vector<int> sizes{3, 2, 2};
/// std::vector<int> out(7);
/// mgpu::multiway_merge(thrust::host, runs.begin(), sizes.begin(), 3, 7, out.begin());
/// assert((out == std::vector<int>{0, 1, 2, 4, 4, 7, 9}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class RunIterator, class SizeIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator multiway_merge(
  const thrust::execution_policy<Policy>& exec, RunIterator runs_first, SizeIterator sizes_first, std::int64_t num_runs,
  std::int64_t num_items, OutputIterator result, Compare comp = {})
{
  return detail::execute(
           exec, "multiway_merge",
           detail::multiway_merge_job(
             "the input", detail::make_separate_runs(runs_first, detail::no_values{}, num_items, sizes_first, num_runs),
             detail::merged_elements{result, detail::no_values{}}, comp))
    .keys;
}

/// multiway_merge on the system that the iterators belong to, without a policy. What `runs_first` gives, pointers say,
/// does not count.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class RunIterator, class SizeIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator multiway_merge(
  RunIterator runs_first, SizeIterator sizes_first, std::int64_t num_runs, std::int64_t num_items,
  OutputIterator result, Compare comp = {})
{
  return mgpu::multiway_merge(
    detail::system_policy_t<RunIterator, SizeIterator, OutputIterator>{}, runs_first, sizes_first, num_runs, num_items,
    result, comp);
}

/// Merges sorted runs of keys in buffers of their own, and their values with them.
///
/// @param exec             execution policy
/// @param key_runs_first   random-access iterator to the runs of keys: to random-access iterators to their first
///                         elements, all of one type
/// @param value_runs_first random-access iterator to the runs of values, likewise; each has as many as that of keys
/// @param sizes_first      random-access iterator to integers: the number of elements of each run
/// @param num_runs         number of runs
/// @param num_items        number of elements in all runs together
/// @param keys_result      start of the output of keys, of num_items elements
/// @param values_result    start of the output of values, of the same size
/// @param comp             strict weak order of the keys, which each run is sorted by
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4}, b{1, 3, 4};
/// const std::vector<char> a_values{'a', 'b'}, b_values{'x', 'y', 'z'};
/// const std::vector<const int*> runs{a.data(), b.data()};
/// const std::vector<const char*> value_runs{a_values.data(), b_values.data()};
/// const std::vector<int> sizes{2, 3};
/// std::vector<int> keys_out(5);
/// std::vector<char> values_out(5);
/// mgpu::multiway_merge_by_key(
///   thrust::host, runs.begin(), value_runs.begin(), sizes.begin(), 2, 5, keys_out.begin(), values_out.begin());
/// assert((keys_out == std::vector<int>{1, 1, 3, 4, 4}));
/// assert((values_out == std::vector<char>{'a', 'x', 'y', 'b', 'z'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyRunIterator, class ValueRunIterator, class SizeIterator, class KeyOutputIterator,
  class ValueOutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> multiway_merge_by_key(
  const thrust::execution_policy<Policy>& exec, KeyRunIterator key_runs_first, ValueRunIterator value_runs_first,
  SizeIterator sizes_first, std::int64_t num_runs, std::int64_t num_items, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp = {})
{
  const auto end = detail::execute(
    exec, "multiway_merge_by_key",
    detail::multiway_merge_job(
      "the keys", detail::make_separate_runs(key_runs_first, value_runs_first, num_items, sizes_first, num_runs),
      detail::merged_elements{keys_result, values_result}, comp));
  return {end.keys, end.values};
}

/// multiway_merge_by_key on the system that the iterators belong to, without a policy. What those to runs give,
/// pointers say, does not count.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyRunIterator, class ValueRunIterator, class SizeIterator, class KeyOutputIterator, class ValueOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> multiway_merge_by_key(
  KeyRunIterator key_runs_first, ValueRunIterator value_runs_first, SizeIterator sizes_first, std::int64_t num_runs,
  std::int64_t num_items, KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp = {})
{
  return mgpu::multiway_merge_by_key(
    detail::system_policy_t<KeyRunIterator, ValueRunIterator, SizeIterator, KeyOutputIterator, ValueOutputIterator>{},
    key_runs_first, value_runs_first, sizes_first, num_runs, num_items, keys_result, values_result, comp);
}

/// Writes where each element of the merge of sorted runs in buffers of their own comes from: the number of its run,
/// from 0 on, and its position there.
///
/// @param exec             execution policy
/// @param runs_first       random-access iterator to the runs: to random-access iterators to their first elements, all
///                         of one type
/// @param sizes_first      random-access iterator to integers: the number of elements of each run
/// @param num_runs         number of runs
/// @param num_items        number of elements in all runs together
/// @param numbers_result   start of the output of runs' numbers, of num_items integers of any type; or, if these are
///                         not needed, a thrust::discard_iterator
/// @param positions_result start of the output of positions, likewise
/// @param comp             strict weak order, which each run is sorted by
/// @return the ends of both outputs
/// @throws std::length_error if the first output's integers cannot hold num_runs - 1, or the second's num_items - 1, as
/// one run may have all elements; nothing is written then
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<std::string> a{"apple", "pear"}, b{"date", "fig", "plum"};
/// const std::vector<const std::string*> runs{a.data(), b.data()};
/// const std::vector<int> sizes{2, 3};
/// std::vector<int> numbers(5), positions(5);
/// mgpu::multiway_merge_indices(
///   thrust::host, runs.begin(), sizes.begin(), 2, 5, numbers.begin(), positions.begin());
/// assert((numbers == std::vector<int>{0, 1, 1, 0, 1}));
/// assert((positions == std::vector<int>{0, 0, 1, 1, 2}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class RunIterator, class SizeIterator, class NumberIterator, class PositionIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<NumberIterator, PositionIterator> multiway_merge_indices(
  const thrust::execution_policy<Policy>& exec, RunIterator runs_first, SizeIterator sizes_first, std::int64_t num_runs,
  std::int64_t num_items, NumberIterator numbers_result, PositionIterator positions_result, Compare comp = {})
{
  const auto end = detail::execute(
    exec, "multiway_merge_indices",
    detail::multiway_merge_job(
      "the input", detail::make_separate_runs(runs_first, detail::no_values{}, num_items, sizes_first, num_runs),
      detail::merged_run_positions{numbers_result, positions_result}, comp));
  return {end.numbers, end.positions};
}

/// multiway_merge_indices on the system that the iterators belong to, without a policy. What `runs_first` gives,
/// pointers say, does not count.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class RunIterator, class SizeIterator, class NumberIterator, class PositionIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<NumberIterator, PositionIterator> multiway_merge_indices(
  RunIterator runs_first, SizeIterator sizes_first, std::int64_t num_runs, std::int64_t num_items,
  NumberIterator numbers_result, PositionIterator positions_result, Compare comp = {})
{
  return mgpu::multiway_merge_indices(
    detail::system_policy_t<RunIterator, SizeIterator, NumberIterator, PositionIterator>{}, runs_first, sizes_first,
    num_runs, num_items, numbers_result, positions_result, comp);
}

/// Merges sorted runs of keys that lie in one range, and leaves one element for all with equal keys.
///
/// Elements may have equal keys in several runs and within a run. Their key is the first. Their value is
/// op(... op(op(v0, v1), v2) ..., vk) of their values in the order of the merge: by run, those of a run as they are
/// there. If keep(value) is false, the element is left out. An example is the compaction of a store's levels, the runs,
/// from old to new: `op` returns its second argument, and `keep` is false for the mark of a deleted key.
///
/// @param exec                       execution policy
/// @param keys_first,keys_last       the range of all runs of keys
/// @param values_first               start of the values, as many as there are keys
/// @param offsets_first,offsets_last the runs' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (offsets.begin(), offsets.end() - 1)
/// @param keys_result                start of the output of keys; room for as many as there are is always enough
/// @param values_result              start of the output of values, likewise
/// @param comp                       strict weak order of the keys, which each run is sorted by
/// @param op                         associative operator on values; it need not commute. Default: plus
/// @param keep                       predicate of a reduced value. Default: keep_all
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 4, 1, 3, 4};
/// const std::vector<int> values{1, 2, 3, -1, 5, 6};
/// const std::vector<int> offsets{0, 3}; // two runs of 3
/// std::vector<int> keys_out(6), sums(6);
/// const auto end = mgpu::merge_runs_reduce_by_key(
///   thrust::host, keys.begin(), keys.end(), values.begin(), offsets.begin(), offsets.end(), keys_out.begin(),
///   sums.begin(), cuda::std::less<>{}, cuda::std::plus<>{}, [](int sum) { return sum != 0; });
/// assert(end.first - keys_out.begin() == 2);
/// assert(keys_out[0] == 3 && sums[0] == 5 && keys_out[1] == 4 && sums[1] == 11);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class ValueIterator, class OffsetIterator, class KeyOutputIterator,
  class ValueOutputIterator, class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>,
  class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> merge_runs_reduce_by_key(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  ValueIterator values_first, OffsetIterator offsets_first, OffsetIterator offsets_last, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp = {}, BinaryOp op = {}, Predicate keep = {})
{
  const auto end = detail::execute(
    exec, "merge_runs_reduce_by_key",
    detail::multiway_merge_job(
      "the keys",
      detail::make_contiguous_runs(
        keys_first, values_first, detail::length_of(keys_first, keys_last), offsets_first,
        detail::length_of(offsets_first, offsets_last)),
      detail::folded_elements{detail::merged_elements{keys_result, values_result}, op, keep}, comp));
  return {end.to.keys, end.to.values};
}

/// merge_runs_reduce_by_key on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator, class ValueIterator, class OffsetIterator, class KeyOutputIterator, class ValueOutputIterator,
  class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> merge_runs_reduce_by_key(
  KeyIterator keys_first, KeyIterator keys_last, ValueIterator values_first, OffsetIterator offsets_first,
  OffsetIterator offsets_last, KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp = {},
  BinaryOp op = {}, Predicate keep = {})
{
  return mgpu::merge_runs_reduce_by_key(
    detail::system_policy_t<KeyIterator, ValueIterator, OffsetIterator, KeyOutputIterator, ValueOutputIterator>{},
    keys_first, keys_last, values_first, offsets_first, offsets_last, keys_result, values_result, comp, op, keep);
}

/// Counts the elements that merge_runs_reduce_by_key writes. Without `keep` merge_runs_unique_size counts as many, and
/// reads no value.
///
/// @param exec                       execution policy
/// @param keys_first,keys_last       the range of all runs of keys
/// @param values_first               start of the values, as many as there are keys
/// @param offsets_first,offsets_last the runs' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (offsets.begin(), offsets.end() - 1)
/// @param comp                       strict weak order of the keys, which each run is sorted by
/// @param op                         associative operator on values. Default: plus
/// @param keep                       predicate of a reduced value. Default: keep_all
/// @return the number of elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 1, 3, 4}, values{1, 2, -1, 5, 6}, offsets{0, 2};
/// const auto size = mgpu::merge_runs_reduce_by_key_size(
///   thrust::host, keys.begin(), keys.end(), values.begin(), offsets.begin(), offsets.end());
/// assert(size == 3);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class ValueIterator, class OffsetIterator, class Compare = ::cuda::std::less<>,
  class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE std::int64_t merge_runs_reduce_by_key_size(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  ValueIterator values_first, OffsetIterator offsets_first, OffsetIterator offsets_last, Compare comp = {},
  BinaryOp op = {}, Predicate keep = {})
{
  return detail::execute(
           exec, "merge_runs_reduce_by_key_size",
           detail::multiway_merge_job(
             "the keys",
             detail::make_contiguous_runs(
               keys_first, values_first, detail::length_of(keys_first, keys_last), offsets_first,
               detail::length_of(offsets_first, offsets_last)),
             detail::folded_elements{detail::no_results{}, op, keep}, comp))
    .size;
}

/// merge_runs_reduce_by_key_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator, class ValueIterator, class OffsetIterator, class Compare = ::cuda::std::less<>,
  class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE std::int64_t merge_runs_reduce_by_key_size(
  KeyIterator keys_first, KeyIterator keys_last, ValueIterator values_first, OffsetIterator offsets_first,
  OffsetIterator offsets_last, Compare comp = {}, BinaryOp op = {}, Predicate keep = {})
{
  return mgpu::merge_runs_reduce_by_key_size(
    detail::system_policy_t<KeyIterator, ValueIterator, OffsetIterator>{}, keys_first, keys_last, values_first,
    offsets_first, offsets_last, comp, op, keep);
}

/// Merges sorted runs that lie in one range, and writes of all equal elements the first.
///
/// @param exec                       execution policy
/// @param first,last                 the range of all runs
/// @param offsets_first,offsets_last the runs' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (offsets.begin(), offsets.end() - 1)
/// @param result                     start of the output; room for last - first elements is always enough
/// @param comp                       strict weak order, which each run is sorted by
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 4, 7, 2, 4, 0, 7};
/// const std::vector<int> offsets{0, 4, 6}; // runs of 4, 2 and 2
/// std::vector<int> out(8);
/// out.erase(
///   mgpu::merge_runs_unique(
///     thrust::host, keys.begin(), keys.end(), offsets.begin(), offsets.end(), out.begin()),
///   out.end());
/// assert((out == std::vector<int>{0, 1, 2, 4, 7}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator merge_runs_unique(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, Compare comp = {})
{
  return detail::execute(
           exec, "merge_runs_unique",
           detail::multiway_merge_job(
             "the input",
             detail::make_contiguous_runs(
               first, detail::no_values{}, detail::length_of(first, last), offsets_first,
               detail::length_of(offsets_first, offsets_last)),
             detail::folded_elements{
               detail::merged_elements{result, detail::no_values{}}, detail::nothing{}, keep_all{}},
             comp))
    .to.keys;
}

/// merge_runs_unique on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator merge_runs_unique(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, Compare comp = {})
{
  return mgpu::merge_runs_unique(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result, comp);
}

/// Counts the elements that merge_runs_unique writes.
///
/// @param exec                       execution policy
/// @param first,last                 the range of all runs
/// @param offsets_first,offsets_last the runs' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (offsets.begin(), offsets.end() - 1)
/// @param comp                       strict weak order, which each run is sorted by
/// @return the number of elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> keys{1, 4, 4, 7, 2, 4, 0, 7}, offsets{0, 4, 6};
/// assert(
///   mgpu::merge_runs_unique_size(thrust::host, keys.begin(), keys.end(), offsets.begin(), offsets.end()) == 5);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t merge_runs_unique_size(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, Compare comp = {})
{
  return detail::execute(
           exec, "merge_runs_unique_size",
           detail::multiway_merge_job(
             "the input",
             detail::make_contiguous_runs(
               first, detail::no_values{}, detail::length_of(first, last), offsets_first,
               detail::length_of(offsets_first, offsets_last)),
             detail::folded_elements{detail::no_results{}, detail::nothing{}, keep_all{}}, comp))
    .size;
}

/// merge_runs_unique_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t merge_runs_unique_size(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last, Compare comp = {})
{
  return mgpu::merge_runs_unique_size(
    detail::system_policy_t<InputIterator, OffsetIterator>{}, first, last, offsets_first, offsets_last, comp);
}

/// merge_runs_reduce_by_key of runs in buffers of their own.
///
/// @param exec             execution policy
/// @param key_runs_first   random-access iterator to the runs of keys: to random-access iterators to their first
///                         elements, all of one type
/// @param value_runs_first random-access iterator to the runs of values, likewise; each has as many as that of keys
/// @param sizes_first      random-access iterator to integers: the number of elements of each run
/// @param num_runs         number of runs
/// @param num_items        number of elements in all runs together
/// @param keys_result      start of the output of keys; room for num_items elements is always enough
/// @param values_result    start of the output of values, likewise
/// @param comp             strict weak order of the keys, which each run is sorted by
/// @param op               associative operator on values; it need not commute. Default: plus
/// @param keep             predicate of a reduced value. Default: keep_all
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> old_keys{1, 4, 6}, new_keys{1, 3, 4}; // the levels of a store
/// const std::vector<char> old_values{'a', 'b', 'c'}, new_values{'x', 'y', '-'};
/// const std::vector<const int*> runs{old_keys.data(), new_keys.data()};
/// const std::vector<const char*> value_runs{old_values.data(), new_values.data()};
/// const std::vector<int> sizes{3, 3};
/// std::vector<int> keys_out(6);
/// std::vector<char> values_out(6);
/// const auto end = mgpu::multiway_merge_reduce_by_key(
///   thrust::host, runs.begin(), value_runs.begin(), sizes.begin(), 2, 6, keys_out.begin(), values_out.begin(),
///   cuda::std::less<>{}, [](char, char newer) { return newer; }, [](char value) { return value != '-'; });
/// keys_out.erase(end.first, keys_out.end());
/// values_out.erase(end.second, values_out.end());
/// assert((keys_out == std::vector<int>{1, 3, 6}));
/// assert((values_out == std::vector<char>{'x', 'y', 'c'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyRunIterator, class ValueRunIterator, class SizeIterator, class KeyOutputIterator,
  class ValueOutputIterator, class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>,
  class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> multiway_merge_reduce_by_key(
  const thrust::execution_policy<Policy>& exec, KeyRunIterator key_runs_first, ValueRunIterator value_runs_first,
  SizeIterator sizes_first, std::int64_t num_runs, std::int64_t num_items, KeyOutputIterator keys_result,
  ValueOutputIterator values_result, Compare comp = {}, BinaryOp op = {}, Predicate keep = {})
{
  const auto end = detail::execute(
    exec, "multiway_merge_reduce_by_key",
    detail::multiway_merge_job(
      "the keys", detail::make_separate_runs(key_runs_first, value_runs_first, num_items, sizes_first, num_runs),
      detail::folded_elements{detail::merged_elements{keys_result, values_result}, op, keep}, comp));
  return {end.to.keys, end.to.values};
}

/// multiway_merge_reduce_by_key on the system that the iterators belong to, without a policy. What those to runs give,
/// pointers say, does not count.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyRunIterator, class ValueRunIterator, class SizeIterator, class KeyOutputIterator, class ValueOutputIterator,
  class Compare = ::cuda::std::less<>, class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE thrust::pair<KeyOutputIterator, ValueOutputIterator> multiway_merge_reduce_by_key(
  KeyRunIterator key_runs_first, ValueRunIterator value_runs_first, SizeIterator sizes_first, std::int64_t num_runs,
  std::int64_t num_items, KeyOutputIterator keys_result, ValueOutputIterator values_result, Compare comp = {},
  BinaryOp op = {}, Predicate keep = {})
{
  return mgpu::multiway_merge_reduce_by_key(
    detail::system_policy_t<KeyRunIterator, ValueRunIterator, SizeIterator, KeyOutputIterator, ValueOutputIterator>{},
    key_runs_first, value_runs_first, sizes_first, num_runs, num_items, keys_result, values_result, comp, op, keep);
}

/// Counts the elements that multiway_merge_reduce_by_key writes. Without `keep` multiway_merge_unique_size counts as
/// many, and reads no value.
///
/// @param exec             execution policy
/// @param key_runs_first   random-access iterator to the runs of keys
/// @param value_runs_first random-access iterator to the runs of values
/// @param sizes_first      random-access iterator to integers: the number of elements of each run
/// @param num_runs         number of runs
/// @param num_items        number of elements in all runs together
/// @param comp             strict weak order of the keys, which each run is sorted by
/// @param op               associative operator on values. Default: plus
/// @param keep             predicate of a reduced value. Default: keep_all
/// @return the number of elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4}, b{1, 3, 4}, a_values{1, 2}, b_values{-1, 5, 6};
/// const std::vector<const int*> runs{a.data(), b.data()}, value_runs{a_values.data(), b_values.data()};
/// const std::vector<int> sizes{2, 3};
/// const auto size = mgpu::multiway_merge_reduce_by_key_size(
///   thrust::host, runs.begin(), value_runs.begin(), sizes.begin(), 2, 5, cuda::std::less<>{}, cuda::std::plus<>{},
///   [](int sum) { return sum != 0; });
/// assert(size == 2);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyRunIterator, class ValueRunIterator, class SizeIterator, class Compare = ::cuda::std::less<>,
  class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE std::int64_t multiway_merge_reduce_by_key_size(
  const thrust::execution_policy<Policy>& exec, KeyRunIterator key_runs_first, ValueRunIterator value_runs_first,
  SizeIterator sizes_first, std::int64_t num_runs, std::int64_t num_items, Compare comp = {}, BinaryOp op = {},
  Predicate keep = {})
{
  return detail::execute(
           exec, "multiway_merge_reduce_by_key_size",
           detail::multiway_merge_job(
             "the keys", detail::make_separate_runs(key_runs_first, value_runs_first, num_items, sizes_first, num_runs),
             detail::folded_elements{detail::no_results{}, op, keep}, comp))
    .size;
}

/// multiway_merge_reduce_by_key_size on the system that the iterators belong to, without a policy. What those to runs
/// give, pointers say, does not count.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyRunIterator, class ValueRunIterator, class SizeIterator, class Compare = ::cuda::std::less<>,
  class BinaryOp = ::cuda::std::plus<>, class Predicate = keep_all>
MGPU_THRUST_HOST_DEVICE std::int64_t multiway_merge_reduce_by_key_size(
  KeyRunIterator key_runs_first, ValueRunIterator value_runs_first, SizeIterator sizes_first, std::int64_t num_runs,
  std::int64_t num_items, Compare comp = {}, BinaryOp op = {}, Predicate keep = {})
{
  return mgpu::multiway_merge_reduce_by_key_size(
    detail::system_policy_t<KeyRunIterator, ValueRunIterator, SizeIterator>{}, key_runs_first, value_runs_first,
    sizes_first, num_runs, num_items, comp, op, keep);
}

/// merge_runs_unique of runs in buffers of their own.
///
/// @param exec        execution policy
/// @param runs_first  random-access iterator to the runs: to random-access iterators to their first elements, all of
///                    one type
/// @param sizes_first random-access iterator to integers: the number of elements of each run
/// @param num_runs    number of runs
/// @param num_items   number of elements in all runs together
/// @param result      start of the output; room for num_items elements is always enough
/// @param comp        strict weak order, which each run is sorted by
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4, 4, 7}, b{2, 4}, c{0, 7};
/// const std::vector<const int*> runs{a.data(), b.data(), c.data()};
/// const std::vector<int> sizes{4, 2, 2};
/// std::vector<int> out(8);
/// out.erase(
///   mgpu::multiway_merge_unique(thrust::host, runs.begin(), sizes.begin(), 3, 8, out.begin()), out.end());
/// assert((out == std::vector<int>{0, 1, 2, 4, 7}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class RunIterator, class SizeIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator multiway_merge_unique(
  const thrust::execution_policy<Policy>& exec, RunIterator runs_first, SizeIterator sizes_first, std::int64_t num_runs,
  std::int64_t num_items, OutputIterator result, Compare comp = {})
{
  return detail::execute(
           exec, "multiway_merge_unique",
           detail::multiway_merge_job(
             "the input", detail::make_separate_runs(runs_first, detail::no_values{}, num_items, sizes_first, num_runs),
             detail::folded_elements{
               detail::merged_elements{result, detail::no_values{}}, detail::nothing{}, keep_all{}},
             comp))
    .to.keys;
}

/// multiway_merge_unique on the system that the iterators belong to, without a policy. What `runs_first` gives,
/// pointers say, does not count.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class RunIterator, class SizeIterator, class OutputIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator multiway_merge_unique(
  RunIterator runs_first, SizeIterator sizes_first, std::int64_t num_runs, std::int64_t num_items,
  OutputIterator result, Compare comp = {})
{
  return mgpu::multiway_merge_unique(
    detail::system_policy_t<RunIterator, SizeIterator, OutputIterator>{}, runs_first, sizes_first, num_runs, num_items,
    result, comp);
}

/// Counts the elements that multiway_merge_unique writes.
///
/// @param exec        execution policy
/// @param runs_first  random-access iterator to the runs
/// @param sizes_first random-access iterator to integers: the number of elements of each run
/// @param num_runs    number of runs
/// @param num_items   number of elements in all runs together
/// @param comp        strict weak order, which each run is sorted by
/// @return the number of elements
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> a{1, 4, 4, 7}, b{2, 4};
/// const std::vector<const int*> runs{a.data(), b.data()};
/// const std::vector<int> sizes{4, 2};
/// assert(mgpu::multiway_merge_unique_size(thrust::host, runs.begin(), sizes.begin(), 2, 6) == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class RunIterator, class SizeIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t multiway_merge_unique_size(
  const thrust::execution_policy<Policy>& exec, RunIterator runs_first, SizeIterator sizes_first, std::int64_t num_runs,
  std::int64_t num_items, Compare comp = {})
{
  return detail::execute(
           exec, "multiway_merge_unique_size",
           detail::multiway_merge_job(
             "the input", detail::make_separate_runs(runs_first, detail::no_values{}, num_items, sizes_first, num_runs),
             detail::folded_elements{detail::no_results{}, detail::nothing{}, keep_all{}}, comp))
    .size;
}

/// multiway_merge_unique_size on the system that the iterators belong to, without a policy. What `runs_first` gives,
/// pointers say, does not count.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class RunIterator, class SizeIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t multiway_merge_unique_size(
  RunIterator runs_first, SizeIterator sizes_first, std::int64_t num_runs, std::int64_t num_items, Compare comp = {})
{
  return mgpu::multiway_merge_unique_size(
    detail::system_policy_t<RunIterator, SizeIterator>{}, runs_first, sizes_first, num_runs, num_items, comp);
}

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup segmented_compact Segmented compaction
/// Segmented compaction: keeps some items of each segment, whatever the lengths of the segments, and tells where the
/// segments are in the result. Items are kept by a predicate, or because they differ from the item before.
///
/// Always write `mgpu::`. Segments and their offsets are as in `mgpu_thrust/load_balance.h`: one offset for each
/// segment, the first one 0, and the last segment ends at `last`; segments may be empty, at any position and any number
/// in a row. Of n + 1 offsets, as CSR and CUB have them, pass all but the last, `(row_ptr.begin(), row_ptr.end() - 1)`:
/// with all of them there is one segment more, an empty one, and one offset more is written. Policies, iterators and
/// thread safety are as in `mgpu_thrust/set_operations.h`. Differences:
///
/// **Results.** The items that are kept are written one after the other, in the order of the input. `offsets_result`
/// receives one integer more than there are segments, of its value type (std::int64_t where it has none). They are
/// where each segment's items begin in the result, and at last the number of all. So segment s is at [offsets[s],
/// offsets[s + 1]) of the result, and both outputs are inputs of the next call. Without segments there is one offset,
/// which is 0.
///
/// **Columns.** A zip iterator as input and as output keeps or drops rows of several columns.
///
/// **Functions** are called once for each item, in any order, and by several threads at once, no two of which share a
/// copy. With a serial policy the calls are in the order of the items, on one copy.
///
/// **Complexity.** Linear in items and segments together, however the items are distributed, in one pass; with W
/// workers or a GPU, plus a search of O(log n) steps per piece. A piece has 2^15 items and segments on a CPU worker.
///
/// **Synchronisation.** The function returns the end of the result, so it waits for the GPU once, with `par_nosync`
/// too. Functions with `_n` do not.
///
/// **Temporary storage.** None on the calling thread. Otherwise one allocation from the policy's allocator: 2^17 times
/// the size of an item for each CPU worker, which counts as 2 bytes if it has more than 16, and 8 bytes for each piece;
/// on a GPU 28 bytes for each tile of up to 6144 items, and a word of page-locked host memory as for a set operation.
///
/// **Aliasing.** Outputs must not overlap the inputs or each other. A compaction in place is none of these functions.
///
/// **Exceptions.** std::invalid_argument if the end of a range is before its start, or there are items and no segment;
/// std::length_error if the type of the offsets of results cannot hold the number of items, kept or not, if items and
/// segments together are more than 2^63 - 1, or, on a GPU, if they are more than fit in a grid of 2^31 - 1 tiles:
/// nothing is written then. mgpu::temporary_storage_error, a std::bad_alloc that names the function, if a default
/// allocator has no memory; thrust::system_error if a kernel cannot be launched. An exception that a function, an
/// iterator or the caller's allocator throws on the host stops all workers and reaches the caller; some results may
/// have been written then. Offsets are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then
/// std::invalid_argument names the first position whose offset is wrong, before anything is written.
///
/// **Items on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined. Predicates are then called with segments
/// of those that there are.
///
/// **Source.** The method is ours. Related: G. Blelloch: "Prefix Sums and Their Applications" (1990), for compaction by
/// a scan of flags.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/segmented_compact/cpu.h>
#include <mgpu_thrust/detail/segmented_compact/job.h>
#include <mgpu_thrust/detail/segmented_compact/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_compact/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup segmented_compact
/// @{

/// Keeps the items of each segment for which a predicate is true.
///
/// @param exec                       execution policy
/// @param first,last                 the items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last
/// @param result                     start of the output of items; room for last - first is always enough
/// @param offsets_result             start of the output of offsets, one more than there are segments
/// @param pred                       called as pred(item, segment), where segment is a std::int64_t, if it can be
///                                   called so, otherwise as pred(item); its result converts to bool
/// @return the end of the output of items
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> scores{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::vector<int> good(6), good_offsets(5);
/// good.erase(
///   mgpu::segmented_copy_if(
///     thrust::host, scores.begin(), scores.end(), offsets.begin(), offsets.end(), good.begin(), good_offsets.begin(),
///     [](int score) { return score >= 3; }),
///   good.end());
/// assert((good == std::vector<int>{3, 7, 9, 8} && good_offsets == std::vector<int>{0, 1, 1, 2, 4}));
///
/// // A limit for each segment.
/// const std::vector<int> limits{2, 0, 9, 8};
/// const auto end = mgpu::segmented_copy_if(
///   thrust::host, scores.begin(), scores.end(), offsets.begin(), offsets.end(), good.begin(), good_offsets.begin(),
///   [&](int score, std::int64_t segment) { return score >= limits[segment]; });
/// assert(end - good.begin() == 4 && (good == std::vector<int>{3, 2, 9, 8}));
/// assert((good_offsets == std::vector<int>{0, 2, 2, 2, 4}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class OffsetOutputIterator,
  class Predicate>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_copy_if(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, OffsetOutputIterator offsets_result, Predicate pred)
{
  return detail::execute(
    exec, "segmented_copy_if",
    detail::make_compact_job(
      first, detail::make_segments(detail::length_of(first, last), offsets_first, offsets_last), result, offsets_result,
      detail::keep_if<Predicate>{pred}));
}

/// segmented_copy_if on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator, class OffsetOutputIterator, class Predicate>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_copy_if(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, OffsetOutputIterator offsets_result, Predicate pred)
{
  return mgpu::segmented_copy_if(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator, OffsetOutputIterator>{}, first, last,
    offsets_first, offsets_last, result, offsets_result, pred);
}

/// Keeps the first of each run of equal items of a segment, so sorted segments become sets. Items of different segments
/// are not compared.
///
/// An item is compared with the one before it, as in thrust::unique_copy. (std::unique_copy compares with the last item
/// that is kept, which is the same if `equal` is an equivalence relation.)
///
/// @param exec                       execution policy
/// @param first,last                 the items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last
/// @param result                     start of the output of items; room for last - first is always enough
/// @param offsets_result             start of the output of offsets, one more than there are segments
/// @param equal                      called as equal(item before, item); default: operator==
/// @return the end of the output of items
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> words{5, 5, 7, 7, 7, 2, 9, 9}, offsets{0, 4, 4, 5}; // the sorted words of four documents
/// std::vector<int> distinct(8), distinct_offsets(5);
/// distinct.erase(
///   mgpu::segmented_unique_copy(
///     thrust::host, words.begin(), words.end(), offsets.begin(), offsets.end(), distinct.begin(),
///     distinct_offsets.begin()),
///   distinct.end());
/// assert((distinct == std::vector<int>{5, 7, 7, 2, 9}));
/// assert((distinct_offsets == std::vector<int>{0, 2, 2, 3, 5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class OffsetOutputIterator,
  class BinaryPredicate = ::cuda::std::equal_to<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_unique_copy(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, OffsetOutputIterator offsets_result, BinaryPredicate equal = {})
{
  return detail::execute(
    exec, "segmented_unique_copy",
    detail::make_compact_job(
      first, detail::make_segments(detail::length_of(first, last), offsets_first, offsets_last), result, offsets_result,
      detail::keep_first_of_equals<BinaryPredicate>{equal}));
}

/// segmented_unique_copy on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class InputIterator, class OffsetIterator, class OutputIterator, class OffsetOutputIterator,
  class BinaryPredicate = ::cuda::std::equal_to<>>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_unique_copy(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, OffsetOutputIterator offsets_result, BinaryPredicate equal = {})
{
  return mgpu::segmented_unique_copy(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator, OffsetOutputIterator>{}, first, last,
    offsets_first, offsets_last, result, offsets_result, equal);
}

/// @}
MGPU_THRUST_NAMESPACE_END

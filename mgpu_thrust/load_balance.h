// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup load_balance Load balancing
/// Load-balancing search: finds the segment that each item belongs to, or calls a function for each item with its
/// segment. Work is divided into equal pieces, not by segment, so the lengths of the segments make no difference.
///
/// Always write `mgpu::`. Policies, iterators, thread safety and exceptions are as for the set operations of
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Segments.** `num_items` items, numbered 0, 1, 2, ..., are divided into segments: the neighbours of a vertex, the
/// rows of a sparse matrix, the matches of a key, the words of a sentence. The segments are given by their **offsets**,
/// the exclusive scan of their sizes: one for each segment, the number of items before it; the first one is 0. The last
/// segment ends at `num_items`. Segments may be empty, at any position and any number in a row: an empty segment has
/// the offset of the next one, and no items.
///
///     sizes     3  0  1  2
///     offsets   0  3  3  4     num_items 6
///     item      0  1  2  3  4  5
///     segment   0  0  0  2  3  3
///     rank      0  1  2  0  0  1
///
/// **n + 1 offsets.** The rows of a CSR matrix are segments, and its nonzeros the items; but it has one offset more,
/// the number of nonzeros, as CUB's segments have. Pass `row_ptr.begin(), row_ptr.end() - 1`: with all n + 1 there is
/// one segment more, an empty one, which no check can tell from an empty last row: its result is written, or its value
/// may be read, one past the end. (For a slice of a matrix, whose offsets do not begin with 0, pass a
/// transform_iterator that subtracts the first.)
///
/// An item's **rank** is the number of items before it in its segment. Items, segments and ranks are passed to
/// functions as std::int64_t. Offsets are integers of any type, signed or unsigned, from any random-access iterator;
/// their values are below 2^63. They are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then
/// std::invalid_argument names the first position whose offset is wrong, before anything is written or called.
///
/// **Functions** are called once for each item, in any order, and by several threads at once, no two of which share a
/// copy. With a serial policy the calls are in the order of the items, on one copy.
///
/// **Complexity.** Linear in items and segments together, however the items are distributed; with W workers or a GPU,
/// plus a search of O(log n) steps per piece. A piece has 2^15 items and segments on a CPU worker, 2^12 items in a
/// block of a GPU.
///
/// **Synchronisation.** The length of the output is known in advance. So with `par_nosync` the call does not wait for
/// the GPU: inputs and output must live until its stream has completed the call. An allocator of the policy gets its
/// memory back before that, so it must allocate in stream order. (The checked mode waits.)
///
/// **Temporary storage.** None on a CPU; on a GPU up to 8 bytes for each tile of 2^12 items.
///
/// **Aliasing.** The output must not overlap the offsets or the values.
///
/// **Exceptions.** std::invalid_argument if `num_items` is negative, `offsets_last` is before `offsets_first`, or there
/// are items and no segment; std::length_error if items and segments together are more than 2^63 - 1, or, on a GPU, the
/// items more than fit in a grid of 2^31 - 1 tiles. An exception that a function throws on the host stops all workers
/// and reaches the caller; the function has then been called for some items. Without items nothing is done.
///
/// **Values on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined. Functions are then called with segments of
/// those that there are, and any ranks.
///
/// **Source.** S. Baxter: Modern GPU, "Load-Balancing Search" (2013).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/segments/cpu.h>
#include <mgpu_thrust/detail/segments/job.h>
#include <mgpu_thrust/detail/segments/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segments/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup load_balance
/// @{

/// Finds the segment of every item: the last one whose offset is at most the item's number.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param segments_out               start of the output, one segment number for each item. An output receives its
///                                   value type, an integer of up to 8 bytes; one without (a transform output or
///                                   back-insert iterator) receives std::int64_t
/// @return the end of the output
/// @throws std::length_error if that type cannot hold the number of the last segment; nothing is written then
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::vector<int> segments(6);
/// mgpu::load_balancing_search(thrust::host, 6, offsets.begin(), offsets.end(), segments.begin());
/// assert((segments == std::vector<int>{0, 0, 0, 2, 3, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class OffsetIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator load_balancing_search(
  const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator segments_out)
{
  using index = detail::written_index_t<OutputIterator>;
  return detail::execute(
    exec, "load_balancing_search",
    detail::segments_job(
      detail::segment_transform{detail::segment_number<index>{}, detail::no_values{}, detail::unwrap(segments_out)},
      detail::make_segments(num_items, offsets_first, offsets_last), segments_out));
}

/// load_balancing_search on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator load_balancing_search(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, OutputIterator segments_out)
{
  return mgpu::load_balancing_search(
    detail::system_policy_t<OffsetIterator, OutputIterator>{}, num_items, offsets_first, offsets_last, segments_out);
}

/// Calls a function for every item, with its segment and its rank.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param f                          called as f(item, segment, rank); its return value is ignored. What it writes must
///                                   not depend on the order of the calls, which may be concurrent: calls that write to
///                                   the same address must use atomic operations
/// @since 1.0
///
/// @code{.cpp}
/// // A sparse matrix in the CSR form, times a vector: the products of each row's nonzeros.
/// const std::vector<int> row_ptr{0, 2, 3, 3}, columns{0, 2, 1};
/// const std::vector<double> nonzeros{1.0, 2.0, 3.0}, x{10.0, 20.0, 30.0};
/// std::vector<double> product(3);
/// mgpu::for_each_in_segments(
///   thrust::host, 3, row_ptr.begin(), row_ptr.end() - 1,
///   [&](std::int64_t item, std::int64_t row, std::int64_t) { product[row] += nonzeros[item] * x[columns[item]]; });
/// assert((product == std::vector<double>{70.0, 60.0, 0.0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class OffsetIterator, class Function>
MGPU_THRUST_HOST_DEVICE void for_each_in_segments(
  const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
  OffsetIterator offsets_last, Function f)
{
  detail::execute(
    exec, "for_each_in_segments",
    detail::segments_job(
      detail::segment_visit{f, detail::no_values{}}, detail::make_segments(num_items, offsets_first, offsets_last),
      detail::nothing{}));
}

/// for_each_in_segments on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class Function>
MGPU_THRUST_HOST_DEVICE void
for_each_in_segments(std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, Function f)
{
  mgpu::for_each_in_segments(detail::system_policy_t<OffsetIterator>{}, num_items, offsets_first, offsets_last, f);
}

/// Calls a function for every item, with its segment, its rank and a value of the segment.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param values_first               start of the values, one for each segment. The value of a segment with many items
///                                   is loaded once for many of them; of one with few, perhaps once for each
/// @param f                          called as f(item, segment, rank, value); otherwise as in the overload without
///                                   values
/// @since 1.0
///
/// @code{.cpp}
/// // A step of a breadth-first search: the neighbours of the vertices 4, 0 and 2, each with the vertex it is reached
/// // from. Of the graph's edges, those of a vertex begin at edges_of[vertex].
/// const std::vector<int> edges_of{0, 2, 4, 5, 7}, neighbours{1, 4, 0, 2, 3, 1, 2, 4, 0};
/// const std::vector<int> frontier{4, 0, 2}, offsets{0, 2, 4}; // of 2, 2 and 1 neighbours
/// std::vector<int> reached_from(5, -1);
/// mgpu::for_each_in_segments(
///   thrust::host, 5, offsets.begin(), offsets.end(), frontier.begin(),
///   [&](std::int64_t, std::int64_t, std::int64_t rank, int vertex)
///   { reached_from[neighbours[edges_of[vertex] + rank]] = vertex; });
/// assert((reached_from == std::vector<int>{4, 0, -1, 2, 0}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class OffsetIterator, class ValueIterator, class Function>
MGPU_THRUST_HOST_DEVICE void for_each_in_segments(
  const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
  OffsetIterator offsets_last, ValueIterator values_first, Function f)
{
  detail::execute(
    exec, "for_each_in_segments",
    detail::segments_job(
      detail::segment_visit{f, detail::unwrap(values_first)},
      detail::make_segments(num_items, offsets_first, offsets_last), detail::nothing{}));
}

/// for_each_in_segments on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class ValueIterator, class Function>
MGPU_THRUST_HOST_DEVICE void for_each_in_segments(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, ValueIterator values_first,
  Function f)
{
  mgpu::for_each_in_segments(
    detail::system_policy_t<OffsetIterator, ValueIterator>{}, num_items, offsets_first, offsets_last, values_first, f);
}

/// Writes the result of a function called for every item, with its segment and its rank.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param result                     start of the output, of one element for each item
/// @param f                          called as f(item, segment, rank); its result must be assignable to the output
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::vector<int> ranks(6);
/// mgpu::transform_in_segments(
///   thrust::host, 6, offsets.begin(), offsets.end(), ranks.begin(),
///   [](std::int64_t, std::int64_t, std::int64_t rank) { return static_cast<int>(rank); });
/// assert((ranks == std::vector<int>{0, 1, 2, 0, 0, 1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class OffsetIterator, class OutputIterator, class Function>
MGPU_THRUST_HOST_DEVICE OutputIterator transform_in_segments(
  const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, Function f)
{
  return detail::execute(
    exec, "transform_in_segments",
    detail::segments_job(
      detail::segment_transform{f, detail::no_values{}, detail::unwrap(result)},
      detail::make_segments(num_items, offsets_first, offsets_last), result));
}

/// transform_in_segments on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class OutputIterator, class Function>
MGPU_THRUST_HOST_DEVICE OutputIterator transform_in_segments(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, OutputIterator result, Function f)
{
  return mgpu::transform_in_segments(
    detail::system_policy_t<OffsetIterator, OutputIterator>{}, num_items, offsets_first, offsets_last, result, f);
}

/// Writes the result of a function called for every item, with its segment, its rank and a value of the segment.
///
/// @param exec                       execution policy
/// @param num_items                  number of items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param values_first               start of the values, one for each segment. The value of a segment with many items
///                                   is loaded once for many of them; of one with few, perhaps once for each
/// @param result                     start of the output, of one element for each item
/// @param f                          called as f(item, segment, rank, value); its result must be assignable to the
///                                   output
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// // Ranges of numbers, from their first numbers and their lengths.
/// const std::vector<int> firsts{10, 50, 70}, offsets{0, 3, 4}; // of 3, 1 and 2 numbers
/// std::vector<int> numbers(6);
/// mgpu::transform_in_segments(
///   thrust::host, 6, offsets.begin(), offsets.end(), firsts.begin(), numbers.begin(),
///   [](std::int64_t, std::int64_t, std::int64_t rank, int first) { return first + static_cast<int>(rank); });
/// assert((numbers == std::vector<int>{10, 11, 12, 50, 70, 71}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class OffsetIterator, class ValueIterator, class OutputIterator, class Function>
MGPU_THRUST_HOST_DEVICE OutputIterator transform_in_segments(
  const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
  OffsetIterator offsets_last, ValueIterator values_first, OutputIterator result, Function f)
{
  return detail::execute(
    exec, "transform_in_segments",
    detail::segments_job(
      detail::segment_transform{f, detail::unwrap(values_first), detail::unwrap(result)},
      detail::make_segments(num_items, offsets_first, offsets_last), result));
}

/// transform_in_segments on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class ValueIterator, class OutputIterator, class Function>
MGPU_THRUST_HOST_DEVICE OutputIterator transform_in_segments(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, ValueIterator values_first,
  OutputIterator result, Function f)
{
  return mgpu::transform_in_segments(
    detail::system_policy_t<OffsetIterator, ValueIterator, OutputIterator>{}, num_items, offsets_first, offsets_last,
    values_first, result, f);
}

/// @}
MGPU_THRUST_NAMESPACE_END

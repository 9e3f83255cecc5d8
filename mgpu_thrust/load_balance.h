// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Load-balancing search: which segment each item belongs to, and functions called for each item with its segment. Work
/// is cut into equal pieces, not into segments, so that it makes no difference how long these are.
///
/// Always write `mgpu::`. What holds for the set operations of `mgpu_thrust/set_operations.h` holds here too: their
/// policies, iterators, thread safety and exceptions. What differs:
///
/// **Segments.** `num_items` items, numbered 0, 1, 2, ..., are cut into segments: the neighbours of a vertex, the rows
/// of a sparse matrix, the matches of a key, the words of a sentence. What cuts them are their **offsets**, the
/// exclusive scan of the segments' sizes: as many as there are segments, each the number of items before its segment,
/// the first one 0. `num_items` is where the last segment ends. A CSR matrix has one offset more, so its rows are the
/// segments of `(row_ptr, row_ptr + rows)`, and its nonzeros the items. (A slice of one, whose offsets do not begin
/// with 0, takes a transform_iterator that subtracts the first.) A segment may be empty, anywhere and in long runs: it
/// shares its offset with the next one, and no item belongs to it.
///
///     sizes     3  0  1  2
///     offsets   0  3  3  4     num_items 6
///     item      0  1  2  3  4  5
///     segment   0  0  0  2  3  3
///     rank      0  1  2  0  0  1
///
/// An item's **rank** is the number of items before it in its segment. Items, segments and ranks are passed to
/// functions as std::int64_t. Offsets are integers of any type, signed or unsigned, from any random-access iterator;
/// their values are below 2^63. They are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then
/// std::invalid_argument names the first position whose offset is wrong, before anything is written or called.
///
/// **Functions** are called once for each item, in any order, and by several threads at once, no two of which share a
/// copy. With a serial policy the items are in order, and there is one copy.
///
/// **Complexity.** Linear in items and segments together, wherever the items are; with W workers or a GPU, plus a
/// search of O(log n) steps a piece. CPU workers take pieces of 2^15 items and segments, blocks of a GPU 2^12 items.
///
/// **Synchronisation.** How long the output is, is known beforehand. So with `par_nosync` a GPU is not waited for:
/// inputs and output must stay until its stream has passed the call, and an allocator of the policy gets its memory
/// back before that, so it must hand it out in the order of the stream. (The checked mode waits.)
///
/// **Temporary storage.** None on a CPU; on a GPU 8 bytes for each tile of 2^12 items.
///
/// **Aliasing.** The output must not overlap the offsets or the values.
///
/// **Exceptions.** std::invalid_argument if `num_items` is negative, the last offset before the first, or there are
/// items and no segment; std::length_error if items and segments together are more than 2^63 - 1, or, on a GPU, the
/// items more than a grid of 2^31 - 1 tiles takes. What a function throws on the host stops all workers and reaches the
/// caller; some items have been done then. Without items nothing is done.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined. Functions are then called with segments of
/// those that there are, and any ranks.
///
/// **Source.** S. Baxter: Modern GPU, "Load-Balancing Search" (2013).

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/system/dispatch_segments.h>

#include <thrust/execution_policy.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// Finds the segment of every item: the last one whose offset is not above the item's number.
///
/// @param exec          where to run
/// @param num_items     how many items there are
/// @param offsets_first start of the segments' offsets, which end before `offsets_last`
/// @param segments_out  start of the output, of a segment's number for each item. They have the value type of the
///                      output, an integer of up to 8 bytes; where it has none (a transform output or back-insert
///                      iterator) it receives std::int64_t
/// @return the end of the output
/// @throws std::length_error if that type cannot hold the number of the last segment; nothing is written then
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
  return detail::load_balancing_search_entry(exec, num_items, offsets_first, offsets_last, segments_out);
}

/// On the system of the iterators.
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
/// @param exec          where to run
/// @param num_items     how many items there are
/// @param offsets_first start of the segments' offsets, which end before `offsets_last`
/// @param f             called as f(item, segment, rank). What it returns is dropped. What it writes must not depend
///                      on the order of the calls; they may be at the same time, so items that write to one place do
///                      so with atomic operations
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
  detail::for_each_in_segments_entry(exec, num_items, offsets_first, offsets_last, detail::no_values{}, f);
}

/// On the system of the iterator.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class Function>
MGPU_THRUST_HOST_DEVICE void
for_each_in_segments(std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, Function f)
{
  mgpu::for_each_in_segments(detail::system_policy_t<OffsetIterator>{}, num_items, offsets_first, offsets_last, f);
}

/// Calls a function for every item, with its segment, its rank and a value of the segment.
///
/// @param exec          where to run
/// @param num_items     how many items there are
/// @param offsets_first start of the segments' offsets, which end before `offsets_last`
/// @param values_first  start of the values, one for each segment. Where a segment has many items, its value is loaded
///                      once for many of them; where it has few, perhaps for each
/// @param f             called as f(item, segment, rank, value); otherwise as without values
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
  detail::for_each_in_segments_entry(exec, num_items, offsets_first, offsets_last, values_first, f);
}

/// On the system of the iterators.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class ValueIterator, class Function>
MGPU_THRUST_HOST_DEVICE void for_each_in_segments(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, ValueIterator values_first,
  Function f)
{
  mgpu::for_each_in_segments(
    detail::system_policy_t<OffsetIterator, ValueIterator>{}, num_items, offsets_first, offsets_last, values_first, f);
}

/// Writes what a function returns for every item, from its segment and its rank.
///
/// @param exec          where to run
/// @param num_items     how many items there are
/// @param offsets_first start of the segments' offsets, which end before `offsets_last`
/// @param result        start of the output, of one element for each item
/// @param f             called as f(item, segment, rank); the output must take what it returns
/// @return the end of the output
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
  return detail::transform_in_segments_entry(
    exec, "transform_in_segments", num_items, offsets_first, offsets_last, detail::no_values{}, result, f);
}

/// On the system of the iterators.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class OutputIterator, class Function>
MGPU_THRUST_HOST_DEVICE OutputIterator transform_in_segments(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, OutputIterator result, Function f)
{
  return mgpu::transform_in_segments(
    detail::system_policy_t<OffsetIterator, OutputIterator>{}, num_items, offsets_first, offsets_last, result, f);
}

/// Writes what a function returns for every item, from its segment, its rank and a value of the segment.
///
/// @param exec          where to run
/// @param num_items     how many items there are
/// @param offsets_first start of the segments' offsets, which end before `offsets_last`
/// @param values_first  start of the values, one for each segment. Where a segment has many items, its value is loaded
///                      once for many of them; where it has few, perhaps for each
/// @param result        start of the output, of one element for each item
/// @param f             called as f(item, segment, rank, value); the output must take what it returns
/// @return the end of the output
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
  return detail::transform_in_segments_entry(
    exec, "transform_in_segments", num_items, offsets_first, offsets_last, values_first, result, f);
}

/// On the system of the iterators.
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

MGPU_THRUST_NAMESPACE_END

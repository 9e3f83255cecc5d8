// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup interval Intervals
/// Interval operations: many fills, or many copies, of different lengths in one call. Each interval is a segment, as
/// defined in `mgpu_thrust/load_balance.h`: `num_items` elements are filled or copied in all; an interval has those
/// from its offset to the next interval's, the last one those up to `num_items`. Intervals may be empty, at any
/// position and any number in a row. Of n + 1 offsets, as CSR and CUB have them, pass all but the last: with all of
/// them there is one interval more, an empty one, and its value or position may be read one past the end.
///
/// | function | element `rank` of interval s, which is item `item` |
/// |---|---|
/// | `interval_expand` | result[item] = values[s] |
/// | `interval_gather` | result[item] = input[gather[s] + rank] |
/// | `interval_scatter` | result[scatter[s] + rank] = input[item] |
/// | `interval_move` | result[scatter[s] + rank] = input[gather[s] + rank] |
///
/// Always write `mgpu::`. Offsets, complexity, synchronisation, temporary storage, exceptions and the checked mode are
/// as in `mgpu_thrust/load_balance.h`; policies, iterators and thread safety are as in `mgpu_thrust/set_operations.h`.
/// Differences:
///
/// **Elements** may have any size and any type that the output can be assigned from.
///
/// **Positions** are the indices in the input (`gather`) or in the output (`scatter`) at which intervals begin:
/// integers of any type from any random-access iterator, one for each interval; that of an empty interval may have any
/// value. They are never checked. Intervals may share elements of the input, but not of the output: these are written
/// at the same time.
///
/// **Iterators.** `interval_scatter` and `interval_move` write with random access, under any policy.
///
/// **Aliasing.** The output must not overlap an input.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined. Positions are the exception: with wrong
/// ones, or with wrong offsets where there are positions, elements outside of the input and of the output may be read
/// and written.
///
/// **Source.** S. Baxter: Modern GPU, "IntervalExpand and IntervalMove" (2013).

#include <mgpu_thrust/detail/base/config.h>
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
/// @addtogroup interval
/// @{

/// Writes the value of every interval as many times as the interval is long.
///
/// @param exec                       execution policy
/// @param num_items                  total length of all intervals
/// @param offsets_first,offsets_last the intervals' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param values_first               start of the values, one for each interval
/// @param result                     start of the output, of num_items elements
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> offsets{0, 3, 3, 4}; // intervals of 3, 0, 1 and 2 items
/// const std::vector<char> values{'a', 'b', 'c', 'd'};
/// std::vector<char> out(6);
/// mgpu::interval_expand(thrust::host, 6, offsets.begin(), offsets.end(), values.begin(), out.begin());
/// assert((out == std::vector<char>{'a', 'a', 'a', 'c', 'd', 'd'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class OffsetIterator, class ValueIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator interval_expand(
  const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
  OffsetIterator offsets_last, ValueIterator values_first, OutputIterator result)
{
  return detail::execute(
    exec, "interval_expand",
    detail::segments_job(
      detail::segment_transform{detail::value_of_segment{}, detail::unwrap(values_first), detail::unwrap(result)},
      detail::make_segments(num_items, offsets_first, offsets_last), result));
}

/// interval_expand on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class ValueIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator interval_expand(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, ValueIterator values_first,
  OutputIterator result)
{
  return mgpu::interval_expand(
    detail::system_policy_t<OffsetIterator, ValueIterator, OutputIterator>{}, num_items, offsets_first, offsets_last,
    values_first, result);
}

/// Copies intervals from any positions of an input to consecutive positions of the output.
///
/// @param exec                       execution policy
/// @param num_items                  total length of all intervals
/// @param offsets_first,offsets_last the intervals' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param gather_first               start of the indices of the intervals' first elements in the input
/// @param input                      start of the input
/// @param result                     start of the output, of num_items elements
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> input{'a', 'b', 'c', 'd', 'e', 'f'};
/// const std::vector<int> offsets{0, 3, 3}, gather{2, 0, 4}; // c d e; nothing; e f
/// std::vector<char> out(5);
/// mgpu::interval_gather(
///   thrust::host, 5, offsets.begin(), offsets.end(), gather.begin(), input.begin(), out.begin());
/// assert((out == std::vector<char>{'c', 'd', 'e', 'e', 'f'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class OffsetIterator, class GatherIterator, class InputIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator interval_gather(
  const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
  OffsetIterator offsets_last, GatherIterator gather_first, InputIterator input, OutputIterator result)
{
  return detail::execute(
    exec, "interval_gather",
    detail::segments_job(
      detail::segment_transform{
        detail::element_at_rank{detail::unwrap(input)}, detail::unwrap(gather_first), detail::unwrap(result)},
      detail::make_segments(num_items, offsets_first, offsets_last), result));
}

/// interval_gather on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class GatherIterator, class InputIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator interval_gather(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, GatherIterator gather_first,
  InputIterator input, OutputIterator result)
{
  return mgpu::interval_gather(
    detail::system_policy_t<OffsetIterator, GatherIterator, InputIterator, OutputIterator>{}, num_items, offsets_first,
    offsets_last, gather_first, input, result);
}

/// Copies consecutive intervals of an input to any positions of the output.
///
/// @param exec                       execution policy
/// @param num_items                  total length of all intervals
/// @param offsets_first,offsets_last the intervals' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param scatter_first              start of the indices of the intervals' first elements in the output
/// @param input                      start of the input, of num_items elements
/// @param result                     start of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> input{'a', 'b', 'c', 'd', 'e'};
/// const std::vector<int> offsets{0, 3, 3}, scatter{4, 0, 1}; // a b c; nothing; d e
/// std::vector<char> out(7, '-');
/// mgpu::interval_scatter(
///   thrust::host, 5, offsets.begin(), offsets.end(), scatter.begin(), input.begin(), out.begin());
/// assert((out == std::vector<char>{'-', 'd', 'e', '-', 'a', 'b', 'c'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class OffsetIterator, class ScatterIterator, class InputIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE void interval_scatter(
  const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
  OffsetIterator offsets_last, ScatterIterator scatter_first, InputIterator input, OutputIterator result)
{
  detail::execute(
    exec, "interval_scatter",
    detail::segments_job(
      detail::segment_copy{
        detail::no_values{}, detail::unwrap(scatter_first), detail::unwrap(input), detail::unwrap(result)},
      detail::make_segments(num_items, offsets_first, offsets_last), detail::nothing{}));
}

/// interval_scatter on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class ScatterIterator, class InputIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE void interval_scatter(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, ScatterIterator scatter_first,
  InputIterator input, OutputIterator result)
{
  mgpu::interval_scatter(
    detail::system_policy_t<OffsetIterator, ScatterIterator, InputIterator, OutputIterator>{}, num_items, offsets_first,
    offsets_last, scatter_first, input, result);
}

/// Copies intervals from any positions of an input to any positions of the output.
///
/// @param exec                       execution policy
/// @param num_items                  total length of all intervals
/// @param offsets_first,offsets_last the intervals' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param gather_first               start of the indices of the intervals' first elements in the input
/// @param scatter_first              start of the indices of the intervals' first elements in the output
/// @param input                      start of the input
/// @param result                     start of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<char> input{'a', 'b', 'c', 'd', 'e', 'f'};
/// const std::vector<int> offsets{0, 3, 3}, gather{2, 0, 4}, scatter{4, 0, 1}; // c d e; nothing; e f
/// std::vector<char> out(7, '-');
/// mgpu::interval_move(
///   thrust::host, 5, offsets.begin(), offsets.end(), gather.begin(), scatter.begin(), input.begin(), out.begin());
/// assert((out == std::vector<char>{'-', 'e', 'f', '-', 'c', 'd', 'e'}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class OffsetIterator, class GatherIterator, class ScatterIterator, class InputIterator,
  class OutputIterator>
MGPU_THRUST_HOST_DEVICE void interval_move(
  const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
  OffsetIterator offsets_last, GatherIterator gather_first, ScatterIterator scatter_first, InputIterator input,
  OutputIterator result)
{
  detail::execute(
    exec, "interval_move",
    detail::segments_job(
      detail::segment_copy{
        detail::unwrap(gather_first), detail::unwrap(scatter_first), detail::unwrap(input), detail::unwrap(result)},
      detail::make_segments(num_items, offsets_first, offsets_last), detail::nothing{}));
}

/// interval_move on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class OffsetIterator, class GatherIterator, class ScatterIterator, class InputIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE void interval_move(
  std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last, GatherIterator gather_first,
  ScatterIterator scatter_first, InputIterator input, OutputIterator result)
{
  mgpu::interval_move(
    detail::system_policy_t<OffsetIterator, GatherIterator, ScatterIterator, InputIterator, OutputIterator>{},
    num_items, offsets_first, offsets_last, gather_first, scatter_first, input, result);
}

/// @}
MGPU_THRUST_NAMESPACE_END

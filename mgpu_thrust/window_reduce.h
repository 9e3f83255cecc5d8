// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup window_reduce Reductions of sliding windows
/// The reduction of a window of items for each row, by any associative operator, in a time that does not depend on the
/// lengths of the windows. Examples are the largest price of the last hour, and the mean over thirty days for each day.
///
/// Policies, iterators, thread safety, aliasing and broken preconditions are as in `mgpu_thrust/segmented_reduce.h`.
/// So are values, on a GPU too, and operators, but none is known to commute. Differences:
///
/// **Windows.** A row has a window, the items [begin, end), and a result. A window is empty if its end is not after its
/// begin. From row to row begins ascend, and ends ascend; equal ones are allowed. Windows overlap, are equal, or leave
/// items out. There may be more rows than items, or fewer.
///
/// **Results.** The result of a window with the items x0, x1, ..., xk is
///
///     op(... op(op(init, x0), x1) ..., xk)
///
/// or the same operands in the same order, grouped differently. The result of an empty window is `init`.
///
/// **Repeatable.** The same call on the same system gives bitwise the same results, also of floating-point sums. All
/// policies of a CPU group alike, whatever the number of workers; a GPU, and a call in device code, group otherwise.
///
/// **Complexity.** Linear in items and rows together, whatever the lengths of the windows. On a CPU `op` is called some
/// four times for each item, and once for each row; items that are in no window may be read. In device code, on
/// the calling thread: linear in the lengths of all windows together.
///
/// **Synchronisation.** As for segmented_reduce: with `par_nosync` the call does not wait for the GPU.
///
/// **Temporary storage** from the policy's allocator, for serial policies too: up to 8192 values of T for each worker
/// of a CPU, or 512 of large ones. If windows are longer, some log2(n) values for each 2048 of n items, or for each
/// 128 of large ones. On a GPU log2(n) values and some bytes for each tile of items; by range, two integers for each
/// row too. None in device code.
///
/// **Exceptions.** std::invalid_argument if the end of a range is before its start; std::length_error if items and rows
/// together are more than 2^63 - 1, or, on a GPU, more than fit in a grid of 2^31 - 1 tiles; others as for
/// segmented_reduce. Bounds are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then
/// std::invalid_argument names the first position whose bound is wrong, before anything is written.
///
/// **Source.** The total of a run of tiles is in a disjoint sparse table. On a CPU a window is in two stacks,
/// described by K. Tangwongsan, M. Hirzel and S. Schneider: "Low-Latency Sliding-Window Aggregation in Worst-Case
/// Constant Time" (2017).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/window_reduce/cpu.h>
#include <mgpu_thrust/detail/window_reduce/job.h>
#include <mgpu_thrust/detail/window_reduce/windows.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/window_reduce/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup window_reduce
/// @{

/// Reduces each window of a range, whose bounds are given.
///
/// @param exec                     execution policy
/// @param first,last               the items
/// @param begins_first,begins_last for each row the index of the first item of its window; they ascend, and are
///                                 integers from 0 to the number of items
/// @param ends_first               for each row the index of the item after the last one, likewise
/// @param result                   start of the output, of one element for each row
/// @param init                     leftmost operand of every reduction; its type is the accumulator type
/// @param op                       associative operator; it need not commute. Default: plus
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> prices{3, 1, 2, 7, 9, 8}, begins{0, 0, 1, 2, 6}, ends{1, 3, 3, 5, 6};
/// std::vector<int> largest(5);
/// mgpu::window_reduce(
///   thrust::host, prices.begin(), prices.end(), begins.begin(), begins.end(), ends.begin(), largest.begin(), -1,
///   thrust::maximum<int>{});
/// assert((largest == std::vector<int>{3, 3, 2, 9, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class InputIterator, class BeginIterator, class EndIterator, class OutputIterator, class T,
  class BinaryOp = ::cuda::std::plus<>>
MGPU_THRUST_HOST_DEVICE OutputIterator window_reduce(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, BeginIterator begins_first,
  BeginIterator begins_last, EndIterator ends_first, OutputIterator result, T init, BinaryOp op = {})
{
  return detail::execute(
    exec, "window_reduce",
    detail::window_reduce_job(
      detail::segment_reduction{detail::unwrap(first), detail::unwrap(result), init, op},
      detail::make_windows(
        detail::length_of(first, last), begins_first, detail::length_of(begins_first, begins_last), ends_first),
      result));
}

/// window_reduce on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class InputIterator, class BeginIterator, class EndIterator, class OutputIterator, class T,
  class BinaryOp = ::cuda::std::plus<>>
MGPU_THRUST_HOST_DEVICE OutputIterator window_reduce(
  InputIterator first, InputIterator last, BeginIterator begins_first, BeginIterator begins_last,
  EndIterator ends_first, OutputIterator result, T init, BinaryOp op = {})
{
  return mgpu::window_reduce(
    detail::system_policy_t<InputIterator, BeginIterator, EndIterator, OutputIterator>{}, first, last, begins_first,
    begins_last, ends_first, result, init, op);
}

/// Reduces for each row the items of all rows whose keys are near its key: those in [low(key), high(key)]. It is
/// `RANGE BETWEEN` of SQL.
///
/// Both bounds are found by searches of the keys. A CPU does not store them, a GPU does for the time of the call.
///
/// @param exec                execution policy
/// @param keys_first,keys_last the keys, sorted by `comp`, one for each row
/// @param items_first         the items, as many as keys
/// @param result              start of the output, of one element for each row
/// @param low                 function of a key; its results ascend with the keys, and `comp` compares them with keys
/// @param high                function of a key, likewise
/// @param init                leftmost operand of every reduction; its type is the accumulator type
/// @param op                  associative operator; it need not commute. Default: plus
/// @param comp                strict weak order of keys and bounds, in all combinations of their types. Default: less
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> minutes{0, 20, 20, 65, 80, 300}, prices{3, 1, 2, 7, 9, 8};
/// std::vector<int> largest(6);
/// const auto an_hour_before = [](int minute) { return minute - 60; };
/// mgpu::window_reduce_by_range(
///   thrust::host, minutes.begin(), minutes.end(), prices.begin(), largest.begin(), an_hour_before,
///   [](int minute) { return minute; }, -1, thrust::maximum<int>{});
/// assert((largest == std::vector<int>{3, 3, 3, 7, 9, 8}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class KeyIterator, class InputIterator, class OutputIterator, class Low, class High, class T,
  class BinaryOp = ::cuda::std::plus<>, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator window_reduce_by_range(
  const thrust::execution_policy<Policy>& exec, KeyIterator keys_first, KeyIterator keys_last,
  InputIterator items_first, OutputIterator result, Low low, High high, T init, BinaryOp op = {}, Compare comp = {})
{
  return detail::execute(
    exec, "window_reduce_by_range",
    detail::window_reduce_job(
      detail::segment_reduction{detail::unwrap(items_first), detail::unwrap(result), init, op},
      detail::make_windows_by_range(keys_first, detail::length_of(keys_first, keys_last), low, high, comp), result));
}

/// window_reduce_by_range on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class KeyIterator, class InputIterator, class OutputIterator, class Low, class High, class T,
  class BinaryOp = ::cuda::std::plus<>, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE OutputIterator window_reduce_by_range(
  KeyIterator keys_first, KeyIterator keys_last, InputIterator items_first, OutputIterator result, Low low, High high,
  T init, BinaryOp op = {}, Compare comp = {})
{
  return mgpu::window_reduce_by_range(
    detail::system_policy_t<KeyIterator, InputIterator, OutputIterator>{}, keys_first, keys_last, items_first, result,
    low, high, init, op, comp);
}

/// @}
MGPU_THRUST_NAMESPACE_END

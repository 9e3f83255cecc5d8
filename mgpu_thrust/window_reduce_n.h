// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Reductions of sliding windows of items whose number may be known on the device alone.
/// The contract of these functions is docs/sizes-on-the-device.md; comments say what differs.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/execute_n.h>
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
/// @addtogroup deferred
/// @{

/// window_reduce of window_reduce.h: reduces each window of a range, whose bounds are given.
///
/// @param exec                     execution policy
/// @param first,size               the items
/// @param begins_first,num_windows for each row the index of the first item of its window; they ascend
/// @param ends_first               for each row the index of the item after the last one, likewise
/// @param result                   start of the output, of one element for each row
/// @param init                     leftmost operand of every reduction; its type is the accumulator type
/// @param op                       associative operator; it need not commute. Default: plus
/// @return num_windows
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> prices{3, 1, 2, 7, 9, 8}, begins{0, 0, 1, 2}, ends{1, 3, 3, 5};
/// const int counts[] = {6, 3};
/// std::vector<int> sums(4, -5);
/// mgpu::window_reduce_n(
///   thrust::host, prices.begin(), mgpu::deferred{&counts[0], 6}, begins.begin(), mgpu::deferred{&counts[1], 4},
///   ends.begin(), sums.begin(), 0);
/// assert((sums == std::vector<int>{3, 6, 3, -5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Items, class Size, class Begins, class NumWindows, class Ends, class Output, class T,
  class BinaryOp = ::cuda::std::plus<>>
MGPU_THRUST_HOST_DEVICE NumWindows window_reduce_n(
  const thrust::execution_policy<Policy>& exec, Items first, Size size, Begins begins_first, NumWindows num_windows,
  Ends ends_first, Output result, T init, BinaryOp op = {})
{
  detail::execute_n(
    exec, "window_reduce_n",
    detail::window_reduce_job(
      detail::segment_reduction{detail::unwrap(first), detail::unwrap(result), init, op},
      detail::make_windows(size, begins_first, num_windows, ends_first), result));
  return num_windows;
}

/// window_reduce_by_range of window_reduce.h: reduces for each row the items of all rows whose keys are near its key.
///
/// @param exec            execution policy
/// @param keys_first,size the keys, sorted by `comp`, one for each row
/// @param items_first     the items, as many as keys
/// @param result          start of the output, of one element for each row
/// @param low             function of a key; its results ascend with the keys, and `comp` compares them with keys
/// @param high            function of a key, likewise
/// @param init            leftmost operand of every reduction; its type is the accumulator type
/// @param op              associative operator; it need not commute. Default: plus
/// @param comp            strict weak order of keys and bounds, in all combinations of their types. Default: less
/// @return size
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> minutes{0, 20, 65, 80}, prices{3, 1, 7, 9};
/// const int count = 3;
/// std::vector<int> sums(4, -5);
/// mgpu::window_reduce_by_range_n(
///   thrust::host, minutes.begin(), mgpu::deferred{&count, 4}, prices.begin(), sums.begin(),
///   [](int minute) { return minute - 60; }, [](int minute) { return minute; }, 0);
/// assert((sums == std::vector<int>{3, 4, 8, -5}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class Keys, class Size, class Items, class Output, class Low, class High, class T,
  class BinaryOp = ::cuda::std::plus<>, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE Size window_reduce_by_range_n(
  const thrust::execution_policy<Policy>& exec, Keys keys_first, Size size, Items items_first, Output result, Low low,
  High high, T init, BinaryOp op = {}, Compare comp = {})
{
  detail::execute_n(
    exec, "window_reduce_by_range_n",
    detail::window_reduce_job(
      detail::segment_reduction{detail::unwrap(items_first), detail::unwrap(result), init, op},
      detail::make_windows_by_range(keys_first, size, low, high, comp), result));
  return size;
}

/// @}
MGPU_THRUST_NAMESPACE_END

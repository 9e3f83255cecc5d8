// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup segmented_scan Segmented scans
/// Segmented scans: a running total that restarts in each segment of items, whatever the lengths of the segments.
///
/// Always write `mgpu::`. Segments and their offsets are as in `mgpu_thrust/load_balance.h`: one offset for each
/// segment, the first one 0, and the last segment ends at `last`; segments may be empty, at any position and any number
/// in a row. Of n + 1 offsets, as CSR and CUB have them, pass all but the last (with all of them there is one segment
/// more, an empty one, which changes nothing). Policies, iterators and thread safety are as in
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Results.** There is one for each item. In a segment with the items x0, x1, ..., the result of xk is
///
///     inclusive              op(... op(x0, x1) ..., xk)
///     inclusive with init    op(... op(op(init, x0), x1) ..., xk)
///     exclusive              op(... op(init, x0) ..., xk-1), which is init for k = 0
///
/// or the same operands in the same order, grouped differently. So `op` must be associative; it need not be
/// commutative, nor have an identity. `init` is the leftmost operand in every segment, once.
///
/// **Arguments.** The order is Thrust's: an inclusive scan takes `init, op` after the result, as thrust::inclusive_scan
/// does (std::inclusive_scan takes `op, init`).
///
/// **Values.** The accumulator type T is, on all systems, that of the items for an inclusive scan; what op(item, init)
/// returns for one with init; and the type of `init` for an exclusive one, so that an `init` of 0 adds floating-point
/// items as integers: write 0.0. Items and `init` are converted to T, `op` is called as op(T, T) and its result must be
/// convertible to T, and results are assigned to the output. T may be any type that can be copied and
/// assigned. Types of up to 128 bytes (quaternions, 4 x 4 matrices of float) have kernels that are made for them.
///
/// **Values on a GPU** are copied by their bytes: their copy constructor is trivial, or
/// THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE says that their bytes suffice. They and the items are trivially destructible.
/// A call with others does not compile. A T needs no default constructor.
///
/// **From the end.** Reverse iterators scan from the end. The segments are then numbered from the end too: segment s of
/// them starts where segment n - 1 - s ends, counted from the end of the items.
///
/// **Items in other places.** A permutation iterator scans the items of each segment wherever they are, as those of
/// chains that are spread over memory. As the output it writes each result where its item is; no two items are in one
/// place then.
///
/// **Repeatable.** The same call on the same system gives bitwise the same results, also of floating-point sums: the
/// grouping follows from the numbers of items and segments, from the offsets and from T, not from timing, nor from the
/// number of workers. Serial policies group from the left, as above; other systems group differently, so their sums may
/// differ in the last digits.
///
/// **Operators** are called by several threads at once, no two of which share a copy. Operands are `init`, items, and
/// what the operator returned: a left operand ends where the right one begins, in the same segment.
///
/// **Complexity.** Linear in items and segments together, however the items are distributed: a CPU calls `op` at most
/// twice for each item, a GPU a few times, and a search takes O(log n) steps per piece. On a CPU worker a piece has
/// 2^15 items and segments.
///
/// **Synchronisation.** The length of the output is known in advance. So with `par_nosync` the call does not wait for
/// the GPU: inputs and output must live until its stream has completed the call. An allocator of the policy gets its
/// memory back before that, so it must allocate in stream order. (The checked mode waits.)
///
/// **Temporary storage.** None on the calling thread. Otherwise from the policy's allocator: a value of T and some
/// bytes for each piece of a CPU worker; on a GPU 16 bytes and twice the size of a T for each tile, or none if all is
/// one tile. A tile has up to 3328 items of 4 bytes, and fewer of larger ones: 12 to 24 KiB.
///
/// **Aliasing.** The output may be the input: `result == first`. Otherwise it must not overlap the input, and never the
/// offsets.
///
/// **Exceptions.** std::invalid_argument if the end of a range is before its start, or there are items and no segment;
/// std::length_error if items and segments together are more than 2^63 - 1, or, on a GPU, more than fit in a grid of
/// 2^31 - 1 tiles; mgpu::temporary_storage_error, a std::bad_alloc that names the function, if a default allocator has
/// no memory; thrust::system_error if a kernel cannot be launched. An exception that `op`, an iterator or the caller's
/// allocator throws on the host stops all workers and reaches the caller; some results may have been written then.
/// Offsets are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then std::invalid_argument names the
/// first position whose offset is wrong, before anything is written.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined.
///
/// **Ranks.** Scans also take items in pieces on several ranks: see `mgpu_thrust/distributed.h`.
///
/// **Source.** S. Sengupta, M. Harris, Y. Zhang, J. D. Owens: "Scan Primitives for GPU Computing" (2007), for what is
/// computed; the method is ours.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/segmented_scan/cpu.h>
#include <mgpu_thrust/detail/segmented_scan/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_scan/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>
#include <cuda/std/iterator>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup segmented_scan
/// @{

/// Computes the inclusive scan of each segment, in the value type of the input.
///
/// @param exec                       execution policy
/// @param first,last                 the items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last, or all
/// @param result                     start of the output, of one element for each item; may be `first`
/// @param op                         associative operator
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::vector<int> largest(6);
/// mgpu::segmented_inclusive_scan(
///   thrust::host, items.begin(), items.end(), offsets.begin(), offsets.end(), largest.begin(),
///   thrust::maximum<int>{});
/// assert((largest == std::vector<int>{3, 3, 3, 7, 9, 9}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class BinaryOp>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_inclusive_scan(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, BinaryOp op)
{
  return detail::execute(
    exec, "segmented_inclusive_scan",
    detail::make_inclusive_scan_job(
      first, detail::make_segments(detail::length_of(first, last), offsets_first, offsets_last), result, op));
}

/// Computes the running sums of each segment.
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::vector<int> sums(6);
/// mgpu::segmented_inclusive_scan(
///   thrust::host, items.begin(), items.end(), offsets.begin(), offsets.end(), sums.begin());
/// assert((sums == std::vector<int>{3, 4, 6, 7, 9, 17}));
///
/// // From the end: the last segment is the first one, and starts 0 items before the end.
/// const std::vector<int> offsets_from_end{0, 2, 3, 3}; // of 2, 1, 0 and 3 items
/// mgpu::segmented_inclusive_scan(
///   thrust::host, items.rbegin(), items.rend(), offsets_from_end.begin(), offsets_from_end.end(), sums.rbegin());
/// assert((sums == std::vector<int>{6, 3, 2, 7, 17, 8}));
///
/// // Items in other places: 3 1 2, none, 7 and 9 8, in place.
/// std::vector<int> scattered{8, 3, 7, 1, 9, 2};
/// const std::vector<int> places{1, 3, 5, 2, 4, 0};
/// const auto in_order = thrust::make_permutation_iterator(scattered.begin(), places.begin());
/// mgpu::segmented_inclusive_scan(
///   thrust::host, in_order, in_order + 6, offsets.begin(), offsets.end(), in_order);
/// assert((scattered == std::vector<int>{17, 3, 7, 4, 9, 6}));
/// @endcode
///
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_inclusive_scan(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result)
{
  return mgpu::segmented_inclusive_scan(exec, first, last, offsets_first, offsets_last, result, ::cuda::std::plus<>{});
}

/// Computes the inclusive scan of each segment, with an initial value, in the type that op(item, init) returns.
///
/// @param exec                       execution policy
/// @param first,last                 the items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last, or all
/// @param result                     start of the output, of one element for each item; may be `first`
/// @param init                       leftmost operand in every segment
/// @param op                         associative operator
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// // Positions along chains: each link turns the direction by its angle, from 90 degrees at the root of each chain.
/// const std::vector<int> turns{10, -20, 30, 5, 5}, chains{0, 3};
/// std::vector<int> directions(5);
/// mgpu::segmented_inclusive_scan(
///   thrust::host, turns.begin(), turns.end(), chains.begin(), chains.end(), directions.begin(), 90,
///   thrust::plus<int>{});
/// assert((directions == std::vector<int>{100, 80, 110, 95, 100}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class Init, class BinaryOp>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_inclusive_scan(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, Init init, BinaryOp op)
{
  return detail::execute(
    exec, "segmented_inclusive_scan",
    detail::make_inclusive_scan_job(
      first, detail::make_segments(detail::length_of(first, last), offsets_first, offsets_last), result, init, op));
}

/// Computes the inclusive scan of each segment, on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator, class BinaryOp>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_inclusive_scan(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, BinaryOp op)
{
  return mgpu::segmented_inclusive_scan(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result, op);
}

/// Computes the running sums of each segment, on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_inclusive_scan(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result)
{
  return mgpu::segmented_inclusive_scan(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result);
}

/// Computes the inclusive scan of each segment, with an initial value, on the system that the iterators belong to,
/// without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator, class Init, class BinaryOp>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_inclusive_scan(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, Init init, BinaryOp op)
{
  return mgpu::segmented_inclusive_scan(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result, init, op);
}

/// Computes the exclusive scan of each segment, in the type of `init`.
///
/// @param exec                       execution policy
/// @param first,last                 the items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last, or all
/// @param result                     start of the output, of one element for each item; may be `first`
/// @param init                       result of the first item of every segment; its type is the accumulator type
/// @param op                         associative operator
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::vector<int> products(6);
/// mgpu::segmented_exclusive_scan(
///   thrust::host, items.begin(), items.end(), offsets.begin(), offsets.end(), products.begin(), 1,
///   thrust::multiplies<int>{});
/// assert((products == std::vector<int>{1, 3, 3, 1, 1, 9}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class T, class BinaryOp>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_exclusive_scan(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, T init, BinaryOp op)
{
  return detail::execute(
    exec, "segmented_exclusive_scan",
    detail::make_exclusive_scan_job(
      first, detail::make_segments(detail::length_of(first, last), offsets_first, offsets_last), result, init, op));
}

/// Computes the sum of `init` and the items before each item in its segment.
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::vector<int> sums(6);
/// mgpu::segmented_exclusive_scan(
///   thrust::host, items.begin(), items.end(), offsets.begin(), offsets.end(), sums.begin(), 100);
/// assert((sums == std::vector<int>{100, 103, 104, 100, 100, 109}));
/// @endcode
///
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class T>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_exclusive_scan(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, T init)
{
  return mgpu::segmented_exclusive_scan(
    exec, first, last, offsets_first, offsets_last, result, init, ::cuda::std::plus<>{});
}

/// Computes the sum of the items before each item in its segment, in the value type of the input; `init` is a
/// value-initialised object of that type, 0 for numbers.
///
/// @code{.cpp}
/// std::vector<int> samples{4, 0, 2, 5, 1}; // of three rays
/// const std::vector<int> rays{0, 2, 2};    // of 2, 0 and 3 samples
/// mgpu::segmented_exclusive_scan( // in place
///   thrust::host, samples.begin(), samples.end(), rays.begin(), rays.end(), samples.begin());
/// assert((samples == std::vector<int>{0, 4, 0, 2, 7}));
/// @endcode
///
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_exclusive_scan(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result)
{
  return mgpu::segmented_exclusive_scan(
    exec, first, last, offsets_first, offsets_last, result,
    typename ::cuda::std::iterator_traits<InputIterator>::value_type{});
}

/// segmented_exclusive_scan on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator, class T, class BinaryOp>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_exclusive_scan(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, T init, BinaryOp op)
{
  return mgpu::segmented_exclusive_scan(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result, init, op);
}

/// Computes the sum of `init` and the items before each item in its segment, on the system that the iterators belong
/// to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator, class T>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_exclusive_scan(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, T init)
{
  return mgpu::segmented_exclusive_scan(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result, init);
}

/// Computes the sum of the items before each item in its segment, on the system that the iterators belong to, without a
/// policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_exclusive_scan(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result)
{
  return mgpu::segmented_exclusive_scan(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result);
}

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup segmented_reduce Segmented reductions
/// Segmented reduction: one result for each segment of items, whatever the lengths of the segments; and a plan for
/// segments that are reduced many times.
///
/// Always write `mgpu::`. Segments and their offsets are as in `mgpu_thrust/load_balance.h`: one offset for each
/// segment, the first one 0, and the last segment ends at `last`; segments may be empty, at any position and any number
/// in a row. Of n + 1 offsets, as CSR and CUB have them, pass all but the last: `row_ptr.begin(), row_ptr.end() - 1`.
/// With all of them the result of one segment more, an empty one, is written one past the end of the n results.
/// Policies, iterators and thread safety are as in `mgpu_thrust/set_operations.h`. Differences:
///
/// **Results.** The result of a segment with the items x0, x1, ..., xk is
///
///     op(... op(op(init, x0), x1) ..., xk)
///
/// or the same operands in the same order, grouped differently. `init` is the leftmost operand of every segment, once;
/// the result of an empty segment is `init`. So `op` must be associative; it need not be commutative, nor have an
/// identity. (Sums and products of numbers, by `plus` and `multiplies` of libcu++, and `minimum`, `maximum`, `bit_and`,
/// `bit_or` and `bit_xor` of integers, are known to commute: a GPU may take their operands in another order.)
///
/// **Values.** The accumulator type is `T`, the type of `init`: items are converted to it, `op` is called as op(T, T)
/// and its result must be convertible to T, and results are assigned to the output. T may be any type that can be
/// copied and assigned. As with std::accumulate, an `init` of 0 adds floating-point items as integers: write 0.0.
///
/// **Values on a GPU** are copied by their bytes: their copy constructor is trivial, or
/// THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE says that their bytes suffice. They and the items are trivially destructible.
/// A call with others does not compile. A T needs no default constructor.
///
/// **Repeatable.** The same call on the same system gives bitwise the same results, also of floating-point sums, and a
/// plan gives those of the function: the grouping follows from the numbers of items and segments and from the offsets,
/// not from timing, nor from the number of workers. Serial policies group from the left, as above; other systems group
/// differently, so their sums may differ in the last digits.
///
/// **Operators** are called by several threads at once, no two of which share a copy. Operands are `init`, items, and
/// what the operator returned. Unless it is known to commute, a left operand ends where the right one begins, in the
/// same segment.
///
/// **Complexity.** Linear in items and segments together, however the items are distributed: `op` is called once for
/// each item, or once more; with W workers or a GPU, plus a search of O(log n) steps per piece. On a CPU worker a piece
/// has 2^15 items and segments.
///
/// **Synchronisation.** The length of the output is known in advance. So with `par_nosync` the call does not wait for
/// the GPU: inputs and output must live until its stream has completed the call. An allocator of the policy gets its
/// memory back before that, so it must allocate in stream order. (The checked mode waits.)
///
/// **Temporary storage.** None on the calling thread. Otherwise from the policy's allocator: two values of T and some
/// bytes for each piece of a CPU worker; on a GPU two values of T and 16 bytes for each tile of 3840 items or 11,520
/// segments, or none if up to 16,384 segments have up to 2^21 items, or segments of 1024 items and more on average up
/// to 2^23, and up to 65,536 each on average (2^15 items in all if T has more than 16 bytes or a constructor, or if an
/// architecture before sm_90 is compiled for).
///
/// **Aliasing.** The output must not overlap the offsets or the input.
///
/// **Exceptions.** std::invalid_argument if the end of a range is before its start, or there are items and no segment;
/// std::length_error if items and segments together are more than 2^63 - 1, or, on a GPU, more than fit in a grid of
/// 2^31 - 1 tiles; mgpu::temporary_storage_error, a std::bad_alloc that names the function, if a default allocator has
/// no memory; thrust::system_error if a kernel cannot be launched. An exception that `op`, an iterator or the caller's
/// allocator throws on the host stops all workers and reaches the caller; results of some segments may have been
/// written then. Offsets are not checked, unless MGPU_THRUST_CHECK_PRECONDITIONS is defined: then std::invalid_argument
/// names the first position whose offset is wrong, before anything is written.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined.
///
/// **Ranks.** segmented_reduce also takes items in pieces on several ranks: see `mgpu_thrust/distributed.h`.
///
/// **Source.** S. Baxter: Modern GPU, "Segmented Reduction" (2013).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/prepared_job.h>
#include <mgpu_thrust/detail/segmented_reduce/cpu.h>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_reduce/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cuda/std/functional>
#include <cuda/std/iterator>

#include <cstdint>
#include <memory>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup segmented_reduce
/// @{

/// Reduces each segment of a range.
///
/// @param exec                       execution policy
/// @param first,last                 the items
/// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
///                                   (row_ptr.begin(), row_ptr.end() - 1)
/// @param result                     start of the output, of one element for each segment
/// @param init                       leftmost operand of every segment's reduction; its type is the accumulator type
/// @param op                         associative operator
/// @return the end of the output
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::vector<int> largest(4);
/// mgpu::segmented_reduce(
///   thrust::host, items.begin(), items.end(), offsets.begin(), offsets.end(), largest.begin(), -1,
///   thrust::maximum<int>{});
/// assert((largest == std::vector<int>{3, -1, 7, 9}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class T, class BinaryOp>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_reduce(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, T init, BinaryOp op)
{
  return detail::execute(
    exec, "segmented_reduce",
    detail::segmented_reduce_job(
      detail::segment_reduction{detail::unwrap(first), detail::unwrap(result), init, op},
      detail::make_segments(detail::length_of(first, last), offsets_first, offsets_last), result));
}

/// Computes the sum of `init` and the items of each segment.
///
/// @code{.cpp}
/// const std::vector<int> items{3, 1, 2, 7, 9, 8}, offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// std::vector<int> sums(4);
/// mgpu::segmented_reduce(
///   thrust::host, items.begin(), items.end(), offsets.begin(), offsets.end(), sums.begin(), 100);
/// assert((sums == std::vector<int>{106, 100, 107, 117}));
/// @endcode
///
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class OutputIterator, class T>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_reduce(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result, T init)
{
  return mgpu::segmented_reduce(exec, first, last, offsets_first, offsets_last, result, init, ::cuda::std::plus<>{});
}

/// Computes the sum of each segment in the value type of the input; `init` is a value-initialised object of that type,
/// 0 for numbers.
///
/// @code{.cpp}
/// // A sparse matrix in the CSR form, times a vector: the products of each row's nonzeros, added.
/// const std::vector<int> row_ptr{0, 2, 3, 3}, columns{0, 2, 1};
/// const std::vector<double> nonzeros{1.0, 2.0, 3.0}, x{10.0, 20.0, 30.0};
/// const auto products = thrust::make_transform_iterator(
///   thrust::make_zip_iterator(nonzeros.begin(), thrust::make_permutation_iterator(x.begin(), columns.begin())),
///   [](const thrust::tuple<double, double>& pair) { return thrust::get<0>(pair) * thrust::get<1>(pair); });
/// std::vector<double> product(3);
/// mgpu::segmented_reduce(
///   thrust::host, products, products + 3, row_ptr.begin(), row_ptr.end() - 1, product.begin());
/// assert((product == std::vector<double>{70.0, 60.0, 0.0}));
/// @endcode
///
/// @since 1.0
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class InputIterator, class OffsetIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_reduce(
  const thrust::execution_policy<Policy>& exec, InputIterator first, InputIterator last, OffsetIterator offsets_first,
  OffsetIterator offsets_last, OutputIterator result)
{
  return mgpu::segmented_reduce(
    exec, first, last, offsets_first, offsets_last, result,
    typename ::cuda::std::iterator_traits<InputIterator>::value_type{});
}

/// segmented_reduce on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator, class T, class BinaryOp>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_reduce(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, T init, BinaryOp op)
{
  return mgpu::segmented_reduce(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result, init, op);
}

/// Computes the sum of `init` and the items of each segment, on the system that the iterators belong to, without a
/// policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator, class T>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_reduce(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result, T init)
{
  return mgpu::segmented_reduce(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result, init);
}

/// Computes the sum of each segment, on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class InputIterator, class OffsetIterator, class OutputIterator>
MGPU_THRUST_HOST_DEVICE OutputIterator segmented_reduce(
  InputIterator first, InputIterator last, OffsetIterator offsets_first, OffsetIterator offsets_last,
  OutputIterator result)
{
  return mgpu::segmented_reduce(
    detail::system_policy_t<InputIterator, OffsetIterator, OutputIterator>{}, first, last, offsets_first, offsets_last,
    result);
}

/// @}

/// Plan for segments that are reduced many times, each time with other items, such as the rows of a matrix that is
/// multiplied by one vector after another. The starts of the pieces of work are found once, by the constructor.
///
/// It keeps a copy of the policy and of the offsets' iterators: an allocator of the policy, its stream and the offsets
/// must stay as they are for as long as the plan is used. On the calling thread it holds no memory, elsewhere 8 or 16
/// bytes for each piece of work, from the policy's allocator, which gets them back when the plan is destroyed; with
/// `par_nosync` that may be before its stream has completed the last call. A plan can be moved, not copied; one that
/// was moved from can be destroyed or assigned to. Any number of host threads may reduce with one plan at once.
///
/// @code{.cpp}
/// const std::vector<int> offsets{0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
/// const mgpu::segmented_reduce_plan plan(thrust::host, 6, offsets.begin(), offsets.end());
/// const std::vector<int> items{3, 1, 2, 7, 9, 8};
/// const std::vector<double> others{0.5, 0.5, 0.5, 4.0, 2.0, 2.5};
/// std::vector<int> largest(4);
/// std::vector<double> sums(4);
/// plan.reduce(items.begin(), largest.begin(), -1, thrust::maximum<int>{});
/// plan.reduce(others.begin(), sums.begin());
/// assert((largest == std::vector<int>{3, -1, 7, 9} && sums == std::vector<double>{1.5, 0.0, 4.0, 4.5}));
/// @endcode
///
/// @since 1.0
template <class Policy, class OffsetIterator>
class segmented_reduce_plan
{
public:
  /// Constructs a plan for segments of `num_items` items in all.
  ///
  /// @param exec                       execution policy
  /// @param num_items                  number of items
  /// @param offsets_first,offsets_last the segments' offsets, one for each: of n + 1, as in CSR, all but the last,
  ///                                   (row_ptr.begin(), row_ptr.end() - 1)
  segmented_reduce_plan(
    const thrust::execution_policy<Policy>& exec, std::int64_t num_items, OffsetIterator offsets_first,
    OffsetIterator offsets_last)
      : cuts_(std::make_unique<detail::prepared_job<Policy, job>>(
        exec, "segmented_reduce_plan", job(detail::make_segments(num_items, offsets_first, offsets_last))))
  {
  }

  /// Constructs a plan on the system that the offsets belong to, without a policy.
  segmented_reduce_plan(std::int64_t num_items, OffsetIterator offsets_first, OffsetIterator offsets_last)
      : segmented_reduce_plan(Policy{}, num_items, offsets_first, offsets_last)
  {
  }

  /// Reduces each segment of the items from `first` on, of which there must be as many as the plan was constructed for.
  ///
  /// @param first  start of the items
  /// @param result start of the output, of one element for each segment
  /// @param init   leftmost operand of every segment's reduction; its type is the accumulator type
  /// @param op     associative operator
  /// @return the end of the output
  template <class InputIterator, class OutputIterator, class T, class BinaryOp>
  OutputIterator reduce(InputIterator first, OutputIterator result, T init, BinaryOp op) const
  {
    return cuts_->execute(
      "segmented_reduce_plan", detail::segmented_reduce_job(
                                 detail::segment_reduction{detail::unwrap(first), detail::unwrap(result), init, op},
                                 cuts_->job().in, result, cuts_->storage()));
  }

  /// Computes the sum of `init` and the items of each segment.
  template <class InputIterator, class OutputIterator, class T>
  OutputIterator reduce(InputIterator first, OutputIterator result, T init) const
  {
    return reduce(first, result, init, ::cuda::std::plus<>{});
  }

  /// Computes the sum of each segment in the value type of the input; `init` is a value-initialised object of that
  /// type.
  template <class InputIterator, class OutputIterator>
  OutputIterator reduce(InputIterator first, OutputIterator result) const
  {
    return reduce(first, result, typename ::cuda::std::iterator_traits<InputIterator>::value_type{});
  }

private:
  using job = detail::segment_cuts_job<detail::unwrapped_t<OffsetIterator>>;

  std::unique_ptr<detail::prepared_job<Policy, job>> cuts_;
};

template <class OffsetIterator>
segmented_reduce_plan(std::int64_t, OffsetIterator, OffsetIterator)
  -> segmented_reduce_plan<detail::system_policy_t<OffsetIterator>, OffsetIterator>;

MGPU_THRUST_NAMESPACE_END

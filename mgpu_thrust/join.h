// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup join Joins
/// Joins of two ranges of sorted keys, as of database tables: the pairs of a left and a right element that match. Many
/// to many: every pair of equal keys is a row. Semi and anti joins, which come with this header, are in
/// `mgpu_thrust/semi_join.h`.
///
/// Policies, iterators, comparators, thread safety and exceptions are as for the set operations of
/// `mgpu_thrust/set_operations.h`. Differences:
///
/// **Semantics.** A row is the index of a left element and the index of a right one, or -1 in place of a missing
/// element:
///
///     join         a pair of equal keys   left without a match   right without a match
///     inner_join   (i, j)                 no row                 no row
///     left_join    (i, j)                 (i, -1)                no row
///     right_join   (i, j)                 no row                 (-1, j)
///     full_join    (i, j)                 (i, -1)                (-1, j)
///
/// Rows are in the order of the left elements, and for each of these in the order of the right ones; a left element
/// without a match has its row in that order too. Right elements without a match come after all others, in their order.
/// Both ranges are sorted by `comp`, which is called on elements of the ranges only, in all four combinations of their
/// types; keys are equal if neither is ordered before the other.
///
/// **Outputs** receive indices in their value type, an integer of up to 8 bytes, which must be signed where -1 can
/// occur; an output without a value type (a transform output or back-insert iterator) receives std::int64_t.
/// std::length_error if that type cannot hold the index of the last element of its input, or if there are 2^63 - 1 rows
/// or more; nothing is written then. An output can look up an index and write something else, such as a column of the
/// table, so that no index is stored: see `docs/joins.md`. Where the comparator or an iterator threw, outputs may hold
/// unspecified values.
///
/// **Size.** A join has up to left * right rows, and one for each element that it keeps without a match.
/// The functions `*_join_size` count the rows; a join_plan searches once, reports the size, and then writes the rows,
/// all at once or some at a time.
///
/// **Complexity.** Linear in both sizes and in the number of rows, which are divided into equal parts, however many
/// have the same key. Both inputs are read twice, to count and to write; on a GPU once, unless left * right is 2^63 or
/// more. O(short log long) instead of both sizes where one input is much shorter (32 times on a CPU, 64 times on a GPU)
/// and no row holds an element of the other alone: in an inner join either input, in a left join the left one, in a
/// right join the right one.
///
/// **Temporary storage.** From the policy's allocator: 40 bytes for each 4096 elements, or each 1024 of a much shorter
/// input, on a CPU; on a GPU under 2 % of the size of the input, and in right_join and full_join a bit for each right
/// element. thrust::seq and thrust::cpp::par need none, except for a join_plan.
///
/// **Synchronisation.** A CUDA policy synchronises its stream once, to obtain the number of rows; par_nosync too.
///
/// **Aliasing.** An output must not overlap an input or the other output.
///
/// **Elements on a GPU** are trivially destructible, as kernels never destroy their copies of them. A call with others
/// does not compile.
///
/// **Broken preconditions.** Where a precondition does not hold (inputs that are not sorted by `comp`, an order that is
/// none, as `<` is with NaNs, wrong indices or offsets) the result is unspecified, but the call ends, and if the
/// elements are trivially copyable it reads nothing outside of its inputs and writes nothing outside of the room that
/// is stated for its outputs; for other elements the behaviour is undefined. A join never writes more rows than its
/// size function counts under the same policy.
///
/// **Source.** S. Baxter: Modern GPU, "Relational Joins" (2013): sorted search, and load-balancing search over the
/// matches that it counts.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/prepared_job.h>
#include <mgpu_thrust/detail/join/cpu.h>
#include <mgpu_thrust/detail/join/job.h>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/join_kinds.h>
#include <mgpu_thrust/semi_join.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/join/launch.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/pair.h>

#include <cuda/std/functional>

#include <cstdint>
#include <memory>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup join
/// @{

/// Writes the indices of every pair of a left and a right element with equal keys.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the sorted left range
/// @param right_first,right_last the sorted right range
/// @param left_out               start of the output of the indices of the left elements
/// @param right_out              start of the output of the indices of the right elements
/// @param comp                   strict weak order of both ranges
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::vector<int> i(4), j(4);
/// mgpu::inner_join(
///   thrust::host, left.begin(), left.end(), right.begin(), right.end(), i.begin(), j.begin());
/// assert((i == std::vector<int>{1, 1, 2, 2}));
/// assert((j == std::vector<int>{1, 2, 1, 2}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class RightIterator, class LeftOutputIterator, class RightOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOutputIterator, RightOutputIterator> inner_join(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, LeftOutputIterator left_out, RightOutputIterator right_out,
  Compare comp = {})
{
  return detail::execute(
    exec, "inner_join",
    detail::join_job(
      inner_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last),
      detail::join_result{left_out, right_out}, comp));
}

/// inner_join on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class LeftIterator, class RightIterator, class LeftOutputIterator, class RightOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOutputIterator, RightOutputIterator> inner_join(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  LeftOutputIterator left_out, RightOutputIterator right_out, Compare comp = {})
{
  return mgpu::inner_join(
    detail::system_policy_t<LeftIterator, RightIterator, LeftOutputIterator, RightOutputIterator>{}, left_first,
    left_last, right_first, right_last, left_out, right_out, comp);
}

/// Writes the indices of every pair of equal keys, and of every left element without a match.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the sorted left range
/// @param right_first,right_last the sorted right range
/// @param left_out               start of the output of the indices of the left elements
/// @param right_out              start of the output of the indices of the right elements, or -1
/// @param comp                   strict weak order of both ranges
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::vector<int> i(6), j(6);
/// mgpu::left_join(
///   thrust::host, left.begin(), left.end(), right.begin(), right.end(), i.begin(), j.begin());
/// assert((i == std::vector<int>{0, 1, 1, 2, 2, 3}));
/// assert((j == std::vector<int>{-1, 1, 2, 1, 2, -1}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class RightIterator, class LeftOutputIterator, class RightOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOutputIterator, RightOutputIterator> left_join(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, LeftOutputIterator left_out, RightOutputIterator right_out,
  Compare comp = {})
{
  return detail::execute(
    exec, "left_join",
    detail::join_job(
      left_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last),
      detail::join_result{left_out, right_out}, comp));
}

/// left_join on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class LeftIterator, class RightIterator, class LeftOutputIterator, class RightOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOutputIterator, RightOutputIterator> left_join(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  LeftOutputIterator left_out, RightOutputIterator right_out, Compare comp = {})
{
  return mgpu::left_join(
    detail::system_policy_t<LeftIterator, RightIterator, LeftOutputIterator, RightOutputIterator>{}, left_first,
    left_last, right_first, right_last, left_out, right_out, comp);
}

/// Writes the indices of every pair of equal keys, and after them of every right element without a match.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the sorted left range
/// @param right_first,right_last the sorted right range
/// @param left_out               start of the output of the indices of the left elements, or -1
/// @param right_out              start of the output of the indices of the right elements
/// @param comp                   strict weak order of both ranges
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::vector<int> i(6), j(6);
/// mgpu::right_join(
///   thrust::host, left.begin(), left.end(), right.begin(), right.end(), i.begin(), j.begin());
/// assert((i == std::vector<int>{1, 1, 2, 2, -1, -1}));
/// assert((j == std::vector<int>{1, 2, 1, 2, 0, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class RightIterator, class LeftOutputIterator, class RightOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOutputIterator, RightOutputIterator> right_join(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, LeftOutputIterator left_out, RightOutputIterator right_out,
  Compare comp = {})
{
  return detail::execute(
    exec, "right_join",
    detail::join_job(
      right_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last),
      detail::join_result{left_out, right_out}, comp));
}

/// right_join on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class LeftIterator, class RightIterator, class LeftOutputIterator, class RightOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOutputIterator, RightOutputIterator> right_join(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  LeftOutputIterator left_out, RightOutputIterator right_out, Compare comp = {})
{
  return mgpu::right_join(
    detail::system_policy_t<LeftIterator, RightIterator, LeftOutputIterator, RightOutputIterator>{}, left_first,
    left_last, right_first, right_last, left_out, right_out, comp);
}

/// Writes the indices of every pair of equal keys, of every left element without a match, and after them of every right
/// element without a match.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the sorted left range
/// @param right_first,right_last the sorted right range
/// @param left_out               start of the output of the indices of the left elements, or -1
/// @param right_out              start of the output of the indices of the right elements, or -1
/// @param comp                   strict weak order of both ranges
/// @return the ends of both outputs
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// std::vector<int> i(8), j(8);
/// mgpu::full_join(
///   thrust::host, left.begin(), left.end(), right.begin(), right.end(), i.begin(), j.begin());
/// assert((i == std::vector<int>{0, 1, 1, 2, 2, 3, -1, -1}));
/// assert((j == std::vector<int>{-1, 1, 2, 1, 2, -1, 0, 3}));
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Policy, class LeftIterator, class RightIterator, class LeftOutputIterator, class RightOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOutputIterator, RightOutputIterator> full_join(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, LeftOutputIterator left_out, RightOutputIterator right_out,
  Compare comp = {})
{
  return detail::execute(
    exec, "full_join",
    detail::join_job(
      full_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last),
      detail::join_result{left_out, right_out}, comp));
}

/// full_join on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class LeftIterator, class RightIterator, class LeftOutputIterator, class RightOutputIterator,
  class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE thrust::pair<LeftOutputIterator, RightOutputIterator> full_join(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  LeftOutputIterator left_out, RightOutputIterator right_out, Compare comp = {})
{
  return mgpu::full_join(
    detail::system_policy_t<LeftIterator, RightIterator, LeftOutputIterator, RightOutputIterator>{}, left_first,
    left_last, right_first, right_last, left_out, right_out, comp);
}

/// Returns the number of rows of inner_join.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the sorted left range
/// @param right_first,right_last the sorted right range
/// @param comp                   strict weak order of both ranges
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// assert(mgpu::inner_join_size(thrust::host, left.begin(), left.end(), right.begin(), right.end()) == 4);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t inner_join_size(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, Compare comp = {})
{
  return detail::execute(
    exec, "inner_join_size",
    detail::join_job(
      inner_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last), detail::join_size{},
      comp));
}

/// inner_join_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t inner_join_size(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  Compare comp = {})
{
  return mgpu::inner_join_size(
    detail::system_policy_t<LeftIterator, RightIterator>{}, left_first, left_last, right_first, right_last, comp);
}

/// Returns the number of rows of left_join.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the sorted left range
/// @param right_first,right_last the sorted right range
/// @param comp                   strict weak order of both ranges
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// assert(mgpu::left_join_size(thrust::host, left.begin(), left.end(), right.begin(), right.end()) == 6);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t left_join_size(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, Compare comp = {})
{
  return detail::execute(
    exec, "left_join_size",
    detail::join_job(
      left_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last), detail::join_size{},
      comp));
}

/// left_join_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t left_join_size(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  Compare comp = {})
{
  return mgpu::left_join_size(
    detail::system_policy_t<LeftIterator, RightIterator>{}, left_first, left_last, right_first, right_last, comp);
}

/// Returns the number of rows of right_join.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the sorted left range
/// @param right_first,right_last the sorted right range
/// @param comp                   strict weak order of both ranges
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// assert(mgpu::right_join_size(thrust::host, left.begin(), left.end(), right.begin(), right.end()) == 6);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t right_join_size(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, Compare comp = {})
{
  return detail::execute(
    exec, "right_join_size",
    detail::join_job(
      right_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last), detail::join_size{},
      comp));
}

/// right_join_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t right_join_size(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  Compare comp = {})
{
  return mgpu::right_join_size(
    detail::system_policy_t<LeftIterator, RightIterator>{}, left_first, left_last, right_first, right_last, comp);
}

/// Returns the number of rows of full_join.
///
/// @param exec                   execution policy
/// @param left_first,left_last   the sorted left range
/// @param right_first,right_last the sorted right range
/// @param comp                   strict weak order of both ranges
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// assert(mgpu::full_join_size(thrust::host, left.begin(), left.end(), right.begin(), right.end()) == 8);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t full_join_size(
  const thrust::execution_policy<Policy>& exec, LeftIterator left_first, LeftIterator left_last,
  RightIterator right_first, RightIterator right_last, Compare comp = {})
{
  return detail::execute(
    exec, "full_join_size",
    detail::join_job(
      full_join_t{}, detail::inputs_of_ranges(left_first, left_last, right_first, right_last), detail::join_size{},
      comp));
}

/// full_join_size on the system that the iterators belong to, without a policy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE std::int64_t full_join_size(
  LeftIterator left_first, LeftIterator left_last, RightIterator right_first, RightIterator right_last,
  Compare comp = {})
{
  return mgpu::full_join_size(
    detail::system_policy_t<LeftIterator, RightIterator>{}, left_first, left_last, right_first, right_last, comp);
}

/// @}

/// Plan of a join that has been searched once and can be written any number of times: all at once, or some rows at a
/// time, for results that do not fit in memory. The rows are those of the function that `kind` is named after.
///
/// It holds copies of the policy, the iterators and the comparator, and, from the policy's allocator, the positions at
/// which tiles of the inputs begin and at which their rows are written; not the rows. The inputs must stay as they are,
/// and the allocator alive, until the plan is destroyed. Under thrust::cuda::par_nosync destroy it when the stream has
/// completed what it wrote, unless the allocator frees memory in stream order. It can be moved, and is called from host
/// code only.
///
/// The constructor searches, and waits for the result. It throws what the functions throw for their inputs.
///
/// @code{.cpp}
/// const std::vector<int> left{1, 3, 3, 5}, right{0, 3, 3, 4};
/// mgpu::join_plan plan(thrust::host, mgpu::left_join_t{}, left.begin(), left.end(), right.begin(), right.end());
/// assert(plan.size() == 6);
/// std::vector<int> i(4), j(4);
/// plan.fill(0, 4, i.begin(), j.begin()); // the first four rows
/// assert((i == std::vector<int>{0, 1, 1, 2} && j == std::vector<int>{-1, 1, 2, 1}));
/// plan.fill(4, 6, i.begin(), j.begin()); // the last two
/// assert(i[0] == 2 && j[0] == 2 && i[1] == 3 && j[1] == -1);
/// @endcode
///
/// @since 1.0
template <class Policy, class Kind, class LeftIterator, class RightIterator, class Compare = ::cuda::std::less<>>
class join_plan
{
public:
  /// Searches both ranges, and waits for the result.
  ///
  /// @param exec                   execution policy, of the search and of later writes
  /// @param kind                   inner_join_t, left_join_t, right_join_t or full_join_t
  /// @param left_first,left_last   the sorted left range
  /// @param right_first,right_last the sorted right range
  /// @param comp                   strict weak order of both ranges
  join_plan(
    const thrust::execution_policy<Policy>& exec, Kind kind, LeftIterator left_first, LeftIterator left_last,
    RightIterator right_first, RightIterator right_last, Compare comp = Compare{})
      : join_(std::make_unique<detail::prepared_job<Policy, job>>(
        exec, "join_plan",
        job(kind, detail::inputs_of_ranges(left_first, left_last, right_first, right_last), detail::join_size{}, comp)))
  {
  }

  /// Returns the number of rows.
  std::int64_t size() const
  {
    return join_->count();
  }

  /// Writes all rows.
  ///
  /// @param left_out  random-access output of the indices of the left elements
  /// @param right_out random-access output of the indices of the right elements
  /// @return the ends of both outputs
  template <class LeftOutputIterator, class RightOutputIterator>
  thrust::pair<LeftOutputIterator, RightOutputIterator>
  fill(LeftOutputIterator left_out, RightOutputIterator right_out) const
  {
    return fill(0, size(), left_out, right_out);
  }

  /// Writes the rows from `first_row` up to, but not including, `last_row`, the first of them to the outputs' first
  /// elements. std::invalid_argument unless 0 <= first_row <= last_row <= size(). The work is that of these rows, and
  /// of the tiles that they come from; a GPU also examines each tile, which takes microseconds. Any number of threads
  /// may call it at once. Under thrust::cuda::par_nosync it is enqueued and not waited for: the inputs, the outputs and
  /// the policy's allocator must then live until the stream has completed it.
  ///
  /// @param first_row,last_row the rows' numbers: the first, and the one past the last
  /// @param left_out           random-access output of the indices of the left elements
  /// @param right_out          random-access output of the indices of the right elements
  /// @return the ends of both outputs
  template <class LeftOutputIterator, class RightOutputIterator>
  thrust::pair<LeftOutputIterator, RightOutputIterator>
  fill(std::int64_t first_row, std::int64_t last_row, LeftOutputIterator left_out, RightOutputIterator right_out) const
  {
    return join_->execute(
      "join_plan::fill", detail::join_rows_job(
                           Kind{}, join_->storage(), join_->job().inputs, {{first_row, last_row}, size()},
                           detail::join_result{left_out, right_out}, join_->job().comp));
  }

private:
  using inputs = decltype(detail::inputs_of_ranges(
    std::declval<LeftIterator>(), std::declval<LeftIterator>(), std::declval<RightIterator>(),
    std::declval<RightIterator>()));
  using job = detail::join_job<Kind, inputs, detail::join_size, Compare>;

  std::unique_ptr<detail::prepared_job<Policy, job>> join_;
};

MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A disjoint sparse table: the reduction of any run of values by one operation.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/target.h>

#include <cuda/std/bit>

#include <cstdint>
#include <new>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A disjoint sparse table of `count` values. Row 0 has the values. Row k divides them into blocks of 2^(k+1), each
/// with a border in its middle. An entry is the reduction of the values from its own to the border.
///
///     row 2   0-3  1-3  2-3   3  |   4   4-5  4-6  4-7        run(1, 6) = row 2 of 1, op row 2 of 6
///     row 1   0-1   1 |  2   2-3 |  4-5   5 |  6   6-7        run(1, 2) = row 1 of 1, op row 1 of 2
///     row 0    0 | 1  |  2 |  3  |   4 | 5  |  6 |  7
///
/// The highest bit in which two indices differ names the row whose border is between them. On a CPU the entries are
/// objects, on a GPU storage for them.
template <class T>
struct disjoint_table
{
  T* entries;
  std::int64_t count;

  /// Returns the number of rows.
  MGPU_THRUST_HOST_DEVICE static constexpr int rows(std::int64_t count)
  {
    return count > 1 ? ::cuda::std::bit_width(static_cast<std::uint64_t>(count - 1)) : 1;
  }

  MGPU_THRUST_HOST_DEVICE T* entry(int row, std::int64_t index) const
  {
    return entries + row * count + index;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void put(int row, std::int64_t index, T&& value) const
  {
    MGPU_THRUST_IF_HOST_ELSE(
      (*entry(row, index) = std::move(value);), (::new (static_cast<void*>(entry(row, index))) T(std::move(value));))
  }

  /// Returns the reduction of the values [first, last], which has an element.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Op>
  MGPU_THRUST_HOST_DEVICE T run(std::int64_t first, std::int64_t last, Op& op) const
  {
    if (first == last)
    {
      return *entry(0, first);
    }
    const int row = ::cuda::std::bit_width(static_cast<std::uint64_t>(first ^ last)) - 1;
    return static_cast<T>(op(static_cast<const T&>(*entry(row, first)), static_cast<const T&>(*entry(row, last))));
  }

  /// Fills an entry of a row above 0. The rows below are complete in its block. Entries whose border is behind the
  /// `used` first values are never read.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Op>
  MGPU_THRUST_HOST_DEVICE void fill(int row, std::int64_t index, std::int64_t used, Op& op) const
  {
    const bool is_after_border = (index >> row & 1) != 0;
    const std::int64_t border = (index >> row | 1) << row;
    const std::int64_t last = is_after_border ? index : border - 1;
    if (last < used)
    {
      put(row, index, run(is_after_border ? border : index, last, op));
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

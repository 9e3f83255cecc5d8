// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The rows of a join whose key lies on several ranks. They follow from the numbers of its copies.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/join/rows/layout.h>
#include <mgpu_thrust/distributed/cuts.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns floor(number * part / whole), where 0 <= part <= whole <= 2^62, and the product may need more than 64 bits.
inline std::int64_t proportion(std::int64_t number, std::int64_t part, std::int64_t whole)
{
  std::int64_t quotient = 0;
  std::uint64_t rest = 0; // less than `whole`
  for (int bit = 62; bit >= 0; --bit)
  {
    const std::uint64_t twice = 2 * rest + (number >> bit & 1) * static_cast<std::uint64_t>(part);
    quotient = 2 * quotient + static_cast<std::int64_t>(twice / static_cast<std::uint64_t>(whole));
    rest = twice % static_cast<std::uint64_t>(whole);
  }
  return quotient;
}

/// Some consecutive rows of a key: each copy on the left has one with every copy on the right.
struct rows_of_key
{
  key_copies copies{};
  std::int64_t first = 0; ///< rows of the key before these
  std::int64_t count = 0;
};

/// A key that a cut between ranks divides. Its rows are divided as its elements are.
struct divided_key
{
  key_copies copies{};
  std::int64_t num_rows = 0;
  std::int64_t rows_before = 0; ///< before the cut
  bool is_divided = false;

  divided_key() = default;
  /// Of the key that follows a cut. It is not divided if all of its copies follow. a_cut elements of the left input are
  /// before the cut, and b_cut of the right one.
  divided_key(const key_copies& at_cut, std::int64_t a_cut, std::int64_t b_cut, size_checks& check)
      : copies(at_cut)
  {
    const std::int64_t a_count = copies.a_end - copies.a_begin;
    const std::int64_t b_count = copies.b_end - copies.b_begin;
    const std::int64_t before = (a_cut - copies.a_begin) + (b_cut - copies.b_begin);
    is_divided = before > 0 && b_count > 0;
    if (is_divided)
    {
      num_rows = detail::saturating_product(a_count, b_count);
      check.row_count(num_rows);
      rows_before = detail::proportion(num_rows, before, a_count + b_count);
    }
  }
  /// Its rows from number `begin` up to `end`.
  rows_of_key rows(std::int64_t begin, std::int64_t end) const
  {
    return {copies, begin, (std::max)(std::int64_t{0}, end - begin)};
  }
};

/// The index of the left element of a row of a key, or that of the right one.
template <bool IsLeft, class Index>
struct index_of_row
{
  key_copies copies;

  MGPU_THRUST_HOST_DEVICE Index operator()(std::int64_t row) const
  {
    const std::int64_t b_count = copies.b_end - copies.b_begin;
    return static_cast<Index>(IsLeft ? copies.a_begin + row / b_count : copies.b_begin + row % b_count);
  }
};

/// Writes rows, as far as they are among the wanted ones of all that a rank has; `before` rows are before them there.
/// The outputs begin with the first wanted row.
template <class Policy, class Left, class Right>
void write_rows(Policy& policy, const rows_of_key& rows, std::int64_t before, row_range wanted, Left left, Right right)
{
  const std::int64_t begin = (std::max)(before, wanted.first);
  const std::int64_t end = (std::min)(before + rows.count, wanted.last);
  if (begin < end)
  {
    const thrust::counting_iterator<std::int64_t> first(rows.first + begin - before);
    const thrust::counting_iterator<std::int64_t> last = first + (end - begin);
    const std::int64_t to = begin - wanted.first;
    thrust::transform(
      policy, first, last, detail::unwrap(left) + to, index_of_row<true, written_index_t<Left>>{rows.copies});
    thrust::transform(
      policy, first, last, detail::unwrap(right) + to, index_of_row<false, written_index_t<Right>>{rows.copies});
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

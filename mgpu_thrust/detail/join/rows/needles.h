// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Joins with a short input: each of its elements is a needle, for which the other input, the haystack, is bisected.
/// When that is done, what is found for a needle, and which rows a needle stands for. Nothing here knows about
/// scheduling.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/guided_search.h>
#include <mgpu_thrust/detail/join/rows/layout.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// The needles are left elements if no right element without a match has a row, and right elements if no left element
// without a match has one; so in a full join there are none, and in an inner join the shorter input has them.

/// Whether joins of a Kind have needles for some sizes.
template <class Kind>
inline constexpr bool may_have_needles = !(Kind::keeps_left && Kind::keeps_right);

/// Whether the needles of a join with needles are its left elements.
template <class Kind>
MGPU_THRUST_HOST_DEVICE constexpr bool are_needles_left(Kind, std::int64_t left_count, std::int64_t right_count)
{
  return Kind::keeps_left || (!Kind::keeps_right && left_count < right_count);
}

template <class Kind>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t
number_of_needles(Kind kind, std::int64_t left_count, std::int64_t right_count)
{
  return detail::are_needles_left(kind, left_count, right_count) ? left_count : right_count;
}

/// Upper bound of the product of both sizes of inputs with needles, 31/32 of 2^63: no number of their rows saturates.
inline constexpr float max_needle_rows = 0x1.fp62F;

/// Whether inputs of these sizes and smaller ones may have needles, as their sizes rule out too many rows. Unlike
/// may_have_too_many_rows() it does not divide: each block of a kernel that reads the sizes calls it. The product has
/// 24 bits, and does not decrease as a size grows.
MGPU_THRUST_HOST_DEVICE constexpr bool are_for_needles(std::int64_t left_count, std::int64_t right_count)
{
  return static_cast<float>(left_count) * static_cast<float>(right_count) < max_needle_rows
         && left_count < max_rows - right_count;
}

/// Whether a join of inputs of these sizes has needles: the haystack has sparse_needles_ratio elements or more per
/// needle.
template <class Kind>
MGPU_THRUST_HOST_DEVICE constexpr bool has_needles(Kind kind, std::int64_t left_count, std::int64_t right_count)
{
  const std::int64_t needles = detail::number_of_needles(kind, left_count, right_count);
  return may_have_needles<Kind> && bisection<0>::is_for(needles, left_count + right_count - needles)
         && detail::are_for_needles(left_count, right_count);
}

/// Returns the number of tiles of Threads needles: at least one, which may be empty.
template <int Threads>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t tiles_of_needles(std::int64_t needles)
{
  return needles <= Threads ? 1 : ::cuda::ceil_div(needles, std::int64_t{Threads});
}

/// The Tiling (path_cut.cuh) of joins of a Kind with deferred sizes. If the sizes that are read have needles, a tile is
/// Threads of them.
template <class Kind, int Threads>
struct join_tiling
{
  static constexpr bool header_counts_other_blocks = true;

  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static bool has_tiles(const Inputs& inputs)
  {
    return !detail::has_needles(Kind{}, inputs.a_count, inputs.b_count);
  }
  /// As many blocks have been launched for tiles of both inputs: such a tile has fewer than sparse_needles_ratio
  /// elements per thread.
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static int blocks_without_tiles(const Inputs& inputs)
  {
    return static_cast<int>(
      detail::tiles_of_needles<Threads>(detail::number_of_needles(Kind{}, inputs.a_count, inputs.b_count)));
  }
};

/// The rows that a needle stands for.
///
/// A left needle stands for its rows: those with its matches, or one without a match.
///
/// A right needle stands for as many rows as it has matches, but the rows of a join are in the order of left elements.
/// The rows of g equal right elements and their n matches are n times g: row q of them has match q / g and right
/// element q % g. The right element of rank r stands for the rows [r * n, (r + 1) * n): so neighbouring needles stand
/// for neighbouring rows, wherever they are cut into tiles.
struct needle_rows
{
  std::int64_t count;
  std::int64_t first_match; ///< index in the haystack, or no_match
  std::int64_t rank;        ///< of a right needle: number of equal right elements before it
  std::int64_t equals;      ///< of a right needle: number of right elements that equal it, with itself
};

/// Returns the end of the copies of `key` in [begin, end), where no element is before `key`. They are usually few, so
/// ever larger parts are searched. There must be an element end - 1, even if `begin` is `end`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Key, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t
end_of_copies(Iterator first, std::int64_t begin, std::int64_t end, const Key& key, Compare comp)
{
  constexpr std::int64_t max_size = std::int64_t{1} << 57; // times 16 it does not overflow
  for (std::int64_t size = 32;; size *= size < max_size ? 16 : 1)
  {
    const std::int64_t part_end = size < end - begin ? begin + size : end;
    begin += detail::copies_after(first, begin, part_end, key, comp);
    if (begin < part_end || part_end == end)
    {
      return begin;
    }
  }
}

/// The elements [first, last) of a haystack that match a needle.
struct needle_matches
{
  std::int64_t first;
  std::int64_t last;
};

/// Finds the matches of a needle in [0, count) of a haystack, which has an element.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Key, class Compare>
MGPU_THRUST_HOST_DEVICE needle_matches
find_needle(Iterator haystack, std::int64_t count, const Key& needle, Compare comp)
{
  const std::int64_t first = detail::lower_bound_in_haystack(haystack, count, needle, comp);
  return {first, detail::end_of_copies(haystack, first, count, needle, comp)};
}

/// Finds the rows of left needle i.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Kind, class Inputs, class Compare>
MGPU_THRUST_HOST_DEVICE needle_rows find_left_needle(Kind kind, const Inputs& inputs, std::int64_t i, Compare comp)
{
  const needle_matches matches = detail::find_needle(inputs.b, inputs.b_count, detail::element(inputs.a, i), comp);
  const std::int64_t count = matches.last - matches.first;
  return {detail::rows_of_left(kind, count), count == 0 ? no_match : matches.first, 0, 1};
}

/// Finds the rows of right needle j. Its equals matter only if it has more matches than one.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Inputs, class Compare>
MGPU_THRUST_HOST_DEVICE needle_rows find_right_needle(const Inputs& inputs, std::int64_t j, Compare comp)
{
  auto&& key = detail::element(inputs.b, j);
  const needle_matches matches = detail::find_needle(inputs.a, inputs.a_count, key, comp);
  needle_rows rows{matches.last - matches.first, matches.first, 0, 1};
  if (rows.count > 1)
  {
    rows.rank = detail::copies_before(inputs.b, j, key, comp);
    rows.equals = rows.rank + detail::end_of_copies(inputs.b, j + 1, inputs.b_count, key, comp) - j;
  }
  return rows;
}

/// The indices of a row.
struct index_pair
{
  std::int64_t left;
  std::int64_t right;
};

/// Returns row number k of those that a left needle stands for, given the index of its first match.
MGPU_THRUST_HOST_DEVICE inline index_pair
row_of_left_needle(std::int64_t needle, std::int64_t first_match, std::int64_t k)
{
  return {needle, first_match == no_match ? no_match : first_match + k};
}

/// Returns row number k of those that a right needle stands for.
MGPU_THRUST_HOST_DEVICE inline index_pair
row_of_right_needle(std::int64_t needle, const needle_rows& rows, std::int64_t k)
{
  if (rows.equals == 1)
  {
    return {rows.first_match + k, needle};
  }
  const std::int64_t q = rows.rank * rows.count + k; // less than the number of all rows
  const std::int64_t first = needle - rows.rank;
  if (((q | rows.equals) >> 32) == 0) // a division of 64 bits takes a GPU several times as long
  {
    const auto quotient = static_cast<std::uint32_t>(q) / static_cast<std::uint32_t>(rows.equals);
    return {rows.first_match + quotient, first + (q - quotient * rows.equals)};
  }
  return {rows.first_match + q / rows.equals, first + q % rows.equals};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The outputs of a join, and the sequential loops that count and write the rows of a piece of both inputs. Nothing
/// here knows about scheduling.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/join/ranges/serial.h>
#include <mgpu_thrust/detail/join/rows/layout.h>
#include <mgpu_thrust/detail/segments/runs.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/join_kinds.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Outputs of a join's rows: the indices of left and of right elements, each through an iterator of its own.
template <class Left, class Right, class LeftIndex, class RightIndex>
struct join_outputs
{
  using left_index = LeftIndex;
  using right_index = RightIndex;
  static constexpr bool is_plain = std::is_pointer_v<Left> && std::is_pointer_v<Right>;
  using plain_outputs = join_outputs;
  static constexpr bool is_bounded = false; ///< whether there is room for fewer rows than there may be
  Left left;
  Right right;

  MGPU_THRUST_HOST_DEVICE join_outputs operator+(std::int64_t n) const
  {
    return {left + n, right + n};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void append(std::int64_t i, std::int64_t j)
  {
    *left = static_cast<LeftIndex>(i);
    ++left;
    *right = static_cast<RightIndex>(j);
    ++right;
  }
  /// Appends a row if `is_row`; otherwise it may be written all the same, without advancing.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void append_if(bool is_row, std::int64_t i, std::int64_t j)
  {
    if constexpr (is_plain)
    {
      *left = static_cast<LeftIndex>(i);
      *right = static_cast<RightIndex>(j);
      left += is_row;
      right += is_row;
    }
    else if (is_row)
    {
      append(i, j);
    }
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void write(std::int64_t row, std::int64_t i, std::int64_t j) const
  {
    *(left + row) = static_cast<LeftIndex>(i);
    *(right + row) = static_cast<RightIndex>(j);
  }
  /// Appends `count` rows of left element i, with right elements from j on, of `room` rows that the caller will append.
  MGPU_THRUST_HOST_DEVICE void append_rows(std::int64_t i, std::int64_t j, std::int64_t count, std::int64_t room)
  {
    if (count <= 4) // the most frequent case; whole cache lines would take half as long again
    {
      append_run<16>(i, j, count, room);
    }
    else
    {
      append_run<64>(i, j, count, room);
    }
  }

private:
  template <int BlockBytes>
  MGPU_THRUST_HOST_DEVICE void append_run(std::int64_t i, std::int64_t j, std::int64_t count, std::int64_t room)
  {
    detail::reassign(left, detail::fill_run<BlockBytes>(left, count, room, static_cast<LeftIndex>(i)));
    detail::reassign(right, detail::count_run<BlockBytes>(right, count, room, static_cast<RightIndex>(j)));
  }
};

/// Makes the outputs of a join from iterators.
template <class Kind, class Left, class Right>
MGPU_THRUST_HOST_DEVICE auto make_join_outputs(Kind, Left left, Right right)
{
  detail::check_holds_no_match<written_index_t<Left>, Kind::keeps_right>();
  detail::check_holds_no_match<written_index_t<Right>, Kind::keeps_left>();
  const auto unwrapped_left = detail::unwrap(left);
  const auto unwrapped_right = detail::unwrap(right);
  return join_outputs<
    std::decay_t<decltype(unwrapped_left)>, std::decay_t<decltype(unwrapped_right)>, written_index_t<Left>,
    written_index_t<Right>>{unwrapped_left, unwrapped_right};
}

// Outputs of the search of a piece (see search_output), which calls them for each left element with both of its bounds,
// or for each right element with whether it has a match. One pair of these counts rows, the other writes them. Where
// right elements are searched for in the left input, outputs of left elements are called with
//   append_equal(left, right)   the next left elements with a match are those of `left`, and these match all of `right`

/// Base of outputs that need both bounds.
struct needs_range
{
  static constexpr bool is_wanted = true;
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = true;
};
/// Base of outputs that need no more than whether there is a match.
struct needs_match_only
{
  static constexpr bool is_wanted = true;
  static constexpr bool needs_match = true;
  static constexpr bool needs_equal_end = false;
};

/// Counts the rows of left elements.
template <class Kind>
struct left_row_counter : needs_range
{
  std::int64_t rows = 0;

  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    rows = detail::saturating_sum(rows, detail::rows_of_left(Kind{}, found.equal_end - found.bound));
  }
  MGPU_THRUST_HOST_DEVICE void append_equal(row_range left, row_range right)
  {
    rows = detail::saturating_sum(rows, detail::saturating_product(left.size(), right.size()));
  }
};

/// Counts right elements without a match.
struct right_only_counter : needs_match_only
{
  std::int64_t rows = 0;

  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    rows += !found.match;
  }
};

/// Writes the rows of left elements from index i on: skips the first `skip` rows, then writes `room` rows.
template <class Kind, class Outputs>
struct left_row_writer : needs_range
{
  Outputs outputs;
  std::int64_t i;
  std::int64_t skip;
  std::int64_t room;

  MGPU_THRUST_HOST_DEVICE
  left_row_writer(const Outputs& first, std::int64_t first_i, std::int64_t rows_before, std::int64_t rows)
      : outputs(first)
      , i(first_i)
      , skip(rows_before)
      , room(rows)
  {
  }
  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    // Whether there is a match is hard to predict, so nothing branches on it.
    static_assert(no_match == -1);
    const std::int64_t matches = found.equal_end - found.bound;
    const std::int64_t is_alone = Kind::keeps_left && matches == 0;
    std::int64_t j = found.bound | -is_alone;
    std::int64_t count = matches + is_alone;
    if (skip > 0)
    {
      const std::int64_t skipped = skip < count ? skip : count;
      skip -= skipped;
      j += skipped;
      count -= skipped;
    }
    count = count < room ? count : room;
    outputs.append_rows(i, j, count, room);
    room -= count;
    ++i;
  }
  MGPU_THRUST_HOST_DEVICE void append_equal(row_range left, row_range right)
  {
    const std::int64_t skipped = skip / right.size();
    i = left.first + (skipped < left.size() ? skipped : left.size());
    skip -= (i - left.first) * right.size();
    while (i < left.last && room > 0)
    {
      append({right.first, true, right.last});
    }
  }
};

/// Writes the rows of right elements without a match, from index j on: skips the first `skip` rows, then writes up to
/// `room` rows. If `RoomIsExact`, it will write exactly that many; so an element with a match may be written where the
/// next row goes, without a branch.
template <bool RoomIsExact, class Outputs>
struct right_only_writer : needs_match_only
{
  Outputs outputs;
  std::int64_t j;
  std::int64_t skip;
  std::int64_t room;

  MGPU_THRUST_HOST_DEVICE
  right_only_writer(const Outputs& first, std::int64_t first_j, std::int64_t rows_before, std::int64_t rows)
      : outputs(first)
      , j(first_j)
      , skip(rows_before)
      , room(rows)
  {
  }
  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    if (skip > 0)
    {
      skip -= !found.match;
    }
    else if (room > 0 && (!found.match || (RoomIsExact && Outputs::is_plain)))
    {
      outputs.append_if(!found.match, no_match, j);
      room -= !found.match;
    }
    ++j;
  }
};

/// Writes all rows of left elements; the outputs may be plain output iterators.
template <class Kind, class Outputs>
struct serial_left_writer : needs_range
{
  Outputs outputs;
  std::int64_t i = 0;

  MGPU_THRUST_HOST_DEVICE explicit serial_left_writer(const Outputs& first)
      : outputs(first)
  {
  }
  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    if (Kind::keeps_left && found.equal_end == found.bound)
    {
      outputs.append(i, no_match);
    }
    for (std::int64_t j = found.bound; j < found.equal_end; ++j)
    {
      outputs.append(i, j);
    }
    ++i;
  }
  MGPU_THRUST_HOST_DEVICE void append_equal(row_range left, row_range right)
  {
    for (i = left.first; i < left.last;)
    {
      append({right.first, true, right.last});
    }
  }
};

/// Returns the short side of a join of inputs of these sizes, whose elements are searched for in the other input. No
/// element of that is a row alone. ranges/serial.h has that of a range join.
template <class Kind, class Inputs>
MGPU_THRUST_HOST_DEVICE constexpr short_side short_side_of_join(Kind, const Inputs& inputs)
{
  return detail::choose_short_side(!Kind::keeps_right, !Kind::keeps_left, inputs.a_count, inputs.b_count);
}

/// Receives the ranges of left elements that right elements equal. It passes each run of equal right elements, with the
/// left ones that they equal, to an output of left elements, and each right element to one of these.
template <class LeftOutput, class RightOutput>
struct right_run_output
{
  LeftOutput* left_output;
  RightOutput* right_output;
  std::int64_t j; ///< the next right element
  row_range left{0, 0};
  row_range right{0, 0};

  MGPU_THRUST_HOST_DEVICE right_run_output(LeftOutput& of_left, RightOutput& of_right, std::int64_t first)
      : left_output(&of_left)
      , right_output(&of_right)
      , j(first)
  {
  }
  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    // Right elements with a match are equal if they match the same elements.
    const row_range matches{found.bound, found.equal_end};
    if (matches.size() == 0 || left.size() == 0 || matches.first != left.first)
    {
      end_run();
      left = matches;
      right = {j, j};
    }
    right.last = ++j;
    right_output->append({0, matches.size() > 0, 0});
  }
  MGPU_THRUST_HOST_DEVICE void end_run()
  {
    if constexpr (LeftOutput::is_wanted)
    {
      if (left.size() > 0)
      {
        left_output->append_equal(left, right);
      }
    }
  }
};

/// Searches a piece of both inputs, between two points of the merge path; or, if one side is short, for those of its
/// elements that lie between the points, all of a run. ranges/serial.h has that of a range join.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Kind, class Inputs, class LeftOutput, class RightOutput, class Compare>
MGPU_THRUST_HOST_DEVICE void search_join_piece(
  Kind kind, const Inputs& inputs, set_position begin, set_position end, LeftOutput& left, RightOutput& right,
  Compare& comp)
{
  if constexpr (!Kind::keeps_left)
  {
    if (detail::short_side_of_join(kind, inputs) == short_side::b)
    {
      right_run_output<LeftOutput, RightOutput> runs(left, right, begin.j);
      detail::search_few_ranges(
        inputs.b, begin.j, end.j, inputs.a, inputs.a_count, comp,
        [&runs](const search_result& found) { runs.append(found); });
      runs.end_run();
      return;
    }
  }
  std::int64_t matches[2] = {0, 0};
  detail::search_piece<false>(inputs, begin, end, left, right, comp, matches);
}

/// Counts the rows of a piece of both inputs.
template <class Kind, class Inputs, class Compare>
MGPU_THRUST_HOST_DEVICE join_counts count_join_rows(
  Kind kind, const Inputs& inputs, set_position begin, set_position end, std::int64_t first_unit_rows, Compare& comp)
{
  left_row_counter<Kind> left;
  if constexpr (Kind::keeps_right)
  {
    right_only_counter right;
    detail::search_join_piece(kind, inputs, begin, end, left, right, comp);
    return join_counts::of_tile(left.rows, right.rows, first_unit_rows);
  }
  else
  {
    no_search_output right;
    detail::search_join_piece(kind, inputs, begin, end, left, right, comp);
    return join_counts::of_tile(left.rows, 0, first_unit_rows);
  }
}

/// Writes the rows of a piece that `left` and `right` have room for.
template <class Kind, class Inputs, class LeftWriter, class RightWriter, class Compare>
MGPU_THRUST_HOST_DEVICE void write_join_rows(
  Kind kind, const Inputs& inputs, set_position begin, set_position end, LeftWriter& left, RightWriter& right,
  Compare& comp)
{
  no_search_output nothing_wanted;
  if constexpr (Kind::keeps_right)
  {
    if (right.room > 0)
    {
      detail::search_join_piece(kind, inputs, begin, end, left, right, comp);
      return;
    }
  }
  if (left.room > 0)
  {
    detail::search_join_piece(kind, inputs, begin, end, left, nothing_wanted, comp);
  }
}

/// Returns the number of rows of a whole join, or max_rows, counted by one thread.
template <class Kind, class Inputs, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t serial_join_size(Kind kind, const Inputs& inputs, Compare comp)
{
  const join_counts counts =
    detail::count_join_rows(kind, inputs, {0, 0}, {inputs.a_count, inputs.b_count}, max_rows, comp);
  return counts.all();
}

/// Executes a whole join on one thread, row by row. Returns the outputs past the last row. The first search is that of
/// serial_join_size, so there are never more rows than it counts, even of unsorted inputs.
template <class Kind, class Inputs, class Outputs, class Compare>
MGPU_THRUST_HOST_DEVICE Outputs serial_join(Kind kind, const Inputs& inputs, const Outputs& outputs, Compare comp)
{
  const set_position end{inputs.a_count, inputs.b_count};
  no_search_output nothing_wanted;
  serial_left_writer<Kind, Outputs> left(outputs);
  if constexpr (Kind::keeps_right)
  {
    right_only_counter counted;
    detail::search_join_piece(kind, inputs, {0, 0}, end, left, counted, comp);
    right_only_writer<true, Outputs> right(left.outputs, 0, 0, counted.rows);
    detail::search_join_piece(kind, inputs, {0, 0}, end, nothing_wanted, right, comp);
    return right.outputs;
  }
  else
  {
    detail::search_join_piece(kind, inputs, {0, 0}, end, left, nothing_wanted, comp);
    return left.outputs;
  }
}

/// Executes a whole join on one thread, but writes no more than its first `room` rows. Returns the number of all rows,
/// or max_rows.
template <class Kind, class Inputs, class Outputs, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t
serial_join_within(Kind kind, const Inputs& inputs, const Outputs& outputs, std::int64_t room, Compare comp)
{
  const set_position end{inputs.a_count, inputs.b_count};
  const join_counts counts = detail::count_join_rows(kind, inputs, {0, 0}, end, max_rows, comp);
  const std::int64_t left_rows = counts.rows < room ? counts.rows : room;
  const std::int64_t right_room = room - left_rows;
  const std::int64_t right_rows = counts.right_only < right_room ? counts.right_only : right_room;
  left_row_writer<Kind, Outputs> left(outputs, 0, 0, left_rows);
  right_only_writer<true, Outputs> right(outputs + left_rows, 0, 0, right_rows);
  detail::write_join_rows(kind, inputs, {0, 0}, end, left, right, comp);
  return counts.all();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

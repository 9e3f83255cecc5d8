// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The rows of an as-of join, as what the searches for left rows in the right input are converted to.

#include <mgpu_thrust/asof_directions.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Converts the result of a left row, a needle_result or the like, to the index of its right row, or no_match. It calls
/// functions that need not be constant, as comparators are called.
template <class Index, class Direction, class Accept>
struct to_row
{
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = Direction::is_nearest;
  static constexpr std::int64_t largest = largest_index<Index>;
  Direction direction;
  Accept accept;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Result>
  MGPU_THRUST_HOST_DEVICE Index operator()(const Result& found)
  {
    const std::int64_t at_bound = Result::has_both_rows || found.bound < found.haystack_count ? found.bound : no_match;
    if constexpr (Direction::is_nearest)
    {
      return static_cast<Index>(nearer(if_accepted(found.equal_end - 1, found), if_accepted(at_bound, found), found));
    }
    else
    {
      return static_cast<Index>(if_accepted(Direction::is_before ? found.bound - 1 : at_bound, found));
    }
  }

private:
  /// Returns `row`, or no_match if it is refused.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Result>
  MGPU_THRUST_HOST_DEVICE std::int64_t if_accepted(std::int64_t row, [[maybe_unused]] const Result& found)
  {
    if constexpr (!std::is_same_v<Accept, accept_any>)
    {
      if (row != no_match)
      {
        const auto& left = found.needle();
        const auto& right = found.key(row);
        return static_cast<bool>(accept(left, right)) ? row : no_match;
      }
    }
    return row;
  }

  /// Returns the nearer of two rows, either of which may be no_match; `before` if they are equally near.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Result>
  MGPU_THRUST_HOST_DEVICE std::int64_t nearer(std::int64_t before, std::int64_t after, const Result& found)
  {
    constexpr bool are_both = Result::has_both_rows && std::is_same_v<Accept, accept_any>;
    if (!are_both && (before == no_match || after == no_match))
    {
      return before == no_match ? after : before;
    }
    const auto& left = found.needle();
    const auto& right_before = found.key(before);
    const auto& right_after = found.key(after);
    return direction.distance(left, right_after) < direction.distance(left, right_before) ? after : before;
  }
};

template <class Iterator, class Index, class Direction, class Accept>
inline constexpr bool is_row_output_v<search_output<Iterator, to_row<Index, Direction, Accept>>> = true;

/// Makes a search output that writes the rows of an as-of join through an iterator.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Direction, class Accept>
MGPU_THRUST_HOST_DEVICE auto asof_output(Iterator result, Direction direction, Accept accept)
{
  using index = written_index_t<Iterator>;
  detail::check_holds_no_match<index>();
  const auto unwrapped = detail::unwrap(result);
  return search_output<std::decay_t<decltype(unwrapped)>, to_row<index, Direction, Accept>>{
    unwrapped, {direction, accept}};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

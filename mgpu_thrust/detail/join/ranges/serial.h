// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sequential loop that finds the points of intervals, one interval after another.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/guided_search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/join/ranges/intervals.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns a bound of a needle in [0, count) of a haystack that may be long.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <search_bound Bound, class Haystack, class Needle, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t
bound_in_haystack(Haystack haystack, std::int64_t count, const Needle& needle, Compare comp)
{
  if constexpr (Bound == search_bound::lower)
  {
    return detail::lower_bound_in_haystack(haystack, count, needle, comp);
  }
  else
  {
    return detail::upper_bound_in_haystack(haystack, count, needle, comp);
  }
}

/// Whether elements [begin, end) ascend.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Compare>
MGPU_THRUST_HOST_DEVICE bool do_ascend(Iterator first, std::int64_t begin, std::int64_t end, Compare& comp)
{
  bool ascend = true; // accumulated over all, without a branch
  for (std::int64_t i = begin + 1; i < end; ++i)
  {
    ascend &= !comp(detail::element(first, i), detail::element(first, i - 1));
  }
  return ascend;
}

/// Finds the points of the intervals [begin, end), and appends to an output, for each interval in order, the bounds
/// between which its points are. The upper bound is never below the lower one.
///
/// Within a group of neighbours whose begins ascend, the search for a begin starts at the bound of the begin before.
/// The search for an end starts at the interval's first point; and, where ends ascend, not before the bound of an
/// earlier end. `end_known` is at most the bound of the end before: the search does not tell a bound that is before the
/// first point of its interval.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Kind, class Inputs, class Output, class Compare>
MGPU_THRUST_HOST_DEVICE void
search_intervals(Kind, const Inputs& in, std::int64_t begin, std::int64_t end, Output& output, Compare& comp)
{
  constexpr std::int64_t group = 32;
  const lies_before<Kind::begin, Compare> before_begin{comp};
  const lies_before<Kind::end, Compare> before_end{comp};
  Output local = output; // local copy, so that the compiler keeps it in registers
  std::int64_t first = 0;
  std::int64_t end_known = 0;
  for (std::int64_t i = begin; i < end;)
  {
    const std::int64_t group_end = end - i < group ? end : i + group;
    const std::int64_t group_begin = i > begin ? i - 1 : i;
    const bool begins_ascend = detail::do_ascend(in.a, group_begin, group_end, comp);
    const bool ends_ascend = detail::do_ascend(in.ends, group_begin, group_end, comp);
    for (; i < group_end; ++i)
    {
      auto&& needle = detail::element(in.a, i);
      first = begins_ascend && i > begin ? detail::bound_after(in.b, first, in.b_count, needle, before_begin)
                                         : detail::bound_in_haystack<Kind::begin>(in.b, in.b_count, needle, comp);
      end_known = ends_ascend ? end_known : 0;
      const std::int64_t start = end_known > first ? end_known : first;
      const std::int64_t last = detail::bound_after(in.b, start, in.b_count, detail::element(in.ends, i), before_end);
      end_known = last > first ? last : end_known;
      local.append(search_result{first, false, last});
    }
  }
  detail::reassign(output, local);
}

/// The short side of a range join is that of the intervals.
template <class Bounds, class Inputs>
MGPU_THRUST_HOST_DEVICE constexpr short_side short_side_of_join(range_join_t<Bounds>, const Inputs&)
{
  return short_side::a;
}

/// Searches the intervals between two points of the merge path.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Bounds, class Inputs, class LeftOutput, class RightOutput, class Compare>
MGPU_THRUST_HOST_DEVICE void search_join_piece(
  range_join_t<Bounds> kind, const Inputs& inputs, set_position begin, set_position end, LeftOutput& left, RightOutput&,
  Compare& comp)
{
  detail::search_intervals(kind, inputs, begin.i, end.i, left, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

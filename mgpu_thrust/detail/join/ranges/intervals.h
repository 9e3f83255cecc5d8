// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The inputs of a range join: intervals in any order, and sorted points. A range join is a join whose left elements
/// are intervals and whose right elements are points.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/join_kinds.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The kind of a range join. An interval has the points between two bounds: `begin` is the bound of its begin, `end`
/// that of its end.
template <class Bounds>
struct range_join_t : join_kind<false, false>
{
  static constexpr search_bound begin = Bounds::has_begin ? search_bound::lower : search_bound::upper;
  static constexpr search_bound end = Bounds::has_end ? search_bound::upper : search_bound::lower;
};

template <class Kind>
inline constexpr bool is_range_join = false;
template <class Bounds>
inline constexpr bool is_range_join<range_join_t<Bounds>> = true;

/// a_count intervals, A, of which `a` has the begins and `ends` the ends, and b_count points, B.
template <class Begins, class Ends, class Points>
struct interval_inputs
{
  Begins a;
  Ends ends;
  std::int64_t a_count;
  Points b;
  std::int64_t b_count;

  /// The same inputs with other sizes.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE interval_inputs with_sizes(std::int64_t new_a_count, std::int64_t new_b_count) const
  {
    return {a, ends, new_a_count, b, new_b_count};
  }
};

template <class Begins, class Ends, class Points>
interval_inputs(Begins, Ends, std::int64_t, Points, std::int64_t) -> interval_inputs<Begins, Ends, Points>;

/// Makes the inputs from iterators, which it unwraps, and sizes, which may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Points, class NumPoints, class Begins, class NumIntervals, class Ends>
MGPU_THRUST_HOST_DEVICE auto make_interval_inputs(
  Points points, const NumPoints& num_points, Begins begins, const NumIntervals& num_intervals, Ends ends)
{
  return detail::make_inputs(
    interval_inputs{
      detail::unwrap(begins), detail::unwrap(ends), std::int64_t{0}, detail::unwrap(points), std::int64_t{0}},
    detail::as_size(num_intervals), detail::as_size(num_points));
}

/// Makes the inputs from the ranges of a call.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Points, class Begins, class Ends>
MGPU_THRUST_HOST_DEVICE auto
inputs_of_intervals(Points points_first, Points points_last, Begins begins_first, Begins begins_last, Ends ends_first)
{
  return detail::make_interval_inputs(
    points_first, detail::length_of(points_first, points_last), begins_first,
    detail::length_of(begins_first, begins_last), ends_first);
}

/// The type of the comparator that is called for interval_inputs; see order_t.
template <class Compare, class Inputs>
using interval_order_t = std::conditional_t<
  returns_object<
    Compare, decltype(Inputs::a),
    decltype(Inputs::b)> || returns_object<Compare, decltype(Inputs::ends), decltype(Inputs::b)>,
  bool_result<Compare>, Compare>;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

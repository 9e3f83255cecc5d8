// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The directions of as-of joins.

#include <mgpu_thrust/detail/base/config.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A direction is defined by a bound of the left row in the right input, upper or lower, and a right row: the row
/// before the bound, or the row at it.
template <bool IsUpperBound, bool IsBefore>
struct asof_direction
{
  static constexpr bool is_nearest = false;
  static constexpr bool is_upper_bound = IsUpperBound;
  static constexpr bool is_before = IsBefore;
};

/// Nearest rows need the lower bound, and where the rows equal to the left one end.
struct nearest_direction
{
  static constexpr bool is_nearest = true;
  static constexpr bool is_upper_bound = false;
};

} // namespace detail

/// @addtogroup asof_join
/// @{

/// The direction of an as-of join to the last right row that is not after the left row.
/// @since 1.0
struct backward_t : detail::asof_direction<true, true>
{
};
/// The direction to the last right row that is before the left row.
/// @since 1.0
struct strictly_backward_t : detail::asof_direction<false, true>
{
};
/// The direction to the first right row that is not before the left row.
/// @since 1.0
struct forward_t : detail::asof_direction<false, false>
{
};
/// The direction to the first right row that is after the left row.
/// @since 1.0
struct strictly_forward_t : detail::asof_direction<true, false>
{
};
/// The direction to the nearer of the rows of backward and of forward; see nearest().
/// @since 1.0
template <class Distance>
struct nearest_t : detail::nearest_direction
{
  Distance distance; ///< the function that tells how far rows are
};

/// The last right row that is not after the left row: of equal ones the last.
inline constexpr backward_t backward{};
/// The last right row that is before the left row; equal ones are not taken.
inline constexpr strictly_backward_t strictly_backward{};
/// The first right row that is not before the left row: of equal ones the first.
inline constexpr forward_t forward{};
/// The first right row that is after the left row; equal ones are not taken.
inline constexpr strictly_forward_t strictly_forward{};

/// The nearer of the right rows of backward and of forward; if they are equally near, that of backward.
///
/// @param distance function of a left element and a right element, before or after the left one. Several threads may
///                 call it at the same time, each a copy of its own. Its results are compared by `<`
/// @return the direction, for asof_join; O(1)
/// @since 1.0
///
/// @code{.cpp}
/// const std::vector<int> left{4, 7, 12}, right{1, 5, 9};
/// std::vector<int> rows(3);
/// const auto distance = [](int x, int y) { return std::abs(x - y); };
/// mgpu::asof_join(left.begin(), left.end(), right.begin(), right.end(), rows.begin(), mgpu::nearest(distance));
/// assert((rows == std::vector<int>{1, 1, 2})); // 5 and 9 are equally far from 7
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Distance>
MGPU_THRUST_HOST_DEVICE nearest_t<Distance> nearest(Distance distance)
{
  return {{}, distance};
}

/// Accepts every right row: what as-of joins do by default.
/// @since 1.0
struct accept_any
{
  /// Returns true for any two rows.
  template <class Left, class Right>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Left&, const Right&) const
  {
    return true;
  }
};

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The bounds of intervals in a range join, as types and objects: which of its ends an interval has itself.

#include <mgpu_thrust/detail/base/config.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The bounds of intervals are defined by which points that equal an end are in an interval: those at its begin, those
/// at its end.
template <bool HasBegin, bool HasEnd>
struct interval_ends
{
  static constexpr bool has_begin = HasBegin;
  static constexpr bool has_end = HasEnd;
};

} // namespace detail

/// Type of closed_open.
/// @since 1.0
struct closed_open_t : detail::interval_ends<true, false>
{
};
/// Type of closed.
/// @since 1.0
struct closed_t : detail::interval_ends<true, true>
{
};
/// Type of open.
/// @since 1.0
struct open_t : detail::interval_ends<false, false>
{
};
/// Type of open_closed.
/// @since 1.0
struct open_closed_t : detail::interval_ends<false, true>
{
};

/// @addtogroup range_join
/// @{

/// An interval has the points from its begin on, up to but not including its end: [begin, end).
inline constexpr closed_open_t closed_open{};
/// An interval has the points from its begin up to its end, and both: [begin, end].
inline constexpr closed_t closed{};
/// An interval has the points between its begin and its end, and neither: (begin, end).
inline constexpr open_t open{};
/// An interval has the points after its begin, up to and including its end: (begin, end].
inline constexpr open_closed_t open_closed{};

/// @}
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kinds of joins, as types.

#include <mgpu_thrust/detail/base/config.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A join is defined by which unmatched elements it keeps: of the left input, of the right one. It keeps all matches.
template <bool KeepsLeft, bool KeepsRight>
struct join_kind
{
  static constexpr bool keeps_left = KeepsLeft;
  static constexpr bool keeps_right = KeepsRight;
};

} // namespace detail

/// Inner join, for join_plan: rows that match.
/// @since 1.0
struct inner_join_t : detail::join_kind<false, false>
{
};
/// Left join: also left elements without a match.
/// @since 1.0
struct left_join_t : detail::join_kind<true, false>
{
};
/// Right join: also right elements without a match.
/// @since 1.0
struct right_join_t : detail::join_kind<false, true>
{
};
/// Full join: all elements of both.
/// @since 1.0
struct full_join_t : detail::join_kind<true, true>
{
};

MGPU_THRUST_NAMESPACE_END

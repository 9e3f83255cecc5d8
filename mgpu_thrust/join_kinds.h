// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// The kinds of joins, for join_plan.
struct inner_join_t : detail::join_kind<false, false>
{
};
struct left_join_t : detail::join_kind<true, false>
{
};
struct right_join_t : detail::join_kind<false, true>
{
};
struct full_join_t : detail::join_kind<true, true>
{
};

MGPU_THRUST_NAMESPACE_END

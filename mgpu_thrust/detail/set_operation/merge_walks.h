// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A walk along a merge path without a branch on the data. A branch-free step depends on the step before, so the walk
/// is split into four parts, whose steps are interleaved.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cstdint>

// The walk's lambda may call host-only functions, for which nvcc would issue a warning where they are constexpr.
MGPU_THRUST_IGNORE_BEGIN(20013)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A part of a walk: from (i, j) to (i_end, j_end).
struct merge_walk
{
  std::int64_t i;
  std::int64_t j;
  std::int64_t i_end;
  std::int64_t j_end;
};

/// merge_path without a branch on the data. Both ranges must have at least `diagonal` elements. The order is
/// before(element of B, element of A).
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class A, class B, class Before>
MGPU_THRUST_HOST_DEVICE std::int64_t near_merge_path(A a, B b, std::int64_t diagonal, Before before)
{
  std::int64_t begin = 0;
  for (std::int64_t count = diagonal; count > 0;) // the result is in [begin, begin + count]
  {
    const std::int64_t half = (count + 1) / 2;
    const std::int64_t middle = begin + half - 1;
    const bool is_behind = !before(detail::element(b, diagonal - 1 - middle), detail::element(a, middle));
    begin += half & -std::int64_t{is_behind};
    count = count > 1 ? count - half : 0;
  }
  return begin;
}

/// Walks along the first 4 * steps steps of the merge path of A and B, both of which must have that many elements:
/// calls visit(part, step, i, j, element of A, element of B, is_from_b) at each point (i, j) but the last. `walks`
/// receives the parts, each of `steps` steps; in unsorted ranges, one need not begin where the one before ends.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class A, class B, class Before, class Visit>
MGPU_THRUST_HOST_DEVICE void
walk_merge_path(A a, B b, std::int64_t steps, Before before, merge_walk (&walks)[4], Visit visit)
{
  for (int part = 0; part < 4; ++part)
  {
    const std::int64_t i = detail::near_merge_path(a, b, part * steps, before);
    walks[part] = {i, part * steps - i, i, part * steps - i};
  }
  merge_walk w0 = walks[0], w1 = walks[1], w2 = walks[2], w3 = walks[3]; // in registers
  const auto step = [&](int part, std::int64_t k, merge_walk& at)
  {
    auto&& x = detail::element(a, at.i_end);
    auto&& y = detail::element(b, at.j_end);
    const bool is_from_b = before(y, x);
    visit(part, k, at.i_end, at.j_end, x, y, is_from_b);
    at.i_end += !is_from_b;
    at.j_end += is_from_b;
  };
  for (std::int64_t k = 0; k < steps; ++k)
  {
    step(0, k, w0);
    step(1, k, w1);
    step(2, k, w2);
    step(3, k, w3);
  }
  walks[0] = w0;
  walks[1] = w1;
  walks[2] = w2;
  walks[3] = w3;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Within which bounds elements are sorted: all of them, or each segment on its own. A sort of pieces and merges of
/// neighbours needs to know two things: the parts of a piece, and how far the segment reaches that crosses the border
/// between two.

#include <mgpu_thrust/detail/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Where a segment begins and ends.
struct segment_bounds
{
  std::int64_t begin;
  std::int64_t end;
};

/// All elements are one segment.
struct one_segment
{
  std::int64_t count;

  /// The segment that an element belongs to.
  MGPU_THRUST_HOST_DEVICE segment_bounds around(std::int64_t) const
  {
    return {0, count};
  }
  /// Calls f(begin, end) for the part of each segment that is in [begin, end), in order. Some may be empty.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Function>
  MGPU_THRUST_HOST_DEVICE void for_each_part(std::int64_t begin, std::int64_t end, Function f) const
  {
    f(begin, end);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

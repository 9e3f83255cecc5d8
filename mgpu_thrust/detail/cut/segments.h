// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Items in segments, and the pieces of them that the workers of a CPU take.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The items [begin, end) of a segment.
struct segment_range
{
  std::int64_t begin;
  std::int64_t end;
};

/// Items that are divided into segments by offsets.
template <class Offsets>
struct segments
{
  std::int64_t num_items;
  Offsets offsets;
  std::int64_t num_segments;

  /// The same segments with other sizes.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE segments with_sizes(std::int64_t new_num_items, std::int64_t new_num_segments) const
  {
    return {new_num_items, offsets, new_num_segments};
  }
  /// Returns the index of the first item of a segment.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t offset(std::int64_t segment) const
  {
    return static_cast<std::int64_t>(detail::element(offsets, segment));
  }
  /// Returns the index of the item after the last of a segment.
  MGPU_THRUST_HOST_DEVICE std::int64_t end(std::int64_t segment) const
  {
    return segment + 1 < num_segments ? offset(segment + 1) : num_items;
  }
  /// Returns the range of a segment. The first one begins with the first item; those after the last one are empty, at
  /// the end. Both offsets are loaded without a branch, so that the loads do not wait for each other.
  MGPU_THRUST_HOST_DEVICE segment_range range(std::int64_t segment) const
  {
    if (num_segments <= 0)
    {
      return {num_items, num_items};
    }
    const std::int64_t last = num_segments - 1;
    const std::int64_t begin = offset(segment < last ? segment : last);
    const std::int64_t end = offset(segment < last ? segment + 1 : last);
    return {segment == 0 ? 0 : segment <= last ? begin : num_items, segment < last ? end : num_items};
  }
};

template <class Offsets>
segments(std::int64_t, Offsets, std::int64_t) -> segments<Offsets>;

/// Makes segments of the given offsets, unwrapped and without checks.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Offsets>
MGPU_THRUST_HOST_DEVICE auto make_segments(std::int64_t num_items, Offsets offsets_first, Offsets offsets_last)
{
  return segments{num_items, detail::unwrap(offsets_first), detail::length_of(offsets_first, offsets_last)};
}

/// Makes segments of offsets, which it unwraps, and of sizes, which may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class NumItems, class Offsets, class NumSegments>
MGPU_THRUST_HOST_DEVICE auto
make_segments_n(const NumItems& num_items, Offsets offsets, const NumSegments& num_segments)
{
  return detail::make_inputs(
    segments{std::int64_t{0}, detail::unwrap(offsets), std::int64_t{0}}, detail::as_size(num_items),
    detail::as_size(num_segments));
}

/// Returns segments without items if there is no segment: deferred sizes may be 0 for the segments alone.
template <class Offsets>
MGPU_THRUST_HOST_DEVICE segments<Offsets> without_stray_items(segments<Offsets> in)
{
  in.num_items = in.num_segments > 0 ? in.num_items : 0;
  return in;
}

/// Returns segments with their actual sizes.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Segments>
MGPU_THRUST_HOST_DEVICE decltype(auto) sized_segments(const Segments& in)
{
  if constexpr (is_deferred_v<Segments>)
  {
    return detail::without_stray_items(detail::sized(in));
  }
  else
  {
    return in;
  }
}

/// Items and starts of segments cut into pieces of cpu_piece_elements.
template <class Offsets>
struct segment_pieces
{
  segments<Offsets> in;

  std::int64_t total() const
  {
    return in.num_items + in.num_segments;
  }
  std::int64_t count() const
  {
    return equal_pieces{total()}.count();
  }
  /// Number of items and segment starts before a piece; for the piece past the last, of all of them.
  std::int64_t diagonal(std::int64_t piece) const
  {
    return equal_pieces{total()}.begin(piece);
  }
  /// The point where a piece begins and the one before it ends.
  load_balance_point cut(std::int64_t piece) const
  {
    return mgpu::load_balance(in.num_items, in.offsets, in.num_segments, diagonal(piece));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

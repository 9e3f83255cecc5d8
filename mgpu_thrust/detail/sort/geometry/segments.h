// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The bounds within which elements are sorted: all of them, or each segment. A sort of pieces needs the parts of
/// segments in a piece; merges of neighbouring pieces need the bounds of the segment across their border.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// All elements are one segment.
struct one_segment
{
  std::int64_t count;

  /// Whether there is a segment.
  MGPU_THRUST_HOST_DEVICE static bool has_any()
  {
    return true;
  }
  /// Returns the bounds of the segment of an element.
  MGPU_THRUST_HOST_DEVICE segment_range around(std::int64_t) const
  {
    return {0, count};
  }
  /// Calls f(begin, end) for the non-empty part of each segment in [begin, end), in order.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Function>
  MGPU_THRUST_HOST_DEVICE void for_each_part(std::int64_t begin, std::int64_t end, Function f) const
  {
    f(begin, end);
  }
  /// The segment of another number of elements.
  MGPU_THRUST_HOST_DEVICE static one_segment with_sizes(std::int64_t new_count, std::int64_t)
  {
    return {new_count};
  }
};

/// All elements; their number is deferred.
template <class Size>
using deferred_segment = deferred_inputs<one_segment, Size, std::int64_t>;

/// Makes one segment of all elements. Their number may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Size>
MGPU_THRUST_HOST_DEVICE auto make_segment(const Size& size)
{
  return detail::make_inputs(one_segment{}, detail::as_size(size), std::int64_t{0});
}

/// Segments by offsets. Bounds from invalid offsets stay within the elements.
template <class Offsets>
struct offset_segments
{
  segments<Offsets> in;

  MGPU_THRUST_HOST_DEVICE bool has_any() const
  {
    return in.num_segments > 0;
  }
  /// The same segments with other sizes.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE offset_segments with_sizes(std::int64_t num_items, std::int64_t num_segments) const
  {
    return {in.with_sizes(num_items, num_segments)};
  }
  MGPU_THRUST_HOST_DEVICE segment_range around(std::int64_t item) const
  {
    const std::int64_t segment = mgpu::segment_of(in.offsets, in.num_segments, item);
    const segment_range range = in.range(segment);
    return {detail::clamp_index(range.begin, 0, item), detail::clamp_index(range.end, item, in.num_items)};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Function>
  MGPU_THRUST_HOST_DEVICE void for_each_part(std::int64_t begin, std::int64_t end, Function f) const
  {
    int empty = 0; // consecutive empty segments
    for (std::int64_t segment = mgpu::segment_of(in.offsets, in.num_segments, begin); begin < end; ++segment)
    {
      const std::int64_t part_end = detail::clamp_index(in.end(segment), begin, end);
      if (part_end > begin)
      {
        f(begin, part_end);
        begin = part_end;
        empty = 0;
      }
      else if (++empty == max_empty)
      {
        const std::int64_t next = mgpu::segment_of(in.offsets, in.num_segments, begin);
        segment = segment < next ? next - 1 : segment;
        empty = 0;
      }
    }
  }

private:
  /// Number of consecutive empty segments after which a search skips the rest.
  static constexpr int max_empty = 32;
};

template <class Offsets>
offset_segments(segments<Offsets>) -> offset_segments<Offsets>;

/// Segments by flags: a flag marks the first element of a segment. Element 0 always is one.
template <class Flags>
struct flag_segments
{
  Flags flags;

  MGPU_THRUST_HOST_DEVICE static bool has_any()
  {
    return true;
  }
  /// Flags have no size of their own.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE flag_segments with_sizes(std::int64_t, std::int64_t) const
  {
    return *this;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool is_first(std::int64_t item) const
  {
    return item == 0 || static_cast<bool>(detail::element(flags, item));
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Function>
  MGPU_THRUST_HOST_DEVICE void for_each_part(std::int64_t begin, std::int64_t end, Function f) const
  {
    while (begin < end)
    {
      std::int64_t part_end = begin + 1;
      while (part_end < end && !is_first(part_end))
      {
        ++part_end;
      }
      f(begin, part_end);
      begin = part_end;
    }
  }
};

template <class Flags>
flag_segments(Flags) -> flag_segments<Flags>;

// Segments with their actual sizes, and their number of elements; 0 without segments.

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Segments>
MGPU_THRUST_HOST_DEVICE decltype(auto) segments_now(const Segments& in)
{
  return detail::sized(in);
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Offsets, class First, class Second>
MGPU_THRUST_HOST_DEVICE offset_segments<Offsets>
segments_now(const deferred_inputs<offset_segments<Offsets>, First, Second>& in)
{
  return {detail::without_stray_items(detail::sized(in).in)};
}

template <class Segments>
MGPU_THRUST_HOST_DEVICE std::int64_t count_now(std::int64_t count, const Segments&)
{
  return count;
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Segments, class First, class Second>
MGPU_THRUST_HOST_DEVICE std::int64_t count_now(std::int64_t, const deferred_inputs<Segments, First, Second>& in)
{
  return detail::read_size(in.first_size);
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Offsets, class First, class Second>
MGPU_THRUST_HOST_DEVICE std::int64_t
count_now(std::int64_t, const deferred_inputs<offset_segments<Offsets>, First, Second>& in)
{
  return detail::segments_now(in).in.num_items;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

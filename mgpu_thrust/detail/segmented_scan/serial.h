// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The scan of items in segments: its parameters, and the loops over consecutive items and whole segments. Nothing here
/// knows about scheduling.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Parameters of a scan except the segments. T is the accumulator type. Init is T; or `nothing`, for an inclusive scan
/// whose segments begin with their first items.
template <bool IsInclusive, class T, class Input, class Output, class Init, class Op>
struct segment_scan
{
  using value_type = T;
  static constexpr bool is_inclusive = IsInclusive;
  static constexpr bool has_init = !std::is_same_v<Init, nothing>;
  static_assert(is_inclusive || has_init, "an exclusive scan begins with init");

  Input input;
  Output output;
  Init init;
  Op op;

  /// Returns a copy of an item, as a T.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE T item(std::int64_t index) const
  {
    return static_cast<T>(detail::element(input, index));
  }

  /// Combines two neighbours into the left one.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void append(T& left, const T& right)
  {
    left = static_cast<T>(op(static_cast<T&&>(left), right));
  }

  /// Writes the result of the next item of a segment, where `value` is the reduction of what is before it, and appends
  /// the item to `value`.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class To>
  MGPU_THRUST_HOST_DEVICE void write(T& value, const T& next, To& to)
  {
    if constexpr (is_inclusive)
    {
      append(value, next);
      *to = value;
    }
    else
    {
      *to = value;
      append(value, next);
    }
    ++to;
  }
};

/// Makes the parameters of a scan that accumulates in T.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <bool IsInclusive, class T, class Input, class Output, class Init, class Op>
MGPU_THRUST_HOST_DEVICE segment_scan<IsInclusive, T, Input, Output, Init, Op>
make_segment_scan(Input input, Output output, Init init, Op op)
{
  return {input, output, init, op};
}

/// Scans the items [begin, end) of a segment, where `value` is the reduction of what is before them. It becomes the
/// reduction of all. Returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Scan, class Output>
MGPU_THRUST_HOST_DEVICE Output
scan_items(Scan& scan, typename Scan::value_type& value, Output output, std::int64_t begin, std::int64_t end)
{
  for (; begin < end; ++begin)
  {
    scan.write(value, scan.item(begin), output);
  }
  return output;
}

/// Scans a segment of the items [begin, end), and calls keep(value) with their reduction if there are any. Returns the
/// end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Scan, class Output, class Keep>
MGPU_THRUST_HOST_DEVICE Output scan_segment(Scan& scan, Output output, std::int64_t begin, std::int64_t end, Keep keep)
{
  using T = typename Scan::value_type;
  if (begin >= end)
  {
    return output;
  }
  if constexpr (Scan::has_init)
  {
    T value = scan.init;
    detail::reassign(output, detail::scan_items(scan, value, output, begin, end));
    keep(static_cast<T&&>(value));
  }
  else
  {
    T value = scan.item(begin);
    *output = value;
    ++output;
    detail::reassign(output, detail::scan_items(scan, value, output, begin + 1, end));
    keep(static_cast<T&&>(value));
  }
  return output;
}

/// The value that nothing needs.
struct keep_nothing
{
  template <class T>
  MGPU_THRUST_HOST_DEVICE void operator()(T&&) const
  {
  }
};

/// Scans segments [segment, segment_end), which have the items [begin, end). Returns the end of the output. Wrong
/// offsets move items between segments, but add none from outside. Branches keep them inside: a clamp would compute
/// each position from the one before, and short segments take up to a sixth more time.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Scan, class Output, class Offsets>
MGPU_THRUST_HOST_DEVICE Output scan_segments(
  Scan& scan, Output output, const segments<Offsets>& in, std::int64_t segment, std::int64_t segment_end,
  std::int64_t begin, std::int64_t end)
{
  if (segment >= segment_end)
  {
    return output;
  }
  for (++segment; segment < segment_end; ++segment)
  {
    const std::int64_t stop = in.offset(segment); // the end of the segment before
    if (stop > begin)
    {
      if (stop >= end)
      {
        break;
      }
      detail::reassign(output, detail::scan_segment(scan, output, begin, stop, keep_nothing{}));
      begin = stop;
    }
  }
  detail::reassign(output, detail::scan_segment(scan, output, begin, end, keep_nothing{}));
  return output;
}

/// Scans all segments. Returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Scan, class Offsets>
MGPU_THRUST_HOST_DEVICE auto scan_segments_in_thread(Scan scan, const segments<Offsets>& in)
{
  return detail::scan_segments(scan, scan.output, in, 0, in.num_segments, 0, in.num_items);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

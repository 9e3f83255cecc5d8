// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The reduction of items in segments: its parameters, and the loops over consecutive items and whole segments. Nothing
/// here knows about scheduling.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Parameters of a reduction except the segments: the input and the output, the initial value of each segment's
/// reduction, and the operator.
template <class Input, class Output, class T, class Op>
struct segment_reduction
{
  using value_type = T;
  Input input;
  Output output;
  T init;
  Op op;

  /// Returns an item as a T; the element itself if it is a T.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE decltype(auto) item(std::int64_t index) const
  {
    if constexpr (std::is_same_v<std::decay_t<element_t<Input>>, T>)
    {
      return detail::element(input, index);
    }
    else
    {
      return static_cast<T>(detail::element(input, index));
    }
  }

  /// Combines two neighbours into the left one.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void append(T& left, const T& right)
  {
    left = static_cast<T>(op(static_cast<T&&>(left), right));
  }

  /// Returns `value` combined with the items [begin, end), one after another.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE T reduce(T value, std::int64_t begin, std::int64_t end)
  {
    for (; begin < end; ++begin)
    {
      append(value, item(begin));
    }
    return value;
  }
};

template <class Input, class Output, class T, class Op>
segment_reduction(Input, Output, T, Op) -> segment_reduction<Input, Output, T, Op>;

/// Writes the results of segments [segment, segment_end), which have the items [begin, end). Returns the end of the
/// output. Wrong offsets omit items, but add none from outside.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Reduction, class Output, class Offsets>
MGPU_THRUST_HOST_DEVICE Output reduce_segments(
  Reduction& reduction, Output output, const segments<Offsets>& in, std::int64_t segment, std::int64_t segment_end,
  std::int64_t begin, std::int64_t end)
{
  for (; segment < segment_end; ++segment)
  {
    const std::int64_t tail = segment + 1 < segment_end ? in.offset(segment + 1) : end;
    const std::int64_t stop = detail::clamp_index(tail, begin, end);
    *output = reduction.reduce(reduction.init, begin, stop);
    ++output;
    begin = stop;
  }
  return output;
}

/// Writes the results of all segments. Returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Reduction, class Offsets>
MGPU_THRUST_HOST_DEVICE auto reduce_segments_in_thread(Reduction reduction, const segments<Offsets>& in)
{
  return detail::reduce_segments(reduction, reduction.output, in, 0, in.num_segments, 0, in.num_items);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

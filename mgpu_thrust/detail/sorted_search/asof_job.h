// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of an as-of join as a job: a search for the left rows in the right input.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_calls.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/sorted_search/asof_rows.h>
#include <mgpu_thrust/detail/sorted_search/job.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cuda/std/functional>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A comparison of the distances of two right elements from a left one.
template <class Distance, class Left, class Right>
struct device_distance
{
  MGPU_THRUST_DEVICE static void
  call(const Distance& distance, const element_t<Left>& left, const element_t<Right>& right)
  {
    Distance copy(distance);
    (void) static_cast<bool>(copy(left, right) < copy(left, right));
  }
};

/// Whether a function can be called with a left element and a right one, and `<` compares its results.
template <
  class Distance, class Left, class Right,
  bool IsCallable = std::is_invocable_v<Distance&, const element_t<Left>&, const element_t<Right>&>>
inline constexpr bool is_distance_v = false;
template <class Distance, class Left, class Right>
inline constexpr bool is_distance_v<Distance, Left, Right, true> = std::is_invocable_v<
  ::cuda::std::less<>, std::invoke_result_t<Distance&, const element_t<Left>&, const element_t<Right>&>,
  std::invoke_result_t<Distance&, const element_t<Left>&, const element_t<Right>&>>;

template <class Iterator, class Index, class Direction, class Accept>
struct search_output_checks<search_output<Iterator, to_row<Index, Direction, Accept>>>
{
  template <class Backend, class Left, class Right>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, Iterator>();
    detail::check_results<Backend, Iterator, Index>();
    static_assert(
      is_device_lambda<Accept> || is_order_of<Accept, Left, Right>,
      "mgpu_thrust: the function that accepts rows must be callable with a left element and a right one, as constants,"
      " and its result must convert to bool");
    detail::check_device_call<Backend, device_comparison<Accept, Left, Right>>();
    if constexpr (Direction::is_nearest)
    {
      using distance = decltype(Direction::distance);
      static_assert(
        is_device_lambda<distance> || is_distance_v<distance, Left, Right>,
        "mgpu_thrust: the distance of mgpu::nearest must be callable with a left element and a right one, as constants,"
        " and operator< must compare its results");
      detail::check_device_call<Backend, device_distance<distance, Left, Right>>();
    }
  }
};

/// Makes the job of an as-of join, whose sizes may be deferred. A search finds upper bounds of its second input in the
/// first, and lower bounds of its first input in the second.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Left, class LeftSize, class Right, class RightSize, class OutputIterator, class Direction, class Compare,
  class Accept>
MGPU_THRUST_HOST_DEVICE auto asof_job(
  Left left, const LeftSize& left_size, Right right, const RightSize& right_size, OutputIterator result,
  Direction direction, Compare comp, Accept accept)
{
  const auto output = detail::asof_output(result, direction, accept);
  if constexpr (Direction::is_upper_bound)
  {
    return sorted_search_job(
      {"the right input", "the left input"}, detail::make_set_inputs(right, right_size, left, left_size),
      no_search_output{}, output, comp, nullptr);
  }
  else
  {
    return sorted_search_job(
      {"the left input", "the right input"}, detail::make_set_inputs(left, left_size, right, right_size), output,
      no_search_output{}, comp, nullptr);
  }
}

/// Returns the end of the output of an as-of join, given what asof_job() leaves of its outputs.
template <class Direction, class Ends>
MGPU_THRUST_HOST_DEVICE auto asof_end(Direction, const Ends& ends)
{
  if constexpr (Direction::is_upper_bound)
  {
    return ends.b.result;
  }
  else
  {
    return ends.a.result;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

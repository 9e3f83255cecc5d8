// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of window_reduce, or of window_reduce_by_range, as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/device_calls.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/window_reduce/serial.h>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The checks of a kind of bounds: at compile time, and those of the checked mode.
template <class Bounds>
struct window_bounds_checks;

template <class Begins, class Ends>
struct window_bounds_checks<given_bounds<Begins, Ends>>
{
  template <class Backend, class Reduction, class Output>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_segment_operands<Backend, Reduction, Output, Begins>();
    detail::check_iterators<Backend, Output, Ends>();
    detail::check_index_type<Ends>();
  }
  template <class Check>
  static void preconditions(const Check& check, const windows<given_bounds<Begins, Ends>>& in)
  {
    check.indices("the begins", in.bounds.begins, in.num_windows, in.num_items, 0);
    check.indices("the ends", in.bounds.ends, in.num_windows, in.num_items, 0);
  }
};

/// The first item of a row's window, or the item after the last.
template <class Bounds, bool IsEnd>
struct bound_of_row
{
  windows<Bounds> in;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    windows<Bounds> copy(in);
    const item_window window = copy.of(row);
    return IsEnd ? window.end : window.begin;
  }
};

template <class Keys, class Low, class High, class Compare>
struct window_bounds_checks<key_bounds<Keys, Low, High, Compare>>
{
  using bounds = key_bounds<Keys, Low, High, Compare>;

  template <class Backend, class Reduction, class Output>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_segment_operands<Backend, Reduction, Output, int*>();
    detail::check_iterators<Backend, Output, Keys>();
    detail::check_order<Backend, Compare, Keys>();
    check_function<Backend, Low>();
    check_function<Backend, High>();
  }
  template <class Check>
  static void preconditions(const Check& check, const windows<bounds>& in)
  {
    check.sorted("the range of keys", in.bounds.keys, in.num_items, in.bounds.comp);
    check.indices("the begins of windows", bounds_of_rows<false>(in), in.num_windows, in.num_items, 0);
    check.indices("the ends of windows", bounds_of_rows<true>(in), in.num_windows, in.num_items, 0);
  }

private:
  template <bool IsEnd>
  static auto bounds_of_rows(const windows<bounds>& in)
  {
    return thrust::transform_iterator<
      bound_of_row<bounds, IsEnd>, thrust::counting_iterator<std::int64_t>, std::int64_t, std::int64_t>(
      thrust::counting_iterator<std::int64_t>(0), bound_of_row<bounds, IsEnd>{in});
  }
  template <class Backend, class Function>
  MGPU_THRUST_HOST_DEVICE static void check_function()
  {
    using key = const element_t<Keys>&;
    constexpr bool is_callable = std::is_invocable_v<Function&, key>;
    static_assert(
      is_device_lambda<Function> || is_callable,
      "mgpu_thrust: the functions that bound windows by range must be callable with a key, as a constant");
    if constexpr (!is_device_lambda<Function> && is_callable)
    {
      detail::check_order<Backend, Compare, Keys, const std::decay_t<std::invoke_result_t<Function&, key>>*>();
    }
    detail::check_device_call<Backend, device_call<Function, key>>();
  }
};

/// Reduces the items of each window. Reduction is a segment_reduction. Windows are windows, perhaps with deferred
/// sizes. Output is the output as it was passed.
template <class Reduction, class Windows, class Output>
struct window_reduce_job : job_base
{
  using result_type = Output;
  using bounds_type = decltype(Windows::bounds);
  using checks = window_bounds_checks<bounds_type>;

  Reduction reduction;
  Windows in;
  Output output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  window_reduce_job(const Reduction& of_items, const Windows& items, const Output& passed_output)
      : reduction(of_items)
      , in(items)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    checks::template types<Backend, Reduction, Output>();
  }
  void check_sizes(size_checks& check) const
  {
    check.sizes_of_two(bounds_type::items_name, in.num_items, bounds_type::windows_name, in.num_windows);
  }
  template <class Check>
  void check_preconditions([[maybe_unused]] const Check& check) const
  {
    if constexpr (!is_deferred_v<Windows>)
    {
      checks::preconditions(check, in);
    }
  }

  bool is_empty() const
  {
    return in.num_windows == 0;
  }
  result_type empty_result() const
  {
    return output;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type result() const
  {
    return output + in.num_windows;
  }
  /// The job with its sizes as they are now, for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return window_reduce_job<Reduction, sized_t<Windows>, Output>(reduction, detail::sized(in), output);
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    return detail::rewrap(output, detail::reduce_windows_in_thread(reduction, in));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

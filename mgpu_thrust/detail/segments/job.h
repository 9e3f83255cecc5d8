// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of load balancing or of an interval operation as a job: an action for each item of segments.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/segmented_job.h>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The call of a function with an item: f(item, segment, rank[, value]).
template <template <class...> class Call, class Values, class... Function>
struct call_with_item_of
{
  using type =
    Call<Function..., const std::int64_t&, const std::int64_t&, const std::int64_t&, const element_t<Values>&>;
};
template <template <class...> class Call, class... Function>
struct call_with_item_of<Call, no_values, Function...>
{
  using type = Call<Function..., const std::int64_t&, const std::int64_t&, const std::int64_t&>;
};

/// The checks of an action.
template <class Action>
struct action_checks;

template <class Function, class Values>
struct action_checks<segment_visit<Function, Values>>
{
  template <class Backend, class Offsets>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, int*, Offsets, values_or_integers<Values>>();
    detail::check_device_call<Backend, typename call_with_item_of<device_call, Values, Function>::type>();
  }
  template <class Offsets>
  static void sizes(size_checks&, const segments<Offsets>&)
  {
  }
};

template <class Function, class Values, class Output>
struct action_checks<segment_transform<Function, Values, Output>>
{
  template <class Backend, class Offsets>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, Output, Offsets, values_or_integers<Values>>();
    if constexpr (std::is_base_of_v<consecutive_in_segment, Function>)
    {
      detail::check_iterators<Backend, Output, decltype(Function::input)>();
      detail::check_index_type<Values>();
      detail::check_copies<Backend, Output, decltype(Function::input)>();
    }
    detail::check_device_call<Backend, typename call_with_item_of<device_result, Values, Output, Function>::type>();
  }
  template <class Offsets>
  static void sizes(size_checks& check, const segments<Offsets>& in)
  {
    check_segment_numbers(check, static_cast<const Function*>(nullptr), in.num_items > 0 ? in.num_segments : 0);
  }

private:
  template <class Index>
  static void check_segment_numbers(size_checks& check, const segment_number<Index>*, std::int64_t num_segments)
  {
    check.indices_of(num_segments, largest_index<Index>);
  }
  static void check_segment_numbers(size_checks&, const void*, std::int64_t)
  {
  }
};

template <class Sources, class Destinations, class Input, class Output>
struct action_checks<segment_copy<Sources, Destinations, Input, Output>>
{
  template <class Backend, class Offsets>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    using sources = values_or_integers<Sources>;
    detail::check_iterators<Backend, Output, Offsets, sources, Destinations, Input>();
    detail::check_copies<Backend, Output, Input>();
    detail::check_scattered_output<Output>();
    detail::check_index_type<sources>();
    detail::check_index_type<Destinations>();
  }
  template <class Offsets>
  static void sizes(size_checks&, const segments<Offsets>&)
  {
  }
};

/// An action for each item of Segments, which are segments, perhaps with deferred sizes. Output is that of a transform,
/// as it was passed, or `nothing`.
template <class Action, class Segments, class Output>
struct segments_job : segmented_job<Segments, Output>
{
  using base = segmented_job<Segments, Output>;
  using base::in;
  using base::output;
  using typename base::offsets_type;

  Action action;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  segments_job(const Action& of_items, const Segments& items, const Output& passed_output)
      : base(items, passed_output)
      , action(of_items)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    action_checks<Action>::template types<Backend, offsets_type>();
    detail::check_index_type<offsets_type>();
  }
  void check_sizes(size_checks& check) const
  {
    base::check_sizes(check);
    action_checks<Action>::sizes(check, in);
  }

  /// The job with its sizes as they are now, for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return segments_job<Action, sized_t<Segments>, Output>(action, detail::sized_segments(in), output);
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE Output in_thread() const
  {
    const bool is_possible = in.num_items > 0 && in.num_segments > 0;
    const Action done =
      is_possible ? detail::process_segments(action, in, {0, 0}, {in.num_items, in.num_segments}) : action;
    if constexpr (Action::in_any_order)
    {
      return base::result();
    }
    else
    {
      return done.output;
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

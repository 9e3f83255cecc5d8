// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of a compaction of items in segments as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/device_calls.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/segmented_job.h>
#include <mgpu_thrust/detail/segmented_compact/serial.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A call of a predicate of an item, and of the number of its segment if it takes one.
template <class Predicate, class Input>
struct device_predicate
{
  MGPU_THRUST_DEVICE static void call(const Predicate& pred, const element_t<Input>& item, const std::int64_t& segment)
  {
    Predicate copy(pred);
    if constexpr (takes_segment<Predicate, std::decay_t<element_t<Input>>>)
    {
      (void) static_cast<bool>(copy(item, segment));
    }
    else
    {
      (void) static_cast<bool>(copy(item));
    }
  }
};

/// The checks of the function that a Keep calls. An extended device lambda cannot be checked.
template <class Keep>
struct keep_checks;

template <class Predicate>
struct keep_checks<keep_if<Predicate>>
{
  template <class Backend, class Input>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    using item = std::decay_t<element_t<Input>>;
    static_assert(
      is_device_lambda<Predicate> || takes_segment<Predicate, item> || std::is_invocable_v<Predicate&, const item&>,
      "mgpu_thrust: the predicate must be callable with an item, as a constant, or with an item and the number of its"
      " segment");
    detail::check_device_call<Backend, device_predicate<Predicate, Input>>();
  }
};

template <class Equal>
struct keep_checks<keep_first_of_equals<Equal>>
{
  template <class Backend, class Input>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    static_assert(
      is_device_lambda<Equal> || is_order_of<Equal, Input, Input>,
      "mgpu_thrust: the function that compares items, operator== if there is none, must be callable with two of them,"
      " as constants, and its result must convert to bool");
    detail::check_device_call<Backend, device_comparison<Equal, Input, Input>>();
  }
};

/// Keeps some of the items of each segment. Compaction is a compaction. Segments are segments, perhaps with deferred
/// sizes. Output and OffsetsOutput are the outputs as they were passed.
template <class Compaction, class Segments, class Output, class OffsetsOutput>
struct segmented_compact_job : segmented_job<Segments, Output>
{
  using base = segmented_job<Segments, Output>;
  using base::in;
  using base::output;
  using offset_type = typename Compaction::offset_type;
  static constexpr bool is_counted = true;

  Compaction compact;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  segmented_compact_job(const Compaction& of_items, const Segments& items, const Output& passed_output)
      : base(items, passed_output)
      , compact(of_items)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    using input = decltype(Compaction::input);
    detail::check_iterators<Backend, Output, input, typename base::offsets_type>();
    detail::check_iterators<Backend, OffsetsOutput>();
    detail::check_index_type<typename base::offsets_type>();
    detail::check_copies<Backend, Output, input>();
    detail::check_results<Backend, OffsetsOutput, offset_type>();
    keep_checks<typename Compaction::keep_type>::template types<Backend, input>();
  }
  void check_sizes(size_checks& check) const
  {
    check.input_in_segments(in);
    check.index_range(in.num_items, largest_index<offset_type>);
  }

  /// Even no segments have an offset.
  static bool is_empty()
  {
    return false;
  }
  Output result(std::int64_t count, size_checks&) const
  {
    return output + count;
  }

  // The members for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return segmented_compact_job<Compaction, sized_t<Segments>, Output, OffsetsOutput>(
      compact, detail::sized_segments(in), output);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t count_of(const Output& end) const
  {
    return static_cast<std::int64_t>(end - output);
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted() const
  {
    return in.num_items;
  }

  std::int64_t count_capacity() const
  {
    return max_counted();
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE Output in_thread() const
  {
    return detail::rewrap(output, detail::compact_in_thread(compact, in));
  }
};

/// Makes the job of a compaction, whose iterators it unwraps.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Segments, class Output, class OffsetsOutput, class Keep>
MGPU_THRUST_HOST_DEVICE auto
make_compact_job(Input first, const Segments& in, Output result, OffsetsOutput offsets_result, const Keep& keep)
{
  using compact = compaction<
    unwrapped_t<Input>, Keep, unwrapped_t<Output>, unwrapped_t<OffsetsOutput>, written_index_t<OffsetsOutput>>;
  return segmented_compact_job<compact, Segments, Output, OffsetsOutput>(
    compact{detail::unwrap(first), keep, detail::unwrap(result), detail::unwrap(offsets_result)}, in, result);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

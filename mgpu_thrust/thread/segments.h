// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Items in segments, what is done with each, and the loop that does it over a piece of them. Nothing here knows about
/// scheduling.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/thread/runs.h>
#include <mgpu_thrust/thread/set_operation.h>

#include <cstdint>
#include <iterator>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Items cut into segments by their offsets.
template <class Offsets>
struct segments
{
  std::int64_t num_items;
  Offsets offsets;
  std::int64_t num_segments;

  /// Where a segment starts.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t offset(std::int64_t segment) const
  {
    return static_cast<std::int64_t>(detail::element(offsets, segment));
  }
};

template <class Offsets>
segments(std::int64_t, Offsets, std::int64_t) -> segments<Offsets>;

/// An item, its segment, and how many items of that segment are before it.
struct segment_item
{
  std::int64_t item;
  std::int64_t segment;
  std::int64_t rank;
};

// What is done with each item is a job. It has, for items in any order, from any thread,
//   value(segment)            what it needs to know of a segment: read once for many items of it
//   load(at, value)           what it makes of the item `at`, a segment_item
//   store(at, value, loaded)  and where that goes
//   with_values_from(segment) the job whose value(0) is that of a segment
// so that several items can be loaded before the first is stored; and, for items one after another,
//   from(item)                the job whose output stands where that of an item goes
//   run(at, count, room)      does `count` items of one segment, the first of them `at`, or none if that is negative,
//                             and moves the output behind them. It may write what belongs to the next items, `room` of
//                             them from `at` on, as these are done later

/// What a job has where there is nothing to be known or loaded.
struct nothing
{
};

/// The value of a segment from an iterator over one for each; nothing if there is none.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Values>
MGPU_THRUST_HOST_DEVICE decltype(auto) segment_value([[maybe_unused]] Values values, std::int64_t segment)
{
  if constexpr (has_values<Values>)
  {
    return detail::element(values, segment);
  }
  else
  {
    return nothing{};
  }
}

/// f(item, segment, rank[, value]).
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Function, class Value>
MGPU_THRUST_HOST_DEVICE decltype(auto)
call_with_item(Function& f, const segment_item& at, [[maybe_unused]] const Value& value)
{
  if constexpr (std::is_same_v<Value, nothing>)
  {
    return f(at.item, at.segment, at.rank);
  }
  else
  {
    return f(at.item, at.segment, at.rank, value);
  }
}

/// Calls a function with each item.
template <class Function, class Values>
struct segment_visit
{
  Function f;
  Values values;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE decltype(auto) value(std::int64_t segment) const
  {
    return detail::segment_value(values, segment);
  }
  template <class Visit>
  MGPU_THRUST_HOST_DEVICE void with_inputs(std::int64_t segment, std::int64_t size, std::int64_t, int, Visit visit) const
  {
    if constexpr (has_values<Values>)
    {
      visit(values + segment, size);
    }
  }
  MGPU_THRUST_HOST_DEVICE segment_visit with_values_from(std::int64_t segment) const
  {
    return {f, values + segment};
  }
  template <class Value>
  MGPU_THRUST_HOST_DEVICE nothing load(const segment_item&, const Value&)
  {
    return {};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE void store(const segment_item& at, const Value& value, nothing)
  {
    detail::call_with_item(f, at, value);
  }
  MGPU_THRUST_HOST_DEVICE segment_visit from(std::int64_t) const
  {
    return *this;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void run(segment_item at, std::int64_t count, std::int64_t)
  {
    if (count > 0)
    {
      const auto& of_segment = value(at.segment);
      for (; count > 0; --count, ++at.item, ++at.rank)
      {
        detail::call_with_item(f, at, of_segment);
      }
    }
  }
};

template <class Function, class Values>
segment_visit(Function, Values) -> segment_visit<Function, Values>;

/// The base of a function whose results for items of one segment, one after another, need not be written one by one:
///   write_run(output, at, count, room, value)  writes those of `count` items, none if that is negative, the first of
///                                              them `at`; returns the output behind them. See `room` above
struct writes_runs
{
};

/// Writes what a function returns for each item.
template <class Function, class Values, class Output>
struct segment_transform
{
  Function f;
  Values values;
  Output output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE decltype(auto) value(std::int64_t segment) const
  {
    return detail::segment_value(values, segment);
  }
  template <class Visit>
  MGPU_THRUST_HOST_DEVICE void with_inputs(std::int64_t segment, std::int64_t size, std::int64_t, int, Visit visit) const
  {
    if constexpr (has_values<Values>)
    {
      visit(values + segment, size);
    }
  }
  MGPU_THRUST_HOST_DEVICE segment_transform with_values_from(std::int64_t segment) const
  {
    return {f, values + segment, output};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE auto load(const segment_item& at, const Value& value)
  {
    return detail::call_with_item(f, at, value);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value, class Result>
  MGPU_THRUST_HOST_DEVICE void store(const segment_item& at, const Value&, const Result& result)
  {
    *(output + at.item) = result;
  }
  MGPU_THRUST_HOST_DEVICE segment_transform from(std::int64_t item) const
  {
    return {f, values, output + item};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void run(segment_item at, std::int64_t count, [[maybe_unused]] std::int64_t room)
  {
    if constexpr (std::is_base_of_v<writes_runs, Function>)
    {
      detail::reassign(output, f.write_run(output, at, count, room, value(at.segment)));
    }
    else if (count > 0)
    {
      const auto& of_segment = value(at.segment);
      Output next = output; // whose address nobody has, so that it stays in a register
      for (; count > 0; --count, ++at.item, ++at.rank)
      {
        *next = detail::call_with_item(f, at, of_segment);
        ++next;
      }
      detail::reassign(output, next);
    }
  }
};

template <class Function, class Values, class Output>
segment_transform(Function, Values, Output) -> segment_transform<Function, Values, Output>;

// Functions of transforms.

/// The segment's number as an integer.
template <class Index>
struct segment_number : writes_runs
{
  MGPU_THRUST_HOST_DEVICE Index operator()(std::int64_t, std::int64_t segment, std::int64_t) const
  {
    return static_cast<Index>(segment);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Output>
  MGPU_THRUST_HOST_DEVICE Output
  write_run(Output output, const segment_item& at, std::int64_t count, std::int64_t room, nothing) const
  {
    return detail::fill_run(output, count, room, static_cast<Index>(at.segment));
  }
};

/// The segment's value.
struct value_of_segment : writes_runs
{
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE Value operator()(std::int64_t, std::int64_t, std::int64_t, const Value& value) const
  {
    return value;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Output, class Value>
  MGPU_THRUST_HOST_DEVICE Output
  write_run(Output output, const segment_item&, std::int64_t count, std::int64_t room, const Value& value) const
  {
    return detail::fill_run(output, count, room, value);
  }
};

/// The element of an input as far behind the place that the segment's value tells as the item is in its segment.
template <class Input>
struct element_behind : writes_runs
{
  Input input;

  MGPU_THRUST_HOST_DEVICE explicit element_behind(Input source)
      : input(source)
  {
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE auto operator()(std::int64_t, std::int64_t, std::int64_t rank, const Value& place) const ->
    typename std::iterator_traits<Input>::value_type
  {
    return detail::element(input, static_cast<std::int64_t>(place) + rank);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Output, class Value>
  MGPU_THRUST_HOST_DEVICE Output
  write_run(Output output, const segment_item& at, std::int64_t count, std::int64_t, const Value& place) const
  {
    return detail::copy_run(input + (static_cast<std::int64_t>(place) + at.rank), output, count);
  }
};

/// Copies each item's element to as far behind a place as the item is in its segment: `Places` has one for each. It
/// comes from behind a place too, or, if there are no `Sources`, from the item's own number.
template <class Sources, class Places, class Input, class Output>
struct segment_copy
{
  Sources sources;
  Places places;
  Input input;
  Output output;

  template <class Source>
  struct value_type
  {
    Source source;
    std::int64_t place;
  };

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto value(std::int64_t segment) const
  {
    const auto place = static_cast<std::int64_t>(detail::element(places, segment));
    if constexpr (has_values<Sources>)
    {
      return value_type<std::int64_t>{static_cast<std::int64_t>(detail::element(sources, segment)), place};
    }
    else
    {
      return value_type<nothing>{{}, place};
    }
  }
  template <class Visit>
  MGPU_THRUST_HOST_DEVICE void with_inputs(std::int64_t segment, std::int64_t size, std::int64_t item, int items, Visit visit) const
  {
    visit(places + segment, size);
    if constexpr (has_values<Sources>)
    {
      visit(sources + segment, size);
    }
    else
    {
      visit(input + item, items);
    }
  }
  MGPU_THRUST_HOST_DEVICE segment_copy with_values_from(std::int64_t segment) const
  {
    return {sources + segment, places + segment, input, output};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE auto load(const segment_item& at, const Value& value) ->
    typename std::iterator_traits<Input>::value_type
  {
    return detail::element(input, source(at, value));
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value, class Element>
  MGPU_THRUST_HOST_DEVICE void store(const segment_item& at, const Value& value, const Element& element)
  {
    *(output + (value.place + at.rank)) = element;
  }
  MGPU_THRUST_HOST_DEVICE segment_copy from(std::int64_t) const
  {
    return *this;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void run(const segment_item& at, std::int64_t count, std::int64_t)
  {
    const auto of_segment = value(at.segment);
    detail::copy_run(input + source(at, of_segment), output + (of_segment.place + at.rank), count);
  }

private:
  template <class Value>
  MGPU_THRUST_HOST_DEVICE static std::int64_t source(const segment_item& at, const Value& value)
  {
    if constexpr (has_values<Sources>)
    {
      return value.source + at.rank;
    }
    else
    {
      return at.item;
    }
  }
};

template <class Sources, class Places, class Input, class Output>
segment_copy(Sources, Places, Input, Output) -> segment_copy<Sources, Places, Input, Output>;

/// Does a job with the items between two points of the load-balancing path, one after another; its output must stand
/// where that of the first of them goes. Returns the job, whose output has moved on. There must be a segment.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Job, class Offsets>
MGPU_THRUST_HOST_DEVICE Job
run_segments(Job job, const segments<Offsets>& in, const load_balance_point& begin, const load_balance_point& end)
{
  std::int64_t item = begin.item_index;
  std::int64_t segment = begin.segment_index > 0 ? begin.segment_index - 1 : 0;
  std::int64_t head = in.offset(segment);
  for (std::int64_t next = begin.segment_index; next < end.segment_index; ++next)
  {
    const std::int64_t next_head = in.offset(next);
    const std::int64_t stop = detail::clamp_index(next_head, item, end.item_index);
    job.run({item, segment, item - head}, stop - item, end.item_index - item);
    item = stop;
    segment = next;
    head = next_head;
  }
  job.run({item, segment, item - head}, end.item_index - item, end.item_index - item);
  return job;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Items in segments, what is done with each, and the loop that does it over a piece of them. Nothing here knows about
/// scheduling.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
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
// so that several items can be loaded before the first is stored; and, for the items of a piece in order,
//   start_at(item)            once, unless the piece starts at item 0
//   append(at, value, loaded) in place of store

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

  MGPU_THRUST_HOST_DEVICE void start_at(std::int64_t)
  {
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE decltype(auto) value(std::int64_t segment) const
  {
    return detail::segment_value(values, segment);
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
  template <class Value>
  MGPU_THRUST_HOST_DEVICE void append(const segment_item& at, const Value& value, nothing)
  {
    store(at, value, nothing{});
  }
};

template <class Function, class Values>
segment_visit(Function, Values) -> segment_visit<Function, Values>;

/// Writes what a function returns for each item.
template <class Function, class Values, class Output>
struct segment_transform
{
  Function f;
  Values values;
  Output output;

  MGPU_THRUST_HOST_DEVICE void start_at(std::int64_t item)
  {
    output = output + item;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE decltype(auto) value(std::int64_t segment) const
  {
    return detail::segment_value(values, segment);
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
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value, class Result>
  MGPU_THRUST_HOST_DEVICE void append(const segment_item&, const Value&, const Result& result)
  {
    *output = result;
    ++output;
  }
};

template <class Function, class Values, class Output>
segment_transform(Function, Values, Output) -> segment_transform<Function, Values, Output>;

// Functions of transforms.

/// The segment's number as an integer.
template <class Index>
struct segment_number
{
  MGPU_THRUST_HOST_DEVICE Index operator()(std::int64_t, std::int64_t segment, std::int64_t) const
  {
    return static_cast<Index>(segment);
  }
};

/// The segment's value.
struct value_of_segment
{
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE Value operator()(std::int64_t, std::int64_t, std::int64_t, const Value& value) const
  {
    return value;
  }
};

/// The element of an input as far behind the place that the segment's value tells as the item is in its segment.
template <class Input>
struct element_behind
{
  Input input;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE auto operator()(std::int64_t, std::int64_t, std::int64_t rank, const Value& place) const ->
    typename std::iterator_traits<Input>::value_type
  {
    return detail::element(input, static_cast<std::int64_t>(place) + rank);
  }
};

template <class Input>
element_behind(Input) -> element_behind<Input>;

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

  MGPU_THRUST_HOST_DEVICE void start_at(std::int64_t)
  {
  }
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
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE auto load(const segment_item& at, const Value& value) ->
    typename std::iterator_traits<Input>::value_type
  {
    if constexpr (has_values<Sources>)
    {
      return detail::element(input, value.source + at.rank);
    }
    else
    {
      return detail::element(input, at.item);
    }
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value, class Element>
  MGPU_THRUST_HOST_DEVICE void store(const segment_item& at, const Value& value, const Element& element)
  {
    *(output + (value.place + at.rank)) = element;
  }
  template <class Value, class Element>
  MGPU_THRUST_HOST_DEVICE void append(const segment_item& at, const Value& value, const Element& element)
  {
    store(at, value, element);
  }
};

template <class Sources, class Places, class Input, class Output>
segment_copy(Sources, Places, Input, Output) -> segment_copy<Sources, Places, Input, Output>;

/// Does a job with the items between two points of the load-balancing path, one after another. Returns the job, whose
/// output has moved on.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Job, class Offsets>
MGPU_THRUST_HOST_DEVICE Job
run_segments(Job job, const segments<Offsets>& in, const load_balance_point& begin, const load_balance_point& end)
{
  if (begin.item_index > 0)
  {
    job.start_at(begin.item_index);
  }
  std::int64_t item = begin.item_index;
  std::int64_t segment = begin.segment_index > 0 ? begin.segment_index - 1 : 0;
  std::int64_t head = item < end.item_index ? in.offset(segment) : 0;
  for (std::int64_t next = begin.segment_index;; ++next)
  {
    const std::int64_t next_head = next < end.segment_index ? in.offset(next) : end.item_index;
    const std::int64_t stop = next_head < end.item_index ? next_head : end.item_index;
    if (item < stop)
    {
      const auto& value = job.value(segment);
      for (; item < stop; ++item)
      {
        const segment_item at{item, segment, item - head};
        job.append(at, value, job.load(at, value));
      }
    }
    if (next >= end.segment_index)
    {
      return job;
    }
    segment = next;
    head = next_head;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

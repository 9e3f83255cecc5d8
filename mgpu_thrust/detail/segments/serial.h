// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The actions that process items in segments, and the loop that executes one over a piece of them.
/// Nothing here knows about scheduling.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segments/runs.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// An item, its segment, and its rank: the number of items of that segment before it.
struct segment_item
{
  std::int64_t item;
  std::int64_t segment;
  std::int64_t rank;
};

// An action defines how each item is processed. It has, for items in any order, from any thread,
//   value(segment)             the data that it needs of a segment: read once for many of its items
//   load(at, value)            computes or reads the result for item `at`, a segment_item
//   store(at, value, loaded)   stores that result
//   with_values_from(segment)  the action whose value(0) is that of `segment`
//   visit_values(visit)        calls visit(first) with each iterator of which it reads one element per segment
// so that several items can be loaded before the first is stored; and
//   in_any_order               whether its output can be written with random access; otherwise it is written one item
//                              after another by `process`, and advances
//   process(at, count, room)   processes `count` items of one segment, the first of them `at`. It may also write the
//                              output of the items after them, `room` in all, as these are processed later
//   takes_empty_stretches      whether `process` may be called with a count of zero or less
//   prefetch(segment)          prefetches the first element that `process` reads for that segment, if it may be far
//                              from anything else

/// Returns the value of a segment from an iterator over the values of all segments; `nothing` if there are no values.
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

/// Returns f(item, segment, rank[, value]).
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

/// Prefetches the element of an input where a segment's items begin, sources[segment], if both are plain memory.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Sources, class Input>
MGPU_THRUST_HOST_DEVICE void
prefetch_source([[maybe_unused]] Sources sources, [[maybe_unused]] std::int64_t segment, [[maybe_unused]] Input input)
{
  if constexpr (std::is_pointer_v<Sources> && std::is_pointer_v<Input>)
  {
    detail::prefetch_run(input, static_cast<std::int64_t>(sources[segment]));
  }
}

/// Action that calls a function with each item.
template <class Function, class Values>
struct segment_visit
{
  static constexpr bool in_any_order = true;
  static constexpr bool takes_empty_stretches = false;
  Function f;
  Values values;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE decltype(auto) value(std::int64_t segment) const
  {
    return detail::segment_value(values, segment);
  }
  template <class Visit>
  MGPU_THRUST_HOST_DEVICE void visit_values([[maybe_unused]] Visit visit) const
  {
    if constexpr (has_values<Values>)
    {
      visit(values);
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
  MGPU_THRUST_HOST_DEVICE void prefetch(std::int64_t) const
  {
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void process(segment_item at, std::int64_t count, std::int64_t)
  {
    const auto& of_segment = value(at.segment);
    for (; count > 0; --count, ++at.item, ++at.rank)
    {
      detail::call_with_item(f, at, of_segment);
    }
  }
};

template <class Function, class Values>
segment_visit(Function, Values) -> segment_visit<Function, Values>;

// Bases of functions whose results need not be computed item by item: in a segment they are all the same, or
// consecutive elements of an input from `source(at, value)` on.
struct same_in_segment
{
};
struct consecutive_in_segment
{
};

/// Action that writes the result of a function for each item.
template <class Function, class Values, class Output>
struct segment_transform
{
  static constexpr bool in_any_order = is_random_access_v<Output>;
  static constexpr bool takes_empty_stretches = std::is_base_of_v<same_in_segment, Function>;
  Function f;
  Values values;
  Output output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE decltype(auto) value(std::int64_t segment) const
  {
    return detail::segment_value(values, segment);
  }
  template <class Visit>
  MGPU_THRUST_HOST_DEVICE void visit_values([[maybe_unused]] Visit visit) const
  {
    if constexpr (has_values<Values>)
    {
      visit(values);
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
  MGPU_THRUST_HOST_DEVICE void store(const segment_item& at, const Value&, Result&& result)
  {
    *(output + at.item) = static_cast<Result&&>(result);
  }
  MGPU_THRUST_HOST_DEVICE void prefetch([[maybe_unused]] std::int64_t segment) const
  {
    if constexpr (std::is_base_of_v<consecutive_in_segment, Function>)
    {
      detail::prefetch_source(values, segment, f.input);
    }
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void process(segment_item at, std::int64_t count, [[maybe_unused]] std::int64_t room)
  {
    Output next = output_of(at.item); // local copy, so that the compiler keeps it in a register
    if constexpr (std::is_base_of_v<same_in_segment, Function>)
    {
      const auto& result = detail::call_with_item(f, at, value(at.segment));
      detail::reassign(next, detail::fill_run(next, count, room, result));
    }
    else if constexpr (std::is_base_of_v<consecutive_in_segment, Function>)
    {
      detail::reassign(next, detail::copy_run(f.source(at, value(at.segment)), next, count));
    }
    else
    {
      const auto& of_segment = value(at.segment);
      for (; count > 0; --count, ++at.item, ++at.rank)
      {
        *next = detail::call_with_item(f, at, of_segment);
        ++next;
      }
    }
    if constexpr (!in_any_order)
    {
      detail::reassign(output, next);
    }
  }

private:
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE Output output_of(std::int64_t item) const
  {
    if constexpr (in_any_order)
    {
      return output + item;
    }
    else
    {
      return output;
    }
  }
};

template <class Function, class Values, class Output>
segment_transform(Function, Values, Output) -> segment_transform<Function, Values, Output>;

// Functions of transforms.

/// Function that returns the index of the segment, as an integer.
template <class Index>
struct segment_number : same_in_segment
{
  MGPU_THRUST_HOST_DEVICE Index operator()(std::int64_t, std::int64_t segment, std::int64_t) const
  {
    return static_cast<Index>(segment);
  }
};

/// Function that returns the segment's value.
struct value_of_segment : same_in_segment
{
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE Value operator()(std::int64_t, std::int64_t, std::int64_t, const Value& value) const
  {
    return value;
  }
};

/// Function that returns element value + rank of an input, with the segment's value and the rank of the item.
template <class Input>
struct element_at_rank : consecutive_in_segment
{
  Input input;

  MGPU_THRUST_HOST_DEVICE explicit element_at_rank(Input first)
      : input(first)
  {
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE auto operator()(std::int64_t, std::int64_t, std::int64_t rank, const Value& begin) const ->
    typename ::cuda::std::iterator_traits<Input>::value_type
  {
    return detail::element(input, static_cast<std::int64_t>(begin) + rank);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE Input source(const segment_item& at, const Value& begin) const
  {
    return input + (static_cast<std::int64_t>(begin) + at.rank);
  }
};

/// Action that copies an element for each item to output[destinations[segment] + rank]. The element is
/// input[sources[segment] + rank] or, without sources, input[item].
template <class Sources, class Destinations, class Input, class Output>
struct segment_copy
{
  static constexpr bool in_any_order = true;
  static constexpr bool takes_empty_stretches = false;
  Sources sources;
  Destinations destinations;
  Input input;
  Output output;

  template <class Source>
  struct value_type
  {
    Source source;
    std::int64_t destination;
  };

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto value(std::int64_t segment) const
  {
    const auto destination = static_cast<std::int64_t>(detail::element(destinations, segment));
    if constexpr (has_values<Sources>)
    {
      return value_type<std::int64_t>{static_cast<std::int64_t>(detail::element(sources, segment)), destination};
    }
    else
    {
      return value_type<nothing>{{}, destination};
    }
  }
  template <class Visit>
  MGPU_THRUST_HOST_DEVICE void visit_values(Visit visit) const
  {
    visit(destinations);
    if constexpr (has_values<Sources>)
    {
      visit(sources);
    }
  }
  MGPU_THRUST_HOST_DEVICE segment_copy with_values_from(std::int64_t segment) const
  {
    return {sources + segment, destinations + segment, input, output};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE auto load(const segment_item& at, const Value& value) ->
    typename ::cuda::std::iterator_traits<Input>::value_type
  {
    return detail::element(input, source(at, value));
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value, class Element>
  MGPU_THRUST_HOST_DEVICE void store(const segment_item& at, const Value& value, Element&& element)
  {
    *(output + (value.destination + at.rank)) = static_cast<Element&&>(element);
  }
  MGPU_THRUST_HOST_DEVICE void prefetch(std::int64_t segment) const
  {
    detail::prefetch_source(sources, segment, input);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void process(const segment_item& at, std::int64_t count, std::int64_t)
  {
    const auto of_segment = value(at.segment);
    detail::copy_run(input + source(at, of_segment), output + (of_segment.destination + at.rank), count);
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

template <class Sources, class Destinations, class Input, class Output>
segment_copy(Sources, Destinations, Input, Output) -> segment_copy<Sources, Destinations, Input, Output>;

/// Whether segments [segment, segment_end), the first of which starts at `head`, have one item each.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Offsets>
MGPU_THRUST_HOST_DEVICE bool
have_one_item(const segments<Offsets>& in, std::int64_t segment, std::int64_t segment_end, std::int64_t head)
{
  std::int64_t differences = 0; // accumulated over all, without a branch
  for (std::int64_t i = 0; i < segment_end - segment; ++i)
  {
    differences |= detail::index_difference(in.offset(segment + i), head + i);
  }
  return differences == 0;
}

/// Executes an action for the items between two points of the load-balancing path, one after another. Returns the
/// action, whose output has advanced if it is not written with random access. There must be at least one segment. Wrong
/// offsets omit or repeat items, but add none from outside.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Action, class Offsets>
MGPU_THRUST_HOST_DEVICE Action
process_segments(Action action, segments<Offsets> in, load_balance_point begin, load_balance_point end)
{
  constexpr std::int64_t group = 1024;
  constexpr std::int64_t ahead = 24; // prefetch distance, in segments
  if (end.item_index < begin.item_index)
  {
    return action; // offsets are wrong
  }
  std::int64_t segment = begin.segment_index > 0 ? begin.segment_index - 1 : 0;
  std::int64_t head = in.offset(segment);
  std::int64_t item = begin.item_index;
  while (segment < end.segment_index)
  {
    const std::int64_t group_end = end.segment_index - segment < group ? end.segment_index : segment + group;
    const std::int64_t tail = group_end < end.segment_index ? in.offset(group_end) : end.item_index;
    if constexpr (Action::in_any_order)
    {
      // A group of segments of one item each is a loop over items.
      if (
        detail::index_difference(tail, head) == group_end - segment && head >= begin.item_index
        && tail <= end.item_index && detail::have_one_item(in, segment, group_end, head))
      {
        for (std::int64_t i = 0; i < group_end - segment; ++i)
        {
          const segment_item at{head + i, segment + i, 0};
          const auto& value = action.value(at.segment);
          action.store(at, value, action.load(at, value));
        }
        segment = group_end;
        head = tail;
        item = tail;
        continue;
      }
    }
    for (; segment < group_end; ++segment)
    {
      if (segment + ahead < group_end)
      {
        action.prefetch(segment + ahead);
      }
      const std::int64_t next_head = segment + 1 < group_end ? in.offset(segment + 1) : tail;
      if constexpr (Action::takes_empty_stretches)
      {
        const std::int64_t stop = detail::clamp_index(next_head, begin.item_index, end.item_index);
        action.process({item, segment, detail::index_difference(item, head)}, stop - item, end.item_index - item);
        item = stop;
      }
      else if (item < next_head)
      {
        const std::int64_t stop = next_head < end.item_index ? next_head : end.item_index;
        action.process({item, segment, detail::index_difference(item, head)}, stop - item, end.item_index - item);
        item = stop;
      }
      head = next_head;
    }
  }
  return action;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations on pairs of lists whose results are lists: the parts of a pair's work, and the loops that count and
/// write what a part keeps. Nothing here knows about scheduling.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/pairs/count/serial.h>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/short_side.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Stands for the values of elements where their positions are written.
struct list_positions
{
  std::int64_t first = 0;

  friend MGPU_THRUST_HOST_DEVICE list_positions operator+(list_positions from, std::int64_t distance)
  {
    return {from.first + distance};
  }
};

/// Pairs of lists with a value for each element of the arrays that the lists are in, or `no_values`.
template <class Pairs, class AValues, class BValues>
struct valued_pairs : Pairs
{
  AValues a_values;
  BValues b_values;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE valued_pairs(const Pairs& pairs, const AValues& of_a, const BValues& of_b)
      : Pairs(pairs)
      , a_values(of_a)
      , b_values(of_b)
  {
  }

  /// The same pairs with another number.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE valued_pairs with_sizes(std::int64_t count, std::int64_t) const
  {
    return {Pairs::with_sizes(count, 0), a_values, b_values};
  }
  /// The inputs of the operation on a pair. The bounds of an empty list may be anything.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto inputs(const list_pair& lists) const
  {
    const std::int64_t a_begin = lists.a_count > 0 ? lists.a_begin : 0;
    const std::int64_t b_begin = lists.b_count > 0 ? lists.b_begin : 0;
    return set_inputs{this->a.elements + a_begin, a_values + a_begin, lists.a_count,
                      this->b.elements + b_begin, b_values + b_begin, lists.b_count};
  }
};

/// Which lists may have the needles of an operation, if they are much shorter than the others.
template <class Operation>
struct list_needles
{
  static constexpr bool may_be_a = Operation::matches && !Operation::keeps_unmatched_b;
  static constexpr bool may_be_b = may_be_a && !Operation::keeps_unmatched_a;
};

/// How the result of a pair is found, and its work: a walk along the path of both lists, or, where one is so much
/// shorter that its elements are searched for in the other, these needles.
template <class Operation>
struct list_work : pair_work
{
  MGPU_THRUST_HOST_DEVICE explicit list_work(const list_pair& of, std::int64_t ratio = cpu_short_side_ratio)
      : pair_work(of, list_needles<Operation>::may_be_a, list_needles<Operation>::may_be_b, ratio)
  {
  }
  /// The side of the needles.
  MGPU_THRUST_HOST_DEVICE short_side side() const
  {
    return is_merge ? short_side::none : lists.needles_are_a() ? short_side::a : short_side::b;
  }
  /// The number of steps of the walk, or of needles.
  MGPU_THRUST_HOST_DEVICE std::int64_t all_steps() const
  {
    return is_merge ? lists.a_count + lists.b_count : lists.needles();
  }
};

/// A part of the work of a pair: a piece of the path, which has all that the part keeps; or needles of the whole pair.
template <class Inputs>
struct list_part
{
  Inputs inputs;
  short_side side;
  std::int64_t begin; ///< of the needles
  std::int64_t end;
};

/// Returns where the path of a pair has a number of steps.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class Inputs, class Compare>
MGPU_THRUST_HOST_DEVICE set_position
cut_lists(Operation operation, const Inputs& inputs, std::int64_t steps, Compare& comp)
{
  if (steps == 0)
  {
    return {0, 0};
  }
  if (steps == inputs.a_count + inputs.b_count)
  {
    return {inputs.a_count, inputs.b_count};
  }
  const auto point = detail::operation_path(operation, inputs.a, inputs.a_count, inputs.b, inputs.b_count, steps, comp);
  return {point.a_index, point.b_index};
}

/// Returns the part from the first `begin` to the first `end` steps of a pair's work.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class Inputs, class Compare>
MGPU_THRUST_HOST_DEVICE list_part<Inputs> find_list_part(
  Operation operation, const Inputs& inputs, short_side side, std::int64_t begin, std::int64_t end, Compare& comp)
{
  if (side != short_side::none)
  {
    return {inputs, side, begin, end};
  }
  const set_position first = detail::cut_lists(operation, inputs, begin, comp);
  const set_position last = detail::cut_lists(operation, inputs, end, comp);
  // A starred cut adds an element.
  return {inputs.piece(first.i, first.j, last.i, last.j, end - begin + 1), side, begin, end};
}

/// Calls the loop for the side of a part's needles: walk(), match(std::true_type{}) if A has them, or
/// match(std::false_type{}).
template <class Operation, class Walk, class Match>
MGPU_THRUST_HOST_DEVICE void choose_list_loop(Operation, short_side side, Walk walk, Match match)
{
  if (side == short_side::none)
  {
    walk();
    return;
  }
  if constexpr (list_needles<Operation>::may_be_b)
  {
    if (side == short_side::b)
    {
      match(std::false_type{});
      return;
    }
  }
  if constexpr (list_needles<Operation>::may_be_a)
  {
    match(std::true_type{});
  }
}

/// Passes the needles of a part to a sink of matches (set_operation/short_side.h).
MGPU_THRUST_EXEC_CHECK_DISABLE
template <bool NeedlesAreA, class Operation, class Inputs, class Compare, class Sink>
MGPU_THRUST_HOST_DEVICE void
match_list_part(Operation operation, const list_part<Inputs>& part, Compare& comp, Sink& sink)
{
  const Inputs& in = part.inputs;
  if constexpr (NeedlesAreA)
  {
    detail::match_needles<true>(operation, in.a, part.begin, part.end, in.b, in.b_count, comp, sink);
  }
  else
  {
    detail::match_needles<false>(operation, in.b, part.begin, part.end, in.a, in.a_count, comp, sink);
  }
}

/// Returns the number of elements that a part keeps.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class Inputs, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t count_list_part(Operation operation, const list_part<Inputs>& part, Compare& comp)
{
  if constexpr (!Operation::matches)
  {
    return part.inputs.a_count + part.inputs.b_count;
  }
  else
  {
    std::int64_t size = 0;
    detail::choose_list_loop(
      operation, part.side,
      [&]
      {
        count_sink sink;
        detail::serial_set_operation(operation, part.inputs, comp, sink);
        size = sink.size;
      },
      [&](auto needles_are_a)
      {
        match_counter matches;
        detail::match_list_part<decltype(needles_are_a)::value>(operation, part, comp, matches);
        size = matches.size;
      });
    return size;
  }
}

/// Outputs of the positions of matches in the arrays that the lists are in.
template <class A, class B>
struct position_outputs
{
  using a_index = written_index_t<A>;
  using b_index = written_index_t<B>;

  A a;
  B b;
};

/// Outputs, `distance` elements later.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keys, class Values>
MGPU_THRUST_HOST_DEVICE set_outputs<Keys, Values>
outputs_at(const set_outputs<Keys, Values>& outputs, std::int64_t distance)
{
  return {outputs.keys + distance, outputs.values + distance};
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class A, class B>
MGPU_THRUST_HOST_DEVICE position_outputs<A, B> outputs_at(const position_outputs<A, B>& outputs, std::int64_t distance)
{
  return {outputs.a + distance, outputs.b + distance};
}

/// Sink of a set operation that writes the positions of matches. The values of its inputs are list_positions.
template <class Inputs, class Outputs>
struct position_sink
{
  Inputs inputs;
  Outputs outputs;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_match(const Key&, std::int64_t i, std::int64_t j)
  {
    *outputs.a = static_cast<typename Outputs::a_index>(inputs.a_values.first + i);
    *outputs.b = static_cast<typename Outputs::b_index>(inputs.b_values.first + j);
    ++outputs.a;
    ++outputs.b;
  }
};

/// The sink that writes to outputs.
template <class Inputs, class Outputs>
struct sink_to
{
  using type = write_sink<Inputs, Outputs>;
};
template <class Inputs, class A, class B>
struct sink_to<Inputs, position_outputs<A, B>>
{
  using type = position_sink<Inputs, position_outputs<A, B>>;
};

/// Sink that counts all elements and passes on those that there is room for.
template <class Sink>
struct bounded_sink
{
  Sink sink;
  std::int64_t size; ///< elements before the next
  std::int64_t room;

  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_a(const Key& key, std::int64_t i)
  {
    if (size < room)
    {
      sink.from_a(key, i);
    }
    ++size;
  }
  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_b(const Key& key, std::int64_t j)
  {
    if (size < room)
    {
      sink.from_b(key, j);
    }
    ++size;
  }
  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_match(const Key& key, std::int64_t i, std::int64_t j)
  {
    if (size < room)
    {
      sink.from_match(key, i, j);
    }
    ++size;
  }
  MGPU_THRUST_HOST_DEVICE void range_from_a(std::int64_t begin, std::int64_t end)
  {
    sink.range_from_a(begin, begin + taken(end - begin));
    size += end - begin;
  }
  MGPU_THRUST_HOST_DEVICE void range_from_b(std::int64_t begin, std::int64_t end)
  {
    sink.range_from_b(begin, begin + taken(end - begin));
    size += end - begin;
  }

private:
  MGPU_THRUST_HOST_DEVICE std::int64_t taken(std::int64_t count) const
  {
    return detail::clamp_index(room - size, 0, count);
  }
};

/// Writes what a part keeps to outputs, which are advanced: the elements from `size`, which is advanced, to `room`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class Inputs, class Compare, class Outputs>
MGPU_THRUST_HOST_DEVICE void write_list_part(
  Operation operation, const list_part<Inputs>& part, Compare& comp, Outputs& outputs, std::int64_t& size,
  std::int64_t room)
{
  using sink_type = bounded_sink<typename sink_to<Inputs, Outputs>::type>;
  sink_type sink{{part.inputs, outputs}, size, room};
  detail::choose_list_loop(
    operation, part.side, [&] { detail::serial_set_operation(operation, part.inputs, comp, sink); },
    [&](auto needles_are_a)
    {
      match_writer<decltype(Inputs::a), sink_type> writer{part.inputs.a, sink};
      detail::match_list_part<decltype(needles_are_a)::value>(operation, part, comp, writer);
      detail::reassign(sink, writer.sink);
    });
  detail::reassign(outputs, sink.sink.outputs);
  size = sink.size;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

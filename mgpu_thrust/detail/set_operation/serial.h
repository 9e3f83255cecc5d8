// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The outputs of the four multiset operations, and the textbook loop that executes one of them over a piece. Nothing
/// here knows about scheduling.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/target.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/combined_values.h>

#include <cuda/std/iterator>

#include <algorithm>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether the next element of A goes before the next of B, and has no match there.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class Compare, class A, class B>
MGPU_THRUST_HOST_DEVICE bool a_goes_first(Operation, Compare& comp, const A& a, const B& b)
{
  if constexpr (Operation::matches)
  {
    return comp(a, b);
  }
  else
  {
    return !comp(b, a);
  }
}

/// Whether the sizes of the inputs alone show that an operation keeps nothing.
template <class Operation, class Inputs>
constexpr bool keeps_nothing(Operation, const Inputs& inputs)
{
  return (inputs.a_count == 0 || (!Operation::keeps_unmatched_a && inputs.b_count == 0))
         && (inputs.b_count == 0 || (!Operation::keeps_unmatched_b && inputs.a_count == 0));
}

/// Maximum number of elements that an operation keeps of sorted inputs, which is the output size that its documentation
/// requires. Pieces of unsorted inputs may find more in total; those beyond this are neither written nor counted.
template <class Operation, class Inputs>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t max_kept(Operation, const Inputs& inputs)
{
  if (!Operation::keeps_unmatched_a && !Operation::keeps_unmatched_b)
  {
    return inputs.a_count < inputs.b_count ? inputs.a_count : inputs.b_count;
  }
  return (Operation::keeps_unmatched_a ? inputs.a_count : 0) + (Operation::keeps_unmatched_b ? inputs.b_count : 0);
}

/// Number of elements that an operation keeps, by the number of matches: base + per_match * matches. So to count, an
/// intersection is enough.
struct size_by_matches
{
  std::int64_t base;
  int per_match;

  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE const size_by_matches& of(const Inputs&) const
  {
    return *this;
  }
};

/// size_by_matches of inputs with deferred sizes.
struct deferred_size_by_matches
{
  int per_a;
  int per_b;
  int per_match;

  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE size_by_matches of(const Inputs& sized_inputs) const
  {
    return {per_a * sized_inputs.a_count + per_b * sized_inputs.b_count, per_match};
  }
};

template <class Operation, class Inputs>
MGPU_THRUST_HOST_DEVICE constexpr auto size_of(Operation, const Inputs& inputs)
{
  constexpr int per_a = Operation::keeps_unmatched_a;
  constexpr int per_b = Operation::keeps_unmatched_b;
  constexpr int per_match = int{Operation::keeps_matched} - per_a - per_b;
  if constexpr (is_deferred_v<Inputs>)
  {
    return deferred_size_by_matches{per_a, per_b, per_match};
  }
  else
  {
    return size_by_matches{per_a * inputs.a_count + per_b * inputs.b_count, per_match};
  }
}

/// Outputs of a set operation: keys, and values, combined_values or `no_values`.
template <class Keys, class Values>
struct set_outputs
{
  Keys keys;
  Values values;
};

template <class Keys, class Values>
set_outputs(Keys, Values) -> set_outputs<Keys, Values>;

/// Stands for the outputs of a set operation whose result is only counted.
struct no_outputs
{
  no_values values;
};

/// A sink receives the elements that an operation keeps, by index and in order:
///   from_a(i), from_b(j)                        element i of A (j of B) is the next of the result
///   from_match(i, j)                            the same of element i of A, which matches element j of B
///   range_from_a(i, end), range_from_b(j, end)  all elements from i (j) up to end are the next
///   range_from_matches(i, end, j)               the same of elements of A from i on, which match those of B from j on
/// This sink counts them.
struct count_sink
{
  std::int64_t size = 0;

  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_a(const Key&, std::int64_t)
  {
    ++size;
  }
  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_b(const Key&, std::int64_t)
  {
    ++size;
  }
  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_match(const Key&, std::int64_t, std::int64_t)
  {
    ++size;
  }
  MGPU_THRUST_HOST_DEVICE void range_from_a(std::int64_t begin, std::int64_t end)
  {
    size += end - begin;
  }
  MGPU_THRUST_HOST_DEVICE void range_from_b(std::int64_t begin, std::int64_t end)
  {
    size += end - begin;
  }
  MGPU_THRUST_HOST_DEVICE void range_from_matches(std::int64_t begin, std::int64_t end, std::int64_t)
  {
    size += end - begin;
  }
};

/// Sink that writes the elements, with their values, to output iterators, which it advances past the last one.
template <class Inputs, class Outputs>
struct write_sink
{
  Inputs inputs;
  Outputs outputs;

  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_a(const Key& key, std::int64_t i)
  {
    write(key, inputs.a_values, i);
  }
  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_b(const Key& key, std::int64_t j)
  {
    write(key, inputs.b_values, j);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Key>
  MGPU_THRUST_HOST_DEVICE void from_match(const Key& key, std::int64_t i, [[maybe_unused]] std::int64_t j)
  {
    if constexpr (combines_values<decltype(Outputs::values)>)
    {
      *outputs.keys = key;
      ++outputs.keys;
      write_match(i, j);
    }
    else
    {
      write(key, inputs.a_values, i);
    }
  }
  MGPU_THRUST_HOST_DEVICE void range_from_a(std::int64_t begin, std::int64_t end)
  {
    write_range(inputs.a, inputs.a_values, begin, end);
  }
  MGPU_THRUST_HOST_DEVICE void range_from_b(std::int64_t begin, std::int64_t end)
  {
    write_range(inputs.b, inputs.b_values, begin, end);
  }
  MGPU_THRUST_HOST_DEVICE void
  range_from_matches(std::int64_t begin, std::int64_t end, [[maybe_unused]] std::int64_t b_begin)
  {
    if constexpr (combines_values<decltype(Outputs::values)>)
    {
      copy_to(outputs.keys, inputs.a + begin, inputs.a + end);
      for (std::int64_t i = begin; i < end; ++i)
      {
        write_match(i, b_begin + (i - begin));
      }
    }
    else
    {
      write_range(inputs.a, inputs.a_values, begin, end);
    }
  }

private:
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Key, class Values>
  MGPU_THRUST_HOST_DEVICE void write(const Key& key, Values values, std::int64_t index)
  {
    *outputs.keys = key;
    ++outputs.keys;
    if constexpr (has_values<decltype(outputs.values)>)
    {
      auto& output = detail::values_output(outputs.values);
      *output = detail::element(values, index);
      ++output;
    }
  }
  /// Writes the combined value of element i of A and element j of B.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void write_match(std::int64_t i, std::int64_t j)
  {
    auto& output = detail::values_output(outputs.values);
    outputs.values.write(output, detail::element(inputs.a_values, i), detail::element(inputs.b_values, j));
    ++output;
  }
  template <class Keys, class Values>
  MGPU_THRUST_HOST_DEVICE void write_range(Keys keys, Values values, std::int64_t begin, std::int64_t end)
  {
    copy_to(outputs.keys, keys + begin, keys + end);
    if constexpr (has_values<decltype(outputs.values)>)
    {
      copy_to(detail::values_output(outputs.values), values + begin, values + end);
    }
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Output, class Input>
  MGPU_THRUST_HOST_DEVICE static void copy_to(Output& output, Input first, Input last)
  {
    // std::copy asks std::iterator_traits, which CCCL's iterators lack in C++17. It would also move the elements of a
    // move iterator, to which other workers still compare theirs.
    if constexpr (std::is_pointer_v<Input>)
    {
      MGPU_THRUST_IF_HOST_ELSE(
        (detail::reassign(output, std::copy(first, last, output));), (copy_each(output, first, last);))
    }
    else
    {
      copy_each(output, first, last);
    }
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Output, class Input>
  MGPU_THRUST_HOST_DEVICE static void copy_each(Output& output, Input first, Input last)
  {
    for (; first != last; (void) ++first, (void) ++output)
    {
      *output = detail::element(first, 0);
    }
  }
};

/// Executes a set operation step by step from `at` until either input has reached its position in `end`, with at most
/// two comparisons per element: a step keeps at most one element and consumes the smaller of the next two, or both.
/// Returns the position where it stopped.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class Inputs, class Compare, class Sink>
MGPU_THRUST_HOST_DEVICE set_position set_operation_steps(
  Operation operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Sink& sink)
{
  if (at.i >= end.i || at.j >= end.j)
  {
    return at;
  }
  Sink local = sink; // local copy, so that the compiler keeps it in registers
  for (;;)
  {
    auto&& a = detail::element(inputs.a, at.i);
    auto&& b = detail::element(inputs.b, at.j);
    if (detail::a_goes_first(operation, comp, a, b))
    {
      if constexpr (Operation::keeps_unmatched_a)
      {
        local.from_a(a, at.i);
      }
      if (++at.i == end.i)
      {
        break;
      }
    }
    else if (!Operation::matches || comp(b, a))
    {
      if constexpr (Operation::keeps_unmatched_b)
      {
        local.from_b(b, at.j);
      }
      if (++at.j == end.j)
      {
        break;
      }
    }
    else
    {
      if constexpr (Operation::keeps_matched)
      {
        local.from_match(a, at.i, at.j);
      }
      ++at.i;
      ++at.j;
      if (at.i == end.i || at.j == end.j)
      {
        break;
      }
    }
  }
  detail::reassign(sink, local);
  return at;
}

/// Keeps the rest of one input when the other is exhausted: it has no match.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class Inputs, class Sink>
MGPU_THRUST_HOST_DEVICE void set_operation_rest(Operation, const Inputs& inputs, set_position at, Sink& sink)
{
  if constexpr (Operation::keeps_unmatched_a)
  {
    sink.range_from_a(at.i, inputs.a_count);
  }
  if constexpr (Operation::keeps_unmatched_b)
  {
    sink.range_from_b(at.j, inputs.b_count);
  }
}

/// Executes a whole set operation, as the C++ standard describes it.
template <class Operation, class Inputs, class Compare, class Sink>
MGPU_THRUST_HOST_DEVICE void serial_set_operation(Operation operation, const Inputs& inputs, Compare& comp, Sink& sink)
{
  const set_position end{inputs.a_count, inputs.b_count};
  const set_position at = detail::set_operation_steps(operation, inputs, {0, 0}, end, comp, sink);
  detail::set_operation_rest(operation, inputs, at, sink);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

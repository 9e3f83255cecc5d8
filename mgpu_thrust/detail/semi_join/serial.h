// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Semi and anti joins as data: the rows that they keep, and the outputs of the indices of these. A row is searched for
/// like a needle of a sorted search. Nothing here knows about scheduling.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/interleaved_search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/set_operation/step_pattern.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Filter that keeps the rows of the left input that have an equal row in the right one, or those that have none.
template <bool KeepsMatched>
struct row_filter
{
  static constexpr bool keeps_matched = KeepsMatched;
};

using semi_join_t = row_filter<true>;
using anti_join_t = row_filter<false>;

/// Whether the sizes of the inputs alone show that no row is kept.
template <class Filter, class Inputs>
constexpr bool keeps_no_row(Filter, const Inputs& inputs)
{
  return inputs.a_count == 0 || (Filter::keeps_matched && inputs.b_count == 0);
}

/// Output of the indices of rows, as integers of type Index.
template <class Iterator, class Index>
struct row_output
{
  using iterator = Iterator;
  using index = Index;
  static constexpr std::int64_t largest = largest_index<Index>;
  Iterator result;
};

/// Makes an output of row indices from an iterator.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto output_of_rows(Iterator result)
{
  const auto unwrapped = detail::unwrap(result);
  return row_output<std::decay_t<decltype(unwrapped)>, written_index_t<Iterator>>{unwrapped};
}

/// Stands for the output of a join whose rows are only counted.
struct no_row_output
{
  static constexpr std::int64_t largest = (std::numeric_limits<std::int64_t>::max)();
};

// A sink of rows is an output of a sorted search (see thread/sorted_search.h), which receives for each row, in order,
// whether it has a match.

/// Writes the indices of the rows that are kept.
template <class Filter, class Output>
struct row_sink
{
  static constexpr bool needs_match = true;
  static constexpr bool needs_equal_end = false;
  Output output;
  std::int64_t row;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    if (found.match == Filter::keeps_matched)
    {
      *output.result = static_cast<typename Output::index>(row);
      ++output.result;
    }
    ++row;
  }
};

/// Counts the rows that are kept.
template <class Filter>
struct row_counter
{
  static constexpr bool needs_match = true;
  static constexpr bool needs_equal_end = false;
  std::int64_t size = 0;

  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    size += found.match == Filter::keeps_matched;
  }
};

/// Buffers the indices of kept rows, relative to the first row, until their output position is known. There is no
/// branch on the data: the next index overwrites one that is not kept.
template <class Filter>
struct row_buffer
{
  using number = std::uint16_t;
  static constexpr std::int64_t bytes_per_element = sizeof(number);
  static constexpr bool needs_match = true;
  static constexpr bool needs_equal_end = false;

  /// Creates a buffer for the rows from `first` on, in storage for the indices of all of them.
  row_buffer(std::int64_t first, void* storage, std::int64_t)
      : first_row(first)
      , numbers(static_cast<number*>(storage))
  {
  }

  std::int64_t first_row;
  number* numbers;
  std::int64_t row = 0;
  std::int64_t size = 0;

  void append(const search_result& found)
  {
    numbers[size] = static_cast<number>(row);
    size += found.match == Filter::keeps_matched;
    ++row;
  }

  /// Writes the buffered indices, and advances `output` past them.
  template <class Output>
  void flush(Output& output) const
  {
    const auto to_row = [first = first_row](number n) { return static_cast<typename Output::index>(first + n); };
    detail::reassign(output.result, std::transform(numbers, numbers + size, output.result, to_row));
  }
};

/// Ignores the outcomes of the steps.
struct ignore_step
{
  MGPU_THRUST_HOST_DEVICE void operator()(bool, bool) const
  {
  }
};

/// Consumes the rows [begin, end) of the left input, A, step by step, and appends the result of each to `sink`. The
/// right input, B, whose elements before `at` are ordered before all these rows, is consumed from `at` on: step by step
/// too, but in growing strides if many lie between two rows. Returns the bound of the last row. record(a_less, b_less)
/// is called for each step.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Inputs, class Compare, class Sink, class Record>
MGPU_THRUST_HOST_DEVICE std::int64_t step_through_rows(
  const Inputs& inputs, std::int64_t begin, std::int64_t end, std::int64_t at, Compare& comp, Sink& sink, Record record)
{
  constexpr std::int64_t many = 16;
  const lies_before<search_bound::lower, Compare> before{comp};
  Sink local = sink; // local copy, so that the compiler keeps it in registers
  for (std::int64_t row = begin; row < end; ++row)
  {
    auto&& key = detail::element(inputs.a, row);
    const std::int64_t nearby = at + many < inputs.b_count ? at + many : inputs.b_count;
    while (at < nearby && before(detail::element(inputs.b, at), key))
    {
      ++at;
      record(false, true);
    }
    if (at == nearby && at < inputs.b_count)
    {
      at = detail::bound_after(inputs.b, at, inputs.b_count, key, before);
    }
    const bool match = at < inputs.b_count && !comp(key, detail::element(inputs.b, at));
    record(!match, false);
    local.append(search_result{at, match, 0});
  }
  detail::reassign(sink, local);
  return at;
}

/// Number of rows that search_rows samples to choose a strategy, and number of rows that it then searches for with it.
inline constexpr std::int64_t rows_looked_at = 64;
inline constexpr std::int64_t rows_between_looks = std::int64_t{1} << 12;

/// Minimum number of rows per element of B between them for which it is faster to consume them together.
inline constexpr std::int64_t rows_for_one = 16;

/// step_through_rows for a CPU core. It goes step by step where a branch predictor is right; it uses the sorted search
/// where it would be wrong, where many rows have few elements of B between them, and where few have many.
template <class Inputs, class Compare, class Sink>
std::int64_t
search_rows(const Inputs& inputs, std::int64_t begin, std::int64_t end, std::int64_t at, Compare& comp, Sink& sink)
{
  // Whether the next rows, up to `next`, have more elements of B between them.
  const auto have_between = [&](std::int64_t next, std::int64_t elements)
  {
    return elements < inputs.b_count - at
           && comp(detail::element(inputs.b, at + elements), detail::element(inputs.a, next - 1));
  };
  const auto search = [&](std::int64_t next)
  {
    no_haystack_side nothing_wanted;
    serial_search<search_bound::lower, false, decltype(inputs.a), decltype(inputs.b), Compare, Sink, no_haystack_side>
      rows{inputs.a, begin, next, inputs.b, at, inputs.b_count, comp, sink, nothing_wanted};
    rows.run();
    at = rows.at;
    begin = next;
  };
  while (begin < end)
  {
    const std::int64_t block_end = (std::min)(begin + rows_between_looks, end);
    if (have_between(block_end, (block_end - begin) * detail::min_for_needle<b_key_t<Inputs>>(inputs.b_count)))
    {
      search(block_end);
      continue;
    }
    step_record steps;
    const auto record = [&steps](bool a_less, bool b_less) { steps.add(a_less, b_less); };
    const std::int64_t looked = (std::min)(begin + rows_looked_at, end);
    at = detail::step_through_rows(inputs, begin, looked, at, comp, sink, record);
    begin = looked;
    const std::int64_t next = (std::min)(begin + rows_between_looks, end);
    if (begin < next && (steps.pattern() == step_pattern::random || !have_between(next, (next - begin) / rows_for_one)))
    {
      search(next);
    }
    else
    {
      at = detail::step_through_rows(inputs, begin, next, at, comp, sink, ignore_step{});
      begin = next;
    }
  }
  return at;
}

/// Returns the short side of inputs of these sizes if rows are only counted: there few right elements tell the number.
/// A few left rows need no choice, as each is searched for in any case.
template <bool Writes, class Inputs>
MGPU_THRUST_HOST_DEVICE constexpr short_side short_side_of_semi_join(const Inputs& inputs)
{
  return detail::choose_short_side(false, !Writes, inputs.a_count, inputs.b_count);
}

/// Returns the number of left rows that equal any of the right elements [begin, end) and none before these; if the
/// inputs are not sorted, any number that is not negative.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Inputs, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t
count_matched_rows(const Inputs& inputs, std::int64_t begin, std::int64_t end, Compare& comp)
{
  // Equal right elements match the same rows, which are counted once. Those of an element before `begin` are counted.
  bool is_counted = begin > 0 && !comp(detail::element(inputs.b, begin - 1), detail::element(inputs.b, begin));
  std::int64_t last_bound = -1;
  std::int64_t rows = 0;
  const auto count = [&](const search_result& found)
  {
    const bool is_same = is_counted && (found.bound == last_bound || last_bound < 0);
    rows += is_same ? 0 : found.equal_end - found.bound;
    is_counted = found.match;
    last_bound = found.bound;
  };
  detail::search_few_ranges(inputs.b, begin, end, inputs.a, inputs.a_count, comp, count);
  return rows;
}

/// Returns the number of rows that a filter keeps, given that of left rows with a match.
template <class Filter>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t rows_kept(Filter, std::int64_t rows, std::int64_t matched)
{
  matched = matched < rows ? matched : rows; // there may be more if the inputs are not sorted
  return Filter::keeps_matched ? matched : rows - matched;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

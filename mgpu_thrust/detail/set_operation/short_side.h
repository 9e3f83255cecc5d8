// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations where one input is much shorter than the other: its elements are searched for there. The k-th copy of
/// a key matches the k-th element from its lower bound on, if that is equal.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/interleaved_search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/set_operation/combined_values.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the short side of an operation. The result must not need the long side: elements of it that have no match
/// are counted, but not written. An intersection of 2^20 int32 with one in 32 takes 0.46 ms instead of 0.75, with one
/// in 16 it would take 1.0 instead of 1.1 (Xeon, one core), and more where the keys are close together. It reads a long
/// side faster than a join does, so the ratio is larger if no cache holds that.
template <bool Writes, class Operation, class Inputs>
MGPU_THRUST_HOST_DEVICE constexpr short_side short_side_of(Operation, const Inputs& inputs)
{
  constexpr bool may_be_a = !Writes || !Operation::keeps_unmatched_b;
  constexpr bool may_be_b = !Writes || (!Operation::keeps_unmatched_b && !Operation::keeps_unmatched_a);
  return detail::choose_short_side(
    Operation::matches && may_be_a, Operation::matches && may_be_b, inputs.a_count, inputs.b_count,
    detail::min_for_needle<b_key_t<Inputs>>(inputs.b_count, cpu_short_side_ratio),
    detail::min_for_needle<a_key_t<Inputs>>(inputs.a_count, cpu_short_side_ratio));
}

// A sink of matches receives, for each element of the short side in order, keep_if(is_kept, i, j): whether an element
// of the result follows, which is element i of A, and, if it is a match, matches element j of B.

/// Counts the elements that are kept.
struct match_counter
{
  std::int64_t size = 0;

  MGPU_THRUST_HOST_DEVICE void keep_if(bool is_kept, std::int64_t, std::int64_t)
  {
    size += is_kept;
  }
};

/// Passes the elements that are kept to a sink of a set operation. Only a sink that combines values tells matches from
/// other elements of A, and only operations whose elements all match combine values.
template <class Keys, class Sink>
struct match_writer
{
  Keys a;
  Sink sink;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void keep_if(bool is_kept, std::int64_t i, std::int64_t j)
  {
    if (is_kept)
    {
      sink.from_match(detail::element(a, i), i, j);
    }
  }
};

/// Buffers the elements that are kept, by their indices in A and, if HoldsBoth, by those of their matches in B. It is
/// made of the first needle's index, and of storage for `capacity` elements, as many as there are needles. The next
/// index overwrites one that is not kept, without a branch.
template <bool HoldsBoth>
struct match_buffer : buffered_matches<HoldsBoth, std::int64_t>
{
  static constexpr std::int64_t numbers_per_element = HoldsBoth ? 2 : 1;
  static constexpr std::int64_t bytes_per_element = numbers_per_element * std::int64_t{sizeof(std::int64_t)};

  match_buffer(std::int64_t first, void* storage, std::int64_t capacity)
      : buffered_matches<HoldsBoth, std::int64_t>(static_cast<std::int64_t*>(storage) + capacity)
      , first_needle(first)
      , indices(static_cast<std::int64_t*>(storage))
  {
  }

  std::int64_t first_needle;
  std::int64_t* indices;
  std::int64_t size = 0;

  MGPU_THRUST_HOST_DEVICE void keep_if(bool is_kept, std::int64_t i, [[maybe_unused]] std::int64_t j)
  {
    indices[size] = i;
    if constexpr (HoldsBoth)
    {
      this->matches[size] = j;
    }
    size += is_kept;
  }
  /// Passes the elements to a sink of a set operation.
  template <class Keys, class Sink>
  void flush(Keys a, Sink& sink) const
  {
    for (std::int64_t k = 0; k < size; ++k)
    {
      const std::int64_t i = indices[k];
      if constexpr (HoldsBoth)
      {
        sink.from_match(detail::element(a, i), i, this->matches[k]);
      }
      else
      {
        sink.from_a(detail::element(a, i), i);
      }
    }
  }
};

/// Tells a sink of matches what an operation keeps, given the lower bounds of needles in order.
template <bool NeedlesAreA, class Operation, class Needles, class Haystack, class Compare, class Sink>
struct match_by_rank
{
  Needles needles;
  Haystack haystack;
  std::int64_t size;
  Compare& comp;
  Sink& sink;
  std::int64_t rank; ///< of the needle before

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t needle, std::int64_t bound)
  {
    // Whether there is a match is hard to predict, so nothing branches on it.
    auto&& key = detail::element(needles, needle);
    const bool is_copy = needle > 0 && !comp(detail::element(needles, needle - 1), key);
    rank = (rank + 1) & -std::int64_t{is_copy};
    const std::int64_t index = bound + rank;
    const bool is_match = index < size && !comp(key, detail::element(haystack, index));
    if constexpr (NeedlesAreA)
    {
      sink.keep_if(is_match ? Operation::keeps_matched : Operation::keeps_unmatched_a, needle, index);
    }
    else
    {
      sink.keep_if(is_match, index, needle);
    }
  }
};

/// Executes a set operation for the needles [begin, end) of the short side.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <bool NeedlesAreA, class Operation, class Needles, class Haystack, class Compare, class Sink>
MGPU_THRUST_HOST_DEVICE void match_needles(
  Operation, Needles needles, std::int64_t begin, std::int64_t end, Haystack haystack, std::int64_t size, Compare& comp,
  Sink& sink)
{
  if (begin >= end)
  {
    return;
  }
  Sink local = sink; // local copy, so that the compiler keeps it in registers
  const std::int64_t copies = detail::copies_before(needles, begin, detail::element(needles, begin), comp);
  detail::search_few(
    needles, begin, end, haystack, size, comp,
    match_by_rank<NeedlesAreA, Operation, Needles, Haystack, Compare, Sink>{
      needles, haystack, size, comp, local, copies - 1});
  detail::reassign(sink, local);
}

/// Executes a set operation for the elements [begin, end) of its short side, of inputs that have one.
template <bool Writes, class Operation, class Inputs, class Compare, class Sink>
MGPU_THRUST_HOST_DEVICE void match_short_side(
  Operation operation, const Inputs& inputs, std::int64_t begin, std::int64_t end, Compare& comp, Sink& sink)
{
  if (detail::short_side_of<Writes>(operation, inputs) == short_side::a)
  {
    detail::match_needles<true>(operation, inputs.a, begin, end, inputs.b, inputs.b_count, comp, sink);
  }
  else if constexpr (!Operation::keeps_unmatched_a && !Operation::keeps_unmatched_b)
  {
    detail::match_needles<false>(operation, inputs.b, begin, end, inputs.a, inputs.a_count, comp, sink);
  }
}

/// Returns the number of elements that an operation keeps, given the number of matches.
template <class Operation, class Inputs>
MGPU_THRUST_HOST_DEVICE std::int64_t size_of_matches(Operation operation, const Inputs& inputs, std::int64_t matches)
{
  const size_by_matches size = detail::size_of(operation, inputs);
  return size.base + size.per_match * matches;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

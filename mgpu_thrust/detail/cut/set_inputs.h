// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Two sorted inputs, the four multiset operations and the merge as data, and the path that cuts the inputs for each.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>

#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A multiset operation is defined by which of three kinds of elements it keeps: those of A without a match, matches
/// (their element of A), and those of B without a match. Their results are counted. In a merge nothing matches and
/// everything is kept, equal elements of A before those of B. So its size is known, and its path is the merge path.
template <bool KeepsUnmatchedA, bool KeepsMatched, bool KeepsUnmatchedB, bool Matches = true>
struct set_operation
{
  static constexpr bool matches = Matches;
  static constexpr bool keeps_unmatched_a = KeepsUnmatchedA;
  static constexpr bool keeps_matched = KeepsMatched;
  static constexpr bool keeps_unmatched_b = KeepsUnmatchedB;
};

using set_intersection_t = set_operation<false, true, false>;
using set_union_t = set_operation<true, true, true>;
using set_difference_t = set_operation<true, false, false>;
using set_symmetric_difference_t = set_operation<true, false, true>;
using merge_t = set_operation<true, false, true, false>;

/// Returns the point of an operation's path that belongs to the point (i, j) of the merge path: the point of the
/// balanced path, or, where nothing matches, (i, j) itself.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class IteratorA, class IteratorB, class Index, class Compare>
MGPU_THRUST_HOST_DEVICE balanced_path_point<Index> operation_path_from(
  Operation, IteratorA a, Index i, IteratorB b, [[maybe_unused]] Index b_count, Index j, [[maybe_unused]] Compare comp)
{
  if constexpr (Operation::matches)
  {
    return detail::balance(a, i, b, b_count, j, comp);
  }
  else
  {
    return {i, j, false};
  }
}

/// Returns the point of an operation's path on a diagonal.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Operation, class IteratorA, class IteratorB, class Index, class Compare>
MGPU_THRUST_HOST_DEVICE balanced_path_point<Index> operation_path(
  Operation operation, IteratorA a, Index a_count, IteratorB b, Index b_count, Index diagonal, Compare comp)
{
  const Index i = mgpu::merge_path(a, a_count, b, b_count, diagonal, comp);
  return detail::operation_path_from(operation, a, i, b, b_count, diagonal - i, comp);
}

/// The two sorted inputs of a set operation: a_count keys of A and b_count of B, with their values or `no_values`.
template <class KeysA, class ValuesA, class KeysB, class ValuesB>
struct set_inputs
{
  KeysA a;
  ValuesA a_values;
  std::int64_t a_count;
  KeysB b;
  ValuesB b_values;
  std::int64_t b_count;

  /// The same inputs with other sizes.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE set_inputs with_sizes(std::int64_t new_a_count, std::int64_t new_b_count) const
  {
    return {a, a_values, new_a_count, b, b_values, new_b_count};
  }

  /// Returns the part from (a_begin, b_begin) up to (a_end, b_end), of at most `max_size` elements. Cuts of ranges that
  /// are not sorted may be anywhere, so the part is clamped to what its storage has room for.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE set_inputs
  piece(std::int64_t a_begin, std::int64_t b_begin, std::int64_t a_end, std::int64_t b_end, std::int64_t max_size) const
  {
    const auto clamp = [](std::int64_t n, std::int64_t largest) { return n < 0 ? 0 : n < largest ? n : largest; };
    const std::int64_t a_size = clamp(a_end - a_begin, max_size);
    const std::int64_t b_size = clamp(b_end - b_begin, max_size - a_size);
    return {a + a_begin, a_values + a_begin, a_size, b + b_begin, b_values + b_begin, b_size};
  }
};

template <class KeysA, class ValuesA, class KeysB, class ValuesB>
set_inputs(KeysA, ValuesA, std::int64_t, KeysB, ValuesB, std::int64_t) -> set_inputs<KeysA, ValuesA, KeysB, ValuesB>;

/// Makes the inputs from iterators, which it unwraps, and sizes, which may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeysA, class ValuesA, class SizeA, class KeysB, class ValuesB, class SizeB>
MGPU_THRUST_HOST_DEVICE auto
make_set_inputs(KeysA a, ValuesA a_values, const SizeA& a_size, KeysB b, ValuesB b_values, const SizeB& b_size)
{
  return detail::make_inputs(
    set_inputs{
      detail::unwrap(a), detail::unwrap(a_values), std::int64_t{0}, detail::unwrap(b), detail::unwrap(b_values),
      std::int64_t{0}},
    detail::as_size(a_size), detail::as_size(b_size));
}

/// Makes the inputs from iterators to keys, which it unwraps; there are no values.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeysA, class SizeA, class KeysB, class SizeB>
MGPU_THRUST_HOST_DEVICE auto make_set_inputs(KeysA a, const SizeA& a_size, KeysB b, const SizeB& b_size)
{
  return detail::make_set_inputs(a, no_values{}, a_size, b, no_values{}, b_size);
}

/// Makes the inputs from the ranges of a call, with values or `no_values`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeysA, class ValuesA, class KeysB, class ValuesB>
MGPU_THRUST_HOST_DEVICE auto
inputs_of_ranges(KeysA a_first, KeysA a_last, ValuesA a_values, KeysB b_first, KeysB b_last, ValuesB b_values)
{
  return detail::make_set_inputs(
    a_first, a_values, detail::length_of(a_first, a_last), b_first, b_values, detail::length_of(b_first, b_last));
}

/// Makes the inputs from the ranges of a call on keys alone.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeysA, class KeysB>
MGPU_THRUST_HOST_DEVICE auto inputs_of_ranges(KeysA a_first, KeysA a_last, KeysB b_first, KeysB b_last)
{
  return detail::inputs_of_ranges(a_first, a_last, no_values{}, b_first, b_last, no_values{});
}

/// Makes deferred inputs of any inputs, for a call that stores its count on the device even if the host knows the
/// sizes.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class KeysA, class ValuesA, class KeysB, class ValuesB>
MGPU_THRUST_HOST_DEVICE auto as_deferred(const set_inputs<KeysA, ValuesA, KeysB, ValuesB>& inputs)
{
  using sizes_known = deferred_inputs<set_inputs<KeysA, ValuesA, KeysB, ValuesB>, std::int64_t, std::int64_t>;
  return sizes_known(inputs, inputs.a_count, inputs.b_count);
}
template <class Inputs, class SizeA, class SizeB>
MGPU_THRUST_HOST_DEVICE const deferred_inputs<Inputs, SizeA, SizeB>&
as_deferred(const deferred_inputs<Inputs, SizeA, SizeB>& inputs)
{
  return inputs;
}

/// Returns the size of A, or of B, as the call has received it.
template <class Inputs>
MGPU_THRUST_HOST_DEVICE std::int64_t size_of_a(const Inputs& inputs)
{
  return inputs.a_count;
}
template <class Inputs>
MGPU_THRUST_HOST_DEVICE std::int64_t size_of_b(const Inputs& inputs)
{
  return inputs.b_count;
}
template <class Inputs, class SizeA, class SizeB>
const SizeA& size_of_a(const deferred_inputs<Inputs, SizeA, SizeB>& inputs)
{
  return inputs.first_size;
}
template <class Inputs, class SizeA, class SizeB>
const SizeB& size_of_b(const deferred_inputs<Inputs, SizeA, SizeB>& inputs)
{
  return inputs.second_size;
}

/// A position in both inputs: i elements of A and j of B lie before it.
struct set_position
{
  std::int64_t i;
  std::int64_t j;
};

/// The key types of the two inputs, and the larger of their sizes in bytes.
template <class Inputs>
using a_key_t = typename ::cuda::std::iterator_traits<decltype(Inputs::a)>::value_type;
template <class Inputs>
using b_key_t = typename ::cuda::std::iterator_traits<decltype(Inputs::b)>::value_type;
template <class Inputs>
inline constexpr int largest_key_bytes = sizeof(a_key_t<Inputs>) > sizeof(b_key_t<Inputs>) ? sizeof(a_key_t<Inputs>)
                                                                                           : sizeof(b_key_t<Inputs>);

} // namespace detail
MGPU_THRUST_NAMESPACE_END

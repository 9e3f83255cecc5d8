// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The loop that consumes all copies of a key at a time, for inputs whose keys have several copies each.
///
/// A branch predictor cannot foresee where a random number of copies ends, and a branch-free step takes one copy at a
/// time. This loop compares a key with the next copies_at_a_time elements of both inputs, and stores that number of
/// elements to the buffer in any case. So no branch depends on the numbers of copies, and the compiler vectorizes both.

#include <mgpu_thrust/detail/base/cheap_keys.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/adaptive_tuning.h>
#include <mgpu_thrust/detail/set_operation/select.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether all copies of a key can be consumed at a time: keys are numbers in memory, small enough for vector
/// comparisons.
template <class Inputs, class Compare>
constexpr bool takes_copies()
{
  using key = a_key_t<Inputs>;
  constexpr bool is_one_type = std::is_same_v<decltype(Inputs::a), decltype(Inputs::b)>;
  constexpr bool is_in_memory = std::is_pointer_v<decltype(Inputs::a)>;
  constexpr bool is_small_number = std::is_arithmetic_v<key> && sizeof(key) <= 4;
  return is_one_type && is_in_memory && is_small_number && is_plain_order<Compare>;
}

/// Whether keys have min_copies copies or more each, by a look at the next elements of both inputs; false if too few
/// are left.
template <class Inputs, class Compare>
bool has_copies(const Inputs& inputs, set_position at, Compare& comp)
{
  constexpr std::int64_t inspected = elements_inspected_for_copies;
  if (inputs.a_count - at.i < inspected || inputs.b_count - at.j < inspected)
  {
    return false;
  }
  int a_changes = 0;
  int b_changes = 0;
  for (std::int64_t k = 0; k < inspected - 1; ++k)
  {
    a_changes += comp(detail::element(inputs.a, at.i + k), detail::element(inputs.a, at.i + k + 1));
    b_changes += comp(detail::element(inputs.b, at.j + k), detail::element(inputs.b, at.j + k + 1));
  }
  constexpr int max_changes = inspected / min_copies;
  return a_changes <= max_changes && b_changes <= max_changes;
}

/// Numbers of copies of a key that are next in each input.
struct copies_of_key
{
  int in_a;
  int in_b;
};

/// Counts the copies of the smallest key from `at` on, at most copies_at_a_time of each input, which must have that
/// many elements left. As no key goes before itself, there is one at least.
///
/// An input may have more copies than these. If both have more, equally many of each are consumed, and ranks stay
/// equal. If one has more, all copies of the other are consumed, and the next ones have no match. In both cases the
/// same operation on the rest gives the rest of the result. In a merge the copies in A come before all of B.
template <class Operation, class Inputs, class Compare>
[[gnu::always_inline]] inline copies_of_key
count_copies(Operation, const Inputs& inputs, set_position at, Compare& comp)
{
  const auto* const a = inputs.a + at.i;
  const auto* const b = inputs.b + at.j;
  const auto key = detail::select(static_cast<bool>(comp(*b, *a)), *b, *a);
  int in_a = 0;
  int in_b = 0;
  for (std::int64_t k = 0; k < copies_at_a_time; ++k)
  {
    in_a += !comp(key, a[k]);
    in_b += !comp(key, b[k]);
  }
  if (!Operation::matches && in_a == copies_at_a_time)
  {
    in_b = 0; // there may be more copies in A, which come first
  }
  return {in_a, in_b};
}

/// The copies of a key that an operation keeps, by rank: [a_begin, a_end) of A, then [b_begin, b_end) of B.
struct kept_copies
{
  int a_begin;
  int a_end;
  int b_begin;
  int b_end;
};

/// The first `matched` copies in either input match each other, and those in A stand for both; the others in A, or in
/// B, have no match. In a merge none has.
template <class Operation>
[[gnu::always_inline]] constexpr kept_copies find_kept_copies(Operation, copies_of_key copies)
{
  const int matched = !Operation::matches ? 0 : copies.in_a < copies.in_b ? copies.in_a : copies.in_b;
  return {
    Operation::keeps_matched ? 0 : matched, Operation::keeps_unmatched_a ? copies.in_a : matched, matched,
    Operation::keeps_unmatched_b ? copies.in_b : matched};
}

/// Consumes all copies of a key from both inputs per iteration, the smallest key first, from `at` to near `end`, or as
/// long as it consumes min_copies elements per key. Calls `flush` after keys_at_a_time keys.
///
/// Up to 2 * copies_at_a_time elements of each input are read from `at` on, and as many in total are written past the
/// buffer's size. It stops if an input has fewer left. A buffer for the whole result has room until then, as its size
/// is at most the number of elements before `at`.
///
/// Like the loops of predicted_steps.h it is never inlined.
template <class Operation, class Inputs, class Compare, class Buffer, class Flush>
[[gnu::noinline]] set_position set_operation_copies(
  Operation operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Buffer& buffer,
  Flush flush)
{
  const auto is_near_end = [&] { return end.i - at.i < 2 * copies_at_a_time || end.j - at.j < 2 * copies_at_a_time; };
  while (!is_near_end())
  {
    const std::int64_t before = at.i + at.j;
    Buffer local = buffer; // local copy, so that the compiler keeps it in registers
    for (int n = 0; n < keys_at_a_time && !is_near_end(); ++n)
    {
      const copies_of_key copies = detail::count_copies(operation, inputs, at, comp);
      const kept_copies kept = detail::find_kept_copies(operation, copies);
      if constexpr (std::is_same_v<Buffer, count_sink>)
      {
        local.size += kept.a_end - kept.a_begin + (kept.b_end - kept.b_begin);
      }
      else
      {
        if constexpr (Buffer::holds_matches)
        {
          local.template put_matches<copies_at_a_time>(at.j, kept.b_begin);
        }
        local.template some_from_a<copies_at_a_time>(at.i + kept.a_begin, kept.a_end - kept.a_begin);
        if constexpr (Operation::keeps_unmatched_b)
        {
          if constexpr (Buffer::holds_matches)
          {
            local.template put_matches<copies_at_a_time>(0, 0);
          }
          local.template some_from_b<copies_at_a_time>(at.j + kept.b_begin, kept.b_end - kept.b_begin);
        }
      }
      at.i += copies.in_a;
      at.j += copies.in_b;
    }
    buffer.size = local.size;
    flush();
    if (at.i + at.j - before < min_copies * keys_at_a_time)
    {
      break;
    }
  }
  return at;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

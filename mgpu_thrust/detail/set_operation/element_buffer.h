// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A buffer of the elements that a set operation keeps.
///
/// The output position of a kept element is known late: a branch-free step learns only at its end whether it keeps its
/// element, and a worker's output begins where those of the pieces before it end. The buffer holds the elements until
/// then, in memory of the worker. It may be written past its end, which an output may not: so an element is written
/// first, and counted if it is kept.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/combined_values.h>
#include <mgpu_thrust/detail/set_operation/select.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// An element of the inputs, packed in an integer: 2 * i for element i of A, 2 * j + 1 for element j of B. The integer
/// must hold twice the largest index.
template <class Integer>
struct element_code
{
  Integer bits;

  static element_code of_a(std::int64_t i)
  {
    return {static_cast<Integer>(2 * i)};
  }
  static element_code of_b(std::int64_t j)
  {
    return {static_cast<Integer>(2 * j + 1)};
  }
  /// Returns is_b ? b : a, without a branch.
  static element_code either(bool is_b, element_code a, element_code b)
  {
    return {static_cast<Integer>(a.bits ^ ((a.bits ^ b.bits) & -static_cast<Integer>(is_b)))};
  }

  bool is_b() const
  {
    return bits & 1;
  }
  std::int64_t index() const
  {
    return bits / 2;
  }
  /// The element of the same input that is `distance` later.
  element_code later(std::int64_t distance) const
  {
    return {static_cast<Integer>(bits + 2 * distance)};
  }
};

/// A sink that buffers elements, in order. It holds the keys where both inputs have the same small trivial type, and
/// codes, which identify elements, where they do not or where values have to be fetched. If values are combined
/// (combined_values.h), it also holds the index of the element of B that each matches, or no_match.
///
/// Invariant: the first `size` elements are those kept so far. put_either stores an element after them, which the
/// caller counts if it is kept, and which is overwritten otherwise; some_from_a and some_from_b store `Room` elements
/// after them, and count some of these. put_match and put_matches store what the elements after them match, without
/// counting. All other functions store what they count, and nothing else.
template <class Inputs, class Values, class Integer>
struct element_buffer : buffered_matches<combines_values<Values>, Integer>
{
  using key = a_key_t<Inputs>;
  using code = element_code<Integer>;

  static constexpr bool holds_keys =
    std::is_same_v<key, b_key_t<Inputs>> && std::is_trivially_copyable_v<key> && sizeof(key) <= 16;
  static constexpr bool holds_codes = !holds_keys || has_values<Values>;
  static constexpr bool holds_matches = combines_values<Values>;
  static constexpr std::int64_t bytes_per_element =
    (holds_keys ? sizeof(key) : 0) + (holds_codes ? sizeof(Integer) : 0) + (holds_matches ? sizeof(Integer) : 0);
  static constexpr Integer no_match = -1;

  /// Creates a buffer in `storage`, which is aligned for a key and has room for `capacity` elements, a multiple of 16.
  element_buffer(const Inputs& in, void* storage, std::int64_t capacity)
      : buffered_matches<holds_matches, Integer>(first_code(storage, capacity) + capacity)
      , inputs(in)
      , keys(static_cast<key*>(storage))
      , codes(first_code(storage, capacity))
  {
  }

  Inputs inputs;  ///< the inputs that codes refer to
  key* keys;      ///< used if holds_keys
  Integer* codes; ///< used if holds_codes
  std::int64_t size = 0;

  template <class Element>
  void from_a(const Element& element, std::int64_t i)
  {
    put_match(false, 0);
    put(element, code::of_a(i), 0);
    ++size;
  }
  template <class Element>
  void from_b(const Element& element, std::int64_t j)
  {
    put_match(false, 0);
    put(element, code::of_b(j), 0);
    ++size;
  }
  template <class Element>
  void from_match(const Element& element, std::int64_t i, std::int64_t j)
  {
    put_match(true, j);
    put(element, code::of_a(i), 0);
    ++size;
  }
  void range_from_a(std::int64_t begin, std::int64_t end)
  {
    put_each_match(end - begin, [](std::int64_t) { return no_match; });
    append_range(inputs.a + begin, end - begin, code::of_a(begin));
  }
  void range_from_b(std::int64_t begin, std::int64_t end)
  {
    put_each_match(end - begin, [](std::int64_t) { return no_match; });
    append_range(inputs.b + begin, end - begin, code::of_b(begin));
  }
  void range_from_matches(std::int64_t begin, std::int64_t end, std::int64_t b_begin)
  {
    put_each_match(end - begin, [b_begin](std::int64_t k) { return static_cast<Integer>(b_begin + k); });
    append_range(inputs.a + begin, end - begin, code::of_a(begin));
  }

  /// Stores element i of A or, if is_b, element j of B, `distance` positions past the end: without a branch, and
  /// without counting it yet.
  template <class Element>
  void
  put_either(bool is_b, const Element& a, std::int64_t i, const Element& b, std::int64_t j, std::int64_t distance = 0)
  {
    put(detail::select(is_b, b, a), code::either(is_b, code::of_a(i), code::of_b(j)), distance);
  }
  /// Stores what the element past the end matches: element j of B or, unless `is_match`, none.
  void put_match([[maybe_unused]] bool is_match, [[maybe_unused]] std::int64_t j)
  {
    if constexpr (holds_matches)
    {
      this->matches[size] = detail::select(is_match, static_cast<Integer>(j), no_match);
    }
  }
  /// Stores what `Room` elements past the end match: the first `count` match elements of B from j on, the others none.
  template <std::int64_t Room>
  void put_matches(std::int64_t j, std::int64_t count)
  {
    put_each_match(Room, [=](std::int64_t k) { return k < count ? static_cast<Integer>(j + k) : no_match; });
  }
  /// Stores `Room` elements past the end, and counts `count` of them: equally fast for any count.
  template <std::int64_t Room>
  void some_from_a(std::int64_t begin, std::int64_t count)
  {
    put_range<Room>(inputs.a + begin, code::of_a(begin));
    size += count;
  }
  template <std::int64_t Room>
  void some_from_b(std::int64_t begin, std::int64_t count)
  {
    put_range<Room>(inputs.b + begin, code::of_b(begin));
    size += count;
  }

  /// Writes the buffered elements, advances `outputs` past them, and empties the buffer.
  template <class Operation, class Outputs>
  void flush(Operation, Outputs& outputs)
  {
    if constexpr (holds_keys)
    {
      detail::reassign(outputs.keys, std::copy_n(keys, size, outputs.keys));
    }
    else
    {
      write_coded<Operation>(inputs.a, inputs.b, outputs.keys);
    }
    if constexpr (holds_matches)
    {
      write_combined<Operation>(outputs.values);
    }
    else if constexpr (has_values<Values>)
    {
      write_coded<Operation>(inputs.a_values, inputs.b_values, outputs.values);
    }
    size = 0;
  }

private:
  static Integer* first_code(void* storage, std::int64_t capacity)
  {
    return reinterpret_cast<Integer*>(
      static_cast<unsigned char*>(storage) + (holds_keys ? capacity * std::int64_t{sizeof(key)} : 0));
  }
  template <class Element>
  void put(const Element& element, code identity, std::int64_t distance)
  {
    if constexpr (holds_keys)
    {
      ::new (static_cast<void*>(keys + size + distance)) key(element);
    }
    if constexpr (holds_codes)
    {
      codes[size + distance] = identity.bits;
    }
  }
  /// Stores what `count` elements past the end match: the k-th matches element match_of(k) of B.
  template <class MatchOf>
  void put_each_match([[maybe_unused]] std::int64_t count, [[maybe_unused]] MatchOf match_of)
  {
    if constexpr (holds_matches)
    {
      for (std::int64_t k = 0; k < count; ++k)
      {
        this->matches[size + k] = match_of(k);
      }
    }
  }
  template <std::int64_t Room, class Keys>
  void put_range(Keys from, code first)
  {
    if constexpr (holds_keys)
    {
      for (std::int64_t k = 0; k < Room; ++k)
      {
        ::new (static_cast<void*>(keys + size + k)) key(detail::element(from, k));
      }
    }
    if constexpr (holds_codes)
    {
      for (std::int64_t k = 0; k < Room; ++k)
      {
        codes[size + k] = first.later(k).bits;
      }
    }
  }
  template <class Keys>
  void append_range(Keys from, std::int64_t count, code first)
  {
    if constexpr (!holds_codes && std::is_pointer_v<Keys>)
    {
      std::uninitialized_copy_n(from, count, keys + size);
      size += count;
    }
    else
    {
      for (std::int64_t k = 0; k < count; ++k, ++size)
      {
        put(detail::element(from, k), first.later(k), 0);
      }
    }
  }
  /// Writes the values of the elements, combined where they match, and advances `values` past them.
  template <class Operation>
  void write_combined(Values& values)
  {
    auto& output = detail::values_output(values);
    for (std::int64_t k = 0; k < size; ++k, (void) ++output)
    {
      const code from{codes[k]};
      if (!Operation::keeps_unmatched_a || this->matches[k] != no_match)
      {
        values.write(
          output, detail::element(inputs.a_values, from.index()), detail::element(inputs.b_values, this->matches[k]));
      }
      else if constexpr (Operation::keeps_unmatched_a)
      {
        write_element<Operation>(inputs.a_values, inputs.b_values, from, output);
      }
    }
  }
  /// Writes the elements of `a` and `b` that the codes identify, and advances `output` past them.
  template <class Operation, class A, class B, class Output>
  void write_coded(A a, B b, Output& output)
  {
    for (std::int64_t k = 0; k < size; ++k, (void) ++output)
    {
      write_element<Operation>(a, b, code{codes[k]}, output);
    }
  }
  template <class Operation, class A, class B, class Output>
  static void write_element(A a, B b, code from, Output& output)
  {
    if constexpr (!Operation::keeps_unmatched_b)
    {
      *output = detail::element(a, from.index());
    }
    else if constexpr (std::is_same_v<A, B>) // choose between the inputs without a branch
    {
      const A sources[] = {a, b};
      *output = detail::element(sources[from.is_b()], from.index());
    }
    else if (from.is_b())
    {
      *output = detail::element(b, from.index());
    }
    else
    {
      *output = detail::element(a, from.index());
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The set operation loop of a CPU core, at its best on keys in random order and on long stretches of one input alike.
///
/// On keys in random order the branches of the textbook loop are mispredicted at every second step, and a branch-free
/// step is twice as fast. On long stretches of one input, on alternating and on identical inputs the branches are
/// predicted, and the textbook loop is several times faster than a step whose next address depends on its comparison.
/// So the loop samples: it executes a block of branch-free steps and records their outcomes. If these repeat with a
/// short period, as a branch predictor would notice too, it executes the loop with branches for a stretch that doubles
/// each time; or it advances eight elements at a time if the outcomes come in long stretches or alternate; or it
/// consumes all copies of a key at a time if keys have several copies each. Then it samples again.
///
/// A branch-free step depends on the one before. In a merge the output position of each step is known beforehand, so
/// four parts of a block are walked at once (merge_walks.h), which takes half the time.

#include <mgpu_thrust/detail/set_operation/merge_walks.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <cuda/std/bit>
#include <cuda/std/functional>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Steps in a branch-free block; the last 64 of them are recorded.
inline constexpr std::int64_t branch_free_steps = 256;

/// Minimum number of steps of a branch-free walk at the end of a merge.
inline constexpr std::int64_t shortest_walk_steps = 32;

/// Number of elements of an input that a stretch with branches may consume before the loop samples again: at first, and
/// at most. A step with branches costs down to a tenth of a branch-free one, so sampling costs a fifth at first, and
/// soon nothing.
inline constexpr std::int64_t shortest_stretch = 8 * branch_free_steps;
inline constexpr std::int64_t longest_stretch = std::int64_t{1} << 16;

/// A sink that buffers elements in the worker's memory until their output position is known. It holds the keys where
/// both inputs have the same small trivial type, and codes, which identify elements by input and index, where they do
/// not or where values have to be fetched. Elements are also written past its end and not kept: one by a step,
/// copies_at_a_time by set_operation_copies, which stops where the inputs may have fewer left.
template <class Inputs, bool HasValues, class Code>
struct element_buffer
{
  using key = a_key_t<Inputs>;

  static constexpr bool holds_keys =
    std::is_same_v<key, b_key_t<Inputs>> && std::is_trivially_copyable_v<key> && sizeof(key) <= 16;
  static constexpr bool holds_codes = !holds_keys || HasValues;
  static constexpr std::int64_t bytes_per_element = (holds_keys ? sizeof(key) : 0) + (holds_codes ? sizeof(Code) : 0);

  /// Creates a buffer in `storage`, which is aligned for a key and has room for `capacity` elements, a multiple of 16.
  element_buffer(const Inputs& in, void* storage, std::int64_t capacity)
      : inputs(in)
      , keys(static_cast<key*>(storage))
      , codes(reinterpret_cast<Code*>(
          static_cast<unsigned char*>(storage) + (holds_keys ? capacity * std::int64_t{sizeof(key)} : 0)))
  {
  }

  Inputs inputs; ///< the inputs that indices refer to; a Code must hold twice the largest index
  key* keys;     ///< used if holds_keys
  Code* codes;   ///< 2 * i for element i of A, 2 * j + 1 for element j of B; used if holds_codes
  std::int64_t size = 0;

  static Code a_code(std::int64_t i)
  {
    return static_cast<Code>(2 * i);
  }
  static Code b_code(std::int64_t j)
  {
    return static_cast<Code>(2 * j + 1);
  }

  /// Stores an element `distance` positions past the end, without counting it yet.
  template <class Element>
  void put(const Element& element, Code code, std::int64_t distance = 0)
  {
    if constexpr (holds_keys)
    {
      ::new (static_cast<void*>(keys + size + distance)) key(element);
    }
    if constexpr (holds_codes)
    {
      codes[size + distance] = code;
    }
  }
  template <class Element>
  void from_a(const Element& element, std::int64_t i)
  {
    put(element, a_code(i));
    ++size;
  }
  template <class Element>
  void from_b(const Element& element, std::int64_t j)
  {
    put(element, b_code(j));
    ++size;
  }
  /// Stores `Room` elements past the end, and counts `count` of them: equally fast for any count.
  template <std::int64_t Room>
  void some_from_a(std::int64_t begin, std::int64_t count)
  {
    put_range<Room>(inputs.a + begin, a_code(begin));
    size += count;
  }
  template <std::int64_t Room>
  void some_from_b(std::int64_t begin, std::int64_t count)
  {
    put_range<Room>(inputs.b + begin, b_code(begin));
    size += count;
  }
  void range_from_a(std::int64_t begin, std::int64_t end)
  {
    append_range(inputs.a + begin, end - begin, a_code(begin));
  }
  void range_from_b(std::int64_t begin, std::int64_t end)
  {
    append_range(inputs.b + begin, end - begin, b_code(begin));
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
    if constexpr (HasValues)
    {
      write_coded<Operation>(inputs.a_values, inputs.b_values, outputs.values);
    }
    size = 0;
  }

private:
  template <std::int64_t Room, class Keys>
  void put_range(Keys from, Code first_code)
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
        codes[size + k] = static_cast<Code>(first_code + 2 * k);
      }
    }
  }
  template <class Keys>
  void append_range(Keys from, std::int64_t count, Code first_code)
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
        put(detail::element(from, k), static_cast<Code>(first_code + 2 * k));
      }
    }
  }
  template <class Operation, class A, class B, class Output>
  void write_coded(A a, B b, Output& output)
  {
    for (std::int64_t k = 0; k < size; ++k, (void) ++output)
    {
      const Code code = codes[k];
      if constexpr (!Operation::keeps_unmatched_b)
      {
        *output = detail::element(a, code / 2);
      }
      else if constexpr (std::is_same_v<A, B>) // choose between the inputs without a branch
      {
        const A sources[] = {a, b};
        *output = detail::element(sources[code & 1], code / 2);
      }
      else if (code & 1)
      {
        *output = detail::element(b, code / 2);
      }
      else
      {
        *output = detail::element(a, code / 2);
      }
    }
  }
};

/// Pattern of the last steps' outcomes, which decides the best loop for the next steps.
enum class step_pattern
{
  random,    ///< a branch predictor would mispredict again and again
  repeating, ///< a branch predictor would be right: the outcomes repeat with a short period, or come in short stretches
  regular    ///< the outcomes come in long stretches, or alternate for long
};

/// The outcomes of the last 64 steps, newest in the lowest bit.
struct step_record
{
  std::uint64_t a_less = 0; ///< the element of A was smaller
  std::uint64_t b_less = 0; ///< the element of B was smaller

  step_pattern pattern() const
  {
    if (surprises(1) <= 2 || surprises(2) <= 2)
    {
      return step_pattern::regular;
    }
    for (int period = 1; period <= 4; ++period)
    {
      if (surprises(period) <= 16)
      {
        return step_pattern::repeating;
      }
    }
    return step_pattern::random;
  }

private:
  /// Number of outcomes that differ from the one `period` steps before.
  int surprises(int period) const
  {
    const std::uint64_t differ = (a_less ^ (a_less >> period)) | (b_less ^ (b_less >> period));
    return ::cuda::std::popcount(differ & (~std::uint64_t{0} >> period));
  }
};

/// Whether an order is no more than one instruction on numbers.
template <class Compare>
inline constexpr bool is_plain_order = false;
template <class T>
inline constexpr bool is_plain_order<std::less<T>> = true;
template <class T>
inline constexpr bool is_plain_order<std::greater<T>> = true;
template <class T>
inline constexpr bool is_plain_order<::cuda::std::less<T>> = true;
template <class T>
inline constexpr bool is_plain_order<::cuda::std::greater<T>> = true;

/// Whether a key is so cheap to compare and to copy that a branch-free loop may compare it twice per step.
template <class Key>
inline constexpr bool is_cheap_key = std::is_arithmetic_v<Key>;

/// Returns condition ? x : y. For integers, and objects of one or two 64-bit words, in a form that no compiler turns
/// into a branch, as the origin of the mask is hidden from it.
template <class Number>
Number select(bool condition, Number x, Number y)
{
  if constexpr (std::is_integral_v<Number>)
  {
    Number mask = static_cast<Number>(-static_cast<Number>(condition));
    asm("" : "+r"(mask));
    return static_cast<Number>(y ^ ((x ^ y) & mask));
  }
  else if constexpr (std::is_class_v<Number> && (sizeof(Number) == 8 || sizeof(Number) == 16))
  {
    static_assert(std::is_trivially_copyable_v<Number>);
    std::uint64_t x_words[sizeof(Number) / 8];
    std::uint64_t y_words[sizeof(Number) / 8];
    std::memcpy(x_words, &x, sizeof(Number));
    std::memcpy(y_words, &y, sizeof(Number));
    for (std::size_t word = 0; word < sizeof(Number) / 8; ++word)
    {
      y_words[word] = detail::select(condition, x_words[word], y_words[word]);
    }
    std::memcpy(static_cast<void*>(&y), y_words, sizeof(Number));
    return y;
  }
  else
  {
    return condition ? x : y;
  }
}

/// Executes branch_free_steps steps from `at` without a branch on the data. Both inputs must have at least two more
/// elements left than that.
template <class Operation, class Inputs, class Compare, class Buffer>
step_record
branch_free_block(Operation operation, const Inputs& inputs, set_position& at, Compare& comp, Buffer& buffer)
{
  step_record record;
  set_position next = at;
  Buffer local = buffer; // local copy, so that the compiler keeps it in registers
  // The element after the next one of each input is loaded a step ahead, so that no step waits for memory.
  auto a = detail::element(inputs.a, next.i);
  auto b = detail::element(inputs.b, next.j);
  auto a_then = detail::element(inputs.a, next.i + 1);
  auto b_then = detail::element(inputs.b, next.j + 1);
  for (std::int64_t step = 0; step < branch_free_steps; ++step)
  {
    const bool a_less = detail::a_goes_first(operation, comp, a, b);
    bool b_less = Operation::matches ? static_cast<bool>(comp(b, a)) : !a_less;
    if constexpr (!is_plain_order<Compare>)
    {
      b_less &= !a_less; // an invalid order, such as <=, may set both, and each step must consume an element
    }
    record.a_less = record.a_less << 1 | std::uint64_t{a_less};
    record.b_less = record.b_less << 1 | std::uint64_t{b_less};
    if constexpr (!std::is_same_v<Buffer, count_sink>)
    {
      const bool from_b = Operation::keeps_unmatched_b && b_less;
      const auto a_code = Buffer::a_code(next.i);
      const auto b_code = Buffer::b_code(next.j);
      local.put(detail::select(from_b, b, a), a_code ^ ((a_code ^ b_code) & -static_cast<decltype(a_code)>(from_b)));
    }
    const bool keeps = (Operation::keeps_unmatched_a & a_less) | (Operation::keeps_unmatched_b & b_less)
                       | (Operation::keeps_matched & !(a_less | b_less));
    local.size += keeps;
    next.i += !b_less;
    next.j += !a_less;
    a = detail::select(b_less, a, a_then);
    b = detail::select(a_less, b, b_then);
    a_then = detail::element(inputs.a, next.i + 1);
    b_then = detail::element(inputs.b, next.j + 1);
  }
  buffer.size = local.size;
  at = next;
  return record;
}

/// branch_free_block for a merge: executes `steps` steps, a multiple of 4, as a walk in four parts. Both inputs must
/// have that many elements left.
template <class Inputs, class Compare, class Buffer>
[[gnu::noinline]] step_record
branch_free_walk(const Inputs& inputs, std::int64_t steps, set_position& at, Compare& comp, Buffer& buffer)
{
  step_record record;
  const set_position from = at;
  const auto before = [&comp](const auto& b, const auto& a) -> bool { return comp(b, a); };
  const auto put =
    [&record, from, steps, local = buffer](
      int part, std::int64_t step, std::int64_t i, std::int64_t j, const auto& a, const auto& b, bool is_from_b) mutable
  {
    if (part == 3)
    {
      record.b_less = record.b_less << 1 | std::uint64_t{is_from_b};
    }
    const auto a_code = Buffer::a_code(from.i + i);
    const auto b_code = Buffer::b_code(from.j + j);
    local.put(
      detail::select(is_from_b, b, a), a_code ^ ((a_code ^ b_code) & -static_cast<decltype(a_code)>(is_from_b)),
      part * (steps / 4) + step);
  };
  merge_walk walks[4];
  detail::walk_merge_path(inputs.a + from.i, inputs.b + from.j, steps / 4, before, walks, put);
  record.a_less = ~record.b_less;
  buffer.size += steps;
  at = {from.i + walks[3].i_end, from.j + walks[3].j_end};
  return record;
}

/// Maximum number of copies of a key that are consumed from each input at a time, and number of keys after which the
/// buffer is flushed.
inline constexpr std::int64_t copies_at_a_time = 32;
inline constexpr int keys_at_a_time = 8;

/// Whether all copies of a key can be consumed at a time: keys are numbers in memory, so small that several are
/// compared at once.
template <class Inputs, class Compare>
constexpr bool takes_copies()
{
  using key = a_key_t<Inputs>;
  constexpr bool is_one_type = std::is_same_v<decltype(Inputs::a), decltype(Inputs::b)>;
  constexpr bool is_in_memory = std::is_pointer_v<decltype(Inputs::a)>;
  constexpr bool is_small_number = std::is_arithmetic_v<key> && sizeof(key) <= 4;
  return is_one_type && is_in_memory && is_small_number && is_plain_order<Compare>;
}

/// Whether keys have four copies or more each, judged by the next 64 of both inputs; false if fewer are left.
template <class Inputs, class Compare>
bool has_copies(const Inputs& inputs, set_position at, Compare& comp)
{
  if (inputs.a_count - at.i < 64 || inputs.b_count - at.j < 64)
  {
    return false;
  }
  int a_changes = 0;
  int b_changes = 0;
  for (std::int64_t k = 0; k < 63; ++k)
  {
    a_changes += comp(detail::element(inputs.a, at.i + k), detail::element(inputs.a, at.i + k + 1));
    b_changes += comp(detail::element(inputs.b, at.j + k), detail::element(inputs.b, at.j + k + 1));
  }
  return a_changes <= 16 && b_changes <= 16;
}

// The three loops below take a cycle or two per step, and are functions of their own, never inlined: the caller's other
// work costs them no registers, and they compile to the same few instructions wherever they are used.

/// Executes steps with branches on the data from `at` until either input has reached its position in `end`.
template <class Operation, class Inputs, class Compare, class Sink>
[[gnu::noinline]] set_position set_operation_branches(
  Operation operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Sink& sink)
{
  return detail::set_operation_steps(operation, inputs, at, end, comp, sink);
}

/// Like set_operation_steps, but after each step consumes whole strides of elements as long as these have the same
/// outcome, or alternate. As the inputs are sorted, one comparison shows that a whole stride of one input comes before
/// the other's next key.
template <class Operation, class Inputs, class Compare, class Sink>
[[gnu::noinline]] set_position set_operation_strides(
  Operation operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Sink& sink)
{
  constexpr std::int64_t stride = 8;
  Sink local = sink; // local copy, so that the compiler keeps it in registers
  const auto a_less = [&](std::int64_t i, std::int64_t j) -> bool
  { return detail::a_goes_first(operation, comp, detail::element(inputs.a, i), detail::element(inputs.b, j)); };
  const auto b_less = [&](std::int64_t i, std::int64_t j) -> bool
  { return comp(detail::element(inputs.b, j), detail::element(inputs.a, i)); };
  while (at.i < end.i && at.j < end.j)
  {
    // The step compares again. Deriving its outcome from `at` would cost 15 % on long stretches: it is known later.
    const bool a_was_less = a_less(at.i, at.j);
    const bool b_was_less = !a_was_less && b_less(at.i, at.j);
    at = detail::set_operation_steps(operation, inputs, at, {at.i + 1, at.j + 1}, comp, local);
    if (a_was_less)
    {
      for (; at.i + stride <= end.i && a_less(at.i + stride - 1, at.j); at.i += stride)
      {
        if constexpr (Operation::keeps_unmatched_a)
        {
          local.range_from_a(at.i, at.i + stride);
        }
      }
      // Alternating elements of B and A.
      for (; at.i + stride <= end.i && at.j + stride < end.j; at.i += stride, at.j += stride)
      {
        bool alternate = true;
        for (std::int64_t k = 0; k < stride; ++k)
        {
          alternate &= b_less(at.i + k, at.j + k);
          alternate &= a_less(at.i + k, at.j + k + 1);
        }
        if (!alternate)
        {
          break;
        }
        for (std::int64_t k = 0; k < stride; ++k)
        {
          if constexpr (Operation::keeps_unmatched_b)
          {
            local.from_b(detail::element(inputs.b, at.j + k), at.j + k);
          }
          if constexpr (Operation::keeps_unmatched_a)
          {
            local.from_a(detail::element(inputs.a, at.i + k), at.i + k);
          }
        }
      }
    }
    else if (b_was_less)
    {
      for (; at.j + stride <= end.j && b_less(at.i, at.j + stride - 1); at.j += stride)
      {
        if constexpr (Operation::keeps_unmatched_b)
        {
          local.range_from_b(at.j, at.j + stride);
        }
      }
    }
    else
    {
      for (; at.i + stride <= end.i && at.j + stride <= end.j; at.i += stride, at.j += stride)
      {
        bool all_match = true;
        for (std::int64_t k = 0; k < stride; ++k)
        {
          all_match &= !a_less(at.i + k, at.j + k);
          all_match &= !b_less(at.i + k, at.j + k);
        }
        if (!all_match)
        {
          break;
        }
        if constexpr (Operation::keeps_matched)
        {
          local.range_from_a(at.i, at.i + stride);
        }
      }
    }
  }
  detail::reassign(sink, local);
  return at;
}

/// Consumes all copies of a key from both inputs per iteration, the smallest key first, from `at` to near `end`, or as
/// long as keys have several copies each. Copies are counted and copied as if there were copies_at_a_time, so that no
/// branch depends on their number. If there are more, an iteration consumes equally many ranks of both inputs, or all
/// copies that one input has, and the next iteration continues from there.
template <class Operation, class Inputs, class Compare, class Buffer, class Flush>
[[gnu::noinline]] set_position set_operation_copies(
  Operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Buffer& buffer, Flush flush)
{
  constexpr std::int64_t room = copies_at_a_time;
  // Up to 2 * room copies are read from `at`, and as many written past the buffer's size, which is never more than the
  // elements before `at`: so there is room as long as that many elements of both inputs are left.
  const auto is_near_end = [&] { return end.i - at.i < 2 * room || end.j - at.j < 2 * room; };
  while (!is_near_end())
  {
    const std::int64_t before = at.i + at.j;
    Buffer local = buffer; // local copy, so that the compiler keeps it in registers
    for (int n = 0; n < keys_at_a_time && !is_near_end(); ++n)
    {
      // 1. Count the copies.
      const auto* const a = inputs.a + at.i;
      const auto* const b = inputs.b + at.j;
      const auto key = detail::select(static_cast<bool>(comp(*b, *a)), *b, *a);
      int in_a = 0;
      int in_b = 0;
      for (std::int64_t k = 0; k < room; ++k)
      {
        in_a += !comp(key, a[k]);
        in_b += !comp(key, b[k]);
      }

      // 2. Keep the copies that the operation keeps: the first `matched` of A, the others of A, the others of B.
      if (!Operation::matches && in_a == room)
      {
        in_b = 0; // in a merge the copies in A come first, and there may be more of them
      }
      const int matched = !Operation::matches ? 0 : in_a < in_b ? in_a : in_b;
      const int first_a = Operation::keeps_matched ? 0 : matched;
      const int last_a = Operation::keeps_unmatched_a ? in_a : matched;
      if constexpr (std::is_same_v<Buffer, count_sink>)
      {
        local.size += last_a - first_a + (Operation::keeps_unmatched_b ? in_b - matched : 0);
      }
      else
      {
        local.template some_from_a<room>(at.i + first_a, last_a - first_a);
        if constexpr (Operation::keeps_unmatched_b)
        {
          local.template some_from_b<room>(at.j + matched, in_b - matched);
        }
      }
      at.i += in_a;
      at.j += in_b;
    }
    buffer.size = local.size;
    flush();
    if (at.i + at.j - before < 4 * keys_at_a_time)
    {
      break;
    }
  }
  return at;
}

/// Whether a branch-free step is as fast as one whose branches are predicted: that of a merge that moves small keys and
/// nothing else.
template <class Operation, class Inputs, class Buffer>
constexpr bool walks_as_fast()
{
  if constexpr (Operation::matches)
  {
    return false;
  }
  else
  {
    return sizeof(a_key_t<Inputs>) <= 4 && !Buffer::holds_codes;
  }
}

/// Executes the loop that is best for `pattern`, up to `stop` or less far.
template <class Operation, class Inputs, class Compare, class Sink, class Buffer, class Flush>
set_position follow(
  Operation operation, const Inputs& inputs, step_pattern pattern, set_position at, set_position stop, Compare& comp,
  Sink& sink, Buffer& buffer, Flush flush)
{
  if (pattern == step_pattern::regular)
  {
    return detail::set_operation_strides(operation, inputs, at, stop, comp, sink);
  }
  constexpr bool walks = detail::walks_as_fast<Operation, Inputs, Buffer>();
  if constexpr (detail::takes_copies<Inputs, Compare>() && (Operation::matches || walks))
  {
    if (detail::has_copies(inputs, at, comp))
    {
      at = detail::set_operation_copies(operation, inputs, at, stop, comp, buffer, flush);
    }
  }
  return walks ? at : detail::set_operation_branches(operation, inputs, at, stop, comp, sink);
}

/// Executes a set operation over its inputs on one core. `sink` receives single elements and ranges; `buffer` receives
/// the elements that the branch-free blocks and set_operation_copies keep, and `flush` is called after each of these to
/// move them to the sink (a no-op if sink and buffer are the same). Keys that are not numbers, or that differ in type,
/// are too expensive to compare twice per step: they use the textbook loop alone.
template <class Operation, class Inputs, class Compare, class Sink, class Buffer, class Flush>
void adaptive_set_operation(
  Operation operation, const Inputs& inputs, Compare& comp, Sink& sink, Buffer& buffer, Flush flush)
{
  set_position at{0, 0};
  const set_position end{inputs.a_count, inputs.b_count};
  if constexpr (std::is_same_v<a_key_t<Inputs>, b_key_t<Inputs>> && is_cheap_key<a_key_t<Inputs>>)
  {
    std::int64_t stretch = shortest_stretch;
    step_pattern pattern = step_pattern::random;
    const auto left = [&] { return std::min(end.i - at.i, end.j - at.j); };
    while (left() > branch_free_steps + 1)
    {
      if constexpr (Operation::matches)
      {
        pattern = detail::branch_free_block(operation, inputs, at, comp, buffer).pattern();
      }
      else
      {
        pattern = detail::branch_free_walk(inputs, branch_free_steps, at, comp, buffer).pattern();
      }
      flush();
      if (pattern == step_pattern::random)
      {
        stretch = shortest_stretch;
        continue;
      }
      const set_position stop{std::min(at.i + stretch, end.i), std::min(at.j + stretch, end.j)};
      at = detail::follow(operation, inputs, pattern, at, stop, comp, sink, buffer, flush);
      stretch = std::min(2 * stretch, longest_stretch);
    }
    if constexpr (!Operation::matches)
    {
      // With keys in random order the other input most likely has as many left; each walk consumes half of them.
      for (int walk = 0; walk < 5 && pattern == step_pattern::random && left() >= shortest_walk_steps; ++walk)
      {
        detail::branch_free_walk(inputs, left() / 4 * 4, at, comp, buffer);
        flush();
      }
    }
    // One input is short by now: the rest of the other comes in long stretches, unless it is short too.
    at = detail::set_operation_strides(operation, inputs, at, end, comp, sink);
  }
  at = detail::set_operation_branches(operation, inputs, at, end, comp, sink);
  detail::set_operation_rest(operation, inputs, at, sink);
}

/// Returns the number of elements that a set operation keeps.
template <class Operation, class Inputs, class Compare>
std::int64_t count_set_operation(Operation operation, const Inputs& inputs, Compare& comp)
{
  count_sink sink;
  detail::adaptive_set_operation(operation, inputs, comp, sink, sink, [] {});
  return sink.size;
}

/// Executes a set operation over buffer.inputs, and leaves the elements that it keeps in the buffer.
template <class Operation, class Buffer, class Compare>
void buffer_set_operation(Operation operation, Buffer& buffer, Compare& comp)
{
  const auto inputs = buffer.inputs;
  detail::adaptive_set_operation(operation, inputs, comp, buffer, buffer, [] {});
}

/// Writes the elements that a set operation keeps to `outputs`, and returns `outputs` advanced past them.
template <class Operation, class Inputs, class Outputs, class Compare>
Outputs write_set_operation(Operation operation, const Inputs& inputs, Outputs outputs, Compare& comp)
{
  using buffer_t = element_buffer<Inputs, has_values<decltype(outputs.values)>, std::int64_t>;
  using key = typename buffer_t::key;
  if constexpr (
    !Operation::matches && is_cheap_key<key> && !buffer_t::holds_codes && std::is_same_v<decltype(outputs.keys), key*>)
  {
    // A merge keeps all elements in order, so its buffer may be the output itself.
    buffer_t buffer(inputs, outputs.keys, inputs.a_count + inputs.b_count);
    detail::buffer_set_operation(operation, buffer, comp);
    return {outputs.keys + buffer.size, outputs.values};
  }
  constexpr std::int64_t copies_of_key = (Operation::matches ? 1 : 2) * copies_at_a_time;
  constexpr std::int64_t most = std::max(branch_free_steps, (keys_at_a_time + 1) * copies_of_key);
  constexpr std::int64_t capacity = is_cheap_key<key> ? most + 16 : 16;
  alignas(16) unsigned char storage[capacity * buffer_t::bytes_per_element];

  write_sink<Inputs, Outputs> sink{inputs, outputs};
  buffer_t buffer(inputs, storage, capacity);
  detail::adaptive_set_operation(operation, inputs, comp, sink, buffer, [&] { buffer.flush(operation, sink.outputs); });
  return sink.outputs;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

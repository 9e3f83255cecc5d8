// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The loop that runs a set operation on a CPU core, at its best on random keys and on runs alike.
///
/// On keys in random order the branches of the textbook loop are mispredicted at every second step, and a branch-free
/// step is twice as fast. On runs, on alternating and on identical inputs the branches are predicted, and the textbook
/// loop is several times faster than a step whose next address depends on its comparison. So the loop looks: it runs a
/// block of steps without branches, recording the outcomes. If they repeat with a short period, as a branch predictor
/// would notice too, it follows branches for a stretch that doubles each time, or strides eight elements at a time if
/// the outcomes come in long runs or alternate, or takes all copies of a key at a time if keys have some copies each;
/// then it looks again.
///
/// A step without branches waits for the one before. In a merge it is known where the result of each step goes, so a
/// block is walked in four parts at once (merge_walks.h), which takes half the time.

#include <mgpu_thrust/thread/merge_walks.h>
#include <mgpu_thrust/thread/set_operation.h>

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

/// Steps in a branch-free block; the last 64 of them are looked at.
inline constexpr std::int64_t branch_free_steps = 256;

/// Steps in the shortest branch-free walk of a merge, at the end.
inline constexpr std::int64_t shortest_walk_steps = 32;

/// How many elements of an input a stretch that follows branches may pass before the loop looks again: at first, and at
/// most. A step with branches costs down to a tenth of one without, so looking costs a fifth at first, and soon
/// nothing.
inline constexpr std::int64_t shortest_stretch = 8 * branch_free_steps;
inline constexpr std::int64_t longest_stretch = std::int64_t{1} << 16;

/// A sink that keeps elements in memory of the worker until it is known where they go. It holds the keys themselves
/// where both inputs have the same small trivial type, and codes, which name elements by input and index, where that
/// is not so or where values have to be fetched. Elements are also written behind its size and not kept: one by a step,
/// copies_at_a_time by what takes copies, which stops where that many may not be left of the inputs.
template <class Inputs, bool HasValues, class Code>
struct element_buffer
{
  using key = a_key_t<Inputs>;

  static constexpr bool holds_keys =
    std::is_same_v<key, b_key_t<Inputs>> && std::is_trivially_copyable_v<key> && sizeof(key) <= 16;
  static constexpr bool holds_codes = !holds_keys || HasValues;
  static constexpr std::int64_t bytes_per_element = (holds_keys ? sizeof(key) : 0) + (holds_codes ? sizeof(Code) : 0);

  /// A buffer in storage for `capacity` elements, a multiple of 16, that is aligned for a key.
  element_buffer(const Inputs& in, void* storage, std::int64_t capacity)
      : inputs(in)
      , keys(static_cast<key*>(storage))
      , codes(reinterpret_cast<Code*>(
          static_cast<unsigned char*>(storage) + (holds_keys ? capacity * std::int64_t{sizeof(key)} : 0)))
  {
  }

  Inputs inputs; ///< what indices refer to; a Code must hold twice the largest
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

  /// Puts an element `distance` behind the last one, without counting it yet.
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
  /// Puts `Room` elements behind the last, and counts `count` of them: as fast for any count.
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

  /// Writes what the buffer holds, moves `outputs` behind it, and empties the buffer.
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

/// What the last steps look like, and so which loop is best for the next.
enum class step_pattern
{
  random,    ///< a branch predictor would be wrong again and again
  repeating, ///< it would be right: the outcomes repeat with a short period, or come in short runs
  regular    ///< the outcomes come in long runs, or alternate for long
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
  /// How many outcomes differ from the one `period` steps before.
  int surprises(int period) const
  {
    const std::uint64_t differ = (a_less ^ (a_less >> period)) | (b_less ^ (b_less >> period));
    return ::cuda::std::popcount(differ & (~std::uint64_t{0} >> period));
  }
};

/// Orders that are no more than an instruction on numbers.
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

/// Keys that are so cheap to compare and to copy that a loop without branches may compare them twice a step.
template <class Key>
inline constexpr bool is_cheap_key = std::is_arithmetic_v<Key>;

/// condition ? x : y. For integers, and objects as large as one or two of them, in a form that no compiler makes a
/// branch of, as it is not told where the mask is from.
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

/// Runs branch_free_steps steps from `at` without a branch on the data. Both inputs must have two elements more left.
template <class Operation, class Inputs, class Compare, class Buffer>
step_record
branch_free_block(Operation operation, const Inputs& inputs, set_position& at, Compare& comp, Buffer& buffer)
{
  step_record record;
  set_position next = at;
  Buffer local = buffer; // whose address nobody has, so that it stays in registers
  // The element behind the next one of each input is loaded a step ahead, so that no step waits for memory.
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
      b_less &= !a_less; // an order that is none, as <=, may say both, and each step must pass an element
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

/// The same for a merge, with `steps` steps, a multiple of 4, which both inputs must have left; walks in four parts.
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

/// Copies of a key that are taken from each input at a time, at most; and for how many keys before the buffer is
/// flushed.
inline constexpr std::int64_t copies_at_a_time = 32;
inline constexpr int keys_at_a_time = 8;

/// Whether keys are such that all copies of one can be taken at a time: numbers in memory, so small that several
/// compare at once.
template <class Inputs, class Compare>
constexpr bool takes_copies()
{
  using key = a_key_t<Inputs>;
  constexpr bool is_one_type = std::is_same_v<decltype(Inputs::a), decltype(Inputs::b)>;
  constexpr bool is_in_memory = std::is_pointer_v<decltype(Inputs::a)>;
  constexpr bool is_small_number = std::is_arithmetic_v<key> && sizeof(key) <= 4;
  return is_one_type && is_in_memory && is_small_number && is_plain_order<Compare>;
}

/// Whether keys have four copies or more each, judged by the next 64 of both inputs, if there are so many.
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

// The three loops below take a cycle or two a step, and are functions of their own, never inlined: a caller's other
// work costs them no registers, and they compile to the same few instructions wherever they are used.

/// Runs steps with branches on the data from `at` until either input has reached its place in `end`.
template <class Operation, class Inputs, class Compare, class Sink>
[[gnu::noinline]] set_position set_operation_branches(
  Operation operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Sink& sink)
{
  return detail::set_operation_steps(operation, inputs, at, end, comp, sink);
}

/// Like set_operation_steps, but takes what follows each step in strides as far as it has the same outcome, or
/// alternates. As the inputs are sorted, one comparison shows that a whole stride of one input comes before the other's
/// next key.
template <class Operation, class Inputs, class Compare, class Sink>
[[gnu::noinline]] set_position set_operation_strides(
  Operation operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Sink& sink)
{
  constexpr std::int64_t stride = 8;
  Sink local = sink; // whose address nobody has, so that it stays in registers
  const auto a_less = [&](std::int64_t i, std::int64_t j) -> bool
  { return detail::a_goes_first(operation, comp, detail::element(inputs.a, i), detail::element(inputs.b, j)); };
  const auto b_less = [&](std::int64_t i, std::int64_t j) -> bool
  { return comp(detail::element(inputs.b, j), detail::element(inputs.a, i)); };
  while (at.i < end.i && at.j < end.j)
  {
    // The step compares again. Reading its outcome off `at` instead would cost 15 % on runs: it is known later.
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
      // Elements of B and A in turn.
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

/// Takes all copies of a key from both inputs at a time, the smallest key first, from `at` to near `end`, or as long as
/// there are some copies of each: it counts and copies them as if there were copies_at_a_time, so that no branch
/// depends on how many there are. If there are more, what it takes are as many ranks of both, or all that one input
/// has, and the next turn goes on from there.
template <class Operation, class Inputs, class Compare, class Buffer, class Flush>
[[gnu::noinline]] set_position set_operation_copies(
  Operation, const Inputs& inputs, set_position at, set_position end, Compare& comp, Buffer& buffer, Flush flush)
{
  constexpr std::int64_t room = copies_at_a_time;
  // Copies are read up to two rooms from `at`, and as many are written behind the buffer's size, which is never more
  // than what lies before `at`: so there is room as long as that much of both inputs is left.
  const auto is_near_end = [&] { return end.i - at.i < 2 * room || end.j - at.j < 2 * room; };
  while (!is_near_end())
  {
    const std::int64_t before = at.i + at.j;
    Buffer local = buffer; // whose address nobody has, so that it stays in registers
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

      // 2. Keep what the operation does: the first `matched` of A, the others of A, the others of B.
      if (!Operation::matches && in_a == room)
      {
        in_b = 0; // in a merge those of A go first, and there may be more
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

/// Whether a step without branches is as fast as one whose branches are predicted: that of a merge of small keys which
/// moves nothing else.
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

/// Runs the loop that is best for what the last steps looked like, up to `stop` or not so far.
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

/// Runs a set operation over its inputs on one core. `sink` takes single elements and ranges; `buffer` takes what the
/// branch-free blocks and some copies of keys keep, and `flush` is called after each of them, to move that into the
/// sink (nothing to do if both are one). Keys that are not numbers, or that differ in type, are too dear to compare
/// twice a step: they take the textbook loop alone.
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
      // If keys are in random order as much is left of the other input, most likely; each walk takes half of that.
      for (int walk = 0; walk < 5 && pattern == step_pattern::random && left() >= shortest_walk_steps; ++walk)
      {
        detail::branch_free_walk(inputs, left() / 4 * 4, at, comp, buffer);
        flush();
      }
    }
    // One input is short by now: what is left of the other comes in long runs, if it is not short too.
    at = detail::set_operation_strides(operation, inputs, at, end, comp, sink);
  }
  at = detail::set_operation_branches(operation, inputs, at, end, comp, sink);
  detail::set_operation_rest(operation, inputs, at, sink);
}

/// Counts what a set operation keeps.
template <class Operation, class Inputs, class Compare>
std::int64_t count_set_operation(Operation operation, const Inputs& inputs, Compare& comp)
{
  count_sink sink;
  detail::adaptive_set_operation(operation, inputs, comp, sink, sink, [] {});
  return sink.size;
}

/// Leaves what a set operation over buffer.inputs keeps in the buffer.
template <class Operation, class Buffer, class Compare>
void buffer_set_operation(Operation operation, Buffer& buffer, Compare& comp)
{
  const auto inputs = buffer.inputs;
  detail::adaptive_set_operation(operation, inputs, comp, buffer, buffer, [] {});
}

/// Writes what a set operation keeps to `outputs`, and returns them moved behind it.
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

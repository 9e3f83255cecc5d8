// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The set operation loop of a CPU core, at its best on keys in random order and on long stretches of one input alike.
///
/// On random keys the branches of the textbook loop are mispredicted at every second step, and a branch-free step is
/// twice as fast. On long stretches of one input, and on alternating or identical inputs, the branches are predicted,
/// and the textbook loop is several times faster. So the loop samples: it executes a block of branch-free steps, whose
/// outcomes are recorded (branch_free_steps.h). The pattern of these outcomes (step_pattern.h) chooses the loop for the
/// next stretch, which doubles each time:
///
///     random       the next branch-free block, without a stretch; or steps with branches (branches_as_fast())
///     repeating    steps with branches (predicted_steps.h), or, where keys have several copies each, all copies of a
///                  key at a time (copies_of_key.h); in a merge of small keys the next branch-free block
///     regular      steps with branches, and strides of eight elements (predicted_steps.h)
///
/// Then it samples again. In a merge the output position of each step is known beforehand, so a branch-free block is
/// walked in four interleaved parts (merge_walks.h), which takes half the time.

#include <mgpu_thrust/detail/base/cheap_keys.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/adaptive_tuning.h>
#include <mgpu_thrust/detail/set_operation/branch_free_steps.h>
#include <mgpu_thrust/detail/set_operation/copies_of_key.h>
#include <mgpu_thrust/detail/set_operation/element_buffer.h>
#include <mgpu_thrust/detail/set_operation/predicted_steps.h>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/step_pattern.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

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

/// Whether steps with branches are as fast as branch-free ones on keys in random order: where matches are combined and
/// other elements are kept, the flush of a buffer branches on each element too, which a sink without a buffer saves.
template <class Operation, class Sink, class Buffer>
constexpr bool branches_as_fast()
{
  if constexpr (std::is_same_v<Sink, Buffer>)
  {
    return false;
  }
  else
  {
    return Buffer::holds_matches && Operation::keeps_unmatched_a;
  }
}

/// Executes the best loop for `pattern` from `at` up to `stop` or an earlier position, and returns where it stopped.
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
///
/// Invariant: between two loops all elements before `at` are consumed, the kept ones are in the sink, in order, and the
/// buffer is empty unless it is the sink. So any loop may come next.
template <class Operation, class Inputs, class Compare, class Sink, class Buffer, class Flush>
void adaptive_set_operation(
  Operation operation, const Inputs& inputs, Compare& comp, Sink& sink, Buffer& buffer, Flush flush)
{
  set_position at{0, 0};
  const set_position end{inputs.a_count, inputs.b_count};
  if constexpr (std::is_same_v<a_key_t<Inputs>, b_key_t<Inputs>> && is_cheap_key<a_key_t<Inputs>>)
  {
    std::int64_t stretch = shortest_stretch;
    step_pattern pattern = step_pattern::random; // of the last sample
    const auto left = [&] { return (std::min)(end.i - at.i, end.j - at.j); };
    while (left() > branch_free_steps + 1)
    {
      // 1. Sample.
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
        if constexpr (!detail::branches_as_fast<Operation, Sink, Buffer>())
        {
          continue;
        }
      }

      // 2. Follow the pattern for a stretch.
      const set_position stop{(std::min)(at.i + stretch, end.i), (std::min)(at.j + stretch, end.j)};
      at = detail::follow(operation, inputs, pattern, at, stop, comp, sink, buffer, flush);
      stretch = (std::min)(2 * stretch, longest_stretch);
    }

    // 3. Execute the rest.
    if constexpr (!Operation::matches)
    {
      // With keys in random order the other input most likely has as many left; each walk consumes half of them.
      for (int walk = 0; walk < last_walks && pattern == step_pattern::random && left() >= shortest_walk_steps; ++walk)
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
  using buffer_t = element_buffer<Inputs, decltype(Outputs::values), std::int64_t>;
  using key = typename buffer_t::key;
  if constexpr (
    !Operation::matches && is_cheap_key<key> && !buffer_t::holds_codes && std::is_same_v<decltype(outputs.keys), key*>)
  {
    // A merge keeps all elements in order, so its buffer may be the output itself.
    buffer_t buffer(inputs, outputs.keys, inputs.a_count + inputs.b_count);
    detail::buffer_set_operation(operation, buffer, comp);
    return {outputs.keys + buffer.size, outputs.values};
  }
  // Between two flushes the buffer receives the elements of a branch-free block, and one that is not kept; or the
  // copies of keys_at_a_time keys, of which the last one stores copies_at_a_time of each input in any case.
  constexpr std::int64_t max_kept_of_key = (Operation::matches ? 1 : 2) * copies_at_a_time;
  constexpr std::int64_t max_kept_at_a_time = (std::max)(branch_free_steps, (keys_at_a_time + 1) * max_kept_of_key);
  constexpr std::int64_t capacity = is_cheap_key<key> ? max_kept_at_a_time + 16 : 16;
  alignas(16) unsigned char storage[capacity * buffer_t::bytes_per_element];

  write_sink<Inputs, Outputs> sink{inputs, outputs};
  buffer_t buffer(inputs, storage, capacity);
  detail::adaptive_set_operation(operation, inputs, comp, sink, buffer, [&] { buffer.flush(operation, sink.outputs); });
  return sink.outputs;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

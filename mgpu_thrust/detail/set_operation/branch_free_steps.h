// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The loops without a branch on the data, for random keys (see adaptive.h). Both return the record of their last
/// steps' outcomes, a sample by which the next loop is chosen.
///
/// A branch-free step consumes one element or two without knowing which: it loads the next element of both inputs, and
/// advances each index by a comparison's result. It writes an element to the buffer in any case, and advances the
/// buffer's size if the element is kept. So the next step's address depends on this step's comparison. A merge knows
/// its output positions, and hides that by walking in four interleaved parts.

#include <mgpu_thrust/detail/base/cheap_keys.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/adaptive_tuning.h>
#include <mgpu_thrust/detail/set_operation/merge_walks.h>
#include <mgpu_thrust/detail/set_operation/select.h>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/step_pattern.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Executes branch_free_steps steps of a set operation from `at`. A step consumes at most one element of each input,
/// and two are loaded ahead, so both inputs must have at least two more elements left than there are steps. One element
/// is written past the end of the buffer.
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
    record.add(a_less, b_less);
    if constexpr (!std::is_same_v<Buffer, count_sink>)
    {
      local.put_either(Operation::keeps_unmatched_b && b_less, a, next.i, b, next.j);
      local.put_match(!(a_less | b_less), next.j);
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

/// Executes `steps` steps of a merge from `at`, a multiple of 4, as a walk in four parts. Both inputs must have that
/// many elements left. A merge keeps the element of every step, so the buffer receives exactly `steps` elements; part p
/// of the walk writes the p-th quarter. The record is of the last part, and complete if that has 64 steps or more.
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
    if (part == 3) // no match in a merge, so one bit tells the outcome
    {
      record.b_less = record.b_less << 1 | std::uint64_t{is_from_b};
    }
    local.put_either(is_from_b, a, from.i + i, b, from.j + j, part * (steps / 4) + step);
  };
  merge_walk walks[4];
  detail::walk_merge_path(inputs.a + from.i, inputs.b + from.j, steps / 4, before, walks, put);
  record.a_less = ~record.b_less;
  buffer.size += steps;
  at = {from.i + walks[3].i_end, from.j + walks[3].j_end};
  return record;
}
static_assert(branch_free_steps / 4 >= 64, "the last part of a walk is a complete sample");

} // namespace detail
MGPU_THRUST_NAMESPACE_END

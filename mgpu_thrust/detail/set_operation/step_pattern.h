// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The predictor that chooses a loop: the outcomes of the last steps, and the pattern that it sees in them.
///
/// A step has one of three outcomes: the element of A is the smaller, that of B is, or they match. A loop that branches
/// on the outcome is fast where the processor's branch predictor is right, and slow where it is wrong. The record of
/// the last outcomes tells which: it compares each outcome with the one 1 to 4 steps before, and counts the
/// differences. If these are few, a branch predictor is right.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/set_operation/adaptive_tuning.h>

#include <cuda/std/bit>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Pattern of the last steps' outcomes, which decides the best loop for the next steps.
enum class step_pattern
{
  random,    ///< a branch predictor would mispredict again and again
  repeating, ///< a branch predictor would be right: the outcomes repeat with a short period, or come in short stretches
  regular    ///< the outcomes come in long stretches, or alternate for long
};

/// The outcomes of the last 64 steps, newest in the lowest bit. No step has its bit set in both words; a match has it
/// set in neither.
struct step_record
{
  std::uint64_t a_less = 0; ///< the element of A was smaller
  std::uint64_t b_less = 0; ///< the element of B was smaller

  /// Records the outcome of a step, and forgets that of the step 64 before.
  void add(bool is_a_less, bool is_b_less)
  {
    a_less = a_less << 1 | std::uint64_t{is_a_less};
    b_less = b_less << 1 | std::uint64_t{is_b_less};
  }

  step_pattern pattern() const
  {
    if (surprises(1) <= max_surprises_if_regular || surprises(2) <= max_surprises_if_regular)
    {
      return step_pattern::regular;
    }
    for (int period = 1; period <= longest_period; ++period)
    {
      if (surprises(period) <= max_surprises_if_repeating)
      {
        return step_pattern::repeating;
      }
    }
    return step_pattern::random;
  }

private:
  /// Number of outcomes that differ from the one `period` steps before. The oldest `period` outcomes have none before.
  int surprises(int period) const
  {
    const std::uint64_t differ = (a_less ^ (a_less >> period)) | (b_less ^ (b_less >> period));
    return ::cuda::std::popcount(differ & (~std::uint64_t{0} >> period));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

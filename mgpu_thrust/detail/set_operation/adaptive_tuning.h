// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The constants of the adaptive loop (adaptive.h): when it samples, how it classifies a sample, and the block sizes of
/// its loops.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Steps of a branch-free block. Its last 64 outcomes are the sample.
inline constexpr std::int64_t branch_free_steps = 256;

/// Maximum number of outcomes in a sample that differ from the one a period before: for a regular pattern, of period 1
/// or 2, and for a repeating one, of a period up to longest_period.
inline constexpr int max_surprises_if_regular = 2;
inline constexpr int max_surprises_if_repeating = 16;
inline constexpr int longest_period = 4;

/// Number of elements of an input that the loop for a pattern may consume before the next sample: at first, and at
/// most. A step with branches costs down to a tenth of a branch-free one, so sampling costs a fifth at first, and soon
/// nothing.
inline constexpr std::int64_t shortest_stretch = 8 * branch_free_steps;
inline constexpr std::int64_t longest_stretch = std::int64_t{1} << 16;

/// Minimum number of steps of a branch-free walk at the end of a merge, and maximum number of such walks.
inline constexpr std::int64_t shortest_walk_steps = 32;
inline constexpr int last_walks = 5;

/// Number of elements that set_operation_strides consumes at a time.
inline constexpr std::int64_t stride_elements = 8;

/// Maximum number of copies of a key that set_operation_copies consumes from each input at a time, and number of keys
/// after which it flushes the buffer.
inline constexpr std::int64_t copies_at_a_time = 32;
inline constexpr int keys_at_a_time = 8;

/// Number of elements of each input that are inspected for copies, and number of copies per key from which on it is
/// worth while to consume all copies of a key at a time.
inline constexpr std::int64_t elements_inspected_for_copies = 64;
inline constexpr int min_copies = 4;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

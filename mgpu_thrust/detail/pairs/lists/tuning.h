// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tuning of set operations on pairs of lists whose results are lists, on a GPU.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The blocks of all kernels. A thread has a chunk of a pair's work: up to `path_steps` steps of the path of both
/// lists, or a needle. Intersections of 2^14 pairs of 4,096 take 1.01 ms with 24 steps and 1.08 with 16, with registers
/// for six blocks 1.34 (H100). With 30 merges of lists of 64 are slower.
struct segmented_lists_shape : tile_shape<256, 1, 4>
{
  static constexpr int path_steps = 24;
};

/// Minimum number of elements of a list for each needle of the other: with fewer, both lists are walked along.
inline constexpr std::int64_t min_needle_ratio = 32;

/// Number of blocks that all chunks are divided into, eight for each multiprocessor of an H100: a block reads the
/// totals of all, so they are not more for large inputs.
inline constexpr int segmented_lists_blocks = 1056;

/// Minimum and maximum number of blocks of a co-resident grid: one turns counts into offsets, and four take tiles. Four
/// on each multiprocessor of an H100 are 528.
inline constexpr int min_lists_blocks = 5;
inline constexpr int max_lists_blocks = 768;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tuning of operations on pairs of lists.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The blocks of both kernels. A thread has two pairs of a window of neighbouring pairs, and a tile needles of long lists.
struct segmented_sets_shape : tile_shape<256, 8, 5>
{
  static constexpr int pairs_per_thread = 2;
  static constexpr int max_pairs = threads * pairs_per_thread; ///< of a window
};

/// Maximum number of needles of a pair that a block processes with others. Up to it a window's needles have a bit each in
/// shared memory.
inline constexpr int max_short_needles = 128;

/// Number of windows that pairs are divided into, if that leaves a window fewer pairs than it has room for: enough for the
/// multiprocessors of an H200.
inline constexpr std::int64_t min_windows = 1056;

/// Returns the number of pairs of a window.
constexpr int window_pairs(std::int64_t num_pairs)
{
  const std::int64_t pairs = num_pairs / min_windows + (num_pairs % min_windows > 0 ? 1 : 0);
  return static_cast<int>(pairs < segmented_sets_shape::max_pairs ? pairs : segmented_sets_shape::max_pairs);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

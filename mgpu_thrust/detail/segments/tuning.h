// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tile size of the kernels over segments, how a tile's segments are found, and how many items a thread has in
/// flight.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/segments/serial.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape for all actions, as a tile keeps only where its segments start. On an H200, 128 x 16, 128 x 32, 256 x 32 and
/// 512 x 16 are up to 5 % slower, and fewer blocks than fill a multiprocessor 10 % for gathers.
using segments_shape = tile_shape<256, 16, 8>;

/// Prefetch distance, in tiles, of a tile's offsets and values. Without it a mean length of 4 costs 10 to 15 %; from
/// 128 tiles on they are too much for the second-level cache where segments have one item.
inline constexpr int segments_prefetch_distance = 64;

/// Maximum number of segments in a tile for which the ends of their results are prefetched. On an H200 this makes a
/// scatter of 64 elements per segment a sixth faster, one of 16 a ninth slower.
inline constexpr int most_segments_with_result_ends = 128;

/// Up to this number of segments, each block searches for its own, whatever the number of tiles, as the offsets stay in the
/// caches: a kernel that cuts would cost three to five microseconds.
inline constexpr std::int64_t most_segments_without_cut = std::int64_t{1} << 18;

/// Number of items that a thread loads before it stores the first: 1 if what is loaded, or the value of a segment, is
/// not held in registers at all, or cannot be put into an array.
template <class Value, class Loaded>
MGPU_THRUST_HOST_DEVICE constexpr int segments_batch()
{
  constexpr bool are_assignable = std::is_copy_assignable_v<Loaded> && std::is_copy_assignable_v<Value>;
  return is_batchable_v<Loaded> && is_batchable_v<Value> && are_assignable ? 4 : 1;
}

/// Number of neighbouring items whose results a thread stores at once, 16 bytes at most: 1 unless the results are plain
/// numbers and stored through a pointer. The segments of that number of items are then found in one step.
template <class Action>
inline constexpr int segments_vector = 1;
template <class Function, class Values, class Result>
inline constexpr int segments_vector<segment_transform<Function, Values, Result*>> = !std::is_arithmetic_v<Result> ? 1
                                                                                     : sizeof(Result) <= 4         ? 4
                                                                                     : sizeof(Result) == 8         ? 2
                                                                                                                   : 1;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

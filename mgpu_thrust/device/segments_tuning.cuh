// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How large a tile of items in segments is, how its segments are found, and how many of its items a thread has in
/// flight.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/tile_shape.cuh>
#include <mgpu_thrust/thread/segments.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape for all jobs, as a tile keeps nothing of its items but where segments start. On an H200, 128 x 16, 128 x
/// 32, 256 x 32 and 512 x 16 are up to 5 % slower, and fewer blocks than fill a multiprocessor 10 % for gathers.
using segments_shape = tile_shape<256, 16, 8>;

/// How many tiles before its turn a tile's offsets and values are asked for. Without it a mean length of 4 costs 10 to
/// 15 %; from 128 tiles on they are too much for the second-level cache where segments have one item.
inline constexpr int segments_prefetch_distance = 64;

/// How many segments of a tile may have the ends of their results asked for. On an H200 a scatter of 64 elements a
/// segment is a sixth faster for it, of 16 a ninth slower.
inline constexpr int most_segments_with_result_ends = 128;

/// So few segments are searched for by the blocks that need them, as the offsets stay in the caches: a partition kernel
/// would cost five microseconds.
inline constexpr std::int64_t few_segments = 65536;

/// How many items of a thread are loaded before the first is stored. 1 if what is loaded, or the value of a segment, is
/// not held in registers at all, or cannot be put into an array.
template <class Value, class Loaded>
MGPU_THRUST_HOST_DEVICE constexpr int segments_batch()
{
  constexpr bool are_small = is_small_v<Loaded> && is_small_v<Value>;
  constexpr bool are_trivial =
    std::is_trivially_default_constructible_v<Loaded> && std::is_trivially_default_constructible_v<Value>;
  constexpr bool are_assignable = std::is_copy_assignable_v<Loaded> && std::is_copy_assignable_v<Value>;
  return are_small && are_trivial && are_assignable ? 4 : 1;
}

/// How many neighbouring items of a job a thread takes, whose results it stores at once, 16 bytes of them at most: 1
/// unless they are plain numbers and go to a pointer. Where segments start is then found for so many items in one go.
template <class Job>
inline constexpr int segments_vector = 1;
template <class Function, class Values, class Result>
inline constexpr int segments_vector<segment_transform<Function, Values, Result*>> = !std::is_arithmetic_v<Result> ? 1
                                                                                     : sizeof(Result) <= 4         ? 4
                                                                                     : sizeof(Result) == 8         ? 2
                                                                                                                   : 1;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

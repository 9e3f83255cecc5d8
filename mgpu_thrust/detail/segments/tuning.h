// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tuning of the kernels over segments: shapes, their limits, and how many items a thread has in flight.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/segments/serial.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape of tiles, for all actions: a tile keeps only where its segments start. On an H200, 128 x 16, 128 x 32, 256
/// x 32 and 512 x 16 are up to 5 % slower. Fewer resident blocks are 10 % slower for gathers.
struct segments_shape : tile_shape<256, 16, 8>
{
  /// Prefetch distance, in tiles, of a tile's offsets and values. Without it a mean length of 4 costs 10 to 15 %. From
  /// 128 tiles on, in segments of one item, they do not stay in the L2 cache.
  static constexpr int prefetch_distance = 64;

  /// Maximum number of segments in a tile for which the ends of their results are prefetched. On an H200 this makes a
  /// scatter of 64 elements per segment a sixth faster, and one of 16 a ninth slower.
  static constexpr int max_segments_with_result_ends = 128;

  /// Up to this number of segments, blocks search for their own in any number of tiles: the offsets stay in the caches.
  /// A kernel that cuts would take three to five microseconds. If blocks search, 2^27 items in 190,000 segments take
  /// 1.11 of the time (H200).
  static constexpr std::int64_t max_segments_without_cut = std::int64_t{1} << 16;
};

/// The shape of blocks that have no tiles: each keeps in shared memory where all segments start.
struct few_segments_shape
{
  static constexpr int threads = 256;
  /// Each thread loads four.
  static constexpr std::int64_t max_segments = 4 * threads;
  static constexpr std::int64_t max_items = std::int64_t{1} << 18;
  /// Of more items each thread has two: more blocks would take longer to start.
  static constexpr std::int64_t max_threads = std::int64_t{1} << 17;
};

/// Number of items that a thread loads before it stores the first. It is 1 if registers cannot hold several loaded
/// elements, or several values of segments.
template <class Value, class Loaded>
MGPU_THRUST_HOST_DEVICE constexpr int segments_batch()
{
  constexpr bool are_assignable = std::is_copy_assignable_v<Loaded> && std::is_copy_assignable_v<Value>;
  return is_batchable_v<Loaded> && is_batchable_v<Value> && are_assignable ? 4 : 1;
}

/// Number of neighbouring items whose results a thread stores as a vector, of up to 16 bytes. It is 1 unless the
/// results are numbers and stored through a pointer. A thread finds the segments of as many items in one step.
template <class Action>
inline constexpr int segments_vector = 1;
template <class Function, class Values, class Result>
inline constexpr int segments_vector<segment_transform<Function, Values, Result*>> = !std::is_arithmetic_v<Result> ? 1
                                                                                     : sizeof(Result) <= 4         ? 4
                                                                                     : sizeof(Result) == 8         ? 2
                                                                                                                   : 1;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How large a tile of items in segments is, and how many of its items a thread loads before it stores the first.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/tile_shape.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

#ifdef SWEEP
using segments_shape = tile_shape<SWEEP>;
#else
/// The shape for all jobs, as a tile keeps nothing of its items but where segments start.
using segments_shape = tile_shape<256, 16, 8>;
#endif

/// How many tiles before its turn a tile's offsets and values are asked for. A microsecond is enough; far ahead, they are
/// too much for the second-level cache where segments are short.
#ifdef PREFETCH
inline constexpr int segments_prefetch_distance = PREFETCH;
#else
inline constexpr int segments_prefetch_distance = 64;
#endif

/// So few segments are searched for by the blocks that need them.
#ifdef FEW
inline constexpr std::int64_t few_segments = FEW;
#else
inline constexpr std::int64_t few_segments = 65536;
#endif

/// How many items of a thread are loaded before the first is stored. 1 if what is loaded, or the value of a segment, is
/// not held in registers at all.
template <class Value, class Loaded>
MGPU_THRUST_HOST_DEVICE constexpr int segments_batch()
{
#ifdef SWEEP_BATCH
  return SWEEP_BATCH;
#endif
  constexpr bool are_small = is_small_v<Loaded> && is_small_v<Value>;
  constexpr bool are_trivial =
    std::is_trivially_default_constructible_v<Loaded> && std::is_trivially_default_constructible_v<Value>;
  return are_small && are_trivial ? 4 : 1;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

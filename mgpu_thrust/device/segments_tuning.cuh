// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How large a tile of items in segments is, and how many of its items a thread loads before it stores the first.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/tile_shape.cuh>

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

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

/// How many loaded elements of a type a thread holds, of its `items`. 1 if they are not held in registers at all.
template <class Loaded>
MGPU_THRUST_HOST_DEVICE constexpr int segments_batch()
{
#ifdef SWEEP_BATCH
  return SWEEP_BATCH;
#endif
  return !is_small_v<Loaded> || !std::is_trivially_default_constructible_v<Loaded> ? 1 : 4;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

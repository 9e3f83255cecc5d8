// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The tile size of segmented reductions, and which values a tile keeps in shared memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/tile/tile_shape.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// One shape for all types, as a plan is made before the types are known. 15 items per thread spread the threads' first
/// items over the banks of shared memory.
using segmented_reduce_shape = tile_shape<256, 15, 8>;

/// The weight of a tile, in units of a segment's end.
inline constexpr std::int64_t segmented_reduce_weight = item_weight * segmented_reduce_shape::items;

/// Whether a tile's values are kept in shared memory. Wider values would leave room for few tiles on a multiprocessor;
/// threads read them from global memory, as a sector is hardly more than one or two of them.
template <class Value>
inline constexpr bool stages_values = sizeof(Value) <= 8 && std::is_trivially_copyable_v<Value>;

/// Prefetch distance of a tile's offsets, in tiles.
inline constexpr int segmented_reduce_prefetch_distance = 256;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

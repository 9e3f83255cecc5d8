// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The tile sizes of segmented reductions, and which values a tile keeps in shared memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/tile/tile_shape.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// One shape for all types, as a plan is made before the types are known. 15 items per thread spread the threads' first
/// items over the banks of shared memory. On an H200, 128, 192 and 320 threads and 13 items are up to 10 % slower.
struct segmented_reduce_shape : tile_shape<256, 15, 8>
{
  /// The weight of a tile, in units of a segment's end.
  static constexpr std::int64_t weight = item_weight * items;

  /// Prefetch distance of a tile's offsets, in tiles. Items are not prefetched, as the copy engine loads them early
  /// enough: to prefetch both costs `double` a tenth.
  static constexpr int prefetch_distance = 256;

  /// Whether a tile's values are kept in shared memory. Wider values would leave room for few tiles on a
  /// multiprocessor; threads read them from global memory, as a sector is hardly more than one or two of them.
  template <class Value>
  static constexpr bool stages_values = sizeof(Value) <= 8 && std::is_trivially_copyable_v<Value>;
};

/// The weight of a tile, by which tiles are cut.
inline constexpr std::int64_t segmented_reduce_weight = segmented_reduce_shape::weight;

/// The shape of a block that combines what tiles carry.
struct segmented_carry_shape
{
  /// Threads of a block, and number of tiles that the block processes.
  static constexpr int threads = 512;
  /// Most tiles whose carries one thread combines; those of more tiles are combined by the block.
  static constexpr int most_tiles_of_thread = 32;
  /// The weight of a tile, in units of a segment's end.
  static constexpr std::int64_t tile_weight = segmented_reduce_shape::weight;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

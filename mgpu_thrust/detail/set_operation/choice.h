// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a CUDA device executes for a set operation or a merge, by sizes, types and the device.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/tuning.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a set operation or merge. Deferred sizes count as their capacities.
enum class set_operation_path
{
  /// A thread for each element of A bisects B.
  /// When: intersections, differences and sizes, if |A| + |B| <= {max_to_match_by_bisection} and the grid is co-resident
  /// Kernels: bisection_kernel
  /// Launches: 1
  /// Why: for 2^12 int32 a side a caller waits 16 us instead of 18.5 for tiles (H200)
  bisect,

  /// The blocks of a co-resident grid cut a tile each, and wait for the counts of all others.
  /// When: otherwise, if the grid is co-resident, set operations, and merges whose count is stored where a size is
  /// read: on an H200 up to {132 * coresident_set_operation_shape<set_operation_shape<set_union_t, 4, false>, 4,
  /// false>::sure_blocks} tiles of {coresident_set_operation_shape<set_operation_shape<set_union_t, 4, false>, 4,
  /// false>::items} int32
  /// Kernels: set_operation_kernel
  /// Launches: 1
  /// Why: for an intersection of 2^20 int32 a side a caller waits 22 us instead of 23.5 with a kernel that cuts (H200)
  coresident_tiles,

  /// The blocks cut a tile each; a merge waits for no count.
  /// When: merges of up to {max_tiles_cut_by_blocks} tiles, of {set_operation_shape<merge_t, 4, false>::items} int32
  /// each
  /// Kernels: set_operation_kernel
  /// Launches: 1
  /// Why: for a merge of 2^20 int32 a side a caller waits 15 us instead of 17 with a kernel that cuts (H200)
  tiles_cut_by_blocks,

  /// One kernel cuts all tiles, and the blocks of the next execute the operation. In set operations the first block
  /// serves offsets.
  /// When: otherwise
  /// Kernels: cut_kernel, set_operation_kernel
  /// Launches: 2
  /// Why: 2^26 + 2^26 int32 take 0.26 ms with served offsets, 0.32 ms with look-back (H200)
  cut_tiles
};

/// What the path of a set operation depends on beside sizes and the device. Operations that only count use the kernels
/// of the intersection.
template <class Operation, int KeyBytes, bool HasValues, bool Writes, bool IsDeferred>
struct set_operation_traits
{
  using kernel_operation = std::conditional_t<Writes, Operation, set_intersection_t>;
  using shape = set_operation_shape<kernel_operation, KeyBytes, HasValues>;
  using coresident_shape =
    std::conditional_t<kernel_operation::matches, coresident_set_operation_shape<shape, KeyBytes, HasValues>, shape>;
  /// Whether the operation keeps elements of A alone, or counts matches.
  static constexpr bool may_bisect = kernel_operation::matches && !kernel_operation::keeps_unmatched_b;
  /// Whether blocks may have to wait for each other: to place what they keep, or to store a count where a size is read.
  static constexpr bool may_wait = kernel_operation::matches || IsDeferred;
};

/// Returns the number of blocks that bisect for a_count elements; at least one, which stores the count.
constexpr std::int64_t set_bisection_blocks(std::int64_t a_count)
{
  return a_count == 0 ? 1 : ::cuda::ceil_div(a_count, std::int64_t{bisection_shape::threads});
}

/// Returns the path of a set operation. `in_place` tells whether kernels may read the sizes where they are, as no
/// kernel stores its count there. The path of an unknown device, device_room{}, has no co-resident grid, and needs the
/// maximum of storage.
template <class Traits>
constexpr set_operation_path
choose_set_operation_path(std::int64_t a_count, std::int64_t b_count, bool in_place, const device_room& device)
{
  using shape = typename Traits::shape;
  using coresident = typename Traits::coresident_shape;
  constexpr bool matches = Traits::kernel_operation::matches;
  const std::int64_t elements = a_count + b_count;
  if (
    Traits::may_bisect && elements <= max_to_match_by_bisection
    && detail::set_bisection_blocks(a_count) <= detail::max_coresident_tiles<bisection_shape>(device))
  {
    return set_operation_path::bisect;
  }
  if (
    (matches || !in_place)
    && ::cuda::ceil_div(elements, std::int64_t{coresident::items}) <= detail::max_coresident_tiles<coresident>(device))
  {
    return set_operation_path::coresident_tiles;
  }
  return !matches && detail::are_cut_by_blocks(::cuda::ceil_div(elements, std::int64_t{shape::items}), in_place)
           ? set_operation_path::tiles_cut_by_blocks
           : set_operation_path::cut_tiles;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

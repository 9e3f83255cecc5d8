// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a CUDA device executes for a set operation or a merge, by sizes, types and the device.

#include <mgpu_thrust/detail/base/chosen_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/bisection.h>
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
  /// A thread for each element of A bisects B, or one for each element of a much shorter B bisects A.
  /// When: if the grid is co-resident, intersections and sizes where one range is at least {sparse_needles_ratio} times
  /// as long as the other, and differences where B is at least as many times as long as A; and all of these, if |A| +
  /// |B| <= {max_to_match_by_bisection}
  /// Kernels: bisection_kernel
  /// Launches: 1
  /// Why: for 2^12 int32 a side a caller waits 16 us instead of 18.5 for tiles (H200)
  bisect,

  /// As bisect, by any number of blocks; the first one serves offsets.
  /// When: as bisect, if the grid is not co-resident: on an H200 for more than {max_tiles_cut_by_blocks *
  /// bisection_shape::threads} elements of the shorter range
  /// Kernels: bisection_kernel; before it read_sizes_kernel, if sizes are deferred
  /// Launches: 1, after a cudaMemsetAsync; 2, if sizes are deferred
  /// Why: for an intersection of 2^20 with 2^28 int32 a caller waits 95 us, for tiles 439 (H100)
  bisect_with_served_offsets,

  /// The blocks of a co-resident grid cut a tile each, and wait for the counts of all others.
  /// When: otherwise, if the grid is co-resident, set operations, and merges whose count is stored where a size is
  /// read: on an H200 up to {132 * coresident_set_operation_shape<set_operation_shape<set_union_t, 4, false>, 4,
  /// false>::sure_blocks} tiles of {coresident_set_operation_shape<set_operation_shape<set_union_t, 4, false>, 4,
  /// false>::items} int32
  /// Data: if the sizes that are read are for bisection, the blocks bisect
  /// Kernels: set_operation_kernel
  /// Launches: 1
  /// Why: for an intersection of 2^20 int32 a side a caller waits 20 us instead of 22 with a kernel that cuts, for a
  /// union of 2^10 18 instead of 19.5 (H200)
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
  /// Data: if the sizes that are read are for bisection, the blocks bisect
  /// Kernels: cut_kernel, set_operation_kernel
  /// Launches: 2
  /// Why: 2^26 + 2^26 int32 take 0.26 ms with served offsets, 0.32 ms with look-back (H200)
  cut_tiles
};

/// Whether an operation keeps elements of A alone, so that elements can be searched for one by one.
template <class Operation>
inline constexpr bool may_bisect_for = Operation::matches && !Operation::keeps_unmatched_b;

/// The Bisection of an operation. An element of B finds the element of A that it matches, but not those without a
/// match.
template <class Operation, std::int64_t MaxElements>
using set_bisection = std::conditional_t<
  Operation::keeps_unmatched_a, one_way_bisection<true, bisection<MaxElements>>,
  two_way_bisection<bisection<MaxElements>>>;

/// What the path of a set operation depends on beside sizes and the device. Operations that only count use the kernels
/// of the intersection.
template <class Operation, int KeyBytes, bool HasValues, bool Writes, bool IsDeferred, bool CombinesValues = false>
struct set_operation_traits
{
  using kernel_operation = std::conditional_t<Writes, Operation, set_intersection_t>;
  using shape = set_operation_shape<kernel_operation, KeyBytes, HasValues, CombinesValues>;
  using coresident_shape =
    std::conditional_t<kernel_operation::matches, coresident_set_operation_shape<shape, KeyBytes, HasValues>, shape>;
  static constexpr bool may_bisect = may_bisect_for<kernel_operation>;
  using bisection_type =
    std::conditional_t<may_bisect, set_bisection<kernel_operation, max_to_match_by_bisection>, no_bisection>;
  /// Whether blocks may have to wait for each other: to place what they keep, or to store a count where a size is read.
  static constexpr bool may_wait = kernel_operation::matches || IsDeferred;
};

/// Returns the number of blocks that bisect for `needles` needles; at least one, which stores the count.
constexpr std::int64_t set_bisection_blocks(std::int64_t needles)
{
  return needles == 0 ? 1 : ::cuda::ceil_div(needles, std::int64_t{bisection_shape::threads});
}

/// Chooses for inputs whose sizes may be deferred. `in_place` tells whether kernels may read the sizes where they are,
/// as no kernel stores its count there. An unknown device, device_room{}, has no co-resident grid.
template <class Traits, class SizeA, class SizeB>
constexpr path_choice<set_operation_path>
choose_set_operation(const SizeA& a_size, const SizeB& b_size, bool in_place, const device_room& device)
{
  using coresident = typename Traits::coresident_shape;
  using path = set_operation_path;
  constexpr bool matches = Traits::kernel_operation::matches;
  const std::int64_t elements = Traits::bisection_type::max_tiled(a_size, b_size);
  if constexpr (Traits::may_bisect)
  {
    if (elements == 0)
    {
      const std::int64_t blocks = detail::set_bisection_blocks(Traits::bisection_type::max_needles(a_size, b_size));
      const bool is_coresident = blocks <= detail::max_coresident_tiles<bisection_shape>(device);
      return {is_coresident ? path::bisect : path::bisect_with_served_offsets, blocks, blocks};
    }
  }
  const std::int64_t tiles = ::cuda::ceil_div(elements, std::int64_t{Traits::shape::items});
  const std::int64_t coresident_tiles = ::cuda::ceil_div(elements, std::int64_t{coresident::items});
  if ((matches || !in_place) && coresident_tiles <= detail::max_coresident_tiles<coresident>(device))
  {
    return {path::coresident_tiles, coresident_tiles, tiles};
  }
  const bool by_blocks = !matches && detail::are_cut_by_blocks(tiles, in_place);
  return {by_blocks ? path::tiles_cut_by_blocks : path::cut_tiles, tiles, tiles};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

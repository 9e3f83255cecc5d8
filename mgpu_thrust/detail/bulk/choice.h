// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels bulk removal and insertion run on a GPU. The comments of the paths are the table "What runs when" of
/// docs/how-it-works/bulk.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/bulk/tuning.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Bulk removals.
enum class bulk_removal_path
{
  /// Each block finds the indices of its tile of elements.
  /// When: up to {max_indices_without_cut} indices, of a size that is not deferred
  /// Kernels: removal_kernel
  /// Launches: 1
  /// Why: every other of 2^17 int32 takes 13.1 us, every other of 2^18, with a cut, 16.6 (H200)
  uncut_tiles,
  /// A kernel counts the indices below each tile.
  /// When: otherwise
  /// Kernels: cut_kernel, removal_kernel
  /// Launches: 2
  /// Why: blocks of every wave would wait for their own searches: load balancing of 2^26 took 1.27 times as long (H200)
  tiles
};

/// Bulk insertions, whose tiles are of the output.
enum class bulk_insertion_path
{
  /// Each block cuts its tile on the merge path.
  /// When: up to {max_tiles_cut_by_blocks} tiles: {max_tiles_cut_by_blocks * choose_bulk_shape<8>().items} elements of
  /// up to 8 bytes, {max_tiles_cut_by_blocks * choose_bulk_shape<16>().items} of up to 16, {max_tiles_cut_by_blocks *
  /// choose_bulk_shape<64>().items} of up to 64, {max_tiles_cut_by_blocks * choose_bulk_shape<65>().items} of more; not
  /// if the count is stored where a size is read
  /// Kernels: insertion_kernel
  /// Launches: 1
  /// Why: merges, which are cut alike, of 2^20 int32 a side take 15 us instead of 17 (H200)
  uncut_tiles,
  /// A kernel finds where tiles begin on the merge path.
  /// When: otherwise
  /// Kernels: cut_kernel, insertion_kernel
  /// Launches: 2
  /// Why: blocks of every wave would wait for their own searches: searches of 2^23 took 1.1 times as long (H200)
  tiles
};

/// Returns the path of a removal. A deferred number of indices is the capacity.
constexpr bulk_removal_path choose_bulk_removal_path(std::int64_t num_indices, bool is_deferred)
{
  return !is_deferred && num_indices <= max_indices_without_cut ? bulk_removal_path::uncut_tiles
                                                                : bulk_removal_path::tiles;
}

/// Returns the path of an insertion of elements of ElementBytes bytes. If sizes are deferred, `output_size` is that of
/// the capacities. `in_place` tells whether sizes are known, or read in place.
template <int ElementBytes>
constexpr bulk_insertion_path choose_bulk_insertion_path(std::int64_t output_size, bool in_place)
{
  constexpr std::int64_t tile_items = decltype(choose_bulk_shape<ElementBytes>())::items;
  return detail::are_cut_by_blocks(::cuda::ceil_div(output_size, tile_items), in_place)
           ? bulk_insertion_path::uncut_tiles
           : bulk_insertion_path::tiles;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

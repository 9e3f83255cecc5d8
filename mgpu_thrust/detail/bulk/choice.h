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

/// Returns the number of tiles of `size` elements of ElementBytes bytes.
template <int ElementBytes>
constexpr std::int64_t bulk_tiles(std::int64_t size)
{
  return ::cuda::ceil_div(size, std::int64_t{decltype(choose_bulk_shape<ElementBytes>())::items});
}

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

/// How a device executes a removal or an insertion.
template <class Path>
struct bulk_choice
{
  Path path;
  std::int64_t tiles;
};

/// Chooses for a removal from `size` elements of ElementBytes bytes. Deferred sizes count as their capacities.
template <int ElementBytes>
constexpr bulk_choice<bulk_removal_path>
choose_bulk_removal(std::int64_t size, std::int64_t num_indices, bool is_deferred)
{
  const bool is_uncut = !is_deferred && num_indices <= max_indices_without_cut;
  return {is_uncut ? bulk_removal_path::uncut_tiles : bulk_removal_path::tiles, detail::bulk_tiles<ElementBytes>(size)};
}

/// Chooses for an insertion of elements of ElementBytes bytes. If sizes are deferred, `output_size` is that of the
/// capacities. `in_place` tells whether sizes are known, or read in place.
template <int ElementBytes>
constexpr bulk_choice<bulk_insertion_path> choose_bulk_insertion(std::int64_t output_size, bool in_place)
{
  const std::int64_t tiles = detail::bulk_tiles<ElementBytes>(output_size);
  const bool is_uncut = detail::are_cut_by_blocks(tiles, in_place);
  return {is_uncut ? bulk_insertion_path::uncut_tiles : bulk_insertion_path::tiles, tiles};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

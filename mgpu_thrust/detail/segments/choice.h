// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels load balancing and interval operations run on a GPU. The comments of the paths are the table "What
/// runs when" of docs/how-it-works/segments.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/segments/tuning.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Load balancing and interval operations. The path depends on sizes alone, not on types or the device.
enum class segments_path
{
  /// Each block loads where all segments start. Each thread finds the segments of one or two items.
  /// When: up to {few_segments_shape::max_items} items in up to {few_segments_shape::max_segments} segments
  /// Kernels: few_segments_kernel
  /// Launches: 1
  /// Why: 2^8 to 2^17 items take 0.67 to 0.93 of the time of tiles (H200)
  few_segments,
  /// A block has the only tile, and so all segments.
  /// When: otherwise, up to {segments_shape::items} items in up to {segments_shape::items} segments
  /// Kernels: segments_kernel
  /// Launches: 1
  /// Why: 2^11 int32 in segments of one take 11.3 us, 2^13, in two tiles, 13.0 (H200)
  one_tile,
  /// Each block finds the segments of its tile.
  /// When: otherwise, up to {max_tiles_cut_by_blocks * segments_shape::items} items, or
  /// {segments_shape::max_segments_without_cut} segments
  /// Kernels: segments_kernel
  /// Launches: 1
  /// Why: 2^21 int32 in segments of four take 0.83 of the time of the path with a cut (H200)
  uncut_tiles,
  /// A kernel finds where tiles begin.
  /// When: otherwise
  /// Kernels: cut_kernel, segments_kernel
  /// Launches: 2
  /// Why: 2^26 int32 in segments of four would take 1.27 times as long if blocks searched (H200)
  tiles,
  /// In the kernel of tiles, each block loads where all segments start, as in few_segments.
  /// When: deferred sizes within the limits of few_segments, and up to {few_segments_shape::threads} items for each
  /// tile of the capacity; capacities of one_tile or uncut_tiles
  /// Kernels: segments_kernel
  /// Launches: 1
  /// Why: a sixteenth of 2^14 int32 in segments of one takes 10.3 us, all of it, in tiles, 13.7 (H200)
  few_deferred_segments
};

/// Returns the path of items in tiles. `may_be_cut` tells whether cut_kernel may precede.
MGPU_THRUST_HOST_DEVICE constexpr segments_path
choose_segment_tiles_path(std::int64_t num_items, std::int64_t num_segments, bool may_be_cut)
{
  if (num_items <= segments_shape::items && num_segments <= segments_shape::items)
  {
    return segments_path::one_tile;
  }
  return may_be_cut && detail::need_cut<segments_shape::items>(num_items) ? segments_path::tiles
                                                                          : segments_path::uncut_tiles;
}

/// Returns the path of a call. If the sizes are deferred, they are the capacities.
MGPU_THRUST_HOST_DEVICE constexpr segments_path choose_segments_path(std::int64_t num_items, std::int64_t num_segments)
{
  if (num_items <= few_segments_shape::max_items && num_segments <= few_segments_shape::max_segments)
  {
    return segments_path::few_segments;
  }
  return detail::choose_segment_tiles_path(
    num_items, num_segments, num_segments > segments_shape::max_segments_without_cut);
}

/// How a device executes load balancing or an interval operation.
struct segments_choice
{
  segments_path path;
  std::int64_t tiles;
  std::int64_t blocks; ///< of the kernel that processes the items
};

/// Chooses for a call. If the sizes are deferred, they are the capacities.
constexpr segments_choice choose_segments(std::int64_t num_items, std::int64_t num_segments)
{
  const segments_path path = detail::choose_segments_path(num_items, num_segments);
  const std::int64_t tiles = ::cuda::ceil_div(num_items, std::int64_t{segments_shape::items});
  const std::int64_t blocks_of_few =
    ::cuda::ceil_div((std::min)(num_items, few_segments_shape::max_threads), std::int64_t{few_segments_shape::threads});
  return {path, tiles, path == segments_path::few_segments ? blocks_of_few : tiles};
}

/// Returns what segments_kernel does with the deferred sizes that it has read, by `blocks` blocks. `is_preceded` tells
/// whether cut_kernel precedes.
MGPU_THRUST_HOST_DEVICE constexpr segments_path
choose_deferred_segments_path(std::int64_t num_items, std::int64_t num_segments, std::int64_t blocks, bool is_preceded)
{
  if (
    !is_preceded && detail::choose_segments_path(num_items, num_segments) == segments_path::few_segments
    && num_items <= blocks * few_segments_shape::threads)
  {
    return segments_path::few_deferred_segments;
  }
  return detail::choose_segment_tiles_path(num_items, num_segments, is_preceded);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

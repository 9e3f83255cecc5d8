// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The shape of tiles and units of window reductions.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The shape of a tile of items of type T, and of the blocks that stage two of them. Each thread has a group of
/// items_per_thread neighbours; an odd number spreads the groups over the banks of shared memory.
template <class T>
struct window_shape
{
  static constexpr int bytes = static_cast<int>(sizeof(T));
  static constexpr int log_threads = bytes <= 8 ? 7 : bytes <= 16 ? 6 : 5;
  static constexpr int threads = 1 << log_threads;
  static constexpr int items_per_thread = bytes <= 4 ? 15 : bytes <= 32 ? 7 : bytes <= 128 ? 3 : 1;
  static constexpr int items = threads * items_per_thread;
  static constexpr int blocks_per_multiprocessor = detail::min_blocks(threads, 8);

  /// Windows of up to this number of items are reduced one item after another. Longer ones are in two groups or more.
  static constexpr int max_short_window = items_per_thread;
  /// Windows that a thread has at a time, so that their bounds arrive together.
  static constexpr int windows_per_thread = bytes <= 8 ? 4 : bytes <= 16 ? 2 : 1;
  static constexpr int windows = threads * windows_per_thread;

  /// A unit has at most 2^log_unit_windows windows. A block has up to max_units units, as long as there are
  /// usual_blocks blocks.
  static constexpr int log_unit_windows = 12;
  static constexpr int max_units = 16;
  static constexpr std::int64_t usual_blocks = 2048;

  MGPU_THRUST_HOST_DEVICE static constexpr std::int64_t tiles(std::int64_t num_items)
  {
    return num_items > 0 ? ::cuda::ceil_div(num_items, std::int64_t{items}) : 1;
  }
  /// Returns an upper bound of the units of windows of these sizes, which is at least 1.
  MGPU_THRUST_HOST_DEVICE static constexpr std::int64_t units(std::int64_t num_items, std::int64_t num_windows)
  {
    return ((num_windows - 1) >> log_unit_windows) + 2 * tiles(num_items) - 1;
  }
  /// Returns the number of units of a block, given those of all.
  static constexpr int units_of_block(std::int64_t units)
  {
    return static_cast<int>(std::clamp(units / usual_blocks, std::int64_t{1}, std::int64_t{max_units}));
  }
};
/// Rows whose bounds are found by keys together, in a tile of sorted searches. It has room for 2.6 keys a row, of which
/// the begins and the ends most often need one each.
template <class SearchShape>
inline constexpr int key_bounds_rows = SearchShape::items / 13 * 5;

/// Tiles of a block that reduces tiles to totals. Where no totals are needed, 2^27 int32 in blocks of one tile took 46
/// us, of eight 9 us (H200).
inline constexpr int window_tiles_of_block = 8;
/// Up to this number of tiles no kernel reduces them to totals: for 2^14 int32 in windows of 8 a caller waits 17 us
/// instead of 28 (H200).
inline constexpr std::int64_t max_tiles_without_totals = 16;
/// Threads of the blocks that fill the table of totals.
inline constexpr int log_window_table_threads = 10;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

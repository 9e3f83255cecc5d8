// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Writes the rows of a tile of a join, by the threads of a block.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/rows/row_words.cuh>
#include <mgpu_thrust/detail/join/rows/tile_writer.cuh>
#include <mgpu_thrust/detail/join/serial.h>

#include <cub/thread/thread_store.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Writes rows of a tile that a join_row_finder or an interval_finder (Finder) has found. All threads of the block must
/// call each function.
///
/// Few rows are staged, unless the positions of matches are too large: each lane writes the rows of its own left
/// elements to shared memory, and neighbouring threads store neighbouring rows from there. Of many rows each warp
/// writes an equal share: it finds the group of its first row, and the first row of each of the group's elements, one a
/// lane.
///
/// See join_row_finder for left, right, group, tile row and row. Outputs that are shifted by the difference between a
/// row and its tile row are indexed by tile rows.
template <class Finder, class Outputs>
class join_row_writer : public join_tile_writer<Finder, Outputs>
{
  using base = join_tile_writer<Finder, Outputs>;
  using base::begin_;
  using base::found_;
  using base::last_with_room;
  using base::outputs_;
  using base::unaligned_rows;
  using shape = typename Finder::shape;
  using kind = typename Finder::kind;
  using position_type = typename Finder::position_type;  // of a match
  using plain_outputs = typename Outputs::plain_outputs; // for rows that are known to have room
  static constexpr int warps = shape::threads / 32;

  // Tile rows up to this many are counted by int. A warp's share may end 32 * warps rows after the tile's last.
  static constexpr std::int64_t max_int_rows = std::int64_t{1} << 30;

public:
  /// The tile begins at `begin` in the inputs.
  MGPU_THRUST_DEVICE join_row_writer(Finder& found, const Outputs& outputs, tile_begin begin)
      : base(found, outputs, begin)
      , lane_(static_cast<int>(threadIdx.x) % 32)
      , warp_(static_cast<int>(threadIdx.x) / 32)
  {
  }

  /// Writes the rows of the tile's left elements in `rows`, which are tile rows, to the outputs from row find_row() on.
  /// All threads call find_row() once; it may wait, and has a barrier.
  ///
  /// Rows are staged in the memory of the keys. Extra rows never are, as a first unit has as many rows as can be
  /// staged, or more: their block loads the next tile's keys there.
  template <class FindRow>
  MGPU_THRUST_DEVICE void write_left(row_range rows, FindRow find_row)
  {
    if (found_.has_small_positions() && are_staged(rows.last))
    {
      const int first = static_cast<int>(rows.first);
      const int last = static_cast<int>(rows.last);
      stage_rows();
      store_staged(first, last, find_row());
    }
    else if (found_.left_row_count() <= max_int_rows)
    {
      write_share<int>(static_cast<int>(rows.first), static_cast<int>(rows.last), find_row());
    }
    else
    {
      write_share<std::int64_t>(rows.first, rows.last, find_row());
    }
  }

private:
  /// Whether the tile rows [0, last) are staged: if the tile has no more rows than elements; or if there is room, and
  /// the rows are of more groups than warps, as each warp stages the rows of its own groups.
  MGPU_THRUST_DEVICE bool are_staged(std::int64_t last) const
  {
    if (found_.left_row_count() <= shape::items)
    {
      return true;
    }
    const bool are_few = last <= shape::staged_rows && found_.left_row_count() <= max_int_rows;
    return are_few && found_.groups() > warps && found_.template rows_before<int>(warps) < last;
  }

  /// Few rows, phase 1: each lane stages the first rows of its left elements, a group at a time. All lanes together
  /// stage the others. find_row() has the barrier that follows.
  MGPU_THRUST_DEVICE void stage_rows()
  {
    for (int group = warp_; 32 * group < found_.left_count(); group += warps)
    {
      const int left = 32 * group + lane_;
      const int rows = found_.template rows_of<int>(left);
      int next = 0; // tile row
      typename cub::WarpScan<int>::TempStorage nothing_shared;
      cub::WarpScan<int>(nothing_shared).ExclusiveSum(rows, next);
      next += found_.template rows_before<int>(group);
      const packed_row first = packed_row::pack(left, static_cast<int>(found_.first_match(left)));
      const int end = (min) (next + rows, shape::staged_rows);
      constexpr int few = shape::lane_rows;
#pragma unroll
      for (int k = 0; k < few; ++k)
      {
        if (next + k < end)
        {
          found_.staged()[next + k] = first.later(k);
        }
      }
      constexpr int max_own = shape::max_lane_rows;
#pragma unroll 1
      for (int k = few; k < max_own && next + k < end; ++k)
      {
        found_.staged()[next + k] = first.later(k);
      }
      unsigned waiting = __ballot_sync(~0u, rows > max_own);
      while (waiting != 0)
      {
        const int owner = __ffs(static_cast<int>(waiting)) - 1;
        waiting &= waiting - 1;
        const int owner_next = __shfl_sync(~0u, next, owner);
        const int owner_end = __shfl_sync(~0u, end, owner);
        const packed_row owner_first{__shfl_sync(~0u, first.right_and_left.word, owner)};
        for (int k = max_own + lane_; owner_next + k < owner_end; k += 32)
        {
          found_.staged()[owner_next + k] = owner_first.later(k);
        }
      }
    }
  }

  /// Few rows, phase 2: stores tile rows [first, last) to the outputs from row `row` on, so that each warp's stores are
  /// aligned.
  MGPU_THRUST_DEVICE void store_staged(int first, int last, std::int64_t row)
  {
    last = last_with_room(first, last, row);
    const plain_outputs by_tile_row = outputs_ + (row - first);
#pragma unroll 4
    for (int i = first - unaligned_rows(row) + static_cast<int>(threadIdx.x); i < last; i += shape::threads)
    {
      if (i >= first)
      {
        const packed_row staged = found_.staged()[i];
        write<false>(by_tile_row, i, staged.left(), staged.right(), 0);
      }
    }
  }

  /// The tile rows [first, last) that a warp writes. It stores them in windows of 32 tile rows, one a lane, that start
  /// at `origin` and every 32 rows later; only rows of the share are stored.
  template <class Int>
  struct warp_share
  {
    Int first;
    Int last;
    Int origin;
  };

  /// Many rows: each warp writes an equal share of tile rows [first, last), which fit Int, to the outputs from row
  /// `row` on. It goes through the groups that have rows of its share.
  template <class Int>
  MGPU_THRUST_DEVICE void write_share(Int first, Int last, std::int64_t row)
  {
    const int groups = found_.groups();
    const auto rows_before = [&](int group) { return found_.template rows_before<Int>(group); };
    last = last_with_room(first, last, row);
    const plain_outputs by_tile_row = outputs_ + (row - first);

    // 1. The warp's share: whole windows, of which the first and the last may reach past the rows.
    const Int aligned = first - unaligned_rows(row);
    const Int each = (last - aligned + (32 * warps - 1)) / (32 * warps) * 32;
    const Int origin = aligned + warp_ * each;
    const warp_share<Int> share{(max) (first, origin), (min) (last, origin + each), origin};
    if (share.first < share.last)
    {
      // 2. The group of its first row, and those after it up to the last row's.
      const int first_group =
        detail::warp_partition_point(0, groups, [&](int group) { return rows_before(group) <= share.first; }) - 1;
      for (int group = first_group; group < groups && rows_before(group) < share.last; ++group)
      {
        write_group(by_tile_row, group, share);
      }
    }
  }

  /// The left elements of a group, one a lane.
  template <class Int>
  struct lane_element
  {
    int first_left;            ///< the element of lane 0, the same for all lanes
    position_type first_match; ///< of the lane's element
    Int start;                 ///< tile row where the rows of the lane's element begin
  };

  /// Writes the rows of a group that are in the warp's share.
  template <class Int>
  MGPU_THRUST_DEVICE void write_group(const plain_outputs& by_tile_row, int group, const warp_share<Int>& share) const
  {
    const Int rows = found_.template rows_of<Int>(32 * group + lane_);
    const Int group_start = found_.template rows_before<Int>(group);
    const Int first = (max) (share.first, group_start);
    const Int last = (min) (share.last, found_.template rows_before<Int>(group + 1));
    Int window = first - (first - share.origin) % 32;

    lane_element<Int> own{32 * group, found_.first_match(32 * group + lane_), 0};
    typename cub::WarpScan<Int>::TempStorage nothing_shared;
    cub::WarpScan<Int>(nothing_shared).ExclusiveSum(rows, own.start);
    own.start += group_start;
    while (window < last)
    {
      const int owner = __popc(__ballot_sync(~0u, own.start <= (max) (window, first))) - 1; // of the window's first row
      const Int owner_end = __shfl_sync(~0u, own.start + rows, owner);
      if (owner_end < (min) (window + 32, last))
      {
        write_window(by_tile_row, own, first, last, window);
        window += 32;
      }
      else
      {
        // All rows of the window, and maybe many more, belong to one element.
        const Int end = owner_end < last ? window + (owner_end - window) / 32 * 32 : last;
        write_windows_of(owner, by_tile_row, own, first, end, window);
        window = end;
      }
    }
  }

  /// Writes those of the 32 tile rows from `window` on that are in [first, last). Each lane finds the element of its
  /// row: the last one whose rows start there or before.
  template <class Int>
  MGPU_THRUST_DEVICE void
  write_window(const plain_outputs& by_tile_row, const lane_element<Int>& own, Int first, Int last, Int window) const
  {
    const Int tile_row = window + lane_;
    int owner = 0; // lane
#pragma unroll
    for (int stride = 16; stride > 0; stride /= 2)
    {
      owner += __shfl_sync(~0u, own.start, owner + stride) <= tile_row ? stride : 0;
    }
    const Int owner_start = __shfl_sync(~0u, own.start, owner);
    const position_type owner_match = __shfl_sync(~0u, own.first_match, owner);
    if (first <= tile_row && tile_row < last)
    {
      write<true>(by_tile_row, tile_row, own.first_left + owner, owner_match, tile_row - owner_start);
    }
  }

  /// Writes the tile rows in [window, end) from `first` on, which all belong to the element of lane `owner`.
  template <class Int>
  MGPU_THRUST_DEVICE void write_windows_of(
    int owner, const plain_outputs& by_tile_row, const lane_element<Int>& own, Int first, Int end, Int window) const
  {
    const Int owner_start = __shfl_sync(~0u, own.start, owner);
    const position_type owner_match = __shfl_sync(~0u, own.first_match, owner);
#pragma unroll 4
    for (Int tile_row = window + lane_; tile_row < end; tile_row += 32)
    {
      if (first <= tile_row)
      {
        write<true>(by_tile_row, tile_row, own.first_left + owner, owner_match, tile_row - owner_start);
      }
    }
  }

  /// Writes row number `rank` of a left element, whose first match is first_match, or no_position. Rows of an element
  /// with many rows (IsOneOfMany) soon leave the caches.
  template <bool IsOneOfMany, class Int>
  MGPU_THRUST_DEVICE void
  write(const plain_outputs& by_tile_row, Int tile_row, int left, position_type first_match, Int rank) const
  {
    const bool is_alone = kind::keeps_left && first_match == no_position;
    const std::int64_t right = is_alone ? no_match : begin_.b + first_match + rank;
    if constexpr (IsOneOfMany && Outputs::is_plain)
    {
      cub::ThreadStore<cub::STORE_CS>(
        by_tile_row.left + tile_row, static_cast<typename Outputs::left_index>(begin_.a + left));
      cub::ThreadStore<cub::STORE_CS>(by_tile_row.right + tile_row, static_cast<typename Outputs::right_index>(right));
    }
    else
    {
      by_tile_row.write(tile_row, begin_.a + left, right);
    }
  }

  int lane_;
  int warp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

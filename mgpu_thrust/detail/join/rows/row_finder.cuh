// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Finds the rows of a tile of a join, by the threads of a block.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/join/rows/right_matches.cuh>
#include <mgpu_thrust/detail/join/rows/row_words.cuh>
#include <mgpu_thrust/detail/join/rows/tile.cuh>

#include <cub/warp/warp_scan.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Finds the rows of a tile of Shape::items elements: the matches of each left element, the number of rows of each
/// group of 32 left elements, and the rows before each group. What it finds stays in shared memory, where
/// join_row_writer reads it.
///
/// Four kinds of numbers occur, here and in join_row_writer:
///   left, right   positions in the tile, counted from its first left or right element. Matches after the tile have
///                 the positions that follow those of its right elements
///   group         32 neighbouring left elements, one for each lane of a warp: left / 32
///   tile row      number of a row, counted from the first row of the tile's left elements
///   row           number of a row in the outputs
template <class Shape, class Kind, class Inputs, class Compare>
class join_row_finder
{
  static constexpr int capacity = Shape::items + 1;
  static constexpr int warps = Shape::threads / 32;
  static constexpr int max_groups = (capacity + 31) / 32;
  static constexpr int lane_groups = (max_groups + 31) / 32; // groups that a lane sums up
  using right_matches = join_right_matches<Shape>;

  // The range of packed words. A tile has up to `capacity` elements, so the position of a left element, that of its
  // first match in the tile, and the number of its matches there are up to `capacity`. The right element of a row may
  // be up to rows - 1 positions later, also after the tile. Rows are packed only if the tile has up to `staged_rows`,
  // so the position is less than capacity + staged_rows.
  static_assert(capacity + Shape::staged_rows <= no_position);

  // The bytes of the right elements lie at the end of the words of the left elements. They do not meet: there are up to
  // `items` words, and with R > 0 right elements up to items + 1 - R. Their bytes take 8 words for each 32, so all take
  // up to items + 1 - R + 8 * (R + 31) / 32 <= items + 9 - 3 * R / 4 < items + 9 words.
  static_assert(32 * max_groups >= Shape::items + 8);

  struct no_storage
  {
  };

public:
  using shape = Shape;
  using kind = Kind;
  using tile_type = join_tile<Shape, Inputs, Compare>;
  using position_type = int;

  // Shared memory, from left to right as it is laid out, and downwards phase by phase:
  //
  //                  | tile, staged        | left, and right bytes   | group_sums | group_rows | right               |
  //   ---------------+---------------------+-------------------------+------------+------------+---------------------+
  //   load           | keys                |                         |            |            |                     |
  //   1. start       | keys                |                 0 0 0 0 |            |            | matched_before      |
  //   2. search      | keys, search bounds | w w w w w w ... 0 1 1 0 | s s s      |            |                     |
  //   3. add up      | released            | w w w w w w ... 0 1 1 0 | s s s      | n n n n    |                     |
  //   right elements |                     |                 0 1 1 0 |            |            | bits, right_only    |
  //   few rows       | staged rows         | w w w w w w             |            | n n n n    |                     |
  //   many rows      | next tile's keys    | w w w w w w             |            | n n n n    |                     |
  //
  // w: packed_left_rows of an element; 0, 1: whether a right element has a match; s: rows of a group; n: rows before a
  // group. The last three phases are those of join_row_writer, except that some kernels only count the right elements
  // without a match. Threads that write many rows leave the first column alone: others may load the next tile there.
  struct TempStorage
  {
    union
    {
      typename tile_type::TempStorage tile;
      packed_row staged[Shape::staged_rows];
    };
    alignas(16) packed_left_rows left[32 * max_groups]; ///< at its end, bytes of the right elements: see right()
    unsigned group_sums[max_groups];                    ///< rows of each group, without matches after the tile
    std::int64_t group_rows[max_groups + 1];            ///< tile rows before each group, then their total
    std::conditional_t<Kind::keeps_right, typename right_matches::TempStorage, no_storage> right;
  };

  MGPU_THRUST_DEVICE explicit join_row_finder(TempStorage& shared)
      : shared_(shared)
      , lane_(static_cast<int>(threadIdx.x) % 32)
      , warp_(static_cast<int>(threadIdx.x) / 32)
  {
  }

  /// Finds the rows of the tile's left elements, and releases the shared memory of the keys. Returns the number of the
  /// rows to all threads, and calls post(rows) on one thread as early as possible. All threads of the block must call
  /// it.
  template <class Post>
  MGPU_THRUST_DEVICE std::int64_t find(tile_type& tile, Post post)
  {
    start(tile);        // 1.
    find_matches(tile); // 2.
    __syncthreads();
    tile_type::release(shared_.tile);
    if (warp_ == 0)
    {
      add_up_groups(post); // 3.
    }
    __syncthreads();
    left_row_count_ = shared_.group_rows[groups()];
    return left_row_count_;
  }

  // What all threads can read after find().

  /// The number of rows of the tile's left elements.
  MGPU_THRUST_DEVICE std::int64_t left_row_count() const
  {
    return left_row_count_;
  }
  MGPU_THRUST_DEVICE int left_count() const
  {
    return left_count_;
  }
  MGPU_THRUST_DEVICE int groups() const
  {
    return (left_count_ + 31) / 32;
  }

  /// Returns the first tile row of a group, or the number of them for the group after the last.
  template <class Int>
  MGPU_THRUST_DEVICE Int rows_before(int group) const
  {
    return static_cast<Int>(shared_.group_rows[group]);
  }

  /// Returns the number of rows of left element `left`, 0 if there is no such element.
  template <class Int>
  MGPU_THRUST_DEVICE Int rows_of(int left) const
  {
    const Int rows = shared_.left[left].rows() + (left < after_.first_left ? 0 : static_cast<Int>(after_.count));
    return left < left_count_ ? rows : 0;
  }

  /// Returns the position of the first match of left element `left`, or no_position.
  MGPU_THRUST_DEVICE int first_match(int left) const
  {
    return shared_.left[left].first_match();
  }

  /// The matches of the tile's right elements, where those without one are rows.
  MGPU_THRUST_DEVICE right_matches right() const
  {
    void* const memory = shared_.left + 32 * max_groups - right_matches::memory_words(right_count_);
    return {shared_.right, memory, right_count_, lane_, warp_};
  }

  /// Whether the positions of all rows fit packed_row, so that rows can be staged.
  MGPU_THRUST_DEVICE static constexpr bool has_small_positions()
  {
    return true;
  }
  /// Memory for Shape::staged_rows rows, in place of the keys.
  MGPU_THRUST_DEVICE packed_row* staged() const
  {
    return shared_.staged;
  }

private:
  /// Phase 1: counts the elements, and finds the matches that left and right elements have outside the tile.
  MGPU_THRUST_DEVICE void start(tile_type& tile)
  {
    left_count_ = (min) (tile.left_count(), Shape::items); // more only if the input is not sorted
    right_count_ = tile.right_count();
    if constexpr (Kind::keeps_right)
    {
      right().clear(tile);
    }
    after_ = tile.find_matches_after();
  }

  /// Phase 2: finds the matches of each left element in the tile, and sums the rows of each group.
  MGPU_THRUST_DEVICE void find_matches(tile_type& tile)
  {
    tile.for_each_left(
      [&](int left, int first_match, int matches, bool is_left)
      {
        const bool is_alone = Kind::keeps_left && matches == 0 && left < after_.first_left;
        const int rows = is_alone ? 1 : matches;
        if (is_left)
        {
          shared_.left[left] = packed_left_rows::pack(is_alone ? no_position : first_match, rows);
        }
        const unsigned sum = detail::sum_over_warp(static_cast<unsigned>(is_left ? rows : 0));
        if (lane_ == 0 && is_left)
        {
          shared_.group_sums[static_cast<unsigned>(left) / 32] = sum;
        }
        if constexpr (Kind::keeps_right)
        {
          right().mark(tile, left, first_match, is_left ? matches : 0);
        }
      });
  }

  /// Phase 3, of the first warp: finds the rows before each group. Each lane has lane_groups neighbouring groups.
  template <class Post>
  MGPU_THRUST_DEVICE void add_up_groups(Post post)
  {
    const int first_group = lane_ * lane_groups;
    std::int64_t rows = 0;
    for (int k = 0; k < lane_groups; ++k)
    {
      rows += rows_of_group(first_group + k);
    }
    std::int64_t before = 0;
    typename cub::WarpScan<std::int64_t>::TempStorage nothing_shared;
    cub::WarpScan<std::int64_t>(nothing_shared).ExclusiveSum(rows, before, rows);
    if (lane_ == 0)
    {
      post(rows);
    }
    for (int k = 0; k < lane_groups && 32 * (first_group + k) < left_count_ + 32; ++k)
    {
      shared_.group_rows[first_group + k] = before;
      before += rows_of_group(first_group + k);
    }
  }

  /// Returns the number of rows of a group, 0 if there is no such group.
  MGPU_THRUST_DEVICE std::int64_t rows_of_group(int group) const
  {
    const int with_matches_after = (min) (left_count_, 32 * (group + 1)) - (max) (after_.first_left, 32 * group);
    return 32 * group < left_count_ ? shared_.group_sums[group] + (max) (with_matches_after, 0) * after_.count : 0;
  }

  TempStorage& shared_;
  matches_after after_{0, 0};
  std::int64_t left_row_count_ = 0;
  int left_count_ = 0;
  int right_count_ = 0;
  int lane_;
  int warp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

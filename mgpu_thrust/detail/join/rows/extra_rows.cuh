// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The extra rows of tiles, for the blocks of a kernel that writes them.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/rows/layout.h>
#include <mgpu_thrust/detail/join/rows/units.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The extra rows that a block has taken, in shared memory, as writing rows takes many registers.
struct join_extra_storage
{
  std::int64_t number; ///< of the unit
  std::int64_t unit_rows;
  row_range unit;
  row_range wanted; ///< rows of one tile
};

/// The extra rows (see join_layout) of some units, which a block takes tile by tile. `units` tells which units those
///   are: blocks()     the number of blocks that share all units
///   first()      the number of the block's first unit
///   next(unit)   that of its next one, called by one thread
/// first_row_of(tile) is the first row of a tile; that of the tile after the last is the end of all rows.
template <class Units, class FirstRowOf>
class join_extra_rows
{
public:
  /// The rows in `all` are cut into units.
  MGPU_THRUST_DEVICE join_extra_rows(
    join_extra_storage& shared, const Units& units, const FirstRowOf& first_row_of, int tiles, row_range all,
    std::int64_t first_unit)
      : shared_(shared)
      , units_(units)
      , first_row_of_(first_row_of)
      , tiles_(tiles)
      , all_(all)
      , first_unit_rows_(first_unit)
  {
  }

  /// Takes the next rows of one tile in one unit; returns false if there are none. All threads of the block must call
  /// it. It begins and ends with a barrier, so shared memory may be in use.
  MGPU_THRUST_DEVICE bool take()
  {
    __syncthreads();
    row_range wanted{0, 0};
    do
    {
      if (tile_ < 0 || !may_reach(++tile_))
      {
        if (!take_unit())
        {
          return false;
        }
        // The tile of the unit's first row. Of tiles that begin at the same row, all but the last are empty.
        tile_ =
          detail::warp_partition_point(0, tiles_, [&](int tile) { return first_row_of_(tile) <= shared_.unit.first; })
          - 1;
      }
      wanted = row_range{first_row_of_(tile_) + first_unit_rows_, first_row_of_(tile_ + 1)}.intersection(shared_.unit);
    } while (wanted.size() == 0);
    if (threadIdx.x == 0)
    {
      shared_.wanted = wanted;
    }
    __syncthreads();
    return true;
  }

  MGPU_THRUST_DEVICE int tile() const
  {
    return tile_;
  }
  /// Returns the rows that were taken.
  MGPU_THRUST_DEVICE row_range wanted() const
  {
    return shared_.wanted;
  }
  /// Returns the rows that were taken, counted from the first row of the tile.
  MGPU_THRUST_DEVICE row_range tile_rows() const
  {
    const std::int64_t before = first_row_of_(tile_);
    return {shared_.wanted.first - before, shared_.wanted.last - before};
  }

private:
  /// Whether a tile that begins in the unit may have extra rows there. It has none if its first unit is as large as the
  /// unit.
  MGPU_THRUST_DEVICE bool may_reach(int tile) const
  {
    return first_unit_rows_ < shared_.unit.size() && tile < tiles_ && first_row_of_(tile) < shared_.unit.last;
  }

  /// Takes the next unit. Has a barrier before and after.
  MGPU_THRUST_DEVICE bool take_unit()
  {
    const bool is_first = tile_ < 0;
    __syncthreads();
    if (threadIdx.x == 0)
    {
      if (is_first)
      {
        shared_.unit_rows = detail::extra_unit_rows(all_.size(), units_.blocks(), first_unit_rows_);
      }
      const std::int64_t unit_rows = shared_.unit_rows;
      const std::int64_t number = is_first ? units_.first() : units_.next(shared_.number);
      const std::int64_t first = all_.first + number * unit_rows;
      shared_.number = number;
      shared_.unit = number > (all_.size() - 1) / unit_rows
                       ? row_range{0, 0}
                       : row_range{first, first + (min) (unit_rows, all_.last - first)};
    }
    __syncthreads();
    return shared_.unit.size() > 0;
  }

  join_extra_storage& shared_;
  const Units& units_;
  const FirstRowOf& first_row_of_;
  int tiles_;
  row_range all_;
  std::int64_t first_unit_rows_; ///< of a tile
  int tile_ = -1;                ///< -1 if no unit has been taken yet
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

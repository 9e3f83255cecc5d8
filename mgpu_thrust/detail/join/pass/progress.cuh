// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What the kernels of a join in one pass store for later ones.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/driver/coresident_offsets.cuh>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/join/serial.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Totals for later kernels.
struct join_totals
{
  std::int64_t left_rows;    ///< rows of all left elements
  std::int64_t right_only;   ///< right elements without a match
  bool has_extra;            ///< whether a tile's left elements have more rows than a unit
  std::uint64_t later_units; ///< units of extra rows that blocks have taken after their first ones
};

/// Sums over the tiles of co-resident blocks: over the tiles before one, and over all.
struct join_sums
{
  std::int64_t rows_before; ///< rows of left elements
  std::int64_t rows;
  int right_only_before; ///< right elements without a match
  int right_only;
  bool has_extra; ///< whether a tile's left elements have more rows than a unit

  MGPU_THRUST_DEVICE join_sums operator+(const join_sums& other) const
  {
    return {
      rows_before + other.rows_before, rows + other.rows, right_only_before + other.right_only_before,
      right_only + other.right_only, has_extra || other.has_extra};
  }
};

/// Row offsets of tiles, and bits of the right elements without a match, in temporary storage.
template <class Kind>
class join_progress
{
  using row_offsets = basic_tile_offsets<std::uint64_t>;

public:
  static constexpr bool are_served = true;
  static constexpr bool are_coresident = false;
  using arrival = row_offsets::arrival;

  /// The bytes that these take, in memory aligned to storage_alignment.
  static std::size_t bytes(std::int64_t tiles, std::int64_t right_count)
  {
    return words_at(tiles) + (Kind::keeps_right ? words_of(tiles, right_count) * sizeof(std::uint32_t) : 0);
  }
  /// The number of bytes from the storage's begin on that have to be 0 before the pass, if clear() is not called.
  static std::size_t bytes_to_clear(std::int64_t tiles)
  {
    return words_at(tiles);
  }
  join_progress(void* storage, std::int64_t tiles)
      : rows(static_cast<char*>(storage) + storage_alignment, tiles)
      , right_only(static_cast<char*>(storage) + right_only_at(tiles), Kind::keeps_right ? tiles : 0)
      , totals(static_cast<join_totals*>(storage))
      , words_(reinterpret_cast<std::uint32_t*>(static_cast<char*>(storage) + words_at(tiles)))
  {
  }

  /// The same for the first `tiles` tiles alone.
  MGPU_THRUST_HOST_DEVICE join_progress first(int tiles) const
  {
    join_progress first_tiles = *this;
    first_tiles.rows = rows.first(tiles);
    first_tiles.right_only = right_only.first(Kind::keeps_right ? tiles : 0);
    return first_tiles;
  }

  /// Clears the offsets of a tile; the cut calls it for all tiles, if there is one.
  MGPU_THRUST_DEVICE void clear(int tile) const
  {
    rows.clear(tile);
    if constexpr (Kind::keeps_right)
    {
      right_only.clear(tile);
    }
    if (tile == 0)
    {
      totals->has_extra = false;
      totals->later_units = 0;
    }
  }

  /// Turns the numbers of rows of all tiles into offsets, for which tiles wait, then stores the totals, and the total
  /// number of rows to *size. Called by all `Threads` threads of the grid's first block, which has no tile. If there
  /// may be too many rows, it Saturates: see basic_tile_offsets::serve.
  template <int Threads, bool Saturates, class Size>
  MGPU_THRUST_DEVICE void serve(std::int64_t& shared_right_only, Size* size) const
  {
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const std::int64_t left_rows = warp == 0 ? rows.template serve<Saturates>() : 0;
    if constexpr (Kind::keeps_right)
    {
      if (warp == Threads / 32 - 1)
      {
        shared_right_only = right_only.serve();
      }
      __syncthreads();
    }
    if (thread == 0)
    {
      const std::int64_t right_rows = Kind::keeps_right ? shared_right_only : 0;
      totals->left_rows = left_rows;
      totals->right_only = right_rows;
      *size = detail::saturated_index<Size>(
        Saturates ? detail::saturating_sum(left_rows, right_rows) : left_rows + right_rows);
    }
  }

  /// Words with a bit for each right element of a tile, the first of which has index `b_begin`. A tile may have one
  /// word more than its elements fill.
  MGPU_THRUST_DEVICE std::uint32_t* right_words(int tile, std::int64_t b_begin) const
  {
    return words_ + b_begin / 32 + tile;
  }

  row_offsets rows;        ///< offsets of the rows of left elements
  tile_offsets right_only; ///< offsets of the rows of right elements without a match
  join_totals* totals;

private:
  static std::size_t right_only_at(std::int64_t tiles)
  {
    return storage_alignment + detail::round_up_storage(row_offsets::bytes(tiles));
  }
  static std::size_t words_at(std::int64_t tiles)
  {
    return right_only_at(tiles) + (Kind::keeps_right ? detail::round_up_storage(tile_offsets::bytes(tiles)) : 0);
  }
  static std::size_t words_of(std::int64_t tiles, std::int64_t right_count)
  {
    return static_cast<std::size_t>(right_count / 32 + tiles + 1);
  }

  std::uint32_t* words_;
};

/// join_progress of co-resident blocks: each adds up what all have posted.
template <class Kind>
class coresident_join_progress : public join_progress<Kind>
{
public:
  static constexpr bool are_served = false;
  static constexpr bool are_coresident = true;
  using arrival = coresident_offsets::arrival;

  explicit coresident_join_progress(const join_progress<Kind>& progress)
      : join_progress<Kind>(progress)
  {
  }
  MGPU_THRUST_DEVICE static arrival arrive()
  {
    return coresident_offsets::arrive();
  }

  /// Adds up what all tiles have posted, for tile `own`. Called by all threads of a block; each gets a part of the
  /// sums. A tile with more than `unit_rows` rows has extra rows.
  template <int Threads>
  MGPU_THRUST_DEVICE join_sums sum_share(int own, int tiles, std::int64_t unit_rows) const
  {
    join_sums sums{0, 0, 0, 0, false};
#pragma unroll 2
    for (int tile = static_cast<int>(threadIdx.x); tile < tiles; tile += Threads)
    {
      const auto tile_rows = static_cast<std::int64_t>(this->rows.count(tile));
      const int tile_right = Kind::keeps_right ? static_cast<int>(this->right_only.count(tile)) : 0;
      sums = sums
             + join_sums{
               tile < own ? tile_rows : 0, tile_rows, tile < own ? tile_right : 0, tile_right, tile_rows > unit_rows};
    }
    return sums;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

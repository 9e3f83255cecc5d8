// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Where the tiles of a join in one pass write their rows.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/driver/coresident_offsets.cuh>
#include <mgpu_thrust/detail/driver/tile_driver.cuh>
#include <mgpu_thrust/detail/join/pass/progress.cuh>
#include <mgpu_thrust/detail/join/rows/units.h>
#include <mgpu_thrust/detail/join/serial.h>

#include <cub/block/block_reduce.cuh>

#include <cuda/std/functional>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The placement of a tile's rows: the tile posts how many it has, and waits for the number of its first row. Progress
/// tells whether the first block serves these numbers, or co-resident blocks add up the counts of all. All threads of a
/// block call the members, in their order.
template <class Shape, class Kind, class Given, class Outputs, class Progress>
class join_placement
{
  static constexpr bool are_coresident = Progress::are_coresident;
  using block_reduce = cub::BlockReduce<join_sums, Shape::threads>;
  struct served_storage
  {
    std::int64_t row;
  };
  struct coresident_storage
  {
    typename block_reduce::TempStorage reduce;
    join_sums sums;
  };

public:
  using driver_type = tile_driver<Shape, merge_t, always_tiled, Given, Progress>;
  using TempStorage = std::conditional_t<are_coresident, coresident_storage, served_storage>;

  /// If offsets are served, the first block serves them. Returns whether this was the first block.
  template <class Size>
  MGPU_THRUST_DEVICE static bool serves(
    [[maybe_unused]] const Given& given, [[maybe_unused]] TempStorage& shared, [[maybe_unused]] Progress& progress,
    [[maybe_unused]] Size* size)
  {
    if constexpr (!are_coresident)
    {
      driver_type::wait_for_cuts();
      if (blockIdx.x == 0)
      {
        if constexpr (is_deferred_v<Given>)
        {
          progress = progress.first(given.header->tiles);
        }
        progress.template serve<Shape::threads, Outputs::is_bounded>(shared.row, size);
        return true;
      }
    }
    return false;
  }

  /// `tiles` is the number of tiles, or that of the capacities.
  MGPU_THRUST_DEVICE join_placement(
    TempStorage& shared, [[maybe_unused]] const Given& given, const driver_type& driver, int tiles,
    const Progress& progress)
      : shared_(shared)
      , driver_(driver)
      , tiles_(tiles)
      , progress_(progress)
  {
    if constexpr (are_coresident)
    {
      tiles_ = (max) (static_cast<int>(detail::tiles_of<Shape::items>(driver.inputs())), 1);
    }
    else if constexpr (is_deferred_v<Given>)
    {
      tiles_ = given.header->tiles;
    }
  }

  /// The number of rows in the first unit of a tile.
  MGPU_THRUST_DEVICE std::int64_t unit_rows() const
  {
    return detail::first_unit_rows<Shape>(tiles_);
  }

  /// Stores where a tile of needles begins, and where the last ends, for join_right_only_kernel.
  template <class Tile>
  MGPU_THRUST_DEVICE void store_ends_of_needles(const Tile& tile, tile_begin* begins) const
  {
    if constexpr (Tile::has_needles)
    {
      if (threadIdx.x == 0)
      {
        begins[driver_.tile()] = tile.begin();
        if (driver_.tile() == tiles_ - 1)
        {
          begins[tiles_] = tile.begin(1);
        }
      }
    }
  }

  /// Called by one thread.
  MGPU_THRUST_DEVICE void post_rows(std::int64_t rows) const
  {
    progress_.rows.post(driver_.tile(), rows);
  }
  /// Finds the right elements without a match, and posts their number, which it returns.
  template <class Finder>
  MGPU_THRUST_DEVICE int post_right_only([[maybe_unused]] Finder& finder, [[maybe_unused]] tile_begin begin) const
  {
    int right_only = 0;
    if constexpr (Kind::keeps_right)
    {
      if constexpr (are_coresident)
      {
        right_only = finder.right().find_right_only();
      }
      else
      {
        std::uint32_t* const words = progress_.right_words(driver_.tile(), begin.b);
        right_only = finder.right().for_each_word([&](int word, unsigned bits) { words[word] = bits; });
      }
      if (threadIdx.x == 0)
      {
        progress_.right_only.post(driver_.tile(), right_only);
      }
    }
    return right_only;
  }
  /// All co-resident blocks have read the sizes before they arrive, so the number of all rows may be stored where a
  /// size was.
  MGPU_THRUST_DEVICE void arrive([[maybe_unused]] std::int64_t left_rows)
  {
    if constexpr (are_coresident)
    {
      arrival_ = progress_.arrive();
    }
    else if (left_rows > unit_rows() && threadIdx.x == 0)
    {
      progress_.totals->has_extra = true;
    }
  }

  /// Returns the number of the tile's first row.
  MGPU_THRUST_DEVICE std::int64_t wait_for_row()
  {
    if constexpr (are_coresident)
    {
      coresident_offsets::wait_for_all(arrival_);
      const join_sums sums = block_reduce(shared_.reduce)
                               .Reduce(
                                 progress_.template sum_share<Shape::threads>(driver_.tile(), tiles_, unit_rows()),
                                 ::cuda::std::plus<join_sums>{});
      if (threadIdx.x == 0)
      {
        shared_.sums = sums;
      }
      __syncthreads();
      return shared_.sums.rows_before;
    }
    else
    {
      if (threadIdx.x == 0)
      {
        shared_.row = progress_.rows.wait(driver_.tile());
      }
      __syncthreads();
      return shared_.row;
    }
  }

  // Co-resident blocks, after wait_for_row().

  /// Writes the rows of right elements without a match, after those of all left elements.
  template <class Writer>
  MGPU_THRUST_DEVICE void write_right_only(
    [[maybe_unused]] Writer& writer, [[maybe_unused]] const Outputs& outputs, [[maybe_unused]] int right_only) const
  {
    if constexpr (Kind::keeps_right)
    {
      if (right_only > 0)
      {
        const std::int64_t first = shared_.sums.rows + shared_.sums.right_only_before;
        std::int64_t last = first + right_only;
        if constexpr (Outputs::is_bounded)
        {
          last = first + outputs.rows_with_room(first, right_only);
        }
        writer.write_right_only(first, {0, last});
      }
    }
  }
  /// Stores the number of all rows; and what join_extra_kernel needs, if a tile has more rows than a unit.
  template <class Size>
  MGPU_THRUST_DEVICE void store_totals([[maybe_unused]] const Given& given, tile_begin* begins, Size* size) const
  {
    const join_sums& sums = shared_.sums;
    if (threadIdx.x == 0 && sums.has_extra)
    {
      begins[driver_.tile()] = driver_.begin();
      progress_.rows.store_offset(driver_.tile(), sums.rows_before);
    }
    if (threadIdx.x == 0 && driver_.tile() == tiles_ - 1)
    {
      begins[tiles_] = driver_.ends().end;
      *progress_.totals = {sums.rows, sums.right_only, sums.has_extra, 0};
      *size = detail::saturated_index<Size>(sums.rows + sums.right_only);
      if constexpr (is_deferred_v<Given>)
      {
        *given.header = {driver_.inputs().a_count, driver_.inputs().b_count, tiles_};
      }
    }
  }

private:
  TempStorage& shared_;
  const driver_type& driver_;
  int tiles_;
  Progress progress_;
  typename Progress::arrival arrival_{};
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

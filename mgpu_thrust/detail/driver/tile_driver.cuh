// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The schedule of kernels that process two sorted inputs by tiles: which tile a block has, where the tile begins and
/// ends, and where its results go. The kernels of the families keep the work on a tile.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/driver/coresident_offsets.cuh>
#include <mgpu_thrust/detail/driver/prefetch.cuh>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/driver/tile_place.cuh>

#include <cstdint>
#include <type_traits>
#include <utility>

#include <nv/target>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Shared memory of a tile_driver: where the tile begins and ends, if blocks cut their tiles.
template <bool AreCut>
struct tile_driver_storage
{
  tile_ends ends;
  std::int64_t offset;
};
template <>
struct tile_driver_storage<false>
{
  std::int64_t offset;
};

/// A block's way through a kernel: serves() for the first block, then a driver, take(), post(), place().
///
/// Shape has the elements of a tile, Path is the operation whose path cuts tiles, Tiling (path_cut.cuh) tells for which
/// deferred sizes there are no tiles. Offsets is
///
///   tile_offsets        the first block of the grid serves the offsets of the others; an earlier kernel cuts the tiles
///   coresident_offsets  blocks cut their tiles, and wait for the counts of all others
///   no_tile_offsets     the cut tells where results go, or nothing is placed
///
/// If sizes are deferred, the grid is that of the capacities. Surplus blocks leave early.
template <class Shape, class Path, class Tiling, class Given, class Offsets>
class tile_driver
{
  static constexpr bool are_coresident = Offsets::are_coresident;
  static constexpr bool is_deferred = is_deferred_v<Given>;
  using held_inputs = decltype(detail::sized(std::declval<const Given&>())); // a reference if the host knows the sizes

public:
  using inputs_type = sized_t<Given>;
  using TempStorage = tile_driver_storage<!Offsets::are_served>;

  /// Waits for the kernel before this one: the cuts, and the header, are complete then.
  MGPU_THRUST_DEVICE static void wait_for_cuts()
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
  }

  /// The first block serves the offsets of the others, or adds up the counts unless IsWaitedFor. Its first thread calls
  /// store(sum, inputs). Returns whether this was the first block. Tiles of unsorted inputs may have a larger sum than
  /// the output has room for.
  template <bool IsWaitedFor, class Store>
  MGPU_THRUST_DEVICE static bool serves(const Given& given, [[maybe_unused]] Offsets& offsets, Store store)
  {
    if constexpr (Offsets::are_served)
    {
      wait_for_cuts();
      if (blockIdx.x == 0)
      {
        const inputs_type& inputs = detail::sized(given);
        if constexpr (is_deferred)
        {
          offsets = offsets.first(detail::blocks_to_work<Shape::items, Tiling>(inputs));
        }
        const std::int64_t sum = offsets.template serve_grid<Shape::threads, IsWaitedFor>();
        if (threadIdx.x == 0)
        {
          store(sum, inputs);
        }
        return true;
      }
    }
    return false;
  }

  /// @param begins where tiles begin and the last one ends; null if blocks cut their tiles
  /// @param tiles  the number of tiles, that of the capacities if sizes are deferred; 0 for no prefetches
  MGPU_THRUST_DEVICE
  tile_driver(TempStorage& shared, const Given& given, const tile_begin* begins, int tiles, const Offsets& offsets)
      : given_(given)
      , begins_(begins)
      , tiles_(tiles)
      , tile_(are_coresident ? detail::coresident_number<Given>() : static_cast<int>(blockIdx.x) - Offsets::are_served)
      , inputs_(sizes_in_time(given))
      , ends_(ends_in_time(begins, tile_))
      , shared_(shared)
      , place_(tile_, offsets)
  {
  }
  tile_driver(const tile_driver&) = delete;
  tile_driver& operator=(const tile_driver&) = delete;

  /// Takes the block's tile, and cuts it unless an earlier kernel has; called by all threads. Returns false for blocks
  /// without a tile. If the sizes are for bisection, blocks with needles call bisect() instead.
  template <class Compare, class Bisect>
  MGPU_THRUST_DEVICE bool take(Compare comp, Bisect bisect)
  {
    if constexpr (is_deferred)
    {
      if (!has_tile(bisect))
      {
        return false;
      }
    }
    if constexpr (!Offsets::are_served)
    {
      if (begins_ == nullptr)
      {
        ends_ = detail::cut_tile<Shape::items, Path>(shared_.ends, inputs_, comp, tile_);
        return true;
      }
    }
    if constexpr (!is_deferred)
    {
      ends_ = detail::ends_of(begins_, tile_);
    }
    return true;
  }

  MGPU_THRUST_DEVICE int tile() const
  {
    return tile_;
  }
  MGPU_THRUST_DEVICE const inputs_type& inputs() const
  {
    return inputs_;
  }
  MGPU_THRUST_DEVICE tile_begin begin() const
  {
    return ends_.begin;
  }
  MGPU_THRUST_DEVICE const tile_ends& ends() const
  {
    return ends_;
  }
  /// The tile's part of the inputs: at most the elements of the shape, and one more if its end is starred.
  MGPU_THRUST_DEVICE inputs_type part() const
  {
    return ends_.part(inputs_, Shape::items + Path::matches);
  }
  /// Prefetches a later tile: the argument of a tile_stage.
  MGPU_THRUST_DEVICE prefetch_later_tile<Shape, Given, inputs_type> prefetch() const
  {
    return {given_, inputs_, begins_, tile_, tiles_};
  }
  /// Whether this is the last tile.
  MGPU_THRUST_DEVICE bool is_last() const
  {
    return is_deferred ? !detail::has_tile<Shape::items>(given_, inputs_, tile_ + 1) : blockIdx.x == gridDim.x - 1;
  }

  /// Publishes the number of results of the tile; called by all threads, once.
  template <bool AreCounted>
  MGPU_THRUST_DEVICE void post(int kept)
  {
    place_.template post<AreCounted>(kept);
  }

  /// Waits for the position of the tile's results in the output, as tile_place says. store(sum, inputs) gets the inputs
  /// too.
  template <bool AreCounted, class Store>
  MGPU_THRUST_DEVICE std::int64_t place(int kept, std::int64_t room, Store store)
  {
    return place_.template wait<AreCounted>(
      shared_.offset, kept, room, begin().a + begin().b, is_last(), [&](std::int64_t sum) { store(sum, inputs_); });
  }

private:
  /// Sizes that are read in place do not wait for an earlier kernel.
  MGPU_THRUST_DEVICE static held_inputs sizes_in_time(const Given& given)
  {
    if constexpr (Offsets::are_served)
    {
      return detail::sized(given); // serves() has waited
    }
    else if constexpr (is_deferred && !are_in_header<Given>)
    {
      const inputs_type inputs = detail::sized(given);
      wait_for_cuts();
      return inputs;
    }
    else
    {
      wait_for_cuts();
      return detail::sized(given);
    }
  }
  /// If sizes are deferred, where the tile begins and ends is read before the block knows whether it has a tile:
  /// `begins` has room for the tiles of the capacities.
  MGPU_THRUST_DEVICE static tile_ends ends_in_time([[maybe_unused]] const tile_begin* begins, [[maybe_unused]] int tile)
  {
    tile_ends ends{};
    if constexpr (is_deferred)
    {
      if (are_in_header<Given> || begins != nullptr)
      {
        ends = detail::ends_of(begins, tile);
      }
    }
    return ends;
  }
  /// Whether deferred sizes have the tile. A co-resident grid has an empty tile if both inputs are empty, as one block
  /// has to store the count.
  template <class Bisect>
  MGPU_THRUST_DEVICE bool has_tile(Bisect bisect) const
  {
    const auto has_tiles = [&] { return Tiling::has_tiles(inputs_); };
    if (detail::has_tile<Shape::items>(given_, inputs_, tile_) && (are_in_header<Given> || has_tiles()))
    {
      return true;
    }
    if (has_tiles())
    {
      if (are_coresident && tile_ == 0)
      {
        return true;
      }
    }
    else if (tile_ < Tiling::blocks_without_tiles(inputs_) || (are_coresident && tile_ == 0))
    {
      bisect();
      return false;
    }
    if constexpr (are_coresident)
    {
      Offsets::arrive();
    }
    return false;
  }

  const Given& given_;
  const tile_begin* begins_;
  int tiles_;
  int tile_;
  held_inputs inputs_;
  tile_ends ends_;
  TempStorage& shared_;
  tile_place<Offsets> place_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

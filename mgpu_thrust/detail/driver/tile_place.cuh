// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Where a block writes the results of its tile: after those of earlier tiles.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The place of a tile's results in the output. Offsets is one of those of tile_driver. All threads of a block call
/// post(), and later wait(). If results are not counted, the place is known before.
template <class Offsets>
class tile_place
{
public:
  MGPU_THRUST_DEVICE tile_place(int tile, const Offsets& offsets)
      : tile_(tile)
      , offsets_(offsets)
  {
  }

  /// Publishes the number of results of the tile.
  template <bool AreCounted = true>
  MGPU_THRUST_DEVICE void post([[maybe_unused]] int kept)
  {
    if constexpr (AreCounted)
    {
      if (threadIdx.x == 0)
      {
        offsets_.post(tile_, kept);
      }
    }
    if constexpr (Offsets::are_coresident)
    {
      arrival_ = offsets_.arrive();
    }
  }

  /// Returns to all threads where the results begin, by way of `shared`. The output has room for `room` results. Tiles
  /// of wrong inputs may have more in total; the last ones are then written over one another.
  ///
  /// Co-resident blocks all have to call it. Thread 0 of the last tile then calls store(sum) with the sum over all
  /// tiles. Sizes are read before blocks arrive, so it may store the count where a size was.
  template <bool AreCounted = true, class Store>
  MGPU_THRUST_DEVICE std::int64_t wait(
    [[maybe_unused]] std::int64_t& shared, [[maybe_unused]] int kept, [[maybe_unused]] std::int64_t room,
    [[maybe_unused]] std::int64_t known, [[maybe_unused]] bool is_last, [[maybe_unused]] Store store)
  {
    if constexpr (Offsets::are_coresident)
    {
      offsets_.wait_for_all(arrival_);
      const std::int64_t offset = AreCounted ? offsets_.offset(tile_) : known;
      if (threadIdx.x == 0)
      {
        if (is_last)
        {
          store(offset + kept);
        }
        shared = (min) (offset, room - kept);
      }
    }
    else if constexpr (AreCounted)
    {
      if (threadIdx.x == 0)
      {
        shared = (min) (offsets_.wait(tile_), room - kept);
      }
    }
    __syncthreads();
    return Offsets::are_coresident || AreCounted ? shared : known;
  }

private:
  int tile_;
  Offsets offsets_;
  typename Offsets::arrival arrival_{};
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

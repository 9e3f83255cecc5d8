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

/// Posts the number of results of a tile, and returns where they begin in the output to all threads of the block, which
/// all call this. The output has room for `room` results. Tiles of wrong inputs may have more in total; the last ones
/// are then written over one another. If blocks are co-resident, the first thread of the last tile calls store(sum)
/// with the sum over all tiles, when all blocks have arrived.
template <class Offsets, class Store>
MGPU_THRUST_DEVICE std::int64_t place_of_tile(
  int kept, int tile, Offsets offsets, std::int64_t room, [[maybe_unused]] bool is_last, [[maybe_unused]] Store store)
{
  __shared__ std::int64_t shared_offset;
  if (threadIdx.x == 0)
  {
    offsets.post(tile, kept);
  }
  std::int64_t offset = 0;
  if constexpr (Offsets::are_coresident)
  {
    auto arrival = offsets.arrive();
    offsets.wait_for_all(arrival);
    offset = offsets.offset(tile);
    if (is_last && threadIdx.x == 0)
    {
      store(offset + kept);
    }
  }
  else if (threadIdx.x == 0)
  {
    offset = offsets.wait(tile);
  }
  if (threadIdx.x == 0)
  {
    shared_offset = (min) (offset, room - kept);
  }
  __syncthreads();
  return shared_offset;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

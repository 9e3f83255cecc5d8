// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Where each warp of a block writes the items that it keeps of a tile: after the items of earlier warps and tiles.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A warp's part of the output: its first `size` items from `begin` on.
struct warp_place
{
  std::int64_t begin;
  int size;
};

/// Posts the number of items that a block keeps of a tile, and returns where the calling warp writes the `kept` items
/// that it keeps; called by all threads of the block. The output has room for `room` items. Tiles of unsorted inputs
/// may keep more in total; the last ones are then written over one another. Unless IsWritten, no block waits for an
/// offset. If blocks are co-resident, the block of the last tile calls store(sum) with the sum over all tiles.
template <int Threads, bool IsWritten, class Offsets, class Store>
MGPU_THRUST_DEVICE warp_place place_of_warp(
  int kept, int tile, Offsets offsets, std::int64_t room, [[maybe_unused]] bool is_last, [[maybe_unused]] Store store)
{
  constexpr int warps = Threads / 32;
  __shared__ int shared_sizes[warps];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0)
  {
    shared_sizes[warp] = kept;
  }
  __syncthreads();
  int total = 0;
  [[maybe_unused]] int before = 0;
#pragma unroll
  for (int k = 0; k < warps; ++k)
  {
    before += k < warp ? shared_sizes[k] : 0;
    total += shared_sizes[k];
  }
  total = static_cast<int>((min) (std::int64_t{total}, room));
  if (threadIdx.x == 0)
  {
    offsets.post(tile, total);
  }
  [[maybe_unused]] std::int64_t offset = 0;
  if constexpr (!Offsets::are_served)
  {
    // All blocks have read the sizes before they arrive, so the count may be stored where a size was.
    auto arrival = offsets.arrive();
    if (!is_last && (!IsWritten || total == 0))
    {
      return {0, 0};
    }
    offsets.wait_for_all(arrival);
    offset = offsets.offset(tile);
    if (is_last && threadIdx.x == 0)
    {
      store((min) (offset + total, room));
    }
  }
  if constexpr (IsWritten)
  {
    if (total > 0)
    {
      __shared__ std::int64_t shared_offset;
      if (threadIdx.x == 0)
      {
        if constexpr (Offsets::are_served)
        {
          offset = offsets.wait(tile);
        }
        shared_offset = (min) (offset, room - total);
      }
      __syncthreads();
      return {shared_offset + before, (min) (kept, total - before)};
    }
  }
  return {0, 0};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

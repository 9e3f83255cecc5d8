// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Marks on the items of a tile, and the number of marks before an item.

#include <mgpu_thrust/detail/base/config.h>

#include <cub/warp/warp_reduce.cuh>

#include <cuda_runtime_api.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Consecutive items of a tile that a warp processes, 32 at a time, one a lane.
struct warp_items
{
  int first;
  int rounds;
};

/// A mark for each item of a tile in shared memory, one byte each, so that threads set marks without atomics. Each warp
/// then processes an equal share of the items: a ballot over 32 items, and the number of marks before the warp's first
/// item, give the number of marks before each.
///
/// All threads call, in this order: clear(); a barrier; set(), any number of times; a barrier; marks_before(), which
/// has a barrier of its own; then is_set().
template <int Threads, int ItemsPerThread>
class tile_marks
{
  static_assert(Threads % 32 == 0 && ItemsPerThread % 4 == 0, "marks are cleared and counted in words of four");
  static constexpr int words_per_thread = ItemsPerThread / 4;
  static constexpr int warps = Threads / 32;

public:
  static constexpr int items = Threads * ItemsPerThread;

  struct storage
  {
    unsigned words[items / 4];
    int warp_marks[warps];
  };

  MGPU_THRUST_DEVICE explicit tile_marks(storage& shared)
      : shared_(shared)
  {
  }

  MGPU_THRUST_DEVICE void clear() const
  {
#pragma unroll
    for (int i = 0; i < words_per_thread; ++i)
    {
      shared_.words[i * Threads + static_cast<int>(threadIdx.x)] = 0;
    }
  }
  MGPU_THRUST_DEVICE void set(int item) const
  {
    reinterpret_cast<unsigned char*>(shared_.words)[item] = 1;
  }
  MGPU_THRUST_DEVICE bool is_set(int item) const
  {
    return reinterpret_cast<const unsigned char*>(shared_.words)[item] != 0;
  }

  /// Returns the items of the calling thread's warp in a tile of `count` items: ItemsPerThread rounds at most.
  MGPU_THRUST_DEVICE static warp_items items_of_warp(int count)
  {
    const int rounds = (count + 32 * warps - 1) / (32 * warps);
    return {static_cast<int>(threadIdx.x) / 32 * 32 * rounds, rounds};
  }
  /// Returns the number of marks before item own.first.
  MGPU_THRUST_DEVICE int marks_before(warp_items own) const
  {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    int marks = 0;
#pragma unroll
    for (int i = 0; i < words_per_thread; ++i)
    {
      if (32 * i + lane < 8 * own.rounds)
      {
        marks += __popc(shared_.words[own.first / 4 + 32 * i + lane]); // a mark is one bit of its byte
      }
    }
    typename cub::WarpReduce<int>::TempStorage nothing_shared;
    marks = cub::WarpReduce<int>(nothing_shared).Sum(marks);
    if (lane == 0)
    {
      shared_.warp_marks[warp] = marks;
    }
    __syncthreads();
    int before = 0;
#pragma unroll
    for (int i = 0; i + 1 < warps; ++i)
    {
      before += i < warp ? shared_.warp_marks[i] : 0;
    }
    return before;
  }

private:
  storage& shared_;
};

/// Packs 16 marks into 16 bits. A mark is a byte that is 0 or 1. The factor moves bit 8 * i of four bytes to bit 28 +
/// i. All 16 products of one bit of the bytes and one of the factor are different bits, so nothing carries.
MGPU_THRUST_DEVICE unsigned bits_of_marks(const uint4& marks)
{
  const auto bits_of = [](unsigned four) { return four * 0x10204080u >> 28; };
  return bits_of(marks.x) | bits_of(marks.y) << 4 | bits_of(marks.z) << 8 | bits_of(marks.w) << 12;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

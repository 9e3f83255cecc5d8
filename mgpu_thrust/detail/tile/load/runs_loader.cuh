// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Loads pieces of several runs into shared memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/tile/load/bulk_barrier.cuh>
#include <mgpu_thrust/detail/tile/load/run_elements.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>

#include <cub/warp/warp_scan.cuh>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Loads the pieces of up to max_ways runs of keys that a tile merges; `Keys` is a run_elements. From sm_90 on bulk
/// copies (TMA) load whole granules of 16 bytes, to addresses that equal those in global memory modulo 16. They may
/// include neighbours of a piece, but nothing outside the memory that the run is in. Keys whose size or alignment does
/// not fit granules are loaded one by one, to contiguous pieces.
///
/// A key has three positions: an index in the sequence of all runs; a slot, its index in shared memory; an offset, the
/// number of keys before it in all pieces. `g` are other keys of the first and the last granule of a piece:
///
///     all runs         | piece 0 |        | piece 1 |            source(run): index of a piece's first key
///     shared memory    |g| piece 0 |g|g| piece 1 |g| ...         slot(run)
///     all pieces       | piece 0 | piece 1 | ...                 offset(run)
template <int Threads, class Key, class Keys>
class runs_loader
{
  using key_slot = staged_t<Key>;
  static constexpr int granule = 16;
  static constexpr bool fits_granules = granule % sizeof(Key) == 0;

public:
  /// Maximum bytes of shared memory for `Count` keys, without what is read past their end.
  template <int Count>
  static constexpr int bytes_for = Count* static_cast<int>(sizeof(Key)) + max_ways * 2 * granule;

  struct storage
  {
    bulk_barrier barrier;
    int slots[max_ways];
    int offsets[max_ways + 1];
    std::int64_t sources[max_ways];
  };

  MGPU_THRUST_DEVICE runs_loader(storage& shared, const Keys& keys)
      : shared_(shared)
      , keys_(keys)
  {
  }

  /// Starts to load; called by the first warp. Each of its first max_ways lanes passes the piece of its run.
  template <class Pieces>
  MGPU_THRUST_DEVICE void start(const Pieces& pieces, std::int64_t tile, std::int64_t source, int size, key_slot* to)
  {
    const int lane = static_cast<int>(threadIdx.x);
    const Key* const from = at(pieces, tile, lane, source);
    const int before = is_bulk() ? static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % granule) : 0;
    const int bytes = size * static_cast<int>(sizeof(Key));
    const int room = is_bulk() ? (before + bytes + granule - 1) / granule * granule : bytes;
    using runs_scan = cub::WarpScan<int, max_ways>;
    typename runs_scan::TempStorage nothing_shared;
    int offset = 0;
    int room_before = 0;
    runs_scan(nothing_shared).ExclusiveSum(size, offset);
    runs_scan(nothing_shared).ExclusiveSum(room, room_before);
    const int to_byte = room_before + before;
    if (lane < max_ways)
    {
      shared_.slots[lane] = to_byte / static_cast<int>(sizeof(Key));
      shared_.offsets[lane] = offset;
      shared_.sources[lane] = source;
    }
    if (lane == max_ways - 1)
    {
      shared_.offsets[max_ways] = offset + size;
    }
    NV_IF_TARGET(NV_PROVIDES_SM_90, (if (is_bulk()) {
                   copy_granules(pieces, tile, from, bytes, reinterpret_cast<unsigned char*>(to) + to_byte);
                   copy_ends(pieces, tile, from, bytes, reinterpret_cast<unsigned char*>(to) + to_byte);
                 }))
  }

  /// Finishes the load; called by all threads of the block, after a barrier that follows start(). All threads then see
  /// all keys.
  template <class Pieces>
  MGPU_THRUST_DEVICE void finish(const Pieces& pieces, std::int64_t tile, [[maybe_unused]] key_slot* to)
  {
    if (is_bulk())
    {
      NV_IF_TARGET(NV_PROVIDES_SM_90, (shared_.barrier.wait();))
    }
    else
    {
      for (int run = 0; run < max_ways; ++run)
      {
        const int size = offset(run + 1) - offset(run);
        const Key* const from = at(pieces, tile, run, source(run));
        Key* const to_piece = reinterpret_cast<Key*>(to) + slot(run);
#pragma unroll 4
        for (int i = static_cast<int>(threadIdx.x); i < size; i += Threads)
        {
          to_piece[i] = from[i];
        }
      }
      __syncthreads();
    }
  }

  /// Makes the storage reusable; called by one thread after a barrier that follows finish().
  MGPU_THRUST_DEVICE void release()
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (if (is_bulk()) { shared_.barrier.invalidate(); }))
  }

  /// Returns where a key of a tile's run is in global memory.
  template <class Pieces>
  MGPU_THRUST_DEVICE const Key* at(const Pieces& pieces, std::int64_t tile, int run, std::int64_t index) const
  {
    return keys_.at(pieces, tile, run, index);
  }
  /// Slot of the first key of a run's piece.
  MGPU_THRUST_DEVICE int slot(int run) const
  {
    return shared_.slots[run];
  }
  /// Offset of the first key of a run's piece; run may be max_ways.
  MGPU_THRUST_DEVICE int offset(int run) const
  {
    return shared_.offsets[run];
  }
  /// Index of the first key of a run's piece.
  MGPU_THRUST_DEVICE std::int64_t source(int run) const
  {
    return shared_.sources[run];
  }

private:
  MGPU_THRUST_DEVICE bool is_bulk() const
  {
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (return fits_granules && keys_.are_aligned();), (return false;))
  }

  // The granules that are completely in the memory of the lane's run.
  template <class Pieces>
  MGPU_THRUST_DEVICE std::uintptr_t first_granule(const Pieces& pieces, std::int64_t tile) const
  {
    const Key* const first = keys_.first(pieces, tile, static_cast<int>(threadIdx.x));
    return (reinterpret_cast<std::uintptr_t>(first) + granule - 1) / granule * granule;
  }
  template <class Pieces>
  MGPU_THRUST_DEVICE std::uintptr_t last_granule(const Pieces& pieces, std::int64_t tile) const
  {
    const Key* const last = keys_.last(pieces, tile, static_cast<int>(threadIdx.x));
    return reinterpret_cast<std::uintptr_t>(last) / granule * granule;
  }

  /// Starts a bulk copy (TMA) of the granules that overlap the lane's piece, whose first byte goes to `to`.
  template <class Pieces>
  MGPU_THRUST_DEVICE void
  copy_granules(const Pieces& pieces, std::int64_t tile, const Key* from, int bytes, unsigned char* to)
  {
    const int lane = static_cast<int>(threadIdx.x);
    const auto begin = reinterpret_cast<std::uintptr_t>(from);
    const auto end = begin + static_cast<std::uintptr_t>(bytes);
    const auto bulk_begin = (max) (begin / granule * granule, first_granule(pieces, tile));
    const auto bulk_end = (min) ((end + granule - 1) / granule * granule, last_granule(pieces, tile));
    const bool copies = lane < max_ways && bytes > 0 && bulk_begin < bulk_end;
    const int copied = copies ? static_cast<int>(bulk_end - bulk_begin) : 0;
    const int all_copied = __reduce_add_sync(0xffffffff, copied);
    if (lane == 0)
    {
      shared_.barrier.init(1);
    }
    __syncwarp();
    if (lane == 0)
    {
      shared_.barrier.expect(all_copied);
    }
    __syncwarp();
    if (copies)
    {
      shared_.barrier.copy(
        to - begin % granule + (bulk_begin - begin / granule * granule), reinterpret_cast<const void*>(bulk_begin),
        copied);
    }
  }

  /// Copies the keys of the lane's piece outside of these granules, at the ends of that memory.
  template <class Pieces>
  MGPU_THRUST_DEVICE void
  copy_ends(const Pieces& pieces, std::int64_t tile, const Key* from, int bytes, unsigned char* to)
  {
    const auto begin = reinterpret_cast<std::uintptr_t>(from);
    const auto end = begin + static_cast<std::uintptr_t>(bytes);
    if (static_cast<int>(threadIdx.x) < max_ways)
    {
      const auto copy = [&](std::uintptr_t key, std::uintptr_t last)
      {
        for (; key < last; key += sizeof(Key))
        {
          *reinterpret_cast<Key*>(to + (key - begin)) = *reinterpret_cast<const Key*>(key);
        }
      };
      copy(begin, (min) (end, first_granule(pieces, tile)));
      copy((max) (begin, (max) (first_granule(pieces, tile), last_granule(pieces, tile))), end);
    }
  }

  storage& shared_;
  Keys keys_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

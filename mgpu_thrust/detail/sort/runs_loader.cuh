// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Loads pieces of several runs, which are in one range of memory, into shared memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>

#include <cuda/ptx>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Loads up to most_ways pieces of a range of keys. From sm_90 on the copy engine copies each piece in whole units of
/// 16 bytes, to an address that equals the one in global memory modulo 16; so it may also copy what is next to a piece,
/// but nothing outside the range. Keys whose size or alignment does not allow that are read one by one, and the pieces
/// are contiguous.
template <int Threads, class Key>
class runs_loader
{
  using slot = staged_t<Key>;
  static constexpr int granule = 16;
  static constexpr bool fits_granules = granule % sizeof(Key) == 0;

public:
  /// Most bytes of shared memory that `Keys` keys take, not counting what is read past their end.
  template <int Keys>
  static constexpr int bytes_for = Keys* static_cast<int>(sizeof(Key)) + most_ways * 2 * granule;

  struct storage
  {
    std::uint64_t barrier; // of the copy engine
    int places[most_ways];
    int begins[most_ways + 1];
    std::int64_t sources[most_ways];
  };

  MGPU_THRUST_DEVICE runs_loader(storage& shared, const Key* keys, std::int64_t count)
      : shared_(shared)
      , keys_(keys)
      , count_(count)
  {
  }

  /// Starts to load; called by the first warp. Each of its first most_ways lanes passes its piece of the range.
  MGPU_THRUST_DEVICE void start(std::int64_t source, int size, slot* to)
  {
    const int lane = static_cast<int>(threadIdx.x);
    const int shift = is_bulk() ? static_cast<int>(reinterpret_cast<std::uintptr_t>(keys_ + source) % granule) : 0;
    const int bytes = size * static_cast<int>(sizeof(Key));
    const int taken = is_bulk() ? (shift + bytes + granule - 1) / granule * granule : bytes;
    int size_up_to = lane < most_ways ? size : 0;
    int taken_up_to = lane < most_ways ? taken : 0;
#pragma unroll
    for (int distance = 1; distance < most_ways; distance *= 2)
    {
      const int sizes_below = __shfl_up_sync(0xffffffff, size_up_to, distance);
      const int taken_below = __shfl_up_sync(0xffffffff, taken_up_to, distance);
      size_up_to += lane >= distance ? sizes_below : 0;
      taken_up_to += lane >= distance ? taken_below : 0;
    }
    if (lane < most_ways)
    {
      shared_.places[lane] = (taken_up_to - taken + shift) / static_cast<int>(sizeof(Key));
      shared_.begins[lane] = size_up_to - size;
      shared_.sources[lane] = source;
    }
    if (lane == most_ways - 1)
    {
      shared_.begins[most_ways] = size_up_to;
    }
    NV_IF_TARGET(NV_PROVIDES_SM_90, (if (is_bulk()) {
                   start_bulk_copies(
                     source, bytes, reinterpret_cast<unsigned char*>(to) + (taken_up_to - taken + shift));
                 }))
  }

  /// Finishes the load that start() began; called by all threads of the block, after a barrier. The keys may be read
  /// after another barrier.
  MGPU_THRUST_DEVICE void finish([[maybe_unused]] slot* to)
  {
    if (is_bulk())
    {
      NV_IF_TARGET(NV_PROVIDES_SM_90, (while (!::cuda::ptx::mbarrier_try_wait_parity(&shared_.barrier, 0)){}))
    }
    else
    {
      for (int run = 0; run < most_ways; ++run)
      {
        const int size = begin(run + 1) - begin(run);
        const Key* const from = keys_ + shared_.sources[run];
#pragma unroll 4
        for (int i = static_cast<int>(threadIdx.x); i < size; i += Threads)
        {
          reinterpret_cast<Key*>(to)[shared_.places[run] + i] = from[i];
        }
      }
      __syncthreads();
    }
  }

  /// Index in shared memory of the first key of a run's piece.
  MGPU_THRUST_DEVICE int place(int run) const
  {
    return shared_.places[run];
  }
  /// Number of keys in the pieces before a run's piece; run may be most_ways.
  MGPU_THRUST_DEVICE int begin(int run) const
  {
    return shared_.begins[run];
  }
  /// Index in the range of the first key of a run's piece.
  MGPU_THRUST_DEVICE std::int64_t source(int run) const
  {
    return shared_.sources[run];
  }

private:
  MGPU_THRUST_DEVICE bool is_bulk() const
  {
    NV_IF_ELSE_TARGET(
      NV_PROVIDES_SM_90, (return fits_granules && reinterpret_cast<std::uintptr_t>(keys_) % sizeof(Key) == 0;),
      (return false;))
  }

  MGPU_THRUST_DEVICE void start_bulk_copies(std::int64_t source, int bytes, unsigned char* to)
  {
    // 1. The whole granules that overlap the piece, as far as they are in the range.
    const int lane = static_cast<int>(threadIdx.x);
    const auto range_begin = reinterpret_cast<std::uintptr_t>(keys_);
    const auto first_granule = (range_begin + granule - 1) / granule * granule;
    const auto last_granule = reinterpret_cast<std::uintptr_t>(keys_ + count_) / granule * granule;
    const auto begin = reinterpret_cast<std::uintptr_t>(keys_ + source);
    const auto end = begin + static_cast<std::uintptr_t>(bytes);
    const auto bulk_begin = max(begin / granule * granule, first_granule);
    const auto bulk_end = min((end + granule - 1) / granule * granule, last_granule);
    const bool copies = lane < most_ways && bytes > 0 && bulk_begin < bulk_end;
    const int copied = copies ? static_cast<int>(bulk_end - bulk_begin) : 0;
    const int all_copied = __reduce_add_sync(0xffffffff, copied);
    if (lane == 0)
    {
      ::cuda::ptx::mbarrier_init(&shared_.barrier, 1u);
      ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
    }
    __syncwarp();
    if (lane == 0)
    {
      ::cuda::ptx::mbarrier_arrive_expect_tx(
        ::cuda::ptx::sem_release, ::cuda::ptx::scope_cta, ::cuda::ptx::space_shared, &shared_.barrier,
        static_cast<std::uint32_t>(all_copied));
    }
    __syncwarp();
    if (copies)
    {
      ::cuda::ptx::cp_async_bulk(
        ::cuda::ptx::space_cluster, ::cuda::ptx::space_global,
        to - begin % granule + (bulk_begin - begin / granule * granule), reinterpret_cast<const void*>(bulk_begin),
        static_cast<std::uint32_t>(copied), &shared_.barrier);
    }

    // 2. The keys outside of these granules, at the ends of the range.
    if (lane < most_ways)
    {
      const auto copy = [&](std::uintptr_t from, std::uintptr_t from_end)
      {
        for (; from < from_end; from += sizeof(Key))
        {
          *reinterpret_cast<Key*>(to + (from - begin)) = *reinterpret_cast<const Key*>(from);
        }
      };
      copy(begin, min(end, first_granule));
      copy(max(begin, max(first_granule, last_granule)), end);
    }
  }

  storage& shared_;
  const Key* keys_;
  std::int64_t count_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

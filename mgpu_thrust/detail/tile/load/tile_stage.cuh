// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The keys of a tile of two inputs in shared memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/merge/set_tile.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Inputs>
inline constexpr bool stages_keys = largest_key_bytes<Inputs> <= largest_staged_key;

/// Stands for the function of tile_stage::load() that prefetches.
struct no_prefetch
{
  template <class Prefetch>
  MGPU_THRUST_DEVICE void operator()(Prefetch) const
  {
  }
};

/// Stages a tile's keys in two regions of shared memory, each of its own key type: A's, then B's, each aligned to a
/// granule and shifted by less than one. There is room for MaxKeys keys in all.
///
/// If SparesFirstWarp, the bulk copy of B's keys does not wait for the edges of A's (see tile_loader). Merges of a
/// short A take 3 % less time, other merges, searches and joins 1 to 3 %. But intersections take 1 to 4 % more, and
/// semi joins up to 15 % (H100, 2^26 int32 a side).
template <int Threads, int MaxKeys, class Inputs, bool SparesFirstWarp = true>
class tile_stage
{
  using a_key = a_key_t<Inputs>;
  using b_key = b_key_t<Inputs>;
  using loader = tile_loader<Threads>;
  static constexpr int granule = load_granule<a_key> > load_granule<b_key> ? load_granule<a_key> : load_granule<b_key>;
  static constexpr int bytes = stages_keys<Inputs> ? MaxKeys * largest_key_bytes<Inputs> + 3 * granule : granule;

public:
  struct storage
  {
    alignas(granule) unsigned char bytes[tile_stage::bytes];
    typename loader::storage loader_storage;
  };

  /// Loads the keys of `part`, and one more of A (of B) if a_continues (b_continues); called by all threads of the
  /// block. Calls while_loading(prefetch) on one thread, which may call prefetch(other_part) to prefetch another part
  /// to the L2 cache. Keys too large to be staged stay where they are, and nothing is read past the part.
  template <class WhileLoading>
  MGPU_THRUST_DEVICE static auto
  load(storage& shared, const Inputs& part, bool a_continues, bool b_continues, WhileLoading while_loading)
  {
    const int a_count = static_cast<int>(part.a_count);
    const int b_count = static_cast<int>(part.b_count);
    if constexpr (stages_keys<Inputs>)
    {
      loader load(shared.loader_storage, 2, SparesFirstWarp);
      const auto* const a = load.template load<a_key>(part.a, a_count + a_continues, shared.bytes);
      const auto a_bytes =
        static_cast<int>(reinterpret_cast<const unsigned char*>(a + a_count + a_continues) - shared.bytes);
      const auto* const b = load.template load<b_key>(
        part.b, b_count + b_continues, shared.bytes + (a_bytes + granule - 1) / granule * granule);
      if (threadIdx.x == Threads - 1)
      {
        while_loading(
          [](const Inputs& other)
          {
            loader::template prefetch<a_key>(other.a, static_cast<int>(other.a_count));
            loader::template prefetch<b_key>(other.b, static_cast<int>(other.b_count));
          });
      }
      load.wait();
      return SetTile{a, a_count, b, b_count, a_continues, b_continues};
    }
    else
    {
      return SetTile{part.a, a_count, part.b, b_count};
    }
  }

  /// Ends the use of the storage; called by all threads of the block, after a barrier that follows their last read of
  /// keys. The memory may be reused after the next barrier; before it is loaded to again, all threads must call
  /// fence_writes().
  MGPU_THRUST_DEVICE static void release([[maybe_unused]] storage& shared)
  {
    if constexpr (stages_keys<Inputs>)
    {
      loader::release(shared.loader_storage);
    }
  }
  MGPU_THRUST_DEVICE static void fence_writes()
  {
    loader::fence_writes();
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of the sorted searches: one processes tiles of both ranges, one bisects the haystack for every needle.

#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/guided_search.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/sorted_search/choice.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.h>
#include <mgpu_thrust/detail/tile/tile_stage.cuh>

#include <cub/block/block_reduce.cuh>

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Adds the matches of a block's threads to `count`, in device memory; called by all threads.
template <int Threads>
MGPU_THRUST_DEVICE void add_matches(int matches, std::int64_t& count)
{
  using block_reduce = cub::BlockReduce<int, Threads>;
  __shared__ typename block_reduce::TempStorage shared_reduce;
  __syncthreads(); // shared_reduce may be in use by an earlier call
  const int sum = block_reduce(shared_reduce).Sum(matches);
  if (threadIdx.x == 0)
  {
    ::cuda::atomic_ref<std::int64_t, ::cuda::thread_scope_device>(count).fetch_add(sum, ::cuda::memory_order_relaxed);
  }
}

/// The Tiling (path_cut.cuh) of a search.
template <int Threads, bool Counts, class OutputA, class OutputB>
using search_tiling = std::conditional_t<
  OutputA::is_wanted != OutputB::is_wanted && !Counts,
  unless_bisected<
    Threads,
    one_way_bisection<
      OutputA::is_wanted,
      search_bisection<true, std::conditional_t<OutputA::is_wanted, OutputA, OutputB>::needs_equal_end, false>>>,
  always_tiled>;

/// Bisects the haystack for needle i of the wanted side, if it exists: for the lower bound of an element of A, or the
/// upper bound of an element of B.
template <class Inputs, class OutputA, class OutputB, class Compare>
MGPU_THRUST_DEVICE void
bisect_for_needle(std::int64_t i, const Inputs& inputs, OutputA& a_output, OutputB& b_output, Compare& comp)
{
  if (i < (OutputA::is_wanted ? inputs.a_count : inputs.b_count))
  {
    search_result found{0, false, 0};
    if constexpr (OutputA::is_wanted)
    {
      auto&& needle = detail::element(inputs.a, i);
      found.bound = detail::lower_bound_in_haystack(inputs.b, inputs.b_count, needle, comp);
      found.match = found.bound < inputs.b_count && !comp(needle, detail::element(inputs.b, found.bound));
      if constexpr (OutputA::needs_equal_end)
      {
        found.equal_end =
          found.match ? detail::upper_bound(inputs.b, found.bound + 1, inputs.b_count, needle, comp) : found.bound;
      }
      a_output.write(i, found);
    }
    else
    {
      auto&& needle = detail::element(inputs.b, i);
      found.bound = detail::upper_bound_in_haystack(inputs.a, inputs.a_count, needle, comp);
      found.match = found.bound > 0 && !comp(detail::element(inputs.a, found.bound - 1), needle);
      b_output.write(i, found);
    }
  }
}

/// Finds the lower bounds of a tile's A in B and the upper bounds of its B in A, as far as they are wanted, one tile
/// per block. If Counts, adds the matches of A to match_counts[0] and those of B to match_counts[1]. If `begins` is
/// null, the blocks cut their tiles. `tiles` is the number of tiles, or 0 for no prefetches. If the sizes of the inputs
/// are deferred, it is for the capacities, and surplus blocks return; if the actual sizes are for bisection, a thread
/// bisects for a needle.
template <class Shape, bool Counts, class Inputs, class OutputA, class OutputB, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) sorted_search_kernel(
  Inputs given, OutputA a_output, OutputB b_output, Compare comp, int tiles, const tile_begin* begins,
  std::int64_t* match_counts)
{
  using inputs_type = sized_t<Inputs>;
  using stage = tile_stage<Shape::threads, Shape::items + 3, inputs_type>;
  using block_search = BlockSortedSearch<Shape::threads, Shape::items + 1>;
  __shared__ typename stage::storage shared_keys;
  __shared__ typename block_search::TempStorage shared_a_search;
  __shared__ typename block_search::TempStorage shared_b_search;
  static_assert(
    sizeof(shared_keys) + sizeof(shared_a_search) + sizeof(shared_b_search) + 2 * sizeof(tile_begin)
      + 2 * max_shared_bytes_of_function
    <= max_static_shared_bytes);

  // If Counts, deferred sizes are in the header once the cuts are complete. Otherwise they are read in place, before
  // that.
  const int tile = static_cast<int>(blockIdx.x);
  constexpr bool reads_header = is_deferred_v<Inputs> && Counts;
  if constexpr (reads_header)
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
  }
  const inputs_type& inputs = detail::sized(given);
  if constexpr (!reads_header)
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  }
  tile_begin early_ends[2];
  detail::read_ends_early<Inputs>(early_ends, begins, tile);
  if constexpr (is_deferred_v<Inputs>)
  {
    using tiling = search_tiling<Shape::threads, Counts, OutputA, OutputB>;
    if constexpr (!std::is_same_v<tiling, always_tiled>)
    {
      static_assert(Shape::items < sparse_needles_ratio * Shape::threads);
      if (!tiling::has_tiles(inputs))
      {
        // Few elements may have fewer tiles than there are blocks of needles.
        const std::int64_t needles = OutputA::is_wanted ? inputs.a_count : inputs.b_count;
        for (std::int64_t i = std::int64_t{blockIdx.x} * Shape::threads + threadIdx.x; i < needles;
             i += std::int64_t{gridDim.x} * Shape::threads)
        {
          detail::bisect_for_needle(i, inputs, a_output, b_output, comp);
        }
        return;
      }
    }
    if (!detail::has_tile<Shape::items>(given, inputs, tile))
    {
      return;
    }
  }

  // 1. Load a tile's keys, and the next key of B. As tiles are cut on the merge path, all bounds are within the tile.
  __shared__ tile_begin shared_ends[2];
  const tile_begin* const ends =
    detail::ends_of_tile<Inputs, Shape::items>(begins, early_ends, shared_ends, inputs, comp, tile);
  const tile_begin begin = ends[0];
  const inputs_type part = detail::tile_part<Shape::items>(inputs, ends, 0);
  const std::int64_t b_end = begin.b + part.b_count;
  const bool b_continues = b_end < inputs.b_count;
  const auto keys = stage::load(
    shared_keys, part, false, b_continues,
    prefetch_later_tile<Shape, Inputs, inputs_type>{given, inputs, begins, tile, tiles});
  compare_staged<Compare> compare{comp};

  // 2. Elements of B that equal the tile's last element of A may continue past the tile: count the ones past it.
  std::int64_t equals_after = 0;
  if constexpr (OutputA::needs_equal_end)
  {
    __shared__ std::int64_t shared_equals_after;
    if (threadIdx.x < 32)
    {
      if (
        b_continues && keys.a_count > 0
        && !compare(detail::element(keys.a, keys.a_count - 1), detail::element(keys.b, keys.b_count)))
      {
        auto&& last = detail::element(part.a, keys.a_count - 1);
        equals_after =
          detail::warp_partition_point(
            b_end, inputs.b_count, [&](std::int64_t i) { return !comp(last, detail::element(inputs.b, i)); })
          - b_end;
      }
      shared_equals_after = equals_after;
    }
    __syncthreads();
    equals_after = shared_equals_after;
  }

  // 3. Search A in B. A match is the element at the bound.
  if constexpr (OutputA::needs_equal_end)
  {
    block_search(shared_a_search)
      .EqualRanges(
        keys.a, keys.a_count, keys.b, keys.b_count, compare,
        [&](int i, int lower, int upper)
        {
          search_result found{begin.b + lower, false, begin.b + upper};
          if (
            upper == keys.b_count && equals_after > 0
            && !compare(detail::element(keys.a, i), detail::element(keys.b, keys.b_count)))
          {
            found.equal_end += equals_after;
          }
          a_output.write(begin.a + i, found);
        });
  }
  else if constexpr (OutputA::is_wanted || Counts)
  {
    int matches = 0;
    block_search(shared_a_search)
      .LowerBounds(
        keys.a, keys.a_count, keys.b, keys.b_count, compare,
        [&](int i, int bound)
        {
          search_result found{begin.b + bound, false, 0};
          if constexpr (OutputA::needs_match || Counts)
          {
            found.match = bound < keys.b_count + b_continues
                          && !compare(detail::element(keys.a, i), detail::element(keys.b, bound));
            matches += found.match;
          }
          a_output.write(begin.a + i, found);
        });
    if constexpr (Counts)
    {
      detail::add_matches<Shape::threads>(matches, match_counts[0]);
    }
  }

  // 4. Search B in A. A match is the element before the bound.
  if constexpr (OutputB::is_wanted || Counts)
  {
    int matches = 0;
    block_search(shared_b_search)
      .UpperBounds(
        keys.b, keys.b_count, keys.a, keys.a_count, compare,
        [&](int i, int bound)
        {
          search_result found{begin.a + bound, false, 0};
          if constexpr (OutputB::needs_match || Counts)
          {
            if (bound > 0)
            {
              found.match = !compare(detail::element(keys.a, bound - 1), detail::element(keys.b, i));
            }
            else if (begin.a > 0)
            {
              found.match = !comp(detail::element(inputs.a, begin.a - 1), detail::element(part.b, i));
            }
            matches += found.match;
          }
          b_output.write(begin.b + i, found);
        });
    if constexpr (Counts)
    {
      detail::add_matches<Shape::threads>(matches, match_counts[1]);
    }
  }
}

/// Bisects the haystack for every needle, one needle per thread. It reads deferred sizes in place: no output may be
/// where an input is.
template <class Inputs, class OutputA, class OutputB, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(bisection_shape::threads)
  sparse_search_kernel(Inputs given, OutputA a_output, OutputB b_output, Compare comp)
{
  const sized_t<Inputs>& inputs = detail::sized(given);
  const std::int64_t i = std::int64_t{blockIdx.x} * bisection_shape::threads + threadIdx.x;
  detail::bisect_for_needle(i, inputs, a_output, b_output, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

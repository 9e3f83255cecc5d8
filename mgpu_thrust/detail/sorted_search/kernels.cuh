// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of the sorted searches: one processes tiles of both ranges, one bisects the haystack for every needle.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/guided_search.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/driver/tile_driver.cuh>
#include <mgpu_thrust/detail/sorted_search/choice.h>
#include <mgpu_thrust/detail/sorted_search/search_tile.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cub/block/block_reduce.cuh>

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

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
        found.equal_end = found.match
                            ? found.bound + detail::copies_after(inputs.b, found.bound, inputs.b_count, needle, comp)
                            : found.bound;
      }
      a_output.write(
        i, needle_result<decltype(inputs.a), decltype(inputs.b)>{found, inputs.a, i, inputs.b, inputs.b_count});
    }
    else
    {
      auto&& needle = detail::element(inputs.b, i);
      found.bound = detail::upper_bound_in_haystack(inputs.a, inputs.a_count, needle, comp);
      found.match = found.bound > 0 && !comp(detail::element(inputs.a, found.bound - 1), needle);
      b_output.write(
        i, needle_result<decltype(inputs.b), decltype(inputs.a)>{found, inputs.b, i, inputs.a, inputs.a_count});
    }
  }
}

/// Finds the lower bounds of a tile's A in B and the upper bounds of its B in A, as far as they are wanted, a tile per
/// block; see tile_driver for the parameters. If Counts, adds the matches of A to match_counts[0] and those
/// of B to match_counts[1]. If deferred sizes are for bisection, a thread bisects for a needle.
template <class Shape, bool Counts, class Inputs, class OutputA, class OutputB, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) sorted_search_kernel(
  Inputs given, OutputA a_output, OutputB b_output, Compare comp, int tiles, const tile_begin* begins,
  std::int64_t* match_counts)
{
  using tiling = search_tiling<Shape::threads, Counts, OutputA, OutputB>;
  using driver_type = tile_driver<Shape, merge_t, tiling, Inputs, no_tile_offsets>;
  using tile_type = search_tile<Shape, Counts, sized_t<Inputs>, OutputA, OutputB, Compare>;
  __shared__ typename tile_type::TempStorage shared;
  __shared__ typename driver_type::TempStorage shared_driver;
  static_assert(sizeof(shared) + sizeof(shared_driver) + 2 * max_shared_bytes_of_function <= max_static_shared_bytes);
  static_assert(std::is_same_v<tiling, always_tiled> || Shape::items < sparse_needles_ratio * Shape::threads);

  // 1. Take the block's turn.
  driver_type driver(shared_driver, given, begins, tiles, {});
  const auto& inputs = driver.inputs();
  const auto bisect = [&]
  {
    // Few elements may have fewer tiles than there are blocks of needles.
    const std::int64_t needles = OutputA::is_wanted ? inputs.a_count : inputs.b_count;
    for (std::int64_t i = std::int64_t{blockIdx.x} * Shape::threads + threadIdx.x; i < needles;
         i += std::int64_t{gridDim.x} * Shape::threads)
    {
      detail::bisect_for_needle(i, inputs, a_output, b_output, comp);
    }
  };
  if (!driver.take(comp, bisect))
  {
    return;
  }

  // 2. Load the tile's keys. Meanwhile prefetch those of a later tile.
  const auto part = driver.part();
  const tile_type tile(shared, inputs, driver.begin(), part, comp, driver.prefetch());

  // 3. Search A in B, and B in A, and write what is wanted.
  const int a_matches = tile.search_a(a_output);
  if constexpr (Counts)
  {
    detail::add_matches<Shape::threads>(a_matches, match_counts[0]);
  }
  const int b_matches = tile.search_b(b_output);
  if constexpr (Counts)
  {
    detail::add_matches<Shape::threads>(b_matches, match_counts[1]);
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels a CUDA device executes for a sorted search, by sizes and types.

#include <mgpu_thrust/detail/base/chosen_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/sorted_search/tuning.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The paths of a sorted search. Deferred sizes count as their capacities.
enum class sorted_search_path
{
  /// Nothing is searched for; the counts of matches are cleared.
  /// When: both ranges are empty and matches are counted
  /// Kernels: none
  /// Launches: 0, and a cudaMemsetAsync
  /// Why: there is no tile
  none,

  /// A thread for each needle bisects the haystack.
  /// When: one side is searched for and no matches are counted: at most one needle for {sparse_needles_ratio} elements
  /// of the haystack, or up to {max_to_search_by_bisection} elements in all, {max_to_search_both_by_bisection} if both
  /// bounds are wanted
  /// Kernels: sparse_search_kernel
  /// Launches: 1
  /// Why: lower bounds of 2^10 in 2^10 int32 take 11.5 us instead of 15.6 (H200)
  bisect,

  /// The blocks cut a tile each, and search in it.
  /// When: otherwise, up to {max_tiles_cut_by_blocks} tiles, unless sizes are deferred and matches are counted
  /// Data: if the sizes that are read are for bisection, the blocks bisect
  /// Kernels: sorted_search_kernel
  /// Launches: 1, with counts of matches after a cudaMemsetAsync
  /// Why: for lower bounds of 2^20 in 2^20 int32 a caller waits 15 us instead of 17 with a kernel that cuts (H200)
  tiles_cut_by_blocks,

  /// One kernel cuts all tiles, and the blocks of the next search in them.
  /// When: otherwise
  /// Data: if the sizes that are read are for bisection, the blocks bisect
  /// Kernels: cut_kernel, sorted_search_kernel
  /// Launches: 2, with counts of matches beside a cudaMemsetAsync
  /// Why: with 4096 tiles cut by their blocks, searches of 2^23 int32 take 54 us instead of 49 (H200)
  cut_tiles
};

/// The bisection that a search may use, by what is searched for. A kernel asks it about the sizes that it reads.
template <bool IsOneSided, bool NeedsEqualEnd, bool CountsMatches>
using search_bisection = std::conditional_t<
  IsOneSided && !CountsMatches, bisection<NeedsEqualEnd ? max_to_search_both_by_bisection : max_to_search_by_bisection>,
  no_bisection>;

/// Chooses for a search in tiles of Shape; Bisection tells when there are no tiles. The sizes may be deferred.
/// `in_place` tells whether kernels may read them where they are, as no kernel stores a count of matches there.
template <class Shape, class Bisection, class NumNeedles, class NumHaystack>
constexpr path_choice<sorted_search_path>
choose_sorted_search(const NumNeedles& num_needles, const NumHaystack& num_haystack, bool in_place)
{
  using path = sorted_search_path;
  const std::int64_t elements = Bisection::max_tiled(num_needles, num_haystack);
  if (elements == 0)
  {
    const std::int64_t blocks =
      ::cuda::ceil_div(detail::capacity_of(num_needles), std::int64_t{bisection_shape::threads});
    return {std::is_same_v<Bisection, no_bisection> ? path::none : path::bisect, blocks, blocks};
  }
  const std::int64_t tiles = ::cuda::ceil_div(elements, std::int64_t{Shape::items});
  return {detail::are_cut_by_blocks(tiles, in_place) ? path::tiles_cut_by_blocks : path::cut_tiles, tiles, tiles};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

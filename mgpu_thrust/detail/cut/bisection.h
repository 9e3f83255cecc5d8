// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// When one range (the haystack) is bisected for each element of the other (a needle), and no tiles of both are cut.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Minimum number of elements of the haystack per needle for which bisecting is faster than reading all of it.
inline constexpr std::int64_t sparse_needles_ratio = 64;

/// The haystack is bisected if it has sparse_needles_ratio elements or more per needle, as most of it is not read; or
/// if both ranges have up to MaxElements elements, as it is in the cache then.
template <std::int64_t MaxElements>
struct bisection
{
  /// Whether actual sizes are for bisection.
  MGPU_THRUST_HOST_DEVICE static constexpr bool is_for(std::int64_t needles, std::int64_t haystack)
  {
    return needles <= haystack / sparse_needles_ratio || needles + haystack <= MaxElements;
  }

  /// Returns the maximum number of elements in both ranges that tiles are launched for; 0 if all possible sizes are for
  /// bisection. If deferred sizes may be for either, the kernel of the tiles does both.
  template <class NumNeedles, class NumHaystack>
  static constexpr std::int64_t max_tiled(const NumNeedles& num_needles, const NumHaystack& num_haystack)
  {
    const std::int64_t needles = detail::capacity_of(num_needles);
    const std::int64_t capacity = detail::capacity_of(num_haystack);
    const bool is_bounded = is_deferred_v<NumHaystack> && needles <= capacity / sparse_needles_ratio;
    const std::int64_t haystack = is_bounded ? needles * sparse_needles_ratio - 1 : capacity;
    return needles == 0 || is_for(needles, haystack) ? 0 : needles + haystack;
  }
};

/// Stands for a bisection if there are tiles for all sizes.
struct no_bisection
{
  template <class NumNeedles, class NumHaystack>
  static constexpr std::int64_t max_tiled(const NumNeedles& num_needles, const NumHaystack& num_haystack)
  {
    return detail::capacity_of(num_needles) + detail::capacity_of(num_haystack);
  }
};

/// The Tiling (path_cut.cuh) of algorithms with deferred sizes. If the sizes are for the Bisection, there are no tiles,
/// and a block has Threads needles at a time.
template <bool NeedlesAreA, int Threads, class Bisection>
struct unless_bisected
{
  static constexpr bool other_blocks_have_tiles = false;

  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static bool has_tiles(const Inputs& inputs)
  {
    return !Bisection::is_for(needles(inputs), inputs.a_count + inputs.b_count - needles(inputs));
  }
  /// For a long haystack at least as many blocks have been launched for tiles, as a tile has fewer than 64 elements per
  /// thread. For few elements, fewer may have been launched.
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static int blocks_without_tiles(const Inputs& inputs)
  {
    return static_cast<int>(::cuda::ceil_div(needles(inputs), std::int64_t{Threads}));
  }

private:
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static std::int64_t needles(const Inputs& inputs)
  {
    return NeedlesAreA ? inputs.a_count : inputs.b_count;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

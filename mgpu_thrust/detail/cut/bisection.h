// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// When each element of one range is bisected for in the other, where tiles of both would be cut otherwise.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// From this number of elements of the haystack per needle on, it is faster to bisect the haystack for each needle than
/// to read it all.
inline constexpr std::int64_t sparse_needles_ratio = 64;

/// The haystack is bisected for each needle if it is so long that most of it need not be read, or if both ranges together
/// have up to MaxElements elements, as it is read from the cache then.
template <std::int64_t MaxElements>
struct bisection
{
  /// Whether it is, for sizes as they are.
  MGPU_THRUST_HOST_DEVICE static constexpr bool is_for(std::int64_t needles, std::int64_t haystack)
  {
    return needles <= haystack / sparse_needles_ratio || needles + haystack <= MaxElements;
  }

  /// Returns the maximum number of elements in both ranges that tiles are launched for; 0 if the haystack is bisected for all
  /// numbers that the sizes can be. Deferred sizes may be for either; then the kernel of the tiles does both.
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

/// Stands for a bisection where there are tiles whatever the sizes are.
struct no_bisection
{
  template <class NumNeedles, class NumHaystack>
  static constexpr std::int64_t max_tiled(const NumNeedles& num_needles, const NumHaystack& num_haystack)
  {
    return detail::capacity_of(num_needles) + detail::capacity_of(num_haystack);
  }
};

/// The Tiling (path_cut.cuh) of algorithms with deferred sizes. Where the Bisection is for them there are no tiles, and a
/// block has Threads needles at a time.
template <bool NeedlesAreA, int Threads, class Bisection>
struct unless_bisected
{
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static bool has_tiles(const Inputs& inputs)
  {
    return !Bisection::is_for(needles(inputs), inputs.a_count + inputs.b_count - needles(inputs));
  }
  /// Where the haystack is long, as many blocks have been launched for tiles at least, as a tile has fewer than 64 elements
  /// a thread. Where there are few elements, fewer may have been launched.
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

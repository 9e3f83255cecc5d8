// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// When one range (the haystack) is bisected for each element of the other (a needle), and no tiles of both are cut.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>

#include <cuda/cmath>

#include <algorithm>
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

/// Returns the number of needles of two inputs that are for a Bisection.
template <class Bisection>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t needles_of(std::int64_t a_count, std::int64_t b_count)
{
  return Bisection::needles_are_a(a_count, b_count) ? a_count : b_count;
}

/// A Bisection of two inputs, A and B, of which one has the needles.
template <bool NeedlesAreA, class Bisection>
struct one_way_bisection
{
  MGPU_THRUST_HOST_DEVICE static constexpr bool needles_are_a(std::int64_t, std::int64_t)
  {
    return NeedlesAreA;
  }
  MGPU_THRUST_HOST_DEVICE static constexpr bool is_for(std::int64_t a_count, std::int64_t b_count)
  {
    return NeedlesAreA ? Bisection::is_for(a_count, b_count) : Bisection::is_for(b_count, a_count);
  }
  template <class SizeA, class SizeB>
  static constexpr std::int64_t max_tiled(const SizeA& a_size, const SizeB& b_size)
  {
    return NeedlesAreA ? Bisection::max_tiled(a_size, b_size) : Bisection::max_tiled(b_size, a_size);
  }
  /// Returns the maximum number of needles, if all possible sizes are for bisection.
  template <class SizeA, class SizeB>
  static constexpr std::int64_t max_needles(const SizeA& a_size, const SizeB& b_size)
  {
    return NeedlesAreA ? detail::capacity_of(a_size) : detail::capacity_of(b_size);
  }
  /// Returns a number of elements in tiles whose storage is enough for inputs of these sizes, and for all smaller ones.
  static constexpr std::int64_t max_smaller_tiled(std::int64_t a_count, std::int64_t b_count)
  {
    const std::int64_t needles = NeedlesAreA ? a_count : b_count;
    const std::int64_t haystack = NeedlesAreA ? b_count : a_count;
    return needles + (needles <= haystack / sparse_needles_ratio ? needles * sparse_needles_ratio : haystack);
  }
};

/// A Bisection of two inputs, A and B, by which B is bisected for each element of A, or A for each element of a B that
/// is much shorter.
template <class Bisection>
struct two_way_bisection
{
  MGPU_THRUST_HOST_DEVICE static constexpr bool needles_are_a(std::int64_t a_count, std::int64_t b_count)
  {
    return b_count > a_count / sparse_needles_ratio;
  }
  MGPU_THRUST_HOST_DEVICE static constexpr bool is_for(std::int64_t a_count, std::int64_t b_count)
  {
    return Bisection::is_for(a_count, b_count) || !needles_are_a(a_count, b_count);
  }
  template <class SizeA, class SizeB>
  static constexpr std::int64_t max_tiled(const SizeA& a_size, const SizeB& b_size)
  {
    return (std::min)(
      one_way_bisection<true, Bisection>::max_tiled(a_size, b_size),
      one_way_bisection<false, Bisection>::max_tiled(a_size, b_size));
  }
  template <class SizeA, class SizeB>
  static constexpr std::int64_t max_needles(const SizeA& a_size, const SizeB& b_size)
  {
    const std::int64_t a_capacity = detail::capacity_of(a_size);
    const std::int64_t b_capacity = detail::capacity_of(b_size);
    if constexpr (is_deferred_v<SizeA>)
    {
      // If A has the needles, it is less than sparse_needles_ratio times as long as B.
      return b_capacity > a_capacity / sparse_needles_ratio
               ? a_capacity
               : (std::max)(b_capacity * sparse_needles_ratio - 1, b_capacity);
    }
    else
    {
      return detail::needles_of<two_way_bisection>(a_capacity, b_capacity);
    }
  }
  static constexpr std::int64_t max_smaller_tiled(std::int64_t a_count, std::int64_t b_count)
  {
    return (std::min)(
      one_way_bisection<true, Bisection>::max_smaller_tiled(a_count, b_count),
      one_way_bisection<false, Bisection>::max_smaller_tiled(a_count, b_count));
  }
};

/// The Tiling (path_cut.cuh) of algorithms with deferred sizes. If the sizes are for the Bisection of A and B, there
/// are no tiles, and a block has Threads needles at a time.
template <int Threads, class Bisection>
struct unless_bisected
{
  static constexpr bool header_counts_other_blocks = false;

  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static bool has_tiles(const Inputs& inputs)
  {
    return !Bisection::is_for(inputs.a_count, inputs.b_count);
  }
  /// For a long haystack at least as many blocks have been launched for tiles, as a tile has fewer than 64 elements per
  /// thread. For few elements, fewer may have been launched.
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static int blocks_without_tiles(const Inputs& inputs)
  {
    return static_cast<int>(
      ::cuda::ceil_div(detail::needles_of<Bisection>(inputs.a_count, inputs.b_count), std::int64_t{Threads}));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

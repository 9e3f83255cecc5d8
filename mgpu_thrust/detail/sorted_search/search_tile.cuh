// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A sorted search of one tile, by a block.

#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/load/tile_stage.cuh>

#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A needle_result of a tile, which reads elements of the tile there. Needles and Haystack are the iterators of the
/// call, the others those of the tile. If IsInside, the tile has the elements before the end of the equal ones and at
/// the bound, and no others are asked for.
template <bool IsInside, class Needles, class Haystack, class TileNeedles, class TileHaystack>
struct tile_result : search_result
{
  static constexpr bool has_both_rows = IsInside;
  TileNeedles needles;
  int index; ///< of the needle, in the tile
  TileHaystack tile_haystack;
  int tile_count;          ///< elements of the haystack in the tile
  std::int64_t tile_begin; ///< index of the first of these
  const Haystack& haystack;
  std::int64_t haystack_count;

  MGPU_THRUST_DEVICE element_t<Needles> needle() const
  {
    return static_cast<element_t<Needles>>(detail::staged_value(detail::element(needles, index)));
  }
  MGPU_THRUST_DEVICE element_t<Haystack> key(std::int64_t j) const
  {
    const std::int64_t in_tile = j - tile_begin;
    if constexpr (IsInside)
    {
      return static_cast<element_t<Haystack>>(
        detail::staged_value(detail::element(tile_haystack, static_cast<int>(in_tile))));
    }
    return 0 <= in_tile && in_tile < tile_count
             ? static_cast<element_t<Haystack>>(detail::staged_value(detail::element(tile_haystack, in_tile)))
             : detail::element(haystack, j);
  }
};

/// The phases of a block's tile: the constructor loads the keys, and the next key of B; search_a() finds the lower
/// bounds of A in B, search_b() the upper bounds of B in A, as far as these are wanted. As tiles are cut on the merge
/// path, all bounds are within the tile. All threads call them.
template <class Shape, bool Counts, class Inputs, class OutputA, class OutputB, class Compare>
class search_tile
{
  using stage = tile_stage<Shape::threads, Shape::items + 3, Inputs>;
  using block_search = BlockSortedSearch<Shape::threads, Shape::items + 1>;
  using keys_type = decltype(stage::load(
    std::declval<typename stage::storage&>(), std::declval<const Inputs&>(), false, false, no_prefetch{}));
  static constexpr bool searches_a = OutputA::is_wanted || Counts;
  static constexpr bool searches_b = OutputB::is_wanted || Counts;

public:
  struct TempStorage
  {
    typename stage::storage keys;
    std::conditional_t<searches_a, typename block_search::TempStorage, nothing> a_search;
    std::conditional_t<searches_b, typename block_search::TempStorage, nothing> b_search;
    std::conditional_t<OutputA::needs_equal_end, std::int64_t, nothing> equals_after;
  };

  template <class Prefetch>
  MGPU_THRUST_DEVICE search_tile(
    TempStorage& shared, const Inputs& inputs, tile_begin begin, const Inputs& part, Compare& comp, Prefetch prefetch)
      : shared_(shared)
      , inputs_(inputs)
      , begin_(begin)
      , part_(part)
      , b_continues_(begin.b + part.b_count < inputs.b_count)
      , keys_(stage::load(shared.keys, part, false, b_continues_, prefetch))
      , comp_(comp)
  {
  }

  /// Returns how many elements of A this thread has found in B, if these are counted.
  MGPU_THRUST_DEVICE int search_a(OutputA& output) const
  {
    if constexpr (OutputA::needs_equal_end)
    {
      find_equal_ranges(output);
      return 0;
    }
    else if constexpr (searches_a)
    {
      return find_lower_bounds(output);
    }
    else
    {
      return 0;
    }
  }

  /// Returns how many elements of B this thread has found in A, if these are counted. A match is the element before the
  /// bound.
  MGPU_THRUST_DEVICE int search_b([[maybe_unused]] OutputB& output) const
  {
    int matches = 0;
    if constexpr (searches_b)
    {
      compare_staged<Compare> compare{comp_};
      block_search(shared_.b_search)
        .UpperBounds(
          keys_.b, keys_.b_count, keys_.a, keys_.a_count, compare,
          [&](int i, int bound)
          {
            search_result found{begin_.a + bound, false, 0};
            if constexpr (OutputB::needs_match || Counts)
            {
              if (bound > 0)
              {
                found.match = !compare(detail::element(keys_.a, bound - 1), detail::element(keys_.b, i));
              }
              else if (begin_.a > 0)
              {
                found.match = !comp_(detail::element(inputs_.a, begin_.a - 1), detail::element(part_.b, i));
              }
              matches += found.match;
            }
            using result =
              tile_result<false, decltype(Inputs::b), decltype(Inputs::a), decltype(keys_.b), decltype(keys_.a)>;
            output.write(
              begin_.b + i, result{found, keys_.b, i, keys_.a, keys_.a_count, begin_.a, inputs_.a, inputs_.a_count});
          });
    }
    return matches;
  }

private:
  /// A match is the element at the bound.
  MGPU_THRUST_DEVICE int find_lower_bounds(OutputA& output) const
  {
    int matches = 0;
    compare_staged<Compare> compare{comp_};
    block_search(shared_.a_search)
      .LowerBounds(
        keys_.a, keys_.a_count, keys_.b, keys_.b_count, compare,
        [&](int i, int bound)
        {
          search_result found{begin_.b + bound, false, 0};
          if constexpr (OutputA::needs_match || Counts)
          {
            found.match = bound < keys_.b_count + b_continues_
                          && !compare(detail::element(keys_.a, i), detail::element(keys_.b, bound));
            matches += found.match;
          }
          write_a<false>(output, i, found);
        });
    return matches;
  }

  /// Writes the result of the tile's element i of A.
  template <bool IsInside>
  MGPU_THRUST_DEVICE void write_a(OutputA& output, int i, const search_result& found) const
  {
    using result =
      tile_result<IsInside, decltype(Inputs::a), decltype(Inputs::b), decltype(keys_.a), decltype(keys_.b)>;
    output.write(
      begin_.a + i,
      result{found, keys_.a, i, keys_.b, keys_.b_count + b_continues_, begin_.b, inputs_.b, inputs_.b_count});
  }

  MGPU_THRUST_DEVICE void find_equal_ranges(OutputA& output) const
  {
    compare_staged<Compare> compare{comp_};
    const std::int64_t equals_after = count_equals_after(compare);
    block_search(shared_.a_search)
      .EqualRanges(
        keys_.a, keys_.a_count, keys_.b, keys_.b_count, compare,
        [&](int i, int lower, int upper)
        {
          // In a wrong order an upper bound may be less than a lower one.
          if (is_row_output_v<OutputA> && 0 < upper && (max) (lower, upper) < keys_.b_count)
          {
            write_a<true>(output, i, {begin_.b + lower, false, begin_.b + upper});
            return;
          }
          const bool goes_on = upper == keys_.b_count && equals_after > 0
                               && !compare(detail::element(keys_.a, i), detail::element(keys_.b, keys_.b_count));
          write_a<false>(output, i, {begin_.b + lower, false, begin_.b + upper + (goes_on ? equals_after : 0)});
        });
  }

  /// Elements of B that equal the tile's last element of A may continue past the tile: returns how many are past it.
  MGPU_THRUST_DEVICE std::int64_t count_equals_after(compare_staged<Compare>& compare) const
  {
    if (threadIdx.x < 32)
    {
      std::int64_t equals_after = 0;
      if (
        b_continues_ && keys_.a_count > 0
        && !compare(detail::element(keys_.a, keys_.a_count - 1), detail::element(keys_.b, keys_.b_count)))
      {
        const std::int64_t b_end = begin_.b + part_.b_count;
        auto&& last = detail::element(part_.a, keys_.a_count - 1);
        equals_after =
          detail::warp_partition_point(
            b_end, inputs_.b_count, [&](std::int64_t i) { return !comp_(last, detail::element(inputs_.b, i)); })
          - b_end;
      }
      shared_.equals_after = equals_after;
    }
    __syncthreads();
    return shared_.equals_after;
  }

  TempStorage& shared_;
  const Inputs& inputs_;
  tile_begin begin_;
  const Inputs& part_;
  bool b_continues_;
  keys_type keys_;
  Compare& comp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

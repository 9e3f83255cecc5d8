// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A tile of a join: its keys in shared memory, and the matches of each left element.

#include <mgpu_thrust/block/block_set_operation.cuh>
#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/load/tile_stage.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The matches after a tile: right elements there that equal the tile's last left element.
struct matches_after
{
  std::int64_t count;
  int first_left; ///< the position of the first left element that has them, as all after it; their number if none has
};

/// A tile of up to Shape::items elements of both inputs between two points of the merge path, for the threads of a
/// block. The path takes left elements before equal right ones, so all matches of its left elements are within the
/// tile, except that matches of the last one, and of its equals, may continue after it. `left` and `right` are
/// positions in the tile, counted from its first left or right element.
template <class Shape, class Inputs, class Compare>
class join_tile
{
  using stage = tile_stage<Shape::threads, Shape::items + 3, Inputs>;
  using block_search = BlockSortedSearch<Shape::threads, Shape::items + 1>;
  using keys_type = std::conditional_t<
    stages_keys<Inputs>, SetTile<const staged_t<a_key_t<Inputs>>*, const staged_t<b_key_t<Inputs>>*>,
    SetTile<decltype(Inputs::a), decltype(Inputs::b)>>;

public:
  static constexpr bool has_needles = false;

  // Shared memory, from left to right as it is laid out, and downwards phase by phase:
  //
  //                        | keys             | search           | after         |
  //   ---------------------+------------------+------------------+---------------+
  //   construction         | keys of A, of B  |                  |               |
  //   find_matches_after() | keys of A, of B  |                  | matches_after |
  //   for_each_left()      | keys of A, of B  | bounds of groups |               |
  //   release()            | free             | free             | free          |
  struct TempStorage
  {
    typename stage::storage keys;
    typename block_search::TempStorage search;
    matches_after after;
  };

  /// Loads the tile that begins at `begin`, of which `part` is the part of the inputs; called by all threads of the
  /// block. See tile_stage for while_loading.
  template <class WhileLoading>
  MGPU_THRUST_DEVICE join_tile(
    TempStorage& shared, const Inputs& inputs, Compare comp, tile_begin begin, const Inputs& part,
    WhileLoading while_loading)
      : shared_(shared)
      , inputs_(inputs)
      , compare_{comp}
      , begin_(begin)
      , b_continues_(begin.b + part.b_count < inputs.b_count)
      , keys_(stage::load(shared.keys, part, false, b_continues_, while_loading))
  {
  }

  MGPU_THRUST_DEVICE int left_count() const
  {
    return keys_.a_count;
  }
  MGPU_THRUST_DEVICE int right_count() const
  {
    return keys_.b_count;
  }

  /// Returns the matches after the tile to all threads, after a barrier.
  MGPU_THRUST_DEVICE matches_after find_matches_after()
  {
    if (threadIdx.x < 32)
    {
      matches_after after{0, keys_.a_count};
      if (
        b_continues_ && keys_.a_count > 0
        && !compare_(detail::element(keys_.a, keys_.a_count - 1), detail::element(keys_.b, keys_.b_count)))
      {
        const std::int64_t b_end = begin_.b + keys_.b_count;
        auto&& last = detail::element(inputs_.a, begin_.a + keys_.a_count - 1);
        after.count =
          detail::warp_partition_point_near(
            b_end, inputs_.b_count, [&](std::int64_t j) { return !compare_.comp(last, detail::element(inputs_.b, j)); })
          - b_end;
        auto&& staged_last = detail::element(keys_.a, keys_.a_count - 1);
        after.first_left = detail::warp_partition_point(
          0, keys_.a_count - 1, [&](int i) { return compare_(detail::element(keys_.a, i), staged_last); });
      }
      shared_.after = after;
    }
    __syncthreads();
    return shared_.after;
  }

  /// Calls f(left, first_match, matches, is_left) for each left element, by all lanes of a warp, which have 32
  /// neighbours: it has `matches` matches in the tile, from right element first_match on. If is_left is false, there is
  /// no such element.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each_left(Function f)
  {
    block_search(shared_.search)
      .WarpEqualRanges(
        keys_.a, keys_.a_count, keys_.b, keys_.b_count, compare_,
        [&](int left, int lower, int upper, const auto&, bool is_left) { f(left, lower, upper - lower, is_left); });
  }

  /// Whether a left element is the first of its equals in the tile.
  MGPU_THRUST_DEVICE bool is_first_of_equals(int left)
  {
    return left == 0 || compare_(detail::element(keys_.a, left - 1), detail::element(keys_.a, left));
  }

  /// Returns the number of the tile's right elements that equal the left element before the tile, which are its first;
  /// called by a full warp. All matches of a right element after these are in the tile, if it has any.
  MGPU_THRUST_DEVICE int matches_before()
  {
    if (begin_.a == 0)
    {
      return 0;
    }
    auto&& last = detail::element(inputs_.a, begin_.a - 1);
    return detail::warp_partition_point_near(
      0, keys_.b_count, [&](int j) { return !compare_(last, detail::element(keys_.b, j)); });
  }

  /// Ends the use of the shared memory, and fences it before it is loaded to again: see tile_stage.
  MGPU_THRUST_DEVICE static void release(TempStorage& shared)
  {
    stage::release(shared.keys);
  }
  MGPU_THRUST_DEVICE static void fence_writes()
  {
    stage::fence_writes();
  }

private:
  TempStorage& shared_;
  const Inputs& inputs_;
  compare_staged<Compare> compare_;
  tile_begin begin_;
  bool b_continues_;
  keys_type keys_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

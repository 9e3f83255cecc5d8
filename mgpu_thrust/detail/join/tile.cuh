// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A tile of a join: its keys in shared memory, and the matches of each left element.

#include <mgpu_thrust/block/block_set_operation.cuh>
#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/tile_stage.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The number of right elements after a tile that equal its last left element, and the first of the left elements that
/// match them.
struct matches_behind
{
  std::int64_t count;
  int first_left;
};

/// A tile of up to `Items` elements of both inputs between two points of the merge path, for the threads of a block. On
/// the path all matches of its left elements are within the tile, except that matches of the last one, and of its
/// equals, may continue after it.
template <int Threads, int Items, class Inputs, class Compare>
class join_tile
{
  using stage = tile_stage<Threads, Items + 3, Inputs>;
  using block_search = BlockSortedSearch<Threads, Items + 1>;
  using keys_type = std::conditional_t<
    stages_keys<Inputs>, SetTile<const staged_t<a_key_t<Inputs>>*, const staged_t<b_key_t<Inputs>>*>,
    SetTile<decltype(Inputs::a), decltype(Inputs::b)>>;

public:
  struct storage
  {
    typename stage::storage keys;
    typename block_search::TempStorage search;
    matches_behind behind;
  };

  /// Loads the tile that begins at (a_begin, b_begin), of which `part` is the part of the inputs; called by all threads
  /// of the block. See tile_stage for while_loading.
  template <class WhileLoading>
  MGPU_THRUST_DEVICE join_tile(
    storage& shared, const Inputs& inputs, Compare comp, std::int64_t a_begin, std::int64_t b_begin, const Inputs& part,
    WhileLoading while_loading)
      : shared_(shared)
      , inputs_(inputs)
      , compare_{comp}
      , a_begin_(a_begin)
      , b_begin_(b_begin)
      , b_continues_(b_begin + part.b_count < inputs.b_count)
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
  MGPU_THRUST_DEVICE matches_behind find_matches_behind()
  {
    if (threadIdx.x < 32)
    {
      matches_behind behind{0, keys_.a_count};
      if (
        b_continues_ && keys_.a_count > 0
        && !compare_(detail::element(keys_.a, keys_.a_count - 1), detail::element(keys_.b, keys_.b_count)))
      {
        const std::int64_t b_end = b_begin_ + keys_.b_count;
        auto&& last = detail::element(inputs_.a, a_begin_ + keys_.a_count - 1);
        behind.count =
          detail::warp_partition_point_near(
            b_end, inputs_.b_count, [&](std::int64_t j) { return !compare_.comp(last, detail::element(inputs_.b, j)); })
          - b_end;
        auto&& staged_last = detail::element(keys_.a, keys_.a_count - 1);
        behind.first_left = detail::warp_partition_point(
          0, keys_.a_count - 1, [&](int i) { return compare_(detail::element(keys_.a, i), staged_last); });
      }
      shared_.behind = behind;
    }
    __syncthreads();
    return shared_.behind;
  }

  /// Calls f(i, lower, matches, is_left) for each left element i, by all lanes of a warp at once: it has `matches`
  /// matches in the tile, from right element `lower` on. If is_left is false, there is no such element.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each_left(Function f)
  {
    block_search(shared_.search)
      .WarpEqualRanges(
        keys_.a, keys_.a_count, keys_.b, keys_.b_count, compare_,
        [&](int i, int lower, int upper, const auto&, bool is_left) { f(i, lower, upper - lower, is_left); });
  }

  /// Whether left element i is the first of its equals in the tile.
  MGPU_THRUST_DEVICE bool is_first_of_equals(int i)
  {
    return i == 0 || compare_(detail::element(keys_.a, i - 1), detail::element(keys_.a, i));
  }

  /// Returns the number of the tile's right elements that equal the left element before the tile, which are its first;
  /// called by a full warp. A right element after these has its matches, if any, in the tile.
  MGPU_THRUST_DEVICE int matches_in_front()
  {
    if (a_begin_ == 0)
    {
      return 0;
    }
    auto&& last = detail::element(inputs_.a, a_begin_ - 1);
    return detail::warp_partition_point_near(
      0, keys_.b_count, [&](int j) { return !compare_(last, detail::element(keys_.b, j)); });
  }

  /// See tile_stage.
  MGPU_THRUST_DEVICE static void release(storage& shared)
  {
    stage::release(shared.keys);
  }
  MGPU_THRUST_DEVICE static void fence_writes()
  {
    stage::fence_writes();
  }

private:
  storage& shared_;
  const Inputs& inputs_;
  compare_staged<Compare> compare_;
  std::int64_t a_begin_;
  std::int64_t b_begin_;
  bool b_continues_;
  keys_type keys_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A tile of a join: its keys in shared memory, the matches of each left element, and right elements without a match.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/block/block_set_operation.cuh>
#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/block/tile_loader.cuh>
#include <mgpu_thrust/block/tile_stage.cuh>
#include <mgpu_thrust/block/warp_search.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/thread/set_operation.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A tile of up to `Items` elements of both inputs between two points of the merge path, by the threads of a block. On
/// the path all matches of its left elements are within the tile, except that matches of the last one, and of its
/// equals, may go on behind it.
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
    std::int64_t matches_behind;
  };

  /// Loads a tile that begins at (a_begin, b_begin), of which `part` is the part of the inputs, by all threads of the
  /// block. See tile_stage for while_loading.
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

  /// How many right elements behind the tile equal its last left element. All threads get it, behind a barrier.
  MGPU_THRUST_DEVICE std::int64_t find_matches_behind()
  {
    if (threadIdx.x < 32)
    {
      std::int64_t behind = 0;
      if (
        b_continues_ && keys_.a_count > 0
        && !compare_(detail::element(keys_.a, keys_.a_count - 1), detail::element(keys_.b, keys_.b_count)))
      {
        const std::int64_t b_end = b_begin_ + keys_.b_count;
        auto&& last = detail::element(inputs_.a, a_begin_ + keys_.a_count - 1);
        behind =
          detail::warp_partition_point_near(
            b_end, inputs_.b_count, [&](std::int64_t j) { return !compare_.comp(last, detail::element(inputs_.b, j)); })
          - b_end;
      }
      shared_.matches_behind = behind;
    }
    __syncthreads();
    return shared_.matches_behind;
  }

  /// Calls f(i, lower, matches, goes_on) for each left element, by some thread: it has so many matches in the tile,
  /// from right element `lower` on, and if it goes on, those behind the tile too.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each_left(bool has_matches_behind, Function f)
  {
    block_search(shared_.search)
      .LowerBounds(
        keys_.a, keys_.a_count, keys_.b, keys_.b_count, compare_,
        [&](int i, int lower)
        {
          auto&& key = detail::element(keys_.a, i);
          const int matches = upper_bound_near(lower, key) - lower;
          const bool goes_on = has_matches_behind && lower + matches == keys_.b_count
                               && !compare_(key, detail::element(keys_.b, keys_.b_count));
          f(i, lower, matches, goes_on);
        });
  }

  /// Calls f(word, right_only) for each 32 right elements, by some thread, behind a barrier: a bit for each of them
  /// without a match. There must be a barrier between this and for_each_left.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each_right_word(Function f)
  {
    block_search(shared_.search)
      .UpperBounds(
        keys_.b, keys_.b_count, keys_.a, keys_.a_count, compare_,
        [&](int j, int bound)
        {
          // The match would be the element in front of the bound, which may be in front of the tile.
          bool has_match = false;
          if (bound > 0)
          {
            has_match = !compare_(detail::element(keys_.a, bound - 1), detail::element(keys_.b, j));
          }
          else if (a_begin_ > 0)
          {
            has_match =
              !compare_.comp(detail::element(inputs_.a, a_begin_ - 1), detail::element(inputs_.b, b_begin_ + j));
          }
          const unsigned right_only = __ballot_sync(detail::first_lanes(keys_.b_count - j / 32 * 32), !has_match);
          if (j % 32 == 0)
          {
            f(j / 32, right_only);
          }
        });
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
  /// How many right elements do not go after a key, of which `lower` go before it. Most likely that is near.
  template <class Key>
  MGPU_THRUST_DEVICE int upper_bound_near(int lower, const Key& key)
  {
    constexpr int near = 7;
    if (lower + near < keys_.b_count && compare_(key, detail::element(keys_.b, lower + near)))
    {
      int upper = lower;
#pragma unroll
      for (int width = (near + 1) / 2; width > 0; width /= 2)
      {
        upper += compare_(key, detail::element(keys_.b, upper + (width - 1))) ? 0 : width;
      }
      return upper;
    }
    return detail::upper_bound(keys_.b, lower, keys_.b_count, key, compare_);
  }

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

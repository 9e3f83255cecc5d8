// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How large a tile of the sorts is, by the sizes of keys, and what keys and values go through the tiles themselves.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/tile_shape.cuh>
#include <mgpu_thrust/thread/set_operation.h>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Keys that a sort moves itself; of others it sorts indices, and moves each key once.
template <class Key>
inline constexpr bool is_sorted_directly = is_small_v<Key>&& std::is_trivially_default_constructible_v<Key>;

/// Values that go along with their keys in each pass; of others their indices do, and each value is moved once.
template <class Value>
inline constexpr bool is_carried = std::is_trivially_copyable_v<Value>&&
                                     std::is_trivially_default_constructible_v<Value> && sizeof(Value) <= 8;

/// The shapes of the tiles: of the block sort, whose threads must be a power of two, and of a merge pass. A tile of the
/// first is one or more of the second.
template <class BlockSortShape, class MergeShape>
struct sort_shapes
{
  using block_sort = BlockSortShape;
  using merge = MergeShape;
  static constexpr int merge_tiles = block_sort::items / merge::items;
  static_assert(merge_tiles * merge::items == block_sort::items, "runs end where tiles do");
};

/// The shapes for keys of `KeyBytes`, at most 16. Those of the merge pass are the merges' own.
template <int KeyBytes, bool HasValues>
constexpr auto choose_sort_shapes()
{
  if constexpr (KeyBytes <= 4 && !HasValues)
  {
    return sort_shapes<tile_shape<256, 23, 4>, tile_shape<256, 23, 6>>{};
  }
  else if constexpr (KeyBytes <= 4)
  {
    return sort_shapes<tile_shape<256, 19, 3>, tile_shape<128, 19, 12>>{};
  }
  else if constexpr (KeyBytes <= 8)
  {
    return sort_shapes<tile_shape<256, 19, 3>, tile_shape<128, 19, 7>>{};
  }
  else
  {
    constexpr int items = items_that_fit(128, KeyBytes, 13);
    return sort_shapes<tile_shape<128, items, 4>, tile_shape<128, items, 4>>{};
  }
}

template <class Key, bool HasValues>
using sort_shapes_t = decltype(choose_sort_shapes<sizeof(Key), HasValues>());

/// Elements of a tile of both.
template <class Key, bool HasValues>
inline constexpr int block_sort_items = sort_shapes_t<Key, HasValues>::block_sort::items;
template <class Key, bool HasValues>
inline constexpr int merge_pass_items = sort_shapes_t<Key, HasValues>::merge::items;

} // namespace detail
MGPU_THRUST_NAMESPACE_END

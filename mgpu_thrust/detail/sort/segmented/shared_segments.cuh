// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segments that lie in several tiles of a sort of one launch. Each has passes of its own, which merge pairs of runs;
/// in the first pass a run is the segment's part of one tile. Passes alternate between two buffers, and the last pass
/// of a segment writes the output.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/merge/merge_buffers.cuh>

#include <cuda/std/bit>
#include <cuda/std/iterator>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A segment that lies in several tiles, and its part [begin, end) in one tile. By default there is none.
struct shared_segment
{
  int segment_begin;
  int segment_end;
  int first_tile;
  int last_tile;
  int begin;
  int end;
  int passes;   ///< that the segment needs; 0 if there is none
  int own_step; ///< number of elements from tile to tile, if the segment has tiles of its own; otherwise 0

  /// Returns the runs that a pass merges for a tile. One of the pair is empty if there is no partner. begins[t] is
  /// where tile t begins; it is not read if the segment has tiles of its own.
  MGPU_THRUST_DEVICE run_pair pair_of(int tile, int pass, const int* begins, int tile_count) const
  {
    const auto begin_of = [&](int t)
    {
      return own_step > 0 ? segment_begin + (t - first_tile) * own_step
                          : begins[(min) ((max) (t, 0), tile_count)]; // wrong offsets lead to any tile
    };
    const int run = 1 << pass;
    const int a = first_tile + ((tile - first_tile) & -(2 * run));
    const int b = (min) (a + run, last_tile + 1);
    return {
      (max) (begin_of(a), segment_begin), (min) (begin_of(b), segment_end),
      (min) (begin_of((min) (b + run, last_tile + 1)), segment_end)};
  }
};

/// Returns the part of a segment that is in the tile [begin, end).
template <class Tiles>
MGPU_THRUST_DEVICE shared_segment
share_of_tile(const Tiles& tiles, const segment_range& segment, std::int64_t begin, std::int64_t end)
{
  const tile_run run = tiles.tiles_of(segment, 0);
  const auto tile_distance = static_cast<unsigned>((max) (run.end - run.begin, std::int64_t{0}));
  return {
    static_cast<int>(segment.begin),
    static_cast<int>(segment.end),
    static_cast<int>(run.begin),
    static_cast<int>(run.end),
    static_cast<int>((max) (segment.begin, begin)),
    static_cast<int>((min) (segment.end, end)),
    ::cuda::std::bit_width(tile_distance),
    0};
}

/// What a block of a segmented sort of one launch knows of its tile.
struct sorted_tile
{
  tile_origin ends[2];          ///< of this tile, and of the next one
  shared_segment first_last[2]; ///< across the tile's begin, and across its end, if that is another segment
  int max_passes;               ///< of any segment; -1 if the tiles of other blocks decide too
};

/// An output iterator: elements before `first_end` and from `last_begin` on go to memory, the others to `Out`. It is
/// null if `out` is, and then writes nothing.
template <class Pointer, class Out>
struct routed_iterator
{
  using iterator_category = std::output_iterator_tag;
  using value_type = typename ::cuda::std::iterator_traits<Pointer>::value_type;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;

  Pointer first;
  Pointer last;
  Out out;
  int first_end;
  int last_begin;
  int at;

  MGPU_THRUST_DEVICE routed_iterator operator+(std::int64_t distance) const
  {
    routed_iterator moved = *this;
    moved.at += static_cast<int>(distance);
    return moved;
  }
  MGPU_THRUST_DEVICE const routed_iterator& operator*() const
  {
    return *this;
  }
  template <class Value>
  MGPU_THRUST_DEVICE void operator=(const Value& value) const
  {
    if (at < first_end)
    {
      first[at] = value;
    }
    else if (at >= last_begin)
    {
      last[at] = value;
    }
    else
    {
      *(out + at) = value;
    }
  }
  MGPU_THRUST_DEVICE bool operator!=(std::nullptr_t) const
  {
    return out != nullptr;
  }
};

template <class Pointer, class Out>
inline constexpr bool can_be_null<routed_iterator<Pointer, Out>> = can_be_null<Out>;

/// Returns a routed_iterator, or no_values for no_values.
template <class Pointer, class Out>
MGPU_THRUST_DEVICE routed_iterator<Pointer, Out>
route(Pointer first, Pointer last, Out out, int first_end, int last_begin)
{
  return {first, last, out, first_end, last_begin, 0};
}
MGPU_THRUST_DEVICE no_values route(no_values, no_values, no_values, int, int)
{
  return {};
}
template <class Pointer, class Out>
using routed_t = std::conditional_t<has_values<Pointer>, routed_iterator<Pointer, Out>, no_values>;

/// The output of a tile's block sort: parts of shared segments go to where their passes read them.
template <class Buffer, class Out>
using routed_range = key_value_range<
  routed_t<decltype(Buffer::keys), decltype(Out::keys)>, routed_t<decltype(Buffer::values), decltype(Out::values)>>;

/// Returns the target of keys that no pass reads: the output. If keys are discarded, a tile with shared segments writes
/// these keys to the second buffer, where no pass reads them.
template <class Buffer, class Out>
MGPU_THRUST_DEVICE decltype(Out::keys)
unshared_keys(const pass_buffers<Buffer, Out>& buffers, [[maybe_unused]] bool has_shared)
{
  if constexpr (std::is_same_v<Buffer, Out>)
  {
    return detail::takes_keys(buffers.out) || !has_shared ? buffers.out.keys : buffers.odd.keys;
  }
  else
  {
    return buffers.out.keys;
  }
}

template <class Buffer, class Out>
MGPU_THRUST_DEVICE routed_range<Buffer, Out>
route_tile(const pass_buffers<Buffer, Out>& buffers, const shared_segment (&first_last)[2], int end)
{
  const shared_segment& first = first_last[0];
  const shared_segment& last = first_last[1];
  const Buffer& of_first = buffers.source(first.passes);
  const Buffer& of_last = buffers.source(last.passes);
  const int first_end = first.passes > 0 ? first.end : 0;
  const int last_begin = last.passes > 0 ? last.begin : end;
  return {
    detail::route(
      of_first.keys, of_last.keys, detail::unshared_keys(buffers, first.passes + last.passes > 0), first_end,
      last_begin),
    detail::route(of_first.values, of_last.values, buffers.out.values, first_end, last_begin)};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

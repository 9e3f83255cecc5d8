// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels that end a sort early if no element is far from its sorted position: one samples the keys, one merges
/// sorted tiles at their borders.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/load/load_values.cuh>
#include <mgpu_thrust/detail/tile/place/copy_tile.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

inline constexpr int locality_threads = 1024;
inline constexpr int locality_samples = 2 * locality_threads;
inline constexpr int border_threads = 128;
inline constexpr int border_blocks = 2048; ///< maximum; about the co-resident blocks of an H200

/// Compares samples border_reach apart, by one block of `Threads`. If a pair is out of order, passes are needed. There
/// must be more than border_reach elements.
template <int Threads, class Keys, class Compare>
MGPU_THRUST_DEVICE void look_for_locality(Keys keys, std::int64_t count, Compare comp, sort_locality* locality)
{
  bool is_far = false;
#pragma unroll
  for (int i = 0; i < locality_samples; i += Threads)
  {
    const std::int64_t sample = (count - border_reach) / locality_samples * (i + static_cast<int>(threadIdx.x));
    is_far |= comp(detail::element(keys, sample + border_reach), detail::element(keys, sample));
  }
  is_far = __syncthreads_or(is_far);
  if (threadIdx.x == 0)
  {
    *locality = {is_far, is_far};
  }
}

template <class Keys, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(locality_threads)
  look_for_locality_kernel(Keys keys, std::int64_t count, Compare comp, sort_locality* locality)
{
  detail::look_for_locality<locality_threads>(keys, count, comp, locality);
}

/// Finds the elements of the left tile after the first of the right tile, and the elements of the right tile before the
/// last of the left tile. Elements from `middle` on are in the right tile.
template <class Buffer, class Key, class Compare>
MGPU_THRUST_DEVICE tile_range find_border(
  tile_range& shared, const Buffer& buffer, std::int64_t middle, std::int64_t end, const Key& left, const Key& right,
  Compare& comp)
{
  return detail::find_tile_range(
    shared,
    [&](bool is_first)
    {
      return is_first ? detail::warp_partition_point(
               middle - border_reach, middle, [&](std::int64_t i) { return !comp(right, buffer.keys[i]); })
                      : detail::warp_partition_point(
                        middle, end, [&](std::int64_t i) { return static_cast<bool>(comp(buffer.keys[i], left)); });
    });
}

/// Reads `count` keys from element `first` on, then stores each at its merged position; the right tile begins at
/// position `middle`. With values, records the source of each key.
template <bool HasValues, class Keys, class Key, class Compare>
MGPU_THRUST_DEVICE void merge_keys_at_border(
  Keys global, std::int64_t first, int count, int middle, Key* keys, ::cuda::std::uint16_t* numbers, Compare& comp)
{
  for (int i = static_cast<int>(threadIdx.x); i < count; i += border_threads)
  {
    keys[i] = global[first + i];
    if constexpr (HasValues)
    {
      numbers[i] = static_cast<::cuda::std::uint16_t>(i); // remains if comp is no strict weak order
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += border_threads)
  {
    const Key own = keys[i];
    const int others_before = i < middle ? detail::lower_bound(keys, middle, count, own, comp) - middle
                                         : detail::upper_bound(keys, 0, middle, own, comp) - middle;
    const int to = i + others_before;
    global[first + to] = own;
    if constexpr (HasValues)
    {
      numbers[to] = static_cast<::cuda::std::uint16_t>(i);
    }
  }
  __syncthreads();
}

/// Permutes values as the keys were. `staged` has room for them.
template <class Value>
MGPU_THRUST_DEVICE void permute_at_border(Value* global, int count, Value* staged, const ::cuda::std::uint16_t* numbers)
{
  detail::start_to_load_values<border_threads>(global, count, staged);
  detail::wait_for_values();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += border_threads)
  {
    global[i] = staged[numbers[i]];
  }
  __syncthreads();
}

/// Merges sorted tiles at their borders, in place, a border per block at a time, unless samples were out of order. If
/// elements further than border_reach from a border are out of order, the border stays as it is, and passes are needed.
/// Tiles remain sorted.
template <class Buffer, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(border_threads)
  merge_borders_kernel(Buffer buffer, Tiles given, Compare comp, sort_locality* locality)
{
  using key = typename ::cuda::std::iterator_traits<decltype(Buffer::keys)>::value_type;
  using value = typename value_or_none<decltype(Buffer::values)>::type;
  constexpr bool has_values_too = has_values<decltype(Buffer::values)>;
  constexpr int max_items = 2 * border_reach;
  constexpr int value_bytes = value_or_none<decltype(Buffer::values)>::bytes;
  constexpr int item_bytes = static_cast<int>(sizeof(key)) > value_bytes ? static_cast<int>(sizeof(key)) : value_bytes;
  alignas(16) __shared__ unsigned char shared_bytes[max_items * item_bytes]; // of the keys, then of the values
  __shared__ ::cuda::std::uint16_t shared_numbers[has_values_too ? max_items : 1];
  __shared__ tile_range shared_range;
  static_assert(
    sizeof(shared_bytes) + sizeof(shared_numbers) + sizeof(shared_range) <= max_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");
  if (locality->was_far)
  {
    return;
  }
  const even_tiles tiles = given.now();
  for (std::int64_t border = 1 + blockIdx.x; border < tiles.tile_count(); border += gridDim.x)
  {
    const std::int64_t middle = tiles.begin(border);
    const std::int64_t end = (min) (middle + border_reach, tiles.count);
    const key left = buffer.keys[middle - 1];
    const key right = buffer.keys[middle];
    if (!comp(right, left))
    {
      continue;
    }
    const tile_range range = detail::find_border(shared_range, buffer, middle, end, left, right, comp);
    const bool is_far = range.first == middle - border_reach || range.last == middle + border_reach;
    if (is_far && threadIdx.x == 0)
    {
      locality->is_far = true;
    }
    const auto count = is_far ? 0 : static_cast<int>(range.last - range.first);
    detail::merge_keys_at_border<has_values_too>(
      buffer.keys, range.first, count, static_cast<int>(middle - range.first), reinterpret_cast<key*>(shared_bytes),
      shared_numbers, comp);
    if constexpr (has_values_too)
    {
      detail::permute_at_border(
        buffer.values + range.first, count, reinterpret_cast<value*>(shared_bytes), shared_numbers);
    }
  }
}

/// Copies tiles to where the first pass reads them: if samples were in order, tiles are in the output, and passes may
/// still be needed.
template <class Buffer, class Tiles>
MGPU_THRUST_KERNEL void __launch_bounds__(border_threads)
  copy_tiles_kernel(Buffer from, Buffer to, Tiles given, const sort_locality* locality)
{
  if (locality->was_far || !locality->is_far)
  {
    return;
  }
  const even_tiles tiles = given.now();
  for (std::int64_t tile = blockIdx.x; tile < tiles.tile_count(); tile += gridDim.x)
  {
    const std::int64_t begin = tiles.begin(tile);
    detail::copy_tile_by_block<border_threads>(from, begin, to, begin, static_cast<int>(tiles.begin(tile + 1) - begin));
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel that sorts each tile on its own.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/sort/merge_levels.cuh>
#include <mgpu_thrust/detail/sort/places_kernels.cuh>
#include <mgpu_thrust/detail/sort/tile_sorter.cuh>
#include <mgpu_thrust/detail/sort/tiles.cuh>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_heads.cuh>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.cuh>

#include <cuda/std/cstdint>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Iterators to the keys, and to the values or no_values, that a kernel reads or writes.
template <class Keys, class Values>
struct sort_range
{
  Keys keys;
  Values values;
};

template <class Keys, class Values>
sort_range(Keys, Values) -> sort_range<Keys, Values>;

/// The value type of an iterator, or no_values.
template <class Iterator, bool Exists = has_values<Iterator>>
struct value_or_none
{
  using type = typename std::iterator_traits<Iterator>::value_type;
  using pointer = type*;
  static constexpr std::size_t bytes = sizeof(type);
};
template <class Iterator>
struct value_or_none<Iterator, false>
{
  using type = no_values;
  using pointer = no_values;
  static constexpr std::size_t bytes = 0;
};

/// Whether `Values` can be a null pointer, which stands for the elements' indices, so that a sort of indices has the
/// same kernel as a sort of pairs with values of their type.
template <class Values>
inline constexpr bool can_be_indices = std::is_pointer_v<Values>&& std::is_integral_v<std::remove_pointer_t<Values>>;

/// Whether keys are written to the range. If it has values, its keys may be a null pointer, and are then not written.
template <class Keys, class Values>
MGPU_THRUST_DEVICE bool takes_keys([[maybe_unused]] const sort_range<Keys, Values>& range)
{
  if constexpr (std::is_pointer_v<Keys> && has_values<Values>)
  {
    return range.keys != nullptr;
  }
  else
  {
    return true;
  }
}

/// Sorts a tile per block, each segment on its own, from `in` to `to`, or to `out` if no pass has work in the tile.
/// These may be the same. Sets is_same[tile] to false, as no tile is the same in both buffers of the passes yet.
template <class Shapes, class In, class To, class Out, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  block_sort_kernel(In in, To to, Out out, Tiles tiles, Compare comp, unsigned char* is_same)
{
  using shape = typename Shapes::block_sort;
  using key = typename std::iterator_traits<decltype(In::keys)>::value_type;
  using slot = staged_t<key>;
  using loader = tile_loader<shape::threads>;
  constexpr bool has_values_too = has_values<decltype(In::values)>;
  constexpr bool may_be_indices = can_be_indices<decltype(In::values)>;
  constexpr int threads = shape::threads;
  constexpr int items = shape::items_per_thread;
  constexpr int shared_items = shape::items + items; // some past the end of the tile are read, but not used
  using value = typename value_or_none<decltype(In::values)>::type;
  constexpr int value_bytes = value_or_none<decltype(In::values)>::bytes;
  constexpr int slot_bytes =
    static_cast<int>(sizeof(slot)) > value_bytes ? static_cast<int>(sizeof(slot)) : value_bytes;
  __shared__ alignas(load_granule<key>) unsigned char shared_keys[shared_items * slot_bytes + 2 * load_granule<key>];
  __shared__ ::cuda::std::uint16_t shared_numbers[has_values_too ? shared_items : 1];
  __shared__ typename loader::storage shared_loader;
  using tile_heads_t = std::conditional_t<Tiles::is_segmented, tile_heads<threads, shape::items>, no_tile_heads>;
  using sorter_t = tile_sorter<threads, items, has_values_too, slot, tile_heads_t, compare_staged<Compare>>;
  __shared__ typename tile_heads_t::storage shared_heads;
  __shared__ int shared_longest;
  static_assert(
    sizeof(shared_keys) + sizeof(shared_numbers) + sizeof(shared_loader) + sizeof(shared_heads) + sizeof(shared_longest)
      <= most_static_shared_bytes,
    "mgpu_thrust: a kernel has no more static shared memory");
  compare_staged<Compare> order{comp};
  const int thread = static_cast<int>(threadIdx.x);
  const int first = thread * items; // of the thread
  const auto tile = static_cast<std::int64_t>(blockIdx.x);
  const std::int64_t begin = tiles.begin(tile);
  const int count = static_cast<int>(tiles.begin(tile + 1) - begin);
  if (thread == 0)
  {
    is_same[tile] = false;
    shared_longest = 0;
  }

  // 1. Load the keys; then each thread reads consecutive ones into registers. Bit k of `joined` tells that its items k
  //    and k + 1 may be exchanged.
  loader load(shared_loader, 1);
  const slot* const loaded = load.template load<key>(in.keys + begin, count, shared_keys);
  const auto has_indices = [&]
  {
    if constexpr (may_be_indices)
    {
      return in.values == nullptr;
    }
    else
    {
      return false;
    }
  };
  if (has_values_too && thread == 0 && !has_indices())
  {
    loader::template prefetch<value>(in.values + begin, count);
  }
  if (thread == 0 && tile + prefetch_distance < gridDim.x)
  {
    const std::int64_t later = tiles.begin(tile + prefetch_distance);
    loader::template prefetch<key>(
      in.keys + later, static_cast<int>(tiles.begin(tile + prefetch_distance + 1) - later));
  }
  const tile_heads_t heads(shared_heads);
  const bool has_heads = Tiles::is_segmented && tiles.segment(tile).end < begin + count;
  if constexpr (Tiles::is_segmented)
  {
    if (has_heads)
    {
      heads.clear();
      detail::mark_heads<threads>(tiles, tile, count, heads);
      heads.finish(count);
    }
  }
  load.wait();
  const int own = min(max(count - first, 0), items);
  const std::uint32_t joined = (own == items ? sorter_t::all_joined : (1u << max(own - 1, 0)) - 1)
                               & ~(has_heads && own > 0 ? heads.from(first + 1) : 0);
  slot own_keys[items];
  bool is_out_of_order =
    own > 0 && first > 0 && !(has_heads && heads.is_head(first)) && order(loaded[first], loaded[first - 1]);
#pragma unroll
  for (int k = 0; k < items; ++k)
  {
    own_keys[k] = loaded[first + k];
  }
#pragma unroll
  for (int k = 0; k + 1 < items; ++k)
  {
    is_out_of_order |= (joined >> k & 1) != 0 && order(own_keys[k + 1], own_keys[k]);
  }
  // A sort of one tile has no pass; where To and Out differ, its result is stored to `out`. This is evaluated at each
  // use, to save a register.
  constexpr bool ends_elsewhere = !std::is_same_v<To, Out>;
  const auto has_passes = [&] { return (!ends_elsewhere || gridDim.x > 1) && tiles.is_active(tile, 0); };
  const auto put_index = [&](const auto& place, int at, [[maybe_unused]] int from)
  {
    if constexpr (may_be_indices)
    {
      *(place.values + (begin + at)) = static_cast<value>(begin + from);
    }
  };
  if (!__syncthreads_or(is_out_of_order))
  {
    const auto copy_to = [&](const auto& place)
    {
      for (int i = thread; i < count; i += threads)
      {
        if (detail::takes_keys(place))
        {
          *(place.keys + (begin + i)) = detail::staged_value(loaded[i]);
        }
        if (has_indices())
        {
          put_index(place, i, i);
        }
        else if constexpr (has_values_too)
        {
          *(place.values + (begin + i)) = detail::element(in.values, begin + i);
        }
      }
    };
    has_passes() ? copy_to(to) : copy_to(out);
    return;
  }

  // 2. Sort them, in one of two ways. sort<true>, for keys near their sorted positions, is for even tiles without
  //    passes, whose borders are merged in `out`.
  slot* const keys = reinterpret_cast<slot*>(shared_keys);
  sorter_t sorter(keys, shared_numbers, count, heads, has_heads, shared_longest, order);
  if constexpr (Tiles::is_segmented || ends_elsewhere)
  {
    sorter.template sort<false>(own_keys, own, joined);
  }
  else
  {
    has_passes() ? sorter.template sort<false>(own_keys, own, joined)
                 : sorter.template sort<true>(own_keys, own, joined);
  }

  // 3. Write, consecutive elements by consecutive threads, which takes less time here than the copy engine does. All
  //    values are loaded before the first is written, as it may overwrite another one.
  const auto write_to = [&](const auto& place)
  {
    if (detail::takes_keys(place))
    {
#pragma unroll 4
      for (int i = thread; i < count; i += threads)
      {
        *(place.keys + (begin + i)) = detail::staged_value(keys[i]);
      }
    }
    if (has_indices())
    {
#pragma unroll 4
      for (int i = thread; i < count; i += threads)
      {
        put_index(place, i, shared_numbers[i]);
      }
    }
    else if constexpr (has_values_too)
    {
      __syncthreads();
      auto* const values = reinterpret_cast<value*>(shared_keys);
      detail::start_to_load_values<threads>(in.values + begin, count, values);
      detail::wait_for_values();
#pragma unroll 4
      for (int i = thread; i < count; i += threads)
      {
        *(place.values + (begin + i)) = values[shared_numbers[i]];
      }
    }
  };
  has_passes() ? write_to(to) : write_to(out);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

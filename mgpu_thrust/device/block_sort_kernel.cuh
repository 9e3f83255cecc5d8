// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel that sorts tiles, each on its own.

#include <mgpu_thrust/block/merge_levels.cuh>
#include <mgpu_thrust/block/tile_heads.cuh>
#include <mgpu_thrust/block/tile_loader.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/sort_places_kernels.cuh>
#include <mgpu_thrust/device/sort_tiles.cuh>
#include <mgpu_thrust/device/tile_shape.cuh>
#include <mgpu_thrust/thread/set_operation.h>

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

/// Keys and values, or no_values, that a kernel reads or writes.
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

/// Sorts a thread's keys by exchanges of neighbours, and numbers with them if HasNumbers. If IsMasked, only those
/// neighbours k and k + 1 are compared for which `joined` has bit k; if not, each half of them is sorted, and, if all
/// may be near to where they belong, a warp ends when its halves are.
template <bool HasNumbers, bool IsMasked, int Items, class Key, class Compare>
MGPU_THRUST_DEVICE void exchange_neighbours(
  Key (&keys)[Items], [[maybe_unused]] int (&numbers)[Items], [[maybe_unused]] std::uint32_t joined,
  [[maybe_unused]] bool may_be_near, Compare comp)
{
  constexpr int half = first_half<Items>;
  constexpr int rounds = IsMasked ? Items : half;
#pragma unroll
  for (int round = 0; round < rounds; ++round)
  {
    if (!IsMasked && may_be_near && round == 8)
    {
      bool is_sorted = true;
#pragma unroll
      for (int k = 0; k + 1 < Items; ++k)
      {
        is_sorted &= k + 1 == half || !comp(keys[k + 1], keys[k]);
      }
      if (__all_sync(0xffffffff, is_sorted))
      {
        return;
      }
    }
#pragma unroll
    for (int k = round % 2; k + 1 < Items; k += 2)
    {
      if ((IsMasked ? (joined >> k & 1) != 0 : k + 1 != half) && comp(keys[k + 1], keys[k]))
      {
        const Key key = keys[k];
        keys[k] = keys[k + 1];
        keys[k + 1] = key;
        if constexpr (HasNumbers)
        {
          const int number = numbers[k];
          numbers[k] = numbers[k + 1];
          numbers[k + 1] = number;
        }
      }
    }
  }
}

/// The length of the longest of the segments, as far as they are in the tile, that lie across where two threads' items
/// meet; or 0. `shared` must be 0 before a barrier before the call.
template <class Heads>
MGPU_THRUST_DEVICE int longest_across(const Heads& heads, int first, int count, int& shared)
{
  int longest = 0;
  if (first > 0 && first < count && !heads.is_head(first))
  {
    longest = heads.end_of(first) - heads.begin_of(first);
  }
  for (int distance = 1; distance < 32; distance *= 2)
  {
    longest = max(longest, __shfl_xor_sync(0xffffffff, longest, distance));
  }
  if (threadIdx.x % 32 == 0)
  {
    atomicMax(&shared, longest);
  }
  __syncthreads();
  return shared;
}

/// Sorts a tile a block, each segment on its own, from `in` to `to`, or, if no pass has work in the tile, to `out`.
/// These may be the same. Tells that no tile is the same in both places of the passes yet.
template <class Shapes, class In, class To, class Out, class Tiles, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  block_sort_kernel(In in, To to, Out out, Tiles tiles, Compare comp, unsigned char* is_same)
{
  using shape = typename Shapes::block_sort;
  using key = typename std::iterator_traits<decltype(In::keys)>::value_type;
  using slot = staged_t<key>;
  using loader = tile_loader<shape::threads>;
  constexpr bool has_values_too = has_values<decltype(In::values)>;
  constexpr int threads = shape::threads;
  constexpr int items = shape::items_per_thread;
  constexpr int shared_items = shape::items + items; // some behind the tile are read, but not used
  using value = typename value_or_none<decltype(In::values)>::type;
  constexpr int value_bytes = value_or_none<decltype(In::values)>::bytes;
  constexpr int slot_bytes =
    static_cast<int>(sizeof(slot)) > value_bytes ? static_cast<int>(sizeof(slot)) : value_bytes;
  __shared__ alignas(load_granule<key>) unsigned char shared_keys[shared_items * slot_bytes + 2 * load_granule<key>];
  __shared__ ::cuda::std::uint16_t shared_numbers[has_values_too ? shared_items : 1];
  __shared__ typename loader::storage shared_loader;
  using tile_heads_t = std::conditional_t<Tiles::is_segmented, tile_heads<threads, shape::items>, no_tile_heads>;
  __shared__ typename tile_heads_t::storage shared_heads;
  __shared__ int shared_longest;
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

  // 1. Load the keys; then each thread takes neighbours of its own. Bit k of `joined` tells that its items k and k + 1
  //    may change places.
  loader load(shared_loader, 1);
  const slot* const loaded = load.template load<key>(in.keys + begin, count, shared_keys);
  if (has_values_too && thread == 0)
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
  const std::uint32_t all_joined = static_cast<std::uint32_t>((std::uint64_t{1} << (items - 1)) - 1);
  const std::uint32_t joined =
    (own == items ? all_joined : (1u << max(own - 1, 0)) - 1) & ~(has_heads && own > 0 ? heads.from(first + 1) : 0);
  slot own_keys[items];
  int numbers[items];
  bool is_out_of_order =
    own > 0 && first > 0 && !(has_heads && heads.is_head(first)) && order(loaded[first], loaded[first - 1]);
#pragma unroll
  for (int k = 0; k < items; ++k)
  {
    own_keys[k] = loaded[first + k];
    numbers[k] = first + k;
  }
#pragma unroll
  for (int k = 0; k + 1 < items; ++k)
  {
    is_out_of_order |= (joined >> k & 1) != 0 && order(own_keys[k + 1], own_keys[k]);
  }
  const auto has_passes = [&] { return tiles.is_active(tile, 0); }; // asked again to save a register
  if (!__syncthreads_or(is_out_of_order))
  {
    const auto copy_to = [&](const auto& place)
    {
      for (int i = thread; i < count; i += threads)
      {
        *(place.keys + (begin + i)) = detail::staged_value(loaded[i]);
        if constexpr (has_values_too)
        {
          *(place.values + (begin + i)) = detail::element(in.values, begin + i);
        }
      }
    };
    has_passes() ? copy_to(to) : copy_to(out);
    return;
  }

  // 2. Sort them in registers.
  const bool may_be_near = !Tiles::is_segmented && !has_passes();
  slot* const keys = reinterpret_cast<slot*>(shared_keys);
  const shared_places<slot> all_places(keys);
  const bool has_halves = __all_sync(0xffffffff, joined == all_joined);
  if (has_halves)
  {
    detail::exchange_neighbours<has_values_too, false>(own_keys, numbers, joined, may_be_near, order);
  }
  else if (__any_sync(0xffffffff, joined != 0))
  {
    detail::exchange_neighbours<has_values_too, true>(own_keys, numbers, joined, false, order);
  }
  const auto numbers_at = [&](int at)
  {
    if constexpr (has_values_too)
    {
      return shared_numbers + at;
    }
    else
    {
      return no_values{};
    }
  };
  detail::put_merged(own_keys, numbers, own, keys + first, numbers_at(first));
  if (has_halves && order(own_keys[first_half<items>], own_keys[first_half<items> - 1]))
  {
    detail::merge_halves(all_places, first, order, own_keys, numbers);
    if constexpr (has_values_too)
    {
#pragma unroll
      for (int k = 0; k < items; ++k)
      {
        numbers[k] = shared_numbers[numbers[k]];
      }
    }
    detail::put_merged(own_keys, numbers, own, keys + first, numbers_at(first));
  }

  // 3. Merge runs of so many threads, two at a time, until one is left; as long as both are a warp's, it is on its own.
  //    Where segments are so short that none lies across two of the borders left, or nothing is half a run from where
  //    it belongs, all of these are done at once.
  const int longest = has_heads ? detail::longest_across(heads, first, count, shared_longest) : count;
  bool is_last_level = longest == 0;
  for (int run = 1; run < threads && run * items < count && !is_last_level; run *= 2)
  {
    is_last_level = has_heads && longest <= run * items;
    int reach = run * items;
    if (may_be_near)
    {
      __syncthreads();
      reach /= 2;
      bool is_near = true;
      if ((thread & (run - 1)) == 0 && first > 0 && first < count)
      {
        const int end = first + reach;
        is_near = !order(keys[first], keys[first - reach - 1]) && (end >= count || !order(keys[end], keys[first - 1]));
      }
      is_last_level = __syncthreads_and(is_near);
    }
    const bool is_of_warp = run < 32 && !is_last_level;
    const auto synchronize = [is_of_warp]
    {
      if (is_of_warp)
      {
        __syncwarp();
      }
      else
      {
        __syncthreads();
      }
    };
    synchronize();
    const int b = min((is_last_level ? thread & -run : (thread & -(2 * run)) + run) * items, count);
    int a = is_last_level ? max(b - reach, 0) : (thread & -(2 * run)) * items;
    int b_end = min(b + (is_last_level ? reach : run * items), count);
    if (has_heads && b > 0 && b < b_end)
    {
      a = max(a, heads.begin_of(b));
      b_end = min(b_end, heads.end_of(b));
    }
    // Only where a segment lies across both is there something to do, and not where what is there goes before all of
    // the other run's, or behind it.
    const int at = is_last_level ? a + (thread & (run - 1)) * items : max(first, a);
    const int last = min((is_last_level ? at : first) + items, b_end) - 1;
    const bool merges = at <= last && a < b && b < b_end && order(keys[max(at, b)], keys[min(last, b - 1)]);
    slot taken[items];
    int places[items];
    if (merges)
    {
      const tile_merge part =
        detail::merge_from<false>(all_places, tile_merge{a, b, b, b_end, a, b_end}, at - a, order);
      if (is_of_warp)
      {
        detail::take_merged<takes::alone, false>(all_places, part, order, taken, places);
      }
      else
      {
        detail::take_merged<false>(all_places, part, order, taken, places);
      }
      if constexpr (has_values_too)
      {
#pragma unroll
        for (int k = 0; k < items; ++k)
        {
          places[k] = shared_numbers[places[k]];
        }
      }
    }
    synchronize();
    detail::put_merged(taken, places, merges ? last + 1 - at : 0, keys + at, numbers_at(at));
  }
  __syncthreads();

  // 4. Write, neighbours by neighbouring threads, which takes less time here than the copy engine does. All values are
  //    loaded before the first is written, to where another may come from.
  const auto write_to = [&](const auto& place)
  {
#pragma unroll 4
    for (int i = thread; i < count; i += threads)
    {
      *(place.keys + (begin + i)) = detail::staged_value(keys[i]);
    }
    if constexpr (has_values_too)
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel that sorts tiles, each on its own.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/thread/set_operation.h>

#include <cub/block/block_merge_sort.cuh>

#include <cuda/std/cstdint>

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

/// Sorts a tile a block, from `in` to `out`, which may be the same; tells that no merge tile is the same in both places
/// of the merge passes yet.
template <class Shapes, class In, class Out, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::block_sort::threads, Shapes::block_sort::blocks_per_multiprocessor)
  block_sort_kernel(In in, Out out, std::int64_t count, Compare comp, unsigned char* is_same)
{
  using shape = typename Shapes::block_sort;
  using key = typename std::iterator_traits<decltype(In::keys)>::value_type;
  constexpr bool has_values_too = has_values<decltype(In::values)>;
  constexpr int threads = shape::threads;
  constexpr int items = shape::items_per_thread;
  using number = std::conditional_t<has_values_too, int, cub::NullType>;
  using block_sort = cub::BlockMergeSort<key, threads, items, number>;
  __shared__ union
  {
    alignas(16) unsigned char keys[shape::items * sizeof(key)];
    typename block_sort::TempStorage sort;
  } shared;
  __shared__ ::cuda::std::uint16_t shared_numbers[has_values_too ? shape::items : 1];
  key* const shared_keys = reinterpret_cast<key*>(shared.keys);
  const int thread = static_cast<int>(threadIdx.x);
  const int first = thread * items; // of the thread
  const std::int64_t tile_begin = static_cast<std::int64_t>(blockIdx.x) * shape::items;
  const int tile_count = static_cast<int>(min(count - tile_begin, std::int64_t{shape::items}));
  if (thread < Shapes::merge_tiles && thread * Shapes::merge::items < tile_count)
  {
    is_same[static_cast<std::int64_t>(blockIdx.x) * Shapes::merge_tiles + thread] = false;
  }

  // 1. Load the keys, neighbours by neighbouring threads; then each thread takes neighbours of its own.
#pragma unroll
  for (int k = 0; k < items; ++k)
  {
    const int i = k * threads + thread;
    if (i < tile_count)
    {
      shared_keys[i] = detail::element(in.keys, tile_begin + i);
    }
  }
  __syncthreads();
  key keys[items];
  number numbers[items];
  bool is_out_of_order = false;
#pragma unroll
  for (int k = 0; k < items; ++k)
  {
    keys[k] = shared_keys[min(first + k, tile_count - 1)];
    is_out_of_order |= first + k + 1 < tile_count && comp(shared_keys[first + k + 1], keys[k]);
    if constexpr (has_values_too)
    {
      numbers[k] = first + k;
    }
  }

  // 2. Sort, unless they are in order.
  const bool sorts = __syncthreads_or(is_out_of_order);
  if (sorts)
  {
    const key any_key = keys[0];
    if constexpr (has_values_too)
    {
      block_sort(shared.sort).StableSort(keys, numbers, comp, tile_count, any_key);
    }
    else
    {
      block_sort(shared.sort).StableSort(keys, comp, tile_count, any_key);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      if (first + k < tile_count)
      {
        shared_keys[first + k] = keys[k];
      }
    }
  }
  if constexpr (has_values_too)
  {
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      if (first + k < tile_count)
      {
        shared_numbers[first + k] = static_cast<::cuda::std::uint16_t>(numbers[k]);
      }
    }
  }
  __syncthreads();

  // 3. Write, neighbours by neighbouring threads. All values are loaded before the first is written, to where another
  //    may come from.
  if constexpr (has_values_too)
  {
    using value = typename std::iterator_traits<decltype(In::values)>::value_type;
    value values[items];
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      const int i = k * threads + thread;
      if (i < tile_count)
      {
        values[k] = detail::element(in.values, tile_begin + shared_numbers[i]);
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      const int i = k * threads + thread;
      if (i < tile_count)
      {
        *(out.values + (tile_begin + i)) = values[k];
      }
    }
  }
#pragma unroll
  for (int k = 0; k < items; ++k)
  {
    const int i = k * threads + thread;
    if (i < tile_count)
    {
      *(out.keys + (tile_begin + i)) = shared_keys[i];
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of a merge pass, which merges neighbouring sorted runs of equal size, two at a time: one cuts each pair
/// into tiles along its merge path, one merges the tiles. Tiles are at the same places in all passes.

#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/block/block_set_operation.cuh>
#include <mgpu_thrust/block/tile_stage.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/block_sort_kernel.cuh>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/set_operation_kernel.cuh>
#include <mgpu_thrust/thread/set_operation.h>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The two runs that a tile of a pass is merged from: [begin, middle) and [middle, end).
struct run_pair
{
  std::int64_t begin;
  std::int64_t middle;
  std::int64_t end;
};

MGPU_THRUST_HOST_DEVICE inline run_pair
pair_of_tile(std::int64_t tile, int tile_items, std::int64_t run, std::int64_t n)
{
  const std::int64_t begin = tile * tile_items / (2 * run) * (2 * run);
  const auto up_to_end = [n](std::int64_t place) { return place < n ? place : n; };
  return {begin, up_to_end(begin + run), up_to_end(begin + 2 * run)};
}

inline constexpr int pass_partition_threads = 128;

/// Finds for each tile how many elements of its pair's first run are before it.
template <int TileItems, class Key, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(pass_partition_threads) pass_partition_kernel(
  const Key* keys, std::int64_t count, std::int64_t run, Compare comp, int tiles, std::int64_t* splits)
{
  const auto tile = static_cast<std::int64_t>(blockIdx.x) * pass_partition_threads + threadIdx.x;
  if (tile >= tiles)
  {
    return;
  }
  const run_pair pair = detail::pair_of_tile(tile, TileItems, run, count);
  const std::int64_t a_count = pair.middle - pair.begin;
  const std::int64_t diagonal = tile * TileItems - pair.begin;
  const bool is_in_order = pair.middle == pair.end || !comp(keys[pair.middle], keys[pair.middle - 1]);
  splits[tile] =
    is_in_order
      ? min(diagonal, a_count)
      : mgpu::merge_path(keys + pair.begin, a_count, keys + pair.middle, pair.end - pair.middle, diagonal, comp);
}

/// Merges a tile a block, from `in` to `out`. What is where it belongs already is copied; if `skips`, only unless it is
/// the same there, which `is_same` tells of each tile and the next pass, which goes the other way, can make use of.
template <class Shape, class In, class Out, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) merge_pass_kernel(
  In in, Out out, std::int64_t count, std::int64_t run, Compare comp, const std::int64_t* splits,
  unsigned char* is_same, bool skips)
{
  using inputs = set_inputs<decltype(In::keys), decltype(In::values), decltype(In::keys), decltype(In::values)>;
  using outputs = set_outputs<decltype(Out::keys), decltype(Out::values)>;
  using plan = set_operation_plan<Shape, merge_t, inputs, outputs>;
  using block_operation = typename plan::block_operation;
  __shared__ typename plan::stage::storage shared_keys;
  __shared__ typename plan::number_storage shared_numbers;
  __shared__ typename block_operation::TempStorage shared_operation;
  const int thread = static_cast<int>(threadIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now

  // 1. A tile's part of both runs. (If the order is none, the points of the path may be anywhere; they are made
  //    possible ones.)
  const auto tile = static_cast<std::int64_t>(blockIdx.x);
  const run_pair pair = detail::pair_of_tile(tile, Shape::items, run, count);
  const std::int64_t begin = tile * Shape::items;
  const std::int64_t end = min(begin + Shape::items, pair.end);
  const std::int64_t a_count = pair.middle - pair.begin;
  const std::int64_t b_count = pair.end - pair.middle;
  const std::int64_t a_begin = splits[tile];
  const std::int64_t b_begin = begin - pair.begin - a_begin;
  const std::int64_t split_end = end == pair.end ? a_count : splits[tile + 1];
  const std::int64_t a_end =
    max(max(a_begin, end - pair.begin - b_count), min(min(a_begin + end - begin, a_count), split_end));
  const std::int64_t b_end = end - pair.begin - a_end;

  // 2. What comes from one run alone, all before it likewise, is where it belongs.
  const bool was_same = is_same[tile];
  const bool stays = b_end == 0 || a_begin == a_count;
  __syncthreads(); // all have read that
  if (thread == 0)
  {
    is_same[tile] = stays && skips;
  }
  if (stays)
  {
    if (!was_same || !skips)
    {
      for (std::int64_t i = begin + thread; i < end; i += Shape::threads)
      {
        *(out.keys + i) = in.keys[i];
        if constexpr (has_values<decltype(In::values)>)
        {
          *(out.values + i) = in.values[i];
        }
      }
    }
    return;
  }

  // 3. Load its keys, and one more of each run if there is one.
  const inputs part{in.keys + (pair.begin + a_begin),  in.values + (pair.begin + a_begin),  a_end - a_begin,
                    in.keys + (pair.middle + b_begin), in.values + (pair.middle + b_begin), b_end - b_begin};
  const auto keys = plan::stage::load(shared_keys, part, a_end < a_count, b_end < b_count, [](auto) {});

  // 4. Merge, and write, neighbours by neighbouring threads.
  typename block_operation::Items items;
  block_operation(shared_operation).Run(keys, compare_staged<Compare>{comp}, items);
  const auto offset = [begin]
  {
    __syncthreads();
    return begin;
  };
  if constexpr (plan::items_are_keys)
  {
    auto* const merged = reinterpret_cast<typename plan::a_key*>(shared_keys.bytes);
    items.Store(merged);
    const auto keys_out = out.keys + offset();
#pragma unroll 4
    for (int i = thread; i < items.total; i += Shape::threads)
    {
      *(keys_out + i) = merged[i];
    }
  }
  else
  {
    items.Store(shared_numbers.numbers);
    detail::write_numbered<Shape::threads, merge_t>(
      shared_numbers.numbers, items.total, keys, part, outputs{out.keys, out.values}, offset);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of the semi and anti joins, in a single pass: one runs over tiles of both inputs, one bisects the right
/// input for every row of the left.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/block/tile_bits.cuh>
#include <mgpu_thrust/block/tile_stage.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/partition_kernel.cuh>
#include <mgpu_thrust/device/semi_join_tuning.cuh>
#include <mgpu_thrust/device/sorted_search_tuning.cuh>
#include <mgpu_thrust/device/tile_offsets.cuh>
#include <mgpu_thrust/thread/semi_join.h>

#include <cuda/std/cstdint>

#include <cstdint>
#include <limits>
#include <type_traits>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The output of a join that is only counted.
struct no_row_output
{
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
};

template <class Output>
inline constexpr bool writes_rows = !std::is_same_v<Output, no_row_output>;

/// Tells how many rows of a tile are kept, those with a bit, and writes their numbers when it is known where these go.
/// The tile has `count` rows from `first_row` on. By all threads of the block, which has room for the numbers of all
/// rows in the tile behind a barrier that follows free().
template <int Threads, class Bits, class Output, class Free>
MGPU_THRUST_DEVICE void place_rows(
  Bits bits, int count, std::int64_t first_row, int tile, tile_offsets offsets, [[maybe_unused]] Output output,
  [[maybe_unused]] ::cuda::std::uint16_t* numbers, [[maybe_unused]] Free free)
{
  const int total = bits.count(count);
  if (threadIdx.x == 0)
  {
    offsets.post(tile, total);
  }
  if constexpr (writes_rows<Output>)
  {
    __shared__ std::int64_t shared_offset;
    free();
    __syncthreads();
    bits.list(count, numbers);
    if (threadIdx.x == 0)
    {
      shared_offset = offsets.wait(tile);
    }
    __syncthreads();
    const auto to = output.result + shared_offset;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < total; i += Threads)
    {
      *(to + i) = static_cast<typename Output::index>(first_row + numbers[i]);
    }
  }
}

/// Joins a tile of both inputs a block. *count receives how many rows are kept; if Output is no_row_output that is all.
template <class Shape, class Filter, class Inputs, class Output, class Compare, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) semi_join_kernel(
  Inputs inputs, Output output, Compare comp, int tiles, const tile_begin* begins, tile_offsets offsets, Count* count)
{
  using stage = tile_stage<Shape::threads, Shape::items + 2, Inputs>;
  using block_search = BlockSortedSearch<Shape::threads, Shape::items + 1>;
  using bits_type = tile_bits<Shape::threads, Shape::items + 1>;
  __shared__ union
  {
    typename stage::storage keys;
    ::cuda::std::uint16_t numbers[Shape::items + 1];
  } shared;
  __shared__ typename block_search::TempStorage shared_search;
  __shared__ typename bits_type::storage shared_bits;

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now

  // 1. The first block tells the others where their rows go, and at last how many there are in all.
  if (blockIdx.x == 0)
  {
    const std::int64_t sum = offsets.template serve_grid<Shape::threads, writes_rows<Output>>();
    if (threadIdx.x == 0)
    {
      *count = static_cast<Count>(sum);
    }
    return;
  }

  // 2. Load a tile's keys, and the next of B. On the merge path they lie so that all bounds are within the tile.
  const int tile = static_cast<int>(blockIdx.x) - 1;
  const tile_begin begin = begins[tile];
  const Inputs part = detail::tile_part<Shape::items>(inputs, begins, tile);
  const bool b_continues = begin.b + part.b_count < inputs.b_count;
  const auto keys =
    stage::load(shared.keys, part, false, b_continues, prefetch_later_tile<Shape, Inputs>{inputs, begins, tile, tiles});

  // 3. Search A in B. A match is the element at the bound. The lanes of a warp have 32 neighbours, which are a word.
  const bits_type bits(shared_bits);
  compare_staged<Compare> compare{comp};
  block_search(shared_search)
    .WarpLowerBounds(
      keys.a, keys.a_count, keys.b, keys.b_count, compare,
      [&](int i, int bound, const auto& key, bool is_row)
      {
        const bool match = bound < keys.b_count + b_continues && !compare(key, detail::element(keys.b, bound));
        const unsigned kept = __ballot_sync(~0u, is_row && match == Filter::keeps_matched);
        if (i % 32 == 0 && is_row)
        {
          bits.set_word(i / 32, kept);
        }
      });

  // 4. Write the rows that are kept. Their numbers are where the keys were.
  detail::place_rows<Shape::threads>(
    bits, keys.a_count, begin.a, tile, offsets, output, shared.numbers, [&] { stage::release(shared.keys); });
}

/// The same where there are few rows of A for so much of B: bisects B for every one, a thread a row.
template <class Filter, class Inputs, class Output, class Compare, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(sparse_search_threads)
  sparse_semi_join_kernel(Inputs inputs, Output output, Compare comp, tile_offsets offsets, Count* count)
{
  using bits_type = tile_bits<sparse_search_threads, sparse_search_threads>;
  __shared__ typename bits_type::storage shared_bits;
  __shared__ ::cuda::std::uint16_t shared_numbers[sparse_search_threads];
  if (blockIdx.x == 0)
  {
    const std::int64_t sum = offsets.template serve_grid<sparse_search_threads, writes_rows<Output>>();
    if (threadIdx.x == 0)
    {
      *count = static_cast<Count>(sum);
    }
    return;
  }
  const int tile = static_cast<int>(blockIdx.x) - 1;
  const std::int64_t first_row = std::int64_t{tile} * sparse_search_threads;
  const auto rows = static_cast<int>(min(inputs.a_count - first_row, std::int64_t{sparse_search_threads}));
  const int row = static_cast<int>(threadIdx.x);
  bool is_kept = false;
  if (row < rows)
  {
    auto&& key = detail::element(inputs.a, first_row + row);
    const std::int64_t bound = detail::lower_bound(inputs.b, std::int64_t{0}, inputs.b_count, key, comp);
    const bool match = bound < inputs.b_count && !comp(key, detail::element(inputs.b, bound));
    is_kept = match == Filter::keeps_matched;
  }
  const bits_type bits(shared_bits);
  const unsigned kept = __ballot_sync(~0u, is_kept);
  if (row % 32 == 0)
  {
    bits.set_word(row / 32, kept);
  }
  detail::place_rows<sparse_search_threads>(bits, rows, first_row, tile, offsets, output, shared_numbers, [] {});
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

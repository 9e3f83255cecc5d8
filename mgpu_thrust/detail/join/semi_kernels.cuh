// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of the semi and anti joins, in a single pass: one processes tiles of both inputs, one bisects the right
/// input for every row of the left.

#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/join/semi_serial.h>
#include <mgpu_thrust/detail/join/semi_tuning.cuh>
#include <mgpu_thrust/detail/sorted_search/tuning.cuh>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>
#include <mgpu_thrust/detail/tile/tile_stage.cuh>
#include <mgpu_thrust/detail/tile/warp_list.cuh>

#include <cuda/cmath>

#include <cstdint>
#include <limits>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Output>
inline constexpr bool writes_rows = !std::is_same_v<Output, no_row_output>;

/// The rows that a warp keeps.
template <class Output>
using row_list = warp_list<writes_rows<Output>>;
using row_number = row_list<no_row_output>::number;

/// Whether the numbers of rows fit into the shared memory where the keys of the same rows are staged.
template <class Inputs>
inline constexpr bool
  keys_leave_room = stages_keys<Inputs> && alignof(staged_t<a_key_t<Inputs>>) >= alignof(row_number);

/// The number of rows that a join keeps, which the block of the last tile stores where blocks execute at once.
template <class Count>
struct last_tile_count
{
  Count* count;
  bool is_last;
};

/// Posts how many rows of a tile the warps of a block keep, each warp of a stretch of neighbouring rows, and writes the
/// rows' numbers when the tile's offset is known. The tile's first row is `first_row`. Called by all threads of the
/// block. The output has room for `most` rows. Tiles of unsorted inputs may keep more in total; they still write within
/// that room, the last of them over one another.
template <int Threads, class Output, class Offsets, class Count>
MGPU_THRUST_DEVICE void place_rows(
  const row_list<Output>& kept, [[maybe_unused]] std::int64_t first_row, int tile, Offsets offsets,
  [[maybe_unused]] Output output, std::int64_t most, [[maybe_unused]] last_tile_count<Count> sum)
{
  constexpr int warps = Threads / 32;
  __shared__ int shared_sizes[warps];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;

  // 1. Count the rows that all warps keep, and those of the warps before.
  if (lane == 0)
  {
    shared_sizes[warp] = kept.size();
  }
  __syncthreads();
  int total = 0;
  [[maybe_unused]] int before = 0;
#pragma unroll
  for (int k = 0; k < warps; ++k)
  {
    before += k < warp ? shared_sizes[k] : 0;
    total += shared_sizes[k];
  }
  total = static_cast<int>(min(std::int64_t{total}, most));
  if (threadIdx.x == 0)
  {
    offsets.post(tile, total);
  }
  [[maybe_unused]] std::int64_t offset = 0;
  if constexpr (!Offsets::are_served)
  {
    // All blocks have read the sizes when they have arrived, so that the count may be stored where one of them was.
    auto arrival = offsets.arrive();
    if (!sum.is_last && (!writes_rows<Output> || total == 0))
    {
      return;
    }
    offsets.wait_for_all(arrival);
    offset = offsets.offset(tile);
    if (sum.is_last && threadIdx.x == 0)
    {
      *sum.count = static_cast<Count>(min(offset + total, most));
    }
  }

  // 2. Write.
  if constexpr (writes_rows<Output>)
  {
    if (total == 0)
    {
      return;
    }
    __shared__ std::int64_t shared_offset;
    if (threadIdx.x == 0)
    {
      if constexpr (Offsets::are_served)
      {
        offset = offsets.wait(tile);
      }
      shared_offset = min(offset, most - total);
    }
    __syncthreads();
    const auto to = output.result + (shared_offset + before);
    const int size = min(kept.size(), total - before);
    constexpr int batch = 4;
#pragma unroll 1
    for (int i = lane; i < size; i += 32 * batch)
    {
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        if (i + 32 * k < size)
        {
          *(to + i + 32 * k) = static_cast<typename Output::index>(first_row + kept.numbers()[i + 32 * k]);
        }
      }
    }
  }
}

/// When B is bisected for each row of A by a kernel that has tiles otherwise.
template <int Threads>
using semi_join_tiling = unless_bisected<true, Threads, bisection<0>>;

/// Joins few rows of A with a large B: bisects B for every row of a block, one row per thread. Called by all threads of
/// the block.
template <int Threads, class Filter, class Inputs, class Output, class Compare, class Offsets, class Count>
MGPU_THRUST_DEVICE void join_rows_by_bisection(
  row_number (&shared_numbers)[Threads], const Inputs& inputs, Output output, Compare& comp, int block, Offsets offsets,
  Count* count)
{
  const int row = static_cast<int>(threadIdx.x);
  const std::int64_t first_row = std::int64_t{block} * Threads;
  bool is_kept = false;
  if (first_row + row < inputs.a_count)
  {
    auto&& key = detail::element(inputs.a, first_row + row);
    const std::int64_t bound = detail::lower_bound(inputs.b, std::int64_t{0}, inputs.b_count, key, comp);
    const bool match = bound < inputs.b_count && !comp(key, detail::element(inputs.b, bound));
    is_kept = match == Filter::keeps_matched;
  }
  row_list<Output> kept(shared_numbers + row / 32 * 32);
  kept.append(is_kept, row);
  const bool is_last = first_row + Threads >= inputs.a_count;
  detail::place_rows<Threads>(
    kept, first_row, block, offsets, output, inputs.a_count, last_tile_count<Count>{count, is_last});
}

/// Joins one tile of both inputs per block. *count receives the number of rows that are kept; if Output is
/// no_row_output, nothing else is written. Where the sizes of the inputs are deferred, `tiles` are those of the
/// capacities, and the blocks of tiles that are not there do nothing. If the sizes are not for tiles, blocks bisect for a
/// row per thread. Blocks that execute at once cut their tiles, and `begins` is null.
template <class Shape, class Filter, class Inputs, class Output, class Compare, class Count, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) semi_join_kernel(
  Inputs given, Output output, Compare comp, int tiles, const tile_begin* begins, Offsets offsets, Count* count)
{
  using inputs_type = sized_t<Inputs>;
  using stage = tile_stage<Shape::threads, Shape::items + 2, inputs_type>;
  using block_search = BlockSortedSearch<Shape::threads, Shape::items + 1>;
  __shared__ typename stage::storage shared_keys;
  __shared__ typename block_search::TempStorage shared_search;
  static_assert(
    sizeof(shared_keys) + sizeof(shared_search) + 2 * most_shared_bytes_of_function <= most_static_shared_bytes);

  constexpr bool are_at_once = !Offsets::are_served;

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts, and the header, are complete now

  // 1. The first block computes the output offsets of the others, and stores the total, unless they do that themselves.
  if constexpr (Offsets::are_served)
  {
    if (blockIdx.x == 0)
    {
      const inputs_type& inputs = detail::sized(given);
      if constexpr (is_deferred_v<Inputs>)
      {
        offsets = offsets.first(detail::blocks_to_work<Shape::items, semi_join_tiling<Shape::threads>>(inputs));
      }
      const std::int64_t sum = offsets.template serve_grid<Shape::threads, writes_rows<Output>>();
      if (threadIdx.x == 0)
      {
        *count = static_cast<Count>(min(sum, inputs.a_count));
      }
      return;
    }
  }

  // 2. Load a tile's keys, and the next key of B. As tiles are cut on the merge path, all bounds are within the tile.
  const int tile =
    is_deferred_v<Inputs> && are_at_once ? detail::spread_number() : static_cast<int>(blockIdx.x) - Offsets::are_served;
  tile_begin early_ends[2];
  detail::read_ends_early<Inputs>(early_ends, begins, tile);
  const inputs_type& inputs = detail::sized(given);
  if constexpr (is_deferred_v<Inputs>)
  {
    static_assert(Shape::items < sparse_needles_ratio * Shape::threads);
    const auto has_tiles = [&] { return semi_join_tiling<Shape::threads>::has_tiles(inputs); };
    const bool has_tile = detail::has_tile<Shape::items>(given, inputs, tile);
    if (!has_tile || (are_at_once && !has_tiles()))
    {
      const bool has_rows = !has_tiles() && std::int64_t{tile} * Shape::threads < inputs.a_count;
      if constexpr (are_at_once)
      {
        if (!has_rows && tile > 0)
        {
          offsets.arrive();
          return;
        }
      }
      else if (!has_rows)
      {
        return;
      }
      // Of blocks at once, that of tile 0 goes on without rows, as one has to store the count.
      __shared__ row_number shared_numbers[Shape::threads];
      static_assert(
        sizeof(shared_keys) + sizeof(shared_search) + sizeof(shared_numbers) + 4 * most_shared_bytes_of_function
        <= most_static_shared_bytes);
      detail::join_rows_by_bisection<Shape::threads, Filter>(
        shared_numbers, inputs, output, comp, tile, offsets, count);
      return;
    }
  }
  const tile_begin* ends = is_deferred_v<Inputs> ? early_ends : begins + tile;
  if constexpr (are_at_once)
  {
    __shared__ tile_begin shared_ends[2];
    ends = detail::ends_of_tile<Inputs, Shape::items>(begins, early_ends, shared_ends, inputs, comp, tile);
  }
  const tile_begin begin = ends[0];
  const inputs_type part = detail::tile_part<Shape::items>(inputs, ends, 0);
  const bool b_continues = begin.b + part.b_count < inputs.b_count;
  const auto keys = stage::load(
    shared_keys, part, false, b_continues,
    prefetch_later_tile<Shape, Inputs, inputs_type>{given, inputs, begins, tile, tiles});

  // 3. Search A in B. A warp lists the rows that it keeps in the memory of their keys, or in an array of its own.
  const int first = block_search::WarpBegin(keys.a_count);
  row_number* numbers = nullptr;
  if constexpr (writes_rows<Output> && keys_leave_room<inputs_type>)
  {
    numbers = reinterpret_cast<row_number*>(const_cast<staged_t<a_key_t<inputs_type>>*>(keys.a + first));
  }
  else if constexpr (writes_rows<Output>)
  {
    __shared__ row_number shared_numbers[Shape::items + 1];
    static_assert(
      sizeof(shared_keys) + sizeof(shared_search) + sizeof(shared_numbers) + 2 * most_shared_bytes_of_function
      <= most_static_shared_bytes);
    numbers = shared_numbers + first;
  }
  row_list<Output> kept(numbers);
  block_search(shared_search)
    .WarpMatches(
      keys.a, keys.a_count, keys.b, keys.b_count + b_continues, compare_staged<Compare>{comp},
      [&](int i, bool is_found, bool is_row) { kept.append(is_row && is_found == Filter::keeps_matched, i); });

  // 4. Write the rows that are kept.
  const bool is_last =
    is_deferred_v<Inputs> ? !detail::has_tile<Shape::items>(given, inputs, tile + 1) : blockIdx.x == gridDim.x - 1;
  detail::place_rows<Shape::threads>(
    kept, begin.a, tile, offsets, output, inputs.a_count, last_tile_count<Count>{count, is_last});
}

/// The counterpart of semi_join_kernel for few rows of A and a large B, or for few of both, whatever the sizes are if they are
/// deferred.
template <class Filter, class Inputs, class Output, class Compare, class Count, class Offsets>
MGPU_THRUST_KERNEL void
__launch_bounds__(semi_join_bisection_shape::threads, semi_join_bisection_shape::blocks_per_multiprocessor)
  sparse_semi_join_kernel(Inputs given, Output output, Compare comp, Offsets offsets, Count* count)
{
  constexpr int threads = semi_join_bisection_shape::threads;
  __shared__ row_number shared_numbers[threads];
  static_assert(sizeof(shared_numbers) + 2 * most_shared_bytes_of_function <= most_static_shared_bytes);
  const sized_t<Inputs>& inputs = detail::sized(given);
  int block = static_cast<int>(blockIdx.x);
  if constexpr (Offsets::are_served)
  {
    if constexpr (is_deferred_v<Inputs>)
    {
      offsets = offsets.first(static_cast<int>(::cuda::ceil_div(inputs.a_count, threads)));
    }
    if (block == 0)
    {
      const std::int64_t sum = offsets.template serve_grid<threads, writes_rows<Output>>();
      if (threadIdx.x == 0)
      {
        *count = static_cast<Count>(min(sum, inputs.a_count));
      }
      return;
    }
    --block;
    if (is_deferred_v<Inputs> && std::int64_t{block} * threads >= inputs.a_count)
    {
      return;
    }
  }
  else if constexpr (is_deferred_v<Inputs>)
  {
    block = detail::spread_number();
    if (block > 0 && std::int64_t{block} * threads >= inputs.a_count) // the first one stores the count, even if it is 0
    {
      offsets.arrive();
      return;
    }
  }
  detail::join_rows_by_bisection<threads, Filter>(shared_numbers, inputs, output, comp, block, offsets, count);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

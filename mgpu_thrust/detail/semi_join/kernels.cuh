// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of the semi and anti joins, in a single pass over tiles of both inputs, and their step of
/// bisection_kernel.

#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/guided_search.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/semi_join/choice.h>
#include <mgpu_thrust/detail/semi_join/serial.h>
#include <mgpu_thrust/detail/tile/bisection_kernel.cuh>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>
#include <mgpu_thrust/detail/tile/tile_stage.cuh>
#include <mgpu_thrust/detail/tile/warp_list.cuh>
#include <mgpu_thrust/detail/tile/warp_place.cuh>

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

/// Whether row numbers fit into the shared memory of the keys of these rows.
template <class Inputs>
inline constexpr bool
  keys_leave_room = stages_keys<Inputs> && alignof(staged_t<a_key_t<Inputs>>) >= alignof(row_number);

/// Writes the numbers of the rows that the warps of a block keep of a tile. A warp has neighbouring rows; the tile's
/// first row is `first_row`. See place_of_warp() for the other parameters.
template <int Threads, class Output, class Offsets, class Store>
MGPU_THRUST_DEVICE void place_rows(
  const row_list<Output>& kept, [[maybe_unused]] std::int64_t first_row, int tile, Offsets offsets,
  [[maybe_unused]] Output output, std::int64_t room, bool is_last, Store store)
{
  [[maybe_unused]] const warp_place place =
    detail::place_of_warp<Threads, writes_rows<Output>>(kept.size(), tile, offsets, room, is_last, store);
  if constexpr (writes_rows<Output>)
  {
    const auto to = output.result + place.begin;
    constexpr int batch = 4;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x) % 32; i < place.size; i += 32 * batch)
    {
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        if (i + 32 * k < place.size)
        {
          *(to + i + 32 * k) = static_cast<typename Output::index>(first_row + kept.numbers()[i + 32 * k]);
        }
      }
    }
  }
}

/// The Tiling (path_cut.cuh) of semi joins.
template <int Threads>
using semi_join_tiling = unless_bisected<Threads, one_way_bisection<true, bisection<0>>>;

/// The Step (tile/bisection_kernel.cuh) of semi and anti joins. If Output is no_row_output, it counts rows.
template <class Filter, class Output>
struct semi_join_bisection_step
{
  static constexpr bool writes = writes_rows<Output>;
  Output output;

  template <class Inputs>
  MGPU_THRUST_DEVICE static std::int64_t needles(const Inputs& inputs)
  {
    return inputs.a_count;
  }
  template <class Inputs, class Compare>
  MGPU_THRUST_DEVICE found_element<> find(const Inputs& inputs, std::int64_t i, Compare& comp) const
  {
    auto&& key = detail::element(inputs.a, i);
    const std::int64_t bound = detail::lower_bound_in_haystack(inputs.b, inputs.b_count, key, comp);
    const bool match = bound < inputs.b_count && !comp(key, detail::element(inputs.b, bound));
    return {match == Filter::keeps_matched, i};
  }
  template <class Inputs>
  MGPU_THRUST_DEVICE std::int64_t max_kept(const Inputs& inputs) const
  {
    return inputs.a_count;
  }
  template <class Inputs>
  MGPU_THRUST_DEVICE void write(const Inputs&, std::int64_t i, std::int64_t to) const
  {
    *(output.result + to) = static_cast<typename Output::index>(i);
  }
  template <class Inputs>
  MGPU_THRUST_DEVICE std::int64_t count(const Inputs&, std::int64_t kept) const
  {
    return kept;
  }
};

/// Joins one tile of both inputs per block. *count receives the number of rows that are kept; if Output is
/// no_row_output, nothing else is written. If the sizes of the inputs are deferred, `tiles` is for the capacities, and
/// surplus blocks return. If the actual sizes are for bisection, a thread bisects for a row. Co-resident blocks cut
/// their tiles, and `begins` is null.
template <class Shape, class Filter, class Inputs, class Output, class Compare, class Count, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) semi_join_kernel(
  Inputs given, Output output, Compare comp, int tiles, const tile_begin* begins, Offsets offsets, Count* count)
{
  using inputs_type = sized_t<Inputs>;
  using stage = tile_stage<Shape::threads, Shape::items + 2, inputs_type, false>;
  using block_search = BlockSortedSearch<Shape::threads, Shape::items + 1>;
  __shared__ typename stage::storage shared_keys;
  __shared__ typename block_search::TempStorage shared_search;
  static_assert(
    sizeof(shared_keys) + sizeof(shared_search) + 2 * max_shared_bytes_of_function <= max_static_shared_bytes);

  constexpr bool are_coresident = !Offsets::are_served;
  const semi_join_bisection_step<Filter, Output> step{output};

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts, and the header, are complete now

  // 1. If offsets are served, the first block computes the offsets of the others, and stores the total.
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
        *count = static_cast<Count>((min) (sum, inputs.a_count));
      }
      return;
    }
  }

  // 2. Load a tile's keys, and the next key of B. As tiles are cut on the merge path, all bounds are within the tile.
  const int tile =
    are_coresident ? detail::coresident_number<Inputs>() : static_cast<int>(blockIdx.x) - Offsets::are_served;
  tile_begin early_ends[2];
  detail::read_ends_early<Inputs>(early_ends, begins, tile);
  const inputs_type& inputs = detail::sized(given);
  if constexpr (is_deferred_v<Inputs>)
  {
    static_assert(Shape::items < sparse_needles_ratio * Shape::threads);
    const auto has_tiles = [&] { return semi_join_tiling<Shape::threads>::has_tiles(inputs); };
    const bool has_tile = detail::has_tile<Shape::items>(given, inputs, tile);
    if (!has_tile || (are_coresident && !has_tiles()))
    {
      const bool has_rows = !has_tiles() && std::int64_t{tile} * Shape::threads < inputs.a_count;
      if constexpr (are_coresident)
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
      // The co-resident block of tile 0 continues without rows: one block has to store the count.
      detail::keep_by_bisection<Shape::threads>(inputs, step, comp, tile, offsets, count);
      return;
    }
  }
  const tile_begin* ends = is_deferred_v<Inputs> ? early_ends : begins + tile;
  if constexpr (are_coresident)
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
      sizeof(shared_keys) + sizeof(shared_search) + sizeof(shared_numbers) + 2 * max_shared_bytes_of_function
      <= max_static_shared_bytes);
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
    kept, begin.a, tile, offsets, output, inputs.a_count, is_last,
    store_kept_count<semi_join_bisection_step<Filter, Output>, inputs_type, Count>{step, inputs, count});
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

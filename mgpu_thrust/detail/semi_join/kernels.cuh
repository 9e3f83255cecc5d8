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
#include <mgpu_thrust/detail/driver/bisection_kernel.cuh>
#include <mgpu_thrust/detail/driver/tile_driver.cuh>
#include <mgpu_thrust/detail/driver/warp_place.cuh>
#include <mgpu_thrust/detail/semi_join/choice.h>
#include <mgpu_thrust/detail/semi_join/serial.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/load/tile_stage.cuh>
#include <mgpu_thrust/detail/tile/place/warp_list.cuh>

#include <cstdint>
#include <type_traits>
#include <utility>

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

/// The Step (driver/bisection_kernel.cuh) of semi and anti joins. If Output is no_row_output, it counts rows.
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

/// The phases of a block's tile of a semi join: the constructor loads the keys, and the next key of B, and search()
/// lists the rows that each warp keeps. As tiles are cut on the merge path, all bounds are within the tile. All threads
/// call them.
template <class Shape, class Filter, class Inputs, class Output>
class semi_join_tile
{
  using stage = tile_stage<Shape::threads, Shape::items + 2, Inputs, false>;
  using block_search = BlockSortedSearch<Shape::threads, Shape::items + 1>;
  using keys_type = decltype(stage::load(
    std::declval<typename stage::storage&>(), std::declval<const Inputs&>(), false, false, no_prefetch{}));
  static constexpr bool has_numbers = writes_rows<Output> && !keys_leave_room<Inputs>;

public:
  struct TempStorage
  {
    typename stage::storage keys;
    typename block_search::TempStorage search;
    row_number numbers[has_numbers ? Shape::items + 1 : 1]; ///< of rows, unless these are in the memory of their keys
  };

  template <class Prefetch>
  MGPU_THRUST_DEVICE semi_join_tile(TempStorage& shared, const Inputs& part, bool b_continues, Prefetch prefetch)
      : shared_(shared)
      , b_continues_(b_continues)
      , keys_(stage::load(shared.keys, part, false, b_continues, prefetch))
  {
  }

  /// Searches A in B.
  template <class Compare>
  MGPU_THRUST_DEVICE row_list<Output> search(Compare comp) const
  {
    row_list<Output> kept(numbers_of_warp());
    block_search(shared_.search)
      .WarpMatches(
        keys_.a, keys_.a_count, keys_.b, keys_.b_count + b_continues_, compare_staged<Compare>{comp},
        [&](int i, bool is_found, bool is_row) { kept.append(is_row && is_found == Filter::keeps_matched, i); });
    return kept;
  }

private:
  /// Where a warp lists rows: in the memory of their keys, or in an array of their own.
  MGPU_THRUST_DEVICE row_number* numbers_of_warp() const
  {
    [[maybe_unused]] const int first = block_search::WarpBegin(keys_.a_count);
    if constexpr (has_numbers)
    {
      return shared_.numbers + first;
    }
    else if constexpr (writes_rows<Output>)
    {
      return reinterpret_cast<row_number*>(const_cast<staged_t<a_key_t<Inputs>>*>(keys_.a + first));
    }
    else
    {
      return nullptr;
    }
  }

  TempStorage& shared_;
  bool b_continues_;
  keys_type keys_;
};

/// Joins a tile of both inputs per block; see tile_driver for the parameters. *count receives the number of rows that
/// are kept; if Output is no_row_output, nothing else is written. If deferred sizes are for bisection, a thread bisects
/// for a row.
template <class Shape, class Filter, class Inputs, class Output, class Compare, class Count, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) semi_join_kernel(
  Inputs given, Output output, Compare comp, int tiles, const tile_begin* begins, Offsets offsets, Count* count)
{
  using inputs_type = sized_t<Inputs>;
  using driver_type = tile_driver<Shape, merge_t, semi_join_tiling<Shape::threads>, Inputs, Offsets>;
  using tile_type = semi_join_tile<Shape, Filter, inputs_type, Output>;
  using step_type = semi_join_bisection_step<Filter, Output>;
  __shared__ typename tile_type::TempStorage shared;
  __shared__ typename driver_type::TempStorage shared_driver;
  static_assert(sizeof(shared) + sizeof(shared_driver) + 2 * max_shared_bytes_of_function <= max_static_shared_bytes);
  static_assert(Shape::items < sparse_needles_ratio * Shape::threads);
  const step_type step{output};

  // 1. Take the block's turn. The first block may serve the others.
  if (driver_type::template serves<writes_rows<Output>>(
        given, offsets,
        [&](std::int64_t sum, const auto& inputs) { *count = static_cast<Count>((min) (sum, inputs.a_count)); }))
  {
    return;
  }
  driver_type driver(shared_driver, given, begins, tiles, offsets);
  const auto& inputs = driver.inputs();
  const auto bisect = [&]
  { detail::keep_by_bisection<Shape::threads>(inputs, step, comp, driver.tile(), offsets, count); };
  if (!driver.take(comp, bisect))
  {
    return;
  }

  // 2. Load the tile's keys. Meanwhile prefetch those of a later tile.
  const auto part = driver.part();
  const tile_type tile(shared, part, driver.begin().b + part.b_count < inputs.b_count, driver.prefetch());

  // 3. Search A in B.
  const row_list<Output> kept = tile.search(comp);

  // 4. Post the number of rows, and write them at their place.
  detail::place_rows<Shape::threads>(
    kept, driver.begin().a, driver.tile(), offsets, output, inputs.a_count, driver.is_last(),
    store_kept_count<step_type, inputs_type, Count>{step, inputs, count});
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of bulk removal and insertion: a block marks what is removed or inserted in its tile, then copies.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/bulk/insertion_tile.cuh>
#include <mgpu_thrust/detail/bulk/mark_indices.cuh>
#include <mgpu_thrust/detail/bulk/serial.h>
#include <mgpu_thrust/detail/bulk/tuning.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/driver/tile_driver.cuh>
#include <mgpu_thrust/detail/tile/place/tile_marks.cuh>
#include <mgpu_thrust/detail/tile/place/warp_list.cuh>

#include <cuda/cmath>
#include <cuda/std/iterator>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns bounds of the number of indices, A of the path of a removal, that are less than `element`. Indices are
/// unique, so there are no more than elements, before `element` and from it on. Within these bounds kept elements have
/// positions in the output, even if indices are wrong.
template <class Path>
MGPU_THRUST_DEVICE tile_range possible_indices_below(const Path& path, std::int64_t element)
{
  return {(max) (std::int64_t{0}, path.a_count - (path.b_count - element)), (min) (element, path.a_count)};
}

/// The cut of a removal: stores to tile_indices[t] the number of indices less than the first element of tile t, and to
/// tile_indices[tiles] the number of all indices. Each thread searches for one of them, near a guess for evenly spread
/// indices. A sampled_cut would wait for memory more often.
template <int TileItems, class Path>
struct removal_cut
{
  static constexpr int threads = cut_threads;
  static constexpr bool starts_next = true;
  struct TempStorage
  {
  };

  Path path;
  std::int64_t tiles;
  std::int64_t* tile_indices;

  int blocks() const
  {
    return static_cast<int>(tiles / cut_threads + 1);
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage&) const
  {
    const std::int64_t tile = std::int64_t{blockIdx.x} * cut_threads + threadIdx.x;
    if (tile <= tiles)
    {
      const std::int64_t element = (min) (tile * TileItems, path.b_count);
      const double part = static_cast<double>(element) / static_cast<double>(path.b_count);
      const auto guess = static_cast<std::int64_t>(part * static_cast<double>(path.a_count));
      const tile_range possible = detail::possible_indices_below(path, element);
      tile_indices[tile] = detail::partition_point_near(
        possible.first, possible.last, guess,
        [&](std::int64_t i) { return static_cast<std::int64_t>(detail::element(path.a, i)) < element; });
    }
  }
};

/// The cut of a removal of deferred sizes, the first kernel of a call. `max_tiles` is for the capacity.
template <int TileItems, class Path>
struct deferred_removal_cut
{
  using cut = removal_cut<TileItems, sized_t<Path>>;
  using TempStorage = typename cut::TempStorage;
  static constexpr int threads = cut::threads;
  static constexpr bool starts_next = true;

  Path path;
  std::int64_t max_tiles;
  std::int64_t* tile_indices;

  int blocks() const
  {
    return cut{path, max_tiles, tile_indices}.blocks();
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    const auto tiles_of = [](const auto& sized_path) { return ::cuda::ceil_div(sized_path.b_count, TileItems); };
    const auto now = detail::removal_path(detail::sized_into_header(path, tiles_of));
    if (now.b_count > 0)
    {
      cut{now, tiles_of(now), tile_indices}.cut_tiles(shared);
    }
  }
};

/// Returns the range of a tile's indices; called by all threads of its block.
template <class Path>
MGPU_THRUST_DEVICE tile_range
find_tile_indices(const Path& path, std::int64_t first_element, int count, tile_range& shared)
{
  return detail::find_tile_range(
    shared,
    [&](bool is_first)
    {
      const std::int64_t element = is_first ? first_element : first_element + count;
      const tile_range possible = detail::possible_indices_below(path, element);
      return detail::warp_partition_point(
        possible.first, possible.last,
        [&](std::int64_t i) { return static_cast<std::int64_t>(detail::element(path.a, i)) < element; });
    });
}

/// Stores the size of the output of an edit, unless `count` is null; called by all threads of the kernel.
template <class Edit, class Count>
MGPU_THRUST_DEVICE void store_output_size(const Edit& sized_edit, Count* count)
{
  if (blockIdx.x == 0 && threadIdx.x == 0 && count != nullptr)
  {
    *count = static_cast<Count>(sized_edit.output_size());
  }
}

/// Returns the range of a tile's indices, which blocks search for if `tile_indices` is null. Called by all threads of a
/// block. There is a barrier in it.
template <class Path>
MGPU_THRUST_DEVICE tile_range read_tile_indices(
  const Path& path, const std::int64_t* tile_indices, const std::int64_t& first_element, const int& count,
  tile_range& shared)
{
  if (tile_indices == nullptr)
  {
    return detail::find_tile_indices(path, first_element, count, shared);
  }
  __syncthreads();
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  const std::int64_t* const own_indices = tile_indices + blockIdx.x;
  return {own_indices[0], own_indices[1]};
}

/// Writes the elements of a warp's rounds from `first` on that are not marked. If a batch has several rounds, `values`
/// are their elements. `kept_before` counts the elements that the tile keeps before them.
template <class Marks, class ItemOf, class IsItem, class Value, int Batch, class From, class To>
MGPU_THRUST_DEVICE void write_unmarked(
  const Marks& marks, int first, const ItemOf& item_of, const IsItem& is_item, const Value (&values)[Batch],
  const From& from, const To& to, int room, int& kept_before)
{
#pragma unroll
  for (int k = 0; k < Batch; ++k)
  {
    const int item = item_of(first + k);
    const bool is_kept = is_item(first + k) && !marks.is_set(item);
    const kept_lanes keep(is_kept);
    const int rank = kept_before + keep.rank();
    kept_before += keep.count();
    if (is_kept && rank < room)
    {
      if constexpr (Batch > 1)
      {
        *(to + rank) = values[k];
      }
      else
      {
        *(to + rank) = detail::element(from, item);
      }
    }
  }
}

/// Loads a batch of a thread's elements, those of its rounds from `first` on; nothing if a batch has one.
template <class ItemOf, class IsItem, class Value, int Batch, class From>
MGPU_THRUST_DEVICE void load_rounds(
  [[maybe_unused]] const int& first, const ItemOf& item_of, const IsItem& is_item, Value (&values)[Batch],
  const From& from)
{
  if constexpr (Batch > 1)
  {
#pragma unroll
    for (int k = 0; k < Batch; ++k)
    {
      if (is_item(first + k))
      {
        values[k] = detail::element(from, item_of(first + k));
      }
    }
  }
}

/// Removes elements from one tile per block. If `tile_indices` is null, blocks search for their indices. If sizes are
/// deferred, *count_out receives the size of the output, and surplus blocks return.
template <class Shape, class Path, class Input, class Output, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) removal_kernel(
  bulk_removal<Path, Input> given, Output output, const std::int64_t* tile_indices, [[maybe_unused]] Count* count_out)
{
  using value = typename ::cuda::std::iterator_traits<Input>::value_type;
  using marks_type = tile_marks<Shape::threads, Shape::items_per_thread>;
  constexpr int batch =
    detail::bulk_batch<value>(Shape::items_per_thread, removal_bytes_in_flight, removal_elements_in_flight);
  __shared__ typename marks_type::storage shared_marks;
  __shared__ tile_range shared_range;
  static_assert(sizeof(shared_marks) + sizeof(shared_range) <= max_static_shared_bytes);
  const marks_type marks(shared_marks);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t first_element = std::int64_t{blockIdx.x} * Shape::items;
  if constexpr (is_deferred_v<Path>)
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the header is complete now
  }
  const auto& edit = given.sized();
  if constexpr (is_deferred_v<Path>)
  {
    detail::store_output_size(edit, count_out);
    if (edit.path.b_count <= first_element)
    {
      return;
    }
  }
  const int count = static_cast<int>((min) (edit.path.b_count - first_element, std::int64_t{Shape::items}));

  // 1. Load the tile's first elements, kept or not, before the marks are known.
  const warp_items own = marks_type::items_of_warp(count);
  const auto item_of = [&](int round) { return own.first + 32 * round + lane; };
  const auto is_item = [&](int round) // without tests in a full tile
  { return count == Shape::items || ((round < own.rounds) & (item_of(round) < count)); };
  const auto from = edit.input + first_element;
  std::conditional_t<(batch > 1), value, char> values[batch];
  detail::load_rounds(0, item_of, is_item, values, from);

  // 2. Find the tile's indices.
  marks.clear();
  const tile_range range = detail::read_tile_indices(edit.path, tile_indices, first_element, count, shared_range);

  // 3. Mark the elements that they remove.
  const auto index_count = static_cast<int>(detail::clamp_index(range.last - range.first, 0, Shape::items));
  detail::mark_indices<Shape::threads, false>(marks, edit.path.a + range.first, index_count, first_element, count);
  __syncthreads();

  // 4. Write the elements that are not marked. There is room for them, unless the indices are wrong.
  const std::int64_t offset = first_element - range.first;
  const auto room = static_cast<int>(detail::clamp_index(edit.output_size() - offset, 0, Shape::items));
  const auto to = output + offset;
  int kept_before = own.first - marks.marks_before(own);
#pragma unroll 1
  for (int first = 0; first < own.rounds; first += batch)
  {
    detail::write_unmarked(marks, first, item_of, is_item, values, from, to, room, kept_before);
    if (first + batch < own.rounds)
    {
      detail::load_rounds(first + batch, item_of, is_item, values, from);
    }
  }
}

/// Inserts values into elements, one tile of the output per block; see tile_driver for `begins`. If sizes are deferred,
/// *count_out receives the size of the output.
template <class Shape, class Path, class Input, class Values, class Output, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) insertion_kernel(
  bulk_insertion<Path, Input, Values> given, Output output, const tile_begin* begins, [[maybe_unused]] Count* count_out)
{
  using driver_type = tile_driver<Shape, merge_t, always_tiled, Path, no_tile_offsets>;
  using tile_type = insertion_tile<Shape, Input, Values>;
  __shared__ typename tile_type::TempStorage shared;
  __shared__ typename driver_type::TempStorage shared_driver;
  static_assert(sizeof(shared) + sizeof(shared_driver) <= max_static_shared_bytes);
  tile_type tile(shared);

  // 1. Take the block's turn.
  driver_type driver(shared_driver, given.path, begins, 0, {});
  const bulk_insertion<sized_t<Path>, Input, Values> edit{driver.inputs(), given.input, given.values};
  if constexpr (is_deferred_v<Path>)
  {
    detail::store_output_size(edit, count_out);
  }
  if (!driver.take(index_less{}, [] {}))
  {
    return;
  }

  // 2. Mark the inserted items of the tile.
  const auto begin = driver.begin();
  const auto part = driver.part();
  tile.mark(part, begin.b);

  // 3. Copy the marked items from the values, the others from the input.
  tile.copy(part, edit.input + begin.b, edit.values + begin.a, output + edit.output_offset(begin.a, begin.b));
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

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
#include <mgpu_thrust/detail/bulk/serial.h>
#include <mgpu_thrust/detail/bulk/tuning.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/tile/tile_marks.cuh>
#include <mgpu_thrust/detail/tile/warp_list.cuh>

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

/// Sets marks for `count` indices: of item index - b or, if `Spreads`, of index - b plus the number of indices before
/// it. Items outside [0, max_items) are left out. Indices are loaded in batches.
template <int Threads, bool Spreads, class Marks, class Indices>
MGPU_THRUST_DEVICE void mark_indices(const Marks& marks, Indices indices, int count, std::int64_t b, int max_items)
{
  constexpr int batch = 4;
  for (int first = static_cast<int>(threadIdx.x); first < count; first += batch * Threads)
  {
    int items[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      const int i = first + k * Threads;
      items[k] = -1;
      if (i < count)
      {
        // Unsigned, so that one comparison tells whether the item is in the tile, whatever the index is.
        const auto index = static_cast<std::uint64_t>(static_cast<std::int64_t>(detail::element(indices, i)));
        const std::uint64_t item = index - static_cast<std::uint64_t>(b) + (Spreads ? i : 0);
        items[k] = item < static_cast<std::uint64_t>(max_items) ? static_cast<int>(item) : -1;
      }
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      if (items[k] >= 0)
      {
        marks.set(items[k]);
      }
    }
  }
}

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
  const auto load = [&]([[maybe_unused]] int first)
  {
    if constexpr (batch > 1)
    {
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        if (is_item(first + k))
        {
          values[k] = detail::element(from, item_of(first + k));
        }
      }
    }
  };
  load(0);

  // 2. Find the tile's indices.
  marks.clear();
  tile_range range;
  if (tile_indices == nullptr)
  {
    range = detail::find_tile_indices(edit.path, first_element, count, shared_range);
  }
  else
  {
    __syncthreads();
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
    const std::int64_t* const own_indices = tile_indices + blockIdx.x;
    range = {own_indices[0], own_indices[1]};
  }

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
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      const int item = item_of(first + k);
      const bool is_kept = is_item(first + k) && !marks.is_set(item);
      const kept_lanes keep(is_kept);
      const int rank = kept_before + keep.rank();
      kept_before += keep.count();
      if (is_kept && rank < room)
      {
        if constexpr (batch > 1)
        {
          *(to + rank) = values[k];
        }
        else
        {
          *(to + rank) = detail::element(from, item);
        }
      }
    }
    if (first + batch < own.rounds)
    {
      load(first + batch);
    }
  }
}

/// Returns a pointer as a pointer to const, so that two pointers to the same element type have the same type; any other
/// iterator unchanged.
template <class Iterator>
MGPU_THRUST_DEVICE auto read_only(Iterator iterator)
{
  if constexpr (std::is_pointer_v<Iterator>)
  {
    return static_cast<const std::remove_pointer_t<Iterator>*>(iterator);
  }
  else
  {
    return iterator;
  }
}

/// Inserts values into elements, one tile of the output per block. If `begins` is null, blocks cut their tiles. If
/// sizes are deferred, *count_out receives the size of the output, and surplus blocks return.
template <class Shape, class Path, class Input, class Values, class Output, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) insertion_kernel(
  bulk_insertion<Path, Input, Values> given, Output output, const tile_begin* begins, [[maybe_unused]] Count* count_out)
{
  using value = typename ::cuda::std::iterator_traits<Input>::value_type;
  using marks_type = tile_marks<Shape::threads, Shape::items_per_thread>;
  constexpr bool one_type = std::is_same_v<value, typename ::cuda::std::iterator_traits<Values>::value_type>;
  constexpr int batch =
    one_type
      ? detail::bulk_batch<value>(Shape::items_per_thread, insertion_bytes_in_flight, insertion_elements_in_flight)
      : 1;
  __shared__ typename marks_type::storage shared_marks;
  __shared__ tile_begin shared_ends[2];
  static_assert(sizeof(shared_marks) + sizeof(shared_ends) <= max_static_shared_bytes);
  const marks_type marks(shared_marks);
  const int lane = static_cast<int>(threadIdx.x % 32);
  marks.clear();
  __syncthreads();

  // 1. Mark the inserted items of the tile. Values of equal positions have consecutive items.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts, and the header, are complete now
  const int tile = static_cast<int>(blockIdx.x);
  tile_begin early_ends[2];
  detail::read_ends_early<Path>(early_ends, begins, tile);
  const auto& edit = given.sized();
  if constexpr (is_deferred_v<Path>)
  {
    detail::store_output_size(edit, count_out);
    if (!detail::has_tile<Shape::items>(given.path, edit.path, tile))
    {
      return;
    }
  }
  const tile_begin* const ends =
    detail::ends_of_tile<Path, Shape::items>(begins, early_ends, shared_ends, edit.path, index_less{}, tile);
  const tile_begin begin = ends[0];
  const auto part = detail::tile_part<Shape::items>(edit.path, ends, 0);
  const int position_count = static_cast<int>(part.a_count);
  const int element_count = static_cast<int>(part.b_count);
  const int count = (min) (position_count + element_count, Shape::items);
  detail::mark_indices<Shape::threads, true>(marks, part.a, position_count, begin.b, count);
  __syncthreads();

  // 2. Copy the marked items from the values, the others from the input. All have a source, unless the positions are
  //    wrong.
  struct source
  {
    bool exists;
    bool is_inserted;
    int number; ///< index in the tile's values or elements
  };
  const auto inserted = detail::read_only(edit.values + begin.a);
  const auto from = detail::read_only(edit.input + begin.b);
  const auto to = output + edit.output_offset(begin.a, begin.b);
  const warp_items own = marks.items_of_warp(count);
  int marks_before = marks.marks_before(own);
  for (int first = 0; first < own.rounds; first += batch)
  {
    const auto item_of = [&](int k) { return own.first + 32 * (first + k) + lane; };
    const auto is_item = [&](int k) { return (first + k < own.rounds) & (item_of(k) < count); };
    const auto find_source = [&](int k)
    {
      const int item = item_of(k);
      const bool is_inserted = is_item(k) && marks.is_set(item);
      const kept_lanes insert(is_inserted);
      const int rank = marks_before + insert.rank();
      marks_before += insert.count();
      const int number = is_inserted ? rank : item - rank;
      const bool exists = is_item(k) & (is_inserted | (number < element_count));
      return source{exists, is_inserted, number};
    };
    if constexpr (batch > 1)
    {
      value values[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        const source it = find_source(k);
        if constexpr (std::is_same_v<decltype(inserted), decltype(from)>)
        {
          if (it.exists)
          {
            values[k] = detail::element(it.is_inserted ? inserted : from, it.number); // one load, no branch
          }
        }
        else
        {
          if (it.exists & it.is_inserted)
          {
            values[k] = detail::element(inserted, it.number);
          }
          if (it.exists & !it.is_inserted)
          {
            values[k] = detail::element(from, it.number);
          }
        }
      }
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        if (is_item(k))
        {
          *(to + item_of(k)) = values[k];
        }
      }
    }
    else
    {
      const source it = find_source(0);
      if (it.exists & it.is_inserted)
      {
        *(to + item_of(0)) = detail::element(inserted, it.number);
      }
      if (it.exists & !it.is_inserted)
      {
        *(to + item_of(0)) = detail::element(from, it.number);
      }
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of a join in one pass: one searches tiles of both inputs and writes the rows of their left elements as
/// soon as their offset is known; the others write the remaining rows of tiles with many, and the rows of right
/// elements without a match, if there are any.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/partition_kernel.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/rows.cuh>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/join/tuning.cuh>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>

#include <cub/block/block_scan.cuh>

#include <cuda/atomic>
#include <cuda/std/cstdint>

#include <cstddef>
#include <cstdint>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Totals that the kernels of a pass leave to later ones.
struct join_totals
{
  std::int64_t left_rows;  ///< rows of all left elements
  std::int64_t right_only; ///< right elements without a match
  bool has_extra;          ///< whether a tile's left elements have more rows than a unit
  std::uint64_t units;     ///< units of rows that blocks of the kernel for such tiles' other rows have taken
};

/// Row offsets of tiles, and bits of the right elements without a match, in temporary storage.
template <class Kind>
class join_progress
{
  using row_offsets = basic_tile_offsets<std::uint64_t>;

public:
  /// The bytes that these take, in memory aligned to storage_alignment.
  static std::size_t bytes(std::int64_t tiles, std::int64_t right_count)
  {
    return words_at(tiles) + (Kind::keeps_right ? words_of(tiles, right_count) * sizeof(std::uint32_t) : 0);
  }
  join_progress(void* storage, std::int64_t tiles)
      : rows(static_cast<char*>(storage) + storage_alignment, tiles)
      , right_only(static_cast<char*>(storage) + right_only_at(tiles), Kind::keeps_right ? tiles : 0)
      , totals(static_cast<join_totals*>(storage))
      , words_(reinterpret_cast<std::uint32_t*>(static_cast<char*>(storage) + words_at(tiles)))
  {
  }

  /// Clears the offsets of a tile; the partition kernel calls it for all tiles.
  MGPU_THRUST_DEVICE void clear(int tile) const
  {
    rows.clear(tile);
    if constexpr (Kind::keeps_right)
    {
      right_only.clear(tile);
    }
    if (tile == 0)
    {
      totals->has_extra = false;
      totals->units = 0;
    }
  }

  /// Words with a bit for each right element of a tile, the first of which has index `b_begin`. A tile may have one
  /// word more than its elements fill.
  MGPU_THRUST_DEVICE std::uint32_t* right_words(int tile, std::int64_t b_begin) const
  {
    return words_ + b_begin / 32 + tile;
  }

  row_offsets rows;        ///< offsets of the rows of left elements
  tile_offsets right_only; ///< offsets of the rows of right elements without a match
  join_totals* totals;

private:
  static std::size_t right_only_at(std::int64_t tiles)
  {
    return storage_alignment + detail::round_up_storage(row_offsets::bytes(tiles));
  }
  static std::size_t words_at(std::int64_t tiles)
  {
    return right_only_at(tiles) + (Kind::keeps_right ? detail::round_up_storage(tile_offsets::bytes(tiles)) : 0);
  }
  static std::size_t words_of(std::int64_t tiles, std::int64_t right_count)
  {
    return static_cast<std::size_t>(right_count / 32 + tiles + 1);
  }

  std::uint32_t* words_;
};

/// Joins a tile of both inputs per block: writes the rows of its left elements, the first unit of them at most, and
/// stores which of its right elements have no match. *size receives the total number of rows.
template <class Shape, class Kind, class Inputs, class Outputs, class Compare, class Size>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_pass_kernel(
  Inputs inputs, Outputs outputs, Compare comp, int tiles, const tile_begin* begins, join_progress<Kind> progress,
  Size* size)
{
  using rows_type = block_join_rows<Shape::threads, Shape::items_per_thread, Kind, Inputs, Outputs, Compare>;
  using tile_type = typename rows_type::tile_type;
  __shared__ typename rows_type::storage shared;
  __shared__ std::int64_t shared_row;
  static_assert(sizeof(shared) + 2 * sizeof(shared_row) <= most_static_shared_bytes); // shared_right_only too
  const int thread = static_cast<int>(threadIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is complete now

  // 1. The first block computes the offsets that the others wait for, and stores the total numbers of rows at last.
  if (blockIdx.x == 0)
  {
    __shared__ std::int64_t shared_right_only;
    const int warp = thread / 32;
    const std::int64_t left_rows = warp == 0 ? progress.rows.serve() : 0;
    if constexpr (Kind::keeps_right)
    {
      if (warp == Shape::threads / 32 - 1)
      {
        shared_right_only = progress.right_only.serve();
      }
      __syncthreads();
    }
    if (thread == 0)
    {
      const std::int64_t right_only = Kind::keeps_right ? shared_right_only : 0;
      progress.totals->left_rows = left_rows;
      progress.totals->right_only = right_only;
      *size = static_cast<Size>(left_rows + right_only);
    }
    return;
  }

  // 2. Load a tile's keys.
  const int index = static_cast<int>(blockIdx.x) - 1;
  const tile_begin begin = begins[index];
  tile_type tile(
    shared.tile, inputs, comp, begin.a, begin.b, detail::tile_part<Shape::items>(inputs, begins, index),
    prefetch_later_tile<Shape, Inputs>{inputs, begins, index, tiles});

  // 3. Find the rows of its left elements and post their number; then find its right elements without a match.
  rows_type rows(shared, outputs, begin.a, begin.b);
  const std::int64_t left_rows = rows.find(tile, [&](std::int64_t found) { progress.rows.post(index, found); });
  if constexpr (Kind::keeps_right)
  {
    std::uint32_t* const words = progress.right_words(index, begin.b);
    const int right_only = rows.for_each_right_word([&](int word, unsigned bits) { words[word] = bits; });
    if (thread == 0)
    {
      progress.right_only.post(index, right_only);
    }
  }

  // 4. Write.
  if (left_rows > join_unit_rows && thread == 0)
  {
    progress.totals->has_extra = true;
  }
  if (left_rows > 0)
  {
    rows.write_left(
      {0, min(left_rows, join_unit_rows)},
      [&]
      {
        if (thread == 0)
        {
          shared_row = progress.rows.wait(index);
        }
        __syncthreads();
        return shared_row;
      });
  }
}

/// Writes the rows after the first unit of each tile. Blocks take units of the rows of all tiles, one after the other.
template <class Shape, class Kind, class Inputs, class Outputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) join_extra_kernel(
  Inputs inputs, Outputs outputs, Compare comp, int tiles, const tile_begin* begins, join_progress<Kind> progress)
{
  using rows_type = block_join_rows<Shape::threads, Shape::items_per_thread, Kind, Inputs, Outputs, Compare>;
  using tile_type = typename rows_type::tile_type;
  __shared__ typename rows_type::storage shared;
  __shared__ unsigned shared_with_rows[Shape::threads / 32];
  __shared__ std::int64_t shared_unit;
  static_assert(sizeof(shared) + sizeof(shared_with_rows) + sizeof(shared_unit) <= most_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the pass is done
  if (!progress.totals->has_extra)
  {
    return;
  }
  const std::int64_t all_rows = progress.totals->left_rows;
  const auto first_row_of = [&](int tile) { return tile < tiles ? progress.rows.offset(tile) : all_rows; };
  const auto tile_of = [&](std::int64_t row)
  { return detail::warp_partition_point(0, tiles, [&](int tile) { return first_row_of(tile) <= row; }) - 1; };
  while (true)
  {
    // 1. The next unit.
    __syncthreads(); // the shared memory may be in use
    if (threadIdx.x == 0)
    {
      const ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device> units(progress.totals->units);
      shared_unit = static_cast<std::int64_t>(units.fetch_add(1, ::cuda::memory_order_relaxed));
    }
    __syncthreads();
    if (shared_unit > (all_rows - 1) / join_unit_rows)
    {
      return;
    }
    const std::int64_t first = shared_unit * join_unit_rows;
    const std::int64_t last = min(first + join_unit_rows, all_rows);

    // 2. The tiles that have rows of this unit, and of these rows those after the tile's first unit: each thread checks
    //    one tile. Of tiles that begin at the same row all are empty but the last.
    const auto rows_behind = [&](int tile) {
      return row_range{first_row_of(tile) + join_unit_rows, first_row_of(tile + 1)}.intersection({first, last});
    };
    for (int tile = tile_of(first); tile < tiles && first_row_of(tile) < last;)
    {
      const int own = tile + static_cast<int>(threadIdx.x);
      const unsigned with_rows = __ballot_sync(~0u, own < tiles && rows_behind(own).size() > 0);
      __syncthreads(); // the shared memory may be in use
      if (threadIdx.x % 32 == 0)
      {
        shared_with_rows[threadIdx.x / 32] = with_rows;
      }
      __syncthreads();
      for (int i = 0; i < Shape::threads; ++i)
      {
        const unsigned later = shared_with_rows[i / 32] >> (i % 32);
        if (later % 2 == 0)
        {
          i += later == 0 ? 31 - i % 32 : 0; // no more in this word
          continue;
        }

        // 3. Load the keys of such a tile, find all its rows, and write the wanted ones.
        const int index = tile + i;
        const row_range wanted = rows_behind(index);
        const std::int64_t before = first_row_of(index);
        const tile_begin begin = begins[index];
        tile_type keys(
          shared.tile, inputs, comp, begin.a, begin.b, detail::tile_part<Shape::items>(inputs, begins, index),
          [](auto) {});
        rows_type rows(shared, outputs, begin.a, begin.b);
        rows.find(keys, [](std::int64_t) {});
        rows.write_left(
          {wanted.first - before, wanted.last - before},
          [&]
          {
            __syncthreads();
            return wanted.first;
          });
      }
      tile += Shape::threads;
      tile = max(tile, tile < tiles ? tile_of(first_row_of(tile)) : tile);
    }
  }
}

/// Writes the rows of right elements without a match, a tile per block.
template <class Shape, class Kind, class Outputs>
MGPU_THRUST_KERNEL void __launch_bounds__(join_right_only_threads)
  join_right_only_kernel(Outputs outputs, int tiles, const tile_begin* begins, join_progress<Kind> progress)
{
  constexpr int threads = join_right_only_threads;
  constexpr int thread_words = (Shape::items + 1 + 32 * threads - 1) / (32 * threads);
  using block_scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename block_scan::TempStorage shared_scan;
  __shared__ ::cuda::std::uint16_t shared_numbers[Shape::items + 1];
  static_assert(sizeof(shared_scan) + sizeof(shared_numbers) <= most_static_shared_bytes);
  const int thread = static_cast<int>(threadIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the previous kernel is done

  // 1. Whether the tile has any. All these loads are issued together.
  const int index = static_cast<int>(blockIdx.x);
  const join_totals totals = *progress.totals;
  const tile_begin begin = begins[index];
  const std::int64_t end = begins[index + 1].b;
  const std::int64_t before = progress.right_only.offset(index);
  const std::int64_t behind = index + 1 < tiles ? progress.right_only.offset(index + 1) : totals.right_only;
  if (before == behind)
  {
    return;
  }

  // 2. Their indices in the tile. Each thread has thread_words consecutive words.
  const auto count = static_cast<int>(min(end - begin.b, std::int64_t{Shape::items + 1})); // more if unsorted
  const std::uint32_t* const words = progress.right_words(index, begin.b);
  const int first_word = thread * thread_words;
  std::uint32_t own[thread_words];
  int rank = 0;
#pragma unroll
  for (int k = 0; k < thread_words; ++k)
  {
    const int word = first_word + k;
    own[k] = 32 * word < count ? words[word] & detail::first_lanes(count - 32 * word) : 0;
    rank += __popc(own[k]);
  }
  int numbers = 0; // as many as were posted, unless the input is not sorted and tiles share words
  block_scan(shared_scan).ExclusiveSum(rank, rank, numbers);
#pragma unroll
  for (int k = 0; k < thread_words; ++k)
  {
    for (std::uint32_t bits = own[k]; bits != 0; bits &= bits - 1)
    {
      shared_numbers[rank++] =
        static_cast<::cuda::std::uint16_t>(32 * (first_word + k) + __ffs(static_cast<int>(bits)) - 1);
    }
  }
  __syncthreads();

  // 3. Write them.
  const Outputs to = outputs + (totals.left_rows + before);
#pragma unroll 4
  for (int i = thread; i < min(numbers, static_cast<int>(behind - before)); i += threads)
  {
    to.write(i, no_match, begin.b + shared_numbers[i]);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The last kernel of a join in one pass: it writes the rows of right elements without a match.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/pass/progress.cuh>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/join/tuning.h>

#include <cub/block/block_scan.cuh>

#include <cuda/std/cstdint>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Writes the rows of right elements without a match, a tile per block; surplus blocks return. Tiles is what
/// tiles_for_kernel() returns.
template <class Shape, class Kind, class Outputs, class Tiles>
MGPU_THRUST_KERNEL void __launch_bounds__(join_right_only_threads)
  join_right_only_kernel(Outputs outputs, Tiles given_tiles, const tile_begin* begins, join_progress<Kind> progress)
{
  constexpr int threads = join_right_only_threads;
  constexpr int thread_words = (Shape::items + 1 + 32 * threads - 1) / (32 * threads);
  using block_scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using position = ::cuda::std::uint16_t; // in the tile
  static_assert(Shape::items < 65536);
  __shared__ typename block_scan::TempStorage shared_scan; // in phase 2
  __shared__ position shared_positions[Shape::items + 1];  // from phase 2 on
  static_assert(sizeof(shared_scan) + sizeof(shared_positions) <= max_static_shared_bytes);
  const int thread = static_cast<int>(threadIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the previous kernel is done

  // 1. Whether the tile has any. All these loads are issued together.
  const int index = static_cast<int>(blockIdx.x);
  const int tiles = detail::read_tiles(given_tiles);
  const join_totals totals = *progress.totals;
  const tile_begin begin = begins[index];
  const std::int64_t end = begins[index + 1].b;
  const std::int64_t before = progress.right_only.offset(index);
  const std::int64_t next_before = index + 1 < tiles ? progress.right_only.offset(index + 1) : totals.right_only;
  if (before == next_before || (!std::is_same_v<Tiles, int> && index >= tiles))
  {
    return;
  }

  // 2. List their positions in the tile, so that neighbouring threads write neighbouring rows. Each thread has
  //    thread_words consecutive words.
  const auto count = static_cast<int>((min) (end - begin.b, std::int64_t{Shape::items + 1})); // more if unsorted
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
  int listed = 0; // as many as were posted, unless the input is not sorted and tiles share words
  block_scan(shared_scan).ExclusiveSum(rank, rank, listed);
#pragma unroll
  for (int k = 0; k < thread_words; ++k)
  {
    for (std::uint32_t bits = own[k]; bits != 0; bits &= bits - 1)
    {
      shared_positions[rank++] = static_cast<position>(32 * (first_word + k) + __ffs(static_cast<int>(bits)) - 1);
    }
  }
  __syncthreads();

  // 3. Write them.
  std::int64_t first_row = totals.left_rows + before;
  int rows = (min) (listed, static_cast<int>(next_before - before));
  if constexpr (Outputs::is_bounded)
  {
    first_row = detail::saturating_sum(totals.left_rows, before);
    rows = static_cast<int>(outputs.rows_with_room(first_row, rows));
  }
  const auto to = outputs + first_row;
#pragma unroll 4
  for (int i = thread; i < rows; i += threads)
  {
    to.write(i, no_match, begin.b + shared_positions[i]);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

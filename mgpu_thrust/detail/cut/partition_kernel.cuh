// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The partition step of all algorithms over tiles of two inputs: one kernel finds where each tile begins on the path
/// of the inputs.

#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The point of the path of the whole inputs where a tile begins.
struct tile_begin
{
  std::int64_t a;
  std::int64_t b;
};

/// Bound of the number of tiles, which must be less: a grid has room for them, and kernels that look some thousand
/// tiles ahead count no further than an int.
inline constexpr std::int64_t most_tiles = std::numeric_limits<int>::max() - 8192;
/// Returns the number of tiles that `elements` elements of both inputs take.
constexpr std::int64_t tiles_of(std::int64_t elements, int tile_items)
{
  return elements / tile_items + (elements % tile_items != 0);
}

/// Returns the bytes of the begins of `tiles` tiles and of the end of the last.
inline std::size_t partition_bytes(std::int64_t tiles)
{
  return static_cast<std::size_t>(tiles + 1) * sizeof(tile_begin);
}

/// Stands for tile_offsets where tiles need none, as their outputs' sizes are known.
struct no_tile_offsets
{
  MGPU_THRUST_DEVICE void clear(int) const
  {
  }
};

/// Threads of a block of the partition kernel, and the number of tiles that it partitions: one per thread or, if there
/// are few tiles, one per warp.
inline constexpr int partition_threads = 128;
inline int partition_block_tiles(int tiles)
{
  return tiles <= 1024 ? partition_threads / 32 : partition_threads;
}

/// Finds where the tiles begin and where the last ends, `block_tiles` per block; also clears their offsets.
template <int TileItems, class Operation, class Inputs, class Compare, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(partition_threads)
  partition_kernel(Inputs inputs, Compare comp, int tiles, int block_tiles, tile_begin* begins, Offsets offsets)
{
  __shared__ std::int64_t shared_splits[partition_threads / 32];
  static_assert(sizeof(shared_splits) <= most_static_shared_bytes);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int first_tile = static_cast<int>(blockIdx.x) * block_tiles;
  const bool is_warps = block_tiles == partition_threads / 32;
  const auto diagonal_of = [&](std::int64_t tile)
  { return tile < tiles ? tile * TileItems : inputs.a_count + inputs.b_count; };

  // 1. Each warp finds the point of the merge path where its own tile begins; or, with one tile per thread, the first
  //    two warps find where the block's tiles begin and end.
  if (is_warps || warp < 2)
  {
    const std::int64_t diagonal = diagonal_of(std::int64_t{first_tile} + (is_warps ? warp : warp * block_tiles));
    shared_splits[warp] = detail::warp_merge_path(inputs.a, inputs.a_count, inputs.b, inputs.b_count, diagonal, comp);
  }
  __syncthreads();
  const int tile = first_tile + (is_warps ? warp : static_cast<int>(threadIdx.x));
  if (tile > tiles || (is_warps && lane != 0))
  {
    return;
  }

  // 2. Each thread finds its tile's point between those two, most likely near the straight line between them.
  const std::int64_t diagonal = diagonal_of(tile);
  std::int64_t a_index = shared_splits[is_warps ? warp : 0];
  if (!is_warps)
  {
    const std::int64_t begin = diagonal_of(first_tile);
    const std::int64_t size = diagonal_of(std::int64_t{first_tile} + block_tiles) - begin;
    const std::int64_t a_size = shared_splits[1] - a_index;
    const std::int64_t guess = size == 0 ? 0 : a_size * (diagonal - begin) / size;
    a_index += detail::merge_path_near(
      inputs.a + a_index, a_size, inputs.b + (begin - a_index), size - a_size, diagonal - begin, guess, comp);
  }

  // 3. Move the point to the operation's path. In unsorted ranges it may be anywhere; it is first clamped to the
  //    inputs.
  a_index = max(min(a_index, min(diagonal, inputs.a_count)), diagonal - min(diagonal, inputs.b_count));
  const auto point =
    detail::operation_path_from(Operation{}, inputs.a, a_index, inputs.b, inputs.b_count, diagonal - a_index, comp);
  begins[tile] = {point.a_index, point.b_index};
  if (tile < tiles)
  {
    offsets.clear(tile);
  }
}

/// Returns a tile's part of the inputs, as cut by partition_kernel: TileItems elements, and one more where a star adds
/// it.
template <int TileItems, bool HasStars = true, class Inputs>
MGPU_THRUST_DEVICE Inputs tile_part(const Inputs& inputs, const tile_begin* begins, int tile)
{
  const tile_begin begin = begins[tile];
  const tile_begin end = begins[tile + 1];
  return inputs.piece(begin.a, begin.b, end.a, end.b, TileItems + HasStars);
}

/// Queues partition_kernel: begins[0, tiles] receives where the tiles of TileItems elements of A and B begin on the
/// operation's path, and where the last ends.
template <int TileItems, class Operation, class Inputs, class Compare, class Offsets>
cudaError_t queue_partition(
  Operation, const Inputs& inputs, Compare comp, int tiles, tile_begin* begins, Offsets offsets, cudaStream_t stream)
{
  using path = std::conditional_t<Operation::matches, set_union_t, merge_t>; // one kernel per path
  const int block_tiles = detail::partition_block_tiles(tiles);
  return detail::launch_kernel(
    detail::partition_kernel<TileItems, path, Inputs, Compare, Offsets>, tiles / block_tiles + 1, partition_threads,
    false, stream, inputs, comp, tiles, block_tiles, begins, offsets);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The cut of two sorted inputs into tiles, on the merge path or the balanced path.

#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The point of the path of the whole inputs where a tile begins.
struct tile_begin
{
  std::int64_t a;
  std::int64_t b;
};

/// Where a tile begins and ends.
struct tile_ends
{
  tile_begin begin;
  tile_begin end;

  /// The tile's part of the inputs, of at most `max_size` elements: in unsorted inputs a cut may lead anywhere.
  template <class Inputs>
  MGPU_THRUST_DEVICE Inputs part(const Inputs& inputs, int max_size) const
  {
    return inputs.piece(begin.a, begin.b, end.a, end.b, max_size);
  }
};

/// Returns where a tile begins and ends, given where all tiles begin.
MGPU_THRUST_DEVICE tile_ends ends_of(const tile_begin* begins, int tile)
{
  return {begins[tile], begins[tile + 1]};
}

/// Returns the bytes of the begins of `tiles` tiles and of the end of the last.
inline std::size_t cut_bytes(std::int64_t tiles)
{
  return detail::round_up_storage(static_cast<std::size_t>(tiles + 1) * sizeof(tile_begin));
}

/// Stands for tile_offsets if the sizes of the tiles' outputs are known.
struct no_tile_offsets
{
  static constexpr bool are_served = false;
  static constexpr bool are_coresident = false;
  struct arrival
  {
  };

  MGPU_THRUST_DEVICE void clear(int) const
  {
  }
  MGPU_THRUST_HOST_DEVICE no_tile_offsets first(int) const
  {
    return {};
  }
};

/// Returns the number of tiles of TileItems elements of two inputs.
template <int TileItems, class Inputs>
MGPU_THRUST_HOST_DEVICE std::int64_t tiles_of(const Inputs& inputs)
{
  return ::cuda::ceil_div(inputs.a_count + inputs.b_count, TileItems);
}

/// Whether inputs of deferred sizes have a tile of that number: by the header's number of tiles, if the kernel reads
/// the header; otherwise by the actual sizes, without a division.
template <int TileItems, class Given, class Inputs>
MGPU_THRUST_DEVICE bool has_tile([[maybe_unused]] const Given& given, [[maybe_unused]] const Inputs& inputs, int tile)
{
  if constexpr (are_in_header<Given>)
  {
    return tile < given.header->tiles;
  }
  else
  {
    return std::int64_t{tile} * TileItems < inputs.a_count + inputs.b_count;
  }
}

/// Returns the index in A of a point of a diagonal, clamped to the inputs: in unsorted ranges a search may lead
/// anywhere.
template <class Inputs>
MGPU_THRUST_DEVICE std::int64_t clamp_to_inputs(const Inputs& inputs, std::int64_t a_index, std::int64_t diagonal)
{
  return (max) ((min) (a_index, (min) (diagonal, inputs.a_count)), diagonal - (min) (diagonal, inputs.b_count));
}

/// Tiles of TileItems elements of A and B, cut on the path of an operation; Path is set_union_t for the balanced path,
/// or merge_t. Also clears the tiles' offsets.
template <int TileItems, class Path, class Inputs, class Compare, class Offsets>
struct path_cut
{
  static constexpr int threads = cut_threads;
  static constexpr bool starts_next = false;
  struct TempStorage
  {
    std::int64_t splits[cut_threads / 32];
  };

  Inputs inputs;
  Compare comp;
  int tiles;
  tile_begin* begins; ///< receives where each tile begins, and where the last ends
  Offsets offsets;

  MGPU_THRUST_HOST_DEVICE int blocks() const
  {
    return detail::cut_blocks(tiles);
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int first_tile = static_cast<int>(blockIdx.x) * block_tiles();

    // 1. Each warp finds the point of the merge path where its own tile begins; or, with one tile per thread, the first
    //    two warps find where the block's tiles begin and end.
    if (is_few() || warp < 2)
    {
      const std::int64_t diagonal = diagonal_of(std::int64_t{first_tile} + (is_few() ? warp : warp * block_tiles()));
      shared.splits[warp] = detail::warp_merge_path(inputs.a, inputs.a_count, inputs.b, inputs.b_count, diagonal, comp);
    }
    __syncthreads();
    const int tile = first_tile + (is_few() ? warp : static_cast<int>(threadIdx.x));
    if (tile > tiles || (is_few() && lane != 0))
    {
      return;
    }

    // 2. Each thread finds its tile's point between those two, most likely near the straight line between them.
    const std::int64_t diagonal = diagonal_of(tile);
    std::int64_t a_index = shared.splits[is_few() ? warp : 0];
    if (!is_few())
    {
      const std::int64_t begin = diagonal_of(first_tile);
      const std::int64_t size = diagonal_of(std::int64_t{first_tile} + block_tiles()) - begin;
      const std::int64_t a_size = shared.splits[1] - a_index;
      const std::int64_t guess = size == 0 ? 0 : a_size * (diagonal - begin) / size;
      a_index += detail::merge_path_near(
        inputs.a + a_index, a_size, inputs.b + (begin - a_index), size - a_size, diagonal - begin, guess, comp);
    }

    // 3. Move the point to the operation's path.
    a_index = detail::clamp_to_inputs(inputs, a_index, diagonal);
    const auto point =
      detail::operation_path_from(Path{}, inputs.a, a_index, inputs.b, inputs.b_count, diagonal - a_index, comp);
    begins[tile] = {point.a_index, point.b_index};
    if (tile < tiles)
    {
      offsets.clear(tile);
    }
  }

private:
  MGPU_THRUST_DEVICE bool is_few() const
  {
    return detail::are_cut_by_warps(tiles);
  }
  MGPU_THRUST_DEVICE int block_tiles() const
  {
    return detail::tiles_of_cut_block(tiles);
  }
  MGPU_THRUST_DEVICE std::int64_t diagonal_of(std::int64_t tile) const
  {
    return tile < tiles ? tile * TileItems : inputs.a_count + inputs.b_count;
  }
};

/// The Tiling of algorithms with tiles for all sizes. Another Tiling tells for which sizes there are no tiles, how many
/// blocks have work then, and whether the header counts these as tiles.
struct always_tiled
{
  static constexpr bool header_counts_other_blocks = false;

  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static bool has_tiles(const Inputs&)
  {
    return true;
  }
  template <class Inputs>
  MGPU_THRUST_HOST_DEVICE static int blocks_without_tiles(const Inputs&)
  {
    return 0;
  }
};

/// Returns the number of blocks with work: the number of tiles, if there are any.
template <int TileItems, class Tiling, class Inputs>
MGPU_THRUST_HOST_DEVICE int blocks_to_work(const Inputs& inputs)
{
  return Tiling::has_tiles(inputs) ? static_cast<int>(detail::tiles_of<TileItems>(inputs))
                                   : Tiling::blocks_without_tiles(inputs);
}

/// Up to this number of tiles, and four times as many for the capacities, the next kernel may start while tiles are
/// cut. With more, its waiting blocks take room from the cut, above all in a graph.
inline constexpr int max_tiles_to_start_early = 1024;

/// The cut of inputs whose sizes it reads, the first kernel of a call. The capacities have `max_tiles` tiles. If blocks
/// work without tiles, it only clears their offsets.
template <int TileItems, class Tiling, class Path, class Inputs, class Compare, class Offsets>
struct deferred_path_cut
{
  using cut = path_cut<TileItems, Path, sized_t<Inputs>, Compare, Offsets>;
  using TempStorage = typename cut::TempStorage;
  static constexpr int threads = cut::threads;
  static constexpr bool starts_next = false;

  Inputs inputs;
  Compare comp;
  int max_tiles;
  tile_begin* begins;
  Offsets offsets;

  int blocks() const
  {
    return detail::max_cut_blocks(max_tiles);
  }

  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    const auto now = detail::sized_into_header(
      inputs,
      [](const auto& sized_inputs)
      {
        return Tiling::header_counts_other_blocks || Tiling::has_tiles(sized_inputs)
                 ? detail::blocks_to_work<TileItems, Tiling>(sized_inputs)
                 : 0;
      });
    const cut cut_now = of(now, detail::blocks_to_work<TileItems, Tiling>(now));
    if (!Tiling::has_tiles(now))
    {
      for (int block = static_cast<int>(blockIdx.x * cut_threads + threadIdx.x); block < cut_now.tiles;
           block += static_cast<int>(gridDim.x * cut_threads))
      {
        cut_now.offsets.clear(block);
      }
    }
    else if (static_cast<int>(blockIdx.x) < cut_now.blocks())
    {
      if (max_tiles <= 4 * max_tiles_to_start_early && cut_now.tiles <= max_tiles_to_start_early)
      {
        NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
      }
      cut_now.cut_tiles(shared);
    }
  }

private:
  MGPU_THRUST_HOST_DEVICE cut of(const sized_t<Inputs>& sized_inputs, int tiles) const
  {
    return {sized_inputs, comp, tiles, begins, offsets.first(tiles)};
  }
};

/// The number of tiles of a call, or where it is in the header, for a kernel without the inputs.
template <class Inputs>
int tiles_for_kernel(const Inputs&, int tiles)
{
  return tiles;
}
template <class Inputs, class First, class Second>
const int* tiles_for_kernel(const deferred_inputs<Inputs, First, Second>& inputs, int)
{
  return &inputs.header->tiles;
}

/// Returns the number of tiles that tiles_for_kernel() stands for.
MGPU_THRUST_DEVICE int read_tiles(int tiles)
{
  return tiles;
}
MGPU_THRUST_DEVICE int read_tiles(const int* tiles)
{
  return *tiles;
}

/// Finds where a tile begins and ends on a path, in `shared`, whose values it returns. Called by all threads of a
/// block.
template <int TileItems, class Path, class Inputs, class Compare>
MGPU_THRUST_DEVICE tile_ends cut_tile(tile_ends& shared, const Inputs& inputs, Compare comp, int tile)
{
  detail::find_both_ends(
    [&](int end)
    {
      const std::int64_t diagonal = (min) (std::int64_t{tile + end} * TileItems, inputs.a_count + inputs.b_count);
      const std::int64_t a_index = detail::clamp_to_inputs(
        inputs, detail::warp_merge_path(inputs.a, inputs.a_count, inputs.b, inputs.b_count, diagonal, comp), diagonal);
      const auto point =
        detail::operation_path_from(Path{}, inputs.a, a_index, inputs.b, inputs.b_count, diagonal - a_index, comp);
      (end == 0 ? shared.begin : shared.end) = {point.a_index, point.b_index};
    });
  return shared;
}

/// Queues the cut of the inputs of an operation: begins[0, tiles] receives where the tiles begin, and where the last
/// ends.
template <int TileItems, class Tiling = always_tiled, class Operation, class Inputs, class Compare, class Offsets>
cudaError_t queue_path_cut(
  Operation, const Inputs& inputs, Compare comp, int tiles, tile_begin* begins, Offsets offsets, cudaStream_t stream)
{
  using path = std::conditional_t<Operation::matches, set_union_t, merge_t>; // one kernel per path
  if constexpr (is_deferred_v<Inputs>)
  {
    return detail::queue_cut(
      deferred_path_cut<TileItems, Tiling, path, Inputs, Compare, Offsets>{inputs, comp, tiles, begins, offsets},
      stream);
  }
  else
  {
    return detail::queue_cut(
      path_cut<TileItems, path, Inputs, Compare, Offsets>{inputs, comp, tiles, begins, offsets}, stream);
  }
}

/// Queues the cut of two inputs on the merge path, unless blocks cut their own tiles. `begins` is then set for
/// a tile_driver: to the begins in `storage`, or to null.
template <int TileItems, class Tiling = always_tiled, class Inputs, class Compare>
cudaError_t queue_merge_cut(
  const Inputs& inputs, Compare comp, int tiles, bool by_blocks, void* storage, const tile_begin*& begins,
  cudaStream_t stream)
{
  begins = nullptr;
  if (by_blocks)
  {
    return cudaSuccess;
  }
  auto* const stored = static_cast<tile_begin*>(storage);
  begins = stored;
  return detail::queue_path_cut<TileItems, Tiling>(merge_t{}, inputs, comp, tiles, stored, no_tile_offsets{}, stream);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of a pass over given runs, which merges groups of up to eight neighbouring runs, tile by tile.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/multiway_merge/runs_pass.cuh>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/load/run_elements.cuh>
#include <mgpu_thrust/detail/tile/merge/merge_pass_tile.cuh>
#include <mgpu_thrust/detail/tile/place/copy_tile.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Merges a tile of a pass from `in` to `out` per block.
template <class Shapes, class In, class Out, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shapes::merge::threads, Shapes::merge::blocks_per_multiprocessor)
  merge_runs_kernel(In in, Out out, runs_pass pass, Compare comp)
{
  using keys_type = run_elements_of<decltype(In::keys)>;
  using tile_type = merge_pass_tile<
    Shapes, keys_type, typename value_or_none<decltype(In::values)>::type, decltype(Out::keys), false, Compare>;
  __shared__ typename tile_type::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  const std::int64_t tile = blockIdx.x;
  run_piece piece{0, 0};
  std::int64_t all = 0; // the first lanes alone use it
  if (threadIdx.x < max_ways)
  {
    piece = pass.piece(tile, static_cast<int>(threadIdx.x));
    all = pass.count();
  }
  const runs_tile own = pass.found[tile];
  const keys_type keys{in.keys, all};
  const run_elements_of<decltype(In::values)> values{in.values, all};
  tile_type merger(shared, keys, out.keys + own.begin, own.size, own.own_run, comp);

  // 1. Load the piece of each run, unless the tile is in position.
  if (threadIdx.x < 32)
  {
    merger.start_to_load(pass, tile, piece, values);
  }
  __syncthreads();
  if (merger.stays())
  {
    constexpr int threads = Shapes::merge::threads;
    if (keys.has_all(pass, tile, own.own_run, own.begin + own.size))
    {
      const key_value_range there{
        keys.at(pass, tile, own.own_run, own.begin), values.at(pass, tile, own.own_run, own.begin)};
      detail::copy_tile_by_block<threads>(there, 0, out, own.begin, own.size);
    }
    else // `comp` is no strict weak order
    {
      detail::copy_tile_by_block<threads>(in, own.begin, out, own.begin, own.size);
    }
    return;
  }
  merger.finish_load(pass, tile);

  // 2. Merge the pieces.
  merger.merge(pass.runs.levels, {own.size, own.size});

  // 3. Write.
  if (detail::takes_keys(out))
  {
    merger.write_keys();
  }
  if constexpr (has_values<decltype(In::values)>)
  {
    merger.write_values(pass, tile, values, 1 << pass.runs.levels, out.values + own.begin);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

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
#include <mgpu_thrust/detail/tile/copy_tile.cuh>
#include <mgpu_thrust/detail/tile/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/merge_pass_tile.cuh>

#include <cuda_runtime_api.h>

#include <cuda/std/iterator>

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
  using tile_type = merge_pass_tile<
    Shapes, typename ::cuda::std::iterator_traits<decltype(In::keys)>::value_type,
    typename value_or_none<decltype(In::values)>::type, decltype(Out::keys), false, Compare>;
  __shared__ typename tile_type::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts are complete now
  const std::int64_t tile = blockIdx.x;
  const std::int64_t begin = pass.begin(tile);
  const int count = static_cast<int>(pass.begin(tile + 1) - begin);
  if (count <= 0)
  {
    return;
  }
  tile_type merger(shared, in.keys, pass.count(), out.keys + begin, count, pass.own_run(tile), comp);

  // 1. Load the piece of each run, unless the tile is in position.
  if (threadIdx.x < 32)
  {
    merger.start_to_load(pass, tile, in.keys, in.values);
  }
  __syncthreads();
  if (merger.stays())
  {
    detail::copy_tile_by_block<Shapes::merge::threads>(in, out, begin, count);
    return;
  }
  merger.finish_load();

  // 2. Merge the pieces.
  merger.merge(pass.runs.levels, {count, count});

  // 3. Write.
  if (detail::takes_keys(out))
  {
    merger.write_keys();
  }
  if constexpr (has_values<decltype(In::values)>)
  {
    merger.write_values(in.values, 1 << pass.runs.levels, out.values + begin);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

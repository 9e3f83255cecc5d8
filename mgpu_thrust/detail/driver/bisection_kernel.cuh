// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that keeps some elements of A: a thread for each element of A bisects B, or one for each element of a B
/// that is much shorter bisects A. For few elements that is faster than tiles. Of a long range most is not read.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/driver/coresident_offsets.cuh>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/driver/warp_place.cuh>
#include <mgpu_thrust/detail/tile/place/warp_list.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What a needle finds: whether an element of A is kept, and which one. `Index` is its index, or more than that.
template <class Index = std::int64_t>
struct found_element
{
  bool is_kept;
  Index index;
};

// A Step tells which elements are kept, and writes them. It has
//   writes                  whether elements are written; otherwise they are counted
//   needles(inputs)         the number of needles
//   find(inputs, i, comp)   the found_element of needle i; later needles find later elements
//   max_kept(inputs)        the number of elements for which the output has room
//   write(inputs, i, to)    writes element i of A, as it was found, to position `to` of the output
//   count(inputs, kept)     the count that a call stores if `kept` elements are kept

/// Stores the count of a call.
template <class Step, class Inputs, class Count>
struct store_kept_count
{
  const Step& step;
  const Inputs& inputs;
  Count* count;

  MGPU_THRUST_DEVICE void operator()(std::int64_t kept) const
  {
    *count = static_cast<Count>(step.count(inputs, kept));
  }
};

/// Keeps elements of A, by one needle per thread; called by all threads of a block. If blocks are co-resident, the
/// block of the last needle stores the count.
template <int Threads, class Step, class Inputs, class Compare, class Offsets, class Count>
MGPU_THRUST_DEVICE void
keep_by_bisection(const Inputs& inputs, const Step& step, Compare& comp, int block, Offsets offsets, Count* count)
{
  const std::int64_t first = std::int64_t{block} * Threads;
  const std::int64_t i = first + threadIdx.x;
  const std::int64_t needles = step.needles(inputs);
  using found_type = decltype(step.find(inputs, i, comp));
  const found_type found = i < needles ? step.find(inputs, i, comp) : found_type{};
  const kept_lanes kept(found.is_kept);
  [[maybe_unused]] const warp_place place = detail::place_of_warp<Threads, Step::writes>(
    kept.count(), block, offsets, step.max_kept(inputs), first + Threads >= needles,
    store_kept_count<Step, Inputs, Count>{step, inputs, count});
  if constexpr (Step::writes)
  {
    if (found.is_kept && kept.rank() < place.size)
    {
      step.write(inputs, found.index, place.begin + kept.rank());
    }
  }
}

/// Keeps elements of A, and stores the count. The grid is co-resident, or its first block serves the offsets of any
/// number of others. If sizes are deferred, surplus blocks return.
template <class Step, class Inputs, class Compare, class Offsets, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(bisection_shape::threads, bisection_shape::blocks_per_multiprocessor)
  bisection_kernel(Inputs given, Step step, Compare comp, Offsets offsets, Count* count)
{
  constexpr int threads = bisection_shape::threads;
  const sized_t<Inputs>& inputs = detail::sized(given);
  int block = 0;
  if constexpr (Offsets::are_served)
  {
    if constexpr (is_deferred_v<Inputs>)
    {
      offsets = offsets.first(static_cast<int>(::cuda::ceil_div(step.needles(inputs), std::int64_t{threads})));
    }
    if (blockIdx.x == 0)
    {
      const std::int64_t sum = offsets.template serve_grid<threads, Step::writes>();
      if (threadIdx.x == 0)
      {
        store_kept_count<Step, sized_t<Inputs>, Count>{step, inputs, count}((min) (sum, step.max_kept(inputs)));
      }
      return;
    }
    block = static_cast<int>(blockIdx.x) - 1;
    if (is_deferred_v<Inputs> && std::int64_t{block} * threads >= step.needles(inputs))
    {
      return;
    }
  }
  else
  {
    block = detail::coresident_number<Inputs>();
    if (is_deferred_v<Inputs> && block > 0 && std::int64_t{block} * threads >= step.needles(inputs))
    {
      offsets.arrive(); // The first block continues without elements: one block has to store the count.
      return;
    }
  }
  detail::keep_by_bisection<threads>(inputs, step, comp, block, offsets, count);
}

/// Launches the kernel as a co-resident grid of `blocks` blocks. `storage` has tile_offsets::bytes(blocks).
template <class Step, class Inputs, class Compare, class Count>
cudaError_t queue_coresident_bisection(
  void* storage, const Inputs& inputs, const Step& step, Compare comp, std::int64_t blocks, const device_room& device,
  Count* count, cudaStream_t stream)
{
  const int max_blocks = detail::max_coresident_tiles<bisection_shape>(device);
  return detail::launch_cooperative(
    detail::bisection_kernel<Step, Inputs, Compare, coresident_offsets, Count>,
    detail::coresident_grid<Inputs>(static_cast<int>(blocks), max_blocks), bisection_shape::threads, true, stream,
    inputs, step, comp, coresident_offsets(storage), count);
}

/// Launches the kernel with `blocks` blocks, and one that serves their offsets. `storage` has room for the header of
/// deferred sizes, if there is one, and tile_offsets::bytes(blocks).
template <class Step, class Inputs, class Compare, class Count>
cudaError_t queue_served_bisection(
  void* storage, const Inputs& given, const Step& step, Compare comp, std::int64_t blocks, Count* count,
  cudaStream_t stream)
{
  const auto& inputs = detail::with_header(given, storage);
  cudaError_t error = cudaMemsetAsync(storage, 0, tile_offsets::bytes(blocks), stream);
  error = error != cudaSuccess ? error : detail::queue_header(inputs, stream);
  return error != cudaSuccess ? error
                              : detail::launch_kernel(
                                detail::bisection_kernel<Step, in_header_t<Inputs>, Compare, tile_offsets, Count>,
                                static_cast<int>(blocks + 1), bisection_shape::threads, false, stream,
                                detail::in_header(inputs), step, comp, tile_offsets(storage, blocks), count);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of the set operations: one partitions, one does the work in a single pass.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/block/load_to_shared.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/set_operation_tuning.cuh>
#include <mgpu_thrust/thread/set_operation.h>
#include <mgpu_thrust/thread/thread_set_operation.cuh>

#include <cub/agent/single_pass_scan_operators.cuh>
#include <cub/block/block_scan.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/functional>

#include <iterator>
#include <type_traits>

// Kernels are local to the shared library that launches them. (A kernel over types of an unnamed namespace is local
// anyway, which nvcc would remark on.)
#define MGPU_THRUST_KERNEL __global__ __attribute__((visibility("hidden")))
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Where a tile begins: a point of the balanced path of the whole inputs.
struct tile_begin
{
  std::int64_t a;
  std::int64_t b;
};

/// The output offsets of tiles, by decoupled look-back.
using tile_offsets = cub::ScanTileState<std::int64_t>;

/// The outputs of a set operation that is only counted.
struct no_outputs
{
};

/// Finds where tiles begin, one thread a tile and one for the end; also clears the offsets and the count.
template <int TileItems, class Inputs, class Compare>
MGPU_THRUST_KERNEL void set_operation_partition_kernel(
  Inputs inputs, Compare comp, int tiles, tile_begin* begins, tile_offsets offsets, std::int64_t* count)
{
  const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  offsets.InitializeStatus(tiles);
  if (tile == 0)
  {
    *count = 0;
  }
  if (tile <= tiles)
  {
    const std::int64_t total = inputs.a_count + inputs.b_count;
    const std::int64_t diagonal = tile < tiles ? std::int64_t{tile} * TileItems : total;
    const auto point = mgpu::balanced_path(inputs.a, inputs.a_count, inputs.b, inputs.b_count, diagonal, comp);
    begins[tile] = {point.a_index, point.b_index};
  }
}

/// The keys of a tile: A's, then B's, as two typed regions of shared memory; or where they are, if they are too large.
template <class Shape, class Inputs>
class tile_keys
{
  using a_key = typename std::iterator_traits<decltype(Inputs::a)>::value_type;
  using b_key = typename std::iterator_traits<decltype(Inputs::b)>::value_type;

  static constexpr int largest = sizeof(a_key) > sizeof(b_key) ? sizeof(a_key) : sizeof(b_key);
  static constexpr bool staged = largest <= largest_staged_key;

public:
  static constexpr int granule = load_granule<a_key> > load_granule<b_key> ? load_granule<a_key> : load_granule<b_key>;

  /// Each region begins at a granule and is shifted by less than one; between them is less than one.
  struct storage
  {
    alignas(granule) unsigned char bytes[staged ? (Shape::items + 1) * largest + 3 * granule : 1];
  };

  using a_iterator = std::conditional_t<staged, const a_key*, decltype(Inputs::a)>;
  using b_iterator = std::conditional_t<staged, const b_key*, decltype(Inputs::b)>;

  a_iterator a;
  b_iterator b;

  /// Loads the keys of a tile, by all threads of the block, and waits for them.
  MGPU_THRUST_DEVICE tile_keys(const Inputs& tile, storage& shared)
  {
    if constexpr (staged)
    {
      a = detail::load_to_shared<Shape::threads, a_key>(tile.a, static_cast<int>(tile.a_count), shared.bytes);
      const auto a_bytes = static_cast<int>(reinterpret_cast<const unsigned char*>(a + tile.a_count) - shared.bytes);
      const int b_begin = (a_bytes + granule - 1) / granule * granule;
      b = detail::load_to_shared<Shape::threads, b_key>(tile.b, static_cast<int>(tile.b_count), shared.bytes + b_begin);
      detail::finish_loads();
      __syncthreads();
    }
    else
    {
      a = tile.a;
      b = tile.b;
    }
  }
};

/// Runs a set operation on a tile a block, or counts what it keeps if Outputs is no_outputs.
template <class Shape, class Operation, class Inputs, class Outputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads) set_operation_kernel(
  Inputs inputs, Outputs outputs, Compare comp, int tiles, const tile_begin* begins, tile_offsets offsets,
  std::int64_t* count)
{
  using block_scan = cub::BlockScan<int, Shape::threads>;
  using look_back = cub::TilePrefixCallbackOp<std::int64_t, ::cuda::std::plus<>, tile_offsets>;
  struct thread_begin
  {
    ::cuda::std::uint16_t a;
    ::cuda::std::uint16_t b;
  };
  static_assert(Shape::items < 65535, "items of a tile are numbered in 16 bits");
  __shared__ typename tile_keys<Shape, Inputs>::storage shared_keys;
  __shared__ typename block_scan::TempStorage shared_scan;
  __shared__ typename look_back::TempStorage shared_look_back;
  __shared__ std::int64_t shared_offset;
  __shared__ union
  {
    thread_begin begins[Shape::threads + 1];
    ::cuda::std::uint16_t codes[Shape::items + 1]; // of survivors: an index in A, or A's count plus an index in B
  } shared;

  const int thread = static_cast<int>(threadIdx.x);
  const int tile = static_cast<int>(blockIdx.x);

  // 1. The tile's part of both inputs lies between two points of the balanced path.
  const tile_begin begin = begins[tile];
  const tile_begin end = begins[tile + 1];
  const Inputs part = inputs.piece(begin.a, begin.b, end.a, end.b, Shape::items + 1);
  const int a_count = static_cast<int>(part.a_count);
  const int b_count = static_cast<int>(part.b_count);

  // 2. Load its keys.
  const tile_keys<Shape, Inputs> keys(part, shared_keys);

  // 3. Each thread's part of the tile begins on the balanced path too. Every search is within the tile.
  const int diagonal = min(thread * Shape::items_per_thread, a_count + b_count);
  const auto point = mgpu::balanced_path(keys.a, a_count, keys.b, b_count, diagonal, comp);
  shared.begins[thread] = {
    static_cast<::cuda::std::uint16_t>(point.a_index), static_cast<::cuda::std::uint16_t>(point.b_index)};
  if (thread == 0)
  {
    shared.begins[Shape::threads] = {
      static_cast<::cuda::std::uint16_t>(a_count), static_cast<::cuda::std::uint16_t>(b_count)};
  }
  __syncthreads();
  const thread_begin next = shared.begins[thread + 1];

  // 4. Run the thread's steps, and note what each took.
  const thread_steps steps = detail::run_thread_steps<Shape::items_per_thread>(
    keys.a, point.a_index, next.a, a_count, keys.b, point.b_index, next.b, b_count, comp);
  const ::cuda::std::uint32_t kept = steps.kept(Operation{});

  // 5. Where the thread's survivors go among the tile's.
  int position;
  int survivors;
  block_scan(shared_scan).ExclusiveSum(__popc(kept), position, survivors);

  if constexpr (std::is_same_v<Outputs, no_outputs>)
  {
    if (thread == 0)
    {
      atomicAdd(reinterpret_cast<unsigned long long*>(count), static_cast<unsigned long long>(survivors));
    }
  }
  else
  {
    // 6. Where the tile's survivors go: the first warp looks back at the tiles before, while the others go on.
    if (thread < 32)
    {
      std::int64_t offset = 0;
      if (tile == 0)
      {
        if (thread == 0)
        {
          offsets.SetInclusive(0, survivors);
        }
      }
      else
      {
        offset = look_back(offsets, shared_look_back, ::cuda::std::plus<>{}, tile)(survivors);
      }
      if (thread == 0)
      {
        shared_offset = offset;
        if (tile == tiles - 1)
        {
          *count = offset + survivors;
        }
      }
    }

    // 7. Compact the survivors, by number.
    int a = point.a_index;
    int b = point.b_index;
#pragma unroll
    for (int step = 0; step < Shape::items_per_thread; ++step)
    {
      const bool took_a = steps.took_a >> step & 1;
      const bool took_b = steps.took_b >> step & 1;
      if (kept >> step & 1)
      {
        shared.codes[position++] = static_cast<::cuda::std::uint16_t>(took_a ? a : a_count + b);
      }
      a += took_a;
      b += took_b;
    }
    __syncthreads();

    // 8. Write them, neighbours by neighbouring threads, and fetch the values of survivors alone.
    const auto keys_out = outputs.keys + shared_offset;
    const auto values_out = outputs.values + shared_offset;
    for (int i = thread; i < survivors; i += Shape::threads)
    {
      const int code = shared.codes[i];
      if (!Operation::keeps_unmatched_b || code < a_count)
      {
        *(keys_out + i) = detail::element(keys.a, code);
        if constexpr (has_values<decltype(outputs.values)>)
        {
          *(values_out + i) = detail::element(part.a_values, code);
        }
      }
      else if constexpr (Operation::keeps_unmatched_b)
      {
        *(keys_out + i) = detail::element(keys.b, code - a_count);
        if constexpr (has_values<decltype(outputs.values)>)
        {
          *(values_out + i) = detail::element(part.b_values, code - a_count);
        }
      }
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

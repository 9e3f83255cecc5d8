// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of the set operations: one partitions, one does the work in a single pass.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/block/block_set_operation.cuh>
#include <mgpu_thrust/block/tile_loader.cuh>
#include <mgpu_thrust/block/warp_merge_path.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/set_operation_tuning.cuh>
#include <mgpu_thrust/device/tile_offsets.cuh>
#include <mgpu_thrust/thread/set_operation.h>

#include <cub/block/block_reduce.cuh>

#include <cuda/std/cstdint>

#include <iterator>
#include <type_traits>

#include <nv/target>

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

/// The outputs of a set operation that is only counted.
struct no_outputs
{
  no_values values;
};

/// Threads of a block of the partition kernel, and tiles that it partitions: a tile a thread, or, if there are few
/// tiles, a tile a warp.
inline constexpr int partition_threads = 128;
inline int partition_block_tiles(int tiles)
{
  return tiles <= 1024 ? partition_threads / 32 : partition_threads;
}

/// Finds where tiles begin and where the last ends, `block_tiles` a block; also clears the offsets.
template <int TileItems, class Operation, class Inputs, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(partition_threads) set_operation_partition_kernel(
  Inputs inputs, Compare comp, int tiles, int block_tiles, tile_begin* begins, tile_offsets offsets)
{
  __shared__ std::int64_t shared_splits[partition_threads / 32];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int first_tile = static_cast<int>(blockIdx.x) * block_tiles;
  const bool is_warps = block_tiles == partition_threads / 32;
  const auto diagonal_of = [&](std::int64_t tile)
  { return tile < tiles ? tile * TileItems : inputs.a_count + inputs.b_count; };

  // 1. Each warp finds the merge path's point where its own tile begins; or, with a tile a thread, the first two find
  //    where the block's tiles begin and end.
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

  // 2. Each thread finds its tile's between those two, most likely near the straight line between them.
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

  // 3. From there to the balanced path. In ranges that are not sorted the point may be anywhere; it is made a possible
  //    one.
  a_index = max(min(a_index, min(diagonal, inputs.a_count)), diagonal - min(diagonal, inputs.b_count));
  const auto point =
    detail::operation_path_from(Operation{}, inputs.a, a_index, inputs.b, inputs.b_count, diagonal - a_index, comp);
  begins[tile] = {point.a_index, point.b_index};
  if (Operation::matches && tile < tiles)
  {
    offsets.clear(tile);
  }
}

/// What the work kernel does for given types, decided once.
template <class Shape, class Operation, class Inputs, class Outputs>
struct set_operation_plan
{
  using a_key = a_key_t<Inputs>;
  using b_key = b_key_t<Inputs>;
  static constexpr bool writes = !std::is_same_v<Outputs, no_outputs>;
  static constexpr bool writes_values = has_values<decltype(Outputs::values)>;

  /// Whether keys are staged in shared memory, or compared where they are.
  static constexpr int largest_key = largest_key_bytes<Inputs>;
  static constexpr bool stages_keys = largest_key <= largest_staged_key;

  /// Whether threads hold the keys of survivors in registers, and compact these; else their numbers in the tile.
  static constexpr bool keeps_one_type = std::is_same_v<a_key, b_key> || !Operation::keeps_unmatched_b;
  static constexpr bool is_register =
    sizeof(a_key) <= 4 && std::is_trivially_copyable_v<a_key> && std::is_trivially_default_constructible_v<a_key>;
  static constexpr bool items_are_keys = stages_keys && writes && !writes_values && keeps_one_type && is_register;

  using block_operation = BlockSetOperation<
    Operation, Shape::threads, Shape::items_per_thread, std::conditional_t<items_are_keys, a_key, int>, items_are_keys>;
  static constexpr int items = Shape::threads * block_operation::steps; // that threads could keep in all

  /// Shared memory for the keys: A's, then B's, each aligned to a granule and shifted by less than one, one key more of
  /// each for the next tile's first, and room for what threads read past the end if the input is not sorted.
  static constexpr int room = Operation::matches ? 0 : block_operation::steps; // else `items` has some
  static constexpr int granule = load_granule<a_key> > load_granule<b_key> ? load_granule<a_key> : load_granule<b_key>;
  struct key_storage
  {
    alignas(granule) unsigned char bytes[stages_keys ? (items + room + 2) * largest_key + 3 * granule : 16];
  };

  /// Shared memory for the numbers of survivors. Matches are at most half of the tile. Elements of A alone hardly ever
  /// are more; it is better to have room for another tile, and if they are more, they take turns. (With values to fetch
  /// that would take too many registers.)
  static constexpr bool takes_turns = Operation::keeps_unmatched_a && !Operation::keeps_unmatched_b && !writes_values;
  static constexpr bool is_half = takes_turns || !Operation::keeps_unmatched_a;
  static constexpr int numbers = !writes || items_are_keys ? 1 : is_half ? (items + 1) / 2 : items;
  static_assert(
    !is_half || takes_turns || block_operation::steps % 2 == 0, "else the matches of threads could be more than half");
  struct number_storage
  {
    ::cuda::std::uint16_t numbers[set_operation_plan::numbers];
  };
};

/// Writes the elements that numbers stand for, i for element i of the tile's A and a_count + j for element j of its B,
/// and fetches the values of these alone, several at a time, as it is the way to memory that takes the time.
template <int Threads, class Operation, class Tile, class Inputs, class Keys, class Values>
MGPU_THRUST_DEVICE void write_numbered(
  const ::cuda::std::uint16_t* numbers, int count, const Tile& keys, const Inputs& part, Keys keys_out,
  Values values_out)
{
  const int thread = static_cast<int>(threadIdx.x);
  const auto from_a = [&](int number) { return !Operation::keeps_unmatched_b || number < keys.a_count; };
  const auto write_key = [&](int i, int number)
  {
    if (from_a(number))
    {
      *(keys_out + i) = detail::staged_value(detail::element(keys.a, number));
    }
    else if constexpr (Operation::keeps_unmatched_b)
    {
      *(keys_out + i) = detail::staged_value(detail::element(keys.b, number - keys.a_count));
    }
  };
  if constexpr (!has_values<Values>)
  {
#pragma unroll 4
    for (int i = thread; i < count; i += Threads)
    {
      write_key(i, numbers[i]);
    }
  }
  else
  {
    using value = typename std::iterator_traits<decltype(Inputs::a_values)>::value_type;
    constexpr bool same_iterators = std::is_same_v<decltype(Inputs::a_values), decltype(Inputs::b_values)>;
    constexpr bool in_registers =
      is_small_v<
        value> && std::is_trivially_default_constructible_v<value> && (!Operation::keeps_unmatched_b || same_iterators);
    if constexpr (in_registers)
    {
      constexpr int batch = 4;
      for (int first = thread; first < count; first += batch * Threads)
      {
        value values[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k)
        {
          const int i = first + k * Threads;
          if (i < count)
          {
            const int number = numbers[i];
            if (from_a(number))
            {
              values[k] = detail::element(part.a_values, number);
            }
            else if constexpr (Operation::keeps_unmatched_b)
            {
              values[k] = detail::element(part.b_values, number - keys.a_count);
            }
          }
        }
#pragma unroll
        for (int k = 0; k < batch; ++k)
        {
          const int i = first + k * Threads;
          if (i < count)
          {
            write_key(i, numbers[i]);
            *(values_out + i) = values[k];
          }
        }
      }
    }
    else
    {
      for (int i = thread; i < count; i += Threads)
      {
        const int number = numbers[i];
        write_key(i, number);
        if (from_a(number))
        {
          *(values_out + i) = detail::element(part.a_values, number);
        }
        else if constexpr (Operation::keeps_unmatched_b)
        {
          *(values_out + i) = detail::element(part.b_values, number - keys.a_count);
        }
      }
    }
  }
}

/// Runs a set operation on a tile a block. If Outputs is no_outputs it counts matches only, being an intersection, and
/// *count is what follows from them by `size`.
template <class Shape, class Operation, class Inputs, class Outputs, class Compare, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) set_operation_kernel(
  Inputs inputs, Outputs outputs, Compare comp, int tiles, const tile_begin* begins, tile_offsets offsets,
  size_by_matches size, Count* count)
{
  using plan = set_operation_plan<Shape, Operation, Inputs, Outputs>;
  using loader = tile_loader<Shape::threads>;
  using block_operation = typename plan::block_operation;
  __shared__ typename plan::key_storage shared_keys;
  __shared__ typename plan::number_storage shared_numbers;
  __shared__ typename loader::storage shared_loader;
  __shared__ typename block_operation::TempStorage shared_operation;
  __shared__ std::int64_t shared_offset;
  const int thread = static_cast<int>(threadIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now

  // 1. Where that depends on what matches, the first block tells the others where their output goes, and at last how
  //    large it is in all.
  if (Operation::matches && blockIdx.x == 0)
  {
    std::int64_t sum = 0;
    if constexpr (!plan::writes)
    {
      using block_reduce = cub::BlockReduce<std::int64_t, Shape::threads>;
      __shared__ typename block_reduce::TempStorage shared_reduce;
      sum = size.base + size.per_match * block_reduce(shared_reduce).Sum(offsets.template sum_share<Shape::threads>());
    }
    else if (thread < 32)
    {
      sum = offsets.serve();
    }
    if (thread == 0)
    {
      *count = static_cast<Count>(sum);
    }
    return;
  }
  const int tile = static_cast<int>(blockIdx.x) - Operation::matches;

  // 2. A tile's part of both inputs lies between two points of the balanced path.
  const auto part_between = [&](const tile_begin& begin, const tile_begin& end)
  { return inputs.piece(begin.a, begin.b, end.a, end.b, Shape::items + 1); };
  const tile_begin begin = begins[tile];
  const Inputs part = part_between(begin, begins[tile + 1]);
  const int a_count = static_cast<int>(part.a_count);
  const int b_count = static_cast<int>(part.b_count);

  // 3. Load its keys, and one more of each input if there is one. Meanwhile ask for those of a tile that comes later.
  const auto keys = [&]
  {
    if constexpr (plan::stages_keys)
    {
      const bool a_continues = begin.a + a_count < inputs.a_count;
      const bool b_continues = begin.b + b_count < inputs.b_count;
      unsigned char* const bytes = shared_keys.bytes;
      loader load(shared_loader, 2);
      const auto* const a = load.template load<typename plan::a_key>(part.a, a_count + a_continues, bytes);
      const auto a_bytes = static_cast<int>(reinterpret_cast<const unsigned char*>(a + a_count + a_continues) - bytes);
      const auto* const b = load.template load<typename plan::b_key>(
        part.b, b_count + b_continues, bytes + (a_bytes + plan::granule - 1) / plan::granule * plan::granule);
      if (thread == Shape::threads - 1 && tile + prefetch_distance < tiles)
      {
        const Inputs later = part_between(begins[tile + prefetch_distance], begins[tile + prefetch_distance + 1]);
        loader::template prefetch<typename plan::a_key>(later.a, static_cast<int>(later.a_count));
        loader::template prefetch<typename plan::b_key>(later.b, static_cast<int>(later.b_count));
      }
      load.wait();
      return SetTile{a, a_count, b, b_count, a_continues, b_continues};
    }
    else
    {
      return SetTile{part.a, a_count, part.b, b_count};
    }
  }();

  // 4. Find the survivors.
  typename block_operation::Items items;
  block_operation(shared_operation).Run(keys, compare_staged<Compare>{comp}, items);

  // 5. Say how many there are.
  if (Operation::matches && thread == 0)
  {
    offsets.post(tile, items.total);
  }

  // 6. Compact them while the offset is on its way, and write them, neighbours by neighbouring threads.
  const auto wait_for_offset = [&]
  {
    if (thread == 0)
    {
      shared_offset = Operation::matches ? offsets.wait(tile) : begin.a + begin.b;
    }
    __syncthreads();
  };
  if constexpr (plan::items_are_keys)
  {
    auto* const survivors = reinterpret_cast<typename plan::a_key*>(shared_keys.bytes);
    items.Store(survivors);
    wait_for_offset();
    const auto keys_out = outputs.keys + shared_offset;
#pragma unroll 4
    for (int i = thread; i < items.total; i += Shape::threads)
    {
      *(keys_out + i) = survivors[i];
    }
  }
  else if constexpr (plan::writes)
  {
    const auto write = [&](int first, int count)
    {
      detail::write_numbered<Shape::threads, Operation>(
        shared_numbers.numbers, count, keys, part, outputs.keys + shared_offset + first,
        outputs.values + shared_offset + first);
    };
    if (items.total <= plan::numbers)
    {
      items.Store(shared_numbers.numbers);
      wait_for_offset();
      write(0, items.total);
    }
    else if constexpr (plan::takes_turns)
    {
      wait_for_offset();
      for (int first = 0; first < items.total; first += plan::numbers)
      {
        items.Store(shared_numbers.numbers, first, plan::numbers);
        __syncthreads();
        write(first, min(items.total - first, plan::numbers));
        __syncthreads();
      }
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop

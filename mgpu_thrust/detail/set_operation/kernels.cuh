// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of the set operations and merges, which works in a single pass over tiles.

#include <mgpu_thrust/block/block_set_operation.cuh>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/set_operation/bisection_step.cuh>
#include <mgpu_thrust/detail/set_operation/choice.h>
#include <mgpu_thrust/detail/set_operation/combined_values.h>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/thread_set_operation.cuh>
#include <mgpu_thrust/detail/set_operation/tuning.h>
#include <mgpu_thrust/detail/tile/bisection_kernel.cuh>
#include <mgpu_thrust/detail/tile/prefetch.cuh>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>
#include <mgpu_thrust/detail/tile/tile_stage.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/iterator>

#include <algorithm>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The decisions of set_operation_kernel by types.
template <class Shape, class Operation, class Inputs, class Outputs>
struct set_operation_plan
{
  using a_key = a_key_t<Inputs>;
  using b_key = b_key_t<Inputs>;
  static constexpr bool writes = !std::is_same_v<Outputs, no_outputs>;
  static constexpr bool writes_values = has_values<decltype(Outputs::values)>;
  static constexpr bool combines = combines_values<decltype(Outputs::values)>;

  /// Whether threads hold the keys of survivors in registers and compact the keys; otherwise they compact the
  /// survivors' indices in the tile.
  static constexpr bool keeps_one_type = std::is_same_v<a_key, b_key> || !Operation::keeps_unmatched_b;
  static constexpr bool is_register =
    sizeof(a_key) <= (Operation::matches ? 4 : 8)
    && std::is_trivially_copyable_v<a_key> && std::is_trivially_default_constructible_v<a_key>;
  static constexpr bool items_are_keys =
    stages_keys<Inputs> && writes && !writes_values && keeps_one_type && is_register;

  using number_item = std::conditional_t<combines, matched_number, int>;
  using block_operation = BlockSetOperation<
    Operation, Shape::threads, Shape::items_per_thread, std::conditional_t<items_are_keys, a_key, number_item>,
    items_are_keys>;

  /// Shared memory for the keys: of the tile, one of a starred cut, one more of each input, and what threads read past
  /// the end of unsorted input. If keys are compacted there, it has room for all that threads could keep of such input.
  /// (Kernels that only count reserve as much: twelve blocks of 8-byte keys on a multiprocessor of an H200 were 7 %
  /// slower than eleven.)
  static constexpr int steps = block_operation::steps;
  static constexpr int read_keys = Shape::items + 3 + steps;
  static constexpr int kept_keys = items_are_keys || !writes ? Shape::threads * steps + 2 : 0;
  static constexpr bool spares_first_warp = Operation::keeps_unmatched_a || Operation::keeps_unmatched_b;
  using stage = tile_stage<Shape::threads, (read_keys > kept_keys ? read_keys : kept_keys), Inputs, spares_first_warp>;

  /// Shared memory for the survivors' numbers in the tile, and, if values are combined, those of their matches. Matches
  /// are at most half of the tile. Survivors of A alone rarely are more: then they are written in turns, as room for
  /// another resident tile is worth more. (With values to fetch that would take too many registers.) Unsorted input may
  /// have more; then nothing is written.
  static constexpr bool takes_turns = Operation::keeps_unmatched_a && !Operation::keeps_unmatched_b && !writes_values;
  static constexpr bool is_half = takes_turns || !Operation::keeps_unmatched_a;
  static constexpr int half = (Shape::threads * steps + 1) / 2;
  static constexpr int numbers = !writes || items_are_keys ? 1 : is_half ? half : Shape::items + 1;
  static_assert(!is_half || takes_turns || steps % 2 == 0, "else the matches of threads could be more than half");
  struct number_storage
  {
    std::conditional_t<combines, matched_number, ::cuda::std::uint16_t> numbers[set_operation_plan::numbers];
  };

  /// The co-resident blocks of a multiprocessor: as many as the shape is for, if their shared memory fits.
  static constexpr int shared_bytes =
    sizeof(typename stage::storage) + sizeof(number_storage) + sizeof(typename block_operation::TempStorage);
  static constexpr int sure_blocks = (std::min)(Shape::sure_blocks, detail::blocks_by_shared_memory(shared_bytes));
};

/// The number of an element, without that of its match.
MGPU_THRUST_DEVICE int number_alone(::cuda::std::uint16_t number)
{
  return number;
}
MGPU_THRUST_DEVICE int number_alone(matched_number number)
{
  return number.number();
}

/// Writes the elements of the tile with these `numbers`: i for element i of A, a_count + j for element j of B. Fetches
/// the values of these elements alone, and of their matches if values are combined, several in flight. All threads call
/// it; it calls offset_of_tile() once, which may wait, when the first values are in flight.
template <int Threads, class Operation, class Number, class Tile, class Inputs, class Outputs, class Offset>
MGPU_THRUST_DEVICE void write_numbered(
  const Number* numbers, int count, const Tile& keys, const Inputs& part, const Outputs& outputs, Offset offset_of_tile)
{
  const int thread = static_cast<int>(threadIdx.x);
  // In unsorted input, indices may be past the end of the tile, and are clamped, as there may be no such element in
  // memory. The element after the last of A exists if an index is that large.
  const int last = Operation::keeps_unmatched_b ? keys.a_count + keys.b_count - 1 : keys.a_count;
  const auto number_of = [&](int i) { return (min) (detail::number_alone(numbers[i]), last); };
  const auto from_a = [&](int number) { return !Operation::keeps_unmatched_b || number < keys.a_count; };
  const auto write_key = [&](auto to, int number)
  {
    if (from_a(number))
    {
      *to = detail::staged_value(detail::element(keys.a, number));
    }
    else if constexpr (Operation::keeps_unmatched_b)
    {
      *to = detail::staged_value(detail::element(keys.b, number - keys.a_count));
    }
  };
  if constexpr (!has_values<decltype(Outputs::values)>)
  {
    const auto keys_out = outputs.keys + offset_of_tile();
#pragma unroll 4
    for (int i = thread; i < count; i += Threads)
    {
      write_key(keys_out + i, number_of(i));
    }
  }
  else
  {
    using value = typename ::cuda::std::iterator_traits<decltype(Inputs::a_values)>::value_type;
    constexpr bool same_iterators = std::is_same_v<decltype(Inputs::a_values), decltype(Inputs::b_values)>;
    constexpr bool combines = combines_values<decltype(Outputs::values)>;
    constexpr bool combines_all = combines && !Operation::keeps_unmatched_a;
    using match_value = typename ::cuda::std::iterator_traits<
      std::conditional_t<combines, decltype(Inputs::b_values), decltype(Inputs::a_values)>>::value_type;
    constexpr bool in_registers =
      is_batchable_v<value> && is_batchable_v<match_value> && (!Operation::keeps_unmatched_b || same_iterators);
    // The index in B that the element with numbers[i], which is `number`, matches if values are combined, or -1. In
    // unsorted input it may be that of the element after the last of B, which exists then.
    [[maybe_unused]] const auto match_of = [&]([[maybe_unused]] int i, [[maybe_unused]] int number)
    {
      if constexpr (combines)
      {
        const int match = numbers[i].match();
        return combines_all || (match != 0 && from_a(number)) ? (min) (match - keys.a_count, keys.b_count) : -1;
      }
      else
      {
        return -1;
      }
    };
    if constexpr (in_registers)
    {
      // Unions and merges keep too many elements for early fetches: by key they would be 15 % slower.
      constexpr bool fetches_early = !Operation::keeps_unmatched_b;
      constexpr int batch = 4;
      value values[batch];
      [[maybe_unused]] match_value match_values[batch];
      const auto load = [&](int first)
      {
#pragma unroll
        for (int k = 0; k < batch; ++k)
        {
          const int i = first + k * Threads;
          if (i < count)
          {
            const int number = number_of(i);
            if (from_a(number))
            {
              values[k] = detail::element(part.a_values, number);
            }
            else if constexpr (Operation::keeps_unmatched_b)
            {
              values[k] = detail::element(part.b_values, number - keys.a_count);
            }
            if constexpr (combines)
            {
              if (const int match = match_of(i, number); match >= 0)
              {
                match_values[k] = detail::element(part.b_values, match);
              }
            }
          }
        }
      };
      if constexpr (fetches_early)
      {
        load(thread);
      }
      const auto offset = offset_of_tile();
      const auto keys_out = outputs.keys + offset;
      const auto values_out = detail::values_output(outputs.values) + offset;
      const auto store = [&](int first)
      {
#pragma unroll
        for (int k = 0; k < batch; ++k)
        {
          const int i = first + k * Threads;
          if (i < count)
          {
            const int number = number_of(i);
            write_key(keys_out + i, number);
            if constexpr (combines)
            {
              if (match_of(i, number) >= 0)
              {
                outputs.values.write(values_out + i, values[k], match_values[k]);
                continue;
              }
            }
            if constexpr (!combines_all)
            {
              *(values_out + i) = values[k];
            }
          }
        }
      };
      int first = thread;
      if constexpr (fetches_early)
      {
        store(first);
        first += batch * Threads;
      }
      for (; first < count; first += batch * Threads)
      {
        load(first);
        store(first);
      }
    }
    else
    {
      const auto offset = offset_of_tile();
      const auto keys_out = outputs.keys + offset;
      const auto values_out = detail::values_output(outputs.values) + offset;
      for (int i = thread; i < count; i += Threads)
      {
        const int number = number_of(i);
        write_key(keys_out + i, number);
        if constexpr (combines)
        {
          if (const int match = match_of(i, number); match >= 0)
          {
            outputs.values.write(
              values_out + i, detail::element(part.a_values, number), detail::element(part.b_values, match));
            continue;
          }
        }
        if constexpr (!combines_all)
        {
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
}

/// The Tiling (path_cut.cuh) of a set operation.
template <int Threads, class Operation>
using set_operation_tiling =
  std::conditional_t<may_bisect_for<Operation>, unless_bisected<Threads, set_bisection<Operation, 0>>, always_tiled>;

/// Executes a set operation on one tile per block. If Outputs is no_outputs, the operation is an intersection that only
/// counts matches, and `size` computes *count from their number. If `begins` is null, the blocks cut their tiles.
/// `tiles` is the number of tiles, or 0 for no prefetches. If the sizes of the inputs are deferred, it is for the
/// capacities, and surplus blocks return. If the actual sizes are for bisection, a thread bisects for a needle.
template <
  class Shape, class Operation, class Inputs, class Outputs, class Compare, class Size, class Count, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) set_operation_kernel(
  Inputs given, Outputs outputs, Compare comp, int tiles, const tile_begin* begins, Offsets offsets, Size size,
  Count* count)
{
  using inputs_type = sized_t<Inputs>;
  using plan = set_operation_plan<Shape, Operation, inputs_type, Outputs>;
  using block_operation = typename plan::block_operation;
  __shared__ typename plan::stage::storage shared_keys;
  __shared__ typename plan::number_storage shared_numbers;
  __shared__ typename block_operation::TempStorage shared_operation;
  __shared__ std::int64_t shared_offset;
  static_assert(
    sizeof(shared_keys) + sizeof(shared_numbers) + sizeof(shared_operation) + sizeof(shared_offset)
      + 2 * max_shared_bytes_of_function
    <= max_static_shared_bytes); // of the functions that serve offsets and that bisect
  const int thread = static_cast<int>(threadIdx.x);
  constexpr bool are_coresident = std::is_same_v<Offsets, coresident_offsets>;

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the cuts, and the header, are complete now

  // 1. If offsets are served, the first block computes the offsets of the others, and stores the total size. Tiles of
  //    unsorted inputs may keep more in total than the output has room for; the last ones are then written over one
  //    another.
  [[maybe_unused]] const auto store_count = [&](std::int64_t sum, const inputs_type& inputs)
  {
    sum = (min) (sum, detail::max_kept(Operation{}, inputs));
    const size_by_matches size_now = size.of(inputs);
    *count = static_cast<Count>(plan::writes ? sum : size_now.base + size_now.per_match * sum);
  };
  if constexpr (Offsets::are_served)
  {
    if (blockIdx.x == 0)
    {
      const inputs_type& inputs = detail::sized(given);
      if constexpr (is_deferred_v<Inputs>)
      {
        offsets =
          offsets.first(detail::blocks_to_work<Shape::items, set_operation_tiling<Shape::threads, Operation>>(inputs));
      }
      const std::int64_t sum = offsets.template serve_grid<Shape::threads, plan::writes>();
      if (thread == 0)
      {
        store_count(sum, inputs);
      }
      return;
    }
  }
  const int tile =
    are_coresident ? detail::coresident_number<Inputs>() : static_cast<int>(blockIdx.x) - Offsets::are_served;
  tile_begin early_ends[2];
  detail::read_ends_early<Inputs>(early_ends, begins, tile);
  const inputs_type& inputs = detail::sized(given);
  [[maybe_unused]] const std::int64_t room = detail::max_kept(Operation{}, inputs);
  if constexpr (is_deferred_v<Inputs>)
  {
    if (!Operation::matches && !are_coresident && tile == 0 && thread == 0 && count != nullptr)
    {
      store_count(room, inputs);
    }
    bool is_bisected = false;
    if constexpr (may_bisect_for<Operation>)
    {
      static_assert(Shape::items < sparse_needles_ratio * Shape::threads);
      using tiling = set_operation_tiling<Shape::threads, Operation>;
      is_bisected = !tiling::has_tiles(inputs);
      // Without needles the co-resident block of tile 0 stores the count all the same.
      if (is_bisected && (tile < tiling::blocks_without_tiles(inputs) || (are_coresident && tile == 0)))
      {
        const set_bisection_step<Operation, set_bisection<Operation, 0>, Outputs, Size> step{outputs, size};
        detail::keep_by_bisection<Shape::threads>(inputs, step, comp, tile, offsets, count);
        return;
      }
    }
    if (is_bisected || (!detail::has_tile<Shape::items>(given, inputs, tile) && (!are_coresident || tile > 0)))
    {
      if constexpr (are_coresident)
      {
        offsets.arrive();
      }
      return;
    }
  }

  // 2. A tile's part of both inputs lies between two points of the path.
  const tile_begin* ends = is_deferred_v<Inputs> ? early_ends : begins + tile;
  if constexpr (!Offsets::are_served)
  {
    __shared__ tile_begin shared_ends[2];
    ends = detail::ends_of_tile<Inputs, Shape::items, Operation>(begins, early_ends, shared_ends, inputs, comp, tile);
  }
  const tile_begin begin = ends[0];
  const inputs_type part = detail::tile_part<Shape::items, Operation::matches>(inputs, ends, 0);

  // 3. Load its keys, and one more of each input if there is one. Meanwhile prefetch the keys of a later tile.
  const auto keys = plan::stage::load(
    shared_keys, part, begin.a + part.a_count < inputs.a_count, begin.b + part.b_count < inputs.b_count,
    prefetch_later_tile<Shape, Inputs, inputs_type>{given, inputs, begins, tile, tiles});

  // 4. Find the survivors.
  typename block_operation::Items items;
  block_operation(shared_operation).Run(keys, compare_staged<Compare>{comp}, items);

  // 5. Post their number. All co-resident blocks have read the sizes before they arrive, so the count may be stored
  //    where a size was.
  int kept = items.total;
  if constexpr (Operation::matches)
  {
    kept = static_cast<int>((min) (std::int64_t{kept}, room));
    if (thread == 0)
    {
      offsets.post(tile, kept);
    }
  }
  [[maybe_unused]] coresident_offsets::arrival arrival{};
  if constexpr (are_coresident)
  {
    arrival = offsets.arrive();
  }

  // 6. Compact them while the offset is not yet known, and write them; neighbouring threads write neighbouring
  //    survivors.
  const auto wait_for_offset = [&]
  {
    if constexpr (are_coresident)
    {
      offsets.wait_for_all(arrival);
      const std::int64_t offset = Operation::matches ? offsets.offset(tile) : begin.a + begin.b;
      if (thread == 0)
      {
        // The block of the last actual tile stores the count; without tiles, the block of tile 0 does.
        const bool is_last = is_deferred_v<Inputs> ? !detail::has_tile<Shape::items>(given, inputs, tile + 1)
                                                   : blockIdx.x == gridDim.x - 1;
        if (is_last && count != nullptr)
        {
          store_count(offset + kept, inputs);
        }
        shared_offset = (min) (offset, room - kept);
      }
      __syncthreads();
      return shared_offset;
    }
    else if constexpr (Operation::matches)
    {
      if (thread == 0)
      {
        shared_offset = (min) (offsets.wait(tile), room - kept);
      }
      __syncthreads();
      return shared_offset;
    }
    else
    {
      __syncthreads();
      return begin.a + begin.b;
    }
  };
  if constexpr (plan::items_are_keys)
  {
    auto* const survivors = reinterpret_cast<typename plan::a_key*>(shared_keys.bytes);
    items.Store(survivors);
    const auto keys_out = outputs.keys + wait_for_offset();
#pragma unroll 4
    for (int i = thread; i < kept; i += Shape::threads)
    {
      *(keys_out + i) = survivors[i];
    }
  }
  else if constexpr (plan::writes)
  {
    const auto write = [&](int count, auto offset_of_tile)
    {
      detail::write_numbered<Shape::threads, Operation>(
        shared_numbers.numbers, count, keys, part, outputs, offset_of_tile);
    };
    if (items.total <= plan::numbers)
    {
      items.Store(shared_numbers.numbers);
      if constexpr (has_values<decltype(Outputs::values)>)
      {
        __syncthreads(); // values can be fetched before the offset is known
      }
      write(kept, wait_for_offset);
    }
    else if constexpr (plan::takes_turns)
    {
      const std::int64_t offset = wait_for_offset();
      for (int first = 0; first < kept; first += plan::numbers)
      {
        items.Store(shared_numbers.numbers, first, plan::numbers);
        __syncthreads();
        write((min) (kept - first, plan::numbers), [&] { return offset + first; });
        __syncthreads();
      }
    }
    else if constexpr (are_coresident)
    {
      wait_for_offset(); // the others wait for this block
    }
  }
  else if constexpr (are_coresident)
  {
    wait_for_offset();
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What the tiles of a set operation decide by types: how they hold survivors, and how much shared memory they take.

#include <mgpu_thrust/block/block_set_operation.cuh>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/combined_values.h>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/thread_set_operation.cuh>
#include <mgpu_thrust/detail/tile/load/tile_stage.cuh>

#include <cuda/std/cstdint>

#include <algorithm>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What the tiles of a set operation decide by types.
template <class Shape, class Operation, class Inputs, class Outputs>
struct set_operation_tile_types
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
    std::conditional_t<combines, matched_number, ::cuda::std::uint16_t> numbers[set_operation_tile_types::numbers];
  };

  /// The co-resident blocks of a multiprocessor: as many as the shape is for, if their shared memory fits.
  static constexpr int shared_bytes =
    sizeof(typename stage::storage) + sizeof(number_storage) + sizeof(typename block_operation::TempStorage);
  static constexpr int sure_blocks = (std::min)(Shape::sure_blocks, detail::blocks_by_shared_memory(shared_bytes));
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

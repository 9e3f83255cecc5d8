// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A set operation or a merge on one tile, by a block.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/survivors_writer.cuh>
#include <mgpu_thrust/detail/set_operation/tile_types.cuh>

#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The phases of a block's tile, in this order: the constructor loads the keys, keep() finds the survivors, write()
/// writes them. All threads call them.
template <class Shape, class Operation, class Inputs, class Outputs>
class set_operation_tile
{
  using types = set_operation_tile_types<Shape, Operation, Inputs, Outputs>;
  using stage = typename types::stage;
  using block_operation = typename types::block_operation;
  using keys_type = decltype(stage::load(
    std::declval<typename stage::storage&>(), std::declval<const Inputs&>(), false, false, no_prefetch{}));

public:
  //   phase    load      keep        write
  //   memory   keys      keys,       keys or numbers of survivors
  //                      operation
  struct TempStorage
  {
    typename stage::storage keys;
    typename types::number_storage numbers;
    typename block_operation::TempStorage operation;
  };
  using survivors_type = typename block_operation::Items;
  static constexpr bool writes = types::writes;
  static constexpr bool is_counted = Operation::matches; ///< otherwise all elements are kept

  /// Loads the keys of the tile's `part` of the inputs, and one more of A (of B) if a_continues (b_continues).
  template <class Prefetch>
  MGPU_THRUST_DEVICE
  set_operation_tile(TempStorage& shared, const Inputs& part, bool a_continues, bool b_continues, Prefetch prefetch)
      : shared_(shared)
      , part_(part)
      , keys_(stage::load(shared.keys, part, a_continues, b_continues, prefetch))
  {
  }

  /// Finds the survivors; `total` is their number.
  template <class Compare>
  MGPU_THRUST_DEVICE void keep(Compare comp, survivors_type& survivors) const
  {
    block_operation(shared_.operation).Run(keys_, compare_staged<Compare>{comp}, survivors);
  }

  /// Writes the first `kept` survivors, neighbouring threads neighbouring ones. They are compacted before place(),
  /// which waits for their position in the output, and is called in any case if it IsAwaited by other blocks.
  template <bool IsAwaited, class Place>
  MGPU_THRUST_DEVICE void write(const survivors_type& survivors, int kept, const Outputs& outputs, Place place) const
  {
    if constexpr (types::items_are_keys)
    {
      write_keys(survivors, kept, outputs, place);
    }
    else if constexpr (writes)
    {
      if (survivors.total <= types::numbers)
      {
        survivors.Store(shared_.numbers.numbers);
        if constexpr (has_values<decltype(Outputs::values)>)
        {
          __syncthreads(); // values can be fetched before the position is known
        }
        write_numbered(kept, outputs, place);
      }
      else if constexpr (types::takes_turns)
      {
        write_in_turns(survivors, kept, outputs, place());
      }
      else if constexpr (IsAwaited)
      {
        place();
      }
    }
    else if constexpr (IsAwaited)
    {
      place();
    }
  }

private:
  template <class Place>
  MGPU_THRUST_DEVICE void
  write_keys(const survivors_type& survivors, int kept, const Outputs& outputs, Place place) const
  {
    auto* const keys = reinterpret_cast<typename types::a_key*>(shared_.keys.bytes);
    survivors.Store(keys);
    const auto keys_out = outputs.keys + place();
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < kept; i += Shape::threads)
    {
      *(keys_out + i) = keys[i];
    }
  }
  template <class Place>
  MGPU_THRUST_DEVICE void write_numbered(int count, const Outputs& outputs, Place place) const
  {
    using number = std::remove_extent_t<decltype(shared_.numbers.numbers)>;
    survivors_writer<Shape::threads, Operation, number, keys_type, Inputs, Outputs>(
      shared_.numbers.numbers, count, keys_, part_, outputs)
      .write(place);
  }
  /// Writes survivors that are more than there is room for, in turns.
  MGPU_THRUST_DEVICE void
  write_in_turns(const survivors_type& survivors, int kept, const Outputs& outputs, std::int64_t position) const
  {
    for (int first = 0; first < kept; first += types::numbers)
    {
      survivors.Store(shared_.numbers.numbers, first, types::numbers);
      __syncthreads();
      write_numbered((min) (kept - first, types::numbers), outputs, [&] { return position + first; });
      __syncthreads();
    }
  }

  TempStorage& shared_;
  const Inputs& part_;
  keys_type keys_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

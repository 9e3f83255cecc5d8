// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of the set operations and merges, which works in a single pass over tiles.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/driver/bisection_kernel.cuh>
#include <mgpu_thrust/detail/driver/tile_driver.cuh>
#include <mgpu_thrust/detail/set_operation/bisection_step.cuh>
#include <mgpu_thrust/detail/set_operation/choice.h>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/set_operation_tile.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The Tiling (path_cut.cuh) of a set operation.
template <int Threads, class Operation>
using set_operation_tiling =
  std::conditional_t<may_bisect_for<Operation>, unless_bisected<Threads, set_bisection<Operation, 0>>, always_tiled>;

/// Stores the count of a call whose tiles keep `kept` elements: that many, or the size that `size` computes from the
/// number of matches.
template <class Operation, bool Writes, class Size, class Count>
struct store_set_count
{
  Size size;
  Count* count;

  template <class Inputs>
  MGPU_THRUST_DEVICE void operator()(std::int64_t kept, const Inputs& inputs) const
  {
    kept = (min) (kept, detail::max_kept(Operation{}, inputs));
    const size_by_matches size_now = size.of(inputs);
    *count = static_cast<Count>(Writes ? kept : size_now.base + size_now.per_match * kept);
  }
};

/// Executes a set operation on a tile per block; see tile_driver for the parameters. If Outputs is no_outputs, the
/// operation is an intersection that only counts matches, and `size` computes *count from their number. If deferred
/// sizes are for bisection, a thread bisects for a needle.
template <
  class Shape, class Operation, class Inputs, class Outputs, class Compare, class Size, class Count, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) set_operation_kernel(
  Inputs given, Outputs outputs, Compare comp, int tiles, const tile_begin* begins, Offsets offsets, Size size,
  Count* count)
{
  using tiling = set_operation_tiling<Shape::threads, Operation>;
  using driver_type = tile_driver<Shape, Operation, tiling, Inputs, Offsets>;
  using tile_type = set_operation_tile<Shape, Operation, sized_t<Inputs>, Outputs>;
  __shared__ typename tile_type::TempStorage shared;
  __shared__ typename driver_type::TempStorage shared_driver;
  static_assert(
    sizeof(shared) + sizeof(shared_driver) + 2 * max_shared_bytes_of_function
    <= max_static_shared_bytes); // of the functions that serve offsets and that bisect
  constexpr bool are_coresident = Offsets::are_coresident;
  constexpr bool is_counted = tile_type::is_counted;
  const store_set_count<Operation, tile_type::writes, Size, Count> store{size, count};

  // 1. Take the block's turn. The first block may serve the others.
  if (driver_type::template serves<tile_type::writes>(given, offsets, store))
  {
    return;
  }
  driver_type driver(shared_driver, given, begins, tiles, offsets);
  const auto& inputs = driver.inputs();
  const std::int64_t room = detail::max_kept(Operation{}, inputs);
  if constexpr (is_deferred_v<Inputs> && !is_counted && !are_coresident)
  {
    if (driver.tile() == 0 && threadIdx.x == 0 && count != nullptr)
    {
      store(room, inputs);
    }
  }
  const auto bisect = [&]
  {
    if constexpr (may_bisect_for<Operation>)
    {
      const set_bisection_step<Operation, set_bisection<Operation, 0>, Outputs, Size> step{outputs, size};
      detail::keep_by_bisection<Shape::threads>(inputs, step, comp, driver.tile(), offsets, count);
    }
  };
  if (!driver.take(comp, bisect))
  {
    return;
  }

  // 2. Load the keys, and one more of each input if there is one. Meanwhile prefetch the keys of a later tile.
  const auto part = driver.part();
  tile_type tile(
    shared, part, driver.begin().a + part.a_count < inputs.a_count, driver.begin().b + part.b_count < inputs.b_count,
    driver.prefetch());

  // 3. Find the survivors.
  typename tile_type::survivors_type survivors;
  tile.keep(comp, survivors);

  // 4. Post their number, and write them at their place. Tiles of unsorted inputs may keep more in total than the
  //    output has room for; the last ones are then written over one another.
  const int kept = is_counted ? static_cast<int>((min) (std::int64_t{survivors.total}, room)) : survivors.total;
  driver.template post<is_counted>(kept);
  tile.template write<are_coresident>(
    survivors, kept, outputs,
    [&]
    {
      return driver.template place<is_counted>(
        kept, room,
        [&](std::int64_t sum, const auto& now)
        {
          if (count != nullptr)
          {
            store(sum, now);
          }
        });
    });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

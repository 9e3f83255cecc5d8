// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of intersections and differences of few elements: a thread for each element of A bisects B, which takes less time
/// than to cut tiles and to merge them.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/set_operation/tuning.h>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/tile_offsets.cuh>
#include <mgpu_thrust/detail/tile/warp_list.cuh>
#include <mgpu_thrust/detail/tile/warp_place.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns whether element `i` of A has a match in B: copy number k of a key matches copy number k in B, if there is one.
template <class Inputs, class Compare>
MGPU_THRUST_DEVICE bool has_match(const Inputs& inputs, std::int64_t i, Compare& comp)
{
  auto&& key = detail::element(inputs.a, i);
  const bool is_first = i == 0 || comp(detail::element(inputs.a, i - 1), key);
  const std::int64_t copy = is_first ? 0 : i - detail::lower_bound(inputs.a, std::int64_t{0}, i, key, comp);
  const std::int64_t match = detail::lower_bound(inputs.b, std::int64_t{0}, inputs.b_count, key, comp) + copy;
  return match < inputs.b_count && !comp(key, detail::element(inputs.b, match));
}

/// Executes a set operation that keeps elements of A alone, those that have a match or those that have none; or, if Outputs is
/// no_outputs, counts matches, from whose number `size` computes *count. All blocks execute at once.
template <class Operation, class Inputs, class Outputs, class Compare, class Size, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(set_bisection_shape::threads, set_bisection_shape::blocks_per_multiprocessor)
  set_bisection_kernel(Inputs given, Outputs outputs, Compare comp, coresident_offsets offsets, Size size, Count* count)
{
  constexpr int threads = set_bisection_shape::threads;
  constexpr bool is_written = !std::is_same_v<Outputs, no_outputs>;
  const sized_t<Inputs>& inputs = detail::sized(given);
  const int block = detail::coresident_number<Inputs>();
  const std::int64_t first = std::int64_t{block} * threads;
  if (is_deferred_v<Inputs> && block > 0 && first >= inputs.a_count) // the first one stores the count, even if it is 0
  {
    offsets.arrive();
    return;
  }

  // 1. Each thread bisects for an element.
  const std::int64_t i = first + threadIdx.x;
  const bool is_kept = i < inputs.a_count && detail::has_match(inputs, i, comp) == !Operation::keeps_unmatched_a;

  // 2. Post how many are kept, and wait for the number of those before.
  const std::int64_t most = detail::most_kept(Operation{}, inputs);
  const kept_lanes kept(is_kept);
  const warp_place place = detail::place_of_warp<threads, is_written>(
    kept.count(), block, offsets, most, first + threads >= inputs.a_count,
    [&](std::int64_t sum)
    {
      const size_by_matches size_now = size.of(inputs);
      *count = static_cast<Count>(is_written ? sum : size_now.base + size_now.per_match * sum);
    });

  // 3. Write them.
  if constexpr (is_written)
  {
    if (is_kept && kept.rank() < place.size)
    {
      const std::int64_t to = place.begin + kept.rank();
      *(outputs.keys + to) = detail::element(inputs.a, i);
      if constexpr (has_values<decltype(Outputs::values)>)
      {
        *(outputs.values + to) = detail::element(inputs.a_values, i);
      }
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

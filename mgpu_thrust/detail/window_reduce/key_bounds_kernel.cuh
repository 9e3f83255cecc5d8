// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that finds the bounds of windows by keys.

#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/window_reduce/tuning.h>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Keys that a block searches together, at most.
inline constexpr std::int64_t max_searched_keys = (std::numeric_limits<int>::max)();

/// What a function returns for the key of an index. Each thread has a copy of its own. The iterator of the keys is
/// only copied, as it need not be assignable.
template <class Keys, class Function>
struct bound_of_key
{
  Keys keys;
  mutable Function f;

  MGPU_THRUST_DEVICE auto operator()(std::int64_t i) const
  {
    return f(detail::element(keys, i));
  }
};

/// Stores a bound of each of `count` rows from `first` on, which the function returns for the row's key. Keys ascend,
/// so all bounds are between those of the first and the last row. Has barriers, but none behind the last read of shared
/// memory. All threads of the block call it.
template <class Shape, search_bound Bound, class Keys, class Function, class Compare, class Index>
MGPU_THRUST_DEVICE void find_key_bounds(
  Keys keys, std::int64_t num_keys, std::int64_t first, int count, const Function& function, Compare comp,
  Index* result)
{
  using block_search = BlockSortedSearch<Shape::threads, Shape::items>;
  __shared__ typename block_search::TempStorage shared;
  __shared__ tile_range shared_range;

  // 1. Find the bounds of the first and the last row. They are most likely near the rows themselves.
  using bound_function = bound_of_key<Keys, Function>;
  const bound_function bound_of{keys, function};
  using bound_type = std::decay_t<decltype(bound_of(first))>;
  const thrust::transform_iterator<bound_function, thrust::counting_iterator<std::int64_t>, bound_type, bound_type>
    needles(thrust::counting_iterator<std::int64_t>(first), bound_of);
  const lies_before<Bound, Compare> before{comp};
  const auto is_before = [&](int i)
  {
    return [&keys, before, needle = detail::element(needles, i)](std::int64_t key)
    { return before(detail::element(keys, key), needle); };
  };
  const tile_range range = detail::find_tile_range(
    shared_range,
    [&](bool is_first)
    {
      const int i = is_first ? 0 : count - 1;
      return detail::warp_partition_point_after(
        0, num_keys, static_cast<float>(first + i) / static_cast<float>(num_keys), is_before(i));
    });

  // 2. Find those of all rows between them. There are less than no keys if keys are not sorted.
  const std::int64_t size = (max) (range.last - range.first, std::int64_t{0});
  const auto found = [&](int i, int bound) { result[first + i] = static_cast<Index>(range.first + bound); };
  if (size > max_searched_keys)
  {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += Shape::threads)
    {
      result[first + i] = static_cast<Index>(detail::partition_point(std::int64_t{0}, num_keys, is_before(i)));
    }
  }
  else if constexpr (Bound == search_bound::lower)
  {
    block_search(shared).LowerBounds(needles, count, keys + range.first, static_cast<int>(size), comp, found);
  }
  else
  {
    block_search(shared).UpperBounds(needles, count, keys + range.first, static_cast<int>(size), comp, found);
  }
}

/// Stores the bounds of the rows of a tile per block.
template <class Shape, class Windows, class Index>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  key_bounds_kernel(Windows given, Index* begins, Index* ends)
{
  const auto& in = detail::sized(given);
  const auto& bounds = in.bounds;
  const std::int64_t first = std::int64_t{blockIdx.x} * Shape::items;
  const int count = static_cast<int>((min) (in.num_windows - first, std::int64_t{Shape::items}));
  if (first < in.num_windows)
  {
    detail::find_key_bounds<Shape, search_bound::lower>(
      bounds.keys, in.num_items, first, count, bounds.low, bounds.comp, begins);
    detail::find_key_bounds<Shape, search_bound::upper>(
      bounds.keys, in.num_items, first, count, bounds.high, bounds.comp, ends);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

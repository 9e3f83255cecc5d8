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

#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A function of keys that each thread calls in a copy of its own.
template <class Function>
struct own_function
{
  mutable Function f;

  template <class Key>
  MGPU_THRUST_DEVICE auto operator()(const Key& key) const
  {
    return f(key);
  }
};

/// A tile of rows whose bounds a block finds by keys. Keys ascend, so the bounds of all rows of the tile are between
/// those of the first and the last.
template <class Shape, class Keys, class Compare>
class key_bounds_tile
{
  using block_search = BlockSortedSearch<Shape::threads, Shape::items>;
  static constexpr std::int64_t max_keys = (std::numeric_limits<int>::max)(); // that a block searches together

public:
  struct TempStorage
  {
    typename block_search::TempStorage search;
    tile_range keys; ///< the bounds of the first and the last row
  };

  MGPU_THRUST_DEVICE key_bounds_tile(Keys keys, Compare comp, std::int64_t num_keys, std::int64_t first)
      : keys_(keys)
      , comp_(comp)
      , num_keys_(num_keys)
      , first_(first)
      , count_(static_cast<int>((min) (num_keys - first, std::int64_t{Shape::items})))
  {
  }

  /// Stores one bound of each row to result[row]. Has barriers, but none behind the last read of shared memory.
  template <search_bound Bound, class Function, class Index>
  MGPU_THRUST_DEVICE void find(TempStorage& shared, const Function& function, Index* result)
  {
    using bound_type = std::decay_t<decltype(own_function<Function>{function}(detail::element(keys_, 0)))>;
    const thrust::transform_iterator<own_function<Function>, Keys, bound_type, bound_type> needles(
      keys_ + first_, own_function<Function>{function});
    const tile_range range = find_range<Bound>(shared, needles);
    const std::int64_t size = (max) (range.last - range.first, std::int64_t{0}); // less if keys are not sorted
    if (size > max_keys)
    {
      for (int i = static_cast<int>(threadIdx.x); i < count_; i += Shape::threads)
      {
        const lies_before<Bound, Compare> before{comp_};
        const bound_type needle = detail::element(needles, i);
        result[first_ + i] = static_cast<Index>(detail::partition_point(
          std::int64_t{0}, num_keys_, [&](std::int64_t key) { return before(detail::element(keys_, key), needle); }));
      }
      return;
    }
    block_search search(shared.search);
    const auto found = [&](int i, int bound) { result[first_ + i] = static_cast<Index>(range.first + bound); };
    if constexpr (Bound == search_bound::lower)
    {
      search.LowerBounds(needles, count_, keys_ + range.first, static_cast<int>(size), comp_, found);
    }
    else
    {
      search.UpperBounds(needles, count_, keys_ + range.first, static_cast<int>(size), comp_, found);
    }
  }

private:
  /// Finds the bounds of the first and the last row. They are most likely near the rows themselves.
  template <search_bound Bound, class Needles>
  MGPU_THRUST_DEVICE tile_range find_range(TempStorage& shared, Needles needles)
  {
    return detail::find_tile_range(
      shared.keys,
      [&](bool is_first)
      {
        const lies_before<Bound, Compare> before{comp_};
        const int i = is_first ? 0 : count_ - 1;
        auto&& needle = detail::element(needles, i);
        return detail::warp_partition_point_after(
          0, num_keys_, static_cast<float>(first_ + i) / static_cast<float>(num_keys_),
          [&](std::int64_t key) { return before(detail::element(keys_, key), needle); });
      });
  }

  Keys keys_;
  Compare comp_;
  std::int64_t num_keys_;
  std::int64_t first_;
  int count_;
};

/// Stores the bounds of the rows of a tile per block.
template <class Shape, class Windows, class Index>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  key_bounds_kernel(Windows given, Index* begins, Index* ends)
{
  const auto& in = detail::sized(given);
  using tile_type = key_bounds_tile<Shape, decltype(in.bounds.keys), decltype(in.bounds.comp)>;
  __shared__ typename tile_type::TempStorage shared;
  const std::int64_t first = std::int64_t{blockIdx.x} * Shape::items;
  if (first < in.num_windows)
  {
    tile_type tile(in.bounds.keys, in.bounds.comp, in.num_windows, first);
    tile.template find<search_bound::lower>(shared, in.bounds.low, begins);
    __syncthreads();
    tile.template find<search_bound::upper>(shared, in.bounds.high, ends);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

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
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/load/tile_stage.cuh>
#include <mgpu_thrust/detail/window_reduce/tuning.h>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What a function returns for the key of an index. Each thread has a copy of its own. The iterator of the keys is
/// only copied, as it need not be assignable.
template <class Keys, class Function>
struct bound_of_key
{
  Keys keys;
  mutable Function f;

  MGPU_THRUST_DEVICE auto operator()(int i) const
  {
    return f(detail::element(keys, i));
  }
};

/// The search for one bound of each row of a tile. Rows have numbers in the tile, whose first row is `first`. As keys
/// ascend, all bounds are between those of its first and its last row.
template <search_bound Bound, class Keys, class Function, class Compare>
class key_bound_search
{
  using bound_function = bound_of_key<Keys, Function>;
  using bound_type = std::decay_t<decltype(std::declval<const bound_function&>()(0))>;

public:
  MGPU_THRUST_DEVICE
  key_bound_search(Keys keys, std::int64_t num_keys, std::int64_t first, const Function& function, const Compare& comp)
      : keys_(keys)
      , num_keys_(num_keys)
      , first_(first)
      , bound_of_{keys + first, function}
      , comp_(comp)
  {
  }

  /// Returns the bound of a row to all lanes of a full warp. It is most likely near the row itself.
  MGPU_THRUST_DEVICE std::int64_t find(int row)
  {
    const auto share = static_cast<float>(first_ + row) / static_cast<float>(num_keys_);
    return detail::warp_partition_point_after(0, num_keys_, share, is_before(row));
  }
  /// Stores the bound of a row, which is in [begin, end], by bisection.
  template <class Index>
  MGPU_THRUST_DEVICE void store_one(int row, std::int64_t begin, std::int64_t end, Index* result)
  {
    result[first_ + row] = static_cast<Index>(detail::partition_point(begin, end, is_before(row)));
  }
  /// Stores the bounds of `count` rows by a search of keys that the block has staged, of which the first is `begin`.
  template <class Search, class Staged, class Index>
  MGPU_THRUST_DEVICE void
  store(Search search, int count, Staged staged, int staged_count, std::int64_t begin, Index* result)
  {
    const thrust::transform_iterator<bound_function, thrust::counting_iterator<int>, bound_type, bound_type> needles(
      thrust::counting_iterator<int>(0), bound_of_);
    const auto found = [first = result + first_, begin](int i, int bound)
    { first[i] = static_cast<Index>(begin + bound); };
    const compare_staged<Compare> compare{comp_};
    if constexpr (Bound == search_bound::lower)
    {
      search.LowerBounds(needles, count, staged, staged_count, compare, found);
    }
    else
    {
      search.UpperBounds(needles, count, staged, staged_count, compare, found);
    }
  }

private:
  MGPU_THRUST_DEVICE auto is_before(int row)
  {
    return [this, needle = bound_of_(row)](std::int64_t key)
    { return lies_before<Bound, Compare>{comp_}(detail::element(keys_, key), needle); };
  }

  Keys keys_;
  std::int64_t num_keys_;
  std::int64_t first_;
  bound_function bound_of_;
  Compare comp_;
};

/// Finds the bounds of the first and the last of `count` rows, each by a warp: two begins, then two ends. All threads
/// of the block call it, and see them.
template <int Threads, class Low, class High>
MGPU_THRUST_DEVICE void find_key_ranges(std::int64_t (&found)[4], int count, Low& low, High& high)
{
  for (int i = static_cast<int>(threadIdx.x / 32); i < 4; i += Threads / 32)
  {
    const int row = i % 2 == 0 ? 0 : count - 1;
    found[i] = i < 2 ? low.find(row) : high.find(row);
  }
  __syncthreads();
}

/// Stores the bounds of the rows of a tile per block.
template <class Shape, class Windows, class Index>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  key_bounds_kernel(Windows given, Index* begins, Index* ends)
{
  const auto& in = detail::sized(given);
  const auto keys = in.bounds.keys;
  using keys_type = std::decay_t<decltype(keys)>;
  using compare = decltype(in.bounds.comp);
  using inputs = set_inputs<keys_type, no_values, keys_type, no_values>;
  using stage = tile_stage<Shape::threads, Shape::items, inputs>;
  using block_search = BlockSortedSearch<Shape::threads, key_bounds_rows<Shape>>;
  __shared__ typename stage::storage shared_keys;
  __shared__ typename block_search::TempStorage shared_search;
  __shared__ std::int64_t found[4];
  static_assert(sizeof(shared_keys) + sizeof(shared_search) + max_shared_bytes_of_function <= max_static_shared_bytes);
  const std::int64_t first = std::int64_t{blockIdx.x} * key_bounds_rows<Shape>;
  const auto count = static_cast<int>((min) (in.num_windows - first, std::int64_t{key_bounds_rows<Shape>}));
  if (count <= 0)
  {
    return;
  }

  // 1. Find the bounds of the first and the last row.
  key_bound_search<search_bound::lower, keys_type, decltype(in.bounds.low), compare> low(
    keys, in.num_items, first, in.bounds.low, in.bounds.comp);
  key_bound_search<search_bound::upper, keys_type, decltype(in.bounds.high), compare> high(
    keys, in.num_items, first, in.bounds.high, in.bounds.comp);
  if (threadIdx.x == Shape::threads - 1)
  {
    tile_loader<Shape::threads>::template prefetch<a_key_t<inputs>>(keys + first, count);
  }
  detail::find_key_ranges<Shape::threads>(found, count, low, high);

  // 2. Stage the keys between them, and search these. There are less than no keys if keys are not sorted.
  const std::int64_t low_keys = (max) (found[1] - found[0], std::int64_t{0});
  const std::int64_t high_keys = (max) (found[3] - found[2], std::int64_t{0});
  if (low_keys + high_keys <= Shape::items)
  {
    const inputs part{keys + found[0], no_values{}, low_keys, keys + found[2], no_values{}, high_keys};
    const auto staged = stage::load(shared_keys, part, false, false, no_prefetch{});
    block_search search(shared_search);
    low.store(search, count, staged.a, staged.a_count, found[0], begins);
    high.store(search, count, staged.b, staged.b_count, found[2], ends);
  }
  else
  {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += Shape::threads)
    {
      low.store_one(i, found[0], found[1], begins);
      high.store_one(i, found[2], found[3], ends);
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Reductions of windows whose sizes are deferred: the battery.

#include "support/deferred_battery.h"

#include <mgpu_thrust/window_reduce_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_window_reduce.cuh>
#endif

#include <mgpu_thrust/detail/base/deferred_size.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace
{

using test::ints;
using test::two_ranges;

/// A bound of the window of a row, clipped to the items that there are now.
template <class Size>
struct clipped_bound
{
  Size num_items;
  std::int64_t move;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    const std::int64_t items = mgpu::detail::read_size(mgpu::detail::as_size(num_items));
    const std::int64_t bound = row + move;
    return bound < 0 ? 0 : bound < items ? bound : items;
  }
};
template <class Size>
MGPU_THRUST_HOST_DEVICE auto clipped_bounds(Size num_items, std::int64_t move)
{
  return thrust::make_transform_iterator(
    thrust::counting_iterator<std::int64_t>(0), clipped_bound<Size>{num_items, move});
}

/// The first range has the items; there are as many rows as the second one has elements.
struct deferred_windows : test::ranges_of_copies
{
  static constexpr bool writes = true;
  static constexpr int result_at = 1;

  static std::int64_t most(std::int64_t, std::int64_t rows)
  {
    return rows;
  }
  static ints expected(const ints& items, const ints& rows)
  {
    ints sums;
    for (std::size_t row = 0; row < rows.size(); ++row)
    {
      const auto end = items.begin() + std::min(row + 3, items.size());
      const auto begin = items.begin() + std::min(row < 30 ? 0 : row - 30, items.size());
      sums.push_back(std::accumulate(begin, end, 5));
    }
    return sums;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 items, Size2 rows, Count)
  {
    return mgpu::window_reduce_n(
      policy, ranges.first, items, clipped_bounds(items, -30), rows, clipped_bounds(items, 3), ranges.out,
      std::int32_t{5});
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 items, Size2 rows, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceWindowReduce::Reduce(
      storage, bytes, ranges.first, items, clipped_bounds(items, -30), rows, clipped_bounds(items, 3), ranges.out,
      std::int32_t{5}, ::cuda::std::plus<>{}, stream);
  }
#endif
};

/// A key, moved.
struct moved_key
{
  std::int32_t move;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t key) const
  {
    return key + move;
  }
};

/// The first range has the keys, which are the items too.
struct deferred_windows_by_range : test::ranges_of_copies
{
  static constexpr bool writes = true;
  static constexpr int result_at = 0;

  static std::int64_t most(std::int64_t rows, std::int64_t)
  {
    return rows;
  }
  static ints expected(const ints& keys, const ints&)
  {
    ints sums;
    for (const std::int32_t key : keys)
    {
      const auto begin = std::lower_bound(keys.begin(), keys.end(), key - 20);
      sums.push_back(std::accumulate(begin, std::upper_bound(keys.begin(), keys.end(), key + 7), 5));
    }
    return sums;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto run(const Policy& policy, const two_ranges& ranges, Size1 rows, Size2, Count)
  {
    return mgpu::window_reduce_by_range_n(
      policy, ranges.first, rows, ranges.first, ranges.out, moved_key{-20}, moved_key{7}, std::int32_t{5});
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t
  queue(void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 rows, Size2, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceWindowReduce::ReduceByRange(
      storage, bytes, ranges.first, rows, ranges.first, ranges.out, moved_key{-20}, moved_key{7}, std::int32_t{5},
      ::cuda::std::plus<>{}, ::cuda::std::less<>{}, stream);
  }
#endif
};

using deferred_window_calls = testing::Types<deferred_windows, deferred_windows_by_range>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(WindowReduce, DeferredSizes, deferred_window_calls);
} // namespace test

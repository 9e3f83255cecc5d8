// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Reductions of windows of items, bounds and keys of other types, and of computed ones.

#include "support/functions.h"
#include "support/systems.h"
#include "support/window_battery.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::window_shape;

/// Checks short and long windows of items of a type.
template <class Index, class Item, class T, class Op>
void check_items(const T& init, Op op)
{
  SCOPED_TRACE("values of " + std::to_string(sizeof(T)) + " bytes");
  const auto items = test::items_of<Item>(6000);
  for (const auto& in :
       {test::make_windows(window_shape::power_law, 6000, 300, 0, 1),
        test::make_windows(window_shape::trailing, 6000, 6000, 50, 2)})
  {
    test::check_windows<Index>(in, items, init, op, test::expected_windows(in, items, init, op));
  }
}

/// Returns the later of two numbers that only copies may make.
struct later_copy
{
  MGPU_THRUST_HOST_DEVICE test::only_copied operator()(const test::only_copied& x, const test::only_copied& y) const
  {
    return x.value < y.value ? y : x;
  }
};

TEST(WindowReduce, ItemsOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_items<std::uint64_t, std::int8_t>(std::int64_t{3}, test::add{});
  check_items<std::int16_t, test::affine_maps<31>>(test::affine_maps<31>(77), test::compose{}); // 128 bytes
  check_items<std::uint16_t, test::only_copied>(test::only_copied(-1), later_copy{});
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_items<std::int64_t, double>(-std::numeric_limits<double>::infinity(), test::larger{});
  check_items<unsigned, test::affine_maps<3>>(test::affine_maps<3>(5), test::compose{}); // 16 bytes
#endif
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_items<int, std::int16_t>(std::int16_t{100}, test::smaller{});
  check_items<int, float>(1.0f, test::larger{});
  check_items<int, test::affine_maps<2>>(test::affine_maps<2>(5), test::compose{});   // 12 bytes
  check_items<int, test::affine_maps<7>>(test::affine_maps<7>(5), test::compose{});   // 32 bytes
  check_items<int, test::affine_maps<11>>(test::affine_maps<11>(5), test::compose{}); // 48 bytes
#endif
}

// Computed items, bounds and keys, and an output that computes.
TEST(WindowReduce, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const std::int64_t size = 20000;
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto threes = thrust::make_transform_iterator(numbers, test::times_three{});
      const auto begins = thrust::make_transform_iterator(numbers, test::clipped_to{-2, size});
      const auto ends = thrust::make_transform_iterator(numbers, test::clipped_to{3, size});
      test::memory<policy_t, std::int64_t> out(size);
      mgpu::window_reduce(
        policy, threes, threes + size, begins, begins + size, ends,
        thrust::make_transform_output_iterator(out.begin(), test::negate{}), std::int64_t{0});
      const std::vector<std::int64_t> given = test::to_host(out);
      mgpu::window_reduce_by_range(
        policy, threes, threes + size, numbers, out.begin(), test::key_bound{-6, 1}, test::key_bound{8, 1},
        std::int64_t{0});
      const std::vector<std::int64_t> by_range = test::to_host(out);
      for (std::int64_t i = 2; i < size - 2; ++i)
      {
        ASSERT_EQ(given[i], -15 * i);
        ASSERT_EQ(by_range[i], 5 * i);
      }
      ASSERT_EQ(given[0], -9);
      ASSERT_EQ(by_range[size - 1], 3 * (size - 2));
    });
}

struct greater_than
{
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return y < x;
  }
};

struct moved_time
{
  double move;

  MGPU_THRUST_HOST_DEVICE double operator()(double time) const
  {
    return time + move;
  }
};

// Descending keys, whose bounds are of another type; infinities and extreme integers.
TEST(WindowReduce, OtherKeys)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      constexpr double infinity = std::numeric_limits<double>::infinity();
      const auto ones = thrust::counting_iterator<int>(1);
      const auto falling = test::to_memory<policy_t>(std::vector<std::int16_t>{9, 7, 7, 4, -3});
      test::memory<policy_t, int> out(5);
      mgpu::window_reduce_by_range(
        policy, falling.begin(), falling.end(), ones, out.begin(), test::key_bound{2, 1}, test::key_bound{-3, 1}, 0,
        test::add{}, greater_than{});
      EXPECT_EQ(test::to_host(out), (std::vector<int>{1 + 2 + 3, 1 + 2 + 3 + 4, 1 + 2 + 3 + 4, 4, 5}));
      const auto times = test::to_memory<policy_t>(std::vector<double>{-infinity, -1.0, 0.0, 0.5, infinity});
      mgpu::window_reduce_by_range(
        policy, times.begin(), times.end(), ones, out.begin(), moved_time{-1.0}, moved_time{0.25}, 0);
      EXPECT_EQ(test::to_host(out), (std::vector<int>{1, 2, 2 + 3, 3 + 4, 5}));
      const auto extremes = test::to_memory<policy_t>(std::vector<std::int64_t>{
        std::numeric_limits<std::int64_t>::min(), -1, 0, 1, std::numeric_limits<std::int64_t>::max()});
      mgpu::window_reduce_by_range(
        policy, extremes.begin(), extremes.end(), ones, out.begin(), test::key_bound{-1, 2}, test::key_bound{1, 2}, 0);
      EXPECT_EQ(test::to_host(out), (std::vector<int>{0, 2 + 3 + 4, 2 + 3 + 4, 2 + 3 + 4, 0}));
    });
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Thrust's reductions and scans in namespace mgpu: every function, with every policy and without a policy.

#include "support/functions.h"
#include "support/systems.h"

#include <mgpu_thrust/reduce.h>
#include <mgpu_thrust/scan.h>

#include <thrust/functional.h>
#include <thrust/iterator/discard_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace
{

using numbers = std::vector<std::int64_t>;

TEST(ReduceScan, Reductions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto in = test::to_memory<policy_t>(numbers{3, 1, 4, 1, 5});
      const auto keys = test::to_memory<policy_t>(numbers{7, 7, 2, 2, 2});
      test::memory<policy_t, std::int64_t> out(5, -1);
      EXPECT_EQ(mgpu::reduce(policy, in.begin(), in.end()), 14);
      EXPECT_EQ(mgpu::reduce(in.begin(), in.end(), std::int64_t{1}), 15);
      EXPECT_EQ(
        mgpu::transform_reduce(
          policy, in.begin(), in.end(), test::times_three{}, std::int64_t{0}, thrust::plus<std::int64_t>{}),
        42);
      mgpu::reduce_by_key(policy, keys.begin(), keys.end(), in.begin(), thrust::make_discard_iterator(), out.begin());
      EXPECT_EQ(test::to_host(out), (numbers{4, 10, -1, -1, -1}));
    });
}

TEST(ReduceScan, Scans)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto in = test::to_memory<policy_t>(numbers{3, 1, 4, 1, 5});
      const auto keys = test::to_memory<policy_t>(numbers{7, 7, 2, 2, 2});
      test::memory<policy_t, std::int64_t> out(5, -1);
      mgpu::exclusive_scan(policy, in.begin(), in.end(), out.begin());
      EXPECT_EQ(test::to_host(out), (numbers{0, 3, 4, 8, 9}));
      mgpu::inclusive_scan(in.begin(), in.end(), out.begin());
      EXPECT_EQ(test::to_host(out), (numbers{3, 4, 8, 9, 14}));
      mgpu::exclusive_scan_by_key(policy, keys.begin(), keys.end(), in.begin(), out.begin());
      EXPECT_EQ(test::to_host(out), (numbers{0, 3, 0, 4, 5}));
      mgpu::inclusive_scan_by_key(policy, keys.begin(), keys.end(), in.begin(), out.begin());
      EXPECT_EQ(test::to_host(out), (numbers{3, 4, 4, 5, 10}));
      mgpu::transform_exclusive_scan(
        policy, in.begin(), in.end(), out.begin(), test::times_three{}, std::int64_t{1}, thrust::plus<std::int64_t>{});
      EXPECT_EQ(test::to_host(out), (numbers{1, 10, 13, 25, 28}));
      mgpu::transform_inclusive_scan(
        policy, in.begin(), in.end(), out.begin(), test::times_three{}, thrust::plus<std::int64_t>{});
      EXPECT_EQ(test::to_host(out), (numbers{9, 12, 24, 27, 42}));
    });
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Folds of runs whose number and sizes are deferred, and whose results' sizes are.

#include "support/fold_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/multiway_merge_n.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::run_keys;

// Fewer elements and runs than the capacities, and more; the count of the result where the number of elements was.
TEST(MergeFoldsN, CountsBelowAndAboveTheCapacity)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t capacity = 60000;
  const std::int64_t num_runs = 20;
  const auto all = test::with_numbers(test::make_runs(test::equal_sizes(num_runs, capacity), run_keys::random, 9000));
  const auto all_values = test::items_of<test::affine_maps<1>>(capacity);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const test::placed_runs<policy_t, std::int64_t> in(
        all, [](std::int64_t rank) { return rank; }, -100);
      const auto values = test::to_memory<policy_t>(all_values);
      test::memory<policy_t, std::int64_t> keys(capacity + 1);
      test::memory<policy_t, test::affine_maps<1>> results(capacity);
      for (const std::int64_t count : {capacity, std::int64_t{0}, std::int64_t{31007}, capacity + 9, std::int64_t{-1}})
      {
        for (const std::int64_t runs_now : {num_runs, std::int64_t{0}, std::int64_t{7}, num_runs + 1})
        {
          SCOPED_TRACE(std::to_string(count) + " in " + std::to_string(runs_now));
          // The last run ends at the end of all.
          const std::int64_t k = std::min(runs_now, num_runs);
          const std::int64_t n = k == 0 ? 0 : std::clamp<std::int64_t>(count, 0, capacity);
          const bool is_whole = k == num_runs || all.offsets[k] == n;
          auto now = all;
          now.ranks.resize(n);
          const std::int64_t begin_of_last = k == 0 ? 0 : std::min<std::int64_t>(all.offsets[k - 1], n);
          if (!is_whole && !std::is_sorted(now.ranks.begin() + begin_of_last, now.ranks.end()))
          {
            continue; // these are no runs
          }
          const auto expected = test::expected_folds(now, all_values, test::compose{}, test::keeps_most{});
          const auto counts = test::to_memory<policy_t>(std::vector<std::int64_t>{count, runs_now});
          auto* const first_count = const_cast<std::int64_t*>(thrust::raw_pointer_cast(counts.data()));
          keys.assign(capacity + 1, -7);
          const auto size = mgpu::merge_runs_reduce_by_key_n(
            policy, in.keys.begin(), mgpu::deferred{first_count, capacity}, values.begin(), in.offsets.begin(),
            mgpu::deferred{first_count + 1, num_runs}, keys.begin(), results.begin(), first_count,
            test::order_of_ranks{}, test::compose{}, test::keeps_most{});
          EXPECT_EQ(size.capacity, capacity);
          const auto got_size = test::to_host(counts)[0];
          ASSERT_EQ(got_size, static_cast<std::int64_t>(expected.keys.size()));
          const auto got_keys = test::to_host(keys);
          const auto got = test::to_host(results);
          ASSERT_TRUE(std::equal(expected.keys.begin(), expected.keys.end(), got_keys.begin()));
          ASSERT_EQ(got_keys[got_size], -7);
          ASSERT_TRUE(std::equal(expected.values.begin(), expected.values.end(), got.begin()));
        }
      }
    });
}

TEST(MergeFoldsN, EachFunctionAndPlainSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      using ints = std::vector<std::int32_t>;
      const auto keys = test::to_memory<policy_t>(ints{2, 5, 9, 1, 5, 0});
      const auto values = test::to_memory<policy_t>(ints{1, 2, 3, 4, 5, 6});
      const auto sizes = test::to_memory<policy_t>(ints{3, 2, 1});
      const auto offsets = test::to_memory<policy_t>(ints{0, 3, 5});
      const auto* const first = thrust::raw_pointer_cast(keys.data());
      const auto* const first_value = thrust::raw_pointer_cast(values.data());
      const auto firsts = test::to_memory<policy_t>(std::vector<const std::int32_t*>{first, first + 3, first + 5});
      const auto value_firsts =
        test::to_memory<policy_t>(std::vector<const std::int32_t*>{first_value, first_value + 3, first_value + 5});
      test::memory<policy_t, std::uint16_t> count(1);
      auto* const d_count = thrust::raw_pointer_cast(count.data());
      test::memory<policy_t, std::int32_t> out(6, -1);
      test::memory<policy_t, std::int32_t> more(6, -1);
      const auto expect = [&](auto& got, int size, const ints& expected)
      {
        EXPECT_EQ(test::to_host(count)[0], size);
        EXPECT_EQ(test::to_host(got), expected);
        got.assign(6, -1);
      };
      mgpu::merge_runs_unique_n(policy, keys.begin(), 6, offsets.begin(), 3u, out.begin(), d_count);
      expect(out, 5, {0, 1, 2, 5, 9, -1});
      mgpu::multiway_merge_unique_n(
        policy, firsts.begin(), sizes.begin(), 2, mgpu::deferred{first + 1, 5}, out.begin(), d_count);
      expect(out, 4, {1, 2, 5, 9, -1, -1});
      mgpu::multiway_merge_reduce_by_key_n(
        policy, firsts.begin(), value_firsts.begin(), sizes.begin(), 3, std::int64_t{6}, out.begin(), more.begin(),
        d_count);
      expect(out, 5, {0, 1, 2, 5, 9, -1});
      expect(more, 5, {6, 4, 1, 7, 3, -1});
    });
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented scans whose sizes are deferred, against a plain loop.

#include "support/systems.h"
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#  include "support/device_calls.h"
#  include "support/streams.h"

#  include <mgpu_thrust/device/device_segmented_scan.cuh>
#endif

#include <mgpu_thrust/segmented_scan_n.h>

#include <thrust/copy.h>
#include <thrust/fill.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

struct scan_sizes
{
  std::int64_t items;
  std::int64_t segments;
};

/// Capacities of one tile, of some, and of so many that a thread cuts a tile.
const scan_sizes scan_capacities[] = {
  {1, 1},       {1000, 20},        {100000, 30000},
#if defined(__CUDACC__)
  {3000000, 7}, {9000000, 200000},
#endif
};
/// Real sizes, as counts say them, that lead to numbers of tiles from none to all.
std::vector<scan_sizes> scan_counts(const scan_sizes& capacity)
{
  const auto [items, segments] = capacity;
  return {
    {items, segments},
    {0, segments},
    {0, 0},
    {items, 0},
    {items / 16, segments / 16 + 1},
    {items / 2, 1},
    {items + 1000, segments},
    {-1, 3},
    {items, segments + 5},
    {items / 3, -7}};
}

/// What an exclusive scan of int items in 64 bits needs, in the memory of a policy.
template <class Policy>
class placed_scan
{
public:
  explicit placed_scan(const scan_sizes& capacity)
      : capacity_(capacity)
      , items_(test::to_memory<Policy>(numbers(capacity.items)))
      , offsets_(capacity.segments)
      , counts_(2)
      , results_(capacity.items + 1, guard)
  {
  }

  /// Makes the offsets of as many segments as the counts say, of very different lengths, and stores the counts.
  void set(const scan_sizes& counts)
  {
    const std::int64_t segments = std::clamp<std::int64_t>(counts.segments, 0, capacity_.segments);
    const std::int64_t items = segments == 0 ? 0 : std::clamp<std::int64_t>(counts.items, 0, capacity_.items);
    std::vector<std::int64_t> offsets(capacity_.segments, -12345);
    expected_.assign(capacity_.items + 1, guard);
    const std::vector<int> all = numbers(items);
    std::int64_t end = 0;
    for (std::int64_t i = 0; i < segments; ++i)
    {
      offsets[i] = end;
      const std::int64_t rest = items - end;
      const std::int64_t size = i % 7 == 3 ? rest / 3 : i % 7 == 5 ? 0 : std::min<std::int64_t>(rest, i % 11);
      end = i + 1 == segments ? items : end + size;
      std::int64_t sum = 1000;
      for (std::int64_t k = offsets[i]; k < end; ++k)
      {
        expected_[k] = sum;
        sum += all[k];
      }
    }
    thrust::copy(offsets.begin(), offsets.end(), offsets_.begin());
    counts_[0] = counts.items;
    counts_[1] = counts.segments;
    thrust::fill(results_.begin(), results_.end(), guard);
  }
  /// Compares the results, and checks that nothing else was written.
  void expect_right() const
  {
    ASSERT_TRUE(test::to_host(results_) == expected_);
  }

  auto items() const
  {
    return thrust::raw_pointer_cast(items_.data());
  }
  auto offsets() const
  {
    return thrust::raw_pointer_cast(offsets_.data());
  }
  auto results()
  {
    return thrust::raw_pointer_cast(results_.data());
  }
  auto num_items() const
  {
    return mgpu::deferred{thrust::raw_pointer_cast(counts_.data()), capacity_.items};
  }
  auto num_segments() const
  {
    return mgpu::deferred{thrust::raw_pointer_cast(counts_.data()) + 1, capacity_.segments};
  }

private:
  static constexpr std::int64_t guard = -7;

  static std::vector<int> numbers(std::int64_t count)
  {
    std::vector<int> all(count);
    for (std::int64_t i = 0; i < count; ++i)
    {
      all[i] = static_cast<int>(i % 1009 - 3);
    }
    return all;
  }

  scan_sizes capacity_;
  std::vector<std::int64_t> expected_;
  test::memory<Policy, int> items_;
  test::memory<Policy, std::int64_t> offsets_;
  test::memory<Policy, std::int64_t> counts_;
  test::memory<Policy, std::int64_t> results_;
};

TEST(SegmentedScanN, CountsBelowAndAboveTheCapacity)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      for (const scan_sizes& capacity : scan_capacities)
      {
        placed_scan<std::decay_t<decltype(policy)>> placed(capacity);
        for (const scan_sizes& counts : scan_counts(capacity))
        {
          SCOPED_TRACE(
            std::to_string(counts.items) + " in " + std::to_string(counts.segments) + " of "
            + std::to_string(capacity.items) + " in " + std::to_string(capacity.segments));
          placed.set(counts);
          const auto returned = mgpu::segmented_exclusive_scan_n(
            policy, placed.items(), placed.num_items(), placed.offsets(), placed.num_segments(), placed.results(),
            std::int64_t{1000});
          ASSERT_EQ(returned.capacity, capacity.items);
          placed.expect_right();
          if (testing::Test::HasFatalFailure())
          {
            return;
          }
        }
      }
    });
}

TEST(SegmentedScanN, OverloadsAndPlainSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto items = test::to_memory<policy_t>(std::vector<int>{3, 1, 2, 7, 9, 8});
      const auto offsets = test::to_memory<policy_t>(std::vector<int>{0, 3, 3, 4});
      const auto count = test::to_memory<policy_t>(std::vector<int>{3});
      const mgpu::deferred segments{thrust::raw_pointer_cast(count.data()), 4};
      test::memory<policy_t, int> out(6);
      const auto in = items.begin();
      const auto to = out.begin();
      const auto expect = [&](int size, const std::vector<int>& expected)
      {
        EXPECT_EQ(size, 6);
        EXPECT_EQ(test::to_host(out), expected);
      };
      const ::cuda::std::plus<> plus;
      expect(mgpu::segmented_inclusive_scan_n(policy, in, 6, offsets.begin(), segments, to), {3, 4, 6, 7, 16, 24});
      expect(mgpu::segmented_inclusive_scan_n(policy, in, 6, offsets.begin(), 4, to, plus), {3, 4, 6, 7, 9, 17});
      expect(
        mgpu::segmented_inclusive_scan_n(policy, in, 6, offsets.begin(), 4u, to, 100, plus),
        {103, 104, 106, 107, 109, 117});
      expect(mgpu::segmented_exclusive_scan_n(policy, in, 6, offsets.begin(), 4, to), {0, 3, 4, 0, 0, 9});
    });
}

#if defined(__CUDACC__)

TEST(SegmentedScanN, ReplayedWithOtherCounts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const scan_sizes& capacity : scan_capacities)
  {
    placed_scan<thrust::cuda::tag> placed(capacity);
    const std::vector<scan_sizes> all_counts = scan_counts(capacity);
    test::replay(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSegmentedScan::ExclusiveScan(
          storage, bytes, placed.items(), placed.num_items(), placed.offsets(), placed.num_segments(), placed.results(),
          std::int64_t{1000}, ::cuda::std::plus<>{}, stream);
      },
      static_cast<int>(all_counts.size()),
      [&](int i)
      {
        placed.set(all_counts[static_cast<std::size_t>(i)]);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      },
      [&](int i)
      {
        SCOPED_TRACE(std::to_string(capacity.items) + ", counts " + std::to_string(i));
        placed.expect_right();
      });
    if (HasFatalFailure())
    {
      return;
    }
  }
}

TEST(SegmentedScanN, NosyncDoesNotWait)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  placed_scan<thrust::cuda::tag> placed({100000, 30000});
  placed.set({90000, 20000});
  test::kept_memory memory;
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  test::check_nothing_waits(
    [&](cudaStream_t stream)
    {
      test::kept_memory::allocator allocator{&memory};
      mgpu::segmented_exclusive_scan_n(
        thrust::cuda::par_nosync(allocator).on(stream), placed.items(), placed.num_items(), placed.offsets(),
        placed.num_segments(), placed.results(), std::int64_t{1000});
    });
  placed.expect_right();
}

#endif

} // namespace

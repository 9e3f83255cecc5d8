// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented reductions whose sizes are deferred, and reductions of one range, against those with the sizes as numbers.

#include "support/systems.h"
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#  include "support/device_calls.h"
#  include "support/streams.h"

#  include <mgpu_thrust/device/device_segmented_reduce.cuh>
#endif

#include <mgpu_thrust/segmented_reduce.h>
#include <mgpu_thrust/segmented_reduce_n.h>

#include <thrust/fill.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// Capacities, of which some tiles, a segment per block, and whole segments, by blocks of two widths, are chosen.
struct sizes
{
  std::int64_t items;
  std::int64_t segments;
};
std::vector<sizes> capacities()
{
#if defined(__CUDACC__)
  return {{1, 1},         {1000, 20},      {20000, 2},      {100000, 30000},   {5000000, 7},
          {2000000, 600}, {3000000, 1200}, {9000000, 3000}, {3000000, 200000}, {8000000, 200000}};
#else
  return {{1, 1}, {1000, 20}, {100000, 30000}};
#endif
}
/// Real sizes, as counts say them, that lead to numbers of tiles from none to all, and to the most items and segments
/// that the blocks of tiles reduce whole, and one more of either.
std::vector<sizes> counts_of(const sizes& capacity)
{
  const auto [items, segments] = capacity;
  constexpr std::int64_t few = 1 << 14;
  return {
    {items, segments},
    {0, segments},
    {0, 0},
    {items, 0},
    {items / 16, segments / 16 + 1},
    {items / 2, 1},
    {1, segments},
    {items + 1000, segments},
    {-1, 3},
    {items, segments + 5},
    {items / 3, -7},
    {few, few},
    {few, 1},
    {few + 1, few},
    {few, few + 1}};
}

/// What a reduction of 64 bits of int items needs, in the memory of a policy.
template <class Policy>
class placed_segments
{
public:
  explicit placed_segments(const sizes& capacity)
      : capacity_(capacity)
      , items_(test::to_memory<Policy>(numbers(capacity.items)))
      , offsets_(capacity.segments)
      , counts_(2)
      , results_(capacity.segments + 1, guard)
  {
  }

  /// Makes the offsets of as many segments as the counts say, of very different lengths, and stores the counts.
  void set(const sizes& counts)
  {
    real_ = {
      std::clamp<std::int64_t>(counts.items, 0, capacity_.items),
      std::clamp<std::int64_t>(counts.segments, 0, capacity_.segments)};
    std::vector<std::int64_t> offsets(capacity_.segments, -12345);
    std::int64_t offset = 0;
    for (std::int64_t i = 0; i < real_.segments; ++i)
    {
      offsets[i] = offset;
      const std::int64_t rest = real_.items - offset;
      offset += i % 7 == 3 ? rest / 3 : i % 7 == 5 ? 0 : std::min<std::int64_t>(rest, i % 11);
    }
    thrust::copy(offsets.begin(), offsets.end(), offsets_.begin());
    counts_[0] = counts.items;
    counts_[1] = counts.segments;
    thrust::fill(results_.begin(), results_.end(), guard);
    offsets_on_host_ = offsets;
  }
  /// Compares the results with the sums of the segments, and checks that nothing else was written.
  void expect_right() const
  {
    std::vector<std::int64_t> expected(results_.size(), guard);
    const std::vector<int> items = numbers(capacity_.items);
    for (std::int64_t i = 0; i < real_.segments; ++i)
    {
      const std::int64_t end = i + 1 < real_.segments ? offsets_on_host_[i + 1] : real_.items;
      expected[i] = std::accumulate(items.begin() + offsets_on_host_[i], items.begin() + end, std::int64_t{1000});
    }
    ASSERT_EQ(test::to_host(results_), expected);
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

  sizes capacity_;
  sizes real_{0, 0};
  std::vector<std::int64_t> offsets_on_host_;
  test::memory<Policy, int> items_;
  test::memory<Policy, std::int64_t> offsets_;
  test::memory<Policy, std::int64_t> counts_;
  test::memory<Policy, std::int64_t> results_;
};

TEST(SegmentedReduceN, CountsBelowAndAboveTheCapacity)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      for (const sizes& capacity : capacities())
      {
        placed_segments<std::decay_t<decltype(policy)>> placed(capacity);
        for (const sizes& counts : counts_of(capacity))
        {
          SCOPED_TRACE(
            std::to_string(counts.items) + " in " + std::to_string(counts.segments) + " of "
            + std::to_string(capacity.items) + " in " + std::to_string(capacity.segments));
          placed.set(counts);
          const auto returned = mgpu::segmented_reduce_n(
            policy, placed.items(), placed.num_items(), placed.offsets(), placed.num_segments(), placed.results(),
            std::int64_t{1000});
          ASSERT_EQ(returned.capacity, capacity.segments);
          placed.expect_right();
          if (testing::Test::HasFatalFailure())
          {
            return;
          }
        }
      }
    });
}

TEST(SegmentedReduceN, OneSizeIsPlain)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      placed_segments<std::decay_t<decltype(policy)>> placed({70000, 500});
      placed.set({60000, 500});
      EXPECT_EQ(
        mgpu::segmented_reduce_n(
          policy, placed.items(), placed.num_items(), placed.offsets(), 500, placed.results(), std::int64_t{1000}),
        500);
      placed.expect_right();
      placed.set({70000, 300});
      mgpu::segmented_reduce_n(
        policy, placed.items(), 70000, placed.offsets(), placed.num_segments(), placed.results(), std::int64_t{1000});
      placed.expect_right();
      placed.set({70000, 500});
      mgpu::segmented_reduce_n(
        policy, placed.items(), 70000, placed.offsets(), 500u, placed.results(), std::int64_t{1000});
      placed.expect_right();
    });
}

TEST(ReduceN, OfDeferredAndPlainSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto items = test::to_memory<policy_t>(std::vector<int>(200000, 2));
      auto counts = test::to_memory<policy_t>(std::vector<int>{150000, 0, 300000});
      test::memory<policy_t, int> sums(4);
      const thrust::plus<int> sum;
      for (const int i : {0, 1, 2})
      {
        mgpu::reduce_n(policy, items.begin(), mgpu::deferred{counts.data() + i, 200000}, sums.begin() + i, 5, sum);
      }
      mgpu::reduce_n(policy, items.begin(), 7, sums.begin() + 3, 5, sum);
      EXPECT_EQ(test::to_host(sums), (std::vector<int>{300005, 5, 400005, 19}));
    });
}

#if defined(__CUDACC__)

TEST(SegmentedReduceN, ReplayedWithOtherCounts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const sizes& capacity : capacities())
  {
    placed_segments<thrust::cuda::tag> placed(capacity);
    const std::vector<sizes> all_counts = counts_of(capacity);
    test::replay(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSegmentedReduce::Reduce(
          storage, bytes, placed.items(), placed.num_items(), placed.offsets(), placed.num_segments(), placed.results(),
          std::int64_t{1000}, cuda::std::plus<>{}, stream);
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

TEST(SegmentedReduceN, NosyncDoesNotWait)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  placed_segments<thrust::cuda::tag> placed({100000, 30000});
  placed.set({90000, 20000});
  test::kept_memory memory;
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  test::check_nothing_waits(
    [&](cudaStream_t stream)
    {
      test::kept_memory::allocator allocator{&memory};
      mgpu::segmented_reduce_n(
        thrust::cuda::par_nosync(allocator).on(stream), placed.items(), placed.num_items(), placed.offsets(),
        placed.num_segments(), placed.results(), std::int64_t{1000});
    });
  placed.expect_right();
}

#endif

} // namespace

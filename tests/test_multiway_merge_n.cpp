// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Merges of any number of runs whose number and sizes are deferred, against std::stable_sort.

#include "support/runs_battery.h"
#include "support/systems.h"
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#  include "support/device_calls.h"
#  include "support/streams.h"

#  include <mgpu_thrust/device/device_multiway_merge.cuh>
#endif

#include <mgpu_thrust/multiway_merge_n.h>

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/iterator/discard_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

struct merge_sizes
{
  std::int64_t items;
  std::int64_t runs;
};

/// Capacities of one tile and one run, of some, and of so many that a thread cuts a tile.
const merge_sizes merge_capacities[] = {
  {1, 1},       {1000, 20},   {100000, 300},
#if defined(__CUDACC__)
  {3000000, 7}, {9000000, 8}, {2000000, 200000},
#endif
};
/// Actual sizes, as counts say them.
std::vector<merge_sizes> merge_counts(const merge_sizes& capacity)
{
  const auto [items, runs] = capacity;
  return {
    {items, runs},
    {0, runs},
    {0, 0},
    {items, 0},
    {items / 16, runs / 16 + 1},
    {items / 2, 1},
    {items / 2, std::min<std::int64_t>(runs, 9)},
    {items + 1000, runs},
    {-1, 3},
    {items, runs + 5},
    {items / 3, -7}};
}

/// What merges of keys with values, and of runs in buffers of their own, need in the memory of a policy.
template <class Policy>
class placed_merge
{
public:
  explicit placed_merge(const merge_sizes& capacity)
      : capacity_(capacity)
      , keys_(capacity.items)
      , values_(capacity.items)
      , offsets_(capacity.runs)
      , sizes_(capacity.runs)
      , firsts_(capacity.runs)
      , counts_(2)
      , out_(capacity.items + 1)
      , more_(capacity.items + 1)
  {
  }

  /// Makes as many runs as the counts say, of very different lengths, and stores the counts.
  void set(const merge_sizes& counts)
  {
    const std::int64_t runs = std::clamp<std::int64_t>(counts.runs, 0, capacity_.runs);
    const std::int64_t items = runs == 0 ? 0 : std::clamp<std::int64_t>(counts.items, 0, capacity_.items);
    std::vector<std::int64_t> sizes;
    std::int64_t left = items;
    for (std::int64_t run = 0; run < runs; ++run)
    {
      const std::int64_t size = run % 7 == 3 ? left / 3 : run % 7 == 5 ? 0 : std::min<std::int64_t>(left, run % 11);
      sizes.push_back(run + 1 == runs ? left : size);
      left -= sizes.back();
    }
    const auto in = test::make_runs(sizes, test::run_keys::random, 1000);
    const auto order = in.merged();
    expected_keys_.assign(out_.size(), guard);
    expected_values_.assign(out_.size(), guard);
    expected_numbers_.assign(out_.size(), guard);
    for (std::size_t i = 0; i < order.size(); ++i)
    {
      expected_keys_[i] = static_cast<std::int32_t>(in.ranks[order[i]]);
      expected_values_[i] = order[i];
      const auto run = std::upper_bound(in.offsets.begin(), in.offsets.end(), order[i]) - 1;
      expected_numbers_[i] = static_cast<std::int32_t>(run - in.offsets.begin());
    }
    std::vector<const std::int32_t*> firsts;
    for (const std::int32_t offset : in.offsets)
    {
      firsts.push_back(thrust::raw_pointer_cast(keys_.data()) + offset);
    }
    std::vector<std::int32_t> numbers(order.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    thrust::copy(in.ranks.begin(), in.ranks.end(), keys_.begin());
    thrust::copy(numbers.begin(), numbers.end(), values_.begin());
    thrust::fill(offsets_.begin(), offsets_.end(), -12345);
    thrust::fill(sizes_.begin(), sizes_.end(), 12345);
    thrust::copy(in.offsets.begin(), in.offsets.end(), offsets_.begin());
    thrust::copy(in.sizes.begin(), in.sizes.end(), sizes_.begin());
    thrust::copy(firsts.begin(), firsts.end(), firsts_.begin());
    counts_[0] = counts.items;
    counts_[1] = counts.runs;
    clear();
  }
  void clear()
  {
    thrust::fill(out_.begin(), out_.end(), guard);
    thrust::fill(more_.begin(), more_.end(), guard);
  }
  /// Compares the outputs, and checks that nothing else was written.
  void expect_pairs()
  {
    ASSERT_EQ(test::to_host(out_), expected_keys_);
    ASSERT_EQ(test::to_host(more_), expected_values_);
    clear();
  }
  void expect_numbers()
  {
    ASSERT_EQ(test::to_host(out_), expected_numbers_);
    clear();
  }

  template <class T>
  static T* raw(std::vector<T>& vector)
  {
    return vector.data();
  }
  template <class T>
  static T* raw(thrust::device_vector<T>& vector)
  {
    return thrust::raw_pointer_cast(vector.data());
  }
  auto keys()
  {
    return raw(keys_);
  }
  auto values()
  {
    return raw(values_);
  }
  auto offsets()
  {
    return raw(offsets_);
  }
  auto sizes()
  {
    return raw(sizes_);
  }
  auto firsts()
  {
    return raw(firsts_);
  }
  auto out()
  {
    return raw(out_);
  }
  auto more()
  {
    return raw(more_);
  }
  auto num_items()
  {
    return mgpu::deferred{raw(counts_), capacity_.items};
  }
  auto num_runs()
  {
    return mgpu::deferred{raw(counts_) + 1, capacity_.runs};
  }

private:
  static constexpr std::int32_t guard = -7;

  merge_sizes capacity_;
  std::vector<std::int32_t> expected_keys_;
  std::vector<std::int32_t> expected_values_;
  std::vector<std::int32_t> expected_numbers_;
  test::memory<Policy, std::int32_t> keys_;
  test::memory<Policy, std::int32_t> values_;
  test::memory<Policy, std::int32_t> offsets_;
  test::memory<Policy, std::int32_t> sizes_;
  test::memory<Policy, const std::int32_t*> firsts_;
  test::memory<Policy, std::int64_t> counts_;
  test::memory<Policy, std::int32_t> out_;
  test::memory<Policy, std::int32_t> more_;
};

TEST(MultiwayMergeN, CountsBelowAndAboveTheCapacity)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      for (const merge_sizes& capacity : merge_capacities)
      {
        placed_merge<std::decay_t<decltype(policy)>> placed(capacity);
        for (const merge_sizes& counts : merge_counts(capacity))
        {
          SCOPED_TRACE(
            std::to_string(counts.items) + " in " + std::to_string(counts.runs) + " of "
            + std::to_string(capacity.items) + " in " + std::to_string(capacity.runs));
          placed.set(counts);
          const auto of_range = mgpu::merge_runs_by_key_n(
            policy, placed.keys(), placed.num_items(), placed.values(), placed.offsets(), placed.num_runs(),
            placed.out(), placed.more());
          ASSERT_EQ(of_range.capacity, capacity.items);
          placed.expect_pairs();
          const auto of_runs = mgpu::multiway_merge_indices_n(
            policy, placed.firsts(), placed.sizes(), placed.num_runs(), placed.num_items(), placed.out(),
            thrust::make_discard_iterator());
          ASSERT_EQ(of_runs.capacity, capacity.items);
          placed.expect_numbers();
          if (testing::Test::HasFatalFailure())
          {
            return;
          }
        }
      }
    });
}

TEST(MultiwayMergeN, EachFunctionAndPlainSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      using ints = std::vector<std::int32_t>;
      const auto keys = test::to_memory<policy_t>(ints{2, 5, 9, 1, 5, 0});
      const auto offsets = test::to_memory<policy_t>(ints{0, 3, 5});
      const auto sizes = test::to_memory<policy_t>(ints{3, 2, 1});
      const auto counts = test::to_memory<policy_t>(std::vector<std::uint16_t>{5, 2});
      const auto* const first = thrust::raw_pointer_cast(keys.data());
      const auto firsts = test::to_memory<policy_t>(std::vector<const std::int32_t*>{first, first + 3, first + 5});
      const mgpu::deferred five{thrust::raw_pointer_cast(counts.data()), 6};
      const mgpu::deferred two{thrust::raw_pointer_cast(counts.data()) + 1, 3};
      test::memory<policy_t, std::int32_t> out(6, -1);
      test::memory<policy_t, std::int32_t> more(6, -1);
      const auto expect = [&](auto& got, const ints& expected)
      {
        EXPECT_EQ(test::to_host(got), expected);
        thrust::fill(got.begin(), got.end(), -1);
      };
      EXPECT_EQ(mgpu::merge_runs_n(policy, keys.begin(), 6, offsets.begin(), 3, out.begin()), 6);
      expect(out, {0, 1, 2, 5, 5, 9});
      mgpu::merge_runs_n(policy, keys.begin(), 5u, offsets.begin(), two, out.begin());
      expect(out, {1, 2, 5, 5, 9, -1});
      mgpu::merge_runs_indices_n(policy, keys.begin(), five, offsets.begin(), 2, out.begin());
      expect(out, {3, 0, 1, 4, 2, -1});
      EXPECT_EQ(mgpu::multiway_merge_n(policy, firsts.begin(), sizes.begin(), 3u, std::int64_t{6}, out.begin()), 6);
      expect(out, {0, 1, 2, 5, 5, 9});
      mgpu::multiway_merge_n(policy, firsts.begin(), sizes.begin(), two, 5, out.begin());
      expect(out, {1, 2, 5, 5, 9, -1});
      mgpu::multiway_merge_by_key_n(
        policy, firsts.begin(), firsts.begin(), sizes.begin(), 2, five, out.begin(), more.begin());
      expect(out, {1, 2, 5, 5, 9, -1});
      expect(more, {1, 2, 5, 5, 9, -1});
      mgpu::multiway_merge_indices_n(policy, firsts.begin(), sizes.begin(), two, five, out.begin(), more.begin());
      expect(out, {1, 0, 0, 1, 0, -1});
      expect(more, {0, 0, 1, 1, 2, -1});
    });
}

#if defined(__CUDACC__)

TEST(MultiwayMergeN, ReplayedWithOtherCounts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const merge_sizes& capacity : merge_capacities)
  {
    placed_merge<thrust::cuda::tag> placed(capacity);
    const std::vector<merge_sizes> all_counts = merge_counts(capacity);
    const auto set = [&](int i)
    {
      placed.set(all_counts[static_cast<std::size_t>(i)]);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    };
    SCOPED_TRACE(capacity.items);
    test::replay(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceMultiwayMerge::MergeRunsPairs(
          storage, bytes, placed.keys(), placed.values(), placed.num_items(), placed.offsets(), placed.num_runs(),
          placed.out(), placed.more(), ::cuda::std::less<>{}, stream);
      },
      static_cast<int>(all_counts.size()), set,
      [&](int i)
      {
        SCOPED_TRACE("counts " + std::to_string(i));
        placed.expect_pairs();
      });
    test::replay(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceMultiwayMerge::MergeIndices(
          storage, bytes, placed.firsts(), placed.sizes(), placed.num_runs(), placed.num_items(), placed.out(),
          thrust::make_discard_iterator(), ::cuda::std::less<>{}, stream);
      },
      static_cast<int>(all_counts.size()), set,
      [&](int i)
      {
        SCOPED_TRACE("counts " + std::to_string(i));
        placed.expect_numbers();
      });
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(MultiwayMergeN, NosyncDoesNotWait)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  placed_merge<thrust::cuda::tag> placed({100000, 300});
  placed.set({90000, 200});
  test::kept_memory memory;
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  test::check_nothing_waits(
    [&](cudaStream_t stream)
    {
      test::kept_memory::allocator allocator{&memory};
      mgpu::merge_runs_by_key_n(
        thrust::cuda::par_nosync(allocator).on(stream), placed.keys(), placed.num_items(), placed.values(),
        placed.offsets(), placed.num_runs(), placed.out(), placed.more());
    });
  placed.expect_pairs();
}

#endif

} // namespace

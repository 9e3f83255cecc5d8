// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Set operations and merges whose sizes are deferred: the battery, values, and a chain of operations.

#include "support/deferred_battery.h"

#include <mgpu_thrust/merge.h>
#include <mgpu_thrust/merge_n.h>
#include <mgpu_thrust/read_count.h>
#include <mgpu_thrust/set_operations.h>
#include <mgpu_thrust/set_operations_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_merge.cuh>
#  include <mgpu_thrust/device/device_set_operations.cuh>
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace
{

using test::ints;
using test::two_ranges;

#define MGPU_THRUST_TEST_OPERATION_N(name, Name, std_name, most_kept)                                                  \
  struct name : test::ranges_of_copies                                                                                 \
  {                                                                                                                    \
    static constexpr bool writes = true;                                                                               \
    static ints expected(const ints& a, const ints& b)                                                                 \
    {                                                                                                                  \
      ints kept;                                                                                                       \
      std::std_name(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(kept));                                 \
      return kept;                                                                                                     \
    }                                                                                                                  \
    static std::int64_t most([[maybe_unused]] std::int64_t a, [[maybe_unused]] std::int64_t b)                         \
    {                                                                                                                  \
      return most_kept;                                                                                                \
    }                                                                                                                  \
    template <class Policy, class Size1, class Size2, class Count>                                                     \
    static MGPU_THRUST_HOST_DEVICE auto                                                                                \
    run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count count)                         \
    {                                                                                                                  \
      return mgpu::std_name##_n(policy, ranges.first, size1, ranges.second, size2, ranges.out, count);                 \
    }                                                                                                                  \
    MGPU_THRUST_TEST_QUEUE(Name##Keys)                                                                                 \
  };
#if defined(__CUDACC__)
#  define MGPU_THRUST_TEST_QUEUE(Keys)                                                                                 \
    template <class Size1, class Size2, class Count>                                                                   \
    static cudaError_t queue(                                                                                          \
      void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count* count,             \
      cudaStream_t stream)                                                                                             \
    {                                                                                                                  \
      return mgpu::Device##Keys(                                                                                       \
        storage, bytes, ranges.first, size1, ranges.second, size2, ranges.out, count, cuda::std::less<>{}, stream);    \
    }
#else
#  define MGPU_THRUST_TEST_QUEUE(Keys)
#endif
MGPU_THRUST_TEST_OPERATION_N(intersection, SetOperations::Intersection, set_intersection, std::min(a, b))
MGPU_THRUST_TEST_OPERATION_N(union_of, SetOperations::Union, set_union, a + b)
MGPU_THRUST_TEST_OPERATION_N(difference, SetOperations::Difference, set_difference, a)
MGPU_THRUST_TEST_OPERATION_N(symmetric_difference, SetOperations::SymmetricDifference, set_symmetric_difference, a + b)
MGPU_THRUST_TEST_OPERATION_N(merge, Merge::Merge, merge, a + b)

/// The number alone, of an operation whose size depends on both sizes and on the matches.
struct symmetric_difference_size : symmetric_difference
{
  static constexpr bool writes = false;

  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count count)
  {
    return mgpu::set_symmetric_difference_size_n(policy, ranges.first, size1, ranges.second, size2, count);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count* count,
    cudaStream_t stream)
  {
    return mgpu::DeviceSetOperations::SymmetricDifferenceCount(
      storage, bytes, ranges.first, size1, ranges.second, size2, count, cuda::std::less<>{}, stream);
  }
#endif
};

using deferred_calls =
  testing::Types<intersection, union_of, difference, symmetric_difference, merge, symmetric_difference_size>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SetOperations, DeferredSizes, deferred_calls);
} // namespace test

namespace
{

/// A value for each key, in the memory of a policy.
template <class Policy>
class pairs_of_ranges
{
public:
  explicit pairs_of_ranges(std::int64_t size)
      : keys1_(test::to_memory<Policy>(test::ranges_of_copies::input(0, size)))
      , keys2_(test::to_memory<Policy>(test::ranges_of_copies::input(1, size)))
      , values_(test::to_memory<Policy>(numbers(size)))
      , keys_out_(2 * static_cast<std::size_t>(size))
      , values_out_(2 * static_cast<std::size_t>(size))
      , counts_(test::to_memory<Policy>(std::vector<int>{static_cast<int>(size / 3), 0}))
  {
  }

  /// Calls function(keys1, size1, keys2, size2, values, keys_out, values_out, count), and compares the output with that
  /// of a call that knows the sizes: known(keys1, keys1 + n1, keys2, keys2 + n2, values, keys_out, values_out) returns
  /// the end of the keys.
  template <class Function, class Known>
  void expect_same(Function function, Known known)
  {
    const std::int64_t size = keys1_.size();
    function(
      keys1_.begin(), mgpu::deferred{counts_.data(), size}, keys2_.begin(), size, values_.begin(), keys_out_.begin(),
      values_out_.begin(), counts_.data() + 1);
    const ints keys = test::to_host(keys_out_);
    const ints values = test::to_host(values_out_);
    const auto end = known(
      keys1_.begin(), keys1_.begin() + size / 3, keys2_.begin(), keys2_.end(), values_.begin(), keys_out_.begin(),
      values_out_.begin());
    ASSERT_EQ(test::to_host(counts_)[1], end - keys_out_.begin());
    ASSERT_EQ(keys, test::to_host(keys_out_));
    ASSERT_EQ(values, test::to_host(values_out_));
  }

private:
  static ints numbers(std::int64_t size)
  {
    ints all;
    for (std::int64_t i = 0; i < size; ++i)
    {
      all.push_back(static_cast<std::int32_t>(i));
    }
    return all;
  }
  test::memory<Policy, std::int32_t> keys1_, keys2_, values_, keys_out_, values_out_;
  test::memory<Policy, int> counts_;
};

TEST(SetOperationsN, KeysWithValues)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      pairs_of_ranges<std::decay_t<decltype(policy)>> pairs(50021);
      pairs.expect_same(
        [&](auto k1, auto n1, auto k2, auto n2, auto v, auto keys, auto values, auto count)
        { mgpu::set_intersection_by_key_n(policy, k1, n1, k2, n2, v, keys, values, count); },
        [&](auto k1, auto e1, auto k2, auto e2, auto v, auto keys, auto values)
        { return mgpu::set_intersection_by_key(policy, k1, e1, k2, e2, v, keys, values).first; });
      pairs.expect_same(
        [&](auto k1, auto n1, auto k2, auto n2, auto v, auto keys, auto values, auto count)
        { mgpu::set_difference_by_key_n(policy, k1, n1, k2, n2, v, v, keys, values, count); },
        [&](auto k1, auto e1, auto k2, auto e2, auto v, auto keys, auto values)
        { return mgpu::set_difference_by_key(policy, k1, e1, k2, e2, v, v, keys, values).first; });
      pairs.expect_same(
        [&](auto k1, auto n1, auto k2, auto n2, auto v, auto keys, auto values, auto count)
        { mgpu::set_union_by_key_n(policy, k1, n1, k2, n2, v, v, keys, values, count); },
        [&](auto k1, auto e1, auto k2, auto e2, auto v, auto keys, auto values)
        { return mgpu::set_union_by_key(policy, k1, e1, k2, e2, v, v, keys, values).first; });
      pairs.expect_same(
        [&](auto k1, auto n1, auto k2, auto n2, auto v, auto keys, auto values, auto count)
        { mgpu::set_symmetric_difference_by_key_n(policy, k1, n1, k2, n2, v, v, keys, values, count); },
        [&](auto k1, auto e1, auto k2, auto e2, auto v, auto keys, auto values)
        { return mgpu::set_symmetric_difference_by_key(policy, k1, e1, k2, e2, v, v, keys, values).first; });
      pairs.expect_same(
        [&](auto k1, auto n1, auto k2, auto n2, auto v, auto keys, auto values, auto count)
        { mgpu::merge_by_key_n(policy, k1, n1, k2, n2, v, v, keys, values, count); },
        [&](auto k1, auto e1, auto k2, auto e2, auto v, auto keys, auto values)
        { return mgpu::merge_by_key(policy, k1, e1, k2, e2, v, v, keys, values).first; });
    });
}

#if defined(__CUDACC__)

/// Whether a merge of inputs of these sizes, which stores *count, reads them where they are.
template <class SizeA, class SizeB, class Count>
bool reads_in_place(const SizeA& a, const SizeB& b, const Count* count)
{
  const int* const keys = nullptr;
  return mgpu::detail::may_read_in_place(mgpu::detail::make_set_inputs(keys, a, keys, b), count);
}

// The host sees whether a count is stored where a size is read. Nothing is executed on a device.
TEST(SetOperationsN, CountsAtTheAddressOfASize)
{
  const std::int64_t counts[4] = {};
  const std::int64_t* const no_count = nullptr;
  const mgpu::deferred first{counts, 5};
  const mgpu::deferred second{counts + 1, 5};
  EXPECT_FALSE(reads_in_place(first, second, counts));
  EXPECT_FALSE(reads_in_place(first, second, counts + 1));
  EXPECT_TRUE(reads_in_place(first, second, counts + 2));
  EXPECT_TRUE(reads_in_place(first, second, no_count));
  // A part of it, and one size alone.
  const auto* const halves = reinterpret_cast<const std::int32_t*>(counts);
  EXPECT_FALSE(reads_in_place(3, second, halves + 2));
  EXPECT_FALSE(reads_in_place(second, 3, halves + 3));
  EXPECT_TRUE(reads_in_place(second, 3, halves + 1));
  EXPECT_TRUE(reads_in_place(second, 3, halves + 4));
  EXPECT_FALSE(reads_in_place(mgpu::deferred{halves + 1, 5}, 3, counts));
  // An iterator may read anywhere.
  const mgpu::deferred computed{thrust::counting_iterator<int>(4), 5};
  EXPECT_FALSE(reads_in_place(computed, 3, counts));
  EXPECT_TRUE(reads_in_place(computed, 3, no_count));
  EXPECT_TRUE(reads_in_place(3, 3, counts));
}

#endif

TEST(SetOperationsN, SizesOfResults)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t size = 50021;
  const ints a = test::ranges_of_copies::input(0, size);
  const ints b = test::ranges_of_copies::input(1, size);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys1 = test::to_memory<policy_t>(a);
      const auto keys2 = test::to_memory<policy_t>(b);
      auto counts = test::to_memory<policy_t>(ints{30000, -1, -1, -1});
      const mgpu::deferred size1{counts.data(), size};
      mgpu::set_intersection_size_n(policy, keys1.begin(), size1, keys2.begin(), size, counts.data() + 1);
      mgpu::set_union_size_n(policy, keys1.begin(), size1, keys2.begin(), size, counts.data() + 2);
      const auto last =
        mgpu::set_difference_size_n(policy, keys1.begin(), size1, keys2.begin(), size, counts.data() + 3);
      ints kept;
      std::set_intersection(a.begin(), a.begin() + 30000, b.begin(), b.end(), std::back_inserter(kept));
      const int both = static_cast<int>(kept.size());
      EXPECT_EQ(test::to_host(counts), (ints{30000, both, 30000 + static_cast<int>(size) - both, 30000 - both}));
      EXPECT_EQ(last.capacity, size);
    });
}

TEST(SetOperationsN, ComparatorsAndEmptyCapacities)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto down = test::to_memory<policy_t>(ints{9, 7, 5, 3, 1});
      test::memory<policy_t, std::int32_t> out(10, -7);
      auto counts = test::to_memory<policy_t>(ints{4, 100, 100});
      mgpu::set_union_n(
        policy, down.begin(), mgpu::deferred{counts.data(), 5}, down.begin(), 3, out.begin(), counts.data() + 1,
        cuda::std::greater<>{});
      EXPECT_EQ(test::to_host(counts), (ints{4, 4, 100}));
      EXPECT_EQ(test::to_host(out), (ints{9, 7, 5, 3, -7, -7, -7, -7, -7, -7}));

      // Nothing can be in the result, so nothing is read.
      mgpu::set_intersection_n(
        policy, down.begin(), mgpu::deferred{counts.data(), 5}, down.begin(), 0, out.begin(), counts.data() + 2);
      EXPECT_EQ(test::to_host(counts)[2], 0);
      EXPECT_EQ(test::to_host(out)[0], 9);

      // A bound that is none.
      EXPECT_THROW(
        mgpu::merge_n(
          policy, down.begin(), mgpu::deferred{counts.data(), -1}, down.begin(), 3, out.begin(), counts.data() + 2),
        std::invalid_argument);
      EXPECT_EQ(test::to_host(counts)[2], 0);
    });
}

/// What several lists have in common, each call with the size that the call before it left.
TEST(SetOperationsN, Chain)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  static constexpr int size = 30030;
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto of2 = test::multiples_of<policy_t>(2, size);
      const auto of3 = test::multiples_of<policy_t>(3, size);
      const auto of5 = test::multiples_of<policy_t>(5, size);
      test::memory<policy_t, std::int32_t> once(size);
      test::memory<policy_t, std::int32_t> twice(size);
      test::memory<policy_t, std::int64_t> count(1);
      const auto of6 =
        mgpu::set_intersection_n(policy, of2.begin(), of2.size(), of3.begin(), of3.size(), once.begin(), count.data());
      const auto of30 =
        mgpu::set_intersection_n(policy, once.begin(), of6, of5.begin(), of5.size(), twice.begin(), count.data());
      ASSERT_EQ(mgpu::read_count(policy, of30), size / 30);
      ASSERT_EQ(mgpu::read_count(policy, mgpu::deferred{count.begin(), 7}), 7);
      ASSERT_EQ(mgpu::read_count(policy, size), size);
      ASSERT_EQ(of30.capacity, size / 5);
      ASSERT_EQ(test::to_host(twice)[100], 3000);
    });
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Types that meet the standard's requirements and nothing more: every algorithm accepts them, with the same results as
// for ordinary types.

#include "support/copy_only.h"
#include "support/every_family.h"

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/merge.h>

#include <thrust/iterator/retag.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

namespace
{

/// A truth value that only converts to bool in a condition.
struct truth
{
  bool value;

  MGPU_THRUST_HOST_DEVICE explicit operator bool() const
  {
    return value;
  }
  void operator!() const = delete;
};

struct less_as_truth
{
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE truth operator()(const X& x, const Y& y) const
  {
    return {x < y};
  }
};

struct as_volatile_outputs : test::as_pointers
{
  template <class T>
  static volatile T* output(T* first)
  {
    return first;
  }
};

constexpr std::int64_t size = 40000; // several pieces

/// Output of every algorithm for ordinary keys.
std::vector<std::int64_t> ordinary_results()
{
  return test::results_of_every_family<std::int32_t, std::int32_t, test::as_pointers>(
    thrust::seq, size, ::cuda::std::less<>{});
}

} // namespace

TEST(UnusualTypes, ComparatorsWithExplicitResultsAndElementsWithoutAnAddressAndAComma)
{
  const auto expected = ordinary_results();
  const auto check = [&](const auto& policy)
  {
    const auto results = test::results_of_every_family<test::copy_only_number, std::int32_t, test::as_pointers>(
      policy, size, less_as_truth{});
    EXPECT_EQ(results, expected);
  };
  check(thrust::seq);
  test::for_each_policy(check);
}

TEST(UnusualTypes, ComparatorsWithAStateThatCallsChange)
{
  std::vector<int> values{5, 3, 4, 1, 2};
  std::int64_t calls = 0;
  const auto comp = [&calls, own = 0](int x, int y) mutable
  {
    ++own;
    ++calls;
    return truth{x < y};
  };
  mgpu::sort(thrust::seq, values.begin(), values.end(), comp);
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3, 4, 5}));
  EXPECT_GE(calls, 4);
}

TEST(UnusualTypes, VolatileOutputs)
{
  const auto results = test::results_of_every_family<std::int32_t, std::int32_t, as_volatile_outputs>(
    thrust::seq, size, ::cuda::std::less<>{});
  EXPECT_EQ(results, ordinary_results());
}

TEST(UnusualTypes, VolatileOutputsOfJoins)
{
  using compare = ::cuda::std::less<>;
  test::every_family<std::decay_t<decltype(thrust::seq)>, std::int32_t, std::int32_t, test::as_pointers, compare>
    ordinary(thrust::seq, size, {});
  ordinary.joins();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      test::every_family<policy_t, std::int32_t, std::int32_t, as_volatile_outputs, compare> calls(policy, size, {});
      calls.joins();
      EXPECT_EQ(calls.results, ordinary.results);
    });
}

// Iterators retagged with another system's tag work as before, and ranges may be empty.
TEST(UnusualTypes, RetaggedIteratorsOfEmptyAndOtherVectors)
{
  const std::vector<int> none;
  const std::vector<int> some{1, 2, 2, 5};
  const auto retag = [](auto iterator) { return thrust::retag<thrust::cpp::tag>(iterator); };
  test::for_each_policy(
    [&](const auto& policy)
    {
      for (const std::vector<int>& other : {none, some})
      {
        std::vector<int> all(some.size() + other.size());
        const auto end = mgpu::merge(
          policy, retag(some.begin()), retag(some.end()), retag(other.begin()), retag(other.end()), retag(all.begin()));
        EXPECT_EQ(end - retag(all.begin()), static_cast<std::ptrdiff_t>(all.size()));
        EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
      }
    });
  EXPECT_TRUE((std::is_same_v<decltype(mgpu::detail::unwrap(retag(some.begin()))), const int*>) );
  EXPECT_TRUE((std::is_same_v<decltype(mgpu::detail::unwrap(some.begin())), const int*>) );
}

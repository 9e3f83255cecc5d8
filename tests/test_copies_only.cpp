// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Iterators, comparators, operators, functions and elements that can only be copied. Nothing that users pass is
// default-constructed, and only values are assigned: keys cannot be.

#include "support/copy_only.h"
#include "support/every_family.h"
#include "support/systems.h"

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace
{

template <class Policy>
struct copies_only
{
  static constexpr std::int64_t size = 3000;

  using compare = test::copy_only_function<::cuda::std::less<>>;

  static std::vector<std::int64_t> results(const Policy& policy)
  {
    return test::results_of_every_family<
      test::constant_number, std::int32_t, test::as_copies_only, test::copy_only_number>(
      policy, size, compare(::cuda::std::less<>{}));
  }
  static std::vector<std::int64_t> deferred_results(const Policy& policy)
  {
    return test::deferred_results_of_every_family<
      test::constant_number, std::int32_t, test::as_copies_only, test::copy_only_number>(
      policy, size, compare(::cuda::std::less<>{}));
  }
};

TEST(CopiesOnly, EveryFamily)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using ordinary = test::every_family<
    std::decay_t<decltype(thrust::seq)>, std::int64_t, std::int32_t, test::as_pointers, ::cuda::std::less<>>;
  ordinary expected(thrust::seq, 3000, {});
  expected.call_all();
  test::for_each_policy([&](const auto& policy)
                        { EXPECT_EQ(copies_only<std::decay_t<decltype(policy)>>::results(policy), expected.results); });
}

TEST(CopiesOnly, EveryFamilyDeferred)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto expected = test::deferred_results_of_every_family<std::int64_t, std::int32_t, test::as_pointers>(
    thrust::seq, 3000, ::cuda::std::less<>{});
  test::for_each_policy(
    [&](const auto& policy)
    { EXPECT_EQ(copies_only<std::decay_t<decltype(policy)>>::deferred_results(policy), expected); });
}

} // namespace
